"""The strength scale: the maximum of the likelihood, errors from block to block, and what has no finite number."""

import math
from collections.abc import Sequence
from typing import Any

import choix
import numpy as np
import numpy.typing as npt
import pytest
from scipy.optimize import minimize

from bigtwo_sim.arena import ConfidenceSequence, Tally, entries, round_robin, strengths
from bigtwo_sim.arena.stats.strength import RATING_UNIT
from bigtwo_sim.games.big_two.game import COUNTING
from tests.tools.lanes import mostly_swept


def tally_of(line_ups: Sequence[Sequence[int]], wins: npt.NDArray[Any], **options: Any) -> Tally:
    """A tally of blocks with these wins, int[blocks, entries]."""
    sums = np.zeros((*wins.shape, len(COUNTING.columns)), np.int64)
    sums[:, :, 0] = wins
    tally = Tally(line_ups, **options)
    tally.add(sums)
    return tally


def drawn(line_ups: Sequence[Sequence[int]], theta: Any, blocks: int, seed: int, luck: float = 0.0) -> npt.NDArray[Any]:
    """Wins of blocks by Luce's choice axiom; `luck` lets each agent be better or worse for the whole of a block."""
    random = np.random.default_rng(seed)
    found = entries(line_ups)
    wins = np.zeros((blocks, len(found)), np.int64)
    weights = np.exp(np.asarray(theta) + luck * random.standard_normal((blocks, len(theta))))
    for number in range(len(line_ups)):
        rows = [row for row, entry in enumerate(found) if entry.lineup == number]
        of_line_up = weights[:, [found[row].agent for row in rows]] * [found[row].copies for row in rows]
        shares = of_line_up / of_line_up.sum(axis=1, keepdims=True)
        wins[:, rows] = random.multinomial(found[rows[0]].deals, shares)
    return wins


def thetas(tally: Tally) -> list[float]:
    return [strength.theta.mean for strength in strengths(tally)]


# --- the estimate -----------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("agents", mostly_swept([4, 5, 6], 4))
def test_it_is_what_choix_finds(agents: int) -> None:
    line_ups = round_robin(range(agents))
    wins = drawn(line_ups, np.linspace(-1, 1, agents), 3, seed=agents)
    data = [
        (entry.agent, [other for other in line_ups[entry.lineup] if other != entry.agent])
        for block in wins
        for entry, won in zip(entries(line_ups), block, strict=True)
        for _ in range(won)
    ]
    expected = choix.opt_top1(agents, data, alpha=1e-10, tol=1e-10)
    assert thetas(tally_of(line_ups, wins)) == pytest.approx(expected - expected.mean(), abs=1e-5)


def test_agents_in_several_seats_count_several_times() -> None:
    line_ups = [(0, 0, 0, 1), (0, 1, 1, 2), (2, 2, 1, 1), (2, 2, 2, 2)]
    wins = drawn(line_ups, [0.8, 0.0, -0.7], 20, seed=1)

    def objective(theta: npt.NDArray[Any]) -> float:  # by the words of the definition
        value = 0.01 * theta.sum() ** 2
        for entry, won in zip(entries(line_ups), wins.sum(axis=0), strict=True):
            at_table = [math.exp(theta[agent]) for agent in line_ups[entry.lineup]]
            value -= won * math.log(math.exp(theta[entry.agent]) / sum(at_table))
        return value

    expected = minimize(objective, np.zeros(3), tol=1e-12).x
    assert thetas(tally_of(line_ups, wins)) == pytest.approx(expected - expected.mean(), abs=1e-4)


def test_the_probabilities_behind_the_wins_come_back() -> None:
    theta = np.array([1.2, 0.1, -0.4, -0.9])
    shares = np.exp(theta) / np.exp(theta).sum()
    wins = np.rint(10**6 * shares)[None]
    assert thetas(tally_of([(0, 1, 2, 3)], wins)) == pytest.approx(theta, abs=1e-5)


def test_line_ups_alike_are_one_line_up() -> None:
    wins = drawn([(0, 1, 2, 3)], [0.5, 0.0, 0.0, -0.5], 40, seed=2)
    once, twice = (
        tally_of([(0, 1, 2, 3)], wins),
        tally_of([(0, 1, 2, 3), (3, 2, 1, 0)], np.hstack([wins, wins[:, ::-1]])),
    )
    assert thetas(twice) == pytest.approx(thetas(once))
    for one, other in zip(strengths(once), strengths(twice), strict=True):
        assert other.theta.margin == pytest.approx(one.theta.margin)


def test_a_rating_of_400_more_wins_ten_times_as_often() -> None:
    tally = tally_of([(0, 0, 1, 1)], np.array([[1000, 100], [1000, 100]]))
    first, second = strengths(tally)
    assert first.rating.mean - second.rating.mean == pytest.approx(400, abs=1e-4)
    assert first.rating.high == first.theta.high * RATING_UNIT


# --- its error --------------------------------------------------------------------------------------------------------
def test_the_error_is_that_of_leaving_out_one_block_after_another() -> None:
    line_ups = [*round_robin(range(5)), (0, 0, 1, 1)]
    wins = drawn(line_ups, [0.5, 0.2, 0.0, -0.3, -0.4], 60, seed=3, luck=0.5)
    tally = tally_of(line_ups, wins)
    without = np.array([thetas(tally_of(line_ups, np.delete(wins, block, axis=0))) for block in range(60)])
    jackknife = np.sqrt(59 / 60 * ((without - without.mean(axis=0)) ** 2).sum(axis=0))
    for strength, error in zip(strengths(tally), jackknife, strict=True):
        assert strength.error == pytest.approx(error, rel=0.03)
        plain = tally.interval.half_width(60, error * math.sqrt(60))
        # Win rates lean to one side, and so do strengths.
        assert (strength.theta.high - strength.theta.low) / 2 == pytest.approx(plain, rel=0.2)
        assert strength.theta.margin > 0.99 * plain


def test_intervals_cover_the_truth_where_deals_of_a_block_are_alike() -> None:
    line_ups = [(0, 1, 2, 3), (0, 0, 1, 2)]
    luck = 0.6
    # What many blocks say is the truth: luck bends the shares, so it is not the theta put in.
    truth = np.array(thetas(tally_of(line_ups, drawn(line_ups, [0.6, 0.1, -0.1, -0.6], 40_000, 4, luck))))
    covered, by_deals = 0, 0
    for seed in range(250):
        tally = tally_of(line_ups, drawn(line_ups, [0.6, 0.1, -0.1, -0.6], 80, 100 + seed, luck))
        for strength, true in zip(strengths(tally), truth, strict=True):
            covered += strength.theta.low <= true <= strength.theta.high
            # An error that took the deals for independent would be that of 36 deals a block.
            by_deals += abs(strength.theta.mean - true) <= 1.96 / math.sqrt(36 * 80 * 0.19)
    assert 0.92 < covered / 1000 < 0.98
    assert by_deals / 1000 < 0.85


def test_it_uses_the_interval_of_the_run() -> None:
    wins = drawn([(0, 1, 2, 3)], [0.5, 0.0, 0.0, -0.5], 40, seed=2)
    student = strengths(tally_of([(0, 1, 2, 3)], wins))
    anytime = strengths(tally_of([(0, 1, 2, 3)], wins, interval=ConfidenceSequence(40)))
    for one, other in zip(student, anytime, strict=True):
        ratio = ConfidenceSequence(40).half_width(40, 1.0) / Tally([(0,) * 4]).interval.half_width(40, 1.0)
        assert other.error == pytest.approx(one.error)
        assert ratio * one.theta.margin < other.theta.margin < 1.4 * ratio * one.theta.margin  # with the guard


# --- what has no finite number ----------------------------------------------------------------------------------------
def test_nothing_played_says_nothing() -> None:
    for strength in strengths(Tally([(0, 1, 2, 3)])):
        assert math.isnan(strength.theta.mean)
        assert strength.note == "no block was played"


def test_one_block_has_no_error_yet() -> None:
    first = strengths(tally_of([(0, 0, 1, 1)], np.array([[4, 2]])))[0]
    assert first.theta.mean == pytest.approx(math.log(2) / 2)
    assert math.isnan(first.theta.low)
    assert first.note == ""


def test_an_agent_alone_is_the_scale() -> None:
    (alone,) = strengths(tally_of([(0, 0, 0, 0)], np.array([[1], [1], [1]])))
    assert (alone.theta.mean, alone.theta.low, alone.theta.high, alone.note) == (0, 0, 0, "")


def test_agents_that_no_chain_of_line_ups_joins_have_no_scale() -> None:
    tally = tally_of([(0, 0, 1, 1), (2, 2, 3, 3)], np.array([[3, 3, 2, 4]]))
    for strength in strengths(tally):
        assert math.isnan(strength.theta.mean)
        assert strength.note == "no chain of line-ups joins all agents"


def test_always_and_never_winning_is_infinite_and_leaves_the_others_alone() -> None:
    line_ups = [(0, 1, 2, 3), (1, 1, 2, 3)]
    wins = np.array([[24, 0, 0, 0, 7, 5, 0], [24, 0, 0, 0, 8, 4, 0]])
    best, one, other, worst = strengths(tally_of(line_ups, wins))
    assert (best.theta.mean, best.note) == (math.inf, "never lost to those that have a number")
    assert (worst.theta.mean, worst.note) == (-math.inf, "never won against those that have a number")
    assert best.theta.high == math.inf
    assert worst.theta.low == -math.inf
    assert one.theta.mean == pytest.approx(math.log(15 / 9 / 2) / 2)
    assert one.theta.mean == -other.theta.mean
    assert one.theta.low < one.theta.mean < one.theta.high
    # The limit of a long likelihood: the same with the two far away, but not quite.
    nearly = wins * 10**6 + np.array([0, 1, 1, 0, 0, 0, 1])
    nearly[:, 3] = 1
    assert thetas(tally_of(line_ups, nearly))[1:3] == pytest.approx(
        [strength.theta.mean + np.mean(thetas(tally_of(line_ups, nearly))[1:3]) for strength in (one, other)], abs=1e-3
    )


def test_who_never_won_is_below_the_theta_at_which_it_would_win_as_often_as_its_interval_allows() -> None:
    wins = np.tile([4, 0], (10, 1))
    one, other = strengths(tally_of([(0, 0, 0, 1)], wins))
    assert (one.theta.mean, one.note) == (0.0, "the others are compared with it")
    assert math.isnan(one.theta.low)
    most = 1 - 0.025**0.1  # of the deals: Clopper and Pearson
    assert (other.theta.mean, other.theta.low) == (-math.inf, -math.inf)
    assert other.theta.high == pytest.approx(math.log(3 * most / (1 - most)))
    turned = strengths(tally_of([(0, 0, 0, 1)], wins[:, ::-1]))[1]
    assert (turned.theta.mean, turned.theta.high) == (math.inf, math.inf)
    assert turned.theta.low == pytest.approx(math.log(3 * (1 - most) / most))


@pytest.mark.parametrize("wins_of_other", range(1, 9))
def test_of_two_agents_one_is_as_uncertain_as_the_other(wins_of_other: int) -> None:
    wins = np.tile([4, 0], (10, 1))
    wins[:wins_of_other] = [3, 1]
    one, other = strengths(tally_of([(0, 0, 0, 1)], wins))
    assert one.error == pytest.approx(other.error)
    share = wins_of_other / 40
    spread = math.sqrt(wins_of_other * (10 - wins_of_other) / 9 / 10 / 10) / 4  # of the share
    assert one.error == pytest.approx(spread / (share * (1 - share)) / 2, rel=1e-6)


def test_who_won_once_may_never_win_and_may_win_much_oftener() -> None:
    wins = np.tile([4, 0], (200, 1))
    wins[7] = [3, 1]
    one, other = strengths(tally_of([(0, 0, 0, 1)], wins))
    assert other.theta.low == -math.inf
    assert other.theta.mean < other.theta.high < math.inf
    assert other.theta.high - other.theta.mean > 1.0
    assert one.theta.high == math.inf  # the mean of both is 0


def test_two_that_never_beat_each_other_below_a_third_are_both_below() -> None:
    line_ups = [(0, 0, 1, 1), (0, 0, 2, 2)]
    low, high = (
        strengths(tally_of(line_ups, np.array([[3, 3, 6, 0]]))),
        strengths(tally_of(line_ups, np.array([[6, 0, 6, 0]]))),
    )
    assert [strength.theta.mean for strength in low] == pytest.approx([0, 0, -math.inf])
    assert [strength.theta.mean for strength in high] == pytest.approx([0, -math.inf, -math.inf])


def test_what_chains_of_wins_do_not_compare_has_no_number() -> None:
    # 0 and 1 beat each other; 2 beats 3 always and 3 beats 0 never, and nobody lost to nobody else.
    line_ups = [(0, 0, 1, 1), (0, 0, 2, 2), (3, 3, 2, 2)]
    found = strengths(tally_of(line_ups, np.array([[3, 3, 0, 6, 0, 6]])))
    assert found[2].theta.mean == math.inf
    assert math.isnan(found[3].theta.mean)
    assert found[3].note == "no chain of wins joins it to those that have a number"


def test_too_many_agents_are_told() -> None:
    line_ups = [(first, first + 1, first + 2, first + 3) for first in range(0, 600, 3)]
    wins = drawn(line_ups, np.zeros(602), 1, seed=0)
    assert strengths(tally_of(line_ups, wins))[0].note == "601 agents are too many for one scale"


def test_a_hundred_agents_have_a_scale() -> None:
    line_ups = [(first % 100, (first + 1) % 100, (first + 7) % 100, (first + 31) % 100) for first in range(300)]
    theta = np.linspace(-1, 1, 100)
    found = thetas(tally_of(line_ups, drawn(line_ups, theta, 60, seed=5)))
    assert np.corrcoef(found, theta)[0, 1] > 0.99
    assert sum(found) == pytest.approx(0, abs=1e-9)
