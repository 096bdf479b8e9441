"""What commands of long runs share: figures for people, a bar, and that a run is resumed as it was begun."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Annotated, Any

import typer

from bigtwo_sim.arena.stats.figure_text import figure_text
from bigtwo_sim.arena.stats.intervals import Estimate
from bigtwo_sim.cli.options import (
    seed_option,
)
from bigtwo_sim.terminal.bars import new_bar
from bigtwo_sim.terminal.tables import plus_minus
from bigtwo_sim.untrusted.errors import InputError

SeedOption = Annotated[int, seed_option("Root seed, of which all decks are derived.")]


def figure(found: Estimate, form: str, scale: float = 1.0) -> str:
    """A mean with its interval, such as `41.2 ± 0.6`."""
    return figure_text(found.mean * scale, found.low * scale, found.high * scale, form, plus_minus=plus_minus())


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
