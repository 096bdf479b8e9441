"""Both loops play the same deals to the bit, and a Python agent sees and may do what it should."""

import itertools
from typing import Any

import numpy as np
import pytest
from python_agents import Cheating, Greedy, Mute, Raising, Uncertain, Weakest, failing

from bigtwo_sim.arena import seatings
from bigtwo_sim.core.rng import root_key
from bigtwo_sim.games.big_two import (
    AgentError,
    AgentFault,
    CardSet,
    Deal,
    Method,
    PolicyAgent,
    PythonAgent,
    PythonLoop,
    Rules,
    View,
    play_blocks,
)
from bigtwo_sim.games.big_two.conformance import CHECKED_RULES
from bigtwo_sim.games.big_two.kernels.matchplay import play_matches, play_matches_in_python
from bigtwo_sim.games.big_two.policy import policy
from bigtwo_sim.roster.methods import method
from tests.conftest import INTERPRETED

pytestmark = pytest.mark.kernel

KEY = root_key(2024)
IN_ORDER = np.arange(4)[None]


def policy_agent(name: str) -> PolicyAgent:
    chosen = method(name)
    return PolicyAgent(name, chosen, chosen.params())


RANDOM, GREEDY, HEURISTIC = (policy_agent(name) for name in ("random", "greedy", "heuristic"))
LINE_UPS = [(RANDOM, RANDOM, RANDOM, RANDOM), (RANDOM, GREEDY, HEURISTIC, RANDOM), (HEURISTIC,) * 4]


@pytest.mark.parametrize("rules", CHECKED_RULES, ids=lambda rules: rules.name)
@pytest.mark.parametrize("line_up", LINE_UPS, ids=lambda line_up: "-".join(agent.name for agent in line_up))
def test_four_policies_come_out_the_same_in_both_loops(rules: Rules, line_up: Any) -> None:
    blocks, found = (1, seatings("ABCD")[::8]) if INTERPRETED else (20, seatings("ABCD"))
    compiled = play_blocks(line_up, rules, KEY, 5, blocks, found)
    in_python = PythonLoop(line_up, rules).play_blocks(KEY, 5, blocks, found)
    assert compiled.dtype == in_python.dtype
    for name in compiled.dtype.names:
        assert np.array_equal(compiled[name], in_python[name]), name


@pytest.mark.parametrize("rules", CHECKED_RULES, ids=lambda rules: rules.name)
def test_greedy_written_in_python_comes_out_as_the_compiled_greedy(rules: Rules) -> None:
    blocks = 2 if INTERPRETED else 100
    compiled = play_blocks((RANDOM, GREEDY, GREEDY, HEURISTIC), rules, KEY, 0, blocks, IN_ORDER)
    twin = PythonAgent("twin", Greedy)
    mixed = PythonLoop((RANDOM, twin, GREEDY, HEURISTIC), rules).play_blocks(KEY, 0, blocks, IN_ORDER)
    assert [compiled[name].tobytes() for name in compiled.dtype.names] == [
        mixed[name].tobytes() for name in mixed.dtype.names
    ]


@policy
def _first(hand, public, plays, strengths, count, params, stream):
    return params.shape[0]  # without parameters the first option


@policy
def _by_last_weight(hand, public, plays, strengths, count, params, stream):
    return 0 if params[params.shape[0] - 1] > 0 else count - 1 + public.may_pass


def _weighted(last_weight: float) -> PolicyAgent:
    weights = np.zeros(200_000, np.float32)
    weights[-1] = last_weight
    weights.flags.writeable = False
    return PolicyAgent(f"weight {last_weight}", Method("weighted", _by_last_weight), weights)


def test_each_seat_has_its_own_parameters_of_any_length() -> None:
    first = PolicyAgent("first", Method("first", _first), Method("first", _first).params())
    assert first.params.shape == (0,)
    positive, negative = _weighted(1), _weighted(-1)
    blocks = 1 if INTERPRETED else 5
    rules = Rules(match_target=20)
    results = {}
    for name, line_up in {
        "plain": (first, RANDOM, first, HEURISTIC),
        "weighted": (positive, RANDOM, first, HEURISTIC),
        "all weighted": (positive, RANDOM, positive, HEURISTIC),
        "other weight": (negative, RANDOM, positive, HEURISTIC),
    }.items():
        compiled = play_blocks(line_up, rules, KEY, 0, blocks, IN_ORDER)
        loop = PythonLoop(line_up, rules)
        assert compiled.tobytes() == loop.play_blocks(KEY, 0, blocks, IN_ORDER).tobytes(), name
        matches = play_matches(line_up, rules, KEY[None], IN_ORDER)
        assert matches.tobytes() == play_matches_in_python(loop, KEY[None], IN_ORDER).tobytes(), name
        assert not compiled["forfeits"].any()
        results[name] = (compiled.tobytes(), matches.tobytes())
    assert results["plain"] == results["weighted"] == results["all weighted"]
    assert all(one != other for one, other in zip(results["plain"], results["other weight"], strict=True))


class Watching:
    """Keeps each view; chooses as `Uncertain` does."""

    views: list[View] = []  # noqa: RUF012 - shared on purpose by all seats

    def choose(self, view: View) -> CardSet:
        self.views.append(view)
        return Uncertain().choose(view)


@pytest.mark.parametrize("rules", CHECKED_RULES, ids=lambda rules: rules.name)
def test_the_view_of_the_loop_is_the_view_of_the_deal(rules: Rules) -> None:
    Watching.views.clear()
    loop = PythonLoop([PythonAgent(f"agent {seat}", Watching) for seat in range(4)], rules)
    for index in range(2 if INTERPRETED else 10):
        result = loop.play_deal(KEY, index)
        deal = Deal.new(rules, 2024, index)
        assert loop.dealt == deal.dealt
        seen = iter(Watching.views)
        for seat, cards in loop.log:
            assert deal.turn == seat
            if deal.has_choice:
                assert next(seen) == deal.view()
            if cards:
                deal.play(cards)
            else:
                deal.pass_()
        assert next(seen, None) is None, "it was asked where it had no choice"
        assert (deal.winner, deal.left, deal.points) == (
            result["winner"],
            tuple(result["left"]),
            tuple(result["points"]),
        )
        assert result["decisions"].sum() == len(Watching.views)
        Watching.views.clear()


def test_the_seat_of_a_seating_tells_who_is_asked() -> None:
    Watching.views.clear()
    loop = PythonLoop([PythonAgent("watching", Watching), GREEDY, RANDOM, GREEDY], Rules())
    for slots in itertools.permutations(range(4)):
        loop.play_deal(KEY, 0, slots)
        assert {view.seat for view in Watching.views} <= {slots.index(0)}
        Watching.views.clear()


class Saying:
    def __init__(self, answer: Any) -> None:
        self.answer = answer

    def choose(self, view: View) -> Any:
        return self.answer


@pytest.mark.parametrize(
    ("factory", "reason"),
    [
        (Raising, "raised KeyError: 'no such weight'"),
        (Cheating, "answered 3D 4D: seat"),
        (lambda: Saying(None), "answered None (NoneType), which is not a CardSet"),
        (lambda: Saying("3D"), "answered 3D (str), which is not a CardSet"),
        (lambda: Saying(CardSet(0)), "answered a pass: seat 0 may not pass: a player who leads must play"),
        (lambda: Saying(CardSet.parse("2S", Rules(suit_order="SHCD").deck)), "the rules in the order DCHS"),
    ],
)
def test_what_an_agent_does_wrong_is_named_with_agent_seat_and_deal(factory: Any, reason: str) -> None:
    first_deals = (Deal.new(Rules(), 2024, i) for i in itertools.count())
    index = next(i for i, deal in enumerate(first_deals) if deal.turn == 0 and deal.has_choice)
    loop = PythonLoop([PythonAgent("mine", factory), RANDOM, RANDOM, RANDOM], Rules(), strict=True)
    with pytest.raises(AgentFault) as caught:
        loop.play_deal(KEY, index)
    fault = caught.value
    assert (fault.agent, fault.seat, fault.deal) == ("mine", 0, index)
    assert f"agent 'mine' at seat 0 in deal {index}: " in str(fault)
    assert reason in str(fault)


def test_a_play_in_place_of_its_cards_is_an_error_that_says_so() -> None:
    class PlayInstead:
        def choose(self, view: View) -> Any:
            return view.legal_plays[0]

    with pytest.raises(AgentFault, match=r"which is not a CardSet; answer with its \.cards"):
        PythonLoop([PythonAgent("mine", PlayInstead)] * 4, Rules(), strict=True).play_deal(KEY, 0)


@pytest.mark.parametrize(
    ("factory", "message"),
    [
        (failing, "mine: its factory raised RuntimeError: the weights are missing"),
        (Mute, r"mine: its factory made a Mute, which has no method choose\(view\)"),
    ],
)
def test_a_factory_that_makes_no_agent_is_an_error(factory: Any, message: str) -> None:
    with pytest.raises(AgentError, match=message):
        PythonLoop([PythonAgent("mine", factory), RANDOM, RANDOM, RANDOM], Rules())


def test_a_line_up_has_four_agents() -> None:
    with pytest.raises(ValueError, match="there are 3 agents; a line-up has 4"):
        PythonLoop([PythonAgent("mine", Weakest)] * 3, Rules())


def test_the_time_of_python_agents_is_kept_by_slot() -> None:
    loop = PythonLoop([GREEDY, PythonAgent("mine", Weakest), GREEDY, GREEDY], Rules())
    loop.play_blocks(KEY, 0, 3, IN_ORDER)
    assert loop.seconds[1] > 0
    assert loop.seconds[[0, 2, 3]].tolist() == [0, 0, 0]
