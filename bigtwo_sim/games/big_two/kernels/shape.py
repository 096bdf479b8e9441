"""The shape of a hand: the exact least number of plays that shed it, and the strongest play in a set of cards.

A hand is cut into singles, pairs, triples and so on by how many cards it has of each rank, so that part is a table,
solved once for every profile (ranks with one, two, three, four cards). Straights and flushes are the only plays that
take cards of several ranks without regard to how many there are: of these a hand of 13 holds at most two, and they
are tried one by one, the table doing the rest.
"""

from __future__ import annotations

from functools import cache

import numpy as np
import numpy.typing as npt

from bigtwo_sim.core.kernel import NO_BITS, ONE, U64, highest, kernel, lowest_bit, popcount
from bigtwo_sim.core.kernels.ranks import (
    A_RANK,
    EVERY_RANK,
    all_four,
    at_least_three,
    at_least_two,
    rank_counts,
    ranks_present,
)
from bigtwo_sim.games.big_two import layout as at
from bigtwo_sim.games.big_two.plays import flush_strength, four_strength, may_have_sequence, straight_flush_strength

_MOST_SAVED = 4  # plays that a straight or flush can save: five single cards in one
_PROFILE_SHAPE = (14, 7, 5, 4)  # ranks with one, two, three, four cards, for a hand of up to 13
_STRIDE_1, _STRIDE_2, _STRIDE_3 = 7 * 5 * 4, 5 * 4, 4
_PROFILES = 14 * _STRIDE_1


def _profile_table(triples: bool, four_card_plays: int) -> npt.NDArray[np.uint8]:
    """Least number of plays without straights and flushes by profile, uint8[14 * 7 * 5 * 4]."""
    # A play by rank takes so many cards from one rank, and perhaps so many from another.
    takes: list[tuple[int, ...]] = [(1,), (2,), (3, 2)]
    if triples:
        takes.append((3,))
    if four_card_plays == 0:
        takes.append((4, 1))
    else:
        takes.append((4,))
    if four_card_plays == 2:
        takes.append((2, 2))

    def after(profile: tuple[int, ...], take: int, taken_from: int) -> tuple[int, ...]:
        counts = list(profile)
        counts[taken_from - 1] -= 1
        if taken_from > take:
            counts[taken_from - take - 1] += 1
        return tuple(counts)

    @cache
    def least(profile: tuple[int, ...]) -> int:
        if not any(profile):
            return 0
        best = 99
        for take in takes:
            for first in range(take[0], 5):
                if not profile[first - 1]:
                    continue
                rest = after(profile, take[0], first)
                if len(take) == 1:
                    best = min(best, 1 + least(rest))
                    continue
                # The second part must come from another rank: not from what the first one left.
                others = list(profile)
                others[first - 1] -= 1
                for second in range(take[1], 5):
                    if others[second - 1]:
                        best = min(best, 1 + least(after(rest, take[1], second)))
        return best

    table = np.zeros(_PROFILE_SHAPE, np.uint8)
    for profile in np.ndindex(*_PROFILE_SHAPE):
        if sum((i + 1) * ranks for i, ranks in enumerate(profile)) <= at.HAND_SIZE and sum(profile) <= at.RANKS:
            table[profile] = least(tuple(int(ranks) for ranks in profile))
    return table.ravel()


# By rules: triples no or yes, times the three values of four-card plays. Constant, so kernels may hold it.
_LEAST = np.concatenate([_profile_table(bool(triples), fours) for triples in range(2) for fours in range(3)])


@kernel(inline=True)
def _least_by_rank(counts, table):
    """The table's answer for `counts` (of `rank_counts`); `table` is where the rules' part of it begins."""
    four = counts & (EVERY_RANK << U64(2))
    one_or_three = counts & EVERY_RANK
    two_or_three = (counts >> ONE) & EVERY_RANK
    three = one_or_three & two_or_three
    n1 = popcount(one_or_three ^ three)
    n2 = popcount(two_or_three ^ three)
    n3 = popcount(three)
    return np.int64(_LEAST[U64(table + n1 * _STRIDE_1 + n2 * _STRIDE_2 + n3 * _STRIDE_3 + popcount(four))])


@kernel(inline=True)
def _ranks_held(counts):
    return (counts | (counts >> ONE) | (counts >> U64(2))) & EVERY_RANK


@kernel
def _least_with_straights(counts, cards, table, best, rules):
    """Least number with straights, from `best` without; `counts` has `cards` cards."""
    present = _ranks_held(counts)
    if not may_have_sequence(present):
        return best
    sequences = rules[at.SEQUENCES]
    for i in range(sequences):
        mask = U64(rules[at.SEQUENCE_MASK + i])
        if present & mask != mask:
            continue
        rest = counts - mask
        found = 1 + _least_by_rank(rest, table)
        best = min(best, found)
        if cards >= 2 * at.PLAY_SIZE and best > max(2, found - _MOST_SAVED):
            rest_present = _ranks_held(rest)
            for j in range(i, sequences):
                second = U64(rules[at.SEQUENCE_MASK + j])
                if rest_present & second == second:
                    best = min(best, 2 + _least_by_rank(rest - second, table))
    return best


@kernel
def _least_with_flush_of(hand, suit, cards, table, best, rules):
    """Least number with a flush of `suit`, trying every five of its cards; the rest may hold another five."""
    counts = rank_counts(hand)
    ranks = (hand >> U64(suit)) & EVERY_RANK
    second = cards >= 2 * at.PLAY_SIZE
    a_rest = ranks
    while a_rest != NO_BITS:
        a = lowest_bit(a_rest)
        a_rest ^= a
        b_rest = a_rest
        while b_rest != NO_BITS:
            b = lowest_bit(b_rest)
            b_rest ^= b
            c_rest = b_rest
            while c_rest != NO_BITS:
                c = lowest_bit(c_rest)
                c_rest ^= c
                d_rest = c_rest
                while d_rest != NO_BITS:
                    d = lowest_bit(d_rest)
                    d_rest ^= d
                    e_rest = d_rest
                    while e_rest != NO_BITS:
                        e = lowest_bit(e_rest)
                        e_rest ^= e
                        five = a | b | c | d | e
                        rest = counts - five
                        found = 1 + _least_by_rank(rest, table)
                        if second and best > max(2, found - _MOST_SAVED):
                            found = _least_with_straights(rest, cards - at.PLAY_SIZE, table, found - 1, rules) + 1
                            found = _least_with_second_flush(hand ^ (five << U64(suit)), table, found)
                        best = min(best, found)
    return best


@kernel
def _least_with_second_flush(hand, table, best):
    """Least number for what one flush left, itself counted, with a second flush."""
    for suit in range(4):
        ranks = (hand >> U64(suit)) & EVERY_RANK
        if popcount(ranks) < at.PLAY_SIZE:
            continue
        counts = rank_counts(hand)
        # Eight cards at most are left, of which three stay: choose these, or fewer.
        keep = popcount(ranks) - at.PLAY_SIZE
        first = ranks if keep >= 1 else ONE
        while first != NO_BITS:
            a = lowest_bit(first)
            first ^= a
            next_second = first if keep >= 2 else ONE
            while next_second != NO_BITS:
                b = lowest_bit(next_second)
                next_second ^= b
                next_third = next_second if keep >= 3 else ONE
                while next_third != NO_BITS:
                    c = lowest_bit(next_third)
                    next_third ^= c
                    kept = NO_BITS
                    if keep >= 1:
                        kept |= a
                    if keep >= 2:
                        kept |= b
                    if keep >= 3:
                        kept |= c
                    best = min(best, 2 + _least_by_rank(counts - (ranks ^ kept), table))
    return best


@kernel(inline=True)
def min_plays(hand, rules):
    """The least number of plays (int64) that shed `hand` (uint64, at most 13 cards), whatever the others do."""
    table = (3 * rules[at.TRIPLES] + rules[at.FOUR_CARD_PLAYS]) * _PROFILES
    counts = rank_counts(hand)
    best = _least_by_rank(counts, table)
    cards = popcount(hand)
    if cards >= at.PLAY_SIZE and best > 1:
        best = _least_with_straights(counts, cards, table, best, rules)
        if rules[at.FLUSH] != at.FLUSH_NONE and best > 1:
            for suit in range(4):
                if popcount(hand & (EVERY_RANK << U64(suit))) >= at.PLAY_SIZE:
                    best = _least_with_flush_of(hand, suit, cards, table, best, rules)
    return best


@kernel
def _strongest_five(cards, rules):
    present = ranks_present(cards)
    counts = rank_counts(cards)
    for i in range(rules[at.SEQUENCES] - 1, -1, -1):
        mask = U64(rules[at.SEQUENCE_MASK + i])
        if present & mask == mask:
            for suit in range(3, -1, -1):
                if cards & (mask << U64(suit)) == mask << U64(suit):
                    return straight_flush_strength(i, suit, rules)
    fours = all_four(counts)
    if fours != NO_BITS and rules[at.FOUR_CARD_PLAYS] == 0 and popcount(cards) >= at.PLAY_SIZE:
        return four_strength(highest(fours) >> 2, rules)
    threes = at_least_three(counts)
    if threes != NO_BITS and popcount(at_least_two(counts)) >= 2:
        return np.int64((at.FULL_HOUSE << at.CATEGORY_SHIFT) | (highest(threes) >> 2))
    best = np.int64(-1)
    if rules[at.FLUSH] != at.FLUSH_NONE:
        for suit in range(4):
            ranks = (cards >> U64(suit)) & EVERY_RANK
            if popcount(ranks) >= at.PLAY_SIZE:
                while popcount(ranks) > at.PLAY_SIZE:
                    ranks &= ranks - ONE
                best = max(best, flush_strength(ranks, suit, rules[at.FLUSH]))
    if best >= 0:
        return best
    for i in range(rules[at.SEQUENCES] - 1, -1, -1):
        mask = U64(rules[at.SEQUENCE_MASK + i])
        if present & mask == mask:
            tie_rank = rules[at.SEQUENCE_RANKS + at.PLAY_SIZE * i]
            suit = highest(cards & (A_RANK << U64(4 * tie_rank))) & 3
            return np.int64((at.STRAIGHT << at.CATEGORY_SHIFT) | (i << 2) | suit)
    return np.int64(-1)


@kernel
def strongest_play(cards, size, rules):
    """Strength (int64) of the strongest play that `cards` (uint64, any number) could lay on a play of `size`.

    That is a play of this size, or under rules with bombs a bomb; -1 where they hold none.
    """
    best = np.int64(-1)
    if cards == NO_BITS:
        return best
    counts = rank_counts(cards)
    if size == 1:
        best = highest(cards)
    elif size == 2:
        best = highest(cards & (at_least_two(counts) * U64(15)))
    elif size == 3:
        threes = at_least_three(counts)
        best = highest(threes) >> 2 if threes != NO_BITS else np.int64(-1)
    elif size == 4:
        pairs = at_least_two(counts)
        if rules[at.FOUR_CARD_PLAYS] == 2 and popcount(pairs) >= 2:
            best = highest(cards & (pairs * U64(15)))
    else:
        best = _strongest_five(cards, rules)
    if rules[at.FOUR_CARD_PLAYS] and (size == 4 or rules[at.BOMBS]):
        fours = all_four(counts)
        if fours != NO_BITS:
            best = max(best, four_strength(highest(fours) >> 2, rules))
    if rules[at.BOMBS] and size != at.PLAY_SIZE:
        five = _strongest_five(cards, rules)
        if five >= at.BOMB:
            best = max(best, five)
    return best
