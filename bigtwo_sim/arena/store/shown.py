"""How a result shows itself: a line about it and a table of its figures with intervals, in a notebook as HTML."""

from __future__ import annotations

import html
import math
from collections.abc import Mapping
from typing import Any

import pandas as pd

from bigtwo_sim.arena.stats.figure_text import figure_text


class Shown:
    """A result that is shown as a table wherever Python shows a value."""

    def headline(self) -> str:
        """What was played, in a line."""
        raise NotImplementedError

    def table(self) -> pd.DataFrame:
        """The figures, as texts."""
        raise NotImplementedError

    def __repr__(self) -> str:
        table = self.table()
        return f"{self.headline()}\n\n{table.to_string(index=False)}" if len(table) else self.headline()

    def _repr_html_(self) -> str:
        table = self.table()
        shown = table.to_html(index=False, border=0) if len(table) else ""
        return f"<p>{html.escape(self.headline())}</p>{shown}"


def with_interval(row: Mapping[Any, Any], name: str, form: str, scale: float = 1.0) -> str:
    """A figure of a row with its interval, such as `41.2 ± 0.6`; what is not known is None there."""
    mean, low, high = (
        math.nan if row[key] is None else row[key] * scale for key in (name, f"{name}_low", f"{name}_high")
    )
    return "?" if math.isnan(mean) else figure_text(mean, low, high, form)
