"""The compiled loop over blocks of deals between policies, as `block_loop` makes it for Big Three.

With the hands, who speaks first and (given how the policies bid) the soloist's role go round among the members of the
line-up. Seat 0 is the dealer in all deals.
"""

from __future__ import annotations

import numpy as np

from bigtwo_sim.core.kernel import kernel
from bigtwo_sim.games.base.kernels.block_loop import LoopedGame, make_block_loop
from bigtwo_sim.games.big_three import layout as at
from bigtwo_sim.games.big_three.kernels import scoring, turns
from bigtwo_sim.games.big_three.kernels.moves import new_buffers
from bigtwo_sim.games.big_three.kernels.turns import apply_pass, apply_play, legal_actions, new_public
from bigtwo_sim.games.big_three.policy import POLICY_TYPE

HANDS = at.KITTY + 1
DEALER = 0

RESULT = np.dtype(
    (
        np.record,
        np.dtype(
            [
                ("winner", np.int8),  # seat
                ("soloist", np.int8),  # seat; NOBODY of four players
                ("bid", np.int8),  # what was played for; of four players 0, for the stake is in the rules
                ("bids", np.int8, (at.SEATS,)),  # highest bid by seat, 0: none
                ("left", np.int8, (at.SEATS,)),  # cards left by seat
                ("points", np.int32, (at.SEATS,)),  # stakes won, less those lost, by seat
                ("decisions", np.int16, (at.SEATS,)),  # turns with a choice, by seat
                ("forfeits", np.int16, (at.SEATS,)),  # of these, the ones forfeited (see `play_blocks`), by seat
            ],
            align=True,
        ),
    )
)
"""What is kept of a deal. With three players seat 3 is empty."""


@kernel(inline=True)
def _deal(hands, public, cards, stream):
    turns.deal_hands(hands, public.rules, cards, stream)


@kernel(inline=True)
def _start(public, hands):
    turns.start_deal(public, hands, DEALER, at.NOBODY)


@kernel(inline=True)
def _settle(public, hands, points):
    scoring.settle(public, points)


@kernel(inline=True)
def _note(public, result):
    result.soloist = public.soloist
    result.bid = public.bid if public.soloist >= 0 else 0
    for seat in range(public.rules[at.PLAYERS]):
        result.bids[seat] = public.bids[seat]


_GAME = LoopedGame(
    public=at.PUBLIC,
    result=RESULT,
    hands=HANDS,
    cards=at.CARDS,
    policy_type=POLICY_TYPE,
    new_public=new_public,
    new_buffers=new_buffers,
    deal=_deal,
    start=_start,
    legal_actions=legal_actions,
    apply_play=apply_play,
    apply_pass=apply_pass,
    settle=_settle,
    note=_note,
)
_LOOP = make_block_loop(_GAME)
play_blocks = _LOOP.play_blocks
