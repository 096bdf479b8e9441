"""Legal plays: what of a hand may be laid on what lies on the table, one play for all that have the same ranks.

Suits count for nothing, so of the cards of a rank the lowest ones are taken: another suit in their place would be the
same play. The generators write into the caller's buffers (`plays` uint64, `strengths` int64, both of
layout.MAX_PLAYS) from index `n` on, and return the new count. They write in the order of strengths: shorter runs first,
fewer cards a rank first, then lower ranks.
"""

from __future__ import annotations

import numpy as np

from bigtwo_sim.core.kernel import NO_BITS, U64, kernel, lowest, lowest_bit
from bigtwo_sim.core.kernels.ranks import (
    all_four,
    at_least_three,
    at_least_two,
    lowest_of_each_rank,
    rank_counts,
    ranks_present,
)
from bigtwo_sim.games.big_three import layout as at
from bigtwo_sim.games.big_three.plays import make_strength, span

_4, _8, _FIFTEEN = U64(4), U64(8), U64(15)
_EVERY_CARD = U64((1 << at.CARDS) - 1)


@kernel(inline=True)
def _write(starts, cards, length, cards_a_rank, plays, strengths, n):
    """Write, out of `cards`, the play of `length` ranks from each of `starts` on (bits 4 * rank)."""
    strength = make_strength(length, cards_a_rank, length - 1)
    while starts != NO_BITS:
        start = lowest_bit(starts)
        starts ^= start
        at_n = U64(n)  # unsigned, so that no code is made for an index from the end
        plays[at_n] = cards & span(start, length)
        strengths[at_n] = strength + (lowest(start) >> 2)
        n += 1
    return n


@kernel(inline=True)
def lowest_of_each(hand, cards_a_rank):
    """The lowest `cards_a_rank` cards of each rank that has so many, and bit 4 * rank for each of these ranks."""
    low = lowest_of_each_rank(hand)
    if cards_a_rank == 1:
        return low, ranks_present(hand)
    counts = rank_counts(hand)
    if cards_a_rank == 4:
        ranks = all_four(counts)
        return ranks * _FIFTEEN, ranks
    rest = hand ^ low
    second = lowest_of_each_rank(rest)
    if cards_a_rank == 2:
        ranks = at_least_two(counts)
        return (low | second) & (ranks * _FIFTEEN), ranks
    ranks = at_least_three(counts)
    return (low | second | lowest_of_each_rank(rest ^ second)) & (ranks * _FIFTEEN), ranks


@kernel
def lead_plays(hand, rules, plays, strengths, n):
    """Write every play of `hand` from index `n` on; return the end."""
    in_sets, in_runs = U64(rules[at.SET_RANKS]), U64(rules[at.RUN_RANKS])
    one, ranks_1 = lowest_of_each(hand, 1)
    two, ranks_2 = lowest_of_each(hand, 2)
    n = _write(ranks_1, one, 1, 1, plays, strengths, n)
    n = _write(ranks_2 & in_sets, two, 1, 2, plays, strengths, n)
    three, ranks_3 = lowest_of_each(hand, 3)
    four, ranks_4 = lowest_of_each(hand, 4)
    n = _write(ranks_3 & in_sets, three, 1, 3, plays, strengths, n)
    n = _write(ranks_4, four, 1, 4, plays, strengths, n)
    ranks_1 &= in_runs
    ranks_2 &= in_runs
    ranks_3 &= in_runs
    ranks_4 &= in_runs
    starts_1 = ranks_1 & (ranks_1 >> _4) & (ranks_1 >> _8)
    starts_2 = ranks_2 & (ranks_2 >> _4) & (ranks_2 >> _8)
    starts_3 = ranks_3 & (ranks_3 >> _4) & (ranks_3 >> _8)
    starts_4 = ranks_4 & (ranks_4 >> _4) & (ranks_4 >> _8)
    length = at.SHORTEST_RUN
    while starts_1 != NO_BITS:
        n = _write(starts_1, one, length, 1, plays, strengths, n)
        n = _write(starts_2, two, length, 2, plays, strengths, n)
        n = _write(starts_3, three, length, 3, plays, strengths, n)
        n = _write(starts_4, four, length, 4, plays, strengths, n)
        further = U64(4 * length)
        starts_1 &= ranks_1 >> further
        starts_2 &= ranks_2 >> further
        starts_3 &= ranks_3 >> further
        starts_4 &= ranks_4 >> further
        length += 1
    return n


@kernel(inline=True)
def _answers(hand, on_strength, rules, plays, strengths):
    length = on_strength >> at.LENGTH_SHIFT
    cards_a_rank = ((on_strength >> at.FORM_SHIFT) & 3) + 1
    cards, ranks = lowest_of_each(hand, cards_a_rank)
    if length == 1:
        if cards_a_rank == 2 or cards_a_rank == 3:
            ranks &= U64(rules[at.SET_RANKS])
    else:
        ranks &= U64(rules[at.RUN_RANKS])
    # From here on where the play begins; it must begin higher than the one on the table.
    starts = ranks & _EVERY_CARD << U64(4 * ((on_strength & at.RANK_BITS) - length + 2))
    for further in range(1, length):
        starts &= ranks >> U64(4 * further)
    return _write(starts, cards, length, cards_a_rank, plays, strengths, 0)


@kernel(inline=True)
def legal_plays_kernel(hand, on_strength, rules, plays, strengths):
    """Write every play of `hand` (uint64) that may be laid on a play of strength `on_strength`; return their number.

    `on_strength` at.NO_STRENGTH is the lead: every play. `rules` is the rules table.
    """
    if on_strength < 0:
        return lead_plays(hand, rules, plays, strengths, 0)
    return _answers(hand, on_strength, rules, plays, strengths)


def new_buffers() -> tuple[np.ndarray, np.ndarray]:
    """Buffers for one list of legal plays: (plays uint64[MAX_PLAYS], strengths int64[MAX_PLAYS])."""
    return np.zeros(at.MAX_PLAYS, np.uint64), np.zeros(at.MAX_PLAYS, np.int64)
