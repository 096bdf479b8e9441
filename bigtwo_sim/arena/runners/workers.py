"""Workers on this machine: threads where all agents are compiled, else processes, which an agent may bring down.

What comes out of a chunk depends on the plan and on its blocks alone, so the number of workers changes no result.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import closing
from dataclasses import replace
from functools import partial
from typing import Protocol

import numpy as np

from bigtwo_sim.arena.errors import RunError
from bigtwo_sim.arena.runners.halting import Halt
from bigtwo_sim.arena.runners.player import pack, player_of
from bigtwo_sim.arena.runners.worker_process import WorkerEnded, WorkerProcess
from bigtwo_sim.arena.schedule.plan import Chunk, ChunkResult, Playable
from bigtwo_sim.games.base.agent import AgentError

AHEAD = 2  # chunks a worker that may be under way, so that none is idle and memory stays flat
MOST_ATTEMPTS = 3  # to play a chunk: with its agents in a worker, then twice with each in a process of its own
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
        with closing(player_of(plan)) as player:
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


def in_order(pool: Submits, chunks: Iterable[Chunk], halt: Halt) -> Iterator[ChunkResult]:
    """Results in the order of `chunks`, with no more of them under way than the pool wants."""
    waiting: deque[Future[ChunkResult]] = deque()
    rest = iter(chunks)
    try:
        while True:
            while not halt.asked and len(waiting) < pool.ahead():
                chunk = next(rest, None)
                if chunk is None:
                    break
                waiting.append(pool.submit(chunk))
            if halt.asked:  # those begun are played to their end; they are the first, since none overtakes
                while waiting and waiting[-1].cancel():
                    waiting.pop()
            if not waiting:
                return
            result = waiting[0].result()
            waiting.popleft()
            yield result
    finally:
        for future in waiting:
            future.cancel()


class _Threads:
    """Threads that play with one player."""

    def __init__(self, plan: Playable, workers: int, threads: ThreadPoolExecutor) -> None:
        self._play = player_of(plan).play
        self._workers = workers
        self._threads = threads

    def submit(self, chunk: Chunk) -> Future[ChunkResult]:
        return self._threads.submit(self._play, chunk)

    def ahead(self) -> int:
        return AHEAD * self._workers


# --- worker processes -------------------------------------------------------------------------------------------------
class _Processes:
    """Worker processes, each waited for by a thread, and started anew when one cannot go on.

    Its chunk is then played again by one that keeps each Python agent in a process of its own: there an agent that dies
    loses its decision, and no one else's.
    """

    def __init__(self, plan: Playable, workers: int) -> None:
        self._plan = plan
        self._packed = pack(plan)
        self._workers = workers
        self._threads = ThreadPoolExecutor(workers)
        self._lock = threading.Lock()
        self._idle: list[WorkerProcess] = []
        self._all: set[WorkerProcess] = set()
        self._made_once = False
        """Whether the factories have made their agents in any worker."""
        self._deaths = 0
        self._killed = threading.Event()

    def ahead(self) -> int:
        return AHEAD * self._workers

    def submit(self, chunk: Chunk) -> Future[ChunkResult]:
        return self._threads.submit(self._play, chunk)

    def _play(self, chunk: Chunk) -> ChunkResult:
        deaths: list[str] = []
        for attempt in range(MOST_ATTEMPTS):
            apart = attempt > 0 or self._deaths >= MOST_DEATHS
            worker = None
            try:
                worker = self._worker(apart)
                result = worker.play(chunk)
            except WorkerEnded as ended:
                deaths.append(str(ended))
                self._note_death(worker, apart)
            except AgentError as error:  # of a factory
                if apart or not self._made_once:
                    raise
                deaths.append(str(error))
                self._note_death(worker, apart)
            else:
                with self._lock:
                    self._idle.append(worker)
                return replace(result, deaths=tuple(deaths)) if deaths else result
        raise RunError(
            f"a worker process {deaths[-1]}; chunk {chunk.number} was given to {MOST_ATTEMPTS} of them (out of memory, "
            'killed, or the program that started the run has no `if __name__ == "__main__":` around it)'
        )

    def _worker(self, apart: bool) -> WorkerProcess:
        with self._lock:
            if self._killed.is_set():
                raise RunError("the run was left")
            found = next((worker for worker in self._idle if worker.apart == apart), None)
            if found is not None:
                self._idle.remove(found)
                return found
        made = WorkerProcess(self._plan, self._packed, apart)
        with self._lock:
            self._made_once = True
            self._all.add(made)
            if self._killed.is_set():
                made.end_now()
        return made

    def _note_death(self, worker: WorkerProcess | None, apart: bool) -> None:
        with self._lock:
            if worker is not None:
                self._all.discard(worker)
            self._deaths += not apart

    def kill(self) -> None:
        """End all workers now."""
        with self._lock:
            self._killed.set()
            for worker in self._all:
                worker.end_now()

    def close(self) -> None:
        """Let all workers close their agents, and end."""
        self._threads.shutdown(wait=True, cancel_futures=True)
        for worker in self._all:
            worker.close()
