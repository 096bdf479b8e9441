"""`bigtwo check-bot`: tells the author of a bot what is wrong with it, and what to do."""

from __future__ import annotations

import re
import textwrap
from typing import Annotated, Any

import typer

from bigtwo_sim.bots import check as bot_check
from bigtwo_sim.bots.check import BotReport, Finding, check_fault
from bigtwo_sim.bots.isolation import Bot, isolated
from bigtwo_sim.bots.process import Limits
from bigtwo_sim.cli.options import DEFAULT_RULES, JsonOption, SetOption, read_rules, whole_number
from bigtwo_sim.games.big_two import PRESETS, Fault, PythonAgent
from bigtwo_sim.roster.methods import agent_names
from bigtwo_sim.roster.spec import parse_agent
from bigtwo_sim.terminal.output import columns, emit, emit_json
from bigtwo_sim.untrusted.errors import InputError

FAILURE = 1
_PYTHON_AGENT = re.compile(r"([^=:/]+=)?([A-Za-z_]\w*(\.[A-Za-z_]\w*)*|[^:]+\.py):[A-Za-z_]\w*")
_PROGRAM = re.compile(r"(?:([^=:/]+)=)?exec:(.*)", re.DOTALL)
_WIDTH = 9


def _seconds(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = 0.0
    if not 0 < value <= 86_400:
        raise typer.BadParameter(f"{text[:40]!r} must be a number of seconds of more than 0, and at most a day")
    return value


def check_bot(
    bot: Annotated[
        str,
        typer.Argument(
            metavar="BOT",
            help="A program with its arguments, in one text (./my-bot, exec:'node bot.js'), MODULE:FACTORY or "
            "FILE.py:FACTORY.",
        ),
    ],
    rules: Annotated[
        str | None,
        typer.Option("--rules", metavar="NAME|FILE.toml", help="Play under these alone. Default: under all presets."),
    ] = None,
    changes: SetOption = None,
    deals: Annotated[
        int,
        typer.Option("--deals", parser=whole_number(1, 100_000), metavar="N", help="Deals under each set of rules."),
    ] = 8,
    move_time: Annotated[
        float, typer.Option("--move-time", parser=_seconds, metavar="S", help="Seconds that an answer may take.")
    ] = 10.0,
    start_time: Annotated[
        float, typer.Option("--start-time", parser=_seconds, metavar="S", help="Seconds that the start may take.")
    ] = 20.0,
    fault: Annotated[
        str | None,
        typer.Option(
            "--fault", metavar="FILE", help="Put the decision of a saved fault to it again, and nothing else."
        ),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Play with a bot and say what is wrong with it, and what to do. Exit code 1: something is."""
    if fault is not None and (rules is not None or changes):
        raise InputError("--fault brings its own rules along; leave out --rules and --set")
    agent = _agent(bot.strip(), Limits(move_time=move_time, start_time=start_time))
    report, title = _checked_fault(agent, fault) if fault is not None else (None, "")
    if report is None:
        chosen = [read_rules(rules or DEFAULT_RULES, changes)] if rules or changes else list(PRESETS.values())
        report = bot_check.check_bot(agent, chosen, deals)
    if as_json:
        emit_json(_as_dict(agent, report))
    else:
        _show(agent, report, title)
    if report.has_faults:
        raise typer.Exit(FAILURE)


def _agent(text: str, limits: Limits) -> PythonAgent:
    if not text:
        raise InputError("BOT is empty; it must name a program, such as ./my-bot, MODULE:FACTORY or FILE.py:FACTORY")
    if text.partition(":")[0] in agent_names():
        raise InputError(f"{text} is one of the agents that are built in; check-bot is for bots of your own")
    if _PYTHON_AGENT.fullmatch(text) and not _PROGRAM.fullmatch(text):
        agent = parse_agent(text)
        if not isinstance(agent, PythonAgent):
            raise InputError(f"{text} is compiled; check-bot is for programs and Python agents")
        return isolated(agent, limits)
    program = _PROGRAM.fullmatch(text)
    name, command = (program[1], program[2]) if program else (None, text)
    made = Bot(name or f"exec:{command}", command.strip(), limits)
    _ = made.command  # an open quote is an error of the command line, not of the bot
    return PythonAgent(made.name, made)


def _checked_fault(agent: PythonAgent, path: str) -> tuple[BotReport, str]:
    fault = Fault.load(path)
    view = fault.view()
    table = f"on the table {view.play_to_beat}" if view.play_to_beat is not None else "on lead"
    title = (
        f"The case: agent {fault.agent!r} at seat {fault.seat} in deal {fault.deal_number} under {fault.rules.name}, "
        f"after {len(fault.log)} turns ({fault.moment.replace('_', ' ')}): hand {view.hand}, {table}."
    )
    return BotReport([check_fault(agent, fault)]), title


def _as_dict(agent: PythonAgent, report: BotReport) -> dict[str, Any]:
    return {
        "bot": str(agent.factory),
        "ok": not report.has_faults,
        "own_name": report.own_name,
        "decisions": report.decisions,
        "forfeits": report.forfeits,
        "milliseconds": {name: round(value, 3) for name, value in report.milliseconds().items()},
        "checks": [
            {
                "check": finding.check,
                "status": finding.status,
                "text": finding.text,
                "advice": finding.advice,
                "example": finding.example,
            }
            for finding in report.findings
        ],
        "stderr": report.stderr,
    }


def _show(agent: PythonAgent, report: BotReport, title: str) -> None:
    if title:
        emit(textwrap.fill(title, columns()))
    for finding in report.findings:
        _show_finding(finding)
    faults = sum(finding.status == "fault" for finding in report.findings)
    if faults and report.stderr:
        emit("\nIts standard error ended with")
        emit(textwrap.indent("\n".join(report.stderr.splitlines()[-10:]), "    "))
    if not title:
        counted = f"{faults} fault{'s' if faults > 1 else ''}" if faults else "No fault"
        emit(f"\n{counted} found in {agent.factory}.")


def _show_finding(finding: Finding) -> None:
    word = finding.status.upper() if finding.status == "fault" else finding.status
    for text in (finding.text, finding.advice, finding.example):
        for line in textwrap.wrap(text, columns() - _WIDTH, break_on_hyphens=False):
            emit(f"{word:<{_WIDTH}}{line}")
            word = ""
