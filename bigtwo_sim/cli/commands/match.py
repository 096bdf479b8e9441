"""`bigtwo match`: whole matches between four agents; who wins them, how long they take, each with its interval."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from bigtwo_sim.cli.exit_codes import INTERRUPTED
from bigtwo_sim.cli.options import (
    DEFAULT_RULES,
    IsolateOption,
    JsonOption,
    RulesOption,
    SetOption,
    WorkersOption,
    asked,
    new_place,
    read_rules,
    seed_option,
    whole_number,
)
from bigtwo_sim.games.big_two import Record
from bigtwo_sim.requests.match import DEFAULT_MATCHES, DEFAULT_TARGET, MatchRequest
from bigtwo_sim.terminal.bars import new_bar
from bigtwo_sim.terminal.output import emit, emit_json, wrapped
from bigtwo_sim.terminal.tables import (
    by_seat,
    deaths_notes,
    figures_table,
    interval,
    isolation_note,
    new_console,
    plus_minus,
    print_table,
    short,
    unknown_note,
)
from bigtwo_sim.untrusted.errors import InputError

MOST_MATCHES = 10**9


def match(
    agents: Annotated[
        list[str],
        typer.Argument(metavar="AGENT", help="Four, as in a tournament; one text several times is one agent."),
    ],
    target: Annotated[
        int | None,
        typer.Option(
            "--target",
            parser=whole_number(1, 1_000_000),
            metavar="N",
            help=f"The total that ends a match. Default: the rules' match_target, else {DEFAULT_TARGET}.",
        ),
    ] = None,
    matches: Annotated[
        int,
        typer.Option(
            "--matches",
            parser=whole_number(1, MOST_MATCHES),
            metavar="N",
            help="Matches in all, rounded up to whole blocks: the same decks under every seating.",
        ),
    ] = DEFAULT_MATCHES,
    seed: Annotated[int, seed_option("Root seed.")] = 0,
    rules: RulesOption = DEFAULT_RULES,
    changes: SetOption = None,
    isolate: IsolateOption = False,
    workers: WorkersOption = None,
    record: Annotated[
        Path | None,
        typer.Option("--record", metavar="FILE", help="Write the first match, seated as named here, as a record."),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Play matches to a target and print who wins them, with 95 % intervals, and how many deals they take."""
    request = MatchRequest(agents, read_rules(rules, changes), target, matches, seed, isolate)
    if record is not None:
        new_place(record, "--record")
    with asked():
        plan = request.plan
        if record is not None:
            _save(request.first_match(), record)
        with new_bar(plan.matches, unit=" matches") as bar:
            result = request.play(workers, lambda tally: bar.update(tally.matches - bar.n))
    report = result.report
    if as_json:
        emit_json(report)
    else:
        _show(report)
        if record is not None:
            emit(f"\nThe first match, seated as named, is in {record}")
    if not result.finished:
        print(f"Interrupted after {report['matches']:,} of {plan.matches:,} matches.", file=sys.stderr)
        raise typer.Exit(INTERRUPTED)


def _save(made: Record, path: Path) -> None:
    try:
        made.save(path)
    except OSError as error:
        raise InputError(f"--record: {path} cannot be written: {error.strerror}") from None


def _show(report: dict[str, Any]) -> None:
    console = new_console()
    blocks = "1 block" if report["blocks"] == 1 else f"{report['blocks']:,} blocks"
    emit(
        f"{report['matches']:,} matches to {report['target']} in {blocks} under the rules {report['rules']['name']}, "
        f"seed {report['seed']}"
    )
    rate = short(report["matches"] / report["seconds"]) if report["seconds"] else "?"
    emit(f"{report['seconds']:.2f} s, {rate} matches a second")
    deviation = "?" if report["deals_deviation"] is None else f"{report['deals_deviation']:.2f}"
    emit(
        f"A match takes {interval(report, 'deals_a_match', '.2f')} deals (standard deviation {deviation}, "
        f"{report['shortest']} to {report['longest']})."
    )
    if report["undecided"]:
        emit(wrapped(f"{report['undecided']:,} matches were broken off undecided; they count as won by nobody."))
    emit()
    table = figures_table(
        "matches won %", "deals won %", "points a deal", "of its matches, %\nfrom seat 0 1 2 3", name="agent"
    )
    for row in sorted(report["agents"], key=lambda row: -row["match_wins"]):
        table.add_row(
            row["agent"],
            interval(row, "match_wins", ".2f", 100),
            interval(row, "deal_wins", ".2f", 100),
            interval(row, "points", ".3f"),
            by_seat(row["wins_by_seat"]),
        )
    print_table(console, table)
    if report["pairs"]:
        emit()
        table = figures_table("matches won %", name="difference of the pair")
        for pair in report["pairs"]:
            table.add_row(*_better_first(pair))
        print_table(console, table)
    for note in deaths_notes(report["worker_deaths"]):
        emit()
        emit(wrapped(note))
    for row in report["agents"]:
        if row["forfeits"]:
            emit()
            emit(wrapped(f"{row['agent']} forfeited {row['forfeits']:,} of its decisions; the first: {row['fault']}"))
    emit()
    emit(
        wrapped(
            f"{plus_minus()}: {100 * report['confidence']:g} % interval from block to block; a block is the matches of "
            f"one sequence of decks, under every seating.{unknown_note(report['blocks'])} Wins are a match, or a deal, "
            "and a seat." + isolation_note(report["isolation"])
        )
    )


def _better_first(pair: dict[str, Any]) -> tuple[str, str]:
    first, second = pair["first"], pair["second"]
    if pair["match_wins"] < 0:
        first, second = second, first
        low, high = pair["match_wins_low"], pair["match_wins_high"]
        turned = {"match_wins": -pair["match_wins"]}
        pair = turned | {"match_wins_low": high and -high, "match_wins_high": low and -low}
    return f"{first} over {second}", interval(pair, "match_wins", "+.2f", 100)
