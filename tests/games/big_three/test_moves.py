"""The legal plays of the engine are those of the reference: all small hands, and a million random hands and tables."""

import random
from collections import Counter
from itertools import combinations, product

import pytest

from bigtwo_sim.games.big_three import Kind, Rules, legal_plays
from bigtwo_sim.games.big_three import layout as at
from tests.games.big_three.pairs import Sampler, sample
from tests.games.big_three.sides import (
    ALL_RULES,
    MOST_CARDS,
    RULES_IDS,
    amount,
    cards,
    house_rules,
    of_ranks,
    plain,
    rich_hand,
    told,
)
from tests.reference.big_three import book, cards_of, deck, ranks_in, ranks_of
from tests.reference.big_three import classify as naive_classify
from tests.reference.big_three import legal_plays as naive_legal_plays

pytestmark = pytest.mark.kernel


@pytest.mark.parametrize("rules", ALL_RULES, ids=RULES_IDS)
def test_same_legal_plays(rules: Rules) -> None:
    seen = sample(rules, amount(2000, 150), 5)
    assert min(seen["answered"], seen["no play"]) > amount(200, 15)


@pytest.mark.compiled
@pytest.mark.parametrize("each", [500, pytest.param(50_000, marks=pytest.mark.sweep)])
def test_same_legal_plays_under_many_rules(each: int) -> None:
    """A million pairs in all as a sweep."""
    chance = random.Random(8)
    all_rules = [*ALL_RULES[:2], *(house_rules(chance) for _ in range(18))]
    seen: Counter[str] = Counter()
    for number, rules in enumerate(all_rules):
        seen.update(sample(rules, each, number))
    pairs = seen["answered"] + seen["no play"]
    assert pairs == 20 * each
    for kind in Kind:
        assert seen[f"table {kind}"] > pairs / 100, kind
        assert seen[f"answer {kind}"] > pairs / 100, kind
    for count in range(1, MOST_CARDS + 1):
        assert seen[f"hand of {count}"] > pairs / 200, count
    assert min(seen["answered"], seen["no play"], seen["table lead"]) > pairs / 10


@pytest.mark.parametrize("rules", ALL_RULES[:2], ids=RULES_IDS[:2])
def test_all_hands_of_four_ranks(rules: Rules) -> None:
    """Every number of cards of each of four ranks, on lead and on every play of at most these ranks."""
    sampler = Sampler(rules)
    order = ranks_of(plain(rules))
    for first in amount(range(0, 10, 3), (6,)):  # type: ignore[call-overload]
        ranks = order[first : first + 4]
        some = [text for text in book(plain(rules)) if set(text) <= set(ranks)]
        if amount(0, 1):
            some = some[::5]
        for counts in product(range(5), repeat=4):
            hand = [card for rank, count in zip(ranks, counts, strict=True) for card in cards_of(rank * count)[::-1]]
            if hand and len(hand) <= MOST_CARDS and (sum(counts) % amount(1, 4) == 0):
                sampler.check(hand, None)
                for table in some[sum(counts) % 3 :: 3]:
                    sampler.check(hand, cards_of(table))


@pytest.mark.parametrize("rules", ALL_RULES[:2], ids=RULES_IDS[:2])
def test_the_plays_of_a_hand_are_those_of_all_its_subsets(rules: Rules) -> None:
    """The reference's own short cut by ranks, too, is proved: every subset of the hand is tried."""
    chance = random.Random(3)
    for _ in range(amount(20, 3)):
        hand = rich_hand(chance, plain(rules))[:9]
        tried = {
            ranks_in(some, plain(rules))
            for size in range(1, len(hand) + 1)
            for some in combinations(hand, size)
            if naive_classify(some, plain(rules))
        }
        assert tried == naive_legal_plays(hand, plain(rules))
        assert tried == {told(play, rules) for play in legal_plays(cards(" ".join(hand), rules), rules)}


def test_the_longest_list_fits_the_buffers() -> None:
    """No hand has more plays than there is room for, twice."""
    chance = random.Random(5)
    longest = 0
    for rules in ALL_RULES:
        for _ in range(amount(300, 20)):
            hand = chance.sample(deck(plain(rules)), MOST_CARDS)
            longest = max(longest, len(legal_plays(cards(" ".join(hand), rules), rules)))
        # Thirteen singles and seven pairs side by side; four of each of five ranks.
        for text in ("".join(ranks_of(plain(rules))) + ranks_of(plain(rules))[:7], "".join(r * 4 for r in "56789")):
            longest = max(longest, len(legal_plays(of_ranks(text, rules), rules)))
    assert longest <= at.MAX_LIST
    assert at.MAX_PLAYS == 2 * at.MAX_LIST


@pytest.mark.parametrize(
    ("hand", "on", "message"),
    [
        ("4D 5D", "4D", "4D is in the hand and on the table"),
        ("4D 5D", "6D 7D", "6D 7D is no play under the rules shaanxi"),
        (" ".join(deck(plain(Rules()))[:21]), None, "the hand has 21 cards; it must have at most 20"),
    ],
)
def test_what_cannot_be_asked(hand: str, on: str | None, message: str) -> None:
    rules = Rules()
    with pytest.raises(ValueError, match=message):
        legal_plays(cards(hand, rules), rules, None if on is None else cards(on, rules))
