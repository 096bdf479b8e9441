"""What is a play and which is stronger: the engine against every fact in `vectors`, and on all sets of the deck."""

import dataclasses
import hashlib
import json
import random
from collections import Counter
from itertools import combinations, pairwise
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from bigtwo_sim.core.kernel import ONE, U64, kernel
from bigtwo_sim.games.big_two import PRESETS as ENGINE_PRESETS
from bigtwo_sim.games.big_two import SWITCHES, CardSet, Deal, IllegalPlay, Play, Rules, legal_plays
from bigtwo_sim.games.big_two import classify as engine_classify
from bigtwo_sim.games.big_two.deal import _settle
from bigtwo_sim.games.big_two.plays import kind_of, strength_of
from tests.games.big_two import make_five_card_orders
from tests.games.big_two.sides import CARDS, amount, bits, book_of, card_set, engine_rules, rich_hand
from tests.reference import vectors
from tests.reference.big_two import FIVE_CARD_KINDS, beats, classify, deck, sets_of_size
from tests.reference.vectors import PRESETS, random_rules, rules
from tests.tools.lanes import mostly_swept

pytestmark = pytest.mark.kernel

SETS_OF_FIVE = 2_598_960


def by_preset(facts: list[Any]) -> list[Any]:
    """One case for each fact and preset, named after both."""
    return [pytest.param(preset, fact, id=f"{fact.name}-{preset}") for fact in facts for preset in fact.presets]


def play(cards: str, chosen: Rules) -> Play | None:
    return engine_classify(card_set(cards, chosen), chosen)


def engine_beats(above: str, below: str, chosen: Rules) -> bool:
    first, second = play(above, chosen), play(below, chosen)
    return first is not None and second is not None and first.beats(second)


# Presets


@pytest.mark.parametrize("preset", PRESETS)
def test_preset_is_the_one_of_the_table(preset: str) -> None:
    fields = [field.name for field in dataclasses.fields(Rules)]
    assert {field: getattr(ENGINE_PRESETS[preset], field) for field in fields} == vars(PRESETS[preset])


def test_presets_and_switches_are_those_of_the_table() -> None:
    assert list(ENGINE_PRESETS) == list(PRESETS)
    assert list(SWITCHES) == list(vectors.SWITCHES)
    assert Rules() == ENGINE_PRESETS["singapore"]


@pytest.mark.parametrize("switch", vectors.SWITCHES)
def test_switch_has_every_value(switch: str) -> None:
    for value in vectors.SWITCHES[switch]:
        assert getattr(Rules().replace(**{switch: value}), switch) == value


# Which play wins


@pytest.mark.parametrize(("preset", "duel"), by_preset(vectors.DUELS))
def test_winner(preset: str, duel: vectors.Duel) -> None:
    assert engine_beats(duel.winner, duel.loser, ENGINE_PRESETS[preset])
    assert not engine_beats(duel.loser, duel.winner, ENGINE_PRESETS[preset])


@pytest.mark.parametrize(("preset", "tie"), by_preset(vectors.TIES))
def test_tie(preset: str, tie: vectors.Tie) -> None:
    one, other = play(tie.one, ENGINE_PRESETS[preset]), play(tie.other, ENGINE_PRESETS[preset])
    assert one is not None
    assert other is not None
    assert one.strength == other.strength
    assert not one.beats(other)
    assert not other.beats(one)


@pytest.mark.parametrize("preset", PRESETS)
def test_singles_in_order(preset: str) -> None:
    chosen = ENGINE_PRESETS[preset]
    for below, above in pairwise(deck(PRESETS[preset])):
        assert engine_beats(above, below, chosen)
        assert not engine_beats(below, above, chosen)
    assert deck(PRESETS[preset])[-1] == vectors.HIGHEST_SINGLE


@pytest.mark.parametrize("preset", PRESETS)
def test_straights_in_order(preset: str) -> None:
    order = vectors.STRAIGHTS_IN_ORDER[preset].split()
    mixed = [" ".join(rank + suit for rank, suit in zip(sequence, "DCHSD", strict=True)) for sequence in order]
    suited = [" ".join(rank + "H" for rank in sequence) for sequence in order]
    for plays in (mixed, suited):
        for weak, strong in combinations(plays, 2):
            assert engine_beats(strong, weak, ENGINE_PRESETS[preset])
            assert not engine_beats(weak, strong, ENGINE_PRESETS[preset])


@pytest.mark.parametrize(("preset", "case"), by_preset(vectors.NO_PLAYS))
def test_no_play(preset: str, case: vectors.NoPlay) -> None:
    assert play(case.cards, ENGINE_PRESETS[preset]) is None


@pytest.mark.parametrize(
    ("preset", "kind", "text"),
    [(preset, case.kind, case.cards) for case in vectors.NAMES for preset in case.presets],
)
def test_kind(preset: str, kind: str, text: str) -> None:
    found = play(text, ENGINE_PRESETS[preset])
    assert found is not None
    assert found.kind == kind


@pytest.mark.parametrize(("preset", "case"), by_preset(vectors.NO_ANSWERS))
def test_no_answer(preset: str, case: vectors.NoAnswer) -> None:
    chosen = ENGINE_PRESETS[preset]
    assert not engine_beats(case.answer, case.table, chosen)
    hand, table = card_set(case.answer, chosen), card_set(case.table, chosen)
    if not hand & table:
        assert hand not in [play.cards for play in legal_plays(hand, chosen, on=table)]


@pytest.mark.parametrize(
    ("changes", "winner", "loser"),
    [pytest.param(*case, id=name) for name, *case in vectors.HOUSE_DUELS],
)
def test_house_rule(changes: dict[str, Any], winner: str, loser: str) -> None:
    chosen = Rules().replace(**changes)
    assert engine_beats(winner, loser, chosen)
    assert not engine_beats(loser, winner, chosen)


# Opening, tricks, points


@pytest.mark.parametrize("preset", vectors.BASE)
def test_opening_plays(preset: str) -> None:
    chosen = ENGINE_PRESETS[preset]
    hand = card_set(vectors.OPENING_HAND, chosen)
    plays = [play.cards for play in legal_plays(hand, chosen, opening=True)]
    assert all(card_set(text, chosen) in plays for text in vectors.OPENING_LEGAL)
    assert not any(card_set(text, chosen) in plays for text in vectors.OPENING_ILLEGAL)
    others = [card_set(text, chosen) for text in ("7C", "8C", "TC")]
    deal = Deal.from_hands(chosen, [*others, hand])
    assert deal.turn == 3
    assert [play.cards for play in deal.legal_plays()] == plays
    for text in vectors.OPENING_ILLEGAL:
        with pytest.raises(IllegalPlay):
            deal.play(text) if text else deal.pass_()
    assert deal.log == []


def test_opening_play_is_the_single() -> None:
    chosen = ENGINE_PRESETS["charlesworth"]
    found = legal_plays(card_set(vectors.OPENING_HAND, chosen), chosen, opening=True)
    assert [str(play.cards) for play in found] == ["3D"]


def test_opening_play_is_anything() -> None:
    chosen = Rules().replace(opening_play="anything")
    hand = card_set(vectors.OPENING_HAND, chosen)
    assert legal_plays(hand, chosen, opening=True) == legal_plays(hand, chosen)


def replay(deal: Deal, steps: list[tuple[int, str]]) -> None:
    for seat, text in steps:
        assert deal.turn == seat
        if text:
            deal.play(text)
        else:
            deal.pass_()


@pytest.mark.parametrize("preset", vectors.BASE)
def test_trick_of_which_the_last_player_leads_on(preset: str) -> None:
    chosen = ENGINE_PRESETS[preset]
    deal = Deal.from_hands(chosen, [card_set(hand, chosen) for hand in vectors.TRICK_HANDS])
    replay(deal, vectors.TRICK)
    assert deal.turn == vectors.TRICK_NEXT_LEADER
    assert deal.play_to_beat is None
    assert not deal.may_pass
    assert deal.legal_plays() == legal_plays(deal.hands[deal.turn], chosen)


def test_trick_with_lock_out() -> None:
    chosen = Rules().replace(passing="locked_out")
    deal = Deal.from_hands(chosen, [card_set(hand, chosen) for hand in vectors.TRICK_HANDS])
    replay(deal, vectors.TRICK_LOCKED_OUT)
    assert deal.turn == vectors.TRICK_LOCKED_OUT_TURN
    with pytest.raises(IllegalPlay, match="seat 3 does not hold 5S"):
        deal.play("5S")
    deal.pass_()
    assert deal.turn == vectors.TRICK_LOCKED_OUT_LEADER
    assert deal.play_to_beat is None
    assert not deal.may_pass


@pytest.mark.parametrize("case", vectors.POINTS, ids=[f"{case.name}-{case.preset}" for case in vectors.POINTS])
def test_points(case: vectors.Points) -> None:
    chosen = ENGINE_PRESETS[case.preset].replace(**case.changes)
    for winner in range(4):
        hands = [card_set(hand, chosen).bits for hand in case.losers]
        expected = list(case.points[1:])
        hands.insert(winner, 0)
        expected.insert(winner, case.points[0])
        points = np.zeros(4, np.int64)
        _settle(np.array(hands, np.uint64), winner, chosen.rule_table(), points)
        assert points.tolist() == expected


# The whole deck


@pytest.mark.parametrize("preset", mostly_swept(PRESETS, "singapore", "charlesworth"))
def test_all_sets_of_up_to_four_cards(preset: str) -> None:
    """Their kinds and their order are those of the reference, and so many as in the vectors."""
    plain = PRESETS[preset]
    table = engine_rules(plain).rule_table()
    place = {card: 1 << i for i, card in enumerate(deck(plain))}
    found: Counter[str] = Counter()
    for size in range(1, amount(5, 4)):
        order = set()
        for some, naive_play in sets_of_size(size, plain):
            strength = int(strength_of(U64(sum(place[card] for card in some)), table))
            assert (strength >= 0) == (naive_play is not None), some
            if naive_play is not None:
                kind, key = naive_play
                assert kind_of(size, strength) == kind, some
                found[kind] += 1
                order.add((key, strength))
        assert same_order(order)
    expected = vectors.SMALL_COUNTS[preset]
    assert found == {kind: expected[kind] for kind in expected if amount(1, 0) or kind in ("single", "pair", "triple")}


def same_order(order: set[tuple[Any, int]]) -> bool:
    """Whether two ways of measuring the same plays put them in the same order, with the same ties."""
    by_key = sorted(order)
    return all(one[0] < other[0] and one[1] < other[1] for one, other in pairwise(by_key))


@kernel
def strengths_of_five(rules: Any, strengths: Any) -> None:
    """Strengths (int64[2598960], written) of all sets of five cards, in the order of `itertools.combinations`."""
    i = 0
    for a in range(CARDS):
        for b in range(a + 1, CARDS):
            for c in range(b + 1, CARDS):
                for d in range(c + 1, CARDS):
                    four = ONE << U64(a) | ONE << U64(b) | ONE << U64(c) | ONE << U64(d)
                    for e in range(d + 1, CARDS):
                        strengths[i] = strength_of(four | ONE << U64(e), rules)
                        i += 1


def order_digest(strengths: npt.NDArray[np.int64]) -> str:
    """The digest that `naive.order_digest` describes."""
    dense = np.unique(np.append(strengths, -1), return_inverse=True)[1][:-1] - 1
    return hashlib.sha256(dense.astype("<i4").tobytes()).hexdigest()


@pytest.mark.compiled
@pytest.mark.parametrize("preset", PRESETS)
def test_all_sets_of_five_cards(preset: str) -> None:
    strengths = np.zeros(SETS_OF_FIVE, np.int64)
    strengths_of_five(ENGINE_PRESETS[preset].rule_table(), strengths)
    found = Counter(str(kind_of(5, strength)) for strength in strengths[strengths >= 0].tolist())
    counts = {kind: found[kind] for kind in FIVE_CARD_KINDS}
    on_file = json.loads(make_five_card_orders.PATH.read_text(encoding="utf-8"))[preset]
    assert counts == on_file["counts"] == vectors.FIVE_CARD_COUNTS[preset]
    assert order_digest(strengths) == on_file["digest"]
    if preset == "singapore":
        assert sum(counts.values()) == vectors.FIVE_CARD_PLAYS_SINGAPORE


@pytest.mark.parametrize("number", mostly_swept(range(6), 0))
def test_five_card_plays_under_house_rules(number: int) -> None:
    """Kinds and order of all five-card plays under rules that no preset has."""
    plain = random_rules(random.Random(f"plays {number}"))
    table = engine_rules(plain).rule_table()
    some_of = random.Random(number)
    order = set()
    for some, (kind, key) in book_of(plain).items():
        if len(some) == 5 and some_of.random() < amount(1, 0.02):
            strength = int(strength_of(U64(bits(some, plain)), table))
            assert kind_of(5, strength) == kind
            order.add((key, strength))
    assert same_order(order)


@pytest.mark.parametrize("number", mostly_swept(range(6), 1))
def test_plays_of_any_two_sizes(number: int) -> None:
    """Which of two plays may be laid on the other, bombs of other sizes included, is as the reference says."""
    chance = random.Random(f"duels {number}")
    plain = random_rules(chance)
    plain.bombs = number % 3 > 0
    chosen = engine_rules(plain)
    of_kind: dict[str, list[tuple[str, ...]]] = {}
    for some, (kind, _) in book_of(plain).items():
        of_kind.setdefault(kind, []).append(some)
    other_sizes = 0
    for _ in range(amount(4_000, 300)):
        one, other = (chance.choice(of_kind[chance.choice(list(of_kind))]) for _ in range(2))
        expected = beats(one, other, plain)
        assert engine_beats(" ".join(one), " ".join(other), chosen) == expected, (one, other, plain)
        other_sizes += expected and len(one) != len(other)
    assert (other_sizes > 0) == plain.bombs


@pytest.mark.parametrize("number", range(4))
def test_sets_of_any_cards(number: int) -> None:
    """Sets of one to thirteen cards, most of which are no play, are classified as the reference does."""
    chance = random.Random(f"sets {number}")
    plain = random_rules(chance)
    chosen = engine_rules(plain)
    found: Counter[bool] = Counter()
    for _ in range(amount(4_000, 400)):
        some = rich_hand(chance, plain, chance.choice((4, 5, 5, 5, 13)))
        expected = classify(some, plain)
        made = engine_classify(card_set(some, chosen), chosen)
        assert (made.kind if made else None) == (expected[0] if expected else None), some
        found[made is None] += 1
    assert min(found.values()) > 20


# Errors


def test_cards_of_another_deck_are_refused() -> None:
    other = engine_rules(rules("taiwan"))
    with pytest.raises(TypeError, match="suits in the order DCHS"):
        engine_classify(CardSet.parse("3D"), other)
    with pytest.raises(TypeError, match="suits in the order DCHS"):
        legal_plays(CardSet.parse("3D"), other)


def test_hand_and_table_that_make_no_sense_are_refused() -> None:
    chosen = Rules()
    hand = CardSet.parse("3D 4D 5D")
    with pytest.raises(ValueError, match="3D is in the hand and on the table"):
        legal_plays(hand, chosen, on=CardSet.parse("3D"))
    with pytest.raises(ValueError, match="6D 7D is no play under the rules singapore"):
        legal_plays(hand, chosen, on=CardSet.parse("6D 7D"))
    with pytest.raises(ValueError, match="an opening play is a lead"):
        legal_plays(hand, chosen, on=CardSet.parse("6D"), opening=True)
    with pytest.raises(ValueError, match="has 14 cards; it must have at most 13"):
        legal_plays(CardSet((1 << 14) - 1), chosen)


def test_a_play_tells_what_it_is() -> None:
    chosen = Rules().replace(bombs=True)
    four, pair = play("3D 3C 3H 3S 4D", chosen), play("2S 2H", chosen)
    assert four is not None
    assert pair is not None
    assert str(four) == "3D 3C 3H 3S 4D (four of a kind)"
    assert four.size == 5
    assert four.is_bomb
    assert not pair.is_bomb
    assert pair.beats(None)
    assert four.beats(pair)
