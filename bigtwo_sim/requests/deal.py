"""One deal between agents, trick by trick."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd

from bigtwo_sim.arena.runners.player import DEFAULT_MEMORY
from bigtwo_sim.arena.store.shown import Shown
from bigtwo_sim.bots.isolation import isolated, try_out
from bigtwo_sim.bots.process import Limits
from bigtwo_sim.core.rng import root_key
from bigtwo_sim.games.base.replay import Turn, play_through
from bigtwo_sim.games.base.ruleset import RuleSet
from bigtwo_sim.games.registry import BIG_TWO, package_of
from bigtwo_sim.requests.errors import RequestError
from bigtwo_sim.requests.inputs import AgentLike, RulesLike, agent_of, is_portable, rules_of


@dataclass(frozen=True, repr=False)
class PlayedDeal(Shown):
    """A deal that agents played to its end."""

    names: list[str]
    """The agents by seat."""
    deal: Any
    """The deal at its end, of the game that was played; a Deal of Big Two draws itself by `show(names=…)`."""
    turns: list[Turn]
    """Its turns, with their tricks."""
    seed: int
    index: int

    def headline(self) -> str:
        """What was played, in a line."""
        points = ", ".join(f"{name} {points:+d}" for name, points in zip(self.names, self.deal.points, strict=True))
        return f"Deal {self.index} of seed {self.seed} under {self.deal.rules.name}: {points}"

    def table(self) -> pd.DataFrame:
        """One row for each turn."""
        return pd.DataFrame(
            {
                "trick": turn.trick,
                "agent": self.names[turn.seat],
                "cards": str(turn.play.cards) if turn.play else "pass",
                "kind": str(turn.play.kind) if turn.play else "",
                "left": turn.left,
            }
            for turn in self.turns
        )


@dataclass(frozen=True)
class DealRequest:
    """What is asked of a deal."""

    agents: Sequence[AgentLike]
    """One a seat."""
    rules: RuleSet
    seed: int = 0
    index: int = 0
    """Which deal of this seed; the number of its block in a tournament."""

    def __post_init__(self) -> None:
        if len(self.agents) != self.rules.players:
            names = ", ".join(map(str, self.agents))
            raise RequestError(f"the agents are {names}; there must be {self.rules.players}, one a seat")

    def play(self) -> PlayedDeal:
        """Play it. A Python agent plays in a process of its own, if that can make it; a fault of one is raised."""
        package, game = package_of(self.rules), self.rules.GAME
        limits = Limits(None, DEFAULT_MEMORY)
        seated = [agent_of(agent, game) for agent in self.agents]
        seated = [isolated(agent, limits, game) if is_portable(agent) else agent for agent in seated]
        for agent in seated:
            if is_portable(agent):
                try_out(agent, game=game)
        with contextlib.closing(package.PythonLoop(seated, self.rules, strict=True)) as loop:
            loop.play_deal(root_key(self.seed), self.index)
        played = package.Deal.new(self.rules, self.seed, self.index)
        for _, bid in loop.calls if hasattr(played, "in_auction") else ():
            played.make_bid(bid) if bid else played.pass_()
        turns = play_through(played, loop.log)
        return PlayedDeal([agent.name for agent in seated], played, turns, self.seed, self.index)


def play_deal(
    agents: Sequence[AgentLike], *, rules: RulesLike = None, game: str = BIG_TWO, seed: int = 0, index: int = 0
) -> PlayedDeal:
    """Play one deal between agents, one a seat; what came out has `deal` and its `turns`.

    It is deal `index` of a tournament of this seed, whoever plays. Raises RequestError, AgentError and RulesError for
    what cannot be meant, AgentFault where a Python agent fails.
    """
    return DealRequest(agents, rules_of(rules, game), seed, index).play()
