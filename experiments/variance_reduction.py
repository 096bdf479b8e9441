"""How many deals do replayed decks, pairing and a control variate save?

Runs `bigtwo variance` on two line-ups: `heuristic` and `greedy` with two others at the table, and two agents that play
mostly alike. Writes results/reference/variance_reduction.json and prints the tables of docs/statistics.md: how many
times fewer deals each way of sampling needs than the first of its kind, and the correlation of two deals of a block.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from study import SEED, bigtwo, options_of, table

OUTPUT = "results/reference/variance_reduction.json"
RUNS: dict[str, tuple[tuple[str, ...], int]] = {
    "unlike": ((), 960_000),
    "alike": (("heuristic", "other=heuristic:lead_turns=2.5"), 240_000),
}
"""Agents (none: those of the command) and deals."""
QUICK_DEALS = 4_800
MEASURES = {"win_rate": "win rate", "points": "points"}


def rows_of(report: dict[str, Any], measure: str) -> list[dict[str, Any]]:
    """The rows of a measure: the ways of sampling for one agent, then those for the difference of two."""
    return [row for row in report["rows"] if row["measure"] == measure]


def correlation(report: dict[str, Any], measure: str, one: str, block: str, of_agent: bool) -> float:
    """The correlation of two deals of a block: a block's variance, as if its deals were independent, over a deal's."""
    first = rows_of(report, measure)[0]["of"]
    found = {row["way"]: row["variance"] for row in rows_of(report, measure) if (row["of"] == first) == of_agent}
    deals = report["deals"] / report["blocks"]
    return float((found[block] / found[one] - 1) / (deals - 1))


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure both line-ups, save that, print the tables."""
    options = options_of(__doc__, OUTPUT, arguments)
    reports = {
        name: bigtwo("variance", *agents, "--seed", str(SEED), "--deals", str(QUICK_DEALS if options.quick else deals))
        for name, (agents, deals) in RUNS.items()
    }
    columns = [(name, measure) for name in RUNS for measure in MEASURES]
    alike = {
        f"{name}, {measure}": {
            "one agent": correlation(
                reports[name], measure, "single deals, seats at random", "every seating of a deck", True
            ),
            "difference": correlation(
                reports[name], measure, "single deals, both at one table", "every seating, block by block", False
            ),
        }
        for name, measure in columns
    }
    options.save(correlation_in_a_block=alike, runs=reports)
    heading = ["of", "way of sampling", *(f"{name}, {MEASURES[measure]}" for name, measure in columns)]
    rows = []
    by_column = [rows_of(reports[name], measure) for name, measure in columns]
    for entries in zip(*by_column, strict=True):
        of = "difference" if " over " in entries[0]["of"] else "one agent"
        cells = ["" if row["factor"] is None else f"{row['factor']:.3g}" for row in entries]
        rows.append([of, entries[0]["way"], *cells])
    print(table(heading, rows))
    print()
    correlations = [
        [of, "correlation of two deals of a block", *(f"{found[of]:.3f}" for found in alike.values())]
        for of in ("one agent", "difference")
    ]
    print(table(heading, correlations))


if __name__ == "__main__":
    main()
