"""Intervals: known values, the boundary as published, and coverage by simulation, looked at once and all the time."""

import math
import statistics
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from looks import looks

from bigtwo_sim.arena import ConfidenceSequence, Interval, Student, interval_from_dict
from bigtwo_sim.arena.intervals import GUARD, Moments, margin, narrowest, student_t


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
    assert margin(Student(), moments) == Student().half_width(100, 2.0)
    assert margin(ConfidenceSequence(50), moments) == ConfidenceSequence(50).half_width(100, moments.guarded)


def test_too_few_blocks_have_no_interval_and_equal_ones_one_without_width() -> None:
    for interval in (Student(), ConfidenceSequence(50)):
        assert math.isnan(margin(interval, Moments(0, math.nan, math.nan, math.nan)))
        assert math.isnan(margin(interval, Moments(1, 2.0, math.nan, math.nan)))
        assert margin(interval, Moments(2, 2.0, 0.0, 0.0)) == 0
    assert Moments(9, 0.5, 0.0, 0.0).share == 0


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
