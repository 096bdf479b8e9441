"""Candidates for a place at a table, tried on the same blocks, so that their differences are known best.

Each candidate meets one other agent, in line-ups of the two under every seating, as in a run. Its figures are kept
block by block: candidates that were tried on the same blocks are compared deck by deck, which takes the luck of the
cards out of the comparison.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import partial
from types import TracebackType
from typing import Self

import numpy as np
import numpy.typing as npt

from bigtwo_sim.arena.lineups import gauntlet, round_robin
from bigtwo_sim.arena.runners.player import Player
from bigtwo_sim.arena.schedule.plan import Chunk, Plan
from bigtwo_sim.arena.stats.intervals import Estimate, estimate_of
from bigtwo_sim.arena.stats.statistics import Entry, entries
from bigtwo_sim.games.big_two import AgentError, AnyAgent, PolicyAgent, Rules
from bigtwo_sim.games.big_two.game import COUNTING

AMONG_THREE = tuple(gauntlet((0, 1)))
"""The candidate, number 0, among three of the other."""
ALL_MIXTURES = tuple(round_robin((0, 1)))
"""One, two and three candidates: what gains by weakening the table itself has to show that it survives it."""

PORTION_DEALS = 4_000
"""Deals that a thread plays at a time, of agents as slow as the heuristic: some 30 ms."""


@dataclass(frozen=True)
class Figures:
    """What a candidate did in each block, as a mean over line-ups: float64[blocks] each."""

    win_rate: npt.NDArray[np.float64]
    """Wins a deal and a seat it sits in, 0 to 1."""
    margin: npt.NDArray[np.float64]
    """Its points a deal and seat less the other's."""
    least: float = 0.0
    """The least win rate that a block can have: 0, or -1 of differences."""

    def then(self, later: Figures) -> Figures:
        """These blocks and those of `later` behind them."""
        win_rate, margin = (
            np.concatenate((getattr(self, name), getattr(later, name))) for name in ("win_rate", "margin")
        )
        return Figures(win_rate, margin, self.least)

    def less(self, other: Figures) -> Figures:
        """The differences to another candidate on the same blocks."""
        return Figures(self.win_rate - other.win_rate, self.margin - other.margin, -1.0)

    def estimate(self, measure: str) -> Estimate:
        """The mean of `measure` ("win_rate" or "margin") over the blocks and its interval; NaN ends for one block."""
        values = getattr(self, measure)
        return estimate_of(values, None, self.least, 1.0) if measure == "win_rate" else estimate_of(values)


def mean_figures(figures: Sequence[Figures]) -> Figures:
    """The mean of a candidate's figures on the same blocks against several others."""
    return Figures(
        np.mean([found.win_rate for found in figures], axis=0), np.mean([found.margin for found in figures], axis=0)
    )


class Trials:
    """Tries candidates against `against` under `rules`, on the decks of `seed`; all of them compiled agents.

    `lineups` are fours of 0 (the candidate) and 1 (the other). Threads of this process play; close it, or use it in a
    `with`. Raises AgentError for an agent that is not compiled.
    """

    def __init__(
        self,
        against: AnyAgent,
        rules: Rules,
        seed: int,
        workers: int = 1,
        lineups: Sequence[Sequence[int]] = AMONG_THREE,
    ) -> None:
        self._against = replace(_compiled(against), name="against")
        self.rules = rules
        self.seed = seed
        self.lineups = tuple(tuple(lineup) for lineup in lineups)
        self._entries = entries(self.lineups)
        # NumPy keeps its handling of overflows by thread; without compilation words must wrap in these as well.
        self._threads = ThreadPoolExecutor(workers, initializer=partial(np.seterr, **np.geterr()))
        self._workers = workers

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._threads.shutdown(cancel_futures=True)

    @property
    def deals_a_block(self) -> int:
        """Deals that a candidate plays in a block."""
        return sum(entry.deals for entry in self._entries if entry.agent == 0)

    def play(self, candidates: Sequence[AnyAgent], first: int, blocks: int) -> list[Figures]:
        """The figures of each candidate in the blocks `first` to `first + blocks - 1`."""
        tasks = []
        for candidate in candidates:
            seated = replace(_compiled(candidate), name="candidate")
            plan = Plan.of((seated, self._against), self.rules, self.seed, deals=1, lineups=self.lineups)
            player = Player(plan)
            cost = sum(max(1.0, agent.method.cost(agent.params)) for agent in (seated, self._against)) / 2
            portion = max(1, min(int(PORTION_DEALS / self.deals_a_block / cost), -(-blocks // self._workers)))
            chunks = itertools.pairwise([*range(first, first + blocks, portion), first + blocks])
            tasks.append([self._threads.submit(player.play, Chunk(0, start, end - start)) for start, end in chunks])
        try:
            return [self._figures(np.concatenate([task.result().sums for task in portions])) for portions in tasks]
        except BaseException:
            for task in itertools.chain.from_iterable(tasks):
                task.cancel()
            raise

    def _figures(self, sums: npt.NDArray[np.int64]) -> Figures:
        """The figures from the sums of blocks, int64[blocks, entries, columns] (see `game.StatColumns`)."""

        def mean(entry: Entry, measure: npt.NDArray[np.int64]) -> npt.NDArray[np.float64]:
            return measure[:, self._entries.index(entry)] / entry.samples

        wins = sums[:, :, : len(COUNTING.wins)].sum(axis=2)
        points = sums[:, :, COUNTING.column("points")]
        own = [entry for entry in self._entries if entry.agent == 0]
        others = [entry for entry in self._entries if entry.agent == 1]
        return Figures(
            np.mean([mean(entry, wins) for entry in own], axis=0),
            np.mean([mean(entry, points) for entry in own], axis=0)
            - np.mean([mean(entry, points) for entry in others], axis=0),
        )


def _compiled(agent: AnyAgent) -> PolicyAgent:
    if not isinstance(agent, PolicyAgent):
        raise AgentError(f"{agent.name} is not compiled; what is tried in threads of one process must be")
    return agent
