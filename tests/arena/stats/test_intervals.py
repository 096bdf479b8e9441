"""Intervals: known values, the boundary as published, and coverage by simulation, looked at once and all the time."""

import math
import statistics
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from bigtwo_sim.arena import ConfidenceSequence, Interval, Student, interval_from_dict
from bigtwo_sim.arena.stats.intervals import GUARD, Moments, around, estimate_of, moments_of, narrowest, student_t
from stopping_rules import looks


# --- Student ----------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("freedom", "quantile"),  # two-sided 95 %: Abramowitz and Stegun, table 26.10
    [(1, 12.706), (2, 4.303), (3, 3.182), (4, 2.776), (5, 2.571), (10, 2.228), (20, 2.086), (60, 2.000), (120, 1.980)],
)
def test_student_has_the_values_of_the_tables(freedom: int, quantile: float) -> None:
    assert student_t(freedom, 0.975) == pytest.approx(quantile, abs=0.0006)
    width = Student().half_width(freedom + 1, 3.0)
    assert width == pytest.approx(quantile * 3 / math.sqrt(freedom + 1), rel=3e-4)


def test_student_is_the_normal_interval_in_the_end() -> None:
    normal = statistics.NormalDist()
    assert student_t(10**9, 0.975) == pytest.approx(normal.inv_cdf(0.975), abs=1e-8)
    assert Student(0.99).half_width(10**8, 1.0) == pytest.approx(normal.inv_cdf(0.995) / 1e4)


# --- the confidence sequence ------------------------------------------------------------------------------------------
@pytest.mark.parametrize("confidence", [0.5, 0.9, 0.95, 0.999])
@pytest.mark.parametrize("expected", [1, 200, 12_345])
def test_the_boundary_is_the_published_one_at_its_narrowest(confidence: float, expected: int) -> None:
    def published(n: int, rho: float) -> float:  # theorem 2.2 of the paper, letter by letter, for a deviation of 1
        alpha = 1 - confidence
        return math.sqrt(2 * (n * rho**2 + 1) / (n**2 * rho**2) * math.log(math.sqrt(n * rho**2 + 1) / alpha))

    interval = ConfidenceSequence(expected, confidence)
    at_expected = interval.half_width(expected, 1.0)
    rho = math.sqrt((narrowest(1 - confidence) - 1) / expected)
    for n in (2, 10, 1000, 10**6):
        assert interval.half_width(n, 2.5) == pytest.approx(2.5 * published(n, rho))
    assert at_expected == pytest.approx(math.sqrt(narrowest(1 - confidence) / expected))
    for factor in (0.3, 0.9, 0.99, 1.01, 1.1, 3):
        assert published(expected, rho * factor) > at_expected


def test_the_best_rho_is_near_the_closed_form_of_the_paper() -> None:
    # Appendix B.2, equation (50) there: rho^2 = (-2 log a + log(-2 log a + 1)) / n.
    goal = -2 * math.log(0.05)
    assert narrowest(0.05) - 1 == pytest.approx(goal + math.log(goal + 1), rel=0.04)


def test_a_wrong_guess_of_the_size_costs_little() -> None:
    best = ConfidenceSequence(1000).half_width(1000, 1.0)
    for expected in (250, 4000):
        assert ConfidenceSequence(expected).half_width(1000, 1.0) < 1.12 * best


def test_intervals_come_back_from_their_description() -> None:
    intervals: list[Interval] = [Student(), Student(0.9), ConfidenceSequence(77), ConfidenceSequence(5, 0.99)]
    for interval in intervals:
        assert interval_from_dict(interval.to_dict()) == interval
    assert [interval.anytime for interval in intervals] == [False, False, True, True]


@pytest.mark.parametrize("confidence", [0, 1, -0.1, 95, math.nan])
def test_a_confidence_that_cannot_be_is_told(confidence: float) -> None:
    with pytest.raises(ValueError, match=r"confidence is .*; it must be above 0 and below 1"):
        Student(confidence)
    with pytest.raises(ValueError, match="it must be above 0 and below 1"):
        ConfidenceSequence(100, confidence)


def test_what_is_no_interval_is_told() -> None:
    with pytest.raises(ValueError, match="expected is 0; it must be at least 1 block"):
        ConfidenceSequence(0)
    with pytest.raises(
        ValueError, match="the interval 'guess' is unknown; it must be 'student' or 'confidence sequence'"
    ):
        interval_from_dict({"name": "guess"})


# --- moments ----------------------------------------------------------------------------------------------------------
def test_the_guard_counts_the_largest_difference_again() -> None:
    moments = Moments(blocks=100, mean=1.0, deviation=2.0, largest=5.0)
    assert moments.guarded == pytest.approx(math.sqrt(4 + GUARD * 25 / 100))
    assert moments.share == pytest.approx(25 / (4 * 99))
    assert around(moments, Student()).margin == pytest.approx(Student().half_width(100, 2.0))
    sequence = ConfidenceSequence(50)
    assert around(moments, sequence).margin == pytest.approx(sequence.half_width(100, moments.guarded))


def test_too_few_blocks_have_no_interval() -> None:
    for interval in (Student(), ConfidenceSequence(50)):
        assert math.isnan(around(Moments(0, math.nan, math.nan, math.nan), interval).margin)
        assert math.isnan(around(Moments(1, 2.0, math.nan, math.nan), interval).margin)
    assert Moments(9, 0.5, 0.0, 0.0).share == 0


def test_equal_blocks_have_an_interval_where_something_is_known_of_other_blocks() -> None:
    for interval in (Student(), ConfidenceSequence(50)):
        assert math.isnan(around(moments_of(np.zeros(5)), interval).margin)
        never, always, between = (estimate_of(np.full(5, value), interval, 0.0, 1.0) for value in (0.0, 1.0, 0.25))
        assert never.low == 0.0 < never.high < 1.0
        assert (always.low, always.high) == pytest.approx((1 - never.high, 1.0))
        assert (between.low, between.high) == pytest.approx((0.25 - 0.25 * never.high, 0.25 + 0.75 * never.high))


@pytest.mark.parametrize(("blocks", "upper"), [(2, 0.8419), (5, 0.5218), (10, 0.3085), (100, 0.0362)])
def test_an_event_that_was_not_seen_is_as_probable_as_clopper_and_pearson_say(blocks: int, upper: float) -> None:
    assert estimate_of(np.zeros(blocks), None, 0.0, 1.0).high == pytest.approx(upper, abs=1e-4)


def test_the_shape_of_events_is_found_again() -> None:
    # A compound Poisson process of events of size 3: five upwards in a hundred blocks, and five downwards.
    random = np.random.default_rng(3)
    events = 3.0 * (random.poisson(0.05, 200_000) - random.poisson(0.05, 200_000))
    found = moments_of(events)
    assert float(found.event) == pytest.approx(3.0, rel=0.03)
    assert float(found.lean) == pytest.approx(0.0, abs=0.1)
    assert float(moments_of(np.maximum(events, 0.0)).lean) == pytest.approx(3.0, rel=0.03)
    normal = moments_of(random.normal(1.0, 2.0, 100_000))
    assert float(normal.seen) == pytest.approx(100_000 / 3, rel=0.03)
    assert float(normal.scale) == pytest.approx(2 * math.sqrt((1 + 6 * 4 + 3 * 16) / 5), rel=0.02)


def test_many_nearly_normal_blocks_have_students_interval() -> None:
    values = np.random.default_rng(5).binomial(24, 0.4, 400) / 24
    plain = Student().half_width(400, values.std(ddof=1))
    found = estimate_of(values, None, 0.0, 1.0)
    assert plain < found.margin < 1.02 * plain
    assert (found.high - found.low) / 2 == pytest.approx(plain, rel=0.01)


def test_the_interval_turns_with_the_values() -> None:
    values = np.random.default_rng(5).poisson(0.2, 40) / 4
    one, other = estimate_of(values, None, 0.0, 1.0), estimate_of(1 - values, None, 0.0, 1.0)
    assert (one.low, one.high) == pytest.approx((1 - other.high, 1 - other.low))
    assert one.high - one.mean > 1.1 * (one.mean - one.low)


# --- coverage ---------------------------------------------------------------------------------------------------------
def gaussian(random: np.random.Generator, shape: tuple[int, int]) -> tuple[npt.NDArray[Any], float]:
    return random.normal(3.0, 2.0, shape), 3.0


def rare(random: np.random.Generator, shape: tuple[int, int]) -> tuple[npt.NDArray[Any], float]:
    """A win rate of 1.5 %, nearly all of it in one block of eight, whose deck suits the agent."""
    rate = np.where(random.random(shape) < 1 / 8, 0.11, 0.0015)
    return random.binomial(24, rate) / 24, 0.11 / 8 + 0.0015 * 7 / 8


def skewed(random: np.random.Generator, shape: tuple[int, int]) -> tuple[npt.NDArray[Any], float]:
    """Points: mostly little, seldom much."""
    return random.exponential(1.0, shape) ** 2, 2.0


DISTRIBUTIONS = [gaussian, rare, skewed]
RUNS, BLOCKS = 1000, 3000


def test_the_looks_of_these_tests_are_those_of_moments() -> None:
    values, _ = skewed(np.random.default_rng(0), (1, 400))
    seen = looks(values)
    for place, n in enumerate(seen.blocks.tolist()):
        so_far = values[0, :n]
        plain = Moments(n, so_far.mean(), so_far.std(ddof=1), np.abs(so_far - so_far.mean()).max())
        of_plain = (plain.mean, plain.deviation, plain.guarded, plain.share)
        assert tuple(figures[0, place] for figures in seen[1:]) == pytest.approx(of_plain)


@pytest.mark.parametrize("distribution", DISTRIBUTIONS)
@pytest.mark.parametrize("expected", [200, 3000])
def test_the_confidence_sequence_holds_at_all_looks_together(distribution: Any, expected: int) -> None:
    values, truth = distribution(np.random.default_rng(7), (RUNS, BLOCKS))
    seen = looks(values)
    widths = np.array([ConfidenceSequence(expected).half_width(n, 1.0) for n in seen.blocks.tolist()])
    missed = (np.abs(seen.means - truth) > widths * seen.guarded).any(axis=1).mean()
    assert missed <= 0.05  # seen: 0.01 to 0.03


@pytest.mark.parametrize("distribution", DISTRIBUTIONS)
def test_students_interval_fails_when_looked_at_as_often(distribution: Any) -> None:
    values, truth = distribution(np.random.default_rng(7), (RUNS, BLOCKS))
    seen = looks(values)
    widths = np.array([Student().half_width(n, 1.0) for n in seen.blocks.tolist()])
    misses = np.abs(seen.means - truth) > widths * seen.deviations
    assert misses.any(axis=1).mean() > 0.2
    assert abs(misses[:, -1].mean() - 0.05) < 0.025  # while a single look holds
