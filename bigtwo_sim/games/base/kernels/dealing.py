"""Dealing: a whole deck into hands, and cards that one does not see into the hands they may be in."""

from __future__ import annotations

from bigtwo_sim.core.kernel import NO_BITS, ONE, U64, kernel, lowest, lowest_bit
from bigtwo_sim.core.rng import below, shuffle


@kernel(inline=True)
def deal_hands(hands, hand_size, cards, stream):
    """Shuffle the whole deck by `stream` and deal `hand_size` cards to each of `hands` (uint64[n], written).

    `cards` (int64[size of the deck]) is scratch; what was not dealt are its last entries.
    """
    for card in range(cards.shape[0]):
        cards[card] = card
    shuffle(cards, stream)
    for seat in range(hands.shape[0]):
        hand = NO_BITS
        for i in range(hand_size):
            hand |= ONE << U64(cards[seat * hand_size + i])
        hands[seat] = hand


@kernel(inline=True)
def list_cards(some, cards):
    """Write the numbers of the cards in `some` (uint64) to `cards` (int64[n]), ascending; return how many."""
    count = 0
    while some != NO_BITS:
        cards[count] = lowest(some)
        some ^= lowest_bit(some)
        count += 1
    return count


@kernel(inline=True)
def draw(cards, count, wanted, stream):
    """Draw `wanted` of the first `count` of `cards` (int64[n]) at random; those left are then the first ones.

    Returns the cards drawn (uint64) and the number of those left.
    """
    drawn = NO_BITS
    for _ in range(wanted):
        i = below(stream, count)
        count -= 1
        drawn |= ONE << U64(cards[i])
        cards[i] = cards[count]
    return drawn, count
