"""Worlds: each gives its own seat the same view, all are equally likely, and belief prefers those that explain more."""

import random
from collections import Counter

import numpy as np
import pytest
from bigtwo_agents.big_two import heuristic, monte_carlo
from bigtwo_agents.big_two.search import SEARCH, WORKSPACE

from bigtwo_sim.core.kernel import U64
from bigtwo_sim.core.rng import new_stream, root_key
from bigtwo_sim.games.big_two import PRESETS, CardSet, Rules
from bigtwo_sim.games.big_two import layout as at
from bigtwo_sim.games.big_two.kernels.moves import new_buffers
from bigtwo_sim.games.big_two.kernels.worlds import copy_rules, deal_world, unseen_cards
from bigtwo_sim.games.big_two.position import public_record
from tests.games.big_two.decisions import decisions, ending, redealt
from tests.games.big_two.sides import amount

pytestmark = pytest.mark.kernel


def imagined(deal, count, settings=None, seed=0):
    """`count` worlds as the seat on turn imagines them, uint64[count, 4]."""
    worlds = np.zeros((count, at.SEATS), np.uint64)
    workspace = np.zeros(1, WORKSPACE)
    copy_rules(deal._public, workspace[0].state)
    params = monte_carlo.METHOD.params(settings)
    stream = new_stream(root_key(seed), 0, 0)
    hand = U64(deal.hands[deal.turn].bits)
    assumed = np.empty(worlds.shape, np.int64)
    SEARCH.sample_worlds(hand, deal._public, worlds, assumed, params, stream, workspace[0], *new_buffers())
    return worlds


@pytest.mark.parametrize("belief", [1, 4])
@pytest.mark.parametrize("name", PRESETS)
def test_a_world_gives_its_own_seat_the_same_view(name, belief):
    for number, deal in enumerate(decisions(PRESETS[name], amount(3, 1))):
        if number % amount(1, 8):
            continue
        view = deal.view()
        for world in imagined(deal, amount(5, 2), {"belief": belief}, number):
            hands = [CardSet(int(bits), deal.rules.deck) for bits in world]
            assert tuple(map(len, hands)) == deal.left
            assert hands[deal.turn] == view.hand
            others = [hand for seat, hand in enumerate(hands) if seat != deal.turn]
            assert others[0] | others[1] | others[2] == view.unseen
            assert redealt(deal, world).view() == view


def test_the_record_of_a_view_is_the_public_half_of_its_deal():
    for rules in (*PRESETS.values(), Rules().replace(passing="locked_out", bombs=True, last_card=True)):
        for deal in decisions(rules, 1):
            made, real = public_record(deal.view()), deal._public_array.copy()
            turns = int(real["turns"][0])
            for name in ("log", "log_seats"):  # beyond the log lies garbage
                real[name][0, turns:] = made[name][0, turns:]
            real["opening"] = 0
            for name in at.PUBLIC.names:
                np.testing.assert_array_equal(made[name], real[name], err_msg=name)


def test_all_worlds_are_equally_likely():
    deal = ending(Rules(), random.Random(1), (3, 2, 2, 1))
    hand = U64(deal.hands[0].bits)
    unseen = unseen_cards(hand, deal._public)
    assert int(unseen).bit_count() == 5
    world, cards, stream = np.zeros(at.SEATS, np.uint64), np.zeros(at.CARDS, np.int64), new_stream(root_key(2), 0, 0)
    found = Counter()
    drawn = amount(6000, 1500)
    for _ in range(drawn):
        deal_world(deal._public, hand, unseen, world, cards, stream)
        found[tuple(world.tolist())] += 1
    worlds = 30  # 5! / (2! 2! 1!)
    assert len(found) == worlds
    expected = drawn / worlds
    assert sum((count - expected) ** 2 / expected for count in found.values()) < 58.3  # chi-square, 29, 0.1 %


@pytest.mark.compiled
def test_belief_prefers_worlds_in_which_the_others_would_have_played_so():
    """Among heuristic players, more of the cards are where they really are."""
    gains = []
    for number, deal in enumerate(decisions(Rules(), 40, heuristic.METHOD)):
        if len(deal.log) < 12 or number % 3:
            continue
        right = []
        for belief in (1, 16):
            worlds = imagined(deal, 100, {"belief": belief, "mismatch_likelihood": 0.1, "recent": 100}, number)
            true = np.array([hand.bits for hand in deal.hands], np.uint64)
            right.append(np.bitwise_count(worlds & true).sum(axis=1).mean())
        gains.append(right[1] - right[0])
    error = np.std(gains) / len(gains) ** 0.5
    assert len(gains) > 50
    assert np.mean(gains) > 4 * error
