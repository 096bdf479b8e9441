"""Playing the chunks of a plan in one process, and taking a plan to another one."""

from __future__ import annotations

import functools
import pickle
import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from bigtwo_sim.arena.errors import RunError
from bigtwo_sim.arena.lineups import seatings
from bigtwo_sim.arena.runners.policy_faults import policy_faults
from bigtwo_sim.arena.schedule.plan import Chunk, ChunkResult, Plan, Playable, PlaysChunks
from bigtwo_sim.arena.stats.statistics import entries
from bigtwo_sim.bots.isolation import Bot, isolated
from bigtwo_sim.bots.process import Limits
from bigtwo_sim.core.rng import root_key
from bigtwo_sim.games.base.agent import Method, PolicyAgent
from bigtwo_sim.games.base.python_agent import AgentFault, AnyAgent, PythonAgent, close_agent
from bigtwo_sim.games.base.ruleset import RuleSet
from bigtwo_sim.games.registry import BIG_TWO, game_of

DEFAULT_MEMORY = 4 * 2**30
"""Bytes that a Python agent or a bot may take where the plan does not say."""


@dataclass(frozen=True)
class _Table:
    """One line-up, ready to play."""

    agents: tuple[AnyAgent, ...]
    numbers: npt.NDArray[np.int64]  # [seats]: agent number by slot
    seatings: npt.NDArray[np.int64]  # [n, seats]: slot by seat
    rows: npt.NDArray[np.int64]  # [n, seats]: entry by seat
    loop: Any
    """The game's Python loop, where an agent is written in Python."""

    def play(
        self, rules: RuleSet, key: npt.NDArray[np.uint64], first: int, blocks: int
    ) -> tuple[npt.NDArray[Any], tuple[Any, ...]]:
        """What comes out of some blocks, RESULT[blocks, n], and the first fault of each agent in them."""
        if self.loop is not None:
            results = self.loop.play_blocks(key, first, blocks, self.seatings)
            return results, self.loop.take_faults()
        policies: Any = self.agents
        results = game_of(rules).play_blocks(policies, rules, key, first, blocks, self.seatings)
        return results, policy_faults(policies, rules, key, first, self.seatings, results)


class Seats:
    """The agents of a plan for its slots. Line-ups share what a factory makes: one object for each copy at once.

    `apart` keeps each Python agent in a process of its own, under `limits`.
    """

    def __init__(self, agents: Sequence[AnyAgent], limits: Limits, apart: bool, game: str = BIG_TWO) -> None:
        self._agents = agents
        self._game = game
        self._limits = limits
        self._apart = apart
        self._made: dict[tuple[int, int], Any] = {}

    def seated(self, agent: int, copy: int) -> AnyAgent:
        """The agent of this number for a slot that is its `copy`-th in a line-up (the first is 0)."""
        found = self._agents[agent]
        if not isinstance(found, PythonAgent):
            return found
        if (agent, copy) not in self._made:
            elsewhere = self._apart or isinstance(found.factory, Bot)
            self._made[agent, copy] = (isolated(found, self._limits, self._game) if elsewhere else found).make()
        made = self._made[agent, copy]
        return PythonAgent(found.name, lambda: made)

    def lineup(self, lineup: Sequence[int]) -> tuple[AnyAgent, ...]:
        """The agents of a line-up of agent numbers, by slot."""
        return tuple(self.seated(agent, lineup[:slot].count(agent)) for slot, agent in enumerate(lineup))

    def close(self) -> None:
        """Tell all Python agents that they will not be asked any more."""
        for made in self._made.values():
            close_agent(made)


class Player:
    """Plays the chunks of a plan in this process. With compiled agents alone it may be shared between threads.

    `apart` keeps each Python agent in a process of its own. Where the plan asks for that, or limits time or memory, it
    is always so: nothing else can take a decision from an agent that does not answer.
    """

    def __init__(self, plan: Plan, apart: bool = False) -> None:
        self._plan = plan
        apart = apart or plan.isolates
        limits = Limits(plan.move_time, plan.memory or DEFAULT_MEMORY)
        self._seats = Seats(plan.agents, limits, apart, plan.game.name)
        self._key = root_key(plan.seed)
        self._add_up = plan.game.accumulate
        self._shape = (len(entries(plan.lineups)), len(plan.stat_columns.columns))
        self._tables: list[_Table] = []
        row_of = {(entry.lineup, entry.agent): row for row, entry in enumerate(entries(plan.lineups))}
        for number, lineup in enumerate(plan.lineups):
            found = seatings(lineup)
            rows = np.array([row_of[number, agent] for agent in lineup], np.int64)
            agents = self._seats.lineup(lineup)
            python = any(isinstance(agent, PythonAgent) for agent in agents)
            loop = plan.game.python_loop(agents, plan.rules, strict=plan.strict) if python else None
            self._tables.append(_Table(agents, np.array(lineup, np.int64), found, rows[found], loop))

    def play(self, chunk: Chunk) -> ChunkResult:
        """Play the blocks of a chunk."""
        sums = np.zeros((chunk.blocks, *self._shape), np.int64)
        thinking = np.zeros(len(self._plan.agents))
        faults: dict[str, Any] = {}
        for table in self._tables:
            before = table.loop.seconds.copy() if table.loop is not None else 0.0
            results, found = table.play(self._plan.rules, self._key, chunk.first, chunk.blocks)
            self._add_up(results, table.rows, sums)
            if table.loop is not None:
                np.add.at(thinking, table.numbers, table.loop.seconds - before)
            for fault in found:
                if self._plan.strict:  # a Python agent's was raised when it happened
                    raise AgentFault(fault.agent, fault.seat, fault.deal_number, fault.reason, fault)
                faults.setdefault(fault.agent, fault)
        return ChunkResult(chunk, sums, thinking, tuple(faults.values()))

    def close(self) -> None:
        """Tell all Python agents that they will not be asked any more."""
        self._seats.close()


def compile_what_plays(plan: Plan) -> None:
    """Compile the policies and the loop of a plan, so that the time of its run is the time that playing takes."""
    policies: Any = [agent for agent in plan.agents if isinstance(agent, PolicyAgent)]
    if policies:
        lineup = [policies[slot % len(policies)] for slot in range(plan.rules.players)]
        for policy in policies:
            _ = policy.function
        everybody = np.arange(plan.rules.players)[None]
        game_of(plan.rules).play_blocks(lineup, plan.rules, root_key(0), 0, 0, everybody)


@functools.singledispatch
def player_of(plan: Any, apart: bool = False) -> PlaysChunks:
    """What plays the chunks of a plan in this process; `apart` keeps each Python agent in a process of its own."""
    raise TypeError(f"{type(plan).__name__} is not a plan")


@player_of.register
def _(plan: Plan, apart: bool = False) -> Player:
    return Player(plan, apart)


# --- to another process -----------------------------------------------------------------------------------------------
@dataclass(frozen=True)
class _MethodByPlace:
    """A method as the place where another process finds it, so that it loads compiled code instead of compiling."""

    module: str
    attribute: str

    def find(self) -> Method:
        __import__(self.module)
        found: Method = getattr(sys.modules[self.module], self.attribute)
        return found


def _portable(agent: AnyAgent) -> Any:
    """An agent in a form that travels to another process."""
    if not isinstance(agent, PolicyAgent):
        return agent
    if agent.place is not None:
        return replace(agent, method=agent.place)  # type: ignore[arg-type]
    module = getattr(agent.method.function, "__module__", "")
    if module != "__main__":
        for name, value in vars(sys.modules.get(module)).items() if module in sys.modules else ():
            if value is agent.method:
                return replace(agent, method=_MethodByPlace(module, name))  # type: ignore[arg-type]
    return agent


def pack(plan: Playable) -> bytes:
    """A plan for another process. Raises RunError where one of its agents cannot travel."""
    try:
        return pickle.dumps(
            replace(
                plan,
                # type: ignore[type-var]
                agents=tuple(_portable(agent) for agent in plan.agents),
            )
        )
    except Exception as error:
        raise RunError(
            f"an agent cannot be sent to another process ({error}); define it in a module, or play in this process"
        ) from error


def unpack(packed: bytes) -> Any:
    """The plan of `pack`."""
    plan: Any = pickle.loads(packed)
    agents = []
    for agent in plan.agents:
        if isinstance(agent, PolicyAgent):
            method: Any = agent.method  # or where it is
            agent = agent if isinstance(method, Method) else replace(agent, method=method.find())
        agents.append(agent)
    return replace(plan, agents=tuple(agents))
