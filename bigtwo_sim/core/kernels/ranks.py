"""The ranks of a set of cards: which it has, and how many cards of each, all thirteen in one word at a time.

Cards as in `cards`: bit 4 * rank + suit, so a rank is a nibble, and a set of ranks is written as bits 4 * rank.
"""

from __future__ import annotations

import numpy as np

from bigtwo_sim.core.kernel import U64, kernel

EVERY_RANK = U64(0x1_1111_1111_1111)  # bit 4 * rank of each rank
A_RANK = U64(0xF)
_SUITS_2 = EVERY_RANK * U64(3)  # of each rank the two lowest cards
_SUITS_3 = EVERY_RANK * U64(7)
_1, _2, _3, _6, _12, _24 = (U64(n) for n in (1, 2, 3, 6, 12, 24))


@kernel(inline=True)
def ranks_present(cards):
    """Bit 4 * rank for each rank of which `cards` has a card."""
    pairs = cards | (cards >> _1)
    return (pairs | (pairs >> _2)) & EVERY_RANK


@kernel(inline=True)
def lowest_of_each_rank(cards):
    """Of each rank in `cards` its lowest card (uint64)."""
    higher = ((cards & _SUITS_3) << _1) | ((cards & _SUITS_2) << _2) | ((cards & EVERY_RANK) << _3)
    return cards & ~higher


@kernel(inline=True)
def rank_counts(cards):
    """How many cards of each rank, 0 to 4, in the nibble of the rank."""
    return (
        (cards & EVERY_RANK)
        + ((cards >> _1) & EVERY_RANK)
        + ((cards >> _2) & EVERY_RANK)
        + ((cards >> _3) & EVERY_RANK)
    )


@kernel(inline=True)
def at_least_two(counts):
    """Bit 4 * rank for each rank with two cards or more, from `rank_counts`."""
    return ((counts >> _1) | (counts >> _2)) & EVERY_RANK


@kernel(inline=True)
def at_least_three(counts):
    """Bit 4 * rank for each rank with three cards or more, from `rank_counts`."""
    return ((counts & (counts >> _1)) | (counts >> _2)) & EVERY_RANK


@kernel(inline=True)
def all_four(counts):
    """Bit 4 * rank for each rank with all four cards, from `rank_counts`."""
    return (counts >> _2) & EVERY_RANK


@kernel(inline=True)
def pack_ranks(spread):
    """Bits 4 * rank moved together to bits 0 to 12 (the gather step of a Morton code)."""
    spread = (spread | (spread >> _3)) & U64(0x0303_0303_0303_0303)
    spread = (spread | (spread >> _6)) & U64(0x000F_000F_000F_000F)
    spread = (spread | (spread >> _12)) & U64(0x0000_00FF_0000_00FF)
    return np.int64((spread | (spread >> _24)) & U64(0xFFFF))
