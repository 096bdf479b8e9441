"""`bigtwo tune heuristic`: better weights for a method, searched, chosen and compared on decks of their own each."""

from __future__ import annotations

import contextlib
import json
import shlex
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from bigtwo_sim import __version__
from bigtwo_sim.arena import RunError
from bigtwo_sim.arena.store.folder import write_whole
from bigtwo_sim.arena.store.manifest import describe
from bigtwo_sim.cli.options import (
    DEFAULT_RULES,
    JsonOption,
    RulesOption,
    SetOption,
    WorkersOption,
    new_run_folder,
    read_rules,
    whole_number,
)
from bigtwo_sim.cli.resuming import raise_unless_begun
from bigtwo_sim.cli.tuned import (
    DEFAULT_AGAINST,
    SeedOption,
    bar_of,
    compiled,
    cores,
    figure,
    parameter_of,
    raise_unless_alone,
    rounded,
)
from bigtwo_sim.core.code_cache import source_fingerprint
from bigtwo_sim.games.big_two import Rules
from bigtwo_sim.roster.level_file import Level, level_file
from bigtwo_sim.terminal.output import emit, emit_json, table_text, wrapped
from bigtwo_sim.tuning.study import DATABASE
from bigtwo_sim.tuning.task import KNOBS, MEASURES, Comparison, Progress, Task, default_population
from bigtwo_sim.tuning.weights import Tuning
from bigtwo_sim.untrusted.checksums import CHECKSUMS, digest, line
from bigtwo_sim.untrusted.errors import InputError

LEVEL = "level.json"
DEFAULT_BUDGET = 20_000_000
DEFAULT_BLOCKS = 200

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
    as_json: JsonOption = False,
) -> None:
    """Search for better weights of a method by CMA-ES, and compare them with the old ones on fresh decks.

    The agent meets each other one in all mixtures of the two at a table: one among three, two and two, three and one.
    """
    if resume is not None:
        raise_unless_alone(context, {"resume", "workers", "as_json"}, "a tuning")

        raise_unless_begun(resume, DATABASE, "tuning")
        tuning = Tuning.resume(resume)
    else:
        if agent is None:
            raise InputError("tune needs the agent that is tuned, such as heuristic; see bigtwo tune --help")
        chosen = read_rules(rules, changes)
        task = _task(agent, against or [DEFAULT_AGAINST], chosen, objective, weights, budget, population, blocks, seed)

        try:
            tuning = Tuning.create(out or new_run_folder("tune"), task)
        except RunError as error:
            raise InputError(f"--out: {error}" if out else str(error)) from None
    print(
        f"Goes on after anything with: {shlex.join(['bigtwo', 'tune', '--resume', str(tuning.path)])}", file=sys.stderr
    )
    with contextlib.closing(tuning), bar_of(tuning.task.budget) as bar:

        def show(progress: Progress) -> None:
            bar(progress.deals, progress.budget, progress.text)

        comparison = tuning.run(workers or cores(), show)
        better = _finish_method(tuning, comparison)
    report = _method_report(tuning, comparison, better)
    if as_json:
        emit_json(report)
    else:
        _show_method(tuning, comparison, better)


def _task(
    agent: str,
    against: Sequence[str],
    rules: Rules,
    objective: str,
    weights: str | None,
    budget: int,
    population: int | None,
    blocks: int,
    seed: int,
) -> Task:
    """The task, checked. Raises InputError for what cannot be meant."""
    tuned = compiled(agent)
    others = [compiled(text) for text in against]
    if objective not in MEASURES:
        raise InputError(f"--objective is {objective!r}; it must be {' or '.join(MEASURES)}")
    known = {parameter.name: parameter for parameter in tuned.method.parameters}
    searched = [name for name, one in known.items() if not one.whole and name not in KNOBS]
    if weights is not None:
        searched = [name.strip() for name in weights.split(",") if name.strip()]
        for name in searched:
            parameter_of(tuned, name, "--weights")
    if not searched or len(set(searched)) < len(searched):
        raise InputError(f"--weights is {weights!r}; it must name settings of {tuned.method.name}, each once")
    task = Task(
        describe(tuned),
        [describe(other) for other in others],
        rules.to_dict(),
        objective,
        searched,
        seed,
        budget,
        population or default_population(len(searched)),
        blocks,
        source_fingerprint(),
        shlex.join(["bigtwo", *sys.argv[1:]]),
    )
    if task.least_budget > budget:
        raise InputError(
            f"--budget {budget:,} is too small: one generation, the leaders and the comparison take "
            f"{task.least_budget:,} deals with --blocks {blocks} and --population {task.population}"
        )
    return task


def _finish_method(tuning: Tuning, comparison: Comparison) -> bool:
    """Write the level file of what was found; return whether it is better than the old settings."""
    settings = tuning.settings
    assert settings is not None
    task = tuning.task
    better = comparison.difference[tuning.measure].low > 0
    kept = {name: value for name, value in task.agent["settings"].items() if value != tuning.default(name)}
    others = ", ".join(other["name"] for other in task.against)
    level = Level(
        f"{tuning.agent.name}-tuned",
        tuning.agent.method.name,
        {**kept, **settings},
        f"{tuning.agent.name} tuned on {task.objective} against {others}"
        + ("" if better else "; no better than it was"),
    )
    text = json.dumps(level_file(level, tuned=_method_report(tuning, comparison, better)), indent=2) + "\n"
    write_whole(tuning.path / LEVEL, text.encode())
    write_whole(tuning.path / CHECKSUMS, line(LEVEL, digest(text.encode())).encode())
    return better


def _method_report(tuning: Tuning, comparison: Comparison, better: bool) -> dict[str, Any]:
    task = tuning.task
    return {
        "engine_version": __version__,
        "command": task.command,
        "agent": task.agent["name"],
        "against": [other["name"] for other in task.against],
        "rules": task.rules,
        "objective": task.objective,
        "weights": tuning.settings,
        "seed": task.seed,
        "budget": task.budget,
        "generations": task.generations,
        "population": task.population,
        "blocks": task.blocks,
        "leaders": [{key: row[key] for key in ("origin", "blocks", "difference", "error")} for row in tuning.leaders],
        "comparison": {
            "seed": comparison.seed,
            "blocks": comparison.blocks,
            **{
                who: {key: value for name, found in part.items() for key, value in rounded(name, found).items()}
                for who, part in (
                    ("old", comparison.old),
                    ("new", comparison.new),
                    ("difference", comparison.difference),
                )
            },
        },
        "better": better,
        "level_file": str(tuning.path / LEVEL),
    }


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
