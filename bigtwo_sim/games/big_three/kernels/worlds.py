"""Worlds: assignments of the unseen cards to the other seats and the kitty, as one seat may imagine them.

A world fits what its seat knows: its own hand, the cards played, how many cards everybody holds, who took the kitty,
and that the hearts named who speaks first. Nothing here reads a hidden hand; the only source is the public record.
"""

from __future__ import annotations

from bigtwo_sim.core.kernel import NO_BITS, U64, kernel
from bigtwo_sim.games.base.kernels.dealing import draw, list_cards
from bigtwo_sim.games.base.kernels.tricks import copy_trick
from bigtwo_sim.games.big_three import layout as at
from bigtwo_sim.games.big_three.kernels.turns import first_to_speak, next_seat, start_deal

DECK_BITS = U64((1 << at.CARDS) - 1)
_TRIES = 64  # at a world in which the right seat speaks first; it takes three, about


@kernel(inline=True)
def unseen_cards(hand, public):
    """The cards in the other hands and, in the auction, in the kitty (uint64)."""
    return DECK_BITS & ~(hand | public.played[0] | public.played[1] | public.played[2] | public.played[3])


@kernel
def deal_world(public, hand, world, dealt, cards, stream):
    """Deal the unseen cards at random to the seats that are not on turn, as many to each as it holds.

    `hand` is the hand of the seat on turn. `world` uint64[5] is written: the hands by seat and the kitty, from which
    the deal goes on. `dealt` uint64[5] is written too: the same as they were dealt, with 4 of the soloist's cards at
    random as the kitty that was taken. `cards` int64[52] is scratch.
    """
    rules = public.rules
    unseen = unseen_cards(hand, public)
    for _ in range(_TRIES):
        count = list_cards(unseen, cards)
        seat = public.turn
        for i in range(at.SEATS + 1):
            world[i] = NO_BITS
        world[seat] = hand
        for _ in range(1, rules[at.PLAYERS]):
            seat = next_seat(seat, rules)
            world[seat], count = draw(cards, count, public.left[seat], stream)
        if public.phase == at.AUCTION:
            world[at.KITTY], count = draw(cards, count, count, stream)
        for i in range(at.SEATS + 1):
            dealt[i] = world[i]
        for i in range(at.SEATS):
            dealt[i] |= public.played[i]
        if public.soloist >= 0:
            count = list_cards(dealt[public.soloist], cards)
            taken = count - at.SOLO_HAND
            if taken > 0:
                dealt[at.KITTY], count = draw(cards, count, taken, stream)
                dealt[public.soloist] ^= dealt[at.KITTY]
        if (
            rules[at.HEARTS_SPEAK] == 0
            or public.first < 0
            or first_to_speak(dealt, rules, public.dealer) == public.first
        ):
            return


@kernel(inline=True)
def enter_world(public, world, state, hands):
    """Set `state` (a record of PUBLIC with the same rules) and `hands` (uint64[5]) to where `public` stands.

    The log of the state begins anew; that of the auction is kept.
    """
    copy_trick(public, state)
    state.phase = public.phase
    state.dealer = public.dealer
    state.first = public.first
    state.soloist = public.soloist
    state.bid = public.bid
    state.calls = public.calls
    for i in range(public.calls):
        state.called[i] = public.called[i]
        state.callers[i] = public.callers[i]
    for seat in range(at.SEATS):
        state.bids[seat] = public.bids[seat]
        state.left[seat] = public.left[seat]
        state.played[seat] = public.played[seat]
        hands[seat] = world[seat]
    hands[at.KITTY] = world[at.KITTY]


@kernel(inline=True)
def enter_first_turn(public, dealt, state, hands):
    """Set `state` and `hands` to the beginning of the deal that led to `public`, if the hands were `dealt`."""
    for i in range(at.SEATS + 1):
        hands[i] = dealt[i]
    start_deal(state, hands, public.dealer, public.first)


@kernel(inline=True)
def copy_rules(public, state):
    """Give `state` the rules of `public`."""
    for i in range(at.TABLE_SIZE):
        state.rules[i] = public.rules[i]
