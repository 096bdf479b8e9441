"""The tables of a run, as people read them: agents, pairs, line-ups, strengths, and what agents did wrong."""

from __future__ import annotations

import math
import re
import sys
import textwrap
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from rich import box
from rich.console import Console
from rich.table import Table

from bigtwo_sim.arena.stats.figure_text import figure_text
from bigtwo_sim.games.registry import BIG_THREE, BIG_TWO
from bigtwo_sim.terminal.output import columns, emit
from bigtwo_sim.untrusted.safe_text import visible

FEWEST_NAME_COLUMNS = 12
FEWEST_COLUMNS = 80  # figures are never cut; a narrower terminal wraps them
MOST_LINEUP_ROWS = 60
OWN_PROCESS = "own process"  # as a report says it
POINTS = {BIG_TWO: "points a deal", BIG_THREE: "stakes a deal"}
ROLES = ("soloist", "opponent")
BID = "bid_"
STRENGTH_ENDS = {"strength_low": "at least", "strength_high": "at most"}


def show_run(report: dict[str, Any], *, by_lineup: bool, notes: Sequence[str] = ()) -> None:
    """Print a report (see `report.report_of`); `by_lineup` with a table of the line-ups, `notes` before the tables."""
    console = new_console()
    blocks = "1 block" if report["blocks"] == 1 else f"{report['blocks']:,} blocks"
    emit(f"{report['deals']:,} deals in {blocks} under the rules {report['rules']['name']}, seed {report['seed']}")
    if report.get("deals_per_hour") is not None:
        emit(f"{report['seconds']:.2f} s, {short(report['deals_per_hour'])} deals an hour")
    for note in notes:
        emit(textwrap.fill(note, console.width))
    emit()
    ranked = sorted(report["agents"], key=lambda row: -row["points"])
    points = POINTS[report["game"]]
    _show_agents(console, ranked, points)
    if any(f"{ROLES[0]}_deals" in row for row in ranked):
        emit()
        _show_roles(console, ranked, points)
        emit()
        _show_bids(console, ranked)
    if report["pairs"]:
        emit()
        _show_pairs(console, report["pairs"], [row["agent"] for row in ranked], points)
    if by_lineup and report["lineups"]:
        emit()
        _show_lineups(console, report["lineups"], points)
    if report["strengths"]:
        emit()
        _show_strengths(console, report["strengths"])
    emit()
    emit(textwrap.fill(_legend(report), console.width))
    emit()


def _legend(report: dict[str, Any]) -> str:
    interval = report["interval"]
    looks = ", at all looks of the run together" if interval["name"] != "student" else ""
    several = len({row["lineup"] for row in report["lineups"]})
    lineups = f" of all {several} line-ups" if several > 1 else ""
    sides = "" if report["game"] == BIG_TWO else " All on the side that goes out first win a deal."
    return (
        f"{plus_minus()}: {100 * interval['confidence']:g} % interval from block to block{looks}; a block is one deck "
        f"under every seating{lineups}.{unknown_note(report['blocks'])} Decisions a second: a compiled agent at a "
        f"table of its own kind, one core; a Python agent in its choose().{sides}"
        f"{isolation_note(report.get('isolation'))}"
    )


def unknown_note(blocks: int) -> str:
    """Why a report of so many blocks has no intervals, if it has none."""
    return f" {plus_minus()} ?: too few blocks for an interval." if blocks < 2 else ""


def isolation_note(isolation: str | None) -> str:
    """A sentence that says where Python agents played, with a blank before it; "" where all agents were compiled."""
    if isolation is None:
        return ""
    if isolation == OWN_PROCESS:
        return " Each Python agent or bot played in a process of its own."
    return " Python agents played in worker processes, beside the engine (--isolate separates them)."


def deaths_notes(deaths: Sequence[str]) -> list[str]:
    """A note on the worker processes that ended, by how they did; none where none ended."""
    if not deaths:
        return []
    counted = Counter(deaths)
    (how, number), *others = counted.most_common()
    what = f"A worker process {how}." if number == 1 else f"A worker process {how}, {number} times."
    more = f" Others ended in {len(others)} more ways." if others else ""
    return [
        f"{what}{more} What it had in hand was played again with each Python agent in a process of its own; only what "
        "went wrong there is charged to an agent."
    ]


def fault_note(row: dict[str, Any], folder: Path) -> str:
    """What an agent (a row of `agents`) forfeited, and how its author sees the first case."""
    return (
        f"{row['agent']} forfeited {row['forfeits']:,} of its {row['decisions']:,} decisions; the first case is kept: "
        f"bigtwo results {folder} --faults"
    )


# --- the tables -------------------------------------------------------------------------------------------------------
def figures_table(*headings: str, name: str) -> Table:
    """An empty table whose first column is called `name`, and the others, of figures, by `headings`."""
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, padding=(0, 1, 0, 0), show_edge=False)
    table.add_column(name, overflow="fold")
    for heading in headings:
        table.add_column(heading, justify="right", no_wrap=True)
    return table


def _show_agents(console: Console, ranked: Sequence[dict[str, Any]], points: str) -> None:
    """Agents in the order of their points; below, the order by win rate."""
    headings = (
        "win rate %",
        points,
        "cards\nleft",
        f"of its wins, %\nfrom {_seats(ranked)}",
        "decisions\na second",
    )
    table = figures_table(*headings, name="agent")
    rows = [
        (
            interval(row, "win_rate", ".2f", 100),
            interval(row, "points", ".3f"),
            f"{row['cards_left']:.2f}",
            by_seat(row["wins_by_seat"]),
            short(row.get("decisions_per_second")),
        )
        for row in ranked
    ]
    taken = sum(
        2 + max(map(len, [*cells, *heading.split("\n")]))
        for heading, cells in zip(headings, zip(*rows, strict=True), strict=True)
    )
    for row, cells in zip(ranked, rows, strict=True):
        table.add_row(_broken(row["agent"], max(FEWEST_NAME_COLUMNS, console.width - taken)), *cells)
    print_table(console, table, taken + FEWEST_NAME_COLUMNS)
    by_wins = sorted(ranked, key=lambda row: -row["win_rate"])
    if len(ranked) > 1:
        same = [row["agent"] for row in by_wins] == [row["agent"] for row in ranked]
        order = "the same" if same else ", ".join(row["agent"] for row in by_wins)
        ranking = f"Ranked by {points.split()[0]}; by win rate: {order}."
        emit("\n" + textwrap.fill(ranking, console.width))


def _seats(rows: Sequence[dict[str, Any]]) -> str:
    return " ".join(["seat", *map(str, range(len(rows[0]["wins_by_seat"])))])


def by_seat(wins: Sequence[int]) -> str:
    """From which seats wins came: `24 25 26 25`."""
    return " ".join(f"{100 * won / sum(wins):.0f}" for won in wins) if sum(wins) else "no wins"


def _show_roles(console: Console, ranked: Sequence[dict[str, Any]], points: str) -> None:
    """Agents in each role: how often each had it, and what came of it."""
    for role in ROLES:
        table = figures_table("% of deals", "win rate %", points, name=f"as {role}")
        for row in ranked:
            figures = ["never", "-", "-"]
            if row[f"{role}_deals"]:
                figures = [
                    f"{100 * row[f'{role}_share']:.1f}",
                    interval(row, f"{role}_win_rate", ".2f", 100),
                    interval(row, f"{role}_points", ".3f"),
                ]
            table.add_row(row["agent"], *figures)
        print_table(console, table)
        if role != ROLES[-1]:
            emit()


def _show_bids(console: Console, ranked: Sequence[dict[str, Any]]) -> None:
    """How often each agent bid what, at most."""
    bids = [name.removeprefix(BID) for name in ranked[0] if name.startswith(BID)]
    table = figures_table(*bids, name="highest bid, % of deals")
    for row in ranked:
        deals = [row[BID + bid] for bid in bids]
        table.add_row(row["agent"], *(f"{100 * count / max(1, sum(deals)):.1f}" for count in deals))
    print_table(console, table)


def _show_pairs(console: Console, pairs: Sequence[dict[str, Any]], ranking: Sequence[str], points: str) -> None:
    """Each pair that met, the better one first."""
    table = figures_table(points, "win rate %", name="difference of the pair")
    rows = []
    for pair in pairs:
        places = ranking.index(pair["first"]), ranking.index(pair["second"])
        if places[0] > places[1]:
            pair = _turned(pair)
        cells = (interval(pair, "points", "+.3f"), interval(pair, "win_rate", "+.2f", 100))
        rows.append((sorted(places), (f"{pair['first']} over {pair['second']}", *cells)))
    for _, row in sorted(rows):
        table.add_row(*row)
    print_table(console, table)


def _turned(pair: dict[str, Any]) -> dict[str, Any]:
    """A pair with the second one first."""
    turned = {"first": pair["second"], "second": pair["first"]}
    for name in ("points", "win_rate"):
        low, high = pair[f"{name}_low"], pair[f"{name}_high"]
        turned |= {name: -pair[name]}
        turned |= {f"{name}_low": None if high is None else -high, f"{name}_high": None if low is None else -low}
    return turned


def _show_lineups(console: Console, rows: Sequence[dict[str, Any]], points: str) -> None:
    if len(rows) > MOST_LINEUP_ROWS:
        emit(f"{len({row['lineup'] for row in rows}):,} line-ups: `bigtwo results` and --json list them one by one.")
        return
    table = figures_table("agent", "win rate %", points, f"wins % from\n{_seats(rows)}", name="line-up")
    last = None
    for row in rows:
        lineup = _together(row["lineup"], rows) if row["lineup"] != last else ""
        last = row["lineup"]
        figures = (interval(row, "win_rate", ".2f", 100), interval(row, "points", ".3f"), by_seat(row["wins_by_seat"]))
        table.add_row(lineup, row["agent"], *figures)
    print_table(console, table)
    for row in rows:
        if row["equal_seats"] is not None:
            emit(
                f"{_together(row['lineup'], rows)}: that its four seats win alike has p = {row['equal_seats']:.3f}"
                f"{' (they should; look into it)' if row['equal_seats'] < 0.001 else ''}"
            )


def _together(lineup: str, rows: Sequence[dict[str, Any]]) -> str:
    """A line-up with each agent once: `strong, 3 greedy`."""
    members = [row for row in rows if row["lineup"] == lineup]
    return ", ".join(f"{row['copies']} {row['agent']}" if row["copies"] > 1 else row["agent"] for row in members)


def _show_strengths(console: Console, strengths: Sequence[dict[str, Any]]) -> None:
    table = figures_table("strength", name="fitted to who won (Luce)")
    for row in sorted(strengths, key=lambda row: -(row["strength"] if row["strength"] is not None else 0)):
        table.add_row(row["agent"], _strength(row))
    print_table(console, table)


def new_console() -> Console:
    """What tables are drawn by: in plain text, for names in them are not ours and may look like codes or markup."""
    return Console(width=max(columns(), FEWEST_COLUMNS), color_system=None, highlight=False, markup=False, emoji=False)


def _strength(row: dict[str, Any]) -> str:
    """An agent's place on the scale, or why it has none, with the end of its interval that is known."""
    if row["strength"] is not None:
        return f"{row['strength']:+.0f}, {row['note']}" if row["note"] else interval(row, "strength", "+.0f")
    ends = [f"{side} {row[name]:+.0f}" for name, side in STRENGTH_ENDS.items() if row[name] is not None]
    return f"{row['note']}: {ends[0]}" if ends else row["note"]


def print_table(console: Console, table: Table, least: int = 0) -> None:
    """Print it without the blanks that fill its lines, in at least so many columns."""
    with console.capture() as captured:
        console.print(table, width=max(console.width, least), crop=False)
    emit("\n".join(line.rstrip() for line in captured.get().splitlines()))


# --- figures ----------------------------------------------------------------------------------------------------------
def plus_minus() -> str:
    """The sign, or what stands for it where the output has no such sign."""
    encoding = getattr(sys.stdout, "encoding", None) or "utf-8"
    try:
        "±".encode(encoding)
    except UnicodeEncodeError:
        return "+/-"
    return "±"


def interval(figures: dict[str, Any], name: str, form: str, scale: float = 1.0, *, both_ends: bool = True) -> str:
    """A figure with its interval, as in `figure_text`: `41.2 ± 0.6`; an end that is not known is None."""
    found = (figures[f"{name}{end}"] for end in ("", "_low", "_high"))
    mean, low, high = (math.nan if value is None else value * scale for value in found)
    return figure_text(
        mean, low, high, form, plus_minus=plus_minus(), unknown=f" {plus_minus()} ?", both_ends=both_ends
    )


def short(value: float | None) -> str:
    """A rate in three figures: 24.8 M, 153 k."""
    if value is None:
        return "?"
    for size, letter in ((1e9, " G"), (1e6, " M"), (1e3, " k")):
        if value >= size:
            return f"{value / size:.3g}{letter}"
    return f"{value:.3g}"


def _broken(name: str, width: int) -> str:
    """A name in lines of at most `width`, broken after a sign where there is one."""
    name = visible(name, newlines=False)
    lines = [""]
    for piece in re.findall(r"[^ ,:=._-]*[ ,:=._-]|[^ ,:=._-]+", name):
        if lines[-1] and len(lines[-1]) + len(piece) > width:
            lines.append("")
        lines[-1] += piece
    return "\n".join(lines)
