"""A certain finish: a way to shed the hand that nobody can stop, found exactly.

A play is *unbeatable* when the unseen cards, all in one hand, could not beat it, or when nobody holds enough cards to.
A player who leads finishes for certain when the hand can be cut into unbeatable plays and one last play of any kind:
each unbeatable play brings the lead back, and the last one empties the hand.
"""

from __future__ import annotations

from numba import types

from bigtwo_sim.core.kernel import NO_BITS, kernel, lowest_bit, popcount
from bigtwo_sim.games.big_two import layout as at
from bigtwo_sim.games.big_two.kernels.shape import strongest_play


@kernel(inline=True)
def unbeatable_from(unseen, size, most, rules):
    """The strength from which on a play of `size` is unbeatable by the `unseen` cards.

    `most` is the greatest number of cards that one of the others holds.
    """
    if most < size and (rules[at.BOMBS] == 0 or most < 4):
        return -1
    return strongest_play(unseen, size, rules)


@kernel(
    signature=types.boolean(
        types.uint64,
        types.int64,
        types.uint64[::1],
        types.int64[::1],
        types.int64,
        types.int64,
        types.UniTuple(types.int64, at.PLAY_SIZE),
    )
)
def _covered(cards, spare, plays, strengths, first, end, bounds):
    """Whether `cards` can be cut into plays of the list (from `first` to `end`), all but `spare` of them unbeatable."""
    if cards == NO_BITS:
        return True
    lowest = lowest_bit(cards)
    for i in range(first, end):
        play = plays[i]
        if play & lowest != NO_BITS and play & ~cards == NO_BITS:
            if strengths[i] >= bounds[popcount(play) - 1]:
                if _covered(cards ^ play, spare, plays, strengths, first, end, bounds):
                    return True
            elif spare > 0 and _covered(cards ^ play, spare - 1, plays, strengths, first, end, bounds):
                return True
    return False


@kernel
def forced_win(hand, unseen, most, rules, plays, strengths, first, end):
    """The entry of the list of all plays of `hand` (`first` to `end`) that begins a certain finish, or -1.

    `unseen` and `most` as in `unbeatable_from`.
    """
    bounds = (
        unbeatable_from(unseen, 1, most, rules),
        unbeatable_from(unseen, 2, most, rules),
        unbeatable_from(unseen, 3, most, rules),
        unbeatable_from(unseen, 4, most, rules),
        unbeatable_from(unseen, 5, most, rules),
    )
    unbeatable = NO_BITS
    for i in range(first, end):
        if strengths[i] >= bounds[popcount(plays[i]) - 1]:
            unbeatable |= plays[i]
    if popcount(hand & ~unbeatable) > at.PLAY_SIZE:
        return -1
    if not _covered(hand, 1, plays, strengths, first, end, bounds):
        return -1
    for i in range(first, end):
        rest = hand ^ plays[i]
        if rest == NO_BITS:
            return i
        if strengths[i] >= bounds[popcount(plays[i]) - 1] and _covered(rest, 1, plays, strengths, first, end, bounds):
            return i
    return -1
