"""The report of a run: what it came to, how it was played, and how quickly; what `--json` prints."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from bigtwo_sim.arena import Outcome, SavedRun


def report_of(outcome: Outcome) -> dict[str, Any]:
    """The report of a run that was just played."""
    from bigtwo_sim import __version__

    plan, rate = outcome.plan, outcome.deals_per_hour
    report = {
        "engine_version": __version__,
        "game": plan.rules.GAME,
        "rules": plan.rules.to_dict(),
        "seed": plan.seed,
        "status": outcome.status,
        "seconds": round(outcome.seconds, 3),
        "deals_per_hour": None if math.isnan(rate) else round(rate),
        **outcome.summary(),
    }
    speeds = _speeds(outcome)
    for row in report["agents"]:
        row["decisions_per_second"] = speeds[row["agent"]]
    return report


def saved_report(run: SavedRun) -> dict[str, Any]:
    """The report of a saved run."""
    from bigtwo_sim.arena.folder import game_in

    manifest = run.manifest
    seconds = manifest["seconds"]
    report = {
        "engine_version": manifest["engine_version"],
        "game": game_in(manifest).name,
        "rules": manifest["rules"],
        "seed": manifest["seed"],
        "status": manifest["status"],
        "seconds": seconds,
        "deals_per_hour": round(run.result["deals"] / seconds * 3600) if seconds > 0 else None,
        **run.result,
    }
    speeds = manifest.get("decisions_per_second", {})
    report["agents"] = [{**row, "decisions_per_second": speeds.get(row["agent"])} for row in report["agents"]]
    return report


def _speeds(outcome: Outcome) -> dict[str, float | None]:
    """Decisions a second: of a Python agent within its own `choose`, of a compiled one at a table of its own kind."""
    from bigtwo_sim.agent import PolicyAgent
    from bigtwo_sim.arena import decisions_per_second

    speeds: dict[str, float | None] = {}
    for number, agent in enumerate(outcome.plan.agents):
        thinking = float(outcome.thinking[number])
        if isinstance(agent, PolicyAgent):
            speeds[agent.name] = round(decisions_per_second(agent, outcome.plan.rules), 3)
        else:
            speeds[agent.name] = round(int(outcome.thoughts[number]) / thinking, 3) if thinking > 0 else None
    return speeds
