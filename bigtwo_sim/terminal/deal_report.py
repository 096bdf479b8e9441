"""A deal told on the terminal: its hands, trick by trick what was laid, and how the penalties became points."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from bigtwo_sim.core.cards import CardSet
from bigtwo_sim.core.kernel import U64
from bigtwo_sim.games.base.replay import Turn
from bigtwo_sim.games.big_two.kernels.scoring import penalty
from bigtwo_sim.games.registry import BIG_TWO
from bigtwo_sim.terminal import deal_with_sides
from bigtwo_sim.terminal.output import cards_text, emit, table_text, wrapped

LONGEST_NAME = 24  # in the lines of a trick
LEAST_WIDTH = 14  # of the cards there: five of them
LEAST_KIND = 14  # of their kind, the longest of Big Two: "four of a kind"


def short_names(names: Sequence[str]) -> list[str]:
    """Names as they stand before the cards, the longest cut."""
    return [name if len(name) <= LONGEST_NAME else f"{name[: LONGEST_NAME - 3]}..." for name in names]


def show_deal(names: Sequence[str], played: Any, turns: Sequence[Turn], title: str) -> None:
    """Print a deal, as far as it is played, with the names of its players by seat; `turns` are all of its turns."""
    plays = [turn.play for turn in turns if turn.play]
    widest = max([LEAST_WIDTH, *(len(cards_text(play.cards)) for play in plays)])
    widest_kind = max([LEAST_KIND, *(len(play.kind.words) for play in plays)])
    has_sides = played.rules.GAME != BIG_TWO
    short = short_names(names)
    longest = max(len(name) for name in short)
    seats = [f"seat {seat} {name:<{longest}}" for seat, name in enumerate(short)]

    emit(title)
    if short != list(names):
        emit("\nAgents")
        emit(table_text([(f"seat {seat}", name) for seat, name in enumerate(names)]))
    emit("\nHands, weakest card first")
    emit(table_text([(who, cards_text(hand)) for who, hand in zip(seats, played.dealt, strict=True)]))
    if has_sides:
        deal_with_sides.show_beginning(seats, played)
    for number in range(1, (turns[-1].trick if turns else 0) + 1):
        emit(f"\nTrick {number}")
        rows = []
        for turn in turns:
            if turn.trick != number:
                continue
            if turn.play is None:
                rows.append((seats[turn.seat], "pass", "", ""))
                continue
            cards, kind = cards_text(turn.play.cards), turn.play.kind.words
            rest = f"{turn.left} left" if turn.left else "wins"
            rows.append((seats[turn.seat], f"{cards:<{widest}}", f"{kind:<{widest_kind}}", rest))
        emit(table_text(rows))

    if not played.is_over:
        emit(f"\nThe deal is not over; seat {played.turn} is to {'lead' if played.play_to_beat is None else 'play'}.")
        return
    if has_sides:
        deal_with_sides.show_payments(seats, played)
        return
    emit("\n" + wrapped(f"Penalties become points: {played.rules.settlement.meaning}"))
    width = max(len(f"{points:+d}") for points in played.points)
    held = zip(seats, played.points, played.hands, strict=True)
    emit(table_text([(who, f"{points:+{width}d}", _penalty_text(hand, played)) for who, points, hand in held]))


def _penalty_text(hand: CardSet, played: Any) -> str:
    if not hand:
        return "winner"
    cards = f"{len(hand)} card{'s' if len(hand) > 1 else ''}"
    return f"penalty {penalty(U64(hand.bits), played.rules.rule_table())} for {cards} left: {cards_text(hand)}"
