"""The legal plays of the engine are those of the reference, in the same order, for a million random positions."""

import multiprocessing
import os
import random
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from itertools import combinations
from types import SimpleNamespace

import numpy as np
import pytest

from bigtwo_sim.core.kernel import U64
from bigtwo_sim.games.big_two import CardSet, Deal, IllegalPlay, legal_plays
from bigtwo_sim.games.big_two import layout as at
from bigtwo_sim.games.big_two.deal import _legal_plays
from bigtwo_sim.games.big_two.plays import strength_of
from tests.games.big_two import pairs
from tests.games.big_two.sides import (
    CARDS,
    HAND,
    amount,
    bits,
    book_of,
    card_set,
    changed,
    engine_rules,
    rich_hand,
    text,
)
from tests.reference.big_two import KINDS, ascending, cards, deck
from tests.reference.big_two import legal_plays as naive_legal_plays
from tests.reference.vectors import PRESETS, SWITCHES, random_rules, rules
from tests.tools.lanes import mostly_swept

pytestmark = pytest.mark.kernel

SEED = 2
HOUSES = 50
# A million in all: so many under each preset, and under each of the drawn house rules.
A_PRESET, A_HOUSE = 50_000, 15_000
assert len(PRESETS) * A_PRESET + HOUSES * A_HOUSE == 1_000_000


def met_often(seen: Counter[str], houses: bool) -> None:
    """Every kind and size lay on the table and came as an answer, each often enough for an error to show."""
    pairs_in_all = seen["answered"] + seen["no play"]
    kinds = KINDS if houses else [kind for kind in KINDS if kind != "two_pairs"]
    for kind in kinds:
        assert seen[f"table {kind}"] > pairs_in_all / 100, kind
        assert seen[f"answer {kind}"] > pairs_in_all / 100, kind
    for size in range(at.PLAY_SIZE + 1):
        assert seen[f"table of {size}"] > (pairs_in_all / 100 if houses or size != 4 else -1), size
    for count in range(1, HAND + 1):
        assert seen[f"hand of {count}"] > pairs_in_all / 100, count
    for event in ("answered", "no play"):
        assert seen[event] > pairs_in_all / 5, event
    for event in ("opening", *(("must play", "bomb") if houses else ())):
        assert seen[event] > pairs_in_all / 300, event


# The many. Taken alone each preset and each of four house rules, then all together on every core.


@pytest.mark.parametrize(
    "name",
    mostly_swept([*PRESETS, "house 1", "house 2", "house 3"], "singapore", "charlesworth", "house 1"),
)
def test_same_legal_plays(name: str) -> None:
    seen = pairs.sample(name, amount(7_500, 600), SEED + 1)
    assert seen["answered"] > 50
    assert seen["no play"] > 50


@pytest.mark.sweep
def test_same_legal_plays_a_million_times() -> None:
    names = [*PRESETS, *(f"house {number}" for number in range(HOUSES))]
    counts = [A_PRESET if name in PRESETS else A_HOUSE for name in names]
    seen: Counter[str] = Counter()
    plain: Counter[str] = Counter()
    # Spawned, not forked: a fork takes along the threads of whatever was imported.
    with ProcessPoolExecutor(os.cpu_count(), multiprocessing.get_context("spawn")) as pool:
        for name, found in zip(names, pool.map(pairs.sample, names, counts, [SEED] * len(names)), strict=True):
            (plain if name in ("singapore", "pagat", "hong_kong") else seen).update(found)
    met_often(plain, houses=False)
    met_often(seen, houses=True)
    assert sum(found["answered"] + found["no play"] for found in (plain, seen)) == 1_000_000


def test_house_rules_differ() -> None:
    """The drawn house rules have every value of every switch that tells plays apart, in many combinations."""
    drawn = [random_rules(random.Random(f"house {number} {SEED}")) for number in range(HOUSES)]
    for switch in ("straight_order", "straight_tie", "flush", "triples", "four_card_plays"):
        assert {getattr(one, switch) for one in drawn} == set(SWITCHES[switch]), switch
    assert len({one.suit_order for one in drawn}) > 15


# The same through what people call


@pytest.mark.parametrize("preset", PRESETS)
def test_public_function_lists_the_same(preset: str) -> None:
    plain, book, chance = PRESETS[preset], book_of(PRESETS[preset]), random.Random(preset)
    chosen = engine_rules(plain)
    sampler = pairs.Sampler(plain, chance)
    for _ in range(amount(500, 40)):
        hand = rich_hand(chance, plain)
        table = sampler.table(hand)
        opening = table is None and deck(plain)[0] in hand
        on = card_set(table, chosen) if table else None
        found = legal_plays(card_set(hand, chosen), chosen, on=on, opening=opening)
        expected = naive_legal_plays(hand, plain, on=table, opening=opening, book=book)
        assert [str(play.cards) for play in found] == [" ".join(play) for play in expected]
        assert [play.kind for play in found] == [book[play][0] for play in expected]


# Corners


def fitting_count(hand: int, plain: SimpleNamespace) -> int:
    """How many plays a hand may lead; raises AssertionError unless what is written fits the buffers."""
    chosen = engine_rules(plain)
    plays = np.zeros(at.MAX_PLAYS + 64, np.uint64)
    strengths = np.full(at.MAX_PLAYS + 64, -7, np.int64)
    count = int(_legal_plays(U64(hand), 0, at.NO_STRENGTH, chosen.rule_table(), plays, strengths))
    assert count + 3 <= at.MAX_PLAYS
    assert set(strengths[count + 3 :].tolist()) == {-7}  # singles are written four at a time
    assert not plays[count + 3 :].any()
    return count


@pytest.mark.parametrize("flush", SWITCHES["flush"])
@pytest.mark.parametrize("suit", range(4))
def test_all_cards_of_a_suit(flush: str, suit: int) -> None:
    plain = rules(flush=flush)
    hand = sum(1 << 4 * rank + suit for rank in range(13))
    straight_flushes = 10
    fives = straight_flushes if flush == "none" else 1287
    assert fitting_count(hand, plain) == 13 + fives


@pytest.mark.parametrize("four_card_plays", SWITCHES["four_card_plays"])
def test_hands_of_most_plays_fit_the_buffers(four_card_plays: str) -> None:
    plain = rules(four_card_plays=four_card_plays, bombs=True)
    chance = random.Random(four_card_plays)
    most = 0
    for _ in range(amount(3_000, 20)):
        most = max(most, fitting_count(bits(rich_hand(chance, plain), plain), plain))
    assert most > amount(500, 50)


@pytest.mark.parametrize("four_card_plays", SWITCHES["four_card_plays"])
def test_three_fours_and_a_single(four_card_plays: str) -> None:
    plain = rules(four_card_plays=four_card_plays)
    hand = cards("6D 6C 6H 6S 8D 8C 8H 8S TD TC TH TS QD")
    singles, pairs_held, triples, full_houses = 13, 3 * 6, 3 * 4, 3 * 4 * 12
    fours = {"none": 3 * 9, "four_of_a_kind": 3, "two_pairs_and_four_of_a_kind": 3 * 6 * 6 + 3}[four_card_plays]
    assert fitting_count(bits(hand, plain), plain) == singles + pairs_held + triples + full_houses + fours


@pytest.mark.parametrize("size", range(1, 6))
def test_one_card_and_every_table(size: int) -> None:
    """A hand of one card answers singles and nothing else."""
    plain = rules(four_card_plays="two_pairs_and_four_of_a_kind", bombs=True)
    turn = pairs.EngineTurn(engine_rules(plain))
    for play in [play for play in book_of(plain) if len(play) == size][:: amount(7, 400)]:
        for card in ("2S", "3D", "9H"):
            if card not in play:
                found, _, may_pass = turn.options(bits([card], plain), bits(play, plain), False, 5)
                assert found == [bits(some, plain) for some in naive_legal_plays([card], plain, on=play)]
                assert may_pass
                assert size == 1 or not found


@pytest.mark.parametrize("preset", PRESETS)
def test_strongest_play_of_each_size_has_no_answer(preset: str) -> None:
    plain, book = PRESETS[preset], book_of(PRESETS[preset])
    chosen = engine_rules(plain)
    everything = (1 << CARDS) - 1
    plays, strengths = np.zeros(40_000, np.uint64), np.zeros(40_000, np.int64)
    on_lead = 0
    for size in range(1, 6):
        of_size = {play: key for play, (_, key) in book.items() if len(play) == size}
        if not of_size:
            continue
        strongest = max(of_size.values())
        top = next(play for play, key in of_size.items() if key == strongest)
        turn = pairs.EngineTurn(chosen)
        others = everything & ~bits(top, plain)
        _, _, may_pass = turn.options(others & (1 << 13) - 1, bits(top, plain), False, 5)
        assert may_pass
        strength = int(strength_of(U64(bits(top, plain)), chosen.rule_table()))
        assert _legal_plays(U64(others), size, strength, chosen.rule_table(), plays, strengths) == 0
        on_lead += len(of_size)
    if amount(1, 0):
        count = _legal_plays(U64(everything), 0, at.NO_STRENGTH, chosen.rule_table(), plays, strengths)
        assert count == on_lead == len(book)
        assert sorted(plays[:count].tolist()) == sorted(bits(play, plain) for play in book)


def test_empty_hand_has_no_plays() -> None:
    assert legal_plays(CardSet(), engine_rules(rules())) == []


# The opening and the last card


def last_card_deal(opening_play: str, leader: int | None) -> Deal:
    chosen = engine_rules(rules(opening_play=opening_play, last_card=True))
    hands = [card_set(hand, chosen) for hand in ("3D 3C KD", "4D", "5D 6D", "5C 6C")]
    return Deal.from_hands(chosen, hands, leader)


@pytest.mark.parametrize(("opening_play", "plays"), [("contains", ["3D", "3D 3C"]), ("single", ["3D"])])
def test_opening_rule_sets_the_last_card_rule_aside(opening_play: str, plays: list[str]) -> None:
    deal = last_card_deal(opening_play, leader=None)
    assert [str(play.cards) for play in deal.legal_plays()] == plays
    plain = rules(opening_play=opening_play, last_card=True)
    expected = naive_legal_plays(cards("3D 3C KD"), plain, opening=True, next_left=1)
    assert [" ".join(play) for play in expected] == plays


@pytest.mark.parametrize(("opening_play", "leader"), [("anything", None), ("single", 0), ("contains", 0)])
def test_leader_who_is_not_bound_obeys_the_last_card_rule(opening_play: str, leader: int | None) -> None:
    deal = last_card_deal(opening_play, leader)
    assert [str(play.cards) for play in deal.legal_plays()] == ["KD", "3D 3C"]
    with pytest.raises(IllegalPlay, match="the next player holds one card, so a single must be the highest"):
        deal.play("3D")


@pytest.mark.parametrize("opening_play", SWITCHES["opening_play"])
def test_opening_leader_always_has_a_play(opening_play: str) -> None:
    """Whatever a hand with the lowest card, and whatever the next player holds."""
    chance = random.Random(opening_play)
    for last_card in (False, True):
        plain = rules(opening_play=opening_play, last_card=last_card)
        turn = pairs.EngineTurn(engine_rules(plain))
        for _ in range(amount(500, 30)):
            hand = bits(rich_hand(chance, plain, HAND - 1), plain) | 1
            plays, _, may_pass = turn.options(hand, 0, True, chance.choice((1, 5)))
            assert plays
            assert not may_pass


def test_last_card_forbids_a_pass_only_on_a_single_that_can_be_beaten() -> None:
    chosen = engine_rules(rules(last_card=True))
    hands = [card_set(hand, chosen) for hand in ("3D 9C 9H", "4D 4C KD", "5D", "5C 6C")]
    deal = Deal.from_hands(chosen, hands, leader=0)
    deal.play("3D")
    assert not deal.may_pass
    with pytest.raises(IllegalPlay, match="may not pass: it holds cards that beat the single"):
        deal.pass_()
    with pytest.raises(IllegalPlay, match="a single must be the highest card held, KD"):
        deal.play("4D")
    deal.play("KD")
    assert deal.may_pass  # seat 2 holds one card, seat 3 two
    other = Deal.from_hands(chosen, hands, leader=0)
    other.play("9C 9H")
    assert other.may_pass


def test_sizes_never_change_without_bombs() -> None:
    """The cards of all subsets of a small hand: an answer has the size of the table."""
    plain = rules()
    turn = pairs.EngineTurn(engine_rules(plain))
    hand = cards("4D 4C 4H 4S 5D 6D 7D 8D")
    for size in (1, 2, 3, 5):
        for table in combinations(ascending(cards("3D 3C 3H 3S 5C 6C 7C"), plain), size):
            if table in book_of(plain):
                found, _, _ = turn.options(bits(hand, plain), bits(table, plain), False, 5)
                assert all(play.bit_count() == size for play in found)
                assert len(found) == len(naive_legal_plays(hand, plain, on=table))


def test_text_and_bits_are_each_other() -> None:
    plain = changed(rules(), suit_order="SHCD")
    assert text(bits(cards("3S 2D 9H"), plain), plain) == ("3S", "9H", "2D")
    assert str(card_set("2D 3S 9H", engine_rules(plain))) == "3S 9H 2D"
