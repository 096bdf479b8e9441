"""Strength against a setting: how one agent does among three of another at each of several values, on the same decks.

A curve is a run whose line-ups are ABBB, one for each value A, so it is saved, taken up and read like any other. What
it adds is the distance between neighbouring values: the rating of an agent that wins a share p among three others is
that of Luce's model, in which it wins with probability w / (w + 3) where each of the others weighs 1; log w in the unit
of `strength` (400: ten times the weight). Both values play the same decks, so the distance comes from the differences
deck by deck: by the delta method, p has the influence 1 / (p (1 - p)) on log w.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from bigtwo_sim.arena.stats.intervals import Estimate, estimate_of
from bigtwo_sim.arena.stats.strength import RATING_UNIT
from bigtwo_sim.games.big_two.layout import SEATS

OTHERS = SEATS - 1


@dataclass(frozen=True)
class Step:
    """From one value to the next."""

    start: float
    end: float
    distance: Estimate
    """By how much the rating is greater at `end`."""
    doubling: Estimate
    """The same for each doubling of the value; NaN where a value is not above 0."""


def rating(share: float) -> float:
    """The rating of who wins that share among three, where each of these has the rating 0; infinite for 0 and 1.

    >>> rating(0.25)
    0.0
    >>> round(rating(0.4))
    120
    """
    if share <= 0 or share >= 1:
        return math.copysign(math.inf, share - 0.5)
    return RATING_UNIT * math.log(OTHERS * share / (1 - share))


def ratings(shares: npt.NDArray[np.float64]) -> list[Estimate]:
    """The ratings with intervals of shares that were won by block: float64[values, blocks].

    The ends are the ratings of the ends of the share's interval, so one may be infinite.
    """
    return [_rating(row) for row in shares]


def steps(values: Sequence[float], shares: npt.NDArray[np.float64]) -> list[Step]:
    """The steps between neighbouring `values`, of which float64[values, blocks] were won on the same blocks."""
    found = []
    for place in range(1, len(values)):
        start, end = values[place - 1], values[place]
        means = shares[place - 1].mean(), shares[place].mean()
        distance = Estimate(math.nan, math.nan, math.nan)
        if all(0 < mean < 1 for mean in means):
            influence = _influence(shares[place], shares[place]) - _influence(shares[place - 1], shares[place - 1])
            # Of what one block can add, the most is where all is won at one value and none at the other.
            (start_least, start_most), (end_least, end_most) = (
                _influence(shares[at], np.array([0.0, 1.0])) for at in (place - 1, place)
            )
            around = estimate_of(influence, None, end_least - start_most, end_most - start_least)
            value = rating(float(means[1])) - rating(float(means[0]))
            distance = Estimate(value, value + around.low - around.mean, value + around.high - around.mean)
        doublings = math.log2(end / start) if start > 0 and end > 0 else math.nan
        found.append(
            Step(start, end, distance, Estimate(*(bound / doublings for bound in _ordered(distance, doublings))))
        )
    return found


def _ordered(found: Estimate, sign: float) -> tuple[float, float, float]:
    """Mean and bounds, the bounds exchanged where dividing by a negative number turns them."""
    return (found.mean, found.high, found.low) if sign < 0 else (found.mean, found.low, found.high)


def _rating(shares: npt.NDArray[np.float64]) -> Estimate:
    found = estimate_of(shares, None, 0.0, 1.0)
    if math.isnan(found.low):
        return Estimate(rating(found.mean), math.nan, math.nan)
    return Estimate(rating(found.mean), rating(found.low), rating(found.high))


def _influence(shares: npt.NDArray[np.float64], blocks: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """What blocks with these shares add to the rating of all `shares`, to first order."""
    mean = float(shares.mean())
    return RATING_UNIT * (blocks - mean) / (mean * (1 - mean))
