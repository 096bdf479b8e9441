"""Random pairs of a hand and what lies on the table, for each of which both sides list Big Three's legal plays.

Also what runs in other processes, to use all cores for the many.
"""

import random
from collections import Counter

from bigtwo_sim.core.kernel import U64
from bigtwo_sim.games.big_three import Rules
from bigtwo_sim.games.big_three import layout as at
from bigtwo_sim.games.big_three.deal import _legal_plays
from bigtwo_sim.games.big_three.kernels.moves import new_buffers
from bigtwo_sim.games.big_three.plays import kind_of, strength_of
from tests.games.big_three.sides import of_ranks, plain, rich_hand, some_table
from tests.reference.big_three import book, deck, legal_plays


class Sampler:
    """Both sides' answers under some rules, and what occurred."""

    def __init__(self, rules: Rules) -> None:
        self.rules = rules
        self.plain = plain(rules)
        self.by_strength = {
            int(strength_of(U64(of_ranks(ranks, rules).bits), rules.rule_table())): ranks for ranks in book(self.plain)
        }
        assert len(self.by_strength) == len(book(self.plain))
        self.number = {card: i for i, card in enumerate(deck(self.plain))}
        self.buffers = new_buffers()
        self.seen: Counter[str] = Counter()

    def lowest_cards(self, held: int, ranks: str) -> int:
        """The lowest cards of these ranks in a hand, as bits."""
        bits = 0
        for rank in ranks:
            number = self.number[rank + "D"]
            while bits >> number & 1 or not held >> number & 1:
                number += 1
            bits |= 1 << number
        return bits

    def check(self, hand: list[str], table: list[str] | None) -> None:
        """Raises AssertionError, which tells the position, unless both sides list the same plays."""
        rules = self.rules
        held = sum(1 << self.number[card] for card in hand)
        on = sum(1 << self.number[card] for card in table or ())
        strength = int(strength_of(U64(on), rules.rule_table())) if table else at.NO_STRENGTH
        plays, strengths = self.buffers
        count = int(_legal_plays(U64(held), strength, rules.rule_table(), plays, strengths))
        found = strengths[:count].tolist()
        where = f"hand {' '.join(hand)}, table {table}, {rules.name}"
        assert {self.by_strength[one] for one in found} == legal_plays(hand, self.plain, table), where
        assert found == sorted(set(found)), where
        for bits, one in zip(plays[:count].tolist(), found, strict=True):
            assert bits == self.lowest_cards(held, self.by_strength[one]), where
            self.seen[f"answer {kind_of(one)}"] += 1
        self.seen["answered" if count else "no play"] += 1
        self.seen[f"table {kind_of(strength) if table else 'lead'}"] += 1
        self.seen[f"hand of {len(hand)}"] += 1


def sample(rules: Rules, count: int, seed: int) -> Counter[str]:
    """Check so many random pairs; what occurred."""
    sampler, chance = Sampler(rules), random.Random(f"{rules.name} {seed}")
    for _ in range(count):
        hand = rich_hand(chance, sampler.plain)
        sampler.check(hand, some_table(chance, sampler.plain, hand))
    return sampler.seen
