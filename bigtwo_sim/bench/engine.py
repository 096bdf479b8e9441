"""What `bigtwo bench` measures: one function each, registered by `throughput` or `process`."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from bigtwo_sim.core.kernel import kernel, popcount
from bigtwo_sim.core.rng import DECK, STREAM_WORDS, below, new_stream, root_key, seed_stream
from bigtwo_sim.games.big_two import Method, PolicyAgent, PythonLoop, Rules, play_blocks
from bigtwo_sim.games.big_two.kernels.moves import legal_plays_kernel, new_buffers
from bigtwo_sim.games.big_two.kernels.turns import deal_hands, new_public, start_deal
from bigtwo_sim.games.big_two.layout import CARDS, NO_STRENGTH, PLAY_SIZE, SEATS
from bigtwo_sim.roster.analyses import analysis_of
from bigtwo_sim.roster.spec import parse_agent

Work = Callable[[int, int], None]
"""work(first, amount): do the units `first` to `first` + `amount` - 1, on a thread of its own, without the GIL."""
Prepare = Callable[[Rules], Work]

SEED = 20_240_229
CHUNK = 10_000  # deals whose results are held at a time
SAMPLES = 4096  # hands that the lists are made of, in turn
MEMORY_DEALS = 1_000_000


@dataclass(frozen=True)
class Benchmark:
    """One thing to measure. `measure(workers, repetitions, seconds, rules)` gives a value a repetition."""

    unit: str
    scales: bool
    """Whether it is measured on all cores too."""
    measure: Callable[[int, int, float, Rules], list[float]]


BENCHMARKS: dict[str, Benchmark] = {}


def throughput(name: str, unit: str) -> Callable[[Prepare], Prepare]:
    """Register a function that prepares some work; units of it a second are measured on one thread and on all cores."""

    def register(prepare: Prepare) -> Prepare:
        def measure(workers: int, repetitions: int, seconds: float, rules: Rules) -> list[float]:
            work = prepare(rules)
            with ThreadPoolExecutor(workers) as pool:
                amount = _warm_up(work, pool, workers, seconds)
                return [workers * amount / _seconds(work, pool, workers, amount) for _ in range(repetitions)]

        BENCHMARKS[name] = Benchmark(unit, True, measure)
        return prepare

    return register


def in_turns(
    name: str, unit: str, scale: float = 1.0
) -> Callable[[Callable[[], tuple[Work, Work] | None]], Callable[[], tuple[Work, Work] | None]]:
    """Register a function that prepares two works (None: not here); their speeds are measured by turns on one thread.

    The value of a repetition is `scale` times the speed of the first, divided by that of the second.
    """

    def register(prepare: Callable[[], tuple[Work, Work] | None]) -> Callable[[], tuple[Work, Work] | None]:
        def measure(workers: int, repetitions: int, seconds: float, rules: Rules) -> list[float]:
            works = prepare()
            if works is None:
                return []
            with ThreadPoolExecutor(1) as pool:
                amounts = [_warm_up(work, pool, 1, seconds / 2) for work in works]
                values = []
                for _ in range(repetitions):
                    one, other = (
                        amount / _seconds(work, pool, 1, amount) for work, amount in zip(works, amounts, strict=True)
                    )
                    values.append(scale * one / other)
                return values

        BENCHMARKS[name] = Benchmark(unit, False, measure)
        return prepare

    return register


def _seconds(work: Work, pool: ThreadPoolExecutor, workers: int, amount: int) -> float:
    start = time.perf_counter()
    list(pool.map(lambda worker: work(worker * amount, amount), range(workers)))
    return time.perf_counter() - start


def _warm_up(work: Work, pool: ThreadPoolExecutor, workers: int, seconds: float) -> int:
    """Run, more each time, until a run takes a good part of `seconds`; return the units a thread that would fill it."""
    work(0, 1)  # compiles what is not yet compiled
    amount = 1
    while True:
        took = _seconds(work, pool, workers, amount)
        if took >= seconds / 4:
            return max(1, round(amount * seconds / took))
        amount *= 2


def process(name: str, unit: str, most: int) -> Callable[[Callable[[], float | None]], Callable[[], float | None]]:
    """Register a function that starts a process and returns its measure (None: not here); `most` repetitions."""

    def register(once: Callable[[], float | None]) -> Callable[[], float | None]:
        def measure(workers: int, repetitions: int, seconds: float, rules: Rules) -> list[float]:
            if most > 1:
                once()  # fills the caches, of compiled code and of files
            values = (once() for _ in range(min(most, repetitions)))
            return [value for value in values if value is not None]

        BENCHMARKS[name] = Benchmark(unit, False, measure)
        return once

    return register


# --- deals ------------------------------------------------------------------------------------------------------------
def _agent(text: str) -> PolicyAgent:
    agent = parse_agent(text)
    assert isinstance(agent, PolicyAgent)
    return agent


def _deals(rules: Rules, first_seat: str, others: str | None = None) -> Work:
    """Deals with an agent at the first seat and another (by default the same) at the others."""
    one = _agent(first_seat)
    other = _agent(others) if others else one
    key, seating = root_key(SEED), np.arange(SEATS).reshape(1, SEATS)

    def work(first: int, amount: int) -> None:
        for start in range(first, first + amount, CHUNK):
            play_blocks((one, other, other, other), rules, key, start, min(CHUNK, first + amount - start), seating)

    return work


@throughput("random", "deals/s")
def _random(rules: Rules) -> Work:
    return _deals(rules, "random")


@throughput("greedy", "deals/s")
def _greedy(rules: Rules) -> Work:
    return _deals(rules, "greedy")


@throughput("heuristic", "deals/s")
def _heuristic(rules: Rules) -> Work:
    return _deals(rules, "heuristic")


@throughput("strong_100", "deals/s")
def _strong_100(rules: Rules) -> Work:
    """One Monte Carlo player at 100 worlds among three heuristics."""
    return _deals(rules, "monte_carlo:worlds=100", "heuristic")


@throughput("strong_100_four_seats", "deals/s")
def _strong_100_four_seats(rules: Rules) -> Work:
    return _deals(rules, "monte_carlo:worlds=100")


# --- rollouts ---------------------------------------------------------------------------------------------------------
def _rollouts(rules: Rules, assumed: int) -> Work:
    """Deals played from their start to their end, all seats by policy `assumed` (see `bigtwo_sim.search`)."""
    rollout = analysis_of().Position.game.search.rollout

    @kernel
    def play_deals(
        public_array: Any,
        hands: Any,
        cards: Any,
        stream: Any,
        key: Any,
        plays: Any,
        strengths: Any,
        policies: Any,
        first: Any,
        n: Any,
    ) -> None:
        public = public_array[0]
        for deal in range(first, first + n):
            seed_stream(stream, key, deal, DECK)
            deal_hands(hands, cards, stream)
            start_deal(public, hands, -1)
            rollout(public, hands, plays, strengths, policies)

    key = root_key(SEED)
    policies = np.full(SEATS, assumed)

    def work(first: int, amount: int) -> None:
        hands, cards, stream = np.zeros(SEATS, np.uint64), np.zeros(CARDS, np.int64), np.zeros(STREAM_WORDS, np.uint64)
        play_deals(new_public(rules), hands, cards, stream, key, *new_buffers(), policies, first, amount)

    return work


@throughput("rollouts_heuristic", "rollouts/s")
def _rollouts_heuristic(rules: Rules) -> Work:
    return _rollouts(rules, 0)


@throughput("rollouts_greedy", "rollouts/s")
def _rollouts_greedy(rules: Rules) -> Work:
    return _rollouts(rules, 1)


# --- decisions --------------------------------------------------------------------------------------------------------
def _decision_milliseconds(percentile: float) -> Callable[[int, int, float, Rules], list[float]]:
    """A percentile of the time that a decision of `strong` takes among three heuristics, a value a repetition."""

    def measure(workers: int, repetitions: int, seconds: float, rules: Rules) -> list[float]:
        strong, heuristic = _agent("strong"), _agent("heuristic")
        times: list[float] = []

        def timed(*arguments: Any) -> int:
            start = time.perf_counter()
            choice = int(strong.function(*arguments))
            times.append((time.perf_counter() - start) * 1000)
            return choice

        clocked = PolicyAgent("strong", Method("strong", timed), strong.params)
        loop = PythonLoop([clocked, heuristic, heuristic, heuristic], rules)
        key, deal, values = root_key(SEED), 0, []
        loop.play_deal(key, deal)  # loads or compiles
        for _ in range(repetitions):
            times.clear()
            start = time.perf_counter()
            while not times or time.perf_counter() - start < seconds:
                deal += 1
                loop.play_deal(key, deal)
            values.append(float(np.percentile(times, percentile)))
        return values

    return measure


BENCHMARKS["strong_decision"] = Benchmark("ms, 99th %", False, _decision_milliseconds(99))
BENCHMARKS["strong_median"] = Benchmark("ms, median", False, _decision_milliseconds(50))


# --- lists of legal plays ---------------------------------------------------------------------------------------------
@kernel
def _sample_hands(
    hands: Any, to_beat: Any, cards: Any, dealt: Any, stream: Any, rules: Any, plays: Any, strengths: Any
) -> None:
    """Fill `hands` (uint64[n]) with random hands, `to_beat` (int64[n]) with the strength of a five-card play each.

    The play is any of those in another hand of the same deck, all equally likely.
    """
    i = 0
    while i < hands.shape[0]:
        deal_hands(dealt, cards, stream)
        count = legal_plays_kernel(dealt[1], 0, NO_STRENGTH, rules, plays, strengths)
        first = 0
        while first < count and popcount(plays[first]) < PLAY_SIZE:
            first += 1
        if first < count:
            hands[i] = dealt[0]
            to_beat[i] = strengths[first + below(stream, count - first)]
            i += 1


@kernel
def _list_plays(hands: Any, size: Any, to_beat: Any, rules: Any, plays: Any, strengths: Any, first: Any, n: Any) -> Any:
    total = 0
    for i in range(first, first + n):
        sample = i % hands.shape[0]
        total += legal_plays_kernel(hands[sample], size, to_beat[sample], rules, plays, strengths)
    return total


def _lists(rules: Rules, size: int) -> Work:
    table = rules.rule_table()
    hands, to_beat = np.zeros(SAMPLES, np.uint64), np.zeros(SAMPLES, np.int64)
    cards, dealt = np.zeros(CARDS, np.int64), np.zeros(SEATS, np.uint64)
    _sample_hands(hands, to_beat, cards, dealt, new_stream(root_key(SEED), 0, 0), table, *new_buffers())
    if size == 0:
        to_beat[:] = NO_STRENGTH

    def work(first: int, amount: int) -> None:
        _list_plays(hands, size, to_beat, table, *new_buffers(), first, amount)

    return work


@throughput("legal_plays", "lists/s")
def _legal_plays(rules: Rules) -> Work:
    return _lists(rules, 0)


@throughput("five_card_answers", "lists/s")
def _five_card_answers(rules: Rules) -> Work:
    return _lists(rules, PLAY_SIZE)


# --- processes --------------------------------------------------------------------------------------------------------
def _run(*arguments: str, cache: str | None = None) -> float:
    """Seconds that a command line of `bigtwo` takes in a new process."""
    environment = dict(os.environ, **({"BIGTWO_CACHE_DIR": cache} if cache else {}))
    start = time.perf_counter()
    subprocess.run(
        [sys.executable, "-m", "bigtwo_sim.cli.main", *arguments], env=environment, check=True, capture_output=True
    )
    return time.perf_counter() - start


@process("startup_help", "s", most=100)
def _startup_help() -> float:
    return _run("--help")


@process("startup_first", "s", most=1)
def _startup_first() -> float:
    """The first tournament of all, a short one: everything is compiled."""
    with tempfile.TemporaryDirectory() as folder:
        return _run("tournament", "--deals", "1", "--out", f"{folder}/run", cache=f"{folder}/compiled")


@process("startup_later", "s", most=100)
def _startup_later() -> float:
    """The same tournament, compiled before."""
    with tempfile.TemporaryDirectory() as folder:
        return _run("tournament", "--deals", "1", "--out", f"{folder}/run")


def peak_megabytes() -> float | None:
    """The most memory that this process has held at a time, in MB of 10**6 bytes."""
    try:
        # Not getrusage: a process inherits the peak of the one that started it.
        status = Path("/proc/self/status").read_text(encoding="utf-8").splitlines()
    except OSError:
        return None
    kilobytes = next((line.split()[1] for line in status if line.startswith("VmHWM")), None)
    return int(kilobytes) * 1024 / 1e6 if kilobytes else None


def peak_of_deals(deals: int) -> float | None:
    """The peak, in MB, of a process that plays a tournament of so many random deals; None where it is not known."""
    agents = ["random", "second=random", "third=random", "fourth=random"]
    with tempfile.TemporaryDirectory() as folder:
        arguments = ["tournament", *agents, "--deals", str(deals), "--out", f"{folder}/run"]
        code = (
            "import sys; from bigtwo_sim.bench import engine as benchmarks; from bigtwo_sim.cli import main as cli; "
            "sys.exit(cli.run(sys.argv[1:]) or print(benchmarks.peak_megabytes()))"
        )
        done = subprocess.run([sys.executable, "-c", code, *arguments], check=True, capture_output=True, text=True)
    peak = done.stdout.split()[-1]
    return None if peak == "None" else float(peak)


@process("memory", "MB", most=1)
def _memory() -> float | None:
    """The peak of a process that plays a tournament of a million deals."""
    return peak_of_deals(MEMORY_DEALS)
