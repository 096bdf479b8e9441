"""What the sums of blocks tell: means with their intervals from block to block, and paired differences.

**The sample is a block**: one deck under every distinct seating of every line-up. Deals of one deck are correlated, so
no interval here ever counts deals. Within a block, a line-up gives an agent the mean over its deals and over the seats
where the agent sits in them. An agent in several line-ups has, in each block, the mean over its line-ups, which count
alike however many seatings they have. Two agents are compared within the line-ups where both sit: the difference of
their means there, again averaged over these line-ups, block by block.

Values in a block are ratios of whole numbers with one denominator, so their sums are kept as whole numbers
(`block_sums`). All of these numbers are sums over entries (an agent in a line-up), so the work and the memory grow with
the number of line-ups and not with its square; `wins_together` alone grows with the square of the number of agents.
"""

from __future__ import annotations

import itertools
import math
import statistics
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt

from bigtwo_sim.arena.lineups import seatings
from bigtwo_sim.arena.stats.block_sums import BlockSums
from bigtwo_sim.arena.stats.intervals import Estimate, Floats, Interval, Moments, Student
from bigtwo_sim.arena.stats.ratios import RatioSums
from bigtwo_sim.core.lazy import lazy_module
from bigtwo_sim.games.base.game import ROLE_COLUMNS, StatColumns

special = lazy_module("scipy.special")

MEASURES = ("win_rate", "points")
PORTION = 2**15
"""Whole numbers that are taken in at once: so few that what is made of them stays in a core's cache."""
MOST_RATED = 500
"""For more agents than these, `Tally.wins_together` is not kept: its cost would be felt beside the play."""


@dataclass(frozen=True)
class RoleSummary:
    """What a run tells about one agent in one role of a game that has roles."""

    role: str
    deals: int
    """How often it had the role: deals times seats."""
    share: float
    """Of its deals and seats, 0 to 1."""
    win_rate: Estimate
    points: Estimate


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
    forfeits: int
    """Those of them that it forfeited."""
    roles: tuple[RoleSummary, ...] = ()
    bids: tuple[int, ...] = ()
    """In a game with an auction, how often each bid was its highest: deals times seats."""


@dataclass(frozen=True)
class PairSummary:
    """What a run tells about two agents that met: the first minus the second, in the line-ups where both sit."""

    first: int
    second: int
    deals: int
    points: Estimate
    win_rate: Estimate


@dataclass(frozen=True)
class LineupAgentSummary:
    """What a run tells about one agent of one line-up; the figures mean what they mean in `AgentSummary`."""

    agent: int
    copies: int
    """Slots that it takes in the line-up."""
    win_rate: Estimate
    points: Estimate
    cards_left: Estimate
    wins_by_seat: tuple[int, ...]


@dataclass(frozen=True)
class LineupSummary:
    """What a run tells about one line-up."""

    lineup: int
    deals: int
    agents: tuple[LineupAgentSummary, ...]
    equal_seats: float | None
    """Of a mirror (one agent in all four slots, whose win rate is 25 % whatever happens), the probability that wins
    from the four seats differ at least as much as they did if all seats win alike: Pearson's chi-square, 3 degrees of
    freedom. A block of a mirror is a single deal, so that its deals are independent. None for other line-ups, and for
    games in which a deal has several winners."""


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


@lru_cache(maxsize=16)
def _seating_count(slots: tuple[int, ...]) -> int:
    return len(seatings(slots))


def entries(lineups: Sequence[Sequence[int]]) -> list[Entry]:
    """The entries of some line-ups of agent numbers: line-up by line-up, agents in order of their first slot."""
    found = []
    for number, lineup in enumerate(lineups):
        members = list(lineup)
        deals = _seating_count(tuple(map(members.index, members)))
        found += [Entry(number, agent, members.count(agent), deals) for agent in dict.fromkeys(members)]
    return found


class _Weighting:
    """Means over line-ups: sums of entries with whole weights over one denominator, for all means at once."""

    def __init__(self, chosen: Sequence[Sequence[tuple[int, int]]], found: Sequence[Entry]) -> None:
        """`chosen`: for each mean the (row, sign) of its entries."""
        rows: list[int] = []
        weights: list[int] = []
        starts: list[int] = []
        denominators: list[int] = []
        for members in chosen:
            lineups = len({found[row].lineup for row, _ in members})
            denominator = lineups * math.lcm(*(found[row].samples for row, _ in members))
            starts.append(len(rows))
            rows += [row for row, _ in members]
            weights += [sign * (denominator // (lineups * found[row].samples)) for row, sign in members]
            denominators.append(denominator)
        self._rows = np.array(rows, np.int64)
        self._weights = np.array(weights, np.int64)[:, None]
        self._starts = np.array(starts, np.int64)
        self.denominators = np.array(denominators, np.int64)

    def apply(self, measures: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
        """The numerators of all means: int64[measures, means, blocks] of int64[measures, entries, blocks]."""
        if not len(self._starts):
            return np.zeros((len(measures), 0, measures.shape[-1]), np.int64)
        numerators: npt.NDArray[np.int64] = np.add.reduceat(
            measures[:, self._rows] * self._weights, self._starts, axis=1
        )
        return numerators


class Tally:
    """The running statistics of a run with these line-ups of agent numbers, whose intervals are all `interval`.

    `stat_columns` says what is summed, by default what every game has.
    """

    def __init__(
        self,
        lineups: Sequence[Sequence[int]],
        interval: Interval | None = None,
        stat_columns: StatColumns | None = None,
    ) -> None:
        self.interval: Interval = interval or Student()
        self.stat_columns = stat_columns or StatColumns(len(lineups[0]))
        self.blocks = 0
        self.entries = entries(lineups)
        self._wins = slice(len(self.stat_columns.wins))
        self._counts = np.zeros((len(self.entries), len(self.stat_columns.columns)), np.int64)
        self._deals_of_lineup = {entry.lineup: entry.deals for entry in self.entries}
        of_agent: dict[int, list[int]] = {}  # rows
        of_pair: dict[tuple[int, int], list[tuple[int, int]]] = {}  # rows with signs
        met: dict[tuple[int, int], int] = {}  # deals a block
        meeting = {agent for lineup in lineups if len(set(lineup)) > 1 for agent in lineup}
        for _, together in itertools.groupby(enumerate(self.entries), lambda item: item[1].lineup):
            sitting = sorted((entry.agent, row) for row, entry in together)
            for agent, row in sitting:
                if len(sitting) > 1 or agent not in meeting:  # a mirror says nothing about strength
                    of_agent.setdefault(agent, []).append(row)
            for (first, row), (second, other) in itertools.combinations(sitting, 2):
                of_pair.setdefault((first, second), []).extend([(row, 1), (other, -1)])
                met[first, second] = met.get((first, second), 0) + self.entries[row].deals
        self._rows = {agent: np.array(of_agent[agent]) for agent in sorted(of_agent)}
        self._met = {pair: met[pair] for pair in sorted(met)}
        self._of_means = _Weighting(
            [[(row, 1) for row in rows] for rows in self._rows.values()] + [of_pair[pair] for pair in self._met],
            self.entries,
        )
        most = [self._most_won(rows) for rows in self._rows.values()]
        pairs = [
            [self._most_won([row for row, of in of_pair[pair] if of == sign]) for sign in (1, -1)] for pair in self._met
        ]
        self._means = self._sums(
            self._of_means.denominators,
            np.array([self._least_won(rows) for rows in self._rows.values()] + [-other for _, other in pairs]),
            np.array(most + [first for first, _ in pairs]),
        )
        self._of_entries = self._sums(
            np.array([entry.samples for entry in self.entries], np.int64),
            np.array([self._least_won([row]) for row in range(len(self.entries))]),
            np.array([self._most_won([row]) for row in range(len(self.entries))]),
        )
        self._of_agents = _Weighting([[(row, 1) for row in rows] for rows in self._rows.values()], self.entries)
        self._roles = RatioSums((len(self.stat_columns.roles), len(ROLE_COLUMNS) - 1, len(self._rows)))
        self.wins_together: npt.NDArray[Any] | None = None
        """Sums over blocks of the products of two agents' wins, over all line-ups; None for too many agents."""
        if len(self._rows) <= MOST_RATED:
            self._wins_order = np.concatenate(list(self._rows.values()) or [np.zeros(0, np.int64)])
            self._wins_starts = np.cumsum([0, *map(len, self._rows.values())])[:-1]
            self.wins_together = np.zeros((len(self._rows), len(self._rows)), np.int64)

    def _most_won(self, rows: Sequence[int] | npt.NDArray[Any]) -> float:
        """The greatest win rate that the entries of these rows can have: of two copies, at most one wins a deal."""
        return statistics.fmean(1 / self.entries[row].copies if self.stat_columns.one_winner else 1.0 for row in rows)

    def _least_won(self, rows: Sequence[int] | npt.NDArray[Any]) -> float:
        """The least win rate that the entries of these rows can have: where all are mirrors it is always the same."""
        return self._most_won(rows) if self._mirrors(rows) else 0.0

    def _mirrors(self, rows: Sequence[int] | npt.NDArray[Any]) -> bool:
        return self.stat_columns.one_winner and all(self.entries[row].copies == self.stat_columns.seats for row in rows)

    @staticmethod
    def _sums(denominators: npt.NDArray[np.int64], low: Floats, high: Floats) -> BlockSums:
        """Of wins, which are between `low` and `high`, points and cards left."""
        unknown = np.full(len(denominators), math.inf)
        # Of two agents' cards left one may have more than the other; of one there are at least none.
        return BlockSums(
            np.broadcast_to(denominators, (3, len(denominators))),
            np.stack((low, -unknown, np.where(low < 0, -math.inf, 0.0))),
            np.stack((high, unknown, unknown)),
        )

    @property
    def deals(self) -> int:
        """Deals so far, of all line-ups."""
        return self.blocks * sum(self._deals_of_lineup.values())

    def add(self, sums: npt.NDArray[np.int64]) -> None:
        """Take in some blocks: int64[blocks, entries, columns], sums over the block's deals for each entry."""
        at_once = max(1, PORTION // (len(self.entries) * len(self.stat_columns.columns)))
        for first in range(0, len(sums), at_once):
            self._add(sums[first : first + at_once])

    def _add(self, sums: npt.NDArray[np.int64]) -> None:
        self.blocks += len(sums)
        columns = np.ascontiguousarray(sums.transpose(2, 1, 0))  # blocks last: all that follows runs along them
        self._counts += columns.sum(axis=2).T
        points, left = self.stat_columns.column("points"), self.stat_columns.column("left")
        measures = np.stack((columns[self._wins].sum(axis=0), columns[points], columns[left]))
        self._of_entries.add(measures)
        self._means.add(self._of_means.apply(measures))
        if self.wins_together is not None:
            wins = np.add.reduceat(measures[0, self._wins_order], self._wins_starts, axis=0)
            self.wins_together = self.wins_together + _products(wins)
        if self.stat_columns.roles:
            first = self.stat_columns.column(f"{self.stat_columns.roles[0]}_{ROLE_COLUMNS[0]}")
            roles, kinds = len(self.stat_columns.roles), len(ROLE_COLUMNS)
            by_role = self._of_agents.apply(columns[first : first + roles * kinds])
            by_role = by_role.reshape(roles, kinds, *by_role.shape[1:])
            self._roles.add(by_role[:, 1:], by_role[:, :1])

    @property
    def agent_numbers(self) -> list[int]:
        """The agents, in order of their numbers."""
        return list(self._rows)

    def wins_by_lineup(self) -> list[list[tuple[Entry, int]]]:
        """Of each line-up its entries and their wins so far."""
        wins = self._counts[:, self._wins].sum(axis=1).tolist()
        found = itertools.groupby(zip(self.entries, wins, strict=True), lambda item: item[0].lineup)
        return [list(members) for _, members in found]

    def wins_covariance(self) -> npt.NDArray[np.float64]:
        """The covariance (with n - 1) from block to block of the agents' wins in a block: float64[agents, agents].

        Raises ValueError where `wins_together` is None or there are fewer than two blocks.
        """
        if self.wins_together is None or self.blocks < 2:
            raise ValueError(f"{self.blocks} blocks of {len(self._rows)} agents have no covariance of wins")
        totals = np.array([int(self._counts[rows, self._wins].sum()) for rows in self._rows.values()], object)
        spread = self.blocks * self.wins_together.astype(object) - np.outer(totals, totals)
        return (spread / (self.blocks * (self.blocks - 1))).astype(np.float64)

    def agents(self) -> list[AgentSummary]:
        """Each agent, in order of its number."""
        summaries = []
        found = self._means.estimates(self.interval)
        for place, (agent, rows) in enumerate(self._rows.items()):
            wins, points, left = (found[measure, place] for measure in range(3))
            counts = dict(zip(self.stat_columns.columns, self._counts[rows].sum(axis=0).tolist(), strict=True))
            summaries.append(
                AgentSummary(
                    agent,
                    self.blocks * sum(self.entries[row].deals for row in rows),
                    wins,
                    points,
                    left,
                    tuple(counts[name] for name in self.stat_columns.wins),
                    counts["decisions"],
                    counts["forfeits"],
                    self._roles_of(place, counts),
                    tuple(counts[f"bid_{bid}"] for bid in self.stat_columns.bids),
                )
            )
        return summaries

    def _roles_of(self, place: int, counts: dict[str, int]) -> tuple[RoleSummary, ...]:
        """An agent's roles; `place` is its place among the agents."""
        summaries = []
        for number, role in enumerate(self.stat_columns.roles):
            wins, points = (
                self._roles.estimate((number, measure, place), self.interval, *reach)
                for measure, reach in enumerate(((0.0, 1.0), ()))
            )
            sitting = self.blocks * int(self._of_agents.denominators[place])
            share = self._roles.below((number, 0, place)) / sitting if sitting else math.nan
            summaries.append(RoleSummary(role, counts[f"{role}_deals"], share, wins, points))
        return tuple(summaries)

    def pairs(self) -> list[PairSummary]:
        """Each pair that met, the one of lower number first."""
        summaries = []
        found = self._means.estimates(self.interval)
        for place, ((first, second), deals) in enumerate(self._met.items(), start=len(self._rows)):
            wins, points = (found[measure, place] for measure in range(2))
            summaries.append(PairSummary(first, second, self.blocks * deals, points, wins))
        return summaries

    def estimates(self, measure: str) -> Iterator[tuple[tuple[int, ...], Estimate]]:
        """The `measure` ("win_rate" or "points") of each agent, (a,), and then of each pair that met, (a, b)."""
        found = self._means.estimates(self.interval, (MEASURES.index(measure),))
        for place, who in enumerate([*((agent,) for agent in self._rows), *self._met]):
            yield who, found[place]

    def wins(self, place: int) -> Moments:
        """The win rate of the agent at this place in `agent_numbers`."""
        return self._means.moments((0, place))

    def difference(self, first: int, second: int, measure: str) -> Moments:
        """The first agent's blocks minus the second's; `measure` is "win_rate" or "points".

        Raises ValueError where the two never met.
        """
        place = len(self._rows) + list(self._met).index((min(first, second), max(first, second)))
        moments = self._means.moments((MEASURES.index(measure), place))
        if first < second:
            return moments
        return replace(moments, mean=-moments.mean, lean=-moments.lean, below=moments.above, above=moments.below)

    def lineups(self) -> list[LineupSummary]:
        """Each line-up, with its agents in order of their first slot."""
        summaries = []
        found = self._of_entries.estimates(self.interval)
        for lineup, together in itertools.groupby(enumerate(self.entries), lambda item: item[1].lineup):
            members = []
            for row, entry in together:
                wins, points, left = (found[measure, row] for measure in range(3))
                by_seat = tuple(self._counts[row, self._wins].tolist())
                members.append(LineupAgentSummary(entry.agent, entry.copies, wins, points, left, by_seat))
            mirror = len(members) == 1 and self.stat_columns.one_winner
            summaries.append(
                LineupSummary(
                    lineup,
                    self.blocks * self._deals_of_lineup[lineup],
                    tuple(members),
                    _equal_seats(members[0].wins_by_seat) if mirror else None,
                )
            )
        return summaries


def _products(wins: npt.NDArray[np.int64]) -> npt.NDArray[Any]:
    """Sums over blocks of the products of wins, exact: [agents, agents] of int64[agents, blocks]."""
    if int(wins.max(initial=0)) ** 2 * wins.shape[1] >= 2**63:
        wins = wins.astype(object)
    products: npt.NDArray[Any] = wins @ wins.T
    return products


def _equal_seats(wins: Sequence[int]) -> float:
    if not sum(wins):
        return math.nan
    expected = sum(wins) / len(wins)
    return float(special.chdtrc(len(wins) - 1, sum((won - expected) ** 2 for won in wins) / expected))
