"""`bigtwo curve`: how strong an agent is at each of several values of a setting, and what a decision then takes."""

from __future__ import annotations

import contextlib
import csv
import io
import json
import math
import shlex
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer

from bigtwo_sim import __version__
from bigtwo_sim.arena import Plan, RunError, RunFolder
from bigtwo_sim.arena.runners import speed
from bigtwo_sim.arena.runners.curve import ratings, steps
from bigtwo_sim.arena.stats.intervals import estimate_of
from bigtwo_sim.cli.commands.tournament import play_folder
from bigtwo_sim.cli.exit_codes import by_signal
from bigtwo_sim.cli.options import (
    DEFAULT_RULES,
    JsonOption,
    RulesOption,
    SetOption,
    WorkersOption,
    new_run_folder,
    read_rules,
    seed_option,
    whole_number,
)
from bigtwo_sim.cli.resuming import CURVE, taken_up
from bigtwo_sim.cli.tuned import (
    DEFAULT_AGAINST,
    compiled,
    parameter_of,
    positional,
    raise_unless_alone,
    rounded,
    turned,
)
from bigtwo_sim.games.big_two import PolicyAgent, Rules
from bigtwo_sim.games.big_two.game import COUNTING
from bigtwo_sim.terminal.output import emit, emit_json, table_text, wrapped
from bigtwo_sim.terminal.tables import interval, plus_minus
from bigtwo_sim.untrusted.errors import InputError

FORMAT = 1
DEFAULT_DEALS = 4_000
MOST_VALUES = 100
SEATS = 4
OF_RESUMING = {"resume", "workers", "as_json"}
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
    as_json: JsonOption = False,
) -> None:
    """Measure an agent among three others at each of several values of a setting, all on the same decks.

    The folder is a run like that of a tournament, with curve.json and curve.csv in it.
    """
    if resume is not None:
        raise_unless_alone(context, OF_RESUMING, "a curve")
        folder = taken_up(resume, curve=True)
    else:
        if agent is None or knob is None or values is None:
            raise InputError(
                "curve needs an agent, --knob and --values, as in: curve strong --knob worlds --values 10,30"
            )
        chosen = read_rules(rules, changes)

        base, other = compiled(agent), compiled(against)
        listed = _values(values, base, knob)
        plan = _plan(base, other, knob, listed, chosen, seed, deals)
        try:
            folder = RunFolder.create(
                out or new_run_folder(CURVE),
                plan,
                shlex.join(["bigtwo", *sys.argv[1:]]),
                {CURVE: {"format": FORMAT, "agent": base.name, "knob": knob, "values": listed}},
            )
        except RunError as error:
            raise InputError(f"--out: {error}" if out else str(error)) from None
    with contextlib.closing(folder):
        outcome = play_folder(folder, workers)
        if not outcome.finished:
            if folder.remove_if_empty():
                print("Interrupted before the first chunk; nothing was saved.", file=sys.stderr)
            else:
                again = shlex.join(["bigtwo", "curve", "--resume", str(folder.path)])
                print(f"Interrupted. What was played is saved; go on with: {again}", file=sys.stderr)
            raise typer.Exit(by_signal(outcome.ended_by))
        report = _report(folder)
        _save(folder, report)
    if as_json:
        emit_json(report)
    else:
        _show(report, folder.path)


# --- what is played ---------------------------------------------------------------------------------------------------
def _plan(
    base: PolicyAgent, other: PolicyAgent, knob: str, values: Sequence[float], rules: Rules, seed: int, deals: int
) -> Plan:
    """One of each value among three others. Raises InputError for an agent of the same name as one of these."""
    seated = [replace(turned(base, knob, value), name=_name(knob, value)) for value in values]
    lineups = [(number, *[len(values)] * (SEATS - 1)) for number in range(len(values))]
    return Plan.of([*seated, other], rules, seed, deals=deals * len(values), lineups=lineups)


def _name(knob: str, value: float) -> str:
    return f"{knob}={value:g}"


def _values(text: str, base: PolicyAgent, knob: str) -> list[float]:
    """The values of `--values`, ascending. Raises InputError for what is no list of values of the setting."""
    parameter = parameter_of(base, knob, "--knob")
    found = []
    for part in text.split(","):
        try:
            value = float(part)
        except ValueError:
            value = math.nan
        if not parameter.low <= value <= parameter.high or (parameter.whole and value != round(value)):
            kind = "whole numbers" if parameter.whole else "numbers"
            raise InputError(
                f"--values: {part.strip()!r:.40} must be one of the {kind} from {parameter.low:g} to "
                f"{parameter.high:g} that {knob} may be"
            )
        found.append(value)
    if len({_name(knob, value) for value in found}) < len(found) or len(found) > MOST_VALUES:
        raise InputError(f"--values is {text!r:.80}; it must name at most {MOST_VALUES} values, each once")
    return sorted(found)


# --- what came out ----------------------------------------------------------------------------------------------------
def _report(folder: RunFolder) -> dict[str, Any]:
    """The curve for JSON; figures are those of one among three others."""

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
                **rounded("win_rate", estimate_of(shares[place], None, 0.0, 1.0)),
                **rounded("margin", estimate_of(margins[place])),
                **rounded("rating", ratings(shares)[place]),
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
                **rounded("distance", step.distance),
                **rounded("doubling", step.doubling),
            }
            for step in steps(values, shares)
        ],
    }


def _save(folder: RunFolder, report: dict[str, Any]) -> None:
    """Write curve.json and curve.csv. Raises SaveError where they cannot be written."""
    folder.write_file(f"{CURVE}.json", (json.dumps(report, indent=2) + "\n").encode())
    text = io.StringIO()
    writer = csv.DictWriter(text, report["curve"][0], lineterminator="\n")
    writer.writeheader()
    writer.writerows(report["curve"])
    folder.write_file(f"{CURVE}.csv", text.getvalue().encode())


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
                positional(row["milliseconds"]),
            )
        )
    return rows


def _interval(row: dict[str, Any], name: str, form: str, scale: float = 1.0, *, both_ends: bool) -> str:
    """A figure with its interval; what is not known is a question mark."""
    return "?" if row[name] is None else interval(row, name, form, scale, both_ends=both_ends)
