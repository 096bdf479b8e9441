"""The search for the setting that wins a share: it finds it within its error, and says so where there is none."""

import math
from collections.abc import Callable

import numpy as np
import pytest

from bigtwo_sim.arena.runners.trials import Figures
from bigtwo_sim.arena.stats.root_search import Found, Knob, Point, RootSearch, _Fit
from bigtwo_sim.tuning.difficulty import MOST_CHECKS, Difficulty, set_difficulty
from searched_levels import BLUNDER, CASES, NOISE, WORLDS, of_blunder, of_worlds, shares


def searched(
    knob: Knob, curve: Callable[[float], float], target: float, start: float | None, seed: int, error: float = 0.004
) -> tuple[Found, RootSearch]:
    chance = np.random.default_rng(seed)
    search = RootSearch(knob, target, error, start)
    while (request := search.ask()) is not None:
        assert knob.low <= request.value <= knob.high
        assert not knob.whole or request.value == round(request.value)
        search.tell(request.value, shares(chance, curve(request.value), request.blocks))
    assert search.found is not None
    return search.found, search


@pytest.mark.parametrize(("knob", "curve", "target", "start"), CASES)
def test_the_setting_is_found_within_its_error(knob, curve, target, start) -> None:
    misses = []
    for seed in range(40):
        found, search = searched(knob, curve, target, start, seed)
        assert found.verdict == "root"
        assert found.error <= search.error
        misses.append((curve(found.value) - target) / search.error)
        assert search.blocks < 3 * (0.22 / search.error) ** 2
    # Not one is far off, and the error that is told is that of the search.
    assert max(map(abs, misses)) < 5
    assert 0.3 < np.std(misses) < 1.35
    assert abs(np.mean(misses)) < 0.7


@pytest.mark.parametrize(
    ("knob", "curve", "target", "verdict", "value"),
    [
        (WORLDS, of_worlds, 0.55, "below", 1000),
        (WORLDS, of_worlds, 0.05, "above", 1),
        (BLUNDER, of_blunder, 0.35, "below", 0),
        (BLUNDER, of_blunder, 0.05, "above", 1),
        (WORLDS, lambda value: 0.2 if value < 40 else 0.4, 0.3, "jump", None),
    ],
)
def test_what_cannot_be_reached_is_told(knob, curve, target, verdict, value) -> None:
    for seed in range(10):
        found, search = searched(knob, curve, target, None, seed)
        assert found.verdict == verdict
        assert value is None or found.value == value
        assert search.blocks < 20_000


def test_a_curve_that_jumps_between_values_however_close_comes_to_an_end() -> None:
    found, _ = searched(BLUNDER, lambda value: 0.4 if value < 0.3 else 0.2, 0.3, None, 1, error=0.02)
    assert found.verdict in ("lost", "root")
    assert found.value == pytest.approx(0.3, abs=0.1)


def test_a_target_at_the_end_of_the_knob_is_found_there() -> None:
    found, _ = searched(BLUNDER, of_blunder, 0.25, None, 3)
    assert of_blunder(found.value) == pytest.approx(0.25, abs=0.016)


def test_the_search_takes_in_what_was_measured_elsewhere_and_goes_on() -> None:
    chance = np.random.default_rng(5)
    found, search = searched(WORLDS, of_worlds, 0.40, 300.0, 5)
    wrong = np.full(40_000, 0.36)  # much evidence that the guess wins far less
    search.tell(found.value, wrong + 0.2 * chance.standard_normal(len(wrong)))
    assert search.found is None or search.found.value > found.value
    assert search.blocks > 40_000


def test_the_fit_is_the_curve_that_the_points_lie_on() -> None:
    points = [Point(value, 10_000, 1 / (1 + math.exp(0.7 - 0.3 * value)), 0.2) for value in (0.0, 1.0, 2.0, 4.0)]
    fit = _Fit(points, float, 0.5)
    assert fit.root() == pytest.approx(0.7 / 0.3, rel=1e-3)
    assert fit.share(3.0) == pytest.approx(1 / (1 + math.exp(0.7 - 0.9)), rel=1e-3)
    # Four points of 10,000 blocks each around the root: about the error of so many blocks there.
    assert 0.2 / math.sqrt(40_000) < fit.error(2.0) < 0.25 / math.sqrt(30_000)


def test_a_knob_goes_there_and_back() -> None:
    for knob in (
        WORLDS,
        BLUNDER,
        NOISE,
        Knob("weight", -30, 30, rising=True),
        Knob("mismatch_likelihood", 0.001, 1, rising=True),
    ):
        for value in np.linspace(knob.low, knob.high, 13):
            there = knob.value(knob.coordinate(float(value)))
            assert there == pytest.approx(value, rel=1e-5, abs=0.51 if knob.whole else 1e-5)
    assert WORLDS.value(WORLDS.coordinate(7.4)) == 7
    assert WORLDS.value(100) == 1000


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Knob("k", 1, 1, rising=True), "the knob k goes from 1 to 1; it must go upwards"),
        (lambda: Knob("k", 0, math.inf, rising=True), "the knob k goes from 0 to inf"),
        (lambda: RootSearch(BLUNDER, 1.0, 0.01), "target is 1.0; it must be above 0 and below 1"),
        (lambda: RootSearch(BLUNDER, 0.3, 0.0), "error is 0.0; it must be above 0 and below 1"),
    ],
)
def test_what_cannot_be_meant_is_told(make, message) -> None:
    with pytest.raises(ValueError, match=message):
        make()


# --- the proof on fresh decks -----------------------------------------------------------------------------------------
def difficulty(
    knob: Knob, curve: Callable[[float], float], target: float, start: float | None, seed: int, precision: float = 0.02
) -> tuple[Difficulty, set[tuple[int, int]]]:
    played: set[tuple[int, int]] = set()

    def measure(value: float, of_seed: int, first: int, blocks: int) -> Figures:
        assert not any((of_seed, block) in played for block in (first, first + blocks - 1))  # no deck twice
        played.update((of_seed, block) for block in range(first, first + blocks))
        won = shares(np.random.default_rng([seed, of_seed, first]), curve(value), blocks)
        return Figures(won, 10 * (won - 0.25))

    return set_difficulty(knob, target, precision, start, seed, measure), played


@pytest.mark.parametrize(("knob", "curve", "target", "start"), CASES)
def test_a_difficulty_that_is_proved_is_true(knob, curve, target, start) -> None:
    proved = 0
    for seed in range(20):
        found, played = difficulty(knob, curve, target, start, seed)
        assert found.blocks == len(played)
        assert len({check.seed for check in found.checks}) == len(found.checks) <= MOST_CHECKS
        if found.reached is not None:
            proved += 1
            check = found.reached
            assert found.verdict == "reached"
            assert target - 0.02 <= check.win_rate.low <= check.win_rate.high <= target + 0.02
            assert check.margin.mean == pytest.approx(10 * (check.win_rate.mean - 0.25))
            assert abs(curve(check.value) - target) <= 0.02
    assert proved >= 19


def test_a_difficulty_out_of_reach_is_not_proved() -> None:
    for target, verdict in ((0.55, "below"), (0.05, "above")):
        found, _ = difficulty(WORLDS, of_worlds, target, 300.0, 1)
        assert (found.verdict, found.reached, found.checks) == (verdict, None, [])
        assert found.expected == pytest.approx(of_worlds(found.guess), abs=0.06)


def test_a_difficulty_just_beyond_the_knob_is_set_at_its_end() -> None:
    """What lies within the precision of the end counts as reached."""
    end = of_worlds(1000)
    found, _ = difficulty(WORLDS, of_worlds, end + 0.006, 300.0, 2)
    assert found.reached is not None
    assert abs(of_worlds(found.reached.value) - end) < 0.012
