"""The games that the arena plays, by name and by their rules. Each is imported when it is asked for."""

from __future__ import annotations

import importlib

from bigtwo_sim.game import Counting, Game
from bigtwo_sim.switches import SwitchedRules

BIG_TWO, BIG_THREE = "big-two", "big-three"
GAMES = {BIG_TWO: "bigtwo_sim.big_two.game", BIG_THREE: "bigtwo_sim.big_three.game"}
"""The module that has each game's GAME."""


def game_named(name: str) -> Game:
    """The game of this name. Raises ValueError, which lists the games, where there is none."""
    if name not in GAMES:
        raise ValueError(f"the game is {name!r:.40}; it must be one of {', '.join(GAMES)}")
    found: Game = importlib.import_module(GAMES[name]).GAME
    return found


def game_of(rules: SwitchedRules) -> Game:
    """The game that these are rules of."""
    return game_named(rules.GAME)


def counting_of(rules: SwitchedRules) -> Counting:
    """What is summed of deals under these rules."""
    return game_of(rules).countings[rules.players]
