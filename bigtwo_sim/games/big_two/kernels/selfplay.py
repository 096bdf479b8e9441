"""The compiled loop over blocks of deals between four policies, as `block_loop` makes it for Big Two."""

from __future__ import annotations

import numpy as np

from bigtwo_sim.core.kernel import kernel
from bigtwo_sim.games.base.kernels.block_loop import LoopedGame, make_block_loop
from bigtwo_sim.games.big_two import layout as at
from bigtwo_sim.games.big_two.kernels import scoring, turns
from bigtwo_sim.games.big_two.kernels.moves import new_buffers
from bigtwo_sim.games.big_two.kernels.turns import apply_play, legal_actions, new_public
from bigtwo_sim.games.big_two.policy import POLICY_TYPE

RESULT = np.dtype(
    (
        np.record,
        np.dtype(
            [
                ("winner", np.int8),  # seat
                ("left", np.int8, (at.SEATS,)),  # cards left by seat
                ("points", np.int32, (at.SEATS,)),  # by seat
                ("decisions", np.int16, (at.SEATS,)),  # turns with a choice, by seat
                ("forfeits", np.int16, (at.SEATS,)),  # of these, the ones forfeited (see `PythonLoop`), by seat
            ],
            align=True,
        ),
    )
)
"""What is kept of a deal."""


@kernel(inline=True)
def _deal(hands, public, cards, stream):
    turns.deal_hands(hands, cards, stream)


@kernel(inline=True)
def _start(public, hands):
    turns.start_deal(public, hands, -1)


@kernel(inline=True)
def _pass_turn(public, hands):
    turns.apply_pass(public)


@kernel(inline=True)
def _settle(public, hands, points):
    scoring.settle(hands, public.winner, public.rules, points)


@kernel(inline=True)
def _note(public, result):
    pass


_GAME = LoopedGame(
    public=at.PUBLIC,
    result=RESULT,
    hands=at.SEATS,
    cards=at.CARDS,
    policy_type=POLICY_TYPE,
    new_public=new_public,
    new_buffers=new_buffers,
    deal=_deal,
    start=_start,
    legal_actions=legal_actions,
    apply_play=apply_play,
    apply_pass=_pass_turn,
    settle=_settle,
    note=_note,
)
_LOOP = make_block_loop(_GAME)
play_blocks = _LOOP.play_blocks
play_blocks_kernel = _LOOP.play_blocks_kernel
play_deal = _LOOP.play_deal
WORKSPACE = _GAME.workspace()
