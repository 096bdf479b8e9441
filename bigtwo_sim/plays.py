"""What a play is in any game, for people: cards, a kind and a strength; and which cards are of a game's deck."""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum
from typing import Any, TypeVar

from bigtwo_sim.cards import CardSet
from bigtwo_sim.switches import SwitchedRules

AnyPlay = TypeVar("AnyPlay")


class KindOfPlay(StrEnum):
    """A base for the kinds of plays of a game."""

    @property
    def words(self) -> str:
        """Its name in a sentence: `full house`."""
        return self.value.replace("_", " ")


class LaidCards:
    """A base for the plays of a game."""

    cards: CardSet
    kind: Any
    strength: int

    @property
    def size(self) -> int:
        """Number of cards."""
        return len(self.cards)

    def __str__(self) -> str:
        return f"{self.cards} ({self.kind.words})"


def play_to_beat(
    hand: CardSet,
    on: CardSet | None,
    rules: Any,
    largest_hand: int,
    classify: Callable[[CardSet, Any], AnyPlay | None],
) -> AnyPlay | None:
    """The play `on`, which `hand` is to beat; None on lead.

    Raises ValueError for a hand of too many cards, for an `on` that is no play or shares cards with the hand.
    """
    if len(hand) > largest_hand:
        raise ValueError(f"the hand has {len(hand)} cards; it must have at most {largest_hand}")
    if on is None:
        return None
    if hand & on:
        raise ValueError(f"{hand & on} is in the hand and on the table; every card exists once")
    table = classify(on, rules)
    if table is None:
        raise ValueError(f"{on} is no play under the rules {rules.name}")
    return table


def raise_if_other_deck(cards: object, rules: SwitchedRules, order: str) -> None:
    """Raises TypeError unless `cards` are a CardSet of the rules' deck; decks differ in `order`, suits or ranks."""
    if not isinstance(cards, CardSet):
        raise TypeError(f"{cards!r:.60} is no CardSet; read cards with CardSet.parse(text, rules.deck)")
    if cards.deck != rules.deck:
        raise TypeError(
            f"the cards have the {order} in the order {getattr(cards.deck, order)}, the rules in the order "
            f"{getattr(rules.deck, order)}; read the cards with CardSet.parse(text, rules.deck)"
        )
