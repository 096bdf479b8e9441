"""A Dask scheduler and workers as one starts them by hand, in processes of their own on the loopback interface."""

import contextlib
import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psutil

from tests.tools.waiting import PATIENCE, wait_for


class Started:
    """A command in a session of its own, with all that it starts, and its log."""

    def __init__(self, folder: Path, name: str, *arguments: str, **variables: str) -> None:
        self.log = folder / f"{name}.log"
        with self.log.open("wb") as log:
            self._popen = subprocess.Popen(
                [sys.executable, *arguments],
                cwd=folder,
                env={**os.environ, **variables},
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        self.pid = self._popen.pid

    @property
    def text(self) -> str:
        return self.log.read_text(encoding="utf-8", errors="replace")

    @property
    def running(self) -> bool:
        return self._popen.poll() is None

    def children(self) -> list[psutil.Process]:
        """All processes below it."""
        return psutil.Process(self.pid).children(recursive=True)

    def send(self, number: int) -> None:
        self._popen.send_signal(number)

    def wait(self) -> int:
        return self._popen.wait(PATIENCE)

    def end(self) -> None:
        """Leave nothing of it behind."""
        below = self.children() if self.running else []
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.pid, signal.SIGKILL)
        self._popen.wait()
        for process in below:
            with contextlib.suppress(psutil.Error):
                process.kill()
        psutil.wait_procs(below, timeout=PATIENCE)


class Scheduler(Started):
    """`dask scheduler` on a free port."""

    def __init__(self, folder: Path) -> None:
        arguments = ["scheduler", "--host", "127.0.0.1", "--port", "0", "--no-dashboard"]
        arguments += ["--dashboard-address", "127.0.0.1:0"]
        super().__init__(folder, "scheduler", "-m", "dask", *arguments)
        try:
            pattern = re.compile(r"Scheduler at:\s+(tcp://\S+)")
            self.address: str = wait_for("the scheduler's address", lambda: pattern.search(self.text))[1]
        except BaseException:
            self.end()
            raise


class Workers(Started):
    """`dask worker` with so many processes of one thread each, which it starts again when they die."""

    def __init__(self, folder: Path, address: str, processes: int, **variables: str) -> None:
        arguments = ["worker", address, "--host", "127.0.0.1", "--nthreads", "1", "--nworkers", str(processes)]
        arguments += ["--no-dashboard", "--local-directory", "scratch"]
        super().__init__(folder, "workers", "-m", "dask", *arguments, **variables)

    def await_all(self, processes: int) -> None:
        wait_for("the workers", lambda: self.text.count("Registered to") >= processes)

    def processes(self) -> list[psutil.Process]:
        """Those that play."""
        return [child for child in self.children() if "--multiprocessing-fork" in child.cmdline()]


@contextlib.contextmanager
def ended(process: Any) -> Iterator[Any]:
    """A context that leaves nothing of a process behind."""
    try:
        yield process
    finally:
        process.end()
