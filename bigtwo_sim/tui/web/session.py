"""A game for one page: the process that plays it, which takes only so much and never outlives the server."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
from asyncio.subprocess import PIPE, Process
from collections.abc import Awaitable, Callable, Sequence

import psutil
from textual_serve.app_service import AppService
from textual_serve.download_manager import DownloadManager

from bigtwo_sim.bots.memory import in_bytes, refuse_memory
from bigtwo_sim.bots.watchdog import release, watchdog

LEAVING = 5.0
"""Seconds that a game has to end, when its page or the server does."""
MOST_MEMORY = 2 * 2**30
"""Resident bytes of a game's process; one with the strongest players takes some 400 MB."""
MEMORY_WATCH = 0.5  # seconds between two looks at it
KEPT_STDERR = 65_536  # bytes of what it writes to its standard error that are kept, the first ones
LARGEST = (500, 200)
"""Columns and rows of the largest window that is drawn; a larger one is filled in part."""


def within(width: int, height: int) -> tuple[int, int]:
    """The size of a window as far as it is drawn."""
    return max(1, min(LARGEST[0], width)), max(1, min(LARGEST[1], height))


class Session(AppService):
    """A game in a process group of its own, in which it is killed when it does not leave, or the server is gone."""

    def __init__(
        self,
        command: Sequence[str],
        *,
        write_bytes: Callable[[bytes], Awaitable[None]],
        write_str: Callable[[str], Awaitable[None]],
        close: Callable[[], Awaitable[None]],
        say: Callable[[str], None],
    ) -> None:
        super().__init__(
            "", write_bytes=write_bytes, write_str=write_str, close=close, download_manager=DownloadManager()
        )
        self._arguments = command
        self._say = say
        self._watch: asyncio.Task[None] | None = None

    async def _open_app_process(self, width: int = 80, height: int = 24) -> Process:
        own_group = {"start_new_session": True} if os.name == "posix" else {}
        process = await asyncio.create_subprocess_exec(
            *self._arguments,
            stdin=PIPE,
            stdout=PIPE,
            stderr=PIPE,
            env=self._build_environment(*within(width, height)),
            **own_group,  # type: ignore[arg-type] # of one entry
        )
        self._process = process
        self._stdin = process.stdin
        if own_group:
            watchdog(process.pid)
        refuse_memory(2 * MOST_MEMORY, process.pid)
        self._watch = asyncio.create_task(self._watch_memory(process))
        assert process.stderr is not None
        process.stderr = _Beginning(process.stderr)
        return process

    async def set_terminal_size(self, width: int, height: int) -> None:
        """Tell the game the size of its window."""
        await super().set_terminal_size(*within(width, height))

    async def run(self) -> None:
        """Hand on what the game sends; when it has ended, however, its page is closed."""
        await super().run()
        await self.remote_close()

    async def stop(self) -> None:
        """End the game: let it leave, or kill it."""
        try:
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(LEAVING):
                    await super().stop()
                    if self._process is not None:
                        await self._process.wait()
        finally:
            await self._end()

    async def _end(self) -> None:
        """No process of the game is left after this."""
        process, self._process = self._process, None
        if self._watch is not None:
            self._watch.cancel()
        if process is None:
            return
        _kill(process)
        if self._task is not None:
            self._task.cancel()
        await process.wait()
        if os.name == "posix":
            release(process.pid)

    async def _watch_memory(self, process: Process) -> None:
        with contextlib.suppress(psutil.Error):
            watched = psutil.Process(process.pid)
            while process.returncode is None:
                if watched.memory_info().rss > MOST_MEMORY:
                    self._say(f"A game took more than {in_bytes(MOST_MEMORY)} of memory and was ended.")
                    _kill(process)
                    return
                await asyncio.sleep(MEMORY_WATCH)


def _kill(process: Process) -> None:
    """Kill a game with all that it started, as long as its number is its own."""
    if process.returncode is not None:
        return
    with contextlib.suppress(ProcessLookupError):
        if os.name == "posix":
            os.killpg(process.pid, signal.SIGKILL)
        else:
            process.kill()


class _Beginning(asyncio.StreamReader):
    """The beginning of a stream; the rest is read and thrown away, so that nobody waits for it to be read."""

    def __init__(self, stream: asyncio.StreamReader) -> None:
        super().__init__()
        self._stream = stream
        self._left = KEPT_STDERR

    async def read(self, n: int = -1) -> bytes:
        while data := await self._stream.read(n):
            kept, self._left = data[: self._left], max(0, self._left - len(data))
            if kept:
                return kept
        return b""
