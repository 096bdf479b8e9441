"""`bigtwo tune level strong --target 40% --knob worlds`: the setting of a knob that wins a given share."""

from __future__ import annotations

import contextlib
import shlex
import sys
from pathlib import Path
from typing import Annotated

import typer

from bigtwo_sim.cli.exit_codes import INTERRUPTED
from bigtwo_sim.cli.level_report import show_interrupted, show_level
from bigtwo_sim.cli.options import (
    DEFAULT_RULES,
    JsonOption,
    RulesOption,
    SetOption,
    WorkersOption,
    asked,
    new_run_folder,
    number_above,
    read_rules,
)
from bigtwo_sim.cli.tuned import SeedOption, bar_of
from bigtwo_sim.requests.inputs import DEFAULT_AGAINST, share_of
from bigtwo_sim.requests.tune_level import (
    AMONG_THREE_DEALS,
    DEFAULT_LIMIT,
    DEFAULT_PRECISION,
    LevelRequest,
    precision_of,
)
from bigtwo_sim.terminal.output import emit_json
from bigtwo_sim.terminal.tables import plus_minus
from bigtwo_sim.tuning.difficulty import Difficulty
from bigtwo_sim.untrusted.errors import InputError

LEVEL = "level.json"
NOT_REACHED = 1  # exit code


def _share(text: str) -> float:
    """A parser for a share such as 40% or 0.4."""
    try:
        return share_of(text)
    except ValueError as error:
        raise typer.BadParameter(str(error)) from None


def _precision(text: str) -> float:
    """A parser for a share that can be measured."""
    try:
        return precision_of(text)
    except ValueError as error:
        raise typer.BadParameter(str(error)) from None


def level(
    agent: Annotated[str, typer.Argument(metavar="LEVEL", help="The compiled agent whose knob is turned.")],
    target: Annotated[float, typer.Option("--target", parser=_share, metavar="40%", help="The win rate wanted.")],
    knob: Annotated[
        str,
        typer.Option("--knob", metavar="worlds|blunder|noise|...", help="The setting that is turned to reach it."),
    ],
    against: Annotated[
        str, typer.Option("--against", metavar="AGENT", help="Three of these sit at the table with it.")
    ] = DEFAULT_AGAINST,
    limit: Annotated[
        float,
        typer.Option(
            "--limit-ms", parser=number_above(0), metavar="MS", help="What a decision may take on average, on one core."
        ),
    ] = DEFAULT_LIMIT,
    precision: Annotated[
        float,
        typer.Option(
            "--precision",
            parser=_precision,
            metavar="1%",
            help="How far from the target the win rate may be, 0.05% at least.",
        ),
    ] = DEFAULT_PRECISION,
    name: Annotated[str | None, typer.Option("--name", help="What the level is called. Default: LEVEL-TARGET.")] = None,
    rules: RulesOption = DEFAULT_RULES,
    changes: SetOption = None,
    seed: SeedOption = 0,
    workers: WorkersOption = None,
    out: Annotated[
        Path | None,
        typer.Option("--out", metavar="FILE.json", help="The level file. Default: level.json in a folder in results/."),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Find the setting at which an agent among three others wins the share that is wanted, and write a level file.

    The final figure is measured on decks that the search did not have.
    """
    with asked():
        request = LevelRequest(agent, target, knob, read_rules(rules, changes), against, limit, precision, name, seed)
    if out is not None and out.exists():
        raise InputError(f"--out: {out} is there already; nothing was overwritten")
    known: Difficulty | None = None
    with contextlib.ExitStack() as stack:
        bar = stack.enter_context(bar_of(None))

        def show(found: Difficulty, value: float) -> None:
            nonlocal known
            deals, expected = (blocks * AMONG_THREE_DEALS for blocks in (found.blocks, found.blocks_expected))
            if known is None and not sys.stderr.isatty():
                print(f"Some {float(f'{expected:.1g}'):,.0f} deals are to come.", file=sys.stderr)
            known = found
            bar(deals, expected, f"{knob}={value:g}")

        try:
            with asked():
                tuned = request.tune(workers, show)
        except KeyboardInterrupt:
            stack.close()  # the bar goes before anything is printed
            show_interrupted(known)
            raise typer.Exit(INTERRUPTED) from None
    path = (out or new_run_folder("level") / LEVEL) if tuned.reached else None
    command = shlex.join(["bigtwo", *sys.argv[1:]])
    if path is not None:
        try:
            tuned.write(path, command)
        except OSError as error:
            raise InputError(f"--out: {path} cannot be written: {error.strerror}") from None
    report = tuned.report(path, command) | {"verdict": tuned.verdict(plus_minus(), "--limit-ms")}
    if as_json:
        emit_json(report)
    else:
        show_level(report)
    if path is None:
        raise typer.Exit(NOT_REACHED)
