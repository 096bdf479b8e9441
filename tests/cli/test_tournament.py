"""`bigtwo tournament`: what it prints for people and for scripts, what it saves, and what it refuses."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

import bigtwo_sim
from bigtwo_sim.arena import load
from bigtwo_sim.cli.main import app
from bigtwo_sim.requests.tournament import DEFAULT_AGENTS
from bigtwo_sim.roster.spec import parse_agent
from tests import ROOT
from tests.cli.command_line import bigtwo, good, refused

TOP = ["engine_version", "game", "rules", "seed", "isolation", "worker_deaths", "status", "seconds"]
TOP += ["deals_per_hour", "deals"]
TOP += ["blocks", "interval", "verdict", "agents", "pairs", "lineups", "strengths"]
OF_AGENT = {
    "agent",
    "deals",
    "win_rate",
    "win_rate_low",
    "win_rate_high",
    "points",
    "points_low",
    "points_high",
    "cards_left",
    "decisions_per_second",
}


@pytest.fixture(autouse=True)
def _in_a_folder_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def test_json_is_one_object_with_the_keys_that_are_promised() -> None:
    report = good("tournament", "random", "greedy", "--deals", "200", "--seed", "3", "--json").json
    assert list(report) == TOP
    assert report["engine_version"] == bigtwo_sim.__version__
    assert report["rules"]["name"] == "singapore"
    assert (report["seed"], report["deals"], report["blocks"]) == (3, 210, 15)
    assert [row["agent"] for row in report["agents"]] == ["random", "greedy"]
    for row in report["agents"]:
        assert set(row) >= OF_AGENT
        assert row["deals"] == 210
        assert row["win_rate_low"] <= row["win_rate"] <= row["win_rate_high"]
        assert row["points_low"] <= row["points"] <= row["points_high"]
        assert len(row["wins_by_seat"]) == 4
        assert row["decisions_per_second"] > 0
    (pair,) = report["pairs"]
    assert (pair["first"], pair["second"], pair["deals"]) == ("random", "greedy", 210)
    assert pair["points"] == pytest.approx(report["agents"][0]["points"] - report["agents"][1]["points"], abs=1e-5)
    assert pair["points_low"] < pair["points"] < pair["points_high"] < 0


def test_the_table_names_agents_pairs_and_intervals() -> None:
    out = good("tournament", "random", "greedy", "--deals", "200", "--out", "run").out
    for words in ("210 deals in 15 blocks under the rules singapore, seed 0", "deals an hour", "win rate %"):
        assert words in out
    for words in ("points a deal", "decisions", "greedy over random", "95 % interval", "Saved in run"):
        assert words in out
    assert out.index("greedy") < out.index("random"), "the better one stands first"


@pytest.mark.parametrize("width", [40, 80, 120])
def test_no_line_of_the_table_is_cut_or_too_long(width: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", str(width))
    long = "a rather long name of my own for it"
    out = good(
        "tournament", f"{long}=random", "greedy", "heuristic", "other=heuristic:lead_turns=2", "--deals", "24"
    ).out
    assert "…" not in out
    assert max(len(line) for line in out.splitlines()) <= max(width, 80)
    assert not [line for line in out.splitlines() if line != line.rstrip()]


@pytest.mark.compiled
def test_a_long_name_is_broken_after_a_sign() -> None:
    out = good("tournament", "heuristic:lead_turns=0,answer_fall=0,answer_turns=0", "greedy", "--deals", "1400").out
    lines = [line.split()[0] for line in out.splitlines() if line.strip()]
    assert "answer_turns=0" in lines or "turns=0" in lines
    assert "_" not in lines


def test_the_default_tournament_plays() -> None:
    report = good("tournament", "--deals", "48", "--json").json
    assert [row["agent"] for row in report["agents"]] == [text.split("=")[0] for text in DEFAULT_AGENTS["big-two"]]
    assert report["deals"] == 48
    assert len(report["pairs"]) == 6


def test_rules_and_switches_are_those_of_the_deals() -> None:
    report = good(
        "tournament", "greedy", "random", "--rules", "taiwan", "--set", "bombs=yes", "--deals", "14", "--json"
    )
    assert report.json["rules"]["name"] == "taiwan bombs=yes"
    assert report.json["rules"]["bombs"] == "yes"


def test_a_single_block_has_no_interval() -> None:
    row = good("tournament", "greedy", "random", "--deals", "1", "--json").json["agents"][0]
    assert (row["win_rate_low"], row["points_high"]) == (None, None)
    assert "± ?" in good("tournament", "greedy", "random", "--deals", "1").out


def test_one_agent_alone_has_no_pairs() -> None:
    report = good("tournament", "greedy", "--deals", "10", "--json").json
    assert (report["deals"], report["agents"][0]["win_rate"], report["pairs"]) == (10, 0.25, [])
    assert "25.00" in good("tournament", "greedy", "--deals", "10").out


def test_five_agents_meet_in_every_four() -> None:
    agents = ["random", "greedy", "a=random", "b=greedy", "c=random"]
    report = good("tournament", *agents, "--deals", "1", "--json").json
    assert report["deals"] == 5 * 24
    assert {row["deals"] for row in report["agents"]} == {4 * 24}
    assert {pair["deals"] for pair in report["pairs"]} == {3 * 24}


def without_times(report: Any) -> Any:
    for row in report["agents"]:
        for name in ("decisions_per_second", "decisions_per_second_low", "decisions_per_second_high"):
            del row[name]
    return {key: value for key, value in report.items() if key not in ("seconds", "deals_per_hour")}


def test_workers_change_nothing() -> None:
    arguments = ["tournament", "greedy", "random", "--deals", "5000" if "NUMBA_DISABLE_JIT" not in os.environ else "50"]
    one, two = (good(*arguments, "--workers", workers, "--json").json for workers in ("1", "2"))
    assert without_times(one) == without_times(two)


def test_the_run_is_saved_with_its_command_and_result() -> None:
    answer = good("tournament", "greedy", "random", "--deals", "30", "--out", "mine/run", "--json")
    assert "Saved in mine" in answer.err
    saved = load("mine/run")
    assert saved.manifest["command"].startswith("bigtwo")
    assert saved.result["deals"] == saved.tally().deals == 42
    assert good("results", "mine/run", "--json").json.keys() == answer.json.keys()
    for name in ("agents", "pairs", "lineups", "strengths"):
        assert good("results", "mine/run", "--json").json[name] == answer.json[name]


def test_runs_without_a_folder_go_to_results_one_each() -> None:
    for _ in range(3):
        good("tournament", "greedy", "--deals", "1")
    folders = sorted(Path("results").iterdir())
    assert len(folders) == 3
    assert all(folder.name[:2] == "20" and "-tournament" in folder.name for folder in folders)


def test_a_folder_that_holds_a_run_is_refused() -> None:
    good("tournament", "greedy", "--deals", "1", "--out", "run")
    before = Path("run/manifest.json").read_bytes()
    assert "run holds a run already" in refused("tournament", "greedy", "--deals", "1", "--out", "run")
    assert Path("run/manifest.json").read_bytes() == before


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["gredy"], "there is no agent 'gredy'; did you mean greedy?"),
        (["greedy", "greedy"], "two agents are called 'greedy'"),
        (["greedy:x=1"], "greedy has no setting 'x'"),
        (["mine=python_agents:Mute"], "Mute, which has no method choose(view)"),
        (["mine=python_agents:needy"], "missing 1 required positional argument: 'weights'"),
        (["mine=python_agents:failing"], "its factory raised RuntimeError: the weights are missing"),
        (["greedy", "--rules", "japan"], "there are no rules called 'japan'"),
        (["greedy", "--set", "bombs=perhaps"], "bombs is 'perhaps'"),
        (["greedy", "--deals", "0"], "--deals"),
        (["greedy", "--deals", "many"], "--deals"),
        (["greedy", "--seed", "-1"], "--seed"),
        (["greedy", "--workers", "0"], "--workers"),
        (["greedy", "--out", ""], "'' must name a folder"),
        (["greedy", "--out", "x" * 300], "cannot be made: File name too long"),
        (["a=heuristic", "a=greedy"], "as in other=greedy"),
        (["mine=bigtwo_agents:Mine"], "bigtwo_agents is a name of this project"),
        ([f"a{i}=greedy" for i in range(41)], "41 agents meet in 101,270 line-ups; there must be at most 100,000"),
    ],
)
def test_what_cannot_be_meant_is_refused_in_one_line_and_saves_nothing(arguments: list[str], message: str) -> None:
    assert message in refused("tournament", *arguments)
    assert not Path("results").exists()


@pytest.mark.compiled
def test_a_faulty_agent_forfeits_and_its_first_case_is_kept() -> None:
    arguments = ("mine=python_agents:Raising", "greedy", "--deals", "14", "--workers", "1", "--out", "run")
    out = good("tournament", *arguments).out
    assert re.search(r"mine forfeited (\d+) of its \1 decisions", out)
    answer = good("results", "run", "--faults").out
    assert "agent 'mine' at seat" in answer
    assert "raised KeyError: 'no such weight'" in answer
    (fault,) = load("run").faults
    assert fault.ask(parse_agent("python_agents:Raising")) == fault.reason, "the record replays it"


@pytest.mark.compiled
def test_a_strict_run_stops_at_the_first_fault_and_keeps_it() -> None:
    arguments = ("mine=python_agents:Raising", "greedy", "--deals", "14", "--workers", "1", "--out", "run", "--strict")
    answer = bigtwo("tournament", *arguments)
    assert answer.code == 1
    assert "bigtwo: agent 'mine' at seat" in answer.err
    assert "raised KeyError: 'no such weight'" in answer.err
    assert [fault.agent for fault in load("run").faults] == ["mine"]


@pytest.mark.parametrize(
    ("agent", "reason"),
    [("Leaving", "raised SystemExit: 3"), ("RaisingWordless", "raised Wordless: its text is unavailable")],
)
def test_an_agent_that_exits_or_has_no_words_is_named_too(agent: str, reason: str) -> None:
    answer = bigtwo("deal", "greedy", "greedy", f"mine=python_agents:{agent}", "greedy")
    assert answer.code == 1
    assert "agent 'mine' at seat" in answer.error
    assert reason in answer.error


def test_an_error_of_a_factory_points_at_no_file_of_ours() -> None:
    assert "spec.py" not in refused("tournament", "mine=python_agents:needy")
    assert "python_agents.py, line" in refused("tournament", "mine=python_agents:failing")


@pytest.mark.compiled
def test_a_run_that_played_nothing_leaves_its_folder_free(monkeypatch: pytest.MonkeyPatch) -> None:
    arguments = ("greedy", "random", "--deals", "14", "--out", "run")

    def fails(*_: object) -> None:
        raise RuntimeError("nothing works")

    with monkeypatch.context() as patched:
        patched.setattr("bigtwo_sim.cli.commands.tournament.play_folder", fails)
        assert bigtwo("tournament", *arguments).code == 1
    assert not Path("run").exists()
    good("tournament", *arguments)


def test_a_folder_of_something_else_is_refused() -> None:
    Path("mine").mkdir()
    Path("mine/letter.txt").touch()
    assert "mine is not empty" in refused("tournament", "greedy", "--deals", "1", "--out", "mine")
    assert [path.name for path in Path("mine").iterdir()] == ["letter.txt"]


@pytest.mark.compiled
def test_what_an_agent_prints_is_no_part_of_the_result(capfd: pytest.CaptureFixture[str]) -> None:
    answer = good("tournament", "python_agents:Printing", "greedy", "--deals", "14", "--workers", "1", "--json")
    assert list(answer.json) == TOP
    assert "thinking aloud" in capfd.readouterr().err, "of the worker process"
    answer = good("deal", "python_agents:Printing", "greedy", "greedy", "greedy", "--json")
    assert sorted(answer.json["left"])[0] == 0


def test_a_disk_that_fills_up_takes_no_result_with_it(monkeypatch: pytest.MonkeyPatch) -> None:
    from bigtwo_sim.arena import SaveError
    from bigtwo_sim.arena.store import folder

    whole = folder.write_whole

    def full_at_the_end(path: Path, data: bytes) -> None:
        if path.name == "result.json":
            raise SaveError(f"{path} cannot be written: No space left on device")
        whole(path, data)

    monkeypatch.setattr(folder, "write_whole", full_at_the_end)
    answer = bigtwo("tournament", "greedy", "random", "--deals", "14", "--json", "--out", "run")
    assert answer.code == 1
    assert answer.json["deals"] == 14
    assert "go on with: bigtwo tournament --resume run" in answer.err
    assert "No space left on device" in answer.err


def test_many_more_deals_than_wanted_are_told() -> None:
    assert (
        "rounded up to a whole block of 24"
        in good("tournament", *"random greedy a=greedy b=greedy".split(), "--deals", "5").err
    )
    assert "rounded" not in good("tournament", "greedy", "random", "--deals", "14").err


@pytest.mark.compiled
@pytest.mark.skipif(os.name != "posix", reason="sends a signal")
def test_a_terminated_run_ends_like_one_that_is_interrupted() -> None:
    code = (
        "import os, signal, threading\n"
        "from bigtwo_sim.cli import main as cli\nfrom bigtwo_sim.cli.commands import tournament\n"
        "def play(*_): os.kill(os.getpid(), signal.SIGTERM); threading.Event().wait(3600)\n"
        "tournament.play_folder = play; cli.main()"
    )
    program = [sys.executable, "-c", code, "tournament", "greedy", "--deals", "1", "--out", "run"]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(program, capture_output=True, text=True, env=environment, check=False)
    assert (done.returncode, done.stderr.splitlines()[-1]) == (143, "Stopped.")
    assert not Path("run").exists()


@pytest.mark.compiled
def test_workers_find_the_project_before_a_file_of_the_same_name() -> None:
    for name in ("bigtwo_agents", "bigtwo_sim"):
        Path(f"{name}.py").write_text("raise ImportError('not this one')\n", encoding="utf-8")
    Path("own_bot.py").write_text(
        "class Bot:\n    def choose(self, view):\n        return view.legal_plays[0].cards\n", encoding="utf-8"
    )
    finder = (  # as an installation that is still edited is found: after all folders of the path
        "import sys, importlib.machinery as m\n"
        "class Last:\n"
        "    @staticmethod\n"
        f"    def find_spec(name, path=None, target=None): return path is None and "
        f"m.PathFinder.find_spec(name, [{str(ROOT)!r}, {str(ROOT / 'agents')!r}]) or None\n"
        "sys.meta_path.append(Last)\n"
    )
    Path("site").mkdir()
    Path("site/sitecustomize.py").write_text(finder, encoding="utf-8")
    program = [sys.executable, "-P", "-c", "from bigtwo_sim.cli.main import main; main()"]
    arguments = ["tournament", "own_bot:Bot", "greedy", "--deals", "56", "--workers", "2", "--json"]
    environment = {**os.environ, "PYTHONPATH": str(Path("site").resolve())}
    done = subprocess.run([*program, *arguments], capture_output=True, text=True, env=environment, check=False)
    assert done.returncode == 0, done.stderr


def test_through_the_runner_of_typer() -> None:
    result = CliRunner().invoke(app, ["tournament", "greedy", "random", "--deals", "14", "--json"])
    assert result.exit_code == 0
    assert list(json.loads(result.stdout)) == TOP


@pytest.mark.compiled
def test_as_a_process_of_its_own_with_a_python_agent_of_the_current_folder() -> None:
    Path("my_bot.py").write_text(
        "class Bot:\n    def choose(self, view):\n        return view.legal_plays[0].cards\n", encoding="utf-8"
    )
    arguments = ["tournament", "mine=my_bot:Bot", "greedy", "--deals", "56", "--workers", "1", "--json"]
    program = [sys.executable, "-m", "bigtwo_sim.cli.main", *arguments]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(program, capture_output=True, text=True, env=environment, check=False)
    assert done.returncode == 0, done.stderr
    report = json.loads(done.stdout)
    assert [row["agent"] for row in report["agents"]] == ["mine", "greedy"]
    assert "Traceback" not in done.stderr
    assert "deals/s" not in done.stderr, "no bar where there is no terminal"


@pytest.mark.compiled
def test_an_agent_named_three_times_takes_three_seats(tmp_path: Path) -> None:
    arguments = ("tournament", "greedy", "random", "random", "random", "--deals", "400", "--json")
    report = good(*arguments, "--out", str(tmp_path / "run")).json
    assert [agent["agent"] for agent in report["agents"]] == ["greedy", "random"]
    assert report["deals"] == 4 * report["blocks"]
    assert report["agents"][0]["win_rate"] + 3 * report["agents"][1]["win_rate"] == pytest.approx(1, abs=1e-5)
