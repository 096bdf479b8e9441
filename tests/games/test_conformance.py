"""`check_agent` passes honest agents of every kind and tells what is wrong with the others."""

import random
import sys
from typing import Any

import pytest
from python_agents import Cheating, Counting, Greedy, Mute, Raising, Uncertain, Weakest

from bigtwo_sim.games.big_two import (
    PRESETS,
    AgentError,
    AgentFault,
    CardSet,
    Method,
    PolicyAgent,
    PythonAgent,
    View,
    check_agent,
    policy,
)
from bigtwo_sim.games.big_two.conformance import CHECKED_RULES
from bigtwo_sim.games.big_two.rules import SWITCHES
from bigtwo_sim.roster.methods import method, method_names
from bigtwo_sim.roster.spec import parse_agent
from tests.conftest import INTERPRETED

DEALS = 1 if INTERPRETED else 4


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=pytest.mark.compiled if name == "monte_carlo" else ()) for name in method_names()]
)
def test_every_built_in_agent_passes(name: str) -> None:
    found = method(name)
    fewer_worlds = any(parameter.name == "worlds" for parameter in found.parameters)
    settings = {"worlds": 2.0 if INTERPRETED else 20.0} if fewer_worlds else {}
    assert check_agent(PolicyAgent(name, found, found.params(settings)), deals=DEALS) > 100


@pytest.mark.parametrize(
    "agent",
    [Weakest, Greedy, Uncertain, Weakest(), PythonAgent("named", Greedy), parse_agent("mine=greedy")],
    ids=["class", "greedy", "random", "object", "PythonAgent", "PolicyAgent"],
)
def test_honest_agents_of_every_kind_pass(agent: Any) -> None:
    assert check_agent(agent, deals=DEALS) > 100


def test_the_rules_of_the_check_turn_every_switch() -> None:
    assert set(PRESETS.values()) <= set(CHECKED_RULES)
    never = {"opener", "match_target"}  # of matches, not of a deal
    for switch in set(SWITCHES) - never:
        assert len({getattr(rules, switch) for rules in CHECKED_RULES}) > 1, switch


class ByChance:
    """Draws from a random stream that it brings along."""

    def choose(self, view: View) -> CardSet:
        return random.choice(view.legal_plays).cards


class Peeking:
    """Reaches through the caller's frame for the hands of the others."""

    def choose(self, view: View) -> CardSet:
        frame: Any = sys._getframe(1)
        next_hand = frame.f_locals["deal"].hands[(view.seat + 1) % 4]
        return view.legal_plays[next_hand.bits % len(view.legal_plays)].cards


@pytest.mark.parametrize(
    ("agent", "message"),
    [
        (Raising, r"agent 'Raising' at seat \d in deal 0: raised KeyError: 'no such weight'"),
        (Cheating, "answered 3D 4D, which is not legal there"),
        (ByChance, "and asked again from the same view|when the cards it cannot see were others"),
        (Counting, "and asked again from the same view"),
        (Peeking, "when the cards it cannot see were others"),
    ],
    ids=lambda value: getattr(value, "__name__", ""),
)
def test_faults_of_python_agents_are_found(agent: Any, message: str) -> None:
    with pytest.raises(AgentFault, match=message):
        check_agent(agent, deals=2)


@policy
def beyond_the_list(hand, public, plays, strengths, count, params, stream):
    return int(plays[count + 1]) % count


@policy
def beyond_the_log(hand, public, plays, strengths, count, params, stream):
    return int(public.log[public.turns + 3]) % count


@policy
def out_of_range(hand, public, plays, strengths, count, params, stream):
    return count + 1


@policy
def always_passing(hand, public, plays, strengths, count, params, stream):
    return count


@policy
def writing(hand, public, plays, strengths, count, params, stream):
    strengths[0] = 0
    plays[0] = hand
    return 0


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (beyond_the_list, "asked again from the same view|when the cards it cannot see were others"),
        (beyond_the_log, "when the cards it cannot see were others"),
        (out_of_range, r"answered \d+; there are \d+ plays, and it may"),
        (always_passing, r"answered \d+; there are \d+ plays, and it may not pass"),
        (writing, "wrote to the record, the plays or the settings"),
    ],
    ids=lambda value: getattr(value, "__name__", ""),
)
def test_faults_of_policies_are_found(function: Any, message: str) -> None:
    with pytest.raises(AgentFault, match=message):
        check_agent(Method("faulty", function), deals=2)


@pytest.mark.parametrize("no_agent", [3, "greedy", None])
def test_what_is_no_agent_is_refused(no_agent: Any) -> None:
    with pytest.raises(AgentError, match="is no agent; an agent is a Method"):
        check_agent(no_agent)


def test_a_factory_that_makes_no_agent_is_refused() -> None:
    with pytest.raises(AgentError, match=r"Mute, which has no method choose\(view\)"):
        check_agent(Mute)
