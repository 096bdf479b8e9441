"""Intervals around a mean over blocks: for a size fixed beforehand, and one that holds however often one looks.

Student's interval takes blocks to be nearly normal and their spread to be known from what was seen. Neither is true of
rare events and few blocks: who won none of 40 deals had blocks that were all equal, and an interval of no width. So the
interval is Student's with three corrections, all of them from the moments of the blocks and all without effect where
blocks are many and nearly normal (`limits`; `docs/statistics.md` has the reasons, the sources and the coverage).

An interval is a value: its settings, nothing of the data.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any, ClassVar, Protocol

import numpy as np
import numpy.typing as npt

from bigtwo_sim.core.lazy import lazy_module

special = lazy_module("scipy.special")

CONFIDENCE = 0.95
GUARD = 4
"""How many times more the largest deviation seen is counted, where a run may end because of what was seen. Rare large
blocks come late: until then the deviation is too small, and such a run would end just then."""
LARGE = 2.0
"""How many times as large as the large values that were seen an unseen block may be, where no range is known."""

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Moments:
    """What is known of a quantity after some blocks; NaN where there are too few of them.

    The fields are numbers, or float64 arrays of one shape for several quantities. In what follows an event is what
    makes a block differ from others: with events that are rare and independent, as in a compound Poisson process of
    events of size w, the cumulants of blocks are k2 = w^2 r, k3 = w^3 r (up less down) and k4 = w^4 r, with r events a
    block. By default blocks are taken to be normal, and what they may be is not known.
    """

    blocks: Any
    mean: Any
    deviation: Any
    """Standard deviation from block to block, with n - 1."""
    largest: Any
    """The largest difference of a block from the mean."""
    lean: Any = 0.0
    """k3 / k2: the size of an event if all lead upwards (negative: downwards), 0 if they balance."""
    event: Any = 0.0
    """The size of an event: sqrt(k4 / k2), or the absolute value of `lean` if that is larger."""
    seen: Any = math.inf
    """On how many blocks the deviation rests: of the differences d from the mean, (sum of d^2)^2 / (sum of d^4). It is
    n / 3 for normal blocks, about 1 if a single block differs from the others, 0 if none does."""
    scale: Any = 0.0
    """How far from the mean a block is thought to be at most where no range is known (see `scale_of`)."""
    below: Any = math.inf
    """How far below the mean a block can be; infinite: not known."""
    above: Any = math.inf
    """How far above the mean a block can be; infinite: not known."""

    @property
    def guarded(self) -> Any:
        """The standard deviation with the largest difference counted `GUARD` times more."""
        with np.errstate(all="ignore"):
            return np.sqrt(np.square(self.deviation) + GUARD * np.square(self.largest) / self.blocks)

    @property
    def share(self) -> float:
        """What part of the sum of squares is that of the largest difference; 0 where all blocks are equal."""
        squares = self.deviation**2 * (self.blocks - 1)
        return float(self.largest**2 / squares) if squares else 0.0


def shape(blocks: Any, second: Any, third: Any, fourth: Any) -> dict[str, Any]:
    """`lean`, `event` and `seen` of `Moments`, from sums over blocks of powers of differences from the mean.

    >>> found = shape(100, 0.99, 0.9702, 0.970299)  # one block is 1, the others are 0
    >>> [round(float(figure), 2) for figure in found.values()]
    [0.98, 0.98, 1.01]
    """
    second, third, fourth = (np.asarray(part, np.float64) for part in (second, third, fourth))
    varies = second > 0
    with np.errstate(all="ignore"):
        lean = np.where(varies, third / second, 0.0)
        size = np.sqrt(np.where(varies, np.maximum(fourth / second - 3 * second / blocks, 0.0), 0.0))
        seen = np.where(varies, second / fourth * second, 0.0)
    return {"lean": lean, "event": np.maximum(size, np.abs(lean)), "seen": seen}


def scale_of(second: Any, fourth: Any) -> Any:
    """`scale` of `Moments`, from sums over blocks of squares and of fourth powers of the values themselves.

    The root of their quotient is the size of a large value, and not small by chance where few blocks are alike.
    """
    second, fourth = np.asarray(second, np.float64), np.asarray(fourth, np.float64)
    with np.errstate(all="ignore"):
        return LARGE * np.where(second > 0, np.sqrt(fourth / second), 0.0)


def moments_of(values: npt.NDArray[Any], low: float = -math.inf, high: float = math.inf) -> Moments:
    """The moments of quantities whose values in blocks, float64[..., blocks], are not below `low` nor above `high`."""
    blocks = values.shape[-1]
    if not blocks:
        nothing = np.full(values.shape[:-1], math.nan)[()]
        return Moments(0, nothing, nothing, nothing)
    mean = values.mean(axis=-1)
    # Blocks that are equal differ from their mean by rounding alone.
    varies = values.max(axis=-1) > values.min(axis=-1)
    differences = np.where(varies[..., None], values - mean[..., None], 0.0)
    squares = differences * differences
    second = squares.sum(axis=-1)
    return Moments(
        blocks,
        mean,
        np.sqrt(second / (blocks - 1)) if blocks > 1 else np.full_like(second, math.nan)[()],
        np.abs(differences).max(axis=-1),
        **shape(blocks, second, (squares * differences).sum(axis=-1), (squares * squares).sum(axis=-1)),
        scale=scale_of((values**2).sum(axis=-1), (values**4).sum(axis=-1)),
        below=mean - low,
        above=high - mean,
    )


@dataclass(frozen=True)
class Estimate:
    """A mean over blocks and its interval; the bounds are NaN where there are too few blocks, all is NaN for none."""

    mean: float
    low: float
    high: float

    @property
    def margin(self) -> float:
        """How far the interval reaches from the mean on its longer side."""
        return max(self.high - self.mean, self.mean - self.low)


@dataclass(frozen=True)
class Estimates:
    """Estimates of several quantities, float64 arrays of one shape."""

    mean: Floats
    low: Floats
    high: Floats

    def __getitem__(self, at: int | tuple[int, ...]) -> Estimate:
        return Estimate(float(self.mean[at]), float(self.low[at]), float(self.high[at]))


class Interval(Protocol):
    """How wide the interval around a mean over blocks is, as long as they are nearly normal; `limits` has the rest."""

    name: ClassVar[str]

    @property
    def confidence(self) -> float:
        """The share of runs whose interval holds the truth, above 0 and below 1."""

    @property
    def anytime(self) -> bool:
        """Whether that share also holds for all looks of a run together, and so for a run that ends at any of them."""

    def half_width(self, blocks: Any, deviation: Any, freedom: Any = None) -> Any:
        """Half the width for so many blocks (at least 2) of this standard deviation; all may be arrays.

        The deviation is known as if from `freedom` + 1 normal blocks, by default from all of them.
        """

    def outside(self, blocks: Any) -> Any:
        """The probability with which the truth may lie beyond one end of the interval after so many blocks."""

    def to_dict(self) -> dict[str, Any]:
        """The interval for a manifest; `interval_from_dict` reads it."""


def limits(moments: Moments, interval: Interval) -> tuple[Any, Any]:
    """The lower and upper end of the interval around a mean; NaN for fewer than two blocks.

    With m the mean, h Student's (or the sequence's) half width, n blocks and a the probability `outside`, it is

        m + s - sqrt(h^2 + (down + s)^2)   to   m + s + sqrt(h^2 + (up - s)^2)

    * `up` = event * (1 - a^(1/n)), and `down` alike: by so much the mean would differ if a block with one more event
      came with the greatest probability that it could have had and still have been missed with probability a. Where
      all blocks are equal that alone remains: the interval of Clopper and Pearson (Biometrika 26, 1934) if the event
      is the whole range, and the bound of Gaffke for equal values (Learned-Miller and Thomas, arXiv:1905.06208).
    * s = lean * (1 - a^(1/n)) / 2 is the shift that skewness demands (Johnson, JASA 73, 1978; Hall, Annals of
      Statistics 20, 1992). With events that all lead upwards, this is the score interval of a Poisson mean (Wilson,
      JASA 22, 1927), whose centre lies half the square of the normal quantile of events above the mean.
    * The size of an event is what the blocks say, and while few of them differ what can be: the range, or the scale of
      the quantity where no range is known. The latter fades with the number of blocks that differ: by 1 / (1 + seen).
    * Student's quantile is that for the freedom which the deviation has where its square rests on `seen` blocks, by
      matching its variance (Satterthwaite, Biometrics Bulletin 2, 1946).

    Where all blocks are equal and neither range nor scale is known, nothing can be said: NaN.
    """
    blocks = np.asarray(moments.blocks, np.float64)
    mean, varies = np.asarray(moments.mean, np.float64), np.asarray(moments.deviation) > 0
    with np.errstate(all="ignore"):
        excess = 1 / np.asarray(moments.seen, np.float64) - 1 / blocks
        freedom = np.where(excess > 0, np.minimum(2 / excess, blocks - 1), blocks - 1)
        deviation = moments.guarded if interval.anytime else moments.deviation
        half = interval.half_width(blocks, deviation, np.maximum(freedom, 1.0))
        missed = -np.expm1(np.log(interval.outside(blocks)) / blocks)
        shift = moments.lean * missed / 2
        fading = 1 / (1 + np.asarray(moments.seen, np.float64))
        ends = []
        for sign, reach in ((-1, moments.below), (1, moments.above)):
            expected = np.where(
                np.isfinite(reach), reach, np.where(np.asarray(moments.scale) > 0, moments.scale, np.nan)
            )
            expected = np.where(varies, np.nan_to_num(expected), expected)
            event = np.minimum(moments.event + np.maximum(expected - moments.event, 0.0) * fading, reach)
            beyond = np.maximum(event * missed - sign * shift, 0.0)
            end = mean + shift + sign * np.sqrt(np.square(half) + np.square(beyond))
            end = np.clip(end, mean - moments.below, mean + moments.above)
            ends.append(np.where(blocks < 2, np.nan, end))
    return ends[0], ends[1]


def around(moments: Moments, interval: Interval) -> Estimate:
    """The mean of one quantity and the interval around it."""
    low, high = limits(moments, interval)
    return Estimate(float(moments.mean), float(low), float(high))


def estimate_of(
    values: npt.NDArray[Any], interval: Interval | None = None, low: float = -math.inf, high: float = math.inf
) -> Estimate:
    """The mean of a quantity's values in blocks, float64[blocks], and its interval, by default Student's.

    `low` and `high` are what a block can be. The bounds are NaN for a single block.
    """
    return around(moments_of(values, low, high), interval or Student())


def _check_confidence(confidence: float) -> None:
    if not 0 < confidence < 1:
        raise ValueError(f"confidence is {confidence}; it must be above 0 and below 1, such as 0.95")


@lru_cache(maxsize=1024)
def student_t(freedom: int, probability: float) -> float:
    """The quantile of Student's t distribution with `freedom` degrees of freedom."""
    return float(special.stdtrit(freedom, probability))


@dataclass(frozen=True)
class Student:
    """Student's interval with n - 1 degrees of freedom, and with the corrections of `limits`.

    It holds for one look at a number of blocks that was fixed beforehand, not for a run that ends because of what was
    seen.
    """

    name: ClassVar[str] = "student"
    anytime: ClassVar[bool] = False
    confidence: float = CONFIDENCE

    def __post_init__(self) -> None:
        _check_confidence(self.confidence)

    def half_width(self, blocks: Any, deviation: Any, freedom: Any = None) -> Any:
        """See `Interval`."""
        quantile = special.stdtrit(blocks - 1 if freedom is None else freedom, (1 + self.confidence) / 2)
        return quantile * deviation / np.sqrt(blocks)

    def outside(self, blocks: Any) -> Any:
        """See `Interval`."""
        return (1 - self.confidence) / 2

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

    def half_width(self, blocks: Any, deviation: Any, freedom: Any = None) -> Any:
        """See `Interval`; `freedom` is without effect, as the deviation is the guarded one."""
        spent = blocks * self._rho_squared
        mixture = (spent + 1) / spent * (np.log1p(spent) - 2 * math.log(1 - self.confidence))
        return deviation * np.sqrt(mixture / blocks)

    def outside(self, blocks: Any) -> Any:
        """See `Interval`; that of a normal mean at this one look."""
        return special.ndtr(-self.half_width(blocks, 1.0) * np.sqrt(blocks))

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
    return float(-special.lambertw(-(alpha**2) / math.e, -1).real)


def interval_from_dict(data: dict[str, Any]) -> Interval:
    """The interval that `to_dict` described. Raises ValueError for a name that is none."""
    settings = {key: value for key, value in data.items() if key != "name"}
    for kind in (Student, ConfidenceSequence):
        if data.get("name") == kind.name:
            return kind(**settings)
    known = f"{Student.name!r} or {ConfidenceSequence.name!r}"
    raise ValueError(f"the interval {data.get('name')!r} is unknown; it must be {known}")
