"""Playing a run: its blocks in chunks, on threads where all agents are compiled, else on processes.

A chunk is some consecutive blocks of all line-ups. What comes out of a chunk depends on the plan and on its blocks
alone, so neither the number of workers nor the size of the chunks changes a result.
"""

from __future__ import annotations

import math
import multiprocessing
import multiprocessing.connection
import os
import pickle
import signal
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
from numba import from_dtype, types

from bigtwo_sim.arena.lineups import seatings
from bigtwo_sim.arena.plan import Chunk, ChunkResult, Plan, RunError, SaveError
from bigtwo_sim.arena.statistics import COLUMNS, DECISIONS, LEFT, POINTS, Tally, entries
from bigtwo_sim.big_two import AnyAgent, Method, PolicyAgent, PythonAgent, PythonLoop, Rules, play_blocks
from bigtwo_sim.big_two.layout import SEATS
from bigtwo_sim.big_two.selfplay import RESULT
from bigtwo_sim.kernel import kernel
from bigtwo_sim.rng import root_key

if TYPE_CHECKING:
    from bigtwo_sim.arena.store import RunFolder


_ADD_UP = types.void(types.Array(from_dtype(RESULT), 2, "C"), types.int64[:, ::1], types.int64[:, :, ::1])


@kernel(signature=_ADD_UP)  # type: ignore[untyped-decorator]
def _add_up(results: Any, rows: Any, sums: Any) -> None:
    """Add RESULT[blocks, n] to `sums` (int64[blocks, entries, COLUMNS]); `rows` int64[n, 4] is the entry by seat."""
    for block in range(results.shape[0]):
        for seating in range(results.shape[1]):
            result = results[block, seating]
            for seat in range(SEATS):
                row = rows[seating, seat]
                sums[block, row, POINTS] += result["points"][seat]
                sums[block, row, LEFT] += result["left"][seat]
                sums[block, row, DECISIONS] += result["decisions"][seat]
            winner = result["winner"]
            sums[block, rows[seating, winner], winner] += 1


@dataclass(frozen=True)
class _Table:
    """One line-up, ready to play."""

    agents: tuple[AnyAgent, ...]
    numbers: npt.NDArray[np.int64]  # [4]: agent number by slot
    seatings: npt.NDArray[np.int64]  # [n, 4]: slot by seat
    rows: npt.NDArray[np.int64]  # [n, 4]: entry by seat
    loop: PythonLoop | None

    def play(self, rules: Rules, key: np.uint64, first: int, blocks: int) -> npt.NDArray[Any]:
        if self.loop is not None:
            return self.loop.play_blocks(key, first, blocks, self.seatings)
        first_agent, second, third, fourth = self.agents
        policies: Any = (first_agent, second, third, fourth)
        return play_blocks(policies, rules, key, first, blocks, self.seatings)


class _Player:
    """Plays the chunks of a plan in this process. With compiled agents alone it may be shared between threads."""

    def __init__(self, plan: Plan) -> None:
        self._plan = plan
        self._key = root_key(plan.seed)
        self._made: dict[tuple[int, int], Any] = {}
        self._entries = len(entries(plan.lineups))
        self._tables: list[_Table] = []
        row_of = {(entry.lineup, entry.agent): row for row, entry in enumerate(entries(plan.lineups))}
        for number, lineup in enumerate(plan.lineups):
            found = seatings(lineup)
            rows = np.array([row_of[number, agent] for agent in lineup], np.int64)
            agents = tuple(self._seated(agent, lineup[:slot].count(agent)) for slot, agent in enumerate(lineup))
            python = any(isinstance(agent, PythonAgent) for agent in agents)
            loop = PythonLoop(agents, plan.rules, strict=True) if python else None
            self._tables.append(_Table(agents, np.array(lineup, np.int64), found, rows[found], loop))

    def _seated(self, agent: int, copy: int) -> AnyAgent:
        """An agent for a slot. Line-ups share what a factory makes: one object for each copy that sits at once."""
        found = self._plan.agents[agent]
        if not isinstance(found, PythonAgent):
            return found
        if (agent, copy) not in self._made:
            self._made[agent, copy] = found.make()
        made = self._made[agent, copy]
        return PythonAgent(found.name, lambda: made)

    def play(self, chunk: Chunk) -> ChunkResult:
        """Play the blocks of a chunk."""
        sums = np.zeros((chunk.blocks, self._entries, len(COLUMNS)), np.int64)
        thinking = np.zeros(len(self._plan.agents))
        for table in self._tables:
            before = table.loop.seconds.copy() if table.loop is not None else 0.0
            _add_up(table.play(self._plan.rules, self._key, chunk.first, chunk.blocks), table.rows, sums)
            if table.loop is not None:
                np.add.at(thinking, table.numbers, table.loop.seconds - before)
        return ChunkResult(chunk, sums, thinking)


# --- worker processes -------------------------------------------------------------------------------------------------
@dataclass(frozen=True)
class _MethodByPlace:
    """A method as the place where another process finds it, so that it loads compiled code instead of compiling."""

    module: str
    attribute: str

    def find(self) -> Method:
        __import__(self.module)
        found: Method = getattr(sys.modules[self.module], self.attribute)
        return found


def _portable(agent: AnyAgent) -> Any:
    """An agent in a form that travels to another process."""
    if not isinstance(agent, PolicyAgent):
        return agent
    module = getattr(agent.method.function, "__module__", "")
    if module != "__main__":
        for name, value in vars(sys.modules.get(module)).items() if module in sys.modules else ():
            if value is agent.method:
                return replace(agent, method=_MethodByPlace(module, name))  # type: ignore[arg-type]
    return agent


def _pack(plan: Plan) -> bytes:
    try:
        return pickle.dumps(replace(plan, agents=tuple(_portable(agent) for agent in plan.agents)))
    except Exception as error:
        raise RunError(
            f"an agent cannot be sent to another process ({error}); define it in a module, or play with one worker"
        ) from error


def _unpack(packed: bytes) -> Plan:
    plan: Plan = pickle.loads(packed)
    agents = []
    for agent in plan.agents:
        if isinstance(agent, PolicyAgent) and isinstance(agent.method, _MethodByPlace):
            agent = replace(agent, method=agent.method.find())
        agents.append(agent)
    return replace(plan, agents=tuple(agents))


class _Worker:
    """What a worker process keeps between chunks."""

    packed = b""
    player: _Player | None = None


def _start_worker(packed: bytes) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the parent's to answer
    threading.Thread(target=_end_with_parent, daemon=True).start()
    sys.stdout = sys.stderr  # what an agent prints is no part of the result
    _Worker.packed = packed


def _end_with_parent() -> None:
    """Leave no worker behind when the process that started it was killed."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        multiprocessing.connection.wait([parent.sentinel])
        os._exit(1)


def _play_in_worker(chunk: Chunk) -> ChunkResult:
    if _Worker.player is None:
        _Worker.player = _Player(_unpack(_Worker.packed))
    return _Worker.player.play(chunk)


@contextmanager
def _interrupts_ignored() -> Iterator[None]:
    """Let processes that are started meanwhile ignore Ctrl-C from their first moment."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


# --- the run ----------------------------------------------------------------------------------------------------------
def play_chunks(plan: Plan, chunks: Iterable[Chunk], workers: int = 1) -> Iterator[ChunkResult]:
    """Play `chunks` of `plan` and yield what comes out of each, in the order given, whoever was ready first.

    Raises AgentFault or AgentError where an agent fails, RunError where a worker process dies.
    """
    if workers < 1:
        raise ValueError(f"workers is {workers}; it must be at least 1")
    if workers == 1:
        player = _Player(plan)
        for chunk in chunks:
            yield player.play(chunk)
    elif plan.needs_python:
        yield from _play_on_processes(plan, chunks, workers)
    else:
        # NumPy keeps its handling of overflows by thread; without compilation words must wrap in these as well.
        with ThreadPoolExecutor(workers, initializer=partial(np.seterr, **np.geterr())) as threads:
            yield from _in_order(threads, _Player(plan).play, chunks, workers)


def _play_on_processes(plan: Plan, chunks: Iterable[Chunk], workers: int) -> Iterator[ChunkResult]:
    others = set(multiprocessing.active_children())
    context = multiprocessing.get_context("spawn")  # a fork would copy the locks of threads that it does not copy
    pool = ProcessPoolExecutor(workers, context, _start_worker, (_pack(plan),))
    try:
        yield from _in_order(pool, _play_in_worker, chunks, workers)
    except BrokenProcessPool:
        raise RunError(
            "a worker process died (out of memory, killed, or the program that started the run has no "
            '`if __name__ == "__main__":` around it); --workers 1 plays in this process'
        ) from None
    except BaseException:
        for child in set(multiprocessing.active_children()) - others:
            child.terminate()
        raise
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


def _in_order(
    pool: Executor, play: Callable[[Chunk], ChunkResult], chunks: Iterable[Chunk], workers: int
) -> Iterator[ChunkResult]:
    """Results in the order of `chunks`, with no more than two chunks a worker under way, so that memory stays flat."""
    waiting: deque[Future[ChunkResult]] = deque()
    rest = iter(chunks)
    try:
        with _interrupts_ignored():
            for _, chunk in zip(range(2 * workers), rest, strict=False):
                waiting.append(pool.submit(play, chunk))
        while waiting:
            result = waiting.popleft().result()
            for chunk in rest:
                waiting.append(pool.submit(play, chunk))
                break
            yield result
    finally:
        for future in waiting:
            future.cancel()


@dataclass
class Outcome:
    """A run so far: its statistics, the seconds that it took, and whether it came to its end."""

    plan: Plan
    tally: Tally
    thinking: npt.NDArray[np.float64]
    """Seconds that Python agents took to answer, float64[agents]; over all workers."""
    seconds: float = 0.0
    finished: bool = False

    @property
    def deals_per_hour(self) -> float:
        """Throughput of the run."""
        return self.tally.deals / self.seconds * 3600 if self.seconds > 0 else math.nan


def run(
    plan: Plan, workers: int = 1, folder: RunFolder | None = None, progress: Callable[[int], Any] | None = None
) -> Outcome:
    """Play `plan`, save each chunk to `folder`, and return the statistics.

    `progress` is called with the number of deals after each chunk. Ctrl-C ends the run early: the outcome then holds
    the chunks that were done and is not `finished`. Raises like `play_chunks`, and SaveError where it
    cannot be saved, which holds the outcome.
    """
    outcome = Outcome(plan, Tally(plan.lineups), np.zeros(len(plan.agents)))
    status = "failed"
    began = time.perf_counter()
    results = play_chunks(plan, plan.chunks(), workers)
    save = _Writer(folder)
    try:
        try:
            for result in results:
                save(result)
                outcome.tally.add(result.sums)
                outcome.thinking += result.thinking
                if progress is not None:
                    progress(result.chunk.blocks * plan.deals_a_block)
        finally:
            results.close()  # type: ignore[attr-defined]
            save.finish()
        outcome.finished = True
        status = "finished"
    except KeyboardInterrupt:
        status = "interrupted"
    except SaveError as error:
        error.outcome = outcome
        raise
    finally:
        outcome.seconds = time.perf_counter() - began
        failed = sys.exception()
        if folder is not None:
            try:
                folder.update(status=status, deals_played=outcome.tally.deals, seconds=round(outcome.seconds, 3))
            except SaveError as error:
                error.outcome = outcome
                if failed is None:  # else that is what should be told
                    raise
    return outcome


class _Writer:
    """Saves chunks beside the play: waiting for a disk takes milliseconds a part. At most one part is under way."""

    def __init__(self, folder: RunFolder | None) -> None:
        self._folder = folder
        self._thread = ThreadPoolExecutor(1)
        self._pending: Future[None] | None = None

    def __call__(self, result: ChunkResult) -> None:
        """Save a chunk. Raises what went wrong with the one before."""
        if self._folder is not None:
            self._wait()
            self._pending = self._thread.submit(self._folder.write_part, result)

    def _wait(self) -> None:
        if self._pending is not None:
            self._pending.result()

    def finish(self) -> None:
        """Wait until all is saved. Raises what went wrong."""
        self._thread.shutdown()
        self._wait()
