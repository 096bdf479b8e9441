"""A certain finish is one: found by the engine exactly where trying every play finds one, and nobody can stop it."""

import random
from itertools import combinations
from types import SimpleNamespace

import pytest

from bigtwo_sim.core.kernel import U64
from bigtwo_sim.games.big_two.kernels.finish import forced_win, unbeatable_from
from bigtwo_sim.games.big_two.kernels.moves import lead_plays, new_buffers
from bigtwo_sim.games.big_two.plays import strength_of
from bigtwo_sim.games.big_two.rules import PRESETS
from tests.games.big_two.sides import amount, bits, changed, engine_rules, text
from tests.reference.big_two import NaiveDeal, beats, classify

pytestmark = pytest.mark.kernel

PLAY_SIZE = 5
RULES = {
    name: SimpleNamespace(**{switch: getattr(rules, switch) for switch in rules.to_dict() if switch != "name"})
    for name, rules in PRESETS.items()
}
RULES["fours"] = changed(RULES["singapore"], four_card_plays="two_pairs_and_four_of_a_kind", flush="none")


def all_plays(cards, plain):
    """Every play of some cards, by trying each subset."""
    subsets = (subset for size in range(1, PLAY_SIZE + 1) for subset in combinations(sorted(cards), size))
    return [frozenset(subset) for subset in subsets if classify(subset, plain)]


def is_unbeatable(play, answers, most, plain):
    """Whether none of the plays `answers` that fit into a hand of `most` cards beats it."""
    return not any(len(other) <= most and beats(other, play, plain) for other in answers)


def finishes(hand, answers, most, plain):
    """Whether some order of plays, all but the last unbeatable, sheds the hand."""
    for play in all_plays(hand, plain):
        if play == hand:
            return True
        if is_unbeatable(play, answers, most, plain) and finishes(hand - play, answers, most, plain):
            return True
    return False


def positions(plain, name, count):
    """Small ends: own hand, the others' hands; of few ranks, with high cards, so that much comes up."""
    chance = random.Random(name)
    for _ in range(count):
        ranks = chance.sample("3456789TJQKA2", 4)
        pack = [rank + suit for rank in ranks for suit in "DCHS"]
        chance.shuffle(pack)
        own = chance.randint(1, 6)
        counts = [chance.randint(1, 3) for _ in range(3)]
        hands = [frozenset(pack.pop() for _ in range(size)) for size in (own, *counts)]
        yield hands


def number(cards, plain):
    return U64(bits(cards, plain))


@pytest.mark.parametrize("name", RULES)
def test_a_play_is_unbeatable_where_no_unseen_play_that_fits_beats_it(name):
    plain = RULES[name]
    rules = engine_rules(plain).rule_table()
    for hand, *others in positions(plain, name, amount(60, 20)):
        unseen = frozenset().union(*others)
        answers = all_plays(unseen, plain)
        most = max(map(len, others))
        for play in all_plays(hand, plain):
            claimed = strength_of(number(play, plain), rules) >= unbeatable_from(
                number(unseen, plain), len(play), most, rules
            )
            assert claimed == is_unbeatable(play, answers, most, plain), (sorted(play), sorted(unseen), most)


@pytest.mark.parametrize("name", RULES)
def test_a_certain_finish_is_found_where_there_is_one_and_nobody_can_stop_it(name):
    plain = RULES[name]
    rules = engine_rules(plain).rule_table()
    plays, strengths = new_buffers()
    found = 0
    for hands in positions(plain, f"{name} again", amount(80, 20)):
        hand, *others = hands
        unseen = frozenset().union(*others)
        answers = all_plays(unseen, plain)
        most = max(map(len, others))

        def lead(held, unseen=unseen, most=most):
            """The play that begins a certain finish with these cards; none: there is no certain finish."""
            bits_held = number(held, plain)
            end = lead_plays(bits_held, rules, plays, strengths, 0)
            first = forced_win(bits_held, number(unseen, plain), most, rules, plays, strengths, 0, end)
            return frozenset(text(int(plays[first]), plain)) if first >= 0 else frozenset()

        first = lead(hand)
        assert bool(first) == finishes(hand, answers, most, plain), (sorted(hand), sorted(unseen), most)
        if not first:
            continue
        found += first != hand
        deal = NaiveDeal(hands, plain, leader=0)
        while not deal.over:
            if deal.turn == 0:
                assert deal.play_to_beat is None  # its own plays are never answered
                deal.apply_play(lead(deal.hands[0]))
            else:
                assert not deal.legal_plays()
                deal.pass_()
        assert deal.winner == 0
    assert found >= amount(8, 2)
