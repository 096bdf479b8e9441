"""The rules as data: a frozen, validated value whose fields are the switches, and its flat form for kernels.

Nothing else in the package knows what a preset is called. A kernel is handed `rules.rule_table()` and looks things up.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from bigtwo_sim.core.cards import BIG_TWO_DECK, SIGNS, Deck
from bigtwo_sim.games.base.ruleset import (
    RulesError,
    RuleSet,
    SwitchValue,
    as_boolean,
    as_member,
    as_name,
    as_text,
    shown,
)
from bigtwo_sim.games.big_two import layout as at

SEATS = at.SEATS
HAND_SIZE = at.HAND_SIZE


class Opener(SwitchValue):
    """Who leads a deal."""

    FIRST_DEAL = (
        "first_deal",
        "The holder of the lowest card leads the first deal of a match, then the winner of the last one leads.",
    )
    EVERY_DEAL = "every_deal", "The holder of the lowest card leads every deal."


class OpeningPlay(SwitchValue):
    """What the holder of the lowest card must lead."""

    CONTAINS = "contains", "A play that contains the lowest card."
    SINGLE = "single", "The lowest card alone."
    ANYTHING = "anything", "Any play."


class Passing(SwitchValue):
    """What a pass means for the rest of the trick."""

    MAY_RETURN = "may_return", "Who passed may play again in the same trick."
    LOCKED_OUT = "locked_out", "Who passed is out until the trick ends."


class StraightOrder(SwitchValue):
    """Which sequences are straights, and in which order of strength; each is named after the preset that has it."""

    SINGAPORE = "singapore", "34567 … TJQKA < A2345 < 23456"
    PAGAT = "pagat", "A2345 < 23456 < 34567 … TJQKA"
    HONG_KONG = "hong_kong", "34567 … TJQKA < 23456 < A2345"
    TAIWAN = "taiwan", "A2345 < 34567 … TJQKA < 23456"
    CHARLESWORTH = "charlesworth", "34567 … TJQKA < JQKA2"


class StraightTie(SwitchValue):
    """The card whose suit decides between two straights of the same sequence."""

    HIGHEST_CARD = "highest_card", "The highest card by card rank: the 2 in A2345 and 23456."
    TOP_OF_SEQUENCE = "top_of_sequence", "The card that ends the sequence: the 5 in A2345, the 6 in 23456."


class Flush(SwitchValue):
    """How two flushes compare, or that there are none."""

    SUIT_FIRST = "suit_first", "By suit, then by the cards from the top down."
    RANKS_FIRST = "ranks_first", "By the ranks from the top down, then by suit."
    TOP_CARD = "top_card", "By the top card alone: its rank, then its suit."
    NONE = "none", "Five cards of a suit are no play (the straight flush remains)."


class FourCardPlays(SwitchValue):
    """The plays of four cards."""

    NONE = "none", "None; four of a kind is laid with any fifth card."
    FOUR_OF_A_KIND = "four_of_a_kind", "Four of a kind alone; with a fifth card it is no play."
    TWO_PAIRS_AND_FOUR_OF_A_KIND = (
        "two_pairs_and_four_of_a_kind",
        "Two pairs, by their highest card, and above them four of a kind; with a fifth card it is no play.",
    )


class Settlement(SwitchValue):
    """How the penalties of the losers become points."""

    WINNER_CREDITED = "winner_credited", "The winner collects their sum; nobody's total goes down."
    LOSERS_DEBITED = "losers_debited", "The winner collects their sum; each loser's total goes down by its own."
    PAIRWISE = (
        "pairwise",
        "Every pair settles the difference: the sum of the others' penalties less three times one's own.",
    )


_SHORT_STRAIGHTS = tuple("34567 45678 56789 6789T 789TJ 89TJQ 9TJQK TJQKA".split())
_STRAIGHTS: dict[StraightOrder, tuple[str, ...]] = {
    StraightOrder.SINGAPORE: (*_SHORT_STRAIGHTS, "A2345", "23456"),
    StraightOrder.PAGAT: ("A2345", "23456", *_SHORT_STRAIGHTS),
    StraightOrder.HONG_KONG: (*_SHORT_STRAIGHTS, "23456", "A2345"),
    StraightOrder.TAIWAN: ("A2345", *_SHORT_STRAIGHTS, "23456"),
    StraightOrder.CHARLESWORTH: (*_SHORT_STRAIGHTS, "JQKA2"),
}


def parse_tiers(text: str) -> tuple[int, ...]:
    """Multipliers for 1 to 13 cards left from a text such as `1-9:1 10-12:2 13:3`.

    Raises RulesError, which names the part that is malformed, repeated or missing.
    """
    factors: dict[int, int] = {}
    for part in text.replace(",", " ").split():
        match = re.fullmatch(r"(\d{1,2})(?:-(\d{1,2}))?:(\d{1,4})", part)
        if not match:
            raise RulesError(
                f"penalty_tiers: {shown(part)} is no tier; a tier is CARDS:FACTOR or FROM-TO:FACTOR, such as 10-12:2"
            )
        first, last = int(match[1]), int(match[2] or match[1])
        if not 1 <= first <= last <= HAND_SIZE:
            raise RulesError(f"penalty_tiers: {part!r} counts cards outside 1 to {HAND_SIZE}, or downwards")
        for cards in range(first, last + 1):
            if cards in factors:
                raise RulesError(f"penalty_tiers: {cards} cards are in two tiers; each count must be in one")
            factors[cards] = int(match[3])
    missing = [cards for cards in range(1, HAND_SIZE + 1) if cards not in factors]
    if missing:
        raise RulesError(f"penalty_tiers: no tier for {missing[0]} cards left; 1 to {HAND_SIZE} must all have one")
    return tuple(factors[cards] for cards in range(1, HAND_SIZE + 1))


def tiers_text(factors: tuple[int, ...]) -> str:
    """The text of penalty multipliers that `parse_tiers` reads: `1-9:1 10-12:2 13:3`."""
    parts = []
    first = 0
    for i in range(1, len(factors) + 1):
        if i == len(factors) or factors[i] != factors[first]:
            cards = f"{first + 1}" if i == first + 1 else f"{first + 1}-{i}"
            parts.append(f"{cards}:{factors[first]}")
            first = i
    return " ".join(parts)


_LARGEST_FACTOR = 1000
_LARGEST_TARGET = 1_000_000


def _as_tiers(value: Any) -> tuple[int, ...]:
    if isinstance(value, str):
        value = parse_tiers(value)
    try:
        factors = tuple(value)
    except TypeError:
        factors = ()
    whole = all(isinstance(factor, int | np.integer) and not isinstance(factor, bool) for factor in factors)
    if len(factors) != HAND_SIZE or not whole or not all(0 <= factor <= _LARGEST_FACTOR for factor in factors):
        raise RulesError(
            f"penalty_tiers is {shown(value)}; it must be {HAND_SIZE} whole numbers from 0 to {_LARGEST_FACTOR}, the "
            f"factors for 1 to {HAND_SIZE} cards left, or a text such as '1-9:1 10-12:2 13:3'"
        )
    return tuple(int(factor) for factor in factors)


def _as_target(value: Any) -> int | None:
    if value is None or (isinstance(value, str) and value.strip().lower() == "none"):
        return None
    if isinstance(value, str) and re.fullmatch(r"\s*\d{1,7}\s*", value):
        value = int(value)
    if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value <= _LARGEST_TARGET:
        raise RulesError(
            f"match_target is {shown(value)}; it must be none or a whole number from 1 to {_LARGEST_TARGET}"
        )
    return value


def _as_suit_order(value: Any) -> str:
    letters = "".join({sign: letter for letter, sign in SIGNS.items()}.get(c, c) for c in as_text(value))
    letters = re.sub(r"[\s,<]+", "", letters).upper()
    if sorted(letters) != sorted(SIGNS):
        raise RulesError(
            f"suit_order is {shown(value)}; it must be the letters D, C, H and S from low to high, such as DCHS"
        )
    return letters


@dataclass(frozen=True, kw_only=True)
class Rules(RuleSet):
    """One set of rules. Each field is a switch, and any combination of their values is valid.

    Without arguments it is the `singapore` preset. Values may be given as members of the enumerations or as their
    text. Raises RulesError, which names the switch and its legal values.
    """

    GAME: ClassVar[str] = "big-two"
    TITLE: ClassVar[str] = "Big Two"
    name: str = "singapore"
    suit_order: str = "DCHS"
    opener: Opener = Opener.FIRST_DEAL
    opening_play: OpeningPlay = OpeningPlay.CONTAINS
    passing: Passing = Passing.MAY_RETURN
    straight_order: StraightOrder = StraightOrder.SINGAPORE
    straight_tie: StraightTie = StraightTie.HIGHEST_CARD
    flush: Flush = Flush.SUIT_FIRST
    triples: bool = True
    four_card_plays: FourCardPlays = FourCardPlays.NONE
    bombs: bool = False
    last_card: bool = False
    penalty_tiers: tuple[int, ...] = parse_tiers("1-9:1 10-12:2 13:3")
    double_twos: bool = False
    settlement: Settlement = Settlement.WINNER_CREDITED
    match_target: int | None = None

    def __post_init__(self) -> None:
        checked: dict[str, Any] = {
            "name": as_name(self.name),
            "suit_order": _as_suit_order(self.suit_order),
            "penalty_tiers": _as_tiers(self.penalty_tiers),
            "match_target": _as_target(self.match_target),
        }
        for switch, kind in _ENUMERATIONS.items():
            checked[switch] = as_member(switch, kind, getattr(self, switch))
        for switch in ("triples", "bombs", "last_card", "double_twos"):
            checked[switch] = as_boolean(switch, getattr(self, switch))
        self._set_fields(checked)

    @property
    def players(self) -> int:
        """How many sit at a table."""
        return at.SEATS

    @property
    def largest_hand(self) -> int:
        """The most cards that somebody may hold."""
        return at.HAND_SIZE

    @cached_property
    def deck(self) -> Deck:
        """The deck in this order of suits."""
        return Deck(BIG_TWO_DECK.ranks, self.suit_order)

    @property
    def straights(self) -> tuple[str, ...]:
        """The sequences that are straights, from weak to strong."""
        return _STRAIGHTS[self.straight_order]

    def value_text(self, switch: str) -> str:
        """The value of a switch as the text that sets it."""
        return tiers_text(self.penalty_tiers) if switch == "penalty_tiers" else super().value_text(switch)

    def _make_table(self) -> npt.NDArray[np.int64]:
        table = np.zeros(at.TABLE_SIZE, np.int64)
        ranks = self.deck.ranks
        table[at.SEQUENCES] = len(self.straights)
        for i, sequence in enumerate(self.straights):
            by_rank = sorted((ranks.index(letter) for letter in sequence), reverse=True)
            tie = by_rank[0] if self.straight_tie == StraightTie.HIGHEST_CARD else ranks.index(sequence[-1])
            by_rank.remove(tie)
            start = at.SEQUENCE_RANKS + at.PLAY_SIZE * i
            table[start : start + at.PLAY_SIZE] = [tie, *by_rank]
            table[at.SEQUENCE_MASK + i] = sum(1 << (4 * rank) for rank in (tie, *by_rank))
        table[at.FLUSH] = [Flush.NONE, Flush.SUIT_FIRST, Flush.RANKS_FIRST, Flush.TOP_CARD].index(self.flush)
        table[at.TRIPLES] = self.triples
        table[at.FOUR_CARD_PLAYS] = list(FourCardPlays).index(self.four_card_plays)
        table[at.BOMBS] = self.bombs
        table[at.LAST_CARD] = self.last_card
        table[at.OPENING_PLAY] = [OpeningPlay.ANYTHING, OpeningPlay.CONTAINS, OpeningPlay.SINGLE].index(
            self.opening_play
        )
        table[at.LOCKED_OUT] = self.passing == Passing.LOCKED_OUT
        for cards, factor in enumerate(self.penalty_tiers, start=1):
            table[at.PENALTY + cards] = cards * factor
        table[at.DOUBLE_TWOS] = self.double_twos
        table[at.SETTLEMENT] = list(Settlement).index(self.settlement)
        table[at.WINNER_LEADS] = self.opener == Opener.FIRST_DEAL
        table[at.MATCH_TARGET] = self.match_target or 0
        return table


_ENUMERATIONS: dict[str, type[SwitchValue]] = {
    "opener": Opener,
    "opening_play": OpeningPlay,
    "passing": Passing,
    "straight_order": StraightOrder,
    "straight_tie": StraightTie,
    "flush": Flush,
    "four_card_plays": FourCardPlays,
    "settlement": Settlement,
}
SWITCHES = Rules.switches()


_YES_NO: dict[str, tuple[str, str]] = {
    "triples": ("Three of a kind alone is a play.", "It is none (the full house remains)."),
    "bombs": (
        "Four of a kind and the straight flush beat any play of any size but an equal or higher one.",
        "The number of cards never changes within a trick.",
    ),
    "last_card": (
        "When the next player holds one card, a single must be one's highest, and who can beat a single may not pass; "
        "a first play that the opening rule binds is free of it.",
        "No such duty.",
    ),
    "double_twos": ("A penalty doubles for each 2 still held.", "Twos held count as any other card."),
}


def switch_values(switch: str) -> list[tuple[str, str]]:
    """The legal values of a switch, each with what it means, for people: [(value, meaning), …]."""
    if switch in _ENUMERATIONS:
        return [(member.value, member.meaning) for member in _ENUMERATIONS[switch]]
    if switch in _YES_NO:
        return list(zip(("yes", "no"), _YES_NO[switch], strict=True))
    return {
        "suit_order": [("DCHS", "The suits from low to high; any of the 24 orders.")],
        "penalty_tiers": [("1-9:1 10-12:2 13:3", "Points a card by cards left; each count from 1 to 13 in one tier.")],
        "match_target": [
            ("50", "Deals until a total reaches it; any whole number."),
            ("none", "Every deal stands alone."),
        ],
    }[switch]


PRESETS: dict[str, Rules] = {
    rules.name: rules
    for rules in (
        Rules(),
        Rules(
            name="pagat",
            opener=Opener.EVERY_DEAL,
            straight_order=StraightOrder.PAGAT,
            straight_tie=StraightTie.TOP_OF_SEQUENCE,
        ),
        Rules(
            name="hong_kong",
            straight_order=StraightOrder.HONG_KONG,
            penalty_tiers=parse_tiers("1-7:1 8-9:2 10-12:3 13:4"),
            settlement=Settlement.LOSERS_DEBITED,
        ),
        Rules(
            name="taiwan",
            suit_order="CDHS",
            straight_order=StraightOrder.TAIWAN,
            flush=Flush.NONE,
            triples=False,
            double_twos=True,
            settlement=Settlement.LOSERS_DEBITED,
        ),
        Rules(
            name="charlesworth",
            opener=Opener.EVERY_DEAL,
            opening_play=OpeningPlay.SINGLE,
            straight_order=StraightOrder.CHARLESWORTH,
            straight_tie=StraightTie.TOP_OF_SEQUENCE,
            flush=Flush.TOP_CARD,
            four_card_plays=FourCardPlays.TWO_PAIRS_AND_FOUR_OF_A_KIND,
            penalty_tiers=parse_tiers("1-13:1"),
            settlement=Settlement.LOSERS_DEBITED,
        ),
    )
}


Rules.PRESETS = PRESETS
preset = Rules.preset


SOURCES: dict[str, str] = {
    "singapore": "as played in Singapore, with its points",
    "pagat": "the basic game as pagat.com describes it, which leaves the points to the table",
    "hong_kong": "as played in Hong Kong",
    "taiwan": "as played in Taiwan",
    "charlesworth": "the rules of the environment published with arXiv 1808.10442",
}
"""Where each preset is from."""
