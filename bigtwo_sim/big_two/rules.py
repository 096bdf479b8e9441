"""The rules as data: a frozen, validated value whose fields are the switches, and its flat form for kernels.

Nothing else in the package knows what a preset is called. A kernel is handed `rules.table()` and looks things up.
"""

from __future__ import annotations

import dataclasses
import re
import tomllib
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from bigtwo_sim.big_two import layout as at
from bigtwo_sim.cards import BIG_TWO_DECK, SIGNS, Deck

SEATS = at.SEATS
HAND_SIZE = at.HAND_SIZE


class RulesError(ValueError):
    """A switch that does not exist or has a value that it cannot have."""


class SwitchValue(StrEnum):
    """A value of a switch, which compares equal to its text and carries what it means."""

    meaning: str

    def __new__(cls, value: str, meaning: str) -> SwitchValue:
        member = str.__new__(cls, value)
        member._value_ = value
        member.meaning = meaning
        return member


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


_LONGEST_SHOWN = 80


def _shown(value: Any) -> str:
    """A value in an error message, cut short; Python refuses to print the longest of whole numbers."""
    try:
        text = repr(value)
    except (ValueError, RecursionError):
        return "a value too long to print"
    return text if len(text) <= _LONGEST_SHOWN else f"{text[:_LONGEST_SHOWN]}..."


def parse_tiers(text: str) -> tuple[int, ...]:
    """Multipliers for 1 to 13 cards left from a text such as `1-9:1 10-12:2 13:3`.

    Raises RulesError, which names the part that is malformed, repeated or missing.
    """
    factors: dict[int, int] = {}
    for part in text.replace(",", " ").split():
        match = re.fullmatch(r"(\d{1,2})(?:-(\d{1,2}))?:(\d{1,4})", part)
        if not match:
            raise RulesError(
                f"penalty_tiers: {_shown(part)} is no tier; a tier is CARDS:FACTOR or FROM-TO:FACTOR, such as 10-12:2"
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


_BOOLEANS = {"yes": True, "true": True, "on": True, "1": True, "no": False, "false": False, "off": False, "0": False}
_LARGEST_FACTOR = 1000
_LARGEST_TARGET = 1_000_000


def _text(value: Any) -> str:
    return str(value) if isinstance(value, str) else _shown(value)


def _as_name(value: Any) -> str:
    name = _text(value).strip()
    if not name or not name.isprintable():
        raise RulesError(f"name is {_shown(value)}; it must be a line of printable text")
    return name


def _as_boolean(switch: str, value: Any) -> bool:
    found = value if isinstance(value, bool) else _BOOLEANS.get(_text(value).strip().lower())
    if found is None:
        raise RulesError(f"{switch} is {_shown(value)}; it must be yes or no")
    return found


def _as_member(switch: str, kind: type[SwitchValue], value: Any) -> SwitchValue:
    text = _text(value).strip().lower().replace("-", "_")
    for member in kind:
        if member == text:
            return member
    raise RulesError(f"{switch} is {_shown(value)}; it must be one of {', '.join(kind)}")


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
            f"penalty_tiers is {_shown(value)}; it must be {HAND_SIZE} whole numbers from 0 to {_LARGEST_FACTOR}, the "
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
            f"match_target is {_shown(value)}; it must be none or a whole number from 1 to {_LARGEST_TARGET}"
        )
    return value


def _as_suit_order(value: Any) -> str:
    letters = "".join({sign: letter for letter, sign in SIGNS.items()}.get(c, c) for c in _text(value))
    letters = re.sub(r"[\s,<]+", "", letters).upper()
    if sorted(letters) != sorted(SIGNS):
        raise RulesError(
            f"suit_order is {_shown(value)}; it must be the letters D, C, H and S from low to high, such as DCHS"
        )
    return letters


@dataclass(frozen=True, kw_only=True)
class Rules:
    """One set of rules. Each field is a switch, and any combination of their values is valid.

    Without arguments it is the `singapore` preset. Values may be given as members of the enumerations or as their
    text. Raises RulesError, which names the switch and its legal values.
    """

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
            "name": _as_name(self.name),
            "suit_order": _as_suit_order(self.suit_order),
            "penalty_tiers": _as_tiers(self.penalty_tiers),
            "match_target": _as_target(self.match_target),
        }
        for switch, kind in _ENUMERATIONS.items():
            checked[switch] = _as_member(switch, kind, getattr(self, switch))
        for switch in ("triples", "bombs", "last_card", "double_twos"):
            checked[switch] = _as_boolean(switch, getattr(self, switch))
        for field, value in checked.items():
            object.__setattr__(self, field, value)

    @cached_property
    def deck(self) -> Deck:
        """The deck in this order of suits."""
        return Deck(BIG_TWO_DECK.ranks, self.suit_order)

    @property
    def straights(self) -> tuple[str, ...]:
        """The sequences that are straights, from weak to strong."""
        return _STRAIGHTS[self.straight_order]

    def replace(self, /, **changes: Any) -> Rules:
        """A copy with some switches changed; its name tells which, unless a name is given.

        Raises RulesError for an unknown switch or value.
        """
        unknown = [switch for switch in changes if switch not in SWITCHES and switch != "name"]
        if unknown:
            raise RulesError(f"there is no switch {_shown(unknown[0])}; the switches are {', '.join(SWITCHES)}")
        changed = dataclasses.replace(self, **changes)
        if "name" not in changes:
            different = [s for s in SWITCHES if getattr(changed, s) != getattr(self, s)]
            texts = [f"{switch}={changed.value_text(switch)}" for switch in different]
            object.__setattr__(changed, "name", " ".join([self.name, *texts]))
        return changed

    def value_text(self, switch: str) -> str:
        """The value of a switch as the text that sets it."""
        value = getattr(self, switch)
        if switch == "penalty_tiers":
            return tiers_text(value)
        if isinstance(value, bool):
            return "yes" if value else "no"
        return "none" if value is None else str(value)

    def to_dict(self) -> dict[str, str]:
        """All switches as text, by name; `from_dict` reads it back."""
        return {"name": self.name, **{switch: self.value_text(switch) for switch in SWITCHES}}

    @classmethod
    def from_dict(cls, values: dict[str, Any]) -> Rules:
        """Rules from switches by name; `preset` names what the missing ones are taken from (singapore).

        Raises RulesError for an unknown preset, switch or value.
        """
        changes = dict(values)
        return preset(_text(changes.pop("preset", "singapore"))).replace(**changes)

    @classmethod
    def from_toml(cls, path: str | Path) -> Rules:
        """Rules from a TOML file of switches, and `preset = "…"` for the rest.

        Raises RulesError for a file that cannot be read, is no TOML or has an unknown switch or value.
        """
        try:
            values = tomllib.loads(Path(path).read_text(encoding="utf-8-sig"))
        except OSError as error:
            raise RulesError(f"rules file {str(path)!r} cannot be read: {error.strerror}") from None
        except (ValueError, RecursionError) as error:  # also texts that no number and no nesting can hold
            raise RulesError(f"rules file {str(path)!r} is no TOML: {error}") from None
        values.setdefault("name", Path(path).stem)
        return cls.from_dict(values)

    def table(self) -> npt.NDArray[np.int64]:
        """The rules for kernels: int64[layout.TABLE_SIZE], offsets named in `layout`. Read-only."""
        return self._table

    @cached_property
    def _table(self) -> npt.NDArray[np.int64]:
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
        table.flags.writeable = False
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
SWITCHES: tuple[str, ...] = tuple(field.name for field in dataclasses.fields(Rules) if field.name != "name")


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


def preset(name: str) -> Rules:
    """The preset called `name`. Raises RulesError, which lists the presets, for any other name."""
    found = PRESETS.get(name.strip().lower().replace("-", "_"))
    if found is None:
        raise RulesError(f"there are no rules called {_shown(name)}; the presets are {', '.join(PRESETS)}")
    return found


SOURCES: dict[str, str] = {
    "singapore": "as played in Singapore, with its points",
    "pagat": "the basic game as pagat.com describes it, which leaves the points to the table",
    "hong_kong": "as played in Hong Kong",
    "taiwan": "as played in Taiwan",
    "charlesworth": "the rules of the environment published with arXiv 1808.10442",
}
"""Where each preset is from."""
