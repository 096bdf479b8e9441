"""Columns of anything that was counted, in the house style: a histogram, or one column a card, kind or preset."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from matplotlib.figure import Figure

from bigtwo_sim.plots import style

WIDE_LABEL = 0.09
"""Inches that a letter of a label takes, with some to spare."""
MOST_LABELS = 26
FEWEST_LETTERS = 8
"""Of a line below a column; narrower columns have their labels upright."""


def columns(
    labels: Sequence[Any],
    means: npt.ArrayLike,
    margins: npt.ArrayLike,
    *,
    headline: str,
    about: str,
    label: str,
    below: str = "",
    base: float = 0.0,
    note: str = "Lines with caps: 95 % intervals.",
    hatched: Sequence[bool] | None = None,
) -> Figure:
    """A column for each of `labels`, from `base` to its mean, with a line of `margins` up and down.

    `headline` and `about` are the title's two lines, `label` is that of the axis and `below` that of the labels. Of
    numbers every so many are written below, of texts all. Columns that are `hatched` stand out. Raises ValueError where
    labels, means and margins are not as many.
    """
    heights, halves = np.asarray(means, float), np.asarray(margins, float)
    if not len(labels) == len(heights) == len(halves):
        raise ValueError(
            f"there are {len(labels)} labels, {len(heights)} means and {len(halves)} margins; they must be as many"
        )
    numbers = all(isinstance(value, int | float | np.number) for value in labels)
    texts = [style.short_number(float(value)) if numbers else style.plain(str(value)) for value in labels]
    with style.house_style():
        figure = style.new_figure(style.WIDTH, 3.6, headline, about, note)
        axis = figure.subplots()
        places = np.arange(len(texts))
        bars = axis.bar(
            places, heights - base, bottom=base, width=0.82, color=style.FILL, edgecolor=style.INK, linewidth=0.7
        )
        for bar, marked in zip(bars, hatched or [False] * len(texts), strict=True):
            if marked:
                bar.set(hatch=style.HATCHES[1], facecolor=style.SECOND_FILL)
        style.interval_bars(axis, places, heights, yerr=np.stack([halves, halves]))
        axis.axhline(base, color=style.INK, linewidth=0.8)
        axis.set_ylabel(label)
        axis.set_xlabel(below)
        axis.yaxis.set_major_formatter(lambda value, _: style.short_number(round(value, 12)))
        room = int((style.WIDTH - 1.2) / len(texts) / WIDE_LABEL)  # letters beside one another
        if numbers:
            shown = _round_ones(labels)
            axis.set_xticks(places[shown], [texts[place] for place in shown])
        elif room >= FEWEST_LETTERS or room >= max(map(len, texts)):
            axis.set_xticks(places, style.names(list(map(str, labels)), room, 3))
        else:
            axis.set_xticks(places, texts, rotation=90)
        axis.tick_params(axis="x", length=0)
        axis.margins(x=0.01)
    return figure


def _round_ones(labels: Sequence[Any]) -> list[int]:
    """The places of numbers that are written below: round ones at equal steps, at most MOST_LABELS."""
    if len(labels) <= MOST_LABELS:
        return list(range(len(labels)))
    for step in (2, 5, 10, 20, 50, 100, 200, 500, 1000):
        found = [place for place, value in enumerate(labels) if value % step == 0]
        if 1 < len(found) <= MOST_LABELS:
            return found
    return [0, len(labels) - 1]
