"""How much of the pot each hand wins on average over the cards still to come: all of them, or a sample.

A *deal* completes the board to five cards and gives two cards to each hand that is not known; all deals are equally
likely. Where all of them can be counted within about a second they are, otherwise some are sampled.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from bigtwo_sim.core.cards import CardSet
from bigtwo_sim.core.code_cache import INTERPRETED
from bigtwo_sim.core.kernel import NO_BITS, ONE, U64, kernel
from bigtwo_sim.core.rng import DECK, STREAM_WORDS, below, root_key, seed_stream
from bigtwo_sim.poker.comparison import BOARD_CARDS, HOLE_CARDS, NO_CARDS, check_cards
from bigtwo_sim.poker.kernels.strength import BLOCK, POKER_DECK, PokerError, new_rows, strengths_kernel

HANDS_A_SECOND = 10_000 if INTERPRETED else 100_000_000
"""Hands that one core deals and ranks a second, at least: measured 170 to 300 million (`bigtwo bench`, poker_equity).
A constant and no clock, so that a question gets the same kind of answer on every machine."""
DEALS = 1_000_000
"""Deals sampled where the number is left open."""
MOST_HANDS = (POKER_DECK.size - BOARD_CARDS) // HOLE_CARDS
_Z = 1.959963984540054  # of a 95 % interval

Counts = npt.NDArray[np.int64]


@dataclass(frozen=True)
class HandEquity:
    """The share of the pot that one hand wins, as a part of 1. A pot split by m hands counts 1/m for each."""

    equity: float
    error: float
    """How far the 95 % interval of `equity` reaches to either side; 0 where it is exact."""
    win: float
    """How often it wins alone."""
    tie: float
    """How often it splits the pot."""


@dataclass(frozen=True)
class Equity:
    """The equity of each hand, in the order in which the hands were given."""

    hands: tuple[HandEquity, ...]
    exact: bool
    """Whether all deals were counted; otherwise `deals` of them were sampled."""
    deals: int
    possible: int
    """How many deals there are."""


def equity(
    hands: Sequence[CardSet | None], board: CardSet = NO_CARDS, deals: int | None = None, seed: int = 0
) -> Equity:
    """The equity of two hands or more of two cards each; None is a hand that is not known.

    The board has up to five cards. All deals are counted if there are few enough of them; `deals` asks for a sample of
    so many instead, if that is fewer than there are. A sample hangs on `seed` (0 or more) alone.

    Raises PokerError for other numbers of hands and cards, and for a card that would have to exist twice.
    """
    if not 2 <= len(hands) <= MOST_HANDS:
        raise PokerError(f"the number of hands is {len(hands)}; it must be from 2 to {MOST_HANDS}")
    if deals is not None and deals < 1:
        raise PokerError(f"deals is {deals}; it must be at least 1")
    check_cards(hands, board)
    question = _Question.of(hands, board)
    possible = question.possible()
    exact = possible <= deals if deals is not None else possible * len(hands) <= HANDS_A_SECOND
    wanted = possible if exact else DEALS if deals is None else deals
    counts = np.zeros((len(hands), len(hands)), np.int64)
    chunks = question.all_deals() if exact else question.some_deals(wanted, root_key(seed))
    strengths, rows = np.zeros((len(hands), BLOCK), np.int32), new_rows()
    for masks, number in chunks:
        for hand in range(len(hands)):
            strengths_kernel(masks[hand, :number], strengths[hand, :number], rows)
        _count_winners(strengths, number, counts)
    return Equity(tuple(_hand_equity(row, wanted, exact) for row in counts), exact, wanted, possible)


def _hand_equity(counts: Counts, deals: int, exact: bool) -> HandEquity:
    """From `counts` (int64[hands]): in how many deals it won alone, with one other hand, with two ..."""
    parts = 1.0 / np.arange(1, len(counts) + 1)
    mean = float(counts @ parts) / deals
    error = 0.0
    if not exact:
        variance = max(0.0, float(counts @ parts**2) / deals - mean**2)
        # The longer side of Wilson's score interval (JASA 22, 1927), where a pot that is won or lost is a rare event.
        error = (_Z**2 / 2 + _Z * math.sqrt(deals * variance + _Z**2 / 4)) / deals
    return HandEquity(mean, error, int(counts[0]) / deals, int(counts[1:].sum()) / deals)


# --- deals ------------------------------------------------------------------------------------------------------------
Chunk = tuple[npt.NDArray[np.uint64], int]
"""The cards of each hand with the board, uint64[hands, BLOCK], and in how many columns."""


@dataclass(frozen=True)
class _Question:
    """What is known, as kernels want it. The cards to come are drawn one by one; each draw belongs to a group."""

    own: npt.NDArray[np.uint64]
    """Of each hand its two cards, or none; uint64[hands]."""
    groups: npt.NDArray[np.int64]
    """Of each hand the group of draws that gives it its cards, or -1; int64[hands]."""
    board: np.uint64
    live: npt.NDArray[np.uint64]
    """The cards not yet seen, one in each word."""
    draws: npt.NDArray[np.int64]
    """Of each draw its group: 0 the board, then the hands that are not known; ascending."""

    @classmethod
    def of(cls, hands: Sequence[CardSet | None], board: CardSet) -> _Question:
        seen, groups, draws = board, [], [0] * (BOARD_CARDS - len(board))
        unknown = 0
        for hand in hands:
            if hand is None:
                unknown += 1
                draws += [unknown] * HOLE_CARDS
            else:
                seen |= hand
            groups.append(unknown if hand is None else -1)
        live = [1 << card for card in range(POKER_DECK.size) if not seen.bits >> card & 1]
        own = [hand.bits if hand is not None else 0 for hand in hands]
        return cls(
            np.array(own, np.uint64),
            np.array(groups, np.int64),
            U64(board.bits),
            np.array(live, np.uint64),
            np.array(draws, np.int64),
        )

    def possible(self) -> int:
        """How many deals there are."""
        number, left = 1, len(self.live)
        for size in np.bincount(self.draws).tolist():
            number *= math.comb(left, size)
            left -= size
        return number

    def _buffers(self) -> tuple[npt.NDArray[np.uint64], npt.NDArray[np.uint64]]:
        drawn = np.zeros(1 + max(0, int(self.groups.max())), np.uint64)
        return drawn, np.zeros((len(self.own), BLOCK), np.uint64)

    def all_deals(self) -> Iterator[Chunk]:
        drawn, masks = self._buffers()
        place = np.full(len(self.draws) + 1, -1, np.int64)
        number = BLOCK
        while number == BLOCK:
            number = _next_deals(self.own, self.groups, self.board, self.live, self.draws, place, drawn, masks)
            yield masks, number

    def some_deals(self, deals: int, key: npt.NDArray[np.uint64]) -> Iterator[Chunk]:
        drawn, masks = self._buffers()
        stream = np.zeros(STREAM_WORDS, np.uint64)
        for first in range(0, deals, BLOCK):
            number = min(BLOCK, deals - first)
            _random_deals(
                self.own, self.groups, self.board, self.live, self.draws, key, first, number, stream, drawn, masks
            )
            yield masks, number


@kernel(inline=True)
def _write_deal(own, groups, board, drawn, column, masks):
    for hand in range(own.shape[0]):
        group = groups[hand]
        masks[hand, column] = board | drawn[0] | (own[hand] if group < 0 else drawn[group])


@kernel
def _next_deals(own, groups, board, live, draws, place, drawn, masks):
    """Write the next deals in order, one a column of `masks`; return how many: fewer than columns at the end.

    `place` (int64, one more than draws; first all -1) and `drawn` (uint64, one a group; first all 0) remember where the
    last call ended: for each draw but the last the index of its card in `live`, for the last the next index to try.
    """
    last = draws.shape[0] - 1
    cards = live.shape[0]
    if last < 0:
        _write_deal(own, groups, board, drawn, 0, masks)
        return 1
    taken = NO_BITS
    draw, index = 0, 0
    if place[0] >= 0:
        draw, index = last, place[last]
        for earlier in range(last):
            taken |= ONE << U64(place[earlier])
    column = 0
    while True:
        while index < cards and (taken >> U64(index)) & ONE:
            index += 1
        if index == cards:  # on with the draw before
            draw -= 1
            if draw < 0:
                return column
            index = place[draw]
            taken ^= ONE << U64(index)
            drawn[draws[draw]] ^= live[index]
            index += 1
        elif draw < last:
            place[draw] = index
            taken |= ONE << U64(index)
            drawn[draws[draw]] |= live[index]
            draw += 1
            index = index + 1 if draws[draw] == draws[draw - 1] else 0
        else:
            drawn[draws[draw]] |= live[index]
            _write_deal(own, groups, board, drawn, column, masks)
            drawn[draws[draw]] ^= live[index]
            index += 1
            column += 1
            if column == masks.shape[1]:
                place[last] = index
                return column


@kernel
def _random_deals(own, groups, board, live, draws, key, first, number, stream, drawn, masks):
    """Write the random deals `first` to `first` + `number` - 1, one a column of `masks`; each has its own stream."""
    cards = live.shape[0]
    for column in range(number):
        seed_stream(stream, key, first + column, DECK)
        drawn[:] = NO_BITS
        taken = NO_BITS
        for draw in range(draws.shape[0]):
            index = below(stream, cards)
            while (taken >> U64(index)) & ONE:
                index = below(stream, cards)
            taken |= ONE << U64(index)
            drawn[draws[draw]] |= live[index]
        _write_deal(own, groups, board, drawn, column, masks)


@kernel
def _count_winners(strengths, number, counts):
    """Add up in `counts` (int64[hands, hands]) how often each hand won, by how many others it won with.

    `strengths` (int32[hands, any]) are those of `number` deals.
    """
    hands = strengths.shape[0]
    for deal in range(number):
        best = strengths[0, deal]
        winners = 1
        for hand in range(1, hands):
            if strengths[hand, deal] > best:
                best = strengths[hand, deal]
                winners = 1
            elif strengths[hand, deal] == best:
                winners += 1
        for hand in range(hands):
            if strengths[hand, deal] == best:
                counts[hand, winners - 1] += 1
