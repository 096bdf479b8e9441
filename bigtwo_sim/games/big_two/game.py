"""Big Two as the arena sees it."""

from __future__ import annotations

from typing import Any

from numba import from_dtype, types

from bigtwo_sim.core.kernel import kernel
from bigtwo_sim.games.base.game import Game, StatColumns, add_figures
from bigtwo_sim.games.big_two import layout as at
from bigtwo_sim.games.big_two.fault import Fault
from bigtwo_sim.games.big_two.kernels.selfplay import RESULT, play_blocks
from bigtwo_sim.games.big_two.python_loop import PythonLoop
from bigtwo_sim.games.big_two.rules import Rules

COUNTING = StatColumns(at.SEATS)

_ADD_UP = types.void(types.Array(from_dtype(RESULT), 2, "C"), types.int64[:, ::1], types.int64[:, :, ::1])


@kernel(signature=_ADD_UP)  # type: ignore[untyped-decorator]
def _add_up(results: Any, rows: Any, sums: Any) -> None:
    """Add RESULT[blocks, n] to `sums` (int64[blocks, entries, columns]); `rows` int64[n, 4] is the entry by seat."""
    for block in range(results.shape[0]):
        for seating in range(results.shape[1]):
            result = results[block, seating]
            for seat in range(at.SEATS):
                add_figures(sums, block, rows[seating, seat], at.SEATS, result, seat)
            winner = result["winner"]
            sums[block, rows[seating, winner], winner] += 1


GAME = Game(
    name=Rules.GAME,
    title=Rules.TITLE,
    rules=Rules,
    stat_columns={at.SEATS: COUNTING},
    play_blocks=play_blocks,
    accumulate=_add_up,
    python_loop=PythonLoop,
    load_fault=Fault.load,
    speaks_to_programs=True,
)
