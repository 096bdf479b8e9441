"""A deal told turn by turn: which trick each turn belongs to, what was laid, and how many cards were left."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from bigtwo_sim.big_two.deal import Deal
from bigtwo_sim.big_two.plays import Play
from bigtwo_sim.cards import CardSet


@dataclass(frozen=True)
class Turn:
    """One turn of a deal."""

    trick: int
    """Number of its trick; the first is 1."""
    seat: int
    play: Play | None
    """What was laid; None for a pass."""
    left: int
    """Cards left of the seat, after it."""


def play_through(deal: Deal, log: Iterable[tuple[int, CardSet]]) -> list[Turn]:
    """Play `deal` on by the turns of `log` (seat, cards; no cards for a pass), and tell them.

    Tricks are counted from where `deal` stands. Raises IllegalPlay where the rules forbid a turn, ValueError where it
    is another seat's or the deal is over; the turns before it are then made.
    """
    turns: list[Turn] = []
    trick = int(deal.table is not None)
    for number, (seat, cards) in enumerate(log):
        if deal.is_over or seat != deal.turn:
            whose = "nobody's, the deal is over" if deal.is_over else f"seat {deal.turn}'s"
            raise ValueError(f"turn {number} of the log is of seat {seat}, and it is {whose}")
        trick += deal.table is None
        if cards:
            deal.play(cards)
        else:
            deal.pass_()
        turns.append(Turn(trick, seat, deal.table if cards else None, deal.left[seat]))
    return turns
