"""How often are the stopping rules wrong, and how many blocks do they take?

By simulation: blocks of real runs under costly rules, drawn again with replacement, and looked at every 20 blocks from
200 on. Three questions: how often an interval that is looked at all the time misses the truth; how often the interval
with which a run of `--precision` ends misses it; and how often `--test` is wrong where the difference is 0, or the
effect. Writes results/reference/stopping_rules.json and prints the tables of docs/statistics.md. As arguments, `looks`,
`precision` or `test`; without one, all.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cache
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from bigtwo_sim.arena import ConfidenceSequence, Interval, Plan, Precision, SequentialTest, Student, play_chunks
from bigtwo_sim.arena.schedule.stopping import FIRST_LOOK, MOST_SHARE, TYPICAL_DEVIATION, log_likelihood_ratio
from bigtwo_sim.arena.stats.intervals import GUARD, limits
from bigtwo_sim.games.big_two import Rules
from bigtwo_sim.games.big_two.game import COUNTING
from bigtwo_sim.roster.spec import parse_agents
from interval_coverage import Floats, moments_at
from study import SEED, options_of, table

OUTPUT = "results/reference/stopping_rules.json"
RUNS = 2000
QUICK_RUNS = 20
AT_ONCE = 250
"""Runs that are in memory at a time."""
EVERY = 20
MOST_BLOCKS = 6000
REAL_BLOCKS = 8000
EFFECTS = (0.06, 0.15)
"""Of a test, in standard deviations of a block."""
TARGETS = (0.14, 0.07)
"""Of a precision, likewise."""
WAYS = ("moved", "odds")
"""How blocks get the mean that is wanted: each is moved by as much, or they are weighted anew."""


# --- blocks -----------------------------------------------------------------------------------------------------------
@cache
def real_blocks() -> dict[str, Floats]:
    """Block differences in points, of unlike agents and of such as play most decks alike, under costly rules.

    And, of an agent that seldom wins, its win rate.
    """
    costly = Rules().replace(penalty_tiers="1-9:1 10-12:2 13:3", double_twos=True, settlement="pairwise")
    found = {}
    for name, first, second in (
        ("unlike", "greedy", "heuristic"),
        ("skewed", "random", "greedy"),
        ("alike", "heuristic", "other=heuristic:lead_turns=2.5"),
    ):
        plan = Plan.of(parse_agents([first, second]), costly, 5, deals=6 * REAL_BLOCKS, lineups=[(0, 0, 1, 1)])
        sums = np.concatenate([result.sums for result in play_chunks(plan, plan.chunks())])
        found[name] = (sums[:, 0, COUNTING.column("points")] - sums[:, 1, COUNTING.column("points")]) / 12
        if first == "random":
            found["seldom wins"] = sums[:, 0, : len(COUNTING.wins)].sum(axis=1) / 12
    return found


def tilted(values: Floats, mean: float) -> Floats:
    """Weights under which these very values have that mean: it changes as the odds do, not by moving every block."""
    low, high = -20.0, 20.0
    for _ in range(100):
        middle = (low + high) / 2
        weights = np.exp(middle * (values - values.mean()) / np.abs(values).max())
        low, high = (middle, high) if weights @ values < mean * weights.sum() else (low, middle)
    probabilities: Floats = weights / weights.sum()
    return probabilities


def drawn(
    random: np.random.Generator, values: Floats, runs: int, blocks: int, weights: Floats | None = None
) -> Iterator[Floats]:
    """Runs of blocks drawn with replacement, some at a time: float64[runs, blocks]."""
    for first in range(0, runs, AT_ONCE):
        yield values[random.choice(len(values), (min(AT_ONCE, runs - first), blocks), p=weights)]


# --- looks ------------------------------------------------------------------------------------------------------------
class Looks(NamedTuple):
    """What is seen at every look: `blocks` int64[looks]; the others float64[runs, looks]."""

    blocks: npt.NDArray[np.int64]
    means: Floats
    deviations: Floats
    guarded: Floats
    shares: Floats


def looks(values: npt.NDArray[Any], first: int = FIRST_LOOK, every: int = EVERY) -> Looks:
    """Look at runs of block values [runs, blocks] every so many blocks, from the first look on."""
    at = np.arange(first, values.shape[1] + 1, every)
    total, squares = np.cumsum(values, axis=1)[:, at - 1], np.cumsum(values**2, axis=1)[:, at - 1]
    means = total / at
    spread = np.maximum(squares - total * means, 0)
    most, least = (extreme.accumulate(values, axis=1)[:, at - 1] for extreme in (np.maximum, np.minimum))
    largest = np.maximum(most - means, means - least)
    with np.errstate(invalid="ignore"):
        shares = np.where(spread > 0, largest**2 / spread, 0)
    return Looks(at, means, np.sqrt(spread / (at - 1)), np.sqrt(spread / (at - 1) + GUARD * largest**2 / at), shares)


def ended(done: npt.NDArray[np.bool_]) -> npt.NDArray[np.int64]:
    """The look at which each run ended, bool[runs, looks]; the last one where it did not."""
    ends: npt.NDArray[np.int64] = np.where(done.any(axis=1), done.argmax(axis=1), done.shape[1] - 1)
    return ends


def at_end(figures: npt.NDArray[Any], ends: npt.NDArray[np.int64]) -> npt.NDArray[Any]:
    """What each run had at its end, of [runs, looks]."""
    return np.take_along_axis(figures, ends[:, None], axis=1)[:, 0]


# --- intervals looked at all the time ---------------------------------------------------------------------------------
def study_of_looks(random: np.random.Generator, runs: int) -> list[dict[str, Any]]:
    """One row a sort of blocks: the share of runs whose interval missed the truth at any look."""
    intervals: dict[str, Interval] = {
        **{f"sequence for {expected:,}": ConfidenceSequence(expected) for expected in (200, 2000, 8000)},
        "Student's": Student(),
    }
    at = np.arange(FIRST_LOOK, MOST_BLOCKS + 1, EVERY)
    rows = []
    for name, values in real_blocks().items():
        truth, (low, high) = values.mean(), range_of(name)
        missed = dict.fromkeys(intervals, 0)
        for some in drawn(random, values, runs, MOST_BLOCKS):
            moments = moments_at(some, at, low, high)
            for of, interval in intervals.items():
                missed[of] += int(misses(limits(moments, interval), truth).any(axis=1).sum())
        standard = (values - truth) / values.std()
        shape_ = {"skewness": float((standard**3).mean()), "excess_kurtosis": float((standard**4).mean() - 3)}
        rows.append({"blocks": name, **shape_, **{of: count / runs for of, count in missed.items()}})
    return rows


def range_of(name: str) -> tuple[float, float]:
    """What a block can be: of two copies of an agent at most one wins."""
    return (0.0, 0.5) if name == "seldom wins" else (-math.inf, math.inf)


def misses(ends: tuple[Floats, Floats], truth: float) -> npt.NDArray[np.bool_]:
    """Which intervals do not hold the truth."""
    return (ends[0] > truth + 1e-12) | (ends[1] < truth - 1e-12)


# --- precision --------------------------------------------------------------------------------------------------------
def study_of_precision(random: np.random.Generator, runs: int) -> list[dict[str, Any]]:
    """One row a sort of blocks and target: how often the interval missed the truth when the run ended, and when.

    Of one figure alone; a run of several ends when the last of their intervals is narrow enough. Beside it the same run
    ended by Student's interval.
    """
    rows = []
    for name, values in real_blocks().items():
        truth, (low, high) = values.mean(), range_of(name)
        for target in TARGETS:
            rule = Precision(target * float(values.std()), "win_rate" if name == "seldom wins" else "points")
            row: dict[str, Any] = {"blocks": name, "target": target}
            most = int(20 / target**2)
            at = np.arange(FIRST_LOOK, most + 1, EVERY)
            found: dict[str, list[Floats]] = {"rule": [], "student": []}
            for some in drawn(random, values, runs, most):
                moments = moments_at(some, at, low, high)
                for of, interval in (("rule", rule.interval), ("student", Student())):
                    ends = limits(moments, interval)
                    margin = np.maximum(ends[1] - moments.mean, moments.mean - ends[0])
                    look = ended(margin <= rule.target)
                    found[of].append(np.stack([at_end(misses(ends, truth), look), at[look]]))
            for of, parts in found.items():
                missed, blocks = np.concatenate(parts, axis=1).mean(axis=1)
                row |= {f"{of}_missed": float(missed), f"{of}_blocks": float(blocks)}
            rows.append(row)
    return rows


# --- the test ---------------------------------------------------------------------------------------------------------
class Decision(NamedTuple):
    """How runs ended, of each: -1 rejected, 1 accepted, 0 undecided at the last look; and after how many blocks."""

    result: npt.NDArray[np.int64]
    blocks: npt.NDArray[np.int64]


def decide(rule: SequentialTest, seen: Looks, *, guards: bool = True) -> Decision:
    """How a test ends runs that are looked at; without guards it takes the plain deviation and any share."""
    ratios = log_likelihood_ratio(seen.blocks, seen.means, seen.guarded if guards else seen.deviations, rule.effect)
    if guards:
        ratios[seen.shares > MOST_SHARE] = 0
    lower, upper = rule.bounds
    return _decision(seen, ratios >= upper, ratios <= lower)


def decide_by_sequence(rule: SequentialTest, seen: Looks, effect_in_deviations: float) -> Decision:
    """How runs end that wait for a confidence sequence of the same error rates to leave 0, or the effect.

    It is made for the number of blocks that a test takes whose effect is as many deviations of a block.
    """
    typical = replace(rule, effect=effect_in_deviations * TYPICAL_DEVIATION[rule.measure])
    interval = ConfidenceSequence(typical.interval.expected, 1 - 2 * rule.alpha)
    half = interval.half_width(seen.blocks, seen.guarded)
    return _decision(seen, seen.means - half > 0, seen.means + half < rule.effect)


def _decision(seen: Looks, accepted: npt.NDArray[np.bool_], rejected: npt.NDArray[np.bool_]) -> Decision:
    ends = ended(accepted | rejected)
    result = at_end(accepted.astype(np.int64) - rejected.astype(np.int64), ends)
    return Decision(result, seen.blocks[ends])


def hypotheses(
    values: Floats, way: str, effect_in_deviations: float
) -> tuple[float, list[tuple[Floats, Floats | None]]]:
    """The effect of a test, and blocks with their weights whose mean is 0, and the effect."""
    if way == "moved":
        values = values - values.mean()
        effect = effect_in_deviations * float(values.std())
        return effect, [(values, None), (values + effect, None)]
    even = tilted(values, 0.0)
    effect = effect_in_deviations * math.sqrt(float(np.average(values**2, weights=even)))
    return effect, [(values, even), (values, tilted(values, effect))]


def study_of_test(random: np.random.Generator, runs: int) -> list[dict[str, Any]]:
    """One row a sort of blocks, way to the mean wanted and effect: error rates and blocks of three ways to decide."""
    rows = []
    for effect_in_deviations in EFFECTS:
        most = int(30 / effect_in_deviations**2)
        for name in ("unlike", "skewed", "alike"):
            for way in WAYS:
                effect, cases = hypotheses(real_blocks()[name], way, effect_in_deviations)
                rule = SequentialTest("a", "b", effect, "points")
                row: dict[str, Any] = {"blocks": name, "way": way, "effect": effect_in_deviations}
                found: dict[str, list[Decision]] = {}
                for values, weights in cases:
                    portions: dict[str, list[Decision]] = {}
                    for some in drawn(random, values, runs, most, weights):
                        seen = looks(some)
                        portions.setdefault("test", []).append(decide(rule, seen))
                        portions.setdefault("unguarded", []).append(decide(rule, seen, guards=False))
                        portions.setdefault("sequence", []).append(decide_by_sequence(rule, seen, effect_in_deviations))
                    for of, parts in portions.items():
                        found.setdefault(of, []).append(Decision(*map(np.concatenate, zip(*parts, strict=True))))
                for of, (none, some_) in found.items():
                    row[f"{of}_alpha"] = float((none.result > 0).mean())
                    row[f"{of}_beta"] = float((some_.result < 0).mean())
                    row[f"{of}_blocks"] = float(np.concatenate([none.blocks, some_.blocks]).mean())
                rows.append(row)
    return rows


# --- the tables -------------------------------------------------------------------------------------------------------
def percent(share: float) -> str:
    """A share of runs."""
    return f"{100 * share:.1f} %"


def show(report: dict[str, list[dict[str, Any]]]) -> None:
    """Print the tables."""
    for row in report.get("looks", [])[:1]:
        intervals = [key for key in row if key not in ("blocks", "skewness", "excess_kurtosis")]
        print(f"Missed at any look up to {MOST_BLOCKS:,} blocks:\n")
        rows = [
            (
                of["blocks"],
                f"{of['skewness']:.1f}, {of['excess_kurtosis']:.0f}",
                *(percent(of[key]) for key in intervals),
            )
            for of in report["looks"]
        ]
        print(table(("blocks", "skewness, excess kurtosis", *intervals), rows))
    if "precision" in report:
        print("\nMissed when the run ended; blocks on average:\n")
        rows = [
            (
                of["blocks"],
                f"{of['target']}",
                *(f"{percent(of[f'{by}_missed'])}; {of[f'{by}_blocks']:,.0f}" for by in ("rule", "student")),
            )
            for of in report["precision"]
        ]
        print(table(("blocks", "precision", "`--precision`", "ended by Student's interval"), rows))
    if "test" in report:
        print("\nalpha, beta; blocks on average:\n")
        rows = [
            (
                f"{of['blocks']}, {of['way']}",
                f"{of['effect']}",
                *(
                    f"{percent(of[f'{by}_alpha'])}, {percent(of[f'{by}_beta'])}; {of[f'{by}_blocks']:,.0f}"
                    for by in ("test", "unguarded", "sequence")
                ),
            )
            for of in report["test"]
        ]
        print(table(("blocks", "effect", "the test", "without guards", "confidence sequence"), rows))


def main(arguments: Sequence[str] | None = None) -> None:
    """Simulate, save that, print the tables."""
    studies = {"looks": study_of_looks, "precision": study_of_precision, "test": study_of_test}
    options = options_of(__doc__, OUTPUT, arguments, studies)
    runs = QUICK_RUNS if options.quick else RUNS
    report = {part: studies[part](np.random.default_rng(SEED), runs) for part in options.parts}
    options.save(seed=SEED, runs=runs, **report)
    show(report)


if __name__ == "__main__":
    main()
