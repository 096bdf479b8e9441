"""Setting a difficulty: the value of a knob at which an agent wins a given share, found, then proved on fresh decks.

The search (`bigtwo_sim.arena.stats.root_search`) plays on decks of its own and ends with a guess. The
guess is then played on
decks that nothing was chosen on, so many that half the interval is about half the precision that was asked for. The
difficulty is set when that whole interval lies within the precision of the target; else what was seen goes into the
search as well, which goes on, and its next guess is played on yet other decks.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field

from bigtwo_sim.arena.runners.trials import Figures
from bigtwo_sim.arena.stats.intervals import Estimate, student_t
from bigtwo_sim.arena.stats.root_search import TYPICAL_DEVIATION, Knob, Point, RootSearch
from bigtwo_sim.core.rng import derived_seed

SEARCH_ERROR = 0.3
"""Standard error of the guess, as a part of the precision."""
CHECK_HALF = 0.55
"""Half the interval on fresh decks, likewise. Both are where a simulation needed the fewest blocks in all."""
FEWEST_CHECKED = 200  # blocks
MOST_CHECKS = 4
SEARCHED, CHECKED = range(2)  # purposes of decks, for `derived_seed`

Measure = Callable[[float, int, int, int], "Figures"]
"""measure(value, seed, first, blocks) plays blocks of a seed at a value of the knob."""


@dataclass(frozen=True)
class Check:
    """What a guess came to on fresh decks."""

    value: float
    seed: int
    blocks: int
    win_rate: Estimate
    margin: Estimate
    reached: bool


@dataclass
class Difficulty:
    """How far a difficulty is set."""

    knob: Knob
    target: float
    precision: float
    points: list[Point] = field(default_factory=list)
    """What the search measured, by value."""
    checks: list[Check] = field(default_factory=list)
    verdict: str = ""
    """`reached`, or why not: `below`, `above`, `jump`, `lost` as in `root_search`, or `unproved` after MOST_CHECKS."""
    next: float = math.nan
    """What the search measures next, which is the best guess as long as there is no other."""
    guess: float = math.nan
    expected: float = math.nan
    """The share that the search expects at its guess."""
    blocks: int = 0
    blocks_expected: int = 0
    """Blocks in all, as things look."""

    @property
    def reached(self) -> Check | None:
        """The check that proves the difficulty."""
        return self.checks[-1] if self.checks and self.checks[-1].reached else None


def set_difficulty(
    knob: Knob,
    target: float,
    precision: float,
    start: float | None,
    seed: int,
    measure: Measure,
    progress: Callable[[Difficulty, float], None] = lambda found, value: None,
) -> Difficulty:
    """Find the value of `knob` at which `target` is won, to within `precision`; both are shares.

    `start` is where the search begins. `progress` is called with what is known, and the value that is measured next.
    Raises ValueError for shares that are none.
    """
    search = RootSearch(knob, target, SEARCH_ERROR * precision, start)
    found = Difficulty(knob, target, precision)
    searched = derived_seed(seed, SEARCHED)
    first = 0
    while True:
        while (request := search.ask()) is not None:
            _note(found, search)
            found.next = request.value
            progress(found, request.value)
            shares = measure(request.value, searched, first, request.blocks).win_rate
            first += request.blocks
            found.blocks += request.blocks
            search.tell(request.value, shares)
        _note(found, search)
        assert search.found is not None
        found.guess, found.expected = search.found.value, search.found.expected
        if search.found.verdict != "root" and abs(found.expected - target) > precision:
            found.verdict = search.found.verdict
            return found
        found.next = found.guess
        progress(found, found.guess)
        check, figures = _check(found, derived_seed(seed, CHECKED, len(found.checks)), measure)
        found.checks.append(check)
        if check.reached:
            found.verdict = "reached"
            return found
        if len(found.checks) == MOST_CHECKS:
            found.verdict = "unproved" if search.found.verdict == "root" else search.found.verdict
            return found
        search.tell(check.value, figures.win_rate)


def _note(found: Difficulty, search: RootSearch) -> None:
    found.points = search.points
    ahead = max(0, round((_deviation(found.points) / (SEARCH_ERROR * found.precision)) ** 2) - search.blocks)
    found.blocks_expected = found.blocks + (0 if search.found else ahead) + _checked_blocks(found)


def _deviation(points: list[Point]) -> float:
    """The standard deviation of a win rate from block to block, over all that was measured."""
    known = [point for point in points if point.blocks > 1]
    if not known:
        return TYPICAL_DEVIATION
    return math.sqrt(sum(point.blocks * point.deviation**2 for point in known) / sum(point.blocks for point in known))


def _checked_blocks(found: Difficulty) -> int:
    half = CHECK_HALF * found.precision
    return max(FEWEST_CHECKED, math.ceil((student_t(10**6, 0.975) * _deviation(found.points) / half) ** 2))


def _check(found: Difficulty, seed: int, measure: Measure) -> tuple[Check, Figures]:
    blocks = _checked_blocks(found)
    figures = measure(found.guess, seed, 0, blocks)
    found.blocks += blocks
    win_rate = figures.estimate("win_rate")
    reached = found.target - found.precision <= win_rate.low and win_rate.high <= found.target + found.precision
    return Check(found.guess, seed, blocks, win_rate, figures.estimate("margin"), reached), figures
