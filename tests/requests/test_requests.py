"""What the commands do, as functions: the same figures, shown as tables, and errors that name Python's arguments."""

import json
import re
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from bigtwo_sim import (
    AgentError,
    CardSet,
    Level,
    Rules,
    RulesError,
    View,
    analyse,
    curve,
    deal_statistics,
    load,
    match,
    play_deal,
    plots,
    position,
    tournament,
    tune,
    tune_level,
    variance,
)
from bigtwo_sim.games.big_three import Rules as BigThreeRules
from bigtwo_sim.requests.errors import RequestError
from tests.cli.command_line import good, refused

TIMES = re.compile(r"seconds|per_hour|per_second|version|command|milliseconds")


class Cautious:
    """Answers with its weakest play."""

    def choose(self, view: View) -> CardSet:
        return view.legal_plays[0].cards


def lasting(report: Any) -> Any:
    """A report without what hangs on the machine."""
    if isinstance(report, dict):
        return {key: lasting(value) for key, value in report.items() if not TIMES.search(key)}
    return [lasting(one) for one in report] if isinstance(report, list) else report


@pytest.fixture(autouse=True)
def _in_a_folder_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


# --- a tournament -----------------------------------------------------------------------------------------------------
@pytest.mark.compiled
def test_a_tournament_is_that_of_the_command() -> None:
    run = tournament(["heuristic", "greedy"], deals=280, rules="pagat", seed=4, out="mine")
    good("tournament", "heuristic", "greedy", "--deals", "280", "--rules", "pagat", "--seed", "4", "--out", "theirs")
    theirs = load("theirs")
    assert run.result == theirs.result
    pd.testing.assert_frame_equal(run.blocks, theirs.blocks)
    assert {path.name for path in Path("mine").iterdir()} == {path.name for path in Path("theirs").iterdir()}
    assert run.manifest["decisions_per_second"].keys() == {"heuristic", "greedy"}
    for table in (run.agents, run.pairs, run.lineups, run.strengths, run.blocks):
        assert isinstance(table, pd.DataFrame)
        assert len(table)


@pytest.mark.compiled
def test_a_run_shows_itself_as_a_table() -> None:
    run = tournament(["greedy", "<b>=random"], deals=28)
    about, _, heading, first, second = repr(run).splitlines()
    assert about == "28 deals in 2 blocks under the rules singapore, seed 0 (finished)"
    assert heading.split() == "agent win rate % points a deal cards left".split()
    assert (first.split()[0], second.split()[0]) == ("greedy", "<b>")
    page = run._repr_html_()
    assert page.count("<tr") == 3
    assert "&lt;b&gt;" in page
    assert "<b>" not in page


@pytest.mark.compiled
def test_what_is_saved_nowhere_is_gone_with_its_object() -> None:
    run = tournament(["greedy", "random"], deals=14)
    path = run.path
    assert len(run.blocks) == 6
    del run
    assert not path.exists()
    assert list(Path().iterdir()) == []


def test_a_class_of_this_process_plays_and_may_be_named_in_lineups() -> None:
    run = tournament([Cautious, "other=greedy"], lineups=[["cautious", "other", "other", "other"]], deals=4)
    assert run.names == ["cautious", "other"]
    assert [lineup.split() for lineup in run.lineups["lineup"].unique()] == [["cautious", "other", "other", "other"]]
    one = tournament([Cautious, Cautious, "greedy", "random"], deals=12)
    assert one.names == ["cautious", "greedy", "random"]
    assert list(one.lineups.query("agent == 'cautious'")["copies"]) == [2]


@pytest.mark.parametrize(
    ("more", "message"),
    [
        (
            {"precision": "1%", "test": "greedy>random"},
            "precision and test are two ways to end a run; give one of them",
        ),
        ({"alpha": 0.1}, "alpha belongs to test A>B"),
        ({"lineups": "nowhere.txt"}, "lineups is 'nowhere.txt'; it must be round-robin, gauntlet or a file"),
        ({"cluster": "far"}, "cluster is 'far'; it must be local:N"),
        ({"deals": 0}, "deals is 0; it must be at least 1"),
        ({"test": "greedy"}, "test is 'greedy'; it must be A>B"),
    ],
)
def test_errors_name_arguments_as_python_does(more: dict[str, Any], message: str) -> None:
    with pytest.raises(RequestError, match=re.escape(message)):
        tournament(["greedy", "random"], **({"deals": 14} | more))


def test_the_command_names_its_options() -> None:
    error = refused("tournament", "greedy", "random", "--precision", "1%", "--test", "greedy>random")
    assert error == "bigtwo: --precision and --test are two ways to end a run; give one of them"
    assert "bigtwo: --lineups is 'no.txt'; it must be round-robin" in refused("tournament", "--lineups", "no.txt")


def test_what_is_no_agent_or_no_rules_is_refused() -> None:
    with pytest.raises(AgentError, match="3 is not an agent; it must be a text, an agent, or a class or function"):
        tournament(["greedy", 3])  # type: ignore[list-item]
    with pytest.raises(RulesError, match="pagatt"):
        tournament(["greedy"], rules="pagatt")
    with pytest.raises(RequestError, match="rules is shaanxi of Big Three; it must be rules of Big Two"):
        match(["greedy"] * 4, rules=BigThreeRules())


@pytest.mark.compiled
def test_rules_say_which_game_is_played() -> None:
    run = tournament(["greedy", "random"], rules=BigThreeRules(), deals=12)
    assert run.manifest["rules"]["name"] == "shaanxi"
    assert tournament(["greedy", "random"], game="big-three", deals=12).result == run.result


# --- the others -------------------------------------------------------------------------------------------------------
@pytest.mark.compiled
def test_a_curve_is_that_of_the_command() -> None:
    found = curve("normal", knob="blunder", values=[0.5, 0], deals=40, seed=2)
    answer = good("curve", "normal", "--knob", "blunder", "--values", "0,0.5", "--deals", "40", "--seed", "2", "--json")
    assert lasting(found.report) == lasting(answer.json)
    assert list(found.values["value"]) == [0, 0.5]
    assert len(found.steps) == 1
    assert repr(found).splitlines()[2].split() == "blunder win rate % points rating ms".split()
    assert len(found.run.lineups) == 4
    assert plots.curve(found.report).axes
    with pytest.raises(RequestError, match="values: 2 must be one of the numbers from 0 to 1 that blun"):
        curve("normal", knob="blunder", values=[2])


@pytest.mark.compiled
def test_matches_are_those_of_the_command() -> None:
    agents = ["heuristic", "greedy", "greedy", "random"]
    found = match(agents, matches=24, target=20, seed=3, record="first.txt")
    answer = good("match", *agents, "--matches", "24", "--target", "20", "--seed", "3", "--json", "--record", "two.txt")
    assert lasting(found.report) == lasting(answer.json)
    assert Path("first.txt").read_bytes() == Path("two.txt").read_bytes()
    assert list(found.agents["agent"]) == ["heuristic", "greedy", "random"]
    assert len(found.pairs) == 3
    assert repr(found).startswith("24 matches to 20 in 2 blocks under the rules singapore, seed 3")
    with pytest.raises(RequestError, match="the agents are greedy; there must be 4, one a seat"):
        match(["greedy"])


@pytest.mark.compiled
def test_a_level_is_tuned_written_and_seated() -> None:
    found = tune_level("normal", target="20%", knob="blunder", precision="4%", name="mild", out="mild.json")
    assert found.reached
    assert "blunder=" in repr(found)
    assert list(json.loads(Path("mild.json").read_text())["levels"]) == ["mild"]
    assert found.level().settings["blunder"] == pytest.approx(found.value)
    assert set(found.checks.columns) >= {"value", "win_rate", "win_rate_low", "win_rate_high", "reached"}
    assert len(found.curve) > 1
    level = Level("level:mild.json")
    assert repr(level) == "Level('mild')"
    assert level.choose(position("3D 4S 7H 7C", on="6H 6S", left=[5, 5, 13])).bits in (
        0,
        CardSet.parse("7H 7C").bits,
    )
    with pytest.raises(RequestError, match=r"out: mild\.json is there already; nothing was overwritten"):
        tune_level("normal", target=0.2, knob="blunder", out="mild.json")
    with pytest.raises(RequestError, match="'140%' must be a share above 0 and below 1"):
        tune_level("normal", target="140%", knob="blunder")


def test_a_budget_that_is_too_small_is_refused() -> None:
    with pytest.raises(RequestError, match=r"budget 5 is too small: one generation, .* with blocks 200 and population"):
        tune("beginner", out="tuned", budget=5)


def test_a_deal_is_that_of_the_command() -> None:
    agents = ["greedy", "random", "greedy", "random"]
    found = play_deal(agents, seed=5, index=2, rules="pagat")
    shown = good("deal", *agents, "--seed", "5", "--index", "2", "--rules", "pagat", "--json").json
    assert [str(turn.play.cards) if turn.play else None for turn in found.turns] == [
        turn["cards"] for turn in shown["turns"]
    ]
    assert list(found.deal.points) == shown["points"]
    assert repr(found).startswith("Deal 2 of seed 5 under pagat: greedy ")
    assert len(found.table()) == len(found.turns)
    mine = play_deal([Cautious, "greedy", "greedy", "random"], seed=5)
    assert mine.names[0] == "cautious"
    assert play_deal(["greedy", "greedy", "random"], game="big-three", seed=1).deal.is_over


@pytest.mark.compiled
def test_an_analysis_is_that_of_the_command_and_can_be_drawn() -> None:
    frame = analyse(position("3D 4S 7H 7C TD 2S", on="6H 6S", left=[8, 5, 13]), 50, seed=2)
    hand = "3D 4S 7H 7C TD 2S"
    told = good("analyse", hand, "--on", "6H 6S", "--left", "8,5,13", "--worlds", "50", "--seed", "2", "--json").json
    assert list(frame["margin"].round(4)) == [row["margin"]["mean"] for row in told["candidates"]]
    assert len(plots.options(frame).axes) == 2
    bids = analyse(position("4H 4S 6C 7D 8S 9S TC JD QH KS AD AS 2H 2S 3D 3S", game="big-three", calls=[]), 20)
    assert len(plots.options(bids).axes) == 2


@pytest.mark.compiled
def test_ways_of_sampling_are_those_of_the_command() -> None:
    found = variance(["heuristic", "greedy"], deals=2400, seed=1)
    told = good("variance", "heuristic", "greedy", "--deals", "2400", "--seed", "1", "--json").json
    assert found.report == told
    assert len(found.rows) == len(told["rows"])
    assert len(repr(found).splitlines()) == len(found.rows) + 3


@pytest.mark.compiled
def test_deals_are_counted_whatever_the_number_of_workers() -> None:
    facts = deal_statistics(["normal", "greedy", "normal", "greedy"], deals=40, seed=1, workers=1)
    again = deal_statistics(["normal", "greedy", "normal", "greedy"], deals=40, seed=1, rules=Rules(), workers=2)
    assert (facts == again).all()
    with pytest.raises(RequestError, match="'python_agents:Weakest' is not compiled"):
        deal_statistics(["python_agents:Weakest"] * 4, deals=1)
