"""The same rules, cards and random positions for both sides: the reference reads text, the engine bits.

A test says how much it does compiled, and how much as plain Python, where the engine is a hundred times slower.
"""

import random
from collections.abc import Iterable
from functools import lru_cache
from types import SimpleNamespace
from typing import Any

from bigtwo_sim.core.kernel import INTERPRETED
from bigtwo_sim.games.big_two import CardSet, Rules
from tests.reference.big_two import Card, Cards, PlayBook, ascending, deck, play_book, position

CARDS = 52
HAND = 13
SUITS = 4

# The switches that decide what is a play and which is stronger: all that a play book depends on.
BOOK_SWITCHES = ("suit_order", "straight_order", "straight_tie", "flush", "triples", "four_card_plays")


def amount(compiled: int, interpreted: int) -> int:
    """How much a test does: less where compilation is switched off."""
    return interpreted if INTERPRETED else compiled


def engine_rules(plain: SimpleNamespace) -> Rules:
    """The engine's rules of the same switches."""
    return Rules(**vars(plain))


def changed(plain: SimpleNamespace, **changes: Any) -> SimpleNamespace:
    """A copy of rules with some switches changed."""
    return SimpleNamespace(**{**vars(plain), **changes})


def book_of(plain: SimpleNamespace) -> PlayBook:
    """The play book of some rules, kept for the tests that come after."""
    return _book(tuple(getattr(plain, switch) for switch in BOOK_SWITCHES))


@lru_cache(maxsize=24)
def _book(values: tuple[Any, ...]) -> PlayBook:
    return play_book(SimpleNamespace(**dict(zip(BOOK_SWITCHES, values, strict=True))))


def bits(some: Iterable[Card], plain: SimpleNamespace) -> int:
    """The cards as the engine numbers them: bit 4 * rank + suit, both from weak to strong."""
    return sum(1 << position(card, plain) for card in some)


def card_set(some: Iterable[Card] | str, rules: Rules) -> CardSet:
    """The cards as a set of the engine, read from their text."""
    return CardSet.parse(some if isinstance(some, str) else " ".join(some), rules.deck)


def text(number: int, plain: SimpleNamespace) -> Cards:
    """The cards of some bits, ascending."""
    return tuple(card for i, card in enumerate(deck(plain)) if number >> i & 1)


def rich_cards(chance: random.Random, count: int) -> list[int]:
    """Numbers of so many different cards: often of a few ranks or suits, so that rare plays come up."""
    pack = _pack(chance)
    if len(pack) < count:
        pack = pack + chance.sample([card for card in range(CARDS) if card not in pack], count - len(pack))
    return chance.sample(pack, count)


def _pack(chance: random.Random) -> list[int]:
    """The cards that a rich hand is drawn from."""
    ranks = range(CARDS // SUITS)
    style = chance.randrange(10)
    if style < 3:
        return list(range(CARDS))
    if style < 5:  # ranks side by side, also round the corner from the 2 to the 3: straights
        first = chance.choice(ranks)
        some = {(first + i) % len(ranks) for i in range(chance.randint(5, 8))}
        return [SUITS * rank + suit for rank in some for suit in range(SUITS)]
    if style < 7:  # few ranks: pairs, full houses, fours
        some = set(chance.sample(ranks, chance.randint(3, 6)))
        return [SUITS * rank + suit for rank in some for suit in range(SUITS)]
    if style < 9:  # one suit or two: flushes
        suits = chance.sample(range(SUITS), chance.choice((1, 2, 2, 2)))
        return [SUITS * rank + suit for rank in ranks for suit in suits]
    first = chance.choice(ranks)  # both: straight flushes
    some = {(first + i) % len(ranks) for i in range(chance.randint(5, 9))}
    suits = chance.sample(range(SUITS), 2)
    return [SUITS * rank + suit for rank in some for suit in suits]


def rich_hand(chance: random.Random, plain: SimpleNamespace, most: int = HAND) -> Cards:
    """A rich hand, full every other time, else of any number of cards from one on."""
    count = most if chance.random() < 0.5 else chance.randint(1, most)
    pack = deck(plain)
    return ascending([pack[card] for card in rich_cards(chance, count)], plain)
