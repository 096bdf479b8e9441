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
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from bigtwo_sim.arena.lineups import SEATS
from bigtwo_sim.arena.statistics import Estimate, Tally

RATING_UNIT = 400 / math.log(10)
"""A rating is theta in the unit of chess: 400 more win ten times as often at the same table."""

MOST_LINEUPS = 20_000
"""The likelihood is taken line-up by line-up; so many take some seconds."""

MOST_STEPS = 100
ENOUGH = 1e-7  # a step after which theta is exact to rounding, as steps get smaller by squaring


@dataclass(frozen=True)
class Strength:
    """An agent's place on the scale."""

    agent: int
    theta: Estimate
    """Natural logarithm of its weight, the mean over the agents that have one being 0. Infinite where all that can be
    said is that it is above or below all of these, NaN where nothing can be said."""
    note: str
    """Why there is no finite number; empty where there is one."""

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
    if not tally.counting.one_winner:
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
    found = []
    for place, agent in enumerate(agents):
        if core[place]:
            mean, spread = float(theta[place]), float(deviation[place])
            margin = tally.interval.half_width(tally.blocks, spread) if tally.blocks > 1 else math.nan
            found.append(Strength(agent, Estimate(mean, mean - margin, mean + margin), ""))
        elif above[place]:
            found.append(Strength(agent, _at(math.inf), "never lost to those that have a number"))
        elif below[place]:
            found.append(Strength(agent, _at(-math.inf), "never won against those that have a number"))
        else:
            found.append(Strength(agent, _at(math.nan), "no chain of wins joins it to those that have a number"))
    return found


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
    from scipy.sparse import coo_array

    rows, columns = np.array(edges, np.int64).reshape(-1, 2).T
    return coo_array((np.ones(len(rows), np.int8), (rows, columns)), (agents, agents)).tocsr()


def _joined(agents: int, tables: Tables) -> bool:
    """Whether a chain of line-ups joins all agents."""
    from scipy.sparse.csgraph import connected_components

    edges = [(slots[0], agent) for slots in tables for agent in slots]
    return int(connected_components(_graph(agents, edges), directed=False, return_labels=False)) == 1


def _core(agents: int, tables: Tables) -> tuple[npt.NDArray[np.bool_], npt.NDArray[np.bool_], npt.NDArray[np.bool_]]:
    """The largest set of agents between any two of which chains of wins lead both ways, and who is above and below."""
    from scipy.sparse.csgraph import breadth_first_order, connected_components

    beaten = {
        (winner, loser)
        for slots, wins in tables.items()
        for winner, won in zip(slots, wins.tolist(), strict=True)
        if won
        for loser in slots
        if loser != winner
    }
    beats = _graph(agents, sorted(beaten))
    _, groups = connected_components(beats, directed=True, connection="strong")
    start = int(np.argmax(np.bincount(groups)[groups]))  # of groups as large, that of the first agent
    core = groups == groups[start]
    above, below = np.zeros(agents, bool), np.zeros(agents, bool)
    below[breadth_first_order(beats, start, return_predecessors=False)] = True
    above[breadth_first_order(beats.T.tocsr(), start, return_predecessors=False)] = True
    return core, above & ~core, below & ~core


class _Likelihood:
    """The negative log-likelihood of a run's deals a block, as a function of theta, with two derivatives.

    Of one table it is that of choix (`choix.opt.Top1Fcts`). The events "slot k wins" of a table differ by a linear
    term and share the rest, so one of them, counted for all the table's deals, and the wins of each agent are enough.
    Every slot has a parameter of its own there: an agent in two slots is two of equal strength.
    """

    def __init__(self, tables: Sequence[tuple[npt.NDArray[np.int64], float]], wins: npt.NDArray[np.float64]) -> None:
        """`tables`: agents by slot, and deals a block. `wins`: of each agent, a block."""
        from choix.opt import Top1Fcts

        self._wins = wins
        self._of_size: list[tuple[Any, npt.NDArray[np.int64], npt.NDArray[np.float64]]] = []
        for size in range(2, SEATS + 1):
            alike = [table for table in tables if len(table[0]) == size]
            if alike:
                slots, deals = np.array([slots for slots, _ in alike]), np.array([deals for _, deals in alike])
                self._of_size.append((Top1Fcts([(0, tuple(range(1, size)))], 0.0), slots, deals))

    def derivatives(self, theta: npt.NDArray[np.float64]) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
        gradient = -self._wins
        hessian = np.zeros((len(theta), len(theta)))
        for first_wins, slots, deals in self._of_size:
            first = np.array([first_wins.gradient(at_table) for at_table in theta[slots]])
            second = np.array([first_wins.hessian(at_table) for at_table in theta[slots]])
            first[:, 0] += 1
            np.add.at(gradient, slots, deals[:, None] * first)
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
        influence = np.linalg.pinv(hessian, hermitian=True)
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
