"""Measures the levels of the package, one among three of the next, and writes what came out beside them.

Each pair is the run `bigtwo tournament LEVEL OTHER OTHER OTHER --seed 2026 --deals DEALS`, on decks that nothing was
tuned on; milliseconds are CPU time of one core. The figures go into
agents/bigtwo_agents/big_two/levels.json, and the table of docs/levels.md
is printed. Usage: experiments/ladder.py (some twenty minutes on two cores)
"""

from __future__ import annotations

import json
import sys
from dataclasses import replace
from typing import Any

import numpy as np

from bigtwo_sim.arena import cores
from bigtwo_sim.arena.runners.speed import milliseconds_a_decision
from bigtwo_sim.arena.runners.trials import Trials
from bigtwo_sim.arena.stats.figure_text import figure_text
from bigtwo_sim.arena.store.folder import write_whole
from bigtwo_sim.arena.store.summary import figures
from bigtwo_sim.games.big_two import PolicyAgent, Rules
from bigtwo_sim.roster.level_file import Level, level_file
from bigtwo_sim.roster.methods import LEVELS_FILE, levels
from bigtwo_sim.roster.spec import parse_agent

SEED = 2026
LADDER = {
    "easy": {"random": 40_000, "normal": 40_000},
    "normal": {"easy": 40_000, "skilled": 40_000, "strong": 4_000},
    "skilled": {"easy": 40_000, "normal": 40_000, "strong": 4_000},
    "strong": {"normal": 8_000, "skilled": 8_000},
}
"""Deals of each level among three of another."""
SEATINGS = 4  # of one among three: the deals of a block


def measured(name: str, other: str, deals: int) -> dict[str, Any]:
    """One among three others, as it stands in a level file."""
    with Trials(parse_agent(other), Rules(), SEED, cores()) as trials:
        (found,) = trials.play([parse_agent(name)], 0, deals // SEATINGS)
    return {
        "among": other,
        "rules": Rules().name,
        "deals": deals,
        "seed": SEED,
        **figures("win_rate", found.estimate("win_rate")),
        **figures("margin", found.estimate("margin")),
    }


def climbed(level: Level) -> Level:
    """The level with what it did and what a decision took."""
    agent = parse_agent(level.name)
    assert isinstance(agent, PolicyAgent)
    return replace(
        level,
        milliseconds=float(f"{milliseconds_a_decision(agent, Rules(), seconds=5):.3g}"),
        measured=tuple(measured(level.name, other, deals) for other, deals in LADDER[level.name].items()),
    )


def row(level: Level, entry: Any) -> str:
    """A row of the table."""

    def shown(name: str, form: str, scale: float) -> str:
        return figure_text(*(entry[f"{name}{end}"] * scale for end in ("", "_low", "_high")), form)

    return (
        f"| `{level.name}` | `{entry['among']}` | {entry['deals']:,} | {shown('win_rate', '.1f', 100)} "
        f"| {shown('margin', '+.2f', 1)} | {np.format_float_positional(level.milliseconds or 0, 2, fractional=False)} |"
    )


def main() -> None:
    """Measure all levels, save them, print the table."""
    found = [climbed(level) for level in levels().values()]
    write_whole(LEVELS_FILE, (json.dumps(level_file(*found), indent=2) + "\n").encode())
    table = ["| one | among three | deals | wins % | margin | ms |", "|---|---|---|---|---|---|"]
    table += [row(level, entry) for level in found for entry in level.measured]
    sys.stdout.write("\n".join(table) + "\n")


if __name__ == "__main__":
    main()
