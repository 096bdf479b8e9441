"""`bigtwo check-bot` tells what is wrong with a bot and what to do, and finds nothing wrong with a good one."""

import shlex
import sys
from pathlib import Path
from typing import Any

import pytest

from bigtwo_sim.core.rng import root_key
from bigtwo_sim.games.big_two import PythonLoop, Rules
from bigtwo_sim.roster.spec import parse_agent
from tests.bots.processes import BOTS, misbehaving
from tests.bots.test_bots import NEEDS_NODE, SAMPLES
from tests.cli.command_line import Answer, bigtwo, good, refused

pytestmark = [pytest.mark.process, pytest.mark.usefixtures("slow_clock")]

QUICK = ("--deals", "1", "--rules", "singapore", "--move-time", "60", "--start-time", "60")


def check(how: str, *more: str) -> Answer:
    text = shlex.join([sys.executable, "-S", "-E", str(BOTS / "misbehave.py"), *how.split()])
    return bigtwo("check-bot", text, *(more or QUICK))


def flat(text: str) -> str:
    """Without the breaks of lines."""
    return " ".join(text.split())


@pytest.mark.parametrize("name", ["sample_bot.py", pytest.param("sample_bot.js", marks=NEEDS_NODE)])
def test_nothing_is_wrong_with_the_samples(name: str) -> None:
    out = flat(good("check-bot", str(SAMPLES / name), "--deals", "1", "--move-time", "60").out)
    assert f"and calls itself '{name}'" in out
    for words in (
        "decisions in 5 deals under singapore, pagat, hong_kong, taiwan",
        "(median)",
        "the same",
        "it ends when",
    ):
        assert words in out
    assert "FAULT" not in out
    assert "warning" not in out
    assert f"No fault found in exec:{SAMPLES / name}." in out


@pytest.mark.parametrize(
    ("how", "found", "advice"),
    [
        ("prints", "it wrote 'hello, world', which is no JSON", "print what is for people to the standard error"),
        ("gone", "it ended its process with exit code 1", "Its standard error ended with nothing to do"),
        (
            "other-protocol",
            "it speaks protocol 2; this engine speaks 1",
            'Answer hello with {"type": "hello", "protocol": 1}',
        ),
        ("other-hello", "it answered hello with the type 'hi'", 'Answer hello with {"type": "hello", "protocol": 1}'),
        ("garbage", "decisions: it wrote 'I play the 3 of diamonds', which is no JSON", "print what is for people"),
        ("other-type", "decisions: it answered with the type 'move'", 'Answer a turn with {"type": "play", '),
        ("unknown-card", "decisions: it answered with the card '1X'", 'Answer a turn with {"type": "play", '),
        ("illegal", "decisions: it answered 3D 4D: seat 0 does not hold 3D", 'Lay one of "legal_plays"'),
        ("flood", "decisions: it wrote a line of more than 65,536 bytes", "A line is one JSON object"),
        (
            "exit-with-words",
            "decisions: it ended its process with exit code 3",
            "A bot ends only when its standard input",
        ),
        (
            "error",
            "decisions: it gave up: the weights are missing",
            "First under singapore, deal 0 of seed 0, seat 0: hand",
        ),
        ("twice", 'it wrote \'{"type": "play"', "Write one line for hello and one for each turn"),
    ],
)
def test_what_is_wrong_is_told_with_what_to_do(how: str, found: str, advice: str) -> None:
    answer = check(how)
    assert answer.code == 1
    assert found in flat(answer.out)
    assert advice in flat(answer.out)
    assert " found in exec:" in flat(answer.out)


@pytest.mark.parametrize(
    ("how", "limits", "found", "advice"),
    [
        ("mute", ("--start-time", "0.3"), "it did not answer hello within 0.3 s", "print(..., flush=True)"),
        ("unflushed", ("--move-time", "0.5"), "decisions: it answered later than 0.5 s", "print(..., flush=True)"),
        (
            "late 2",
            ("--move-time", "0.5"),
            "it answered later than 0.5 s",
            "Answer faster, or play with a higher --move-time",
        ),
    ],
)
def test_lateness_is_told_and_costs_little(how: str, limits: tuple[str, str], found: str, advice: str) -> None:
    answer = check(how, "--deals", "2", "--rules", "pagat", *limits)
    assert answer.code == 1
    assert found in flat(answer.out)
    assert advice in flat(answer.out)


def test_passing_where_one_must_play_is_told() -> None:
    answer = check("pass-always", "--deals", "4")
    assert answer.code == 1
    assert "it answered a pass: seat" in flat(answer.out)
    assert 'pass only where "may_pass" is true' in flat(answer.out)


@pytest.mark.parametrize(
    ("how", "warning"),
    [
        ("moody", "and asked the same again"),
        ("lingering", "it does not end within 1 s when its standard input ends"),
    ],
)
def test_what_is_merely_unwise_is_a_warning(how: str, warning: str) -> None:
    answer = check(how, "--deals", "4")
    assert answer.code == 0
    assert "warning " in answer.out
    assert warning in flat(answer.out)
    assert "No fault found" in answer.out


def test_json_holds_everything() -> None:
    found: dict[str, Any] = check("exit-with-words 3", *QUICK, "--json").json
    assert not found["ok"]
    assert found["forfeits"] == found["decisions"] // 3
    assert 0 < found["milliseconds"]["median"] <= found["milliseconds"]["slowest"]
    assert [entry["status"] for entry in found["checks"] if entry["check"] in ("program", "start")] == ["ok", "ok"]
    (fault,) = [entry for entry in found["checks"] if entry["status"] == "fault"]
    assert (fault["check"], fault["advice"] != "", fault["example"] != "") == ("play", True, True)
    assert found["stderr"] == "no such weights: big.npz"


@pytest.mark.parametrize(
    ("content", "executable", "message"),
    [
        (None, False, "there is no program './bot'; it is looked for from the current folder"),
        ("#!/bin/sh\n", False, "chmod +x ./bot does that"),
        ("import json\n", True, "bot does not say what runs it; make its first line such as #!/usr/bin/env python3"),
        (
            "#!/no/such/interpreter\n",
            True,
            "The first line of bot names /no/such/interpreter to run it, which is not there",
        ),
        ("#!/usr/bin/env sh\r\nexit 0\r\n", True, "bot has the line ends of Windows"),
        ("", True, "bot is empty"),
    ],
)
def test_why_a_program_cannot_start_is_told(
    content: str | None, executable: bool, message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    if content is not None:
        (tmp_path / "bot").write_bytes(content.encode())
        (tmp_path / "bot").chmod(0o755 if executable else 0o644)
    answer = bigtwo("check-bot", "./bot", *QUICK)
    assert answer.code == 1
    assert message in flat(answer.out)


def test_a_python_agent_is_checked_in_a_process_of_its_own() -> None:
    answer = bigtwo("check-bot", "mine=python_agents:Raising", *QUICK)
    assert answer.code == 1
    assert " decisions: it raised KeyError: 'no such weight'" in flat(answer.out)
    assert "1 fault found in python_agents:Raising." in flat(answer.out)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["greedy"], "greedy is one of the agents that are built in"),
        (["heuristic:lead_two=1"], "one of the agents that are built in"),
        ([" "], "BOT is empty"),
        (["exec:"], "exec: names no program"),
        (["./'bot"], "is no command line: no closing quotation"),
        (["no_such_module:Bot"], "there is no module 'no_such_module'"),
        (["./bot", "--move-time", "0"], "must be a number of seconds of more than 0"),
        (["./bot", "--move-time", "soon"], "must be a number of seconds of more than 0"),
        (["./bot", "--deals", "0"], "must be a whole number from 1"),
        (["./bot", "--rules", "dutch"], "there are no rules called 'dutch'"),
        (["./bot", "--fault", "none.json"], "none.json: it cannot be read: No such file"),
        (["./bot", "--fault", "none.json", "--rules", "pagat"], "--fault brings its own rules along"),
    ],
)
def test_a_command_line_that_cannot_be_meant_is_told(arguments: list[str], message: str) -> None:
    assert message in refused("check-bot", *arguments)


def test_a_saved_fault_is_put_to_the_bot_again(tmp_path: Path) -> None:
    others = [parse_agent("random")] * 3
    loop = PythonLoop([misbehaving("illegal", when=3), *others], Rules())
    loop.play_deal(root_key(3), 0)
    loop.close()
    (fault,) = loop.take_faults()
    path = tmp_path / "fault.json"
    fault.save(path)
    still = check("illegal", "--fault", str(path))
    assert still.code == 1
    assert f"agent 'illegal' at seat {fault.seat} in deal 0 under singapore, after {len(fault.log)} turns" in flat(
        still.out
    )
    assert f"FAULT it {fault.reason} then it {fault.reason}" in flat(still.out)
    mended = check("slow", "--fault", str(path))
    assert mended.code == 0
    assert f"ok it answers now as it should; then it {fault.reason}" in flat(mended.out)
    assert check("slow", "--fault", str(path), "--json").json["ok"]
