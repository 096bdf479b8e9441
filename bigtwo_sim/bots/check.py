"""What is wrong with a bot, for its author: found by playing with it, told in plain words with what to do about it."""

from __future__ import annotations

import contextlib
import random
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

import numpy as np

from bigtwo_sim.bots.advice import ADVICE, FASTER, FLUSH, LEGAL, RANDOM, why_no_start
from bigtwo_sim.bots.isolation import Bot, find_program
from bigtwo_sim.bots.process import GRACE, Problem, ProcessFault
from bigtwo_sim.bots.remote import RemoteAgent, RemoteFault
from bigtwo_sim.games.big_two import AgentError, CardSet, Deal, DealResult, Fault, PythonAgent, Rules, View
from bigtwo_sim.games.big_two import layout as at
from bigtwo_sim.games.big_two.python_agent import view_of_new_deal, why_refused

SEED = 0
MOST_FAULTS = 20
MOST_LATE = 3
ASKED_AGAIN = 100  # decisions
_RULE_BREAKING = "illegal"


class Status(StrEnum):
    """How a check came out."""

    OK = "ok"
    WARNING = "warning"
    FAULT = "fault"


@dataclass(frozen=True)
class Finding:
    """What one check found: a sentence, what to do about it, and where it happened first."""

    check: str
    status: Status
    text: str
    advice: str = ""
    example: str = ""


@dataclass
class BotReport:
    """All that was found."""

    findings: list[Finding] = field(default_factory=list)
    own_name: str = ""
    decisions: int = 0
    forfeits: int = 0
    seconds: list[float] = field(default_factory=list)
    """Of each answer, in the order given."""
    stderr: str = ""

    @property
    def has_faults(self) -> bool:
        """Whether the bot would forfeit decisions, or could not play at all."""
        return any(finding.status == Status.FAULT for finding in self.findings)

    def milliseconds(self) -> dict[str, float]:
        """Median, 99th percentile and the slowest of the answers; empty where there is none."""
        if not self.seconds:
            return {}
        median, slow, slowest = np.percentile(self.seconds, [50, 99, 100]) * 1000
        return {"median": float(median), "percentile_99": float(slow), "slowest": float(slowest)}


def check_bot(agent: PythonAgent, rules: Sequence[Rules], deals: int) -> BotReport:
    """Play `deals` deals with `agent` under each of `rules`, and look for what is wrong with it.

    `agent` is a bot in another language or an isolated Python agent (see `isolation`), under the limits that it has.
    Raises AgentError where it cannot be made.
    """
    report = BotReport()
    made: RemoteAgent = agent.make()
    began = time.perf_counter()
    try:
        _begin(report, agent, made)
        if report.has_faults:
            return report
        _say(report, "start", f"it answers hello after {time.perf_counter() - began:.2g} s{_calls_itself(made)}")
        played = _play(report, made, rules, deals)
        _tell_times(report, made)
        if not report.has_faults:
            _ask_again(report, agent, played)
            if not made.close():
                text = f"it does not end within {GRACE:g} s when its standard input ends"
                advice = "End when there are no more lines to read; it is killed otherwise."
                report.findings.append(Finding("end", Status.WARNING, text, advice))
            else:
                _say(report, "end", "it ends when its standard input ends")
    finally:
        made.close()
        report.own_name, report.stderr = made.own_name, made.stderr
    return report


def _say(report: BotReport, check: str, text: str) -> None:
    report.findings.append(Finding(check, Status.OK, text))


def _calls_itself(made: RemoteAgent) -> str:
    return f" and calls itself {made.own_name!r}" if made.own_name else ""


# --- the start --------------------------------------------------------------------------------------------------------
def _begin(report: BotReport, agent: PythonAgent, made: RemoteAgent) -> None:
    command = agent.factory.command if isinstance(agent.factory, Bot) else []
    if command:
        try:
            _say(report, "program", f"there is the program {find_program(command)}")
        except AgentError as error:
            report.findings.append(Finding("program", Status.FAULT, str(error)))
            return
    try:
        made.start()
    except ProcessFault as fault:
        advice = ADVICE[fault.problem]
        if fault.problem == Problem.LATE:
            advice = FLUSH
        elif fault.problem in (Problem.START, Problem.ENDED) and command:
            advice = why_no_start(find_program(command)) or advice
        report.findings.append(Finding("start", Status.FAULT, f"it {fault.reason}", advice))


# --- the deals --------------------------------------------------------------------------------------------------------
@dataclass
class _Played:
    """A deal in which nothing went wrong, to be put once more: each decision with its answer."""

    beginning: View
    decisions: list[tuple[View, CardSet]] = field(default_factory=list)
    result: DealResult | None = None


@dataclass
class _Kind:
    """One kind of fault: how often it came, and where first."""

    text: str
    advice: str
    example: str
    count: int = 0


class _Enough(Exception):  # noqa: N818 - not an error
    """More faults would tell nothing new."""


def _play(report: BotReport, made: RemoteAgent, rules: Sequence[Rules], deals: int) -> list[_Played]:
    kinds: dict[str, _Kind] = {}
    played: list[_Played] = []
    with contextlib.suppress(_Enough):
        for number, chosen in enumerate(rules):
            for i in range(deals):
                played.append(_play_one(report, made, chosen, number * deals + i, kinds))
    for kind in kinds.values():
        text = f"{kind.count} of {report.decisions} decisions: it {kind.text}"
        report.findings.append(Finding("play", Status.FAULT, text, kind.advice, kind.example))
    names = ", ".join(chosen.name for chosen in rules)
    if not kinds:
        text = f"{report.decisions} decisions in {len(played)} deals under {names}: all as they should be"
        _say(report, "play", text)
    return played


def _play_one(report: BotReport, made: RemoteAgent, rules: Rules, number: int, kinds: dict[str, _Kind]) -> _Played:
    """One deal with the bot at one seat and any legal turn elsewhere."""
    deal, seat = Deal.new(rules, SEED, number), number % at.SEATS
    others = random.Random(number)
    played = _Played(view_of_new_deal(deal.view(seat)))
    _quietly(made.new_deal, played.beginning)
    while not deal.is_over:
        options = [play.cards for play in deal.legal_plays()] + [CardSet(0, rules.deck)] * deal.may_pass
        cards = options[0]
        if deal.has_choice and deal.turn != seat:
            cards = others.choice(options)
        elif deal.has_choice:
            view = deal.view()
            answer = _ask(report, made, deal, number, kinds)
            if answer is None:
                answer = options[-1] if deal.may_pass else options[0]
            else:
                played.decisions.append((view, answer))
            cards = answer
        if cards:
            deal.play(cards)
        else:
            deal.pass_()
    played.result = DealResult.of(deal, seat)
    _quietly(made.end_deal, played.result)
    return played


def _quietly(tell: Callable[[Any], None], news: Any) -> None:
    """Tell it something; what goes wrong then shows at the next decision, or was an agent's own error there."""
    with contextlib.suppress(RemoteFault):
        tell(news)


def _ask(report: BotReport, made: RemoteAgent, deal: Deal, number: int, kinds: dict[str, _Kind]) -> CardSet | None:
    report.decisions += 1
    view = deal.view()
    began = time.perf_counter()
    try:
        answer: CardSet = made.choose(view)
    except RemoteFault as fault:
        first = report.decisions == 1
        advice = (FLUSH if first else FASTER) if fault.problem == Problem.LATE else ADVICE[fault.problem]
        kind: str = fault.problem
        reason: str | None = fault.reason
    else:
        report.seconds.append(time.perf_counter() - began)
        reason = why_refused(answer, deal)
        if reason is None:
            return answer
        kind, advice = _RULE_BREAKING, LEGAL
    report.forfeits += 1
    if kind not in kinds:
        kinds[kind] = _Kind(str(reason), advice, _situation(view, number))
    kinds[kind].count += 1
    if made.given_up or report.forfeits >= MOST_FAULTS or (kind == Problem.LATE and kinds[kind].count >= MOST_LATE):
        raise _Enough
    return None


def _situation(view: View, number: int) -> str:
    table = f"on the table {view.play_to_beat}" if view.play_to_beat is not None else "on lead"
    passing = "may pass" if view.may_pass else "may not pass"
    plays = f", {view.legal_plays[0]} is the first legal play" if view.legal_plays else ""
    return (
        f"First under {view.rules.name}, deal {number} of seed {SEED}, seat {view.seat}: hand {view.hand}, {table}, "
        f"{passing}{plays}."
    )


def _tell_times(report: BotReport, made: RemoteAgent) -> None:
    times = report.milliseconds()
    if times:
        limit = made.limits.move_time
        most = f", of {limit:g} s that it may take" if limit is not None else ""
        text = (
            f"an answer takes {times['median']:.3g} ms (median), {times['percentile_99']:.3g} ms (99th percentile), "
            f"{times['slowest']:.3g} ms at most{most}"
        )
        close = limit is not None and times["slowest"] > 500 * limit
        advice = "A busier machine may make it late; leave some room." if close else ""
        report.findings.append(Finding("time", Status.WARNING if close else Status.OK, text, advice))


# --- once more --------------------------------------------------------------------------------------------------------
def _ask_again(report: BotReport, agent: PythonAgent, played: Sequence[_Played]) -> None:
    """Put decisions to another process, the last deals first."""
    made: RemoteAgent = agent.make()
    asked = 0
    try:
        for deal in reversed(played):
            if asked >= ASKED_AGAIN:
                break
            _quietly(made.new_deal, deal.beginning)
            for view, before in deal.decisions:
                asked += 1
                now = made.choose(view)
                if now != before:
                    text = f"it answered {before or 'a pass'}, and asked the same again {now or 'a pass'}"
                    advice = f"Nothing forbids that, but its runs cannot be repeated. {RANDOM}"
                    example = _situation(view, played.index(deal))
                    report.findings.append(Finding("again", Status.WARNING, text, advice, example))
                    return
            _quietly(made.end_deal, deal.result)
        _say(report, "again", f"asked {asked} decisions again, in another order of deals, it answers the same")
    except RemoteFault as fault:
        text = f"a second process of it, asked the same again, {fault.reason}"
        advice = f"A run may have several processes of a bot at once, and in any order. {ADVICE[fault.problem]}"
        report.findings.append(Finding("again", Status.FAULT, text, advice.strip()))
    finally:
        made.close()


def check_fault(agent: PythonAgent, fault: Fault) -> Finding:
    """Put the case of a saved fault to `agent` once more."""
    reason = fault.ask(agent)
    was = f"then it {fault.reason}"
    if reason is None:
        return Finding("fault", Status.OK, f"it answers now as it should; {was}")
    return Finding("fault", Status.FAULT, f"it {reason}", example=was)
