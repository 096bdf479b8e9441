"""Chance is fair: every card goes to every seat alike, and no two streams of deals and seats are the same."""

from typing import Any

import numpy as np
import pytest

from bigtwo_sim.core.kernel import NO_BITS, ONE, U64, kernel
from bigtwo_sim.core.rng import below, new_stream, next_word, root_key, shuffle, unit
from bigtwo_sim.games.big_two import layout as at
from tests.games.big_two.random_walk import whole_deals
from tests.games.big_two.sides import CARDS, HAND, amount

pytestmark = pytest.mark.kernel


@kernel
def count_cards(seats: Any, dealt: Any) -> None:
    """Add to seats int64[52, 4] where each card of dealt uint64[n, 4] went."""
    for i in range(dealt.shape[0]):
        for seat in range(at.SEATS):
            for card in range(CARDS):
                seats[card, seat] += np.int64(dealt[i, seat] >> U64(card) & ONE)


@kernel
def count_together(together: Any, dealt: Any) -> None:
    """Add to together int64[52, 52] how often two cards of dealt uint64[n, 4] went to one seat."""
    for i in range(dealt.shape[0]):
        for seat in range(at.SEATS):
            for one in range(CARDS):
                if dealt[i, seat] >> U64(one) & ONE != NO_BITS:
                    for other in range(one):
                        together[one, other] += np.int64(dealt[i, seat] >> U64(other) & ONE)


@pytest.mark.compiled
def test_every_card_goes_to_every_seat_alike() -> None:
    deals = 200_000
    dealt = whole_deals(2024, deals)
    seats = np.zeros((CARDS, at.SEATS), np.int64)
    count_cards(seats, dealt)
    assert (seats.sum(axis=0) == deals * HAND).all()
    expected = deals / at.SEATS
    # Thirteen cards go to each seat, which narrows the spread by 51 / 52: (52 - 1) * (4 - 1) degrees of freedom.
    chi_square = ((seats - expected) ** 2 / expected).sum() * (CARDS - 1) / CARDS
    assert abs(standard(chi_square, (CARDS - 1) * (at.SEATS - 1))) < 4

    together = np.zeros((CARDS, CARDS), np.int64)
    count_together(together, dealt)
    share = (HAND - 1) / (CARDS - 1)
    z = (together[np.tril_indices(CARDS, -1)] - deals * share) / np.sqrt(deals * share * (1 - share))
    assert abs(z).max() < 5
    assert 0.9 < z.std() < 1.1


def standard(chi_square: float, freedom: int) -> float:
    """A chi-square as a normal deviate (Wilson and Hilferty, PNAS 17, 1931); too small is as bad as too great."""
    spread = 2 / (9 * freedom)
    return float(((chi_square / freedom) ** (1 / 3) - (1 - spread)) / spread**0.5)


@pytest.mark.compiled
def test_choices_are_even() -> None:
    for bound in (2, 3, 7, 52, 1287):
        draws = 400_000
        counts = np.zeros(bound, np.int64)
        count_draws(counts, new_stream(root_key(1), 3, 2), draws)
        chi_square = ((counts - draws / bound) ** 2 / (draws / bound)).sum()
        assert abs(standard(chi_square, bound - 1)) < 4


@kernel
def count_draws(counts: Any, stream: Any, draws: Any) -> None:
    """Count which numbers below the length of counts int64[bound] come."""
    for _ in range(draws):
        counts[below(stream, counts.shape[0])] += 1


def test_streams_of_deals_and_seats_differ() -> None:
    words = [
        int(word)
        for seed in (0, 1, 2**70)
        for index in range(amount(2_000, 50))
        for which in range(1 + at.SEATS)
        for word in new_stream(root_key(seed), index, which)
    ]
    assert len(set(words)) == len(words)
    ones = np.array([word.bit_count() for word in words])
    assert abs(ones.mean() - 32) < 5 * 4 / np.sqrt(len(words))


def test_decks_of_deals_and_seeds_differ() -> None:
    count = amount(2_000, 50)
    dealt = np.concatenate([whole_deals(seed, count) for seed in (0, 1, 2**70)])
    assert len(np.unique(dealt, axis=0)) == 3 * count
    assert (np.bitwise_or.reduce(dealt, axis=1) == U64((1 << CARDS) - 1)).all()
    assert np.array_equal(whole_deals(1, count), dealt[count : 2 * count])


@kernel
def draw_words(words: Any, stream: Any) -> None:
    for i in range(words.shape[0]):
        words[i] = next_word(stream)


@kernel
def draw_units(units: Any, stream: Any) -> None:
    for i in range(units.shape[0]):
        units[i] = unit(stream)


def xoshiro(state: list[int]) -> int:
    """The next word of xoshiro256**, as its authors publish it (https://prng.di.unimi.it/xoshiro256starstar.c)."""

    def rotl(x: int, k: int) -> int:
        return (x << k | x >> (64 - k)) & mask

    mask = (1 << 64) - 1
    result = rotl(state[1] * 5 & mask, 7) * 9 & mask
    t = state[1] << 17 & mask
    state[2] ^= state[0]
    state[3] ^= state[1]
    state[1] ^= state[2]
    state[0] ^= state[3]
    state[2] ^= t
    state[3] = rotl(state[3], 45)
    return result


def test_words_are_those_of_xoshiro256() -> None:
    stream = np.array([1, 2, 3, 4], np.uint64)
    words = np.zeros(8, np.uint64)
    draw_words(words, stream)
    assert words.tolist()[:4] == [11520, 0, 1509978240, 1215971899390074240]
    for state in ([1, 2, 3, 4], [2**64 - 1, 0, 2**63, 12345], new_stream(root_key(5), 6, 0).tolist()):
        stream = np.array(state, np.uint64)
        draw_words(words, stream)
        assert words.tolist() == [xoshiro(state) for _ in range(8)]
        assert stream.tolist() == state


def test_fractions_lie_between_zero_and_one() -> None:
    units = np.zeros(amount(200_000, 2_000))
    draw_units(units, new_stream(root_key(1), 0, 0))
    assert 0 <= units.min() < 0.01
    assert 0.99 < units.max() < 1
    assert abs(units.mean() - 0.5) < 5 / np.sqrt(12 * len(units))


@kernel
def count_places(places: Any, cards: Any, stream: Any, shuffles: Any) -> None:
    """Add to places int64[n, n] which number a shuffle puts in which place; cards int64[n] is scratch."""
    for _ in range(shuffles):
        for i in range(cards.shape[0]):
            cards[i] = i
        shuffle(cards, stream)
        for i in range(cards.shape[0]):
            places[cards[i], i] += 1


@pytest.mark.parametrize("size", [2, 3, 13, 52])
def test_every_card_comes_to_every_place_alike(size: int) -> None:
    shuffles = amount(200_000, 1_000)
    places = np.zeros((size, size), np.int64)
    count_places(places, np.zeros(size, np.int64), new_stream(root_key(3), 0, 0), shuffles)
    assert (places.sum(axis=0) == shuffles).all()
    assert (places.sum(axis=1) == shuffles).all()
    expected = shuffles / size
    chi_square = ((places - expected) ** 2 / expected).sum() * (size - 1) / size
    assert abs(standard(chi_square, (size - 1) ** 2)) < 4


@kernel
def count_orders(orders: Any, cards: Any, stream: Any, shuffles: Any) -> None:
    """Add to orders int64[256] the orders that four numbers come in; cards int64[4] is scratch."""
    for _ in range(shuffles):
        for i in range(4):
            cards[i] = i
        shuffle(cards, stream)
        orders[64 * cards[0] + 16 * cards[1] + 4 * cards[2] + cards[3]] += 1


def test_every_order_of_four_comes_alike() -> None:
    shuffles = amount(240_000, 2_400)
    orders = np.zeros(256, np.int64)
    count_orders(orders, np.zeros(4, np.int64), new_stream(root_key(4), 0, 0), shuffles)
    assert np.count_nonzero(orders) == 24
    expected = shuffles / 24
    chi_square = ((orders[orders > 0] - expected) ** 2 / expected).sum()
    assert abs(standard(chi_square, 23)) < 4


def test_negative_seed_is_refused() -> None:
    with pytest.raises(ValueError, match="seed is -1; it must be a whole number of at least 0"):
        root_key(-1)
