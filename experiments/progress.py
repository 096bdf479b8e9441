"""The one bar of a run: deals, deals an hour, time left, and the widest interval that is still to be narrowed."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

from experiments.tables import short

if TYPE_CHECKING:
    from bigtwo_sim.arena import Outcome

REFRESH = 0.2  # seconds; the figures of all intervals are not worked out more often


class ProgressBar:
    """Shown on a terminal while a run goes on; call it with the outcome so far."""

    def __init__(self, deals: int | None) -> None:
        from tqdm import tqdm

        self._bar: Any = tqdm(
            total=deals,
            leave=False,
            dynamic_ncols=True,
            disable=None,  # where there is no terminal
            bar_format="{desc} {percentage:3.0f}% |{bar}| {postfix}" if deals else "{desc} |{bar}| {postfix}",
        )
        self._last = 0.0

    def __enter__(self) -> ProgressBar:
        return self

    def __exit__(self, *_: object) -> None:
        self._bar.close()

    def __call__(self, outcome: Outcome) -> None:
        now = time.monotonic()
        if self._bar.disable or now - self._last < REFRESH:
            return
        self._last = now
        played = outcome.tally.deals
        expected = outcome.expected_deals
        seconds = now - self._bar.start_t
        rate = outcome.deals_played / seconds if seconds > 0 else 0.0
        left = "" if expected is None or not rate else f", {_duration((expected - played) / rate)} left"
        self._bar.total = expected
        self._bar.n = played
        self._bar.set_description_str(f"{short(played)} deals", refresh=False)
        self._bar.set_postfix_str(f"{short(rate * 3600)} deals/h{left}, {outcome.widest}", refresh=False)
        self._bar.refresh()

    def say(self, text: str) -> None:
        """Print a line above the bar."""
        import sys

        self._bar.write(text, file=sys.stderr)


def _duration(seconds: float) -> str:
    minutes, rest = divmod(max(0, round(seconds)), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"
