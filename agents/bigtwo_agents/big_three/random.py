"""Random play: every option is as likely as any other, bids and plays alike, and so is the pass where it may be."""

from __future__ import annotations

from bigtwo_sim.core.rng import below
from bigtwo_sim.games.big_three.policy import Method, policy


@policy
def choose(hand, public, plays, strengths, count, params, stream):
    """Any of the options, uniformly."""
    return below(stream, count + public.may_pass)


METHOD = Method("random", choose, "any legal bid, play or pass, all equally likely")
