"""Poker hands for people: their words, the five cards that count, who wins a showdown."""

import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bigtwo_sim.poker import POKER_DECK, CardSet, Category, PokerError, rank, showdown, strengths, words
from bigtwo_sim.poker.ranking import best_text
from tests.reference.poker import CARDS, worth
from tests.reference.subsets import subsets


def cards(text: str) -> CardSet:
    return CardSet.parse(text, POKER_DECK)


@pytest.mark.parametrize(
    ("hand", "in_words", "best"),
    [
        ("2C 2D AS KH 9C 7D 4S", "pair of twos, ace-king-nine", "2D 2C AS KH 9C"),
        ("AH KD QS JC 8D", "ace high, king-queen-jack-eight", "AH KD QS JC 8D"),
        ("6C 6D AS KH 9C", "pair of sixes, ace-king-nine", "6D 6C AS KH 9C"),
        ("QH QD 4S 4C 5H", "two pair, queens and fours, five kicker", "QH QD 4S 4C 5H"),
        ("QH QD 4S 4C 3H 3D KS", "two pair, queens and fours, king kicker", "QH QD 4S 4C KS"),
        ("QH QD 4S 4C 3H 3D 2S", "two pair, queens and fours, three kicker", "QH QD 4S 4C 3H"),
        ("3H 3D 3S 4C 5H AD", "three threes, ace-five", "3S 3H 3D AD 5H"),
        ("AS 2D 3H 4C 5D 9H", "five-high straight", "5D 4C 3H 2D AS"),
        ("AS KD QH JC TD 9H 8H", "ace-high straight", "AS KD QH JC TD"),
        ("AH 9H 6H 4H 3H 2H", "ace-high flush, nine-six-four-three", "AH 9H 6H 4H 3H"),
        ("2C 2D 2H 3S 3D", "full house, twos full of threes", "2H 2D 2C 3S 3D"),
        ("6C 6D 6H 3S 3D 3H 2H", "full house, sixes full of threes", "6H 6D 6C 3S 3H"),
        ("6C 6D 6H 3S 3D KD KH", "full house, sixes full of kings", "6H 6D 6C KH KD"),
        ("6C 6D 6H 6S 3D 3H 3S", "four sixes, three kicker", "6S 6H 6D 6C 3S"),
        ("6C 6D 6H 6S 3D AH 3S", "four sixes, ace kicker", "6S 6H 6D 6C AH"),
        ("AS 2S 3S 4S 5S 9S KS", "five-high straight flush", "5S 4S 3S 2S AS"),
        ("KS QS JS TS 9S 8S AH", "king-high straight flush", "KS QS JS TS 9S"),
        ("KS QS JS TS AS 9S 8S", "royal flush", "AS KS QS JS TS"),
    ],
)
def test_words_and_the_best_five(hand, in_words, best):
    ranking = rank(cards(hand))
    assert ranking.words == in_words
    assert best_text(ranking) == best
    assert ranking.best <= ranking.cards
    assert str(ranking) == f"{best}: {in_words}"


def test_names_of_categories():
    assert rank(cards("QH QD 4S 4C 5H")).category is Category.TWO_PAIR
    assert Category.TWO_PAIR.words == "two pair"
    assert best_text(rank(cards("QH QD 4S 4C 5H")), signs=True) == "Q♥ Q♦ 4♠ 4♣ 5♥"


@pytest.mark.compiled
def test_every_class_has_words_of_its_own():
    values = np.unique(np.concatenate([strengths(block) for block in subsets(5)]))
    assert len({words(value) for value in values.tolist()}) == len(values) == 7_462


@given(st.lists(st.sampled_from(CARDS), min_size=5, max_size=7, unique=True))
def test_the_best_five_are_worth_as_much_as_all(hand):
    ranking = rank(cards(" ".join(hand)))
    assert worth(str(ranking.best).split()) == worth(hand)
    assert sorted(best_text(ranking).split()) == sorted(str(ranking.best).split())
    assert rank(ranking.best).strength == ranking.strength


@pytest.mark.parametrize(
    ("hand", "message"),
    [
        (cards("AS KS"), "AS KS has 2 cards; it must have 5 to 7"),
        (cards("AS"), "AS has 1 card; it must"),
        (cards(""), "the hand has 0 cards"),
        (cards("AS KS QS JS TS 9S 8S 7S"), "has 8 cards; it must have 5 to 7"),
        (CardSet.parse("3D 4D 5D 6D 7D"), "are no cards of poker's deck"),
        (31, "31 are no cards of poker's deck; they must be a CardSet of POKER_DECK"),
    ],
)
def test_rank_refuses(hand, message):
    with pytest.raises(PokerError, match=message):
        rank(hand)


# --- showdowns --------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("hands", "board", "places", "winners"),
    [
        (["2C 2D AS KH 9C", "AH KD QS JC 8D"], None, (1, 2), (0,)),
        (["AH KD QS JC 8D", "2C 2D AS KH 9C"], None, (2, 1), (1,)),
        (["7H 7D 7S 7C 2D", "7H 7D 7S 7C 3H", "7H 7D 7S 7C 3D"], None, (3, 1, 1), (1, 2)),
        (["AS KS QS JS 9S", "AD KD QD JD 9D 2S 2D"], None, (1, 1), (0, 1)),
        (["2C 2D", "3C 3D", "AH KH"], "TS JS QS KS AS", (1, 1, 1), (0, 1, 2)),
        (["2C 2D", "3C 3D", "AH KH", "AC KC"], "TS JS QS KD 2H", (3, 4, 1, 1), (2, 3)),
        (["AC 2D", "KC QD"], "9S 8S 7D", (1, 2), (0,)),
    ],
)
def test_showdowns(hands, board, places, winners):
    result = showdown([cards(hand) for hand in hands], None if board is None else cards(board))
    assert (result.places, result.winners) == (places, winners)


@pytest.mark.parametrize(
    ("hands", "board", "message"),
    [
        (["AS KS QS JS 9S"], None, "the number of hands is 1; it must be at least 2"),
        (["AS KS QS JS 9S", "AD KD"], None, "AD KD has 2 cards; it must have 5 to 7"),
        (["AS KS", "AD"], "2C 3C 4C", "hand 2 (AD) has 1 card; it must have 2"),
        (["AS KS", ""], "2C 3C 4C", "hand 2 (no cards) has 0 cards; it must have 2"),
        (["AS KS", "AD KD"], "2C 3C", "the board has 2 cards; it must have 3 to 5 to rank hands"),
        (["AS KS", "AD KD"], "2C 3C 4C 5C 6C 7C", "the board has 6 cards; it must have at most 5"),
        (["AS KS", "KS QS"], "2C 3C 4C", "hand 2 (KS QS) and hand 1 (AS KS) share KS; every card exists once"),
        (["AS KS", "KD QS"], "2C 3C QS", "hand 2 (KD QS) and the board share QS"),
    ],
)
def test_showdown_refuses(hands, board, message):
    with pytest.raises(PokerError, match=re.escape(message)):
        showdown([cards(hand) for hand in hands], None if board is None else cards(board))
