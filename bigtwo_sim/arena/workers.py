"""Workers on this machine: threads where all agents are compiled, else processes, which an agent may bring down.

What comes out of a chunk depends on the plan and on its blocks alone, so the number of workers changes no result.
"""

from __future__ import annotations

import contextlib
import multiprocessing
import multiprocessing.connection
import os
import sys
import threading
from collections import deque
from collections.abc import Iterable, Iterator
from concurrent.futures import BrokenExecutor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from contextlib import closing
from functools import partial
from typing import Any, Protocol

import numpy as np
import psutil

from bigtwo_sim.arena.errors import RunError
from bigtwo_sim.arena.halting import Halt, leave_signals_to_parent, signals_blocked
from bigtwo_sim.arena.plan import Chunk, ChunkResult, Playable, PlaysChunks
from bigtwo_sim.arena.player import DEFAULT_MEMORY, pack, unpack
from bigtwo_sim.safe_text import safe

AHEAD = 2  # chunks a worker that may be under way, so that none is idle and memory stays flat
MEMORY_WATCH = 0.25  # seconds between two looks at the memory of worker processes
MOST_DEATHS = 3  # of worker processes, after which Python agents are kept in processes of their own for good


def play_chunks(
    plan: Playable, chunks: Iterable[Chunk], workers: int = 1, *, processes: bool = False, halt: Halt | None = None
) -> Iterator[ChunkResult]:
    """Play `chunks` of `plan` and yield what comes out of each, in the order given, whoever was ready first.

    One worker plays in this process, unless `processes` asks for one of its own, which an agent cannot bring down.
    Once `halt` asks, no further chunk is begun, and the iterator ends after those in hand.

    Raises AgentFault where an agent fails in a strict plan, AgentError where one cannot be made, RunError where worker
    processes die of what is not an agent.
    """
    if workers < 1:
        raise ValueError(f"workers is {workers}; it must be at least 1")
    halt = halt or Halt()
    if plan.needs_python and (workers > 1 or processes):
        pool = _Processes(plan, workers)
        try:
            yield from in_order(pool, chunks, halt)
        except BaseException:
            pool.kill()
            raise
        finally:
            pool.close()
    elif workers == 1:
        with closing(plan.player()) as player:
            for chunk in chunks:
                if halt.asked:
                    return
                yield player.play(chunk)
    else:
        # NumPy keeps its handling of overflows by thread; without compilation words must wrap in these as well.
        with ThreadPoolExecutor(workers, initializer=partial(np.seterr, **np.geterr())) as threads:
            yield from in_order(_Threads(plan, workers, threads), chunks, halt)


class Submits(Protocol):
    """What plays chunks somewhere else."""

    def submit(self, chunk: Chunk) -> Future[ChunkResult]:
        """Begin a chunk."""

    def ahead(self) -> int:
        """How many chunks may be under way."""

    def revive(self, error: BaseException) -> None:
        """Go on after an error that spoilt all chunks under way, which are then submitted again; or raise it."""


def in_order(pool: Submits, chunks: Iterable[Chunk], halt: Halt) -> Iterator[ChunkResult]:
    """Results in the order of `chunks`, with no more of them under way than the pool wants."""
    waiting: deque[tuple[Chunk, Future[ChunkResult]]] = deque()
    rest = iter(chunks)
    again: list[Chunk] = []
    try:
        while True:
            try:
                while again:
                    waiting.append((again[0], pool.submit(again[0])))
                    del again[0]
                while not halt.asked and len(waiting) < pool.ahead():
                    chunk = next(rest, None)
                    if chunk is None:
                        break
                    again.append(chunk)
                    waiting.append((chunk, pool.submit(chunk)))
                    del again[0]
                if halt.asked:  # those begun are played to their end; they are the first, since none overtakes
                    while waiting and waiting[-1][1].cancel():
                        waiting.pop()
                if not waiting:
                    return
                result = waiting[0][1].result()
            except BrokenExecutor as error:
                again = [chunk for chunk, _ in waiting] + again
                waiting.clear()
                pool.revive(error)
                continue
            waiting.popleft()
            yield result
    finally:
        for _, future in waiting:
            future.cancel()


class _Threads:
    """Threads that play with one player."""

    def __init__(self, plan: Playable, workers: int, threads: ThreadPoolExecutor) -> None:
        self._play = plan.player().play
        self._workers = workers
        self._threads = threads

    def submit(self, chunk: Chunk) -> Future[ChunkResult]:
        return self._threads.submit(self._play, chunk)

    def ahead(self) -> int:
        return AHEAD * self._workers

    def revive(self, error: BaseException) -> None:
        raise error


# --- worker processes -------------------------------------------------------------------------------------------------
class _Worker:
    """What a worker process keeps between chunks."""

    packed = b""
    players: dict[bool, PlaysChunks] = {}  # noqa: RUF012 - of one process


def _start_worker(packed: bytes) -> None:
    leave_signals_to_parent()
    threading.Thread(target=_end_with_parent, daemon=True).start()
    sys.stdout = sys.stderr = safe(sys.stderr)  # what an agent prints is no part of the result
    _Worker.packed = packed


def _end_with_parent() -> None:
    """Leave no worker behind when the process that started it was killed."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        multiprocessing.connection.wait([parent.sentinel])
        os._exit(1)


def _play_in_worker(chunk: Chunk, apart: bool) -> ChunkResult:
    if apart not in _Worker.players:
        _Worker.players[apart] = unpack(_Worker.packed).player(apart)
    return _Worker.players[apart].play(chunk)


class _Processes:
    """Worker processes that are started anew when one dies.

    Which chunk brought the process down is not known, so all in hand are played again with each Python agent in a
    process of its own: there an agent that dies loses its decision, and no one else's.
    """

    def __init__(self, plan: Playable, workers: int) -> None:
        self._packed = pack(plan)
        self._workers = workers
        self._others = set(multiprocessing.active_children())
        self._deaths = 0
        self._suspects = 0  # chunks still to be submitted that were in hand when a worker died
        self._closed = threading.Event()
        threading.Thread(target=self._watch_memory, daemon=True).start()
        self._start()

    def _start(self) -> None:
        context = multiprocessing.get_context("spawn")  # a fork would copy the locks of threads that it does not copy
        with signals_blocked():  # for the process in which multiprocessing tracks resources
            self._pool = ProcessPoolExecutor(self._workers, context, _start_worker, (self._packed,))

    def _own(self) -> list[Any]:
        return [child for child in multiprocessing.active_children() if child not in self._others]

    def _watch_memory(self) -> None:
        """Kill a worker whose agents take what the machine needs, as the system would, but before it swaps."""
        while not self._closed.wait(MEMORY_WATCH):
            for child in self._own():
                with contextlib.suppress(psutil.Error):
                    if psutil.Process(child.pid).memory_info().rss > DEFAULT_MEMORY:
                        child.kill()

    def ahead(self) -> int:
        return AHEAD * self._workers

    def submit(self, chunk: Chunk) -> Future[ChunkResult]:
        apart = self._suspects > 0 or self._deaths >= MOST_DEATHS
        with signals_blocked():
            future = self._pool.submit(_play_in_worker, chunk, apart)
        self._suspects = max(0, self._suspects - 1)
        return future

    def revive(self, error: BaseException) -> None:
        self._deaths += 1
        if self._deaths > 2 * MOST_DEATHS:
            raise RunError(
                f"worker processes died {self._deaths} times (out of memory, killed, or the program that started the "
                'run has no `if __name__ == "__main__":` around it)'
            ) from error
        self._pool.shutdown(wait=True, cancel_futures=True)
        self._suspects = self.ahead()
        self._start()

    def kill(self) -> None:
        for child in self._own():
            child.terminate()

    def close(self) -> None:
        self._closed.set()
        self._pool.shutdown(wait=True, cancel_futures=True)
