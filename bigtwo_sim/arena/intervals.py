"""Intervals around a mean over blocks: for a size fixed beforehand, and one that holds however often one looks.

An interval is a value: its settings, nothing of the data. What it says of a mean depends on the number of blocks and on
their standard deviation alone.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any, ClassVar, Protocol

CONFIDENCE = 0.95
GUARD = 4
"""How many times more the largest deviation seen is counted, where a run may end because of what was seen. Rare large
blocks come late: until then the deviation is too small, and such a run would end just then."""


@dataclass(frozen=True)
class Moments:
    """What is known of a quantity after some blocks; NaN where there are too few of them."""

    blocks: int
    mean: float
    deviation: float
    """Standard deviation from block to block, with n - 1."""
    largest: float
    """The largest difference of a block from the mean."""

    @property
    def guarded(self) -> float:
        """The standard deviation with the largest difference counted `GUARD` times more."""
        return math.sqrt(self.deviation**2 + GUARD * self.largest**2 / self.blocks) if self.blocks else math.nan

    @property
    def share(self) -> float:
        """What part of the sum of squares is that of the largest difference; 0 where all blocks are equal."""
        squares = self.deviation**2 * (self.blocks - 1)
        return self.largest**2 / squares if squares else 0.0


class Interval(Protocol):
    """How wide the interval around a mean over blocks is."""

    name: ClassVar[str]

    @property
    def confidence(self) -> float:
        """The share of runs whose interval holds the truth, above 0 and below 1."""

    @property
    def anytime(self) -> bool:
        """Whether that share also holds for all looks of a run together, and so for a run that ends at any of them."""

    def half_width(self, blocks: int, deviation: float) -> float:
        """Half the width for so many blocks (at least 2) of this standard deviation.

        `margin` says which one it wants.
        """

    def to_dict(self) -> dict[str, Any]:
        """The interval for a manifest; `interval_from_dict` reads it."""


def margin(interval: Interval, moments: Moments) -> float:
    """Half the width of an interval; NaN for fewer than two blocks."""
    if moments.blocks < 2:
        return math.nan
    return interval.half_width(moments.blocks, moments.guarded if interval.anytime else moments.deviation)


def _check_confidence(confidence: float) -> None:
    if not 0 < confidence < 1:
        raise ValueError(f"confidence is {confidence}; it must be above 0 and below 1, such as 0.95")


@lru_cache(maxsize=1024)
def student_t(freedom: int, probability: float) -> float:
    """The quantile of Student's t distribution with `freedom` degrees of freedom."""
    from scipy.special import stdtrit  # here, so that what needs no interval does not load it

    return float(stdtrit(freedom, probability))


@dataclass(frozen=True)
class Student:
    """Student's interval with n - 1 degrees of freedom.

    It holds for one look at a number of blocks that was fixed beforehand, not for a run that ends because of what was
    seen.
    """

    name: ClassVar[str] = "student"
    anytime: ClassVar[bool] = False
    confidence: float = CONFIDENCE

    def __post_init__(self) -> None:
        _check_confidence(self.confidence)

    def half_width(self, blocks: int, deviation: float) -> float:
        """See `Interval`."""
        return student_t(blocks - 1, (1 + self.confidence) / 2) * deviation / math.sqrt(blocks)

    def to_dict(self) -> dict[str, Any]:
        """See `Interval`."""
        return {"name": self.name, "confidence": self.confidence}


@dataclass(frozen=True)
class ConfidenceSequence:
    """The asymptotic confidence sequence with the Gaussian mixture boundary: it holds at all looks together.

    Waudby-Smith, Arbour, Sinha, Kennedy and Ramdas, Time-uniform central limit theory and asymptotic confidence
    sequences, Annals of Statistics 52(6), 2024, arXiv:2103.06476v9, theorem 2.2. Its free parameter rho is set so
    that the interval is narrowest, of all choices of rho, at `expected` blocks; that choice costs no validity.
    """

    name: ClassVar[str] = "confidence sequence"
    anytime: ClassVar[bool] = True
    expected: int
    """Blocks at which it is as narrow as it can be, at least 1."""
    confidence: float = CONFIDENCE

    def __post_init__(self) -> None:
        _check_confidence(self.confidence)
        if self.expected < 1:
            raise ValueError(f"expected is {self.expected}; it must be at least 1 block")

    @cached_property
    def _rho_squared(self) -> float:
        return (narrowest(1 - self.confidence) - 1) / self.expected

    def half_width(self, blocks: int, deviation: float) -> float:
        """See `Interval`."""
        spent = blocks * self._rho_squared
        mixture = (spent + 1) / spent * (math.log1p(spent) - 2 * math.log(1 - self.confidence))
        return deviation * math.sqrt(mixture / blocks)

    def to_dict(self) -> dict[str, Any]:
        """See `Interval`."""
        return {"name": self.name, "confidence": self.confidence, "expected": self.expected}


@lru_cache(maxsize=64)
def narrowest(alpha: float) -> float:
    """The square of half the width at the expected number n of blocks, in units of the variance over n.

    With x = n rho^2 + 1 that square is x / (x - 1) * (log x - 2 log alpha). It is least where x - log x =
    1 - 2 log alpha, which Lambert's W solves, and there it is x.

    >>> round(narrowest(0.05) ** 0.5, 3)  # where a single look needs 1.96
    3.035
    """
    from scipy.special import lambertw

    return float(-lambertw(-(alpha**2) / math.e, -1).real)


def interval_from_dict(data: dict[str, Any]) -> Interval:
    """The interval that `to_dict` described. Raises ValueError for a name that is none."""
    settings = {key: value for key, value in data.items() if key != "name"}
    for kind in (Student, ConfidenceSequence):
        if data.get("name") == kind.name:
            return kind(**settings)
    known = f"{Student.name!r} or {ConfidenceSequence.name!r}"
    raise ValueError(f"the interval {data.get('name')!r} is unknown; it must be {known}")
