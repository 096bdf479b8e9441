"""The compiled loop over whole matches between four policies, and the same in Python for any agents.

A block of matches is one sequence of decks, that of `Match` with one root seed, played under several seatings.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from numba import from_dtype, types

from bigtwo_sim.core.kernel import kernel
from bigtwo_sim.core.rng import DECK, POLICY, STREAM_WORDS, seed_stream
from bigtwo_sim.games.base.agent import PARAMS_TYPE, params_of
from bigtwo_sim.games.big_two import layout as at
from bigtwo_sim.games.big_two.kernels.moves import new_buffers
from bigtwo_sim.games.big_two.kernels.scoring import match_winner
from bigtwo_sim.games.big_two.kernels.selfplay import WORKSPACE, play_deal
from bigtwo_sim.games.big_two.kernels.turns import deal_hands, new_public, start_deal
from bigtwo_sim.games.big_two.match import winner_of
from bigtwo_sim.games.big_two.policy import POLICY_TYPE, PUBLIC_TYPE, PolicyAgent
from bigtwo_sim.games.big_two.python_loop import PythonLoop
from bigtwo_sim.games.big_two.rules import Rules

MOST_DEALS = 10_000
"""A match that is not won after so many deals is left undecided."""

MATCH_RESULT = np.dtype(
    (
        np.record,
        np.dtype(
            [
                ("winner", np.int8),  # seat; -1: undecided
                ("deals", np.int32),
                ("totals", np.int64, (at.SEATS,)),  # by seat, and so are the others
                ("won", np.int32, (at.SEATS,)),  # deals
                ("left", np.int32, (at.SEATS,)),  # cards left, summed over the deals
                ("decisions", np.int64, (at.SEATS,)),
                ("forfeits", np.int64, (at.SEATS,)),
            ],
            align=True,
        ),
    )
)
"""What is kept of a match."""


@kernel(
    signature=types.void(
        types.UniTuple(POLICY_TYPE, at.SEATS),
        types.UniTuple(PARAMS_TYPE, at.SEATS),
        types.uint64[:, ::1],
        types.Array(PUBLIC_TYPE, 1, "C"),
        types.Array(from_dtype(WORKSPACE), 1, "C"),
        types.uint64[::1],
        types.int64[::1],
        types.uint64[:, :, ::1],
        types.int64[:, ::1],
        types.int64,
        types.Array(from_dtype(MATCH_RESULT), 2, "C"),
    )
)
def _play_matches_kernel(
    policies, params, streams, public_array, workspace, plays, strengths, keys, seatings, most, results
):
    """Play a block of matches for each of `keys` (uint64[blocks, …]), of at most `most` deals each.

    `policies`, `params` and `streams` are by slot of the line-up; `seatings` int64[n, 4] gives the slot at each seat.
    `results` MATCH_RESULT[blocks, n] is written, everything in between is scratch.
    """
    public = public_array[0]
    work = workspace[0]
    cards, deck_stream, hands, slots = work.cards, work.deck_stream, work.hands, work.slots
    target = public.rules[at.MATCH_TARGET]
    for block in range(keys.shape[0]):
        key = keys[block]
        for seating in range(seatings.shape[0]):
            result = results[block, seating]
            for seat in range(at.SEATS):
                slots[seat] = seatings[seating, seat]
                work.decisions[seat] = 0
                work.forfeits[seat] = 0
                public.totals[seat] = 0
            leader = -1
            deal = 0
            winner = -1
            while winner < 0 and deal < most:
                seed_stream(deck_stream, key, deal, DECK)
                deal_hands(hands, cards, deck_stream)
                for seat in range(at.SEATS):
                    seed_stream(streams[slots[seat]], key, deal, POLICY + seat)
                start_deal(public, hands, leader)
                play_deal(policies, params, streams, public, work, plays, strengths)
                for seat in range(at.SEATS):
                    public.totals[seat] += work.points[seat]
                    result.left[seat] += public.left[seat]
                result.won[public.winner] += 1
                leader = public.winner if public.rules[at.WINNER_LEADS] else -1
                winner = match_winner(public.totals, target)
                deal += 1
            result.winner = winner
            result.deals = deal
            for seat in range(at.SEATS):
                result.totals[seat] = public.totals[seat]
                result.decisions[seat] = work.decisions[seat]
                result.forfeits[seat] = work.forfeits[seat]


def play_matches(
    agents: tuple[PolicyAgent, PolicyAgent, PolicyAgent, PolicyAgent],
    rules: Rules,
    keys: npt.NDArray[np.uint64],
    seatings: npt.NDArray[np.int64],
    most: int = MOST_DEALS,
) -> npt.NDArray[Any]:
    """Play a block of matches for each of `keys` (uint64[blocks, …], each of `rng.root_key`): one under every seating.

    `rules` have a match target; `seatings` int64[n, 4] gives the slot of the line-up `agents` at each seat. Returns
    MATCH_RESULT[blocks, n]. Runs without the GIL. A match is dealt as `Match` deals it.
    """
    _check_target(rules)
    results = np.zeros((len(keys), len(seatings)), MATCH_RESULT)
    plays, strengths = new_buffers()
    _play_matches_kernel(
        tuple(agent.function for agent in agents),
        params_of(agents),
        np.zeros((at.SEATS, STREAM_WORDS), np.uint64),
        new_public(rules),
        np.zeros(1, WORKSPACE),
        plays,
        strengths,
        np.ascontiguousarray(keys, np.uint64),
        np.ascontiguousarray(seatings, np.int64),
        most,
        results,
    )
    return results


def play_matches_in_python(
    loop: PythonLoop, keys: npt.NDArray[np.uint64], seatings: npt.NDArray[np.int64], most: int = MOST_DEALS
) -> npt.NDArray[Any]:
    """The same at the table `loop`, whose rules have a match target; equal to the bit for four policies.

    Raises AgentFault where the loop is strict and an agent is at fault.
    """
    _check_target(loop.rules)
    results = np.zeros((len(keys), len(seatings)), MATCH_RESULT)
    for block, key in enumerate(keys):
        for seating, slots in enumerate(seatings.tolist()):
            _play_match(loop, key, slots, most, results[block, seating])
    return results


def _play_match(loop: PythonLoop, key: npt.NDArray[np.uint64], slots: list[int], most: int, result: Any) -> None:
    winner = leader = None
    while winner is None and result["deals"] < most:
        totals = tuple(result["totals"].tolist())
        played = loop.play_deal(key, int(result["deals"]), slots, leader, totals)
        result["deals"] += 1
        result["totals"] += played["points"]
        result["won"][played["winner"]] += 1
        for name in ("left", "decisions", "forfeits"):
            result[name] += played[name]
        leader = int(played["winner"]) if loop.rules.rule_table()[at.WINNER_LEADS] else None
        winner = winner_of(tuple(result["totals"].tolist()), loop.rules.match_target)
    result["winner"] = -1 if winner is None else winner


def _check_target(rules: Rules) -> None:
    if rules.match_target is None:
        raise ValueError("match_target is none; a match needs a target")
