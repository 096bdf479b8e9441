"""The least number of plays that shed a hand, and the strongest play in a set, against trying everything."""

import random
from itertools import product
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from bigtwo_sim.core.kernel import NO_BITS, ONE, U64, kernel, lowest, lowest_bit
from bigtwo_sim.games.big_two import layout as at
from bigtwo_sim.games.big_two.kernels.moves import legal_plays_kernel, new_buffers
from bigtwo_sim.games.big_two.kernels.shape import min_plays, strongest_play
from tests.games.big_two.sides import CARDS, HAND, amount, bits, engine_rules, rich_cards
from tests.reference.big_two import cards
from tests.reference.vectors import PRESETS, SWITCHES, random_rules, rules

pytestmark = pytest.mark.kernel

ALL_PLAYS = 30_000  # more than a whole deck has

VARIANTS = {
    **PRESETS,
    **{
        f"triples {triples}, {four_card_plays}, flush {flush}": rules(
            triples=triples, four_card_plays=four_card_plays, flush=flush
        )
        for triples, four_card_plays, flush in product(
            SWITCHES["triples"], SWITCHES["four_card_plays"], ("suit_first", "none")
        )
    },
}


@kernel
def least_kernel(hand: Any, rules: Any) -> Any:
    return min_plays(hand, rules)


@kernel
def least_by_trying(hand: Any, rules: Any, plays: Any, strengths: Any, parts: Any, starts: Any, least: Any) -> Any:
    """The least number of plays into which `hand` can be parted: every part of it, and every first play of the part.

    The play with the lowest card of a part may always be laid first, so only the plays with that card are tried.
    Scratch: buffers of plays, parts uint64[MAX_PLAYS], starts int64[14], least int64[2 ** cards].
    """
    count = legal_plays_kernel(hand, 0, at.NO_STRENGTH, rules, plays, strengths)
    # The cards of the hand numbered from zero, the plays sorted by the lowest of theirs.
    kept, size, rest = 0, 0, hand
    while rest != NO_BITS:
        card = lowest_bit(rest)
        starts[size] = kept
        for i in range(count):
            if lowest_bit(plays[i]) == card:
                part, place, others = NO_BITS, 0, hand
                while others != NO_BITS:
                    if plays[i] & lowest_bit(others) != NO_BITS:
                        part |= ONE << U64(place)
                    others ^= lowest_bit(others)
                    place += 1
                parts[kept] = part
                kept += 1
        rest ^= card
        size += 1
    starts[size] = kept
    least[0] = 0
    for number in range(1, 1 << size):
        whole = U64(number)
        first = lowest(whole)
        best = size
        for i in range(starts[first], starts[first + 1]):
            if parts[i] & ~whole == NO_BITS:
                best = min(best, 1 + least[np.int64(whole ^ parts[i])])
        least[number] = best
    return least[(1 << size) - 1]


@kernel
def strongest_by_listing(cards: Any, size: Any, rules: Any, plays: Any, strengths: Any) -> Any:
    """The greatest strength in the list of all plays of `size`, and of all bombs where the rules have them."""
    best = np.int64(-1)
    for i in range(legal_plays_kernel(cards, size, at.NO_STRENGTH, rules, plays, strengths)):
        best = max(best, strengths[i])
    return best


class Trying:
    """The slow answer, with its scratch space."""

    def __init__(self, plain: SimpleNamespace) -> None:
        self.table = engine_rules(plain).rule_table()
        self.plays, self.strengths = new_buffers()
        self.parts = np.zeros(at.MAX_PLAYS, np.uint64)
        self.starts = np.zeros(HAND + 1, np.int64)
        self.least = np.zeros(1 << HAND, np.int64)

    def min_plays(self, hand: int) -> int:
        return int(
            least_by_trying(U64(hand), self.table, self.plays, self.strengths, self.parts, self.starts, self.least)
        )


def random_bits(chance: random.Random, count: int) -> int:
    return sum(1 << card for card in rich_cards(chance, count))


@pytest.mark.parametrize("name", VARIANTS)
def test_least_number_of_plays(name: str) -> None:
    """Equal to trying everything, for rich hands of any size."""
    plain, chance = VARIANTS[name], random.Random(name)
    trying = Trying(plain)
    saved = 0
    for i in range(amount(3_000, 150)):
        hand = random_bits(chance, HAND if i % amount(2, 20) == 0 else chance.randint(1, amount(HAND, 9)))
        expected = trying.min_plays(hand)
        found = int(least_kernel(U64(hand), trying.table))
        assert found == expected, (engine_rules(plain).deck.text(hand), plain)
        saved += expected < hand.bit_count() / 2
    assert saved > amount(300, 2)


@pytest.mark.compiled
@pytest.mark.parametrize("number", range(20))
def test_least_number_of_plays_under_house_rules(number: int) -> None:
    chance = random.Random(f"shape {number}")
    plain = random_rules(chance)
    trying = Trying(plain)
    for _ in range(150):
        hand = random_bits(chance, chance.randint(10, HAND))
        assert least_kernel(U64(hand), trying.table) == trying.min_plays(hand), (hand, plain)


@pytest.mark.compiled
def test_least_number_of_plays_of_hands_as_dealt() -> None:
    trying = Trying(rules())
    chance = random.Random(1)
    answers = set()
    for _ in range(3_000):
        hand = sum(1 << card for card in chance.sample(range(CARDS), HAND))
        expected = trying.min_plays(hand)
        assert least_kernel(U64(hand), trying.table) == expected, hand
        answers.add(expected)
    assert {3, 4, 5, 6, 7, 8} <= answers


@pytest.mark.parametrize(
    ("hand", "preset", "plays"),
    [
        ("3D", "singapore", 1),
        ("3D 4D", "singapore", 2),
        ("3D 3C 3H 3S 4D", "singapore", 1),
        ("3D 3C 3H 3S 4D", "charlesworth", 2),
        ("3D 3C 3H 3S", "singapore", 2),
        ("3D 3C 3H 3S", "charlesworth", 1),
        ("3D 3C 4D 4C", "charlesworth", 1),
        ("3D 3C 3H", "singapore", 1),
        ("3D 3C 3H", "taiwan", 2),
        ("3D 3C 3H 4D 4C", "taiwan", 1),
        ("3D 5D 7D 9D JD", "singapore", 1),
        ("3D 5D 7D 9D JD", "taiwan", 5),
        ("AD 2C 3D 4S 5H", "singapore", 1),
        ("AD 2C 3D 4S 5H", "charlesworth", 5),
        ("JD QC KH AS 2D", "charlesworth", 1),
        ("JD QC KH AS 2D", "singapore", 5),
        ("3D 4D 5D 6D 7D 8D 9D TD JD QD KD AD 2D", "singapore", 5),
        ("3D 4C 5D 6D 7D 3C 4D 5C 6C 7C", "singapore", 2),
        ("3D 5D 7D 9D JD 3C 5C 7C 9C JC 2D 2C 2H", "singapore", 3),
        ("3D 5D 7D 9D JD 4C 5C 6H 7C 8C 2D 2C 2H", "singapore", 3),
        ("3D 3C 3H 5D 5C 5H 7D 7C 7H 9D 9C 9H KS", "singapore", 5),
    ],
)
def test_least_number_of_plays_by_hand(hand: str, preset: str, plays: int) -> None:
    plain = PRESETS[preset]
    assert least_kernel(U64(bits(cards(hand), plain)), engine_rules(plain).rule_table()) == plays


def test_no_cards_need_no_play() -> None:
    assert least_kernel(NO_BITS, engine_rules(rules()).rule_table()) == 0


@pytest.mark.parametrize("name", [*VARIANTS, *(f"house {number}" for number in range(20))])
def test_strongest_play_is_the_strongest_of_all_listed(name: str) -> None:
    """Of every size, in sets of one card to the whole deck, bombs included."""
    chance = random.Random(f"strongest {name}")
    plain = VARIANTS[name] if name in VARIANTS else random_rules(chance)
    table = engine_rules(plain).rule_table()
    plays, strengths = np.zeros(ALL_PLAYS, np.uint64), np.zeros(ALL_PLAYS, np.int64)
    held = 0
    for _ in range(amount(400, 60)):
        some = random_bits(chance, chance.randint(1, chance.choice((HAND, amount(39, HAND)))))
        for size in range(1, at.PLAY_SIZE + 1):
            expected = strongest_by_listing(U64(some), size, table, plays, strengths)
            found = strongest_play(U64(some), size, table)
            assert found == expected, (engine_rules(plain).deck.text(some), size, plain)
            held += expected >= 0
    assert held > amount(800, 20)


def test_no_cards_hold_no_play() -> None:
    table = engine_rules(rules(bombs=True)).rule_table()
    assert [strongest_play(NO_BITS, size, table) for size in range(1, 6)] == [-1] * 5


@pytest.mark.parametrize("preset", PRESETS)
def test_strongest_play_of_the_whole_deck(preset: str) -> None:
    plain = PRESETS[preset]
    table = engine_rules(plain).rule_table()
    whole = U64((1 << CARDS) - 1)
    assert strongest_play(whole, 1, table) == strongest_play(whole, 2, table) == CARDS - 1
    assert strongest_play(whole, 3, table) == at.RANKS - 1
    assert strongest_play(whole, 5, table) >> at.CATEGORY_SHIFT == at.STRAIGHT_FLUSH
