"""Line-ups and seatings: which four agents meet, and in which seats.

A *line-up* is four agents, one a *slot*; the same agent may take several slots. A *seating* gives each seat its slot.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Hashable, Sequence
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from bigtwo_sim.big_two.layout import SEATS

Item = TypeVar("Item")


def lineups(agents: Sequence[Item]) -> list[tuple[Item, ...]]:
    """The line-ups in which `agents` (different ones, at least one) meet.

    Four agents: these four. Fewer: every way to fill four slots that seats each at least once. More: every four.

    >>> ["".join(lineup) for lineup in lineups("AB")]
    ['ABBB', 'AABB', 'AAAB']
    >>> ["".join(lineup) for lineup in lineups("ABCDE")]
    ['ABCD', 'ABCE', 'ABDE', 'ACDE', 'BCDE']

    Raises ValueError where there is no agent.
    """
    if not agents:
        raise ValueError("there is no agent; a line-up needs at least one")
    if len(agents) >= SEATS:
        return list(itertools.combinations(agents, SEATS))
    # Where the slots of one agent end and those of the next begin: cuts between the four slots.
    cuts = itertools.combinations(range(1, SEATS), len(agents) - 1)
    return [
        tuple(agent for agent, i, j in zip(agents, (0, *cut), (*cut, SEATS), strict=True) for _ in range(i, j))
        for cut in cuts
    ]


def lineup_count(agents: int) -> int:
    """How many line-ups `lineups` makes of so many agents."""
    return math.comb(agents, SEATS) if agents >= SEATS else math.comb(SEATS - 1, agents - 1)


def seatings(lineup: Sequence[Hashable]) -> npt.NDArray[np.int64]:
    """Every distinct seating of a line-up of four: int64[n, 4], the slot at each seat.

    Equal members are not exchanged with each other: ABBB has 4 seatings, AABB 6, ABCC 12, ABCD 24.

    >>> seatings("ABBB").tolist()
    [[0, 1, 2, 3], [1, 0, 2, 3], [1, 2, 0, 3], [1, 2, 3, 0]]

    Raises ValueError for other than four members.
    """
    if len(lineup) != SEATS:
        raise ValueError(f"the line-up has {len(lineup)} members; it must have {SEATS}")
    found: dict[tuple[Hashable, ...], tuple[int, ...]] = {}
    for slots in itertools.permutations(range(SEATS)):
        found.setdefault(tuple(lineup[slot] for slot in slots), slots)
    return np.array(list(found.values()), np.int64)
