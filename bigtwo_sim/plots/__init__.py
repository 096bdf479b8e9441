"""Figures of saved runs, curves and measured speeds, in one house style; each is a matplotlib Figure.

Every figure says in its title what was played, under which rules and over how many deals, and draws every bar and point
with its interval. Colour never stands alone: markers, hatches and numbers tell the same in grey. matplotlib is loaded
when the first figure is drawn, without pyplot, and no setting of it is left changed.
"""

from bigtwo_sim.plots.by_agent import by_agent
from bigtwo_sim.plots.columns import columns
from bigtwo_sim.plots.distribution import distribution
from bigtwo_sim.plots.options import options
from bigtwo_sim.plots.pairs import pairs
from bigtwo_sim.plots.speeds import throughput
from bigtwo_sim.plots.style import FORMATS, render
from bigtwo_sim.plots.time import against_time, curve, milliseconds, read_curve

__all__ = [
    "FORMATS",
    "against_time",
    "by_agent",
    "columns",
    "curve",
    "distribution",
    "milliseconds",
    "options",
    "pairs",
    "read_curve",
    "render",
    "throughput",
]
