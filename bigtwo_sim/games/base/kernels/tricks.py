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
    public.table = NO_BITS
    public.table_size = 0
    public.table_strength = NO_STRENGTH
    public.passed = 0


@kernel(inline=True)
def copy_trick(public, scene):
    """Set what lies on the table and whose turn it is in `scene` as it is in `public`; its log begins anew."""
    scene.turn = public.turn
    scene.owner = public.owner
    scene.table = public.table
    scene.table_size = public.table_size
    scene.table_strength = public.table_strength
    scene.passed = public.passed
    scene.winner = public.winner
    scene.turns = 0


@kernel(inline=True)
def log_turn(public, seat, cards):
    """Log what a seat laid; no cards: it passed."""
    turn = U64(public.turns)  # unsigned, so that no code is made for an index from the end
    public.log[turn] = cards
    public.log_seats[turn] = seat
    public.turns += 1


@kernel(inline=True)
def put_down(public, hands, cards, strength):
    """The seat whose turn it is lays `cards`, a play of this strength, from its hand onto the table."""
    seat = public.turn
    size = popcount(cards)
    hands[seat] ^= cards
    public.played[seat] |= cards
    public.left[seat] -= size
    public.table = cards
    public.table_size = size
    public.table_strength = strength
    public.owner = seat
    log_turn(public, seat, cards)
    if public.left[seat] == 0:
        public.winner = seat
