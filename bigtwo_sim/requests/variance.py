"""How many deals each way of sampling needs for the same interval: replayed decks, pairing, a control variate."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd

from bigtwo_sim import __version__
from bigtwo_sim.arena.runners.savings import CONFIDENCE, PRECISION, play, savings
from bigtwo_sim.arena.store.shown import Shown
from bigtwo_sim.games.base.agent import PolicyAgent
from bigtwo_sim.games.big_two.rules import Rules
from bigtwo_sim.requests.errors import RequestError
from bigtwo_sim.requests.inputs import AgentLike, RulesLike, agents_of, big_two_rules, distinct
from bigtwo_sim.roster.spec import parse_agent

DEFAULT_AGENTS = ("heuristic", "greedy", "random", "shapeless=heuristic:lead_turns=0,answer_fall=0,answer_turns=0")
DEFAULT_DEALS = 96_000
BASELINE = "heuristic"


@dataclass(frozen=True, repr=False)
class Variance(Shown):
    """What came out."""

    report: dict[str, Any]
    """All of it, as `bigtwo variance --json` prints it."""

    @property
    def rows(self) -> pd.DataFrame:
        """One row for each measure and way of sampling: the deals that it needs, and how many times fewer those are."""
        return pd.DataFrame(self.report["rows"])

    def headline(self) -> str:
        """What was played, in a line."""
        report = self.report
        return (
            f"{' '.join(report['lineup'])}: {report['deals']:,} deals in {report['blocks']:,} blocks under the rules "
            f"{report['rules']['name']}, seed {report['seed']}"
        )

    def table(self) -> pd.DataFrame:
        """The ways of sampling, as texts."""
        return pd.DataFrame(
            {
                "measure": row["measure"],
                "of": row["of"],
                "way": row["way"],
                "deals needed": "none" if row["deals_needed"] is None else f"{row['deals_needed']:,}",
                "times fewer": "-" if row["factor"] is None else f"{row['factor']:.2f}",
            }
            for row in self.report["rows"]
        )


@dataclass(frozen=True)
class VarianceRequest:
    """What is asked about ways of sampling."""

    agents: Sequence[AgentLike]
    """Two to four compiled ones; the first is measured, and its difference from the second. None: DEFAULT_AGENTS."""
    rules: Rules
    deals: int = DEFAULT_DEALS
    """In all, rounded up to whole blocks."""
    seed: int = 0

    def play(self, progress: Callable[[int, int], Any] = lambda played, blocks: None) -> Variance:
        """Play and compare; `progress` is called with the blocks just played, and those of all.

        Raises RequestError and AgentError for what cannot be meant.
        """
        agents = list(self.agents or DEFAULT_AGENTS)
        different, numbers = distinct(agents)
        if not 2 <= len(different) <= len(agents) <= 4:
            given = " ".join(map(str, agents))
            raise RequestError(f"the agents are {given}; there must be two to four, at least two of them different")
        seated = agents_of(different)
        compiled = [agent for agent in seated if isinstance(agent, PolicyAgent)]
        if len(compiled) < len(seated):
            others = ", ".join(agent.name for agent in seated if not isinstance(agent, PolicyAgent))
            raise RequestError(f"{others}: this command plays compiled agents only")
        places = {2: [0, 0, 1, 1], 3: [0, 1, 2, 2]}.get(len(agents)) or sorted(numbers)
        sample = play(compiled, places, self.rules, self.seed, self.deals, parse_agent(BASELINE), progress)
        names = [agent.name for agent in compiled]
        return Variance(
            {
                "engine_version": __version__,
                "rules": self.rules.to_dict(),
                "seed": self.seed,
                "lineup": [names[place] for place in places],
                "baseline": BASELINE,
                "blocks": sample.blocks,
                "deals": sample.blocks * sample.seatings,
                "confidence": CONFIDENCE,
                "rows": [row for measure in PRECISION for row in savings(sample, measure, names)],
            }
        )


def variance(
    agents: Sequence[AgentLike] = (), *, rules: RulesLike = None, deals: int = DEFAULT_DEALS, seed: int = 0
) -> Variance:
    """Measure how many deals each way of sampling needs for the same interval.

    Raises RequestError, AgentError and RulesError for what cannot be meant.
    """
    return VarianceRequest(agents, big_two_rules(rules), deals, seed).play()
