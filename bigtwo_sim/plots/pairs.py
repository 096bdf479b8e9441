"""The heat map of pairs: by how much each agent was better than each other one that it met, with intervals."""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib import colormaps
from matplotlib.figure import Figure

from bigtwo_sim.arena.errors import RunError
from bigtwo_sim.arena.store.reader import SavedRun
from bigtwo_sim.plots import style

MEASURES = {"points": (1, "+.2f", "points a deal"), "win_rate": (100, "+.1f", "win rate, percentage points")}
MOST_ROWS = 24
MIDDLE = 0.46
"""Lightness above which black is easier to read than white."""


def pairs(run: SavedRun, measure: str = "points") -> Figure:
    """A cell for each pair: the agent of the row minus that of the column, in `points` or `win_rate`.

    The colours (cividis) get lighter with the difference for every eye and in grey. Of more than MOST_ROWS agents the
    best are shown. Raises RunError for a run without a saved block or with a single agent, ValueError for another
    measure.
    """
    if measure not in MEASURES:
        raise ValueError(f"measure is {measure!r}; it must be one of {', '.join(MEASURES)}")
    style.raise_if_empty(run)
    if not run.result["pairs"]:
        raise RunError(f"{run.path}: no two agents met in this run; a heat map of pairs needs two")
    scale, form, label = MEASURES[measure]
    ranked = [row["agent"] for row in sorted(run.result["agents"], key=lambda row: -row["points"])]
    shown = ranked[:MOST_ROWS]
    cells, texts = _cells(run.result["pairs"], shown, measure, scale, form)
    beyond = "" if shown == ranked else f" The {MOST_ROWS} best of {len(ranked)} agents."
    brackets = "" if run.result["blocks"] < 2 else " Brackets: the interval (±) holds 0."
    count = len(shown)
    with style.house_style():
        labels = style.names(shown)
        columns = max(len(line) for label in labels for line in label.split("\n"))
        figure = style.new_figure(
            max(6.5, 1.9 + 0.085 * columns + 0.78 * count),
            1.9 + 0.56 * count,
            f"Row minus column, {label}: {style.who(ranked)}",
            style.played(run),
            f"{style.lines_note(run).replace('Lines with caps', '±')}{brackets}{beyond}",
        )
        axis = figure.subplots()
        most = np.nanmax(np.abs(cells)) or 1.0
        colours = colormaps["cividis"].with_extremes(bad="white")
        image = axis.imshow(cells, cmap=colours, vmin=-most, vmax=most, aspect="auto")
        for row in range(count):
            for column in range(count):
                light = np.isnan(cells[row, column]) or _lightness(image, cells[row, column]) > MIDDLE
                colour = "black" if light else "white"
                axis.text(
                    column, row, texts[row][column], ha="center", va="center", fontsize=8, color=colour, linespacing=1.1
                )
        numbered = [f"{number}  {label}" for number, label in enumerate(labels, start=1)]
        axis.set_yticks(np.arange(count), numbered)
        axis.set_xticks(np.arange(count), [str(number) for number in range(1, count + 1)])
        axis.xaxis.tick_top()
        axis.tick_params(length=0)
        axis.set_xticks(np.arange(1, count) - 0.5, minor=True)
        axis.set_yticks(np.arange(1, count) - 0.5, minor=True)
        axis.grid(which="minor", color="white", linewidth=1.5)
        axis.tick_params(which="minor", length=0)
        axis.spines[:].set_visible(False)
        bar = figure.colorbar(image, ax=axis, shrink=0.9, pad=0.02)
        bar.outline.set_visible(False)
    return figure


def _cells(rows: list[dict[str, Any]], shown: list[str], measure: str, scale: float, form: str) -> Any:
    """The differences float64[n, n], and their texts: mean, the longer side of the interval."""
    number = {agent: place for place, agent in enumerate(shown)}
    cells = np.full((len(shown), len(shown)), np.nan)
    texts = [["·" if row == column else "did not\nmeet" for column in range(len(shown))] for row in range(len(shown))]
    for pair in rows:
        if pair["first"] not in number or pair["second"] not in number:
            continue
        mean, low, high = style.figures_of(pair, measure, scale)
        first, second = number[pair["first"]], number[pair["second"]]
        for row, column, value in ((first, second, mean), (second, first, -mean)):
            cells[row, column] = value
            text = style.signed(f"{value or 0.0:{form}}")
            if low <= 0 <= high:
                text = f"({text})"
            known = np.isfinite([low, high]).all()
            # A cell has no room for both sides, and the longer one claims nothing that is not known.
            texts[row][column] = f"{text}\n± {max(high - mean, mean - low):{form[1:]}}" if known else text
    return cells, texts


def _lightness(image: Any, value: float) -> float:
    """How light the colour of a cell is to the eye, 0 to 1 (the luma of ITU-R BT.601)."""
    red, green, blue, _ = image.cmap(image.norm(value))
    return float(0.299 * red + 0.587 * green + 0.114 * blue)
