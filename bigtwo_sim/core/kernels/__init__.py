"""Compiled functions over cards that every game uses."""
