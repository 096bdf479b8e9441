"""Analysis: what every option of a position is expected to bring, each with its interval, for people and notebooks.

All options are tried in the same worlds, which are dealt and played to their end as `monte_carlo` does it, but none is
dropped on the way. Differences between options are therefore known better than the options themselves.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd

from bigtwo_agents.big_two import monte_carlo
from bigtwo_agents.big_two.search import GAME, SEARCH, utility
from bigtwo_sim.analysis.options import AnalysedGame, OptionsOf, make_analysis, wilson
from bigtwo_sim.core.kernel import NO_BITS, kernel, popcount
from bigtwo_sim.games.big_two import layout as at
from bigtwo_sim.games.big_two.deal import View
from bigtwo_sim.games.big_two.kernels.endgame import margin
from bigtwo_sim.games.big_two.kernels.finish import forced_win, unbeatable_from
from bigtwo_sim.games.big_two.kernels.moves import lead_plays, new_buffers
from bigtwo_sim.games.big_two.kernels.worlds import copy_rules, unseen_cards
from bigtwo_sim.games.big_two.position import public_record

__all__ = ["COLUMNS", "MEASURES", "VALUE", "Position", "analyse", "wilson"]

MARGIN, POINTS, WIN, VALUE = range(4)  # what is measured of each option in each world; VALUE: monte_carlo's objective
MEASURES = ("margin", "points", "win", "value")

COLUMNS = {
    "cards": "the play as text, weakest card first; 'pass' for the pass",
    "kind": "its kind, such as 'pair'; 'pass' for the pass",
    "margin": "expected own points less the mean of the others', points a deal",
    "points": "expected own points, points a deal",
    "win": "chance to win the deal, 0 to 1",
    "behind": "expected margin less that of the best option in the same worlds, points a deal; 0 for the best",
    "certain": "whether it begins a certain finish: a way to shed the hand that nobody can stop",
}
"""What `analyse` gives; margin, points, win and behind have a column `…_low` and `…_high`: the 95 % interval."""


@kernel(inline=True)
def _begins_certain_finish(hand, public, play, strength, plays, strengths):
    """Whether `play` empties the hand, or is unbeatable and leaves a hand that on lead finishes for certain."""
    rules = public.rules
    rest = hand ^ play
    if rest == NO_BITS:
        return True
    unseen = unseen_cards(hand, public)
    most = np.int64(0)
    for step in range(1, at.SEATS):
        most = max(most, public.left[(public.turn + step) & 3])
    if strength < unbeatable_from(unseen, popcount(play), most, rules):
        return False
    end = lead_plays(rest, rules, plays, strengths, 0)
    return forced_win(rest, unseen, most, rules, plays, strengths, 0, end) >= 0


@kernel(inline=True)
def _measure(outcome, public, state, points, winner, params):
    """Own margin, own points, 1 for a win, and what that is worth by the objective of `params`."""
    seat = public.turn
    outcome[MARGIN] = margin(points, seat)
    outcome[POINTS] = points[seat]
    outcome[WIN] = 1.0 if winner == seat else 0.0
    outcome[VALUE] = utility(public, points, winner, params)


def _options(view: View) -> list[tuple[int, int, str, str]]:
    return [(play.cards.bits, play.strength, str(play.cards), str(play.kind)) for play in view.legal_plays]


class Position(OptionsOf):
    """A view of Big Two made ready for an analysis."""

    game = AnalysedGame(
        searched=GAME,
        search=SEARCH,
        measures=MEASURES,
        shown=("margin", "points"),
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
    """What each option of the seat on turn is expected to bring: one row an option, the best margin first.

    The columns are those of COLUMNS. `worlds` deals of the unseen cards are played, the same for all options (two at
    least); `settings` are those of `monte_carlo` (`worlds` and `candidates` do not count here), `seed` starts the
    random stream. With more than `candidates` options the heuristic's favourites are tried; `frame.attrs` says of how
    many (`options`), and has `worlds` and `seed`.

    Raises ValueError for a view of a seat that has nothing to decide, AgentError for unknown settings.
    """
    params = monte_carlo.METHOD.params(settings)
    return Position(view).analyse(worlds, params, seed, candidates)
