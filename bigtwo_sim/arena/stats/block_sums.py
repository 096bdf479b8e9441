"""Exact sums of powers of quantities over blocks, from which their means and intervals follow.

A value in a block is a whole number over a denominator, so the sums are whole numbers: the same in whatever order and
portions blocks arrive, and of a size that does not grow with their number.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import numpy.typing as npt

from bigtwo_sim.arena.stats.intervals import Estimate, Estimates, Interval, Moments, limits, scale_of, shape

FINENESS = 240
"""Steps to one, at least, in which third and fourth powers are taken. Denominators of many line-ups are so large that
their fourth powers would not fit into words; of few (24 deals, 10 line-ups) values are taken as they are."""


class BlockSums:
    """Sums, to the fourth power, of quantities whose value in a block is a whole number over a denominator.

    `denominators` have the shape of the quantities; those along the last axis measure the same of different agents or
    pairs. `low` and `high`, broadcast to that shape, are what a value cannot pass; infinite where that is not known.
    """

    def __init__(self, denominators: npt.NDArray[np.int64], low: Any = -math.inf, high: Any = math.inf) -> None:
        self.blocks = 0
        self.denominators = denominators
        self.totals: npt.NDArray[Any] = np.zeros(denominators.shape, np.int64)
        self.squares: npt.NDArray[Any] = np.zeros(denominators.shape, np.int64)
        self._low, self._high = (
            np.broadcast_to(np.asarray(end, np.float64), denominators.shape) for end in (low, high)
        )
        self._steps = np.maximum(denominators // FINENESS, 1)[..., None]
        """Numerators of these many are one step of the higher powers."""
        self._stepped = bool((self._steps > 1).any())
        self._powers: npt.NDArray[Any] = np.zeros((4, *denominators.shape), np.int64)  # the first two only if stepped
        self._least = np.zeros(denominators.shape, np.int64)
        self._most = np.zeros(denominators.shape, np.int64)
        self._bound = self._powers_bound = 0  # no sum so far is larger than this

    def add(self, values: npt.NDArray[np.int64]) -> None:
        """Take in the numerators of some blocks: int64[..., blocks], before it the shape of the denominators."""
        least, most = values.min(axis=-1), values.max(axis=-1)
        if self.blocks:
            least, most = np.minimum(least, self._least), np.maximum(most, self._most)
        self._least, self._most = least, most
        blocks = values.shape[-1]
        bound = _largest(values) ** 2 * blocks
        self._bound += bound
        if self._bound >= 2**63 and self.squares.dtype != object:
            # Whole numbers of any size from here on: slower, and not needed before some 10**10 deals of many agents.
            self.totals, self.squares = self.totals.astype(object), self.squares.astype(object)
        self.blocks += blocks
        exact = values.astype(object) if bound >= 2**63 else values
        squares = exact * exact
        self.totals += exact.sum(axis=-1)
        self.squares += squares.sum(axis=-1)
        if self._stepped:
            values = (values + self._steps // 2) // self._steps
        bound = _largest(values) ** 4 * blocks
        self._powers_bound += bound
        if self._powers_bound >= 2**63 and self._powers.dtype != object:
            self._powers = self._powers.astype(object)
        if bound >= 2**63:
            values = values.astype(object)
        if self._stepped or values.dtype != squares.dtype:
            squares = values * values
        if self._stepped:
            self._powers[0] += values.sum(axis=-1)
            self._powers[1] += squares.sum(axis=-1)
        for power, factor in ((2, values), (3, squares)):
            self._powers[power] += (
                (squares * factor).sum(axis=-1) if bound >= 2**63 else np.einsum("...n,...n->...", squares, factor)
            )

    def moments(self, at: tuple[int, ...]) -> Moments:
        """The mean of a quantity and its spread over the blocks so far; of several where `at` names a part of them."""
        n, denominators = self.blocks, _whole(self.denominators[at])
        if not n:
            nothing = np.full(np.shape(denominators), math.nan)[()]
            return Moments(0, nothing, nothing, nothing)
        totals, squares, steps = (_whole(part[at]) for part in (self.totals, self.squares, self._steps[..., 0]))
        mean = _quotient(totals, n * denominators)
        if n == 1:
            return Moments(1, mean, mean * math.nan, mean * math.nan)
        # Whole numbers up to here, so nothing cancels in the differences. `spread` is n times the sum of squares of the
        # differences from the mean, `third` n^2 times that of cubes, `fourth` n^3 times that of fourth powers.
        spread = n * squares - totals**2
        least, most = _whole(self._least[at]), _whole(self._most[at])
        farthest = np.maximum(n * most - totals, totals - n * least)
        first, second, third, fourth = (_whole(part[at]) for part in self._powers)
        if not self._stepped:
            first, second = totals, squares
        scale = scale_of(_quotient(second, 1), _quotient(fourth, 1))
        fourth = n**3 * fourth - 4 * n**2 * third * first + 6 * n * second * first**2 - 3 * first**4
        third = n**2 * third - 3 * n * second * first + 2 * first**3
        second = n * second - first**2
        unit = _quotient(steps, denominators)
        found = shape(n, _quotient(second, n), _quotient(third, n**2), _quotient(fourth, n**3))
        return Moments(
            n,
            mean,
            np.sqrt(_quotient(spread, n * (n - 1) * denominators**2)),
            _quotient(farthest, n * denominators),
            lean=found["lean"] * unit,
            event=found["event"] * unit,
            seen=found["seen"],
            scale=scale * unit,
            below=np.maximum(mean - self._low[at], 0.0),
            above=np.maximum(self._high[at] - mean, 0.0),
        )

    def estimates(self, interval: Interval, at: tuple[int, ...] = ()) -> Estimates:
        """The means over the blocks so far with their intervals; `at` chooses all but the last axis, or less.

        Where no range is known, a large value is one that is large for any quantity of the axis: who has not had a
        point yet may get as many as others do.
        """
        moments = self.moments(at)
        if self.blocks > 1 and np.size(moments.scale):
            scale = np.broadcast_to(np.max(moments.scale, axis=-1, keepdims=True), np.shape(moments.scale))
            moments = Moments(**{**vars(moments), "scale": scale})
        low, high = limits(moments, interval)
        return Estimates(np.asarray(moments.mean, np.float64), low, high)

    def estimate(self, at: tuple[int, ...], interval: Interval) -> Estimate:
        """The mean of a quantity over the blocks so far, and its interval."""
        return self.estimates(interval, at[:-1])[at[-1]]


def _largest(values: npt.NDArray[np.int64]) -> int:
    return max(int(values.max(initial=0)), -int(values.min(initial=0)))


def _whole(values: Any) -> Any:
    """Whole numbers of any size: an int, or an array of them."""
    return int(values) if np.ndim(values) == 0 else values.astype(object)


def _quotient(above: Any, below: Any) -> Any:
    """Quotients of whole numbers of any size as float64, rounded once."""
    found = above / below
    return np.float64(found) if np.ndim(found) == 0 else found.astype(np.float64)
