"""Which of two sets of cards beats the other, and why, in words."""

from __future__ import annotations

from bigtwo_sim.core.cards import SUITS, CardSet
from bigtwo_sim.games.base.plays import Comparison, compare_plays
from bigtwo_sim.games.big_two import layout as at
from bigtwo_sim.games.big_two.plays import Kind, Play, classify
from bigtwo_sim.games.big_two.rules import Flush, FourCardPlays, Rules

SUIT_WORDS = {"D": "diamonds", "C": "clubs", "H": "hearts", "S": "spades"}
_ROUND = "A23456789TJQKA234"  # every five neighbours of it look like a straight
_DECIDED_BY = {
    Kind.SINGLE: "card",
    Kind.PAIR: "highest card",
    Kind.TRIPLE: "rank",
    Kind.TWO_PAIRS: "highest card",
    Kind.STRAIGHT: "sequence and suit",
    Kind.FLUSH: "top card",
    Kind.FULL_HOUSE: "rank of the triple",
    Kind.FOUR_OF_A_KIND: "rank of the four",
    Kind.STRAIGHT_FLUSH: "sequence and suit",
}
_DETAIL = (1 << at.CATEGORY_SHIFT) - 1


def compare(first: CardSet, second: CardSet, rules: Rules) -> Comparison:
    """Which of two plays beats the other under `rules`, and why.

    It is a question about the order of plays, so both may contain the same card. Raises TypeError for cards of a deck
    with another order of suits.

    >>> rules = Rules()
    >>> compare(CardSet.parse("9S 9D"), CardSet.parse("9H 9C"), rules).reason
    'same rank, spades over hearts'
    """
    return compare_plays(first, second, rules, classify, why_no_play, _why_stronger, _why_neither)


def why_no_play(cards: CardSet, rules: Rules) -> str:
    """Why `cards`, which are no play under `rules`, are none."""
    size = len(cards)
    if size > at.PLAY_SIZE:
        return f"a play has at most {at.PLAY_SIZE} cards, not {size}"
    by_rank = [sum(1 for card in cards if str(card)[0] == rank) for rank in rules.deck.ranks]
    counts = sorted((count for count in by_rank if count), reverse=True)
    if size == 0:
        return "there are no cards"
    if size == 2:
        return "two cards must be of one rank"
    if size == 3:
        return "there are no triples (triples: no)" if counts == [3] else "three cards must be of one rank"
    if size == 4:
        return {
            FourCardPlays.NONE: "there are no plays of four cards (four_card_plays: none)",
            FourCardPlays.FOUR_OF_A_KIND: "four cards must be of one rank (four_card_plays: four_of_a_kind)",
            FourCardPlays.TWO_PAIRS_AND_FOUR_OF_A_KIND: "four cards must be four of a kind or two pairs",
        }[rules.four_card_plays]
    if counts == [4, 1]:
        return f"four of a kind has no fifth card (four_card_plays: {rules.four_card_plays})"
    ranks = {str(card)[0] for card in cards}
    for i in range(len(_ROUND) - at.PLAY_SIZE + 1):
        sequence = _ROUND[i : i + at.PLAY_SIZE]
        if ranks == set(sequence) and sequence not in rules.straights:
            return f"{sequence} is no straight (straight_order: {rules.straight_order})"
    if len({str(card)[1] for card in cards}) == 1:
        return "there are no flushes (flush: none)"
    return "five cards must be a straight, a flush, a full house, four of a kind or a straight flush"


def _a(kind: Kind) -> str:
    return kind.words if kind in (Kind.TWO_PAIRS, Kind.FOUR_OF_A_KIND) else f"a {kind.words}"


def _over(high: int, low: int, names: str) -> str:
    return f"{names[high]} over {names[low]}"


def _suit_over(high: int, low: int, rules: Rules) -> str:
    suits = rules.deck.suits
    return f"{SUIT_WORDS[suits[high]]} over {SUIT_WORDS[suits[low]]}"


def _card_over(high: int, low: int, rules: Rules, higher: str, same: str) -> str:
    """Two card numbers: `higher` introduces a difference of rank, `same` one of suit."""
    (high_rank, high_suit), (low_rank, low_suit) = divmod(high, SUITS), divmod(low, SUITS)
    if high_rank != low_rank:
        return f"{higher}, {_over(high_rank, low_rank, rules.deck.ranks)}"
    return f"{same}, {_suit_over(high_suit, low_suit, rules)}"


def _ranks_over(high: int, low: int, rules: Rules) -> str:
    """Two different sets of ranks as 13 bits: the first difference from the top down."""
    different = high ^ low
    top = different.bit_length() - 1
    below = low & ((1 << top) - 1)
    return _over(top, below.bit_length() - 1, rules.deck.ranks)


def _why_stronger(winner: Play, loser: Play, rules: Rules) -> str:
    """What makes `winner` beat `loser`, read off their strengths (see `plays`)."""
    kind = winner.kind
    if winner.is_bomb and not loser.is_bomb:
        return f"{_a(kind)} is a bomb, which beats every play that is none"
    if kind != loser.kind:
        return f"{_a(kind)} beats {_a(loser.kind)}"
    high, low = winner.strength & _DETAIL, loser.strength & _DETAIL
    if kind in (Kind.SINGLE, Kind.PAIR):
        return _card_over(high, low, rules, "higher rank", "same rank")
    if kind == Kind.TWO_PAIRS:
        return _card_over(high, low, rules, "two pairs by the highest card", "same highest rank")
    if kind in (Kind.STRAIGHT, Kind.STRAIGHT_FLUSH):
        return _why_straight(high, low, kind, rules)
    if kind == Kind.FLUSH:
        return _why_flush(high, low, rules)
    deciding = {Kind.FULL_HOUSE: "full house by its triple", Kind.FOUR_OF_A_KIND: "four of a kind by its rank"}
    return f"{deciding.get(kind, 'higher rank')}, {_over(high, low, rules.deck.ranks)}"


def _why_straight(high: int, low: int, kind: Kind, rules: Rules) -> str:
    (high_sequence, high_suit), (low_sequence, low_suit) = divmod(high, SUITS), divmod(low, SUITS)
    if high_sequence != low_sequence:
        sequences = rules.straights
        return f"{sequences[high_sequence]} ranks above {sequences[low_sequence]} under {rules.name}"
    suits = _suit_over(high_suit, low_suit, rules)
    if kind == Kind.STRAIGHT_FLUSH:
        return f"same sequence, {suits}"
    tie_rank = rules.rule_table()[at.SEQUENCE_RANKS + at.PLAY_SIZE * high_sequence]
    return f"same sequence, by the suit of the {rules.deck.ranks[tie_rank]}: {suits}"


def _why_flush(high: int, low: int, rules: Rules) -> str:
    if rules.flush == Flush.TOP_CARD:
        return _card_over(high, low, rules, "flush by its top card", "flush by its top card: same rank")
    if rules.flush == Flush.SUIT_FIRST:
        (high_suit, high_ranks), (low_suit, low_ranks) = divmod(high, 1 << at.RANKS), divmod(low, 1 << at.RANKS)
        if high_suit != low_suit:
            return f"flush by suit: {_suit_over(high_suit, low_suit, rules)}"
        return f"flush of the same suit, from the top down: {_ranks_over(high_ranks, low_ranks, rules)}"
    (high_ranks, high_suit), (low_ranks, low_suit) = divmod(high, SUITS), divmod(low, SUITS)
    if high_ranks != low_ranks:
        return f"flush by its ranks from the top down: {_ranks_over(high_ranks, low_ranks, rules)}"
    return f"flush of the same ranks: {_suit_over(high_suit, low_suit, rules)}"


def _why_neither(first: Play, second: Play) -> str:
    if first.size != second.size:
        return f"not the same number of cards ({first.size} and {second.size})"
    if first.cards == second.cards:
        return "they are the same cards"
    return f"both have the same {_DECIDED_BY[first.kind]}, which alone decides"
