"""Belief: of several worlds dealt, the likelier one is used in which the others would have played as they did."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from bigtwo_sim.core.kernel import NO_BITS, kernel
from bigtwo_sim.core.rng import unit
from bigtwo_sim.search.game import SearchedGame
from bigtwo_sim.search.policies import AssumedPolicies
from bigtwo_sim.search.settings import (
    ASSUMED,
    BELIEF,
    FITTING,
    GREEDY,
    GREEDY_SHARE,
    HEURISTIC,
    MISMATCH_LIKELIHOOD,
    POLICIES,
    RECENT,
)


@dataclass(frozen=True)
class Belief:
    """What is believed in a game, as kernels."""

    likelihood: Callable[..., Any]
    sample_worlds: Callable[..., Any]


def make_belief(game: SearchedGame, policies: AssumedPolicies) -> Belief:
    """The kernels for `game`."""
    seats, entries, first_judged = game.seats, game.hands, game.first_judged
    legal_actions, apply_play, apply_pass = game.legal_actions, game.apply_play, game.apply_pass
    deal_world, enter_first_turn = game.deal_world, game.enter_first_turn
    turns_taken, calls_taken, turn_taken = game.turns_taken, game.calls_taken, game.turn_taken
    is_same_play = game.is_same_play
    assumed_choice = policies.assumed_choice

    @kernel
    def likelihood(public, dealt, work, plays, strengths, params):
        """How likely the others' last turns are if the hands were `dealt`, and how well each policy fits them.

        Each turn that a policy would not have taken counts as a factor `mismatch_likelihood`. A first turn of
        the deal that a rule may have bound is left out.
        """
        state = work.state
        hands = work.hands
        policy_posterior = work.policy_posterior
        only = np.int64(params[ASSUMED])
        greedy_share = params[GREEDY_SHARE]
        if only != FITTING:
            greedy_share = 1.0 if only == GREEDY else 0.0
        for seat in range(seats):
            policy_posterior[seat, HEURISTIC] = 1.0 - greedy_share
            policy_posterior[seat, GREEDY] = greedy_share
        enter_first_turn(public, dealt, state, hands)
        turns = turns_taken(public)
        calls = calls_taken(public)
        first = max(first_judged, turns - np.int64(params[RECENT]))
        for turn in range(turns):
            play, strength = turn_taken(public, turn)
            seat = state.turn
            if (turn >= first or turn < calls) and seat != public.turn:
                count, may_pass = legal_actions(state, hands[seat], plays, strengths)
                if count + may_pass > 1:
                    for policy_number in range(POLICIES):
                        if policy_posterior[seat, policy_number] > 0.0:
                            choice = assumed_choice(hands[seat], state, plays, strengths, count, policy_number)
                            chosen = plays[choice] if choice < count else NO_BITS
                            if not is_same_play(chosen, strengths[choice], play, strength):
                                policy_posterior[seat, policy_number] *= params[MISMATCH_LIKELIHOOD]
            if play == NO_BITS:
                apply_pass(state, hands)
            else:
                apply_play(state, hands, play, strength)
        product = 1.0
        for seat in range(seats):
            if seat != public.turn:
                product *= policy_posterior[seat, HEURISTIC] + policy_posterior[seat, GREEDY]
        return product

    @kernel
    def draw_policies(public, policy_posterior, assumed, stream):
        """Draw the policy of each of the others by how well it fits."""
        for seat in range(seats):
            assumed[seat] = HEURISTIC
            if (
                seat != public.turn
                and unit(stream) * (policy_posterior[seat, HEURISTIC] + policy_posterior[seat, GREEDY])
                < policy_posterior[seat, GREEDY]
            ):
                assumed[seat] = GREEDY

    @kernel
    def sample_worlds(hand, public, worlds, assumed, params, stream, work, plays, strengths):
        """Deal `worlds` (uint64[n, hands], written) that fit what the seat on turn knows, the likelier ones more often.

        `assumed` int64[n, seats] is written too: what each seat plays in each world. `work` is a record of the game's
        workspace, `plays` and `strengths` are buffers for a list of legal plays: all scratch.
        """
        tries = np.int64(params[BELIEF]) if turns_taken(public) > first_judged else 1
        trial = work.trial
        dealt = work.dealt
        for w in range(worlds.shape[0]):
            world = worlds[w]
            deal_world(public, hand, world, dealt, work.cards, stream)
            total = likelihood(public, dealt, work, plays, strengths, params)
            draw_policies(public, work.policy_posterior, assumed[w], stream)
            for _ in range(tries - 1):
                # Each of the worlds dealt stays with a chance in proportion to its likelihood.
                deal_world(public, hand, trial, dealt, work.cards, stream)
                product = likelihood(public, dealt, work, plays, strengths, params)
                total += product
                if unit(stream) * total < product:
                    for i in range(entries):
                        world[i] = trial[i]
                    draw_policies(public, work.policy_posterior, assumed[w], stream)

    return Belief(likelihood, sample_worlds)
