"""The reference in `naive` against the facts in `vectors`: whoever tests the engine with it may trust it."""

import json
import random
from itertools import combinations
from typing import Any

import pytest

from tests.games.big_two import make_five_card_orders, perft
from tests.reference import vectors
from tests.reference.big_two import (
    LARGEST_PLAY,
    RANKS,
    SEATS,
    NaiveDeal,
    PlayBook,
    ascending,
    beats,
    cards,
    classify,
    count_lines,
    count_lines_by_step,
    deck,
    five_card_order,
    legal_plays,
    may_pass,
    play_book,
    position,
    sets_of_size,
    settle,
)
from tests.reference.vectors import PRESETS, rules
from tests.tools.lanes import mostly_swept

BOOKS: dict[str, PlayBook] = {}


def book_of(preset: str) -> PlayBook:
    """The play book of a preset, made once."""
    if preset not in BOOKS:
        BOOKS[preset] = play_book(PRESETS[preset])
    return BOOKS[preset]


def by_preset(facts: list[Any]) -> list[Any]:
    """One case for each fact and preset, named after both."""
    return [pytest.param(preset, fact, id=f"{fact.name}-{preset}") for fact in facts for preset in fact.presets]


# Which play wins


@pytest.mark.parametrize(("preset", "duel"), by_preset(vectors.DUELS))
def test_winner(preset: str, duel: vectors.Duel) -> None:
    assert beats(cards(duel.winner), cards(duel.loser), PRESETS[preset])
    assert not beats(cards(duel.loser), cards(duel.winner), PRESETS[preset])


@pytest.mark.parametrize(("preset", "tie"), by_preset(vectors.TIES))
def test_tie(preset: str, tie: vectors.Tie) -> None:
    assert classify(cards(tie.one), PRESETS[preset]) is not None
    assert classify(cards(tie.other), PRESETS[preset]) is not None
    assert not beats(cards(tie.one), cards(tie.other), PRESETS[preset])
    assert not beats(cards(tie.other), cards(tie.one), PRESETS[preset])


@pytest.mark.parametrize("preset", vectors.BASE)
def test_two_of_spades_is_the_highest_single(preset: str) -> None:
    others = [card for card in deck(PRESETS[preset]) if card != vectors.HIGHEST_SINGLE]
    assert len(others) == 51
    assert all(beats({vectors.HIGHEST_SINGLE}, {card}, PRESETS[preset]) for card in others)


@pytest.mark.parametrize("preset", PRESETS)
def test_straights_in_order(preset: str) -> None:
    order = vectors.STRAIGHTS_IN_ORDER[preset].split()
    mixed = [[rank + suit for rank, suit in zip(sequence, "DCHSD", strict=True)] for sequence in order]
    suited = [[rank + "H" for rank in sequence] for sequence in order]
    for plays in (mixed, suited):
        for weak, strong in combinations(plays, 2):
            assert beats(strong, weak, PRESETS[preset])
            assert not beats(weak, strong, PRESETS[preset])


@pytest.mark.parametrize(("preset", "case"), by_preset(vectors.NO_PLAYS))
def test_no_play(preset: str, case: vectors.NoPlay) -> None:
    assert classify(cards(case.cards), PRESETS[preset]) is None


@pytest.mark.parametrize(
    ("preset", "kind", "text"),
    [(preset, case.kind, case.cards) for case in vectors.NAMES for preset in case.presets],
)
def test_kind(preset: str, kind: str, text: str) -> None:
    play = classify(cards(text), PRESETS[preset])
    assert play is not None
    assert play[0] == kind


@pytest.mark.parametrize(("preset", "case"), by_preset(vectors.NO_ANSWERS))
def test_no_answer(preset: str, case: vectors.NoAnswer) -> None:
    assert not beats(cards(case.answer), cards(case.table), PRESETS[preset])


@pytest.mark.parametrize(
    ("changes", "winner", "loser"),
    [pytest.param(*case, id=name) for name, *case in vectors.HOUSE_DUELS],
)
def test_house_rule(changes: dict[str, Any], winner: str, loser: str) -> None:
    assert beats(cards(winner), cards(loser), rules(**changes))
    assert not beats(cards(loser), cards(winner), rules(**changes))


# The whole deck


@pytest.mark.parametrize("preset", PRESETS)
def test_counts_of_small_plays(preset: str) -> None:
    found: dict[str, int] = {}
    for size in range(1, LARGEST_PLAY):
        for _, play in sets_of_size(size, PRESETS[preset]):
            if play is not None:
                found[play[0]] = found.get(play[0], 0) + 1
    assert found == vectors.SMALL_COUNTS[preset]


@pytest.mark.parametrize("preset", mostly_swept(PRESETS, "singapore"))
def test_five_card_orders_are_those_on_file(preset: str) -> None:
    on_file = json.loads(make_five_card_orders.PATH.read_text(encoding="utf-8"))[preset]
    counts, digest = five_card_order(PRESETS[preset])
    assert counts == on_file["counts"] == vectors.FIVE_CARD_COUNTS[preset]
    assert digest == on_file["digest"]


def test_five_card_plays_of_singapore() -> None:
    assert sum(vectors.FIVE_CARD_COUNTS["singapore"].values()) == vectors.FIVE_CARD_PLAYS_SINGAPORE
    assert sum(len(some) == LARGEST_PLAY for some in book_of("singapore")) == vectors.FIVE_CARD_PLAYS_SINGAPORE


@pytest.mark.parametrize("preset", mostly_swept(PRESETS, "singapore"))
def test_sets_of_five_are_classified_as_one_by_one(preset: str) -> None:
    chosen = PRESETS[preset]
    book = book_of(preset)
    chance = random.Random(preset)
    for _ in range(20_000):
        some = ascending(chance.sample(deck(chosen), LARGEST_PLAY), chosen)
        assert book.get(some) == classify(some, chosen)


# Legal plays


@pytest.mark.parametrize("preset", vectors.BASE)
def test_opening_plays(preset: str) -> None:
    plays = [set(play) for play in legal_plays(cards(vectors.OPENING_HAND), PRESETS[preset], opening=True)]
    for text in vectors.OPENING_LEGAL:
        assert cards(text) in plays
    for text in vectors.OPENING_ILLEGAL:
        assert cards(text) not in plays
    assert not may_pass(cards(vectors.OPENING_HAND), PRESETS[preset])


def test_opening_play_is_the_single() -> None:
    assert legal_plays(cards(vectors.OPENING_HAND), PRESETS["charlesworth"], opening=True) == [("3D",)]


def test_opening_play_is_anything() -> None:
    free = rules(opening_play="anything")
    hand = cards(vectors.OPENING_HAND)
    assert legal_plays(hand, free, opening=True) == legal_plays(hand, free)


def test_legal_plays_in_order() -> None:
    hand = cards("3D 3C 4D 4H 5S 6D 7C 7S")
    assert [" ".join(play) for play in legal_plays(hand, PRESETS["singapore"])] == [
        *("3D", "3C", "4D", "4H", "5S", "6D", "7C", "7S"),
        *("3D 3C", "4D 4H", "7C 7S"),
        *("3D 4D 5S 6D 7C", "3C 4D 5S 6D 7C", "3D 4H 5S 6D 7C", "3C 4H 5S 6D 7C"),
        *("3D 4D 5S 6D 7S", "3C 4D 5S 6D 7S", "3D 4H 5S 6D 7S", "3C 4H 5S 6D 7S"),
    ]
    assert legal_plays(hand, PRESETS["singapore"], on=cards("4C 4S")) == [("7C", "7S")]
    assert legal_plays(hand, PRESETS["singapore"], on=cards("7D 7H")) == [("7C", "7S")]
    assert legal_plays(hand, PRESETS["singapore"], on=cards("8D 8H")) == []


def test_answers_to_cards_that_are_no_play() -> None:
    with pytest.raises(ValueError, match="3D 4D on the table is no play"):
        legal_plays(cards("5D 5C"), PRESETS["singapore"], on=cards("3D 4D"))


@pytest.mark.parametrize("preset", mostly_swept(PRESETS, "singapore"))
def test_play_book_changes_no_list(preset: str) -> None:
    chance = random.Random(preset)
    changed = rules(preset, bombs=True, last_card=True)
    for chosen in (PRESETS[preset], changed):
        for _ in range(5):
            pack = deck(chosen)
            chance.shuffle(pack)
            hand, other = pack[:13], pack[13:26]
            tables = [None, *chance.sample(legal_plays(other, chosen), 3)]
            for table in tables:
                found = legal_plays(hand, chosen, on=table, next_left=1)
                assert found == legal_plays(hand, chosen, on=table, next_left=1, book=book_of(preset))
                bits = [(len(play), sum(1 << position(card, chosen) for card in play)) for play in found]
                assert len(set(bits)) == len(bits)
                # within a strength the cards come in ascending order of their bits
                keys = [(len(play), classify(play, chosen)[1], bit) for play, (_, bit) in zip(found, bits, strict=True)]
                assert keys == sorted(keys)


# The last card


LAST_CARD = rules(last_card=True)


def test_last_card_leads_the_highest_single_or_another_kind() -> None:
    hand = cards("3C 3H 5S KD")
    assert legal_plays(hand, LAST_CARD, next_left=1) == [("KD",), ("3C", "3H")]
    assert len(legal_plays(hand, LAST_CARD, next_left=2)) == 5
    assert len(legal_plays(hand, PRESETS["singapore"], next_left=1)) == 5


def test_last_card_answers_a_single_with_the_highest() -> None:
    hand = cards("3C 3H 5S KD")
    assert legal_plays(hand, LAST_CARD, on=cards("4D"), next_left=1) == [("KD",)]
    assert legal_plays(hand, LAST_CARD, on=cards("KC"), next_left=1) == []


def test_last_card_forbids_to_pass_on_a_single_that_can_be_beaten() -> None:
    hand = cards("3C 3H 5S KD")
    assert not may_pass(hand, LAST_CARD, on=cards("4D"), next_left=1)
    assert may_pass(hand, LAST_CARD, on=cards("KC"), next_left=1)
    assert may_pass(hand, LAST_CARD, on=cards("4D"), next_left=2)
    assert may_pass(hand, LAST_CARD, on=cards("3D 3S"), next_left=1)
    assert may_pass(hand, PRESETS["singapore"], on=cards("4D"), next_left=1)


# A trick


def test_trick_of_which_the_last_player_leads_on() -> None:
    deal = NaiveDeal([cards(hand) for hand in vectors.TRICK_HANDS], PRESETS["singapore"])
    assert sum(len(hand) for hand in deal.hands) == 52
    replay(deal, vectors.TRICK)
    assert deal.turn == vectors.TRICK_NEXT_LEADER
    assert deal.play_to_beat is None
    assert not deal.may_pass()
    assert deal.legal_plays() == legal_plays(deal.hands[deal.turn], PRESETS["singapore"])


def test_trick_with_lock_out() -> None:
    deal = NaiveDeal([cards(hand) for hand in vectors.TRICK_HANDS], rules(passing="locked_out"))
    replay(deal, vectors.TRICK_LOCKED_OUT)
    assert deal.turn == vectors.TRICK_LOCKED_OUT_TURN
    with pytest.raises(ValueError, match="seat 3 may not play 5S"):
        deal.apply_play(cards("5S"))
    deal.pass_()
    assert deal.turn == vectors.TRICK_LOCKED_OUT_LEADER
    assert deal.play_to_beat is None
    assert not deal.may_pass()


@pytest.mark.parametrize("passing", vectors.SWITCHES["passing"])
def test_first_leader_is_bound_and_may_not_pass(passing: str) -> None:
    deal = NaiveDeal([cards(hand) for hand in vectors.TRICK_HANDS], rules(passing=passing))
    assert deal.turn == 0
    assert all("3D" in play for play in deal.legal_plays())
    with pytest.raises(ValueError, match="seat 0 may not pass"):
        deal.pass_()
    with pytest.raises(ValueError, match="seat 0 may not play 6D"):
        deal.apply_play(["6D"])


def test_leader_who_is_named_leads_anything() -> None:
    deal = NaiveDeal([cards(hand) for hand in vectors.TRICK_HANDS], PRESETS["singapore"], leader=0)
    assert ("6D",) in deal.legal_plays()


def test_somebody_must_hold_the_lowest_card() -> None:
    with pytest.raises(ValueError, match="nobody holds 3D"):
        NaiveDeal([["4D"], ["5D"], ["6D"], ["7D"]], PRESETS["singapore"])


def replay(deal: NaiveDeal, steps: list[tuple[int, str]]) -> None:
    for seat, text in steps:
        assert deal.turn == seat
        if text:
            deal.apply_play(cards(text))
        else:
            deal.pass_()


# Points


@pytest.mark.parametrize("case", vectors.POINTS, ids=[f"{case.name}-{case.preset}" for case in vectors.POINTS])
def test_points(case: vectors.Points) -> None:
    chosen = rules(case.preset, **case.changes)
    for winner in range(SEATS):
        hands = [cards(hand) for hand in case.losers]
        expected = list(case.points[1:])
        hands.insert(winner, cards(""))
        expected.insert(winner, case.points[0])
        assert settle(hands, winner, chosen) == expected


# Whole deals


@pytest.mark.parametrize("preset", PRESETS)
def test_random_deals(preset: str) -> None:
    chance = random.Random(preset)
    for passing in vectors.SWITCHES["passing"]:
        for _ in range(10):
            play_at_random(rules(preset, passing=passing), preset, chance)


def play_at_random(chosen: Any, preset: str, chance: random.Random) -> None:
    pack = deck(chosen)
    chance.shuffle(pack)
    hands = [pack[seat::SEATS] for seat in range(SEATS)]
    deal = NaiveDeal(hands, chosen, book=book_of(preset))
    assert deck(chosen)[0] in deal.hands[deal.turn]
    while not deal.over:
        assert all(deal.hands)
        assert deal.points is None
        plays = deal.legal_plays()
        if plays and (not deal.may_pass() or chance.random() < 0.7):
            deal.apply_play(chance.choice(plays))
        else:
            deal.pass_()
    laid = [card for _, play in deal.log for card in play]
    kept = [card for hand in deal.hands for card in hand]
    assert sorted(laid + kept) == sorted(pack)
    assert deal.winner is not None
    assert [seat for seat, hand in enumerate(deal.hands) if not hand] == [deal.winner]
    assert deal.log[-1][0] == deal.winner
    assert deal.legal_plays() == []
    assert not deal.may_pass()


# Lines of play


@pytest.mark.parametrize(
    "name", mostly_swept(sorted(path.stem for path in perft.FOLDER.glob("*.txt")), "singapore", "house_bombs")
)
def test_lines_are_those_on_file(name: str) -> None:
    file = perft.read(perft.FOLDER / f"{name}.txt")
    chosen = rules(file.preset, **file.changes)
    for case in file.positions:
        deal = NaiveDeal([cards(hand) for hand in case.hands], chosen, case.leader)
        shallow = [depth for depth, count in case.lines.items() if count < 500]
        assert shallow, case.name
        for depth in shallow:
            small = sum(len(hand) for hand in deal.hands) < 52
            if small or depth <= 2:  # a whole hand has 2,379 subsets to try
                assert count_lines(deal, depth) == case.lines[depth], (case.name, depth)


def test_lines_by_hand() -> None:
    deal = NaiveDeal([["3D", "5D"], ["4D"], ["3C", "6D"], ["7D"]], PRESETS["singapore"])
    # 3D; then 4D (over) or a pass; after the pass 6D or a pass; ...
    assert [count_lines(deal, depth) for depth in range(5)] == [1, 1, 2, 4, 7]
    assert count_lines_by_step(deal, 2) == {"3D": 2}


def test_every_rank_is_written_once() -> None:
    assert len(set(RANKS)) == len(RANKS) == 13
