"""How much faster are two workers on Dask than one, and what does a chunk cost scheduler and client?

Scheduler, workers and client are processes of their own on the loopback interface, as on three machines; bigtwo_sim
must be installed with its extra `cluster`. Two workers, scheduler and client share two cores here, so the speed-up is a
lower bound. Writes results/reference/cluster_speed.json and prints the figures of docs/cluster.md. As arguments,
`bytes`, `costs`, `memory` or `speed`; without one, all (some five minutes).
"""

from __future__ import annotations

import os
import re
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import psutil

from bigtwo_sim.arena import Halt, Plan, RunFolder, play_chunks, run
from bigtwo_sim.arena.runners.cluster import connected
from bigtwo_sim.arena.runners.cluster_worker import Call, compact, pack_run, play
from bigtwo_sim.arena.schedule.plan import MOST_DEALS
from bigtwo_sim.core.code_cache import engine
from bigtwo_sim.games.big_two import Rules
from bigtwo_sim.roster.spec import parse_agents
from study import SEED, options_of, table

OUTPUT = "results/reference/cluster_speed.json"
HEURISTICS = ("heuristic", "b=heuristic", "c=heuristic", "d=heuristic")
GREEDIES = ("greedy", "b=greedy", "c=greedy", "d=greedy")  # quick, so that the cost of a chunk stands out
DEALS_A_BLOCK = 24
LARGEST = MOST_DEALS // DEALS_A_BLOCK  # blocks


class Size(NamedTuple):
    """How much is played."""

    deals: int = 16 * MOST_DEALS
    """Of a timed run; some 10 s of two cores."""
    large_chunks: int = 40
    tiny_chunks: int = 3_000
    """Of one block."""
    repetitions: int = 3
    idle: float = 10.0
    """Seconds."""


QUICK = Size(MOST_DEALS // 20, 1, 20, 1, 0.2)


def _plan(agents: tuple[str, ...], deals: int, chunk: int | None = None) -> Plan:
    return Plan.of(parse_agents(agents), Rules(), SEED, deals=deals, chunk=chunk)


@contextmanager
def dask(folder: Path, name: str, *arguments: str) -> Iterator[tuple[psutil.Process, Path]]:
    """A `dask` command line in the background, and its log."""
    log = folder / f"{name}.log"
    with log.open("wb") as output:
        command = [sys.executable, "-m", "dask", *arguments, "--host", "127.0.0.1", "--no-dashboard"]
        process = subprocess.Popen(command, stdout=output, stderr=output, cwd=folder)
    try:
        yield psutil.Process(process.pid), log
    finally:
        process.terminate()
        process.wait()


def awaited(log: Path, pattern: str, times: int = 1) -> str:
    """The first match of `pattern` in a log, once there are so many."""
    while True:
        found = re.findall(pattern, log.read_text())
        if len(found) >= times:
            return str(found[0])
        time.sleep(0.1)


def cpu(process: psutil.Process) -> float:
    """Seconds of processor time that a process has taken."""
    times = process.cpu_times()
    return float(times.user + times.system)


class Site:
    """A scheduler in a process of its own, and how much it and this process work."""

    def __init__(self, folder: Path, address: str, scheduler: psutil.Process, size: Size) -> None:
        self.folder, self.address, self.scheduler, self.size = folder, address, scheduler, size

    @contextmanager
    def workers(self, count: int) -> Iterator[list[psutil.Process]]:
        arguments = ("worker", self.address, "--nthreads", "1", "--nworkers", str(count))
        with dask(self.folder, f"workers-{count}", *arguments) as (process, log):
            awaited(log, "Registered to", count)
            yield [child for child in process.children() if "--multiprocessing-fork" in child.cmdline()]

    def time(self, plan: Plan) -> float:
        """Seconds of a run that is saved, once all is connected."""
        path = Path(tempfile.mkdtemp(dir=self.folder)) / "run"
        with connected(self.address) as play_on_cluster, closing(RunFolder.create(path, plan)) as folder:
            began = time.perf_counter()
            assert run(plan, folder, play=play_on_cluster).finished
            return time.perf_counter() - began

    def idle_load(self) -> float:
        """Processor seconds that the scheduler takes in a second in which nothing is played."""
        before = cpu(self.scheduler)
        time.sleep(self.size.idle)
        return (cpu(self.scheduler) - before) / self.size.idle

    def costs(self, plan: Plan) -> dict[str, float]:
        """Processor seconds a chunk that scheduler and client take, without those that the scheduler takes anyway."""
        idle = self.idle_load()
        path = Path(tempfile.mkdtemp(dir=self.folder)) / "run"
        with connected(self.address) as play_on_cluster, closing(RunFolder.create(path, plan)) as folder:
            scheduler, client, began = cpu(self.scheduler), cpu(psutil.Process()), time.perf_counter()
            assert run(plan, folder, play=play_on_cluster).finished
            chunks, seconds = sum(1 for _ in plan.chunks()), time.perf_counter() - began
            return {
                "chunks": chunks,
                "seconds": seconds / chunks,
                "scheduler": (cpu(self.scheduler) - scheduler - idle * seconds) / chunks,
                "client": (cpu(psutil.Process()) - client) / chunks,
            }


def speed(site: Site) -> dict[str, Any]:
    """Runs of four heuristics at the default chunk sizes and at the largest one, on one worker and on two, by turns."""
    plans = {
        "default_chunks": _plan(HEURISTICS, site.size.deals),
        "largest_chunks": _plan(HEURISTICS, site.size.deals, LARGEST),
    }
    seconds: dict[tuple[str, int], list[float]] = {(name, count): [] for name in plans for count in (1, 2)}
    for _ in range(site.size.repetitions):
        for count in (1, 2):
            with site.workers(count):
                site.time(
                    _plan(HEURISTICS, min(MOST_DEALS, site.size.deals), LARGEST // 8)
                )  # they load the compiled code
                for name, plan in plans.items():
                    seconds[name, count].append(site.time(plan))
    report: dict[str, Any] = {}
    for name, plan in plans.items():
        one, two = seconds[name, 1], seconds[name, 2]
        report[name] = {
            "chunks": sum(1 for _ in plan.chunks()),
            "seconds_on_one": {"median": statistics.median(one), "low": min(one), "high": max(one)},
            "seconds_on_two": {"median": statistics.median(two), "low": min(two), "high": max(two)},
            "two_over_one": statistics.median(one) / statistics.median(two),
        }
    return report


def memory(site: Site) -> dict[str, list[float]]:
    """Resident MB after each `tiny_chunks` more."""
    plan = _plan(GREEDIES, site.size.tiny_chunks * DEALS_A_BLOCK, 1)
    found: dict[str, list[float]] = {}
    with site.workers(2) as workers, connected(site.address) as play_on_cluster:
        for _ in range(4):
            assert sum(1 for _ in play_on_cluster(plan, plan.chunks(), halt=Halt())) == site.size.tiny_chunks
            processes = {"scheduler": site.scheduler, "client": psutil.Process(), "worker": workers[0]}
            for name, process in processes.items():
                found.setdefault(name, []).append(round(process.memory_info().rss / 1e6, 1))
    return found


def sent(blocks: int) -> dict[str, int]:
    """Bytes that travel for a chunk of so many blocks."""
    plan = _plan(HEURISTICS, blocks * DEALS_A_BLOCK, blocks)
    (result,) = play_chunks(plan, plan.chunks())
    call = Call(play, "0" * 32, 0, blocks, False, engine(), None)
    return {
        "plan": len(pack_run(plan)),
        "task": len(call.packed()),
        "largest_result": compact(result.sums).nbytes,
        "largest_result_as_int64": result.sums.nbytes,
    }


def costs(site: Site) -> dict[str, Any]:
    """What chunks of one block and of the largest size cost, and the scheduler's load without any."""
    with site.workers(2):
        return {
            "scheduler_load_idle": site.idle_load(),
            "tiny_chunks": site.costs(_plan(GREEDIES, site.size.tiny_chunks * DEALS_A_BLOCK, 1)),
            "large_chunks": site.costs(_plan(GREEDIES, site.size.large_chunks * MOST_DEALS, LARGEST)),
        }


def _workers_fed(report: Mapping[str, Any]) -> dict[str, float]:
    """With how many workers scheduler and client are busy all the time, by what was measured."""
    seconds = report["speed"]["largest_chunks"]["seconds_on_one"]["median"] / (report["deals"] / MOST_DEALS)
    large = report["costs"]["large_chunks"]
    by = {f"by_{name}": int(seconds / large[name]) for name in ("scheduler", "client")}
    return {"seconds_a_chunk": seconds, **by}


PARTS = {"costs": costs, "memory": memory, "speed": speed}


def measured(parts: Sequence[str], size: Size) -> dict[str, Any]:
    """What the parts came to."""
    report: dict[str, Any] = {"cores": os.cpu_count(), "deals": size.deals}
    if "bytes" in parts:
        report["bytes"] = sent(min(LARGEST, size.deals // DEALS_A_BLOCK))
    timed = [part for part in parts if part in PARTS]
    if timed:
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            with dask(folder, "scheduler", "scheduler", "--port", "0", "--dashboard-address", "127.0.0.1:0") as found:
                scheduler, log = found
                site = Site(folder, awaited(log, r"Scheduler at:\s+(tcp://\S+)"), scheduler, size)
                for part in timed:
                    began = time.perf_counter()
                    report[part] = PARTS[part](site)
                    print(f"{part}: {time.perf_counter() - began:.0f} s", file=sys.stderr)
    if {"costs", "speed"} <= report.keys():
        report["workers_fed"] = _workers_fed(report)
    return report


def lines(report: Mapping[str, Any], before: str = "") -> Iterator[tuple[str, str]]:
    """Every figure with its name."""
    for name, value in report.items():
        if isinstance(value, Mapping):
            yield from lines(value, f"{before}{name} ")
        else:
            yield f"{before}{name}".replace("_", " "), f"{value:.4g}" if isinstance(value, float) else f"{value}"


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure, save that, print the figures."""
    options = options_of(__doc__, OUTPUT, arguments, ("bytes", *PARTS))
    report = measured(options.parts, QUICK if options.quick else Size())
    options.save(**report)
    print(table(("figure", ""), lines(report)))


if __name__ == "__main__":
    main()
