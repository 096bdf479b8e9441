"""Greedy play: get rid of cards, the weakest first, and pass only when one must."""

from __future__ import annotations

import numpy as np

from bigtwo_sim.big_two.policy import Method, policy
from bigtwo_sim.kernel import NO_BITS, kernel, lowest_bit, popcount


@kernel(inline=True)
def weakest_away(hand, public, plays, count):
    """Lead the play of most cards that contains the weakest card; answer with the weakest play that beats."""
    best = np.int64(0)
    if public.table_size > 0:
        return best
    weakest = lowest_bit(hand)
    best_size = np.int64(0)
    for i in range(count):
        if plays[i] & weakest != NO_BITS and popcount(plays[i]) > best_size:
            best = i
            best_size = popcount(plays[i])
    return best


@policy
def choose(hand, public, plays, strengths, count, params, stream):
    """The option of `weakest_away`."""
    return weakest_away(hand, public, plays, count)


METHOD = Method("greedy", choose, "leads the most cards with its weakest one, answers with the weakest play that beats")
