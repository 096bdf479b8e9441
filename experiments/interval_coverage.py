"""How often do the intervals of a run hold the truth, and how wide are they?

By simulation. Three sorts of blocks are drawn: wins in blocks of so many deals, independent or alike within a block
(beta-binomial, with so much correlation between two deals of a block); blocks of real runs, drawn again with
replacement, for win rates, points, differences, roles and strengths; and win rates looked at again and again, as a
stopping rule does. The intervals are those of `bigtwo_sim.arena`, beside them Student's without the corrections, and
two of the literature. Writes results/reference/interval_coverage.json and prints the tables of docs/statistics.md.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.special import betaincinv, stdtrit

from bigtwo_sim.arena import Chunk, Estimate, Plan, Tally, strengths
from bigtwo_sim.arena.runners.player import Player
from bigtwo_sim.arena.stats.intervals import (
    ConfidenceSequence,
    Interval,
    Moments,
    Student,
    limits,
    moments_of,
    scale_of,
    shape,
)
from bigtwo_sim.games.big_three import Rules as BigThreeRules
from bigtwo_sim.games.big_two import Rules
from bigtwo_sim.roster.spec import parse_agents
from study import SEED, options_of

OUTPUT = "results/reference/interval_coverage.json"
BLOCKS = (2, 5, 10, 100, 1000)
RATES = (0.001, 0.01, 0.05, 0.25, 0.6)
KINDS = {  # name -> deals of a block, correlation of two of them
    "1 deal": (1, 0.0),
    "4 deals": (4, 0.0),
    "4 deals, alike": (4, 0.3),
    "12 deals": (12, 0.0),
    "24 deals": (24, 0.0),
    "24 deals, alike": (24, 0.3),
}
Floats = npt.NDArray[np.float64]


class Size(NamedTuple):
    """How much is simulated."""

    runs: int = 4000
    few_runs: int = 1000
    """Of what is counted run by run."""
    strength_runs: int = 400
    """Of strengths, which take the longest to fit."""
    gaffke_runs: int = 60
    share_of_real: int = 1
    """Of the blocks of real runs one in so many."""


QUICK = Size(20, 2, 1, 2, 100)


# --- blocks -----------------------------------------------------------------------------------------------------------
def wins(random: np.random.Generator, rate: float, deals: int, alike: float, shape_: tuple[int, ...]) -> Floats:
    """Win rates of blocks of so many deals, two of which have the correlation `alike`."""
    if alike:
        spread = (1 - alike) / alike
        return random.binomial(deals, random.beta(rate * spread, (1 - rate) * spread, shape_)) / deals
    return random.binomial(deals, rate, shape_) / deals


def covered(values: Floats, truth: float, low: float, high: float) -> float:
    """The share of runs, the rows of `values`, whose interval holds the truth."""
    ends = limits(moments_of(values, low, high), Student())
    return held(ends, truth)


def held(ends: tuple[Floats, Floats], truth: Any) -> float:
    """The share of intervals that hold the truth; what is not known does not miss it."""
    rounding = 1e-12
    with np.errstate(invalid="ignore"):
        return float(1 - ((ends[0] > truth + rounding) | (ends[1] < truth - rounding)).mean())


# --- other intervals --------------------------------------------------------------------------------------------------
def plain_student(values: Floats, low: float, high: float) -> tuple[Floats, Floats]:
    """Student's interval without corrections."""
    moments = moments_of(values)
    half = Student().half_width(moments.blocks, moments.deviation)
    return np.maximum(moments.mean - half, low), np.minimum(moments.mean + half, high)


def korn_graubard(values: Floats, low: float, high: float) -> tuple[Floats, Floats]:
    """Clopper and Pearson's interval for as many single events as the variance says that the blocks are worth.

    Korn and Graubard, Confidence intervals for proportions with small expected number of positive counts estimated
    from survey data, Survey Methodology 24(2), 1998.
    """
    moments = moments_of(values)
    n, rate = moments.blocks, (moments.mean - low) / (high - low)
    variance = np.square(moments.deviation / (high - low) * stdtrit(n - 1, 0.975) / stdtrit(1e9, 0.975)) / n
    with np.errstate(all="ignore"):
        worth = np.minimum(np.where(variance > 0, rate * (1 - rate) / variance, n), 1e9)
        won, lost = np.maximum(worth * rate, 1e-9), np.maximum(worth * (1 - rate), 1e-9)
        ends = betaincinv(won, lost + 1, 0.025), betaincinv(won + 1, lost, 0.975)
    return (
        low + (high - low) * np.where(rate > 0, ends[0], 0.0),
        low + (high - low) * np.where(rate < 1, ends[1], 1.0),
    )


def gaffke(random: np.random.Generator, values: Floats, low: float, high: float, draws: int = 500) -> tuple[Any, Any]:
    """Gaffke's bounds: the Bayesian bootstrap with one more block at the end of the range.

    Learned-Miller and Thomas, A new confidence interval for the mean of a bounded random variable, arXiv:1905.06208.
    """
    ends = []
    for end, tail in ((low, 0.025), (high, 0.975)):
        found = []
        for row in values:
            weights = random.exponential(size=(draws, len(row) + 1))
            found.append(np.quantile(weights @ np.append(row, end) / weights.sum(axis=1), tail))
        ends.append(np.array(found))
    return ends[0], ends[1]


# --- simulated wins ---------------------------------------------------------------------------------------------------
def study_of_wins(random: np.random.Generator, size: Size) -> Iterator[dict[str, Any]]:
    """One row for each kind of blocks, rate and number of blocks: coverage, and widths over that of Student's."""
    for kind, (deals, alike) in KINDS.items():
        for rate in RATES:
            for blocks in BLOCKS:
                values = wins(random, rate, deals, alike, (size.runs if blocks < 1000 else size.runs // 2, blocks))
                ours = limits(moments_of(values, 0.0, 1.0), Student())
                student, graubard = plain_student(values, 0.0, 1.0), korn_graubard(values, 0.0, 1.0)
                row = {"kind": kind, "rate": rate, "blocks": blocks}
                for name, ends in (("ours", ours), ("student", student), ("korn_graubard", graubard)):
                    row |= {name: round(held(ends, rate), 4), f"{name}_width": width(ends)}
                if deals in (1, 24) and blocks >= 10:
                    some = values[: size.gaffke_runs]
                    row["gaffke_width"] = width(gaffke(random, some, 0.0, 1.0))
                    row["student_width_there"] = width(plain_student(some, 0.0, 1.0))
                yield row


def width(ends: tuple[Floats, Floats]) -> float:
    """The mean width, to five digits."""
    return float(f"{np.nanmean(ends[1] - ends[0]):.5g}")


# --- real blocks ------------------------------------------------------------------------------------------------------
def real_runs(size: Size) -> Iterator[tuple[str, Plan, npt.NDArray[np.int64]]]:
    """Runs: their names, their plans and the sums of their blocks, int64[blocks, entries, columns]."""
    for name, agents, lineup, rules, blocks in (
        ("random among three heuristic", "heuristic random", (0, 0, 0, 1), Rules(), 20_000),
        ("heuristic and greedy, two copies each", "heuristic greedy", (0, 0, 1, 1), Rules(), 10_000),
        ("two that play mostly alike", "heuristic other=heuristic:lead_turns=2.5", (0, 1, 1, 1), Rules(), 10_000),
        ("four agents, costly rules", "heuristic greedy random easy", (0, 1, 2, 3), Rules.preset("hong_kong"), 4_000),
    ):
        plan = Plan.of(parse_agents(agents.split()), rules, SEED, deals=1, lineups=[lineup])
        yield name, plan, Player(plan).play(Chunk(0, 0, blocks // size.share_of_real)).sums
    agents_of_three = parse_agents(["heuristic", "greedy", "random"], BigThreeRules.GAME)
    plan = Plan.of(agents_of_three, BigThreeRules(), SEED, deals=1, lineups=[(0, 1, 2)])
    yield "Big Three", plan, Player(plan).play(Chunk(0, 0, 10_000 // size.share_of_real)).sums


def study_of_real_blocks(random: np.random.Generator, size: Size) -> Iterator[dict[str, Any]]:
    """One row for each run, measure and number of blocks: the least coverage of agents, pairs and roles."""
    for name, plan, sums in real_runs(size):
        truth = figures_of(plan, sums, plan.stat_columns.one_winner)
        for blocks in BLOCKS:
            held_by: dict[tuple[str, str], list[int]] = {}
            widths: dict[tuple[str, str], list[float]] = {}
            unknown: dict[tuple[str, str], int] = {}
            for run in range(size.few_runs):
                with_strengths = run < size.strength_runs and plan.stat_columns.one_winner
                found = figures_of(plan, sums[random.integers(0, len(sums), blocks)], with_strengths)
                for what, estimate in found.items():
                    known = not math.isnan(estimate.low + estimate.high)
                    holds = estimate.low - 1e-12 <= truth[what].mean <= estimate.high + 1e-12
                    held_by.setdefault(what, []).append(holds or not known)
                    unknown[what] = unknown.get(what, 0) + (not known)
                    widths.setdefault(what, []).append(estimate.high - estimate.low)
            for measure in dict.fromkeys(measure for measure, _ in held_by):
                of_measure = {what: holds for what, holds in held_by.items() if what[0] == measure}
                worst = min(of_measure, key=lambda what: np.mean(of_measure[what]))
                yield {
                    "run": name,
                    "measure": measure,
                    "blocks": blocks,
                    "ours": round(float(np.mean(of_measure[worst])), 4),
                    "of": worst[1],
                    "unknown": round(max(unknown[what] / len(held_by[what]) for what in of_measure), 4),
                }


def figures_of(plan: Plan, sums: npt.NDArray[np.int64], with_strengths: bool) -> dict[tuple[str, str], Estimate]:
    """All estimates of a run of these blocks, by measure and by whose they are."""
    tally = Tally(plan.lineups, stat_columns=plan.stat_columns)
    tally.add(sums)
    found: dict[tuple[str, str], Estimate] = {}
    for agent in tally.agents():
        name = plan.names[agent.agent]
        found |= {("win rate", name): agent.win_rate, ("points", name): agent.points}
        for role in agent.roles:
            of_role = f"{name} as {role.role}"
            found |= {("win rate in a role", of_role): role.win_rate, ("points in a role", of_role): role.points}
    for pair in tally.pairs():
        name = f"{plan.names[pair.first]} over {plan.names[pair.second]}"
        found |= {("difference of win rates", name): pair.win_rate, ("difference of points", name): pair.points}
    if with_strengths:
        fitted = strengths(tally)
        nothing = Estimate(math.nan, math.nan, math.nan)
        # The mean of those that have a number is 0: without one of them it is another scale, and nothing to compare.
        whole = not any(of.note for of in fitted)
        found |= {("strength", plan.names[of.agent]): of.theta if whole else nothing for of in fitted}
    return found


# --- looking all the time ---------------------------------------------------------------------------------------------
LOOKS = range(200, 4001, 50)


def study_of_looks(random: np.random.Generator, size: Size) -> Iterator[dict[str, Any]]:
    """One row for each kind of blocks and rate: the share of runs whose interval held the truth at all looks."""
    interval: Interval = ConfidenceSequence(1000)
    for kind in ("1 deal", "4 deals", "24 deals", "24 deals, alike"):
        for rate in RATES:
            values = wins(random, rate, *KINDS[kind], (size.runs // 4, LOOKS[-1]))
            yield {"kind": kind, "rate": rate, "ours": round(held_at_all_looks(values, rate, interval), 4)}


def held_at_all_looks(values: Floats, truth: float, interval: Interval) -> float:
    """The share of runs, the rows of win rates of blocks, whose interval holds the truth at each of LOOKS."""
    low, high = limits(moments_at(values, np.array(LOOKS), 0.0, 1.0), interval)
    return float(((low <= truth + 1e-12) & (truth <= high + 1e-12)).all(axis=1).mean())


def moments_at(values: Floats, at: npt.NDArray[np.int64], low: float = -math.inf, high: float = math.inf) -> Moments:
    """What `moments_of` says of runs, float64[runs, blocks], after so many blocks: float64[runs, looks] each."""
    first, second, third, fourth = (np.cumsum(values**power, axis=1)[:, at - 1] for power in (1, 2, 3, 4))
    mean = first / at
    squares = np.maximum(second - at * mean**2, 0.0)
    squares[squares < 1e-12] = 0.0
    cubes = third - 3 * mean * second + 2 * at * mean**3
    fourths = np.maximum(fourth - 4 * mean * third + 6 * mean**2 * second - 3 * at * mean**4, 0.0)
    most = np.maximum.accumulate(values, axis=1)[:, at - 1] - mean
    least = mean - np.minimum.accumulate(values, axis=1)[:, at - 1]
    return Moments(
        np.broadcast_to(at, mean.shape),
        mean,
        np.sqrt(squares / (at - 1)),
        np.maximum(most, least),
        **shape(at, squares, cubes, fourths),
        scale=scale_of(second, fourth),
        below=mean - low,
        above=high - mean,
    )


# --- the tables -------------------------------------------------------------------------------------------------------
def table_of_wins(rows: Sequence[dict[str, Any]], column: str) -> Iterator[str]:
    """The least coverage over the kinds of blocks, by rate and number of blocks."""
    yield "| rate | " + " | ".join(f"{blocks:,} blocks" for blocks in BLOCKS) + " |"
    yield "|---|" + "---|" * len(BLOCKS)
    for rate in RATES:
        cells = []
        for blocks in BLOCKS:
            here = [row[column] for row in rows if (row["rate"], row["blocks"]) == (rate, blocks)]
            cells.append(f"{100 * min(here):.1f}")
        yield f"| {100 * rate:g} % | " + " | ".join(cells) + " |"


def table_of_real_blocks(rows: Sequence[dict[str, Any]]) -> Iterator[str]:
    """The least coverage of the agents, pairs and roles of a run, by measure and number of blocks."""
    yield "| run | figure | " + " | ".join(f"{blocks:,} blocks" for blocks in BLOCKS) + " |"
    yield "|---|---|" + "---|" * len(BLOCKS)
    for run, measure in dict.fromkeys((row["run"], row["measure"]) for row in rows):
        cells = [f"{100 * row['ours']:.1f}" for row in rows if (row["run"], row["measure"]) == (run, measure)]
        yield f"| {run} | {measure} | " + " | ".join(cells) + " |"


def table_of_widths(rows: Sequence[dict[str, Any]]) -> Iterator[str]:
    """Widths over that of Student's interval without corrections: ours, Korn and Graubard's, Gaffke's."""
    yield "| blocks of | rate | " + " | ".join(f"{blocks:,} blocks" for blocks in BLOCKS[2:]) + " |"
    yield "|---|---|" + "---|" * len(BLOCKS[2:])
    for kind in ("1 deal", "24 deals"):
        for rate in RATES:
            cells = []
            for row in rows:
                if (row["kind"], row["rate"]) == (kind, rate) and row["blocks"] in BLOCKS[2:]:
                    ours, graubard = (
                        times(row[f"{name}_width"], row["student_width"]) for name in ("ours", "korn_graubard")
                    )
                    cells.append(f"{ours}, {graubard}, {times(row['gaffke_width'], row['student_width_there'])}")
            yield f"| {kind} | {100 * rate:g} % | " + " | ".join(cells) + " |"


def times(wide: float, narrow: float) -> str:
    """How many times as wide; of a few runs all blocks may be equal."""
    return f"{wide / narrow:.2f}" if narrow else "?"


def table_of_looks(rows: Sequence[dict[str, Any]]) -> Iterator[str]:
    """The share of runs whose interval held the truth at all looks, by kind of blocks and rate."""
    yield "| blocks of | " + " | ".join(f"{100 * rate:g} %" for rate in RATES) + " |"
    yield "|---|" + "---|" * len(RATES)
    for kind in dict.fromkeys(row["kind"] for row in rows):
        yield f"| {kind} | " + " | ".join(f"{100 * row['ours']:.1f}" for row in rows if row["kind"] == kind) + " |"


def main(arguments: Sequence[str] | None = None) -> None:
    """Simulate all, save it, print the tables."""
    options = options_of(__doc__, OUTPUT, arguments)
    size = QUICK if options.quick else Size()
    random = np.random.default_rng(SEED)
    studies = {
        "wins": list(study_of_wins(random, size)),
        "real": list(study_of_real_blocks(random, size)),
        "looks": list(study_of_looks(random, size)),
    }
    options.save(seed=SEED, **size._asdict(), **studies)
    lines: list[str] = []
    for column in ("ours", "student", "korn_graubard"):
        lines += ["", column, "", *table_of_wins(studies["wins"], column)]
    lines += ["", *table_of_widths(studies["wins"])]
    lines += ["", *table_of_real_blocks(studies["real"]), "", *table_of_looks(studies["looks"])]
    print("\n".join(lines))


if __name__ == "__main__":
    main()
