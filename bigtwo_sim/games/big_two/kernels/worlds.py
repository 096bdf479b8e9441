"""Worlds: assignments of the unseen cards to the other three seats, as one seat may imagine them.

A world fits what its seat knows: its own hand, the cards played, how many cards everybody holds. Nothing here reads a
hidden hand; the only source is the public record.
"""

from __future__ import annotations

import numpy as np

from bigtwo_sim.core.kernel import NO_BITS, ONE, U64, kernel, lowest_bit
from bigtwo_sim.games.base.kernels.dealing import draw, list_cards
from bigtwo_sim.games.base.kernels.tricks import copy_trick
from bigtwo_sim.games.big_two import layout as at
from bigtwo_sim.games.big_two.kernels.turns import start_deal

DECK_BITS = U64((1 << at.CARDS) - 1)


@kernel(inline=True)
def unseen_cards(hand, public):
    """The cards in the other three hands together (uint64)."""
    return DECK_BITS & ~(hand | public.played[0] | public.played[1] | public.played[2] | public.played[3])


@kernel
def deal_world(public, hand, unseen, world, cards, stream):
    """Deal the unseen cards at random to the seats that are not on turn, as many to each as it holds.

    `hand` is the hand of the seat on turn, `world` uint64[4] is written, `cards` int64[52] is scratch.
    """
    seat = public.turn
    count = list_cards(unseen, cards)
    for step in range(1, at.SEATS):
        other = (seat + step) & 3
        world[other], count = draw(cards, count, public.left[other], stream)
    world[seat] = hand


@kernel(inline=True)
def enter_world(public, world, state, hands):
    """Set `state` (a record of PUBLIC with the same rules) and `hands` (uint64[4]) to where `public` stands.

    The log of the state begins anew.
    """
    copy_trick(public, state)
    state.opening = public.opening
    for seat in range(at.SEATS):
        state.left[seat] = public.left[seat]
        state.played[seat] = public.played[seat]
        hands[seat] = world[seat]


@kernel(inline=True)
def enter_first_turn(public, world, state, hands):
    """Set `state` and `hands` to the beginning of the deal that led to `public`, if the hands are now `world`.

    The opening rule, which may have bound the first play, is not set.
    """
    for seat in range(at.SEATS):
        hands[seat] = world[seat] | public.played[seat]
    start_deal(state, hands, public.log_seats[0])


@kernel(inline=True)
def copy_rules(public, state):
    """Give `state` the rules of `public`."""
    for i in range(at.TABLE_SIZE):
        state.rules[i] = public.rules[i]


@kernel
def count_worlds(public):
    """How many worlds there are for the seat on turn (int64), at most 2**62."""
    seat = public.turn
    first = public.left[(seat + 1) & 3]
    second = public.left[(seat + 2) & 3]
    third = public.left[(seat + 3) & 3]
    return _choose(first + second + third, first) * _choose(second + third, second)


@kernel
def _choose(n, k):
    ways = 1.0
    for i in range(k):
        ways = ways * (n - i) / (i + 1)
    return np.int64(min(ways, 2.0**31))


@kernel
def _next_subset(mask):
    """The next greater word with as many bits set (Gosper's hack: HAKMEM, item 175)."""
    low = lowest_bit(mask)
    ripple = mask + low
    return (((ripple ^ mask) >> U64(2)) // low) | ripple


@kernel
def _spread(mask, cards):
    """The cards whose places in `cards` (uint64[n], one bit each) are set in `mask`."""
    found = NO_BITS
    place = 0
    while mask != NO_BITS:
        if mask & ONE != NO_BITS:
            found |= cards[place]
        mask >>= ONE
        place += 1
    return found


@kernel
def all_worlds(public, hand, unseen, worlds, cards):
    """Write every world of the seat on turn, which holds `hand`, to `worlds` (uint64[n, 4]); return their number.

    There must be room (`count_worlds`). `cards` uint64[78] is scratch.
    """
    seat = public.turn
    count = 0
    rest = unseen
    while rest != NO_BITS:
        cards[count] = lowest_bit(rest)
        rest ^= cards[count]
        count += 1
    first = public.left[(seat + 1) & 3]
    second = public.left[(seat + 2) & 3]
    written = 0
    one = (ONE << U64(first)) - ONE
    while one >> U64(count) == NO_BITS:
        to_first = _spread(one, cards[:count])
        # What the first does not get, in order, is dealt to the second the same way.
        left_over = cards[count : 2 * count]
        places = 0
        for i in range(count):
            if to_first & cards[i] == NO_BITS:
                left_over[places] = cards[i]
                places += 1
        two = (ONE << U64(second)) - ONE
        while two >> U64(places) == NO_BITS:
            to_second = _spread(two, left_over)
            worlds[written, seat] = hand
            worlds[written, (seat + 1) & 3] = to_first
            worlds[written, (seat + 2) & 3] = to_second
            worlds[written, (seat + 3) & 3] = unseen & ~(to_first | to_second)
            written += 1
            two = _next_subset(two)
        one = _next_subset(one)
    return written
