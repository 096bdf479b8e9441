"""What stands in a figure and where: its texts with their boxes, and the lines that are intervals."""

from itertools import combinations
from typing import Any

from matplotlib.axis import Axis
from matplotlib.container import ErrorbarContainer
from matplotlib.figure import Figure
from matplotlib.text import Text

SLACK = 1.0  # pixels that boxes may share: they are wider than what is drawn in them


def texts(figure: Figure) -> list[tuple[str, Any]]:
    """Each text that is drawn, and its box in pixels."""
    figure.draw_without_rendering()
    renderer = figure.canvas.get_renderer()  # type: ignore[attr-defined]
    beyond: set[Text] = set()
    for axes in figure.axes:
        for axis in (axes.xaxis, axes.yaxis):
            beyond |= _not_drawn(axis, axes.axison and axes.get_visible())
    return [
        (text.get_text(), text.get_window_extent(renderer))
        for text in figure.findobj(Text)
        if isinstance(text, Text) and text.get_text().strip() and text.get_visible() and text not in beyond
        if text.axes is None or text.axes.get_visible()
    ]


def _not_drawn(axis: Axis, visible: bool) -> set[Text]:
    """The labels of ticks beyond the ends of an axis, which exist but are not drawn."""
    low, high = sorted(axis.get_view_interval())
    labels = {tick.label1 for tick in axis.majorTicks + axis.minorTicks}
    labels |= {tick.label2 for tick in axis.majorTicks + axis.minorTicks}
    shown = set()
    for tick in axis.majorTicks if visible else ():
        if low - 1e-9 * (high - low) <= tick.get_loc() <= high + 1e-9 * (high - low):
            shown |= {label for label in (tick.label1, tick.label2) if label.get_visible()}
    return labels - shown


def overlaps(figure: Figure) -> list[str]:
    """Texts that stand over one another or leave the figure, in words; none where all is well."""
    found = texts(figure)
    page = figure.bbox
    faults = [
        f"{text!r} leaves the figure"
        for text, box in found
        if box.x0 < page.x0 - SLACK or box.x1 > page.x1 + SLACK or box.y0 < page.y0 - SLACK or box.y1 > page.y1 + SLACK
    ]
    for (one, first), (other, second) in combinations(found, 2):
        wide = min(first.x1, second.x1) - max(first.x0, second.x0)
        high = min(first.y1, second.y1) - max(first.y0, second.y0)
        if wide > SLACK and high > SLACK:
            faults.append(f"{one!r} and {other!r} overlap")
    return faults


def title(figure: Figure) -> str:
    """The title, in one line."""
    assert figure.get_suptitle()
    return " ".join(figure.get_suptitle().split())


def intervals(axes: Any) -> list[tuple[float, float]]:
    """The ends of all intervals of a panel, in the order in which they were drawn."""
    ends = []
    for container in axes.containers:
        if isinstance(container, ErrorbarContainer):
            for lines in container.lines[2]:
                across = container.has_xerr
                ends += [tuple(segment[:, 0 if across else 1]) for segment in lines.get_segments() if len(segment)]
    return [(float(low), float(high)) for low, high in ends]
