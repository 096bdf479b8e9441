"""Monte Carlo play: deal the unseen cards in many ways, play each world to its end, and take the option that does best.

The worlds and rollouts are those of `bigtwo_sim.search`. Bids are options like plays: the rollouts finish the auction
and
play for what was bid. A world is believed in the more, the better it explains what the others bid and laid.
"""

from __future__ import annotations

import numpy as np

from bigtwo_agents.big_three.heuristic import score_options
from bigtwo_agents.big_three.search import HANDS, HEURISTIC_PARAMS, SEARCH, WORKSPACE
from bigtwo_sim.games.base.agent import Parameter
from bigtwo_sim.games.big_three import layout as at
from bigtwo_sim.games.big_three.kernels.worlds import copy_rules
from bigtwo_sim.games.big_three.policy import Method, policy
from bigtwo_sim.search.halving import rounds_of_halving
from bigtwo_sim.search.own_turn_tree import table_entries
from bigtwo_sim.search.settings import CANDIDATES, LATER_OPTIONS, WORLDS, search_parameters

PARAMETERS = (
    *search_parameters(explore=1),
    Parameter("auction", 1, 0, 1, "whether bids are searched for too; 0: it bids as the heuristic does"),
)
AUCTION = len(search_parameters())

_search = SEARCH.search


@policy(allocates=True)
def choose(hand, public, plays, strengths, count, params, stream):
    """The option that does best in the worlds."""
    if public.phase == at.AUCTION and params[AUCTION] == 0:
        best, _ = score_options(hand, public, plays, strengths, count, HEURISTIC_PARAMS, None)
        return best
    worlds = np.empty((np.int64(params[WORLDS]), HANDS), np.uint64)
    assumed = np.empty((worlds.shape[0], at.SEATS), np.int64)
    workspace = np.zeros(1, WORKSPACE)
    copy_rules(public, workspace[0].state)
    rollouts = worlds.shape[0] * (rounds_of_halving(np.int64(params[CANDIDATES])) + 1)
    entries = table_entries(rollouts, np.int64(params[LATER_OPTIONS]))
    return _search(
        hand, public, plays, strengths, count, params, stream, worlds, assumed, workspace,
        np.empty(at.MAX_PLAYS, np.uint64), np.empty(at.MAX_PLAYS, np.int64),
        np.zeros(entries, np.uint64), np.zeros(entries, np.int64), np.zeros(entries, np.int64), np.zeros(entries),
    )  # fmt: skip


def cost(params):
    """A decision's time in those of the heuristic: about 33 for each world."""
    return 33.0 * float(params[WORLDS])


METHOD = Method("monte_carlo", choose, "plays sampled worlds to their end and takes what does best", PARAMETERS, cost)
