"""The setting at which an agent wins a given share: a bracketing search over measurements that are noisy.

What is sought is the root of p(x) - target, where p rises or falls with the setting x and can only be measured block by
block, with an error. Two things are done with the measurements:

* *Bracketing.* A setting is measured until it is clearly below the target or clearly above it, and the search steps on
  until it has one of each; from then on it stays between the closest two. That is bisection with noisy responses, where
  a response is asked for again until it can be trusted (Waeber, Frazier and Henderson, Bisection search with noisy
  responses, SIAM Journal on Control and Optimization 51(3), 2013, section 1).
* *Fitting.* Within the bracket a logistic curve is fitted to what was measured there, and its root is measured next:
  the recursion by maximum likelihood of Wu, Efficient sequential designs with binary data, JASA 80(392), 1985, whose
  settings gather at the root, where measurements tell the most of it. No curve is quite logistic, so measurements count
  the less the farther they are from the target. The search ends when the standard error of the fitted share at the root
  is small enough.

The search plays nothing: `ask` says what to measure next, `tell` takes in what came out. What it ends with is the best
guess, not a measurement; that is for fresh decks (`docs/levels.md`).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from bigtwo_sim.arena.stats.intervals import Estimate, Moments, Student, around, shape

CLEAR = 3.0
"""Standard errors from the target at which a setting is clearly on one side of it."""
NEAR = 6.0
"""Errors (those that are asked for) from the target within which a measurement counts in full for the fit."""
ENOUGH = 2.0
"""Errors at which the search steps on from a setting that is on neither side clearly."""
FIRST_STEPS = 5
"""Steps from one end of the knob to the other while there is no bracket; each is twice the one before."""
FEWEST_BLOCKS = 50
"""Blocks of a first measurement at least: a standard error of fewer cannot be trusted."""
TYPICAL_DEVIATION = 0.2
"""Standard deviation of a win rate from block to block between unlike agents; only the size of portions hangs on it."""
MOST_PORTIONS = 400
"""Portions after which a search gives up: p is not monotone then, or it jumps at the target."""
RIDGE = 1e-6
ROUNDING = 1e-12
"""A variance below is one of rounding: blocks are equal."""


@dataclass(frozen=True)
class Knob:
    """A setting that is turned, from `low` to `high`, and whether a greater value wins more.

    The search thinks in a coordinate in which p is closer to a logistic curve: the logarithm of the value where the
    range spans orders of magnitude. A `whole` knob takes whole numbers alone.
    """

    name: str
    low: float
    high: float
    rising: bool
    whole: bool = False

    def __post_init__(self) -> None:
        if not (math.isfinite(self.low) and math.isfinite(self.high) and self.low < self.high):
            raise ValueError(f"the knob {self.name} goes from {self.low} to {self.high}; it must go upwards")

    @property
    def _offset(self) -> float | None:
        """What is added before the logarithm is taken; None: it is not taken."""
        if self.low > 0 and self.high / self.low >= 10:
            return 0.0
        return 1.0 - self.low if self.high - self.low >= 10 else None

    def coordinate(self, value: float) -> float:
        """Where the search sees `value`."""
        return value if self._offset is None else math.log(value + self._offset)

    def value(self, coordinate: float) -> float:
        """The value at a coordinate, within the range; a whole one where it must be, else of six digits."""
        coordinate = min(max(coordinate, self.coordinate(self.low)), self.coordinate(self.high))
        value = coordinate if self._offset is None else math.exp(coordinate) - self._offset
        value = float(round(value)) if self.whole else float(f"{value:.6g}")
        return min(max(value, self.low), self.high)


class Point(NamedTuple):
    """What was measured at a value so far."""

    value: float
    blocks: int
    mean: float
    deviation: float
    """Standard deviation from block to block; 0 for one block."""
    third: float = 0.0
    """Sum over the blocks of the cubes of the differences from the mean."""
    fourth: float | None = None
    """The same of fourth powers; None: that of normal blocks."""

    @property
    def error(self) -> float:
        """The standard error of the mean; never nothing, since a share that is always the same is not yet known."""
        return max(self.deviation, 1 / self.blocks) / math.sqrt(self.blocks)

    def estimate(self) -> Estimate:
        """The share with its 95 % interval."""
        if self.blocks < 2:
            return Estimate(self.mean, 0.0, 1.0)
        second = self.deviation**2 * (self.blocks - 1)
        fourth = 3 * second**2 / self.blocks if self.fourth is None else self.fourth
        figures = shape(self.blocks, second, self.third, fourth)
        moments = Moments(
            self.blocks, self.mean, self.deviation, math.nan, **figures, below=self.mean, above=1.0 - self.mean
        )
        return around(moments, Student())


class Request(NamedTuple):
    """What to measure next."""

    value: float
    blocks: int


@dataclass(frozen=True)
class Found:
    """How a search ended."""

    value: float
    """The best guess."""
    expected: float
    """The share that it should win, by the fit."""
    error: float
    """The standard error of `expected`."""
    verdict: str
    """`root`: the target is met there. `below`, `above`: at the knob's end that wins most, or least, the share is still
    below, or above, the target. `jump`: between two neighbouring values the share jumps over it. `lost`: it does not
    come to an end."""


class RootSearch:
    """The search for the value of `knob` at which `target` is won, so that the fitted share is known to `error`.

    `start` is where it begins: a value that is thought to be near. Raises ValueError for a target that is no share
    between 0 and 1, and for an error that is none.
    """

    def __init__(self, knob: Knob, target: float, error: float, start: float | None = None) -> None:
        if not 0 < target < 1:
            raise ValueError(f"target is {target}; it must be above 0 and below 1")
        if not 0 < error < 1:
            raise ValueError(f"error is {error}; it must be above 0 and below 1")
        self.knob = knob
        self.target = target
        self.error = error
        self.found: Found | None = None
        self._sums: dict[float, npt.NDArray[np.float64]] = {}  # value -> sums of the powers 0 to 4 of shares
        self._low, self._high = knob.coordinate(knob.low), knob.coordinate(knob.high)
        begin = (self._low + self._high) / 2 if start is None else knob.coordinate(start)
        self._next = knob.value(min(max(begin, self._low), self._high))
        self._step = (self._high - self._low) / FIRST_STEPS
        self._portion = max(FEWEST_BLOCKS, round((TYPICAL_DEVIATION / error) ** 2 / 16))
        self._portions = 0

    @property
    def points(self) -> list[Point]:
        """What was measured, by value."""
        return [self._point(value) for value in sorted(self._sums)]

    @property
    def blocks(self) -> int:
        """Blocks measured so far."""
        return int(sum(sums[0] for sums in self._sums.values()))

    def _point(self, value: float) -> Point:
        blocks, total, squares, cubes, fourths = self._sums[value].tolist()
        mean = total / blocks
        second = squares - blocks * mean**2
        if second < ROUNDING * blocks:
            second = third = fourth = 0.0
        else:
            third = cubes - 3 * mean * squares + 2 * blocks * mean**3
            fourth = fourths - 4 * mean * cubes + 6 * mean**2 * squares - 3 * blocks * mean**4
        return Point(value, int(blocks), mean, math.sqrt(second / max(1, blocks - 1)), third, max(fourth, 0.0))

    # --- asking and telling -------------------------------------------------------------------------------------------
    def ask(self) -> Request | None:
        """What to measure next, or None where the search has ended: `found` tells how."""
        return None if self.found is not None else Request(self._next, self._portion)

    def tell(self, value: float, shares: npt.NDArray[np.float64]) -> None:
        """Take in the shares that were won in some blocks at `value`: float64[blocks].

        After the search has ended it takes in more, and begins anew where the guess is no longer good enough.
        """
        new = np.array([(shares**power).sum() for power in range(5)])
        self._sums[value] = self._sums.get(value, np.zeros(5)) + new
        self._portions += 1
        self.found = self._decide()
        if self.found is None and self._portions >= MOST_PORTIONS:
            fit = self._fit()
            self.found = Found(self._next, fit.share(self._next), fit.error(self._next), "lost")

    def side(self, point: Point) -> int:
        """-1, 1: the share at a point is clearly below, above the target; 0: neither."""
        distance = point.mean - self.target
        return 0 if abs(distance) < CLEAR * point.error else (1 if distance > 0 else -1)

    def bracket(self) -> tuple[Point | None, Point | None]:
        """The closest points that are clearly on the side of less and of more wins; None where there is none yet."""
        below = [point for point in self.points if self.side(point) < 0]
        above = [point for point in self.points if self.side(point) > 0]
        if not self.knob.rising:
            below, above = below[::-1], above[::-1]
        return (below[-1] if below else None, above[0] if above else None)

    def _within(self) -> tuple[float, float]:
        """The values between which the root lies: those of the bracket, and the knob's ends where there is none."""
        below, above = self.bracket()
        if not self.knob.rising:
            below, above = above, below
        return (below.value if below else self.knob.low, above.value if above else self.knob.high)

    def _seems(self, point: Point) -> int:
        """Which side a point is on as far as it was measured, if that is far enough; 0: it is not."""
        known = self.side(point) != 0 or point.error <= ENOUGH * self.error
        return (-1 if point.mean < self.target else 1) if known else 0

    def _decide(self) -> Found | None:
        """Settle what to measure next, or how the search ended."""
        seen = {self._seems(point) for point in self.points}
        fit = self._fit()
        if {-1, 1} <= seen and fit.rises == self.knob.rising:
            return self._refine(fit)
        return self._widen()

    def _widen(self) -> Found | None:
        """One side is all that was seen: measure on until it is known, or step on."""
        here = self._point(self._next)
        seems = self._seems(here)
        up = (here.mean < self.target) == self.knob.rising
        if here.value == (self.knob.high if up else self.knob.low):  # the knob's end
            side = self.side(here)
            if side == 0:
                near = here.error <= self.error
                return Found(here.value, here.mean, here.error, "root") if near else None
            return Found(here.value, here.mean, here.error, "below" if side < 0 else "above")
        if seems == 0:
            return None
        self._next = self._stepped(here.value, up)
        self._step *= 2
        return None

    def _stepped(self, value: float, up: bool) -> float:
        """A value farther on."""
        found = self.knob.value(self.knob.coordinate(value) + (self._step if up else -self._step))
        if found == value:  # of a whole knob
            found = value + 1 if up else value - 1
        return found

    def _refine(self, fit: _Fit) -> Found | None:
        """Measure the root of the fit, or be done."""
        left, right = self._within()
        low, high = self.knob.coordinate(left), self.knob.coordinate(right)
        root = self.knob.value(min(max(fit.root(), low), high))
        below, above = self.bracket()
        if below is not None and above is not None:
            if self.knob.whole and right - left == 1:
                near = min((below, above), key=lambda point: abs(point.mean - self.target))
                return Found(near.value, near.mean, near.error, "jump")
            if root in (left, right):  # which were told apart from the target
                middle = self.knob.value((low + high) / 2)
                root = left + 1 if middle in (left, right) and self.knob.whole else middle
        self._next = root
        error = fit.error(root)
        near_by = [point for point in self.points if self.side(point) == 0]
        if error > self.error or not near_by:
            return None
        return Found(root, fit.share(root), error, "root")

    def _fit(self) -> _Fit:
        """The logistic curve through what was measured within the bracket."""
        left, right = self._within()
        points = [point for point in self.points if left <= point.value <= right]
        return _Fit(points, self.knob.coordinate, self.target, NEAR * self.error)


class _Fit:
    """p(u) = 1 / (1 + exp(-(a + b (u - centre)))), fitted by maximum likelihood, with the spread of blocks as it is."""

    def __init__(
        self, points: list[Point], coordinate: Callable[[float], float], target: float, near: float = math.inf
    ) -> None:
        self._coordinate = coordinate
        self._target = target
        u = np.array([coordinate(point.value) for point in points])
        n = np.array([point.blocks for point in points], float)
        share = np.array([point.mean for point in points])
        self._centre = float(np.average(u, weights=n))
        self._scale = max(float(np.ptp(u)), 1e-9)
        design = np.column_stack((np.ones(len(u)), (u - self._centre) / self._scale))
        # A block counts for more than one deal of it and for less than all: by the ratio of the variances.
        binomial = np.maximum(share * (1 - share), 1e-4)
        variances = np.array([max(point.deviation, 1 / point.blocks) ** 2 for point in points])
        trials = n * float(np.average(binomial / np.maximum(variances, 1e-9), weights=n))
        if near < math.inf:
            away = np.maximum(np.abs(share - target) - 2 * np.sqrt(variances / n), near)
            trials = trials * (near / away) ** 2
        theta = np.array([_logit(float(np.average(share, weights=n))), 0.0])
        for _ in range(50):
            fitted = 1 / (1 + np.exp(-np.clip(design @ theta, -30, 30)))
            weight = trials * np.maximum(fitted * (1 - fitted), 1e-9)
            information = design.T @ (weight[:, None] * design) + RIDGE * np.eye(2)
            step = np.linalg.solve(information, design.T @ (trials * (share - fitted)) - RIDGE * theta)
            step *= min(1.0, 2.0 / max(1e-9, float(np.abs(step).max())))
            theta = theta + step
            if np.abs(step).max() < 1e-9:
                break
        self._theta = theta
        self._covariance = np.linalg.inv(information)

    @property
    def rises(self) -> bool:
        """Whether the curve rises."""
        return bool(self._theta[1] > 0)

    def root(self) -> float:
        """The coordinate at which the target is won; infinite where the curve is flat."""
        a, b = self._theta
        if abs(b) < 1e-9:
            return math.inf
        return float(self._centre + self._scale * (_logit(self._target) - a) / b)

    def _row(self, value: float) -> npt.NDArray[np.float64]:
        return np.array([1.0, (self._coordinate(value) - self._centre) / self._scale])

    def share(self, value: float) -> float:
        """The fitted share at a value."""
        return float(1 / (1 + math.exp(-float(np.clip(self._row(value) @ self._theta, -30, 30)))))

    def error(self, value: float) -> float:
        """The standard error of the fitted share at a value."""
        row, share = self._row(value), self.share(value)
        return share * (1 - share) * math.sqrt(float(row @ self._covariance @ row))


def _logit(share: float) -> float:
    share = min(max(share, 1e-6), 1 - 1e-6)
    return math.log(share / (1 - share))
