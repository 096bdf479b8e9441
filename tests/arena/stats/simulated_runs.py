"""What is seen of many simulated runs at once, at every look: the figures of `Moments`, for arrays."""

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from bigtwo_sim.arena.stats.intervals import GUARD


class Looks(NamedTuple):
    """`blocks` int64[looks]; the others float64[runs, looks]."""

    blocks: npt.NDArray[np.int64]
    means: npt.NDArray[np.float64]
    deviations: npt.NDArray[np.float64]
    guarded: npt.NDArray[np.float64]
    shares: npt.NDArray[np.float64]


def looks(values: npt.NDArray[Any], first: int = 200, every: int = 20) -> Looks:
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
