"""The compiled loop: whole blocks of deals between four policies, without a word of Python in between."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from numba import from_dtype, types

from bigtwo_sim.big_two import layout as at
from bigtwo_sim.big_two.moves import new_buffers
from bigtwo_sim.big_two.policy import POLICY_TYPE, PUBLIC_TYPE, PolicyAgent
from bigtwo_sim.big_two.rules import Rules
from bigtwo_sim.big_two.scoring import settle
from bigtwo_sim.big_two.turns import deal_hands, lay, new_public, pass_turn, start_deal, turn_plays
from bigtwo_sim.kernel import U64, kernel
from bigtwo_sim.rng import DECK_STREAM, STREAM_WORDS, seed_stream

RESULT = np.dtype(
    (
        np.record,
        np.dtype(
            [
                ("winner", np.int8),  # seat
                ("left", np.int8, (at.SEATS,)),  # cards left by seat
                ("points", np.int32, (at.SEATS,)),  # by seat
                ("decisions", np.int16, (at.SEATS,)),  # turns with a choice, by seat
                ("forfeits", np.int16, (at.SEATS,)),  # of these, the ones forfeited (see `PythonLoop`), by seat
            ],
            align=True,
        ),
    )
)
"""What is kept of a deal."""


WORKSPACE = np.dtype(
    (
        np.record,
        np.dtype(
            [
                ("cards", np.int64, (at.CARDS,)),
                ("deck_stream", np.uint64, (STREAM_WORDS,)),
                ("dealt", np.uint64, (at.SEATS,)),
                ("hands", np.uint64, (at.SEATS,)),
                ("slots", np.int64, (at.SEATS,)),
                ("decisions", np.int64, (at.SEATS,)),
                ("forfeits", np.int64, (at.SEATS,)),
                ("points", np.int64, (at.SEATS,)),
            ],
            align=True,
        ),
    )
)


@kernel(inline=True)
def play_out(policies, params, streams, public, work, plays, strengths):
    """Play the deal that `public` and `work.hands` begin to its end, and write `work.points`.

    `policies`, `params` and `streams` are by slot of the line-up, `work.slots` is the slot at each seat; what the seats
    decide and forfeit is added to `work.decisions` and `work.forfeits`.
    """
    hands, slots, decisions, forfeits = work.hands, work.slots, work.decisions, work.forfeits
    policy_0, policy_1, policy_2, policy_3 = policies
    params_0, params_1, params_2, params_3 = params[0], params[1], params[2], params[3]
    stream_0, stream_1, stream_2, stream_3 = streams[0], streams[1], streams[2], streams[3]
    while public.winner < 0:
        seat = public.turn
        hand = hands[seat]
        count, may_pass = turn_plays(public, hand, plays, strengths)
        choice = 0
        if count + may_pass > 1:
            decisions[seat] += 1
            slot = slots[seat]
            if slot == 0:
                choice = policy_0(hand, public, plays, strengths, count, params_0, stream_0)
            elif slot == 1:
                choice = policy_1(hand, public, plays, strengths, count, params_1, stream_1)
            elif slot == 2:
                choice = policy_2(hand, public, plays, strengths, count, params_2, stream_2)
            else:
                choice = policy_3(hand, public, plays, strengths, count, params_3, stream_3)
            if choice < 0 or choice >= count + may_pass:
                forfeits[seat] += 1
                choice = count if may_pass else 0
        if choice < count:
            lay(public, hands, plays[U64(choice)], strengths[U64(choice)])
        else:
            pass_turn(public)
    settle(hands, public.winner, public.rules, work.points)


@kernel(
    signature=types.void(
        types.UniTuple(POLICY_TYPE, at.SEATS),
        types.float32[:, ::1],
        types.uint64[:, ::1],
        types.Array(PUBLIC_TYPE, 1, "C"),
        types.Array(from_dtype(WORKSPACE), 1, "C"),
        types.uint64[::1],
        types.int64[::1],
        types.uint64,
        types.int64,
        types.int64[:, ::1],
        types.Array(from_dtype(RESULT), 2, "C"),
    )
)
def play_blocks_kernel(
    policies, params, streams, public_array, workspace, plays, strengths, key, first, seatings, results
):
    """Play blocks `first`, `first` + 1, …: each one deck under every seating.

    `policies`, `params` and `streams` are by slot of the line-up; `seatings` int64[n, 4] gives the slot at each seat.
    `results` RESULT[blocks, n] is written, everything in between is scratch.
    """
    public = public_array[0]
    work = workspace[0]
    cards, deck_stream, dealt, hands = work.cards, work.deck_stream, work.dealt, work.hands
    slots, decisions, forfeits, points = work.slots, work.decisions, work.forfeits, work.points
    for block in range(results.shape[0]):
        seed_stream(deck_stream, key, first + block, DECK_STREAM)
        deal_hands(dealt, cards, deck_stream)
        for seating in range(seatings.shape[0]):
            for seat in range(at.SEATS):
                hands[seat] = dealt[seat]
                slots[seat] = seatings[seating, seat]
                decisions[seat] = 0
                forfeits[seat] = 0
                seed_stream(streams[slots[seat]], key, first + block, 1 + seat)
            start_deal(public, hands, -1)
            play_out(policies, params, streams, public, work, plays, strengths)
            result = results[block, seating]
            result.winner = public.winner
            for seat in range(at.SEATS):
                result.left[seat] = public.left[seat]
                result.points[seat] = points[seat]
                result.decisions[seat] = decisions[seat]
                result.forfeits[seat] = forfeits[seat]


def play_blocks(
    agents: tuple[PolicyAgent, PolicyAgent, PolicyAgent, PolicyAgent],
    rules: Rules,
    key: np.uint64,
    first: int,
    blocks: int,
    seatings: npt.NDArray[np.int64],
) -> npt.NDArray[Any]:
    """Play `blocks` blocks from number `first` on, each one deck under every seating.

    `agents` is the line-up, `key` comes from `rng.root_key`, `seatings` int64[n, 4] gives the slot of the line-up at
    each seat. Returns RESULT[blocks, n]. Runs without the GIL. A policy that answers with an index out of range
    forfeits the decision: it passes where it may, else lays its weakest play.
    """
    results = np.zeros((blocks, len(seatings)), RESULT)
    plays, strengths = new_buffers()
    play_blocks_kernel(
        tuple(agent.function for agent in agents),
        np.stack([agent.params for agent in agents]),
        np.zeros((at.SEATS, STREAM_WORDS), np.uint64),
        new_public(rules),
        np.zeros(1, WORKSPACE),
        plays,
        strengths,
        key,
        first,
        np.ascontiguousarray(seatings, np.int64),
        results,
    )
    return results
