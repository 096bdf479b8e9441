"""What the sums of blocks tell: means with their intervals from block to block, and paired differences.

**The sample is a block**: one deck under every distinct seating of every line-up. Deals of one deck are correlated, so
no interval here ever counts deals. Within a block, a line-up gives an agent the mean over its deals and over the seats
where the agent sits in them. An agent in several line-ups has, in each block, the mean over its line-ups, which count
alike however many seatings they have. Two agents are compared within the line-ups where both sit: the difference of
their means there, again averaged over these line-ups, block by block. The interval of a mean over n blocks is
Student's, with n - 1 degrees of freedom.

Values in a block are ratios of whole numbers with one denominator, so their sums and sums of squares are kept as whole
numbers of any size: exact, hence the same in whatever order and portions blocks arrive, and of a size that does not
grow with their number.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from statistics import NormalDist
from typing import Any

import numpy as np
import numpy.typing as npt

from bigtwo_sim.arena.lineups import seatings
from bigtwo_sim.big_two.layout import SEATS

WINS = tuple(f"wins_{seat}" for seat in range(SEATS))
COLUMNS = (*WINS, "points", "left", "decisions")
"""What is summed over the deals of a block for each agent of a line-up: wins at each seat, points, cards left over its
seats, and turns on which it had a choice."""
POINTS, LEFT, DECISIONS = (COLUMNS.index(name) for name in ("points", "left", "decisions"))

CONFIDENCE = 0.95


@dataclass(frozen=True)
class Estimate:
    """A mean over blocks and its 95 % interval; the bounds are NaN for a single block, all is NaN for none."""

    mean: float
    low: float
    high: float

    @property
    def margin(self) -> float:
        """Half the width of the interval."""
        return (self.high - self.low) / 2

    def within(self, least: float, most: float) -> Estimate:
        """The same with the interval cut to the values that are possible."""
        return Estimate(self.mean, max(self.low, least), min(self.high, most))


@dataclass(frozen=True)
class AgentSummary:
    """What a run tells about one agent."""

    agent: int
    deals: int
    win_rate: Estimate
    """Wins a deal and a seat it sits in, 0 to 1."""
    points: Estimate
    """Points a deal and a seat."""
    cards_left: Estimate
    """Cards left at the end of a deal, wins counted as 0."""
    wins_by_seat: tuple[int, ...]
    """Its wins from each seat; it sits equally often in each."""
    decisions: int
    """Turns on which it had a choice."""


@dataclass(frozen=True)
class PairSummary:
    """What a run tells about two agents that met: the first minus the second, in the line-ups where both sit."""

    first: int
    second: int
    deals: int
    points: Estimate
    win_rate: Estimate


@lru_cache(maxsize=256)
def student_t(freedom: int, probability: float) -> float:
    """The quantile of Student's t distribution, `freedom` >= 1, 0.5 <= `probability` < 1.

    The distribution function is the finite series for whole degrees of freedom, the quantile above 200 of them the
    expansion in 1 / freedom: Abramowitz and Stegun, Handbook of Mathematical Functions (1964), 26.7.3, 26.7.4, 26.7.5.
    """
    if freedom > 200:
        x = NormalDist().inv_cdf(probability)
        terms = (
            (x**3 + x) / 4,
            (5 * x**5 + 16 * x**3 + 3 * x) / 96,
            (3 * x**7 + 19 * x**5 + 17 * x**3 - 15 * x) / 384,
            (79 * x**9 + 776 * x**7 + 1482 * x**5 - 1920 * x**3 - 945 * x) / 92160,
        )
        return x + sum(term / float(freedom) ** power for power, term in enumerate(terms, start=1))
    inside = 2 * probability - 1  # probability of lying between -t and t
    low, high = 0.0, math.pi / 2  # of the angle atan(t / sqrt(freedom))
    for _ in range(80):
        middle = (low + high) / 2
        if _inside(freedom, middle) < inside:
            low = middle
        else:
            high = middle
    return math.sqrt(freedom) * math.tan((low + high) / 2)


def _inside(freedom: int, angle: float) -> float:
    """Probability that |t| is less than sqrt(freedom) * tan(angle)."""
    sine, squared = math.sin(angle), math.cos(angle) ** 2
    term, total = (1.0, 1.0) if freedom % 2 == 0 else (math.cos(angle), math.cos(angle))
    if freedom == 1:
        total = 0.0
    for i in range(2 if freedom % 2 else 1, freedom - 1, 2):
        term *= squared * i / (i + 1)
        total += term
    return sine * total if freedom % 2 == 0 else 2 / math.pi * (angle + sine * total)


@dataclass
class MeanOfBlocks:
    """The running mean of one quantity whose value in a block is a whole number over `denominator`."""

    denominator: int
    blocks: int = 0
    total: int = 0
    squares: int = 0

    def add(self, values: npt.NDArray[Any]) -> None:
        """Take in the numerators of some blocks, int64[n]."""
        if len(values) and int(np.abs(values).max()) ** 2 * len(values) >= 2**63:
            values = values.astype(object)
        self.blocks += len(values)
        self.total += int(values.sum())
        self.squares += int((values * values).sum())

    def estimate(self, confidence: float = CONFIDENCE) -> Estimate:
        """The mean and its Student interval over the blocks so far."""
        if not self.blocks:
            return Estimate(math.nan, math.nan, math.nan)
        mean = self.total / (self.blocks * self.denominator)
        if self.blocks == 1:
            return Estimate(mean, math.nan, math.nan)
        # Whole numbers up to here, so nothing cancels in the difference.
        spread = self.blocks * self.squares - self.total**2
        error = math.sqrt(spread / (self.blocks - 1)) / (self.blocks * self.denominator)
        margin = student_t(self.blocks - 1, (1 + confidence) / 2) * error
        return Estimate(mean, mean - margin, mean + margin)


@dataclass(frozen=True)
class Entry:
    """One agent in one line-up, the unit in which a block's sums are kept."""

    lineup: int
    agent: int
    copies: int
    """Slots that it takes in the line-up."""
    deals: int
    """Deals of the line-up in a block: its seatings."""

    @property
    def samples(self) -> int:
        """Deals in a block times seats of the agent."""
        return self.deals * self.copies


def entries(lineups: Sequence[Sequence[int]]) -> list[Entry]:
    """The entries of some line-ups of agent numbers: line-up by line-up, agents in order of their first slot."""
    return [
        Entry(number, agent, list(lineup).count(agent), len(seatings(lineup)))
        for number, lineup in enumerate(lineups)
        for agent in dict.fromkeys(lineup)
    ]


@dataclass
class _Weighted:
    """Means of wins, points and cards left under one weighting of the entries."""

    rows: npt.NDArray[np.int64]
    weights: npt.NDArray[np.int64]
    means: tuple[MeanOfBlocks, MeanOfBlocks, MeanOfBlocks] = field(init=False)
    denominator: int = 1

    def __post_init__(self) -> None:
        self.means = (
            MeanOfBlocks(self.denominator),
            MeanOfBlocks(self.denominator),
            MeanOfBlocks(self.denominator),
        )

    def add(self, measures: npt.NDArray[np.int64]) -> None:
        values = np.tensordot(measures[:, self.rows], self.weights, axes=(1, 0))
        for mean, column in zip(self.means, values.T, strict=True):
            mean.add(column)


def _weighting(chosen: Sequence[tuple[int, Entry, int]], lineups: int) -> _Weighted:
    """The mean over `lineups` line-ups of entries (row, entry, sign), as whole numbers over one denominator."""
    denominator = lineups * math.lcm(*(entry.samples for _, entry, _ in chosen))
    weights = [sign * (denominator // (lineups * entry.samples)) for _, entry, sign in chosen]
    rows = [row for row, _, _ in chosen]
    return _Weighted(np.array(rows, np.int64), np.array(weights, np.int64), denominator=denominator)


class Tally:
    """The running statistics of a run with these line-ups of agent numbers."""

    def __init__(self, lineups: Sequence[Sequence[int]]) -> None:
        self.blocks = 0
        self._entries = entries(lineups)
        self._counts = np.zeros((len(self._entries), len(COLUMNS)), np.int64)
        self._deals_of_lineup = {entry.lineup: entry.deals for entry in self._entries}
        rows: dict[int, dict[int, int]] = {}  # agent -> line-up -> row
        for row, entry in enumerate(self._entries):
            rows.setdefault(entry.agent, {})[entry.lineup] = row
        self._rows = rows
        self._agents = {
            agent: _weighting([(row, self._entries[row], 1) for row in found.values()], len(found))
            for agent, found in sorted(rows.items())
        }
        self._pairs: dict[tuple[int, int], _Weighted] = {}
        self._met: dict[tuple[int, int], list[int]] = {}
        for first, second in itertools.combinations(sorted(rows), 2):
            both = [lineup for lineup in rows[first] if lineup in rows[second]]
            if both:
                chosen = [
                    (rows[agent][lineup], self._entries[rows[agent][lineup]], sign)
                    for lineup in both
                    for agent, sign in ((first, 1), (second, -1))
                ]
                self._pairs[first, second] = _weighting(chosen, len(both))
                self._met[first, second] = both

    @property
    def deals(self) -> int:
        """Deals so far, of all line-ups."""
        return self.blocks * sum(self._deals_of_lineup.values())

    def add(self, sums: npt.NDArray[np.int64]) -> None:
        """Take in some blocks: int64[blocks, entries, COLUMNS], sums over the block's deals for each entry."""
        self.blocks += len(sums)
        self._counts += sums.sum(axis=0)
        measures = np.stack((sums[:, :, : len(WINS)].sum(axis=2), sums[:, :, POINTS], sums[:, :, LEFT]), axis=2)
        for weighted in itertools.chain(self._agents.values(), self._pairs.values()):
            weighted.add(measures)

    def agents(self) -> list[AgentSummary]:
        """Each agent, in order of its number."""
        summaries = []
        for agent, weighted in self._agents.items():
            wins, points, left = (mean.estimate() for mean in weighted.means)
            counts = self._counts[list(self._rows[agent].values())].sum(axis=0).tolist()
            summaries.append(
                AgentSummary(
                    agent,
                    self.blocks * sum(self._deals_of_lineup[lineup] for lineup in self._rows[agent]),
                    wins.within(0.0, 1.0),
                    points,
                    left,
                    tuple(counts[: len(WINS)]),
                    counts[DECISIONS],
                )
            )
        return summaries

    def pairs(self) -> list[PairSummary]:
        """Each pair that met, the one of lower number first."""
        summaries = []
        for (first, second), weighted in self._pairs.items():
            wins, points, _ = (mean.estimate() for mean in weighted.means)
            deals = self.blocks * sum(self._deals_of_lineup[lineup] for lineup in self._met[first, second])
            summaries.append(PairSummary(first, second, deals, points, wins.within(-1.0, 1.0)))
        return summaries
