"""Strengths of poker hands: the rules' vectors, every set of five, six and seven cards, and independent judges."""

from itertools import pairwise

import numpy as np
import phevaluator
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bigtwo_sim.poker import POKER_DECK, Category, PokerError, strengths
from bigtwo_sim.poker.kernels.strength import BLOCK, fields
from tests.conftest import INTERPRETED
from tests.reference.poker import CARDS, worth
from tests.reference.subsets import subsets

pytestmark = pytest.mark.kernel

some_cards = st.lists(st.sampled_from(CARDS), min_size=5, max_size=7, unique=True)


def bits(text: str) -> int:
    return POKER_DECK.parse(text)


def strength(text: str) -> int:
    return int(strengths(np.array([bits(text)], np.uint64))[0])


def random_hands(number: int, sizes: np.ndarray, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Decks in random order, and the first `sizes` cards of each as a hand."""
    decks = np.random.default_rng(seed).permuted(np.tile(np.arange(52), (number, 1)), axis=1)
    dealt = np.arange(52) < sizes[:, None]
    return decks, np.where(dealt, np.uint64(1) << decks.astype(np.uint64), np.uint64(0)).sum(axis=1, dtype=np.uint64)


@pytest.mark.parametrize(
    ("winner", "loser"),
    [
        ("2C 2D AS KH 9C", "AH KD QS JC 8D"),
        ("7H 6H 4H 3H 2H", "AC KD QS JH TD"),
        ("2C 2D 2H 3S 3D", "AH KH QH JH 9H"),
        ("AH 9H 5H 4H 3H", "AS 9S 5S 4S 2S"),
        ("QH QD 4S 4C 5H", "QS QC 4D 4H 3H"),
        ("7H 7D 7S 7C 3H", "7H 7D 7S 7C 2D"),
        ("6C 5D 4S 3H 2D", "5C 4D 3S 2H AD"),
    ],
)
def test_vectors(winner, loser):
    assert strength(winner) > strength(loser)


def test_suits_never_break_a_tie():
    assert strength("AS KS QS JS 9S") == strength("AD KD QD JD 9D")


def test_every_hand_splits_on_a_royal_board():
    board = bits("TS JS QS KS AS")
    rest = [1 << card for card in range(52) if not board >> card & 1]
    hands = [board | one | other for i, one in enumerate(rest) for other in rest[:i]]
    assert len(hands) == 1081
    assert set(strengths(hands[:50] if INTERPRETED else hands).tolist()) == {strength("TS JS QS KS AS")}


def test_the_ace_is_low_in_one_straight_alone():
    assert strength("AS 2D 3H 4C 5D") < strength("2D 3H 4C 5D 6S")
    assert Category.STRAIGHT not in {
        fields(strength(hand))[0] for hand in ("KS AS 2D 3H 4C", "QS KS AS 2D 3H", "JS QS KS AD 2D")
    }
    assert strength("AS 2D 3H 4C 5D KS KD") == strength("AS 2D 3H 4C 5D")


@given(some_cards, some_cards)
def test_the_order_is_that_of_the_naive_ranking(one, other):
    ours = [strength(" ".join(one)), strength(" ".join(other))]
    by_the_book = [worth(one), worth(other)]
    assert (ours[0] < ours[1], ours[0] == ours[1]) == (
        by_the_book[0] < by_the_book[1],
        by_the_book[0] == by_the_book[1],
    )
    assert fields(ours[0])[0] == by_the_book[0][0]


@given(some_cards, st.permutations("CDHS"))
def test_exchanging_suits_changes_nothing(cards, suits):
    exchanged = [card[0] + suits["CDHS".index(card[1])] for card in cards]
    assert strength(" ".join(exchanged)) == strength(" ".join(cards))


# --- every set of cards -----------------------------------------------------------------------------------------------
# Five and seven: Wikipedia, "Poker probability". Six: counted once with phevaluator's evaluate_6cards.
EVERY = {
    5: (1_302_540, 1_098_240, 123_552, 54_912, 10_200, 5_108, 3_744, 624, 40),
    6: (6_612_900, 9_730_740, 2_532_816, 732_160, 361_620, 205_792, 165_984, 14_664, 1_844),
    7: (23_294_460, 58_627_800, 31_433_400, 6_461_620, 6_180_020, 4_047_644, 3_473_184, 224_848, 41_584),
}


def categories(values: np.ndarray) -> np.ndarray:
    return np.bincount(values >> 26, minlength=len(Category))


@pytest.mark.compiled
def test_all_fives_by_category_and_class():
    hands = np.concatenate([block.copy() for block in subsets(5)])
    values = strengths(hands)
    assert len(hands) == 2_598_960
    assert tuple(categories(values)) == EVERY[5]
    classes, first = np.unique(values, return_index=True)
    assert len(classes) == 7_462
    by_the_book = [worth(POKER_DECK.text(int(hand)).split()) for hand in hands[first]]
    assert all(weaker < stronger for weaker, stronger in pairwise(by_the_book))


@pytest.mark.compiled
@pytest.mark.parametrize("size", [6, pytest.param(7, marks=pytest.mark.sweep)])
def test_all_sixes_and_sevens_by_category(size):
    counts = sum(categories(strengths(block)) for block in subsets(size))
    assert tuple(counts) == EVERY[size]


@pytest.mark.compiled
def test_the_comparisons_of_an_independent_evaluator():
    """100,000 pairs of hands of five to seven cards; phevaluator's ranks fall as hands get stronger."""
    sizes = np.random.default_rng(1).integers(5, 8, 200_000)
    decks, hands = random_hands(len(sizes), sizes, seed=2)
    ours = strengths(hands).reshape(2, -1).astype(np.int64)
    cards = decks[:, :7].tolist()  # numbers of cards are the same there
    theirs = np.array([phevaluator.evaluate_cards(*cards[i][:size]) for i, size in enumerate(sizes)]).reshape(2, -1)
    assert (np.sign(ours[0] - ours[1]) == np.sign(theirs[1] - theirs[0])).all()
    assert len(np.unique(theirs)) > 3_000


# --- arrays -----------------------------------------------------------------------------------------------------------
def test_arrays_of_any_shape_and_number_of_cards():
    number = 24 if INTERPRETED else 3 * BLOCK + 24
    sizes = np.repeat([5, 6, 7, 5], number // 4)
    _, hands = random_hands(number, sizes, seed=3)
    values = strengths(hands)
    assert values.dtype == np.int32
    assert (strengths(hands.reshape(2, 3, -1)) == values.reshape(2, 3, -1)).all()
    assert (strengths(hands.astype(np.int64)[::-2]) == values[::-2]).all()
    assert strengths([int(hands[0])]).tolist() == values[:1].tolist()
    assert strengths(np.uint64(hands[0])).shape == ()
    assert strengths([]).shape == (0,)
    for i in range(0, number, max(1, number // 24)):
        assert strengths(hands[i]) == values[i]


@pytest.mark.parametrize(
    ("hands", "message"),
    [
        (["AS KS QS JS 9S", "AS KS QS JS"], "hand 1 has 4 cards; it must have 5 to 7"),
        (["AS KS QS JS 9S 8S 7S 6S"], "hand 0 has 8 cards; it must have 5 to 7"),
        ([""], "hand 0 has 0 cards"),
    ],
)
def test_a_hand_has_five_to_seven_cards(hands, message):
    with pytest.raises(PokerError, match=message):
        strengths(np.array([bits(hand) for hand in hands], np.uint64))


@pytest.mark.parametrize(
    ("hands", "message"),
    [
        (np.array([0b1111 | 1 << 52], np.uint64), "hand 0 is 0x1000000000000f; it must lie within the 52 cards"),
        (np.array([2**64 - 1], np.uint64), "it must lie within the 52 cards"),
        (np.array([31, -31]), "hands are of type int64"),
        (np.array([31.0]), "hands are of type float64"),
        (np.array(["AS"]), "hands are of type <U2"),
    ],
)
def test_hands_are_bits_of_the_deck(hands, message):
    with pytest.raises(PokerError, match=message):
        strengths(hands)
