"""The games by name and by their rules. Each is imported when it is asked for."""

from __future__ import annotations

import importlib
from typing import Any

from bigtwo_sim.games.base.game import Game, StatColumns
from bigtwo_sim.games.base.ruleset import RuleSet

BIG_TWO, BIG_THREE = "big-two", "big-three"
PACKAGES = {BIG_TWO: "bigtwo_sim.games.big_two", BIG_THREE: "bigtwo_sim.games.big_three"}


def package_named(name: str) -> Any:
    """The package of the game of this name. Raises ValueError, which lists the games, where there is none."""
    if name not in PACKAGES:
        raise ValueError(f"the game is {name!r:.40}; it must be one of {', '.join(PACKAGES)}")
    return importlib.import_module(PACKAGES[name])


def package_of(rules: RuleSet) -> Any:
    """The package of the game that these are rules of."""
    return package_named(rules.GAME)


def game_named(name: str) -> Game:
    """The game of this name, as the arena plays it. Raises ValueError where there is none."""
    found: Game = importlib.import_module(f"{package_named(name).__name__}.game").GAME
    return found


def game_of(rules: RuleSet) -> Game:
    """The game that these are rules of, as the arena plays it."""
    return game_named(rules.GAME)


def stat_columns_of(rules: RuleSet) -> StatColumns:
    """What is summed of deals under these rules."""
    return game_of(rules).stat_columns[rules.players]
