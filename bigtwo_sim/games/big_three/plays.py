"""What a set of cards is as a play: its kind and its strength, and which of two plays beats the other.

Suits count for nothing, so plays of the same ranks are one and the same in all that follows; only people may care which
cards they are made of.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from bigtwo_sim.core.cards import CardSet
from bigtwo_sim.core.kernel import NO_BITS, ONE, U64, highest, kernel, lowest, popcount
from bigtwo_sim.core.kernels.ranks import rank_counts, ranks_present
from bigtwo_sim.games.base.plays import BasePlay, KindOfPlay, raise_if_other_deck
from bigtwo_sim.games.big_three import layout as at
from bigtwo_sim.games.big_three.rules import Rules

_CARDS_A_RANK = 3  # bits of a strength's cards a rank, above its rank


@kernel(inline=True)
def make_strength(length, cards_a_rank, top_rank):
    """Strength of a run of `length` ranks (1: no run) with so many cards of each; see `layout`."""
    return (length << at.LENGTH_SHIFT) | ((cards_a_rank - 1) << at.FORM_SHIFT) | top_rank


@kernel(inline=True)
def span(lowest_rank, length):
    """All cards of `length` ranks from that of the bit `lowest_rank` (4 * rank) on."""
    return (lowest_rank << U64(4 * length)) - lowest_rank


@kernel
def strength_of(cards, rules):
    """Strength (int64) of `cards` (uint64) as a play under the rules table, or -1 where they are no play."""
    if cards == NO_BITS:
        return np.int64(-1)
    present = ranks_present(cards)
    length = popcount(present)
    size = popcount(cards)
    cards_a_rank = size // length
    if rank_counts(cards) != present * U64(cards_a_rank):
        return np.int64(-1)
    if length == 1:
        if (cards_a_rank == 2 or cards_a_rank == 3) and present & U64(rules[at.SET_RANKS]) == NO_BITS:
            return np.int64(-1)
    else:
        from_lowest = ONE << U64(lowest(present))
        consecutive = present == present & span(from_lowest, length)
        if length < at.SHORTEST_RUN or not consecutive or present & ~U64(rules[at.RUN_RANKS]) != NO_BITS:
            return np.int64(-1)
    return make_strength(length, cards_a_rank, highest(present) >> 2)


@kernel(inline=True)
def beats(strength, on_strength):
    """Whether a play may be laid on another, by their strengths; any play may be laid on an empty table."""
    same_form = strength >> at.FORM_SHIFT == on_strength >> at.FORM_SHIFT
    return on_strength < 0 or (same_form and strength > on_strength)


class Kind(KindOfPlay):
    """The kinds of plays."""

    SINGLE = "single"
    PAIR = "pair"
    TRIPLE = "triple"
    FOUR = "four"
    RUN = "run"
    RUN_OF_PAIRS = "run_of_pairs"
    RUN_OF_TRIPLES = "run_of_triples"
    RUN_OF_FOURS = "run_of_fours"


_SETS = (Kind.SINGLE, Kind.PAIR, Kind.TRIPLE, Kind.FOUR)
_RUNS = (Kind.RUN, Kind.RUN_OF_PAIRS, Kind.RUN_OF_TRIPLES, Kind.RUN_OF_FOURS)


def kind_of(strength: int) -> Kind:
    """The kind of a play, from its strength."""
    kinds = _SETS if strength >> at.LENGTH_SHIFT == 1 else _RUNS
    return kinds[strength >> at.FORM_SHIFT & _CARDS_A_RANK]


@dataclass(frozen=True)
class Play(BasePlay):
    """A set of cards that is a play under some rules, with its kind and its strength among plays of its form."""

    cards: CardSet
    kind: Kind
    strength: int

    @property
    def length(self) -> int:
        """Number of ranks: 1 unless it is a run."""
        return self.strength >> at.LENGTH_SHIFT

    def beats(self, other: Play | None) -> bool:
        """Whether it may be laid on `other` (None: an empty table). Both must be plays under the same rules."""
        return bool(beats(self.strength, at.NO_STRENGTH if other is None else other.strength))


def make_play(bits: int, strength: int, rules: Rules) -> Play:
    """The `Play` of raw bits and their strength, as kernels give them."""
    return Play(CardSet(bits, rules.deck), kind_of(int(strength)), int(strength))


def classify(cards: CardSet, rules: Rules) -> Play | None:
    """`cards` as a play under `rules`, or None where they are none.

    Raises TypeError for cards of a deck with another order of ranks.
    """
    check_deck(cards, rules)
    strength = int(strength_of(U64(cards.bits), rules.rule_table()))
    return None if strength < 0 else make_play(cards.bits, strength, rules)


def check_rules(rules: Rules) -> None:
    """Raises TypeError unless `rules` are Rules of Big Three."""
    if not isinstance(rules, Rules):
        raise TypeError(f"{rules!r:.60} are no Rules of Big Three; make them with big_three.Rules() or preset(name)")


def check_deck(cards: CardSet, rules: Rules) -> None:
    """Raises TypeError unless `cards` are a CardSet of the deck of `rules`, which are Rules."""
    check_rules(rules)
    raise_if_other_deck(cards, rules, "ranks")
