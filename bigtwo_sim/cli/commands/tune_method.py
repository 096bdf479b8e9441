"""`bigtwo tune heuristic`: better weights for a method, searched, chosen and compared on decks of their own each."""

from __future__ import annotations

import contextlib
import shlex
import sys
from pathlib import Path
from typing import Annotated

import typer

from bigtwo_sim.arena import RunError
from bigtwo_sim.cli.options import (
    DEFAULT_RULES,
    JsonOption,
    RulesOption,
    SetOption,
    WorkersOption,
    asked,
    new_run_folder,
    read_rules,
    whole_number,
)
from bigtwo_sim.cli.resuming import TrustOption, raise_unless_begun
from bigtwo_sim.cli.trust import raise_unless_agreed, remember
from bigtwo_sim.cli.tuned import SeedOption, bar_of, figure, raise_unless_alone
from bigtwo_sim.requests.inputs import DEFAULT_AGAINST
from bigtwo_sim.requests.tune_method import DEFAULT_BLOCKS, DEFAULT_BUDGET, LEVEL, TuneRequest, run_tuning
from bigtwo_sim.terminal.output import emit, emit_json, table_text, wrapped
from bigtwo_sim.tuning.study import DATABASE
from bigtwo_sim.tuning.task import Comparison, Progress
from bigtwo_sim.tuning.weights import Tuning
from bigtwo_sim.untrusted.errors import InputError

AgainstOption = Annotated[
    list[str] | None,
    typer.Option(
        "--against",
        metavar="AGENT",
        help=f"Whom it meets; may be repeated, and then the mean counts. Default: {DEFAULT_AGAINST}.",
    ),
]


def method(
    context: typer.Context,
    agent: Annotated[
        str | None,
        typer.Argument(metavar="AGENT", help="A compiled agent, such as heuristic or monte_carlo:worlds=30."),
    ] = None,
    against: AgainstOption = None,
    objective: Annotated[
        str, typer.Option("--objective", metavar="points|wins", help="What is to become greater.")
    ] = "points",
    weights: Annotated[
        str | None,
        typer.Option(
            "--weights",
            metavar="A,B,...",
            help="The settings that are searched. Default: all but whole numbers and knobs.",
        ),
    ] = None,
    budget: Annotated[
        int, typer.Option("--budget", parser=whole_number(1), metavar="DEALS", help="Deals in all.")
    ] = DEFAULT_BUDGET,
    population: Annotated[
        int | None,
        typer.Option(
            "--population",
            parser=whole_number(4),
            metavar="N",
            help="Candidates of a generation. Default: by the weights.",
        ),
    ] = None,
    blocks: Annotated[
        int,
        typer.Option("--blocks", parser=whole_number(2), metavar="N", help="Blocks that each of them is tried on."),
    ] = DEFAULT_BLOCKS,
    rules: RulesOption = DEFAULT_RULES,
    changes: SetOption = None,
    seed: SeedOption = 0,
    workers: WorkersOption = None,
    out: Annotated[
        Path | None, typer.Option("--out", metavar="DIR", help="Where it is saved. Default: a folder in results/.")
    ] = None,
    resume: Annotated[
        Path | None, typer.Option("--resume", metavar="DIR", help="Go on with the tuning in DIR as it was begun.")
    ] = None,
    trust: TrustOption = False,
    as_json: JsonOption = False,
) -> None:
    """Search for better weights of a method by CMA-ES, and compare them with the old ones on fresh decks.

    The agent meets each other one in all mixtures of the two at a table: one among three, two and two, three and one.
    """
    if resume is not None:
        raise_unless_alone(context, {"resume", "workers", "trust", "as_json"}, "a tuning")
        raise_unless_begun(resume, DATABASE, "tuning")
        tuning = Tuning.resume(resume, lambda agents: raise_unless_agreed(resume, agents, trust))
    else:
        if agent is None:
            raise InputError("tune needs the agent that is tuned, such as heuristic; see bigtwo tune --help")
        others = against or [DEFAULT_AGAINST]
        chosen = read_rules(rules, changes)
        request = TuneRequest(agent, chosen, others, objective, weights, budget, population, blocks, seed)
        with asked():
            task = request.task(shlex.join(["bigtwo", *sys.argv[1:]]))
        try:
            tuning = Tuning.create(out or new_run_folder("tune"), task)
        except RunError as error:
            raise InputError(f"--out: {error}" if out else str(error)) from None
        remember(tuning.path, [task.agent, *task.against])
    print(
        f"Goes on after anything with: {shlex.join(['bigtwo', 'tune', '--resume', str(tuning.path)])}", file=sys.stderr
    )
    with contextlib.closing(tuning), bar_of(tuning.task.budget) as bar:

        def show(progress: Progress) -> None:
            bar(progress.deals, progress.budget, progress.text)

        tuned, comparison = run_tuning(tuning, workers, show)
    if as_json:
        emit_json(tuned.report)
    else:
        _show_method(tuning, comparison, tuned.better)


def _show_method(tuning: Tuning, comparison: Comparison, better: bool) -> None:
    task = tuning.task
    others = ", ".join(other["name"] for other in task.against)
    emit(
        wrapped(
            f"{tuning.agent.name}, {len(task.weights)} weights tuned on {task.objective} against {others} under the "
            f"rules {task.rules['name']}: {task.generations} generations of {task.population}, each candidate on "
            f"{task.blocks} blocks; then {len(tuning.leaders)} leaders on fresh decks."
        )
    )
    rows = [("", "win rate %", "points over the other")]
    for who, part in (("old", comparison.old), ("new", comparison.new), ("new less old", comparison.difference)):
        sign = "+" if who == "new less old" else ""
        rows.append((who, figure(part["win_rate"], f"{sign}.2f", 100), figure(part["margin"], "+.3f")))
    emit("\n" + table_text(rows) + "\n")
    emit(
        wrapped(
            f"Old and new on {comparison.blocks:,} blocks that nothing was chosen on (seed {comparison.seed}), as "
            "means over one, two and three at a table."
        )
    )
    found = comparison.difference[tuning.measure]
    unit, scale = ("points a deal", 1) if tuning.measure == "margin" else ("% of deals", 100)
    emit(
        f"\nBetter by {figure(found, '.2f', scale)} {unit}."
        if better
        else f"\nNo better: the difference of {figure(found, '+.2f', scale)} {unit} may be nothing."
    )
    path = tuning.path / LEVEL
    seat = shlex.join(["bigtwo", "tournament", f"level:{path}", task.agent["name"]])
    emit(f"The weights are saved in {path}; seat them with:\n  {seat}")
