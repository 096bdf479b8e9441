"""The end of a deal searched to its last play, all hands open.

Every seat plays for its own outcome (max^n: Luckhardt and Irani, AAAI 1986): its points less the mean of the others',
and a bonus for winning. A play that empties a hand is always best, so nothing else is looked at where there is one.
"""

from __future__ import annotations

from numba import types

from bigtwo_sim.core.kernel import NO_BITS, kernel, popcount
from bigtwo_sim.games.big_two import layout as at
from bigtwo_sim.games.big_two.kernels.scoring import settle
from bigtwo_sim.games.big_two.kernels.turns import apply_pass, apply_play, legal_actions
from bigtwo_sim.games.big_two.policy import PUBLIC_TYPE

OUTCOME = types.UniTuple(types.float64, at.SEATS)


@kernel(inline=True)
def margin(points, seat):
    """Points of `seat` less the mean of the others' (float64); `points` int64[4]."""
    return points[seat] - (points[(seat + 1) & 3] + points[(seat + 2) & 3] + points[(seat + 3) & 3]) / 3.0


@kernel
def _outcome(hands, winner, rules, points, bonus):
    settle(hands, winner, rules, points)
    return (
        margin(points, 0) + (bonus if winner == 0 else 0.0),
        margin(points, 1) + (bonus if winner == 1 else 0.0),
        margin(points, 2) + (bonus if winner == 2 else 0.0),
        margin(points, 3) + (bonus if winner == 3 else 0.0),
    )


@kernel(
    signature=OUTCOME(
        types.Array(PUBLIC_TYPE, 1, "C"),
        types.uint64[::1],
        types.uint64[::1],
        types.int64[::1],
        types.int64[::1],
        types.int64[::1],
        types.float64,
    )
)
def solve(scenes, hands, plays, strengths, points, budget, bonus):
    """Outcome of each seat (float64 x 4) of the deal in `scenes`[0] (a record of PUBLIC) if all play their best.

    `hands` uint64[4]; both are as before when it returns. `plays` and `strengths` are scratch, with room for the lists
    of all turns one behind the other; `points` int64[4] is scratch. `budget` int64[1] counts down a position at a time;
    when it is used up, the outcome is wrong and `budget`[0] negative.
    """
    state = scenes[0]
    if state.winner >= 0:
        return _outcome(hands, state.winner, state.rules, points, bonus)
    budget[0] -= 1
    if budget[0] < 0:
        return (0.0, 0.0, 0.0, 0.0)
    seat = state.turn
    hand = hands[seat]
    count, may_pass = legal_actions(state, hand, plays, strengths)
    total = count + may_pass
    if total == 0:
        return _outcome(hands, seat, state.rules, points, bonus)
    for i in range(count):
        if plays[i] == hand:
            hands[seat] = NO_BITS
            outcome = _outcome(hands, seat, state.rules, points, bonus)
            hands[seat] = hand
            return outcome

    table, size, strength = state.play_to_beat, state.size_to_beat, state.strength_to_beat
    owner, passed, opening, turns = state.owner, state.passed, state.opening, state.turns
    best = (0.0, 0.0, 0.0, 0.0)
    found = False
    for i in range(total):
        if i < count:
            apply_play(state, hands, plays[i], strengths[i])
        else:
            apply_pass(state)
        outcome = solve(scenes, hands, plays[total:], strengths[total:], points, budget, bonus)
        if i < count:
            hands[seat] = hand
            state.left[seat] = popcount(hand)
            state.played[seat] &= ~plays[i]
        state.turn, state.play_to_beat, state.size_to_beat, state.strength_to_beat = seat, table, size, strength
        state.owner, state.passed, state.opening, state.turns = owner, passed, opening, turns
        state.winner = -1
        if budget[0] < 0:
            return outcome
        if not found or outcome[seat] > best[seat]:
            best = outcome
            found = True
    return best
