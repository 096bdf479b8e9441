"""The compiled loop: whole blocks of deals between policies, without a word of Python in between, made for a game.

A block is one deck, played once under every seating: with the hands, whatever else hangs on the seats goes round among
the members of the line-up.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from numba import from_dtype, types

from bigtwo_sim.core.kernel import U64, kernel
from bigtwo_sim.core.rng import DECK, POLICY, STREAM_WORDS, first_word, seed_stream, start_stream
from bigtwo_sim.games.base.agent import PARAMS_TYPE, PolicyAgent, params_of

SLOTS = 4
"""Policies of a line-up; where fewer play, nobody sits in the last ones."""


@dataclass(frozen=True)
class LoopedGame:
    """A game as the loop sees it. `public` is a record of its public half, `hands` its hidden half, uint64[hands]."""

    public: np.dtype[Any]
    result: np.dtype[Any]
    """What is kept of a deal: `winner`, and by seat `left`, `points`, `decisions` and `forfeits`; perhaps more."""
    hands: int
    """Entries of the hidden half: the hands by seat, and perhaps more."""
    cards: int
    policy_type: Any
    new_public: Callable[[Any], Any]
    """new_public(rules) -> public[1], with the rules filled in"""
    new_buffers: Callable[[], tuple[Any, Any]]
    """Buffers for one list of legal plays."""
    deal: Callable[..., Any]
    """deal(hands, public, cards, stream): shuffles and deals"""
    start: Callable[..., Any]
    """start(public, hands): begins a deal"""
    legal_actions: Callable[..., Any]
    """legal_actions(public, hand, plays, strengths) -> (count, may_pass)"""
    apply_play: Callable[..., Any]
    """lay(public, hands, play, strength)"""
    apply_pass: Callable[..., Any]
    """apply_pass(public, hands)"""
    settle: Callable[..., Any]
    """settle(public, hands, points): who gets what, int64[seats]"""
    note: Callable[..., Any]
    """note(public, result): writes what `result` has besides what every game keeps"""

    def workspace(self) -> np.dtype[Any]:
        """The scratch space of the loop, a record."""
        fields = [
            ("cards", np.int64, (self.cards,)),
            ("deck_stream", np.uint64, (STREAM_WORDS,)),
            ("words", np.uint64, (SLOTS,)),  # by seat, what the stream of its policy starts from
            ("dealt", np.uint64, (self.hands,)),
            ("hands", np.uint64, (self.hands,)),
            *((name, np.int64, (SLOTS,)) for name in ("slots", "decisions", "forfeits", "points")),
        ]
        return np.dtype((np.record, np.dtype(fields, align=True)))


@dataclass(frozen=True)
class BlockLoop:
    """The loop of a game."""

    play_blocks: Callable[..., npt.NDArray[Any]]
    play_blocks_kernel: Callable[..., Any]
    """The kernel behind it."""
    play_deal: Callable[..., Any]
    """The kernel that plays one deal, for other loops."""


def make_block_loop(game: LoopedGame) -> BlockLoop:
    """The loop of `game`."""
    workspace_type = game.workspace()
    entries = game.hands
    deal, start, settle, note = game.deal, game.start, game.settle, game.note
    legal_actions, apply_play, apply_pass = game.legal_actions, game.apply_play, game.apply_pass

    @kernel(inline=True)
    def play_deal(policies, params, streams, public, work, plays, strengths):
        """Play the deal that `public` and `work.hands` begin to its end, and write `work.points`.

        `policies`, `params` and `streams` are by slot of the line-up, `work.slots` is the slot at each seat; what the
        seats decide and forfeit is added to `work.decisions` and `work.forfeits`.
        """
        hands, slots, decisions, forfeits = work.hands, work.slots, work.decisions, work.forfeits
        policy_0, policy_1, policy_2, policy_3 = policies
        params_0, params_1, params_2, params_3 = params
        stream_0, stream_1, stream_2, stream_3 = streams[0], streams[1], streams[2], streams[3]
        while public.winner < 0:
            seat = public.turn
            hand = hands[seat]
            count, may_pass = legal_actions(public, hand, plays, strengths)
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
                apply_play(public, hands, plays[U64(choice)], strengths[U64(choice)])
            else:
                apply_pass(public, hands)
        settle(public, hands, work.points)

    @kernel(
        signature=types.void(
            types.UniTuple(game.policy_type, SLOTS),
            types.UniTuple(PARAMS_TYPE, SLOTS),
            types.uint64[:, ::1],
            types.Array(from_dtype(game.public), 1, "C"),
            types.Array(from_dtype(workspace_type), 1, "C"),
            types.uint64[::1],
            types.int64[::1],
            types.uint64[:, ::1],
            types.int64,
            types.int64[:, ::1],
            types.Array(from_dtype(game.result), 2, "C"),
        )
    )
    def play_blocks_kernel(
        policies, params, streams, public_array, workspace, plays, strengths, key, first, seatings, results
    ):
        """Play blocks `first`, `first` + 1, …: each one deck under every seating.

        `policies`, `params` and `streams` are by slot of the line-up, `key` is that of `rng.root_key`; `seatings`
        int64[n, players] gives the slot at each seat. `results` RESULT[blocks, n] is written, everything in between is
        scratch.
        """
        public = public_array[0]
        work = workspace[0]
        cards, deck_stream, dealt, hands = work.cards, work.deck_stream, work.dealt, work.hands
        slots, decisions, forfeits, points = work.slots, work.decisions, work.forfeits, work.points
        words = work.words
        players = seatings.shape[1]
        for block in range(results.shape[0]):
            seed_stream(deck_stream, key, first + block, DECK)
            deal(dealt, public, cards, deck_stream)
            for seat in range(players):
                words[seat] = first_word(key, first + block, POLICY + seat)
            for seating in range(seatings.shape[0]):
                for i in range(entries):
                    hands[i] = dealt[i]
                for seat in range(players):
                    slots[seat] = seatings[seating, seat]
                    decisions[seat] = 0
                    forfeits[seat] = 0
                    start_stream(streams[slots[seat]], words[seat])
                start(public, hands)
                play_deal(policies, params, streams, public, work, plays, strengths)
                result = results[block, seating]
                result.winner = public.winner
                for seat in range(players):
                    result.left[seat] = public.left[seat]
                    result.points[seat] = points[seat]
                    result.decisions[seat] = decisions[seat]
                    result.forfeits[seat] = forfeits[seat]
                note(public, result)

    def play_blocks(
        agents: Sequence[PolicyAgent],
        rules: Any,
        key: npt.NDArray[np.uint64],
        first: int,
        blocks: int,
        seatings: npt.NDArray[np.int64],
    ) -> npt.NDArray[Any]:
        """Play `blocks` blocks from number `first` on, each one deck under every seating.

        `agents` is the line-up, as many as `rules.players`; `key` comes from `rng.root_key`; `seatings` int64[n,
        players] gives the slot of the line-up at each seat. Returns RESULT[blocks, n]. Runs without the GIL. A policy
        that answers with an index out of range forfeits the decision: it passes where it may, else lays its weakest
        play.

        Raises ValueError for a line-up or seatings of another number of players.
        """
        if len(agents) != rules.players or seatings.shape[1:] != (rules.players,):
            raise ValueError(
                f"there are {len(agents)} agents and {seatings.shape[-1]} seats; the rules have {rules.players} players"
            )
        results = np.zeros((blocks, len(seatings)), game.result)
        plays, strengths = game.new_buffers()
        seated = [*agents, agents[0]][:SLOTS]
        play_blocks_kernel(
            tuple(agent.function for agent in seated),
            params_of(seated),
            np.zeros((SLOTS, STREAM_WORDS), np.uint64),
            game.new_public(rules),
            np.zeros(1, workspace_type),
            plays,
            strengths,
            key,
            first,
            np.ascontiguousarray(seatings, np.int64),
            results,
        )
        return results

    return BlockLoop(play_blocks, play_blocks_kernel, play_deal)
