"""`bigtwo match`: whole matches between four agents; who wins them, how long they take, each with its interval."""

from __future__ import annotations

import contextlib
import math
import sys
import time
from pathlib import Path
from typing import Annotated, Any

import typer

from bigtwo_sim import __version__
from bigtwo_sim.arena import cores, play_chunks
from bigtwo_sim.arena.runners.matches import MatchPlan, MatchTally
from bigtwo_sim.arena.runners.player import DEFAULT_MEMORY, Seats
from bigtwo_sim.arena.stats.intervals import Estimate
from bigtwo_sim.bots.isolation import try_out
from bigtwo_sim.bots.process import Limits
from bigtwo_sim.cli.exit_codes import INTERRUPTED
from bigtwo_sim.cli.options import (
    DEFAULT_RULES,
    IsolateOption,
    JsonOption,
    RulesOption,
    SetOption,
    WorkersOption,
    new_place,
    read_rules,
    seed_option,
    whole_number,
)
from bigtwo_sim.core.rng import root_key
from bigtwo_sim.games.big_two import AnyAgent, Match, PythonLoop, Record, RecordedDeal
from bigtwo_sim.games.big_two.kernels.matchplay import MOST_DEALS
from bigtwo_sim.games.big_two.layout import SEATS
from bigtwo_sim.games.big_two.match import match_seed, with_target
from bigtwo_sim.roster.spec import parse_agents
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

DEFAULT_TARGET = 50
DEFAULT_MATCHES = 1000
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
    chosen = read_rules(rules, changes)

    if len(agents) != SEATS:
        raise InputError(f"the agents are {', '.join(agents)}; there must be {SEATS}, one a seat")
    if record is not None:
        new_place(record, "--record")
    to = target or chosen.match_target or DEFAULT_TARGET
    distinct = list(dict.fromkeys(agents))
    lineup = [distinct.index(agent) for agent in agents]
    with contextlib.redirect_stdout(sys.stderr):  # what an agent prints is no part of the result
        seated = parse_agents(distinct)
        try:
            plan = MatchPlan.of(seated, lineup, with_target(chosen, to), seed, matches=matches, isolate=isolate)
        except ValueError as error:
            raise InputError(str(error)) from None
        for agent in seated:
            try_out(agent)
        if record is not None:
            _record([seated[number] for number in lineup], plan, record)
        began = time.perf_counter()
        tally = _play(plan, workers)
        seconds = time.perf_counter() - began
    report = _report(plan, tally, seconds)
    if as_json:
        emit_json(report)
    else:
        _show(report)
        if record is not None:
            emit(f"\nThe first match, seated as named, is in {record}")
    if tally.blocks < plan.blocks:
        print(f"Interrupted after {tally.matches:,} of {plan.matches:,} matches.", file=sys.stderr)
        raise typer.Exit(INTERRUPTED)


# --- playing ----------------------------------------------------------------------------------------------------------
def _play(plan: MatchPlan, workers: int | None) -> MatchTally:
    """The statistics of all matches, or of those before Ctrl-C. Raises KeyboardInterrupt where there are none."""
    tally = MatchTally(plan)
    with new_bar(plan.matches, unit=" matches") as bar:
        try:
            results: Any = play_chunks(plan, plan.chunks(), workers or cores(), processes=True)
            for result in results:
                tally.add(result)
                bar.update(tally.matches - bar.n)
        except KeyboardInterrupt:
            if not tally.blocks:
                raise
    return tally


def _record(lineup: list[AnyAgent], plan: MatchPlan, path: Path) -> None:
    """Play the first match of the first block and write it."""
    game = Match(plan.rules, match_seed(plan.seed, 0), plan.target)
    deals: list[RecordedDeal] = []
    with contextlib.closing(Seats(lineup, Limits(None, DEFAULT_MEMORY), apart=True)) as seats:
        loop = PythonLoop(seats.lineup(range(len(lineup))), plan.rules)
        while game.winner is None and game.number < MOST_DEALS:
            deal = game.next_deal()
            loop.play_deal(root_key(game.seed), game.number, leader=game.leader, totals=game.totals)
            for _, cards in loop.log:
                if cards:
                    deal.play(cards)
                else:
                    deal.pass_()
            deals.append(RecordedDeal.of(deal))
            game.end_deal(deal)
    made = Record(plan.rules, game.seed, tuple(agent.name for agent in lineup), tuple(deals))
    try:
        made.save(path)
    except OSError as error:
        raise InputError(f"--record: {path} cannot be written: {error.strerror}") from None


# --- what came out ----------------------------------------------------------------------------------------------------
def _figures(name: str, estimate: Estimate) -> dict[str, float | None]:
    """An estimate as a report has it; bounds that are not known are None."""
    low, high = (round(bound, 6) if math.isfinite(bound) else None for bound in (estimate.low, estimate.high))
    return {name: round(estimate.mean, 6), f"{name}_low": low, f"{name}_high": high}


def _report(plan: MatchPlan, tally: MatchTally, seconds: float) -> dict[str, Any]:
    names = [agent.name for agent in plan.agents]
    length = tally.length()
    return {
        "engine_version": __version__,
        "rules": plan.rules.to_dict(),
        "seed": plan.seed,
        "target": plan.target,
        "lineup": [names[number] for number in plan.lineup],
        "matches": tally.matches,
        "blocks": tally.blocks,
        "undecided": tally.undecided,
        "seconds": round(seconds, 3),
        "isolation": plan.isolation,
        "worker_deaths": list(tally.deaths),
        "confidence": tally.interval.confidence,
        **_figures("deals_a_match", length.mean),
        "deals_deviation": None if math.isnan(length.deviation) else round(length.deviation, 6),
        "shortest": length.shortest,
        "longest": length.longest,
        "agents": [
            {
                "agent": names[agent.agent],
                "copies": agent.copies,
                **_figures("match_wins", agent.match_wins),
                **_figures("deal_wins", agent.deal_wins),
                **_figures("points", agent.points),
                "wins_by_seat": list(agent.wins_by_seat),
                "decisions": agent.decisions,
                "forfeits": agent.forfeits,
                "fault": None if names[agent.agent] not in tally.faults else str(tally.faults[names[agent.agent]]),
            }
            for agent in tally.agents()
        ],
        "pairs": [
            {
                "first": names[pair.first],
                "second": names[pair.second],
                **_figures("match_wins", pair.win_rate),
                **_figures("points_a_match", pair.points),
            }
            for pair in tally.pairs()
        ],
    }


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
