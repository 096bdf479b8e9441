"""Greedy play: get rid of cards, the weakest first, and pass only when one must."""

from __future__ import annotations

from bigtwo_sim.big_two.policy import Method, policy
from bigtwo_sim.kernel import NO_BITS, lowest_bit, popcount


@policy
def choose(hand, public, plays, strengths, count, params, stream):
    """Lead the play of most cards that contains the weakest card; answer with the weakest play that beats."""
    if public.table_size > 0:
        return 0
    weakest = lowest_bit(hand)
    best = 0
    best_size = 0
    for i in range(count):
        if plays[i] & weakest != NO_BITS and popcount(plays[i]) > best_size:
            best = i
            best_size = popcount(plays[i])
    return best


METHOD = Method("greedy", choose, "leads the most cards with its weakest one, answers with the weakest play that beats")
