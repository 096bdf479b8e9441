"""Which of several hands wins, and which split the pot."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from bigtwo_sim.core.cards import CardSet
from bigtwo_sim.poker.kernels.strength import FEWEST_CARDS, POKER_DECK, PokerError
from bigtwo_sim.poker.ranking import Ranking, cards_text, check_deck, number_of_cards, rank

HOLE_CARDS = 2  # a hand beside a board, as in hold'em
BOARD_CARDS = 5
NO_CARDS = CardSet(0, POKER_DECK)


@dataclass(frozen=True)
class Showdown:
    """Hands ranked against each other, in the order in which they were given."""

    rankings: tuple[Ranking, ...]

    @property
    def winners(self) -> tuple[int, ...]:
        """Indices of the strongest hand, or of those that split the pot."""
        return tuple(index for index, place in enumerate(self.places) if place == 1)

    @property
    def places(self) -> tuple[int, ...]:
        """The place of each hand, 1 for the strongest; equal hands share one, and the next are not counted."""
        values = [ranking.strength for ranking in self.rankings]
        return tuple(1 + sum(other > value for other in values) for value in values)


def showdown(hands: Sequence[CardSet], board: CardSet | None = None) -> Showdown:
    """Rank two hands or more against each other.

    Without a board each hand has five to seven cards; the same card may be in several of them, as this asks about their
    order alone. With a board of three to five cards each hand has two, and every card exists once.

    Raises PokerError for fewer hands, for another number of cards, and for a card that would have to exist twice.
    """
    if len(hands) < 2:
        raise PokerError(f"the number of hands is {len(hands)}; it must be at least 2")
    if board is None:
        return Showdown(tuple(rank(hand) for hand in hands))
    check_cards(hands, board)
    least = FEWEST_CARDS - HOLE_CARDS
    if len(board) < least:
        raise PokerError(f"the board has {number_of_cards(board)}; it must have {least} to {BOARD_CARDS} to rank hands")
    return Showdown(tuple(rank(hand | board) for hand in hands))


def check_cards(hands: Sequence[CardSet | None], board: CardSet) -> None:
    """Raise PokerError unless every hand has two cards, the board at most five, and every card exists once.

    None is a hand that is not known.
    """
    check_deck(board)
    if len(board) > BOARD_CARDS:
        raise PokerError(f"the board has {number_of_cards(board)}; it must have at most {BOARD_CARDS}")
    seen = [("the board", board)]
    for number, hand in enumerate(hands, 1):
        if hand is None:
            continue
        check_deck(hand)
        name = f"hand {number} ({cards_text(hand) or 'no cards'})"
        if len(hand) != HOLE_CARDS:
            raise PokerError(f"{name} has {number_of_cards(hand)}; it must have {HOLE_CARDS}")
        for other, cards in seen:
            if hand & cards:
                raise PokerError(f"{name} and {other} share {cards_text(hand & cards)}; every card exists once")
        seen.append((name, hand))
