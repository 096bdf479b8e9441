"""No bot outlives its engine: a small process of its own ends the bots when the engine is gone, however it went.

A bot that hangs does not notice that its standard input has ended, and an engine that was killed cannot end it. So each
engine process that has bots starts one guard, tells it their process groups, and holds the other end of its standard
input: when that ends, the guard gives the groups that are left a second, kills them, and ends.
"""

from __future__ import annotations

import atexit
import contextlib
import subprocess
import sys
import threading

_PROGRAM = """
import os, signal, sys, time
for number in signal.SIGINT, signal.SIGTERM, signal.SIGHUP:
    signal.signal(number, signal.SIG_IGN)
groups = set()
for line in sys.stdin.buffer:
    if line.endswith(b"\\n"):
        (groups.add if line[:1] == b"+" else groups.discard)(int(line[1:]))
deadline = time.monotonic() + 1
while groups:
    for group in list(groups):
        try:
            os.killpg(group, 0 if time.monotonic() < deadline else signal.SIGKILL)
        except OSError:
            groups.discard(group)
        else:
            if time.monotonic() >= deadline:
                groups.discard(group)
    time.sleep(0.02)
"""


class _Guard:
    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._groups: set[int] = set()

    def add(self, group: int) -> None:
        """Have a process group killed when this process ends."""
        with self._lock:
            self._groups.add(group)
            self._tell(f"+{group}\n")

    def remove(self, group: int) -> None:
        """The group has ended; its number may come again for something else."""
        with self._lock:
            self._groups.discard(group)
            if self._process is not None:
                self._tell(f"-{group}\n")

    def _tell(self, line: str) -> None:
        with contextlib.suppress(BrokenPipeError):
            if self._process is not None:
                self._write(line)
                return
        # There is no guard yet, or somebody has ended it.
        self._process = subprocess.Popen(
            [sys.executable, "-I", "-S", "-c", _PROGRAM],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            start_new_session=True,  # so that what kills this process's group leaves the guard alive
            bufsize=0,
        )
        self._write("".join(f"+{group}\n" for group in sorted(self._groups)))

    def _write(self, text: str) -> None:
        assert self._process is not None
        assert self._process.stdin is not None
        self._process.stdin.write(text.encode())

    def end(self) -> None:
        with self._lock:
            if self._process is not None:
                assert self._process.stdin is not None
                self._process.stdin.close()
                self._process.wait()
                self._process = None


_GUARD = _Guard()
atexit.register(_GUARD.end)


def watchdog(group: int) -> None:
    """Have the process group `group` killed when this process ends, unless `release` is called before."""
    _GUARD.add(group)


def release(group: int) -> None:
    """Leave the group alone from now on."""
    _GUARD.remove(group)
