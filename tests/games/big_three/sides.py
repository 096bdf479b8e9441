"""Big Three's rules, cards and random positions for both sides: the reference reads text, the engine bits."""

import random
from functools import cache
from types import SimpleNamespace
from typing import Any

from bigtwo_sim.core.kernel import INTERPRETED
from bigtwo_sim.games.big_three import PRESETS, SWITCHES, CardSet, Play, Rules
from tests.reference.big_three import SUITS, Card, Ranks, book, cards_of, deck, ranks_in

CARDS = 52
MOST_CARDS = 20  # of a hand
VALUES: dict[str, list[Any]] = {
    "players": [3, 4],
    "ranks": ["three_high", "ace_high"],
    "runs": ["four_to_king", "rank_order"],
    "ace_sets": [True, False],
    "first_bidder": ["hearts", "dealer"],
    "direction": ["right", "clockwise"],
    "payment": ["winning_bid", "own_bids"],
    "seating": ["opposite", "adjacent"],
    "stake": [1, 5],
}


def amount(compiled: int, interpreted: int) -> int:
    """How much a test does: less where compilation is switched off."""
    return interpreted if INTERPRETED else compiled


def plain(rules: Rules) -> SimpleNamespace:
    """The same switches without a word of the engine."""
    return SimpleNamespace(
        **{s: str(v) if isinstance(v := getattr(rules, s), str) else v for s in SWITCHES}, name=rules.name
    )


def house_rules(chance: random.Random) -> Rules:
    """Rules with every switch drawn."""
    return Rules().replace(name="house", **{switch: chance.choice(values) for switch, values in VALUES.items()})


ALL_RULES = [
    *PRESETS.values(),
    Rules().replace(players=4, stake=5),
    PRESETS["as_printed"].replace(players=4, seating="adjacent"),
    *(house_rules(random.Random(number)) for number in range(4)),
]
RULES_IDS = [f"{number} {rules.name}" for number, rules in enumerate(ALL_RULES)]


def cards(text: str, rules: Rules) -> CardSet:
    """The cards of a text."""
    return CardSet.parse(text, rules.deck)


def of_ranks(ranks: Ranks, rules: Rules) -> CardSet:
    """Cards of these ranks, such as 66778 8."""
    return cards(" ".join(cards_of(ranks.replace(" ", ""))), rules)


def told(play: Play, rules: Rules) -> Ranks:
    """The ranks of a play of the engine."""
    return ranks_in(str(play.cards).split(), plain(rules))


def rich_hand(chance: random.Random, rules: SimpleNamespace) -> list[Card]:
    """Cards of a hand: often of a few ranks side by side, so that runs of pairs, triples and fours come up."""
    pack = deck(rules)
    style = chance.randrange(4)
    if style:
        ranks = chance.randint(3, 9)
        first = chance.randint(0, 13 - ranks)
        pack = pack[4 * first : 4 * (first + ranks)]
    most = min(MOST_CARDS, len(pack))
    return chance.sample(pack, most if chance.random() < 0.5 else chance.randint(1, most))


@cache
def _by_kind(order: str, runs: str, ace_sets: bool) -> list[list[Ranks]]:
    by_kind: dict[str, list[Ranks]] = {}
    for ranks, (kind, _, _) in book(SimpleNamespace(ranks=order, runs=runs, ace_sets=ace_sets)).items():
        by_kind.setdefault(kind, []).append(ranks)
    return list(by_kind.values())


def some_table(chance: random.Random, rules: SimpleNamespace, hand: list[Card]) -> list[Card] | None:
    """What lies on the table: nothing, or a play of any kind of cards that the hand leaves, rather a weak one."""
    if chance.random() < 0.15:
        return None
    kinds = _by_kind(rules.ranks, rules.runs, rules.ace_sets)
    for _ in range(30):
        some = chance.choice(kinds)
        ranks = some[int(len(some) * chance.random() ** 2)]
        laid: list[Card] = []
        for i, rank in enumerate(ranks):
            if i == 0 or rank != ranks[i - 1]:
                laid += [rank + suit for suit in SUITS if rank + suit not in hand][: ranks.count(rank)]
        if len(laid) == len(ranks):
            return laid
    return None
