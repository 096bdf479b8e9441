"""`bigtwo compare`: which of two plays beats the other, and why, in one line."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from bigtwo_sim.cli.options import (
    GameOption,
    GameRulesOption,
    JsonOption,
    PlayersOption,
    SetOption,
    read_cards,
    rules_of_game,
)
from bigtwo_sim.core.cards import CardSet
from bigtwo_sim.games.registry import BIG_TWO, package_of
from bigtwo_sim.terminal.output import cards_text, emit, emit_json

PlayArgument = Annotated[str, typer.Argument(metavar="PLAY", help="Cards in one text, such as '9S 9D'.")]


def compare(
    first: PlayArgument,
    second: PlayArgument,
    game: GameOption = BIG_TWO,
    players: PlayersOption = None,
    rules: GameRulesOption = None,
    changes: SetOption = None,
    as_json: JsonOption = False,
) -> None:
    """Say which of two plays beats the other, and why.

    It asks about the order of plays, so both may contain the same card.
    """
    chosen = rules_of_game(game, players, rules, changes)

    first_cards = read_cards(first, "the first PLAY", chosen)
    second_cards = read_cards(second, "the second PLAY", chosen)
    result = package_of(chosen).compare(first_cards, second_cards, chosen)
    if as_json:
        emit_json(
            {
                "first": result.first.kind if result.first else None,
                "second": result.second.kind if result.second else None,
                "winner": result.winner,
                "reason": result.reason,
            }
        )
        return
    one, other = _named(first_cards, result.first), _named(second_cards, result.second)
    if result.winner is None:
        emit(f"{one} and {other}: neither beats the other; {result.reason}")
    else:
        winner, loser = (one, other) if result.winner == "first" else (other, one)
        emit(f"{winner} beats {loser}: {result.reason}")


def _named(cards: CardSet, play: Any) -> str:
    return f"{cards_text(cards)} ({play.kind.words if play else 'no play'})"
