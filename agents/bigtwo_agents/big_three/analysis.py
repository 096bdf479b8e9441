"""Analysis of Big Three: what every bid, play and pass of a position is expected to bring, each with its interval."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd

from bigtwo_agents.big_three import monte_carlo
from bigtwo_agents.big_three.search import GAME, SEARCH
from bigtwo_sim.analysis.options import AnalysedGame, OptionsOf, make_analysis
from bigtwo_sim.core.kernel import NO_BITS, U64, kernel
from bigtwo_sim.core.kernels.ranks import rank_counts
from bigtwo_sim.games.big_three import layout as at
from bigtwo_sim.games.big_three.deal import View
from bigtwo_sim.games.big_three.kernels.finish import is_unbeatable, leads_out
from bigtwo_sim.games.big_three.kernels.moves import new_buffers
from bigtwo_sim.games.big_three.kernels.scoring import partner_of
from bigtwo_sim.games.big_three.kernels.worlds import copy_rules, unseen_cards
from bigtwo_sim.games.big_three.position import public_record

STAKES, WIN = range(2)
MEASURES = ("points", "win")

COLUMNS = {
    "cards": "the play as text, weakest card first; 'bid 2' for a bid, 'pass' for the pass",
    "kind": "its kind, such as 'pair'; 'bid' for a bid, 'pass' for the pass",
    "points": "expected stakes won less those lost, a deal",
    "win": "chance that the own side wins the deal, 0 to 1",
    "behind": "expected points less those of the best option in the same worlds; 0 for the best",
    "certain": "whether it begins a certain finish: a way to shed the hand that nobody can stop",
}
"""What `analyse` gives; points, win and behind have a column `…_low` and `…_high`: the 95 % interval."""


@kernel(inline=True)
def _begins_certain_finish(hand, public, play, strength, plays, strengths):
    """Whether `play` empties the hand, or is unbeatable and leaves a hand that on lead finishes for certain."""
    if public.phase == at.AUCTION:
        return False
    rest = hand ^ play
    if rest == NO_BITS:
        return True
    rules = public.rules
    unseen = rank_counts(unseen_cards(hand, public))
    most = np.int64(0)
    for seat in range(rules[at.PLAYERS]):
        if seat != public.turn:
            most = max(most, public.left[seat])
    top_rank = strength & at.RANK_BITS
    length = strength >> at.LENGTH_SHIFT
    cards_a_rank = ((strength >> at.FORM_SHIFT) & 3) + 1
    in_runs, in_sets = U64(rules[at.RUN_RANKS]), U64(rules[at.SET_RANKS])
    if not is_unbeatable(top_rank, length, cards_a_rank, unseen, most, in_runs, in_sets):
        return False
    return leads_out(rest, unseen, most, rules)


@kernel(inline=True)
def _measure(outcome, public, state, points, winner, params):
    """Own stakes, and 1 where the own side wins."""
    seat = public.turn
    outcome[STAKES] = points[seat]
    outcome[WIN] = 1.0 if winner == seat or winner == partner_of(state, seat) else 0.0


def _options(view: View) -> list[tuple[int, int, str, str]]:
    bids = [(bid, bid, f"bid {bid}", "bid") for bid in view.legal_bids]
    return bids + [(play.cards.bits, play.strength, str(play.cards), str(play.kind)) for play in view.legal_plays]


class Position(OptionsOf):
    """A view of Big Three made ready for an analysis."""

    game = AnalysedGame(
        searched=GAME,
        search=SEARCH,
        measures=MEASURES,
        shown=("points",),
        measure=_measure,
        begins_certain_finish=_begins_certain_finish,
        copy_rules=copy_rules,
        public_record=public_record,
        new_buffers=new_buffers,
        options=_options,
    )
    kernels = make_analysis(game)


def analyse(
    view: View,
    worlds: int = 1000,
    settings: Mapping[str, float] | None = None,
    seed: int = 0,
    candidates: int = 20,
) -> pd.DataFrame:
    """What each option of the seat on turn is expected to bring: one row an option, the one of most stakes first.

    The columns are those of COLUMNS; the arguments and `frame.attrs` are those of
    `bigtwo_agents.big_two.analysis.analyse`. Raises
    ValueError for a view of a seat that has nothing to decide, AgentError for unknown settings.
    """
    params = monte_carlo.METHOD.params(settings)
    return Position(view).analyse(worlds, params, seed, candidates)
