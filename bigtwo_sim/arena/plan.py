"""What a run plays: agents, rules, seed, line-ups and the number of blocks, cut into chunks."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from bigtwo_sim.arena.lineups import lineup_count, lineups, seatings
from bigtwo_sim.big_two import AgentError, AnyAgent, PythonAgent, Rules
from bigtwo_sim.rng import root_key

# Deals a chunk: many enough that a thread has some milliseconds of work, few enough that the bar moves.
FEWEST_DEALS = 4_800
MOST_DEALS = 48_000
CHUNKS = 32  # how many a run is cut into between these bounds


MOST_LINEUPS = 100_000


class RunError(RuntimeError):
    """A run that cannot be played, saved or read; the message says why."""


class SaveError(RunError):
    """A run, or a part of it, that cannot be written. Raised by `run`, it brings the `outcome` along."""

    outcome: Any = None


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

    `sums` is int64[blocks, entries, len(COLUMNS)] (see `statistics`); `thinking` float64[agents] is the time in seconds
    that Python agents took to answer, which is of this machine and of no result.
    """

    chunk: Chunk
    sums: npt.NDArray[np.int64]
    thinking: npt.NDArray[np.float64]


@dataclass(frozen=True)
class Plan:
    """What is played, to the last deal: everything that a result depends on.

    `lineups` are tuples of four agent numbers; block i plays deck i of `seed` under every distinct seating of each.
    `chunk` is the number of blocks that are played and saved together; it changes no result.
    """

    agents: tuple[AnyAgent, ...]
    rules: Rules
    seed: int
    blocks: int
    lineups: tuple[tuple[int, ...], ...]
    chunk: int

    @classmethod
    def of(
        cls,
        agents: Sequence[AnyAgent],
        rules: Rules,
        seed: int = 0,
        *,
        deals: int,
        chunk: int | None = None,
        lineup: Sequence[int] | None = None,
    ) -> Plan:
        """A plan of at least `deals` deals, in whole blocks, of all line-ups of these agents (see `lineups`).

        `lineup`, four numbers of agents, is played alone instead.

        Raises AgentError where two agents have one name or they meet in over 100,000 line-ups,
        ValueError for no agents, deals or blocks a chunk.
        """
        for name, count in Counter(agent.name for agent in agents).items():
            if count > 1:
                raise AgentError(f"two agents are called {name!r}; each needs a name of its own")
        if lineup is None and agents and lineup_count(len(agents)) > MOST_LINEUPS:
            raise AgentError(
                f"{len(agents)} agents meet in {lineup_count(len(agents)):,} line-ups; "
                f"there must be at most {MOST_LINEUPS:,}, so play fewer agents at a time"
            )
        if deals < 1:
            raise ValueError(f"deals is {deals}; it must be at least 1")
        root_key(seed)
        if lineup is not None and set(lineup) != set(range(len(agents))):
            raise ValueError(f"lineup is {tuple(lineup)}; it must seat each of the {len(agents)} agents by its number")
        found = tuple(lineups(range(len(agents)))) if lineup is None else (tuple(lineup),)
        deals_a_block = sum(len(seatings(lineup)) for lineup in found)
        blocks = -(-deals // deals_a_block)
        if chunk is None:
            python = any(isinstance(agent, PythonAgent) for agent in agents)
            fewest = 1 if python else max(1, FEWEST_DEALS // deals_a_block)
            chunk = max(fewest, min(-(-blocks // CHUNKS), MOST_DEALS // deals_a_block))
        if chunk < 1:
            raise ValueError(f"chunk is {chunk}; it must be at least 1")
        return cls(tuple(agents), rules, seed, blocks, found, chunk)

    @cached_property
    def deals_a_block(self) -> int:
        """Seatings of all line-ups."""
        return sum(len(seatings(lineup)) for lineup in self.lineups)

    @property
    def deals(self) -> int:
        """Deals in all."""
        return self.blocks * self.deals_a_block

    @property
    def chunk_count(self) -> int:
        """How many chunks there are."""
        return -(-self.blocks // self.chunk)

    @property
    def needs_python(self) -> bool:
        """Whether one of the agents is written in Python."""
        return any(isinstance(agent, PythonAgent) for agent in self.agents)

    def chunks(self) -> Iterator[Chunk]:
        """All chunks, in order."""
        for number in range(self.chunk_count):
            first = number * self.chunk
            yield Chunk(number, first, min(self.chunk, self.blocks - first))
