"""`bigtwo tournament`: agents play whole blocks of deals against each other; each figure comes with its interval."""

from __future__ import annotations

import contextlib
import shlex
import sys
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import typer

from bigtwo_sim.arena import (
    Outcome,
    Plan,
    Precision,
    RunError,
    RunFolder,
    SaveError,
    SequentialTest,
    StoppingError,
    StoppingRule,
    cores,
    gauntlet,
    mirrors,
    play_chunks,
    read_lineups,
    round_robin,
    run,
)
from bigtwo_sim.arena.runners.cluster import MissingExtra, connected
from bigtwo_sim.bots.isolation import try_out
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
    new_run_folder,
    number_above,
    rules_of_game,
    seed_option,
    whole_number,
)
from bigtwo_sim.cli.resuming import TrustOption, taken_up
from bigtwo_sim.cli.trust import remember
from bigtwo_sim.games.registry import BIG_THREE, BIG_TWO
from bigtwo_sim.roster.spec import parse_agents
from bigtwo_sim.terminal.output import emit_json
from bigtwo_sim.terminal.progress import ProgressBar
from bigtwo_sim.terminal.report import report_of, speeds_for_manifest
from bigtwo_sim.terminal.tables import deaths_notes, fault_note, show_run
from bigtwo_sim.untrusted.errors import InputError
from bigtwo_sim.untrusted.text_files import TextFileError, read_text, shown_path

DEFAULT_AGENTS = {
    BIG_TWO: ("random", "greedy", "heuristic", "shapeless=heuristic:lead_turns=0,answer_fall=0,answer_turns=0"),
    BIG_THREE: ("random", "greedy", "heuristic"),
}
DEFAULT_DEALS = 20_000
MOST_DEALS = 10**15
ROUND_ROBIN, GAUNTLET = "round-robin", "gauntlet"
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
        _raise_unless_alone(context)
        folder = taken_up(resume, trust=trust)
        plan = folder.plan
    else:
        chosen = rules_of_game(game, players, rules, changes)

        texts, numbers = _lineups(list(agents or DEFAULT_AGENTS[game]), lineups, mirror, chosen.players)
        with contextlib.redirect_stdout(sys.stderr):  # what an agent prints is no part of the result
            seated = parse_agents(texts, game)
            stop = _stopping_rule([agent.name for agent in seated], precision, test, alpha, beta, effect)
            if stop is None and deals is None:
                deals = DEFAULT_DEALS
            try:
                plan = Plan.of(
                    seated,
                    chosen,
                    seed,
                    deals=deals,
                    lineups=numbers,
                    stop=stop,
                    move_time=move_time,
                    memory=memory,
                    strict=strict,
                    isolate=isolate,
                )
            except ValueError as error:
                raise InputError(str(error)) from None
            for agent in plan.agents:
                try_out(agent, game=game)  # a factory that fails is reported before anything is written
        if deals is not None and plan.deals is not None and plan.deals > 2 * deals:
            print(f"--deals {deals} is rounded up to a whole block of {plan.deals:,}.", file=sys.stderr)
        try:
            folder = RunFolder.create(out or new_run_folder("tournament"), plan, shlex.join(["bigtwo", *sys.argv[1:]]))
        except RunError as error:
            raise InputError(f"--out: {error}" if out else str(error)) from None
        remember(folder.path, folder.manifest["agents"])
    with contextlib.closing(folder):
        _play_and_show(folder, workers, cluster, as_json)


# --- what is played ---------------------------------------------------------------------------------------------------
def _raise_unless_alone(context: typer.Context) -> None:
    """A run that is taken up again is played as it was begun."""
    given = [
        parameter.opts[0] if parameter.param_type_name == "option" else "agents"
        for parameter in context.command.params
        if parameter.name not in OF_RESUMING
        and parameter.name in context.params
        and context.get_parameter_source(parameter.name).name == "COMMANDLINE"  # type: ignore[union-attr]
    ]
    if given:
        raise InputError(f"--resume goes on with a run as it was begun; leave out {', '.join(given)}")


def _lineups(
    texts: list[str], lineups: str, mirror: bool, seats: int
) -> tuple[list[str], list[tuple[int, ...]] | None]:
    """The agents that are seated, by their texts, and their line-ups by number (None: the round robin)."""
    distinct = list(dict.fromkeys(texts)) if len(texts) == seats else texts
    numbers = range(len(distinct))
    found: list[tuple[int, ...]] | None = None
    if lineups == GAUNTLET:
        if len(distinct) < 2:
            raise InputError("a gauntlet needs two agents at least: the one that is judged, and its field")
        found = gauntlet(numbers, seats)
    elif lineups != ROUND_ROBIN:
        try:
            written = read_lineups(read_text(lineups), seats)
        except TextFileError as error:
            raise InputError(
                f"--lineups is {shown_path(lineups)!r}; it must be {ROUND_ROBIN}, {GAUNTLET} or a file of line-ups: "
                f"{error.reason}"
            ) from None
        except ValueError as error:
            raise InputError(f"--lineups {lineups}: {error}") from None
        distinct, found = _by_name(written, texts)
        numbers = range(len(distinct))
    elif len(texts) == seats and len(distinct) < seats:  # the same text again: the same agent in another seat
        found = [tuple(sorted(distinct.index(text) for text in texts))]
    if mirror:
        listed = round_robin(numbers, seats) if found is None else found
        found = listed + [lineup for lineup in mirrors(numbers, seats) if lineup not in listed]
    return distinct, found


def _by_name(written: Sequence[Sequence[str]], texts: Sequence[str]) -> tuple[list[str], list[tuple[int, ...]]]:
    """Line-ups of a file, whose words are agents' texts or the names of agents on the command line."""
    named = {text.partition("=")[0].strip(): text for text in texts if "=" in text.partition(":")[0]}
    lineups = [[named.get(word, word) for word in lineup] for lineup in written]
    seated = list(dict.fromkeys(text for lineup in lineups for text in lineup))
    return seated, [tuple(seated.index(text) for text in lineup) for lineup in lineups]


def _stopping_rule(
    names: Sequence[str],
    precision: str | None,
    test: str | None,
    alpha: float | None,
    beta: float | None,
    effect: str | None,
) -> StoppingRule | None:
    if precision is not None and test is not None:
        raise InputError("--precision and --test are two ways to end a run; give one of them")
    of_test = {"alpha": alpha, "beta": beta, "effect": effect}
    given: dict[str, Any] = {name: value for name, value in of_test.items() if value is not None}
    if given and test is None:
        raise InputError(f"--{next(iter(given))} belongs to --test A>B")
    try:
        if precision is not None:
            return Precision.parse(precision)
        return None if test is None else SequentialTest.parse(test, names, **given)
    except StoppingError as error:
        raise InputError(f"--{error}") from None


# --- playing ----------------------------------------------------------------------------------------------------------
def _play_and_show(folder: RunFolder, workers: int | None, cluster: str | None, as_json: bool) -> None:
    unsaved = None
    try:
        with contextlib.redirect_stdout(sys.stderr):
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
    plan = folder.plan
    with ProgressBar(plan.deals) as bar:

        def on_halt() -> None:
            bar.say("Finishing the chunks in hand, and saving them; Ctrl-C once more leaves at once.")

        if cluster is not None:
            try:
                context = connected(cluster, bar.say)
            except ValueError as error:
                raise InputError(f"--{error}") from None
            try:
                with context as play_on_cluster:
                    return run(plan, folder, bar, play=play_on_cluster, on_halt=on_halt)
            except MissingExtra as error:
                raise InputError(str(error)) from None
        play = partial(play_chunks, workers=workers or cores(), processes=True)
        return run(plan, folder, bar, play=play, on_halt=on_halt)


def _not_round_robin(plan: Plan) -> bool:
    """Whether the line-ups are worth a table of their own."""
    return len(plan.lineups) > 1 and set(plan.lineups) != set(round_robin(range(len(plan.agents)), plan.rules.players))


def _notes(outcome: Outcome, folder: RunFolder) -> list[str]:
    """What is told above the tables: how a stopping rule ended, and what became of agents and workers."""
    notes = [] if outcome.state is None else [outcome.state.text]
    notes += deaths_notes(outcome.deaths)
    return notes + [fault_note(row, folder.path) for row in outcome.summary()["agents"] if row["forfeits"]]
