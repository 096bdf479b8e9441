"""Equities: exact ones against plain counting, sampled ones against exact ones."""

import re
from itertools import combinations

import numpy as np
import pytest

from bigtwo_sim.poker import POKER_DECK, CardSet, equity
from bigtwo_sim.poker.kernels.deals import _hand_equity
from tests.reference.poker import CARDS, shares


def cards(text: str) -> CardSet:
    return CardSet.parse(text, POKER_DECK)


def equities(hands: list[str | None], board: str = "", **options):
    return equity([None if hand is None else cards(hand) for hand in hands], cards(board), **options)


@pytest.mark.parametrize(
    ("hands", "board"),
    [
        (["AS AH", "KS KH"], "KD 7S 5S 2S"),
        (["AS AH", "KS KH", "9C 8C"], "TS 7C 2C QH"),
        (["AS KH", "AD KC"], "QS JS 2S 3D"),
        (["2C 2D", "3C 3D"], "TS JS QS KS AS"),
    ],
)
def test_exact_equities_are_those_of_plain_counting(hands, board):
    found = equities(hands, board)
    assert found.exact
    assert found.deals == found.possible == (44 if len(hands) == 2 else 42) ** (board.count(" ") == 3)
    by_hand = shares([hand.split() for hand in hands], board.split())
    assert [part.equity for part in found.hands] == pytest.approx(by_hand)
    assert [part.error for part in found.hands] == [0] * len(hands)


def test_a_hand_that_is_not_known_is_every_hand():
    hand, board = "AS 9H", "KD 9S 5S 2S QC"
    rest = [card for card in CARDS if card not in f"{hand} {board}".split()]
    each = [shares([hand.split(), list(other)], board.split())[0] for other in combinations(rest, 2)]
    for hands, which in (([hand, None], 0), ([None, hand], 1)):
        found = equities(hands, board)
        assert (found.exact, found.deals) == (True, 990)
        assert found.hands[which].equity == pytest.approx(sum(each) / len(each))


@pytest.mark.compiled
def test_two_hands_before_the_board():
    """Every board is counted once: a hand against its mirror image splits or wins as often as it loses."""
    found = equities(["AS AH", "KS KH"])
    assert (found.exact, found.deals) == (True, 1_712_304)
    aces, kings = found.hands
    assert aces.equity == pytest.approx(0.8264, abs=5e-5)  # the table of any book on hold'em: 82.6 %
    assert aces.win + kings.win + aces.tie == pytest.approx(1)
    assert aces.tie == kings.tie
    one, other = equities(["AS KH", "AH KS"]).hands
    assert one.equity == other.equity == 0.5
    assert (one.win, one.tie) == (other.win, other.tie)


@pytest.mark.compiled
def test_several_unknown_hands_are_alike_and_counted_exactly_where_that_is_quick():
    hands, board = ["AS AH", None, None], "KD 9S 5S 2S QC"
    found = equities(hands, board)
    assert (found.exact, found.deals) == (True, 990 * 903)
    first, one, other = found.hands
    assert one == other
    assert first.equity + 2 * one.equity == pytest.approx(1)
    sampled = equities(hands, board, deals=200_000).hands[0]
    assert abs(first.equity - sampled.equity) < 2 * sampled.error


def test_what_cannot_be_counted_is_sampled():
    found = equities(["AS AH", None], deals=300)
    assert not found.exact
    assert (found.deals, found.possible) == (300, 2_097_572_400)
    assert found.hands[0].equity + found.hands[1].equity == pytest.approx(1)
    assert abs(found.hands[0].equity - 0.852) < 3 * found.hands[0].error
    assert found == equities(["AS AH", None], deals=300, seed=0)
    assert found != equities(["AS AH", None], deals=300, seed=1)


@pytest.mark.compiled
def test_without_a_number_of_deals_a_million_are_sampled():
    found = equities(["AS AH", None])
    assert (found.exact, found.deals) == (False, 1_000_000)
    assert found.hands[0].error == pytest.approx(0.0007, abs=0.0001)


@pytest.mark.compiled
def test_intervals_hold_the_truth_as_often_as_they_say():
    hands = ["AS KH", "QD QC"]
    truth = equities(hands).hands[0].equity
    inside = [
        abs(part.equity - truth) <= part.error
        for part in (equities(hands, deals=2_000, seed=seed).hands[0] for seed in range(200))
    ]
    assert 180 <= sum(inside) <= 199  # 190 are expected; beyond is less likely than one in 5,000


def test_a_sample_without_spread_has_an_error_all_the_same():
    found = equities(["AS KS", "2C 3D"], "QS JS TS", deals=50)
    assert found.hands[0].equity == 1
    assert found.hands[0].error == pytest.approx(1.96**2 / 50, rel=1e-3)


@pytest.mark.parametrize(("won", "rate"), [(0, 3.69e-3), (1, 5.57e-3), (4, 10.24e-3)])
def test_a_rare_win_may_be_as_probable_as_a_poisson_mean_says(won, rate):
    """Garwood, Biometrika 28, 1936: none seen allows 3.7, one 5.6, four 10.2."""
    counts = np.array([won, 0])
    found = _hand_equity(counts, 1000, exact=False)
    assert found.equity + found.error > rate
    assert found.equity + found.error < 1.05 * rate


def test_more_deals_than_there_are_is_all_of_them():
    found = equities(["AS AH", "KS KH"], "KD 7S 5S 2S", deals=1_000)
    assert (found.exact, found.deals) == (True, 44)
    assert equities(["AS AH", "KS KH"], "KD 7S 5S 2S", deals=43).exact is False


def test_a_full_table():
    found = equities([None] * 23, deals=20)
    assert sum(part.equity for part in found.hands) == pytest.approx(1)


@pytest.mark.parametrize(
    ("hands", "board", "options", "message"),
    [
        (["AS AH"], "", {}, "the number of hands is 1; it must be from 2 to 23"),
        ([None] * 24, "", {}, "the number of hands is 24"),
        (["AS AH", "KS"], "", {}, "hand 2 (KS) has 1 card; it must have 2"),
        ([None, "AS AH KS"], "", {}, "hand 2 (AS AH KS) has 3 cards; it must have 2"),
        (["AS AH", None, "AS KS"], "", {}, "hand 3 (AS KS) and hand 1 (AS AH) share AS"),
        (["AS AH", None], "2C 3C 4C 5C 6C 7C", {}, "the board has 6 cards; it must have at most 5"),
        (["AS AH", None], "", {"deals": 0}, "deals is 0; it must be at least 1"),
        (["AS AH", None], "", {"deals": 5, "seed": -1}, "seed is -1"),
    ],
)
def test_equity_refuses(hands, board, options, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        equities(hands, board, **options)
