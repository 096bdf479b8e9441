"""The strength of the best five of five, six or seven cards, as one integer, for whole arrays of hands.

Greater is stronger, equal splits the pot. A strength is an int32 of three fields::

    bits 26-29   category: 0 high card ... 8 straight flush
    bits 13-25   ranks that come in groups: of the four, of the three, of one pair or two
    bits  0-12   the other ranks: kickers, the pair of a full house, a flush, or the top of a straight

The last two are sets of ranks (bit 0 a two, bit 12 an ace), so that as numbers they compare from the highest rank down.

The cards are first sorted by suit: 13 ranks in 16 bits for each. All that follows are operations on 16-bit words
without a branch or a table, so that the compiler does them for 16 or 32 hands at a time.
"""

from __future__ import annotations

from enum import IntEnum
from typing import Any

import numpy as np
import numpy.typing as npt

from bigtwo_sim.core.cards import Deck
from bigtwo_sim.core.kernel import NO_BITS, ONE, U64, kernel, popcount

POKER_DECK = Deck(ranks="23456789TJQKA", suits="CDHS")
"""Ranks in poker's order. The order of the suits is only that of their text: suits never break a tie."""

FEWEST_CARDS = 5
MOST_CARDS = 7
CATEGORY_SHIFT = 26
GROUP_SHIFT = 13
RANKS = len(POKER_DECK.ranks)
SUITS = len(POKER_DECK.suits)

BLOCK = 2048  # hands at a time, so that their ranks by suit stay in the fastest cache

R = np.uint16  # a set of ranks, or all ones for yes and none for no; NumPy's and numba's operators widen it
NO_RANK = R(0)
_1 = R(1)


class PokerError(ValueError):
    """Cards that cannot be ranked or compared; the message names them and says what must hold."""


class Category(IntEnum):
    """What five cards are, from weak to strong. A royal flush is the highest straight flush."""

    HIGH_CARD = 0
    PAIR = 1
    TWO_PAIR = 2
    THREE_OF_A_KIND = 3
    STRAIGHT = 4
    FLUSH = 5
    FULL_HOUSE = 6
    FOUR_OF_A_KIND = 7
    STRAIGHT_FLUSH = 8

    @property
    def words(self) -> str:
        """`two pair`, `straight flush`."""
        return self.name.replace("_", " ").lower()


# --- ranks by suit ----------------------------------------------------------------------------------------------------
# The number of a card has six binary digits, four of its rank and two of its suit: r r r r s s. Rotated to s s r r r r
# they number the cards by suit. Four exchanges of two digits each do that, and an exchange of digits is a masked swap
# of the bits that it moves (Knuth, The Art of Computer Programming, volume 4A, section 7.1.3).
def _exchange(low: int, high: int) -> tuple[np.uint64, np.uint64]:
    """For the exchange of two digits: the bits that move up, and by how many places."""
    moving = sum(1 << bit for bit in range(64) if bit >> low & 1 and not bit >> high & 1)
    return U64(moving), U64((1 << high) - (1 << low))


_MOVING_1, _PLACES_1 = _exchange(0, 2)
_MOVING_2, _PLACES_2 = _exchange(2, 4)
_MOVING_3, _PLACES_3 = _exchange(1, 3)
_MOVING_4, _PLACES_4 = _exchange(3, 5)
_SUIT_1, _SUIT_2, _SUIT_3 = U64(16), U64(32), U64(48)
_BEYOND_THE_DECK = U64(SUITS * RANKS)
_FLAGS = U64(63)


@kernel(inline=True)
def _swap(bits, moving, places):
    change = (bits ^ (bits >> places)) & moving
    return bits ^ change ^ (change << places)


@kernel
def _by_suit(hands, rows):
    """Write the ranks of each hand by suit to `rows` (uint16[4, n]).

    Returns, as bits of a uint64, which numbers of cards there are; bit 0 also for cards beyond the deck.
    """
    first, second, third, fourth = rows[0], rows[1], rows[2], rows[3]
    found = NO_BITS
    beyond = NO_BITS
    for i in range(hands.shape[0]):
        hand = hands[i]
        found |= ONE << (U64(popcount(hand)) & _FLAGS)
        beyond |= hand >> _BEYOND_THE_DECK
        hand = _swap(hand, _MOVING_1, _PLACES_1)
        hand = _swap(hand, _MOVING_2, _PLACES_2)
        hand = _swap(hand, _MOVING_3, _PLACES_3)
        hand = _swap(hand, _MOVING_4, _PLACES_4)
        first[i] = R(hand)
        second[i] = R(hand >> _SUIT_1)
        third[i] = R(hand >> _SUIT_2)
        fourth[i] = R(hand >> _SUIT_3)
    return found | ONE if beyond != NO_BITS else found


# --- sets of ranks ----------------------------------------------------------------------------------------------------
@kernel(inline=True)
def _any(ranks):
    """Yes (all ones) if there is a rank, no (none) otherwise."""
    return R(0) - R(ranks != NO_RANK)


@kernel(inline=True)
def _more_than(number, ranks):
    """Yes if there are more than `number` ranks."""
    return R(0) - R(popcount(ranks) > number)


@kernel(inline=True)
def _choose(yes, ranks, others):
    return R((ranks & yes) | (others & ~yes))


@kernel(inline=True)
def _without_lowest(ranks):
    return R(ranks & (ranks - _1))


@kernel(inline=True)
def _held(first, second, third, fourth):
    """The ranks held at least once, twice, three and four times."""
    one_of_two, both_of_two = R(first | second), R(first & second)
    one_of_others, both_of_others = R(third | fourth), R(third & fourth)
    return (
        R(one_of_two | one_of_others),
        R(both_of_two | both_of_others | (one_of_two & one_of_others)),
        R((both_of_two & one_of_others) | (one_of_two & both_of_others)),
        R(both_of_two & both_of_others),
    )


@kernel(inline=True)
def _long_suit(first, second, third, fourth):
    """The ranks of the suit with five cards or more, if there is one."""
    return R(
        (first & _more_than(4, first))
        | (second & _more_than(4, second))
        | (third & _more_than(4, third))
        | (fourth & _more_than(4, fourth))
    )


@kernel(inline=True)
def _tops(ranks):
    """The highest rank of every five in a row; the ace is also below the two."""
    ranks = R((ranks << 1) | (ranks >> (RANKS - 1)))
    two = R(ranks & (ranks << 1))
    four = R(two & (two << 2))
    return R((four & (ranks << 4)) >> 1)


@kernel(inline=True)
def _strength(category, group, others):
    return np.int32((np.int32(category) << CATEGORY_SHIFT) | (np.int32(group) << GROUP_SHIFT) | np.int32(others))


# --- strengths --------------------------------------------------------------------------------------------------------
# The bodies of these two loops stay in the loops. In a function of their own LLVM joins `ranks - 1` and `ranks != 0` to
# one operation that it cannot do for many hands at a time: a sixth of the speed.
_PAIR, _THREE, _STRAIGHT, _FLUSH = R(1), R(3), R(4), R(5)
_FULL_HOUSE, _FOUR = R(6), R(7)


@kernel
def _strengths_of_five(rows, strengths):
    """Strengths of hands of exactly five cards; `rows` as `_by_suit` writes them."""
    first, second, third, fourth = rows[0], rows[1], rows[2], rows[3]
    for i in range(strengths.shape[0]):
        once, twice, thrice, four = _held(first[i], second[i], third[i], fourth[i])
        flush = _any(_long_suit(first[i], second[i], third[i], fourth[i]))
        tops = _tops(once)
        straight, pair, three = _any(tops), _any(twice), _any(thrice)
        two = _any(_without_lowest(twice))  # pairs, one of them perhaps part of a three

        category = R((_PAIR & pair) + (_PAIR & two))
        category = _choose(three, R(_THREE + (_THREE & two)), category)
        category = _choose(_any(four), _FOUR, category)
        # 4 and 5 make 9 of a straight flush, which is one too many.
        category = R(category + (_STRAIGHT & straight) + (_FLUSH & flush) - (_1 & straight & flush))

        group = _choose(_any(four), four, _choose(three, thrice, twice))
        strengths[i] = _strength(category, group, _choose(straight, tops, R(once & ~group)))


@kernel
def _strengths_of_more(rows, strengths):
    """Strengths of the best five of five to seven cards; `rows` as `_by_suit` writes them."""
    first, second, third, fourth = rows[0], rows[1], rows[2], rows[3]
    for i in range(strengths.shape[0]):
        once, twice, thrice, four = _held(first[i], second[i], third[i], fourth[i])
        suited = _long_suit(first[i], second[i], third[i], fourth[i])
        flush = _any(suited)
        tops = _tops(_choose(flush, suited, once))
        tops = R(tops & ~(tops >> 1))  # seven cards hold one run at most
        straight, pair, three, quads = _any(tops), _any(twice), _any(thrice), _any(four)
        fewer_pairs = _without_lowest(twice)
        two = _any(fewer_pairs)  # pairs, one of them perhaps part of a three
        full = R(three & two & ~quads)

        # The best group: of two threes the higher, of three pairs the two higher ones.
        high_three = _without_lowest(thrice)
        high_three = _choose(_any(high_three), high_three, thrice)
        pairs = _choose(_any(_without_lowest(fewer_pairs)), fewer_pairs, twice)
        group = _choose(quads, four, _choose(three, high_three, pairs))

        # Beside it the best pair, or the best other ranks: only one where two ranks make four cards or more, else all
        # but as many as there are cards above five.
        others = _choose(full, R(twice & ~high_three), R(once & ~group))
        less_one = _without_lowest(others)
        less_two = _without_lowest(less_one)
        best = _choose(_any(less_two), less_two, _choose(_any(less_one), less_one, others))
        cards = popcount(first[i]) + popcount(second[i]) + popcount(third[i]) + popcount(fourth[i])
        six, seven = R(0) - R(cards > 5), R(0) - R(cards > 6)
        others = _choose(R(two | quads), best, _choose(seven, less_two, _choose(six, less_one, others)))

        category = _choose(three, _THREE, R((_PAIR & pair) + (_PAIR & two)))
        category = _choose(full, _FULL_HOUSE, _choose(quads, _FOUR, category))
        below = R(~(full | quads))
        straight, flush = R(straight & below), R(flush & below)
        category = _choose(flush, _FLUSH, category)
        category = _choose(straight, R(_STRAIGHT + (_STRAIGHT & flush)), category)

        fewer = _without_lowest(suited)
        suited = _choose(_more_than(6, suited), _without_lowest(fewer), _choose(_more_than(5, suited), fewer, suited))
        others = _choose(straight, tops, _choose(flush, suited, others))
        strengths[i] = _strength(category, R(group & ~(straight | flush)), others)


_ONLY_FIVE = U64(1 << FEWEST_CARDS)
_WRONG = U64(2**64 - 1 - sum(1 << number for number in range(FEWEST_CARDS, MOST_CARDS + 1)))


@kernel
def strengths_kernel(hands, strengths, rows):
    """Write the strengths (int32[n]) of `hands` (uint64[n]); `rows` is scratch, uint16[4, any].

    Returns whether every hand is one: five to seven cards of the deck. Otherwise the strengths mean nothing.
    """
    wrong = NO_BITS
    for start in range(0, hands.shape[0], rows.shape[1]):
        block = hands[start : start + rows.shape[1]]
        found = _by_suit(block, rows)
        wrong |= found & _WRONG
        if found == _ONLY_FIVE:
            _strengths_of_five(rows, strengths[start : start + block.shape[0]])
        else:
            _strengths_of_more(rows, strengths[start : start + block.shape[0]])
    return wrong == NO_BITS


def new_rows() -> npt.NDArray[np.uint16]:
    """Scratch space for `strengths_kernel`."""
    return np.zeros((SUITS, BLOCK), np.uint16)


def strengths(hands: npt.ArrayLike) -> npt.NDArray[np.int32]:
    """The strengths (int32, of the same shape) of an array of hands, each a set of cards as bits (unsigned integers).

    A hand has five to seven cards, not all hands the same number; the best five of them count. Bit 4 * rank + suit is a
    card of `POKER_DECK`. Raises PokerError, which names the first hand that is none.

    >>> aces, kings = POKER_DECK.parse("AS AH 9D 7C 2D"), POKER_DECK.parse("KS KH 9D 7C 2D 3S")
    >>> strengths([aces, kings])
    array([100663457,  83886242], dtype=int32)
    """
    array = np.asarray(hands)
    if array.size and array.dtype.kind != "u" and not (array.dtype.kind == "i" and array.min() >= 0):
        raise PokerError(f"hands are of type {array.dtype}; they must be cards as bits, in unsigned integers (uint64)")
    flat: npt.NDArray[np.uint64] = np.ascontiguousarray(array, np.uint64).reshape(-1)
    result = np.empty(flat.shape, np.int32)
    if not strengths_kernel(flat, result, new_rows()):
        raise PokerError(_what_is_wrong(flat))
    return result.reshape(array.shape)


def _what_is_wrong(hands: npt.NDArray[np.uint64]) -> str:
    """Names the first hand that is none."""
    for index, hand in enumerate(map(int, hands)):
        if hand >> POKER_DECK.size:
            return f"hand {index} is {hand:#x}; it must lie within the {POKER_DECK.size} cards of the deck"
        if not FEWEST_CARDS <= hand.bit_count() <= MOST_CARDS:
            return f"hand {index} has {hand.bit_count()} cards; it must have {FEWEST_CARDS} to {MOST_CARDS}"
    raise AssertionError("every hand is one")


def fields(strength: int | np.integer[Any]) -> tuple[Category, list[int], list[int]]:
    """A strength taken apart: its category, the ranks of its groups and the other ranks, each from the highest down."""
    value = int(strength)
    sets = value >> GROUP_SHIFT, value
    group, others = ([rank for rank in reversed(range(RANKS)) if bits >> rank & 1] for bits in sets)
    return Category(value >> CATEGORY_SHIFT), group, others
