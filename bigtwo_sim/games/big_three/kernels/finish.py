"""A certain finish: a way to shed the hand that nobody can stop, found exactly.

A play is *unbeatable* when the unseen cards, all in one hand, could not beat it, or when nobody holds enough cards to.
A player who leads finishes for certain when the hand can be cut into unbeatable plays and one last play of any kind:
each unbeatable play brings the lead back, and the last one empties the hand. Suits count for nothing, so the search is
over numbers of cards by rank (`ranks.rank_counts`).
"""

from __future__ import annotations

from numba import types

from bigtwo_sim.core.kernel import NO_BITS, U64, kernel, lowest, lowest_bit
from bigtwo_sim.core.kernels.ranks import EVERY_RANK, rank_counts
from bigtwo_sim.games.big_three import layout as at
from bigtwo_sim.games.big_three.kernels.shape import ranks_with, strongest_rank
from bigtwo_sim.games.big_three.plays import span

_COUNT_BITS = U64(7)


@kernel(inline=True)
def is_unbeatable(top_rank, length, cards_a_rank, unseen, most, in_runs, in_sets):
    """Whether no hand of at most `most` of the unseen cards (by their counts) can beat a play of this form."""
    return most < length * cards_a_rank or top_rank >= strongest_rank(unseen, length, cards_a_rank, in_runs, in_sets)


@kernel(
    signature=types.boolean(types.uint64, types.int64, types.uint64, types.int64, types.uint64, types.uint64),
)
def _covered(counts, spare, unseen, most, in_runs, in_sets):
    """Whether cards of these counts can be cut into plays, all but `spare` of them unbeatable."""
    if counts == NO_BITS:
        return True
    # The lowest rank is in some play, of which it is the lowest.
    low = lowest_bit(ranks_with(counts, 1))
    shift = lowest(low)
    rank = shift >> 2
    held = (counts >> U64(shift)) & _COUNT_BITS
    for left_there in range(held):
        cards_a_rank = held - left_there
        if (cards_a_rank == 2 or cards_a_rank == 3) and low & in_sets == NO_BITS:
            continue
        cost = 0 if is_unbeatable(rank, 1, cards_a_rank, unseen, most, in_runs, in_sets) else 1
        if cost <= spare and _covered(counts - low * U64(cards_a_rank), spare - cost, unseen, most, in_runs, in_sets):
            return True
    if low & in_runs == NO_BITS:
        return False
    for left_there in range(held):
        cards_a_rank = held - left_there
        ranks = ranks_with(counts, cards_a_rank) & in_runs
        length = 1
        while ranks & (low << U64(4 * length)) != NO_BITS:
            length += 1
        while length >= at.SHORTEST_RUN:
            cost = 0 if is_unbeatable(rank + length - 1, length, cards_a_rank, unseen, most, in_runs, in_sets) else 1
            run = (EVERY_RANK & span(low, length)) * U64(cards_a_rank)
            if cost <= spare and _covered(counts - run, spare - cost, unseen, most, in_runs, in_sets):
                return True
            length -= 1
    return False


@kernel
def leads_out(hand, unseen_counts, most, rules):
    """Whether `hand` (uint64) on lead finishes for certain; `most` is the greatest number of cards of another hand."""
    return _covered(rank_counts(hand), 1, unseen_counts, most, U64(rules[at.RUN_RANKS]), U64(rules[at.SET_RANKS]))
