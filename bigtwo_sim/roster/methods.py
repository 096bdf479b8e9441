"""The methods and levels of each game, found by name among what installed packages offer."""

from __future__ import annotations

import difflib
import functools
import importlib
import importlib.util
from pathlib import Path

from bigtwo_sim.core.installed import AGENTS, LEVELS, Offer, offers
from bigtwo_sim.games.base.agent import AgentError, Method
from bigtwo_sim.games.registry import BIG_TWO, package_named
from bigtwo_sim.roster.level_file import Level, read_levels

LEVELS_FILE = "levels.json"


def method_names(game: str = BIG_TWO) -> list[str]:
    """The names of all methods of a game that installed packages offer, sorted. None is imported."""
    return sorted(name.removeprefix(f"{game}.") for name in offers(AGENTS) if name.startswith(f"{game}."))


def offered_method(name: str, game: str = BIG_TWO) -> Offer:
    """Where the method called `name` is. Raises AgentError, with the names that come close, where there is none.

    Of packages that offer the same name this one comes first, then the first by name.
    """
    found = offers(AGENTS).get(f"{game}.{name}")
    if found is None:
        known = agent_names(game)
        if not known:
            raise AgentError(
                f"there is no agent {name!r}, and no installed package offers any: bigtwo-sim was installed from an "
                "earlier version, or not at all; install it again (make install, or pip install)"
            )
        close = difflib.get_close_matches(name, known, cutoff=0.5)
        guess = f"; did you mean {' or '.join(close)}?" if close else "."
        which = "" if game == BIG_TWO else f" of {package_named(game).Rules.TITLE}"
        raise AgentError(f"there is no agent {name!r}{which}{guess} The agents are {', '.join(known)}")
    return found[0]


@functools.cache
def levels(game: str = BIG_TWO) -> dict[str, Level]:
    """The levels of a game by name: those of this package first, weakest first, then those of other packages.

    A level with the name of another one, or of a method, is left out.
    """
    found: dict[str, Level] = {}
    for offer in offers(LEVELS).get(game, ()):
        for name, level in read_levels(levels_file(offer)).items():
            if name not in method_names(game):
                found.setdefault(name, level)
    return found


def levels_file(offer: Offer) -> Path:
    """The level file of a package. Raises AgentError where the package is not there."""
    spec = importlib.util.find_spec(offer.module)
    if spec is None or not spec.submodule_search_locations:
        raise AgentError(f"{offer.package} offers the levels of {offer.module}, and there is no such package")
    return Path(spec.submodule_search_locations[0]) / LEVELS_FILE


def agent_names(game: str = BIG_TWO) -> list[str]:
    """What an agent can be called without more: all methods and levels of a game, sorted."""
    return sorted([*method_names(game), *levels(game)])


def method(name: str, game: str = BIG_TWO) -> Method:
    """The method called `name`. Raises AgentError, with the names that come close, where there is none."""
    offer = offered_method(name, game)
    found = getattr(importlib.import_module(offer.module), offer.attribute, None)
    if not isinstance(found, Method):
        raise AgentError(f"{offer.module}:{offer.attribute} is {found!r:.40}; it must be a Method")
    return found
