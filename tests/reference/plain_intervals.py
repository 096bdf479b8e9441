"""The interval of `arena.intervals.limits` for Student's, computed value by value as the documentation words it."""

import math
import statistics
from collections.abc import Sequence

from bigtwo_sim.arena.stats.intervals import student_t


def scale_of(values: Sequence[float]) -> float:
    """How far from the mean a block is thought to be at most: twice the size of a large value."""
    squares = sum(value**2 for value in values)
    return 2 * math.sqrt(sum(value**4 for value in values) / squares) if squares else 0.0


def plain_interval(
    values: Sequence[float], low: float = -math.inf, high: float = math.inf, scale: float | None = None
) -> tuple[float, float, float]:
    """The mean and both ends. `scale` is what an unseen difference is thought to be where no range is known."""
    n, mean = len(values), statistics.fmean(values)
    powers = {power: sum((value - mean) ** power for value in values) for power in (2, 3, 4)}
    unseen = 1 - 0.025 ** (1 / n)
    half = lean = event = seen = 0.0
    if powers[2] > 1e-18:
        second, third, fourth = (powers[power] / n for power in (2, 3, 4))
        lean = third / second
        event = max(math.sqrt(max(fourth / second - 3 * second, 0.0)), abs(lean))
        seen = powers[2] ** 2 / powers[4]
        freedom = max(1.0, min(n - 1, 2 / (1 / seen - 1 / n) if 1 / seen - 1 / n > 1e-15 else n - 1))
        half = student_t(freedom, 0.975) * math.sqrt(powers[2] / (n - 1) / n)
    shift = lean * unseen / 2
    ends = []
    for sign, reach in ((-1, mean - low), (1, high - mean)):
        thought = reach if math.isfinite(reach) else scale_of(values) if scale is None else scale
        size = min(reach, event + max(thought - event, 0.0) / (1 + seen))
        end = mean + shift + sign * math.sqrt(half**2 + max(0.0, size * unseen - sign * shift) ** 2)
        ends.append(min(max(end, low), high))
    return mean, ends[0], ends[1]
