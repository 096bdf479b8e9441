"""One deal as people and Python agents see it: checked bids and plays, clear errors, views that hide what is hidden."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from bigtwo_sim.core.cards import CardSet
from bigtwo_sim.core.kernel import U64, kernel
from bigtwo_sim.core.rng import DECK, GIVEN, first_words, new_stream, root_key
from bigtwo_sim.games.base.agent import IllegalPlay, PolicyAgent
from bigtwo_sim.games.base.plays import play_to_beat
from bigtwo_sim.games.base.view import BaseView, DealInProgress
from bigtwo_sim.games.big_three import layout as at
from bigtwo_sim.games.big_three.kernels.moves import legal_plays_kernel, new_buffers
from bigtwo_sim.games.big_three.kernels.scoring import partner_of, settle
from bigtwo_sim.games.big_three.kernels.turns import (
    apply_pass,
    apply_play,
    deal_hands,
    legal_actions,
    new_public,
    start_deal,
    start_play,
)
from bigtwo_sim.games.big_three.plays import Play, check_deck, check_rules, classify, make_play
from bigtwo_sim.games.big_three.rules import FirstBidder, Rules


@kernel
def _turn_plays(public_array: Any, hand: Any, plays: Any, strengths: Any) -> Any:
    count, _ = legal_actions(public_array[0], hand, plays, strengths)
    return count


@kernel
def _lay(public_array: Any, hands: Any, cards: Any, strength: Any) -> None:
    apply_play(public_array[0], hands, cards, strength)


@kernel
def _pass_turn(public_array: Any, hands: Any) -> None:
    apply_pass(public_array[0], hands)


@kernel
def _start(public_array: Any, hands: Any, dealer: Any, first: Any) -> None:
    start_deal(public_array[0], hands, dealer, first)


@kernel
def _start_play(public_array: Any, hands: Any, soloist: Any, bid: Any) -> None:
    start_play(public_array[0], hands, soloist, bid)


@kernel
def _settle(public_array: Any, points: Any) -> None:
    settle(public_array[0], points)


@kernel
def _partner_of(public_array: Any, seat: Any) -> Any:
    return partner_of(public_array[0], seat)


@kernel
def _legal_plays(hand: Any, strength: Any, rules: Any, plays: Any, strengths: Any) -> Any:
    return legal_plays_kernel(hand, strength, rules, plays, strengths)


@dataclass(frozen=True)
class View(BaseView):
    """What one seat can see of a deal on its turn. Seats are numbered from 0, clockwise round the table."""

    rules: Rules
    seat: int
    hand: CardSet
    in_auction: bool
    legal_bids: tuple[int, ...]
    """In the auction, lowest first; empty in the play."""
    legal_plays: tuple[Play, ...]
    """In the play, weakest first, one for all of the same ranks; empty where only a pass is possible."""
    may_pass: bool
    play_to_beat: Play | None
    """The play to beat; None on lead."""
    play_owner: int | None
    """The seat that laid it, or that leads; in the auction the highest bidder so far."""
    dealer: int
    first: int
    """The seat that speaks first, and leads the first trick."""
    soloist: int | None
    """The seat that plays against the others and took the kitty; None: not yet, or never (four players)."""
    partner: int | None
    """The seat that plays with this one."""
    bid: int
    """The highest bid so far, then what is played for; of four players the stake."""
    bids: tuple[int, ...]
    """The highest bid of each seat; 0: none."""
    calls: tuple[tuple[int, int], ...]
    """The auction so far: (seat, bid), 0 for a pass."""
    left: tuple[int, ...]
    """Cards left by seat."""
    played: tuple[CardSet, ...]
    """Cards played by seat."""
    passed: tuple[bool, ...]
    """By seat, whether it has passed since the last play, or since the last bid."""
    log: tuple[tuple[int, CardSet], ...]
    """All turns of the play so far: (seat, cards), no cards for a pass."""
    totals: tuple[int, ...]
    """Stakes won in the match before this deal, by seat."""
    stream_seed: int
    """A number of this seat's own for this turn."""


class Agent(Protocol):
    """A Python agent: anything with this method."""

    def choose(self, view: View) -> CardSet | int:
        """In the auction one of `view.legal_bids`, 0 passes; in the play the cards to lay, an empty set passes.

        The cards may be those of one of `view.legal_plays`, or others of the hand that have the same ranks.
        """


class Deal(DealInProgress[Rules, Play]):
    """One deal in progress. Make one with `Deal.new` or `Deal.from_hands`."""

    def __init__(self, rules: Rules, hands: npt.NDArray[np.uint64], dealer: int = 0, first: int | None = None) -> None:
        for name, seat in (("dealer", dealer), ("first", 0 if first is None else first)):
            if not 0 <= seat < rules.players:
                raise ValueError(f"{name} is {seat}; it must be a seat from 0 to {rules.players - 1}")
        self.rules = rules
        self._hands = hands.astype(np.uint64)
        self._dealt = tuple(int(hand) for hand in hands)
        self._public_array = new_public(rules)
        self._seat_seeds = (0,) * rules.players
        _start(self._public_array, self._hands, dealer, at.NOBODY if first is None else first)
        self._make_handles()

    @classmethod
    def new(cls, rules: Rules, seed: int, index: int = 0, dealer: int = 0) -> Deal:
        """Deal number `index` of root seed `seed`, the same deck that a tournament of this seed plays as this block.

        Raises TypeError for what are no rules and no whole number, ValueError for no seat.
        """
        check_rules(rules)
        return cls.numbered(rules, root_key(seed), index, dealer)

    @classmethod
    def numbered(cls, rules: Rules, key: npt.NDArray[np.uint64], index: int, dealer: int = 0) -> Deal:
        """Deal number `index` under the key of a root seed (`rng.root_key`)."""
        hands = np.zeros(at.KITTY + 1, np.uint64)
        deal_hands(hands, rules.rule_table(), np.zeros(at.CARDS, np.int64), new_stream(key, index, DECK))
        deal = cls(rules, hands, dealer)
        deal._seat_seeds = first_words(key, index, GIVEN, rules.players)
        return deal

    @classmethod
    def from_hands(
        cls,
        rules: Rules,
        hands: Sequence[CardSet],
        kitty: CardSet | None = None,
        *,
        dealer: int = 0,
        first: int | None = None,
        soloist: int | None = None,
        bid: int = 1,
        seed: int | None = None,
    ) -> Deal:
        """A deal of these hands, which share no card and are not empty; they need not be 16 (of four players 13) each.

        `first` speaks first and leads; None: whom the rules name. With `soloist`, of three players, there is no
        auction: that seat takes the kitty and plays for `bid`.

        What views give their seats for random choices (`stream_seed`) depends on `seed`; None: for each seat on its own
        hand and on what everybody sees, so that the same deal has the same choices and another deal has others.

        Raises ValueError, which names the card that two hands share, or what is missing, and for a negative seed.
        """
        check_rules(rules)
        solo = rules.players == at.SOLO_PLAYERS
        kitty = CardSet(0, rules.deck) if kitty is None else kitty
        if len(hands) != rules.players:
            raise ValueError(f"there are {len(hands)} hands; there must be {rules.players}")
        if kitty and not solo:
            raise ValueError(f"the kitty has {len(kitty)} cards; four players have none")
        most = at.LARGEST_HAND if solo else at.PAIRS_HAND
        seen = CardSet(0, rules.deck)
        for name, cards in [*((f"hand of seat {seat}", hand) for seat, hand in enumerate(hands)), ("kitty", kitty)]:
            check_deck(cards, rules)
            if not cards and name != "kitty":
                raise ValueError(f"the {name} is empty; a deal begins with cards in every hand")
            if len(cards) + (len(kitty) if name != "kitty" else 0) > most:
                raise ValueError(f"the {name} has {len(cards)} cards; with the kitty it must have at most {most}")
            if cards & seen:
                raise ValueError(f"{cards & seen} is in two hands; every card exists once")
            seen |= cards
        held = seen - kitty
        if (
            first is None
            and rules.first_bidder == FirstBidder.HEARTS
            and not held.bits & int(rules.rule_table()[at.HEARTS])
        ):
            raise ValueError("nobody holds a heart, so first must name the seat that speaks first")
        bits = [hand.bits for hand in hands] + [0] * (at.KITTY - len(hands)) + [kitty.bits]
        deal = cls(rules, np.array(bits, np.uint64), dealer, first)
        if soloist is not None:
            if not solo or not 0 <= soloist < rules.players:
                raise ValueError(f"soloist is {soloist}; it must be a seat of three players, from 0 to 2")
            if not 1 <= bid <= at.HIGHEST_BID:
                raise ValueError(f"bid is {bid}; it must be from 1 to {at.HIGHEST_BID}")
            _start_play(deal._public_array, deal._hands, soloist, bid)
            deal._find_options()
        deal._seed_seats(seed)
        return deal

    _make_play = staticmethod(make_play)
    _new_buffers = staticmethod(new_buffers)

    # --- what everybody sees ------------------------------------------------------------------------------------------
    @property
    def in_auction(self) -> bool:
        """Whether the auction goes on."""
        return int(self._public.phase) == at.AUCTION

    @property
    def dealer(self) -> int:
        """The seat that dealt."""
        return int(self._public.dealer)

    @property
    def first(self) -> int:
        """The seat that speaks first, and leads the first trick."""
        return int(self._public.first)

    @property
    def soloist(self) -> int | None:
        """The seat that plays against the others; None in the auction, and of four players."""
        return _seat(self._public.soloist)

    @property
    def bid(self) -> int:
        """The highest bid so far, then what is played for; of four players the stake."""
        return int(self._public.bid)

    @property
    def calls(self) -> list[tuple[int, int]]:
        """The auction so far: (seat, bid), 0 for a pass."""
        calls = int(self._public.calls)
        return list(zip(self._public.callers[:calls].tolist(), self._public.called[:calls].tolist(), strict=True))

    @property
    def bids(self) -> tuple[int, ...]:
        """The highest bid of each seat; 0: none."""
        return self._by_seat("bids")

    @property
    def play_owner(self) -> int | None:
        """The seat that laid the play to beat, or that leads; in the auction the highest bidder so far."""
        return _seat(self._public.owner)

    @property
    def points(self) -> tuple[int, ...]:
        """Stakes won, less those lost, by seat. Raises ValueError while the deal runs."""
        if not self.is_over:
            raise ValueError("the deal is not over; nothing is paid yet")
        points = np.zeros(at.SEATS, np.int64)
        _settle(self._public_array, points)
        return tuple(points[: self.rules.players].tolist())

    def partner(self, seat: int) -> int | None:
        """The seat that plays with `seat`; None for the soloist, and for all in the auction."""
        return _seat(_partner_of(self._public_array, seat))

    # --- what only the table's owner sees -----------------------------------------------------------------------------
    @property
    def kitty(self) -> CardSet:
        """The cards that nobody has taken yet."""
        return self._set(self._hands[at.KITTY])

    @property
    def dealt_kitty(self) -> CardSet:
        """The kitty as dealt."""
        return self._set(self._dealt[at.KITTY])

    # --- the turn -----------------------------------------------------------------------------------------------------
    def _write_options(self) -> int:
        return int(_turn_plays(self._public_array, self._hands[self.turn], *self._buffers))

    def legal_bids(self) -> list[int]:
        """The bids that the seat whose turn it is may make, lowest first; none in the play."""
        return self._buffers[1][: self._count].tolist() if self.in_auction else []

    def legal_plays(self) -> list[Play]:
        """The legal plays of the seat whose turn it is, weakest first; none in the auction and when the deal is over.

        Of plays that have the same ranks there is one, made of the lowest cards; `play` takes the others too.
        """
        return [] if self.in_auction else super().legal_plays()

    @property
    def option_count(self) -> int:
        """How many bids or plays the seat whose turn it is has; the number of the pass, where it may pass."""
        return self._count

    def ask(self, agent: PolicyAgent, stream: npt.NDArray[np.uint64]) -> int:
        """The number of the option that a policy chooses on this turn; `stream` is the seat's, and advanced."""
        plays, strengths = self._buffers
        hand = self._hands[self.turn]
        return int(agent.function(hand, self._public, plays, strengths, self._count, agent.params, stream))

    def take(self, choice: int) -> None:
        """Take option number `choice` of the seat whose turn it is, as a policy answers; `option_count` passes."""
        if choice < self._count:
            plays, strengths = self._buffers
            _lay(self._public_array, self._hands, plays[choice], int(strengths[choice]))
        else:
            _pass_turn(self._public_array, self._hands)
        self._find_options()

    def make_bid(self, bid: int) -> None:
        """Bid for the seat whose turn it is. Raises IllegalPlay, which says why, and then nothing changed."""
        self._raise_if_over()
        if bid not in self.legal_bids():
            raise IllegalPlay(self.why_no_bid(bid))
        _lay(self._public_array, self._hands, U64(bid), int(bid))
        self._find_options()

    def play(self, cards: CardSet | str) -> None:
        """Lay `cards` for the seat whose turn it is. Raises IllegalPlay, which says why, and then nothing changed."""
        if isinstance(cards, str):
            cards = CardSet.parse(cards, self.rules.deck)
        self._raise_if_over()
        reason = self.why_no_play(cards)
        if reason:
            raise IllegalPlay(reason)
        play = classify(cards, self.rules)
        assert play is not None
        _lay(self._public_array, self._hands, U64(cards.bits), play.strength)
        self._find_options()

    def pass_(self) -> None:
        """Pass for the seat whose turn it is. Raises IllegalPlay where it may not, and then nothing changed."""
        self._raise_if_over()
        if not self._public.may_pass:
            raise IllegalPlay(f"seat {self.turn} may not pass: a player who leads must play")
        _pass_turn(self._public_array, self._hands)
        self._find_options()

    def why_no_bid(self, bid: int) -> str:
        """Why `bid`, which is not legal, is not."""
        if not self.in_auction:
            return "there is no auction now; lay cards or pass"
        legal = " or ".join(map(str, self.legal_bids()))
        return f"seat {self.turn} bid {bid!r:.20}; it may bid {legal}, or pass"

    def why_no_play(self, cards: CardSet) -> str:
        """Why `cards` cannot be laid now; empty where they can. Raises TypeError for cards of another deck."""
        check_deck(cards, self.rules)
        if self.in_auction:
            return "the auction goes on; bid or pass"
        reason = self._why_no_cards(cards)
        if reason:
            return reason
        play, table = classify(cards, self.rules), self.play_to_beat
        if play is None:
            return f"{cards} is no play under the rules {self.rules.name}"
        if table is None or play.beats(table):
            return ""
        if play.kind != table.kind:
            return f"{play} is no answer to {table}: it is of another kind"
        if play.size != table.size:
            return f"{play} has {play.size} cards, and the play on the table, {table}, has {table.size}"
        return f"{play} does not beat {table}"

    def view(self, seat: int | None = None) -> View:
        """What `seat` (by default the one whose turn it is) can see. Only on its turn has it options."""
        seat = self._seat_of_view(seat)
        on_turn = seat == self.turn and not self.is_over
        rules = self._rules_shown(seat)
        return View(
            rules=rules,
            seat=seat,
            hand=CardSet(self._hands[seat], rules.deck),
            in_auction=self.in_auction,
            legal_bids=tuple(self.legal_bids()) if on_turn else (),
            legal_plays=tuple(self._legal_plays(rules)) if on_turn and not self.in_auction else (),
            may_pass=on_turn and self.may_pass,
            play_to_beat=self._play_to_beat(rules),
            play_owner=self.play_owner,
            dealer=self.dealer,
            first=self.first,
            soloist=self.soloist,
            partner=self.partner(seat),
            bid=self.bid,
            bids=self.bids,
            calls=tuple(self.calls),
            left=self.left,
            played=self._played(rules),
            passed=self._passed(),
            log=tuple(self._log(rules)),
            totals=self._by_seat("totals"),
            stream_seed=self._seat_seeds[seat] + int(self._public.calls) + int(self._public.turns),
        )


def _seat(seat: Any) -> int | None:
    return int(seat) if seat >= 0 else None


def legal_plays(hand: CardSet, rules: Rules, on: CardSet | None = None) -> list[Play]:
    """Every play of `hand` that may be laid on the play `on` (None: on lead), weakest first.

    Of plays that have the same ranks there is one, made of the lowest cards. Raises ValueError for more than 20 cards,
    for an `on` that is no play or shares cards with the hand, TypeError for cards of another deck.
    """
    check_deck(hand, rules)
    table = play_to_beat(hand, on, rules, at.LARGEST_HAND, classify)
    strength = at.NO_STRENGTH if table is None else table.strength
    plays, strengths = new_buffers()
    count = _legal_plays(U64(hand.bits), strength, rules.rule_table(), plays, strengths)
    found = zip(plays[:count].tolist(), strengths[:count].tolist(), strict=True)
    return [make_play(bits, value, rules) for bits, value in found]
