"""Poker's ranking again, slow and by the book: what the compiled one is checked by. It shares no code with it."""

from collections import Counter
from itertools import combinations

RANKS = "23456789TJQKA"
SUITS = "CDHS"
CARDS = [rank + suit for rank in RANKS for suit in SUITS]


def worth_of_five(cards: list[str]) -> tuple[int, tuple[int, ...]]:
    """Category (0 to 8) and ranks in the order in which they count; greater is stronger."""
    numbers = sorted((RANKS.index(card[0]) for card in cards), reverse=True)
    counts = Counter(numbers)
    in_order = tuple(sorted(numbers, key=lambda number: (counts[number], number), reverse=True))
    shape = tuple(sorted(counts.values(), reverse=True))
    one_suit = len({card[1] for card in cards}) == 1
    if numbers == [12, 3, 2, 1, 0]:
        in_order, in_a_row = (3, 2, 1, 0, -1), True
    else:
        in_a_row = shape == (1, 1, 1, 1, 1) and numbers[0] - numbers[4] == 4
    if in_a_row:
        category = 8 if one_suit else 4
    elif one_suit:
        category = 5
    else:
        category = {(4, 1): 7, (3, 2): 6, (3, 1, 1): 3, (2, 2, 1): 2, (2, 1, 1, 1): 1, (1, 1, 1, 1, 1): 0}[shape]
    return category, in_order


def worth(cards: list[str]) -> tuple[int, tuple[int, ...]]:
    """The worth of the best five of five cards or more."""
    return max(worth_of_five(list(five)) for five in combinations(cards, 5))


def shares(hands: list[list[str]], board: list[str]) -> list[float]:
    """The part of the pot of each two-card hand on average over all boards that `board` can become."""
    seen = {*board, *(card for hand in hands for card in hand)}
    live = [card for card in CARDS if card not in seen]
    total, boards = [0.0] * len(hands), 0
    for rest in combinations(live, 5 - len(board)):
        worths = [worth([*hand, *board, *rest]) for hand in hands]
        winners = [index for index, value in enumerate(worths) if value == max(worths)]
        for index in winners:
            total[index] += 1 / len(winners)
        boards += 1
    return [share / boards for share in total]
