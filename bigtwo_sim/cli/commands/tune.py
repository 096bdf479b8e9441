"""`bigtwo tune`: better weights for a method, and the setting of a level that wins a given share."""

from __future__ import annotations

from typing import Any

import typer
from typer.core import TyperGroup

from bigtwo_sim.cli.commands.tune_level import level
from bigtwo_sim.cli.commands.tune_method import method


class TuneGroup(TyperGroup):
    """`bigtwo tune heuristic` is `bigtwo tune method heuristic`."""

    def resolve_command(self, context: Any, arguments: list[str]) -> Any:
        """Take what is no command for the agent that is tuned."""
        if arguments and arguments[0] not in self.commands:
            arguments = ["method", *arguments]
        return super().resolve_command(context, arguments)

    def parse_args(self, context: Any, arguments: list[str]) -> list[str]:
        """Let `bigtwo tune --resume DIR` do without the word as well."""
        if arguments and arguments[0] == "--resume":
            arguments = ["method", *arguments]
        parsed: list[str] = super().parse_args(context, arguments)
        return parsed


tune = typer.Typer(
    cls=TuneGroup,
    no_args_is_help=True,
    rich_markup_mode=None,
    help="Find better weights for a method (bigtwo tune heuristic), or set a level to a win rate (bigtwo tune level).",
)
tune.command()(method)
tune.command()(level)
