"""How strong is each level of the package among three of the next, and what does a decision take?

Each pair is the run `bigtwo tournament LEVEL OTHER OTHER OTHER --seed 2026 --deals DEALS`, on decks that nothing was
tuned on; milliseconds are CPU time of one core at a table of the level's own kind. Writes
results/reference/ladder.json and prints the table of docs/levels.md. With `--keep` the figures also go beside the
levels, into agents/bigtwo_agents/big_two/levels.json.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from bigtwo_sim.arena.runners.speed import milliseconds_a_decision
from bigtwo_sim.games.big_two import PolicyAgent, Rules
from bigtwo_sim.roster.level_file import level_file
from bigtwo_sim.roster.methods import levels
from bigtwo_sim.roster.spec import parse_agent
from study import ROOT, SEED, Options, command_of, figure, parser_of, place_of, table, tournament

OUTPUT = "results/reference/ladder.json"
LEVELS = ROOT / "agents/bigtwo_agents/big_two/levels.json"
LADDER = {
    "easy": {"random": 40_000, "normal": 40_000},
    "normal": {"easy": 40_000, "skilled": 40_000, "strong": 4_000},
    "skilled": {"easy": 40_000, "normal": 40_000, "strong": 4_000},
    "strong": {"normal": 8_000, "skilled": 8_000},
}
"""Deals of each level among three of another."""
QUICK = {"easy": {"random": 8}, "normal": {"easy": 8}}


def measured(level: str, other: str, deals: int) -> dict[str, Any]:
    """One among three others, in the form of a level file."""
    report = tournament(level, other, other, other, deals=deals)
    (own, _), (pair,) = report["agents"], report["pairs"]
    ends = ("", "_low", "_high")
    return {
        "among": other,
        "rules": report["rules"]["name"],
        "deals": deals,
        "seed": SEED,
        **{f"win_rate{end}": own[f"win_rate{end}"] for end in ends},
        **{f"margin{end}": pair[f"points{end}"] for end in ends},
    }


def milliseconds(level: str, seconds: float) -> float:
    """What a decision takes."""
    agent = parse_agent(level)
    assert isinstance(agent, PolicyAgent)
    return float(f"{milliseconds_a_decision(agent, Rules(), seconds):.3g}")


def keep(found: dict[str, Any]) -> None:
    """Write the figures beside the levels of the package."""
    new = [
        replace(level, milliseconds=found[name]["milliseconds"], measured=tuple(found[name]["measured"]))
        for name, level in levels().items()
    ]
    LEVELS.write_text(json.dumps(level_file(*new), indent=2) + "\n", encoding="utf-8")


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure all levels, save that, print the table."""
    parser = parser_of(__doc__, OUTPUT)
    parser.add_argument("--keep", action="store_true", help="write the figures beside the levels as well")
    chosen = parser.parse_args(arguments)
    if chosen.keep and chosen.quick:
        parser.error("--keep needs a full run, without --quick")
    options = Options(place_of(chosen, OUTPUT), chosen.quick, (), command_of(OUTPUT, arguments))
    found: dict[str, dict[str, Any]] = {
        level: {
            "milliseconds": milliseconds(level, 0.02 if options.quick else 5),
            "measured": [measured(level, other, deals) for other, deals in others.items()],
        }
        for level, others in (QUICK if options.quick else LADDER).items()
    }
    options.save(levels=found)
    if chosen.keep:
        keep(found)
    rows = [
        (
            f"`{level}`",
            f"`{entry['among']}`",
            f"{entry['deals']:,}",
            figure(entry, "win_rate", ".1f", 100),
            figure(entry, "margin", "+.2f"),
            np.format_float_positional(of["milliseconds"], 2, fractional=False),
        )
        for level, of in found.items()
        for entry in of["measured"]
    ]
    print(table(("one", "among three", "deals", "wins %", "margin", "ms"), rows))


if __name__ == "__main__":
    main()
