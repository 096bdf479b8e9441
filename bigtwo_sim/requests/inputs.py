"""What functions are handed, made ready: rules by name, agents by their texts or as objects."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from bigtwo_sim.bots.isolation import Bot, Isolated
from bigtwo_sim.games.base.agent import AgentError, Parameter, PolicyAgent
from bigtwo_sim.games.base.python_agent import AnyAgent, PythonAgent
from bigtwo_sim.games.base.ruleset import RuleSet
from bigtwo_sim.games.big_two.rules import Rules
from bigtwo_sim.games.registry import BIG_TWO, package_named
from bigtwo_sim.requests.errors import RequestError
from bigtwo_sim.roster.places import Place
from bigtwo_sim.roster.spec import parse_agent, parse_agents

DEFAULT_AGAINST = "normal"
"""Three of these sit with an agent that is measured."""

AgentLike = str | AnyAgent | Callable[[], Any]
"""A text as the command line has it (docs/agents.md), an agent, or a class or function that makes a Python agent."""
RulesLike = RuleSet | str | Path | None
"""Rules, the name of a preset, or a TOML file; None: the game's default."""


def rules_of(rules: RulesLike, game: str = BIG_TWO) -> RuleSet:
    """The rules that are meant. Raises RulesError for a name that no preset has and for a file that has no rules."""
    if isinstance(rules, RuleSet):
        return rules
    kind: type[RuleSet] = package_named(game).Rules
    if rules is None:
        return kind()
    is_file = isinstance(rules, Path) or rules.lower().endswith(".toml")
    return kind.from_toml(str(rules)) if is_file else kind.preset(str(rules))


def big_two_rules(rules: RulesLike) -> Rules:
    """The rules of Big Two that are meant. Raises RequestError for those of another game, RulesError as `rules_of`."""
    found = rules_of(rules)
    if not isinstance(found, Rules):
        raise RequestError(f"rules is {found.name} of {found.TITLE}; it must be rules of Big Two", "rules")
    return found


def agent_of(agent: AgentLike, game: str = BIG_TWO) -> AnyAgent:
    """The agent that is meant; one that a class or a function makes is called after it. Raises AgentError."""
    if isinstance(agent, str):
        return parse_agent(agent, game)
    if isinstance(agent, PolicyAgent | PythonAgent):
        return agent
    if not callable(agent):
        raise AgentError(
            f"{agent!r:.80} is not an agent; it must be a text, an agent, or a class or function that makes one"
        )
    return PythonAgent(str(getattr(agent, "__name__", type(agent).__name__)).lower(), agent)


def agents_of(agents: Sequence[AgentLike], game: str = BIG_TWO) -> list[AnyAgent]:
    """The agents that are meant. Raises AgentError as `agent_of` does, and where two texts give one name."""
    texts = [agent for agent in agents if isinstance(agent, str)]
    if len(texts) == len(agents):
        return parse_agents(texts, game)
    return [agent_of(agent, game) for agent in agents]


def is_portable(agent: AnyAgent) -> bool:
    """Whether another process can make the agent from its name; a class of a notebook it cannot."""
    return isinstance(agent, PolicyAgent) or isinstance(agent.factory, Place | Bot | Isolated)


def distinct(agents: Sequence[AgentLike]) -> tuple[list[AgentLike], list[int]]:
    """The different ones of some agents, and for each of them the place of its own there."""
    places: dict[Any, int] = {}
    found: list[AgentLike] = []
    for agent in agents:
        key = agent if isinstance(agent, str) else id(agent)
        if key not in places:
            places[key] = len(found)
            found.append(agent)
    return found, [places[agent if isinstance(agent, str) else id(agent)] for agent in agents]


# --- compiled agents with a setting turned ----------------------------------------------------------------------------
def compiled(agent: AgentLike) -> PolicyAgent:
    """The compiled agent that is meant. Raises RequestError for another one, AgentError for none."""
    found = agent_of(agent)
    if not isinstance(found, PolicyAgent):
        text = agent if isinstance(agent, str) else found.name
        raise RequestError(f"{text!r} is not compiled; bigtwo tune and bigtwo curve play compiled agents only")
    return found


def parameter_of(agent: PolicyAgent, name: str, argument: str) -> Parameter:
    """The setting of an agent that an argument names. Raises RequestError where it has none."""
    for parameter in agent.method.parameters:
        if parameter.name == name:
            return parameter
    raise RequestError(f"{argument}: {agent.method.without(name)}", argument)


def turned(agent: PolicyAgent, knob: str, value: float) -> PolicyAgent:
    """The agent with one setting at a value."""
    params = agent.params.copy()
    params[[parameter.name for parameter in agent.method.parameters].index(knob)] = value
    return replace(agent, params=params)


def share_of(value: str | float) -> float:
    """A share such as "40%" or 0.4. Raises ValueError for what is none above 0 and below 1."""
    text = str(value).strip()
    with contextlib.suppress(ValueError):
        share = float(text.removesuffix("%")) / (100 if text.endswith("%") else 1)
        if 0 < share < 1:
            return share
    raise ValueError(f"{text[:40]!r} must be a share above 0 and below 1, such as 40% or 0.4")
