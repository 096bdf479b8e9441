"""What a run plays: agents, rules, seed, line-ups and the number of blocks, cut into chunks."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from bigtwo_sim.arena.lineups import lineup_count, round_robin, seatings
from bigtwo_sim.arena.schedule.stopping import StoppingRule
from bigtwo_sim.bots.isolation import Bot
from bigtwo_sim.core.rng import root_key
from bigtwo_sim.games.base.agent import AgentError
from bigtwo_sim.games.base.game import Game, StatColumns
from bigtwo_sim.games.base.python_agent import AnyAgent, PythonAgent
from bigtwo_sim.games.base.ruleset import RuleSet
from bigtwo_sim.games.registry import game_of, stat_columns_of

# Chunks grow with the run: the first is over at once, and a run of many hours has thousands of parts, not millions.
# The bounds are for agents that take as long as the heuristic; slower ones get fewer deals (`Method.cost`).
FEWEST_DEALS = 4_800  # some 30 ms of one core
MOST_DEALS = 192_000  # some seconds
GROWTH = 16  # a chunk is at most this part of the blocks before it
PYTHON_COST = 1000.0  # what a Python agent takes is not known; a tenth of a second a deal is taken for granted

MOST_LINEUPS = 100_000
OWN_PROCESS, WORKER_PROCESS = "own process", "worker process"
"""Where a Python agent plays: alone, or beside the engine and the others of its line-up."""


def cores() -> int:
    """How many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


@dataclass(frozen=True)
class Chunk:
    """Blocks `first` to `first + blocks - 1` of a run, its part number `number`."""

    number: int
    first: int
    blocks: int


@dataclass(frozen=True)
class ChunkResult:
    """What came out of a chunk.

    `sums` is int64[blocks, entries, columns] (see `game.StatColumns`); `thinking` float64[agents] is seconds
    that Python agents took to answer, which is of this machine and of no result; `faults` is the first of each agent.
    `deaths` says of each worker process that ended over the chunk before it was played how that came.
    """

    chunk: Chunk
    sums: npt.NDArray[np.int64]
    thinking: npt.NDArray[np.float64]
    faults: tuple[Any, ...] = ()
    deaths: tuple[str, ...] = field(default=(), kw_only=True)


class PlaysChunks(Protocol):
    """Plays the chunks of a plan in this process."""

    def play(self, chunk: Chunk) -> ChunkResult:
        """Play the blocks of a chunk."""

    def close(self) -> None:
        """Tell all Python agents that they will not be asked any more."""


class Playable(Protocol):
    """What workers know of a plan, a dataclass."""

    @property
    def agents(self) -> tuple[AnyAgent, ...]:
        """Who plays."""

    @property
    def needs_python(self) -> bool:
        """Whether one of the agents is written in Python."""


@dataclass(frozen=True)
class Plan:
    """What is played, to the last deal: everything that a result depends on.

    The rules say which game it is. `lineups` are tuples of agent numbers, one a seat; block i plays deck i of `seed`
    under every distinct seating of each. `blocks` is their number, or None for a run without an end of its own; `stop`
    may end it before. A chunk, the blocks that are played and saved together, has `smallest_chunk` blocks at first and
    at most `largest_chunk`.

    A Python agent that raises, plays illegally, takes more than `move_time` seconds or `memory` bytes, or dies forfeits
    the decision (see the game's Python loop), unless the plan is `strict`: then it ends the run. With `isolate` each
    Python agent has a process of its own, so that none can reach into the engine or into another agent.
    """

    agents: tuple[AnyAgent, ...]
    rules: RuleSet
    seed: int
    blocks: int | None
    lineups: tuple[tuple[int, ...], ...]
    smallest_chunk: int
    largest_chunk: int
    stop: StoppingRule | None = None
    move_time: float | None = None
    memory: int | None = None
    strict: bool = False
    isolate: bool = False

    @classmethod
    def of(
        cls,
        agents: Sequence[AnyAgent],
        rules: RuleSet,
        seed: int = 0,
        *,
        deals: int | None,
        lineups: Sequence[Sequence[int]] | None = None,
        chunk: int | None = None,
        stop: StoppingRule | None = None,
        move_time: float | None = None,
        memory: int | None = None,
        strict: bool = False,
        isolate: bool = False,
    ) -> Plan:
        """A plan of at least `deals` deals in whole blocks (None: without end).

        Each of `lineups` is as many agent numbers as the rules have players; by default they are the round robin
        (`lineups.round_robin`). `chunk` makes all chunks of that many blocks.

        Raises AgentError where two agents have one name or they meet in over 100,000 line-ups; StoppingError where the
        stopping rule does not fit them; ValueError for no agents, deals or blocks a chunk, for line-ups that leave out
        an agent or are of another number of players, and for one that is there twice.
        """
        seats = rules.players
        for name, count in Counter(agent.name for agent in agents).items():
            if count > 1:
                raise AgentError(f"two agents are called {name!r}; each needs a name of its own")
        if lineups is None:
            if agents and lineup_count(len(agents), seats) > MOST_LINEUPS:
                raise AgentError(
                    f"{len(agents)} agents meet in {lineup_count(len(agents), seats):,} line-ups; "
                    f"there must be at most {MOST_LINEUPS:,}, so play fewer agents at a time"
                )
            lineups = round_robin(range(len(agents)), seats)
        found = tuple(tuple(lineup) for lineup in lineups)
        seated = {agent for lineup in found for agent in lineup}
        if seated != set(range(len(agents))):
            raise ValueError(f"lineups seats the agents {sorted(seated)}; it must seat each of 0 to {len(agents) - 1}")
        for lineup in found:
            if len(lineup) != seats:
                raise ValueError(f"the line-up {lineup} has {len(lineup)} members; under {rules.name} it has {seats}")
        for lineup, count in Counter(tuple(sorted(lineup)) for lineup in found).items():
            if count > 1:
                raise ValueError(f"the line-up {' '.join(agents[slot].name for slot in lineup)} is there {count} times")
        if deals is None and stop is None:
            raise ValueError("deals is None; it must be a number where no stopping rule ends the run")
        if deals is not None and deals < 1:
            raise ValueError(f"deals is {deals}; it must be at least 1")
        if chunk is not None and chunk < 1:
            raise ValueError(f"chunk is {chunk}; it must be at least 1")
        root_key(seed)
        if stop is not None:
            stop.validate([agent.name for agent in agents], found)
        deals_a_block = sum(len(seatings(lineup)) for lineup in found)
        blocks = None if deals is None else -(-deals // deals_a_block)
        if chunk is None:
            cost = _mean_cost(agents, found)
            smallest, largest = (max(1, int(bound / cost / deals_a_block)) for bound in (FEWEST_DEALS, MOST_DEALS))
        else:
            smallest = largest = chunk
        return cls(
            tuple(agents), rules, seed, blocks, found, smallest, largest, stop, move_time, memory, strict, isolate
        )

    @cached_property
    def deals_a_block(self) -> int:
        """Seatings of all line-ups."""
        return sum(len(seatings(lineup)) for lineup in self.lineups)

    @property
    def deals(self) -> int | None:
        """Deals in all; None without end."""
        return None if self.blocks is None else self.blocks * self.deals_a_block

    @property
    def game(self) -> Game:
        """The game that is played."""
        return game_of(self.rules)

    @property
    def stat_columns(self) -> StatColumns:
        """What is summed of its deals."""
        return stat_columns_of(self.rules)

    @cached_property
    def cost(self) -> float:
        """How long a decision takes on average, roughly, where one of the heuristic takes 1."""
        return _mean_cost(self.agents, self.lineups)

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The agents' names."""
        return tuple(agent.name for agent in self.agents)

    @property
    def needs_python(self) -> bool:
        """Whether one of the agents is written in Python."""
        return any(isinstance(agent, PythonAgent) for agent in self.agents)

    @property
    def isolates(self) -> bool:
        """Whether each Python agent has a process of its own: where that is asked for, or needed to keep limits."""
        return self.isolate or self.move_time is not None or self.memory is not None

    @property
    def isolation(self) -> str | None:
        """Where the agents that are not compiled play: OWN_PROCESS or WORKER_PROCESS; None where all are compiled."""
        return isolation_of(self.agents, self.isolates)

    def chunks(self) -> Iterator[Chunk]:
        """All chunks, in order; without end where the plan has none."""
        return chunks_of(self.blocks, self.smallest_chunk, self.largest_chunk)


def chunks_of(blocks: int | None, smallest: int, largest: int) -> Iterator[Chunk]:
    """A run of so many blocks (None: without end) in chunks of at first `smallest` and at most `largest` blocks."""
    number = first = 0
    while blocks is None or first < blocks:
        size = max(smallest, min(first // GROWTH, largest))
        if blocks is not None:
            size = min(size, blocks - first)
        yield Chunk(number, first, size)
        number, first = number + 1, first + size


def _mean_cost(agents: Sequence[AnyAgent], lineups: Sequence[Sequence[int]]) -> float:
    return sum(cost_of(agents[agent]) for lineup in lineups for agent in lineup) / sum(map(len, lineups))


def cost_of(agent: AnyAgent) -> float:
    """How long the agent takes for a decision, roughly, where the heuristic takes 1."""
    if isinstance(agent, PythonAgent):
        return PYTHON_COST
    return max(1.0, agent.method.cost(agent.params))


def isolation_of(agents: Sequence[AnyAgent], isolates: bool) -> str | None:
    """Where those of the agents play that are not compiled; None where all are. Bots always have their own process."""
    in_python = [agent for agent in agents if isinstance(agent, PythonAgent)]
    if not in_python:
        return None
    beside = not all(isinstance(agent.factory, Bot) for agent in in_python)
    return WORKER_PROCESS if beside and not isolates else OWN_PROCESS
