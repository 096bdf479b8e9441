"""A trick moved on, whichever the game: a seat leads, lays cards on the table, and each turn is logged.

`public` is a record of the game's public half; the fields that are written here are called alike in all games.
"""

from __future__ import annotations

from bigtwo_sim.core.kernel import NO_BITS, U64, kernel, popcount

NOBODY = -1  # in the place of a seat
NO_STRENGTH = -1  # of an empty table: every play may be laid


@kernel(inline=True)
def lead(public, seat):
    """Clear the table and give the turn to `seat`."""
    public.turn = seat
    public.owner = seat
    public.play_to_beat = NO_BITS
    public.size_to_beat = 0
    public.strength_to_beat = NO_STRENGTH
    public.passed = 0


@kernel(inline=True)
def copy_trick(public, state):
    """Set what lies on the table and whose turn it is in `state` as it is in `public`; its log begins anew."""
    state.turn = public.turn
    state.owner = public.owner
    state.play_to_beat = public.play_to_beat
    state.size_to_beat = public.size_to_beat
    state.strength_to_beat = public.strength_to_beat
    state.passed = public.passed
    state.winner = public.winner
    state.turns = 0


@kernel(inline=True)
def log_turn(public, seat, cards):
    """Log what a seat laid; no cards: it passed."""
    turn = U64(public.turns)  # unsigned, so that no code is made for an index from the end
    public.log[turn] = cards
    public.log_seats[turn] = seat
    public.turns += 1


@kernel(inline=True)
def log_play(public, hands, cards, strength):
    """The seat whose turn it is lays `cards`, a play of this strength, from its hand onto the table."""
    seat = public.turn
    size = popcount(cards)
    hands[seat] ^= cards
    public.played[seat] |= cards
    public.left[seat] -= size
    public.play_to_beat = cards
    public.size_to_beat = size
    public.strength_to_beat = strength
    public.owner = seat
    log_turn(public, seat, cards)
    if public.left[seat] == 0:
        public.winner = seat
