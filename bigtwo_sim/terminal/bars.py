"""Progress bars on standard error, where that is a terminal: the one place that draws them."""

from __future__ import annotations

import sys
from typing import Any

from tqdm import tqdm

from bigtwo_sim.untrusted.safe_text import terminal_of, visible


def new_bar(total: int | None, **options: Any) -> Any:
    """A bar of tqdm, which is gone when it is closed; `options` are tqdm's.

    Its own codes must reach the terminal as they are, so the texts that it shows are made visible here.
    """

    class Bar(tqdm):  # type: ignore[misc] # which has no types
        def __str__(self) -> str:
            return visible(super().__str__(), newlines=False)

        def say(self, text: str) -> None:
            """Print a line above the bar."""
            self.write(visible(text), file=terminal_of(sys.stderr))

    return Bar(total=total, file=terminal_of(sys.stderr), leave=False, dynamic_ncols=True, disable=None, **options)
