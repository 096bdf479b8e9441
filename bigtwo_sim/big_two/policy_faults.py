"""The faults of compiled policies: the compiled loop only counts them, the Python loop plays the deal again to tell."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from bigtwo_sim.big_two.fault import Fault
from bigtwo_sim.big_two.policy import PolicyAgent
from bigtwo_sim.big_two.python_loop import PythonLoop
from bigtwo_sim.big_two.rules import Rules


def policy_faults(
    agents: Sequence[PolicyAgent],
    rules: Rules,
    key: np.uint64,
    first: int,
    seatings: npt.NDArray[np.int64],
    results: npt.NDArray[Any],
) -> tuple[Fault, ...]:
    """The first fault of each agent in `results`, RESULT[blocks, n], which `play_blocks` gave for the other arguments.

    Only deals in which a new agent forfeits are played again.
    """
    at_fault = results["forfeits"] > 0
    if not at_fault.any():
        return ()
    loop = PythonLoop(agents, rules)
    known: set[str] = set()
    for block, seating in np.argwhere(at_fault.any(axis=2)).tolist():
        slots = seatings[seating].tolist()
        names = {agents[slot].name for slot, faulty in zip(slots, at_fault[block, seating], strict=True) if faulty}
        if not names <= known:
            loop.play_deal(key, first + block, slots)
            known |= names
    return loop.faults
