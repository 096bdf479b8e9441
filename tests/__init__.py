"""The tests, in the folders of what they test."""

from pathlib import Path

ROOT = Path(__file__).parents[1]
"""The folder of the project."""
DATA = ROOT / "tests" / "data"
PLAYERS = ROOT / "tests" / "players"
"""Agents as users write them, in modules of no package and programs of no module."""
