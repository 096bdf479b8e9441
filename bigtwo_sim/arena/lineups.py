"""Line-ups and seatings: which agents meet, and in which seats.

A *line-up* is as many agents as there are seats, one a *slot*; the same agent may take several slots. A *seating* gives
each seat its slot.
"""

from __future__ import annotations

import itertools
import math
import shlex
from collections.abc import Hashable, Sequence
from typing import TypeVar

import numpy as np
import numpy.typing as npt

Item = TypeVar("Item")
SEATS = 4
"""Of a table of Big Two, and the most of any game."""
_NUMBERS = {3: "three", 4: "four"}


def number_word(seats: int) -> str:
    """A number of seats as a word."""
    return _NUMBERS.get(seats, str(seats))


def round_robin(agents: Sequence[Item], seats: int = SEATS) -> list[tuple[Item, ...]]:
    """The line-ups of so many seats in which all `agents` (different ones, at least one) meet.

    As many agents as seats: these. Fewer: every way to fill the slots that seats each at least once. More: every choice
    of so many.

    >>> ["".join(lineup) for lineup in round_robin("AB")]
    ['ABBB', 'AABB', 'AAAB']
    >>> ["".join(lineup) for lineup in round_robin("ABCDE")]
    ['ABCD', 'ABCE', 'ABDE', 'ACDE', 'BCDE']

    Raises ValueError where there is no agent.
    """
    if not agents:
        raise ValueError("there is no agent; a line-up needs at least one")
    if len(agents) >= seats:
        return list(itertools.combinations(agents, seats))
    # Where the slots of one agent end and those of the next begin: cuts between the slots.
    cuts = itertools.combinations(range(1, seats), len(agents) - 1)
    return [
        tuple(agent for agent, i, j in zip(agents, (0, *cut), (*cut, seats), strict=True) for _ in range(i, j))
        for cut in cuts
    ]


def lineup_count(agents: int, seats: int = SEATS) -> int:
    """How many line-ups `round_robin` makes of so many agents."""
    return math.comb(agents, seats) if agents >= seats else math.comb(seats - 1, agents - 1)


def gauntlet(agents: Sequence[Item], seats: int = SEATS) -> list[tuple[Item, ...]]:
    """The line-ups of the first of `agents` against a field: one of it, and each other one in all other slots.

    >>> ["".join(lineup) for lineup in gauntlet("ABC")]
    ['ABBB', 'ACCC']

    Raises ValueError for fewer than two agents.
    """
    if len(agents) < 2:
        raise ValueError(f"there are {len(agents)} agents; a gauntlet needs one and a field of at least one")
    first, *field = agents
    return [(first, *[other] * (seats - 1)) for other in field]


def mirrors(agents: Sequence[Item], seats: int = SEATS) -> list[tuple[Item, ...]]:
    """Each of `agents` alone at the table: all of a kind must win alike, and of Big Two from every seat alike."""
    return [(agent,) * seats for agent in agents]


def read_lineups(text: str, seats: int = SEATS) -> list[tuple[str, ...]]:
    """The line-ups of a text: an agent for each seat a line, split as a shell splits words; `#` begins a comment.

    >>> read_lineups("strong greedy greedy greedy  # one against three")
    [('strong', 'greedy', 'greedy', 'greedy')]

    Raises ValueError, which names the line, for another number of agents and for a text without a line-up.
    """
    found = []
    for number, line in enumerate(text.splitlines(), start=1):
        try:
            words = shlex.split(line, comments=True)
        except ValueError as error:
            raise ValueError(f"line {number}: {error}") from None
        if words and len(words) != seats:
            raise ValueError(f"line {number} names {len(words)} agents; a line-up is {seats}, separated by blanks")
        if words:
            found.append(tuple(words))
    if not found:
        raise ValueError(f"there is no line-up; each line names {seats} agents, separated by blanks")
    return found


def seatings(lineup: Sequence[Hashable]) -> npt.NDArray[np.int64]:
    """Every distinct seating of a line-up: int64[n, seats], the slot at each seat.

    Equal members are not exchanged with each other: ABBB has 4 seatings, AABB 6, ABCC 12, ABCD 24; ABB has 3, ABC 6.

    >>> seatings("ABBB").tolist()
    [[0, 1, 2, 3], [1, 0, 2, 3], [1, 2, 0, 3], [1, 2, 3, 0]]

    Raises ValueError for fewer than two members, and for more than any table has seats.
    """
    if not 2 <= len(lineup) <= SEATS:
        raise ValueError(f"the line-up has {len(lineup)} members; it must have 2 to {SEATS}")
    found: dict[tuple[Hashable, ...], tuple[int, ...]] = {}
    for slots in itertools.permutations(range(len(lineup))):
        found.setdefault(tuple(lineup[slot] for slot in slots), slots)
    return np.array(list(found.values()), np.int64)
