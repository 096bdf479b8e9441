"""Positions that a person describes: what must hold of them whichever the game, and what is taken for granted."""

from __future__ import annotations

from collections.abc import Sequence

from bigtwo_sim.core.cards import CardSet


class PositionError(ValueError):
    """A position that cannot be; the message says why."""


def check_cards(hand: CardSet, seen: CardSet, table: CardSet, largest_hand: int) -> None:
    """Raise PositionError unless the hand has cards, not too many, of which none was played."""
    if not 1 <= len(hand) <= largest_hand:
        raise PositionError(f"the hand has {len(hand)} cards; it must have 1 to {largest_hand}")
    for cards, where in ((table, "the play to beat"), (seen, "the cards seen")):
        if hand & cards:
            raise PositionError(f"the hand and {where} share {hand & cards}; every card exists once")


def check_owner(owner: int, others: int) -> None:
    """Raise PositionError unless one of the others may have laid the play to beat."""
    if not 1 <= owner <= others:
        raise PositionError(f"the play to beat was laid by {owner}; it must be 1 to {others}, the next player first")


def validate_counts(left: Sequence[int], others: int, largest_hand: int, unseen: int, cards: int) -> list[int]:
    """The cards that the others hold, as they were told, of `unseen` of the deck's `cards`. Raises PositionError."""
    text = ",".join(map(str, left))
    if len(left) != others or not all(1 <= count <= largest_hand for count in left):
        raise PositionError(f"left is {text}; it must be {others} numbers from 1 to {largest_hand}, next player first")
    if sum(left) > unseen:
        raise PositionError(
            f"left is {text}, {sum(left)} cards together, but only {unseen} of the {cards} are unseen: neither in "
            "the hand, nor on the table, nor among the cards seen"
        )
    return list(left)


def infer_counts(each: int, others: int, unseen: int, owner: int | None, on: int) -> list[int]:
    """The cards of the others where nobody told them: `each`, less what lies on the table, and no more than unseen.

    The `owner` (1: the next player) laid `on` cards. Raises PositionError where not everybody can hold one.
    """
    counts = [each] * others
    if owner is not None:
        counts[owner - 1] = max(1, counts[owner - 1] - on)
    if unseen < others:
        raise PositionError(f"{unseen} cards are unseen; each of the {others} others must hold one at least")
    while sum(counts) > unseen:
        counts[counts.index(max(counts))] -= 1
    return counts
