"""The chance to win a match from the totals, seen as a race.

Between the deals a match is taken as a race: each deal is won by every seat alike, and its winner gains a fixed number
of points. How many wins each seat is still short of then decides its chance exactly.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from bigtwo_sim.core.kernel import kernel
from bigtwo_sim.games.big_two import layout as at

MOST_WINS = 8  # a seat that is short of more counts as short of these


def _race_table() -> npt.NDArray[np.float64]:
    """Chance of the first of four to get the wins it is short of before the others do, float64[9, 9, 9, 9]."""
    size = MOST_WINS + 1
    chance = np.zeros((size,) * at.SEATS)
    for short in np.ndindex(*chance.shape):
        if 0 in short:
            chance[short] = 1.0 if short[0] == 0 else 0.0
        else:
            after = [chance[tuple(n - (i == seat) for i, n in enumerate(short))] for seat in range(at.SEATS)]
            chance[short] = sum(after) / at.SEATS
    return chance


_CHANCE = _race_table()


@kernel
def match_equity(totals, points, seat, target, gain):
    """Chance (float64) of `seat` to win the match to `target` after a deal.

    `totals` int64[4] stood before it, `points` int64[4] are what it brought, `gain` is what the winner of a later deal
    is taken to collect. Where somebody has reached the target, the highest total has won.
    """
    own = totals[seat] + points[seat]
    highest = own
    for step in range(1, at.SEATS):
        other = (seat + step) & 3
        highest = max(highest, totals[other] + points[other])
    if highest >= target:
        return 1.0 if own == highest else 0.0
    second = (seat + 1) & 3
    third = (seat + 2) & 3
    fourth = (seat + 3) & 3
    return _CHANCE[
        _short(target - own, gain),
        _short(target - totals[second] - points[second], gain),
        _short(target - totals[third] - points[third], gain),
        _short(target - totals[fourth] - points[fourth], gain),
    ]


@kernel(inline=True)
def _short(points, gain):
    return min(np.int64(np.ceil(points / gain)), MOST_WINS)
