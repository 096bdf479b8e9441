"""The rules as data: a frozen, validated value whose fields are the switches, and its flat form for kernels.

**The game.** Three players are dealt 16 cards each, and four lie in the kitty. They bid 1, 2 or 3 or pass, each bid
higher than the last; a bid of 3, or two passes after a bid, end the auction. The highest bidder is the soloist, takes
the kitty and plays against the other two; if all pass, the first to speak is the soloist at 1. The first to speak leads
the first trick, whoever the soloist is. Four players are dealt 13 cards each, there is no kitty and no auction, and two
pairs play for a stake.

Plays are a single, a pair, a triple and a four of one rank, and runs of three or more consecutive ranks of singles, of
pairs, of triples or of fours. An answer has the same form and number of cards and is higher in rank; suits count for
nothing. When all others have passed in a row, the last to play leads anew. A deal ends when a hand is empty.

**How this was read where the rules leave it open.**

* The turn to call goes round until the auction ends: who passed may bid again when the turn comes back.
* The soloist takes the kitty unseen by the others. Who remembers which cards were laid may use it, though they lie face
  down: the public record keeps them.
* Seats are numbered clockwise, so play to the right goes from seat n to seat n - 1.
* If the 4 of hearts lies in the kitty, the lowest heart that anybody holds, in the order of ranks, says who speaks.
* Of four players, who would speak first leads. Each of the losing pair pays the stake, and each of the others gets it.
* Under `ace_sets=no` aces alone are no pair and no triple; four aces are a play, and so are runs that take aces in.
* Where own bids are paid, an opponent's is the last one that it made, and one who never bid gets nothing.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from bigtwo_sim.core.cards import SUITS, Deck
from bigtwo_sim.games.base.ruleset import RulesError, RuleSet, SwitchValue, as_boolean, as_member, as_name, shown
from bigtwo_sim.games.big_three import layout as at


class RankOrder(SwitchValue):
    """The ranks from low to high."""

    THREE_HIGH = "three_high", "4 5 6 7 8 9 T J Q K A 2 3: the Threes are the big three."
    ACE_HIGH = "ace_high", "2 3 4 5 6 7 8 9 T J Q K A"


class Runs(SwitchValue):
    """Which ranks may be in a run."""

    FOUR_TO_KING = "four_to_king", "Aces, 2s and 3s are never in a run of any kind."
    RANK_ORDER = "rank_order", "All that follow each other in the order of ranks."


class FirstBidder(SwitchValue):
    """Who speaks first and leads the first trick."""

    HEARTS = "hearts", "The holder of the 4 of hearts, else of the lowest heart held."
    DEALER = "dealer", "The dealer."


class Direction(SwitchValue):
    """Which way the turn goes."""

    RIGHT = "right", "To the right, counter-clockwise."
    CLOCKWISE = "clockwise", "To the left, clockwise."


class Payment(SwitchValue):
    """What a soloist who loses pays to each opponent."""

    WINNING_BID = "winning_bid", "The winning bid."
    OWN_BIDS = "own_bids", "That opponent's own bid; a pass counts 0."


class Seating(SwitchValue):
    """Of four players, where partners sit."""

    OPPOSITE = "opposite", "Opposite each other: seats 0 and 2 against 1 and 3."
    ADJACENT = "adjacent", "Side by side: seats 0 and 1 against 2 and 3."


_ENUMERATIONS: dict[str, type[SwitchValue]] = {
    "ranks": RankOrder,
    "runs": Runs,
    "first_bidder": FirstBidder,
    "direction": Direction,
    "payment": Payment,
    "seating": Seating,
}
_RANKS = {RankOrder.THREE_HIGH: "456789TJQKA23", RankOrder.ACE_HIGH: "23456789TJQKA"}
_NEVER_IN_RUNS = "A23"
_LARGEST_STAKE = 1000


def _as_number(switch: str, value: Any, low: int, high: int) -> int:
    if isinstance(value, str) and re.fullmatch(r"\s*\d{1,7}\s*", value):
        value = int(value)
    whole = isinstance(value, int | np.integer) and not isinstance(value, bool)
    if not whole or not low <= value <= high:
        span = f"{low} or {high}" if high - low == 1 else f"a whole number from {low} to {high}"
        raise RulesError(f"{switch} is {shown(value)}; it must be {span}")
    return int(value)


@dataclass(frozen=True, kw_only=True)
class Rules(RuleSet):
    """One set of rules. Each field is a switch, and any combination of their values is valid.

    Without arguments it is the `shaanxi` preset. `seating` and `stake` mean something for four players only, `payment`
    for three. Values may be given as members of the enumerations or as their text. Raises RulesError, which names the
    switch and its legal values.
    """

    GAME: ClassVar[str] = "big-three"
    TITLE: ClassVar[str] = "Big Three"
    name: str = "shaanxi"
    players: int = at.SOLO_PLAYERS
    ranks: RankOrder = RankOrder.THREE_HIGH
    runs: Runs = Runs.FOUR_TO_KING
    ace_sets: bool = True
    first_bidder: FirstBidder = FirstBidder.HEARTS
    direction: Direction = Direction.RIGHT
    payment: Payment = Payment.WINNING_BID
    seating: Seating = Seating.OPPOSITE
    stake: int = 1

    def __post_init__(self) -> None:
        checked: dict[str, Any] = {
            "name": as_name(self.name),
            "players": _as_number("players", self.players, at.SOLO_PLAYERS, at.PAIRS_PLAYERS),
            "ace_sets": as_boolean("ace_sets", self.ace_sets),
            "stake": _as_number("stake", self.stake, 1, _LARGEST_STAKE),
        }
        for switch, kind in _ENUMERATIONS.items():
            checked[switch] = as_member(switch, kind, getattr(self, switch))
        self._set_fields(checked)

    @cached_property
    def deck(self) -> Deck:
        """The deck in this order of ranks; the order of its suits means nothing."""
        return Deck(_RANKS[self.ranks])

    @property
    def hand_size(self) -> int:
        """Cards dealt to each player."""
        return at.SOLO_HAND if self.players == at.SOLO_PLAYERS else at.PAIRS_HAND

    @property
    def largest_hand(self) -> int:
        """The most cards that somebody may hold: of three players the soloist, with the kitty."""
        return at.LARGEST_HAND if self.players == at.SOLO_PLAYERS else at.PAIRS_HAND

    @property
    def step(self) -> int:
        """What is added to a seat, round the table, for the one whose turn comes next."""
        return 1 if self.direction == Direction.CLOCKWISE else self.players - 1

    def _make_table(self) -> npt.NDArray[np.int64]:
        deck = self.deck
        table = np.zeros(at.TABLE_SIZE, np.int64)
        table[at.PLAYERS] = self.players
        table[at.STEP] = self.step
        in_runs = [rank for rank in deck.ranks if self.runs == Runs.RANK_ORDER or rank not in _NEVER_IN_RUNS]
        in_sets = [rank for rank in deck.ranks if self.ace_sets or rank != "A"]
        table[at.RUN_RANKS] = sum(1 << SUITS * deck.ranks.index(rank) for rank in in_runs)
        table[at.SET_RANKS] = sum(1 << SUITS * deck.ranks.index(rank) for rank in in_sets)
        table[at.HEARTS_SPEAK] = self.first_bidder == FirstBidder.HEARTS
        table[at.FOUR_OF_HEARTS] = deck.parse("4H").bit_length() - 1
        table[at.HEARTS] = deck.parse(" ".join(rank + "H" for rank in deck.ranks))
        table[at.OWN_BIDS] = self.payment == Payment.OWN_BIDS
        table[at.PARTNER] = 2 if self.seating == Seating.OPPOSITE else 1
        table[at.STAKE] = self.stake
        return table


SWITCHES = Rules.switches()

_YES_NO: dict[str, tuple[str, str]] = {
    "ace_sets": ("A pair and a triple of aces are plays.", "They are none; four aces are one."),
}


def switch_values(switch: str) -> list[tuple[str, str]]:
    """The legal values of a switch, each with what it means, for people: [(value, meaning), …]."""
    if switch in _ENUMERATIONS:
        return [(member.value, member.meaning) for member in _ENUMERATIONS[switch]]
    if switch in _YES_NO:
        return list(zip(("yes", "no"), _YES_NO[switch], strict=True))
    return {
        "players": [("3", "One, the highest bidder, against two."), ("4", "Two pairs; no kitty and no auction.")],
        "stake": [("1", f"Of four players, what each of the losing pair pays; any number to {_LARGEST_STAKE}.")],
    }[switch]


PRESETS: dict[str, Rules] = {
    rules.name: rules
    for rules in (
        Rules(),
        Rules(
            name="as_printed",
            ranks=RankOrder.ACE_HIGH,
            runs=Runs.RANK_ORDER,
            ace_sets=False,
            first_bidder=FirstBidder.DEALER,
            direction=Direction.CLOCKWISE,
            payment=Payment.OWN_BIDS,
        ),
    )
}
Rules.PRESETS = PRESETS
preset = Rules.preset


SOURCES: dict[str, str] = {
    "shaanxi": "as played in Shaanxi, where the game is called Da San or Wa Keng",
    "as_printed": "the printed English rules taken word for word",
}
"""Where each preset is from."""
