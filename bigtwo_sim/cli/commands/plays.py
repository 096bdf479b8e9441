"""`bigtwo plays`: every legal play of a hand, weakest first, by kind."""

from __future__ import annotations

from itertools import groupby
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
from bigtwo_sim.games.registry import BIG_TWO, package_of
from bigtwo_sim.terminal.output import cards_text, columns, emit, emit_json, shows_signs
from bigtwo_sim.untrusted.errors import InputError


def plays(
    hand: Annotated[list[str], typer.Argument(metavar="HAND", help="Cards such as 3D 3C 10H 2S, at most a hand.")],
    on: Annotated[
        str | None, typer.Option("--on", metavar="PLAY", help="The play to beat, in one text; without it, a lead.")
    ] = None,
    opening: Annotated[
        bool, typer.Option("--opening", help="Only what may be the first play of a deal (of Big Two).")
    ] = False,
    game: GameOption = BIG_TWO,
    players: PlayersOption = None,
    rules: GameRulesOption = None,
    changes: SetOption = None,
    as_json: JsonOption = False,
) -> None:
    """List every legal play of a hand, weakest first."""
    chosen: Any = rules_of_game(game, players, rules, changes)

    package = package_of(chosen)
    if opening and game != BIG_TWO:
        raise InputError(f"--opening is of Big Two; in {chosen.TITLE} any play may be the first one")
    if on is not None and opening:
        raise InputError(f"--on is {on!r} beside --opening; an opening play is a lead, so only one may be given")
    cards = read_cards(" ".join(hand), "HAND", chosen)
    table = None
    if on is not None:
        table = read_cards(on, "--on", chosen)
        if package.classify(table, chosen) is None:
            why = package.comparison.why_no_play(table, chosen)
            raise InputError(f"--on is {table}, which is no play under {chosen.name}: {why}")
        if table & cards:
            raise InputError(f"--on and HAND share {table & cards}; every card exists once")
    found = package.legal_plays(cards, chosen, table, *[opening] * opening)
    if as_json:
        emit_json([{"cards": str(play.cards), "kind": play.kind, "strength": play.strength} for play in found])
        return
    where = f"on {cards_text(table)}" if table else "to open the deal" if opening else "on lead"
    emit(f"{_counted(len(found), 'legal play')} {where} under {chosen.name}{', weakest first' if found else ''}")
    if not found:
        emit("Only a pass is possible." if table else f"opening_play is {chosen.opening_play}: {_opening_rule(chosen)}")
    groups = [(key, list(same)) for key, same in groupby(found, key=lambda play: (play.kind, play.size))]
    for (kind, size), same in groups:
        of_size = f" of {size} cards" if sum(other == kind for (other, _), _ in groups) > 1 else ""
        emit(f"\n{kind.words}{of_size} ({len(same)})\n{_in_columns(same)}")


def _opening_rule(rules: Any) -> str:
    return f"{rules.opening_play.meaning.rstrip('.')}, {rules.deck.name(0, shows_signs())}."


def _counted(number: int, thing: str) -> str:
    return f"{number or 'No'} {thing}{'' if number == 1 else 's'}"


def _in_columns(group: list[Any]) -> str:
    """Plays of as many cards each, as many to a line as fit."""
    texts = [cards_text(play.cards) for play in group]
    gap = "   " if group[0].size > 1 else " "
    each = max(1, (columns() - 2 + len(gap)) // (len(texts[0]) + len(gap)))
    return "\n".join("  " + gap.join(texts[i : i + each]) for i in range(0, len(texts), each))
