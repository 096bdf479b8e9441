"""Random pairs of a hand and what lies on the table, for each of which both sides list the legal plays.

Also what runs in other processes, to use all cores for the many.
"""

import random
from collections import Counter
from types import SimpleNamespace
from typing import Any

from bigtwo_sim.core.kernel import U64
from bigtwo_sim.games.big_two import Rules
from bigtwo_sim.games.big_two.deal import _turn_plays
from bigtwo_sim.games.big_two.kernels.moves import new_buffers
from bigtwo_sim.games.big_two.kernels.turns import new_public
from bigtwo_sim.games.big_two.plays import kind_of, strength_of
from tests.games.big_two.sides import HAND, bits, book_of, changed, engine_rules, rich_hand
from tests.reference.big_two import Card, Cards, PlayBook, deck, legal_plays, may_pass
from tests.reference.vectors import PRESETS, SWITCHES, random_rules

LEAD = "lead"
NO_STRENGTH = -1
FREE_SWITCHES = ("bombs", "last_card", "opening_play")  # they change the answers, not what is a play


class EngineTurn:
    """One turn set up by hand in the engine: the legal plays in any position under the rules."""

    def __init__(self, rules: Rules) -> None:
        self.rules = rules
        self.public = new_public(rules)
        self.fields = {name: self.public[name] for name in self.public.dtype.names or ()}
        self.buffers = new_buffers()

    def options(self, hand: int, table: int, opening: bool, next_left: int) -> tuple[list[int], list[int], bool]:
        """Legal plays as bits, their strengths, and whether one may pass; `table` 0 is the lead."""
        fields = self.fields
        fields["play_to_beat"][0] = table
        fields["size_to_beat"][0] = table.bit_count()
        fields["strength_to_beat"][0] = strength_of(U64(table), self.rules.rule_table()) if table else NO_STRENGTH
        fields["opening"][0] = opening
        fields["left"][0, 1] = next_left
        plays, strengths = self.buffers
        count = int(_turn_plays(self.public, U64(hand), plays, strengths))
        return plays[:count].tolist(), strengths[:count].tolist(), bool(fields["may_pass"][0])


class Sampler:
    """Random positions under some rules, and both sides' answers."""

    def __init__(self, plain: SimpleNamespace, chance: random.Random) -> None:
        self.plain = plain
        self.chance = chance
        self.book: PlayBook = book_of(plain)
        self.bits = {play: bits(play, plain) for play in self.book}
        self.of_kind: dict[str, list[Cards]] = {}
        for play, (kind, _) in self.book.items():
            self.of_kind.setdefault(kind, []).append(play)
        self.kinds = list(self.of_kind)
        self.lowest: Card = deck(plain)[0]
        self.turns: dict[tuple[Any, ...], tuple[SimpleNamespace, EngineTurn]] = {}

    def table(self, hand: Cards) -> Cards | None:
        """What lies on the table: every kind is as likely, of its plays rather a weak one; None: nothing."""
        if self.chance.random() < 0.12:
            return None
        plays = self.of_kind[self.chance.choice(self.kinds)]
        for _ in range(20):
            weaker = min(self.chance.random(), self.chance.random())
            play = plays[int(weaker * len(plays))]
            if not set(play) & set(hand):
                return play
        return None

    def rules(self, free: dict[str, Any]) -> tuple[SimpleNamespace, EngineTurn]:
        """The rules with these free switches, and the engine's turn under them."""
        key = tuple(free.values())
        if key not in self.turns:
            plain = changed(self.plain, **free)
            self.turns[key] = plain, EngineTurn(engine_rules(plain))
        return self.turns[key]

    def check(self, house: bool, seen: Counter[str]) -> None:
        """One pair: raises AssertionError, which tells the position, unless both sides list the same plays.

        `house` draws the free switches too. What occurred is counted in `seen`.
        """
        chance = self.chance
        free = {switch: chance.choice(SWITCHES[switch]) for switch in FREE_SWITCHES} if house else {}
        plain, turn = self.rules(free)
        hand = rich_hand(chance, plain)
        table = self.table(hand)
        next_left = 1 if chance.random() < 0.3 else chance.randint(2, HAND)
        opening = table is None and self.lowest in hand and chance.random() < 0.5
        expected = legal_plays(hand, plain, table, opening, next_left, self.book)
        expected_pass = may_pass(hand, plain, table, next_left, self.book)
        hand_bits, table_bits = bits(hand, plain), self.bits[table] if table else 0
        plays, strengths, passes = turn.options(hand_bits, table_bits, opening, next_left)
        where = f"hand {' '.join(hand)}, table {table}, opening {opening}, next {next_left}, {plain}"
        assert plays == [self.bits[play] for play in expected], where
        assert passes == expected_pass, where
        order = [(play.bit_count(), strength, play) for play, strength in zip(plays, strengths, strict=True)]
        assert order == sorted(set(order)), where
        assert not any(play & ~hand_bits for play in plays), where
        for play, strength in zip(expected, strengths, strict=True):
            kind = self.book[play][0]
            assert kind_of(len(play), strength) == kind, (where, play)
            seen[f"answer {kind}"] += 1
        seen[f"table {self.book[table][0] if table else LEAD}"] += 1
        seen[f"table of {len(table or ())}"] += 1
        seen[f"hand of {len(hand)}"] += 1
        seen["answered" if plays else "no play"] += 1
        seen["opening"] += opening
        seen["must play"] += bool(table and not passes)
        seen["bomb"] += bool(table and any(len(play) != len(table) for play in expected))


def sample(name: str, count: int, seed: int) -> Counter[str]:
    """Check so many pairs under a preset, or under the house rules that `name` ("house 7") and `seed` draw.

    Returns what occurred, counted.
    """
    chance = random.Random(f"{name} {seed}")
    house = name not in PRESETS
    sampler = Sampler(random_rules(chance) if house else PRESETS[name], chance)
    seen: Counter[str] = Counter()
    for _ in range(count):
        sampler.check(house, seen)
    return seen
