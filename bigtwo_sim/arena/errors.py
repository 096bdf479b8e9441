"""What can go wrong with a run."""

from __future__ import annotations

from typing import Any


class RunError(RuntimeError):
    """A run that cannot be played, saved or read; the message says why."""


class SaveError(RunError):
    """A run, or a part of it, that cannot be written. Raised by `run`, it brings the `outcome` along."""

    outcome: Any = None
