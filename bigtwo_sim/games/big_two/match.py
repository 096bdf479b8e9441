"""A match: deals one after the other until a total reaches the target; who leads each, and who has won.

**Deals.** Deal number n of a match with root seed S is deal n of that seed (see `rng`), whoever plays and whatever came
before. Under `opener=first_deal` the holder of the lowest card leads deal 0, bound by the opening rule, and then the
winner of the last deal leads, free of it; under `opener=every_deal` the holder of the lowest card leads every deal.

**The end.** The match is over after the deal in which a total reaches the target. Only the winner of a deal gains under
most settlements, so that one seat alone is there. Under pairwise settlement two may reach it in one deal: the highest
total wins, and while two share that, another deal is played.

**Without a target** every deal stands alone: the holder of the lowest card leads, and there is no end. The totals are
added up all the same.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from bigtwo_sim.core.kernel import kernel
from bigtwo_sim.core.rng import checked_seed, derived_seed
from bigtwo_sim.games.big_two import layout as at
from bigtwo_sim.games.big_two.deal import Deal
from bigtwo_sim.games.big_two.kernels.scoring import match_winner
from bigtwo_sim.games.big_two.plays import check_rules
from bigtwo_sim.games.big_two.rules import Opener, Rules

_MATCHES = 20  # what these seeds are for; `rng.derived_seed` has other purposes


@kernel
def _match_winner(totals: Any, target: Any) -> Any:
    return match_winner(totals, target)


def winner_of(totals: Sequence[int], target: int | None) -> int | None:
    """The seat that has won a match to `target` with these totals by seat; None: nobody yet."""
    if target is None:
        return None
    seat = int(_match_winner(np.array(totals, np.int64), target))
    return seat if seat >= 0 else None


def match_seed(seed: int, number: int) -> int:
    """The root seed of match `number` (at least 0) of a run of matches with root seed `seed`, see `derived_seed`."""
    return derived_seed(seed, _MATCHES, number)


def with_target(rules: Rules, target: int | None) -> Rules:
    """The same rules, under the same name, with this match target. Raises RulesError for what is no target."""
    changed = rules.replace(match_target=target, name=rules.name)
    return rules if changed == rules else changed


class Match:
    """A match in progress, from its first deal or from where it was left.

    >>> from bigtwo_sim.games.big_two import Rules
    >>> match = Match(Rules(), seed=1, target=5)
    >>> while match.winner is None:
    ...     deal = match.next_deal()
    ...     while not deal.is_over:
    ...         deal.pass_() if deal.may_pass else deal.play(deal.legal_plays()[0].cards)
    ...     points = match.end_deal(deal)
    >>> match.winner is not None and max(match.totals) >= 5
    True

    `rules` are those given with `match_target` set to `target`, so that views tell it. `totals`, `number` (deals that
    are finished) and `leader` (the winner of the last one) are where it goes on from. Raises TypeError for what are no
    rules, RulesError for what is no target, ValueError for a seed, a number or a leader that cannot be.
    """

    def __init__(
        self,
        rules: Rules,
        seed: int,
        target: int | None,
        totals: Sequence[int] = (0,) * at.SEATS,
        number: int = 0,
        leader: int | None = None,
    ) -> None:
        check_rules(rules)
        seed = checked_seed(seed)
        if len(totals) != at.SEATS:
            raise ValueError(f"totals are {tuple(totals)}; they must be {at.SEATS} numbers, one a seat")
        if number < 0:
            raise ValueError(f"number is {number}; it must be at least 0")
        if leader is not None and not 0 <= leader < at.SEATS:
            raise ValueError(f"leader is {leader}; it must be a seat from 0 to {at.SEATS - 1}, or None")
        self.rules = with_target(rules, target)
        self.seed = seed
        self.target = self.rules.match_target
        self.totals = tuple(int(total) for total in totals)
        """Points by seat, of the deals that are finished."""
        self.number = int(number)
        """How many deals are finished, and the number of the next one."""
        self._last_winner = leader

    @property
    def winner(self) -> int | None:
        """The seat that has won the match; None while it goes on."""
        return winner_of(self.totals, self.target)

    @property
    def leader(self) -> int | None:
        """The seat that leads the next deal; None: the holder of the lowest card, bound by the opening rule."""
        winner_leads = self.target is not None and self.rules.opener == Opener.FIRST_DEAL
        return self._last_winner if winner_leads else None

    def next_deal(self) -> Deal:
        """The next deal, dealt; the same one until it is ended. Raises ValueError where the match is over."""
        if self.winner is not None:
            raise ValueError(f"the match is over; seat {self.winner} has won it with {max(self.totals)} points")
        return Deal.new(self.rules, self.seed, self.number, self.leader, self.totals)

    def end_deal(self, deal: Deal) -> tuple[int, ...]:
        """Count the deal that `next_deal` gave, which is over; returns its points by seat.

        Raises ValueError for another deal, or one that runs.
        """
        if deal.number != (self.seed, self.number) or deal.rules != self.rules or deal.leader != self.leader:
            raise ValueError(f"the deal is another one than number {self.number} of this match")
        points = deal.points
        self.totals = tuple(total + gained for total, gained in zip(self.totals, points, strict=True))
        self.number += 1
        self._last_winner = deal.winner
        return points
