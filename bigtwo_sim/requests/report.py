"""The report of a run: what it came to, how it was played, and how quickly; what `--json` prints."""

from __future__ import annotations

import math
from typing import Any

from bigtwo_sim import __version__
from bigtwo_sim.arena import Outcome, SavedRun, decisions_per_second
from bigtwo_sim.arena.store.manifest import game_in
from bigtwo_sim.games.base.agent import PolicyAgent

SPEEDS = "decisions_per_second"
SPEED_RANGES = f"{SPEEDS}_range"
SPEED_COLUMNS = (SPEEDS, f"{SPEEDS}_low", f"{SPEEDS}_high")


def report_of(outcome: Outcome) -> dict[str, Any]:
    """The report of a run that was just played."""
    plan = outcome.plan
    rate = outcome.deals_per_hour if outcome.deals_played else math.nan  # what was only read has no speed
    report = {
        "engine_version": __version__,
        "game": plan.rules.GAME,
        "rules": plan.rules.to_dict(),
        "seed": plan.seed,
        "isolation": plan.isolation,
        "worker_deaths": list(outcome.deaths),
        "status": outcome.status,
        "seconds": round(outcome.seconds, 3),
        "deals_per_hour": None if math.isnan(rate) else round(rate),
        **outcome.summary(),
    }
    speeds = _speeds(outcome)
    for row in report["agents"]:
        row.update(zip(SPEED_COLUMNS, speeds[row["agent"]], strict=True))
    return report


def speeds_for_manifest(report: dict[str, Any]) -> dict[str, Any]:
    """The speeds of a report as the entries that `saved_report` and figures read."""
    name, low, high = SPEED_COLUMNS
    return {
        SPEEDS: {row["agent"]: row[name] for row in report["agents"]},
        SPEED_RANGES: {row["agent"]: [row[low], row[high]] for row in report["agents"] if row[low] is not None},
    }


def saved_report(run: SavedRun) -> dict[str, Any]:
    """The report of a saved run."""
    manifest = run.manifest
    seconds = manifest["seconds"]
    report = {
        "engine_version": manifest["engine_version"],
        "game": game_in(manifest).name,
        "rules": manifest["rules"],
        "seed": manifest["seed"],
        "isolation": manifest.get("isolation"),
        "worker_deaths": manifest.get("worker_deaths", []),
        "status": manifest["status"],
        "seconds": seconds,
        "deals_per_hour": round(run.result["deals"] / seconds * 3600) if seconds > 0 else None,
        **run.result,
    }
    speeds, ranges = manifest.get(SPEEDS, {}), manifest.get(SPEED_RANGES, {})
    report["agents"] = [
        row | dict(zip(SPEED_COLUMNS, (speeds.get(name), *ranges.get(name, (None, None))), strict=True))
        for row in report["agents"]
        for name in (row["agent"],)
    ]
    return report


def _speeds(outcome: Outcome) -> dict[str, tuple[float | None, ...]]:
    """Decisions a second: of a Python agent within its own `choose`, of a compiled one at a table of its own kind.

    Of a compiled one that is quick the lowest and the highest of several measurements follow.
    """
    speeds: dict[str, tuple[float | None, ...]] = {}
    for number, agent in enumerate(outcome.plan.agents):
        thinking = float(outcome.thinking[number])
        if isinstance(agent, PolicyAgent):
            measured = decisions_per_second(agent, outcome.plan.rules)
            speeds[agent.name] = tuple(None if math.isnan(speed) else round(speed, 3) for speed in measured)
        else:
            mean = round(int(outcome.thoughts[number]) / thinking, 3) if thinking > 0 else None
            speeds[agent.name] = (mean, None, None)
    return speeds
