"""Points of a finished deal: what each loser pays by its cards left, how the table settles it, and who wins a match."""

from __future__ import annotations

from bigtwo_sim.core.kernel import U64, kernel, popcount
from bigtwo_sim.games.big_two import layout as at

TOP_RANK_SHIFT = U64(4 * (at.RANKS - 1))


@kernel(inline=True)
def penalty(hand, rules):
    """Points (int64) that a player who still holds `hand` (uint64) pays."""
    points = rules[at.PENALTY + popcount(hand)]
    if rules[at.DOUBLE_TWOS]:
        points <<= popcount(hand >> TOP_RANK_SHIFT)
    return points


@kernel(inline=True)
def settle(hands, winner, rules, points):
    """Write the points of each seat to `points` (int64[4]) from the hands left (uint64[4]) and the winner's seat."""
    total = 0
    for seat in range(at.SEATS):
        points[seat] = penalty(hands[seat], rules)
        total += points[seat]
    settlement = rules[at.SETTLEMENT]
    for seat in range(at.SEATS):
        own = points[seat]
        if settlement == at.PAIRWISE:
            points[seat] = total - at.SEATS * own
        elif seat == winner:
            points[seat] = total
        elif settlement == at.LOSERS_DEBITED:
            points[seat] = -own
        else:
            points[seat] = 0


@kernel(inline=True)
def match_winner(totals, target):
    """The seat that has won the match to `target` (at least 1) with these totals (int64[4]); -1: it goes on.

    A match ends with the deal in which a total reaches the target. Under pairwise settlement two totals may do so in
    one deal; then the highest one wins, and while two share that, another deal is played.
    """
    winner = -1
    highest = target - 1
    for seat in range(at.SEATS):
        if totals[seat] > highest:
            highest = totals[seat]
            winner = seat
        elif totals[seat] == highest:
            winner = -1
    return winner
