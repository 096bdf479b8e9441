"""What is each part of the strong bot worth?

Two settings of `monte_carlo`, one with the part and one without it, each play one among three of another agent on the
same decks, so that their differences are paired block by block. Two more questions beside it: what worlds are worth,
with learning about own later turns and without (`later_options=0`), and what a decision takes (CPU time of one core at
a table of copies). Writes results/reference/strong_bot_parts.json and prints the tables of docs/strong-bot.md. As
arguments, `parts` or `worlds`; without one, both.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any, NamedTuple

from bigtwo_sim.arena import Estimate, cores
from bigtwo_sim.arena.runners.speed import milliseconds_a_decision
from bigtwo_sim.arena.runners.trials import Figures, Trials
from bigtwo_sim.games.big_two import PolicyAgent, Rules
from bigtwo_sim.roster.spec import parse_agent
from study import SEED, figure, options_of, table

OUTPUT = "results/reference/strong_bot_parts.json"
BLOCKS = 1_000
QUICK_BLOCKS = 2
MEASURES = ("win_rate", "margin")
FLAT = "later_options=0,assumed=0"
"""Neither learning about own later turns nor inferring what the others play."""


class Part(NamedTuple):
    """What is compared: settings of `monte_carlo` with and without the part, among three of `among`."""

    name: str
    with_it: str
    without: str
    among: str = "heuristic"


PARTS = [
    Part("learning about own later turns, 90 worlds against 100", "worlds=90", "worlds=100,later_options=0"),
    Part("the same, 270 against 300", "worlds=270", "worlds=300,later_options=0"),
    Part("win_bonus 30 against 0", "worlds=100", "worlds=100,win_bonus=0"),
    Part("win_bonus 30 against 1000 (winning alone)", "worlds=100", "worlds=100,win_bonus=1000"),
    Part("belief 2 against 1, flat", f"worlds=100,{FLAT}", f"worlds=100,{FLAT},belief=1"),
    Part("belief 8 against 2, flat", f"worlds=100,{FLAT},belief=8", f"worlds=100,{FLAT}"),
    Part("inferring policies", "worlds=100", "worlds=100,assumed=0", "greedy"),
    Part("inferring policies", "worlds=100", "worlds=100,assumed=0"),
    Part("being told that all play greedy", "worlds=100,assumed=1", "worlds=100", "greedy"),
    Part("being told that all play greedy", "worlds=100,assumed=1", "worlds=100"),
    Part("six candidates against all", "worlds=100", "worlds=100,candidates=1000"),
    Part("six candidates against three", "worlds=100", "worlds=100,candidates=3"),
    Part("searching small ends", "worlds=100", "worlds=100,endgame=0"),
]
WORLDS = (10, 30, 100, 300, 1000)
QUICK_WORLDS = (10, 30)


def agent_of(settings: str) -> PolicyAgent:
    """The agent with these settings."""
    agent = parse_agent(f"monte_carlo:{settings}")
    assert isinstance(agent, PolicyAgent)
    return agent


class Measuring:
    """Plays agents on the same decks, and remembers what it has played."""

    def __init__(self, quick: bool) -> None:
        self.blocks = QUICK_BLOCKS if quick else BLOCKS
        self._seconds = 0.01 if quick else 5.0
        self.play = cache(self._play)
        self.milliseconds = cache(self._milliseconds)

    def _play(self, settings: str, among: str) -> Figures:
        with Trials(parse_agent(among), Rules(), SEED, cores()) as trials:
            (found,) = trials.play([agent_of(settings)], 0, self.blocks)
        return found

    def _milliseconds(self, settings: str) -> float:
        return float(f"{milliseconds_a_decision(agent_of(settings), Rules(), self._seconds):.3g}")


def entries(figures: Figures, prefix: str = "") -> dict[str, float]:
    """The figures with their intervals, as a report has them."""
    found: dict[str, float] = {}
    for measure in MEASURES:
        estimate: Estimate = figures.estimate(measure)
        name = f"{prefix}{measure}"
        found |= {name: estimate.mean, f"{name}_low": estimate.low, f"{name}_high": estimate.high}
    return {name: round(value, 6) for name, value in found.items()}


def parts(measuring: Measuring, quick: bool) -> list[dict[str, Any]]:
    """One row a part: what both settings did, the paired differences, and what a decision takes."""
    rows = []
    for part in PARTS[::6] if quick else PARTS:
        ours, theirs = (measuring.play(settings, part.among) for settings in (part.with_it, part.without))
        rows.append(
            {
                **part._asdict(),
                **entries(ours),
                **entries(theirs, "without_"),
                **entries(ours.less(theirs), "gained_"),
                "milliseconds": measuring.milliseconds(part.with_it),
                "without_milliseconds": measuring.milliseconds(part.without),
            }
        )
    return rows


def worlds(measuring: Measuring, quick: bool) -> list[dict[str, Any]]:
    """One row a number of worlds: with all parts, and flat."""
    rows = []
    for count in QUICK_WORLDS if quick else WORLDS:
        for name, more in (("all parts", ""), ("flat", f",{FLAT}")):
            settings = f"worlds={count}{more}"
            found = entries(measuring.play(settings, "heuristic"))
            row = {"worlds": count, "search": name, **found, "milliseconds": measuring.milliseconds(settings)}
            rows.append(row)
    return rows


def show(report: dict[str, list[dict[str, Any]]]) -> None:
    """Print the tables."""
    if "worlds" in report:
        heading = ("worlds", "search", "win", "margin", "ms a decision")
        rows = [
            (
                f"{row['worlds']:,}",
                row["search"],
                figure(row, "win_rate", ".1f", 100),
                figure(row, "margin", "+.2f"),
                f"{row['milliseconds']:.2g}",
            )
            for row in report["worlds"]
        ]
        print(table(heading, rows))
    if "parts" in report:
        heading = ("part", "among three", "win", "margin", "time")
        rows = [
            (
                row["name"],
                f"`{row['among']}`",
                figure(row, "gained_win_rate", "+.1f", 100),
                figure(row, "gained_margin", "+.2f"),
                f"{100 * (row['milliseconds'] / row['without_milliseconds'] - 1):+.0f} %",
            )
            for row in report["parts"]
        ]
        print(table(heading, rows))


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure, save that, print the tables."""
    studies = {"worlds": worlds, "parts": parts}
    options = options_of(__doc__, OUTPUT, arguments, studies)
    measuring = Measuring(options.quick)
    report = {name: studies[name](measuring, options.quick) for name in options.parts}
    options.save(seed=SEED, rules=Rules().name, blocks=measuring.blocks, **report)
    show(report)


if __name__ == "__main__":
    main()
