"""The analysis of positions: of each game the module that an installed package offers."""

from __future__ import annotations

import importlib
from typing import Any, Protocol

from bigtwo_sim.core.installed import ANALYSIS, offers
from bigtwo_sim.games.base.agent import AgentError
from bigtwo_sim.games.registry import BIG_TWO, package_named


class Analysis(Protocol):
    """A module that analyses positions of a game."""

    Position: Any
    """Of a view, the kernels that play it out; `Position.game.search` are those of its search."""

    def analyse(self, view: Any, worlds: int = ..., *, seed: int = ..., candidates: int = ...) -> Any:
        """A DataFrame with a row for each option, the best first."""

    def plot(self, frame: Any) -> Any:
        """A figure of what `analyse` found."""


def analysis_of(game: str = BIG_TWO) -> Analysis:
    """The analysis of a game, imported now. Raises AgentError where no installed package offers one."""
    found = offers(ANALYSIS).get(game)
    if found is None:
        raise AgentError(f"no installed package offers an analysis of {package_named(game).Rules.TITLE}")
    module: Any = importlib.import_module(found[0].module)
    return module  # type: ignore[no-any-return]
