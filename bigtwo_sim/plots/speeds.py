"""How fast things are: deals a second as `bigtwo bench` measured them, or decisions a second as a run recorded them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, NotRequired

import numpy as np
from annotated_types import Ge, Gt
from matplotlib.figure import Figure
from typing_extensions import TypedDict

from bigtwo_sim.arena.errors import RunError
from bigtwo_sim.arena.store.reader import SavedRun
from bigtwo_sim.plots import style
from bigtwo_sim.untrusted.documents import DocumentError, check

UNIT = "deals/s"
SPEEDS = "decisions_per_second"
SPEED_RANGES = "decisions_per_second_range"
LEGEND = 0.3  # inches
Row = tuple[str, int, float, float, float]  # what, threads, median, lowest, highest


class _Measured(TypedDict):
    name: str
    unit: str
    workers: Annotated[int, Ge(1)]
    median: Annotated[float, Gt(0)]
    low: Annotated[float, Gt(0)]
    high: Annotated[float, Gt(0)]


class _Machine(TypedDict):
    cpu: str
    cores: Annotated[int, Ge(1)]
    python: str
    numba: str


class _Bench(TypedDict):
    results: list[_Measured]
    machine: _Machine
    rules: NotRequired[dict[str, str]]


def throughput(source: SavedRun | Mapping[str, Any]) -> Figure:
    """Bars of deals a second from a report of `bigtwo bench`, or of decisions a second of a run's agents.

    Each is the median of some repetitions, its line goes from the slowest to the fastest. Raises RunError for a report
    or a run that holds no such speeds.
    """
    return _of_run(source) if isinstance(source, SavedRun) else _of_bench(source)


def _of_bench(report: Mapping[str, Any]) -> Figure:
    try:
        check("the report", report, _Bench)
    except DocumentError as error:
        raise RunError(
            f"this is not a report of bigtwo bench; make one by bigtwo bench --json ({error.reason})"
        ) from None
    rows: list[Row] = [
        (row["name"], row["workers"], row["median"], row["low"], row["high"])
        for row in report["results"]
        if row["unit"] == UNIT
    ]
    machine = report["machine"]
    about = (
        f"{machine['cpu']}, {style.counted(machine['cores'], 'core')}, Python {machine['python']}, "
        f"numba {machine['numba']}"
    )
    rules = report.get("rules", {}).get("name")
    if not rows:
        raise RunError(f"this report of bigtwo bench measured nothing in {UNIT}; leave out --only")
    headline = "Deals a second" + (f" under the rules {rules}" if rules else "")
    return _bars(rows, headline, about, "deals a second")


def _of_run(run: SavedRun) -> Figure:
    speeds = {name: speed for name, speed in run.manifest.get(SPEEDS, {}).items() if speed}
    if not speeds:
        raise RunError(f"{run.path} has no speeds of its agents; bigtwo tournament records them at the end of a run")
    ranges = run.manifest.get(SPEED_RANGES, {})
    rows = [(name, 1, speed, *(ranges.get(name) or (np.nan, np.nan))) for name, speed in speeds.items()]
    deals = run.result["deals"] / run.manifest["seconds"] if run.manifest["seconds"] else np.nan
    overall = f"; the run as a whole: {style.short_number(float(f'{deals:.3g}'))} deals a second" if deals > 0 else ""
    return _bars(
        sorted(rows, key=lambda row: -row[2]),
        f"Decisions a second on one core: {style.who(list(speeds))}",
        style.played(run) + overall,
        "decisions a second, at a table of its own kind",
    )


def _bars(rows: list[Row], headline: str, about: str, label: str) -> Figure:
    what = list(dict.fromkeys(row[0] for row in rows))
    threads = sorted({row[1] for row in rows})
    height = 0.8 / len(threads)
    known = any(np.isfinite(row[3]) for row in rows)
    missing = [row[0] for row in rows if not np.isfinite(row[3])]
    note = "Median of the repetitions; lines with caps: from the slowest to the fastest." if known else ""
    if missing:
        note += f" Measured once, so without a line: {', '.join(missing)}."
    with style.house_style():
        labels = style.names(what)
        lines = sum(max(1.2 * len(threads), 1.3, 1 + label.count("\n")) for label in labels)
        several = len(threads) > 1
        figure = style.new_figure(style.WIDTH, 1.6 + 0.27 * lines + LEGEND * several, headline, about, note)
        if several:
            (axis,), below = style.plot_and_legend(figure, 1, LEGEND)
        else:
            axis = figure.subplots()
        values = [row[2] for row in rows]
        wide = style.logarithmic(axis, "x", values)
        for place, count in enumerate(threads):
            of = [row for row in rows if row[1] == count]
            y = np.array([what.index(row[0]) for row in of]) + (place - (len(threads) - 1) / 2) * height
            medians, lows, highs = np.array([row[2:] for row in of], float).T
            _draw(axis, y, medians, place, 0.92 * height, style.counted(count, "thread"), wide)
            style.interval_bars(axis, medians, y, xerr=style.reach(medians, lows, highs))
            for at, median, high in zip(y, medians, highs, strict=True):
                axis.annotate(
                    style.short_number(float(f"{median:.3g}")),
                    (max(median, 0 if np.isnan(high) else high), at),
                    (9, 0),
                    textcoords="offset points",
                    va="center",
                    fontsize=8.5,
                    bbox={"facecolor": "white", "edgecolor": "none", "pad": 0.8},
                )
        top = max(values + [row[4] for row in rows if np.isfinite(row[4])])
        spread = top / min(values)
        axis.set_xlim(*((min(values) / spread**0.06, top * spread**0.14) if wide else (0, 1.15 * top)))
        axis.set_yticks(np.arange(len(what)), labels)
        axis.set_ylim(len(what) - 0.4, -0.6)
        axis.tick_params(axis="y", length=0)
        axis.set_xlabel(label + (", logarithmic" if wide else ""))
        if several:
            below.legend(*axis.get_legend_handles_labels(), loc="center", ncols=len(threads), frameon=False)
    return figure


def _draw(axis: Any, y: Any, medians: Any, place: int, height: float, label: str, wide: bool) -> None:
    """Bars; on a logarithmic axis, where the length of a bar means nothing, markers."""
    fill = (style.FILL, style.SECOND_FILL)[place % 2]
    if wide:
        axis.hlines(y, 0, 1, color=style.PALE, linewidth=0.6, linestyle=":", transform=axis.get_yaxis_transform())
        marker = style.MARKERS[place % len(style.MARKERS)]
        axis.plot(
            medians, y, linestyle="none", marker=marker, markersize=8, color=fill, markeredgecolor="black", label=label
        )
        return
    hatch = style.HATCHES[place % len(style.HATCHES)]
    axis.barh(y, medians, height, color=fill, hatch=hatch, edgecolor=style.INK, linewidth=0.8, label=label)
