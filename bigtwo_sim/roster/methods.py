"""The methods and levels of each game, found by name."""

from __future__ import annotations

import difflib
import functools
import importlib
import re
from pathlib import Path

from bigtwo_sim.games.base.agent import AgentError, Method
from bigtwo_sim.games.registry import BIG_THREE, BIG_TWO, package_named
from bigtwo_sim.roster.level_file import Level, read_levels

LEVELS_FILE = "levels.json"
PACKAGES = {BIG_TWO: "bigtwo_agents.big_two", BIG_THREE: "bigtwo_agents.big_three"}
"""Where the methods of each game are."""
_HAS_METHOD = re.compile(r"^METHOD\b", re.MULTILINE)


def _folders(game: str) -> list[Path]:
    return [Path(folder) for folder in importlib.import_module(PACKAGES[game]).__path__]


def method_names(game: str = BIG_TWO) -> list[str]:
    """The names of all methods of a game, sorted. Files are searched for their `METHOD`, and none is imported."""
    files = (file for folder in _folders(game) for file in folder.glob("*.py"))
    return sorted(file.stem for file in files if _HAS_METHOD.search(file.read_text(encoding="utf-8")))


@functools.cache
def levels(game: str = BIG_TWO) -> dict[str, Level]:
    """The levels of the game's `levels.json` by name, weakest first."""
    return read_levels(_folders(game)[0] / LEVELS_FILE)


def agent_names(game: str = BIG_TWO) -> list[str]:
    """What an agent can be called without more: all methods and levels of a game, sorted."""
    return sorted([*method_names(game), *levels(game)])


def method(name: str, game: str = BIG_TWO) -> Method:
    """The method called `name`. Raises AgentError, with the names that come close, where there is none."""
    if name not in method_names(game):
        known = agent_names(game)
        close = difflib.get_close_matches(name, known, cutoff=0.5)
        guess = f"; did you mean {' or '.join(close)}?" if close else "."
        which = "" if game == BIG_TWO else f" of {package_named(game).Rules.TITLE}"
        raise AgentError(f"there is no agent {name!r}{which}{guess} The agents are {', '.join(known)}")
    place = f"{PACKAGES[game]}.{name}"
    found = getattr(importlib.import_module(place), "METHOD", None)
    if not isinstance(found, Method):
        raise AgentError(f"METHOD in {place.replace('.', '/')}.py is {found!r:.40}; it must be a Method")
    return found
