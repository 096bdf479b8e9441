"""`bigtwo curve`: how strong an agent is at each of several values of a setting, and what a decision then takes."""

from __future__ import annotations

import contextlib
import shlex
import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from bigtwo_sim.arena import RunError, RunFolder
from bigtwo_sim.arena.stats.figure_text import three_digits
from bigtwo_sim.cli.commands.tournament import play_folder
from bigtwo_sim.cli.exit_codes import by_signal
from bigtwo_sim.cli.options import (
    DEFAULT_RULES,
    JsonOption,
    RulesOption,
    SetOption,
    WorkersOption,
    asked,
    new_run_folder,
    read_rules,
    seed_option,
    whole_number,
)
from bigtwo_sim.cli.resuming import TrustOption, taken_up
from bigtwo_sim.cli.trust import remember
from bigtwo_sim.cli.tuned import raise_unless_alone
from bigtwo_sim.requests.curve import CURVE, DEFAULT_DEALS, CurveRequest, curve_report, save_curve
from bigtwo_sim.requests.inputs import DEFAULT_AGAINST
from bigtwo_sim.terminal.output import emit, emit_json, table_text, wrapped
from bigtwo_sim.terminal.tables import interval, plus_minus
from bigtwo_sim.untrusted.errors import InputError

OF_RESUMING = {"resume", "workers", "trust", "as_json"}
NARROW = 80  # columns of a terminal that nobody has widened


def curve(
    context: typer.Context,
    agent: Annotated[
        str | None, typer.Argument(metavar="AGENT", help="The compiled agent whose knob is turned.")
    ] = None,
    knob: Annotated[
        str | None, typer.Option("--knob", metavar="SETTING", help="The setting, such as worlds, blunder or noise.")
    ] = None,
    values: Annotated[
        str | None, typer.Option("--values", metavar="A,B,...", help="Its values, such as 10,30,100,300.")
    ] = None,
    against: Annotated[
        str, typer.Option("--against", metavar="AGENT", help="Three of these sit at the table with it.")
    ] = DEFAULT_AGAINST,
    deals: Annotated[
        int, typer.Option("--deals", parser=whole_number(1), metavar="N", help="Deals of each value.")
    ] = DEFAULT_DEALS,
    rules: RulesOption = DEFAULT_RULES,
    changes: SetOption = None,
    seed: Annotated[int, seed_option("Root seed: all values play its decks.")] = 0,
    workers: WorkersOption = None,
    out: Annotated[
        Path | None, typer.Option("--out", metavar="DIR", help="Where it is saved. Default: a folder in results/.")
    ] = None,
    resume: Annotated[
        Path | None, typer.Option("--resume", metavar="DIR", help="Go on with the curve in DIR as it was begun.")
    ] = None,
    trust: TrustOption = False,
    as_json: JsonOption = False,
) -> None:
    """Measure an agent among three others at each of several values of a setting, all on the same decks.

    The folder is a run like that of a tournament, with curve.json and curve.csv in it.
    """
    if resume is not None:
        raise_unless_alone(context, OF_RESUMING, "a curve")
        folder = taken_up(resume, trust=trust, curve=True)
    else:
        if agent is None or knob is None or values is None:
            raise InputError(
                "curve needs an agent, --knob and --values, as in: curve strong --knob worlds --values 10,30"
            )
        request = CurveRequest(agent, knob, values, read_rules(rules, changes), against, deals, seed)
        with asked():
            plan = request.plan()
        try:
            folder = RunFolder.create(
                out or new_run_folder(CURVE),
                plan,
                shlex.join(["bigtwo", *sys.argv[1:]]),
                request.entries(),
            )
        except RunError as error:
            raise InputError(f"--out: {error}" if out else str(error)) from None
        remember(folder.path, folder.manifest["agents"])
    with contextlib.closing(folder):
        outcome = play_folder(folder, workers)
        if not outcome.finished:
            if folder.remove_if_empty():
                print("Interrupted before the first chunk; nothing was saved.", file=sys.stderr)
            else:
                again = shlex.join(["bigtwo", "curve", "--resume", str(folder.path)])
                print(f"Interrupted. What was played is saved; go on with: {again}", file=sys.stderr)
            raise typer.Exit(by_signal(outcome.ended_by))
        report = curve_report(folder)
        save_curve(folder, report)
    if as_json:
        emit_json(report)
    else:
        _show(report, folder.path)


def _show(report: dict[str, Any], path: Path) -> None:
    knob = report["knob"]
    emit(
        wrapped(
            f"{report['agent']} among three {report['against']} under the rules {report['rules']['name']}, seed "
            f"{report['seed']}: {report['deals']:,} deals of each value, in {report['blocks']:,} blocks"
        )
        + "\n"
    )
    table = table_text(_rows(report, knob, 2))
    if max(map(len, table.splitlines())) > NARROW:  # few blocks: wide intervals, of which fewer digits say as much
        table = table_text(_rows(report, knob, 1))
    if max(map(len, table.splitlines())) > NARROW:
        table = table_text(_rows(report, knob, 1, both_ends=False))
    emit(table)
    emit(
        "\n"
        + wrapped(
            f"Points: a deal, less the mean of the others'. Rating: {report['against']} is 0, and 400 more weigh ten "
            "times as much in the chance to win among the same others (as in chess). Step: from the value before; "
            f"doubling: the same for each doubling of {knob}. ms: CPU time of a decision on one core. {plus_minus()}: "
            "95 % interval from block to block; of steps by the differences deck by deck, for all values play the same."
        )
    )
    emit(f"\nSaved in {path}, as {CURVE}.json and {CURVE}.csv too.")


def _rows(report: dict[str, Any], knob: str, digits: int, both_ends: bool = True) -> list[tuple[str, ...]]:
    """The table of a curve, its win rates and points with so many digits behind the point (see `figure_text`)."""
    rows: list[tuple[str, ...]] = [(knob, "win rate %", "points", "rating", "step", "doubling", "ms")]
    for place, row in enumerate(report["curve"]):
        step = report["steps"][place - 1] if place else None
        rows.append(
            (
                f"{row['value']:g}",
                _interval(row, "win_rate", f".{digits}f", 100, both_ends=both_ends),
                _interval(row, "margin", f"+.{digits}f", both_ends=both_ends),
                _interval(row, "rating", "+.0f", both_ends=both_ends),
                _interval(step, "distance", "+.0f", both_ends=both_ends) if step else "",
                _interval(step, "doubling", f"+.{digits - 1}f", both_ends=both_ends) if step else "",
                three_digits(row["milliseconds"]),
            )
        )
    return rows


def _interval(row: dict[str, Any], name: str, form: str, scale: float = 1.0, *, both_ends: bool) -> str:
    """A figure with its interval; what is not known is a question mark."""
    return "?" if row[name] is None else interval(row, name, form, scale, both_ends=both_ends)
