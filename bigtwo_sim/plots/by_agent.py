"""Win rate and points a deal of each agent, as bars with their intervals and numbers, the best on top."""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib.figure import Figure

from bigtwo_sim.arena.store.reader import SavedRun
from bigtwo_sim.plots import style

FAIR = 25.0
MOST_ROWS = 40
MEASURES = (
    ("win_rate", 100, ".1f", "win rate, % (dotted: a fair share)"),
    ("points", 1, "+.2f", "points a deal"),
)


def by_agent(run: SavedRun) -> Figure:
    """Bars of win rate and points a deal of each agent, ordered by points.

    Of more than MOST_ROWS agents the best and the worst are shown. Raises RunError for a run without a saved block.
    """
    style.raise_if_empty(run)
    ranked = sorted(run.result["agents"], key=lambda row: -row["points"])
    shown = ranked if len(ranked) <= MOST_ROWS else ranked[: MOST_ROWS // 2] + ranked[-(MOST_ROWS // 2) :]
    beyond = "" if shown == ranked else f" The {MOST_ROWS // 2} best and worst of {len(ranked)} agents."
    with style.house_style():
        labels = style.names([row["agent"] for row in shown])
        lines = sum(max(1.3, 1 + label.count("\n")) for label in labels)
        figure = style.new_figure(
            style.WIDTH,
            1.7 + 0.25 * lines,
            f"Win rate and points: {style.who([row['agent'] for row in ranked])}",
            style.played(run),
            style.lines_note(run) + beyond,
        )
        axes = figure.subplots(1, len(MEASURES), sharey=True)
        for axis, (measure, scale, form, label) in zip(axes, MEASURES, strict=True):
            _bars(axis, shown, measure, scale, form)
            axis.set_xlabel(label)
        axes[0].axvline(FAIR, color=style.PALE, linestyle=":", linewidth=1.2, zorder=0)
        axes[0].set_yticks(np.arange(len(shown)), labels)
        axes[0].set_ylim(len(shown) - 0.4, -0.6)
    return figure


def _bars(axis: Any, rows: list[dict[str, Any]], measure: str, scale: float, form: str) -> None:
    places = np.arange(len(rows))
    means, lows, highs = np.array([style.figures_of(row, measure, scale) for row in rows]).T
    axis.barh(places, means, height=0.62, color=style.FILL, edgecolor=style.INK, linewidth=0.8)
    style.interval_bars(axis, means, places, xerr=style.reach(means, lows, highs))
    left = min(0.0, np.nanmin([means, lows]))
    right = max(0.0, np.nanmax([means, highs]))
    span = right - left or 1.0
    for place, row, mean, high in zip(places, rows, means, highs, strict=True):
        at = max(0.0, mean, 0.0 if np.isnan(high) else high)
        text = style.with_margin(row, measure, form, scale)
        axis.annotate(
            text,
            (at, place),
            (5, 0),
            textcoords="offset points",
            va="center",
            fontsize=8.5,
            bbox={"facecolor": "white", "edgecolor": "none", "pad": 0.8},
        )
    axis.axvline(0, color=style.INK, linewidth=0.8)
    axis.set_xlim(left - (0.05 * span if left < 0 else 0), right + 0.48 * span)
    axis.tick_params(axis="y", length=0)
