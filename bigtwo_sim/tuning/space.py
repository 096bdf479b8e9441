"""Settings as points that CMA-ES draws: the old ones are the origin."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from bigtwo_sim.games.base.agent import Parameter

FIRST_CHANGE = 0.05
"""Of its own size, by how much a weight is changed at first (standard deviation), and besides, of its range:"""
FIRST_CHANGE_OF_RANGE = 0.0025


class Space:
    """The settings `parameters` around their values in `old`, each measured by how far it is changed at first."""

    def __init__(self, parameters: Sequence[Parameter], old: Mapping[str, float]) -> None:
        self._parameters = parameters
        self._old = np.array([old[one.name] for one in parameters])
        self._low, self._high = (np.array([getattr(one, end) for one in parameters]) for end in ("low", "high"))
        self._scale = FIRST_CHANGE * np.abs(self._old) + FIRST_CHANGE_OF_RANGE * (self._high - self._low)

    def engine(self, population: int, seed: int) -> Any:
        """CMA-ES at the origin."""
        from cmaes import CMA  # of the extra "tune"

        bounds = np.column_stack(((self._low - self._old) / self._scale, (self._high - self._old) / self._scale))
        return CMA(mean=np.zeros(len(self._old)), sigma=1.0, bounds=bounds, seed=seed, population_size=population)

    def settings(self, point: npt.NDArray[np.float64]) -> dict[str, float]:
        """The settings at a point, within their ranges, and whole where they must be."""
        values = np.clip(self._old + self._scale * point, self._low, self._high).tolist()
        return {
            one.name: float(round(value)) if one.whole else value
            for one, value in zip(self._parameters, values, strict=True)
        }

    def point(self, settings: Mapping[str, float]) -> npt.NDArray[np.float64]:
        """The point of some settings."""
        values = np.array([settings[one.name] for one in self._parameters])
        found: npt.NDArray[np.float64] = (values - self._old) / self._scale
        return found
