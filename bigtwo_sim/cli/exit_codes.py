"""The exit codes of `bigtwo`, as shells know them."""

from __future__ import annotations

import signal

FAILURE = 1
INPUT_ERROR = 2
INTERRUPTED = 128 + signal.SIGINT


def by_signal(number: int | None) -> int:
    """The code of a command that a signal interrupted, 128 more than its number; None: Ctrl-C."""
    return 128 + (number or signal.SIGINT)
