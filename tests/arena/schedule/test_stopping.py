"""Stopping rules: how they are written, what they say of a tally, and by simulation that looking spoils nothing."""

import math
from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from bigtwo_sim.arena import Precision, SequentialTest, State, StoppingError, Tally, rule_from_dict
from bigtwo_sim.arena.schedule.stopping import (
    EQUAL_BLOCKS,
    FIRST_LOOK,
    log_likelihood_ratio,
    widest,
    widest_text,
)
from bigtwo_sim.arena.stats.intervals import ConfidenceSequence
from bigtwo_sim.games.big_two.game import COUNTING
from stopping_rules import WAYS, decide, hypotheses, looks, real_blocks

NAMES = ["greedy", "heuristic", "a>b", "b"]


# --- how they are written ---------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("text", "target", "measure"),
    [
        ("0.5%", 0.005, "win_rate"),
        (" 2 % ", 0.02, "win_rate"),
        ("0.05", 0.05, "points"),
        ("0.05 points", 0.05, "points"),
        ("1 Point", 1.0, "points"),
        ("1e-1points", 0.1, "points"),
    ],
)
def test_a_precision_is_a_win_rate_or_points(text: str, target: float, measure: str) -> None:
    rule = Precision.parse(text)
    assert (rule.target, rule.measure) == (pytest.approx(target), measure)


@pytest.mark.parametrize(
    "text", ["", "%", "0", "0%", "-1%", "100%", "nan", "inf", "narrow", "0,5%", "5 %%", "1 win", "1e-300%"]
)
def test_a_precision_that_cannot_be_is_told(text: str) -> None:
    with pytest.raises(StoppingError, match=r"precision is .*; it must be a win rate above 0% and below 100%"):
        Precision.parse(text)


def test_a_test_names_two_agents_even_where_names_have_the_sign_in_them() -> None:
    assert SequentialTest.parse("greedy>heuristic", NAMES) == SequentialTest("greedy", "heuristic", 0.2, "points")
    assert SequentialTest.parse(" b > greedy ", NAMES).first == "b"
    rule = SequentialTest.parse("a>b>greedy", NAMES, alpha=0.01, beta=0.1, effect="1%")
    assert rule == SequentialTest("a>b", "greedy", 0.01, "win_rate", 0.01, 0.1)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("greedy", "test is 'greedy'; it must be A>B with two of the agents greedy, heuristic, a>b, b"),
        ("greedy>random", "it must be A>B with two of the agents"),
        ("greedy>", "it must be A>B with two of the agents"),
        ("b>b", "'b' is tested against itself; name two agents, as in A>B"),
    ],
)
def test_a_test_of_other_than_two_agents_is_told(text: str, message: str) -> None:
    with pytest.raises(StoppingError, match=message):
        SequentialTest.parse(text, NAMES)


def test_a_test_that_can_be_read_in_two_ways_is_told() -> None:
    with pytest.raises(StoppingError, match="can be split in several ways; rename an agent"):
        SequentialTest.parse("a>b>c", ["a", "b>c", "a>b", "c"])


@pytest.mark.parametrize("value", [0, 1e-300, 0.5, -0.1, 5, math.nan])
def test_error_rates_that_cannot_be_are_told(value: float) -> None:
    for name in ("alpha", "beta"):
        with pytest.raises(StoppingError, match=f"{name} is .*; it must be at least 1e-09 and below 0.5"):
            SequentialTest.parse("b>greedy", NAMES, **{name: value})  # type: ignore[arg-type]


def test_an_effect_that_cannot_be_is_told() -> None:
    with pytest.raises(StoppingError, match="effect is '0 points'; it must be a win rate above 0%"):
        SequentialTest.parse("b>greedy", NAMES, effect="0 points")
    with pytest.raises(StoppingError, match="effect is -1; it must be at least 1e-06, and below 1 for a win rate"):
        SequentialTest("b", "greedy", -1, "points")
    with pytest.raises(StoppingError, match="measure is 'cards'; it must be win_rate or points"):
        SequentialTest("b", "greedy", 1, "cards")


def test_a_test_needs_agents_that_meet() -> None:
    rule = SequentialTest.parse("greedy>b", NAMES)
    rule.validate(NAMES, [(0, 0, 1, 1), (0, 2, 3, 3)])
    with pytest.raises(StoppingError, match="greedy and b never meet in a line-up"):
        rule.validate(NAMES, [(0, 0, 1, 1), (1, 2, 3, 3)])
    with pytest.raises(StoppingError, match="the test names 'b'; it must be one of the agents greedy, heuristic"):
        rule.validate(NAMES[:2], [(0, 0, 1, 1)])
    Precision.parse("1%").validate(NAMES[:2], [(0, 0, 1, 1)])


@pytest.mark.parametrize("rule", [Precision.parse("0.5%"), SequentialTest("a", "b", 0.01, "win_rate", 0.01, 0.2)])
def test_rules_come_back_from_their_description(rule: Any) -> None:
    assert rule_from_dict(rule.to_dict()) == rule


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ({"rule": "hunch"}, "the stopping rule 'hunch' is unknown; it must be precision or test"),
        ({}, "the stopping rule None is unknown"),
        ({"rule": "precision", "width": 1}, "is not one of this version"),
        ({"rule": "precision", "target": 0, "measure": "points"}, "precision is 0; it must be at least 1e-06"),
    ],
)
def test_a_description_that_is_none_is_told(data: dict[str, Any], message: str) -> None:
    with pytest.raises(StoppingError, match=message):
        rule_from_dict(data)


# --- what they say of a tally -----------------------------------------------------------------------------------------
LINE_UP = (0, 0, 1, 1)  # 6 deals a block, 12 samples of each agent


def blocks_of(points: Any, wins: Any) -> npt.NDArray[np.int64]:
    """Blocks of LINE_UP in which the first agent makes these points and wins, and the second the opposite."""
    sums = np.zeros((len(points), 2, len(COUNTING.columns)), np.int64)
    sums[:, 0, COUNTING.column("points")], sums[:, 1, COUNTING.column("points")] = points, -np.asarray(points)
    sums[:, 0, 0], sums[:, 1, 0] = wins, 6 - np.asarray(wins)
    return sums


def played(blocks: int, lift: float = 0.0, seed: int = 0) -> npt.NDArray[np.int64]:
    random = np.random.default_rng(seed)
    return blocks_of(np.rint(random.normal(12 * lift, 24, blocks)), random.binomial(6, 0.5, blocks))


def check_all(rule: Any, sums: npt.NDArray[np.int64], portion: int = 50) -> Iterator[State]:
    tally = Tally([LINE_UP], rule.interval)
    for first in range(0, len(sums), portion):
        tally.add(sums[first : first + portion])
        yield rule.check(tally, ["one", "two"])


def test_a_run_of_some_precision_ends_when_its_widest_interval_is_that_narrow() -> None:
    rule = Precision(0.02, "win_rate")
    states = list(check_all(rule, played(6000)))
    end = next(place for place, state in enumerate(states) if state.done)
    assert all(state.done for state in states[end:])
    tally = Tally([LINE_UP], rule.interval)
    tally.add(played(6000)[: 50 * (end + 1)])
    margins = [summary.win_rate.margin for summary in tally.agents()] + [pair.win_rate.margin for pair in tally.pairs()]
    assert max(margins) <= 0.02
    before = states[end - 1]
    assert before.verdict["widest_half_width"] > 0.02
    assert before.text == f"widest ±{100 * before.verdict['widest_half_width']:.3g} % (one over two) of 2 %"
    assert states[end].verdict["reached"]
    assert states[end].progress == 1
    assert all(0 < state.progress < 1 for state in states[:end])
    # From the first look on, the end is foretold.
    assert all(
        abs(state.blocks_expected - 50 * end) < 0.15 * 50 * end for state in states[4:end] if state.blocks_expected
    )


def test_before_two_blocks_a_rule_knows_nothing() -> None:
    for rule in (Precision(0.5, "points"), SequentialTest("one", "two", 0.5, "points")):
        state = next(check_all(rule, played(1), portion=1))
        assert (state.done, state.blocks_expected, state.progress) == (False, None, 0)
        assert "nan" not in state.text
        assert "inf" not in state.text
        tally = Tally([LINE_UP], rule.interval)
        assert not rule.check(tally, ["one", "two"]).done


def test_no_rule_ends_a_run_before_its_first_look() -> None:
    for rule in (Precision(50, "points"), SequentialTest("one", "two", 0.5, "points")):
        states = list(check_all(rule, played(FIRST_LOOK + 100, lift=5), portion=10))
        assert [state.done for state in states] == [False] * (FIRST_LOOK // 10 - 1) + [True] * 11


def test_equal_blocks_say_little_for_long() -> None:
    same = blocks_of(np.zeros(EQUAL_BLOCKS + 50), np.full(EQUAL_BLOCKS + 50, 3))
    for rule in (Precision(0.01, "points"), SequentialTest("one", "two", 0.5, "points")):
        states = list(check_all(rule, same))
        assert [state.done for state in states] == [False] * (EQUAL_BLOCKS // 50 - 1) + [True] * 2
    assert states[-1].verdict["result"] == "rejected"
    assert states[-1].verdict["llr"] is None


def test_a_few_large_blocks_decide_nothing() -> None:
    points = np.zeros(2000)
    points[[10, 100, 150, 190]] = 600
    assert not any(
        state.done for state in check_all(SequentialTest("one", "two", 1.0, "points"), blocks_of(points, points))
    )


@pytest.mark.parametrize(("lift", "result"), [(1.0, "accepted"), (-1.0, "rejected")])
def test_a_test_tells_which_is_better(lift: float, result: str) -> None:
    rule = SequentialTest("one", "two", 0.5, "points")
    sums = played(3000, lift)
    end = next(state for state in check_all(rule, sums) if state.done)
    assert end.verdict["result"] == result
    turned = SequentialTest("two", "one", 0.5, "points")
    other = next(state for state in check_all(turned, sums[:, ::-1]) if state.done)
    assert (other.verdict["llr"], other.verdict["blocks"]) == (end.verdict["llr"], end.verdict["blocks"])
    lower, upper = rule.bounds
    assert end.text == f"LLR {end.verdict['llr']:.2f} of {lower:.2f} to {upper:.2f}"
    assert (round(lower, 2), round(upper, 2)) == (-2.94, 2.94)


def test_the_end_of_a_test_is_foretold_on_average() -> None:
    rule = SequentialTest("one", "two", 0.4, "points")
    ratios = []
    for seed in range(40):
        states = list(check_all(rule, played(8000, lift=0.2, seed=seed), portion=200))
        end = next(place for place, state in enumerate(states) if state.done)
        ratios += [state.blocks_expected / (200 * (end + 1)) for state in states[:end] if state.blocks_expected]
        assert all(0 < state.progress <= 1 for state in states)
    assert 0.5 < np.median(ratios) < 2


def test_the_likelihood_ratio_is_that_of_two_normal_fits() -> None:
    values = np.random.default_rng(3).normal(0.3, 2.0, 50)

    def log_likelihood(mean: float) -> float:  # at its maximum over the variance, searched for
        variances = np.geomspace(1, 20, 20_001)[:, None]
        return float((-0.5 * np.log(2 * np.pi * variances) - (values - mean) ** 2 / (2 * variances)).sum(axis=1).max())

    ratio = log_likelihood_ratio(50, values.mean(), values.std(ddof=1), 0.7)
    assert ratio == pytest.approx(log_likelihood(0.7) - log_likelihood(0.0), abs=1e-5)


def test_the_widest_interval_of_a_plain_run_is_told() -> None:
    tally = Tally([LINE_UP])
    assert widest_text(tally, ["one", "two"]) == ""
    tally.add(played(500))
    name, margin = widest(tally, ["one", "two"], "points")
    pair = tally.pairs()[0]
    assert (name, margin) == ("one over two", pair.points.margin)
    assert widest_text(tally, ["one", "two"], "points") == f"widest ±{margin:.3g} points (one over two)"


def test_the_intervals_of_a_rule_hold_at_all_looks_and_are_made_for_its_end() -> None:
    assert Precision(0.005, "win_rate").interval == ConfidenceSequence(5306)
    assert Precision(0.9, "win_rate").interval == ConfidenceSequence(FIRST_LOOK)
    assert SequentialTest("a", "b", 0.2, "points").interval == ConfidenceSequence(1623)


# --- looking spoils nothing -------------------------------------------------------------------------------------------
def test_the_simulation_decides_as_the_rule_does() -> None:
    rule = SequentialTest("one", "two", 0.5, "points")
    for seed, lift in ((1, 0.5), (2, 0.0), (3, -0.2)):
        points = np.rint(np.random.default_rng(seed).normal(12 * lift, 24, 2000))
        end = next(state for state in check_all(rule, blocks_of(points, points * 0), portion=20) if state.done)
        seen = looks(2 * points[None] / 12)
        decision = decide(rule, seen)
        assert decision.blocks[0] == end.verdict["blocks"]
        assert decision.result[0] == {"accepted": 1, "rejected": -1}[end.verdict["result"]]
        look = seen.blocks.tolist().index(decision.blocks[0])
        n, mean, deviation = seen.blocks[look], seen.means[0, look], seen.guarded[0, look]
        assert log_likelihood_ratio(n, mean, deviation, 0.5) == pytest.approx(end.verdict["llr"], abs=1e-5)


CASES = [(name, way) for name in ("unlike", "skewed", "alike") for way in WAYS]


@pytest.mark.compiled
@pytest.mark.parametrize(("name", "way"), CASES)
@pytest.mark.parametrize("effect_in_deviations", [0.06, 0.15])
def test_the_error_rates_of_a_test_hold_for_real_blocks(name: str, way: str, effect_in_deviations: float) -> None:
    effect, cases = hypotheses(real_blocks()[name], way, effect_in_deviations)
    rule = SequentialTest("a", "b", effect, "points")
    runs, blocks = 400, int(30 / effect_in_deviations**2)
    random = np.random.default_rng(11)

    of_none, of_some = (
        decide(rule, looks(values[random.choice(len(values), (runs, blocks), p=weights)])).result
        for values, weights in cases
    )
    at_most = 0.05 + 2 * math.sqrt(0.05 * 0.95 / runs)
    assert (of_none > 0).mean() <= at_most  # seen: 0.00 to 0.06
    assert (of_some < 0).mean() <= at_most
    for results in (of_none, of_some):  # the others are undecided yet
        assert (results != 0).mean() > 0.75


@pytest.mark.compiled
def test_testing_at_every_look_with_a_fixed_interval_fails() -> None:
    values = real_blocks()["unlike"]
    seen = looks((values - values.mean())[np.random.default_rng(11).choice(len(values), (400, 4000))])
    # 1.645 deviations of a mean: 5 % to one side, at a single look.
    assert (seen.means > 1.645 * seen.deviations / np.sqrt(seen.blocks)).any(axis=1).mean() > 0.15


@pytest.mark.compiled
@pytest.mark.parametrize("name", ["unlike", "skewed", "alike", "seldom wins"])
def test_the_intervals_of_a_rule_hold_for_real_blocks_at_all_looks_together(name: str) -> None:
    values = real_blocks()[name]
    seen = looks(values[np.random.default_rng(12).choice(len(values), (500, 4000))], FIRST_LOOK)
    for expected in (200, 2000, 8000):
        widths = np.array([ConfidenceSequence(expected).half_width(n, 1.0) for n in seen.blocks.tolist()])
        missed = (np.abs(seen.means - values.mean()) > widths * seen.guarded).any(axis=1).mean()
        assert missed <= 0.05  # seen: 0.00 to 0.03
