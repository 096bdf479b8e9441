"""One deal as people and Python agents see it: checked plays, clear errors, and views that hide what is hidden."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from bigtwo_sim.core.cards import CardSet
from bigtwo_sim.core.kernel import U64, kernel
from bigtwo_sim.core.rng import DECK, GIVEN, first_words, new_stream, root_key
from bigtwo_sim.games.base.agent import IllegalPlay as IllegalPlay
from bigtwo_sim.games.base.plays import play_to_beat
from bigtwo_sim.games.base.view import BaseView, DealInProgress
from bigtwo_sim.games.big_two import layout as at
from bigtwo_sim.games.big_two.display.picture import Picture, draw_deal
from bigtwo_sim.games.big_two.kernels.moves import legal_plays_kernel, new_buffers
from bigtwo_sim.games.big_two.kernels.scoring import settle
from bigtwo_sim.games.big_two.kernels.turns import (
    apply_pass,
    apply_play,
    deal_hands,
    legal_actions,
    new_public,
    start_deal,
)
from bigtwo_sim.games.big_two.plays import Play, check_deck, check_rules, classify, make_play
from bigtwo_sim.games.big_two.rules import OpeningPlay, Rules


@kernel
def _turn_plays(public_array: Any, hand: Any, plays: Any, strengths: Any) -> Any:
    count, _ = legal_actions(public_array[0], hand, plays, strengths)
    return count


@kernel
def _lay(public_array: Any, hands: Any, cards: Any, strength: Any) -> None:
    apply_play(public_array[0], hands, cards, strength)


@kernel
def _pass_turn(public_array: Any) -> None:
    apply_pass(public_array[0])


@kernel
def _start(public_array: Any, hands: Any, leader: Any) -> None:
    start_deal(public_array[0], hands, leader)


@kernel
def _settle(hands: Any, winner: Any, rules: Any, points: Any) -> None:
    settle(hands, winner, rules, points)


@kernel
def _legal_plays(hand: Any, size: Any, strength: Any, rules: Any, plays: Any, strengths: Any) -> Any:
    return legal_plays_kernel(hand, size, strength, rules, plays, strengths)


@dataclass(frozen=True)
class View(BaseView):
    """What one seat can see of a deal on its turn. Seats are 0 to 3, and seat n + 1 plays after seat n."""

    rules: Rules
    seat: int
    hand: CardSet
    legal_plays: tuple[Play, ...]
    """Weakest first; empty where only a pass is possible."""
    may_pass: bool
    play_to_beat: Play | None
    """The play to beat; None on lead."""
    play_owner: int
    """The seat that laid it, or that leads."""
    left: tuple[int, ...]
    """Cards left by seat."""
    played: tuple[CardSet, ...]
    """Cards played by seat."""
    passed: tuple[bool, ...]
    """By seat, whether it has passed since the last play (locked out: in this trick)."""
    log: tuple[tuple[int, CardSet], ...]
    """All turns so far: (seat, cards), no cards for a pass."""
    totals: tuple[int, ...]
    """Points in the match before this deal, by seat."""
    stream_seed: int
    """A number of this seat's own for this turn."""


class Agent(Protocol):
    """A Python agent: anything with this method."""

    def choose(self, view: View) -> CardSet:
        """The cards to lay, one of `view.legal_plays`; an empty set passes."""


class Why(StrEnum):
    """Why cards cannot be laid, or a turn not be passed, now."""

    OVER = "over"
    NO_CARDS = "no_cards"
    NOT_HELD = "not_held"
    NO_PLAY = "no_play"
    OTHER_SIZE = "other_size"
    NOT_HIGHER = "not_higher"
    FIRST_PLAY_CONTAINS = "first_play_contains"
    FIRST_PLAY_SINGLE = "first_play_single"
    LAST_CARD_SINGLE = "last_card_single"
    LEADER_MUST_PLAY = "leader_must_play"
    LAST_CARD_MUST_BEAT = "last_card_must_beat"


@dataclass(frozen=True)
class Refusal:
    """What is wrong with a turn: the reason, for programs that have words of their own, and a sentence."""

    why: Why
    text: str


class Deal(DealInProgress[Rules, Play]):
    """One deal in progress. Make one with `Deal.new` or `Deal.from_hands`."""

    def __init__(
        self,
        rules: Rules,
        hands: npt.NDArray[np.uint64],
        leader: int | None = None,
        totals: Sequence[int] = (0,) * at.SEATS,
    ) -> None:
        if leader is not None and not 0 <= leader < at.SEATS:
            raise ValueError(f"leader is {leader}; it must be a seat from 0 to {at.SEATS - 1}")
        self.rules = rules
        self._hands = hands.astype(np.uint64)
        self._dealt = tuple(int(hand) for hand in hands)
        self._public_array = new_public(rules)
        self._public_array["totals"] = totals
        self._seat_seeds = (0,) * at.SEATS
        self.leader = leader
        self.number: tuple[int, int] | None = None
        """Root seed and number of a deal made by `Deal.new`; None for others."""
        _start(self._public_array, self._hands, -1 if leader is None else leader)
        self._make_handles()

    @classmethod
    def new(
        cls,
        rules: Rules,
        seed: int,
        index: int = 0,
        leader: int | None = None,
        totals: Sequence[int] = (0,) * at.SEATS,
    ) -> Deal:
        """Deal number `index` of root seed `seed`, the same deck that a tournament of this seed plays as this block.

        `leader` None: the holder of the lowest card leads, bound by the opening rule. `totals` are the points by seat
        in the match before this deal, which views tell. Raises TypeError for what are no rules and no whole number.
        """
        check_rules(rules)
        key = root_key(seed)
        hands = np.zeros(at.SEATS, np.uint64)
        deal_hands(hands, np.zeros(at.CARDS, np.int64), new_stream(key, index, DECK))
        deal = cls(rules, hands, leader, totals)
        deal.number = int(seed), int(index)
        deal._seat_seeds = first_words(key, index, GIVEN, at.SEATS)
        return deal

    @classmethod
    def from_hands(
        cls,
        rules: Rules,
        hands: list[CardSet],
        leader: int | None = None,
        totals: Sequence[int] = (0,) * at.SEATS,
        seed: int | None = None,
    ) -> Deal:
        """A deal of these four hands, which share no card and are not empty; they need not be 13 cards each.

        What views give their seats for random choices (`stream_seed`) depends on `seed`; None: for each seat on its own
        hand and on what everybody sees, so that the same deal has the same choices and another deal has others.

        Raises ValueError, which names the card that two hands share, or what is missing, and for a negative seed.
        """
        check_rules(rules)
        if len(hands) != at.SEATS:
            raise ValueError(f"there are {len(hands)} hands; there must be {at.SEATS}")
        seen = CardSet(0, rules.deck)
        for seat, hand in enumerate(hands):
            check_deck(hand, rules)
            if not hand:
                raise ValueError(f"the hand of seat {seat} is empty; a deal begins with cards in every hand")
            if len(hand) > at.HAND_SIZE:
                raise ValueError(f"the hand of seat {seat} has {len(hand)} cards; it must have at most {at.HAND_SIZE}")
            if hand & seen:
                raise ValueError(f"{hand & seen} is in two hands; every card exists once")
            seen |= hand
        if leader is None and not seen.bits & 1:
            raise ValueError(
                f"nobody holds the lowest card, {rules.deck.name(0)}, so leader must name the seat that leads"
            )
        deal = cls(rules, np.array([hand.bits for hand in hands], np.uint64), leader, totals)
        deal._seed_seats(seed)
        return deal

    _make_play = staticmethod(make_play)
    _new_buffers = staticmethod(new_buffers)

    @property
    def play_owner(self) -> int:
        """The seat that laid the play to beat, or that leads."""
        return int(self._public.owner)

    @property
    def totals(self) -> tuple[int, ...]:
        """Points in the match before this deal, by seat."""
        return self._by_seat("totals")

    @property
    def points(self) -> tuple[int, ...]:
        """Points by seat. Raises ValueError while the deal runs."""
        if not self.is_over:
            raise ValueError("the deal is not over; it has no points yet")
        points = np.zeros(at.SEATS, np.int64)
        _settle(self._hands, int(self._public.winner), self.rules.rule_table(), points)
        return tuple(points.tolist())

    def show(
        self,
        *,
        names: Sequence[str] | None = None,
        notes: Mapping[int, str] | Sequence[str | None] | None = None,
        seat: int | None = None,
        turn: int | None = None,
        title: str | None = None,
    ) -> Picture:
        """The deal as far as it is played, as a picture to step through; as the last value of a notebook's cell it is
        shown, and its `save` writes a page.

        `names` of the players by seat, `notes` by turn (the first is 0), `seat` whose hand alone is open, `turn` (so
        many are made) where it opens; errors as in `show_deal`.
        """
        if title is None and self.number is not None:
            title = f"Deal {self.number[1]} of seed {self.number[0]} under {self.rules.name}"
        return show_deal(
            self.rules,
            self.dealt,
            self.log,
            leader=self.leader,
            names=names,
            notes=notes,
            seat=seat,
            turn=turn,
            title=title,
        )

    # --- the turn -----------------------------------------------------------------------------------------------------
    def _write_options(self) -> int:
        return int(_turn_plays(self._public_array, self._hands[self.turn], *self._buffers))

    def play(self, cards: CardSet | str) -> None:
        """Lay `cards` for the seat whose turn it is. Raises IllegalPlay, which says why, and then nothing changed."""
        if isinstance(cards, str):
            cards = CardSet.parse(cards, self.rules.deck)
        self._raise_if(self.refusal(cards))
        legal, strengths = self._buffers
        found = np.flatnonzero(legal[: self._count] == U64(cards.bits))
        _lay(self._public_array, self._hands, U64(cards.bits), int(strengths[found[0]]))
        self._find_options()

    def pass_(self) -> None:
        """Pass for the seat whose turn it is. Raises IllegalPlay where it may not, and then nothing changed."""
        self._raise_if(self.pass_refusal())
        _pass_turn(self._public_array)
        self._find_options()

    @staticmethod
    def _raise_if(refusal: Refusal | None) -> None:
        if refusal is not None:
            raise IllegalPlay(refusal.text)

    def _over(self) -> Refusal | None:
        try:
            self._raise_if_over()
        except IllegalPlay as error:
            return Refusal(Why.OVER, str(error))
        return None

    def pass_refusal(self) -> Refusal | None:
        """Why the seat whose turn it is may not pass; None: it may."""
        if self.is_over or self._public.may_pass:
            return self._over()
        if self._public.size_to_beat:
            why, reason = (
                Why.LAST_CARD_MUST_BEAT,
                "it holds cards that beat the single on the table, and the next player holds one card",
            )
        else:
            why, reason = Why.LEADER_MUST_PLAY, "a player who leads must play"
        return Refusal(why, f"seat {self.turn} may not pass: {reason}")

    def refusal(self, cards: CardSet) -> Refusal | None:
        """Why the seat whose turn it is may not lay `cards` now; None: it may. Raises TypeError as `classify` does."""
        check_deck(cards, self.rules)
        legal, _ = self._buffers
        if self.is_over or (legal[: self._count] == U64(cards.bits)).any():
            return self._over()
        return Refusal(*self._why_not(cards))

    def _why_not(self, cards: CardSet) -> tuple[Why, str]:
        reason = self._why_no_cards(cards)
        if reason:
            return Why.NOT_HELD if cards else Why.NO_CARDS, reason
        play = classify(cards, self.rules)
        if play is None:
            return Why.NO_PLAY, f"{cards} is no play under the rules {self.rules.name}"
        table = self.play_to_beat
        if not play.beats(table):
            assert table is not None
            if play.size != table.size:
                return (
                    Why.OTHER_SIZE,
                    f"{play} has {play.size} cards, and the play on the table, {table}, has {table.size}",
                )
            return Why.NOT_HIGHER, f"{play} does not beat {table}"
        if self._public.opening and self.rules.opening_play != OpeningPlay.ANYTHING and not _obeys(play, self.rules):
            single = self.rules.opening_play == OpeningPlay.SINGLE
            lowest_card = self.rules.deck.name(0)
            return (
                Why.FIRST_PLAY_SINGLE if single else Why.FIRST_PLAY_CONTAINS,
                f"the first play must {'be the single' if single else 'contain'} {lowest_card}, and {play} does not",
            )
        top = list(self.hands[self.turn])[-1]
        return (
            Why.LAST_CARD_SINGLE,
            f"the next player holds one card, so a single must be the highest card held, {top}",
        )

    def view(self, seat: int | None = None) -> View:
        """What `seat` (by default the one whose turn it is) can see. Only on its turn has it legal plays."""
        seat = self._seat_of_view(seat)
        on_turn = seat == self.turn and not self.is_over
        rules = self._rules_shown(seat)
        return View(
            rules=rules,
            seat=seat,
            hand=CardSet(self._hands[seat], rules.deck),
            legal_plays=tuple(self._legal_plays(rules)) if on_turn else (),
            may_pass=on_turn and self.may_pass,
            play_to_beat=self._play_to_beat(rules),
            play_owner=self.play_owner,
            left=self.left,
            played=self._played(rules),
            passed=self._passed(),
            log=tuple(self._log(rules)),
            totals=self.totals,
            stream_seed=self._seat_seeds[seat] + int(self._public.turns),
        )


def _obeys(play: Play, rules: Rules) -> bool:
    if rules.opening_play == OpeningPlay.SINGLE:
        return play.cards.bits == 1
    return bool(play.cards.bits & 1)


def legal_plays(hand: CardSet, rules: Rules, on: CardSet | None = None, opening: bool = False) -> list[Play]:
    """Every play of `hand` that may be laid on the play `on` (None: on lead), weakest first.

    `opening` keeps those that the rules allow as the first play of a deal. The rule of the last card depends on the
    next player's hand, so only `Deal.legal_plays` can obey it. Raises ValueError for more than 13 cards, for an `on`
    that is no play or shares cards with the hand, TypeError for cards of another deck.
    """
    check_deck(hand, rules)
    table = play_to_beat(hand, on, rules, at.HAND_SIZE, classify)
    if table is not None and opening:
        raise ValueError("an opening play is a lead; there is nothing on the table then")
    size, strength = (0, at.NO_STRENGTH) if table is None else (table.size, table.strength)
    plays, strengths = new_buffers()
    count = _legal_plays(U64(hand.bits), size, strength, rules.rule_table(), plays, strengths)
    found = zip(plays[:count].tolist(), strengths[:count].tolist(), strict=True)
    made = [make_play(bits, value, rules) for bits, value in found]
    if opening and rules.opening_play != OpeningPlay.ANYTHING:
        made = [play for play in made if _obeys(play, rules)]
    return made


def show_deal(
    rules: Rules,
    dealt: Sequence[CardSet],
    log: Iterable[tuple[int, CardSet]],
    *,
    leader: int | None = None,
    names: Sequence[str] | None = None,
    notes: Mapping[int, str] | Sequence[str | None] | None = None,
    seat: int | None = None,
    turn: int | None = None,
    title: str | None = None,
) -> Picture:
    """Draw a deal from the four hands as dealt and its log: (seat, cards) a turn, no cards for a pass.

    `leader` is the seat that led; None: the holder of the lowest card. `names` are those of the players by seat.
    `notes` are texts by turn (the first is 0), shown with the play they are about; lines with tabs become tables.
    With `seat` the other hands stay face down, and are not in the picture at all. It opens after `turn` turns (by
    default at the beginning, or where a deal that is not over stands). `title` is what is said to have been played.

    Raises ValueError (of which IllegalPlay is one) where hands or log cannot be, for a seat, a turn or names that do
    not exist; TypeError for what is no text.
    """
    deal = Deal.from_hands(rules, list(dealt), leader)
    return draw_deal(deal, log, names=names, notes=notes, seat=seat, turn=turn, title=title)
