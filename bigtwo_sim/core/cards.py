"""Cards as bits: a deck that knows the letters, and sets of its cards.

The one layout that every kernel relies on: card number = 4 * rank + suit, ranks and suits numbered in order of
strength, so that the greatest bit of a set is its greatest card. For Big Two with the suits in the order D C H S::

    bit   0   1   2   3    4   5   6   7   ...   48  49  50  51
    card  3D  3C  3H  3S   4D  4C  4H  4S  ...   2D  2C  2H  2S

Another order of suits or ranks is another `Deck`; kernels see only numbers.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from types import MappingProxyType
from typing import Any, Self

SUITS = 4  # suits a rank; the layout above
SIGNS = {"D": "♦", "C": "♣", "H": "♥", "S": "♠"}
_SIGN_TO_LETTER = {"♦": "D", "♢": "D", "♣": "C", "♧": "C", "♥": "H", "♡": "H", "♠": "S", "♤": "S"}
_EMOJI_VARIATION = "\ufe0f"
_CARD = re.compile(r"(10|[0-9A-Z])([A-Z])")
_SEPARATORS = re.compile(r"[\s,]+")


class CardError(ValueError):
    """A text or a number that is no card, or a card given twice."""


@dataclass(frozen=True)
class Deck:
    """The letters of a deck: its ranks and its suits, each from weak to strong.

    Raises CardError for suits that are not D, C, H and S in some order, and for repeated or missing ranks.
    """

    ranks: str = "3456789TJQKA2"
    suits: str = "DCHS"

    def __post_init__(self) -> None:
        if sorted(self.suits) != sorted(SIGNS):
            raise CardError(f"suits are {self.suits!r}; they must be the letters D, C, H and S in some order")
        if not self.ranks or len(set(self.ranks)) != len(self.ranks) or set(self.ranks) - set("23456789TJQKA"):
            raise CardError(f"ranks are {self.ranks!r}; they must be different letters of 23456789TJQKA")

    @property
    def size(self) -> int:
        """Number of cards."""
        return len(self.ranks) * SUITS

    def __getstate__(self) -> dict[str, Any]:
        return {"ranks": self.ranks, "suits": self.suits}  # what is cached is made again

    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return self

    @cached_property
    def _numbers(self) -> Mapping[str, int]:
        names = [rank + suit for rank in self.ranks for suit in self.suits]
        return MappingProxyType({name: number for number, name in enumerate(names)})

    @cached_property
    def _names(self) -> tuple[str, ...]:
        return tuple(self._numbers)

    def name(self, card: int, signs: bool = False) -> str:
        """Text of card number `card`: `3D`, or `3♦` with `signs`."""
        name = self._names[card]
        return name[0] + SIGNS[name[1]] if signs else name

    def text(self, bits: int, signs: bool = False) -> str:
        """Text of a set of cards, ascending and separated by blanks: `3D 3C`, or `3♦ 3♣` with `signs`."""
        return " ".join(self.name(card, signs) for card in range(self.size) if bits >> card & 1)

    def parse(self, text: str) -> int:
        """Bits of the cards in `text`, with or without blanks and commas, in any case: `3D 10h`, `3d,TH`, `3♦TH`.

        Raises CardError, which names the card that is unknown or stands there twice.
        """
        bits = 0
        for word in _SEPARATORS.split(text.replace(_EMOJI_VARIATION, "").strip(" ,\t\n")):
            rest = "".join(_SIGN_TO_LETTER.get(letter, letter) for letter in word.upper())
            while rest:
                match = _CARD.match(rest)
                name = ("T" if match[1] == "10" else match[1]) + match[2] if match else ""
                if name not in self._numbers:
                    raise CardError(
                        f"{word[:20]!r} is no card; a card is a rank of {self.ranks} (or 10) and a suit of "
                        f"{self.suits}, such as 3D, TH or 10♠"
                    )
                bit = 1 << self._numbers[name]
                if bits & bit:
                    raise CardError(f"{name} stands there twice; every card exists once")
                bits |= bit
                assert match is not None
                rest = rest[match.end() :]
        return bits


BIG_TWO_DECK = Deck()


@dataclass(frozen=True, order=False)
class CardSet:
    """A set of cards of one deck, an immutable value over the integer `bits`.

    It has the operators of sets (`|`, `&`, `-`, `^`, `<=`, `in`), counts with `len` and iterates over its cards as
    sets of one, ascending. Sets of different decks do not mix: TypeError.
    """

    bits: int = 0
    deck: Deck = BIG_TWO_DECK

    def __post_init__(self) -> None:
        object.__setattr__(self, "bits", int(self.bits))
        if self.bits < 0 or self.bits >> self.deck.size:
            raise CardError(f"bits are {self.bits:#x}; they must lie within the {self.deck.size} cards of the deck")

    @classmethod
    def of_engine(cls, bits: int, deck: Deck) -> CardSet:
        """The set of `bits`, an int that the engine made: without the checks, in half the time."""
        made = object.__new__(cls)
        fields = made.__dict__
        fields["bits"] = bits
        fields["deck"] = deck
        return made

    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return self

    @classmethod
    def parse(cls, text: str, deck: Deck = BIG_TWO_DECK) -> CardSet:
        """The set that `text` names (see `Deck.parse`)."""
        return cls(deck.parse(text), deck)

    def _other(self, other: object) -> int:
        if not isinstance(other, CardSet):
            raise TypeError(f"{other!r} is no CardSet")
        if other.deck is not self.deck and other.deck != self.deck:
            raise TypeError("sets of different decks do not mix")
        return other.bits

    def __or__(self, other: CardSet) -> CardSet:
        return CardSet(self.bits | self._other(other), self.deck)

    def __and__(self, other: CardSet) -> CardSet:
        return CardSet(self.bits & self._other(other), self.deck)

    def __sub__(self, other: CardSet) -> CardSet:
        return CardSet(self.bits & ~self._other(other), self.deck)

    def __xor__(self, other: CardSet) -> CardSet:
        return CardSet(self.bits ^ self._other(other), self.deck)

    def __le__(self, other: CardSet) -> bool:
        return not self.bits & ~self._other(other)

    def __lt__(self, other: CardSet) -> bool:
        return self <= other and self.bits != other.bits

    def __ge__(self, other: CardSet) -> bool:
        return not self._other(other) & ~self.bits

    def __gt__(self, other: CardSet) -> bool:
        return self >= other and self.bits != other.bits

    def __contains__(self, card: object) -> bool:
        """Whether a card, as text (`"3D"`) or as a set, is in it."""
        bits = self.deck.parse(card) if isinstance(card, str) else self._other(card)
        return bool(bits) and not bits & ~self.bits

    def __len__(self) -> int:
        return self.bits.bit_count()

    def __iter__(self) -> Iterator[CardSet]:
        rest = self.bits
        while rest:
            low = rest & -rest
            yield CardSet(low, self.deck)
            rest ^= low

    def text(self, signs: bool = False) -> str:
        """Its cards, ascending: `3D 3C`, or `3♦ 3♣` with `signs`."""
        return self.deck.text(self.bits, signs)

    def __str__(self) -> str:
        return self.text()

    def __repr__(self) -> str:
        return f"CardSet({self.text()!r})"

    def _repr_html_(self) -> str:
        """The cards as small cards, red and black, for a notebook."""
        cards = []
        for card in self.text(signs=True).split():
            colour = "#b3261e" if card[1] in "♦♥" else "#1b1b1f"
            cards.append(
                f'<span style="display:inline-block;min-width:2.1em;margin:1px;padding:.15em .2em;text-align:center;'
                f"border:1px solid #999;border-radius:.3em;background:#fff;color:{colour};"
                f'font:600 1.05em sans-serif">{html.escape(card)}</span>'
            )
        return "".join(cards) or "<em>no cards</em>"
