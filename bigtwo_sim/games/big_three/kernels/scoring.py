"""Stakes of a finished deal: who pays whom, and who is whose partner. Every deal sums to zero."""

from __future__ import annotations

from bigtwo_sim.core.kernel import kernel
from bigtwo_sim.games.big_three import layout as at


@kernel(inline=True)
def partner_of(public, seat):
    """The seat that plays with `seat`; NOBODY for the soloist, and for all while the auction goes on."""
    if public.rules[at.PLAYERS] == at.PAIRS_PLAYERS:
        return seat ^ public.rules[at.PARTNER]
    if public.soloist < 0 or seat == public.soloist:
        return at.NOBODY
    return at.SOLO_PLAYERS - seat - public.soloist


@kernel(inline=True)
def settle(public, points):
    """Write the stakes that each seat has won, less those that it has lost, to `points` (int64[4])."""
    winner = public.winner
    for seat in range(at.SEATS):
        points[seat] = 0
    if public.rules[at.PLAYERS] == at.PAIRS_PLAYERS:
        partner = partner_of(public, winner)
        for seat in range(at.SEATS):
            points[seat] = public.bid if seat == winner or seat == partner else -public.bid
        return
    soloist = public.soloist
    for seat in range(at.SOLO_PLAYERS):
        if seat != soloist:
            paid = -public.bid  # to the seat, by the soloist
            if winner != soloist:
                paid = public.bids[seat] if public.rules[at.OWN_BIDS] else public.bid
            points[seat] = paid
            points[soloist] -= paid
