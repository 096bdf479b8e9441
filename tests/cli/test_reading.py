"""`bigtwo rules`, `plays` and `compare`: what they say is what the library says, for people and for scripts."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bigtwo_sim.cli import options
from bigtwo_sim.games.big_two import PRESETS, SWITCHES, CardSet, Rules, classify, compare, legal_plays
from bigtwo_sim.games.registry import PACKAGES, package_named
from bigtwo_sim.untrusted.errors import InputError
from tests.cli.command_line import bigtwo, good, refused
from tests.reference import vectors

HAND = "3D 3C 3H 4S 5D 6D 7D 8D 9H TH AH AS 2S"


# --- rules ------------------------------------------------------------------------------------------------------------
def test_rules_lists_all_presets_and_every_difference():
    out = good("rules").out
    blocks = out.split("\n\n")
    default = PRESETS["singapore"]
    for block, rules in zip(blocks[1:], PRESETS.values(), strict=False):
        assert block.split()[0] == rules.name
        for switch in SWITCHES:
            differs = rules.value_text(switch) != default.value_text(switch) or rules == default
            assert (f"{switch} " in block) == differs


@pytest.mark.parametrize("name", PRESETS)
def test_rules_shows_one_set_in_full(name):
    out = good("rules", name).out
    assert out.startswith(name)
    for switch in SWITCHES:
        assert f"{PRESETS[name].value_text(switch)} " in next(
            line for line in out.splitlines() if f" {switch} " in line
        )
    assert good("rules", "--rules", name).out == out


def test_rules_as_json_reads_back():
    assert [Rules.from_dict(values) for values in good("rules", "--json").json] == list(PRESETS.values())
    assert Rules.from_dict(good("rules", "taiwan", "--json").json) == PRESETS["taiwan"]
    changed = good("rules", "--set", "bombs=yes", "--set", "match-target=50", "--json").json
    assert Rules.from_dict(changed) == Rules().replace(bombs=True, match_target=50)


def test_rules_lists_every_house_rule():
    out = good("rules", "--house").out
    listed = good("rules", "--house", "--json").json
    assert list(listed) == list(SWITCHES)
    for switch, values in listed.items():
        assert f"\n{switch} " in f"\n{out}"
        for value in values:
            assert f"  {value['value']} " in out
            assert value["meaning"]


def test_rules_takes_one_name():
    assert "only one of them may be given" in refused("rules", "pagat", "--rules", "taiwan")


# --- plays ------------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("name", PRESETS)
@pytest.mark.parametrize("table", [None, "2D", "4D 4C", "3S 4D 5C 6S 7S"])
def test_plays_are_those_of_the_library(name, table):
    rules = PRESETS[name]
    on = None if table is None else CardSet.parse(table, rules.deck)
    expected = legal_plays(CardSet.parse(HAND, rules.deck), rules, on)
    answer = good("plays", HAND, "--rules", name, "--json", *([] if table is None else ["--on", table])).json
    assert answer == [{"cards": str(p.cards), "kind": p.kind.value, "strength": p.strength} for p in expected]


def test_plays_for_people_are_grouped_by_kind_weakest_first():
    assert good("plays", "3d,3c 10♥", "TS", "2S").out == (
        "7 legal plays on lead under singapore, weakest first\n\n"
        "single (5)\n  3D 3C TH TS 2S\n\n"
        "pair (2)\n  3D 3C   TH TS\n"
    )


def test_plays_that_answer():
    assert good("plays", "4D 4C 5S", "--on", "3H 3S").out.endswith("\n\npair (1)\n  4D 4C\n")
    assert good("plays", "3D", "--on", "2S").out == "No legal plays on 2S under singapore\nOnly a pass is possible.\n"
    assert good("plays", "3D", "--on", "2S", "--json").json == []


def test_plays_include_bombs():
    hand = "3D 3C 3H 3S 4D 5D 6D 7D"
    kinds = {play["kind"] for play in good("plays", hand, "--on", "2S", "--set", "bombs=yes", "--json").json}
    assert kinds == {"four_of_a_kind", "straight_flush"}
    assert good("plays", hand, "--on", "2S", "--json").json == []


def test_plays_that_open_a_deal():
    opening = {play["cards"] for play in good("plays", vectors.OPENING_HAND, "--opening", "--json").json}
    assert {str(CardSet.parse(cards)) for cards in vectors.OPENING_LEGAL} <= opening
    assert not opening & set(vectors.OPENING_ILLEGAL)
    assert [p["cards"] for p in good("plays", "3D 3C", "--opening", "--rules", "charlesworth", "--json").json] == ["3D"]
    assert "contains the lowest card, 3C" in good("plays", "3D", "--opening", "--rules", "taiwan").out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([""], "HAND is ''; it must name cards"),
        (["3D 3C 3D"], "HAND: 3D stands there twice"),
        (["3D", "1H"], "HAND: '1H' is no card"),
        (["3D3C3H3S4D4C4H4S5D5C5H5S6D6C"], "HAND has 14 cards; it must have at most 13, without 6C"),
        (["3D", "--on", ""], "--on is ''; it must name cards"),
        (["3D", "--on", "XX"], "--on: 'XX' is no card"),
        (["3D", "--on", "4D 5D"], "--on is 4D 5D, which is no play under singapore: two cards must be of one rank"),
        (["3D 4D", "--on", "4D"], "--on and HAND share 4D; every card exists once"),
        (["3D", "--on", "4D", "--opening"], "an opening play is a lead"),
        (["3D", "--set", "bombs=maybe"], "bombs is 'maybe'; it must be yes or no"),
        (["3D", "--set", "bombs"], "--set is 'bombs'; it must be SWITCH=VALUE"),
        (["3D", "--set", "bomb=yes"], "there is no switch 'bomb'; the switches are suit_order"),
        (["3D", "--rules", "vegas"], "no rules called 'vegas'; the presets are singapore"),
        (["3D", "--rules", "tests/"], "rules file tests/: it is a folder; it must be a file"),
        (["3D", "--rules", "none.toml"], "rules file none.toml: it cannot be read: No such file"),
        ([], "Missing argument 'HAND"),
    ],
)
def test_plays_refuses(arguments, message):
    assert message in refused("plays", *arguments)


@given(st.lists(st.text(), max_size=3), st.none() | st.text())
def test_garbage_after_plays_is_answered_or_refused(hand, table):
    answer = bigtwo("plays", *hand, *([] if table is None else [f"--on={table}"]))
    assert answer.code in (0, 2)
    assert (answer.out != "") == (answer.code == 0)
    assert "Traceback" not in answer.err


# --- compare ----------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("duel", vectors.DUELS, ids=lambda duel: duel.name)
def test_compare_knows(duel):
    for name in duel.presets:
        forward = good("compare", duel.winner, duel.loser, "--rules", name, "--json").json
        backward = good("compare", duel.loser, duel.winner, "--rules", name, "--json").json
        assert (forward["winner"], backward["winner"]) == ("first", "second")
        assert forward["reason"] == backward["reason"]


@pytest.mark.parametrize("case", vectors.HOUSE_DUELS, ids=lambda case: case[0])
def test_compare_knows_the_house_rule(case):
    _, changes, winner, loser = case
    rules = Rules(**changes)
    one, other = CardSet.parse(winner, rules.deck), CardSet.parse(loser, rules.deck)
    assert (compare(one, other, rules).winner, compare(other, one, rules).winner) == ("first", "second")


@pytest.mark.parametrize("tie", vectors.TIES, ids=lambda tie: tie.name)
def test_compare_knows_the_tie(tie):
    for name in tie.presets:
        assert good("compare", tie.one, tie.other, "--rules", name, "--json").json["winner"] is None


@pytest.mark.parametrize("case", [case for case in vectors.NO_PLAYS if case.cards], ids=lambda case: case.name)
def test_compare_knows_what_is_no_play(case):
    for name in case.presets:
        answer = good("compare", "3D", case.cards, "--rules", name, "--json").json
        assert (answer["first"], answer["second"], answer["winner"]) == ("single", None, None)
        assert answer["reason"].startswith(f"the second is no play under {name}: ")


REASONS = [
    ("3S", "3H", {}, "same rank, spades over hearts"),
    ("2D", "AS", {}, "higher rank, 2 over A"),
    ("9S 9D", "9H 9C", {}, "same rank, spades over hearts"),
    ("TD TC", "9S 9D", {}, "higher rank, T over 9"),
    ("4D 4C 4H", "3C 3H 3S", {}, "higher rank, 4 over 3"),
    ("3D 5D 7D 9D JD", "TS JH QS KS AH", {}, "a flush beats a straight"),
    ("3D 3C 3H 3S 4D", "2D 2C 2H AS AH", {}, "four of a kind beats a full house"),
    ("3S 5S 6S 7S 9S", "2C 4C 6C 9C JC", {}, "flush by suit: spades over clubs"),
    ("4H 7H 9H TH JH", "3H 7H 9H TH JH", {}, "flush of the same suit, from the top down: 4 over 3"),
    ("3H 5H 7H TH JH", "4H 6H 8H 9H JH", {}, "flush of the same suit, from the top down: T over 9"),
    (
        "2C 4C 6C 9C JC",
        "3H 5H 6H 7H 9H",
        {"flush": "ranks_first"},
        "flush by its ranks from the top down: 2 over 9",
    ),
    ("2H 4H 6H 9H JH", "2C 4C 6C 9C JC", {"flush": "ranks_first"}, "flush of the same ranks: hearts over clubs"),
    ("3D 4D 5D 6D KD", "7S 9S TS JS QS", {"flush": "top_card"}, "flush by its top card, K over Q"),
    ("3S 4S 5S 6S KS", "8H TH JH QH KH", {"flush": "top_card"}, "flush by its top card: same rank, spades over hearts"),
    ("AD 2C 3H 4S 5H", "TD JC QH KS AC", {}, "A2345 ranks above TJQKA under singapore"),
    ("AD 2S 3D 4D 5C", "AS 2H 3S 4S 5S", {}, "same sequence, by the suit of the 2: spades over hearts"),
    (
        "AD 2D 3D 4D 5S",
        "AS 2S 3S 4S 5H",
        {"straight_tie": "top_of_sequence"},
        "same sequence, by the suit of the 5: spades over hearts",
    ),
    ("3C 4C 5C 6C 7C", "3D 4D 5D 6D 7D", {}, "same sequence, clubs over diamonds"),
    ("5D 5C 5H 3D 3C", "4D 4C 4H AS AH", {}, "full house by its triple, 5 over 4"),
    ("4D 4C 4H 4S 5D", "3D 3C 3H 3S 2S", {}, "four of a kind by its rank, 4 over 3"),
    ("3D 3C 3H 3S 4D", "2S", {"bombs": True}, "four of a kind is a bomb, which beats every play that is none"),
    (
        "3D 4D 5D 6D 7D",
        "2D 2C 2H 2S",
        {"bombs": True, "four_card_plays": "four_of_a_kind"},
        "a straight flush beats four of a kind",
    ),
    (
        "3D 3C 2S 2D",
        "AS AH 2H 2C",
        {"four_card_plays": "two_pairs_and_four_of_a_kind"},
        "same highest rank, spades over hearts",
    ),
    (
        "AD AC KD KC",
        "QS QH KS KH",
        {"four_card_plays": "two_pairs_and_four_of_a_kind"},
        "two pairs by the highest card, A over K",
    ),
]


@pytest.mark.parametrize(("winner", "loser", "changes", "reason"), REASONS, ids=[reason for *_, reason in REASONS])
def test_compare_says_why(winner, loser, changes, reason):
    rules = Rules(**changes)
    found = compare(CardSet.parse(loser), CardSet.parse(winner), rules)
    assert (found.winner, found.reason) == ("second", reason)


NEITHER = [
    ("3D", "3C 3H", {}, "not the same number of cards (1 and 2)"),
    ("9S 9D", "9S 9H", {}, "both have the same highest card, which alone decides"),
    ("9S 9D", "9D 9S", {}, "they are the same cards"),
    ("JD QC KH AS 2D", "3D", {}, "JQKA2 is no straight (straight_order: singapore)"),
    ("KD AC 2H 3S 4D", "3D", {}, "KA234 is no straight (straight_order: singapore)"),
    ("3D 4D", "3D", {}, "two cards must be of one rank"),
    ("3D 3C 4D", "3D", {}, "three cards must be of one rank"),
    ("3D 3C 3H", "3D", {"triples": False}, "there are no triples (triples: no)"),
    ("3D 3C 4D 4C", "3D", {}, "there are no plays of four cards (four_card_plays: none)"),
    ("3D 3C 4D 4C", "3D", {"four_card_plays": "four_of_a_kind"}, "four cards must be of one rank"),
    ("3D 3C 4D 5C", "3D", {"four_card_plays": "two_pairs_and_four_of_a_kind"}, "must be four of a kind or two pairs"),
    ("3D 3C 3H 3S 5C", "3D", {"four_card_plays": "four_of_a_kind"}, "four of a kind has no fifth card"),
    ("3D 5D 7D 9D JD", "3D", {"flush": "none"}, "there are no flushes (flush: none)"),
    ("3D 3C 4D 4C 5D", "3D", {}, "five cards must be a straight, a flush, a full house"),
    ("3D 4C 5H 6S 7D 8D", "3D", {}, "a play has at most 5 cards, not 6"),
]


@pytest.mark.parametrize(("one", "other", "changes", "reason"), NEITHER, ids=[reason for *_, reason in NEITHER])
def test_compare_says_why_neither_beats_the_other(one, other, changes, reason):
    rules = Rules(**changes)
    found = compare(CardSet.parse(one), CardSet.parse(other), rules)
    assert found.winner is None
    assert reason in found.reason


PLAYS = ["singapore", "charlesworth", "taiwan"]


@given(st.sampled_from(PLAYS), st.sets(st.integers(0, 51), max_size=6), st.sets(st.integers(0, 51), max_size=6))
def test_compare_has_a_reason_for_any_two_sets_of_cards(name, first, second):
    rules = PRESETS[name]
    one, other = (CardSet(sum(1 << card for card in cards), rules.deck) for cards in (first, second))
    found = compare(one, other, rules)
    assert (found.first, found.second) == (classify(one, rules), classify(other, rules))
    assert found.reason
    assert {"first": "second", "second": "first", None: None}[found.winner] == compare(other, one, rules).winner


@given(st.data())
def test_compare_has_a_reason_for_any_two_plays(data):
    rules = Rules(
        **data.draw(
            st.fixed_dictionaries(
                {},
                optional={
                    switch: st.sampled_from(vectors.SWITCHES[switch])
                    for switch in ("suit_order", "flush", "bombs", "four_card_plays", "straight_order", "straight_tie")
                },
            )
        )
    )
    plays = legal_plays(CardSet.parse("3D 3C 3H 3S 4D 5D 6D 7D 7C 7H 8C 9C TC", rules.deck), rules)
    one, other = data.draw(st.sampled_from(plays)), data.draw(st.sampled_from(plays))
    found = compare(one.cards, other.cards, rules)
    assert found.winner == ("first" if one.beats(other) else "second" if other.beats(one) else None)
    assert found.reason


def test_compare_in_one_line():
    line = "9D 9S (pair) beats 9C 9H (pair): same rank, spades over hearts\n"
    assert good("compare", "9S 9D", "9h9c").out == good("compare", "9H 9C", "9♠9♦").out == line
    assert good("compare", "3D", "3C 3H").out == (
        "3D (single) and 3C 3H (pair): neither beats the other; not the same number of cards (1 and 2)\n"
    )


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["", "3D"], "the first PLAY is ''; it must name cards"),
        (["3D", "3X"], "the second PLAY: '3X' is no card"),
        (["3D 3D", "3C"], "the first PLAY: 3D stands there twice"),
        (["3D"], "Missing argument 'PLAY'"),
        (["3D", "3C", "3H"], "(3H)"),
    ],
)
def test_compare_refuses(arguments, message):
    assert message in refused("compare", *arguments)


@pytest.mark.parametrize("game", PACKAGES)
def test_rules_that_nobody_knows_are_refused_with_the_presets_of_the_game(game: str) -> None:
    presets = ", ".join(package_named(game).PRESETS)
    with pytest.raises(InputError, match=f"there are no rules called 'mars'; the presets are {presets}"):
        options.rules_of_game(game, None, "mars")
