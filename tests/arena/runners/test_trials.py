"""Trials of candidates: their figures are those of a run on the same decks, whoever plays them and in what portions."""

import math

import numpy as np
import pytest

from bigtwo_sim.arena import Plan, run, strengths
from bigtwo_sim.arena.runners.curve import rating, ratings, steps
from bigtwo_sim.arena.runners.trials import ALL_MIXTURES, AMONG_THREE, Trials, mean_figures
from bigtwo_sim.games.big_two import AgentError, Rules
from bigtwo_sim.roster.spec import parse_agent
from tests.games.big_two.sides import amount

RULES = Rules()
CANDIDATES = [parse_agent("heuristic:noise=5"), parse_agent("greedy"), parse_agent("beginner")]
NORMAL = parse_agent("normal")
MANY = 60


@pytest.mark.parametrize("lineups", [AMONG_THREE, ALL_MIXTURES], ids=["among three", "all mixtures"])
def test_figures_are_those_of_a_run(lineups) -> None:
    blocks = amount(MANY, 4)
    with Trials(NORMAL, RULES, 11, lineups=lineups) as trials:
        found = trials.play(CANDIDATES, 0, blocks)
        assert trials.deals_a_block == sum({1: 4, 2: 6, 3: 4}[lineup.count(0)] for lineup in lineups)
    for candidate, figures in zip(CANDIDATES, found, strict=True):
        plan = Plan.of([candidate, NORMAL], RULES, 11, deals=blocks * trials.deals_a_block, lineups=lineups)
        tally = run(plan).tally
        assert tally.blocks == blocks
        own, pair = tally.agents()[0], tally.pairs()[0]
        for measure, expected in (("win_rate", own.win_rate), ("margin", pair.points)):
            assert len(getattr(figures, measure)) == blocks
            found_here = figures.estimate(measure)
            assert found_here.mean == pytest.approx(expected.mean)
            # A run knows more of what a block can be: that two copies never win at once, how the points of single
            # agents are spread. Of few blocks that counts, and the ends are not comparable.
            assert found_here.low < found_here.mean < found_here.high
            if blocks >= MANY:
                assert (found_here.low, found_here.high) == pytest.approx(
                    (expected.low, expected.high), rel=0.05, abs=0.01
                )


def test_figures_do_not_hang_on_workers_portions_or_company() -> None:
    blocks = amount(40, 4)
    with Trials(NORMAL, RULES, 5) as alone, Trials(NORMAL, RULES, 5, workers=3) as together:
        whole = alone.play(CANDIDATES, 0, blocks)
        halves = ((0, blocks // 2), (blocks // 2, blocks - blocks // 2))
        parts = [[together.play([one], *half)[0] for half in halves] for one in CANDIDATES]
        split = [first.then(second) for first, second in parts]
    for one, other in zip(whole, split, strict=True):
        assert one.win_rate.tolist() == other.win_rate.tolist()
        assert one.margin.tolist() == other.margin.tolist()


def test_an_agent_among_its_own_kind_wins_a_quarter_and_gains_nothing() -> None:
    with Trials(NORMAL, RULES, 3, lineups=ALL_MIXTURES) as trials:
        (figures,) = trials.play([NORMAL], 0, 5)
    assert figures.margin.tolist() == pytest.approx([0] * 5)
    # Of mixtures each seats the candidate in one, two or three of four seats that all play alike.
    assert figures.win_rate.tolist() == pytest.approx([0.25] * 5)


def test_a_mean_over_several_others() -> None:
    with Trials(NORMAL, RULES, 3) as first, Trials(parse_agent("greedy"), RULES, 3) as second:
        one, other = first.play(CANDIDATES[:1], 0, 6)[0], second.play(CANDIDATES[:1], 0, 6)[0]
    mean = mean_figures([one, other])
    assert mean.win_rate.tolist() == pytest.approx(((one.win_rate + other.win_rate) / 2).tolist())
    assert mean.less(one).margin.tolist() == pytest.approx(((other.margin - one.margin) / 2).tolist())


def test_agents_that_are_not_compiled_are_refused() -> None:
    python = parse_agent("python_agents:Weakest")
    with pytest.raises(AgentError, match="python_agents:Weakest is not compiled"):
        Trials(python, RULES, 0)
    with Trials(NORMAL, RULES, 0) as trials, pytest.raises(AgentError, match="is not compiled"):
        trials.play([python], 0, 1)


# --- curves -----------------------------------------------------------------------------------------------------------
def test_a_rating_is_that_of_the_scale_of_strengths() -> None:
    candidate = CANDIDATES[1]
    outcome = run(Plan.of([candidate, NORMAL], RULES, 2, deals=4 * amount(200, 20), lineups=AMONG_THREE))
    own, other = strengths(outcome.tally)
    share = outcome.tally.agents()[0].win_rate.mean
    assert rating(share) == pytest.approx(own.rating.mean - other.rating.mean, abs=1e-3)
    assert rating(0) == -math.inf
    assert rating(1) == math.inf


def test_steps_are_known_from_the_differences_deck_by_deck() -> None:
    """The interval is that of the jackknife, and shared luck does not widen it."""
    chance = np.random.default_rng(4)
    luck = chance.normal(0, 0.1, 3000)
    shares = np.clip(np.array([0.3 + luck, 0.4 + luck]) + chance.normal(0, 0.02, (2, 3000)), 0, 1)
    (step,) = steps([10, 40], shares)
    without = (shares.sum(axis=1, keepdims=True) - shares) / 2999
    jackknife = np.array([rating(high) - rating(low) for low, high in without.T])
    half = 1.96 * math.sqrt(2999 / 3000 * ((jackknife - jackknife.mean()) ** 2).sum())
    assert (step.start, step.end) == (10, 40)
    assert step.distance.mean == pytest.approx(rating(shares[1].mean()) - rating(shares[0].mean()))
    assert step.distance.margin == pytest.approx(half, rel=0.01)
    alone = ratings(shares)
    assert step.distance.margin < 0.5 * math.hypot(alone[0].margin, alone[1].margin)
    assert step.doubling.mean == pytest.approx(step.distance.mean / 2)
    assert step.doubling.margin == pytest.approx(step.distance.margin / 2)


def test_steps_of_what_never_wins_or_is_not_above_0_are_not_known() -> None:
    shares = np.array([np.zeros(50), np.tile([0.25, 0.5], 25)])
    (step,) = steps([0, 4], shares)
    assert math.isnan(step.distance.mean)
    assert math.isnan(step.doubling.mean)
    assert ratings(shares)[0].mean == -math.inf
    (step,) = steps([0, 4], shares[[1, 1]])
    assert step.distance.mean == 0
    assert math.isnan(step.doubling.mean)
