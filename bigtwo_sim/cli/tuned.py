"""What tuning and curves share: compiled agents with a setting turned, figures for people and for JSON, a bar."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterator
from dataclasses import replace
from decimal import Decimal
from typing import Annotated, Any

import typer

from bigtwo_sim.arena import cores as found
from bigtwo_sim.arena.stats.figure_text import figure_text
from bigtwo_sim.arena.stats.intervals import Estimate
from bigtwo_sim.arena.store.summary import figures
from bigtwo_sim.cli.options import (
    seed_option,
)
from bigtwo_sim.games.base.agent import Parameter
from bigtwo_sim.games.big_two import PolicyAgent
from bigtwo_sim.roster.spec import parse_agent
from bigtwo_sim.terminal.bars import new_bar
from bigtwo_sim.terminal.tables import plus_minus
from bigtwo_sim.untrusted.errors import InputError

DEFAULT_AGAINST = "normal"
AMONG_THREE_DEALS = 4  # deals of a block in which one sits among three

SeedOption = Annotated[int, seed_option("Root seed, of which all decks are derived.")]


def compiled(text: str) -> PolicyAgent:
    """The compiled agent that a text names. Raises InputError for another one, AgentError for none."""
    with contextlib.redirect_stdout(sys.stderr):
        found = parse_agent(text)
    if not isinstance(found, PolicyAgent):
        raise InputError(f"{text!r} is not compiled; bigtwo tune and bigtwo curve play compiled agents only")
    return found


def parameter_of(agent: PolicyAgent, name: str, option: str) -> Parameter:
    """The setting of an agent that an option names. Raises InputError where it has none."""
    for parameter in agent.method.parameters:
        if parameter.name == name:
            return parameter
    raise InputError(f"{option}: {agent.method.without(name)}")


def turned(agent: PolicyAgent, knob: str, value: float) -> PolicyAgent:
    """The agent with one setting at a value."""
    params = agent.params.copy()
    params[[parameter.name for parameter in agent.method.parameters].index(knob)] = value
    return replace(agent, params=params)


def cores() -> int:
    """How many cores this process may use."""
    return found()


def figure(found: Estimate, form: str, scale: float = 1.0) -> str:
    """A mean with its interval, such as `41.2 ± 0.6`."""
    return figure_text(found.mean * scale, found.low * scale, found.high * scale, form, plus_minus=plus_minus())


def positional(value: float) -> str:
    """Three digits of a number above 0 that may be very small, such as `0.000267`."""
    return f"{Decimal(f'{value:.3g}'):f}"


def rounded(name: str, found: Estimate) -> dict[str, float | None]:
    """An estimate as three entries for JSON, which knows no infinity: `name`, `name_low`, `name_high`."""
    return figures(name, found)


@contextlib.contextmanager
def bar_of(deals: int | None) -> Iterator[Any]:
    """A bar of deals on a terminal; it is called with deals so far, deals in all and a text."""
    with new_bar(deals, unit=" deals", unit_scale=True) as bar:

        def show(done: int, total: int, text: str) -> None:
            bar.total, bar.n = max(done, total), done
            bar.set_postfix_str(text)

        yield show


def raise_unless_alone(context: typer.Context, beside: set[str], what: str, agents: str = "AGENT") -> None:
    """What is taken up again is played as it was begun: raise InputError for options that are not `beside` it.

    `agents` is what the arguments are called.
    """
    given = [
        parameter.opts[0] if parameter.param_type_name == "option" else agents
        for parameter in context.command.params
        if parameter.name not in beside
        and parameter.name in context.params
        and context.get_parameter_source(parameter.name).name == "COMMANDLINE"  # type: ignore[union-attr]
    ]
    if given:
        raise InputError(f"--resume goes on with {what} as it was begun; leave out {', '.join(given)}")
