"""Monte Carlo play: deal the unseen cards in many ways, play each world to its end, and take the play that does best.

The worlds and rollouts are those of `bigtwo_sim.search`, which any game may share. Of several worlds dealt, the one is
likelier to be used in which the others would have played as they did. Where few cards are left, all worlds are searched
to their end instead. `docs/strong-bot.md` tells what each part is worth.
"""

from __future__ import annotations

import numpy as np

from bigtwo_agents.big_two.beginner import BEGINNER_PARAMS, beginners_choice
from bigtwo_agents.big_two.search import (
    BLUNDER,
    ENDGAME,
    MATCH,
    OBJECTIVE,
    PARAMETERS,
    POINTS,
    SEARCH,
    WIN_BONUS,
    WORKSPACE,
)
from bigtwo_sim.core.kernel import NO_BITS, kernel, popcount
from bigtwo_sim.core.rng import unit
from bigtwo_sim.games.big_two import layout as at
from bigtwo_sim.games.big_two.kernels.endgame import solve
from bigtwo_sim.games.big_two.kernels.worlds import all_worlds, copy_rules, count_worlds, unseen_cards
from bigtwo_sim.games.big_two.policy import Method, policy
from bigtwo_sim.search.halving import rounds_of_halving
from bigtwo_sim.search.own_turn_tree import table_entries
from bigtwo_sim.search.settings import BELIEF, CANDIDATES, LATER_OPTIONS, NOISE, WORLDS

ONLY_WINS = 1e6  # a bonus beside which points do not count
END_BUDGET = 100_000  # positions that the search of an end may look at before it gives way to rollouts

_likelihood, _enter_option, _search = SEARCH.likelihood, SEARCH.enter_option, SEARCH.search


@kernel
def _search_end(
    hand, public, plays, strengths, count, params, worlds, cards, ends, hands, points, budget, workspace,
    roll_plays, roll_strengths,
):  # fmt: skip
    """The option with the best mean outcome over all worlds, each searched to its end; -1 where that is too long."""
    work = workspace[0]
    end = ends[0]
    copy_rules(public, end)
    dealt = all_worlds(public, hand, unseen_cards(hand, public), worlds, cards)
    total = count + public.may_pass
    sums = work.sums
    for i in range(total):
        sums[i] = 0.0
    seat = public.turn
    bonus = params[WIN_BONUS] if params[OBJECTIVE] == POINTS else ONLY_WINS
    budget[0] = END_BUDGET
    for w in range(dealt):
        world = worlds[w]
        weight = 1.0
        if params[BELIEF] > 1 and public.turns > 1:
            weight = _likelihood(public, world, work, roll_plays, roll_strengths, params)
        for i in range(total):
            _enter_option(public, world, plays[i] if i < count else NO_BITS, strengths[i], end, hands)
            sums[i] += weight * solve(ends, hands, roll_plays, roll_strengths, points, budget, bonus)[seat]
        if budget[0] < 0:
            return -1
    best = 0
    for i in range(1, total):
        if sums[i] > sums[best]:
            best = i
    return best


@policy(allocates=True)
def choose(hand, public, plays, strengths, count, params, stream):
    """The option that does best in the worlds."""
    if params[BLUNDER] > 0.0 and unit(stream) < params[BLUNDER]:
        return beginners_choice(hand, public, plays, strengths, count, BEGINNER_PARAMS, stream)
    worlds = np.empty((np.int64(params[WORLDS]), at.SEATS), np.uint64)
    assumed = np.empty(worlds.shape, np.int64)
    workspace = np.empty(1, WORKSPACE)
    copy_rules(public, workspace[0].state)
    roll_plays = np.empty(at.MAX_PLAYS, np.uint64)
    roll_strengths = np.empty(at.MAX_PLAYS, np.int64)
    cards = (
        popcount(hand) + public.left[0] + public.left[1] + public.left[2] + public.left[3] - public.left[public.turn]
    )
    searched = cards <= params[ENDGAME] and params[OBJECTIVE] != MATCH and params[NOISE] == 0.0
    if searched and count_worlds(public) <= worlds.shape[0]:
        best = _search_end(
            hand, public, plays, strengths, count, params, worlds, np.empty(2 * at.CARDS, np.uint64),
            np.zeros(1, at.PUBLIC), np.empty(at.SEATS, np.uint64), np.empty(at.SEATS, np.int64), np.empty(1, np.int64),
            workspace, roll_plays, roll_strengths,
        )  # fmt: skip
        if best >= 0:
            return best
    rollouts = worlds.shape[0] * (rounds_of_halving(np.int64(params[CANDIDATES])) + 1)
    entries = table_entries(rollouts, np.int64(params[LATER_OPTIONS]))
    return _search(
        hand, public, plays, strengths, count, params, stream, worlds, assumed, workspace, roll_plays, roll_strengths,
        np.zeros(entries, np.uint64), np.zeros(entries, np.int64), np.zeros(entries, np.int64), np.zeros(entries),
    )  # fmt: skip


def cost(params):
    """A decision's time in those of the heuristic: about 37 for each world (`bigtwo bench`: strong, heuristic)."""
    return 37.0 * float(params[WORLDS]) * (1.0 - float(params[BLUNDER]))


METHOD = Method("monte_carlo", choose, "plays sampled worlds to their end and takes what does best", PARAMETERS, cost)
