"""One scale of strength over all line-ups, fitted to who won: Luce's choice axiom, or Plackett and Luce's first place.

Each agent has one number theta, and it wins from a slot with probability exp(theta) / (sum of exp(theta) over all
slots): Luce, Individual Choice Behavior (1959); Plackett, The analysis of permutations, Applied Statistics 24(2), 1975.
That is a summary, not a law of Big Two: who sits beside whom matters more than one number can say. So it stands beside
win rates and points and never in their place.

Deals of one deck are correlated. So the likelihood, which counts deals, gives the estimate alone; its error comes from
block to block: with H the second derivative of the negative log-likelihood of a block and C the covariance of blocks'
scores, the sandwich H^-1 C H^-1 (White, Maximum likelihood estimation of misspecified models, Econometrica 50(1), 1982)
is the covariance of a block's influence on theta. Since a block holds the same line-ups whatever happens, its score is
its wins by agent up to a constant.

That error is one of many blocks. Where an agent seldom wins, or always does, what is known of its strength is what is
known of its win rate, and that is not symmetrical: so each end of an interval is stretched by as much as the theta at
which the model's win rate, the others as they are, is the end of the win rate's interval is farther off than it would
be if the win rate were nearly normal and the model linear. Who never won has an upper end alone, found in the same way.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from bigtwo_sim.arena.lineups import SEATS
from bigtwo_sim.arena.stats.intervals import Estimate, Floats, around
from bigtwo_sim.arena.stats.statistics import Tally
from bigtwo_sim.core.lazy import lazy_module

special = lazy_module("scipy.special")
optimize = lazy_module("scipy.optimize")
sparse, csgraph = lazy_module("scipy.sparse"), lazy_module("scipy.sparse.csgraph")

RATING_UNIT = 400 / math.log(10)
"""A rating is theta in the unit of chess: 400 more win ten times as often at the same table."""

MOST_LINEUPS = 20_000
"""The likelihood is taken line-up by line-up; so many take some seconds."""

FLAT = 1e-10
"""A part of the greatest curvature that is one of rounding."""
FARTHEST = 100.0
"""Thetas beyond are as good as infinite."""
ONLY_ONE = "the others are compared with it"

MOST_STEPS = 100
ENOUGH = 1e-7  # a step after which theta is exact to rounding, as steps get smaller by squaring


@dataclass(frozen=True)
class Strength:
    """An agent's place on the scale."""

    agent: int
    theta: Estimate
    """Natural logarithm of its weight, the mean over the agents that have one being 0. Infinite where it is above or
    below all of these as far as was seen; the other end of its interval says how far at least. An end is NaN where
    nothing can be said."""
    note: str
    """Why there is no finite number; empty where there is one."""
    error: float = math.nan
    """The standard error of theta from block to block, by the sandwich; NaN where it has none."""

    @property
    def rating(self) -> Estimate:
        """The same in units of `RATING_UNIT`."""
        theta = self.theta
        return Estimate(theta.mean * RATING_UNIT, theta.low * RATING_UNIT, theta.high * RATING_UNIT)


def strengths(tally: Tally) -> list[Strength]:
    """The strength of each agent of a run, in order of its number.

    Where there is no finite number, the note says why. Agents that no chain of line-ups joins have no common scale. The
    likelihood has its maximum only if every group of agents has lost to some agent outside it (Hunter, MM algorithms
    for generalized Bradley-Terry models, Annals of Statistics 32(1), 2004, assumption 2): so the scale is that of the
    largest set of agents of which this is true, and the others are above it, below it, or not to be compared.
    """
    agents = tally.agent_numbers
    if not tally.stat_columns.one_winner:
        return _nothing(agents, "deals are won by sides, and who wins with whom is not in this model")
    if tally.blocks == 0:
        return _nothing(agents, "no block was played")
    if tally.wins_together is None:
        return _nothing(agents, f"{len(agents):,} agents are too many for one scale")
    tables = _tables(tally)
    if len(tables) > MOST_LINEUPS:
        return _nothing(agents, f"{len(tables):,} line-ups are too many for one scale (at most {MOST_LINEUPS:,})")
    if not _joined(len(agents), tables):
        return _nothing(agents, "no chain of line-ups joins all agents")
    core, above, below = _core(len(agents), tables)
    theta, deviation = _fit(tally, core, tables)
    theta[above], theta[below] = math.inf, -math.inf
    found = []
    for place, agent in enumerate(agents):
        ends = _ends(tally, place, theta, float(deviation[place]), tables)
        note = ""
        if above[place]:
            note = "never lost to those that have a number"
        elif below[place]:
            note = "never won against those that have a number"
        elif not core[place]:
            note = "no chain of wins joins it to those that have a number"
        elif core.sum() == 1:
            note, ends = (ONLY_ONE, (math.nan, math.nan)) if len(agents) > 1 else ("", (0.0, 0.0))  # 0 by definition
        error = float(deviation[place]) / math.sqrt(tally.blocks)
        found.append(Strength(agent, Estimate(float(theta[place]), *ends), note, error))
    return found


def _ends(tally: Tally, place: int, theta: Floats, deviation: float, tables: Tables) -> tuple[float, float]:
    """Both ends of the interval of an agent's theta, the others' being as they are; NaN where nothing is known.

    `deviation` is the standard deviation of a block's influence on it.
    """
    mean = float(theta[place])
    expected = _Expected(place, theta, tables)
    if tally.blocks < 2 or math.isnan(mean):
        return math.nan, math.nan
    moments = tally.wins(place)
    rate = around(moments, tally.interval)
    if math.isinf(mean):
        nearest = expected.theta_at(rate.low if mean > 0 else rate.high) if expected.known else math.nan
        return (nearest, math.inf) if mean > 0 else (-math.inf, nearest)
    half = float(tally.interval.half_width(tally.blocks, deviation))
    if not expected.known:
        return mean - half, mean + half
    plain = float(tally.interval.half_width(tally.blocks, moments.deviation))
    win_rate, slope = expected(mean), expected.slope(mean)
    # The model's win rate is the one that was seen where all line-ups count alike, and else close to it.
    low, high = (win_rate + end - rate.mean if 0 < end < expected.most else end for end in (rate.low, rate.high))
    stretch = half * slope / plain if plain else 1.0
    return mean + (expected.theta_at(low) - mean) * stretch, mean + (expected.theta_at(high) - mean) * stretch


class _Expected:
    """The mean win rate of an agent over its line-ups, as the model has it, as a function of its theta."""

    def __init__(self, place: int, theta: Floats, tables: Tables) -> None:
        self._tables = []
        """Copies of the agent, the weight of the others, how many of the line-ups there are."""
        self.known = True
        """Whether all its line-ups have others whose weights are known."""
        for slots in tables:
            copies = slots.count(place)
            if 0 < copies < len(slots):
                weight = sum(math.exp(theta[other]) for other in slots if other != place and theta[other] < math.inf)
                self.known &= weight > 0 and all(theta[other] < math.inf for other in slots if other != place)
                self._tables.append((copies, weight))
        self.known &= bool(self._tables)
        self.most = statistics.fmean(1 / copies for copies, _ in self._tables) if self._tables else 0.0

    def __call__(self, theta: float) -> float:
        return statistics.fmean(1 / (copies + weight * math.exp(-theta)) for copies, weight in self._tables)

    def slope(self, theta: float) -> float:
        """The derivative."""
        return statistics.fmean(
            weight * math.exp(-theta) / (copies + weight * math.exp(-theta)) ** 2 for copies, weight in self._tables
        )

    def theta_at(self, win_rate: float) -> float:
        """The theta at which so much is won; infinite where none is enough or little enough."""
        if win_rate <= 0 or win_rate >= self.most:
            return math.copysign(math.inf, win_rate - self.most / 2)

        if self(-FARTHEST) >= win_rate or self(FARTHEST) <= win_rate:
            return math.copysign(math.inf, win_rate - self.most / 2)
        return float(optimize.brentq(lambda theta: self(theta) - win_rate, -FARTHEST, FARTHEST, xtol=1e-9))


def _at(value: float) -> Estimate:
    return Estimate(value, value, value)


def _nothing(agents: Sequence[int], note: str) -> list[Strength]:
    return [Strength(agent, _at(math.nan), note) for agent in agents]


Tables = dict[tuple[int, ...], npt.NDArray[np.int64]]
"""Places of agents by slot -> wins of each slot's agent, counted at its first slot. Line-ups alike are one."""


def _tables(tally: Tally) -> Tables:
    place = {agent: number for number, agent in enumerate(tally.agent_numbers)}
    tables: Tables = {}
    for members in tally.wins_by_lineup():
        seated = sorted((place[entry.agent], entry.copies, won) for entry, won in members)
        slots = tuple(agent for agent, copies, _ in seated for _ in range(copies))
        wins = tables.setdefault(slots, np.zeros(len(slots), np.int64))
        for agent, _, won in seated:
            wins[slots.index(agent)] += won
    return tables


def _graph(agents: int, edges: Sequence[tuple[int, int]]) -> Any:
    rows, columns = np.array(edges, np.int64).reshape(-1, 2).T
    return sparse.coo_array((np.ones(len(rows), np.int8), (rows, columns)), (agents, agents)).tocsr()


def _joined(agents: int, tables: Tables) -> bool:
    """Whether a chain of line-ups joins all agents."""
    edges = [(slots[0], agent) for slots in tables for agent in slots]
    return int(csgraph.connected_components(_graph(agents, edges), directed=False, return_labels=False)) == 1


def _core(agents: int, tables: Tables) -> tuple[npt.NDArray[np.bool_], npt.NDArray[np.bool_], npt.NDArray[np.bool_]]:
    """The largest set of agents between any two of which chains of wins lead both ways, and who is above and below."""
    beaten = {
        (winner, loser)
        for slots, wins in tables.items()
        for winner, won in zip(slots, wins.tolist(), strict=True)
        if won
        for loser in slots
        if loser != winner
    }
    beats = _graph(agents, sorted(beaten))
    _, groups = csgraph.connected_components(beats, directed=True, connection="strong")
    start = int(np.argmax(np.bincount(groups)[groups]))  # of groups as large, that of the first agent
    core = groups == groups[start]
    above, below = np.zeros(agents, bool), np.zeros(agents, bool)
    below[csgraph.breadth_first_order(beats, start, return_predecessors=False)] = True
    above[csgraph.breadth_first_order(beats.T.tocsr(), start, return_predecessors=False)] = True
    return core, above & ~core, below & ~core


class _Likelihood:
    """The negative log-likelihood of a run's deals a block, as a function of theta, with two derivatives.

    The logarithm of the chance that slot k wins at a table is theta[k] less the log-sum-exp of all its slots. So the
    gradient of a table's deals is their number times the softmax, less the wins, and the second derivatives are those
    of the log-sum-exp. An agent in two slots is two of equal strength.
    """

    def __init__(self, tables: Sequence[tuple[npt.NDArray[np.int64], float]], wins: npt.NDArray[np.float64]) -> None:
        """`tables`: agents by slot, and deals a block. `wins`: of each agent, a block."""
        self._wins = wins
        self._of_size: list[tuple[npt.NDArray[np.int64], npt.NDArray[np.float64]]] = []
        for size in range(2, SEATS + 1):
            alike = [table for table in tables if len(table[0]) == size]
            if alike:
                slots, deals = np.array([slots for slots, _ in alike]), np.array([deals for _, deals in alike])
                self._of_size.append((slots, deals))

    def derivatives(self, theta: npt.NDArray[np.float64]) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
        gradient = -self._wins
        hessian = np.zeros((len(theta), len(theta)))
        for slots, deals in self._of_size:
            chances = special.softmax(theta[slots], axis=1)
            second = chances[:, :, None] * (np.eye(slots.shape[1]) - chances[:, None, :])
            np.add.at(gradient, slots, deals[:, None] * chances)
            np.add.at(hessian, (slots[:, :, None], slots[:, None, :]), deals[:, None, None] * second)
        return gradient, hessian


def _fit(
    tally: Tally, core: npt.NDArray[np.bool_], tables: Tables
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """Theta of the agents in the core, and the standard deviation of a block's influence on it; NaN elsewhere.

    An agent above the core wins all deals in which it meets it, one below none: as its theta goes to infinity either
    way, what is left of the likelihood is that of the deals that the core won, among the core.
    """
    inside = np.flatnonzero(core)
    number = np.cumsum(core) - 1
    seated = []
    wins = np.zeros(len(inside))
    for slots, won in tables.items():
        of_core = [place for place, agent in enumerate(slots) if core[agent]]
        deals = int(won[of_core].sum())
        if deals and len(of_core) > 1:
            places = number[[slots[place] for place in of_core]]
            np.add.at(wins, places, won[of_core] / tally.blocks)
            seated.append((places, deals / tally.blocks))
    theta, deviation = np.full(len(core), math.nan), np.full(len(core), math.nan)
    likelihood = _Likelihood(seated, wins)
    fitted = _newton(likelihood, np.zeros(len(inside)))
    theta[inside] = fitted
    if tally.blocks > 1:
        _, hessian = likelihood.derivatives(fitted)
        # Adding to all thetas alike changes nothing; by rounding that direction is only nearly without curvature.
        influence = np.linalg.pinv(hessian, rcond=FLAT, hermitian=True)
        covariance = tally.wins_covariance()[np.ix_(inside, inside)]
        deviation[inside] = np.sqrt(np.maximum(np.diag(influence @ covariance @ influence), 0.0))
    return theta, deviation


def _newton(likelihood: _Likelihood, theta: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """The minimum, of mean 0, by Newton's method; the function is convex and has one.

    A step is halved while it leads so far beyond the lowest point on its way that the slope there is half as steep.
    """
    gradient, hessian = likelihood.derivatives(theta)
    for _ in range(MOST_STEPS):
        step = np.linalg.lstsq(hessian, -gradient, rcond=None)[0]
        step -= step.mean()
        if np.abs(step).max() < ENOUGH:
            return theta + step
        slope = float(gradient @ step)
        while True:
            gradient, hessian = likelihood.derivatives(theta + step)
            if float(gradient @ step) <= -slope / 2 or np.abs(step).max() < ENOUGH:
                break
            step, slope = step / 2, slope / 2
        theta = theta + step
    return theta
