"""The one bar of a run: deals, deals an hour, time left, and the widest interval that is still to be narrowed."""

from __future__ import annotations

import time
from typing import Any

from bigtwo_sim.arena import Outcome
from bigtwo_sim.terminal.bars import new_bar
from bigtwo_sim.terminal.tables import short

REFRESH = 0.2  # seconds; the figures of all intervals are not worked out more often


class ProgressBar:
    """Shown on a terminal while a run goes on; call it with the outcome so far."""

    def __init__(self, deals: int | None) -> None:
        self._bar: Any = new_bar(deals)
        self._began = time.monotonic()
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
        rate = outcome.deals_played / (now - self._began)
        figures = [f"{short(rate * 3600)} deals/h", outcome.widest]
        if expected is not None and rate > 0:
            figures.insert(1, f"{_duration((expected - played) / rate)} left")
        text = ", ".join(filter(None, figures)).replace("{", "{{").replace("}", "}}")
        share = "{percentage:3.0f} % " if expected else ""
        self._bar.bar_format = f"{short(played)} deals {share}|{{bar}}| {text}"
        self._bar.total = expected
        self._bar.n = played
        self._bar.refresh()

    def say(self, text: str) -> None:
        """Print a line above the bar."""
        self._bar.say(text)


def _duration(seconds: float) -> str:
    minutes, rest = divmod(max(0, round(seconds)), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"
