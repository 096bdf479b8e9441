"""A curve: how strong an agent is at each of several values of a setting, and what a decision then takes."""

from __future__ import annotations

import csv
import io
import json
import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from bigtwo_sim import __version__
from bigtwo_sim.arena import Plan, RunFolder, SavedRun
from bigtwo_sim.arena.runners import speed
from bigtwo_sim.arena.runners.curve import ratings, steps
from bigtwo_sim.arena.stats.figure_text import three_digits
from bigtwo_sim.arena.stats.intervals import estimate_of
from bigtwo_sim.arena.store.shown import Shown, with_interval
from bigtwo_sim.arena.store.summary import figures
from bigtwo_sim.games.base.agent import PolicyAgent
from bigtwo_sim.games.big_two.game import COUNTING
from bigtwo_sim.games.big_two.rules import Rules
from bigtwo_sim.requests.errors import RequestError
from bigtwo_sim.requests.inputs import (
    DEFAULT_AGAINST,
    AgentLike,
    RulesLike,
    big_two_rules,
    compiled,
    parameter_of,
    turned,
)
from bigtwo_sim.requests.runs import Progress, play_here

CURVE = "curve"
"""The entry of a manifest that is of a curve; its files are called so, too."""
FORMAT = 1
DEFAULT_DEALS = 4_000
MOST_VALUES = 100
SEATS = 4


@dataclass(frozen=True)
class CurveRequest:
    """What is asked of a curve."""

    agent: AgentLike
    """The compiled agent whose knob is turned."""
    knob: str
    """The setting, such as `worlds`, `blunder` or `noise`."""
    values: str | Sequence[float]
    """Its values; as a text with commas between them."""
    rules: Rules
    against: AgentLike = DEFAULT_AGAINST
    """Three of these sit with it."""
    deals: int = DEFAULT_DEALS
    """Of each value."""
    seed: int = 0

    def plan(self) -> Plan:
        """One of each value among three others. Raises RequestError and AgentError for what cannot be meant."""
        base, other, values = self._base, compiled(self.against), self._values
        seated = [replace(turned(base, self.knob, value), name=self._name(value)) for value in values]
        lineups = [(number, *[len(values)] * (SEATS - 1)) for number in range(len(values))]
        return Plan.of([*seated, other], self.rules, self.seed, deals=self.deals * len(values), lineups=lineups)

    def entries(self) -> dict[str, Any]:
        """What a manifest says of the curve."""
        about = {"format": FORMAT, "agent": self._base.name, "knob": self.knob, "values": self._values}
        return {CURVE: about}

    @cached_property
    def _base(self) -> PolicyAgent:
        return compiled(self.agent)

    @cached_property
    def _values(self) -> list[float]:
        """The values, ascending. Raises RequestError for what is no list of values of the setting."""
        parameter = parameter_of(self._base, self.knob, "knob")
        found = []
        for part in self.values.split(",") if isinstance(self.values, str) else self.values:
            try:
                value = float(part)
            except ValueError:
                value = math.nan
            if not parameter.low <= value <= parameter.high or (parameter.whole and value != round(value)):
                kind = "whole numbers" if parameter.whole else "numbers"
                shown = part.strip() if isinstance(part, str) else part
                raise RequestError(
                    f"values: {shown!r:.40} must be one of the {kind} from {parameter.low:g} to "
                    f"{parameter.high:g} that {self.knob} may be",
                    "values",
                )
            found.append(value)
        if len({self._name(value) for value in found}) < len(found) or not 1 <= len(found) <= MOST_VALUES:
            raise RequestError(
                f"values is {self.values!r:.80}; it must name at most {MOST_VALUES} values, each once", "values"
            )
        return sorted(found)

    def _name(self, value: float) -> str:
        return f"{self.knob}={value:g}"


@dataclass(frozen=True, repr=False)
class Curve(Shown):
    """What came out: figures are those of one among three others, with 95 % intervals."""

    report: dict[str, Any]
    """All of it, as `bigtwo curve --json` prints it; `plots.curve` draws it."""
    run: SavedRun
    """The run that it was played as, whose line-ups are one value each."""

    @property
    def values(self) -> pd.DataFrame:
        """One row for each value: win rate, margin, rating and milliseconds a decision."""
        return pd.DataFrame(self.report["curve"])

    @property
    def steps(self) -> pd.DataFrame:
        """One row for each step between neighbouring values: its distance in rating, and that of each doubling."""
        return pd.DataFrame(self.report["steps"])

    def headline(self) -> str:
        """What was played, in a line."""
        report = self.report
        return (
            f"{report['agent']} among three {report['against']} under the rules {report['rules']['name']}, seed "
            f"{report['seed']}: {report['deals']:,} deals of each value, in {report['blocks']:,} blocks"
        )

    def table(self) -> pd.DataFrame:
        """The values with their intervals, as texts."""
        return pd.DataFrame(
            {
                self.report["knob"]: f"{row['value']:g}",
                "win rate %": with_interval(row, "win_rate", ".2f", 100),
                "points": with_interval(row, "margin", "+.2f"),
                "rating": with_interval(row, "rating", "+.0f"),
                "ms": three_digits(row["milliseconds"]),
            }
            for row in self.report["curve"]
        )


def curve(
    agent: AgentLike,
    *,
    knob: str,
    values: str | Sequence[float],
    against: AgentLike = DEFAULT_AGAINST,
    deals: int = DEFAULT_DEALS,
    rules: RulesLike = None,
    seed: int = 0,
    out: str | Path | None = None,
    workers: int | None = None,
    progress: Progress | None = None,
) -> Curve:
    """Measure a compiled agent among three others at each of several values of a setting, all on the same decks.

    `deals` are those of each value. The run is saved in `out` with curve.json and curve.csv in it, or kept for as long
    as the object that is returned. Raises RequestError, AgentError and RulesError for what cannot be meant, RunError
    where `out` holds anything, and KeyboardInterrupt after Ctrl-C, when what was played is in `out`.
    """
    request = CurveRequest(agent, knob, values, big_two_rules(rules), against, deals, seed)
    reports: list[dict[str, Any]] = []

    def finish(folder: RunFolder) -> None:
        reports.append(curve_report(folder))
        save_curve(folder, reports[0])

    run = play_here(request.plan(), out, "curve()", workers, progress=progress, more=request.entries(), finish=finish)
    return Curve(reports[0], run)


# --- what came out ----------------------------------------------------------------------------------------------------
def curve_report(folder: RunFolder) -> dict[str, Any]:
    """The curve for JSON, of a run that is finished; figures are those of one among three others."""
    about = folder.manifest[CURVE]
    values = about["values"]
    sums = np.concatenate([folder.read_part(chunk) for chunk in folder.plan.chunks()])
    own, others = sums[:, 0::2], sums[:, 1::2]  # line-up by line-up, the turned one first
    shares = own[:, :, : len(COUNTING.wins)].sum(axis=2).T / SEATS
    points = COUNTING.column("points")
    margins = (own[:, :, points] / SEATS - others[:, :, points] / (SEATS * (SEATS - 1))).T
    rows = []
    for place, value in enumerate(values):
        agent = folder.plan.agents[place]
        assert isinstance(agent, PolicyAgent)
        rows.append(
            {
                "value": value,
                **figures("win_rate", estimate_of(shares[place], None, 0.0, 1.0)),
                **figures("margin", estimate_of(margins[place])),
                **figures("rating", ratings(shares)[place]),
                "milliseconds": float(f"{speed.milliseconds_a_decision(agent, folder.plan.rules):.3g}"),
            }
        )
    return {
        "format": FORMAT,
        "engine_version": __version__,
        "command": folder.manifest["command"],
        "agent": about["agent"],
        "knob": about["knob"],
        "against": folder.plan.agents[-1].name,
        "rules": folder.manifest["rules"],
        "seed": folder.manifest["seed"],
        "blocks": len(sums),
        "deals": SEATS * len(sums),
        "curve": rows,
        "steps": [
            {
                "start": step.start,
                "end": step.end,
                **figures("distance", step.distance),
                **figures("doubling", step.doubling),
            }
            for step in steps(values, shares)
        ],
    }


def save_curve(folder: RunFolder, report: dict[str, Any]) -> None:
    """Write curve.json and curve.csv. Raises SaveError where they cannot be written."""
    folder.write_file(f"{CURVE}.json", (json.dumps(report, indent=2) + "\n").encode())
    text = io.StringIO()
    writer = csv.DictWriter(text, report["curve"][0], lineterminator="\n")
    writer.writeheader()
    writer.writerows(report["curve"])
    folder.write_file(f"{CURVE}.csv", text.getvalue().encode())
