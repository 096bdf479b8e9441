"""What a strategy is: a compiled function of one signature, with its parameters in a float32 vector.

::

    policy(hand, public, plays, strengths, count, params, stream) -> index

hand       uint64            the cards the seat holds
public     record of PUBLIC  everything that all can see (`layout.PUBLIC`), the rules table included
plays      uint64[:]         the options, weakest first, in the first `count` entries; the rest is scratch. In the play
                             (`public.phase` PLAY) the legal plays, one for all that have the same ranks; in the auction
                             (AUCTION) the bids that are higher than the last one, as numbers
strengths  int64[:]          their strengths, likewise; in the auction the bids again
count      int64             how many there are
params     float32[:]        the settings, in the order of the method's parameters, and what else the agent brings
stream     uint64[4]         the seat's own random stream (see `rng`), advanced by drawing from it
index      int64             0 to count - 1: that option; count: pass, where `public.may_pass`

A policy is asked only when it has a choice, and it writes nothing but its stream and that scratch. The hidden hands and
the kitty are not in its reach. All policies have one type, so one compiled loop plays any of them.
"""

from __future__ import annotations

import numba
from numba import types

from bigtwo_sim.games.base.agent import AgentError, Method, Parameter, PolicyAgent, policy_decorator, policy_signature
from bigtwo_sim.games.big_three import layout as at

__all__ = ["POLICY_TYPE", "PUBLIC_TYPE", "SIGNATURE", "AgentError", "Method", "Parameter", "PolicyAgent", "policy"]

PUBLIC_TYPE = numba.from_dtype(at.PUBLIC)
SIGNATURE = policy_signature(PUBLIC_TYPE)
POLICY_TYPE = types.FunctionType(SIGNATURE)
policy = policy_decorator(SIGNATURE)
