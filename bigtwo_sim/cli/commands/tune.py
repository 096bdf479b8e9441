"""`bigtwo tune`: better weights for a method, and the setting of a level that wins a given share."""

from __future__ import annotations

from typing import Any

from typer.core import TyperGroup


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
