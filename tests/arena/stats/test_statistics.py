"""Means over blocks and their intervals: known values, a plain calculation deal by deal, and coverage by simulation."""

import math
import statistics
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from bigtwo_sim.arena import ConfidenceSequence, Student, Tally, entries, round_robin, seatings
from bigtwo_sim.arena.stats.block_sums import BlockSums
from bigtwo_sim.arena.stats.intervals import Estimate
from bigtwo_sim.games.big_two.game import COUNTING
from tests.reference.plain_intervals import plain_interval, scale_of


# --- means ------------------------------------------------------------------------------------------------------------
def sums_of(values: Any, denominator: int = 1) -> BlockSums:
    sums = BlockSums(np.array([denominator]))
    sums.add(np.array([values]))
    return sums


def estimate_of(values: Any, denominator: int = 1) -> Estimate:
    return sums_of(values, denominator).estimate((0,), Student())


def test_a_known_mean_and_interval() -> None:
    estimate = estimate_of([2, 4, 6, 8, 10], denominator=2)  # 1 to 5
    student = 2.776445 * math.sqrt(2.5 / 5)
    # No event is seen: k4 is negative. One of twice the size of a large value fades with 10^2 / 34 blocks that differ.
    unseen = 2 * math.sqrt((1 + 16 + 81 + 256 + 625) / 55) / (1 + 100 / 34) * (1 - 0.025 ** (1 / 5))
    margin = math.sqrt(student**2 + unseen**2)
    assert margin / student == pytest.approx(1.15, abs=0.005)
    assert (estimate.mean, estimate.low, estimate.high) == pytest.approx((3, 3 - margin, 3 + margin), abs=1e-6)
    assert estimate.margin == pytest.approx(margin, abs=1e-6)


def test_one_block_has_a_mean_and_no_interval() -> None:
    assert math.isnan(BlockSums(np.array([4])).estimate((0,), Student()).mean)
    estimate = estimate_of([3], denominator=4)
    assert estimate.mean == 0.75
    assert math.isnan(estimate.low)
    assert math.isnan(estimate.high)


def test_equal_blocks_have_an_interval_only_where_something_is_known_of_other_blocks() -> None:
    estimate = estimate_of(np.zeros(1000, int), denominator=4)
    assert math.isnan(estimate.low)
    assert math.isnan(estimate.high)
    sums = BlockSums(np.array([4]), 0.0, 1.0)
    sums.add(np.full((1, 1000), 1))
    known = sums.estimate((0,), Student())
    unseen = 1 - 0.025**0.001
    assert (known.low, known.high) == pytest.approx((0.25 - 0.25 * unseen, 0.25 + 0.75 * unseen))


def test_who_never_had_a_point_may_get_as_many_as_the_others_do() -> None:
    sums = BlockSums(np.array([[1, 1], [1, 1]]))
    sums.add(np.array([[[0, 0, 0, 0], [5, 9, 7, 3]], [[0, 0, 0, 0], [0, 0, 0, 0]]]))
    found = sums.estimates(Student())
    scale = 2 * math.sqrt((5**4 + 9**4 + 7**4 + 3**4) / (5**2 + 9**2 + 7**2 + 3**2))
    assert found[0, 0].high == pytest.approx(scale * (1 - 0.025**0.25))
    assert found[0, 0].low == -found[0, 0].high
    assert math.isnan(found[1, 0].high)  # where nobody had one, nothing is known


@pytest.mark.parametrize("denominator", [1, 24, 24 * 4845])
@pytest.mark.parametrize(("low", "high"), [(-math.inf, math.inf), (0.0, 100.0)])
def test_intervals_are_the_plain_calculation_value_by_value(denominator: int, low: float, high: float) -> None:
    random = np.random.default_rng(denominator)
    for rate, blocks in ((0.3, 40), (0.5, 7), (3.0, 2), (20.0, 300)):
        values = random.poisson(rate, blocks) * (1 + random.integers(0, 3, blocks)) * max(1, denominator // 4)
        sums = BlockSums(np.array([denominator]), low, high)
        for portion in np.array_split(values, 2):
            sums.add(portion[None])
        estimate = sums.estimate((0,), Student())
        if not values.any() and math.isinf(low):
            assert math.isnan(estimate.margin)
            continue
        expected = plain_interval((values / denominator).tolist(), low, high)
        rounding = 1e-3 if denominator > 240 else 1e-9
        assert (estimate.mean, estimate.low, estimate.high) == pytest.approx(expected, rel=1e-9, abs=rounding)


def test_sums_are_exact_beyond_64_bits_and_in_any_portions() -> None:
    values = np.array([2**40, -(2**40), 2**40 + 1, 3] * 50)
    whole, parts = sums_of(values), BlockSums(np.array([1]))
    for portion in np.array_split(values, 7):
        parts.add(portion[None])
    assert whole.squares.tolist() == parts.squares.tolist() == [sum(int(value) ** 2 for value in values)]
    assert whole.totals.tolist() == parts.totals.tolist() == [sum(map(int, values))]
    assert whole.squares[0] > 2**63
    assert whole.moments((0,)) == parts.moments((0,))
    assert whole.moments((0,)).deviation == pytest.approx(statistics.stdev(map(int, values)))


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
        sums = BlockSums(np.array([1]), min(values), max(values))
        sums.add(row[None])
        estimate = sums.estimate((0,), Student())
        covered += estimate.low <= truth <= estimate.high
    assert 0.94 < covered / runs < (0.96 if blocks > 10 else 1)


# --- runs -------------------------------------------------------------------------------------------------------------
Deals = list[list[dict[str, Any]]]


def invented_blocks(line_ups: Sequence[Sequence[int]], blocks: int, seed: int) -> tuple[list[Deals], npt.NDArray[Any]]:
    """Invented outcomes of whole blocks: deal by deal, and as the sums that a tally takes in."""
    random = np.random.default_rng(seed)
    row_of = {(entry.lineup, entry.agent): row for row, entry in enumerate(entries(line_ups))}
    sums = np.zeros((blocks, len(row_of), len(COUNTING.columns)), np.int64)
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
                    row[4:] += [points[seat], left[seat], 1, seat == 2]
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


@pytest.mark.parametrize("portions", [1, 4])
def test_moments_are_those_of_the_blocks(portions: int) -> None:
    values = np.random.default_rng(8).integers(-50, 90, 60)
    sums = BlockSums(np.array([7]))
    for portion in np.array_split(values, portions):
        sums.add(portion[None])
    moments = sums.moments((0,))
    assert moments.blocks == 60
    assert moments.mean == pytest.approx(values.mean() / 7)
    assert moments.deviation == pytest.approx(values.std(ddof=1) / 7)
    assert moments.largest == pytest.approx(np.abs(values - values.mean()).max() / 7)


def assert_estimate(estimate: Any, values: list[float], *known: float) -> None:
    """`known` are the least and the greatest value that a block can have, or how large a difference may be."""
    ends = (*known, None) if len(known) == 2 else (-math.inf, math.inf, *known)
    expected = plain_interval(values, *ends)  # type: ignore[arg-type]
    assert (estimate.mean, estimate.low, estimate.high) == pytest.approx(expected)


def most_won(line_ups: Sequence[Sequence[int]], agent: int, *others: int) -> float:
    """The greatest win rate that an agent can have in those line-ups in which it meets others."""
    copies = [line_up.count(agent) for line_up in map(list, line_ups) if {agent, *others} <= set(line_up)]
    several = [number for number in copies if number < 4] or copies
    return statistics.fmean(1 / number for number in several)


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
    pairs = tally.pairs()
    who = [(agent, None) for agent in range(count)] + [(pair.first, pair.second) for pair in pairs]
    scales = {
        measure: max(scale_of(plainly(blocks, first, second, measure)) for first, second in who)
        for measure in ("points", "left")
    }
    for summary in agents:
        if count > 1:  # alone, an agent wins a quarter of each block and the interval has no width
            most = most_won(line_ups, summary.agent)
            assert_estimate(summary.win_rate, plainly(blocks, summary.agent, None, "win"), 0.0, most)
        assert_estimate(summary.points, plainly(blocks, summary.agent, None, "points"), scales["points"])
        left = plainly(blocks, summary.agent, None, "left")
        assert summary.cards_left.high == pytest.approx(plain_interval(left, scale=scales["left"])[2])
        assert summary.cards_left.low == pytest.approx(plain_interval(left, low=0.0)[1])
        assert summary.deals == sum(summary.agent in deal["sitting"] for deal in everything)
        assert summary.decisions == sum(deal["sitting"].count(summary.agent) for deal in everything)
        assert summary.forfeits == sum(deal["sitting"][2] == summary.agent for deal in everything)
        assert list(summary.wins_by_seat) == [
            sum(deal["winner"] == seat and deal["sitting"][seat] == summary.agent for deal in everything)
            for seat in range(4)
        ]
    assert len(pairs) == math.comb(count, 2)
    for pair in pairs:
        assert_estimate(pair.points, plainly(blocks, pair.first, pair.second, "points"), scales["points"])
        ends = -most_won(line_ups, pair.second, pair.first), most_won(line_ups, pair.first, pair.second)
        assert_estimate(pair.win_rate, plainly(blocks, pair.first, pair.second, "win"), *ends)
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
    sums = np.zeros((2, 4, len(COUNTING.columns)), np.int64)
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


def test_line_ups_are_the_plain_calculation_deal_by_deal() -> None:
    line_ups = [(0, 1, 2, 3), (0, 0, 1, 2), (3, 3, 3, 3)]
    blocks, sums = invented_blocks(line_ups, 6, seed=4)
    tally = Tally(line_ups)
    tally.add(sums)
    summaries = tally.lineups()
    assert [summary.lineup for summary in summaries] == [0, 1, 2]
    scales = {
        measure: max(
            scale_of(plainly([[of_block[number]] for of_block in blocks], agent, None, measure))
            for number, line_up in enumerate(line_ups)
            for agent in set(line_up)
        )
        for measure in ("points", "left")
    }
    for number, summary in enumerate(summaries):
        alone = [[of_block[number]] for of_block in blocks]
        deals = [deal for of_block in alone for deal in of_block[0]]
        assert summary.deals == len(deals) == 6 * len(seatings(line_ups[number]))
        assert [member.agent for member in summary.agents] == list(dict.fromkeys(line_ups[number]))
        for member in summary.agents:
            assert member.copies == line_ups[number].count(member.agent)
            if number < 2:
                most = 1 / member.copies
                assert_estimate(member.win_rate, plainly(alone, member.agent, None, "win"), 0.0, most)
            assert_estimate(member.points, plainly(alone, member.agent, None, "points"), scales["points"])
            left = plainly(alone, member.agent, None, "left")
            assert member.cards_left.high == pytest.approx(plain_interval(left, scale=scales["left"])[2])
            assert member.cards_left.low == pytest.approx(plain_interval(left, low=0.0)[1])
            assert sum(member.wins_by_seat) == sum(deal["sitting"][deal["winner"]] == member.agent for deal in deals)
    assert [summary.equal_seats is None for summary in summaries] == [True, True, False]


def mirror(wins: Sequence[int]) -> float:
    """The sanity figure of a mirror with these wins by seat."""
    sums = np.zeros((sum(wins), 1, len(COUNTING.columns)), np.int64)
    sums[np.arange(sum(wins)), 0, np.repeat(np.arange(4), wins)] = 1
    tally = Tally([(0, 0, 0, 0)])
    tally.add(sums)
    (summary,) = tally.lineups()
    assert summary.agents[0].win_rate == Estimate(0.25, 0.25, 0.25)
    assert summary.equal_seats is not None
    return summary.equal_seats


def test_a_mirror_tells_whether_the_seats_win_alike() -> None:
    assert mirror([50, 50, 50, 50]) == 1
    # Of 3 degrees of freedom, 7.815 is the 5 % point and 11.345 the 1 % point (Abramowitz and Stegun, table 26.8).
    of_724, of_804 = mirror([59, 60, 41, 40]), mirror([60, 60, 41, 39])
    of_1060, of_1152 = mirror([61, 62, 39, 38]), mirror([62, 62, 38, 38])
    assert of_724 > 0.05 > of_804 > of_1060 > 0.01 > of_1152
    assert math.isnan(Tally([(0, 0, 0, 0)]).lineups()[0].equal_seats or 0)


def test_the_sanity_figure_of_a_mirror_is_below_5_percent_as_often_as_it_says() -> None:
    random = np.random.default_rng(6)
    figures = [mirror(random.multinomial(200, [0.25] * 4).tolist()) for _ in range(600)]
    assert 0.03 < np.mean(np.array(figures) < 0.05) < 0.075


def test_wins_vary_together_as_the_plain_covariance_says() -> None:
    line_ups = round_robin(range(5))
    _, sums = invented_blocks(line_ups, 30, seed=2)
    tally = Tally(line_ups)
    for portion in np.array_split(sums, 4):
        tally.add(portion)
    by_agent = np.zeros((30, 5))
    for row, entry in enumerate(entries(line_ups)):
        by_agent[:, entry.agent] += sums[:, row, :4].sum(axis=1)
    assert tally.wins_covariance() == pytest.approx(np.cov(by_agent.T))
    with pytest.raises(ValueError, match="0 blocks of 5 agents have no covariance of wins"):
        Tally(line_ups).wins_covariance()


@pytest.mark.parametrize("measure", ["win_rate", "points"])
def test_estimates_are_those_of_agents_and_pairs(measure: str) -> None:
    line_ups = round_robin(range(3))
    _, sums = invented_blocks(line_ups, 3, seed=1)
    tally = Tally(line_ups)
    tally.add(sums)
    expected = {(agent.agent,): getattr(agent, measure) for agent in tally.agents()}
    expected |= {(pair.first, pair.second): getattr(pair, measure) for pair in tally.pairs()}
    assert dict(tally.estimates(measure)) == expected


def test_a_difference_turns_with_its_agents() -> None:
    line_ups = round_robin(range(3))
    blocks, sums = invented_blocks(line_ups, 12, seed=3)
    tally = Tally(line_ups)
    tally.add(sums)
    for measure, name in (("win_rate", "win"), ("points", "points")):
        values = plainly(blocks, 2, 0, name)
        there, back = tally.difference(2, 0, measure), tally.difference(0, 2, measure)
        assert (there.mean, there.deviation) == pytest.approx((statistics.mean(values), statistics.stdev(values)))
        assert (back.mean, back.deviation, back.largest) == (-there.mean, there.deviation, there.largest)
    with pytest.raises(ValueError, match="not in list"):
        Tally([(0, 0, 0, 0), (1, 1, 1, 1)]).difference(0, 1, "points")


def test_all_intervals_of_a_tally_are_those_it_was_given() -> None:
    line_ups = round_robin(range(4))
    _, sums = invented_blocks(line_ups, 50, seed=7)
    interval = ConfidenceSequence(40)
    plain, anytime = Tally(line_ups), Tally(line_ups, interval)
    for tally in (plain, anytime):
        tally.add(sums)
    for one, other in zip(plain.agents(), anytime.agents(), strict=True):
        assert other.points.mean == one.points.mean
        assert other.points.margin > one.points.margin
    moments = anytime.difference(0, 1, "points")
    guarded = interval.half_width(50, moments.guarded)
    points = anytime.pairs()[0].points
    assert (points.high - points.low) / 2 == pytest.approx(guarded, rel=0.01)
    assert guarded < points.margin < 1.03 * guarded
