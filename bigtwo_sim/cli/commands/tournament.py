"""`bigtwo tournament`: agents play whole blocks of deals against each other; each figure comes with its interval."""

from __future__ import annotations

import contextlib
import shlex
import sys
from pathlib import Path
from typing import Annotated

import typer

from bigtwo_sim.arena import Outcome, Plan, RunError, RunFolder, SaveError, round_robin
from bigtwo_sim.cli.exit_codes import by_signal
from bigtwo_sim.cli.options import (
    GameOption,
    GameRulesOption,
    IsolateOption,
    JsonOption,
    PlayersOption,
    SetOption,
    WorkersOption,
    amount_of_memory,
    asked,
    new_run_folder,
    number_above,
    rules_of_game,
    seed_option,
    whole_number,
)
from bigtwo_sim.cli.resuming import TrustOption, taken_up
from bigtwo_sim.cli.trust import remember
from bigtwo_sim.cli.tuned import raise_unless_alone
from bigtwo_sim.games.registry import BIG_TWO
from bigtwo_sim.requests.report import report_of, speeds_for_manifest
from bigtwo_sim.requests.runs import play
from bigtwo_sim.requests.tournament import DEFAULT_AGENTS, DEFAULT_DEALS, GAUNTLET, ROUND_ROBIN, TournamentRequest
from bigtwo_sim.terminal.output import emit_json
from bigtwo_sim.terminal.progress import ProgressBar
from bigtwo_sim.terminal.tables import deaths_notes, fault_note, show_run
from bigtwo_sim.untrusted.errors import InputError

MOST_DEALS = 10**15
OF_RESUMING = {"resume", "workers", "cluster", "trust", "as_json"}  # options that may stand beside --resume


def _folder(text: str) -> Path:
    if not text.strip():
        raise typer.BadParameter(f"{text!r} must name a folder")
    return Path(text)


def tournament(
    context: typer.Context,
    agents: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="AGENT",
            help="METHOD, METHOD:SETTING=VALUE,..., MODULE:FACTORY or exec:COMMAND, each also as NAME=.... As many as "
            "seats (four, in Big Three also three): that line-up, where one text several times is one agent in several "
            "seats; fewer: every line-up that seats each; more: every choice of so many. Default: "
            + " ".join(DEFAULT_AGENTS[BIG_TWO]),
        ),
    ] = None,
    game: GameOption = BIG_TWO,
    players: PlayersOption = None,
    rules: GameRulesOption = None,
    changes: SetOption = None,
    lineups: Annotated[
        str,
        typer.Option(
            "--lineups",
            metavar=f"{ROUND_ROBIN}|{GAUNTLET}|FILE",
            help="Who meets: all (as above); the first agent among each other one in all other seats; or the line-ups "
            "of a file, an agent for each seat a line.",
        ),
    ] = ROUND_ROBIN,
    mirror: Annotated[
        bool,
        typer.Option(
            "--mirror", help="Seat each agent in all seats as well; of Big Two it must win 25 %, from every seat alike."
        ),
    ] = False,
    deals: Annotated[
        int | None,
        typer.Option(
            "--deals",
            parser=whole_number(1, MOST_DEALS),
            metavar="N",
            help=f"Deals in all, rounded up to whole blocks; with --precision or --test, the most. Default: "
            f"{DEFAULT_DEALS:,}, or no limit.",
        ),
    ] = None,
    precision: Annotated[
        str | None,
        typer.Option(
            "--precision",
            metavar="0.5%|0.05",
            help="Play until every interval of win rates (with %) or of points is at most that wide to each side.",
        ),
    ] = None,
    test: Annotated[
        str | None, typer.Option("--test", metavar="'A>B'", help="Play until it is decided whether A is better than B.")
    ] = None,
    alpha: Annotated[
        float | None,
        typer.Option("--alpha", metavar="P", help="--test: how often A>B may be found where it is not so. [0.05]"),
    ] = None,
    beta: Annotated[
        float | None,
        typer.Option("--beta", metavar="P", help="--test: how often A>B may be missed where it is so. [0.05]"),
    ] = None,
    effect: Annotated[
        str | None,
        typer.Option(
            "--effect",
            metavar="0.2|1%",
            help="--test: the least difference that counts, of points a deal or of win rates.",
        ),
    ] = None,
    seed: Annotated[
        int,
        seed_option("Root seed: the same seed plays the same decks."),
    ] = 0,
    move_time: Annotated[
        float | None,
        typer.Option(
            "--move-time",
            parser=number_above(0),
            metavar="SECONDS",
            help="A Python agent or bot that takes longer forfeits the decision. Default: none, and 10 for a bot.",
        ),
    ] = None,
    memory: Annotated[
        int | None,
        typer.Option(
            "--memory",
            parser=amount_of_memory,
            metavar="SIZE",
            help="A Python agent or bot that takes more, such as 500M or 2G, forfeits the decision. Default: 4G.",
        ),
    ] = None,
    isolate: IsolateOption = False,
    strict: Annotated[bool, typer.Option("--strict", help="Stop at the first fault of an agent.")] = False,
    workers: WorkersOption = None,
    cluster: Annotated[
        str | None,
        typer.Option(
            "--cluster",
            metavar="local:N|tcp://HOST:PORT",
            help="Play on Dask: N worker processes here, or the workers of a scheduler. Needs the extra [cluster].",
        ),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(
            "--out", parser=_folder, metavar="DIR", help="Where the run is saved. Default: a folder in results/."
        ),
    ] = None,
    resume: Annotated[
        Path | None,
        typer.Option("--resume", parser=_folder, metavar="DIR", help="Go on with the run in DIR as it was begun."),
    ] = None,
    trust: TrustOption = False,
    as_json: JsonOption = False,
) -> None:
    """Play agents against each other and print win rates, points and their differences, with 95 % intervals."""
    if workers is not None and cluster is not None:
        raise InputError("--workers counts those of this process, and --cluster brings its own; give one of them")
    if trust and resume is None:
        raise InputError("--trust belongs to --resume; a run that begins runs what you name")
    if resume is not None:
        raise_unless_alone(context, OF_RESUMING, "a run", "agents")
        folder = taken_up(resume, trust=trust)
    else:
        request = TournamentRequest(
            agents=agents or DEFAULT_AGENTS[game],
            rules=rules_of_game(game, players, rules, changes),
            lineups=lineups,
            mirror=mirror,
            deals=deals,
            precision=precision,
            test=test,
            alpha=alpha,
            beta=beta,
            effect=effect,
            seed=seed,
            move_time=move_time,
            memory=memory,
            strict=strict,
            isolate=isolate,
        )
        folder = _begun(request, out)
    with contextlib.closing(folder):
        _play_and_show(folder, workers, cluster, as_json)


def _begun(request: TournamentRequest, out: Path | None) -> RunFolder:
    """The folder of a run that begins."""
    with asked():
        plan = request.plan()
    deals = request.deals or DEFAULT_DEALS
    if plan.deals is not None and plan.deals > 2 * deals:
        print(f"--deals {deals} is rounded up to a whole block of {plan.deals:,}.", file=sys.stderr)
    try:
        folder = RunFolder.create(out or new_run_folder("tournament"), plan, shlex.join(["bigtwo", *sys.argv[1:]]))
    except RunError as error:
        raise InputError(f"--out: {error}" if out else str(error)) from None
    remember(folder.path, folder.manifest["agents"])
    return folder


# --- playing ----------------------------------------------------------------------------------------------------------
def _play_and_show(folder: RunFolder, workers: int | None, cluster: str | None, as_json: bool) -> None:
    unsaved = None
    try:
        outcome = play_folder(folder, workers, cluster)
    except SaveError as error:
        if error.outcome is None:
            raise
        outcome, unsaved = error.outcome, error
    except BaseException:
        if not folder.remove_if_empty():
            print(_how_to_go_on(folder, cluster), file=sys.stderr)
        raise
    if outcome.tally.blocks:
        report = report_of(outcome)
        if as_json:
            emit_json(report)
        else:
            show_run(report, by_lineup=_not_round_robin(folder.plan), notes=_notes(outcome, folder))
        try:
            folder.update(**speeds_for_manifest(report))
        except SaveError as error:
            unsaved = unsaved or error
    if unsaved is not None:
        print(f"Ended after {outcome.tally.deals:,} deals. {_how_to_go_on(folder, cluster)}", file=sys.stderr)
        raise unsaved
    if outcome.finished:
        print(f"Saved in {folder.path}", file=sys.stderr if as_json else sys.stdout)
    elif not outcome.tally.blocks and folder.remove_if_empty():
        print("Interrupted before the first chunk; nothing was saved.", file=sys.stderr)
    else:
        print(f"Interrupted after {outcome.tally.deals:,} deals. {_how_to_go_on(folder, cluster)}", file=sys.stderr)
    if not outcome.finished:
        raise typer.Exit(by_signal(outcome.ended_by))


def _how_to_go_on(folder: RunFolder, cluster: str | None) -> str:
    there = [] if cluster is None else ["--cluster", cluster]
    command = shlex.join(["bigtwo", "tournament", "--resume", str(folder.path), *there])
    return f"What was played is saved; go on with: {command}"


def play_folder(folder: RunFolder, workers: int | None, cluster: str | None = None) -> Outcome:
    """Play what a folder lacks of its run, with a bar on a terminal. Raises as `run` does."""
    with ProgressBar(folder.plan.deals) as bar, asked():

        def on_halt() -> None:
            bar.say("Finishing the chunks in hand, and saving them; Ctrl-C once more leaves at once.")

        return play(folder, workers, cluster, progress=bar, say=bar.say, on_halt=on_halt)


def _not_round_robin(plan: Plan) -> bool:
    """Whether the line-ups are worth a table of their own."""
    return len(plan.lineups) > 1 and set(plan.lineups) != set(round_robin(range(len(plan.agents)), plan.rules.players))


def _notes(outcome: Outcome, folder: RunFolder) -> list[str]:
    """What is told above the tables: how a stopping rule ended, and what became of agents and workers."""
    notes = [] if outcome.state is None else [outcome.state.text]
    notes += deaths_notes(outcome.deaths)
    return notes + [fault_note(row, folder.path) for row in outcome.summary()["agents"] if row["forfeits"]]
