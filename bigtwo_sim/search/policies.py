"""What the others are assumed to play: the policies that a rollout and a belief can be about, by number."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from bigtwo_sim.core.kernel import kernel
from bigtwo_sim.search.game import SearchedGame
from bigtwo_sim.search.settings import GREEDY


@dataclass(frozen=True)
class AssumedPolicies:
    """The policies of a game as kernels."""

    assumed_choice: Callable[..., Any]
    rollout: Callable[..., Any]


def make_policies(game: SearchedGame) -> AssumedPolicies:
    """The kernels for `game`."""
    score_options, greedy, heuristic_params = game.score_options, game.greedy, game.heuristic_params
    legal_actions, apply_play, apply_pass = game.legal_actions, game.apply_play, game.apply_pass

    @kernel
    def assumed_choice(hand, public, plays, strengths, count, assumed):
        """The option that the policy number `assumed` takes; the other arguments as in `policy`."""
        if assumed == GREEDY:
            return greedy(hand, public, plays, count)
        choice, _ = score_options(hand, public, plays, strengths, count, heuristic_params, None)
        return choice

    @kernel
    def rollout(public, hands, plays, strengths, assumed):
        """Play a deal to its end, each seat by the policy number that `assumed` (int64[seats]) gives it."""
        while public.winner < 0:
            seat = public.turn
            hand = hands[seat]
            count, may_pass = legal_actions(public, hand, plays, strengths)
            choice = np.int64(0)
            if count + may_pass > 1:
                choice = assumed_choice(hand, public, plays, strengths, count, assumed[seat])
            if choice < count:
                apply_play(public, hands, plays[choice], strengths[choice])
            else:
                apply_pass(public, hands)

    return AssumedPolicies(assumed_choice, rollout)
