"""A match: four agents play whole matches to a target; who wins them, and how many deals they take."""

from __future__ import annotations

import contextlib
import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import pandas as pd

from bigtwo_sim import __version__
from bigtwo_sim.arena import cores, play_chunks
from bigtwo_sim.arena.runners.matches import MatchPlan, MatchTally
from bigtwo_sim.arena.runners.player import DEFAULT_MEMORY, Seats
from bigtwo_sim.arena.stats.intervals import Estimate
from bigtwo_sim.arena.store.shown import Shown, with_interval
from bigtwo_sim.bots.isolation import try_out
from bigtwo_sim.bots.process import Limits
from bigtwo_sim.core.rng import root_key
from bigtwo_sim.games.base.python_agent import AnyAgent
from bigtwo_sim.games.big_two import Match, PythonLoop, Record, RecordedDeal, Rules
from bigtwo_sim.games.big_two.kernels.matchplay import MOST_DEALS
from bigtwo_sim.games.big_two.layout import SEATS
from bigtwo_sim.games.big_two.match import match_seed, with_target
from bigtwo_sim.requests.errors import RequestError
from bigtwo_sim.requests.inputs import AgentLike, RulesLike, agents_of, big_two_rules, distinct, is_portable

DEFAULT_TARGET = 50
DEFAULT_MATCHES = 1000


@dataclass(frozen=True)
class MatchRequest:
    """What is asked of matches."""

    agents: Sequence[AgentLike]
    """Four; one several times takes several seats."""
    rules: Rules
    target: int | None = None
    """The total that ends a match. None: the rules' `match_target`, or else DEFAULT_TARGET."""
    matches: int = DEFAULT_MATCHES
    """In all, rounded up to whole blocks: the same decks under every seating."""
    seed: int = 0
    isolate: bool = False
    """Whether each Python agent has a process of its own."""

    def __post_init__(self) -> None:
        if len(self.agents) != SEATS:
            names = ", ".join(map(str, self.agents))
            raise RequestError(f"the agents are {names}; there must be {SEATS}, one a seat")

    @cached_property
    def plan(self) -> MatchPlan:
        """What is played; agents that other processes make are tried out. Raises RequestError and AgentError."""
        seated, lineup = distinct(self.agents)
        rules = with_target(self.rules, self.target or self.rules.match_target or DEFAULT_TARGET)
        agents = agents_of(seated)
        try:
            plan = MatchPlan.of(agents, lineup, rules, self.seed, matches=self.matches, isolate=self.isolate)
        except ValueError as error:
            raise RequestError(str(error)) from None
        for agent in agents:
            if is_portable(agent):
                try_out(agent)
        return plan

    def first_match(self) -> Record:
        """The first match of the first block as a record, seated as the agents are named."""
        plan = self.plan
        return _played([plan.agents[number] for number in plan.lineup], plan)

    def play(self, workers: int | None = None, progress: Callable[[MatchTally], Any] | None = None) -> MatchResult:
        """Play all matches, or those before Ctrl-C. Raises KeyboardInterrupt where there are none."""
        began = time.perf_counter()
        tally = MatchTally(self.plan)
        portable = all(is_portable(agent) for agent in self.plan.agents)
        try:
            results: Any = play_chunks(
                self.plan, self.plan.chunks(), (workers or cores()) if portable else 1, processes=portable
            )
            for result in results:
                tally.add(result)
                if progress is not None:
                    progress(tally)
        except KeyboardInterrupt:
            if not tally.blocks:
                raise
        return MatchResult(_report(self.plan, tally, time.perf_counter() - began), tally.blocks == self.plan.blocks)


@dataclass(frozen=True, repr=False)
class MatchResult(Shown):
    """What came out of matches."""

    report: dict[str, Any]
    """All of it, as `bigtwo match --json` prints it."""
    finished: bool
    """Whether all matches were played."""

    @property
    def agents(self) -> pd.DataFrame:
        """One row for each agent: matches, deals and points that it won, with intervals."""
        return pd.DataFrame(self.report["agents"])

    @property
    def pairs(self) -> pd.DataFrame:
        """One row for each pair: the first minus the second, with intervals."""
        return pd.DataFrame(self.report["pairs"])

    def headline(self) -> str:
        """What was played, in a line."""
        report = self.report
        return (
            f"{report['matches']:,} matches to {report['target']} in {report['blocks']:,} blocks under the rules "
            f"{report['rules']['name']}, seed {report['seed']}; each takes "
            f"{with_interval(report, 'deals_a_match', '.2f')} deals"
        )

    def table(self) -> pd.DataFrame:
        """The agents with their intervals, as texts."""
        return pd.DataFrame(
            {
                "agent": row["agent"],
                "matches won %": with_interval(row, "match_wins", ".2f", 100),
                "deals won %": with_interval(row, "deal_wins", ".2f", 100),
                "points a deal": with_interval(row, "points", ".3f"),
            }
            for row in sorted(self.report["agents"], key=lambda row: -row["match_wins"])
        )


def match(
    agents: Sequence[AgentLike],
    *,
    rules: RulesLike = None,
    target: int | None = None,
    matches: int = DEFAULT_MATCHES,
    seed: int = 0,
    isolate: bool = False,
    workers: int | None = None,
    record: str | Path | None = None,
    progress: Callable[[MatchTally], Any] | None = None,
) -> MatchResult:
    """Play whole matches of Big Two between four agents; what came out has `agents` and `pairs`.

    A match ends at a total of `target`. `record` names a file for the first match, seated as the agents are named.
    `progress` is called with the statistics so far. Raises RequestError, AgentError and RulesError for what cannot be
    meant, OSError where the record cannot be written.
    """
    request = MatchRequest(agents, big_two_rules(rules), target, matches, seed, isolate)
    if record is not None:
        request.first_match().save(Path(record))
    return request.play(workers, progress)


def _played(lineup: list[AnyAgent], plan: MatchPlan) -> Record:
    """The first match of the first block, played."""
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
    return Record(plan.rules, game.seed, tuple(agent.name for agent in lineup), tuple(deals))


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
