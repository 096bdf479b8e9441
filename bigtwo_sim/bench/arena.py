"""What the arena costs: beside the bare loop, for a Python agent's decision, in memory, and for reading a run again."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np

from bigtwo_sim.arena import ChunkResult, Plan, RunFolder, load, run, seatings
from bigtwo_sim.arena.stats.statistics import entries
from bigtwo_sim.bench.engine import BENCHMARKS, SEED, Benchmark, peak_of_deals, process
from bigtwo_sim.bots.isolation import isolated
from bigtwo_sim.bots.process import Limits
from bigtwo_sim.core.rng import root_key
from bigtwo_sim.games.big_two import CardSet, PythonAgent, PythonLoop, Rules, View, play_blocks
from bigtwo_sim.roster.spec import parse_agents

HEURISTICS = ("heuristic", "b=heuristic", "c=heuristic", "d=heuristic")
MANY_DEALS = 10_000_000
MANY_BLOCKS = 1_000_000


def _overhead(workers: int, repetitions: int, seconds: float, rules: Rules) -> list[float]:
    """Percent by which a run of four heuristics (statistics, Parquet, result) takes longer than its bare loop.

    Of one run in a worker's share; both are timed by turns.
    """
    agents = parse_agents(HEURISTICS)
    plan = Plan.of(agents, rules, SEED, deals=_deals_in(agents, rules, seconds))
    four: Any = tuple(agents)
    values = []
    for _ in range(repetitions + 1):  # the first one warms up
        began = time.perf_counter()
        for chunk in plan.chunks():
            play_blocks(four, rules, root_key(SEED), chunk.first, chunk.blocks, seatings(plan.lineups[0]))
        bare = time.perf_counter() - began
        with tempfile.TemporaryDirectory() as folder:
            began = time.perf_counter()
            with closing(RunFolder.create(Path(folder) / "run", plan)) as saved:
                run(plan, saved)
            values.append(100 * (time.perf_counter() - began - bare) / bare)
    return values[1:]


def _deals_in(agents: Any, rules: Rules, seconds: float) -> int:
    """How many deals of these four take about so long."""
    four = tuple(agents)
    found = seatings(tuple(range(len(four))))
    play_blocks(four, rules, root_key(SEED), 0, 100, found)
    began = time.perf_counter()
    play_blocks(four, rules, root_key(SEED), 0, 500, found)
    return int(500 * len(found) * seconds / (time.perf_counter() - began))


BENCHMARKS["arena_overhead"] = Benchmark("% of the bare loop", False, _overhead)


class _First:
    """Answers with its first option, at once."""

    def choose(self, view: View) -> CardSet:
        return view.legal_plays[0].cards


def _python_decision(workers: int, repetitions: int, seconds: float, rules: Rules) -> list[float]:
    """Microseconds that a decision of a Python agent in one seat takes beyond its own time.

    The time of the Python loop less what its `choose` takes and less that of the same deals in the compiled loop.
    """
    first = parse_agents(["greedy"])[0]
    key, found = root_key(SEED), seatings("ABBB")
    values = []
    for number, (loop, blocks, decisions, took) in enumerate(_asked(_First, repetitions, seconds, rules)):
        began = time.perf_counter()
        play_blocks((first,) * 4, rules, key, 0, blocks, found)
        if number:  # the first one warms up
            values.append((took - loop.seconds.sum() - (time.perf_counter() - began)) / decisions * 1e6)
    return values


def _asked(
    factory: Callable[[], Any], repetitions: int, seconds: float, rules: Rules
) -> Iterator[tuple[PythonLoop, int, int, float]]:
    """Play with a Python agent in one seat, each time for so long: the loop, blocks, its decisions, seconds taken."""
    first = parse_agents(["greedy"])[0]
    loop = PythonLoop([PythonAgent("mine", factory), first, first, first], rules)
    found = seatings("ABBB")
    with closing(loop):
        for repetition in range(repetitions + 1):
            loop.seconds[:] = 0
            decisions, blocks, began = 0, 0, time.perf_counter()
            while time.perf_counter() - began < seconds:
                results = loop.play_blocks(root_key(SEED), repetition * 10_000 + blocks, 10, found)
                seat_of_mine = np.argmin(found, axis=1)  # slot 0
                decisions += int(results["decisions"][:, np.arange(len(found)), seat_of_mine].sum())
                blocks += 10
            yield loop, blocks, decisions, time.perf_counter() - began


BENCHMARKS["python_decision"] = Benchmark("µs beyond its own", False, _python_decision)


def _isolated_decision(workers: int, repetitions: int, seconds: float, rules: Rules) -> list[float]:
    """Microseconds of a decision of a Python agent that answers at once, in a process of its own (`--isolate`).

    From the question to the answer: what isolation adds to the agent's own time.
    """
    factory = isolated(PythonAgent("mine", _First), Limits()).factory
    found = _asked(factory, repetitions, seconds, rules)
    return [loop.seconds.sum() / decisions * 1e6 for loop, _, decisions, _ in found][1:]


BENCHMARKS["isolated_decision"] = Benchmark("µs beyond its own", False, _isolated_decision)


@process("memory_ten_million", "MB", most=1)
def _memory_of_many() -> float | None:
    """The peak of a process that plays ten million deals; `memory` is that of one million."""
    return peak_of_deals(MANY_DEALS)


def _reading(workers: int, repetitions: int, seconds: float, rules: Rules) -> list[float]:
    """Seconds to open a finished run of a million blocks of four agents, up to its DataFrame of agents."""
    plan = Plan.of(parse_agents(HEURISTICS), rules, SEED, deals=24 * MANY_BLOCKS)
    draw = np.random.default_rng(SEED)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name) / "run"
        with closing(RunFolder.create(folder, plan)) as saved:
            for chunk in plan.chunks():
                # Numbers of the size that real ones have: to play these deals would take minutes.
                sums = draw.integers(0, 200, (chunk.blocks, len(entries(plan.lineups)), len(plan.stat_columns.columns)))
                saved.write_part(ChunkResult(chunk, sums, np.zeros(len(plan.agents))))
            run(plan, saved)
        values = []
        for _ in range(repetitions):
            began = time.perf_counter()
            found = load(folder)
            assert len(found.agents) == len(HEURISTICS)
            values.append(time.perf_counter() - began)
    return values


BENCHMARKS["open_million_blocks"] = Benchmark("s", False, _reading)
