"""Big Three's rules: the presets are as told, every switch reads back, and what else is written is a clear error."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bigtwo_sim.games.big_three import PRESETS, SWITCHES, Rules, RulesError, preset
from bigtwo_sim.games.big_three.rules import SOURCES, switch_values
from tests.games.big_three.sides import VALUES, plain

house_rules = st.fixed_dictionaries(
    {}, optional={switch: st.sampled_from(values) for switch, values in VALUES.items()}
).map(lambda changes: Rules(**changes))


def test_the_presets_differ_where_the_printed_rules_do() -> None:
    assert list(PRESETS) == list(SOURCES) == ["shaanxi", "as_printed"]
    assert Rules() == preset("shaanxi")
    assert preset("shaanxi").deck.ranks == "456789TJQKA23"
    assert preset("as-printed").deck.ranks == "23456789TJQKA"
    assert {switch: value for switch, value in vars(plain(preset("as_printed"))).items() if switch != "name"} == {
        "players": 3,
        "ranks": "ace_high",
        "runs": "rank_order",
        "ace_sets": False,
        "first_bidder": "dealer",
        "direction": "clockwise",
        "payment": "own_bids",
        "seating": "opposite",
        "stake": 1,
    }


@given(house_rules)
def test_text_of_all_switches_reads_back(rules: Rules) -> None:
    assert Rules.from_dict(json.loads(json.dumps(rules.to_dict()))) == rules
    assert (Rules(**{switch: getattr(rules, switch) for switch in SWITCHES}).rule_table() == rules.rule_table()).all()
    with pytest.raises(ValueError, match="read-only"):
        rules.rule_table()[0] = 1


def test_a_rules_file_changes_a_preset(tmp_path: Any) -> None:
    path = tmp_path / "ours.toml"
    path.write_text('preset = "as_printed"\nplayers = 4\nstake = 10\nace_sets = true\n', encoding="utf-8")
    assert Rules.from_toml(path) == PRESETS["as_printed"].replace(name="ours", players=4, stake=10, ace_sets=True)
    assert Rules().replace(players=4, direction="clockwise").name == "shaanxi players=4 direction=clockwise"


@pytest.mark.parametrize("switch", SWITCHES)
def test_every_value_of_a_switch_is_listed_and_legal(switch: str) -> None:
    for value, meaning in switch_values(switch):
        assert Rules().replace(**{switch: value}).value_text(switch) == value
        assert meaning


@pytest.mark.parametrize(
    ("switch", "value", "message"),
    [
        ("players", "5", "players is 5; it must be 3 or 4"),
        ("players", True, "players is True; it must be 3 or 4"),
        ("stake", 0, "stake is 0; it must be a whole number from 1 to 1000"),
        ("stake", 1.5, "stake is 1.5; it must be a whole number"),
        ("ace_sets", "maybe", "ace_sets is 'maybe'; it must be yes or no"),
        ("ranks", "low", "ranks is 'low'; it must be one of three_high, ace_high"),
        ("payment", "all", "payment is 'all'; it must be one of winning_bid, own_bids"),
        ("jokers", "yes", "there is no switch 'jokers'; the switches are players, ranks, runs"),
        ("name", "", "name is ''; it must be a line"),
    ],
)
def test_an_error_names_the_switch_and_what_must_hold(switch: str, value: Any, message: str) -> None:
    with pytest.raises(RulesError, match=message):
        Rules().replace(**{switch: value})


def test_an_unknown_preset_lists_the_presets() -> None:
    with pytest.raises(RulesError, match="no rules called 'pagat'; the presets are shaanxi, as_printed"):
        preset("pagat")
