"""The Monte Carlo player: fair, exact where that is cheap, and as good as its worlds."""

import random
from itertools import combinations

import numpy as np
import pytest
from bigtwo_agents.big_two import heuristic, monte_carlo
from bigtwo_agents.big_two.analysis import VALUE, Position, analyse
from bigtwo_agents.big_two.search import SEARCH

from bigtwo_sim.core.kernel import U64
from bigtwo_sim.core.rng import new_stream, root_key
from bigtwo_sim.games.big_two import CardSet, PolicyAgent, Rules, check_agent
from bigtwo_sim.games.big_two import layout as at
from bigtwo_sim.games.big_two.kernels.endgame import margin
from bigtwo_sim.games.big_two.kernels.moves import new_buffers
from bigtwo_sim.games.big_two.kernels.worlds import copy_rules
from tests.games.big_two.decisions import answer, decisions, ending, redealt
from tests.games.big_two.sides import amount

pytestmark = pytest.mark.kernel

METHOD = monte_carlo.METHOD
AS_HEURISTIC = np.zeros(4, np.int64)  # the policy number of each seat
NO_SEARCH = {"later_options": 0, "endgame": 0}


@pytest.mark.compiled
@pytest.mark.parametrize("settings", [{"worlds": 5}, {"worlds": 3, "assumed": 1, "belief": 1, "objective": 1}])
def test_it_passes_the_check(settings):
    assert check_agent(PolicyAgent("monte_carlo", METHOD, METHOD.params(settings)), deals=2) > 200


def test_the_choice_does_not_change_with_the_hidden_cards():
    chance = random.Random(3)
    for turn, deal in enumerate(decisions(Rules(), amount(6, 1), seed=4)):
        if turn % amount(1, 12):
            continue
        hidden = list(deal.view().unseen)
        chance.shuffle(hidden)
        hands = [0] * at.SEATS
        for seat, left in enumerate(deal.left):
            mine = seat == deal.turn
            hands[seat] = deal.hands[seat].bits if mine else sum(hidden.pop().bits for _ in range(left))
        settings = {"worlds": amount(12, 2)}
        assert answer(METHOD, redealt(deal, hands), settings, turn) == answer(METHOD, deal, settings, turn)


def test_a_certain_finish_is_always_begun():
    rules = Rules()
    found = 0
    for seed in range(amount(300, 60)):
        chance = random.Random(seed)
        deal = ending(rules, chance, (chance.randint(2, 5), *(chance.randint(1, 3) for _ in range(3))))
        here = Position(deal.view())
        if not here.certain.any() or here.certain.all():
            continue
        found += 1
        laid = answer(METHOD, deal, {"worlds": 1}, seed)
        assert here.certain[here.options.tolist().index(laid.bits)], (str(laid), [str(hand) for hand in deal.hands])
    assert found >= amount(30, 4)


def halved(outcomes, rounds):
    """The option (column) that sequential halving leaves: round r of `rounds` has 2**r of 2**rounds - 1 parts."""
    worlds, options = outcomes.shape
    alive = list(range(options))
    for r in range(rounds):
        share = (2 ** (r + 1) - 1) / (2**rounds - 1)
        until = int(np.ceil(worlds * share - 1e-9))
        sums = outcomes[:until].sum(axis=0)
        alive.sort(key=lambda option: -sums[option])  # stable: ties stay in order
        alive = alive[: (len(alive) + 1) // 2]
    assert len(alive) == 1
    return alive[0]


@pytest.mark.compiled
@pytest.mark.parametrize(("candidates", "worlds"), [(2, 7), (3, 10), (4, 1), (4, 20), (6, 33), (9, 50)])
def test_halving_leaves_the_option_that_does_best_in_the_worlds(candidates, worlds):
    settings = {"worlds": worlds, "candidates": candidates, **NO_SEARCH}
    params = METHOD.params(settings)
    compared = agreed = 0
    for turn, deal in enumerate(decisions(Rules(), 4, heuristic.METHOD, seed=candidates)):
        here = Position(deal.view())
        _, certain = heuristic.score_options(
            here.hand, here.public[0], *deal._buffers, deal._count, heuristic.METHOD.params(), np.zeros(at.MAX_PLAYS)
        )
        if certain:
            continue
        chosen = np.argsort(-here.scores, kind="stable")[:candidates]
        outcomes = here.play(chosen, worlds, params, new_stream(root_key(turn), 0, 0))[:, :, VALUE]
        best = halved(outcomes, int(len(chosen) - 1).bit_length())
        laid = answer(METHOD, deal, settings, turn)
        compared += 1
        agreed += laid.bits == here.options[chosen[best]]
    assert compared > 20
    assert agreed >= 0.96 * compared  # of options that tie, another may be dropped


def exact_margin(deal, play):
    """The mean margin of seat 0 over all worlds when it lays `play` and all play on as the heuristic does."""
    here = Position(deal.view())
    work, buffers = np.zeros(1, here.kernels.workspace)[0], new_buffers()
    copy_rules(here.public[0], work.state)
    unseen = [card.bits for card in deal.view().unseen]
    _, first, second, _ = deal.left
    margins = []
    option = here.options.tolist().index(play.bits)
    for one in combinations(unseen, first):
        rest = [card for card in unseen if card not in one]
        for two in combinations(rest, second):
            world = np.array([deal.hands[0].bits, sum(one), sum(two), sum(set(rest) - set(two))], np.uint64)
            SEARCH.try_option(
                here.public[0],
                world,
                U64(play.bits),
                here.strengths[option],
                AS_HEURISTIC,
                work,
                *buffers,
            )
            margins.append(margin(work.points, 0))
    return np.mean(margins)


@pytest.mark.compiled
def test_more_worlds_come_closer_to_the_mean_over_all_worlds():
    rules = Rules()
    deviations = {30: [], 3000: []}
    for seed in range(6):
        deal = ending(rules, random.Random(seed), (4, 2, 2, 2))
        for worlds, found in deviations.items():
            frame = analyse(deal.view(), worlds, {"assumed": 0}, seed=seed)
            for row in frame.to_dict("records"):
                exact = exact_margin(deal, CardSet.parse(row["cards"], rules.deck))
                found.append(row["margin"] - exact)
                if worlds == 3000:
                    assert abs(row["margin"] - exact) <= 2.2 * (row["margin_high"] - row["margin"]) + 1e-9
    assert np.std(deviations[3000]) < np.std(deviations[30]) / 4
