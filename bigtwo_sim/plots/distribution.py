"""How the points of single deals are spread, agent by agent, each share with its interval."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from bigtwo_sim.arena.errors import RunError
from bigtwo_sim.arena.runners.single_deals import SingleDeals, single_deals
from bigtwo_sim.arena.stats.figure_text import figure_text
from bigtwo_sim.arena.stats.intervals import Estimate, Student, estimate_of, limits, moments_of
from bigtwo_sim.arena.store.reader import SavedRun
from bigtwo_sim.games.big_two import AnyAgent
from bigtwo_sim.plots import style
from bigtwo_sim.roster.spec import agent_from_manifest

MOST_BARS = 32
MOST_AGENTS = 24
BEYOND = 0.001
"""Share of deals that each end of the axis may leave out, of all agents together."""
CUT = 1.8
"""How many times as high as all others the bar at 0 must be to be cut."""


class _Shares(NamedTuple):
    """One agent's shares of deals in %, by bar, with their intervals, and its points a deal."""

    means: npt.NDArray[np.float64]
    lows: npt.NDArray[np.float64]
    highs: npt.NDArray[np.float64]
    points: Estimate


def distribution(
    run: SavedRun,
    seat: Callable[[dict[str, Any]], AnyAgent] = agent_from_manifest,
    blocks: int | None = None,
    *,
    fewest: int = 1,
) -> Figure:
    """Bars of how often a deal brought how many points, a panel an agent, ordered by points.

    A run keeps sums of blocks, so its first blocks are played again (see `single_deals`, which also says what `seat`
    and `blocks` are, and what is raised). 0 has a bar of its own; where most deals bring 0 it is cut, and its share is
    written beside it. Of more than MOST_AGENTS agents the best are shown. Raises RunError also where fewer than
    `fewest` blocks are played again.
    """
    again = single_deals(run, seat, blocks)
    if again.blocks < fewest:
        known = style.counted(again.blocks, "block")
        had = (
            f"this run has {known}"
            if again.blocks == run.result["blocks"]
            else f"agents as slow as these play {known} again"
        )
        raise RunError(f"{run.path}: {had}; the spread of single deals is drawn of at least {fewest}")
    names = run.names
    order = {row["agent"]: -row["points"] for row in run.result["agents"]}
    ranked = sorted(range(len(names)), key=lambda agent: order[names[agent]])
    shown = ranked[:MOST_AGENTS]
    values = np.concatenate([points.ravel() for points in again.points])
    low, high = int(np.quantile(values, BEYOND)), int(np.quantile(values, 1 - BEYOND))
    low, high = min(low, 0), max(high, 1)
    width = max(1, math.ceil((high - low) / MOST_BARS))
    first, last = -math.ceil(-low / width), math.ceil(high / width)
    shares = [_shares(again, agent, width, first, last) for agent in shown]
    note = (
        f"Lines with caps: 95 % intervals from block to block. Beyond either end: at most {100 * BEYOND:g} % of deals."
    )
    if again.blocks < 2:
        note = "A single block: no interval is known yet."
    if width > 1:
        note = f"A bar holds {width} values, but 0 stands alone. {note}"
    if shown != ranked:
        note += f" The {MOST_AGENTS} best of {len(names)} agents."
    whole = again.blocks == run.result["blocks"]
    part = "" if whole else f", of which the first {style.counted(again.deals, 'deal')} are shown"
    with style.house_style():
        columns = min(3, len(shown)) if len(shown) != 4 else 2
        rows = -(-len(shown) // columns)
        labels = style.names([names[agent] for agent in shown], columns=34 if columns == 3 else 48, lines=2)
        figure = style.new_figure(
            style.WIDTH if columns > 1 else 7.0,
            1.5 + 2.3 * rows,
            f"Points of single deals: {style.who([names[agent] for agent in ranked])}",
            style.played(run) + part,
            note,
        )
        axes = figure.subplots(rows, columns, sharex=True, sharey=True, squeeze=False)
        axes[0, 0].yaxis.set_major_formatter(lambda value, _: style.short_number(value))
        axes[0, 0].xaxis.set_major_locator(MaxNLocator(7, integer=True))
        top, cut = _height([np.fmax(found.means, found.highs) for found in shares], -first)
        for place, axis in enumerate(axes.flat):
            if place >= len(shown):
                axis.set_visible(False)
                continue
            _panel(axis, shares[place], labels[place], width, first, top, cut)
            axis.tick_params(labelbottom=place + columns >= len(shown))
            if place + columns >= len(shown):
                axis.set_xlabel("points of a deal")
            if place % columns == 0:
                axis.set_ylabel("deals, %")
    return figure


def _shares(again: SingleDeals, agent: int, width: int, first: int, last: int) -> _Shares:
    """What share of an agent's deals each bar holds: bar 0 is no points, bar k up to k * width points."""
    bars = last - first + 1
    by_lineup, means = [], []
    for entry, points in zip(again.entries, again.points, strict=True):
        if entry.agent != agent:
            continue
        blocks, samples = points.shape
        bar = np.sign(points) * -(-np.abs(points) // width) - first
        inside = (bar >= 0) & (bar < bars)
        cells = (np.arange(blocks)[:, None] * bars + bar)[inside]
        by_lineup.append(np.bincount(cells, minlength=blocks * bars).reshape(blocks, bars) * (100 / samples))
        means.append(points.mean(axis=1))
    blocks_shares = np.mean(by_lineup, axis=0)
    points_by_block = np.mean(means, axis=0)
    moments = moments_of(blocks_shares.T, 0.0, 100.0)
    return _Shares(np.asarray(moments.mean), *limits(moments, Student()), estimate_of(points_by_block))


def _height(tops: list[npt.NDArray[np.float64]], zero: int) -> tuple[float, bool]:
    """How high the panels are, and whether the bars at 0 are cut, from the tops of bars and intervals."""
    at_zero = max(float(found[zero]) for found in tops)
    others = max(float(np.delete(found, zero).max()) for found in tops)
    cut = at_zero > CUT * others > 0
    return (1.5 * others if cut else 1.25 * max(at_zero, others)), cut


def _panel(axis: Any, shares: _Shares, label: str, width: int, first: int, top: float, cut: bool) -> None:
    bars = np.arange(len(shares.means)) + first
    centres = np.sign(bars) * (np.abs(bars) * width - (width - 1) / 2)
    widths = np.where(bars == 0, 1, width)
    axis.bar(
        centres,
        np.minimum(shares.means, 2 * top),
        width=widths,
        color=np.where(bars == 0, style.SECOND_FILL, style.FILL),
        edgecolor=style.INK,
        linewidth=0.6,
    )
    known = shares.means < top
    style.interval_bars(
        axis,
        centres[known],
        shares.means[known],
        yerr=style.reach(
            shares.means[known],
            shares.lows[known],
            shares.highs[known],
        ),
    )
    axis.axvline(0, color=style.INK, linewidth=0.8)
    axis.set_ylim(0, top)
    axis.margins(x=0.01)
    points = figure_text(shares.points.mean, shares.points.low, shares.points.high, "+.2f", unknown="")
    axis.set_title(f"{label}\n{style.signed(points)} points a deal", loc="left")
    if cut:
        share = shares.means[-first]
        text = figure_text(share, shares.lows[-first], shares.highs[-first], ".1f", unknown="")
        axis.annotate(
            f"no points: {text} %" + (" (bar cut)" if share > top else ""),
            (0.5, 1),
            (6, -3),
            xycoords=("data", "axes fraction"),
            textcoords="offset points",
            va="top",
            fontsize=8.5,
        )
