"""What every option of a position should bring, and positions as people write them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from bigtwo_sim.core.cards import CardSet
from bigtwo_sim.games.base.ruleset import RuleSet
from bigtwo_sim.games.big_three import position as big_three_position
from bigtwo_sim.games.big_two import position as big_two_position
from bigtwo_sim.games.registry import BIG_THREE, BIG_TWO
from bigtwo_sim.requests.inputs import RulesLike, rules_of
from bigtwo_sim.roster.analyses import analysis_of

if TYPE_CHECKING:
    import pandas as pd

DEFAULT_WORLDS = 1000
DEFAULT_CANDIDATES = 20
_POSITIONS: dict[str, Any] = {BIG_TWO: big_two_position.position, BIG_THREE: big_three_position.position}


def analyse(
    view: Any, worlds: int = DEFAULT_WORLDS, *, seed: int = 0, candidates: int = DEFAULT_CANDIDATES
) -> pd.DataFrame:
    """What each option of the seat on turn is expected to bring: one row an option, the best one first.

    `view` is of any game: a deal's (`deal.view()`), or one of `position`. Every option is tried in the same `worlds`
    deals of the unseen cards; of more options than `candidates` the heuristic's favourites are. The measures have
    columns `…_low` and `…_high`, their 95 % intervals; `frame.attrs` has `options`, `worlds` and `seed`, and
    `plots.options` draws it.

    >>> from bigtwo_sim import analyse, position
    >>> analyse(position("3D 4S 7H 7C TD 2S", on="6H 6S", left=[8, 5, 13]), worlds=50)["cards"].to_list()
    ['7C 7H', 'pass']

    Raises ValueError for a view of a seat that has nothing to decide.
    """
    frame: pd.DataFrame = analysis_of(view.rules.GAME).analyse(view, worlds, seed=seed, candidates=candidates)
    return frame


def position(
    hand: str | CardSet,
    *,
    rules: RulesLike = None,
    game: str = BIG_TWO,
    on: str | CardSet | None = None,
    seen: str | CardSet | None = None,
    **more: Any,
) -> Any:
    """The view of a position, for `analyse` or any agent's `choose`: of who holds `hand` and is on turn.

    `on` is the play to beat, and `seen` all cards played before. `more` are the other arguments of the game's
    `position`: `owner`, `left`, `opening` in Big Two (`bigtwo_sim.games.big_two.position`), `calls`, `bids` and
    `soloist` in Big Three. Raises CardError for a text that is not cards, PositionError for what cannot be.
    """
    chosen = rules_of(rules, game)
    return _POSITIONS[chosen.GAME](
        chosen, _cards(hand, chosen), on=_cards(on, chosen), seen=_cards(seen, chosen), **more
    )


def _cards(cards: str | CardSet | None, rules: RuleSet) -> CardSet | None:
    return CardSet.parse(cards, rules.deck) if isinstance(cards, str) else cards
