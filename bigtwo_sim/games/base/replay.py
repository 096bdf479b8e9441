"""A deal told turn by turn: which trick each turn belongs to, what was laid, and how many cards were left."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from bigtwo_sim.core.cards import CardSet


class ReplayableDeal(Protocol):
    """A deal of any game, as far as it takes to tell it."""

    @property
    def is_over(self) -> bool:
        """Whether a hand is empty."""

    @property
    def turn(self) -> int:
        """The seat whose turn it is."""

    @property
    def play_to_beat(self) -> Any:
        """The play to beat; None on lead."""

    @property
    def left(self) -> Sequence[int]:
        """Cards left by seat."""

    def play(self, cards: CardSet, /) -> None:
        """Lay cards for the seat whose turn it is."""

    def pass_(self) -> None:
        """Pass for it."""


@dataclass(frozen=True)
class Turn:
    """One turn of a deal."""

    trick: int
    """Number of its trick; the first is 1."""
    seat: int
    play: Any
    """What was laid, a Play of the game; None for a pass."""
    left: int
    """Cards left of the seat, after it."""


def play_through(deal: ReplayableDeal, log: Iterable[tuple[int, CardSet]]) -> list[Turn]:
    """Play `deal` on by the turns of `log` (seat, cards; no cards for a pass), and tell them.

    Tricks are counted from where `deal` stands. Raises IllegalPlay where the rules forbid a turn, ValueError where it
    is another seat's or the deal is over; the turns before it are then made.
    """
    turns: list[Turn] = []
    trick = int(deal.play_to_beat is not None)
    for number, (seat, cards) in enumerate(log):
        if deal.is_over or seat != deal.turn:
            whose = "nobody's, the deal is over" if deal.is_over else f"seat {deal.turn}'s"
            raise ValueError(f"turn {number} of the log is of seat {seat}, and it is {whose}")
        trick += deal.play_to_beat is None
        if cards:
            deal.play(cards)
        else:
            deal.pass_()
        turns.append(Turn(trick, seat, deal.play_to_beat if cards else None, deal.left[seat]))
    return turns
