"""Big Three as the arena sees it: who was on the winning side, in which role, and who bid what."""

from __future__ import annotations

from typing import Any

from numba import from_dtype, types

from bigtwo_sim.core.kernel import kernel
from bigtwo_sim.games.base.game import FIGURES, ROLE_COLUMNS, Game, StatColumns, add_figures
from bigtwo_sim.games.big_three import layout as at
from bigtwo_sim.games.big_three.fault import Fault
from bigtwo_sim.games.big_three.kernels.selfplay import RESULT, play_blocks
from bigtwo_sim.games.big_three.python_loop import PythonLoop
from bigtwo_sim.games.big_three.rules import Rules

SOLO = StatColumns(at.SOLO_PLAYERS, ("soloist", "opponent"), ("none", *map(str, range(1, at.HIGHEST_BID + 1))), False)
PAIRS = StatColumns(at.PAIRS_PLAYERS, one_winner=False)

_ROLES = at.SOLO_PLAYERS + len(FIGURES)  # where the columns of the roles begin, of three players
_OF_A_ROLE = len(ROLE_COLUMNS)
_BIDS = _ROLES + len(SOLO.roles) * _OF_A_ROLE
_ADD_UP = types.void(types.Array(from_dtype(RESULT), 2, "C"), types.int64[:, ::1], types.int64[:, :, ::1])


@kernel(signature=_ADD_UP)  # type: ignore[untyped-decorator]
def _add_up(results: Any, rows: Any, sums: Any) -> None:
    """Add RESULT[blocks, n] to `sums` (int64[blocks, entries, columns]); `rows` int64[n, seats]: the entry by seat."""
    seats = rows.shape[1]
    for block in range(results.shape[0]):
        for seating in range(results.shape[1]):
            result = results[block, seating]
            soloist = result["soloist"]
            for seat in range(seats):
                row = rows[seating, seat]
                add_figures(sums, block, row, seats, result, seat)
                if soloist < 0:
                    won = 1 if result["points"][seat] > 0 else 0  # the stake is never 0
                    sums[block, row, seat] += won
                    continue
                won = 1 if (seat == soloist) == (result["winner"] == soloist) else 0
                sums[block, row, seat] += won
                role = _ROLES if seat == soloist else _ROLES + _OF_A_ROLE
                sums[block, row, role] += 1
                sums[block, row, role + 1] += won
                sums[block, row, role + 2] += result["points"][seat]
                sums[block, row, _BIDS + result["bids"][seat]] += 1


GAME = Game(
    name=Rules.GAME,
    title=Rules.TITLE,
    rules=Rules,
    stat_columns={at.SOLO_PLAYERS: SOLO, at.PAIRS_PLAYERS: PAIRS},
    play_blocks=play_blocks,
    accumulate=_add_up,
    python_loop=PythonLoop,
    load_fault=Fault.load,
)
