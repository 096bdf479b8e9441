"""Rules that end a run when it knows enough: intervals narrow enough, or a test that has decided.

A rule looks at the tally after each chunk of blocks. Looking often must not spoil what is then said, so the intervals
of such a run are those of a confidence sequence, which hold at all looks together, and the test is a sequential one.
A rule is a value: it holds what was asked for and nothing of the run, so a run that is resumed goes on as before.
Neither looks before `FIRST_LOOK` blocks, since both rest on means of many blocks being nearly normal.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import Any, ClassVar, Protocol

import numpy as np

from bigtwo_sim.arena.stats.intervals import CONFIDENCE, ConfidenceSequence, Interval, Moments, narrowest
from bigtwo_sim.arena.stats.statistics import Tally

FIRST_LOOK = 200
"""Blocks before a rule may end a run; `tests/arena/schedule/test_stopping.py` shows that these suffice."""

EQUAL_BLOCKS = 1000
"""The same while all blocks were equal: two agents that seldom differ have shown nothing of it yet. A test is then not
decided either while the interval reaches as far as the effect."""

MOST_SHARE = 0.2
"""A test is not decided while a single block has a larger part of the sum of squares than this: such a sum is far from
what it will be (Noether's condition, under which a mean is nearly normal, is that this part is small)."""

TYPICAL_DEVIATION = {"win_rate": 0.12, "points": 3.5}
"""Standard deviations from block to block, between those of agents alike and unlike. They say for which number of
blocks the intervals are made narrowest. Validity does not depend on them: where the true ones are half or twice as
large, a run needs about a tenth more blocks than it might."""

LEAST_AMOUNT = 1e-6  # which takes some 10**14 blocks
LEAST_ERROR = 1e-9
DEFAULT_ALPHA = DEFAULT_BETA = 0.05
DEFAULT_EFFECT = "0.2 points"


class StoppingError(ValueError):
    """A stopping rule that cannot be meant; the message names what was given and says what must hold."""


@dataclass(frozen=True)
class State:
    """What a rule says after some blocks."""

    done: bool
    text: str
    """For a progress bar: short, without a line break."""
    blocks_expected: int | None
    """Blocks in all at which the run will probably end, as things look; None where that is not known yet."""
    progress: float
    """The share of these that is played, 0 to 1."""
    verdict: dict[str, Any]
    """The same for a report, as JSON knows it."""


class StoppingRule(Protocol):
    """When a run ends."""

    kind: ClassVar[str]

    @property
    def interval(self) -> Interval:
        """The intervals that hold for a run that this rule ends."""

    def validate(self, names: Sequence[str], lineups: Sequence[Sequence[int]]) -> None:
        """Raise StoppingError where the rule cannot be applied to a run of these agents and line-ups."""

    def check(self, tally: Tally, names: Sequence[str]) -> State:
        """What the rule says of a tally with these names of agents."""

    def to_dict(self) -> dict[str, Any]:
        """The rule for a manifest; `rule_from_dict` reads it."""


def rule_from_dict(data: dict[str, Any]) -> StoppingRule:
    """The rule that `to_dict` described. Raises StoppingError for one that is unknown or holds what cannot be."""
    for kind in (Precision, SequentialTest):
        if data.get("rule") == kind.kind:
            try:
                return kind(**{key: value for key, value in data.items() if key != "rule"})
            except TypeError as error:
                raise StoppingError(f"the stopping rule {data!r:.200} is not one of this version: {error}") from None
    raise StoppingError(f"the stopping rule {data.get('rule')!r} is unknown; it must be precision or test")


# --- amounts ----------------------------------------------------------------------------------------------------------
def _read_amount(text: str, what: str) -> tuple[float, str]:
    """A number of points a deal (`0.05`, `0.05 points`) or a win rate (`0.5%`), with its measure."""
    bare = text.strip().lower()
    measure, scale = "points", 1.0
    if bare.endswith("%"):
        measure, scale, bare = "win_rate", 100.0, bare[:-1]
    else:
        bare = bare.removesuffix("points").removesuffix("point")
    try:
        value = float(bare) / scale
    except ValueError:
        value = math.nan
    if not _is_amount(value, measure):
        raise StoppingError(
            f"{what} is {text!r}; it must be a win rate above 0% and below 100%, such as 0.5%, "
            f"or a number of points a deal above 0, such as 0.05 (and at least {LEAST_AMOUNT:g} of either)"
        )
    return value, measure


def _is_amount(value: float, measure: str) -> bool:
    return LEAST_AMOUNT <= value < (1 if measure == "win_rate" else math.inf)


def _check_amount(value: float, measure: str, what: str) -> None:
    if measure not in TYPICAL_DEVIATION:
        raise StoppingError(f"measure is {measure!r}; it must be win_rate or points")
    if not _is_amount(value, measure):
        raise StoppingError(f"{what} is {value}; it must be at least {LEAST_AMOUNT:g}, and below 1 for a win rate")


def _amount(value: float, measure: str) -> str:
    """A width or an effect for people."""
    return f"{100 * value:.3g} %" if measure == "win_rate" else f"{value:.3g} points"


def _finite(value: float) -> float | None:
    """A figure for JSON, which knows neither NaN nor infinity."""
    return round(value, 6) if math.isfinite(value) else None


# --- precision --------------------------------------------------------------------------------------------------------
def widest(tally: Tally, names: Sequence[str], measure: str = "win_rate") -> tuple[str, float]:
    """Whose interval of `measure` is the widest, of agents and of differences of pairs, and how far it reaches.

    That is infinite where nothing is known: before the second block, and while all blocks of all agents were equal. Of
    these `EQUAL_BLOCKS` are taken to be all that there are.
    """
    found: tuple[tuple[int, ...], float] = ((), -1.0)
    for who, estimate in tally.estimates(measure):
        margin = estimate.margin
        if math.isnan(margin):
            margin = 0.0 if tally.blocks >= EQUAL_BLOCKS else math.inf
        if margin > found[1]:
            found = (who, margin)
    return " over ".join(names[agent] for agent in found[0]), found[1]


def widest_text(tally: Tally, names: Sequence[str], measure: str = "win_rate") -> str:
    """The widest interval of a run without a rule, for a progress bar."""
    name, margin = widest(tally, names, measure)
    return f"widest ±{_amount(margin, measure)} ({name})" if math.isfinite(margin) else ""


@dataclass(frozen=True)
class Precision:
    """Play until every interval of `measure`, of agents and of differences of pairs, is at most `target` to each side.

    Each of these intervals holds with `confidence`, at all looks together; not all of the intervals at once.
    """

    kind: ClassVar[str] = "precision"
    target: float
    """Half a width: a share of deals for win_rate, points a deal for points."""
    measure: str
    confidence: float = CONFIDENCE

    def __post_init__(self) -> None:
        _check_amount(self.target, self.measure, "precision")

    @classmethod
    def parse(cls, text: str) -> Precision:
        """Read `0.5%` (win rates) or `0.05`, `0.05 points` (points a deal). Raises StoppingError for anything else.

        >>> Precision.parse("0.5%")
        Precision(target=0.005, measure='win_rate', confidence=0.95)
        """
        return cls(*_read_amount(text, "precision"))

    @cached_property
    def interval(self) -> ConfidenceSequence:
        """The confidence sequence that is narrowest where, with `TYPICAL_DEVIATION`, the run is expected to end."""
        ratio = TYPICAL_DEVIATION[self.measure] / self.target
        return ConfidenceSequence(max(FIRST_LOOK, round(narrowest(1 - self.confidence) * ratio**2)), self.confidence)

    def validate(self, names: Sequence[str], lineups: Sequence[Sequence[int]]) -> None:
        """See `StoppingRule`; this one fits any run."""

    def check(self, tally: Tally, names: Sequence[str]) -> State:
        """See `StoppingRule`."""
        name, margin = widest(tally, names, self.measure)
        done = tally.blocks >= (FIRST_LOOK if margin else EQUAL_BLOCKS) and margin <= self.target
        expected = self._expected(tally.blocks, margin)
        text = "" if math.isinf(margin) else f"widest ±{_amount(margin, self.measure)} ({name})"
        verdict = {
            **self.to_dict(),
            "reached": done,
            "blocks": tally.blocks,
            "widest": name,
            "widest_half_width": _finite(margin),
        }
        progress = 1.0 if done else tally.blocks / expected if expected else 0.0
        return State(done, f"{text} of {_amount(self.target, self.measure)}".strip(), expected, progress, verdict)

    def _expected(self, blocks: int, margin: float) -> int | None:
        """Blocks at which an interval that is now so wide will be narrow enough."""
        if not math.isfinite(margin):
            return None
        deviation = margin / self.interval.half_width(blocks, 1.0)
        low, high = FIRST_LOOK - 1, max(FIRST_LOOK, blocks)
        while self.interval.half_width(high, deviation) > self.target:
            low, high = high, 2 * high
        while high - low > 1:
            middle = (low + high) // 2
            if self.interval.half_width(middle, deviation) > self.target:
                low = middle
            else:
                high = middle
        return high

    def to_dict(self) -> dict[str, Any]:
        """See `StoppingRule`."""
        return {"rule": self.kind, **asdict(self)}


# --- the test ---------------------------------------------------------------------------------------------------------
@dataclass(frozen=True)
class SequentialTest:
    """Play until it is decided whether `first` is better than `second`.

    Sequential test on the block differences D of the two: D <= 0 on average against D >= `effect`, with at most `alpha`
    probability of accepting the second where the first holds, and at most `beta` of the reverse.

    It is the generalised sequential probability ratio test (Li, Liu and Ying, Generalized sequential probability ratio
    test for separate families of hypotheses, Sequential Analysis 33(4), 2014) for normal means with the variance
    unknown: the likelihoods of both hypotheses are maximised over it, and the logarithm of their ratio is stopped at
    Wald's bounds. Blocks are not normal, so the deviation is the guarded one (see `Moments`), and nothing is decided
    on the weight of a few blocks (`FIRST_LOOK`, `EQUAL_BLOCKS`, `MOST_SHARE`).
    """

    kind: ClassVar[str] = "test"
    first: str
    second: str
    effect: float
    measure: str
    alpha: float = DEFAULT_ALPHA
    beta: float = DEFAULT_BETA
    confidence: float = CONFIDENCE

    def __post_init__(self) -> None:
        _check_amount(self.effect, self.measure, "effect")
        for name, value in (("alpha", self.alpha), ("beta", self.beta)):
            if not LEAST_ERROR <= value < 0.5:
                raise StoppingError(
                    f"{name} is {value}; it must be at least {LEAST_ERROR:g} and below 0.5, such as 0.05"
                )
        if self.first == self.second:
            raise StoppingError(f"{self.first!r} is tested against itself; name two agents, as in A>B")

    @classmethod
    def parse(
        cls,
        text: str,
        names: Sequence[str],
        *,
        alpha: float = DEFAULT_ALPHA,
        beta: float = DEFAULT_BETA,
        effect: str = DEFAULT_EFFECT,
    ) -> SequentialTest:
        """Read `A>B`, two of the agents `names`; `effect` as in `Precision.parse`.

        Raises StoppingError where the text does not name two of the agents, or an amount cannot be.
        """
        places = [place for place, sign in enumerate(text) if sign == ">"]
        splits = [(text[:place].strip(), text[place + 1 :].strip()) for place in places]
        fitting = [split for split in splits if all(side in names for side in split)]
        if len(fitting) != 1:
            known = ", ".join(names)
            if fitting:
                raise StoppingError(f"test is {text!r}, which can be split in several ways; rename an agent")
            raise StoppingError(f"test is {text!r}; it must be A>B with two of the agents {known}")
        (first, second) = fitting[0]
        value, measure = _read_amount(effect, "effect")
        return cls(first, second, value, measure, alpha, beta)

    @property
    def bounds(self) -> tuple[float, float]:
        """Log-likelihood ratios at which it is rejected and accepted: Wald, Sequential Analysis (1947), 3.2."""
        return math.log(self.beta / (1 - self.alpha)), math.log((1 - self.beta) / self.alpha)

    @cached_property
    def interval(self) -> ConfidenceSequence:
        """The confidence sequence that is narrowest where, with `TYPICAL_DEVIATION`, the test is expected to end."""
        lower, upper = self.bounds
        steps = max(-self.alpha * upper - (1 - self.alpha) * lower, (1 - self.beta) * upper + self.beta * lower)
        ratio = TYPICAL_DEVIATION[self.measure] / self.effect
        return ConfidenceSequence(max(FIRST_LOOK, round(2 * steps * ratio**2)), self.confidence)

    def validate(self, names: Sequence[str], lineups: Sequence[Sequence[int]]) -> None:
        """See `StoppingRule`."""
        for name in (self.first, self.second):
            if name not in names:
                raise StoppingError(f"the test names {name!r}; it must be one of the agents {', '.join(names)}")
        both = {names.index(self.first), names.index(self.second)}
        if not any(both <= set(lineup) for lineup in lineups):
            raise StoppingError(f"{self.first} and {self.second} never meet in a line-up; a test needs one with both")

    def check(self, tally: Tally, names: Sequence[str]) -> State:
        """See `StoppingRule`."""
        moments = tally.difference(names.index(self.first), names.index(self.second), self.measure)
        ratio = (
            math.nan
            if moments.blocks < 2
            else float(log_likelihood_ratio(moments.blocks, moments.mean, moments.guarded, self.effect))
        )
        lower, upper = self.bounds
        result = "undecided"
        if _may_decide(moments):
            result = "accepted" if ratio >= upper else "rejected" if ratio <= lower else "undecided"
            if moments.deviation == 0 and self._reaches_effect(tally, names):
                result = "undecided"
        done = result != "undecided"
        expected = tally.blocks if done else self._expected(moments, ratio)
        verdict = {
            **self.to_dict(),
            "result": result,
            "blocks": tally.blocks,
            "llr": _finite(ratio),
            "lower": _finite(lower),
            "upper": _finite(upper),
        }
        progress = tally.blocks / expected if expected else 0.0
        text = f"LLR {ratio:.2f} of {lower:.2f} to {upper:.2f}" if tally.blocks > 1 else ""
        return State(done, text, expected, progress, verdict)

    def _reaches_effect(self, tally: Tally, names: Sequence[str]) -> bool:
        """Whether the interval of the difference holds the effect."""
        pair = names.index(self.first), names.index(self.second)
        found = {who: estimate for who, estimate in tally.estimates(self.measure) if len(who) == 2}
        high = found[pair].high if pair in found else -found[pair[1], pair[0]].low
        return high >= self.effect

    def _expected(self, moments: Moments, ratio: float) -> int | None:
        """Blocks at the end, as Brownian motion with the drift and variance seen so far would take to leave."""
        lower, upper = self.bounds
        if not math.isfinite(ratio):
            return max(EQUAL_BLOCKS, int(moments.blocks) + FIRST_LOOK) if ratio < 0 else None
        if not lower < ratio < upper:  # decided, but too early to say so
            return max(FIRST_LOOK, math.ceil(int(moments.blocks) * max(1.0, moments.share / MOST_SHARE)))
        variance = float(self.effect / moments.guarded) ** 2  # of a block's log-likelihood ratio
        drift = ratio / moments.blocks
        up, down, slope = upper - ratio, ratio - lower, 2 * drift / variance
        if abs(slope) * (up + down) < 1e-3:
            rest = up * down / variance
        else:
            leaves_above = math.expm1(-slope * down) / math.expm1(-slope * (up + down))
            rest = (up * leaves_above - down * (1 - leaves_above)) / drift
        return max(FIRST_LOOK, int(moments.blocks) + math.ceil(rest))

    def to_dict(self) -> dict[str, Any]:
        """See `StoppingRule`."""
        return {"rule": self.kind, **asdict(self)}


def _may_decide(moments: Moments) -> bool:
    if not moments.deviation:
        return bool(moments.blocks >= EQUAL_BLOCKS)
    return bool(moments.blocks >= FIRST_LOOK and moments.share <= MOST_SHARE)


def log_likelihood_ratio(blocks: Any, mean: Any, deviation: Any, effect: float) -> Any:
    """The generalised log-likelihood ratio of a mean of `effect` against one of 0, for normal values.

    `blocks` (at least 2), `mean` and `deviation` (with n - 1) are numbers or arrays of one shape. Under a mean of m the
    likelihood is greatest for the variance v + (mean - m)^2, with v the variance about the mean (with n), and there
    proportional to that variance to the power of -n / 2. Minus infinity where all blocks were 0.
    """
    variance = np.square(deviation) * (blocks - 1) / blocks
    with np.errstate(divide="ignore"):
        against, in_favour = np.log(variance + np.square(mean)), np.log(variance + np.square(mean - effect))
    return blocks / 2 * (against - in_favour)
