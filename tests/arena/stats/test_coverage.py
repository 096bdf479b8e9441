"""Intervals hold the truth as often as they say where events are rare and blocks few, and are never of no width."""

import math

import numpy as np
import numpy.typing as npt
import pytest

import interval_coverage as study
from bigtwo_sim.arena import ConfidenceSequence, Student, Tally
from bigtwo_sim.arena.runners.matches import ratio_estimate
from bigtwo_sim.games.big_two.game import COUNTING


# --- what a run shows -------------------------------------------------------------------------------------------------
def one_among_three(random: np.random.Generator, rate: float, blocks: int) -> npt.NDArray[np.int64]:
    """Blocks of four deals in which one agent wins at this rate among three copies of another; a win brings points."""
    won = random.binomial(4, rate, blocks)
    gained = np.array([random.integers(3, 22, count).sum() for count in won])
    sums = np.zeros((blocks, 2, len(COUNTING.columns)), np.int64)
    sums[:, 0, 0], sums[:, 1, 0] = 4 - won, won
    points = COUNTING.column("points")
    sums[:, 0, points], sums[:, 1, points] = random.integers(3, 22, blocks) * (4 - won), gained
    return sums


def test_a_rare_winner_of_ten_blocks_has_intervals_that_hold_the_truth() -> None:
    """What 40 deals of `random` among three `heuristic` are like; Student's interval holds it in half of such runs."""
    random = np.random.default_rng(1)
    rate, runs = 0.016, 400
    held = dict.fromkeys(("wins", "other wins", "points", "difference"), 0)
    for _ in range(runs):
        tally = Tally([(0, 0, 0, 1)])
        tally.add(one_among_three(random, rate, 10))
        other, rare = tally.agents()
        (pair,) = tally.pairs()
        for name, estimate, truth in (
            ("wins", rare.win_rate, rate),
            ("other wins", other.win_rate, (1 - rate) / 3),
            ("points", rare.points, 12 * rate),
            ("difference", pair.win_rate, (1 - rate) / 3 - rate),
        ):
            assert estimate.low < estimate.high
            held[name] += estimate.low <= truth <= estimate.high
        assert 0 <= rare.win_rate.low <= rare.win_rate.high <= 1
        assert other.win_rate.high <= 1 / 3  # of three copies at most one wins
    assert min(held.values()) >= 0.94 * runs, held


def test_two_agents_that_never_differed_are_not_proved_to_be_equal() -> None:
    sums = np.zeros((50, 2, len(COUNTING.columns)), np.int64)
    sums[:, :, 0] = 3
    sums[:, :, COUNTING.column("points")] = np.random.default_rng(2).integers(20, 60, (50, 1))
    for interval in (Student(), ConfidenceSequence(50)):
        tally = Tally([(0, 0, 1, 1)], interval)
        tally.add(sums)
        (pair,) = tally.pairs()
        for estimate in (pair.win_rate, pair.points):
            assert estimate.low < estimate.mean == 0 < estimate.high


def test_matches_of_one_block_have_no_interval_and_of_two_one_within_what_can_be() -> None:
    one = ratio_estimate(np.array([10]), np.array([24]), None, 0.0, 1.0)
    assert math.isnan(one.low)
    two = ratio_estimate(np.array([8, 12]), np.array([24, 24]), None, 0.0, 1.0)
    assert 0 <= two.low < two.mean < two.high <= 1
    length = ratio_estimate(np.array([60, 86]), np.array([24, 24]), None, 1.0, 12.0)
    assert 1 <= length.low < length.mean < length.high <= 12
    same = ratio_estimate(np.array([24, 24]), np.array([24, 24]), None, 0.0, 1.0)
    assert (same.low, same.high) == pytest.approx((math.sqrt(0.025), 1.0))


# --- a few cells of the study -----------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("kind", "rate", "blocks"),
    [
        ("1 deal", 0.01, 100),
        ("1 deal", 0.25, 5),
        ("4 deals", 0.01, 10),
        ("4 deals", 0.001, 1000),
        ("4 deals, alike", 0.05, 5),
        ("24 deals", 0.6, 2),
        ("24 deals", 0.001, 100),
        ("24 deals, alike", 0.01, 100),
    ],
)
def test_a_cell_of_the_study(kind: str, rate: float, blocks: int) -> None:
    values = study.wins(np.random.default_rng(7), rate, *study.KINDS[kind], (2000, blocks))
    student = study.plain_student(values, 0.0, 1.0)
    assert study.covered(values, rate, 0.0, 1.0) >= 0.94
    assert study.held(student, rate) < 0.94


def test_where_blocks_are_many_and_rates_moderate_the_interval_is_students() -> None:
    for kind, rate in (("1 deal", 0.25), ("4 deals", 0.6), ("24 deals", 0.25)):
        values = study.wins(np.random.default_rng(8), rate, *study.KINDS[kind], (300, 400))
        student = study.width(study.plain_student(values, 0.0, 1.0))
        moments = study.moments_of(values, 0.0, 1.0)
        assert student < study.width(study.limits(moments, Student())) < 1.02 * student


@pytest.mark.parametrize(("kind", "rate"), [("4 deals", 0.001), ("24 deals", 0.01), ("1 deal", 0.05)])
def test_the_confidence_sequence_holds_at_all_looks_where_events_are_rare(kind: str, rate: float) -> None:
    values = study.wins(np.random.default_rng(9), rate, *study.KINDS[kind], (200, study.LOOKS[-1]))
    assert study.held_at_all_looks(values, rate, ConfidenceSequence(1000)) >= 0.95
