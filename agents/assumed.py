"""What the others are assumed to play: the policies that a rollout and a belief can be about, by number."""

from __future__ import annotations

import numpy as np

from agents import heuristic
from agents.greedy import weakest_away
from agents.heuristic import weigh
from bigtwo_sim.big_two.turns import lay, pass_turn, turn_plays
from bigtwo_sim.kernel import kernel

HEURISTIC, GREEDY = range(2)
POLICIES = 2
HEURISTIC_PARAMS = heuristic.METHOD.params()


@kernel
def assumed_choice(hand, public, plays, strengths, count, assumed):
    """The option that the policy number `assumed` takes; the other arguments as in `policy`."""
    if assumed == GREEDY:
        return weakest_away(hand, public, plays, count)
    choice, _ = weigh(hand, public, plays, strengths, count, HEURISTIC_PARAMS, None)
    return choice


@kernel
def play_out(public, hands, plays, strengths, assumed):
    """Play a deal to its end, each seat by the policy number that `assumed` (int64[4]) gives it."""
    while public.winner < 0:
        seat = public.turn
        hand = hands[seat]
        count, may_pass = turn_plays(public, hand, plays, strengths)
        choice = np.int64(0)
        if count + may_pass > 1:
            choice = assumed_choice(hand, public, plays, strengths, count, assumed[seat])
        if choice < count:
            lay(public, hands, plays[choice], strengths[choice])
        else:
            pass_turn(public)
