"""Which of two sets of cards beats the other, and why, in words."""

from __future__ import annotations

from collections import Counter

from bigtwo_sim.core.cards import CardSet
from bigtwo_sim.games.base.plays import Comparison, compare_plays
from bigtwo_sim.games.big_three import layout as at
from bigtwo_sim.games.big_three.plays import Play, classify
from bigtwo_sim.games.big_three.rules import Rules, Runs


def compare(first: CardSet, second: CardSet, rules: Rules) -> Comparison:
    """Which of two plays beats the other under `rules`, and why.

    It is a question about the order of plays, so both may contain the same card. Raises TypeError for cards of a deck
    with another order of ranks.

    >>> rules = Rules()
    >>> compare(CardSet.parse("3D", rules.deck), CardSet.parse("2S", rules.deck), rules).reason
    'higher rank, 3 over 2'
    """
    return compare_plays(first, second, rules, classify, why_no_play, _why_stronger, _why_neither)


def why_no_play(cards: CardSet, rules: Rules) -> str:
    """Why `cards`, which are no play under `rules`, are none."""
    ranks = rules.deck.ranks
    counts = Counter(str(card)[0] for card in cards)
    if not counts:
        return "there are no cards"
    if len(set(counts.values())) > 1:
        return "every rank in a play must have as many cards as the others"
    if len(counts) == 1:
        return "aces alone are neither a pair nor a triple (ace_sets: no)"
    if len(counts) < at.SHORTEST_RUN:
        return f"a run has at least {at.SHORTEST_RUN} ranks, not {len(counts)}"
    places = sorted(map(ranks.index, counts))
    if places[-1] - places[0] >= len(places):
        return f"its ranks do not follow each other in {ranks}"
    return f"aces, 2s and 3s are never in a run (runs: {Runs.FOUR_TO_KING})"


def _why_stronger(winner: Play, loser: Play, rules: Rules) -> str:
    high, low = (rules.deck.ranks[play.strength & at.RANK_BITS] for play in (winner, loser))
    return f"higher rank{'' if winner.length == 1 else ' at its top'}, {high} over {low}"


def _why_neither(first: Play, second: Play) -> str:
    if first.kind != second.kind:
        return f"they are of two kinds: {first.kind.words} and {second.kind.words}"
    if first.size != second.size:
        return f"not the same number of cards ({first.size} and {second.size})"
    return "they have the same ranks, and suits count for nothing"
