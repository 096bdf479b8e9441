"""Ratios of two sums over blocks, with their spread: of what an agent won in a role, to how often it had the role.

How often an agent has a role is itself a matter of chance, so its win rate there is a ratio of two means over blocks.
Its error comes from the blocks' residuals (Cochran, Sampling Techniques, 3rd edition, 1977, section 6.3): with R the
ratio of the means of y and x, it is the error of the mean of (y - R x) / mean of x. Blocks in which the agent never had
the role say nothing of what it does there, so they are not counted.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import numpy.typing as npt

from bigtwo_sim.arena.stats.intervals import Estimate, Interval, Moments, around, scale_of, shape

_POWERS = [(power - below, below) for power in range(1, 5) for below in range(power + 1)]
"""Of what is above and below the line, in the sums that are kept."""


class RatioSums:
    """Exact sums of products of powers of two whole numbers, `above` and `below` the line of a ratio, over blocks."""

    def __init__(self, shape: tuple[int, ...]) -> None:
        self.blocks: npt.NDArray[np.int64] = np.zeros(shape, np.int64)
        """Those with something below the line."""
        self._sums: npt.NDArray[Any] = np.zeros((len(_POWERS), *shape), object)
        self._most: npt.NDArray[Any] = np.zeros((2, *shape), object)

    def add(self, above: npt.NDArray[np.int64], below: npt.NDArray[np.int64]) -> None:
        """Take in some blocks: int64[..., blocks] after the shape, to which `below` (never negative) is broadcast.

        Where nothing is below the line, nothing may be above it.
        """
        below = np.broadcast_to(below, above.shape)
        self.blocks = self.blocks + (below > 0).sum(axis=-1)
        most = np.stack((np.abs(above).max(axis=-1), below.max(axis=-1)))
        self._most = np.maximum(self._most, most.astype(object))
        if int(most.max(initial=0)) ** 4 * above.shape[-1] >= 2**63:
            above, below = above.astype(object), below.astype(object)
        products = {(0, 0): np.ones_like(above)}
        for i, j in _POWERS:
            products[i, j] = products[i, j - 1] * below if j else products[i - 1, j] * above
        self._sums = self._sums + np.stack([products[powers].sum(axis=-1) for powers in _POWERS]).astype(object)

    def below(self, at: tuple[int, ...]) -> int:
        """The sum below the line so far."""
        return self._sum(at, 0, 1)

    def _sum(self, at: tuple[int, ...], above: int, below: int) -> int:
        return int(self._sums[_POWERS.index((above, below))][at])

    def moments(self, at: tuple[int, ...], low: float = -math.inf, high: float = math.inf) -> Moments:
        """The ratio and the spread of its residuals over the blocks so far; NaN where nothing is below the line.

        `low` and `high` are what the ratio of a single block cannot pass.
        """
        blocks, above, below = int(self.blocks[at]), self._sum(at, 1, 0), self._sum(at, 0, 1)
        if not below:
            return Moments(blocks, math.nan, math.nan, math.nan)
        ratio = above / below
        if blocks < 2:
            return Moments(blocks, ratio, math.nan, math.nan)
        # Whole numbers up to here, so nothing cancels: the sum of powers of (y - R x) is this over below ** power.
        second, third, fourth = (
            sum(
                math.comb(power, j) * self._sum(at, power - j, j) * below ** (power - j) * (-above) ** j
                for j in range(power + 1)
            )
            / below**power
            for power in (2, 3, 4)
        )
        unit = blocks / below
        found = {name: float(figure) for name, figure in shape(blocks, second, third, fourth).items()}
        most_above, most_below = (int(part[at]) for part in self._most)
        return Moments(
            blocks,
            ratio,
            math.sqrt(second / (blocks - 1)) * unit,
            (most_above + abs(ratio) * most_below) * unit,  # no residual is larger than this
            lean=found["lean"] * unit,
            event=found["event"] * unit,
            seen=found["seen"],
            scale=float(scale_of(self._sum(at, 2, 0), self._sum(at, 4, 0))) * unit,
            below=(ratio - low) * most_below * unit,
            above=(high - ratio) * most_below * unit,
        )

    def estimate(
        self, at: tuple[int, ...], interval: Interval, low: float = -math.inf, high: float = math.inf
    ) -> Estimate:
        """The ratio and its interval; `low` and `high` as in `moments`."""
        found = around(self.moments(at, low, high), interval)
        return Estimate(found.mean, _within(found.low, low, high), _within(found.high, low, high))


def _within(value: float, low: float, high: float) -> float:
    return value if math.isnan(value) else min(max(value, low), high)
