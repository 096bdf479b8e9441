"""Poker: the ranking of high hands from a full deck, who wins a showdown, and equities; five to seven cards a hand.

>>> from bigtwo_sim.poker import POKER_DECK, CardSet, equity, rank, showdown, strengths
>>> hand = CardSet.parse("2C 2D AS KH 9C 7D 4S", POKER_DECK)
>>> rank(hand).words
'pair of twos, ace-king-nine'
>>> strengths([hand.bits, hand.bits | 1 << 2])  # beside it the two of hearts as an eighth card
Traceback (most recent call last):
...
bigtwo_sim.poker.kernels.strength.PokerError: hand 1 has 8 cards; it must have 5 to 7
>>> aces, kings = (CardSet.parse(cards, POKER_DECK) for cards in ("AS AH", "KS KH"))
>>> board = CardSet.parse("KD 7S 5S 2S", POKER_DECK)
>>> [round(hand.equity, 4) for hand in equity([aces, kings], board).hands]
[0.2273, 0.7727]
"""

from bigtwo_sim.core.cards import CardError, CardSet
from bigtwo_sim.poker.comparison import Showdown, showdown
from bigtwo_sim.poker.kernels.deals import Equity, HandEquity, equity
from bigtwo_sim.poker.kernels.strength import POKER_DECK, Category, PokerError, strengths
from bigtwo_sim.poker.ranking import Ranking, rank, words

__all__ = [
    "POKER_DECK",
    "CardError",
    "CardSet",
    "Category",
    "Equity",
    "HandEquity",
    "PokerError",
    "Ranking",
    "Showdown",
    "equity",
    "rank",
    "showdown",
    "strengths",
    "words",
]
