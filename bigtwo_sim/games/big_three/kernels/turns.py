"""A deal moved on by bids, plays and passes: the one place that knows the auction, turns and tricks.

`public` is one record of layout.PUBLIC. `hands` is the hidden half, uint64[5]: the hands by seat and, behind them, the
kitty. Both are written in place. The compiled loop and the Python `Deal` run on these kernels alike. Nothing is checked
here; `Deal` does that.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from bigtwo_sim.core.kernel import NO_BITS, ONE, U64, kernel, lowest, popcount
from bigtwo_sim.games.base.kernels import dealing
from bigtwo_sim.games.base.kernels.tricks import lead, log_play, log_turn
from bigtwo_sim.games.big_three import layout as at
from bigtwo_sim.games.big_three.kernels.moves import legal_plays_kernel
from bigtwo_sim.games.big_three.rules import Rules


def new_public(rules: Rules) -> npt.NDArray[np.void]:
    """An array of one public record, PUBLIC[1], with the rules filled in."""
    public = np.zeros(1, at.PUBLIC)
    public["rules"][0] = rules.rule_table()
    return public


@kernel
def deal_hands(hands, rules, cards, stream):
    """Shuffle `cards` (int64[52], scratch) by `stream` and deal `hands` (uint64[5], written), the kitty included."""
    hands[at.SOLO_PLAYERS] = NO_BITS
    hands[at.KITTY] = NO_BITS
    if rules[at.PLAYERS] == at.PAIRS_PLAYERS:
        dealing.deal_hands(hands[: at.PAIRS_PLAYERS], at.PAIRS_HAND, cards, stream)
        return
    dealing.deal_hands(hands[: at.SOLO_PLAYERS], at.SOLO_HAND, cards, stream)
    for i in range(at.CARDS - at.KITTY_SIZE, at.CARDS):
        hands[at.KITTY] |= ONE << U64(cards[i])


@kernel(inline=True)
def first_to_speak(hands, rules, dealer):
    """The seat that bids first, or of four players leads."""
    if rules[at.HEARTS_SPEAK] == 0:
        return dealer
    hearts = U64(rules[at.HEARTS])
    four = U64(rules[at.FOUR_OF_HEARTS])
    first = dealer
    lowest_heart = 64
    for seat in range(rules[at.PLAYERS]):
        if (hands[seat] >> four) & ONE != NO_BITS:
            return seat
        heart = lowest(hands[seat] & hearts)
        if heart < lowest_heart:
            lowest_heart = heart
            first = seat
    return first


@kernel(inline=True)
def next_seat(seat, rules):
    """The seat whose turn it is after that of `seat`."""
    seat += rules[at.STEP]
    players = rules[at.PLAYERS]
    return seat - players if seat >= players else seat


@kernel(inline=True)
def start_play(public, hands, soloist, bid):
    """Begin the play: the soloist (NOBODY of four players) takes the kitty, and the first to speak leads."""
    public.phase = at.PLAY
    public.soloist = soloist
    public.bid = bid
    if soloist >= 0:
        public.left[soloist] += popcount(hands[at.KITTY])
        hands[soloist] |= hands[at.KITTY]
        hands[at.KITTY] = NO_BITS
    lead(public, public.first)


@kernel(inline=True)
def start_deal(public, hands, dealer, first):
    """Begin a deal with the auction, or of four players with the play. `first` NOBODY: whom the rules name."""
    rules = public.rules
    public.dealer = dealer
    public.first = first_to_speak(hands, rules, dealer) if first < 0 else first
    public.winner = at.NOBODY
    public.turns = 0
    public.calls = 0
    public.may_pass = 0
    for seat in range(at.SEATS):
        public.left[seat] = popcount(hands[seat])
        public.played[seat] = NO_BITS
        public.bids[seat] = 0
    if rules[at.PLAYERS] == at.PAIRS_PLAYERS:
        start_play(public, hands, at.NOBODY, rules[at.STAKE])
        return
    lead(public, public.first)
    public.phase = at.AUCTION
    public.owner = at.NOBODY
    public.soloist = at.NOBODY
    public.bid = 0


@kernel(inline=True)
def legal_actions(public, hand, plays, strengths):
    """Write the options of the seat whose turn it is (buffers as in `moves`) and set `public.may_pass`.

    Options are legal plays, in the auction bids (as number, in both buffers). Returns their number and `may_pass`.
    """
    if public.phase == at.AUCTION:
        count = 0
        for bid in range(public.bid + 1, at.HIGHEST_BID + 1):
            plays[count] = U64(bid)
            strengths[count] = bid
            count += 1
        public.may_pass = 1
        return count, 1
    count = legal_plays_kernel(hand, public.strength_to_beat, public.rules, plays, strengths)
    may_pass = 1 if public.size_to_beat > 0 else 0
    public.may_pass = may_pass
    return count, may_pass


@kernel(inline=True)
def _all_others_passed(public):
    """Whether all but the owner of the table, or the highest bidder, have passed since."""
    return public.passed | (1 << public.owner) == (1 << public.rules[at.PLAYERS]) - 1


@kernel(inline=True)
def _call(public, hands, bid):
    """The seat whose turn it is bids, or passes (0)."""
    seat = public.turn
    public.called[public.calls] = bid
    public.callers[public.calls] = seat
    public.calls += 1
    if bid > 0:
        public.bid = bid
        public.bids[seat] = bid
        public.owner = seat
        public.passed = 0
    else:
        public.passed |= 1 << seat
    if public.bid == 0:
        if public.passed == (1 << at.SOLO_PLAYERS) - 1:
            start_play(public, hands, public.first, 1)
            return
    elif public.bid == at.HIGHEST_BID or _all_others_passed(public):
        start_play(public, hands, public.owner, public.bid)
        return
    public.turn = next_seat(seat, public.rules)


@kernel(inline=True)
def apply_play(public, hands, cards, strength):
    """The seat whose turn it is takes an option: lays `cards`, a legal play of this strength, or bids `strength`."""
    if public.phase == at.AUCTION:
        _call(public, hands, strength)
        return
    seat = public.turn
    log_play(public, hands, cards, strength)
    public.passed = 0
    if public.winner >= 0:
        return
    public.turn = next_seat(seat, public.rules)


@kernel(inline=True)
def apply_pass(public, hands):
    """The seat whose turn it is passes; when all others have, the owner of the table leads, or the auction ends."""
    if public.phase == at.AUCTION:
        _call(public, hands, 0)
        return
    seat = public.turn
    public.passed |= 1 << seat
    log_turn(public, seat, NO_BITS)
    if _all_others_passed(public):
        lead(public, public.owner)
    else:
        public.turn = next_seat(seat, public.rules)
