"""What the options of a position should bring: bars with their intervals, the best one on top."""

from __future__ import annotations

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from bigtwo_sim.plots import style

GREY = "0.72"
OF_MARGIN = ("margin", "own points less the mean of the others'", "win chance, %")
OF_STAKES = ("points", "own stakes", "win chance of the own side, %")


def options(frame: pd.DataFrame) -> Figure:
    """Bars of what `analyse` found: margin or stakes, and the win chance."""
    measure, *labels = OF_MARGIN if "margin" in frame else OF_STAKES
    rows = np.arange(len(frame))
    hatched = "; hatched: a certain finish" if frame["certain"].any() else ""
    with style.house_style():
        figure = style.new_figure(
            style.WIDTH,
            1.5 + 0.27 * len(frame),
            "What each option should bring",
            f"based on {style.counted(frame.attrs['worlds'], 'simulated deal')}" if "worlds" in frame.attrs else "",
            f"Lines with caps: 95 % intervals{hatched}.",
        )
        axes = figure.subplots(1, 2, sharey=True, width_ratios=(3, 2))
        for axis, name, scale, label in zip(axes, (measure, "win"), (1, 100), labels, strict=True):
            means, lows, highs = (frame[f"{name}{end}"].to_numpy() * scale for end in ("", "_low", "_high"))
            bars = axis.barh(rows, means, height=0.7, color=GREY, edgecolor=style.INK, linewidth=0.7)
            for bar, certain in zip(bars, frame["certain"], strict=True):
                if certain:
                    bar.set_hatch("////")
            style.interval_bars(axis, means, rows, xerr=style.reach(means, lows, highs))
            axis.axvline(0, color=style.INK, linewidth=0.8)
            axis.set_xlabel(label)
        axes[0].set_yticks(rows, [style.plain(cards) for cards in frame["cards"]], fontsize=8.5)
        axes[0].set_ylim(len(frame) - 0.4, -0.6)
    return figure
