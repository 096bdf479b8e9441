"""The faults of compiled policies: the compiled loop only counts them, the Python loop plays the deal again to tell."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from bigtwo_sim.games.base.agent import PolicyAgent
from bigtwo_sim.games.base.ruleset import RuleSet
from bigtwo_sim.games.registry import game_of


def policy_faults(
    agents: Sequence[PolicyAgent],
    rules: RuleSet,
    key: npt.NDArray[np.uint64],
    first: int,
    seatings: npt.NDArray[np.int64],
    results: npt.NDArray[Any],
) -> tuple[Any, ...]:
    """The first fault of each agent in `results`, RESULT[blocks, n], which `play_blocks` gave for the other arguments.

    Only deals in which a new agent forfeits are played again.
    """
    at_fault = results["forfeits"] > 0
    if not at_fault.any():
        return ()
    loop = game_of(rules).python_loop(agents, rules)
    known: set[str] = set()
    for block, seating in np.argwhere(at_fault.any(axis=2)).tolist():
        slots = seatings[seating].tolist()
        faulty = at_fault[block, seating, : len(slots)]
        names = {agents[slot].name for slot, is_at_fault in zip(slots, faulty, strict=True) if is_at_fault}
        if not names <= known:
            loop.play_deal(key, first + block, slots)
            known |= names
    faults: tuple[Any, ...] = loop.take_faults()
    return faults
