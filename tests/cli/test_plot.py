"""`bigtwo plot`: which figures it writes where, and what it says of folders that it cannot plot."""

import json
import os
import shutil
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from bigtwo_sim.arena import Plan, RunFolder, run
from bigtwo_sim.games.big_two import Rules
from bigtwo_sim.roster.spec import parse_agents
from tests import ROOT
from tests.cli.command_line import bigtwo, good, refused
from tests.conftest import INTERPRETED

pytestmark = pytest.mark.drawing

OF_ANY_RUN = ["agents", "pairs", "pairs-win-rate"]
POINTS = [] if INTERPRETED else ["points"]  # which takes 30 blocks, long to play without compilation
OF_A_RUN = [*OF_ANY_RUN, *POINTS, "time", "throughput"]
DEALS = "28" if INTERPRETED else "420"
BENCH = ROOT / "results" / "reference" / "bench.json"


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("played") / "run"
    good("tournament", "greedy", "random", "--deals", DEALS, "--out", str(folder))
    return folder


@pytest.fixture
def saved(played: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(played, tmp_path / "run"))


def unfinished(folder: Path) -> Path:
    plan = Plan.of(parse_agents(["greedy", "random"]), Rules(), 3, deals=140, chunk=2)

    def stop(outcome: Any) -> None:
        if outcome.tally.blocks == 6:
            raise KeyboardInterrupt

    with closing(RunFolder.create(folder, plan)) as opened:
        run(plan, opened, stop)
    return folder


def test_all_figures_of_a_run_are_written_beside_it_and_named(saved: Path) -> None:
    files = [saved / f"plot-{name}.png" for name in OF_A_RUN]
    assert good("plot", str(saved)).out.split()[: len(files)] == [str(file) for file in files]
    before = [file.read_bytes() for file in files]
    assert all(data.startswith(b"\x89PNG") for data in before)
    report = good("plot", str(saved), "--json").json
    assert report["files"] == [str(file) for file in files]
    assert set(report["left_out"]) == {"points"} - set(POINTS)
    assert report["note"] == ""
    assert [file.read_bytes() for file in files] == before  # written over, and the same again
    assert "finished" in good("results", str(saved)).out


def test_figures_can_be_written_elsewhere_and_in_other_forms(saved: Path, tmp_path: Path) -> None:
    there = tmp_path / "deep" / "figures"
    good("plot", str(saved), "--out", str(there), "--format", "svg")
    assert sorted(file.name for file in there.iterdir()) == sorted(f"plot-{name}.svg" for name in OF_A_RUN)
    assert not list(saved.glob("plot-*"))
    assert (there / "plot-agents.svg").read_bytes().startswith(b"<?xml")
    assert "'gif' is not one of" in refused("plot", str(saved), "--format", "gif")


def test_what_cannot_be_drawn_is_left_out_with_its_reason(tmp_path: Path) -> None:
    folder = unfinished(tmp_path / "run")
    answer = good("plot", str(folder))
    words = " ".join(answer.out.split())
    assert (
        f"Left out points: {folder}: this run has 6 blocks; the spread of single deals is drawn of at least 30" in words
    )
    assert "Left out time: " in words
    assert "Left out throughput: " in words
    assert "This run is not finished (interrupted); the figures show what is known of it." in words
    assert sorted(file.name for file in folder.glob("plot-*")) == sorted(f"plot-{name}.png" for name in OF_ANY_RUN)
    report = good("plot", str(folder), "--json").json
    assert set(report["left_out"]) == {"points", "time", "throughput"}
    assert report["note"].startswith("This run is not finished")


def test_a_run_of_which_nothing_was_saved_has_no_figures(tmp_path: Path) -> None:
    plan = Plan.of(parse_agents(["greedy", "random"]), Rules(), 3, deals=14)
    RunFolder.create(tmp_path / "run", plan).close()
    answer = bigtwo("plot", str(tmp_path / "run"))
    assert answer.code == 1
    assert "no chunk of this run was saved (running); there is nothing to plot" in answer.error
    assert not list((tmp_path / "run").glob("plot-*"))


@pytest.mark.compiled
def test_a_curve_gets_its_curve(tmp_path: Path) -> None:
    folder = tmp_path / "curve"
    good("curve", "normal", "--knob", "blunder", "--values", "0,0.5,1", "--deals", "80", "--out", str(folder))
    assert good("plot", str(folder)).out.split() == [str(folder / "plot-curve.png")]
    (folder / "curve.json").unlink()
    answer = bigtwo("plot", str(folder))
    assert (answer.code, answer.out) == (1, "")
    assert "curve.json cannot be read" in answer.error


def test_a_report_of_bench_gets_its_throughput(tmp_path: Path) -> None:
    assert good("plot", str(BENCH), "--out", str(tmp_path)).out.split() == [str(tmp_path / "plot-throughput.png")]
    (tmp_path / "bench.json").write_text("no JSON")
    assert "bench.json: it is not JSON" in refused("plot", str(tmp_path / "bench.json"))
    report = json.loads(BENCH.read_text())
    for other in ({"some": "thing"}, [], 5, {"results": 5}, {"results": ["a"]}, {**report, "rules": None}):
        (tmp_path / "other.json").write_text(json.dumps(other))
        said = refused("plot", str(tmp_path / "other.json"))
        assert "other.json: this is not a report of bigtwo bench; make one by bigtwo bench --json" in said
    (tmp_path / "other.json").write_text(json.dumps({**report, "results": []}))
    assert "other.json: this report of bigtwo bench measured nothing" in refused("plot", str(tmp_path / "other.json"))


def test_folders_without_a_run_are_told_apart(saved: Path, tmp_path: Path) -> None:
    assert "missing is no folder; name a run" in refused("plot", str(tmp_path / "missing"))
    (tmp_path / "empty").mkdir()
    assert "empty holds no run (manifest.json is not there)" in refused("plot", str(tmp_path / "empty"))
    assert "it is a folder of runs, name one of them" in refused("plot", str(tmp_path))
    assert "cannot be made" in refused("plot", str(saved), "--out", str(saved / "manifest.json"))


def test_a_damaged_run_is_told_and_nothing_is_written(saved: Path) -> None:
    (saved / "result.json").write_text("{")
    answer = bigtwo("plot", str(saved))
    assert (answer.code, answer.out) == (1, "")
    assert "result.json is damaged" in answer.error
    assert not list(saved.glob("plot-*"))


def test_a_name_that_is_taken_by_a_folder_is_told(saved: Path) -> None:
    (saved / "plot-agents.png").mkdir()
    answer = bigtwo("plot", str(saved))
    assert answer.code == 1
    assert "plot-agents.png cannot be written: Is a directory" in answer.error


def test_a_full_disk_is_told_and_leaves_no_half_figure(saved: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(descriptor: int) -> None:
        raise OSError(28, os.strerror(28))

    monkeypatch.setattr(os, "fsync", full)
    answer = bigtwo("plot", str(saved))
    assert answer.code == 1
    assert "plot-agents.png cannot be written: No space left on device" in answer.error
    assert not [*saved.glob("plot-*"), *saved.glob(".tmp-*")]
