"""A deal moved on by plays and passes: the one place that knows turns, tricks, the opening and the last card.

`public` is one record of layout.PUBLIC, `hands` the hidden half, uint64[4] by seat. Both are written in place. The
compiled loop and the Python `Deal` run on these kernels alike. Nothing is checked here; `Deal` does that.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from bigtwo_sim.core.kernel import NO_BITS, ONE, U64, highest, kernel, popcount
from bigtwo_sim.games.base.kernels import dealing
from bigtwo_sim.games.base.kernels.tricks import lead, log_play, log_turn
from bigtwo_sim.games.big_two import layout as at
from bigtwo_sim.games.big_two.kernels.moves import legal_plays_kernel
from bigtwo_sim.games.big_two.rules import Rules

ALL_SEATS = (1 << at.SEATS) - 1


def new_public(rules: Rules) -> npt.NDArray[np.void]:
    """An array of one public record, PUBLIC[1], with the rules filled in."""
    public = np.zeros(1, at.PUBLIC)
    public["rules"][0] = rules.rule_table()
    return public


@kernel
def deal_hands(hands, cards, stream):
    """Shuffle `cards` (int64[52], scratch) by `stream` and deal 13 to each of `hands` (uint64[4], written)."""
    dealing.deal_hands(hands, at.HAND_SIZE, cards, stream)


@kernel(inline=True)
def start_deal(public, hands, leader):
    """Begin a deal with these hands. `leader` -1: the holder of the lowest card, bound by the opening rule."""
    opening = leader < 0
    for seat in range(at.SEATS):
        if opening and hands[seat] & ONE != NO_BITS:
            leader = seat
        public.left[seat] = popcount(hands[seat])
        public.played[seat] = NO_BITS
    lead(public, leader)
    public.opening = 1 if opening else 0
    public.may_pass = 0
    public.winner = -1
    public.turns = 0


@kernel
def _opening_plays(rule, plays, strengths, count):
    """Keep the plays that the opening rule allows."""
    kept = 0
    for i in range(count):
        lowest_card_in = plays[i] & ONE != NO_BITS
        if lowest_card_in and (rule == at.OPENING_CONTAINS or plays[i] == ONE):
            plays[kept] = plays[i]
            strengths[kept] = strengths[i]
            kept += 1
    return kept


@kernel
def _last_card_plays(hand, size, plays, strengths, count):
    """Of singles keep only the hand's highest card."""
    if size > 1:
        return count
    top = ONE << U64(highest(hand))
    kept = 0
    for i in range(count):
        if plays[i] == top or popcount(plays[i]) > 1:
            plays[kept] = plays[i]
            strengths[kept] = strengths[i]
            kept += 1
    return kept


@kernel(inline=True)
def legal_actions(public, hand, plays, strengths):
    """Write the legal plays of the seat whose turn it is (buffers as in `moves`) and set `public.may_pass`.

    Returns their number and `may_pass`. A first play that the opening rule binds is free of the rule of the last card:
    together they could leave nothing to play.
    """
    size = public.size_to_beat
    rules = public.rules
    count = legal_plays_kernel(hand, size, public.strength_to_beat, rules, plays, strengths)
    may_pass = 1 if size > 0 else 0
    if public.opening and rules[at.OPENING_PLAY] != at.OPENING_ANYTHING:
        count = _opening_plays(rules[at.OPENING_PLAY], plays, strengths, count)
    elif rules[at.LAST_CARD] and public.left[(public.turn + 1) & 3] == 1:
        count = _last_card_plays(hand, size, plays, strengths, count)
        if size == 1 and count > 0:
            may_pass = 0
    public.may_pass = may_pass
    return count, may_pass


@kernel(inline=True)
def _next_turn(public, seat):
    """Pass the turn to the next seat that is still in the trick."""
    seat = (seat + 1) & 3
    while public.passed >> seat & 1:
        seat = (seat + 1) & 3
    public.turn = seat


@kernel(inline=True)
def apply_play(public, hands, cards, strength):
    """The seat whose turn it is lays `cards`, a legal play of this strength."""
    seat = public.turn
    log_play(public, hands, cards, strength)
    public.opening = 0
    if public.winner >= 0:
        return
    if public.rules[at.LOCKED_OUT] == 0:
        public.passed = 0
    _next_turn(public, seat)


@kernel(inline=True)
def apply_pass(public):
    """The seat whose turn it is passes; when all but the owner of the table have, the owner leads."""
    seat = public.turn
    public.passed |= 1 << seat
    log_turn(public, seat, NO_BITS)
    if public.passed | (1 << public.owner) == ALL_SEATS:
        lead(public, public.owner)
    else:
        _next_turn(public, seat)
