"""What a play is in any game, for people: cards, a kind and a strength; and which cards are of a game's deck."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Literal, Self, TypeVar

from bigtwo_sim.core.cards import CardSet
from bigtwo_sim.games.base.ruleset import RuleSet

AnyPlay = TypeVar("AnyPlay")


class KindOfPlay(StrEnum):
    """A base for the kinds of plays of a game."""

    @property
    def words(self) -> str:
        """Its name in a sentence: `full house`."""
        return self.value.replace("_", " ")


class BasePlay:
    """A base for the plays of a game: immutable values."""

    cards: CardSet
    kind: Any
    strength: int

    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return self

    @property
    def size(self) -> int:
        """Number of cards."""
        return len(self.cards)

    def __str__(self) -> str:
        return f"{self.cards} ({self.kind.words})"


@dataclass(frozen=True)
class Comparison:
    """Two sets of cards compared: each as a play (None: it is none), which beats the other, and the reason."""

    first: BasePlay | None
    second: BasePlay | None
    winner: Literal["first", "second"] | None
    """None where neither may be laid on the other."""
    reason: str


def compare_plays(
    first: CardSet,
    second: CardSet,
    rules: Any,
    classify: Callable[..., Any],
    why_no_play: Callable[..., str],
    why_stronger: Callable[..., str],
    why_neither: Callable[..., str],
) -> Comparison:
    """Which of two plays of a game beats the other under `rules`, and why; the game's functions find it and tell it."""
    one, other = classify(first, rules), classify(second, rules)
    if one is None:
        return Comparison(one, other, None, f"the first is no play under {rules.name}: {why_no_play(first, rules)}")
    if other is None:
        return Comparison(one, other, None, f"the second is no play under {rules.name}: {why_no_play(second, rules)}")
    if one.beats(other):
        return Comparison(one, other, "first", why_stronger(one, other, rules))
    if other.beats(one):
        return Comparison(one, other, "second", why_stronger(other, one, rules))
    return Comparison(one, other, None, why_neither(one, other))


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


def raise_if_other_deck(cards: object, rules: RuleSet, order: str) -> None:
    """Raises TypeError unless `cards` are a CardSet of the rules' deck; decks differ in `order`, suits or ranks."""
    if not isinstance(cards, CardSet):
        raise TypeError(f"{cards!r:.60} is no CardSet; read cards with CardSet.parse(text, rules.deck)")
    if cards.deck != rules.deck:
        raise TypeError(
            f"the cards have the {order} in the order {getattr(cards.deck, order)}, the rules in the order "
            f"{getattr(rules.deck, order)}; read the cards with CardSet.parse(text, rules.deck)"
        )
