"""A process that is talked to in lines and never trusted: it may be late, large, silent, noisy or dead.

The process has a session of its own, so Ctrl-C in the terminal does not reach it, and it is ended together with all
processes that it started. It cannot outlive this one (see `watchdog`). POSIX only.
"""

from __future__ import annotations

import contextlib
import os
import select
import signal
import subprocess
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import NoReturn, Protocol

from bigtwo_sim.bots.fork_server import AGENTS, WORKERS, LaunchError
from bigtwo_sim.bots.memory import in_bytes, refuse_memory, resident
from bigtwo_sim.bots.watchdog import release, watchdog
from bigtwo_sim.games.base.lines import LONGEST_LINE, shown

SLICE = 0.05  # seconds between two looks at a process that has not answered yet
MEMORY_INTERVAL = 0.1  # seconds between two looks at its memory, at least
START_TIME = 60.0  # seconds to start in, where nobody says otherwise
GRACE = 1.0  # seconds to end by itself, once its standard input has ended
DEPARTURE = 0.5  # seconds to be gone, once it has closed its standard output
KEPT_STDERR = 4_096  # bytes of its standard error that are kept, the last ones
_READ = 65_536
_FOR_NOTHING = 1 << 30  # bytes
_READABLE = select.POLLIN | select.POLLHUP | select.POLLERR if hasattr(select, "poll") else 0


@dataclass(frozen=True)
class Limits:
    """What an agent in a process of its own may take; None: as much as it likes.

    `move_time` is in seconds from the question to the answer, by the clock on the wall. `memory` is in bytes, resident,
    of the process and those that it started; of a Python agent, what the engine in its process takes is not counted.
    `start_time` is for starting: until a bot has answered hello, or a Python agent has been made.
    """

    move_time: float | None = None
    memory: int | None = None
    start_time: float = field(default_factory=lambda: START_TIME)

    def __post_init__(self) -> None:
        for name in ("move_time", "memory", "start_time"):
            value = getattr(self, name)
            if value is not None and not value > 0:
                raise ValueError(f"{name} is {value}; it must be more than 0")


class Problem(StrEnum):
    """What can be wrong with a process that was asked."""

    START = "start"
    LATE = "late"
    MEMORY = "memory"
    ENDED = "ended"
    CLOSED = "closed"
    LONG_LINE = "long line"
    UNASKED = "unasked"
    NO_JSON = "no json"
    HELLO = "hello"
    ANSWER = "answer"
    ERROR = "error"


class ProcessFault(Exception):  # noqa: N818 - the fault of the process
    """Why a process cannot be asked any more. The text goes on from "the agent …"."""

    def __init__(self, problem: Problem, reason: str) -> None:
        super().__init__(reason)
        self.problem = problem
        self.reason = reason


class Started(Protocol):
    """A process that was started, with pipes to it."""

    pid: int
    stdin: int
    stdout: int
    stderr: int
    """File descriptors; -1: that stream is not a pipe to here."""
    control: int
    """A file descriptor that is readable when there is news of its end; -1: none."""

    @property
    def returncode(self) -> int | None:
        """As of a Popen; None as long as it is not known."""

    @property
    def stopped_by(self) -> int:
        """The signal that has stopped it; 0: none."""

    def has_ended(self) -> bool:
        """Whether it has ended. It stays a zombie until `reap`, so that its number cannot become another's."""

    def reap(self) -> None:
        """Wait for the end of a process that was killed, and let its number go."""


class _Program:
    """A command that was started. Raises ProcessFault where it cannot be."""

    def __init__(self, command: Sequence[str]) -> None:
        try:
            self._popen = subprocess.Popen(
                list(command),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                bufsize=0,
                start_new_session=True,
            )
        except OSError as error:
            raise ProcessFault(Problem.START, f"cannot be started: {error.strerror or error}") from None
        self.pid = self._popen.pid
        self.stdin, self.stdout, self.stderr = (
            os.dup(stream.fileno())
            for stream in (self._popen.stdin, self._popen.stdout, self._popen.stderr)
            if stream is not None
        )
        for stream in (self._popen.stdin, self._popen.stdout, self._popen.stderr):
            if stream is not None:
                stream.close()
        self.control = -1

    @property
    def returncode(self) -> int | None:
        return self._popen.returncode

    @property
    def stopped_by(self) -> int:
        if not hasattr(os, "waitid"):
            return 0
        with contextlib.suppress(ChildProcessError):
            state = os.waitid(os.P_PID, self.pid, os.WSTOPPED | os.WNOHANG | os.WNOWAIT)
            return 0 if state is None else state.si_status
        return 0

    def has_ended(self) -> bool:
        if not hasattr(os, "waitid"):
            return self._popen.poll() is not None
        try:
            return os.waitid(os.P_PID, self.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None
        except ChildProcessError:  # somebody else has taken note of its end
            return True

    def reap(self) -> None:
        self._popen.wait()


class _Forked:
    """A process of the fork server. Its standard error is this process's. Raises ProcessFault."""

    def __init__(self, target: str, preload: Sequence[str], is_worker: bool) -> None:
        theirs: list[int] = []
        ours: list[int] = []
        try:
            for number, descriptor in enumerate(os.pipe() + os.pipe()):
                (theirs if number in (0, 3) else ours).append(descriptor)
            self.stdin, self.stdout, self.stderr = *ours, -1
            with standard_error() as errors:
                streams = [*theirs, errors]
                if is_worker:
                    with AGENTS.connect() as connection:
                        self._child = WORKERS.launch(target, preload, streams, connection)
                else:
                    self._child = AGENTS.launch(target, preload, streams)
        except LaunchError as error:
            for descriptor in ours:
                os.close(descriptor)
            raise ProcessFault(Problem.START, f"cannot be started: {error}") from None
        finally:
            for descriptor in theirs:
                os.close(descriptor)
        self.pid = self._child.pid
        self.control = self._child.control.fileno()

    @property
    def returncode(self) -> int | None:
        return self._child.returncode

    @property
    def stopped_by(self) -> int:
        return self._child.stopped_by

    def has_ended(self) -> bool:
        return self._child.has_ended()

    def reap(self) -> None:
        self._child.reap()


def program(command: Sequence[str]) -> ManagedProcess:
    """A program, running, the end of whose standard error is kept. Raises ProcessFault where it cannot be started."""
    _raise_unless_supported()
    return ManagedProcess(_Program(command))


def forked(target: str, preload: Sequence[str], *, is_worker: bool = False) -> ManagedProcess:
    """A process of a fork server that calls `target` (see `ForkServer.launch`). Raises ProcessFault.

    A worker has a connection of its own, through which it has agents started.
    """
    _raise_unless_supported()
    return ManagedProcess(_Forked(target, preload, is_worker))


def _raise_unless_supported() -> None:
    if not hasattr(os, "killpg"):
        raise ProcessFault(Problem.START, "cannot be started: agents in processes need Linux, macOS or another Unix")


@contextlib.contextmanager
def standard_error() -> Iterator[int]:
    """A file descriptor for what another process prints: this one's standard error, or nothing where that is closed."""
    try:
        descriptor = os.dup(2)
    except OSError:
        descriptor = os.open(os.devnull, os.O_WRONLY)
    try:
        yield descriptor
    finally:
        os.close(descriptor)


class ManagedProcess:
    """A running process, which `program` or `forked` starts."""

    def __init__(self, process: Started) -> None:
        self._process = process
        self._killed = False
        self.pid = process.pid
        self.longest = LONGEST_LINE
        """Bytes that a line of it must not reach."""
        self.memory_interval = MEMORY_INTERVAL
        watchdog(self.pid)
        self._poll = select.poll()
        self._stdin, self._stdout, self._stderr = process.stdin, process.stdout, process.stderr
        for descriptor in (self._stdin, self._stdout, self._stderr):
            if descriptor >= 0:
                os.set_blocking(descriptor, False)
        self._poll.register(self._stdout, _READABLE)
        if self._stderr >= 0:
            self._poll.register(self._stderr, _READABLE)
        if process.control >= 0:
            self._poll.register(process.control, _READABLE)
        self._outgoing = bytearray()
        self._incoming = bytearray()
        self._stderr_tail = bytearray()
        self._broken = False  # nobody reads its standard input any more
        self._most_memory: int | None = None
        self._memory_limit = 0
        self._memory_seen = 0.0

    def __del__(self) -> None:
        with contextlib.suppress(Exception):
            self.kill()

    # --- lines --------------------------------------------------------------------------------------------------------
    def write(self, line: str) -> None:
        """Send a line. It never waits: what the pipe does not take now goes out while an answer is waited for."""
        self._outgoing += line.encode() + b"\n"
        self._flush()

    def read(self, seconds: float | None, late: str) -> bytes:
        """The next line that it writes, without its end; `late` is the reason when that takes longer than `seconds`.

        Raises ProcessFault, and then the process has ended.
        """
        deadline = None if seconds is None else time.monotonic() + seconds
        while b"\n" not in self._incoming:
            if len(self._incoming) >= self.longest:
                self._fail(Problem.LONG_LINE, f"wrote a line of more than {self.longest:,} bytes")
            left = SLICE if deadline is None else deadline - time.monotonic()
            if not self._take_in(max(0.0, min(SLICE, left))) and self._process.has_ended():
                self._fail_ended()
            self._look_at_memory()
            if deadline is not None and time.monotonic() >= deadline and b"\n" not in self._incoming:
                half = f"; it wrote {shown(bytes(self._incoming))} without the end of a line" if self._incoming else ""
                self._fail(Problem.LATE, late + half)
        line, _, self._incoming = self._incoming.partition(b"\n")
        if len(line) >= self.longest:
            self._fail(Problem.LONG_LINE, f"wrote a line of more than {self.longest:,} bytes")
        self._look_at_memory()
        return bytes(line)

    def unasked(self) -> bytes:
        """What it has written beyond the lines that were read; b"" where there is nothing."""
        self._take_in(0)
        return bytes(self._incoming[: self.longest])

    def _flush(self) -> None:
        try:
            while self._outgoing:
                del self._outgoing[: os.write(self._stdin, self._outgoing)]
        except BlockingIOError:
            self._poll.register(self._stdin, select.POLLOUT)
            return
        except OSError:  # it has closed its standard input, or ended
            self._outgoing.clear()
            self._broken = True
        with contextlib.suppress(KeyError):
            self._poll.unregister(self._stdin)

    def _take_in(self, seconds: float) -> bool:
        """Wait for output for a while; return whether there was any. Raises ProcessFault at the end of the output."""
        ready = self._poll.poll(seconds * 1000)
        for descriptor, _ in ready:
            if descriptor == self._stdin:
                self._flush()
                continue
            if descriptor == self._process.control:
                self._take_news()
                self._raise_if_stopped()
                continue
            try:
                data = os.read(descriptor, _READ)
            except BlockingIOError:
                continue
            if descriptor == self._stdout:
                self._incoming += data
                if not data:
                    self._fail_ended()
            elif data:
                self._stderr_tail = (self._stderr_tail + data)[-KEPT_STDERR:]
            else:
                self._poll.unregister(descriptor)
        if self._broken:
            self._fail_ended()
        return bool(ready)

    # --- the end ------------------------------------------------------------------------------------------------------
    @property
    def stderr(self) -> str:
        """The end of what it wrote to its standard error, where that is kept."""
        return self._stderr_tail.decode("utf-8", "backslashreplace").strip()

    def _wait(self, seconds: float) -> bool:
        """Give it time to end, and take in what it writes meanwhile; return whether it has ended."""
        deadline = time.monotonic() + seconds
        while not self._process.has_ended():
            if time.monotonic() >= deadline:
                return False
            for descriptor, _ in self._poll.poll(10):
                if descriptor == self._process.control:
                    self._take_news()
                elif not self._drained(descriptor):
                    self._poll.unregister(descriptor)
        while self._stderr >= 0 and self._drained(self._stderr):
            pass
        return True

    def _drained(self, descriptor: int) -> bool:
        """Take in what is ready of its output; return whether there was any."""
        if descriptor == self._stdin:
            return False
        try:
            data = os.read(descriptor, _READ)
        except BlockingIOError:
            return False
        if descriptor == self._stderr:
            self._stderr_tail = (self._stderr_tail + data)[-KEPT_STDERR:]
        return bool(data)

    def _fail(self, problem: Problem, reason: str) -> NoReturn:
        self.kill()
        raise ProcessFault(problem, reason)

    def _fail_ended(self) -> NoReturn:
        """It has ended, or it will neither read nor write any more."""
        ended = self._wait(DEPARTURE)
        half = f" after it wrote {shown(bytes(self._incoming))} without the end of a line" if self._incoming else ""
        broken = self._broken
        self.kill()
        if not ended:
            self._fail(Problem.CLOSED, f"closed its standard {'input' if broken else 'output'}{half}")
        last = self.stderr.splitlines()[-1:]
        told = f"; the last that it wrote to its standard error: {shown(last[0])}" if last else ""
        self._fail(Problem.ENDED, f"{self.how_it_ended}{half}{told}")

    @property
    def how_it_ended(self) -> str:
        """How the process ended, in words."""
        status = self._process.returncode
        if status is None:
            return "ended its process"
        if status >= 0:
            return f"ended its process with exit code {status}"
        hint = ", perhaps by the system for lack of memory" if status == -signal.SIGKILL else ""
        return f"had its process ended by signal {-status}{_named(-status)}{hint}"

    def close(self, grace: float = GRACE) -> bool:
        """End its standard input, and the process if it does not end by itself; return whether it did."""
        if self._killed:
            return True
        with contextlib.suppress(KeyError):
            self._poll.unregister(self._stdin)
        with contextlib.suppress(OSError):
            os.close(self._stdin)
        self._stdin = -1
        ended = self._wait(grace)
        self.kill()
        return ended

    def kill(self) -> None:
        """End it and all that it started, at once."""
        if self._killed:
            return
        self._killed = True
        with contextlib.suppress(OSError):
            os.killpg(self.pid, signal.SIGKILL)
        self._process.reap()
        release(self.pid)
        for descriptor in (self._stdin, self._stdout, self._stderr):
            if descriptor >= 0:
                os.close(descriptor)

    def _take_news(self) -> None:
        """Read that it has ended or been stopped; there is nothing to hear after that, or the server is gone."""
        self._process.has_ended()
        self._poll.unregister(self._process.control)

    def _raise_if_stopped(self) -> None:
        number = self._process.stopped_by
        if number:
            self._fail(Problem.ENDED, f"had its process stopped by signal {number}{_named(number)}")

    # --- memory -------------------------------------------------------------------------------------------------------
    def limit_memory(self, limit: int, *, beyond_present: bool) -> None:
        """From now on end it when it takes more than `limit` bytes, or more than it has now by that."""
        self._memory_limit = limit
        self._most_memory = limit + (resident(self.pid) if beyond_present else 0)
        # A second net for what grows between two looks. It also counts what was asked for and never touched, of which
        # some programs ask for plenty, so its mesh is wide.
        refuse_memory(2 * limit + _FOR_NOTHING, self.pid)

    def _look_at_memory(self) -> None:
        now = time.monotonic()
        if now < self._memory_seen + self.memory_interval:
            return
        self._memory_seen = now
        self._raise_if_stopped()
        if self._most_memory is not None and resident(self.pid) > self._most_memory:
            self._fail(Problem.MEMORY, f"used more than {in_bytes(self._memory_limit)} of memory")


def _named(number: int) -> str:
    """The name of a signal in parentheses, where it has one."""
    try:
        return f" ({signal.Signals(number).name})"
    except ValueError:
        return ""
