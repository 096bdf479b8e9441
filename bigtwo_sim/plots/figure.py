"""A Figure that shows itself in a notebook, though pyplot, which would keep it, never hears of it."""

from typing import Any

from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from bigtwo_sim.plots.style import render


class HouseFigure(Figure):
    """A matplotlib Figure in the house style, drawn by Agg whatever matplotlib draws with elsewhere."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        FigureCanvasAgg(self)

    def _repr_png_(self) -> bytes:
        return render(self, "png")
