"""`bigtwo tournament`: agents play whole blocks of deals against each other; each figure comes with its interval."""

from __future__ import annotations

import contextlib
import shlex
import sys
from pathlib import Path

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
    asked,
    new_run_folder,
    rules_of_game,
)
from bigtwo_sim.cli.resuming import TrustOption, taken_up
from bigtwo_sim.cli.tournament_options import (
    AgentsArgument,
    AlphaOption,
    BetaOption,
    ClusterOption,
    DealsOption,
    EffectOption,
    LineupsOption,
    MemoryOption,
    MirrorOption,
    MoveTimeOption,
    OutOption,
    PrecisionOption,
    ResumeOption,
    SeedOption,
    StrictOption,
    TestOption,
)
from bigtwo_sim.cli.trust import remember
from bigtwo_sim.cli.tuned import raise_unless_alone
from bigtwo_sim.games.registry import BIG_TWO
from bigtwo_sim.requests.report import report_of, speeds_for_manifest
from bigtwo_sim.requests.runs import play
from bigtwo_sim.requests.tournament import DEFAULT_AGENTS, DEFAULT_DEALS, ROUND_ROBIN, TournamentRequest
from bigtwo_sim.terminal.output import emit_json
from bigtwo_sim.terminal.progress import ProgressBar
from bigtwo_sim.terminal.tables import deaths_notes, fault_note, show_run
from bigtwo_sim.untrusted.errors import InputError

OF_RESUMING = {"resume", "workers", "cluster", "trust", "as_json"}  # options that may stand beside --resume


def tournament(
    context: typer.Context,
    agents: AgentsArgument = None,
    game: GameOption = BIG_TWO,
    players: PlayersOption = None,
    rules: GameRulesOption = None,
    changes: SetOption = None,
    lineups: LineupsOption = ROUND_ROBIN,
    mirror: MirrorOption = False,
    deals: DealsOption = None,
    precision: PrecisionOption = None,
    test: TestOption = None,
    alpha: AlphaOption = None,
    beta: BetaOption = None,
    effect: EffectOption = None,
    seed: SeedOption = 0,
    move_time: MoveTimeOption = None,
    memory: MemoryOption = None,
    isolate: IsolateOption = False,
    strict: StrictOption = False,
    workers: WorkersOption = None,
    cluster: ClusterOption = None,
    out: OutOption = None,
    resume: ResumeOption = None,
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
