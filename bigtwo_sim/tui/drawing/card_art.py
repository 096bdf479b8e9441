"""How cards look: colours that colour-blind people tell apart too, faces of characters, cards in a line of text.

The hues are near those of Okabe and Ito's palette (Color Universal Design, 2008); how light they are was chosen such
that every two differ for all common kinds of colour blindness, which a test proves.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from rich.style import Style
from rich.text import Text

from bigtwo_sim.core.cards import SIGNS
from bigtwo_sim.games.big_two import CardSet

ON_CARD = {"♠": "#000000", "♥": "#b84e19", "♦": "#122d7c", "♣": "#0b7e5f"}
ON_TABLE = {"♠": "#f4f1e8", "♥": "#f08848", "♦": "#4a96ea", "♣": "#52f59a"}
CARD = "#f6f3e9"
DULL_CARD = "#a9b3ad"
CHOSEN_CARD = "#ffd75f"
BACK = "#7fa8a0"
TEN = {"T": "10"}


def rank_text(letter: str) -> str:
    """A rank as it stands on a card: `10` for T."""
    return TEN.get(letter, letter)


def card_text(cards: CardSet) -> str:
    """Cards as plain text with signs: `10♥ J♥`."""
    return " ".join(rank_text(card.text()[0]) + SIGNS[card.text()[1]] for card in cards)


def coloured(cards: Iterable[CardSet], gap: str = " ") -> Text:
    """Cards in the colours of their suits, for the dark table."""
    text = Text()
    for number, card in enumerate(cards):
        name = card.text()
        sign = SIGNS[name[1]]
        if number:
            text.append(gap)
        text.append(rank_text(name[0]) + sign, Style(color=ON_TABLE[sign], bold=True))
    return text


@dataclass(frozen=True)
class Size:
    """How large cards are drawn, in characters; `pitch` is from the left edge of one to that of the next."""

    width: int
    height: int

    @property
    def pitch(self) -> int:
        """Columns from one card to the next."""
        return self.width + 1

    def total(self, cards: int) -> int:
        """Columns that so many cards take."""
        return max(0, cards * self.pitch - 1)


SMALL, LARGE = Size(5, 3), Size(7, 5)


def face(card: CardSet, size: Size, *, chosen: bool = False, dull: bool = False) -> list[tuple[str, Style]]:
    """The rows of one card, each as wide as `size`: the rank in two corners, the suit in the middle."""
    name = card.text()
    rank, sign = rank_text(name[0]), SIGNS[name[1]]
    ground = CHOSEN_CARD if chosen else DULL_CARD if dull else CARD
    style = Style(color=ON_CARD[sign], bgcolor=ground, bold=True)
    inner = size.width - 2
    rows = [" " * size.width] * size.height
    rows[0] = f" {rank:<{inner}} "
    rows[-1] = f" {rank:>{inner}} "
    rows[size.height // 2] = f"{sign:^{size.width}}"
    return [(row, style) for row in rows]
