"""Live play by the clock: Monte Carlo that goes on dealing worlds until its time is used.

The work of `bigtwo_agents.big_two.monte_carlo` in batches, with a look at the clock after each. Half of
    the options are dropped each
time an equal part of the time has passed (see sequential halving there). How many worlds that makes depends on the
machine, so its games cannot be repeated; a budget in worlds can.
"""

from __future__ import annotations

import time
from collections.abc import Mapping

import numpy as np

from bigtwo_agents.big_two import monte_carlo
from bigtwo_agents.big_two.analysis import VALUE, Position
from bigtwo_sim.core.rng import stream_of_seed
from bigtwo_sim.games.big_two import CardSet, Deal, Rules, View
from bigtwo_sim.search.settings import CANDIDATES

FIRST_BATCH = 2  # worlds; later batches are as long as the clock needs them to be
STEP = 0.0005  # seconds that a batch takes, about


class LiveMonteCarlo:
    """A Python agent that thinks for `milliseconds` a decision: `name=bigtwo_agents.big_two.live:LiveMonteCarlo`.

    `settings` are those of the method `monte_carlo`; `worlds` does not count. A certain finish takes no time, and where
    only one option is left, none of what remains. After a decision `worlds` is how many it has looked at. Threads may
    share it.

    Raises ValueError for a time that is not positive, AgentError for unknown settings.
    """

    def __init__(self, milliseconds: float = 50.0, settings: Mapping[str, float] | None = None) -> None:
        if not milliseconds > 0:
            raise ValueError(f"milliseconds is {milliseconds}; it must be more than 0")
        self.seconds = 0.0
        self.params = monte_carlo.METHOD.params(settings)
        self.worlds = 0
        self.choose(Deal.new(Rules(), 0).view())  # loads or compiles what is needed, before any clock runs
        self.seconds = milliseconds / 1000

    def choose(self, view: View) -> CardSet:
        """The cards to lay; an empty set passes."""
        began = time.perf_counter()
        here = Position(view)
        chosen = here.best_scored(max(1, int(self.params[CANDIDATES])))
        worlds = 0
        if not here.certain[chosen[0]] and len(chosen) > 1:
            chosen, worlds = self._halve(here, chosen, began)
        self.worlds = worlds
        return CardSet(int(here.options[chosen[0]]), view.rules.deck)

    def _halve(self, here: Position, chosen, began: float):
        """Drop the worse half of the options again and again until the time is used.

        Returns what is left, the best first, and the number of worlds that were played.
        """
        stream = stream_of_seed(here.view.stream_seed)
        rounds = int(len(chosen) - 1).bit_length()
        sums = np.zeros(len(chosen))
        worlds = 0
        batch = FIRST_BATCH
        takes = 0.0  # seconds, about: the next batch
        now = time.perf_counter()
        for number in range(rounds):
            end = began + self.seconds * (number + 1) / rounds
            while now + takes < end or worlds == 0:
                outcomes = here.play(chosen, batch, self.params, stream)
                sums += outcomes[:, :, VALUE].sum(axis=0)
                worlds += batch
                took, now = time.perf_counter() - now, time.perf_counter()
                each = took / batch
                batch = max(1, min(2 * batch, int(STEP / each)))
                takes = batch * each
            best = np.argsort(-sums, kind="stable")[: (len(chosen) + 1) // 2]
            chosen, sums = chosen[best], sums[best]
        return chosen, worlds
