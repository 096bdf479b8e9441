"""Rules: every way to write them down reads back, and whatever else is written gives the clear error."""

import contextlib
import json
import tomllib
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bigtwo_sim.cli.options import (
    read_rules,
)
from bigtwo_sim.games.big_two import PRESETS, SWITCHES, Rules, RulesError, preset
from bigtwo_sim.games.big_two.rules import parse_tiers, switch_values, tiers_text
from bigtwo_sim.untrusted.errors import InputError
from tests.reference import vectors

VALUES: dict[str, st.SearchStrategy[Any]] = {
    switch: st.sampled_from(values) for switch, values in vectors.SWITCHES.items()
}
VALUES["penalty_tiers"] = st.tuples(*[st.integers(0, 1000)] * 13)
VALUES["match_target"] = st.none() | st.integers(1, 1_000_000)

settings = st.fixed_dictionaries({}, optional=VALUES)
house_rules = settings.map(lambda changes: Rules(**changes))

garbage = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(),
    st.text(max_size=30),
    st.binary(max_size=20),
    st.lists(st.integers(-5, 2000) | st.booleans(), max_size=15),
    st.dictionaries(st.text(max_size=3), st.integers(), max_size=3),
    st.just(10**5000),
    st.sampled_from(["yes", "none", "1-13:1", "DCHS", "50", "single", "9" * 5000, "1-9:1 10-12:2"]),
)


def switches(rules: Rules) -> dict[str, Any]:
    return {switch: getattr(rules, switch) for switch in SWITCHES}


# --- presets ----------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("name", vectors.PRESETS)
def test_preset(name):
    expected = vars(vectors.PRESETS[name])
    assert {"name": name, **switches(PRESETS[name])} == expected


def test_all_presets_and_switches_exist():
    assert list(PRESETS) == list(vectors.PRESETS)
    assert set(SWITCHES) == set(vectors.SWITCHES)
    assert Rules() == PRESETS["singapore"]


@pytest.mark.parametrize("name", ["hong_kong", "hong-kong", " Hong_Kong "])
def test_a_preset_is_found_in_any_spelling(name):
    assert preset(name) == PRESETS["hong_kong"]


def test_an_unknown_preset_lists_the_presets():
    with pytest.raises(
        RulesError, match="no rules called 'vegas'; the presets are singapore, pagat, hong_kong, taiwan"
    ):
        preset("vegas")


# --- both ways --------------------------------------------------------------------------------------------------------
@given(house_rules)
def test_text_of_all_switches_reads_back(rules):
    assert Rules.from_dict(rules.to_dict()) == rules
    assert Rules.from_dict(json.loads(json.dumps(rules.to_dict()))) == rules


@given(house_rules)
def test_each_switch_may_be_set_by_its_text(rules):
    changes = [f"{switch}={rules.value_text(switch)}" for switch in SWITCHES]
    assert switches(read_rules("pagat", changes)) == switches(rules)


@given(house_rules, st.booleans())
def test_a_rules_file_reads_back(tmp_path_factory, rules, as_text):
    """Switches as text, or as TOML's own booleans, numbers and arrays."""
    lines = []
    for switch in SWITCHES:
        value = getattr(rules, switch)
        if as_text or isinstance(value, str) or value is None:
            lines.append(f'{switch} = "{rules.value_text(switch)}"')
        else:
            lines.append(f"{switch} = {json.dumps(value)}")
    path = tmp_path_factory.mktemp("rules") / "house.toml"
    path.write_text("\n".join(lines), encoding="utf-8")
    assert switches(Rules.from_toml(path)) == switches(rules)
    assert read_rules(str(path)).name == "house"


def test_a_rules_file_changes_a_preset(tmp_path):
    path = tmp_path / "ours.toml"
    path.write_text('preset = "taiwan"\nbombs = true\n', encoding="utf-8")
    assert Rules.from_toml(path) == PRESETS["taiwan"].replace(name="ours", bombs=True)


@given(house_rules, settings)
def test_replace_changes_what_it_names_and_nothing_else(rules, changes):
    changed = rules.replace(**changes)
    assert switches(changed) == {
        **switches(rules),
        **switches(Rules(**changes)),
        **{switch: value for switch, value in switches(rules).items() if switch not in changes},
    }


def test_a_changed_preset_says_in_its_name_what_changed():
    rules = PRESETS["pagat"].replace(bombs=True, match_target=50, flush="suit_first")
    assert rules.name == "pagat bombs=yes match_target=50"


@given(st.tuples(*[st.integers(0, 1000)] * 13))
def test_text_of_penalty_tiers_reads_back(factors):
    assert parse_tiers(tiers_text(factors)) == factors


def test_text_of_penalty_tiers():
    assert tiers_text(Rules().penalty_tiers) == "1-9:1 10-12:2 13:3"
    assert parse_tiers("13:3, 1-9:1,10-12:2") == Rules().penalty_tiers


@given(house_rules)
def test_the_deck_has_the_suits_in_their_order(rules):
    assert rules.deck.suits == rules.suit_order
    assert rules.deck.ranks == "3456789TJQKA2"


@given(house_rules)
def test_the_table_is_the_same_for_the_same_rules_and_cannot_be_changed(rules):
    table = rules.rule_table()
    assert (table == Rules(**switches(rules)).rule_table()).all()
    with pytest.raises(ValueError, match="read-only"):
        table[0] = 1


@pytest.mark.parametrize("switch", SWITCHES)
def test_every_value_of_a_switch_is_listed_and_legal(switch):
    listed = [value for value, _ in switch_values(switch)]
    for value in listed:
        assert Rules().replace(**{switch: value}).value_text(switch) == value
    if switch not in ("suit_order", "penalty_tiers", "match_target"):
        assert {Rules(**{switch: value}).value_text(switch) for value in vectors.SWITCHES[switch]} == set(listed)


# --- what is wrong ----------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("switch", SWITCHES)
@given(value=garbage)
def test_a_garbage_value_is_legal_or_the_error_names_its_switch(switch, value):
    message = switch
    try:
        rules = Rules().replace(**{switch: value})
    except RulesError as error:
        message = str(error)
    else:
        assert Rules.from_dict(rules.to_dict()) == rules
    assert message.startswith(switch)
    assert len(message) < 400


@pytest.mark.parametrize(
    ("switch", "value", "message"),
    [
        ("bombs", "maybe", "bombs is 'maybe'; it must be yes or no"),
        ("flush", "suit", "flush is 'suit'; it must be one of suit_first, ranks_first, top_card, none"),
        ("suit_order", "DDHS", "suit_order is 'DDHS'; it must be the letters D, C, H and S"),
        ("match_target", "0", "match_target is 0; it must be none or a whole number from 1"),
        ("match_target", True, "match_target is True; it must be none or a whole number from 1"),
        ("penalty_tiers", "1-13", "penalty_tiers: '1-13' is no tier"),
        ("penalty_tiers", "0-13:1", "penalty_tiers: '0-13:1' counts cards outside 1 to 13"),
        ("penalty_tiers", "5-2:1", "penalty_tiers: '5-2:1' counts cards outside 1 to 13, or downwards"),
        ("penalty_tiers", "1-13:1 5:2", "penalty_tiers: 5 cards are in two tiers"),
        ("penalty_tiers", "1-12:1", "penalty_tiers: no tier for 13 cards left"),
        ("penalty_tiers", "1-13:1001", r"penalty_tiers is \(1001"),
        ("penalty_tiers", (1, 2), r"penalty_tiers is \(1, 2\); it must be 13 whole numbers"),
        ("name", "two\nlines", r"name is 'two\\nlines'; it must be a line"),
        ("joker", "yes", "there is no switch 'joker'; the switches are suit_order, opener"),
        ("self", "yes", "there is no switch 'self'"),
    ],
)
def test_an_error_names_the_switch_and_what_must_hold(switch, value, message):
    with pytest.raises(RulesError, match=message):
        Rules().replace(**{switch: value})


@given(st.dictionaries(st.text(max_size=12) | st.sampled_from([*SWITCHES, "preset", "name"]), garbage, max_size=4))
def test_garbage_in_a_dictionary_gives_rules_or_the_clear_error(values):
    try:
        rules = Rules.from_dict(values)
    except RulesError:
        return
    assert Rules.from_dict(rules.to_dict()) == rules


@given(st.binary(max_size=100) | st.text(alphabet="bombs=true\"[]{}\n#'\\1.-", max_size=60).map(str.encode))
def test_a_garbage_file_gives_rules_or_the_clear_error(tmp_path_factory, content):
    path = tmp_path_factory.mktemp("rules") / "garbage.toml"
    path.write_bytes(content)
    try:
        rules = Rules.from_toml(path)
    except RulesError:
        return
    assert isinstance(tomllib.loads(content.decode()), dict)
    assert isinstance(rules, Rules)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"bombs = ", "is not TOML"),
        (b"\xff\xfe", "it is in UTF-16; it must be in UTF-8"),
        (b"a = '\xff'", "line 1: it is not a text in UTF-8"),
        (b"a = " + b"[" * 50_000, "is not TOML"),
        (b"match_target = " + b"9" * 9000, "is not TOML"),
        (b"match_target = 0x" + b"f" * 9000, "match_target is a value too long to print"),
        (b"[house]\nbombs = true", "there is no switch 'house'"),
        (b"preset = 3", "there are no rules called '3'"),
    ],
)
def test_a_file_that_is_no_rules(tmp_path, content, message):
    path = tmp_path / "broken.toml"
    path.write_bytes(content)
    with pytest.raises(RulesError, match=message):
        Rules.from_toml(path)


def test_a_file_that_cannot_be_read(tmp_path):
    with pytest.raises(RulesError, match=r"none\.toml: it cannot be read: No such file"):
        Rules.from_toml(tmp_path / "none.toml")
    with pytest.raises(RulesError, match="it is a folder; it must be a file"):
        Rules.from_toml(tmp_path)


@given(st.text())
def test_garbage_after_set_gives_rules_or_a_clear_error(text):
    with contextlib.suppress(InputError, RulesError):
        assert isinstance(read_rules("singapore", [text]), Rules)


def test_a_file_with_a_byte_order_mark_is_read(tmp_path):
    path = tmp_path / "house.toml"
    path.write_text("bombs = true\n", encoding="utf-8-sig")
    assert Rules.from_toml(path) == Rules().replace(name="house", bombs=True)
