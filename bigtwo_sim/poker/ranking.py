"""What five to seven cards are worth, for people: their category, the best five, and the words for them.

>>> print(rank(CardSet.parse("2C 2D AS KH 9C 7D 4S", POKER_DECK)))
2D 2C AS KH 9C: pair of twos, ace-king-nine
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from bigtwo_sim.core.cards import CardSet
from bigtwo_sim.poker.kernels.strength import (
    FEWEST_CARDS,
    MOST_CARDS,
    POKER_DECK,
    RANKS,
    SUITS,
    Category,
    PokerError,
    fields,
    strengths,
)

RANK_WORDS = ("two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "jack", "queen", "king", "ace")
_ACE = RANKS - 1


@dataclass(frozen=True)
class Ranking:
    """The best five of some cards. Of two rankings the one of greater `strength` wins; equal ones split the pot."""

    cards: CardSet
    """All of them, five to seven."""
    best: CardSet
    """The five that count; of several such fives, which differ in their suits alone, the one of the highest suits."""
    strength: int

    @property
    def category(self) -> Category:
        """What the best five are."""
        return fields(self.strength)[0]

    @property
    def words(self) -> str:
        """The best five in words: `pair of twos, ace-king-nine`."""
        return words(self.strength)

    def __str__(self) -> str:
        return f"{best_text(self)}: {self.words}"


def cards_text(cards: CardSet, signs: bool = False) -> str:
    """The text of a set of cards from the highest down, as poker players name them: `AS KH`."""
    return " ".join(reversed(cards.text(signs).split()))


def number_of_cards(cards: CardSet) -> str:
    """`1 card`, `7 cards`."""
    return f"{len(cards)} card{'' if len(cards) == 1 else 's'}"


def check_deck(cards: object) -> None:
    """Raise PokerError for cards of another deck."""
    if not isinstance(cards, CardSet) or cards.deck != POKER_DECK:
        raise PokerError(f"{cards!r} are no cards of poker's deck; they must be a CardSet of POKER_DECK")


def rank(cards: CardSet) -> Ranking:
    """Rank five to seven cards of `POKER_DECK`.

    Raises PokerError for another number of cards, or cards of another deck.
    """
    check_deck(cards)
    if not FEWEST_CARDS <= len(cards) <= MOST_CARDS:
        name = cards_text(cards) or "the hand"
        raise PokerError(f"{name} has {number_of_cards(cards)}; it must have {FEWEST_CARDS} to {MOST_CARDS}")
    fives = [sum(card.bits for card in five) for five in combinations(cards, FEWEST_CARDS)]
    values = strengths(np.array(fives, np.uint64))
    strength, best = max(zip(values.tolist(), fives, strict=True))
    return Ranking(cards, CardSet(best, cards.deck), strength)


def best_text(ranking: Ranking, signs: bool = False) -> str:
    """The five cards that count, in the order in which they matter: `2D 2C AS KH 9C`."""
    _, group, others = fields(ranking.strength)
    cards = ranking.best
    by_rank = [
        [card.text(signs) for card in cards if card.bits.bit_length() - 1 in range(SUITS * r, SUITS * r + SUITS)]
        for r in range(RANKS)
    ]
    order = group + [r for r in reversed(range(RANKS)) if r not in group]
    if ranking.category in (Category.STRAIGHT, Category.STRAIGHT_FLUSH) and others[0] != _ACE:
        order.append(order.pop(0))  # below the two
    return " ".join(name for r in order for name in reversed(by_rank[r]))


# --- words ------------------------------------------------------------------------------------------------------------
def words(strength: int) -> str:
    """A strength in words, without an article: `pair of twos, ace-king-nine`, `five-high straight`, `royal flush`.

    >>> words(int(strengths([POKER_DECK.parse("6C 6D 6H 6S KS")])[0]))
    'four sixes, king kicker'
    """
    category, group, others = fields(strength)
    top = RANK_WORDS[(others or group)[0]]
    match category:
        case Category.STRAIGHT_FLUSH:
            return "royal flush" if others[0] == _ACE else f"{top}-high straight flush"
        case Category.FOUR_OF_A_KIND:
            return f"four {plural(group[0])}, {top} kicker"
        case Category.FULL_HOUSE:
            return f"full house, {plural(group[0])} full of {plural(others[0])}"
        case Category.FLUSH:
            return f"{top}-high flush, {_joined(others[1:])}"
        case Category.STRAIGHT:
            return f"{top}-high straight"
        case Category.THREE_OF_A_KIND:
            return f"three {plural(group[0])}, {_joined(others)}"
        case Category.TWO_PAIR:
            return f"two pair, {plural(group[0])} and {plural(group[1])}, {top} kicker"
        case Category.PAIR:
            return f"pair of {plural(group[0])}, {_joined(others)}"
        case Category.HIGH_CARD:
            return f"{top} high, {_joined(others[1:])}"


def plural(rank_number: int) -> str:
    """`twos`, `sixes`; rank 0 is the two."""
    word = RANK_WORDS[rank_number]
    return word + ("es" if word.endswith("x") else "s")


def _joined(ranks: Sequence[int]) -> str:
    return "-".join(RANK_WORDS[r] for r in ranks)
