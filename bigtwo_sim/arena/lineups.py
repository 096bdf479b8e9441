"""Line-ups and seatings: which four agents meet, and in which seats.

A *line-up* is four agents, one a *slot*; the same agent may take several slots. A *seating* gives each seat its slot.
"""

from __future__ import annotations

import itertools
import math
import shlex
from collections.abc import Hashable, Sequence
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from bigtwo_sim.big_two.layout import SEATS

Item = TypeVar("Item")


def round_robin(agents: Sequence[Item]) -> list[tuple[Item, ...]]:
    """The line-ups in which all `agents` (different ones, at least one) meet.

    Four agents: these four. Fewer: every way to fill four slots that seats each at least once. More: every four.

    >>> ["".join(lineup) for lineup in round_robin("AB")]
    ['ABBB', 'AABB', 'AAAB']
    >>> ["".join(lineup) for lineup in round_robin("ABCDE")]
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
    """How many line-ups `round_robin` makes of so many agents."""
    return math.comb(agents, SEATS) if agents >= SEATS else math.comb(SEATS - 1, agents - 1)


def gauntlet(agents: Sequence[Item]) -> list[tuple[Item, ...]]:
    """The line-ups of the first of `agents` against a field: one of it among three of each other one.

    >>> ["".join(lineup) for lineup in gauntlet("ABC")]
    ['ABBB', 'ACCC']

    Raises ValueError for fewer than two agents.
    """
    if len(agents) < 2:
        raise ValueError(f"there are {len(agents)} agents; a gauntlet needs one and a field of at least one")
    first, *field = agents
    return [(first, *[other] * (SEATS - 1)) for other in field]


def mirrors(agents: Sequence[Item]) -> list[tuple[Item, ...]]:
    """Each of `agents` alone at the table: four of a kind must win a quarter each, and from every seat alike."""
    return [(agent,) * SEATS for agent in agents]


def read_lineups(text: str) -> list[tuple[str, ...]]:
    """The line-ups of a text: four agents a line, split as a shell splits words; `#` begins a comment.

    >>> read_lineups("strong greedy greedy greedy  # one against three")
    [('strong', 'greedy', 'greedy', 'greedy')]

    Raises ValueError, which names the line, for other than four agents and for a text without a line-up.
    """
    found = []
    for number, line in enumerate(text.splitlines(), start=1):
        try:
            words = shlex.split(line, comments=True)
        except ValueError as error:
            raise ValueError(f"line {number}: {error}") from None
        if words and len(words) != SEATS:
            raise ValueError(f"line {number} names {len(words)} agents; a line-up is {SEATS}, separated by blanks")
        if words:
            found.append(tuple(words))
    if not found:
        raise ValueError(f"there is no line-up; each line names {SEATS} agents, separated by blanks")
    return found


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
