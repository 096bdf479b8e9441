"""Worlds: assignments of the unseen cards to the other three seats, as one seat may imagine them.

A world fits what its seat knows: its own hand, the cards played, how many cards everybody holds. Nothing here reads a
hidden hand; the only source is the public record.
"""

from __future__ import annotations

from bigtwo_sim.big_two import layout as at
from bigtwo_sim.big_two.turns import start_deal
from bigtwo_sim.kernel import NO_BITS, ONE, U64, kernel, lowest, lowest_bit
from bigtwo_sim.rng import below

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
    count = 0
    while unseen != NO_BITS:
        cards[count] = lowest(unseen)
        unseen ^= lowest_bit(unseen)
        count += 1
    for step in range(1, at.SEATS):
        other = (seat + step) & 3
        dealt = NO_BITS
        for _ in range(public.left[other]):
            i = below(stream, count)
            count -= 1
            dealt |= ONE << U64(cards[i])
            cards[i] = cards[count]
        world[other] = dealt
    world[seat] = hand


@kernel(inline=True)
def enter_world(public, world, scene, hands):
    """Set `scene` (a record of PUBLIC with the same rules) and `hands` (uint64[4]) to where `public` stands.

    The log of the scene begins anew.
    """
    scene.turn = public.turn
    scene.table = public.table
    scene.table_size = public.table_size
    scene.table_strength = public.table_strength
    scene.owner = public.owner
    scene.passed = public.passed
    scene.opening = public.opening
    scene.winner = public.winner
    scene.turns = 0
    for seat in range(at.SEATS):
        scene.left[seat] = public.left[seat]
        scene.played[seat] = public.played[seat]
        hands[seat] = world[seat]


@kernel(inline=True)
def enter_first_turn(public, world, scene, hands):
    """Set `scene` and `hands` to the beginning of the deal that led to `public`, if the hands are now `world`.

    The opening rule, which may have bound the first play, is not set.
    """
    for seat in range(at.SEATS):
        hands[seat] = world[seat] | public.played[seat]
    start_deal(scene, hands, public.log_seats[0])


@kernel(inline=True)
def copy_rules(public, scene):
    """Give `scene` the rules of `public`."""
    for i in range(at.TABLE_SIZE):
        scene.rules[i] = public.rules[i]
