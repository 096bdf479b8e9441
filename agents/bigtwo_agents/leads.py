"""Leads that strategies of several games share."""

from __future__ import annotations

import numpy as np

from bigtwo_sim.core.kernel import NO_BITS, kernel, lowest_bit, popcount


@kernel(inline=True)
def most_with_the_weakest(hand, plays, count):
    """The index of the play of most cards that contains the weakest card of `hand`, the first of several."""
    best = np.int64(0)
    weakest = lowest_bit(hand)
    best_size = np.int64(0)
    for i in range(count):
        if plays[i] & weakest != NO_BITS and popcount(plays[i]) > best_size:
            best = i
            best_size = popcount(plays[i])
    return best
