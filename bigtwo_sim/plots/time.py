"""Strength against time: a curve over the values of a setting, and the agents of a tournament by what they take."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal

import numpy as np
from annotated_types import Ge, Gt, MinLen
from matplotlib.figure import Figure
from typing_extensions import TypedDict

from bigtwo_sim.arena.errors import RunError
from bigtwo_sim.arena.store.reader import SavedRun
from bigtwo_sim.plots import style
from bigtwo_sim.plots.speeds import SPEEDS
from bigtwo_sim.untrusted.documents import DocumentError, read_json

CURVE = "curve.json"
UNITS = ((0.05, 1000.0, "microseconds"), (10_000.0, 1.0, "milliseconds"), (np.inf, 0.001, "seconds"))
APART = 3
"""How many times longer the slowest value of a setting takes than the quickest for time to be the axis."""
MOST_AGENTS = 40
LEGEND = 0.23  # inches a row
PANELS = (("win_rate", 100, "win rate, %"), ("points", 1, "points a deal"))
CURVE_PANELS = (("win_rate", 100, "win rate, %"), ("margin", 1, "points less the others' mean"))


# --- a curve ----------------------------------------------------------------------------------------------------------
class _Row(TypedDict):
    value: float
    milliseconds: Annotated[float, Gt(0)]
    win_rate: float | None
    win_rate_low: float | None
    win_rate_high: float | None
    margin: float | None
    margin_low: float | None
    margin_high: float | None


class _Rules(TypedDict):
    name: str


class _Report(TypedDict):
    format: Literal[1]
    agent: str
    knob: str
    against: str
    rules: _Rules
    seed: Annotated[int, Ge(0)]
    blocks: Annotated[int, Ge(0)]
    deals: Annotated[int, Ge(0)]
    curve: Annotated[list[_Row], MinLen(1)]


def read_curve(folder: str | Path) -> dict[str, Any]:
    """The report of `bigtwo curve` in a folder, or in a file. Raises RunError where there is none."""
    path = Path(folder)
    path = path / CURVE if path.is_dir() else path
    try:
        report: dict[str, Any] = read_json(path, _Report)
    except DocumentError as error:
        if error.unreadable:
            raise RunError(
                f"{path} {error.reason.removeprefix('it ')}; bigtwo curve --resume writes it at its end"
            ) from None
        raise RunError(f"{path} is damaged: {error.reason}; bigtwo curve --resume writes it again") from None
    return report


def curve(source: SavedRun | Mapping[str, Any] | str | Path) -> Figure:
    """Win rate and points of one among three others at each value of a setting.

    `source` is the report of a curve, the run that it was played as, or its folder. The axis is time, with the values
    written at the points; where all values take about as long, it is the setting itself. Raises RunError where there
    is no curve.
    """
    if isinstance(source, SavedRun):
        source = source.path
    report = source if isinstance(source, Mapping) else read_curve(source)
    rows, knob = report["curve"], report["knob"]
    values = np.array([row["value"] for row in rows], float)
    times = np.array([row["milliseconds"] for row in rows], float)
    by_time = times.max() > APART * times.min()
    in_units, unit = _in_units(times)
    x = in_units if by_time else values
    spent = f"numbers: {knob}" if by_time else f"a decision takes {_range(in_units)} {unit.split()[0]} at all values"
    with style.house_style():
        figure = style.new_figure(
            style.WIDTH,
            4.3,
            f"One {report['agent']} among three {report['against']}, by {knob}",
            f"{style.counted(report['deals'], 'deal')} of each value, in {style.counted(report['blocks'], 'block')}, "
            f"under the rules {report['rules']['name']}, seed {report['seed']}",
            f"Lines with caps: 95 % intervals from block to block; {spent}.",
        )
        axes = figure.subplots(1, len(CURVE_PANELS))
        for axis, (measure, scale, label) in zip(axes, CURVE_PANELS, strict=True):
            means, lows, highs = np.array([style.figures_of(row, measure, scale) for row in rows]).T
            axis.plot(x, means, color=style.INKS[0], marker="o", markersize=5, linewidth=1.2, zorder=4)
            style.interval_bars(axis, x, means, yerr=style.reach(means, lows, highs))
            axis.set_ylabel(label)
            wide = style.logarithmic(axis, "x", list(x))
            axis.set_xlabel((unit if by_time else knob) + (", logarithmic" if wide else ""))
            axis.margins(x=0.08, y=0.14)
            even = 25.0 if measure == "win_rate" else 0.0
            low, high = axis.get_ylim()
            if low - 0.3 * (high - low) < even < high + 0.3 * (high - low):
                axis.axhline(even, color=style.PALE, linestyle=":", linewidth=1.2, zorder=0)
        if by_time:
            texts = [style.short_number(value) for value in values]
            for axis in axes:
                _write_values(figure, axis, axis.lines[0].get_xydata(), texts)
    return figure


def _write_values(figure: Any, axis: Any, points: Any, texts: list[str]) -> None:
    """Write each value beside its point, where there is room: none over another one or over a point."""
    figure.draw_without_rendering()  # so that places on the page are known
    renderer = figure.canvas.get_renderer()
    taken: list[Any] = []
    markers = axis.transData.transform(points)
    for point, text in zip(points, texts, strict=True):
        for dx, dy, ha, va in (
            (7, -7, "left", "top"),
            (-7, 7, "right", "bottom"),
            (7, 7, "left", "bottom"),
            (-7, -7, "right", "top"),
        ):
            label = axis.annotate(text, point, (dx, dy), textcoords="offset points", ha=ha, va=va, fontsize=8.5)
            label.set_in_layout(False)
            box = label.get_window_extent(renderer)
            inside = (
                axis.bbox.x0 <= box.x0 and box.x1 <= axis.bbox.x1 and axis.bbox.y0 <= box.y0 and box.y1 <= axis.bbox.y1
            )
            on_point = any(box.padded(4).contains(*marker) for marker in markers)
            if inside and not on_point and not any(box.overlaps(other) for other in taken):
                taken.append(box)
                break
            label.remove()


def _in_units(times: Any) -> tuple[Any, str]:
    """Milliseconds in the unit that suits them, and the label of their axis."""
    factor, unit = next((factor, unit) for most, factor, unit in UNITS if times.max() <= most)
    return times * factor, f"{unit} a decision"


def _range(times: Any) -> str:
    low, high = f"{times.min():.2g}", f"{times.max():.2g}"
    return low if low == high else f"{low} to {high}"


# --- a tournament -----------------------------------------------------------------------------------------------------
def milliseconds(run: SavedRun) -> dict[str, float]:
    """What a decision of each agent takes, by name, from the speeds that the run recorded; empty where it did not."""
    return {name: 1000 / speed for name, speed in run.manifest.get(SPEEDS, {}).items() if speed}


def against_time(run: SavedRun, spent: Mapping[str, float] | None = None) -> Figure:
    """Win rate and points of the agents of a run against the milliseconds that a decision of theirs takes.

    `spent` is those milliseconds by name, by default what the run recorded; agents without any are left out, and of
    more than MOST_AGENTS the best are shown. Raises RunError where fewer than two agents have any.
    """
    style.raise_if_empty(run)
    known = milliseconds(run) if spent is None else dict(spent)
    ranked = sorted((row for row in run.result["agents"] if known.get(row["agent"])), key=lambda row: -row["points"])
    if len(ranked) < 2:
        raise RunError(
            f"{run.path} has the speed of {style.counted(len(ranked), 'agent')}; strength against time needs two or "
            "more (bigtwo tournament records them at the end of a run)"
        )
    rows = ranked[:MOST_AGENTS]
    shown = [row["agent"] for row in rows]
    x, unit = _in_units(np.array([known[name] for name in shown]))
    left_out = [name for name in run.names if name not in known]
    note = style.lines_note(run) + " Time: that of one core, at a table of the agent's own kind."
    if left_out:
        note += f" Without a speed: {', '.join(left_out)}."
    with style.house_style():
        labels = style.names(shown, columns=40, lines=1)
        columns = max(1, min(4, len(labels), int(100 / (6 + max(map(len, labels))))))
        legend_rows = -(-len(labels) // columns)
        figure = style.new_figure(
            style.WIDTH,
            4.2 + LEGEND * legend_rows,
            f"Strength against time: {style.who([row['agent'] for row in ranked])}",
            style.played(run),
            note + ("" if rows == ranked else f" The {MOST_AGENTS} best of {len(ranked)} agents."),
        )
        axes, below = style.plot_and_legend(figure, len(PANELS), LEGEND * legend_rows)
        for axis, (measure, scale, label) in zip(axes, PANELS, strict=True):
            means, lows, highs = np.array([style.figures_of(row, measure, scale) for row in rows]).T
            style.interval_bars(axis, x, means, yerr=style.reach(means, lows, highs))
            for place, (at, mean) in enumerate(zip(x, means, strict=True)):
                axis.plot(
                    at,
                    mean,
                    linestyle="none",
                    marker=style.MARKERS[place % len(style.MARKERS)],
                    color=style.INKS[place % len(style.INKS)],
                    markeredgecolor="black",
                    markeredgewidth=0.7,
                    markersize=8,
                    zorder=4,
                    label=labels[place] if axis is axes[0] else None,
                )
            axis.set_ylabel(label)
            wide = style.logarithmic(axis, "x", list(x))
            axis.set_xlabel(unit + (", logarithmic" if wide else ""))
            axis.margins(x=0.1, y=0.1)
        axes[0].axhline(25, color=style.PALE, linestyle=":", linewidth=1.2, zorder=0)
        below.legend(
            *axes[0].get_legend_handles_labels(), loc="center", ncols=columns, frameon=False, handletextpad=0.4
        )
    return figure
