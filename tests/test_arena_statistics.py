"""Means over blocks and their intervals: known values, a plain calculation deal by deal, and coverage by simulation."""

import math
import statistics
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from bigtwo_sim.arena import Student, Tally, entries, round_robin, seatings
from bigtwo_sim.arena.intervals import student_t
from bigtwo_sim.arena.statistics import COLUMNS, BlockSums, Estimate


# --- means ------------------------------------------------------------------------------------------------------------
def sums_of(values: Any, denominator: int = 1) -> BlockSums:
    sums = BlockSums(np.array([denominator]))
    sums.add(np.array([values]))
    return sums


def estimate_of(values: Any, denominator: int = 1) -> Estimate:
    return sums_of(values, denominator).estimate((0,), Student())


def test_a_known_mean_and_interval() -> None:
    estimate = estimate_of([2, 4, 6, 8, 10], denominator=2)  # 1 to 5
    margin = 2.776445 * math.sqrt(2.5 / 5)
    assert (estimate.mean, estimate.low, estimate.high) == pytest.approx((3, 3 - margin, 3 + margin), abs=1e-6)
    assert estimate.margin == pytest.approx(margin, abs=1e-6)


def test_one_block_has_a_mean_and_no_interval() -> None:
    assert math.isnan(BlockSums(np.array([4])).estimate((0,), Student()).mean)
    estimate = estimate_of([3], denominator=4)
    assert estimate.mean == 0.75
    assert math.isnan(estimate.low)
    assert math.isnan(estimate.high)


def test_equal_blocks_have_an_interval_of_no_width() -> None:
    estimate = estimate_of(np.full(1000, 1), denominator=4)
    assert estimate.low == estimate.high == 0.25


def test_sums_are_exact_beyond_64_bits_and_in_any_portions() -> None:
    values = np.array([2**40, -(2**40), 2**40 + 1, 3] * 50)
    whole, parts = sums_of(values), BlockSums(np.array([1]))
    for portion in np.array_split(values, 7):
        parts.add(portion[None])
    assert whole.squares.tolist() == parts.squares.tolist() == [sum(int(value) ** 2 for value in values)]
    assert whole.totals.tolist() == parts.totals.tolist() == [sum(map(int, values))]
    assert whole.squares[0] > 2**63
    assert whole.deviation((0,)) == parts.deviation((0,)) == pytest.approx(statistics.stdev(map(int, values)))


@pytest.mark.parametrize(
    ("values", "weights", "blocks"),
    [
        ([0, 1, 2, 3, 4, 5, 6], [1, 6, 15, 20, 15, 6, 1], 3),
        ([0, 1, 2, 3, 4, 5, 6], [1, 6, 15, 20, 15, 6, 1], 10),
        ([0, 3, 8, 20, 45], [7, 6, 4, 2, 1], 300),  # skewed, as points are: Student's interval needs more blocks
    ],
    ids=["3 blocks", "10 blocks", "300 skewed blocks"],
)
def test_intervals_cover_the_truth_as_often_as_they_say(values: list[int], weights: list[int], blocks: int) -> None:
    runs = 4_000  # the share of 95 % has a standard error of 0.34 %
    probabilities = np.array(weights) / sum(weights)
    truth = float(probabilities @ np.array(values))
    covered = 0
    for row in np.random.default_rng(1).choice(values, size=(runs, blocks), p=probabilities):
        estimate = estimate_of(row)
        covered += estimate.low <= truth <= estimate.high
    assert 0.94 < covered / runs < 0.96


# --- runs -------------------------------------------------------------------------------------------------------------
Deals = list[list[dict[str, Any]]]


def invented_blocks(line_ups: Sequence[Sequence[int]], blocks: int, seed: int) -> tuple[list[Deals], npt.NDArray[Any]]:
    """Invented outcomes of whole blocks: deal by deal, and as the sums that a tally takes in."""
    random = np.random.default_rng(seed)
    row_of = {(entry.lineup, entry.agent): row for row, entry in enumerate(entries(line_ups))}
    sums = np.zeros((blocks, len(row_of), len(COLUMNS)), np.int64)
    found: list[Deals] = []
    for block in range(blocks):
        of_block: Deals = []
        for number, line_up in enumerate(line_ups):
            deals = []
            for slots in seatings(line_up).tolist():
                sitting = [line_up[slot] for slot in slots]
                winner = int(random.integers(4))
                left = random.integers(1, 14, 4)
                left[winner] = 0
                points = random.integers(-30, 100, 4)
                deals.append({"sitting": sitting, "winner": winner, "left": left, "points": points})
                for seat, agent in enumerate(sitting):
                    row = sums[block, row_of[number, agent]]
                    row[seat] += seat == winner
                    row[4:7] += [points[seat], left[seat], 1]
            of_block.append(deals)
        found.append(of_block)
    return found, sums


def plainly(blocks: list[Deals], agent: int, against: int | None, measure: str) -> list[float]:
    """The value of each block, by the words of the definition."""

    def of_deal(deal: dict[str, Any], who: int) -> list[float]:
        if measure == "win":
            return [float(deal["winner"] == seat) for seat in range(4) if deal["sitting"][seat] == who]
        return [float(deal[measure][seat]) for seat in range(4) if deal["sitting"][seat] == who]

    values = []
    for line_ups in blocks:
        of_line_ups = []
        for deals in line_ups:
            present = set(deals[0]["sitting"])
            if agent in present and (against is None or against in present):
                value = statistics.mean(x for deal in deals for x in of_deal(deal, agent))
                if against is not None:
                    value -= statistics.mean(x for deal in deals for x in of_deal(deal, against))
                of_line_ups.append(value)
        values.append(statistics.mean(of_line_ups))
    return values


def assert_estimate(estimate: Any, values: list[float]) -> None:
    n = len(values)
    margin = student_t(n - 1, 0.975) * statistics.stdev(values) / math.sqrt(n)
    mean = statistics.mean(values)
    assert (estimate.mean, estimate.low, estimate.high) == pytest.approx((mean, mean - margin, mean + margin))


@pytest.mark.parametrize("count", [1, 2, 3, 4, 5, 6])
def test_the_tally_is_the_plain_calculation_deal_by_deal(count: int) -> None:
    line_ups = round_robin(range(count))
    blocks, sums = invented_blocks(line_ups, 5, seed=count)
    tally = Tally(line_ups)
    tally.add(sums)
    agents = tally.agents()
    assert [summary.agent for summary in agents] == list(range(count))
    everything = [deal for block in blocks for deals in block for deal in deals]
    assert tally.deals == len(everything)
    for summary in agents:
        if count > 1:  # alone, an agent wins a quarter of each block and the interval has no width
            assert_estimate(summary.win_rate, plainly(blocks, summary.agent, None, "win"))
        assert_estimate(summary.points, plainly(blocks, summary.agent, None, "points"))
        assert_estimate(summary.cards_left, plainly(blocks, summary.agent, None, "left"))
        assert summary.deals == sum(summary.agent in deal["sitting"] for deal in everything)
        assert summary.decisions == sum(deal["sitting"].count(summary.agent) for deal in everything)
        assert list(summary.wins_by_seat) == [
            sum(deal["winner"] == seat and deal["sitting"][seat] == summary.agent for deal in everything)
            for seat in range(4)
        ]
    pairs = tally.pairs()
    assert len(pairs) == math.comb(count, 2)
    for pair in pairs:
        assert_estimate(pair.points, plainly(blocks, pair.first, pair.second, "points"))
        assert_estimate(pair.win_rate, plainly(blocks, pair.first, pair.second, "win"))
        assert pair.deals == sum({pair.first, pair.second} <= set(deal["sitting"]) for deal in everything)


def test_win_rates_of_four_agents_add_up_to_one() -> None:
    _, sums = invented_blocks([(0, 1, 2, 3)], 20, seed=0)
    tally = Tally([(0, 1, 2, 3)])
    tally.add(sums)
    assert sum(summary.win_rate.mean for summary in tally.agents()) == pytest.approx(1)


def test_an_agent_alone_wins_a_quarter_exactly() -> None:
    _, sums = invented_blocks([(0, 0, 0, 0)], 20, seed=0)
    tally = Tally([(0, 0, 0, 0)])
    tally.add(sums)
    rate = tally.agents()[0].win_rate
    assert (rate.mean, rate.low, rate.high) == (0.25, 0.25, 0.25)
    assert tally.pairs() == []


def test_win_rates_stay_between_none_and_all() -> None:
    tally = Tally([(0, 1, 2, 3)])
    sums = np.zeros((2, 4, len(COLUMNS)), np.int64)
    sums[0, 0, 0] = sums[1, 1, 0] = 24
    tally.add(sums)
    for summary in tally.agents():
        assert 0 <= summary.win_rate.low <= summary.win_rate.high <= 1
    assert tally.pairs()[0].win_rate.low == -1


def test_pairs_that_never_met_are_left_out() -> None:
    tally = Tally([(0, 0, 1, 1), (2, 2, 3, 3)])
    assert [(pair.first, pair.second) for pair in tally.pairs()] == [(0, 1), (2, 3)]


def test_blocks_may_arrive_in_any_order_and_portions() -> None:
    line_ups = round_robin(range(3))
    _, sums = invented_blocks(line_ups, 30, seed=9)
    whole = Tally(line_ups)
    whole.add(sums)
    expected = (whole.agents(), whole.pairs())
    for size in (1, 7, 29):
        tally = Tally(line_ups)
        for first in reversed(range(0, 30, size)):
            tally.add(sums[first : first + size])
        assert (tally.agents(), tally.pairs()) == expected
