"""Matches: who leads, when they end, and that the compiled ones are those that a person would count."""

from typing import Any

import numpy as np
import pytest
from python_agents import Greedy, Weakest

from bigtwo_sim.arena import play_chunks, seatings
from bigtwo_sim.arena.runners.matches import MatchPlan, MatchTally, ratio_estimate
from bigtwo_sim.core.rng import root_key
from bigtwo_sim.games.big_two import PRESETS, AnyAgent, Deal, Match, PythonAgent, PythonLoop, Rules, RulesError
from bigtwo_sim.games.big_two.kernels.matchplay import play_matches, play_matches_in_python
from bigtwo_sim.games.big_two.match import match_seed, winner_of, with_target
from bigtwo_sim.roster.spec import parse_agent, parse_agents
from tests.games.big_two.sides import amount
from tests.reference.plain_intervals import plain_interval

pytestmark = pytest.mark.kernel

PAIRWISE = Rules().replace(settlement="pairwise", match_target=40)
RULES = [*(with_target(rules, 30) for rules in PRESETS.values()), PAIRWISE]


def by_name(rules: Rules) -> str:
    return rules.name


def play(deal: Deal, agents: Any) -> None:
    while not deal.is_over:
        cards = agents[deal.turn].choose(deal.view()) if deal.has_choice else None
        if cards is None:
            cards = deal.legal_plays()[0].cards if deal.legal_plays() else None
        if cards:
            deal.play(cards)
        else:
            deal.pass_()


# --- one match --------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("rules", RULES, ids=by_name)
def test_a_match_is_dealt_led_and_counted_as_its_rules_say(rules: Rules) -> None:
    match = Match(rules, 11, rules.match_target)
    totals, last = [0] * 4, None
    while match.winner is None:
        assert max(totals) < rules.match_target or totals.count(max(totals)) > 1
        deal = match.next_deal()
        assert deal.dealt == Deal.new(rules, 11, match.number).dealt
        led_by = next(seat for seat in range(4) if deal.dealt[seat].bits & 1)
        if rules.opener == "first_deal" and last is not None:
            led_by = last
        assert deal.turn == led_by
        assert (deal.leader is None) == (last is None or rules.opener == "every_deal")
        assert {deal.view(seat).totals for seat in range(4)} == {tuple(totals)}
        assert deal.view().rules.match_target == rules.match_target
        play(deal, [Greedy(), Weakest(), Greedy(), Greedy()])
        points = match.end_deal(deal)
        assert points == deal.points
        totals = [total + gained for total, gained in zip(totals, points, strict=True)]
        last = deal.winner
        assert match.totals == tuple(totals)
    assert max(totals) >= rules.match_target
    assert totals.index(max(totals)) == match.winner
    with pytest.raises(
        ValueError, match=f"the match is over; seat {match.winner} has won it with {max(totals)} points"
    ):
        match.next_deal()


@pytest.mark.parametrize(
    ("totals", "winner"),
    [
        ((49, 0, 0, 0), None),
        ((50, 0, 0, 0), 0),
        ((0, 3, 51, 49), 2),
        ((50, 0, 0, 52), 3),  # two at once, under pairwise settlement: the highest
        ((50, 50, 0, -100), None),  # they share it: another deal
        ((50, 50, 51, 0), 2),
        ((51, 50, 50, 0), 0),
        ((52, 49, 52, 0), None),
        ((-10, -10, -10, -10), None),
    ],
)
def test_who_has_won(totals: tuple[int, ...], winner: int | None) -> None:
    assert winner_of(totals, 50) == winner
    assert winner_of(totals, None) is None


def test_without_a_target_every_deal_stands_alone() -> None:
    match = Match(Rules(), 3, None)
    for number in range(3):
        deal = match.next_deal()
        assert (deal.number, deal.leader) == ((3, number), None)
        play(deal, [Greedy()] * 4)
        match.end_deal(deal)
    assert match.winner is None
    assert sum(match.totals) > 0


def test_a_match_goes_on_where_it_was_left() -> None:
    match = Match(Rules(), 5, 500)
    for _ in range(4):
        deal = match.next_deal()
        play(deal, [Greedy()] * 4)
        match.end_deal(deal)
    again = Match(Rules(), 5, 500, match.totals, match.number, deal.winner)
    assert again.next_deal().view() == match.next_deal().view()


def test_a_match_refuses() -> None:
    match = Match(Rules(), 5, 50)
    with pytest.raises(ValueError, match="the deal is another one than number 0 of this match"):
        match.end_deal(Deal.new(match.rules, 5, 1))
    with pytest.raises(ValueError, match="the deal is not over"):
        match.end_deal(match.next_deal())
    with pytest.raises(RulesError, match="match_target is 0; it must be none or a whole number"):
        Match(Rules(), 5, 0)
    with pytest.raises(ValueError, match="seed is -1"):
        Match(Rules(), -1, 50)
    with pytest.raises(ValueError, match="totals are"):
        Match(Rules(), 1, 50, (1, 2))
    with pytest.raises(ValueError, match="leader is 4"):
        Match(Rules(), 1, 50, leader=4)
    with pytest.raises(ValueError, match="number is -1"):
        Match(Rules(), 1, 50, number=-1)


# --- many of them -----------------------------------------------------------------------------------------------------
def naive(agents: Any, rules: Rules, seed: int) -> tuple[int, int, list[int], list[int]]:
    """A match of Python agents by seat, counted by hand: winner, deals, totals, deals won."""
    totals, won, deals, leader = [0] * 4, [0] * 4, 0, None
    while True:
        deal = Deal.new(rules, seed, deals, leader, totals)
        play(deal, agents)
        deals += 1
        won[deal.winner] += 1
        totals = [total + gained for total, gained in zip(totals, deal.points, strict=True)]
        best = sorted(totals)
        if best[3] >= rules.match_target and best[3] > best[2]:
            return totals.index(best[3]), deals, totals, won
        leader = deal.winner if rules.opener == "first_deal" else None


@pytest.mark.parametrize("rules", RULES, ids=by_name)
def test_compiled_matches_are_those_counted_by_hand(rules: Rules) -> None:
    """The compiled greedy against its twin in Python; equal agents, so that the seating does not matter."""
    seeds = [match_seed(9, number) for number in range(amount(6, 1))]
    keys = np.array([root_key(seed) for seed in seeds])
    greedy: Any = (parse_agent("greedy"),) * 4
    results = play_matches(greedy, rules, keys, np.arange(4)[None])[:, 0]
    for result, seed in zip(results, seeds, strict=True):
        winner, deals, totals, won = naive([Greedy()] * 4, rules, seed)
        assert (result["winner"], result["deals"]) == (winner, deals)
        assert (result["totals"].tolist(), result["won"].tolist()) == (totals, won)


@pytest.mark.parametrize("rules", RULES, ids=by_name)
def test_both_loops_play_the_same_matches(rules: Rules) -> None:
    policies: Any = tuple(parse_agents(["greedy", "random", "heuristic", "easy"]))
    found = seatings("ABCD")[:: amount(5, 23)]
    keys = np.array([root_key(match_seed(4, number)) for number in range(amount(3, 1))])
    compiled = play_matches(policies, rules, keys, found)
    in_python = play_matches_in_python(PythonLoop(policies, rules), keys, found)
    for name in compiled.dtype.names:
        assert np.array_equal(compiled[name], in_python[name]), name


def test_a_match_without_end_is_broken_off() -> None:
    policies: Any = tuple(parse_agents(["greedy", "random", "heuristic", "easy"]))
    keys = np.array([root_key(1)])
    for results in (
        play_matches(policies, with_target(Rules(), 10_000), keys, np.arange(4)[None], 3),
        play_matches_in_python(PythonLoop(policies, with_target(Rules(), 10_000)), keys, np.arange(4)[None], 3),
    ):
        assert (results["winner"][0, 0], results["deals"][0, 0]) == (-1, 3)
    with pytest.raises(ValueError, match="a match needs a target"):
        play_matches(policies, Rules(), keys, np.arange(4)[None])


def tally_of(agents: list[AnyAgent], lineup: list[int], rules: Rules, matches: int, workers: int) -> MatchTally:
    plan = MatchPlan.of(agents, lineup, rules, 2, matches=matches)
    tally = MatchTally(plan)
    for result in play_chunks(plan, plan.chunks(), workers):
        tally.add(result)
    assert tally.matches == plan.matches
    return tally


@pytest.mark.compiled
def test_the_figures_of_a_run_by_hand_and_for_any_number_of_workers() -> None:
    rules = with_target(Rules(), 30)
    agents: list[AnyAgent] = [parse_agent("heuristic"), parse_agent("greedy")]
    tally = tally_of(agents, [0, 1, 1, 1], rules, 4000, 1)
    keys = np.array([root_key(match_seed(2, number)) for number in range(tally.blocks)])
    found = seatings([0, 1, 1, 1])
    lineup: Any = (agents[0], agents[1], agents[1], agents[1])
    results = play_matches(lineup, rules, keys, found)
    seat_of_first = np.argmin(found, axis=1)
    won = (results["winner"] == seat_of_first).mean(axis=1)
    first, second = tally.agents()
    of_first = first.match_wins
    assert (of_first.mean, of_first.low, of_first.high) == pytest.approx(plain_interval(won.tolist(), 0.0, 1.0))
    assert second.match_wins.mean == pytest.approx((1 - won.mean()) / 3)
    points = np.take_along_axis(results["totals"], seat_of_first[None, :, None], axis=2).sum()
    assert first.points.mean == pytest.approx(points / results["deals"].sum())
    assert first.copies == 1
    assert second.copies == 3
    assert sum(first.wins_by_seat) + sum(second.wins_by_seat) == tally.matches
    length = tally.length()
    assert length.mean.mean == pytest.approx(results["deals"].mean())
    assert length.deviation == pytest.approx(results["deals"].std(ddof=1))
    assert (length.shortest, length.longest) == (results["deals"].min(), results["deals"].max())
    (pair,) = tally.pairs()
    assert pair.win_rate.mean == pytest.approx(first.match_wins.mean - second.match_wins.mean)
    other = tally_of(agents, [0, 1, 1, 1], rules, 4000, 3)
    assert (other.agents(), other.pairs(), other.length()) == (tally.agents(), tally.pairs(), length)


def test_a_python_agent_plays_the_matches_of_its_compiled_twin() -> None:
    rules = with_target(Rules(), 15)
    compiled: list[AnyAgent] = [parse_agent("greedy"), parse_agent("random")]
    mixed: list[AnyAgent] = [PythonAgent("greedy", Greedy), parse_agent("random")]
    ours, theirs = (tally_of(agents, [0, 1, 1, 1], rules, amount(40, 8), 1) for agents in (compiled, mixed))
    assert ours.agents() == theirs.agents()
    assert ours.length() == theirs.length()


class Raises:
    def choose(self, view: Any) -> Any:
        raise RuntimeError("no idea")


def test_an_agent_at_fault_forfeits_and_its_fault_replays() -> None:
    agents: list[AnyAgent] = [PythonAgent("raises", Raises), parse_agent("greedy")]
    tally = tally_of(agents, [0, 1, 1, 1], with_target(Rules(), 15), 4, 1)
    first = tally.agents()[0]
    assert first.forfeits == first.decisions > 0
    fault = tally.faults["raises"]
    assert fault.ask(agents[0]) == fault.reason
    assert fault.view().rules.match_target == 15


@pytest.mark.compiled
def test_the_objective_of_a_match_sees_the_totals() -> None:
    """A searched player that goes for the match chooses otherwise somewhere once the totals are far apart."""
    rules = with_target(Rules(), 50)
    agent = parse_agent("strong:objective=2,worlds=20")
    loop = PythonLoop([agent] * 4, rules)
    logs = set()
    for totals in ((0, 0, 0, 0), (49, 0, 0, 0), (0, 30, 48, 49)):
        for number in range(3):
            loop.play_deal(root_key(3), number, totals=totals)
            logs.add(loop.log)
    assert len(logs) > 3


def test_the_ratio_of_blocks_of_one_size_is_their_mean() -> None:
    values, sizes = np.array([3, 5, 10, 2]), np.full(4, 2)
    found = ratio_estimate(values, sizes)
    assert found.mean == pytest.approx(2.5)
    assert (found.mean, found.low, found.high) == pytest.approx(plain_interval((values / 2).tolist()))
    assert np.isnan(ratio_estimate(values[:1], sizes[:1]).low)


@pytest.mark.parametrize(
    ("lineup", "rules", "matches", "message"),
    [
        ([0, 1, 1], with_target(Rules(), 50), 1, "it must seat each of 2 agents, four in all"),
        ([0, 0, 0, 0], with_target(Rules(), 50), 1, "it must seat each of 2 agents, four in all"),
        ([0, 1, 1, 1], Rules(), 1, "a match needs a target"),
        ([0, 1, 1, 1], with_target(Rules(), 50), 0, "matches is 0"),
        ([0, 1, 1, 1], Rules(penalty_tiers="1-13:0", match_target=5), 1, "nobody ever gets a point"),
    ],
)
def test_a_plan_of_matches_refuses(lineup: list[int], rules: Rules, matches: int, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        MatchPlan.of([parse_agent("greedy"), parse_agent("random")], lineup, rules, matches=matches)
