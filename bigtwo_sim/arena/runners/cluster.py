"""A run on Dask: worker processes on this machine, or those of a scheduler anywhere, play the chunks of a plan.

What comes out is the same to the byte as from `workers`. A chunk whose worker dies is played by another one; what a
client has not saved when it ends, or when the scheduler is lost, is played again when the run is resumed.
"""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import logging
import pickle
import re
import sys
import time
import uuid
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import AbstractContextManager, contextmanager
from typing import TYPE_CHECKING, Any

import numpy as np

from bigtwo_sim.arena.errors import RunError
from bigtwo_sim.arena.runners.cluster_worker import Answer, Call, forget, pack_run, play, raise_if_other
from bigtwo_sim.arena.runners.halting import Halt, signals_blocked
from bigtwo_sim.arena.runners.run import Play
from bigtwo_sim.arena.runners.workers import AHEAD, MOST_DEATHS, in_order
from bigtwo_sim.arena.schedule.plan import Chunk, ChunkResult, Plan
from bigtwo_sim.core.code_cache import engine, nothing_compiled
from bigtwo_sim.core.installed import missing_extra
from bigtwo_sim.games.base.agent import AgentError
from bigtwo_sim.games.base.python_agent import AgentFault

if TYPE_CHECKING:
    from distributed import Client


LOCAL = re.compile(r"local:([0-9]{1,4})")
REMOTE = re.compile(r"(tcp|tls)://(\[[0-9A-Fa-f:.]+\]|[\w.-]{1,253}):([0-9]{1,5})")
MOST_LOCAL = 1024
CONNECTING = 10.0  # seconds for a scheduler to answer
CLOSING = 5.0  # seconds for it to say goodbye
ABSENCE = 10.0  # seconds without workers, after which that is said: one that died is started again
LOOK = 0.5  # seconds between two looks at who is there
KEY = "bigtwo_chunk"  # what a chunk is called on the scheduler's own pages


class MissingExtra(RunError):  # noqa: N818 - named for what is wrong
    """The packages for a cluster are not installed."""


def connected(text: str, say: Callable[[str], Any] | None = None) -> AbstractContextManager[Play]:
    """A context in which chunks are played on the cluster that `text` names; what it yields is for `run`.

    `local:N` starts N worker processes here, which end with the context or with this process; `tcp://HOST:PORT` and
    `tls://HOST:PORT` use the workers of a Dask scheduler, as many as there are at any time. Where there are none it
    waits for them. `say` is told, in a sentence, what one who waits should know, by default on standard error.

    Raises ValueError for another text. The context raises MissingExtra without the package `distributed`, RunError
    for a scheduler that does not answer or is lost, and for workers with another engine or without the agents,
    AgentError where an agent cannot be made on a worker, AgentFault where one fails in a strict plan.
    """
    local, remote = LOCAL.fullmatch(text), REMOTE.fullmatch(text)
    workers = int(local[1]) if local else 0
    if not (1 <= workers <= MOST_LOCAL or (remote and int(remote[3]) <= 65_535)):
        raise ValueError(
            f"cluster is {text!r}; it must be local:N with N from 1 to {MOST_LOCAL}, or tcp://HOST:PORT, the address "
            "of a Dask scheduler"
        )
    return _connected(text, workers, say or _say)


def _say(text: str) -> None:
    sys.stderr.write(f"{text}\n")


@contextmanager
def _connected(address: str, workers: int, say: Callable[[str], Any]) -> Iterator[Play]:
    try:
        from distributed.utils import silence_logging_cmgr
    except ImportError as error:
        raise MissingExtra(missing_extra("a cluster", "cluster", error.name)) from None
    with contextlib.ExitStack() as stack:
        # What goes wrong is told by this module, in a line.
        stack.enter_context(silence_logging_cmgr(logging.CRITICAL + 1))
        if workers:
            address = stack.enter_context(_local_cluster(workers))
        client = stack.enter_context(_client(address))
        try:
            _await_workers(client, address, say)
            _raise_if_other_engines(client.run(engine, on_error="return"))
            cold = sum(answer is True for answer in client.run(nothing_compiled, on_error="return").values())
        except OSError as error:
            raise _lost(address) from error
        if cold:
            say(f"{cold} of the workers compile first what they have not played before, which takes up to a minute.")

        def play_on_cluster(plan: Plan, chunks: Iterable[Chunk], *, halt: Halt) -> Iterator[ChunkResult]:
            pool = _Workers(client, address, plan, halt, say)
            try:
                yield from in_order(pool, chunks, halt)
            finally:
                pool.close()

        yield play_on_cluster


# --- connecting -------------------------------------------------------------------------------------------------------
@contextmanager
def _local_cluster(workers: int) -> Iterator[str]:
    """The address of a scheduler in this process that has so many worker processes, all on the loopback interface."""
    import dask
    from distributed import LocalCluster

    # Ctrl-C and SIGHUP are this process's to answer: its workers inherit what is blocked here.
    with (
        signals_blocked(),
        # The first death is answered by this module, which plays the chunk again with its Python agents apart.
        dask.config.set({"distributed.scheduler.allowed-failures": 0}),
    ):
        try:
            cluster = LocalCluster(
                n_workers=workers,
                threads_per_worker=1,
                processes=True,
                host="127.0.0.1",
                scheduler_kwargs={"dashboard": False, "dashboard_address": "127.0.0.1:0"},
                memory_limit=0,  # agents have limits of their own
                silence_logs=logging.CRITICAL + 1,
            )
        except Exception as error:
            raise RunError(
                f"local:{workers}: the workers cannot be started ({_reason(error)}); a program that starts some needs "
                '`if __name__ == "__main__":` around that'
            ) from error
    try:
        yield cluster.scheduler_address
    finally:
        with contextlib.suppress(TimeoutError, OSError):
            cluster.close(timeout=CLOSING)


@contextmanager
def _client(address: str) -> Iterator[Client]:
    from distributed import Client

    try:
        # Dask's own client would wait for ever for the greeting of a server that accepts and says nothing.
        with ThreadPoolExecutor(1) as thread:  # in a notebook this one has an event loop already
            thread.submit(asyncio.run, _greet(address)).result()
        client = Client(address, timeout=CONNECTING, set_as_default=False)
    except Exception as error:  # also whatever a server of another kind may answer
        raise RunError(
            f"no Dask scheduler answers at {address} within {CONNECTING:g} s ({_reason(error)}); start one with: dask "
            "scheduler"
        ) from error
    try:
        yield client
    finally:
        with contextlib.suppress(TimeoutError, OSError):
            client.close(timeout=CLOSING)


async def _greet(address: str) -> None:
    """Exchange greetings with a scheduler. Raises OSError where it does not answer in time."""
    from distributed import Security
    from distributed.comm.core import connect

    async with asyncio.timeout(CONNECTING):
        comm = await connect(address, timeout=0.9 * CONNECTING, **Security().get_connection_args("client"))
    await comm.close()


def _reason(error: BaseException) -> str:
    """What an error began with, in one line."""
    if isinstance(error, TimeoutError):
        return "it accepts the connection and says nothing"
    while error.__cause__ is not None:
        error = error.__cause__
    return " ".join(str(error).split())[:200] or type(error).__name__


def _await_workers(client: Client, address: str, say: Callable[[str], Any]) -> None:
    """Wait until there are workers: whoever starts them may be waiting for machines."""
    said = False
    while not _threads(client.scheduler_info(n_workers=0)):
        if client.status != "running":
            raise _lost(address)
        if not said:
            said = True
            say(f"Waiting for workers: {_no_workers(address)}")
        time.sleep(LOOK)


def _threads(info: Any) -> int:
    """How many worker threads a scheduler has, by what it tells of itself."""
    threads: int = info.get("total_threads", 0)
    return threads


def _no_workers(address: str) -> str:
    return f"the scheduler at {address} has none. Start some with: dask worker {address} --nthreads 1"


def _lost(address: str) -> RunError:
    return RunError(f"the connection to the scheduler at {address} was lost")


def _raise_if_other_engines(answers: dict[str, Any]) -> None:
    """Raise RunError for a worker whose engine, in `answers` by its address, is not that of this process."""
    for worker, answer in answers.items():
        if isinstance(answer, OSError):  # it has left
            continue
        if isinstance(answer, BaseException):
            raise RunError(
                f"the worker {worker} cannot play: {type(answer).__name__}: {answer}; install the same bigtwo_sim on "
                "all machines"
            )
        try:
            raise_if_other(engine(), answer)
        except RunError as error:
            raise RunError(f"the worker {worker}: {error}") from None


# --- playing ----------------------------------------------------------------------------------------------------------
class _Workers:
    """The workers of a scheduler, as what plays chunks.

    Each chunk under way is a coroutine in the client's event loop: it fetches its result as soon as that is there, so
    that neither workers nor scheduler keep it, and plays the chunk again where a worker died of it.
    """

    def __init__(self, client: Client, address: str, plan: Plan, halt: Halt, say: Callable[[str], Any]) -> None:
        self._client = client
        self._address = address
        self._packed = pack_run(plan)
        self._run = uuid.uuid4().hex
        self._sent = itertools.count()
        self._engine = engine()
        self._halt = halt
        self._say = say
        loop: Any = client.loop
        self._loop: asyncio.AbstractEventLoop = loop.asyncio_loop
        self._threads = _threads(client.scheduler_info(n_workers=0))
        self._under_way: dict[Future[ChunkResult], Any] = {}  # the coroutine that keeps a promise; the loop's alone
        self._watch = asyncio.run_coroutine_threadsafe(self._watch_over(), self._loop)

    def ahead(self) -> int:
        return AHEAD * max(1, self._threads)

    def submit(self, chunk: Chunk) -> Future[ChunkResult]:
        promise: Future[ChunkResult] = Future()
        promise.set_running_or_notify_cancel()  # it has begun: what was sent to the cluster is played to its end
        asyncio.run_coroutine_threadsafe(self._keep(promise, chunk), self._loop)
        return promise

    def close(self) -> None:
        """Let go of what is under way, and of what the workers keep of the run."""
        with contextlib.suppress(Exception):  # the scheduler may be lost
            asyncio.run_coroutine_threadsafe(self._let_go(), self._loop).result(CLOSING)

    async def _let_go(self) -> None:
        self._watch.cancel()
        for task in list(self._under_way.values()):
            task.cancel()
        await self._on_all(pickle.loads, "ignore", Call(forget, self._run).packed())

    async def _on_all(self, function: Callable[..., Any], on_error: Any, *arguments: Any) -> dict[str, Any]:
        """Call a function on all workers; what it gave by their addresses."""
        answers: Any = self._client.run(function, *arguments, on_error=on_error)
        found: dict[str, Any] = await answers
        return found

    async def _watch_over(self) -> None:
        """Notice when workers come and go, and when the scheduler does."""
        said = False
        seen = time.monotonic()
        while True:
            await asyncio.sleep(LOOK)
            if self._client.status != "running":
                self._fail(_lost(self._address))
                return
            self._threads = _threads(self._client.scheduler_info())
            if self._threads:
                said, seen = False, time.monotonic()
            elif self._halt.asked:  # nobody is there to finish the chunks in hand
                self._fail(KeyboardInterrupt())
            elif not said and time.monotonic() - seen >= ABSENCE:
                said = True
                self._say(f"Waiting for workers: {_no_workers(self._address)}")

    def _fail(self, error: BaseException) -> None:
        for promise in list(self._under_way):
            if not promise.done():
                promise.set_exception(error)

    async def _keep(self, promise: Future[ChunkResult], chunk: Chunk) -> None:
        """Keep a promise to play a chunk."""
        self._under_way[promise] = asyncio.current_task()
        try:
            result = await self._play(chunk)
            if not promise.done():
                promise.set_result(result)
        except BaseException as error:
            if not promise.done():
                promise.set_exception(error)
            if not isinstance(error, Exception):
                raise
        finally:
            del self._under_way[promise]

    async def _play(self, chunk: Chunk) -> ChunkResult:
        from distributed import CancelledError, KilledWorker

        deaths = 0
        packed = None
        while True:
            try:
                answer = await self._answer(chunk, deaths > 0, packed)
            except KilledWorker as error:
                deaths += 1
                if deaths > MOST_DEATHS:
                    raise RunError(
                        f"chunk {chunk.number} was given to workers {deaths} times, and each died (out of memory, or "
                        "killed)"
                    ) from error
            except CancelledError as error:
                raise _lost(self._address) from error
            except (RunError, AgentError, AgentFault):
                raise
            except Exception as error:
                raise await self._why(error) from error
            else:
                if answer is not None:
                    sums, thinking, faults = answer
                    return ChunkResult(chunk, sums.astype(np.int64), thinking, faults)
                packed = self._packed

    async def _answer(self, chunk: Chunk, apart: bool, packed: bytes | None) -> Answer | None:
        """What a worker makes of a chunk, fetched from there."""
        call = Call(play, self._run, chunk.first, chunk.blocks, apart, self._engine, packed)
        # All chunks of a run are one group of tasks: of each group the scheduler remembers something for good.
        key = (f"{KEY}-{self._run}", chunk.number, next(self._sent))
        future: Any = self._client.submit(pickle.loads, call.packed(), key=key, pure=False)
        try:
            answer: Answer | None = await future
        finally:
            future.release()
        return answer

    async def _why(self, error: Exception) -> RunError:
        """What is behind an error that this package does not raise."""
        try:
            _raise_if_other_engines(await self._on_all(engine, "return"))
        except RunError as other:  # a worker has come since that cannot even load what it was sent
            return other
        except Exception:
            return _lost(self._address)
        return RunError(f"a worker failed: {type(error).__name__}: {error}")
