"""How often does the search for a level prove one, and how far off is a level that it proved?

Players whose win rate follows a known curve are simulated, so what a setting truly wins is known. Each of five cases is
searched with as many seeds as there are searches a case, as `bigtwo tune level --precision 1%` does it. Writes
results/reference/searched_levels.json and prints, by case, how many levels were proved and the largest error.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from bigtwo_sim.arena.runners.trials import Figures
from bigtwo_sim.arena.stats.root_search import Knob
from bigtwo_sim.tuning.difficulty import Difficulty, set_difficulty
from study import options_of, table

OUTPUT = "results/reference/searched_levels.json"
SEARCHES = 200
"""A case."""
QUICK_SEARCHES = 2
PRECISION = 0.01
WORLDS = Knob("worlds", 1, 1000, rising=True, whole=True)
BLUNDER = Knob("blunder", 0, 1, rising=False)
NOISE = Knob("noise", 0, 100, rising=False)


def of_worlds(value: float) -> float:
    """Much like what more worlds win, and no logistic curve."""
    return 0.45 - 0.3 * math.pow(value, -0.4)


def of_blunder(value: float) -> float:
    """What is won with so many blunders."""
    return 0.25 - 0.11 * math.pow(value, 1.3)


def of_noise(value: float) -> float:
    """What is won with so much noise."""
    return 0.02 + 0.23 * math.exp(-value / 8)


class Case(NamedTuple):
    """A knob, what is won at its values, the share that is searched for, and where the search begins."""

    knob: Knob
    curve: Callable[[float], float]
    target: float
    start: float | None


CASES = [
    Case(WORLDS, of_worlds, 0.40, 300.0),
    Case(WORLDS, of_worlds, 0.36, 300.0),
    Case(BLUNDER, of_blunder, 0.20, None),
    Case(BLUNDER, of_blunder, 0.15, 0.1),
    Case(NOISE, of_noise, 0.10, None),
]


def shares(chance: np.random.Generator, share: float, blocks: int) -> npt.NDArray[np.float64]:
    """Shares won in blocks of four deals, which are a little less spread than four tosses."""
    return (chance.binomial(3, share, blocks) + share) / 4


def searched(case: Case, seed: int, precision: float) -> Difficulty:
    """What a search comes to."""

    def measure(value: float, of_seed: int, first: int, blocks: int) -> Figures:
        won = shares(np.random.default_rng([seed, of_seed, first]), case.curve(value), blocks)
        return Figures(won, 10 * (won - 0.25))

    return set_difficulty(case.knob, case.target, precision, case.start, seed, measure)


def main(arguments: Sequence[str] | None = None) -> None:
    """Search all cases, save what came out, print the table."""
    options = options_of(__doc__, OUTPUT, arguments)
    found, rows = [], []
    for case in CASES:
        errors, blocks = [], []
        searches = QUICK_SEARCHES if options.quick else SEARCHES
        for seed in range(searches):
            level = searched(case, seed, PRECISION)
            blocks.append(level.blocks)
            if level.reached is not None:
                errors.append(abs(case.curve(level.reached.value) - case.target))
        entry = {
            "knob": case.knob.name,
            "target": case.target,
            "searches": searches,
            "proved": len(errors),
            "largest_error": max(errors, default=math.nan),
            "mean_blocks": float(np.mean(blocks)),
        }
        found.append(entry)
        rows.append(
            (
                f"`{case.knob.name}`",
                f"{100 * case.target:g} %",
                f"{searches:,}",
                f"{len(errors):,}",
                f"{100 * max(errors, default=math.nan):.2f} %",
                f"{np.mean(blocks):,.0f}",
            )
        )
    options.save(precision=PRECISION, cases=found)
    print(table(("knob", "target", "searches", "proved", "largest error", "blocks, mean"), rows))


if __name__ == "__main__":
    main()
