"""Write the files in `data/perft`: the number of lines of play from fixed positions, counted by the reference.

Run it on purpose only (`python -m tests.games.big_two.make_perft [NAME...]`): a changed number is a changed rule.
"""

import random
import sys
import time
from typing import Any

from tests.games.big_two.perft import FOLDER, Perft, Position, write
from tests.reference.big_two import RANKS, Card, NaiveDeal, PlayBook, ascending, count_lines, deck, play_book
from tests.reference.vectors import PRESETS, rules

HEAD = """Lines of play from fixed positions.

A line is a sequence of plays and passes. At depth n all different lines of n steps are counted; a line that ends
the deal earlier counts once. A pass is a step also where it is the only one; a seat that is locked out takes no step.
Where the holder of the lowest card leads, the rule for the opening play binds it; a seat that is named leads anything.

Checked independently: counted by tests/reference/big_two.py, which tries every subset of every hand and shares no code
with the engine, step by step, with no memory of positions met before. Written by tests/games/big_two/make_perft.py."""

HOUSE_RULES: dict[str, dict[str, Any]] = {
    "house_locked_out": {"passing": "locked_out", "last_card": True},
    "house_bombs": {"bombs": True, "last_card": True, "straight_tie": "top_of_sequence", "flush": "ranks_first"},
    "house_four_card_bombs": {
        "suit_order": "SHCD",
        "opening_play": "anything",
        "passing": "locked_out",
        "four_card_plays": "two_pairs_and_four_of_a_kind",
        "bombs": True,
    },
    "house_fours": {"flush": "top_card", "triples": False, "four_card_plays": "four_of_a_kind", "last_card": True},
}

ENOUGH = 30_000  # lines: the depth that reaches so many is the last

Hands = list[list[Card]]


def hands_of(cards: list[Card], sizes: tuple[int, ...], seed: int) -> Hands:
    """Shuffle the cards and give each seat so many of them."""
    shuffled = list(cards)
    random.Random(seed).shuffle(shuffled)
    return [[shuffled.pop() for _ in range(size)] for size in sizes]


def straights(ranks: str, halves: tuple[str, str], suits: str, seed: int) -> Hands:
    """Give each seat one card of each of `ranks`, two aces or the like to the first two, two others to the last two."""
    chance = random.Random(seed)
    of_rank = [[rank + suit for suit in chance.sample(suits, len(suits))] for rank in (*ranks, *halves)]
    hands = [list(hand) for hand in zip(*of_rank[: len(ranks)], strict=True)]
    for seat, extra in zip((0, 1, 0, 1, 2, 3, 2, 3), of_rank[-2] + of_rank[-1], strict=True):
        hands[seat].append(extra)
    return hands


def one_suit_each(ranks: str, suits: str, count: int, seed: int) -> Hands:
    """Give each seat so many cards of one suit: hands of flushes."""
    chance = random.Random(seed)
    return [[rank + suit for rank in chance.sample(ranks, count)] for suit in suits]


def fours_and_pairs(ranks: str, suits: str, seed: int) -> Hands:
    """Give each seat all cards of one rank and two of another: hands of full houses, fours and two pairs."""
    chance = random.Random(seed)
    drawn = iter(chance.sample(ranks, len(ranks)))
    hands = []
    for _ in suits:
        four, pair = next(drawn), next(drawn)
        hands.append([four + suit for suit in suits] + [pair + suit for suit in chance.sample(suits, 2)])
    return hands


def positions(pack: list[Card]) -> list[tuple[str, Hands, int | None]]:
    """Name, hands and leader (None: the holder of the lowest card) of each position."""
    suits = "".join(card[1] for card in pack[:4])
    low = [card for card in pack if card[0] in "34567"]
    middle = [card for card in pack if card[0] in "89TJQ"]
    return [
        ("a whole deal", hands_of(pack, (13, 13, 13, 13), seed=1), None),
        ("a whole deal, its leader named", hands_of(pack, (13, 13, 13, 13), seed=2), 0),
        ("threes to sevens", hands_of(low, (5, 5, 5, 5), seed=3), None),
        ("eights to queens, one seat down to its last card", hands_of(middle, (5, 5, 1, 5), seed=4), 1),
        ("straights of aces to sixes", straights("2345", ("A", "6"), suits, seed=5), 0),
        ("straights of tens to twos", straights("JQKA", ("T", "2"), suits, seed=6), 2),
        ("flushes", one_suit_each(RANKS, suits, 6, seed=7), 0),
        ("fours and pairs", fours_and_pairs(RANKS, suits, seed=8), 1),
    ]


def count(name: str, preset: str, changes: dict[str, Any]) -> None:
    """Count the lines of every position under one set of rules and write the file."""
    chosen = rules(preset, **changes)
    book: PlayBook = play_book(chosen)
    counted = []
    for title, hands, leader in positions(deck(chosen)):
        deal = NaiveDeal(hands, chosen, leader, book)
        lines: dict[int, int] = {}
        start = time.perf_counter()
        while not lines or lines[len(lines)] < ENOUGH:
            depth = len(lines) + 1
            lines[depth] = count_lines(deal, depth)
        print(f"{name}, {title}: {len(lines)} depths in {time.perf_counter() - start:.1f} s, {lines}", flush=True)
        texts = tuple(" ".join(ascending(hand, chosen)) for hand in hands)
        counted.append(Position(title, texts, leader, lines))
    write(FOLDER / f"{name}.txt", HEAD, Perft(preset, changes, counted))


def main(names: list[str]) -> None:
    """Write the files named, or all."""
    wanted: dict[str, tuple[str, dict[str, Any]]] = {preset: (preset, {}) for preset in PRESETS}
    wanted |= {name: ("singapore", changes) for name, changes in HOUSE_RULES.items()}
    for name in names or wanted:
        count(name, *wanted[name])


if __name__ == "__main__":
    main(sys.argv[1:])
