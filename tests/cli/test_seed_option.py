"""`--seed`, which all commands with random numbers have: a whole number, or 128 random bits that are printed."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from tests.cli.command_line import bigtwo, good, refused

WITH_A_SEED = (
    "tournament",
    "match",
    "curve",
    "tune heuristic",
    "tune level",
    "deal",
    "variance",
    "analyse",
    "poker equity",
    "play",
)


@pytest.mark.parametrize("command", WITH_A_SEED)
def test_every_command_with_random_numbers_takes_a_random_seed(command: str) -> None:
    assert re.search(r"--seed\s+<?S\|random", good(*command.split(), "--help").out)


def test_what_is_no_seed_is_refused_by_its_value() -> None:
    for value in ("-1", "1.5", "rand", ""):
        error = refused("deal", "random", "random", "random", "random", f"--seed={value}")
        assert f"{value!r} must be a whole number of at least 0, or random" in error


def seed_told(err: str) -> int:
    """The seed that a command drew."""
    found = re.search(r"^--seed is (\d+)$", err, re.MULTILINE)
    assert found, err
    return int(found[1])


@pytest.mark.compiled
def test_a_random_seed_is_printed_and_kept_and_plays_the_same_run_again(tmp_path: Path) -> None:
    command = ["tournament", "greedy", "random", "--deals", "28", "--json"]
    drawn = bigtwo(*command, "--seed", "random", "--out", str(tmp_path / "drawn"))
    assert drawn.code == 0
    seed = seed_told(drawn.err)
    assert 2**64 < seed < 2**128  # one in 2**64 would be below
    assert drawn.json["seed"] == seed
    manifest = json.loads((tmp_path / "drawn" / "manifest.json").read_text(encoding="utf-8"))
    assert manifest["seed"] == seed
    again = good(*command, "--seed", str(seed), "--out", str(tmp_path / "again"))
    assert figures(again.json) == figures(drawn.json)
    assert good("results", str(tmp_path / "drawn"), "--json").json["seed"] == seed
    other = bigtwo(*command, "--seed", "random", "--out", str(tmp_path / "other"))
    assert seed_told(other.err) != seed


def figures(report: Any) -> list[dict[str, Any]]:
    """Of each agent, what does not depend on the machine."""
    return [
        {name: value for name, value in agent.items() if not name.startswith("decisions_per_second")}
        for agent in report["agents"]
    ]


@pytest.mark.compiled
def test_deals_and_samples_of_a_random_seed_come_again() -> None:
    for command in (
        ["deal", "greedy", "random", "random", "random", "--json"],
        ["variance", "greedy", "random", "--deals", "150", "--json"],
        ["poker", "equity", "AhAs", "random", "--deals", "200", "--json"],
        ["analyse", "3D 4D 5C 6S", "--worlds", "8", "--json"],
        ["match", "greedy", "random", "random", "random", "--target", "5", "--matches", "4", "--json"],
    ):
        drawn = bigtwo(*command, "--seed", "random")
        assert drawn.code == 0, drawn.err
        again = good(*command, "--seed", str(seed_told(drawn.err)))
        differ = {name for name in drawn.json if drawn.json[name] != again.json[name]}
        assert differ <= {"seconds", "agents", "matches_per_hour", "deals_per_hour"}, command
