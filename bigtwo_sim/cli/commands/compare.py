"""`bigtwo compare`: which of two plays beats the other, and why, in one line."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from bigtwo_sim.cli.options import (
    DEFAULT_GAME,
    GameOption,
    GameRulesOption,
    JsonOption,
    PlayersOption,
    SetOption,
    cards_text,
    emit,
    emit_json,
    read_cards,
    rules_of_game,
)

if TYPE_CHECKING:
    from bigtwo_sim.core.cards import CardSet

PlayArgument = Annotated[str, typer.Argument(metavar="PLAY", help="Cards in one text, such as '9S 9D'.")]


def compare(
    first: PlayArgument,
    second: PlayArgument,
    game: GameOption = DEFAULT_GAME,
    players: PlayersOption = None,
    rules: GameRulesOption = None,
    changes: SetOption = None,
    as_json: JsonOption = False,
) -> None:
    """Say which of two plays beats the other, and why.

    It asks about the order of plays, so both may contain the same card.
    """
    chosen = rules_of_game(game, players, rules, changes)
    from bigtwo_sim.games.registry import package_of

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
