"""`bigtwo tournament`: agents play whole blocks of deals against each other; each figure comes with its interval."""

from __future__ import annotations

import contextlib
import math
import re
import shlex
import sys
import textwrap
import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from experiments.options import (
    DEFAULT_RULES,
    InputError,
    JsonOption,
    RulesOption,
    SetOption,
    emit_json,
    read_rules,
    whole_number,
)

if TYPE_CHECKING:
    from bigtwo_sim.arena import AgentSummary, Estimate, Outcome, Plan, RunFolder

DEFAULT_AGENTS = ("random", "greedy", "heuristic", "shapeless=heuristic:lead_turns=0,answer_fall=0,answer_turns=0")
DEFAULT_DEALS = 20_000
MOST_DEALS = 10**15
MOST_WORKERS = 1024
RESULTS = Path("results")
INTERRUPTED = 130
FEWEST_NAME_COLUMNS = 12
FEWEST_COLUMNS = 80  # figures are never cut; a narrower terminal wraps them


def _folder(text: str) -> Path:
    if not text.strip():
        raise typer.BadParameter(f"{text!r} must name a folder")
    return Path(text)


def tournament(
    agents: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="AGENT",
            help="METHOD, METHOD:SETTING=VALUE,... or MODULE:FACTORY, each also as NAME=.... Four: that line-up, where "
            "one text several times is one agent in several seats; fewer: every line-up that fills four seats and "
            "seats each; more: every four. Default: " + " ".join(DEFAULT_AGENTS),
        ),
    ] = None,
    rules: RulesOption = DEFAULT_RULES,
    changes: SetOption = None,
    deals: Annotated[
        int,
        typer.Option(
            "--deals",
            parser=whole_number(1, MOST_DEALS),
            metavar="N",
            help="Deals in all, rounded up to whole blocks.",
        ),
    ] = DEFAULT_DEALS,
    seed: Annotated[
        int,
        typer.Option(
            "--seed", parser=whole_number(0), metavar="S", help="Root seed: the same seed plays the same decks."
        ),
    ] = 0,
    workers: Annotated[
        int | None,
        typer.Option(
            "--workers",
            parser=whole_number(1, MOST_WORKERS),
            metavar="N",
            help="Threads, or processes for Python agents. Default: all cores.",
        ),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(
            "--out", parser=_folder, metavar="DIR", help="Where the run is saved. Default: a folder in results/."
        ),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Play agents against each other and print win rates, points and their differences, with 95 % intervals."""
    chosen = read_rules(rules, changes)
    from agents.spec import parse_agents
    from bigtwo_sim.arena import Plan, RunError, RunFolder, SaveError, cores
    from bigtwo_sim.big_two.layout import SEATS

    texts = list(agents or DEFAULT_AGENTS)
    lineup = None
    if len(texts) == SEATS and len(set(texts)) < SEATS:  # the same text again: the same agent in another seat
        distinct = list(dict.fromkeys(texts))
        lineup = sorted(distinct.index(text) for text in texts)
        texts = distinct
    with contextlib.redirect_stdout(sys.stderr):  # what an agent prints is no part of the result
        plan = Plan.of(parse_agents(texts), chosen, seed, deals=deals, lineup=lineup)
        for agent in plan.agents:
            getattr(agent, "make", lambda: None)()  # a factory that fails is told before anything is written
    if plan.deals > 2 * deals:
        print(f"--deals {deals} is rounded up to a whole block of {plan.deals:,}.", file=sys.stderr)
    try:
        folder = RunFolder.create(out or _new_folder(), plan, shlex.join(["bigtwo", *sys.argv[1:]]))
    except RunError as error:
        raise InputError(f"--out: {error}" if out else str(error)) from None
    unsaved = None
    try:
        with contextlib.redirect_stdout(sys.stderr):
            outcome = _play(plan, workers or cores(), folder)
    except SaveError as error:
        if error.outcome is None:
            raise
        outcome, unsaved = error.outcome, error
    except BaseException:
        if not folder.remove_if_empty():
            print(f"What was played before is saved in {folder.path}", file=sys.stderr)
        raise
    if outcome.tally.blocks:
        report = _report(outcome)
        if as_json:
            emit_json(report)
        else:
            _show(outcome, report)
        try:
            folder.update(result=report)
        except SaveError as error:
            unsaved = unsaved or error
    if unsaved is not None:
        if not outcome.finished:
            print(f"Ended after {outcome.tally.deals:,} of {plan.deals:,} deals.", file=sys.stderr)
        raise unsaved
    if outcome.tally.blocks or not folder.remove_if_empty():
        print(f"Saved in {folder.path}", file=sys.stderr if as_json else sys.stdout)
    if not outcome.finished:
        print(f"Interrupted after {outcome.tally.deals:,} of {plan.deals:,} deals.", file=sys.stderr)
        raise typer.Exit(INTERRUPTED)


def _new_folder() -> Path:
    """A folder in results/ that does not exist yet, named after the time."""
    name = time.strftime("%Y-%m-%d-%H%M%S") + "-tournament"
    folder, number = RESULTS / name, 2
    while folder.exists():
        folder, number = RESULTS / f"{name}-{number}", number + 1
    return folder


def _play(plan: Plan, workers: int, folder: RunFolder) -> Outcome:
    from tqdm import tqdm

    from bigtwo_sim.arena import run

    bar = tqdm(total=plan.deals, unit=" deals", unit_scale=True, leave=False, dynamic_ncols=True, disable=None)
    with bar:
        return run(plan, workers, folder, bar.update)


# --- the report -------------------------------------------------------------------------------------------------------
def _number(value: float) -> float | None:
    """A figure for JSON, which knows no NaN."""
    return None if math.isnan(value) else round(value, 6)


def _figures(name: str, estimate: Estimate) -> dict[str, float | None]:
    return {
        name: _number(estimate.mean),
        f"{name}_low": _number(estimate.low),
        f"{name}_high": _number(estimate.high),
    }


def _speed(outcome: Outcome, summary: AgentSummary) -> float:
    """Decisions a second: of a Python agent within its own `choose`, of a compiled one at a table of its own kind."""
    from bigtwo_sim.arena import decisions_per_second
    from bigtwo_sim.big_two import PolicyAgent

    agent = outcome.plan.agents[summary.agent]
    if isinstance(agent, PolicyAgent):
        return decisions_per_second(agent, outcome.plan.rules)
    thinking = float(outcome.thinking[summary.agent])
    return summary.decisions / thinking if thinking > 0 else math.nan


def _report(outcome: Outcome) -> dict[str, Any]:
    """The result as `--json` prints it and the manifest keeps it."""
    from bigtwo_sim import __version__

    names = [agent.name for agent in outcome.plan.agents]
    rate = outcome.deals_per_hour
    return {
        "engine_version": __version__,
        "rules": outcome.plan.rules.to_dict(),
        "seed": outcome.plan.seed,
        "deals": outcome.tally.deals,
        "blocks": outcome.tally.blocks,
        "seconds": round(outcome.seconds, 3),
        "deals_per_hour": None if math.isnan(rate) else round(rate),
        "agents": [
            {
                "agent": names[summary.agent],
                "deals": summary.deals,
                **_figures("win_rate", summary.win_rate),
                **_figures("points", summary.points),
                **_figures("cards_left", summary.cards_left),
                "wins_by_seat": list(summary.wins_by_seat),
                "decisions": summary.decisions,
                "decisions_per_second": _number(_speed(outcome, summary)),
            }
            for summary in outcome.tally.agents()
        ],
        "pairs": [
            {
                "first": names[pair.first],
                "second": names[pair.second],
                "deals": pair.deals,
                **_figures("points", pair.points),
                **_figures("win_rate", pair.win_rate),
            }
            for pair in outcome.tally.pairs()
        ],
    }


# --- the tables -------------------------------------------------------------------------------------------------------
def _plus_minus() -> str:
    encoding = getattr(sys.stdout, "encoding", None) or "utf-8"
    try:
        "±".encode(encoding)
    except UnicodeEncodeError:
        return "+/-"
    return "±"


def _interval(figures: dict[str, Any], name: str, form: str, scale: float = 1.0) -> str:
    """A figure with half the width of its interval: `41.2 ± 0.6`."""
    low, high = figures[f"{name}_low"], figures[f"{name}_high"]
    margin = "?" if low is None else f"{(high - low) / 2 * scale:{form.lstrip('+')}}"
    return f"{figures[name] * scale:{form}} {_plus_minus()} {margin}"


def _short(value: float | None) -> str:
    """A rate in three figures: 24.8 M, 153 k."""
    if value is None:
        return "?"
    for size, letter in ((1e9, " G"), (1e6, " M"), (1e3, " k")):
        if value >= size:
            return f"{value / size:.3g}{letter}"
    return f"{value:.3g}"


def _broken(name: str, width: int) -> str:
    """A name in lines of at most `width`, broken after a sign where there is one."""
    lines = [""]
    for piece in re.findall(r"[^ ,:=._-]*[ ,:=._-]|[^ ,:=._-]+", name):
        if lines[-1] and len(lines[-1]) + len(piece) > width:
            lines.append("")
        lines[-1] += piece
    return "\n".join(lines)


def _show(outcome: Outcome, report: dict[str, Any]) -> None:
    from rich import box
    from rich.console import Console
    from rich.table import Table

    from experiments.options import columns

    console = Console(width=max(columns(), FEWEST_COLUMNS), highlight=False, markup=False)
    ranked = sorted(report["agents"], key=lambda row: -row["points"])
    blocks = "1 block" if report["blocks"] == 1 else f"{report['blocks']:,} blocks"
    console.print(
        f"{report['deals']:,} deals in {blocks} under the rules {outcome.plan.rules.name}, seed {report['seed']}\n"
        f"{report['seconds']:.2f} s, {_short(report['deals_per_hour'])} deals an hour\n"
    )
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, padding=(0, 1, 0, 0), show_edge=False)
    table.add_column("agent", overflow="fold", min_width=FEWEST_NAME_COLUMNS)
    headings = (
        "win rate %",
        "points a deal",
        "cards\nleft",
        "of its wins, %\nfrom seat 0 1 2 3",
        "decisions\na second",
    )
    for heading in headings:
        table.add_column(heading, justify="right", no_wrap=True)
    figures = []
    for row in ranked:
        wins = sum(row["wins_by_seat"])
        figures.append(
            (
                _interval(row, "win_rate", ".2f", 100),
                _interval(row, "points", ".3f"),
                f"{row['cards_left']:.2f}",
                " ".join(f"{100 * won / wins:.0f}" for won in row["wins_by_seat"]) if wins else "no wins",
                _short(row["decisions_per_second"]),
            )
        )
    columns_of_cells = zip(*figures, strict=True)
    taken = sum(
        2 + max(map(len, [*cells, *heading.split("\n")]))
        for heading, cells in zip(headings, columns_of_cells, strict=True)
    )
    for row, cells in zip(ranked, figures, strict=True):
        table.add_row(_broken(row["agent"], max(FEWEST_NAME_COLUMNS, console.width - taken)), *cells)
    _print_table(console, table)
    if report["pairs"]:
        console.print()
        _show_pairs(console, report, [row["agent"] for row in ranked])
    several = f" of all {len(outcome.plan.lineups)} line-ups" if len(outcome.plan.lineups) > 1 else ""
    legend = (
        f"{_plus_minus()}: 95 % interval from block to block; a block is one deck under every seating{several}. "
        "Decisions a second: a compiled agent at a table of its own kind, one core; a Python agent in its choose()."
    )
    print("\n" + textwrap.fill(legend, console.width) + "\n")


def _print_table(console: Any, table: Any) -> None:
    """Print it without the blanks that fill its lines."""
    with console.capture() as captured:
        console.print(table)
    print("\n".join(line.rstrip() for line in captured.get().splitlines()))


def _show_pairs(console: Any, report: dict[str, Any], ranking: list[str]) -> None:
    """Each pair that met, the better one first."""
    from rich import box
    from rich.table import Table

    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, padding=(0, 1, 0, 0), show_edge=False)
    table.add_column("pair", overflow="fold")
    table.add_column("difference in points a deal", justify="right", no_wrap=True)
    rows = []
    for pair in report["pairs"]:
        places = ranking.index(pair["first"]), ranking.index(pair["second"])
        if places[0] > places[1]:
            turned = {"points": -pair["points"]}
            turned |= {f"points_{end}": pair[f"points_{end}"] for end in ("low", "high")}
            pair = {**turned, "first": pair["second"], "second": pair["first"]}
        rows.append((sorted(places), f"{pair['first']} over {pair['second']}", _interval(pair, "points", "+.3f")))
    for _, names, difference in sorted(rows):
        table.add_row(names, difference)
    _print_table(console, table)
