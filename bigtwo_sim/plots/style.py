"""The house style: sizes, inks, markers and hatches, how names and numbers are written, and a figure made by all that.

Inks are those of Okabe and Ito (Color Universal Design, 2008). A figure is built and rendered under these settings
alone, whatever matplotlib was set to, and what it was set to is back afterwards.
"""

from __future__ import annotations

import functools
import io
import math
import re
import textwrap
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import matplotlib as mpl
import numpy as np
import numpy.typing as npt
from matplotlib import font_manager, ticker
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from bigtwo_sim.arena.errors import RunError
from bigtwo_sim.arena.stats.figure_text import figure_text
from bigtwo_sim.untrusted.safe_text import visible

FORMATS = ("png", "svg", "pdf")
DOTS_PER_INCH = 110

INK = "0.15"
PALE = "0.55"
FILL = "#A9C7E0"
SECOND_FILL = "#F2D9A0"
INKS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#E69F00", INK)
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "*", "<", ">", "p", "h")
HATCHES = ("", "////", "....", "xxxx")

WIDTH = 9.0
"""Inches of most figures."""
WIDE = 5
"""By how many times values must differ for an axis to be logarithmic."""
NAME_COLUMNS = 26
NAME_LINES = 3

_HOUSE: dict[str, Any] = {
    "font.family": ["DejaVu Sans"],  # comes with matplotlib, so that figures are the same everywhere
    "font.size": 9.5,
    "figure.titlesize": 10.5,
    "axes.titlesize": 9.5,
    "axes.edgecolor": INK,
    "axes.labelcolor": INK,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "xtick.color": INK,
    "ytick.color": INK,
    "text.color": INK,
    "hatch.linewidth": 0.6,
    "svg.fonttype": "path",
    "svg.hashsalt": "bigtwo",  # equal figures are equal files
}
# What hangs on the machine or its windows, and not on the look of a figure.
_NOT_LOOKS = ("backend", "interactive", "toolbar", "webagg", "tk.", "figure.max_open", "figure.raise", "timezone")


@contextmanager
def house_style() -> Iterator[None]:
    """Within it matplotlib has the settings of the house, whatever it had before; it has these again after."""
    settings: Any = {
        name: value
        for name, value in mpl.rcParamsDefault.items()
        if not name.startswith((*_NOT_LOOKS, "savefig.directory", "docstring", "date."))
    }
    with mpl.rc_context(settings | _HOUSE):
        yield


class HouseFigure(Figure):
    """A Figure in the house style that shows itself in a notebook without pyplot, which would keep it."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        FigureCanvasAgg(self)

    def _repr_png_(self) -> bytes:
        return render(self, "png")


def new_figure(width: float, height: float, headline: str, about: str = "", note: str = "") -> Figure:
    """An empty figure of so many inches: a headline with what it is `about` below, and a small note at its foot."""
    figure = HouseFigure(figsize=(width, height), layout="constrained")
    # Letters of these sizes take some 1/14 and 1/18 of an inch, wide ones more.
    lines = [line for text in (headline, about) if text for line in textwrap.wrap(plain(text), int(12.5 * width))]
    figure.suptitle("\n".join(lines), x=0.01, ha="left", linespacing=1.35)
    if note:
        wrapped = "\n".join(textwrap.wrap(plain(note), int(16 * width)))
        figure.supxlabel(wrapped, x=0.01, ha="left", fontsize=8, color="0.3")
    return figure


def render(figure: Figure, form: str = "png") -> bytes:
    """A figure as a file of one of FORMATS; the same figure gives the same bytes. Raises ValueError for another one."""
    if form not in FORMATS:
        raise ValueError(f"form is {form!r}; it must be one of {', '.join(FORMATS)}")
    undated = {"svg": {"Date": None}, "pdf": {"CreationDate": None}}.get(form)
    file = io.BytesIO()
    with house_style():
        figure.savefig(file, format=form, dpi=DOTS_PER_INCH, metadata=undated)
    return file.getvalue()


# --- texts ------------------------------------------------------------------------------------------------------------
@functools.cache
def _glyphs() -> frozenset[int]:
    """The signs that the house's font has."""
    path = font_manager.findfont(_HOUSE["font.family"][0])
    return frozenset(font_manager.get_font(path).get_charmap())


def plain(text: str) -> str:
    """A text as it stands: dollar signs begin no formula, what cannot be seen is shown (see `safe_text`), and what the
    font lacks becomes an empty box.
    """
    shown = "".join(sign if sign == "\n" or ord(sign) in _glyphs() else "\u25a1" for sign in visible(text))
    return shown.replace("$", r"\$")


def names(texts: Sequence[str], columns: int = NAME_COLUMNS, lines: int = NAME_LINES) -> list[str]:
    """Names for labels: long ones broken into lines, the longest cut in their middle, and numbered if equal then."""
    wrapper = textwrap.TextWrapper(columns, max_lines=lines, placeholder="…", break_on_hyphens=False)
    shown: list[str] = []
    for text in texts:
        # A name may be broken behind a comma or a colon, too.
        name = re.sub(r"([,:])(?=\S)", r"\1 ", text)
        most = columns * lines
        while True:
            wrapped = wrapper.wrap(name if len(name) <= most else f"{name[: most // 2]}…{name[-(most // 2 - 1) :]}")
            if most <= columns or not wrapped or not wrapped[-1].endswith("…"):
                break
            most -= 2
        found = "\n".join(wrapped) or "?"
        same = sum(re.sub(r" #\d+$", "", other) == found for other in shown)
        shown.append(f"{found} #{same + 1}" if same else found)
    return [plain(name) for name in shown]


def signed(text: str) -> str:
    """A number's text with a minus sign as wide as its plus sign."""
    return text.replace("-", "\u2212")


def short_number(value: float) -> str:
    """A number for a tick: 0.05, 20, 1,000, 200 k, 1.5 M."""
    for bound, unit, letter in ((1e9, 1e9, "G"), (1e6, 1e6, "M"), (1e4, 1e3, "k")):
        if abs(value) >= bound:
            return signed(f"{value / unit:g} {letter}")
    return signed(f"{value:,.0f}" if abs(value) >= 1000 else f"{value:g}")


def with_margin(row: Any, measure: str, form: str, scale: float = 1.0) -> str:
    """A figure of a row with its interval, `41.2 ± 0.6`, which is left out where nothing is known of it."""
    mean, low, high = figures_of(row, measure, scale)
    return signed(figure_text(mean, low, high, form, unknown="")) if math.isfinite(mean) else "?"


# --- numbers ----------------------------------------------------------------------------------------------------------
def figures_of(row: Any, measure: str, scale: float = 1.0) -> tuple[float, float, float]:
    """Mean, low and high of a measure in a row; NaN for what is not known."""
    found = (row[name] for name in (measure, f"{measure}_low", f"{measure}_high"))
    mean, low, high = (math.nan if value is None else float(value) * scale for value in found)
    return mean, low, high


def reach(means: Any, lows: Any, highs: Any) -> npt.NDArray[np.float64]:
    """How far intervals reach below and above their means, float64[2, n]; NaN, so no line, where that is not known."""
    means, lows, highs = (np.asarray(values, np.float64) for values in (means, lows, highs))
    both: npt.NDArray[np.float64] = np.clip(np.stack([means - lows, highs - means]), 0, None)
    return np.where(np.isfinite(both), both, np.nan)


def interval_bars(axis: Any, x: Any, y: Any, **reaches: Any) -> None:
    """Intervals as lines with caps (`xerr` or `yerr` as of `reach`), over bars and markers."""
    axis.errorbar(x, y, fmt="none", ecolor="black", elinewidth=1.2, capsize=3.5, zorder=5, **reaches)


def plot_and_legend(figure: Any, panels: int, legend_height: float) -> tuple[Any, Any]:
    """Axes for some panels side by side, and one below them that is there for a legend of so many inches alone."""
    rows = figure.add_gridspec(2, 1, height_ratios=(figure.get_figheight() - 1.3 - legend_height, legend_height))
    axes = rows[0].subgridspec(1, panels).subplots(squeeze=False)[0]
    below = figure.add_subplot(rows[1])
    below.set_axis_off()
    return axes, below


def logarithmic(axis: Any, which: str, values: Sequence[float]) -> bool:
    """Make the x or y axis logarithmic if `values` span more than a factor of WIDE, with numbers in plain figures."""
    positive = [value for value in values if value > 0]
    wide = len(positive) == len(values) > 0 and max(positive) > WIDE * min(positive)
    direction = getattr(axis, f"{which}axis")
    if wide:
        getattr(axis, f"set_{which}scale")("log")
        spans = math.log10(max(positive) / min(positive))
        direction.set_major_locator(ticker.LogLocator(subs=(1.0, 2.0, 5.0) if spans < 2.5 else (1.0,), numticks=12))
        direction.set_minor_formatter(ticker.NullFormatter())
    else:
        direction.set_major_locator(ticker.MaxNLocator(6))
    direction.set_major_formatter(ticker.FuncFormatter(lambda value, _: short_number(value)))
    return wide


# --- what was played --------------------------------------------------------------------------------------------------
def counted(number: int, what: str) -> str:
    """`1 block`, `834 blocks`."""
    return f"{number:,} {what}{'' if number == 1 else 's'}"


def who(names_of: Sequence[str]) -> str:
    """The agents for a headline: by name where that is short, else how many."""
    listed = ", ".join(names_of)
    return listed if len(names_of) <= 6 and len(listed) <= 70 else counted(len(names_of), "agent")


def played(run: Any) -> str:
    """How much of a run was played and under which rules, and that it is not over where it is not."""
    result, manifest = run.result, run.manifest
    text = (
        f"{counted(result['deals'], 'deal')} in {counted(result['blocks'], 'block')} under the rules "
        f"{manifest['rules']['name']}, seed {manifest['seed']}"
    )
    if manifest["status"] == "finished":
        return text
    return f"{text}; not finished ({manifest['status']}): what is known so far"


def lines_note(run: Any) -> str:
    """What the lines with caps are."""
    interval, blocks = run.result["interval"], run.result["blocks"]
    if blocks < 2:
        return "A single block: no interval is known yet."
    looks = "" if interval["name"] == "student" else ", at all looks of the run together"
    return f"Lines with caps: {100 * interval['confidence']:g} % intervals from block to block{looks}."


def raise_if_empty(run: Any) -> None:
    """Raises RunError for a run of which no block was saved yet."""
    if not run.result["blocks"]:
        raise RunError(
            f"{run.path}: no chunk of this run was saved ({run.manifest['status']}); there is nothing to plot"
        )
