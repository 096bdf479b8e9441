"""What a game tells of itself, so that the arena can play it without knowing it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from bigtwo_sim.core.kernel import kernel
from bigtwo_sim.games.base.ruleset import RuleSet

FIGURES = ("points", "left", "decisions", "forfeits")
"""What every game has of each seat, behind the wins: points, cards left, turns on which it had a choice, and those of
them that it forfeited."""
ROLE_COLUMNS = ("deals", "wins", "points")
"""What is summed of an agent in a role: in how many deals it had it, how many of these it won, its points in them."""


@dataclass(frozen=True)
class StatColumns:
    """What is summed over the deals of a block for each agent of a line-up: whole numbers, by name.

    Wins from each seat and FIGURES; in a game with roles ROLE_COLUMNS of each role, and in one with an auction how many
    deals there were by the agent's highest bid.
    """

    seats: int
    roles: tuple[str, ...] = ()
    bids: tuple[str, ...] = ()
    """The bids as an agent may have made them, none included."""
    one_winner: bool = True
    """Whether each deal is won by one seat; else by a side, each seat of which then has a win."""

    @cached_property
    def wins(self) -> tuple[str, ...]:
        """The columns of wins by seat; they are the first ones."""
        return tuple(f"wins_{seat}" for seat in range(self.seats))

    @cached_property
    def columns(self) -> tuple[str, ...]:
        """The names of all that is summed."""
        by_role = (f"{role}_{name}" for role in self.roles for name in ROLE_COLUMNS)
        bids = (f"bid_{bid}" for bid in self.bids)
        return (*self.wins, *FIGURES, *by_role, *bids)

    def column(self, name: str) -> int:
        """The place of a column."""
        return self.columns.index(name)


@kernel(inline=True)  # type: ignore[untyped-decorator]
def add_figures(sums: Any, block: Any, row: Any, seats: Any, result: Any, seat: Any) -> None:
    """Add the figures of a seat that every game has (behind the wins) to a row of a block of `sums`."""
    sums[block, row, seats] += result["points"][seat]
    sums[block, row, seats + 1] += result["left"][seat]
    sums[block, row, seats + 2] += result["decisions"][seat]
    sums[block, row, seats + 3] += result["forfeits"][seat]


@dataclass(frozen=True)
class Game:
    """A game as the arena plays it."""

    name: str
    """As it is named on the command line and in a run's manifest."""
    title: str
    rules: type[RuleSet]
    stat_columns: Mapping[int, StatColumns]
    """By the number of players, what is summed of a deal."""
    play_blocks: Callable[..., Any]
    """play_blocks(agents, rules, key, first, blocks, seatings) -> RESULT[blocks, seatings]: the compiled loop."""
    accumulate: Callable[..., None]
    """accumulate(results, rows, sums): adds RESULT[blocks, n] to `sums` int64[blocks, entries, columns]; `rows` [n,
    seats] is the entry by seat."""
    python_loop: Callable[..., Any]
    """python_loop(agents, rules, strict=…) -> the loop for agents of which some are written in Python."""
    load_fault: Callable[[Path], Any]
    """Reads a fault that the loop wrote. Raises FaultError."""
    speaks_to_programs: bool = False
    """Whether it has a protocol by which agents are asked in processes of their own."""
