"""Beginner's play: what somebody does who learnt the rules an hour ago.

It leads its lowest card with as many others as make a play with it, answers with the lowest play that beats, keeps its
2s for high cards, and goes out when it can. But it often overlooks its plays of five cards, tears pairs apart to get
rid of a card, and passes while it could well answer. Each of these mistakes is a setting, how often it is made.
"""

from __future__ import annotations

import numpy as np

from bigtwo_sim.core.kernel import NO_BITS, U64, highest, kernel, lowest, lowest_bit, popcount
from bigtwo_sim.core.rng import unit
from bigtwo_sim.games.big_two import layout as at
from bigtwo_sim.games.big_two.kernels.finish import unbeatable_from
from bigtwo_sim.games.big_two.kernels.shape import min_plays
from bigtwo_sim.games.big_two.kernels.worlds import unseen_cards
from bigtwo_sim.games.big_two.policy import Method, Parameter, policy

PARAMETERS = (
    Parameter("overlooks", 0.5, 0, 1, "how often it does not see its plays of five cards"),
    Parameter("tears", 0.3, 0, 1, "how often it does not look whether a play tears a pair or a triple apart"),
    Parameter("timid", 0.2, 0, 1, "answer: how often it passes at once"),
)
OVERLOOKS, TEARS, TIMID = range(len(PARAMETERS))

TWO = U64(4 * (at.RANKS - 1))
KING_RANK = at.RANKS - 3
FEW_CARDS = 5  # a hand of no more spends its 2s
ALARM = 3  # and so does any hand while somebody else holds no more
RANK_BITS = U64(15)


@kernel
def _goes_out(hand, public, plays, strengths, count):
    """The play that empties the hand, or an unbeatable one that leaves a single play; -1 where there is neither."""
    if popcount(hand) > 2 * at.PLAY_SIZE:
        return -1
    unseen = unseen_cards(hand, public)
    most = np.int64(0)
    for step in range(1, at.SEATS):
        most = max(most, public.left[(public.turn + step) & 3])
    found = -1
    for i in range(count):
        rest = hand ^ plays[i]
        if rest == NO_BITS:
            return i
        if found < 0 and min_plays(rest, public.rules) == 1:
            if strengths[i] >= unbeatable_from(unseen, popcount(plays[i]), most, public.rules):
                found = i
    return found


@kernel
def _tears_apart(hand, play):
    """Whether a play of one rank leaves others of its rank in the hand."""
    rank = lowest(play) & ~3
    return popcount((hand >> U64(rank)) & RANK_BITS) > popcount(play)


@kernel
def beginners_choice(hand, public, plays, strengths, count, params, stream):
    """The index of what a beginner does; arguments as in `policy`."""
    out = _goes_out(hand, public, plays, strengths, count)
    if out >= 0:
        return out
    leading = public.size_to_beat == 0
    if not leading and public.may_pass and unit(stream) < params[TIMID]:
        return count
    sees_all = unit(stream) >= params[OVERLOOKS]
    looks = unit(stream) >= params[TEARS]
    weakest = lowest_bit(hand)
    spends_twos = popcount(hand) <= FEW_CARDS
    for step in range(1, at.SEATS):
        spends_twos |= public.left[(public.turn + step) & 3] <= ALARM
    spends_twos |= not leading and highest(public.play_to_beat) >> 2 >= KING_RANK
    best = -1
    spare = -1  # an answer that tears something apart
    for i in range(count):
        play = plays[i]
        size = popcount(play)
        if size == at.PLAY_SIZE and not sees_all:
            continue
        if play >> TWO != NO_BITS and not spends_twos and weakest >> TWO == NO_BITS:
            continue
        if leading:
            if play & weakest != NO_BITS and (best < 0 or (looks and size > popcount(plays[best]))):
                best = i
        elif best < 0:
            if looks and size < at.PLAY_SIZE and _tears_apart(hand, play):
                if spare < 0:
                    spare = i
            else:
                best = i
    if best < 0:
        best = spare
    if best < 0:  # nothing that it sees: it passes, or where it may not takes the weakest play
        return count if public.may_pass else 0
    return best


@policy
def choose(hand, public, plays, strengths, count, params, stream):
    """The option of `beginners_choice`."""
    return beginners_choice(hand, public, plays, strengths, count, params, stream)


METHOD = Method(
    "beginner", choose, "leads low and goes out when it can, but overlooks plays, tears pairs apart, passes", PARAMETERS
)
BEGINNER_PARAMS = METHOD.params()
