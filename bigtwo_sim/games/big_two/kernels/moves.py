"""Legal plays: everything in a hand that may be laid on what lies on the table.

All generators write into the caller's buffers (`plays` uint64, `strengths` int64, both of layout.MAX_PLAYS) from
index `n` on, and return the new count. They write weakest first: by size, then strength, then cards as a number; so
the order needs no sorting, except where flushes of two suits interleave. `above` is the strength to beat.
"""

from __future__ import annotations

import numpy as np

from bigtwo_sim.core.kernel import NO_BITS, ONE, U64, kernel, lowest, lowest_bit, popcount
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

_FIFTEEN = U64(15)


@kernel(inline=True)
def stronger_than(cards, above):
    """Those of `cards` above card number `above` (-1: all)."""
    shift = U64(above + 1)
    return (cards >> shift) << shift


@kernel(inline=True)
def _write(plays, strengths, n, cards, strength):
    at_n = U64(n)  # unsigned, so that no code is made for an index from the end
    plays[at_n] = cards
    strengths[at_n] = strength
    return n + 1


@kernel(inline=True)
def _singles(hand, above, plays, strengths, n):
    rest = stronger_than(hand, above)
    count = n + popcount(rest)
    # Four a step, some of them past the end: a hand's number of answers cannot be foreseen by the processor, and a
    # step that is not needed costs less than a branch that was guessed wrong.
    while rest != NO_BITS:
        for i in range(4):
            card = lowest_bit(rest)
            plays[n + i] = card
            strengths[n + i] = lowest(card)
            rest ^= card
        n += 4
    return count


@kernel(inline=True)
def _pairs(hand, above, plays, strengths, n):
    # Ranks whose highest card may be above; of most of them there is just one pair.
    ranks = at_least_two(rank_counts(hand)) & ~((ONE << U64((above + 1) & ~3)) - ONE)
    while ranks != NO_BITS:
        rank = lowest_bit(ranks)
        ranks ^= rank
        cards = hand & (rank * _FIFTEEN)
        low = lowest_bit(cards)
        tops = cards ^ low
        below = low
        while tops != NO_BITS:
            top = lowest_bit(tops)
            tops ^= top
            number = lowest(top)
            if number > above:
                rest = below
                while rest != NO_BITS:
                    card = lowest_bit(rest)
                    rest ^= card
                    n = _write(plays, strengths, n, top | card, number)
            below |= top
    return n


@kernel(inline=True)
def _triples(hand, above, plays, strengths, n):
    ranks = stronger_than(at_least_three(rank_counts(hand)), 4 * above + 3)
    while ranks != NO_BITS:
        bit = lowest_bit(ranks)
        rank = lowest(bit) >> 2
        cards = hand & (bit * _FIFTEEN)
        if cards == bit * _FIFTEEN:
            for suit in range(3, -1, -1):
                n = _write(plays, strengths, n, cards ^ (bit << U64(suit)), rank)
        else:
            n = _write(plays, strengths, n, cards, rank)
        ranks ^= bit
    return n


@kernel
def _two_pairs(hand, above, plays, strengths, n):
    paired = hand & (at_least_two(rank_counts(hand)) * _FIFTEEN)
    tops = stronger_than(paired, above)
    while tops != NO_BITS:
        top = lowest_bit(tops)
        tops ^= top
        number = lowest(top)
        rank_start = ONE << U64(number & ~3)
        seconds = hand & (top - rank_start)
        while seconds != NO_BITS:
            second = lowest_bit(seconds)
            seconds ^= second
            low_tops = paired & (rank_start - ONE)
            while low_tops != NO_BITS:
                low_top = lowest_bit(low_tops)
                low_tops ^= low_top
                low_seconds = hand & (low_top - (ONE << U64(lowest(low_top) & ~3)))
                while low_seconds != NO_BITS:
                    low_second = lowest_bit(low_seconds)
                    low_seconds ^= low_second
                    n = _write(plays, strengths, n, top | second | low_top | low_second, number)
    return n


@kernel
def _four_card_plays(hand, above, rules, plays, strengths, n):
    if rules[at.FOUR_CARD_PLAYS] == 2 and above < at.CARDS:
        n = _two_pairs(hand, above, plays, strengths, n)
    fours = all_four(rank_counts(hand))
    while fours != NO_BITS:
        bit = lowest_bit(fours)
        fours ^= bit
        strength = four_strength(lowest(bit) >> 2, rules)
        if strength > above:
            n = _write(plays, strengths, n, bit * _FIFTEEN, strength)
    return n


@kernel(inline=True)
def _straights(hand, present, first, above, rules, plays, strengths, n):
    for i in range(first, rules[at.SEQUENCES]):
        mask = U64(rules[at.SEQUENCE_MASK + i])
        if present & mask != mask:
            continue
        ranks = at.SEQUENCE_RANKS + at.PLAY_SIZE * i
        shift0 = U64(4 * rules[ranks])
        shift1 = U64(4 * rules[ranks + 1])
        shift2 = U64(4 * rules[ranks + 2])
        shift3 = U64(4 * rules[ranks + 3])
        shift4 = U64(4 * rules[ranks + 4])
        base = (at.STRAIGHT << at.CATEGORY_SHIFT) | (i << 2)
        # The tie card's suit first: it makes the strength. Then the ranks downwards: they make the number.
        rest0 = (hand >> shift0) & A_RANK
        while rest0 != NO_BITS:
            suit0 = lowest_bit(rest0)
            rest0 ^= suit0
            strength = base | lowest(suit0)
            if strength <= above:
                continue
            rest1 = (hand >> shift1) & A_RANK
            while rest1 != NO_BITS:
                suit1 = lowest_bit(rest1)
                rest1 ^= suit1
                cards1 = (suit0 << shift0) | (suit1 << shift1)
                rest2 = (hand >> shift2) & A_RANK
                while rest2 != NO_BITS:
                    suit2 = lowest_bit(rest2)
                    rest2 ^= suit2
                    cards2 = cards1 | (suit2 << shift2)
                    rest3 = (hand >> shift3) & A_RANK
                    while rest3 != NO_BITS:
                        suit3 = lowest_bit(rest3)
                        rest3 ^= suit3
                        cards3 = cards2 | (suit3 << shift3)
                        one_suit = suit0 & suit1 & suit2 & suit3
                        rest4 = ((hand >> shift4) & A_RANK) & ~one_suit  # a straight flush is no straight
                        while rest4 != NO_BITS:
                            suit4 = lowest_bit(rest4)
                            rest4 ^= suit4
                            n = _write(plays, strengths, n, cards3 | (suit4 << shift4), strength)
    return n


@kernel(inline=True)
def _is_sequence(spread, rules):
    for i in range(rules[at.SEQUENCES]):
        if spread == U64(rules[at.SEQUENCE_MASK + i]):
            return True
    return False


@kernel
def _flushes_of_suit(ranks, suit, above, rules, plays, strengths, n):
    """Flushes of one suit out of `ranks`, bits 4 * rank of the cards held in it, the least number first."""
    rule = rules[at.FLUSH]
    tops = ranks
    while tops != NO_BITS:
        a = lowest_bit(tops)
        tops ^= a
        below_a = ranks & (a - ONE)
        if popcount(below_a) < 4:
            continue
        rest_b = below_a
        while rest_b != NO_BITS:
            b = lowest_bit(rest_b)
            rest_b ^= b
            below_b = ranks & (b - ONE)
            if popcount(below_b) < 3:
                continue
            rest_c = below_b
            while rest_c != NO_BITS:
                c = lowest_bit(rest_c)
                rest_c ^= c
                below_c = ranks & (c - ONE)
                if popcount(below_c) < 2:
                    continue
                rest_d = below_c
                while rest_d != NO_BITS:
                    d = lowest_bit(rest_d)
                    rest_d ^= d
                    rest_e = ranks & (d - ONE)
                    while rest_e != NO_BITS:
                        e = lowest_bit(rest_e)
                        rest_e ^= e
                        spread = a | b | c | d | e
                        strength = flush_strength(spread, suit, rule)
                        if strength > above and not _is_sequence(spread, rules):
                            n = _write(plays, strengths, n, spread << U64(suit), strength)
    return n


@kernel
def _sort_by_strength(plays, strengths, first, end):
    """Insertion sort of two runs that are each in order already."""
    for i in range(first + 1, end):
        play = plays[i]
        strength = strengths[i]
        j = i
        while j > first and strengths[j - 1] > strength:
            plays[j] = plays[j - 1]
            strengths[j] = strengths[j - 1]
            j -= 1
        plays[j] = play
        strengths[j] = strength


@kernel(inline=True)
def _long_suits(hand):
    """Bit mask of the suits of which `hand` has five cards or more."""
    suits = 0
    for suit in range(4):
        if popcount(hand & (EVERY_RANK << U64(suit))) >= at.PLAY_SIZE:
            suits |= 1 << suit
    return suits


@kernel(inline=True)
def _flushes(hand, suits, above, rules, plays, strengths, n):
    first = n
    for suit in range(4):
        if suits >> suit & 1:
            n = _flushes_of_suit((hand >> U64(suit)) & EVERY_RANK, suit, above, rules, plays, strengths, n)
    if suits & (suits - 1) and rules[at.FLUSH] != at.FLUSH_SUIT_FIRST:
        _sort_by_strength(plays, strengths, first, n)
    return n


@kernel(inline=True)
def _full_houses(hand, counts, above, plays, strengths, n):
    triples = at_least_three(counts)
    while triples != NO_BITS:
        bit = lowest_bit(triples)
        triples ^= bit
        strength = (at.FULL_HOUSE << at.CATEGORY_SHIFT) | (lowest(bit) >> 2)
        paired = hand & ((at_least_two(counts) & ~bit) * _FIFTEEN)
        if strength <= above or paired == NO_BITS:
            continue
        held = hand & (bit * _FIFTEEN)
        choices = 4 if held == bit * _FIFTEEN else 1
        # With pairs below the triple its cards come first in the number, with pairs above it the pair's.
        for choice in range(choices):
            triple = held ^ (bit << U64(3 - choice)) if choices == 4 else held
            tops = paired & (bit - ONE)
            while tops != NO_BITS:
                top = lowest_bit(tops)
                tops ^= top
                below = hand & (top - (ONE << U64(lowest(top) & ~3)))
                while below != NO_BITS:
                    card = lowest_bit(below)
                    below ^= card
                    n = _write(plays, strengths, n, triple | top | card, strength)
        tops = paired & ~(bit - ONE)
        while tops != NO_BITS:
            top = lowest_bit(tops)
            tops ^= top
            below = hand & (top - (ONE << U64(lowest(top) & ~3)))
            while below != NO_BITS:
                card = lowest_bit(below)
                below ^= card
                for choice in range(choices):
                    triple = held ^ (bit << U64(3 - choice)) if choices == 4 else held
                    n = _write(plays, strengths, n, triple | top | card, strength)
    return n


@kernel
def _five_card_plays(hand, above, rules, plays, strengths, n):
    present = ranks_present(hand)
    counts = rank_counts(hand)
    shift = at.CATEGORY_SHIFT
    sequence = may_have_sequence(present)
    suits = _long_suits(hand)
    if sequence and above < at.FLUSHES << shift:
        first = (above >> 2) & 15 if above >= at.STRAIGHT << shift else 0
        n = _straights(hand, present, first, above, rules, plays, strengths, n)
    if suits and rules[at.FLUSH] != at.FLUSH_NONE and above < at.FULL_HOUSE << shift:
        n = _flushes(hand, suits, above, rules, plays, strengths, n)
    if above < at.FOUR_OF_A_KIND << shift:
        n = _full_houses(hand, counts, above, plays, strengths, n)
    if rules[at.FOUR_CARD_PLAYS] == 0:
        fours = all_four(counts)
        while fours != NO_BITS:
            bit = lowest_bit(fours)
            fours ^= bit
            strength = four_strength(lowest(bit) >> 2, rules)
            if strength > above:
                four = bit * _FIFTEEN
                kickers = hand & ~four
                while kickers != NO_BITS:
                    kicker = lowest_bit(kickers)
                    kickers ^= kicker
                    n = _write(plays, strengths, n, four | kicker, strength)
    if sequence and suits:
        n = _straight_flushes(hand, above, rules, plays, strengths, n)
    return n


@kernel
def _straight_flushes(hand, above, rules, plays, strengths, n):
    for i in range(rules[at.SEQUENCES]):
        for suit in range(4):
            cards = U64(rules[at.SEQUENCE_MASK + i]) << U64(suit)
            if hand & cards == cards:
                strength = straight_flush_strength(i, suit, rules)
                if strength > above:
                    n = _write(plays, strengths, n, cards, strength)
    return n


@kernel(inline=True)
def _long_plays(hand, size, strength, rules, plays, strengths, n):
    """Plays of four and five cards: all on lead, answers to their like, and bombs on anything."""
    bombs_only = max(strength, at.BOMB - 1)
    if rules[at.FOUR_CARD_PLAYS] and (size != at.PLAY_SIZE or rules[at.BOMBS]):
        above = strength if size == 0 or size == 4 else bombs_only
        n = _four_card_plays(hand, above, rules, plays, strengths, n)
    if (size != 4 or rules[at.BOMBS]) and popcount(hand) >= at.PLAY_SIZE:
        above = strength if size == 0 or size == at.PLAY_SIZE else bombs_only
        n = _five_card_plays(hand, above, rules, plays, strengths, n)
    return n


@kernel
def lead_plays(hand, rules, plays, strengths, n):
    """Write every play of `hand` from index `n` on; return the end."""
    n = _singles(hand, -1, plays, strengths, n)
    n = _pairs(hand, -1, plays, strengths, n)
    if rules[at.TRIPLES]:
        n = _triples(hand, -1, plays, strengths, n)
    return _long_plays(hand, 0, at.NO_STRENGTH, rules, plays, strengths, n)


@kernel(inline=True)
def legal_plays_kernel(hand, size, strength, rules, plays, strengths):
    """Write every play of `hand` (uint64) that may be laid on a play of `size` and `strength`; return their number.

    `size` 0 is the lead: every play. `rules` is the rules table; buffers and order as told at the top of this file.
    The rules of the opening and of the last card are the turn's business (see `turns`).
    """
    n = 0
    if size == 1:
        n = _singles(hand, strength, plays, strengths, n)
    elif size == 2:
        n = _pairs(hand, strength, plays, strengths, n)
    elif size == 3:
        n = _triples(hand, strength, plays, strengths, n)
    elif size == 0:
        n = _singles(hand, -1, plays, strengths, n)
        n = _pairs(hand, -1, plays, strengths, n)
        if rules[at.TRIPLES]:
            n = _triples(hand, -1, plays, strengths, n)
    if size == 0 or size >= 4 or rules[at.BOMBS]:
        n = _long_plays(hand, size, strength, rules, plays, strengths, n)
    return n


def new_buffers() -> tuple[np.ndarray, np.ndarray]:
    """Buffers for one list of legal plays: (plays uint64[MAX_PLAYS], strengths int64[MAX_PLAYS])."""
    return np.zeros(at.MAX_PLAYS, np.uint64), np.zeros(at.MAX_PLAYS, np.int64)
