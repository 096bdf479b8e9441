"""Whole matches between four agents: who wins them, how long they are, and what they bring, with intervals.

**The sample is a block**: the matches of one sequence of decks, that of `Match` under one root seed, played once under
every distinct seating of the line-up (24 for four different agents, 4 for one among three of a kind). In block b of a
run the seed is `match_seed(seed, b)`. Deal n of every match of a block is the same deck, seat by seat, but a match may
be over before it comes, and who leads it differs. Matches of a block are therefore not independent, and no interval
counts matches: within a block an agent has the mean over its matches and its seats, and the interval goes from block to
block (Student's, for a number of blocks fixed beforehand).

Points a deal are a ratio, of the points of all blocks to their deals. Its interval is that of the ratio estimator:
from block to block by the residuals, points less ratio times deals (Cochran, Sampling Techniques, 3rd ed., 1977,
chapter 6).
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from bigtwo_sim.arena.lineups import seatings
from bigtwo_sim.arena.runners.player import DEFAULT_MEMORY, Seats, player_of
from bigtwo_sim.arena.schedule.plan import Chunk, ChunkResult, chunks_of, cost_of, isolation_of
from bigtwo_sim.arena.stats.intervals import Estimate, Interval, Student
from bigtwo_sim.arena.stats.ratios import RatioSums
from bigtwo_sim.arena.stats.statistics import PairSummary, Tally, entries
from bigtwo_sim.bots.process import Limits
from bigtwo_sim.core.rng import root_key
from bigtwo_sim.games.big_two import AnyAgent, PolicyAgent, PythonAgent, PythonLoop, Rules
from bigtwo_sim.games.big_two.fault import Fault
from bigtwo_sim.games.big_two.game import COUNTING
from bigtwo_sim.games.big_two.kernels.matchplay import play_matches, play_matches_in_python
from bigtwo_sim.games.big_two.layout import PENALTY, SEATS
from bigtwo_sim.games.big_two.match import match_seed
from bigtwo_sim.games.big_two.rules import HAND_SIZE

# Matches a chunk, for agents that take as long as the heuristic; slower ones get fewer.
FEWEST_MATCHES = 480
MOST_MATCHES = 19_200

_SUMMED = {"points": "totals", "left": "left", "decisions": "decisions", "forfeits": "forfeits"}
"""Columns of sums and the fields of MATCH_RESULT that they are made of."""


@dataclass(frozen=True)
class MatchChunkResult(ChunkResult):
    """What came out of a chunk; `sums` has matches won by seat, and points, cards left, decisions and forfeits."""

    deals: npt.NDArray[np.int64] = None  # type: ignore[assignment]
    """int64[blocks, matches]: the length of each match."""
    won: npt.NDArray[np.int64] = None  # type: ignore[assignment]
    """int64[blocks, entries]: deals won."""
    undecided: int = 0
    """Matches that were left undecided."""


@dataclass(frozen=True)
class MatchPlan:
    """What a run of matches plays, to the last match: everything that a result depends on.

    `lineup` are four numbers of `agents`, `rules` have a match target, `blocks` is the number of blocks. `isolate` is
    that of `plan.Plan`.
    """

    agents: tuple[AnyAgent, ...]
    rules: Rules
    seed: int
    blocks: int
    lineup: tuple[int, ...]
    isolate: bool = False

    @classmethod
    def of(
        cls,
        agents: Sequence[AnyAgent],
        lineup: Sequence[int],
        rules: Rules,
        seed: int = 0,
        *,
        matches: int,
        isolate: bool = False,
    ) -> MatchPlan:
        """A plan of at least `matches` matches in whole blocks.

        Raises ValueError for a line-up that is not four numbers of these agents, for no matches, no target, a seed that
        cannot be, or rules under which nobody ever gets a point.
        """
        if len(lineup) != SEATS or set(lineup) != set(range(len(agents))):
            raise ValueError(f"the line-up is {tuple(lineup)}; it must seat each of {len(agents)} agents, four in all")
        if matches < 1:
            raise ValueError(f"matches is {matches}; it must be at least 1")
        if rules.match_target is None:
            raise ValueError("match_target is none; a match needs a target")
        if not rules.rule_table()[PENALTY + 1 : PENALTY + HAND_SIZE + 1].any():
            tiers = rules.value_text("penalty_tiers")
            raise ValueError(f"penalty_tiers is {tiers}, so that nobody ever gets a point; a match would have no end")
        root_key(seed)
        return cls(tuple(agents), rules, seed, -(-matches // len(seatings(lineup))), tuple(lineup), isolate)

    @cached_property
    def matches_a_block(self) -> int:
        """Seatings of the line-up."""
        return len(seatings(self.lineup))

    @property
    def target(self) -> int | None:
        """The total that ends a match."""
        return self.rules.match_target

    @property
    def matches(self) -> int:
        """Matches in all."""
        return self.blocks * self.matches_a_block

    @property
    def needs_python(self) -> bool:
        """Whether one of the agents is written in Python."""
        return any(isinstance(agent, PythonAgent) for agent in self.agents)

    @property
    def isolation(self) -> str | None:
        """Where the agents that are not compiled play (see `plan.isolation_of`)."""
        return isolation_of(self.agents, self.isolate)

    def chunks(self) -> Iterator[Chunk]:
        """All chunks, in order."""
        cost = sum(cost_of(self.agents[agent]) for agent in self.lineup) / SEATS * self.matches_a_block
        smallest, largest = (max(1, int(bound / cost)) for bound in (FEWEST_MATCHES, MOST_MATCHES))
        return chunks_of(self.blocks, smallest, largest)


class MatchPlayer:
    """Plays the chunks of a plan in this process. With compiled agents alone it may be shared between threads.

    `apart` keeps each Python agent in a process of its own. An agent at fault forfeits its decision.
    """

    def __init__(self, plan: MatchPlan, apart: bool = False) -> None:
        self._plan = plan
        self._seats = Seats(plan.agents, Limits(None, DEFAULT_MEMORY), apart or plan.isolate)
        self._lineup = self._seats.lineup(plan.lineup)
        self._seatings = seatings(plan.lineup)
        self._entries = entries([plan.lineup])
        row_of = {entry.agent: row for row, entry in enumerate(self._entries)}
        self._rows = np.array([row_of[agent] for agent in plan.lineup], np.int64)[self._seatings]
        self._loop = PythonLoop(self._lineup, plan.rules) if plan.needs_python else None

    def play(self, chunk: Chunk) -> MatchChunkResult:
        """Play the blocks of a chunk."""
        plan, loop = self._plan, self._loop
        numbers = range(chunk.first, chunk.first + chunk.blocks)
        keys = np.array([root_key(match_seed(plan.seed, number)) for number in numbers], np.uint64)
        thinking = np.zeros(len(plan.agents))
        faults: tuple[Fault, ...]
        if loop is not None:
            before = loop.seconds.copy()
            results = play_matches_in_python(loop, keys, self._seatings)
            faults = loop.take_faults()
            np.add.at(thinking, np.array(plan.lineup), loop.seconds - before)
        else:
            policies: Any = self._lineup
            results = play_matches(policies, plan.rules, keys, self._seatings)
            faults = _faults(policies, plan.rules, keys, self._seatings, results)
        sums, won = self._sums(results)
        undecided = int((results["winner"] < 0).sum())
        return MatchChunkResult(chunk, sums, thinking, faults, results["deals"].astype(np.int64), won, undecided)

    def _sums(self, results: npt.NDArray[Any]) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
        """Of MATCH_RESULT[blocks, n], int64[blocks, entries, columns] and deals won, int64[blocks, entries]."""
        sums = np.zeros((len(results), len(self._entries), len(COUNTING.columns)), np.int64)
        won = np.zeros(sums.shape[:2], np.int64)
        for seating, rows in enumerate(self._rows.tolist()):
            of_seating = results[:, seating]
            for seat, row in enumerate(rows):
                for column, field in _SUMMED.items():
                    sums[:, row, COUNTING.column(column)] += of_seating[field][:, seat]
                sums[:, row, seat] += of_seating["winner"] == seat
                won[:, row] += of_seating["won"][:, seat]
        return sums, won

    def close(self) -> None:
        """Tell all Python agents that they will not be asked any more."""
        self._seats.close()


@player_of.register
def _(plan: MatchPlan, apart: bool = False) -> MatchPlayer:
    return MatchPlayer(plan, apart)


def _faults(
    policies: Sequence[PolicyAgent],
    rules: Rules,
    keys: npt.NDArray[np.uint64],
    found: npt.NDArray[np.int64],
    results: npt.NDArray[Any],
) -> tuple[Fault, ...]:
    """The first fault of each agent, for which its match is played again."""
    at_fault = results["forfeits"] > 0
    loop = PythonLoop(policies, rules) if at_fault.any() else None
    known: set[str] = set()
    for block, seating in np.argwhere(at_fault.any(axis=2)).tolist():
        slots = found[seating].tolist()
        names = {policies[slot].name for slot, bad in zip(slots, at_fault[block, seating], strict=True) if bad}
        if loop is not None and not names <= known:
            play_matches_in_python(loop, keys[block : block + 1], found[seating : seating + 1])
            known |= names
    return () if loop is None else loop.faults


# --- statistics -------------------------------------------------------------------------------------------------------
@dataclass(frozen=True)
class MatchAgentSummary:
    """What a run of matches tells about one agent."""

    agent: int
    copies: int
    """Slots that it takes in the line-up."""
    match_wins: Estimate
    """Matches won, of those it sits in and a seat, 0 to 1."""
    deal_wins: Estimate
    """Deals won, of the deals and a seat, 0 to 1."""
    points: Estimate
    """Points a deal and a seat."""
    wins_by_seat: tuple[int, ...]
    """Its matches won from each seat."""
    decisions: int
    forfeits: int


@dataclass(frozen=True)
class Length:
    """How many deals the matches took."""

    mean: Estimate
    deviation: float
    """Standard deviation from match to match (with n - 1); NaN for a single one."""
    shortest: int
    longest: int


class MatchTally:
    """The statistics of a run of matches, chunk by chunk."""

    def __init__(self, plan: MatchPlan, interval: Interval | None = None) -> None:
        self.plan = plan
        self.interval: Interval = interval or Student()
        self.undecided = 0
        """Matches that nobody had won when they were broken off; they count as won by nobody."""
        self.faults: dict[str, Fault] = {}
        """The first fault of each agent, by name."""
        self.deaths: list[str] = []
        """How each worker process ended that ended over its chunk."""
        self._tally = Tally([plan.lineup], self.interval)
        self._points: list[npt.NDArray[np.int64]] = []
        self._deals: list[npt.NDArray[np.int64]] = []
        self._won: list[npt.NDArray[np.int64]] = []

    def add(self, result: MatchChunkResult) -> None:
        """Take in a chunk."""
        self._tally.add(result.sums)
        self._points.append(result.sums[:, :, COUNTING.column("points")])
        self._deals.append(result.deals)
        self._won.append(result.won)
        self.undecided += result.undecided
        for fault in result.faults:
            self.faults.setdefault(fault.agent, fault)
        self.deaths.extend(result.deaths)

    @property
    def matches(self) -> int:
        """Matches so far."""
        return self._tally.deals

    @property
    def blocks(self) -> int:
        """Blocks so far."""
        return self._tally.blocks

    def agents(self) -> list[MatchAgentSummary]:
        """Each agent, in order of its number."""
        points, deals, won = (np.concatenate(parts) for parts in (self._points, self._deals, self._won))
        played = deals.sum(axis=1)
        place = {entry.agent: row for row, entry in enumerate(self._tally.entries)}
        found = []
        for summary in self._tally.agents():
            row = place[summary.agent]
            copies = self._tally.entries[row].copies
            deal_wins = ratio_estimate(won[:, row], played * copies, self.interval, 0.0, 1 / copies)
            points_a_deal = ratio_estimate(points[:, row], played * copies, self.interval)
            found.append(
                MatchAgentSummary(
                    summary.agent,
                    copies,
                    summary.win_rate,
                    deal_wins,
                    points_a_deal,
                    summary.wins_by_seat,
                    summary.decisions,
                    summary.forfeits,
                )
            )
        return found

    def pairs(self) -> list[PairSummary]:
        """Each pair of agents; their `win_rate` is the difference of matches won, their `points` those of a match."""
        return self._tally.pairs()

    def length(self) -> Length:
        """How long the matches were."""
        deals = np.concatenate(self._deals)
        ones = np.full(len(deals), deals.shape[1], np.int64)
        deviation = float(deals.std(ddof=1)) if deals.size > 1 else math.nan
        shortest, longest = int(deals.min()), int(deals.max())
        # A match takes a deal at least. How long it may become is not known; twice the longest is out of sight.
        return Length(
            ratio_estimate(deals.sum(axis=1), ones, self.interval, 1.0, 2.0 * longest), deviation, shortest, longest
        )


def ratio_estimate(
    values: npt.NDArray[np.int64],
    sizes: npt.NDArray[np.int64],
    interval: Interval | None = None,
    low: float = -math.inf,
    high: float = math.inf,
) -> Estimate:
    """The sum of `values` over that of `sizes` (int64[blocks] both), with its interval from block to block.

    Where all sizes are equal, it is the mean and its interval. The ratio of a block is not below `low` nor above
    `high`. NaN bounds for a single block.
    """
    sums = RatioSums((1,))
    sums.add(values[None], sizes[None])
    return sums.estimate((0,), interval or Student(), low, high)
