"""The shape of a hand: in how few plays it can be shed, about, and the strongest play of a form in a set of cards."""

from __future__ import annotations

import numpy as np

from bigtwo_sim.core.kernel import NO_BITS, ONE, U64, highest, kernel, lowest, lowest_bit, popcount
from bigtwo_sim.core.kernels.ranks import EVERY_RANK, all_four, at_least_three, at_least_two, rank_counts
from bigtwo_sim.games.big_three import layout as at
from bigtwo_sim.games.big_three.plays import span

_2, _3, _4, _8 = U64(2), U64(3), U64(4), U64(8)


@kernel(inline=True)
def ranks_with(counts, cards_a_rank):
    """Bit 4 * rank for each rank with so many cards or more; `counts` as of `ranks.rank_counts`."""
    if cards_a_rank == 1:
        return (counts | (counts >> ONE) | (counts >> _2)) & EVERY_RANK
    if cards_a_rank == 2:
        return at_least_two(counts)
    if cards_a_rank == 3:
        return at_least_three(counts)
    return all_four(counts)


@kernel(inline=True)
def plays_without_runs(counts, rules):
    """How many plays shed a hand with so many cards of each rank if none of them is a run."""
    present = ranks_with(counts, 1)
    plays = popcount(present)
    alone = present & ~U64(rules[at.SET_RANKS])  # a rank of which two or three are laid one by one
    while alone != NO_BITS:
        rank = lowest_bit(alone)
        alone ^= rank
        held = np.int64((counts >> U64(lowest(rank))) & U64(7))
        if held == 2 or held == 3:
            plays += held - 1
    return plays


@kernel
def min_plays(hand, rules):
    """How few plays shed `hand` (uint64), about: never less than it takes.

    The run that saves most plays is taken out of the hand again and again. It saves one play for each rank that it
    clears, and is one itself.
    """
    counts = rank_counts(hand)
    in_runs = U64(rules[at.RUN_RANKS])
    runs = 0
    while True:
        most_saved = 0
        best = NO_BITS
        best_size = 0
        for cards_a_rank in range(1, 5):
            ranks = ranks_with(counts, cards_a_rank) & in_runs
            in_a_run = ranks & (ranks >> _4) & (ranks >> _8)
            if in_a_run == NO_BITS:
                break
            in_a_run |= (in_a_run << _4) | (in_a_run << _8)
            cleared = in_a_run & ~ranks_with(counts, cards_a_rank + 1) if cards_a_rank < 4 else in_a_run
            while in_a_run != NO_BITS:
                first = lowest_bit(in_a_run)
                # Adding the first to the ranks side by side with it carries on to the end of them.
                beyond = (in_a_run * U64(15) + first) & ~(in_a_run * U64(15))
                beyond = lowest_bit(beyond & ~(first - ONE))
                run = in_a_run & (beyond - first)
                in_a_run ^= run
                clears = cleared & run
                saved = popcount(clears) - 1
                if saved > most_saved:
                    low = lowest_bit(clears)
                    length = ((highest(clears) - lowest(clears)) >> 2) + 1
                    while length < at.SHORTEST_RUN:
                        if run & (low << U64(4 * length)) == NO_BITS:
                            low >>= _4
                        length += 1
                    most_saved = saved
                    best = EVERY_RANK & span(low, length)
                    best_size = cards_a_rank
        if most_saved == 0:
            return runs + plays_without_runs(counts, rules)
        counts -= best * U64(best_size)
        runs += 1


@kernel(inline=True)
def strongest_rank(counts, length, cards_a_rank, in_runs, in_sets):
    """The highest rank of the strongest play of a form among cards with these `counts`; -1 where there is none.

    `in_runs` and `in_sets` are these two masks of the rules table, as uint64.
    """
    ranks = ranks_with(counts, cards_a_rank)
    if length > 1:
        ranks &= in_runs
        starts = ranks
        for further in range(1, length):
            starts &= ranks >> U64(4 * further)
        return (highest(starts) >> 2) + length - 1 if starts != NO_BITS else np.int64(-1)
    if cards_a_rank == 2 or cards_a_rank == 3:
        ranks &= in_sets
    return highest(ranks) >> 2
