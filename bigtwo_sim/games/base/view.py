"""What is seen of a deal in progress, whichever the game: by everybody, and by one seat."""

from __future__ import annotations

import random
from functools import cached_property
from typing import Any, ClassVar, Generic, TypeVar

import numpy as np
import numpy.typing as npt

from bigtwo_sim.core.cards import CardSet
from bigtwo_sim.core.rng import GIVEN, content_seed, first_words, root_key
from bigtwo_sim.games.base.agent import IllegalPlay
from bigtwo_sim.games.base.copying import Copyable
from bigtwo_sim.games.base.kernels.tricks import NO_STRENGTH, NOBODY
from bigtwo_sim.games.base.ruleset import RuleSet

AnyRules = TypeVar("AnyRules", bound=RuleSet)
AnyPlay = TypeVar("AnyPlay")


class BaseView(Copyable):
    """What a view of any game has: a random stream of the seat's own, and the cards that it has not seen."""

    rules: Any
    hand: CardSet
    played: tuple[CardSet, ...]
    stream_seed: int

    @cached_property
    def random(self) -> random.Random:
        """A random stream of this seat's own for this turn: the same for the same deal and turns."""
        return random.Random(self.stream_seed)

    @property
    def unseen(self) -> CardSet:
        """The cards that are in the other hands, or in a kitty that nobody has taken yet."""
        bits = (1 << self.rules.deck.size) - 1
        for cards in (self.hand, *self.played):
            bits &= ~cards.bits
        return CardSet(bits, self.rules.deck)


def record_of(view: Any, array: npt.NDArray[np.void]) -> npt.NDArray[np.void]:
    """Write what the record of any game has of a deal that `view` looks at to `array`, a new one; return it."""
    record: Any = array[0]
    players = len(view.left)
    record.turn = view.seat
    record.owner = NOBODY if view.play_owner is None else view.play_owner
    record.strength_to_beat = NO_STRENGTH
    if view.play_to_beat is not None:
        record.play_to_beat = view.play_to_beat.cards.bits
        record.size_to_beat = view.play_to_beat.size
        record.strength_to_beat = view.play_to_beat.strength
    record.passed = sum(1 << seat for seat, passed in enumerate(view.passed) if passed)
    record.may_pass = view.may_pass
    record.winner = next((seat for seat, cards in enumerate(view.left) if not cards), NOBODY)
    record.left[:players] = view.left
    record.played[:players] = [cards.bits for cards in view.played]
    record.totals[:players] = view.totals
    record.turns = len(view.log)
    for turn, (seat, cards) in enumerate(view.log):
        record.log[turn] = cards.bits
        record.log_seats[turn] = seat
    return array


def seed_of_position(hand: CardSet, record: npt.NDArray[np.void]) -> int:
    """The `stream_seed` of a position without a deal, from what its seat sees: the hand, and the public record."""
    return content_seed(hand.bits, record.tobytes())


class DealInProgress(Copyable, Generic[AnyRules, AnyPlay]):
    """A deal in progress: a base for the deals of each game, which say what a play is and how it is laid.

    What it gives out is made anew each time and never read again, so nobody can change the deal through it.
    """

    _HANDLES: ClassVar[tuple[str, ...]] = ("_public", "_buffers", "_count", "_shown_rules")

    rules: AnyRules
    _hands: npt.NDArray[np.uint64]
    _dealt: tuple[int, ...]
    _public_array: npt.NDArray[np.void]
    _public: Any
    """The record in `_public_array`."""
    _buffers: tuple[npt.NDArray[np.uint64], npt.NDArray[np.int64]]
    """The options of the seat whose turn it is and their strengths, the first `_count` entries."""
    _count: int
    _shown_rules: dict[int, AnyRules]
    """Of each seat that had a view, the rules in its views: a copy of its own."""
    _seat_seeds: tuple[int, ...]

    def _make_handles(self) -> None:
        self._public = self._public_array[0]
        self._buffers = self._new_buffers()
        self._shown_rules = {}
        self._find_options()

    @staticmethod
    def _new_buffers() -> tuple[npt.NDArray[np.uint64], npt.NDArray[np.int64]]:
        """Room for the options of a turn."""
        raise NotImplementedError

    def _find_options(self) -> None:
        """Write the options of the seat whose turn it is to the buffers, and how many they are to `_count`."""
        self._count = 0
        if not self.is_over:
            self._count = self._write_options()

    def _write_options(self) -> int:
        raise NotImplementedError

    @staticmethod
    def _make_play(bits: int, strength: int, rules: AnyRules) -> AnyPlay:
        """The play of raw bits and their strength, as kernels give them."""
        raise NotImplementedError

    def _rules_shown(self, seat: int) -> AnyRules:
        found = self._shown_rules.get(seat)
        if found is None:
            found = self._shown_rules[seat] = self.rules.copy()
        return found

    def _seed_seats(self, seed: int | None) -> None:
        """Give every seat a number of its own: from `seed`, or None: each from its hand and what everybody sees.

        For deals that have no root seed. Raises like `root_key`.
        """
        if seed is not None:
            self._seat_seeds = first_words(root_key(seed), 0, GIVEN, self.rules.players)
            return
        public = self._public_array.tobytes()
        self._seat_seeds = tuple(
            content_seed(int(self._hands[seat]), bytes([seat]) + public) for seat in range(self.rules.players)
        )

    # --- what everybody sees ------------------------------------------------------------------------------------------
    @property
    def turn(self) -> int:
        """The seat whose turn it is."""
        return int(self._public.turn)

    @property
    def play_to_beat(self) -> AnyPlay | None:
        """The play to beat; None on lead."""
        return self._play_to_beat(self.rules)

    def _play_to_beat(self, rules: AnyRules) -> AnyPlay | None:
        if not self._public.size_to_beat:
            return None
        return self._make_play(int(self._public.play_to_beat), int(self._public.strength_to_beat), rules)

    @property
    def left(self) -> tuple[int, ...]:
        """Cards left by seat."""
        return self._by_seat("left")

    @property
    def log(self) -> list[tuple[int, CardSet]]:
        """All turns so far (after an auction): (seat, cards), no cards for a pass."""
        return self._log(self.rules)

    def _log(self, rules: AnyRules) -> list[tuple[int, CardSet]]:
        turns, deck = int(self._public.turns), rules.deck
        pairs = zip(self._public.log_seats[:turns].tolist(), self._public.log[:turns].tolist(), strict=True)
        return [(seat, CardSet.of_engine(bits, deck)) for seat, bits in pairs]

    @property
    def is_over(self) -> bool:
        """Whether a hand is empty."""
        return int(self._public.winner) >= 0

    @property
    def winner(self) -> int | None:
        """The seat whose hand is empty; None while the deal runs."""
        return int(self._public.winner) if self.is_over else None

    def _by_seat(self, field: str) -> tuple[int, ...]:
        return tuple(self._public_array[field][0, : self.rules.players].tolist())

    # --- what only the table's owner sees -----------------------------------------------------------------------------
    @property
    def hands(self) -> tuple[CardSet, ...]:
        """The hands now."""
        return tuple(self._set(bits) for bits in self._hands[: self.rules.players])

    @property
    def dealt(self) -> tuple[CardSet, ...]:
        """The hands as dealt, without a kitty."""
        return tuple(self._set(bits) for bits in self._dealt[: self.rules.players])

    def _set(self, bits: Any) -> CardSet:
        return CardSet(int(bits), self.rules.deck)

    # --- the turn -----------------------------------------------------------------------------------------------------
    def legal_plays(self) -> list[AnyPlay]:
        """The legal plays of the seat whose turn it is, weakest first; none when the deal is over."""
        return self._legal_plays(self.rules)

    def _legal_plays(self, rules: AnyRules) -> list[AnyPlay]:
        plays, strengths = self._buffers
        pairs = zip(plays[: self._count].tolist(), strengths[: self._count].tolist(), strict=True)
        return [self._make_play(bits, strength, rules) for bits, strength in pairs]

    @property
    def may_pass(self) -> bool:
        """Whether the seat whose turn it is may pass."""
        return not self.is_over and bool(self._public.may_pass)

    @property
    def has_choice(self) -> bool:
        """Whether the seat whose turn it is has more than one option, so that an agent is asked."""
        return not self.is_over and self._count + int(self._public.may_pass) > 1

    def _raise_if_over(self) -> None:
        if self.is_over:
            raise IllegalPlay(f"the deal is over; seat {self.winner} has won")

    def _why_no_cards(self, cards: CardSet) -> str:
        """Why the seat whose turn it is cannot lay `cards` whatever lies on the table; empty where it can."""
        if not cards:
            return f"seat {self.turn} laid no cards; to pass is pass_()"
        hand = self.hands[self.turn]
        return "" if cards <= hand else f"seat {self.turn} does not hold {cards - hand}"

    def _passed(self) -> tuple[bool, ...]:
        """By seat, whether it has passed."""
        return tuple(bool(self._public.passed >> seat & 1) for seat in range(self.rules.players))

    def _played(self, rules: AnyRules) -> tuple[CardSet, ...]:
        """By seat, the cards that it has played."""
        played = self._public.played[: self.rules.players].tolist()
        return tuple(CardSet.of_engine(bits, rules.deck) for bits in played)

    def _seat_of_view(self, seat: int | None) -> int:
        """The seat that a view is of, by default the one whose turn it is. Raises ValueError for none."""
        seat = self.turn if seat is None else seat
        if not 0 <= seat < self.rules.players:
            raise ValueError(f"seat is {seat}; it must be from 0 to {self.rules.players - 1}")
        return seat
