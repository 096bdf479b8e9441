"""Greedy play: get rid of cards, the weakest first, pass only when one must, and bid on cards of the highest ranks."""

from __future__ import annotations

import numpy as np

from bigtwo_agents.leads import most_with_the_weakest
from bigtwo_sim.core.kernel import U64, kernel, popcount
from bigtwo_sim.games.big_three import layout as at
from bigtwo_sim.games.big_three.policy import Method, policy

HIGH_RANKS = 3  # that a bid is founded on: of Shaanxi's ranks the aces, 2s and 3s
BID_FROM = 5  # so many cards of them are worth a bid of 1, each further one a bid more
_HIGH_CARDS = U64(4 * (at.RANKS - HIGH_RANKS))


@kernel(inline=True)
def weakest_away(hand, public, plays, count):
    """Lead the play of most cards that contains the weakest card; answer with the weakest play that beats.

    Bid the number of high cards less four, or pass where that is no bid.
    """
    if public.phase == at.AUCTION:
        wanted = min(popcount(hand >> _HIGH_CARDS) - BID_FROM + 1, at.HIGHEST_BID)
        return wanted - public.bid - 1 if wanted > public.bid else count
    if public.size_to_beat > 0:
        return np.int64(0)
    return most_with_the_weakest(hand, plays, count)


@policy
def choose(hand, public, plays, strengths, count, params, stream):
    """The option of `weakest_away`."""
    return weakest_away(hand, public, plays, count)


METHOD = Method(
    "greedy", choose, "bids on high cards, leads the most cards with its weakest one, answers with the weakest play"
)
