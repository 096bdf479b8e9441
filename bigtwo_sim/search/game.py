"""What a search must know of a game: its kernels, under the names that the search calls them by."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from bigtwo_sim.search.settings import POLICIES

Kernel = Callable[..., Any]
MAX_VISITED = 64  # own turns of one rollout that are learnt from


@dataclass(frozen=True)
class SearchedGame:
    """A game as a search sees it. `state` is a record of its public half, `hands` and `world` are uint64[hands]."""

    public: np.dtype[Any]
    """The dtype of the public half of a deal."""
    seats: int
    hands: int
    """Entries of the hidden half: the hands by seat, and perhaps more."""
    cards: int
    max_plays: int
    heuristic_params: npt.NDArray[np.float32]
    score_options: Kernel
    """score_options(hand, state, plays, strengths, count, params, scores) -> (best option, whether it surely wins)"""
    greedy: Kernel
    """greedy(hand, state, plays, count) -> option"""
    legal_actions: Kernel
    """legal_actions(state, hand, plays, strengths) -> (count, may_pass)"""
    apply_play: Kernel
    """apply_play(state, hands, play, strength)"""
    apply_pass: Kernel
    """apply_pass(state, hands)"""
    position_hash: Kernel
    """position_hash(state) -> uint64 of what lies on the table"""
    deal_world: Kernel
    """deal_world(public, hand, world, dealt, cards, stream): a world, and the hands as they were dealt if it is true"""
    enter_world: Kernel
    """enter_world(public, world, state, hands): to where the deal stands"""
    enter_first_turn: Kernel
    """enter_first_turn(public, dealt, state, hands): to where the deal began"""
    turns_taken: Kernel
    """turns_taken(public) -> how many there were"""
    calls_taken: Kernel
    """calls_taken(public) -> how many of them, the first ones, were in an auction: by these belief always judges"""
    turn_taken: Kernel
    """turn_taken(public, turn) -> (play, strength) of one of them; play 0: a pass"""
    is_same_play: Kernel
    """is_same_play(play, strength, other_play, other_strength) -> whether a choice comes to the same (0: a pass)"""
    first_judged: int
    """The first turn by which belief may judge: those before it were bound by a rule."""
    settle: Kernel
    """settle(state, hands, points) at the end"""
    utility: Kernel
    """utility(public, points, winner, params) -> what the outcome is worth to the seat on turn"""

    def workspace(self) -> np.dtype[Any]:
        """The scratch space of one decision, a record."""
        return np.dtype(
            (
                np.record,
                np.dtype(
                    [
                        ("state", self.public),  # the deal that is played on
                        ("hands", np.uint64, (self.hands,)),
                        ("trial", np.uint64, (self.hands,)),  # a world that may replace another
                        ("dealt", np.uint64, (self.hands,)),
                        (
                            "policy_posterior",
                            np.float64,
                            (self.seats, POLICIES),
                        ),  # how well each policy fits each seat's turns
                        ("cards", np.int64, (self.cards,)),
                        ("points", np.int64, (self.seats,)),
                        ("budget", np.int64, (1,)),
                        ("scores", np.float64, (self.max_plays + 1,)),
                        ("options", np.int64, (self.max_plays + 1,)),
                        ("sums", np.float64, (self.max_plays + 1,)),
                        ("misjudged", np.float64, (self.max_plays + 1,)),  # by how much, by option
                        ("visited", np.int64, (MAX_VISITED,)),  # what the rollout at hand chose at own later turns
                    ],
                    align=True,
                ),
            )
        )
