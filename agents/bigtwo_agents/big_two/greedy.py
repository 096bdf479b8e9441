"""Greedy play: get rid of cards, the weakest first, and pass only when one must."""

from __future__ import annotations

import numpy as np

from bigtwo_agents.leads import most_with_the_weakest
from bigtwo_sim.core.kernel import kernel
from bigtwo_sim.games.big_two.policy import Method, policy


@kernel(inline=True)
def weakest_away(hand, public, plays, count):
    """Lead the play of most cards that contains the weakest card; answer with the weakest play that beats."""
    if public.size_to_beat > 0:
        return np.int64(0)
    return most_with_the_weakest(hand, plays, count)


@policy
def choose(hand, public, plays, strengths, count, params, stream):
    """The option of `weakest_away`."""
    return weakest_away(hand, public, plays, count)


METHOD = Method("greedy", choose, "leads the most cards with its weakest one, answers with the weakest play that beats")
