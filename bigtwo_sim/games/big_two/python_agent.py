"""A Python agent: what makes it, what it is asked and told, and what counts as its fault.

What `choose(view)` must do, `deal.Agent` says. These methods it may have besides; they are looked up once, when it is
seated, and whatever they return is ignored:

=====================  =============================================================================================
`new_deal(view)`       at the beginning of each deal, with the view of its seat; there are no legal plays in it yet
`end_deal(result)`     at the end of each deal, with a `DealResult`
`close()`              when it will not be asked any more
=====================  =============================================================================================
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from bigtwo_sim.core.cards import CardSet
from bigtwo_sim.games.base.python_agent import (
    AgentFault,
    AnyAgent,
    Forfeit,
    PythonAgent,
    answer_text,
    cards_in,
    close_agent,
    hook_of,
    one_line,
    why_it_failed,
)
from bigtwo_sim.games.big_two.deal import Deal, IllegalPlay, View
from bigtwo_sim.games.big_two.plays import Play
from bigtwo_sim.untrusted.foreign import is_a

__all__ = [
    "AgentFault",
    "AnyAgent",
    "DealResult",
    "Forfeit",
    "PythonAgent",
    "answer_text",
    "cards_of",
    "close_agent",
    "hook_of",
    "one_line",
    "view_of_new_deal",
    "why_it_failed",
    "why_refused",
]


@dataclass(frozen=True)
class DealResult:
    """How a deal ended, as its seats are told."""

    seat: int
    """Who is told."""
    winner: int
    left: tuple[int, ...]
    """Cards left by seat."""
    points: tuple[int, ...]
    """Points by seat."""
    log: tuple[tuple[int, CardSet], ...]
    """All turns: (seat, cards), no cards for a pass."""

    @classmethod
    def of(cls, deal: Deal, seat: int) -> DealResult:
        """What `seat` is told of a deal. Raises ValueError while the deal runs."""
        points = deal.points
        assert deal.winner is not None
        return cls(seat, deal.winner, deal.left, points, deal.view(seat).log)


def view_of_new_deal(view: View) -> View:
    """What a seat is told at the beginning of a deal, from its view there: no legal plays, and a stream of its own.

    What it draws from that stream does not come again on its first turn.
    """
    return replace(view, legal_plays=(), may_pass=False, stream_seed=view.stream_seed - 1)


# --- in words ---------------------------------------------------------------------------------------------------------
def why_refused(answer: object, deal: Deal) -> str | None:
    """What is wrong with `answer` as the next turn of `deal`, in words; None: nothing is."""
    try:
        cards = cards_of(answer)
    except Forfeit as fault:
        return fault.reason
    if not cards and deal.may_pass:
        return None
    if any(play.cards == cards for play in deal.legal_plays()):
        return None
    try:
        if cards:
            deal.play(cards)
        else:
            deal.pass_()
    except (IllegalPlay, TypeError) as error:
        return f"answered {answer_text(cards)}: {error}"
    raise AssertionError(f"{cards} is legal")  # pragma: no cover - legal_plays and play would disagree


def cards_of(answer: object) -> CardSet:
    """The cards that an agent answered with, as a set that nobody else holds. Raises Forfeit where it is not one."""
    try:
        return cards_in(answer)
    except Forfeit as fault:
        hint = "; answer with its .cards" if is_a(answer, Play) else ""
        raise Forfeit(fault.reason + hint, fault.answer) from None
