"""Ratios of two sums over blocks, with their spread: of what an agent won in a role, to how often it had the role.

How often an agent has a role is itself a matter of chance, so its win rate there is a ratio of two means over blocks.
Its error comes from the blocks' residuals (Cochran, Sampling Techniques, 3rd edition, 1977, section 6.3): with R the
ratio of the means of y and x, it is the error of the mean of (y - R x) / mean of x.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import numpy.typing as npt

from bigtwo_sim.arena.intervals import Moments


class RatioSums:
    """Exact sums, squares and products of pairs of whole numbers, `above` and `below` a ratio, over blocks."""

    def __init__(self, shape: tuple[int, ...]) -> None:
        self.blocks = 0
        self._sums: npt.NDArray[Any] = np.zeros((5, *shape), object)
        self._most: npt.NDArray[Any] = np.zeros((2, *shape), object)

    def add(self, above: npt.NDArray[np.int64], below: npt.NDArray[np.int64]) -> None:
        """Take in some blocks: int64[..., blocks] after the shape, to which `below` (never negative) is broadcast."""
        self.blocks += above.shape[-1]
        below = np.broadcast_to(below, above.shape)
        most = np.stack((np.abs(above).max(axis=-1), below.max(axis=-1)))
        self._most = np.maximum(self._most, most.astype(object))
        if int(most.max(initial=0)) ** 2 * above.shape[-1] >= 2**63:
            above, below = above.astype(object), below.astype(object)
        sums = [part.sum(axis=-1) for part in (above, below, above * above, above * below, below * below)]
        self._sums = self._sums + np.stack(sums).astype(object)

    def below(self, at: tuple[int, ...]) -> int:
        """The sum below the line so far."""
        return int(self._sums[1][at])

    def moments(self, at: tuple[int, ...]) -> Moments:
        """The ratio and the spread of its residuals over the blocks so far; NaN where nothing is below the line."""
        above, below, squares, products, squares_below = (int(part[at]) for part in self._sums)
        if not below:
            return Moments(self.blocks, math.nan, math.nan, math.nan)
        ratio = above / below
        if self.blocks < 2:
            return Moments(self.blocks, ratio, math.nan, math.nan)
        # Whole numbers up to here, so nothing cancels: the sum of squares of (y - R x) is this over below ** 2.
        residuals = squares * below**2 - 2 * products * above * below + squares_below * above**2
        deviation = math.sqrt(residuals / (self.blocks - 1)) * self.blocks / below**2
        most_above, most_below = (int(part[at]) for part in self._most)
        # No residual is larger than this.
        largest = (most_above + abs(ratio) * most_below) * self.blocks / below
        return Moments(self.blocks, ratio, deviation, largest)
