"""`bigtwo play` as its own process in a terminal: whatever ends it, nothing is lost and nothing is left behind."""

import os
import pty
import select
import signal
import struct
import subprocess
import sys
import termios
from collections.abc import Callable
from contextlib import suppress
from fcntl import ioctl
from pathlib import Path

import psutil
import pytest

from bigtwo_sim.games.big_two.records.record import Record
from bigtwo_sim.games.big_two.records.record_form import RecordError
from bigtwo_sim.tui.game import latest_unfinished
from tests.tools.waiting import PATIENCE, insist, wait_for
from tests.tui.pilot import LEADS, compile_players

pytestmark = [pytest.mark.compiled, pytest.mark.slow, pytest.mark.process]

OWN_SCREEN, OLD_SCREEN = b"\x1b[?1049h", b"\x1b[?1049l"
ENTER, TAB, CTRL_Q = b"\r", b"\t", b"\x11"
TURN = TAB + ENTER
_IN_ITS_TERMINAL = (
    "import fcntl, termios; fcntl.ioctl(0, termios.TIOCSCTTY, 0); from bigtwo_sim.cli.main import main; main()"
)


@pytest.fixture(scope="module", autouse=True)
def _compiled() -> None:
    compile_players()


class Terminal:
    """A terminal of 80 by 24 with `bigtwo play` in it."""

    def __init__(self, folder: Path, *options: str) -> None:
        self.folder = folder
        self.seen = b""
        self._master, slave = pty.openpty()
        ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
        command = [sys.executable, "-c", _IN_ITS_TERMINAL, "play", f"--save={folder}", "--speed=instant"]
        command += [f"--move-time={PATIENCE}", *options]
        self.process = subprocess.Popen(
            command,
            stdin=slave,
            stdout=slave,
            stderr=slave,
            start_new_session=True,
            env={**os.environ, "TERM": "xterm-256color", "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
        )
        os.close(slave)

    def __enter__(self) -> "Terminal":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
        self.process.kill()
        self.process.wait()

    def look(self) -> None:
        """Take in what was written since."""
        while select.select([self._master], [], [], 0)[0]:
            try:
                found = os.read(self._master, 65536)
            except OSError:  # nobody has the terminal open any more
                return
            if not found:
                return
            self.seen += found

    def until(self, condition: Callable[[], object], keys: bytes = b"") -> None:
        """Wait for it, pressing keys now and then."""

        def true() -> object:
            self.look()
            found = condition()
            assert found or self.process.poll() is None, self.seen[-2000:]
            return found

        insist("what the table must show", lambda: os.write(self._master, keys), true, seen=lambda: self.seen[-2000:])

    def ends(self) -> int:
        """Its exit code."""

        def ended() -> bool:
            found = self.process.poll() is not None
            self.look()
            return found

        wait_for("the end of bigtwo play", ended, lambda: self.seen[-2000:])
        return int(self.process.returncode)

    def press(self, keys: bytes) -> None:
        """Press keys."""
        os.write(self._master, keys)

    def close(self) -> None:
        """Close the terminal's window."""
        if self._master >= 0:
            os.close(self._master)
        self._master = -1

    @property
    def turns(self) -> int:
        """Turns on disk, of all deals."""
        for path in self.folder.glob("*.bigtwo"):
            with suppress(RecordError):
                return sum(len(deal.turns) for deal in Record.load(path).deals)
        return -1


def test_a_closed_terminal_loses_nothing_and_the_game_goes_on(tmp_path: Path) -> None:
    with Terminal(tmp_path, "--opponents=greedy,greedy,python_agents:Weakest", f"--seed={LEADS}") as terminal:
        terminal.until(lambda: terminal.turns >= 0, ENTER)
        terminal.until(lambda: terminal.turns >= 4, TURN)
        others = psutil.Process(terminal.process.pid).children(recursive=True)
        assert others
        terminal.close()
        terminal.process.wait(PATIENCE)
        _, alive = psutil.wait_procs(others, timeout=PATIENCE)
        assert not alive
    path = latest_unfinished(tmp_path)
    assert path is not None
    played = Record.load(path).deals[0].turns
    assert len(played) >= 4
    with Terminal(tmp_path, "--resume") as terminal:
        terminal.until(lambda: terminal.turns > len(played), TURN)
        terminal.press(CTRL_Q)
        assert terminal.ends() == 0
        assert terminal.seen.count(OWN_SCREEN) == terminal.seen.count(OLD_SCREEN) == 1
        told = terminal.seen.split(OLD_SCREEN)[-1]
        assert f"To go on: bigtwo play --resume --save {tmp_path}" in told.decode()
        assert b"Traceback" not in terminal.seen
    assert Record.load(path).deals[0].turns[: len(played)] == played


def test_one_can_leave_while_a_bot_hangs(tmp_path: Path) -> None:
    asked = tmp_path / "asked"
    bot = f"slow=exec:python3 tests/players/misbehave.py late 1 {asked}"
    with Terminal(tmp_path, f"--opponents={bot},greedy,greedy", f"--seed={LEADS}", "--move-time=3600") as terminal:
        terminal.until(lambda: terminal.turns >= 0, ENTER)
        terminal.until(asked.exists, TURN)
        others = psutil.Process(terminal.process.pid).children(recursive=True)
        terminal.press(CTRL_Q)
        assert terminal.ends() == 0
        assert OLD_SCREEN in terminal.seen
        assert b"Traceback" not in terminal.seen
        _, alive = psutil.wait_procs(others, timeout=PATIENCE)
        assert not alive


def test_being_told_to_end_restores_the_terminal(tmp_path: Path) -> None:
    with Terminal(tmp_path, "--opponents=greedy,greedy,greedy", f"--seed={LEADS}") as terminal:
        terminal.until(lambda: terminal.turns >= 0, ENTER)
        terminal.process.send_signal(signal.SIGTERM)
        assert terminal.ends() == 143
        assert OLD_SCREEN in terminal.seen
        assert b"Traceback" not in terminal.seen


def test_a_wrong_agent_is_told_after_the_screen_is_gone(tmp_path: Path) -> None:
    with Terminal(tmp_path, "--opponents=greedy,nobody,greedy") as terminal:
        terminal.until(lambda: b"B I G" in terminal.seen)
        terminal.press(ENTER)
        assert terminal.ends() == 2
        assert b"there is no agent 'nobody'" in terminal.seen.split(OLD_SCREEN)[-1]
