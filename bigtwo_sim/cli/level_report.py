"""What `bigtwo tune level` prints: the curve that was walked, the proof on fresh decks, and where the level is."""

from __future__ import annotations

import shlex
import sys
from typing import Any

from bigtwo_sim.arena.stats.figure_text import three_digits
from bigtwo_sim.cli.tuned import figure
from bigtwo_sim.requests.tune_level import AMONG_THREE_DEALS
from bigtwo_sim.terminal.output import emit, table_text, wrapped
from bigtwo_sim.terminal.tables import interval, plus_minus
from bigtwo_sim.tuning.difficulty import Difficulty


def show_interrupted(found: Difficulty | None) -> None:
    """Say, on stderr, what is known of a search that was stopped; None: nothing was measured."""
    if found is None or not found.points:
        print("Interrupted before anything was measured; nothing was written.", file=sys.stderr)
        return
    knob = found.knob.name
    rows = [(knob, "blocks", "win rate %")]
    rows += [(f"{point.value:g}", f"{point.blocks:,}", figure(point.estimate(), ".2f", 100)) for point in found.points]
    print(
        f"Interrupted after {found.blocks * AMONG_THREE_DEALS:,} deals; nothing was written. The best guess so far, "
        f"which is not proved: {knob}={found.next:g}.\n\n{table_text(rows)}",
        file=sys.stderr,
    )


def show_level(report: dict[str, Any]) -> None:
    """Print a report for people."""
    knob = report["knob"]
    emit(
        wrapped(
            f"{report['agent']} among three {report['against']} under the rules {report['rules']['name']}: {knob} for "
            f"a win rate of {100 * report['target']:g} {plus_minus()} {100 * report['precision']:g} %"
        )
        + "\n"
    )
    rows = [(knob, "blocks", "win rate %", "ms a decision", "decks")]
    for kind, found in (("of the search", report["curve"]), ("fresh", report["checks"])):
        for row in found:
            share = interval(row, "win_rate", ".2f", 100)
            rows.append((f"{row['value']:g}", f"{row['blocks']:,}", share, three_digits(row["milliseconds"]), kind))
    emit(table_text(rows))
    emit("\n" + wrapped(report["verdict"]))
    if report["level_file"] is not None:
        seat = shlex.join(["bigtwo", "tournament", f"level:{report['level_file']}", report["against"]])
        emit(f"Saved in {report['level_file']}; seat it with:\n  {seat}")
