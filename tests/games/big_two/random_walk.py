"""A walk through deals at random, or along a log, that checks every step itself and tells the first fault."""

import random
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pytest

from bigtwo_sim.core.kernel import NO_BITS, kernel, popcount
from bigtwo_sim.core.rng import DECK, STREAM_WORDS, below, new_stream, root_key, seed_stream
from bigtwo_sim.games.big_two import Rules
from bigtwo_sim.games.big_two import layout as at
from bigtwo_sim.games.big_two.kernels.moves import new_buffers
from bigtwo_sim.games.big_two.kernels.scoring import settle as settle_kernel
from bigtwo_sim.games.big_two.kernels.turns import (
    apply_pass,
    apply_play,
    deal_hands,
    legal_actions,
    new_public,
    start_deal,
)
from tests.games.big_two.sides import CARDS, rich_cards, text

FAULTS = (
    "none",
    "the hand, the cards played and their numbers do not make up the hand that was dealt",
    "a hand is empty and the deal goes on, or the other way round",
    "the seat whose turn it is holds no cards, or has passed and may not return",
    "legal plays are not in order, or one stands there twice",
    "a legal play is not in the hand",
    "a legal play does not beat the table",
    "there is neither a play nor a pass",
    "who leads may pass",
    "the log does not tell the step",
    "more steps than a deal can have",
    "a step on the log is not legal",
)
(
    _,
    NOT_CONSERVED,
    WRONG_END,
    WRONG_TURN,
    NOT_IN_ORDER,
    NOT_IN_HAND,
    DOES_NOT_BEAT,
    STUCK,
    LEADER_PASSES,
    WRONG_LOG,
    TOO_LONG,
    ILLEGAL_LOG,
) = range(len(FAULTS))


@kernel
def fault_between_steps(public: Any, hands: Any, dealt: Any) -> Any:
    """What is wrong with the state of a deal, whoever's turn it is."""
    empty = 0
    for seat in range(at.SEATS):
        if hands[seat] & public.played[seat] != NO_BITS or hands[seat] | public.played[seat] != dealt[seat]:
            return NOT_CONSERVED
        if public.left[seat] != popcount(hands[seat]):
            return NOT_CONSERVED
        if hands[seat] == NO_BITS:
            empty += 1
            if public.winner != seat:
                return WRONG_END
    if (empty == 1) != (public.winner >= 0):
        return WRONG_END
    if empty == 0 and public.passed >> public.turn & 1 and public.rules[at.LOCKED_OUT]:
        return WRONG_TURN
    return 0


@kernel
def fault_of_plays(public: Any, hand: Any, plays: Any, strengths: Any, count: Any, may_pass: Any) -> Any:
    """What is wrong with a list of legal plays."""
    if count + may_pass == 0:
        return STUCK
    if may_pass and public.size_to_beat == 0:
        return LEADER_PASSES
    for i in range(count):
        size = popcount(plays[i])
        if plays[i] == NO_BITS or plays[i] & ~hand != NO_BITS:
            return NOT_IN_HAND
        bomb = strengths[i] >= at.BOMB
        if strengths[i] <= public.strength_to_beat or (
            public.size_to_beat > 0 and size != public.size_to_beat and not bomb
        ):
            return DOES_NOT_BEAT
        if i > 0:
            size_before = popcount(plays[i - 1])
            if size < size_before:
                return NOT_IN_ORDER
            if size == size_before and strengths[i] < strengths[i - 1]:
                return NOT_IN_ORDER
            if size == size_before and strengths[i] == strengths[i - 1] and plays[i] <= plays[i - 1]:
                return NOT_IN_ORDER
    return 0


@kernel
def walk(
    publics: Any,
    hands: Any,
    dealt: Any,
    leaders: Any,
    logs: Any,
    passes: Any,
    plays: Any,
    strengths: Any,
    stream: Any,
    points: Any,
    faults: Any,
) -> None:
    """Play deals at random, or as `logs` tells them, and check every step.

    Row i of each is deal i: publics PUBLIC[n] and hands uint64[n, 4] are written, dealt uint64[n, 4] and leaders
    int64[n] are read; `logs` uint64[n, MAX_TURNS] is followed, without any rows there is chance. A pass weighs as much
    as `passes` plays. points int64[n, 4] and faults int64[n] (places in FAULTS) are written.
    """
    for i in range(dealt.shape[0]):
        public = publics[i]
        for seat in range(at.SEATS):
            hands[i, seat] = dealt[i, seat]
        start_deal(public, hands[i], leaders[i])
        fault = fault_between_steps(public, hands[i], dealt[i])
        while fault == 0 and public.winner < 0:
            seat = public.turn
            turns = public.turns
            if turns >= at.MAX_TURNS:
                fault = TOO_LONG
                break
            count, may_pass = legal_actions(public, hands[i, seat], plays, strengths)
            fault = fault_of_plays(public, hands[i, seat], plays, strengths, count, may_pass)
            if fault:
                break
            choice = 0
            if logs.shape[0] == 0:
                choice = below(stream, count + may_pass * passes)
            else:
                while choice < count and plays[choice] != logs[i, turns]:
                    choice += 1
                if choice == count and (logs[i, turns] != NO_BITS or may_pass == 0):
                    fault = ILLEGAL_LOG
                    break
            cards = NO_BITS
            if choice < count:
                cards = plays[choice]
                apply_play(public, hands[i], cards, strengths[choice])
            else:
                apply_pass(public)
            fault = fault_between_steps(public, hands[i], dealt[i])
            if public.turns != turns + 1 or public.log[turns] != cards or public.log_seats[turns] != seat:
                fault = WRONG_LOG
        settle_kernel(hands[i], public.winner, public.rules, points[i])
        faults[i] = fault


@kernel
def deal_all(dealt: Any, cards: Any, stream: Any, key: Any) -> None:
    """Deal numbers 0, 1, 2, … of `key` to dealt uint64[n, 4]; cards int64[52] and stream uint64[4] are scratch."""
    for i in range(dealt.shape[0]):
        seed_stream(stream, key, i, DECK)
        deal_hands(dealt[i], cards, stream)


class Walked(NamedTuple):
    """Deals played to their end, one a row."""

    rules: Rules
    dealt: npt.NDArray[np.uint64]
    leaders: npt.NDArray[np.int64]
    publics: npt.NDArray[Any]
    hands: npt.NDArray[np.uint64]
    points: npt.NDArray[np.int64]

    def hands_of(self, i: int, plain: SimpleNamespace) -> list[tuple[str, ...]]:
        """The hands that were dealt in deal i."""
        return [text(hand, plain) for hand in self.dealt[i].tolist()]

    def leader(self, i: int) -> int | None:
        return None if self.leaders[i] < 0 else int(self.leaders[i])

    def log(self, i: int) -> Iterator[tuple[int, int]]:
        """The steps of deal i: seat and cards."""
        turns = int(self.publics["turns"][i])
        yield from zip(self.publics["log_seats"][i].tolist()[:turns], self.publics["log"][i].tolist(), strict=False)


def walked(
    chosen: Rules,
    dealt: npt.NDArray[np.uint64],
    leaders: npt.NDArray[np.int64],
    passes: int,
    logs: npt.NDArray[np.uint64] | None = None,
) -> Walked:
    """Walk deals; raises AssertionError that tells the first fault."""
    count = len(dealt)
    publics = np.repeat(new_public(chosen), count)
    hands = np.zeros((count, at.SEATS), np.uint64)
    points = np.zeros((count, at.SEATS), np.int64)
    faults = np.zeros(count, np.int64)
    logs = np.zeros((0, at.MAX_TURNS), np.uint64) if logs is None else np.ascontiguousarray(logs)
    walk(publics, hands, dealt, leaders, logs, passes, *new_buffers(), new_stream(root_key(7), 0, 1), points, faults)
    done = Walked(chosen, dealt, leaders, publics, hands, points)
    if faults.any():
        i = int(np.flatnonzero(faults)[0])
        steps = [(seat, chosen.deck.text(bits)) for seat, bits in done.log(i)]
        hands_dealt = [chosen.deck.text(bits) for bits in dealt[i].tolist()]
        pytest.fail(f"{FAULTS[faults[i]]}: {chosen}, {hands_dealt}, leader {leaders[i]}, {steps}")
    return done


def whole_deals(seed: int, count: int) -> npt.NDArray[np.uint64]:
    """The hands of deals 0, 1, 2, … of a seed: uint64[count, 4]."""
    dealt = np.zeros((count, at.SEATS), np.uint64)
    deal_all(dealt, np.zeros(CARDS, np.int64), np.zeros(STREAM_WORDS, np.uint64), root_key(seed))
    return dealt


def short_deals(seed: int, count: int) -> npt.NDArray[np.uint64]:
    """Hands of one to thirteen cards from rich packs, the lowest card among them: uint64[count, 4]."""
    chance = random.Random(seed)
    dealt = np.zeros((count, at.SEATS), np.uint64)
    for i in range(count):
        sizes = [chance.choice((1, 2, 3, 5, 8, 13)) for _ in range(at.SEATS)]
        numbers = rich_cards(chance, sum(sizes))
        if 0 not in numbers:
            numbers[chance.randrange(len(numbers))] = 0
        for seat, size in enumerate(sizes):
            dealt[i, seat] = sum(1 << numbers.pop() for _ in range(size))
    return dealt


def no_leader(count: int) -> npt.NDArray[np.int64]:
    return np.full(count, -1, np.int64)
