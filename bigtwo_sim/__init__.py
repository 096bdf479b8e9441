"""Big Two self-play at speed: cards, rules, deals and the arena in which agents are compared.

`from bigtwo_sim import tournament` and the other names of `__all__` are what most need. Each is imported when it is
asked for, so that `import bigtwo_sim` costs nothing. More is in `bigtwo_sim.games.big_two`, `.games.big_three`,
`.arena`, `.plots` and `.poker`.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

__version__ = "0.2.0"

if TYPE_CHECKING:
    from bigtwo_sim.arena.store.reader import SavedRun as SavedRun
    from bigtwo_sim.arena.store.reader import load as load
    from bigtwo_sim.core.cards import CardError as CardError
    from bigtwo_sim.core.cards import CardSet as CardSet
    from bigtwo_sim.games.base.agent import AgentError as AgentError
    from bigtwo_sim.games.base.python_agent import PythonAgent as PythonAgent
    from bigtwo_sim.games.base.ruleset import RulesError as RulesError
    from bigtwo_sim.games.big_two.comparison import compare as compare
    from bigtwo_sim.games.big_two.conformance import check_agent as check_agent
    from bigtwo_sim.games.big_two.deal import Deal as Deal
    from bigtwo_sim.games.big_two.deal import View as View
    from bigtwo_sim.games.big_two.deal import legal_plays as legal_plays
    from bigtwo_sim.games.big_two.plays import classify as classify
    from bigtwo_sim.games.big_two.rules import Rules as Rules
    from bigtwo_sim.requests.analyse import analyse as analyse
    from bigtwo_sim.requests.analyse import position as position
    from bigtwo_sim.requests.curve import curve as curve
    from bigtwo_sim.requests.deal import play_deal as play_deal
    from bigtwo_sim.requests.deal_statistics import deal_statistics as deal_statistics
    from bigtwo_sim.requests.match import match as match
    from bigtwo_sim.requests.tournament import tournament as tournament
    from bigtwo_sim.requests.tune_level import tune_level as tune_level
    from bigtwo_sim.requests.tune_method import tune as tune
    from bigtwo_sim.requests.variance import variance as variance
    from bigtwo_sim.roster.level import Level as Level

_PLACES = {
    "AgentError": "games.base.agent",
    "CardError": "core.cards",
    "CardSet": "core.cards",
    "Deal": "games.big_two.deal",
    "Level": "roster.level",
    "PythonAgent": "games.base.python_agent",
    "Rules": "games.big_two.rules",
    "RulesError": "games.base.ruleset",
    "SavedRun": "arena.store.reader",
    "View": "games.big_two.deal",
    "analyse": "requests.analyse",
    "check_agent": "games.big_two.conformance",
    "classify": "games.big_two.plays",
    "compare": "games.big_two.comparison",
    "curve": "requests.curve",
    "deal_statistics": "requests.deal_statistics",
    "legal_plays": "games.big_two.deal",
    "load": "arena.store.reader",
    "match": "requests.match",
    "play_deal": "requests.deal",
    "position": "requests.analyse",
    "tournament": "requests.tournament",
    "tune": "requests.tune_method",
    "tune_level": "requests.tune_level",
    "variance": "requests.variance",
}
"""The module that each public name is imported from."""

__all__ = ["__version__", *_PLACES]


if not TYPE_CHECKING:  # a name that there is not remains an error of types

    def __getattr__(name: str) -> Any:
        """A public name, imported now."""
        if name not in _PLACES:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        found = globals()[name] = getattr(importlib.import_module(f"{__name__}.{_PLACES[name]}"), name)
        return found


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
