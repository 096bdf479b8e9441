"""No agent ends a command, gets into its output or keeps it waiting; output and manifest say where agents played."""

import json
from pathlib import Path
from typing import Any

import pytest

from bigtwo_sim.bots import process as supervised
from tests.cli.command_line import good, refused

pytestmark = pytest.mark.process


@pytest.fixture(autouse=True)
def _in_a_folder_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def flat(text: str) -> str:
    return " ".join(text.split())


def test_output_says_where_python_agents_played() -> None:
    agents = ("mine=python_agents:Weakest", "greedy", "--deals", "14", "--workers", "1")
    plain = good("tournament", *agents, "--out", "plain")
    isolated = good("tournament", *agents, "--isolate", "--out", "isolated")
    assert "Python agents played in worker processes, beside the engine (--isolate" in flat(plain.out)
    assert "Each Python agent or bot played in a process of its own." in flat(isolated.out)
    manifests = [json.loads(Path(name, "manifest.json").read_text()) for name in ("plain", "isolated")]
    assert [manifest["isolation"] for manifest in manifests] == ["worker process", "own process"]
    assert Path("plain/result.json").read_bytes() == Path("isolated/result.json").read_bytes()
    compiled = good("tournament", "greedy", "random", "--deals", "14", "--json").json
    assert compiled["isolation"] is None


@pytest.mark.parametrize("how", [(), ("--isolate",)])
def test_no_agent_gets_into_the_output_or_ends_the_command(how: tuple[str, ...], capfd: Any) -> None:
    agents = ["loud=misbehaving:Loud", "gone=misbehaving:Gone", "greedy"]
    answer = good("tournament", *agents, "--deals", "1", "--workers", "1", "--json", *how)
    rows = {row["agent"]: row for row in answer.json["agents"]}
    assert rows["gone"]["forfeits"] == rows["gone"]["decisions"] > 0
    assert rows["loud"]["forfeits"] == rows["greedy"]["forfeits"] == 0
    printed = capfd.readouterr()
    assert "in the way" not in printed.out
    assert "in the way" in printed.err


@pytest.mark.parametrize(
    ("factory", "reason"),
    [
        ("misbehaving:ending", "it ended its process with exit code 0"),
        ("misbehaving:interrupting", "its factory raised KeyboardInterrupt"),
        ("misbehaving:sleeping", "within 0.3 s"),
        ("module_that_exits:Bot", "failed: it ended its process with exit code 0"),
        ("module_that_raises:Bot", "importing module_that_raises failed: SystemExit: 0"),
        ("module_that_sleeps:Bot", "within 0.3 s"),
    ],
)
@pytest.mark.parametrize("command", ["tournament", "deal", "match"])
def test_what_cannot_be_made_is_named_before_anything_is_written(
    command: str, factory: str, reason: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    Path("module_that_exits.py").write_text("import os\nos._exit(0)\n")
    Path("module_that_raises.py").write_text("raise SystemExit(0)\n")
    Path("module_that_sleeps.py").write_text("import time\ntime.sleep(600)\n")
    if "sleep" in factory:
        monkeypatch.setattr(supervised, "START_TIME", 0.3)
    before = set(Path.cwd().iterdir())
    assert reason in refused(command, factory, "greedy", "greedy", "greedy")
    assert set(Path.cwd().iterdir()) == before


def test_a_worker_that_ended_is_reported_and_nobody_is_charged() -> None:
    agents = ("once=misbehaving:EndsOnce", "greedy", "--deals", "14", "--workers", "1")
    answer = good("tournament", *agents, "--out", "run")
    manifest = json.loads(Path("run/manifest.json").read_text())
    assert manifest["worker_deaths"] == ["ended its process with exit code 3"]
    for shown in (answer.out, good("results", "run").out):
        assert "A worker process ended its process with exit code 3." in flat(shown)
        assert "forfeited" not in shown
    report = good("results", "run", "--json").json
    assert report["worker_deaths"] == manifest["worker_deaths"]
    assert not any(row["forfeits"] for row in report["agents"])
    quiet = good("tournament", *agents, "--out", "quiet", "--json").json
    assert quiet["worker_deaths"] == []
    assert Path("run/result.json").read_bytes() == Path("quiet/result.json").read_bytes()


def test_matches_report_a_worker_that_ended() -> None:
    lineup = ("once=misbehaving:EndsOnce", "greedy", "greedy", "greedy")
    answer = good("match", *lineup, "--matches", "1", "--target", "5", "--workers", "1")
    assert "A worker process ended its process with exit code 3." in flat(answer.out)
