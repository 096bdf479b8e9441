"""The error for a request that cannot be meant."""

from __future__ import annotations

from bigtwo_sim.untrusted.errors import InputError


class RequestError(InputError):
    """A request that cannot be meant. The message names arguments as Python does: `precision`, `move_time`.

    `arguments` are these names, in the order in which the message has them: the command line writes them as options.
    """

    def __init__(self, message: str, *arguments: str) -> None:
        super().__init__(message)
        self.arguments = arguments

    def as_options(self) -> str:
        """The message with its arguments as options of a command.

        >>> RequestError("limit_ms is 3; test is missing", "limit_ms", "test").as_options()
        '--limit-ms is 3; --test is missing'
        """
        done, rest = "", str(self)
        for name in self.arguments:
            before, found, rest = rest.partition(name)
            done += f"{before}--{found.replace('_', '-')}" if found else before
        return done + rest
