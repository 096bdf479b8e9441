"""What a worker of a Dask cluster does for a run: it keeps the plan, and plays the chunks that it is sent.

It runs on another machine, perhaps with other versions, so it checks before it plays that its deals come out as those
of the machine that saves them.
"""

from __future__ import annotations

import pickle
import sys
import threading
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from bigtwo_sim.arena.errors import RunError
from bigtwo_sim.arena.runners.player import Player, pack, unpack
from bigtwo_sim.arena.schedule.plan import Chunk, Plan
from bigtwo_sim.arena.store.manifest import describe
from bigtwo_sim.bots.isolation import isolated, try_out
from bigtwo_sim.bots.process import Limits
from bigtwo_sim.core.code_cache import engine
from bigtwo_sim.games.base.agent import AgentError
from bigtwo_sim.games.base.python_agent import PythonAgent, one_line
from bigtwo_sim.untrusted.safe_text import safe

IDLE = 600.0  # seconds without a chunk, after which a run gives way to the next one: its client may have been killed

Answer = tuple[npt.NDArray[Any], npt.NDArray[np.float64], tuple[Any, ...]]
"""`ChunkResult` without its chunk; the sums have the smallest integer type that holds them."""


class Call:
    """A call of a function that happens where this is unpickled.

    Dask's scheduler unpickles the functions that it hands on to workers, in its event loop: it would import, and on its
    first run compile, this package. So it is given `pickle.loads` and these bytes, which are opened by a worker's
    thread.
    """

    def __init__(self, function: Callable[..., Any], *arguments: Any) -> None:
        self._reduced = (function, arguments)

    def __reduce__(self) -> tuple[Callable[..., Any], tuple[Any, ...]]:
        return self._reduced

    def packed(self) -> bytes:
        """The call as bytes."""
        return pickle.dumps(self)


def pack_run(plan: Plan) -> bytes:
    """A plan for the workers, with what its agents are here. Raises RunError where one of them cannot travel."""
    return pickle.dumps((pack(plan), [describe(agent) for agent in plan.agents]))


class _Run:
    """A run as this process plays it."""

    def __init__(self, packed: bytes) -> None:
        plan, descriptions = pickle.loads(packed)
        try:
            self.plan = unpack(plan)
        except AgentError:
            raise
        except Exception as error:
            raise RunError(
                f"the agents cannot be loaded: {one_line(error)}; install their modules there as well"
            ) from error
        for agent, there in zip(self.plan.agents, descriptions, strict=True):
            if describe(agent) != there:
                check = getattr(getattr(agent, "factory", None), "check", None)
                if check is not None:
                    check()  # an agent that is missing is named as missing
                raise RunError(f"the agent {agent.name!r} is another one than where the run is saved")
        self.used = time.monotonic()
        self.playing = 0
        self._closed = False
        self._lock = threading.Lock()
        self._players: dict[tuple[int, bool], Player] = {}

    def play(self, chunk: Chunk, apart: bool) -> Answer:
        with self._lock:
            player = self._player(apart)
            self.playing += 1
        try:
            with np.errstate(over="ignore"):  # NumPy keeps this by thread; without compilation words must wrap
                result = player.play(chunk)
        finally:
            with self._lock:
                self.playing -= 1
                self.used = time.monotonic()
                self._close_if_done()
        return compact(result.sums), result.thinking, result.faults

    def _player(self, apart: bool) -> Player:
        # Python agents belong to the thread that asks them; compiled ones are shared by all.
        thread = threading.get_ident() if self.plan.needs_python else 0
        if (thread, apart) not in self._players:
            for agent in self.plan.agents:
                # One that cannot be started would forfeit each decision, and only on this machine.
                try_out(isolated(agent, Limits()) if apart and isinstance(agent, PythonAgent) else agent)
            self._players[thread, apart] = Player(self.plan, apart)
        return self._players[thread, apart]

    def close(self) -> None:
        """Close all agents, once none of them is being asked."""
        with self._lock:
            self._closed = True
            self._close_if_done()

    def _close_if_done(self) -> None:
        while self._closed and not self.playing and self._players:
            self._players.popitem()[1].close()


class _Kept:
    """The runs that this process plays, by their keys; more than one where several clients share the workers."""

    lock = threading.Lock()
    runs: dict[str, _Run] = {}  # noqa: RUF012 - of one process


def play(key: str, first: int, blocks: int, apart: bool, there: dict[str, str], packed: bytes | None) -> Answer | None:
    """Play `blocks` blocks from `first` on of the run `key`; None where its plan is needed for that.

    `packed` is the plan (`pack_run`) or None: it is sent when it is asked for, once a worker, and not with every chunk.
    `there` is the engine of the machine that saves the run. Raises RunError for another engine and for agents that
    cannot be had here, AgentError for one that cannot be made, AgentFault where one fails in a strict plan.
    """
    try:
        raise_if_other(there, engine())
        run = _run(key, packed)
        return None if run is None else run.play(Chunk(0, first, blocks), apart)
    except (RunError, AgentError) as error:
        from distributed import get_worker

        raise type(error)(f"the worker {get_worker().address}: {error}") from error


def raise_if_other(there: dict[str, str], here: dict[str, str]) -> None:
    """Raise RunError where a worker's engine, `here`, is not that of the machine that saves the run."""
    for name, version in there.items():
        if here.get(name) != version:
            raise RunError(
                f"{name} is {here.get(name)} and on the machine that saves the run {version}, so its deals may differ; "
                "install the same versions on all machines"
            )


def _run(key: str, packed: bytes | None) -> _Run | None:
    with _Kept.lock:
        if key in _Kept.runs:
            return _Kept.runs[key]
        if packed is None:
            return None
        # What an agent prints is no part of the result; workers on this machine share the standard output.
        sys.stdout = sys.stderr = safe(sys.stderr)
        lost = [other for other, run in _Kept.runs.items() if not run.playing and time.monotonic() - run.used > IDLE]
        closed = [_Kept.runs.pop(other) for other in lost]
        made = _Kept.runs[key] = _Run(packed)
    for run in closed:
        run.close()
    return made


def forget(key: str) -> None:
    """Close a run: its agents will not be asked any more."""
    with _Kept.lock:
        run = _Kept.runs.pop(key, None)
    if run is not None:
        run.close()


def compact(sums: npt.NDArray[np.int64]) -> npt.NDArray[Any]:
    """The same numbers in the smallest integer type that holds them all, of 2 to 8 bytes."""
    least, most = (int(sums.min()), int(sums.max())) if sums.size else (0, 0)
    for kind in (np.int16, np.int32):
        if np.iinfo(kind).min <= least and most <= np.iinfo(kind).max:
            return sums.astype(kind)
    return sums
