"""A run from its plan to its outcome: played in chunks, saved, counted, and ended when it knows enough."""

from __future__ import annotations

import math
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from bigtwo_sim.arena.errors import SaveError
from bigtwo_sim.arena.runners.halting import Halt, halting
from bigtwo_sim.arena.runners.player import compile_what_plays
from bigtwo_sim.arena.runners.workers import play_chunks
from bigtwo_sim.arena.schedule.plan import Chunk, ChunkResult, Plan
from bigtwo_sim.arena.schedule.stopping import State, widest_text
from bigtwo_sim.arena.stats.statistics import Tally, entries
from bigtwo_sim.arena.store.folder import RunFolder
from bigtwo_sim.arena.store.manifest import DEATHS
from bigtwo_sim.arena.store.summary import summary
from bigtwo_sim.games.base.python_agent import LONGEST_REASON, AgentFault


class Play(Protocol):
    """What plays the chunks of a plan and yields what comes out of each, in the order given."""

    def __call__(self, plan: Plan, chunks: Iterable[Chunk], *, halt: Halt) -> Iterator[ChunkResult]:
        """Once `halt` asks, no further chunk is begun."""


@dataclass
class Outcome:
    """A run so far: its statistics, what its agents did wrong, and how it ended."""

    plan: Plan
    tally: Tally
    status: str = "running"
    """`running`, `finished`, `interrupted` or `failed`."""
    state: State | None = None
    """What the stopping rule says, where the plan has one."""
    faults: dict[str, Any] = field(default_factory=dict)
    """The first fault of each agent that had one since this process took up the run, by its name."""
    deaths: list[str] = field(default_factory=list)
    """How each worker process ended that ended over its chunk, since this process took up the run."""
    seconds: float = 0.0
    """In this process."""
    deals_played: int = 0
    """In this process; the others were read from the folder."""
    ended_by: int | None = None
    """The number of the signal that interrupted it; None where it was none."""
    thinking: npt.NDArray[np.float64] = field(init=False)
    """Seconds that Python agents took to answer in this process, float64[agents], over all workers."""
    thoughts: npt.NDArray[np.int64] = field(init=False)
    """Decisions that agents made in this process, int64[agents]."""

    def __post_init__(self) -> None:
        self.thinking = np.zeros(len(self.plan.agents))
        self.thoughts = np.zeros(len(self.plan.agents), np.int64)
        self._agents = np.array([entry.agent for entry in entries(self.plan.lineups)])

    @property
    def finished(self) -> bool:
        """Whether it came to its end."""
        return self.status == "finished"

    @property
    def deals_per_hour(self) -> float:
        """Throughput of this process."""
        return self.deals_played / self.seconds * 3600 if self.seconds > 0 else math.nan

    @property
    def expected_deals(self) -> int | None:
        """Deals at which it will end, as things look; None where that is not known."""
        if self.state is None or self.state.blocks_expected is None:
            return self.plan.deals
        expected = self.state.blocks_expected * self.plan.deals_a_block
        return expected if self.plan.deals is None else min(expected, self.plan.deals)

    @property
    def widest(self) -> str:
        """The widest interval that is still to be narrowed, in a few words."""
        return widest_text(self.tally, self.plan.names) if self.state is None else self.state.text

    def summary(self) -> dict[str, Any]:
        """What it came to, for JSON: the same to the byte whatever played it."""
        return summary(self.plan.names, self.plan.lineups, self.tally, self.state)

    def _take(self, result: ChunkResult) -> None:
        """Take in a chunk that was played here."""
        self.deals_played += result.chunk.blocks * self.plan.deals_a_block
        self.thinking += result.thinking
        decisions = result.sums[:, :, self.plan.stat_columns.column("decisions")]
        np.add.at(self.thoughts, self._agents, decisions.sum(axis=0))
        for fault in result.faults:
            self.faults.setdefault(fault.agent, fault)
        self.deaths.extend(result.deaths)


def run(
    plan: Plan,
    folder: RunFolder | None = None,
    progress: Callable[[Outcome], Any] | None = None,
    *,
    play: Play = play_chunks,
    on_halt: Callable[[], Any] = lambda: None,
) -> Outcome:
    """Play `plan`, or what its `folder` lacks of it; save each chunk there; return the outcome.

    Chunks are taken in order, and after each the plan's stopping rule is asked and `progress` called. `play` plays
    them, by default in this process: `partial(play_chunks, workers=2)` takes two workers. Ctrl-C, SIGTERM or SIGHUP (in
    the main thread) ends the run after the chunks in hand, and calls `on_halt`; a second Ctrl-C leaves them. SIGHUP is
    left alone where it is ignored, as under `nohup`.

    Raises like `play_chunks`, and SaveError where a chunk cannot be saved, which holds the outcome.
    """
    outcome = Outcome(plan, Tally(plan.lineups, plan.stop.interval if plan.stop else None, plan.stat_columns))
    halt = Halt()
    saved = folder.saved_parts() if folder is not None else set()
    missing = (chunk for chunk in plan.chunks() if chunk.number not in saved)
    compile_what_plays(plan)
    played = play(plan, missing, halt=halt)
    with halting(halt, on_halt):
        _play_to_the_end(outcome, folder, saved, played, halt, progress)
    return outcome


def _play_to_the_end(
    outcome: Outcome,
    folder: RunFolder | None,
    saved: set[int],
    played: Iterator[ChunkResult],
    halt: Halt,
    progress: Callable[[Outcome], Any] | None,
) -> None:
    """Play, save and count what is missing, and write down how it ended, whatever that was."""
    began = time.perf_counter()
    write = _Writer(folder)
    try:
        try:
            outcome.status = _follow(outcome, folder, saved, played, write, progress)
        finally:
            played.close()  # type: ignore[attr-defined]
            write.finish()
    except KeyboardInterrupt:
        outcome.status = "interrupted"
    except SaveError as error:
        outcome.status = "failed"
        error.outcome = outcome
        raise
    except AgentFault as error:  # of a strict plan
        outcome.status = "failed"
        if folder is not None and error.fault is not None:
            folder.write_fault(error.fault)
        raise
    except BaseException:
        outcome.status = "failed"
        raise
    finally:
        outcome.ended_by = halt.signal
        outcome.seconds = time.perf_counter() - began
        _conclude(outcome, folder)


def _follow(
    outcome: Outcome,
    folder: RunFolder | None,
    saved: set[int],
    played: Iterator[ChunkResult],
    write: _Writer,
    progress: Callable[[Outcome], Any] | None,
) -> str:
    """Take in the chunks of a plan in order, read or played; return the status that it ends with."""
    plan = outcome.plan
    for chunk in plan.chunks():
        if folder is not None and chunk.number in saved:
            sums = folder.read_part(chunk)
        else:
            result = next(played, None)
            if result is None:
                return "interrupted"
            write(result)
            outcome._take(result)
            sums = result.sums
        outcome.tally.add(sums)
        if plan.stop is not None:
            outcome.state = plan.stop.check(outcome.tally, plan.names)
        if progress is not None:
            progress(outcome)
        if outcome.state is not None and outcome.state.done:
            break
    return "finished"


def _conclude(outcome: Outcome, folder: RunFolder | None) -> None:
    """Write down how the run ended."""
    if folder is None:
        return
    failed = sys.exception()
    try:
        if outcome.finished:
            folder.write_result(outcome.summary())
        folder.update(
            status=outcome.status,
            deals_played=outcome.tally.deals,
            seconds=round(folder.manifest["seconds"] + outcome.seconds, 3),
            **_deaths_for_manifest(outcome, folder),
        )
    except SaveError as error:
        error.outcome = outcome
        if failed is None:  # else that is what should be told
            raise


def _deaths_for_manifest(outcome: Outcome, folder: RunFolder) -> dict[str, Any]:
    """The entry about workers that ended, with those of earlier parts of the run; none where none ended."""
    before = folder.manifest.get(DEATHS, [])
    found = [*before, *(death[:LONGEST_REASON] for death in outcome.deaths)]
    return {DEATHS: found} if found else {}


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
            self._pending = self._thread.submit(self._save, self._folder, result)

    @staticmethod
    def _save(folder: RunFolder, result: ChunkResult) -> None:
        for fault in result.faults:
            folder.write_fault(fault)
        folder.write_part(result)

    def _wait(self) -> None:
        if self._pending is not None:
            self._pending.result()

    def finish(self) -> None:
        """Wait until all is saved. Raises what went wrong."""
        self._thread.shutdown()
        self._wait()
