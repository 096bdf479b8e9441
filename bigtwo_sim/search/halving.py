"""The search: all candidates are tried in the same worlds, and the worse half of them is dropped round by round.

That is sequential halving (Karnin, Koren and Somekh, ICML 2013, section 3): most of the work goes to the options that
are hard to tell apart. A certain finish is played without a single rollout.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from bigtwo_sim.core.kernel import NO_BITS, kernel
from bigtwo_sim.core.rng import bell
from bigtwo_sim.search.belief import make_belief
from bigtwo_sim.search.game import SearchedGame
from bigtwo_sim.search.own_turn_tree import backpropagate, make_learning
from bigtwo_sim.search.policies import make_policies
from bigtwo_sim.search.settings import CANDIDATES, EXPLORE, LATER_OPTIONS, NOISE


@kernel
def _best_scored(scores, total, options, wanted):
    """Write the indices of the `wanted` best of `scores` (which are used up) to `options`, the best first."""
    for i in range(wanted):
        best = 0
        for k in range(1, total):
            if scores[k] > scores[best]:
                best = k
        options[i] = best
        scores[best] = -np.inf


@kernel(inline=True)
def rounds_of_halving(candidates):
    """Rounds of halving from so many candidates to one."""
    rounds = 0
    while 1 << rounds < candidates:
        rounds += 1
    return rounds


@dataclass(frozen=True)
class Search:
    """The search of a game, as kernels."""

    assumed_choice: Callable[..., Any]
    rollout: Callable[..., Any]
    likelihood: Callable[..., Any]
    sample_worlds: Callable[..., Any]
    enter_option: Callable[..., Any]
    try_option: Callable[..., Any]
    search: Callable[..., Any]


def make_search(game: SearchedGame) -> Search:
    """The kernels for `game`."""
    score_options, heuristic_params = game.score_options, game.heuristic_params
    apply_play, apply_pass, enter_world = game.apply_play, game.apply_pass, game.enter_world
    settle, utility = game.settle, game.utility
    policies = make_policies(game)
    rollout = policies.rollout
    play_out_learning = make_learning(game, policies)
    belief = make_belief(game, policies)
    sample_worlds = belief.sample_worlds

    @kernel(inline=True)
    def enter_option(public, world, play, strength, state, hands):
        """Set `state` and `hands` to where a world stands once the seat on turn has laid `play` (no cards: passed)."""
        enter_world(public, world, state, hands)
        if play == NO_BITS:
            apply_pass(state, hands)
        else:
            apply_play(state, hands, play, strength)

    @kernel
    def try_option(public, world, play, strength, assumed, work, plays, strengths):
        """Lay `play` (no cards: pass) in a world and play on to the end, by the policies `assumed` (int64[seats]).

        The points are in `work`; returned is the winner.
        """
        state = work.state
        hands = work.hands
        enter_option(public, world, play, strength, state, hands)
        rollout(state, hands, plays, strengths, assumed)
        settle(state, hands, work.points)
        return state.winner

    @kernel
    def search(
        hand, public, plays, strengths, count, params, stream, worlds, assumed, workspace, roll_plays, roll_strengths,
        keys, visits, offers, values,
    ):  # fmt: skip
        """The option that does best in the worlds; `worlds` and all that follows is scratch."""
        work = workspace[0]
        best, certain = score_options(hand, public, plays, strengths, count, heuristic_params, work.scores)
        if certain:
            return best
        total = count + public.may_pass
        candidates = min(total, np.int64(params[CANDIDATES]))
        options = work.options
        sums = work.sums
        _best_scored(work.scores, total, options, candidates)
        for i in range(candidates):
            sums[i] = 0.0
        noise = params[NOISE]
        if noise > 0.0:
            for i in range(total):
                work.misjudged[i] = noise * bell(stream)
        sample_worlds(hand, public, worlds, assumed, params, stream, work, roll_plays, roll_strengths)
        seat = public.turn
        state = work.state
        hands = work.hands
        later_options = np.int64(params[LATER_OPTIONS])
        rounds = rounds_of_halving(candidates)
        used = 0
        for r in range(rounds):
            # Round r has half the candidates of the one before and twice its worlds.
            until = (worlds.shape[0] * ((2 << r) - 1) + (1 << rounds) - 2) // ((1 << rounds) - 1)
            for w in range(used, until):
                for i in range(candidates):
                    option = options[i]
                    play = plays[option] if option < count else NO_BITS
                    if later_options == 0:
                        winner = try_option(
                            public, worlds[w], play, strengths[option], assumed[w], work, roll_plays, roll_strengths
                        )
                        sums[i] += utility(public, work.points, winner, params)
                        continue
                    enter_option(public, worlds[w], play, strengths[option], state, hands)
                    chosen = play_out_learning(
                        state, hands, seat, assumed[w], later_options, params[EXPLORE], keys, visits, offers, values,
                        work.visited, work.scores, roll_plays, roll_strengths,
                    )  # fmt: skip
                    settle(state, hands, work.points)
                    value = utility(public, work.points, state.winner, params)
                    backpropagate(work.visited, chosen, value, visits, values)
                    sums[i] += value
            if noise > 0.0:
                for i in range(candidates):
                    sums[i] += (until - used) * work.misjudged[options[i]]
            used = until
            kept = (candidates + 1) >> 1
            for i in range(kept):
                best = i
                for k in range(i + 1, candidates):
                    if sums[k] > sums[best]:
                        best = k
                sums[i], sums[best] = sums[best], sums[i]
                options[i], options[best] = options[best], options[i]
            candidates = kept
        return options[0]

    return Search(policies.assumed_choice, rollout, belief.likelihood, sample_worlds, enter_option, try_option, search)
