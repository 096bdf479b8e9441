"""What `bigtwo bench` measures of poker: hands ranked a second, beside phevaluator and beside plain copying."""

from __future__ import annotations

import importlib
import threading
from collections import deque
from itertools import starmap
from typing import Any

import numpy as np
import numpy.typing as npt

from bigtwo_sim.bench.engine import SEED, Work, in_turns, throughput
from bigtwo_sim.core.kernel import NO_BITS, ONE, U64, kernel
from bigtwo_sim.core.rng import below, new_stream, root_key
from bigtwo_sim.games.big_two import Rules
from bigtwo_sim.poker import POKER_DECK, CardSet, equity
from bigtwo_sim.poker.kernels.strength import new_rows, strengths_kernel

MILLION = 1_000_000  # hands, the unit of work
HANDS = 4 * MILLION  # 32 MB, and 16 MB of strengths: more than caches hold
FEWER_HANDS = 50_000  # for phevaluator, so that its tuples are at hand


@kernel
def _deal_at_random(hands: Any, cards: Any, deck: Any, stream: Any) -> None:
    """Fill `hands` (uint64[n]) with random hands of `cards` cards each from the `deck` cards of a deck."""
    for i in range(hands.shape[0]):
        hand = NO_BITS
        dealt = 0
        while dealt < cards:
            card = ONE << U64(below(stream, deck))
            if not hand & card:
                hand |= card
                dealt += 1
        hands[i] = hand


@kernel
def _copy(hands: Any, results: Any) -> None:
    """Read and write as ranking does, and nothing else."""
    for i in range(hands.shape[0]):
        results[i] = np.int32(hands[i])


def random_hands(number: int, cards: int) -> npt.NDArray[np.uint64]:
    """So many random hands of `cards` cards each, always the same."""
    hands = np.zeros(number, np.uint64)
    _deal_at_random(hands, cards, POKER_DECK.size, new_stream(root_key(SEED), 0, 0))
    return hands


class _Results(threading.local):
    """What each thread writes to, its pages touched once."""

    def __init__(self) -> None:
        self.strengths = np.zeros(HANDS, np.int32)
        self.rows = new_rows()


def _ranking(cards: int) -> Work:
    hands, results = random_hands(HANDS, cards), _Results()

    def work(first: int, amount: int) -> None:
        for million in range(amount):
            part = _part(million)
            strengths_kernel(hands[part], results.strengths[part], results.rows)

    return work


def _copying() -> Work:
    hands, results = random_hands(HANDS, 5), _Results()

    def work(first: int, amount: int) -> None:
        for million in range(amount):
            part = _part(million)
            _copy(hands[part], results.strengths[part])

    return work


def _part(million: int) -> slice:
    start = million * MILLION % HANDS
    return slice(start, start + MILLION)


def _phevaluator(cards: int) -> Work | None:
    """The same hands by the extension module under phevaluator's functions, which is the fastest way into it."""
    try:
        module = importlib.import_module("phevaluator._pheval")
    except ImportError:
        return None
    evaluate = getattr(module, f"evaluate_{cards}cards")
    # Its numbers of cards are ours.
    hands = [
        tuple(card for card in range(POKER_DECK.size) if hand >> card & 1)
        for hand in random_hands(FEWER_HANDS, cards).tolist()
    ]

    def work(first: int, amount: int) -> None:
        for _ in range(amount * MILLION // FEWER_HANDS):
            deque(starmap(evaluate, hands), 0)

    return work


@throughput("poker_five", "M hands/s")
def _five(rules: Rules) -> Work:
    return _ranking(5)


@throughput("poker_seven", "M hands/s")
def _seven(rules: Rules) -> Work:
    return _ranking(7)


@throughput("poker_copy", "M hands/s")
def _copies(rules: Rules) -> Work:
    """The bound that memory sets: eight bytes read and four written a hand."""
    return _copying()


@throughput("poker_equity", "questions/s")
def _equities(rules: Rules) -> Work:
    """Aces against kings before the board, exactly: 1,712,304 deals of two hands."""
    hands = [CardSet.parse(cards, POKER_DECK) for cards in ("AS AH", "KS KH")]

    def work(first: int, amount: int) -> None:
        for _ in range(amount):
            equity(hands)

    return work


def _beside_phevaluator(cards: int) -> tuple[Work, Work] | None:
    other = _phevaluator(cards)
    return None if other is None else (_ranking(cards), other)


@in_turns("poker_five_ratio", "x phevaluator")
def _five_beside_phevaluator() -> tuple[Work, Work] | None:
    return _beside_phevaluator(5)


@in_turns("poker_seven_ratio", "x phevaluator")
def _seven_beside_phevaluator() -> tuple[Work, Work] | None:
    return _beside_phevaluator(7)


@in_turns("poker_five_bound", "% of copying", scale=100)
def _five_beside_copying() -> tuple[Work, Work]:
    return _ranking(5), _copying()


@in_turns("poker_seven_bound", "% of copying", scale=100)
def _seven_beside_copying() -> tuple[Work, Work]:
    return _ranking(7), _copying()
