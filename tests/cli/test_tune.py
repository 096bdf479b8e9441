"""`bigtwo tune` and `bigtwo curve`: what they find, save, take up again and refuse."""

import json
import os
import re
import signal
import sqlite3
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from bigtwo_sim.arena import RunError
from bigtwo_sim.arena.runners import speed
from bigtwo_sim.arena.runners.trials import Trials
from bigtwo_sim.games.big_two import PolicyAgent
from bigtwo_sim.requests import tune_level
from bigtwo_sim.roster.level_file import read_levels
from bigtwo_sim.roster.spec import parse_agent
from bigtwo_sim.tuning.study import DATABASE
from bigtwo_sim.tuning.task import rounds
from bigtwo_sim.tuning.weights import Tuning
from bigtwo_sim.untrusted.documents import sealed_text
from tests import ROOT
from tests.cli.command_line import bigtwo, good, refused
from tests.tools.waiting import wait_for

TINY = ["--against", "easy", "--budget", "120000", "--population", "6", "--blocks", "12", "--workers", "1"]
MISTAKES = ("overlooks", "tears", "timid")


@pytest.fixture(autouse=True)
def _in_a_folder_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def _no_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    """Times that hang on nothing: a millisecond for a hundred worlds."""

    def taken(agent: PolicyAgent, rules: Any, seconds: float = 0) -> float:
        return float(agent.method.cost(agent.params)) / 3700

    monkeypatch.setattr(speed, "milliseconds_a_decision", taken)


# --- a method ---------------------------------------------------------------------------------------------------------
@pytest.mark.compiled
def test_a_beginner_that_is_tuned_makes_fewer_mistakes() -> None:
    answer = good("tune", "beginner", *TINY, "--out", "run")
    assert "Better by" in answer.out
    assert "tournament level:run/level.json beginner" in answer.out
    assert max(map(len, answer.out.splitlines())) <= 80
    (level,) = read_levels(Path("run/level.json")).values()
    assert (level.name, level.method) == ("beginner-tuned", "beginner")
    before = {parameter.name: parameter.default for parameter in parse_agent("beginner").method.parameters}
    assert set(level.settings) == set(MISTAKES)
    assert sum(level.settings.values()) < sum(before.values()) / 2
    report = json.loads(Path("run/level.json").read_text())["tuned"]
    assert report["better"]
    found = report["comparison"]
    assert found["difference"]["margin_low"] > 0
    assert found["difference"]["margin"] == pytest.approx(found["new"]["margin"] - found["old"]["margin"], abs=1e-5)
    assert parse_agent("level:run/level.json").name == "beginner-tuned"
    # The figures are those of a tournament on the decks that are told.
    deals = str(14 * found["blocks"])
    again = good("tournament", "level:run/level.json", "easy", "--seed", str(found["seed"]), "--deals", deals, "--json")
    assert again.json["agents"][0]["win_rate"] == pytest.approx(found["new"]["win_rate"], abs=2e-6)
    assert again.json["pairs"][0]["points"] == pytest.approx(found["new"]["margin"], abs=2e-6)
    # A tuning that is over is told again and not played again.
    assert good("tune", "--resume", "run", "--json").json["comparison"] == found


@pytest.mark.compiled
def test_what_is_no_better_is_said_to_be_no_better() -> None:
    """Weights cannot help who never weighs."""
    answer = good("tune", "heuristic:blunder=1", *TINY, "--weights", "lead_two", "--json", "--out", "run")
    assert not answer.json["better"]
    assert answer.json["comparison"]["difference"]["margin"] == 0
    assert "No better: the difference of +0.00" in good("tune", "method", "--resume", "run").out
    assert "no better than it was" in json.loads(Path("run/level.json").read_text())["levels"].popitem()[1]["meaning"]


def trials_of(path: Path) -> int:
    """How many a tuning has saved so far."""
    try:
        with sqlite3.connect(f"file:{path}?mode=ro", uri=True) as connection:
            return int(connection.execute("select count(*) from trials").fetchone()[0])
    except sqlite3.OperationalError:  # not there yet
        return 0


@pytest.mark.compiled
@pytest.mark.slow
def test_a_tuning_that_is_killed_goes_on_as_if_nothing_had_happened() -> None:
    arguments = ["tune", "beginner", *TINY, "--seed", "7", "--json"]
    whole = good(*arguments, "--out", "whole").json
    program = [sys.executable, "-m", "bigtwo_sim.cli.main", *arguments, "--out", "cut"]
    path = Path("cut") / DATABASE
    for trials in (5, 20):
        if trials > 5:
            program = [sys.executable, "-m", "bigtwo_sim.cli.main", "tune", "--resume", "cut", "--json"]
        process = subprocess.Popen(
            program, env={**os.environ, "PYTHONPATH": str(ROOT)}, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        wait_for(f"{trials} trials", lambda: trials_of(path) >= trials or process.poll() is not None)  # noqa: B023
        process.send_signal(signal.SIGKILL)
        process.wait()
    resumed = good("tune", "--resume", "cut", "--json").json
    for report in (whole, resumed):
        for key in ("command", "level_file"):
            del report[key]
    assert resumed == whole


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "tune needs the agent that is tuned, such as heuristic"),
        (["heuristik"], "there is no agent 'heuristik'; did you mean heuristic?"),
        (["python_agents:Weakest"], "'python_agents:Weakest' is not compiled; bigtwo tune and bigtwo curve play"),
        (["heuristic", "--against", "nobody"], "there is no agent 'nobody'"),
        (["heuristic", "--objective", "luck"], "--objective is 'luck'; it must be points or wins"),
        (
            ["heuristic", "--weights", "lead"],
            "--weights: heuristic has no setting 'lead'; did you mean lead_",
        ),
        (["heuristic", "--weights", "lead_two,lead_two"], "it must name settings of heuristic, each once"),
        (["random"], "--weights is None; it must name settings of random, each once"),
        (["heuristic", "--budget", "100"], "--budget 100 is too small: one generation, the leaders and the comparison"),
        (["heuristic", "--budget", "much"], "'much' must be a whole number"),
        (["heuristic", "--resume", "run"], "--resume goes on with a tuning as it was begun; leave out AGENT"),
    ],
)
def test_what_cannot_be_tuned_is_told_in_one_line(arguments: list[str], message: str) -> None:
    error = refused("tune", "method", *arguments)
    assert message in error


@pytest.mark.compiled
def test_a_tuning_that_is_not_there_is_told(tmp_path: Path) -> None:
    with pytest.raises(RunError, match=f"none holds no tuning: there is no {DATABASE} in it"):
        Tuning.resume(tmp_path / "none")
    (tmp_path / "bad").mkdir()
    (tmp_path / "bad" / DATABASE).write_text("this is no database, however long one looks at it " * 20)
    answer = bigtwo("tune", "--resume", "bad")
    assert answer.code == 1
    assert f"bad/{DATABASE} cannot be used" in answer.error


def test_without_the_extra_it_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "cmaes", None)
    error = refused("tune", "beginner", *TINY, "--out", "run")
    assert "the extra [tune], of which cmaes is missing: pip install 'bigtwo-sim[tune]'" in error
    assert not Path("run").exists()


def test_a_folder_that_a_tuning_cannot_have_is_told() -> None:
    Path("file").touch()
    error = refused("tune", "beginner", *TINY, "--out", "file/run")
    assert error.startswith("bigtwo: --out: file/run cannot be made: ")
    Path("old").mkdir()
    Path("old", DATABASE).touch()
    assert "--out: old holds a tuning already" in refused("tune", "beginner", *TINY, "--out", "old")


def test_leaders_are_halved_down_to_one() -> None:
    assert list(rounds(16)) == [16, 8, 4, 2]
    assert list(rounds(5)) == [5, 3, 2]


# --- a level ----------------------------------------------------------------------------------------------------------
@pytest.mark.compiled
@pytest.mark.usefixtures("_no_clock")
def test_a_level_is_found_proved_and_seated() -> None:
    arguments = [
        "normal",
        "--target",
        "20%",
        "--knob",
        "blunder",
        "--precision",
        "3%",
        "--workers",
        "2",
        "--name",
        "mild",
    ]
    answer = good("tune", "level", *arguments, "--out", "mild.json")
    assert "wins 2" in answer.out or "wins 1" in answer.out
    assert "which lies within 20 ± 3 %" in answer.out
    assert "bigtwo tournament level:mild.json normal" in answer.out
    assert max(map(len, answer.out.splitlines())) <= 80
    (level,) = read_levels(Path("mild.json")).values()
    assert (level.name, level.method, list(level.settings)) == ("mild", "heuristic", ["blunder"])
    (found,) = level.measured
    assert 0.17 <= found["win_rate_low"] <= found["win_rate_high"] <= 0.23
    again = good(
        "tournament", "level:mild.json", "normal", "normal", "normal",
        "--seed", str(found["seed"]), "--deals", str(found["deals"]), "--json",
    ).json  # fmt: skip
    assert again["agents"][0]["agent"] == "mild"
    assert again["agents"][0]["win_rate"] == pytest.approx(found["win_rate"], abs=2e-6)
    assert again["agents"][0]["win_rate_low"] == pytest.approx(found["win_rate_low"], abs=2e-6)
    assert again["pairs"][0]["points"] == pytest.approx(found["margin"], abs=2e-6)
    search = json.loads(Path("mild.json").read_text())["search"]
    assert [row["value"] for row in search["curve"]] == sorted(row["value"] for row in search["curve"])
    assert search["checks"][-1]["value"] == pytest.approx(level.settings["blunder"], abs=1e-6)
    assert "is there already; nothing was overwritten" in refused("tune", "level", *arguments, "--out", "mild.json")


@pytest.mark.compiled
@pytest.mark.usefixtures("_no_clock")
def test_a_knob_of_unknown_direction_is_tried_at_its_ends() -> None:
    answer = good(
        "tune",
        "level",
        "easy",
        "--target",
        "0.3",
        "--against",
        "easy",
        "--knob",
        "timid",
        "--precision",
        "4%",
        "--json",
    )
    report = answer.json
    assert report["reached"]
    assert report["value"] < 0.2  # a bolder one wins more
    assert report["level"] == "easy-30"
    assert Path(report["level_file"]).parts[0] == "results"
    error = refused("tune", "level", "heuristic:blunder=1", "--target", "30%", "--knob", "lead_two")
    assert "% at 30, which 400 blocks do not tell apart" in error


@pytest.mark.compiled
@pytest.mark.usefixtures("_no_clock")
def test_a_target_out_of_reach_is_told_and_nothing_is_written() -> None:
    answer = bigtwo(
        "tune", "level", "normal", "--target", "40%", "--knob", "noise", "--precision", "5%", "--out", "no.json"
    )
    assert answer.code == 1
    assert "40 ± 5 % cannot be reached: noise=0 wins" in " ".join(answer.out.split())
    assert "where the knob ends; it would have to win more." in " ".join(answer.out.split())
    assert not Path("no.json").exists()
    answer = bigtwo(
        "tune", "level", "strong", "--target", "70%", "--knob", "worlds", "--precision", "20%", "--limit-ms", "0.04",
        "--workers", "1", "--json",
    )  # fmt: skip
    assert answer.code == 1
    assert (answer.json["reached"], answer.json["high"], answer.json["level_file"]) == (False, 4, None)
    assert "worlds=4 wins" in answer.json["verdict"]
    assert "that is the most that 0.04 ms a decision allow" in answer.json["verdict"]


@pytest.mark.usefixtures("_no_clock")
@pytest.mark.parametrize("limit", [0.3, 1.0, 7.7])
def test_the_limit_of_time_bounds_the_knob(limit: float) -> None:
    strong = parse_agent("strong")
    assert isinstance(strong, PolicyAgent)
    parameter = strong.method.parameters[0]
    assert parameter.name == "worlds"
    assert tune_level._highest_within(strong, parameter, limit, None) == pytest.approx(100 * limit, abs=1)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--target", "140%", "--knob", "worlds"], "'140%' must be a share above 0 and below 1, such as 40% or 0.4"),
        (["--target", "40", "--knob", "worlds"], "'40' must be a share above 0 and below 1"),
        (["--target", "40%", "--knob", "worlds", "--precision", "0"], "'0' must be a share above 0 and below 1"),
        (
            ["--target", "40%", "--knob", "worlds", "--precision", "0.0001%"],
            "'0.0001%' must be 0.05% at least, which takes millions of deals",
        ),
        (
            ["--target", "40%", "--knob", "world"],
            "--knob: monte_carlo has no setting 'world'; did you mean worlds?",
        ),
        (["--target", "40%", "--knob", "worlds", "--limit-ms", "0"], "'0' must be a number above 0"),
        (["--target", "40%", "--knob", "worlds", "--name", ""], "--name is ''; it must be 1 to 80 printable"),
        (["--target", "40%", "--knob", "worlds", "--against", "python_agents:Weakest"], "is not compiled"),
        (["--knob", "worlds"], "Missing option '--target'"),
    ],
)
def test_a_level_that_cannot_be_meant_is_told_in_one_line(arguments: list[str], message: str) -> None:
    assert message in refused("tune", "level", "strong", *arguments)


@pytest.mark.usefixtures("_no_clock")
def test_a_limit_that_no_value_keeps_is_told() -> None:
    error = refused("tune", "level", "strong", "--target", "40%", "--knob", "worlds", "--limit-ms", "0.001")
    assert "--limit-ms 0.001: strong takes more than that at worlds=1 already" in error


@pytest.mark.compiled
@pytest.mark.usefixtures("_no_clock")
@pytest.mark.parametrize("measurements", [0, 2])
def test_what_is_known_is_told_where_a_search_is_stopped(measurements: int, monkeypatch: pytest.MonkeyPatch) -> None:
    played, play = [], Trials.play

    def stopped(self: Trials, *arguments: Any) -> Any:
        if len(played) == measurements:
            raise KeyboardInterrupt
        played.append(arguments)
        return play(self, *arguments)

    monkeypatch.setattr(Trials, "play", stopped)
    answer = bigtwo(
        "tune", "level", "normal", "--target", "20%", "--knob", "blunder", "--precision", "3%", "--out", "no.json"
    )
    assert (answer.code, answer.out) == (130, "")
    lines = [line for line in answer.err.splitlines() if not line.startswith("Compiling")]
    assert re.fullmatch("Some [0-9,]+000 deals are to come.", lines[0])
    if measurements:
        assert re.match("Interrupted after [0-9,]+ deals; nothing was written. The best guess so far", lines[1])
        assert lines[3].split() == ["blunder", "blocks", "win", "rate", "%"]
        assert len([line for line in lines[4:] if re.match(r" *0\.[0-9]+ ", line)]) in (1, 2)
    else:
        assert lines[1:] == ["Interrupted before anything was measured; nothing was written."]
    assert not Path("no.json").exists()


# --- a curve ----------------------------------------------------------------------------------------------------------
@pytest.mark.compiled
@pytest.mark.usefixtures("_no_clock")
def test_a_curve_is_a_run_with_a_table_of_its_own() -> None:
    arguments = ["curve", "strong", "--knob", "worlds", "--values", "4,1", "--deals", "80", "--seed", "3"]
    answer = good(*arguments, "--out", "run", "--workers", "2")
    assert max(map(len, answer.out.splitlines())) <= 80
    assert "80 deals of each value, in 20 blocks" in " ".join(answer.out.split())
    report = json.loads(Path("run/curve.json").read_text())
    assert [row["value"] for row in report["curve"]] == [1, 4]
    lines = Path("run/curve.csv").read_text().splitlines()
    assert lines[0].startswith("value,win_rate,win_rate_low,win_rate_high,margin,")
    assert len(lines) == 3
    for row in report["curve"]:
        line_up = [f"strong:worlds={row['value']:g}", "normal", "normal", "normal"]
        single = good("tournament", *line_up, "--deals", "80", "--seed", "3", "--json").json
        assert single["agents"][0]["win_rate"] == pytest.approx(row["win_rate"], abs=2e-6)
        assert single["pairs"][0]["points"] == pytest.approx(row["margin"], abs=2e-6)
        # A run of few blocks also knows how points of single agents are spread, and is a little wider.
        assert single["pairs"][0]["points_low"] == pytest.approx(row["margin_low"], rel=0.1)
    assert "run is a curve; go on with it by bigtwo curve --resume run" in refused("tournament", "--resume", "run")
    (step,) = report["steps"]
    assert step["distance"] == pytest.approx(report["curve"][1]["rating"] - report["curve"][0]["rating"], abs=1e-4)
    assert step["doubling"] == pytest.approx(step["distance"] / 2, abs=1e-4)
    assert "worlds=4" in good("results", "run").out
    # Taken up again, a curve that lacks a part comes to the same.
    parts = sorted(Path("run").glob("part-*.parquet"))
    parts[-1].unlink()
    manifest = json.loads(Path("run/manifest.json").read_text())
    Path("run/manifest.json").write_text(sealed_text({**manifest, "status": "interrupted", "deals_played": 0}))
    Path("run/curve.json").unlink()
    assert good("curve", "--resume", "run", "--json").json == report


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "curve needs an agent, --knob and --values"),
        (
            ["strong", "--knob", "worlds", "--values", "10,1.5"],
            "--values: '1.5' must be one of the whole numbers from 1",
        ),
        (["normal", "--knob", "blunder", "--values", "0,2"], "--values: '2' must be one of the numbers from 0 to 1"),
        (["normal", "--knob", "blunder", "--values", "0,x"], "--values: 'x' must be one of the numbers from 0 to 1"),
        (["normal", "--knob", "blunder", "--values", "0.1,0.1"], "it must name at most 100 values, each once"),
        (["normal", "--knob", "nothing", "--values", "1"], "--knob: heuristic has no setting 'nothing'"),
        (
            ["normal", "--knob", "blunder", "--values", "0", "--against", "python_agents:Weakest"],
            "'python_agents:Weakest' is not compiled; bigtwo tune and bigtwo curve play compiled agents only",
        ),
        (["normal", "--resume", "run"], "--resume goes on with a curve as it was begun; leave out AGENT"),
    ],
)
def test_a_curve_that_cannot_be_meant_is_told_in_one_line(arguments: list[str], message: str) -> None:
    assert message in refused("curve", *arguments)


@pytest.mark.compiled
def test_a_run_that_is_no_curve_is_told() -> None:
    good("tournament", "random", "greedy", "--deals", "100", "--out", "run")
    assert "run is a run, but no curve" in refused("curve", "--resume", "run")
