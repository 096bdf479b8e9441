"""Ctrl-C, SIGTERM and SIGHUP end a run alike: what is in hand is saved, and the run goes on to the same bytes."""

import contextlib
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import psutil
import pytest

from bigtwo_sim.arena import Outcome, Plan, RunFolder, run
from bigtwo_sim.games.big_two import Rules
from bigtwo_sim.roster.spec import parse_agents
from tests import PLAYERS, ROOT
from tests.arena.runners.dask_processes import Started
from tests.cli.command_line import good
from tests.tools.waiting import PATIENCE, wait_for

pytestmark = pytest.mark.skipif(os.name != "posix", reason="sends signals")
ENDING = [signal.SIGINT, signal.SIGTERM, signal.SIGHUP]


@pytest.fixture(autouse=True)
def _handlers() -> Iterator[None]:
    """Whoever runs the tests may ignore a signal, or be ended by it."""

    def own(number: int, frame: object) -> None:
        raise AssertionError(f"signal {number} reached the program's own handler")

    before = {number: signal.signal(number, own) for number in ENDING}
    yield
    for number, handler in before.items():
        signal.signal(number, handler)


def plan(blocks: int = 6) -> Plan:
    return Plan.of(parse_agents(["greedy", "random"]), Rules(), 5, deals=14 * blocks, chunk=1)


def play(path: Path, *numbers: int) -> Outcome:
    """A run that gets signals after its second block, one right after the other."""

    def send(outcome: Outcome) -> None:
        if outcome.tally.blocks == 2:
            for number in numbers:
                signal.raise_signal(number)

    with closing(RunFolder.create(path, plan())) as folder:
        return run(folder.plan, folder, send)


@pytest.mark.parametrize("number", ENDING)
def test_each_ends_a_run_after_the_chunks_in_hand(number: int, tmp_path: Path) -> None:
    handler = signal.getsignal(number)
    outcome = play(tmp_path / "run", number)
    assert (outcome.status, outcome.ended_by, outcome.tally.blocks) == ("interrupted", number, 2)
    assert len(list((tmp_path / "run").glob("part-*"))) == 2
    assert signal.getsignal(number) is handler


def test_a_terminal_that_closes_may_say_so_several_times(tmp_path: Path) -> None:
    outcome = play(tmp_path / "run", signal.SIGHUP, signal.SIGHUP)
    assert (outcome.status, outcome.tally.blocks) == ("interrupted", 2)


def test_a_message_that_nobody_can_read_ends_nothing(tmp_path: Path) -> None:
    def gone() -> None:
        raise OSError(5, "Input/output error")

    def send(outcome: Outcome) -> None:
        signal.raise_signal(signal.SIGHUP)

    assert run(plan(), progress=send, on_halt=gone).status == "interrupted"


def test_under_nohup_a_run_goes_on(tmp_path: Path) -> None:
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    outcome = play(tmp_path / "run", signal.SIGHUP)
    assert (outcome.status, outcome.ended_by, outcome.tally.blocks) == ("finished", None, 6)
    assert signal.getsignal(signal.SIGHUP) == signal.SIG_IGN


# --- as processes -----------------------------------------------------------------------------------------------------
def command(folder: Path, start: str, *arguments: str) -> Started:
    """`bigtwo` in a process of its own, with what `start` does before."""
    code = f"import signal; {start}; from bigtwo_sim.cli.main import main\nif __name__ == '__main__': main()"
    (folder / "command.py").write_text(code, encoding="utf-8")
    paths = os.pathsep.join((str(ROOT), str(PLAYERS)))
    return Started(folder, "log", "command.py", *arguments, PYTHONPATH=paths)


LISTENING = "signal.signal(signal.SIGHUP, signal.SIG_DFL)"
DEAF = "signal.signal(signal.SIGHUP, signal.SIG_IGN)"
AGENTS = ("python_agents:Uncertain", "greedy", "--seed", "3", "--workers", "2")


@pytest.mark.compiled
@pytest.mark.slow
def test_a_hang_up_reaches_workers_too_and_loses_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    deals = ("--deals", "1400")
    process = command(tmp_path, LISTENING, "tournament", *AGENTS, *deals, "--out", "cut")
    try:
        wait_for("a part", lambda: list(tmp_path.glob("cut/part-*")) or not process.running)
        os.killpg(process.pid, signal.SIGHUP)  # as a terminal does that closes
        assert process.wait() == 128 + signal.SIGHUP, process.text
    finally:
        process.end()
    assert "go on with: bigtwo tournament --resume cut" in process.text
    assert "Traceback" not in process.text
    assert '"status": "interrupted"' in Path("cut/manifest.json").read_text(encoding="utf-8")
    saved = {file.name: file.read_bytes() for file in Path("cut").glob("part-*")}
    assert saved
    good("tournament", "--resume", "cut", "--workers", "1")
    good("tournament", *AGENTS, *deals, "--out", "whole")
    parts = {file.name: file.read_bytes() for file in Path("whole").glob("part-*")}
    assert len(saved) < len(parts)
    assert saved.items() <= parts.items()
    assert {file.name: file.read_bytes() for file in Path("cut").glob("part-*")} == parts
    assert Path("cut/result.json").read_bytes() == Path("whole/result.json").read_bytes()


@pytest.mark.process
@pytest.mark.parametrize("how", [(), ("--isolate",)])
def test_a_run_that_waits_for_an_agent_for_ever_is_left_and_saved(how: tuple[str, ...], tmp_path: Path) -> None:
    agents = ("asleep=misbehaving:FallsAsleep", "greedy", "--deals", "100000", "--workers", "1")
    process = command(tmp_path, LISTENING, "tournament", *agents, "--out", "cut", *how)
    try:
        wait_for("sleep", lambda: (tmp_path / "asleep").exists() or not process.running, lambda: process.text)
        below = process.children()
        process.send(signal.SIGINT)
        wait_for("notice", lambda: "Ctrl-C once more leaves at once" in process.text, lambda: process.text)
        process.send(signal.SIGINT)
        assert process.wait() == 128 + signal.SIGINT, process.text
        wait_for("the end of all agents", lambda: not any(ended_not(child) for child in below))
    finally:
        process.end()
    assert "go on with: bigtwo tournament --resume cut" in process.text
    assert "Traceback" not in process.text
    assert '"status": "interrupted"' in (tmp_path / "cut/manifest.json").read_text(encoding="utf-8")
    assert list(tmp_path.glob("cut/part-*"))


def ended_not(process: psutil.Process) -> bool:
    """Whether a process still runs."""
    with contextlib.suppress(psutil.NoSuchProcess):
        return bool(process.status() != psutil.STATUS_ZOMBIE)
    return False


@pytest.mark.compiled
@pytest.mark.slow
def test_a_run_outlives_its_terminal_long_enough_to_be_saved(tmp_path: Path) -> None:
    """Its window is closed: SIGHUP comes, and what is written to the terminal fails."""
    code = (
        "import os, signal; signal.signal(signal.SIGHUP, signal.SIG_DFL)\n"
        "os.close(os.open(os.ttyname(0), os.O_RDWR))\n"  # which makes it the terminal of this session
        "from bigtwo_sim.cli.main import main; main()"
    )
    terminal, own = os.openpty()
    process = subprocess.Popen(
        [sys.executable, "-c", code, "tournament", "greedy", "random", "--deals", "14000000", "--out", "run"],
        stdin=own,
        stdout=own,
        stderr=own,
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        start_new_session=True,
    )
    try:
        os.close(own)
        os.set_blocking(terminal, False)
        wait_for("a part", lambda: _drained(terminal) and list(tmp_path.glob("run/part-*")))
        assert process.poll() is None
        os.close(terminal)
        assert process.wait(PATIENCE) == 128 + signal.SIGHUP
    finally:
        process.kill()
        process.wait()
    assert '"status": "interrupted"' in (tmp_path / "run/manifest.json").read_text(encoding="utf-8")


def _drained(terminal: int) -> bool:
    """Take what was written to a terminal, for which a program that writes much waits."""
    with contextlib.suppress(BlockingIOError):
        os.read(terminal, 65_536)
    return True


@pytest.mark.compiled
@pytest.mark.slow
def test_a_command_under_nohup_hears_no_hang_up(tmp_path: Path) -> None:
    process = command(tmp_path, DEAF, "tournament", "greedy", "random", "--deals", "140000", "--out", "run")
    try:
        wait_for("a part", lambda: list(tmp_path.glob("run/part-*")) or not process.running)
        os.killpg(process.pid, signal.SIGHUP)
        assert process.wait() == 0, process.text
    finally:
        process.end()
