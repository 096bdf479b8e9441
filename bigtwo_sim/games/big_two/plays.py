"""What a set of cards is as a play: its kind and its strength, and which of two plays beats the other.

A strength is one integer (see `layout`). Its detail, by kind:

=================  =====================================================================
single, pair       number of the top card
triple             rank
two pairs          number of the highest card
straight           4 * sequence (its place in the rules' order) + suit of the tie card
flush              suit first: 8192 * suit + ranks as 13 bits; ranks first: 4 * ranks + suit;
                   top card: its number
full house         rank of the triple
four of a kind     rank
straight flush     4 * sequence + suit
=================  =====================================================================
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from bigtwo_sim.core.cards import CardSet
from bigtwo_sim.core.kernel import NO_BITS, ONE, U64, highest, kernel, lowest, popcount
from bigtwo_sim.core.kernels.ranks import (
    A_RANK,
    EVERY_RANK,
    all_four,
    at_least_three,
    pack_ranks,
    rank_counts,
    ranks_present,
)
from bigtwo_sim.games.base.plays import BasePlay, KindOfPlay, raise_if_other_deck
from bigtwo_sim.games.big_two import layout as at
from bigtwo_sim.games.big_two.rules import Rules

_4, _8 = U64(4), U64(8)
_TOP_RANK = U64(4 * (at.RANKS - 1))


@kernel(inline=True)
def may_have_sequence(present):
    """Whether there are five ranks in a row, or the 3, 4, 5 and 2 that the sequences round the corner share.

    `present` as of `ranks_present`. A quick test that spares most hands the search for straights.
    """
    three = present & (present >> _4) & (present >> _8)
    return (three & (three >> _8)) | (three & (present >> _TOP_RANK) & ONE) != NO_BITS


@kernel(inline=True)
def flush_strength(spread, suit, flush):
    """Strength of five cards of `suit` whose ranks are the bits 4 * rank of `spread`; `flush` is the rule."""
    detail = 0
    if flush == at.FLUSH_SUIT_FIRST:
        detail = (suit << at.RANKS) | pack_ranks(spread)
    elif flush == at.FLUSH_RANKS_FIRST:
        detail = (pack_ranks(spread) << 2) | suit
    else:
        detail = highest(spread) + suit
    return (at.FLUSHES << at.CATEGORY_SHIFT) | detail


@kernel(inline=True)
def four_strength(rank, rules):
    """Strength of four of a kind, with or without a fifth card."""
    strength = (at.FOUR_OF_A_KIND << at.CATEGORY_SHIFT) | rank
    return strength | at.BOMB if rules[at.BOMBS] else strength


@kernel(inline=True)
def straight_flush_strength(sequence, suit, rules):
    """Strength of a straight flush, `sequence` in the rules' order."""
    strength = (at.STRAIGHT_FLUSH << at.CATEGORY_SHIFT) | (sequence << 2) | suit
    return strength | at.BOMB if rules[at.BOMBS] else strength


@kernel
def _strength_of_five(cards, rules):
    present = ranks_present(cards)
    counts = rank_counts(cards)
    ranks = popcount(present)
    if ranks == 2:
        four = all_four(counts)
        if four != NO_BITS:
            return four_strength(lowest(four) >> 2, rules) if rules[at.FOUR_CARD_PLAYS] == 0 else np.int64(-1)
        return (at.FULL_HOUSE << at.CATEGORY_SHIFT) | (lowest(at_least_three(counts)) >> 2)
    if ranks != at.PLAY_SIZE:
        return np.int64(-1)
    suit = lowest(cards) & 3
    one_suit = (cards >> U64(suit)) & EVERY_RANK == present
    for i in range(rules[at.SEQUENCES]):
        if present == U64(rules[at.SEQUENCE_MASK + i]):
            if one_suit:
                return straight_flush_strength(i, suit, rules)
            tie_rank = rules[at.SEQUENCE_RANKS + at.PLAY_SIZE * i]
            tie_card = cards & (A_RANK << U64(4 * tie_rank))
            return (at.STRAIGHT << at.CATEGORY_SHIFT) | (i << 2) | (lowest(tie_card) & 3)
    if one_suit and rules[at.FLUSH] != at.FLUSH_NONE:
        return flush_strength(present, suit, rules[at.FLUSH])
    return np.int64(-1)


@kernel
def strength_of(cards, rules):
    """Strength (int64) of `cards` (uint64) as a play under the rules table, or -1 where they are no play."""
    size = popcount(cards)
    if size == 1:
        return lowest(cards)
    if size == at.PLAY_SIZE:
        return _strength_of_five(cards, rules)
    ranks = popcount(ranks_present(cards))
    if size == 2 and ranks == 1:
        return highest(cards)
    if size == 3 and ranks == 1 and rules[at.TRIPLES]:
        return highest(cards) >> 2
    if size == 4 and rules[at.FOUR_CARD_PLAYS]:
        if ranks == 1:
            return four_strength(lowest(cards) >> 2, rules)
        low_pair = popcount(cards & (A_RANK << U64(lowest(cards) & ~3)))
        if ranks == 2 and low_pair == 2 and rules[at.FOUR_CARD_PLAYS] == 2:
            return highest(cards)
    return np.int64(-1)


@kernel(inline=True)
def beats(size, strength, on_size, on_strength):
    """Whether a play of `size` and `strength` may be laid on another; any play beats an empty table."""
    same_measure = size == on_size or on_size == 0 or strength >= at.BOMB
    return same_measure and strength > on_strength


class Kind(KindOfPlay):
    """The kinds of plays."""

    SINGLE = "single"
    PAIR = "pair"
    TRIPLE = "triple"
    TWO_PAIRS = "two_pairs"
    STRAIGHT = "straight"
    FLUSH = "flush"
    FULL_HOUSE = "full_house"
    FOUR_OF_A_KIND = "four_of_a_kind"
    STRAIGHT_FLUSH = "straight_flush"


_LOW_KINDS = {1: Kind.SINGLE, 2: Kind.PAIR, 3: Kind.TRIPLE, 4: Kind.TWO_PAIRS}
_CATEGORY_KINDS = {
    at.STRAIGHT: Kind.STRAIGHT,
    at.FLUSHES: Kind.FLUSH,
    at.FULL_HOUSE: Kind.FULL_HOUSE,
    at.FOUR_OF_A_KIND: Kind.FOUR_OF_A_KIND,
    at.STRAIGHT_FLUSH: Kind.STRAIGHT_FLUSH,
}


def kind_of(size: int, strength: int) -> Kind:
    """The kind of a play, from its number of cards and its strength."""
    category = strength >> at.CATEGORY_SHIFT & at.CATEGORY_BITS
    return _LOW_KINDS[size] if category == at.LOW else _CATEGORY_KINDS[category]


@dataclass(frozen=True)
class Play(BasePlay):
    """A set of cards that is a play under some rules, with its kind and its strength among plays of its size."""

    cards: CardSet
    kind: Kind
    strength: int

    @property
    def is_bomb(self) -> bool:
        """Whether it beats plays of other sizes too."""
        return self.strength >= at.BOMB

    def beats(self, other: Play | None) -> bool:
        """Whether it may be laid on `other` (None: an empty table). Both must be plays under the same rules."""
        if other is None:
            return True
        return bool(beats(self.size, self.strength, other.size, other.strength))


def make_play(bits: int, strength: int, rules: Rules) -> Play:
    """The `Play` of raw bits and their strength, as kernels give them."""
    cards = CardSet(bits, rules.deck)
    return Play(cards, kind_of(len(cards), int(strength)), int(strength))


def classify(cards: CardSet, rules: Rules) -> Play | None:
    """`cards` as a play under `rules`, or None where they are none.

    Raises TypeError for cards of a deck with another order of suits.
    """
    check_deck(cards, rules)
    strength = int(strength_of(U64(cards.bits), rules.rule_table()))
    return None if strength < 0 else make_play(cards.bits, strength, rules)


def check_rules(rules: Rules) -> None:
    """Raises TypeError unless `rules` are Rules."""
    if not isinstance(rules, Rules):
        raise TypeError(f"{rules!r:.60} are no Rules; make them with Rules() or preset(name)")


def check_deck(cards: CardSet, rules: Rules) -> None:
    """Raises TypeError unless `cards` are a CardSet of the deck of `rules`, which are Rules."""
    check_rules(rules)
    raise_if_other_deck(cards, rules, "suits")
