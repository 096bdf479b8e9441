"""What a run came to, as plain values for JSON: nothing of the machine or of the time that it took is among them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from typing_extensions import TypedDict

from bigtwo_sim.arena.schedule.stopping import State
from bigtwo_sim.arena.stats.intervals import Estimate
from bigtwo_sim.arena.stats.statistics import AgentSummary, Tally
from bigtwo_sim.arena.stats.strength import strengths

DECIMALS = 6
MOST_LINEUPS = 1000  # whose figures are listed one by one


class _Verdict(TypedDict):
    text: str


class _Interval(TypedDict):
    name: str
    confidence: float


class _Agent(TypedDict):
    agent: str
    deals: int
    win_rate: float | None
    win_rate_low: float | None
    win_rate_high: float | None
    points: float | None
    points_low: float | None
    points_high: float | None
    cards_left: float | None
    wins_by_seat: list[int]
    decisions: int
    forfeits: int


class _Pair(TypedDict):
    first: str
    second: str
    deals: int
    points: float | None
    points_low: float | None
    points_high: float | None
    win_rate: float | None
    win_rate_low: float | None
    win_rate_high: float | None


class _LineUp(TypedDict):
    lineup: str
    agent: str
    copies: int
    deals: int
    win_rate: float | None
    points: float | None
    cards_left: float | None
    wins_by_seat: list[int]
    equal_seats: float | None


class _Strength(TypedDict):
    agent: str
    strength: float | None
    strength_low: float | None
    strength_high: float | None
    note: str


class Result(TypedDict):
    """What `summary` makes, as it must be in a file."""

    deals: int
    blocks: int
    interval: _Interval
    verdict: _Verdict | None
    agents: list[_Agent]
    pairs: list[_Pair]
    lineups: list[_LineUp]
    strengths: list[_Strength]


def number(value: float) -> float | None:
    """A figure for JSON, which knows no NaN and no infinity."""
    return round(value, DECIMALS) if math.isfinite(value) else None


def figures(name: str, estimate: Estimate) -> dict[str, float | None]:
    """An estimate as three entries: `name`, `name_low`, `name_high`."""
    return {
        name: number(estimate.mean),
        f"{name}_low": number(estimate.low),
        f"{name}_high": number(estimate.high),
    }


def summary(
    names: Sequence[str], lineups: Sequence[Sequence[int]], tally: Tally, state: State | None = None
) -> dict[str, Any]:
    """The result of a run of agents called `names` (by number) in `lineups`, as far as `tally` goes.

    `agents`, `pairs`, `lineups` and `strengths` are lists of flat objects, made to be tables. `verdict` is what a
    stopping rule came to. Figures have six decimals; null stands for what is not known.
    """
    return {
        "deals": tally.deals,
        "blocks": tally.blocks,
        "interval": tally.interval.to_dict(),
        "verdict": None if state is None else {**state.verdict, "text": state.text},
        "agents": [
            {
                "agent": names[agent.agent],
                "deals": agent.deals,
                **figures("win_rate", agent.win_rate),
                **figures("points", agent.points),
                **figures("cards_left", agent.cards_left),
                "wins_by_seat": list(agent.wins_by_seat),
                "decisions": agent.decisions,
                "forfeits": agent.forfeits,
                **_roles(agent),
                **{f"bid_{bid}": deals for bid, deals in zip(tally.stat_columns.bids, agent.bids, strict=True)},
            }
            for agent in tally.agents()
        ],
        "pairs": [
            {
                "first": names[pair.first],
                "second": names[pair.second],
                "deals": pair.deals,
                **figures("points", pair.points),
                **figures("win_rate", pair.win_rate),
            }
            for pair in tally.pairs()
        ],
        "lineups": _lineups(names, lineups, tally) if len(lineups) <= MOST_LINEUPS else [],
        "strengths": _strengths(names, tally),
    }


def _roles(agent: AgentSummary) -> dict[str, Any]:
    """What an agent came to in each role of a game that has roles."""
    entries: dict[str, Any] = {}
    for role in agent.roles:
        entries |= {f"{role.role}_deals": role.deals, f"{role.role}_share": number(role.share)}
        entries |= figures(f"{role.role}_win_rate", role.win_rate) | figures(f"{role.role}_points", role.points)
    return entries


def _strengths(names: Sequence[str], tally: Tally) -> list[dict[str, Any]]:
    found = strengths(tally) if len(names) > 1 and tally.stat_columns.one_winner else []
    return [{"agent": names[of.agent], **figures("strength", of.rating), "note": of.note} for of in found]


def _lineups(names: Sequence[str], lineups: Sequence[Sequence[int]], tally: Tally) -> list[dict[str, Any]]:
    return [
        {
            "lineup": " ".join(names[slot] for slot in lineups[found.lineup]),
            "agent": names[agent.agent],
            "copies": agent.copies,
            "deals": found.deals,
            **figures("win_rate", agent.win_rate),
            **figures("points", agent.points),
            **figures("cards_left", agent.cards_left),
            "wins_by_seat": list(agent.wins_by_seat),
            "equal_seats": None if found.equal_seats is None else number(found.equal_seats),
        }
        for found in tally.lineups()
        for agent in found.agents
    ]
