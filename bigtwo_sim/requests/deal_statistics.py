"""What happened in each of very many deals, for who studies the game."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy.typing as npt

from bigtwo_sim.arena import cores
from bigtwo_sim.games.big_two.kernels.deal_statistics import census
from bigtwo_sim.requests.inputs import AgentLike, RulesLike, big_two_rules, compiled, distinct


def deal_statistics(
    agents: Sequence[AgentLike],
    *,
    deals: int,
    rules: RulesLike = None,
    seed: int = 0,
    first: int = 0,
    workers: int | None = None,
) -> npt.NDArray[Any]:
    """Play the deals `first` to `first` + `deals` - 1 of a seed; return what happened in each, a record a deal.

    `agents` are four compiled ones, who keep their seats; every deal stands alone. Fields: `hands` (the bits of the
    hands that were dealt), `leader`, `winner`, `points`, `left`, `turns`, `tricks`, and `kinds`, how many plays there
    were of each `bigtwo_sim.games.big_two.Kind`. Raises AgentError, RequestError and RulesError for what cannot be
    meant, ValueError for less than one deal.
    """
    different, places = distinct(agents)
    made = [compiled(agent) for agent in different]
    return census([made[place] for place in places], big_two_rules(rules), seed, deals, first, workers or cores())
