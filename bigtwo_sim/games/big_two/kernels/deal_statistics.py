"""What happened in each of very many deals: who led, who won, how long it took, and how often each kind was played.

Deals are played by the compiled loop, one block with one seating at a time, and each log is then played through again
by the kernels that know turns and tricks. So nothing here is a second telling of a rule.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt
from numba import from_dtype, types

from bigtwo_sim.core.kernel import NO_BITS, kernel, popcount
from bigtwo_sim.core.rng import STREAM_WORDS, root_key
from bigtwo_sim.games.base.agent import PARAMS_TYPE, params_of
from bigtwo_sim.games.big_two import layout as at
from bigtwo_sim.games.big_two.kernels.moves import new_buffers
from bigtwo_sim.games.big_two.kernels.selfplay import RESULT, WORKSPACE, play_blocks_kernel
from bigtwo_sim.games.big_two.kernels.turns import apply_pass, apply_play, new_public, start_deal
from bigtwo_sim.games.big_two.plays import Kind, strength_of
from bigtwo_sim.games.big_two.policy import POLICY_TYPE, PUBLIC_TYPE, AgentError, PolicyAgent
from bigtwo_sim.games.big_two.rules import Rules

KINDS = tuple(Kind)
"""The kinds of plays in the order in which CENSUS counts them."""

CENSUS = np.dtype(
    (
        np.record,
        np.dtype(
            [
                ("hands", np.uint64, (at.SEATS,)),  # as dealt, by seat
                ("leader", np.int8),  # the seat that led first
                ("winner", np.int8),  # the seat that won
                ("left", np.int8, (at.SEATS,)),  # cards left by seat
                ("points", np.int32, (at.SEATS,)),  # by seat
                ("turns", np.int16),  # plays and passes
                ("tricks", np.int16),  # how often somebody led
                ("kinds", np.int16, (len(KINDS),)),  # plays of each kind, as in KINDS
            ],
            align=True,
        ),
    )
)
"""What is kept of a deal."""

PORTION = 2_000
"""Deals that a thread plays at a time."""


@kernel
def _follow(public, state, hands, fact):
    """Play the log of `public` again in `state`, from `hands` (uint64[4], dealt), and count tricks and kinds."""
    start_deal(state, hands, -1)
    fact.leader = state.turn
    fact.turns = public.turns
    for turn in range(public.turns):
        if state.size_to_beat == 0:
            fact.tricks += 1
        cards = public.log[turn]
        if cards == NO_BITS:
            apply_pass(state)
        else:
            strength = strength_of(cards, state.rules)
            category = strength >> at.CATEGORY_SHIFT & at.CATEGORY_BITS
            # One to four cards of no category are the first four kinds; the categories follow in their order.
            fact.kinds[popcount(cards) - 1 if category == at.LOW else at.PLAY_SIZE - 2 + category] += 1
            apply_play(state, hands, cards, strength)


@kernel(
    signature=types.void(
        types.UniTuple(POLICY_TYPE, at.SEATS),
        types.UniTuple(PARAMS_TYPE, at.SEATS),
        types.uint64[:, ::1],
        types.Array(PUBLIC_TYPE, 1, "C"),
        types.Array(from_dtype(WORKSPACE), 1, "C"),
        types.uint64[::1],
        types.int64[::1],
        types.uint64[:, ::1],
        types.int64,
        types.int64[:, ::1],
        types.Array(from_dtype(RESULT), 2, "C"),
        types.Array(from_dtype(CENSUS), 1, "C"),
    )
)
def _census_kernel(
    policies, params, streams, public_array, workspace, plays, strengths, key, first, seating, results, facts
):
    """Write to `facts` CENSUS[n] what happened in the deals `first`, `first` + 1, …

    `public_array` holds two records: the deal as it is played, and the state in which its log is followed. `results`
    RESULT[1, 1] is scratch; all else as in the loop of `selfplay`.
    """
    for i in range(facts.shape[0]):
        play_blocks_kernel(
            policies,
            params,
            streams,
            public_array[:1],
            workspace,
            plays,
            strengths,
            key,
            first + i,
            seating,
            results,
        )
        dealt, hands = workspace[0].dealt, workspace[0].hands
        result = results[0, 0]
        fact = facts[i]
        fact.winner = result.winner
        for seat in range(at.SEATS):
            fact.hands[seat] = dealt[seat]
            hands[seat] = dealt[seat]
            fact.left[seat] = result.left[seat]
            fact.points[seat] = result.points[seat]
        _follow(public_array[0], public_array[1], hands, fact)


def census(
    agents: Sequence[PolicyAgent],
    rules: Rules,
    seed: int = 0,
    deals: int = 100_000,
    first: int = 0,
    workers: int = 1,
) -> npt.NDArray[Any]:
    """Play the deals `first` to `first` + `deals` - 1 of a root seed; return what happened in each: CENSUS[deals].

    `agents` are four compiled ones by seat, and all of them keep their seats. Every deal stands alone: the holder of
    the lowest card leads. `workers` threads play; the outcome does not depend on their number. A deal takes 80 bytes.

    Raises AgentError for other than four agents or one that is not compiled, ValueError for less than one deal.
    """
    seated = tuple(agents)
    for agent in seated:
        if not isinstance(agent, PolicyAgent):
            raise AgentError(f"{agent.name} is not compiled; what is played by the million must be")
    if len(seated) != at.SEATS:
        raise AgentError(f"{len(seated)} agents are seated; there must be {at.SEATS}, one a seat")
    if deals < 1 or first < 0:
        raise ValueError(f"deals is {deals} and first {first}; they must be at least 1 and 0")
    key = root_key(seed)
    facts = np.zeros(deals, CENSUS)
    starts = [*range(0, deals, PORTION), deals]
    # NumPy keeps its handling of overflows by thread; without compilation words must wrap in these as well.
    with ThreadPoolExecutor(max(1, workers), initializer=partial(np.seterr, **np.geterr())) as threads:
        tasks = [
            threads.submit(_take, seated, rules, key, first + start, facts[start:end])
            for start, end in itertools.pairwise(starts)
        ]
        try:
            for task in tasks:
                task.result()
        except BaseException:
            for task in tasks:
                task.cancel()
            raise
    return facts


def _take(agents: Any, rules: Rules, key: npt.NDArray[np.uint64], first: int, facts: npt.NDArray[Any]) -> None:
    plays, strengths = new_buffers()
    _census_kernel(
        tuple(agent.function for agent in agents),
        params_of(agents),
        np.zeros((at.SEATS, STREAM_WORDS), np.uint64),
        np.concatenate([new_public(rules), new_public(rules)]),
        np.zeros(1, WORKSPACE),
        plays,
        strengths,
        key,
        first,
        np.arange(at.SEATS, dtype=np.int64)[None],
        np.zeros((1, 1), RESULT),
        facts,
    )
