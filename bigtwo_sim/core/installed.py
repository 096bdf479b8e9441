"""What installed packages offer: agents, levels and analyses, each named by an entry point `GAME` or `GAME.NAME`.

The strategies that come with this package are offered in the same way as anybody's. Nothing is imported to list them.
"""

from __future__ import annotations

import functools
import importlib.metadata
import re
from collections.abc import Mapping
from dataclasses import dataclass

AGENTS, LEVELS, ANALYSIS = "bigtwo.agents", "bigtwo.levels", "bigtwo.analysis"
"""The groups: `GAME.NAME` is an agent; `GAME` is a package with a `levels.json`, or a module that analyses."""
LIBRARY = "bigtwo_sim"
_OWN_DISTRIBUTION = "bigtwo-sim"


@dataclass(frozen=True)
class Offer:
    """What one entry point names."""

    module: str
    attribute: str
    """In the module; "": the module itself."""
    package: str
    """The installed package that offers it, as pip calls it."""

    @property
    def is_ours(self) -> bool:
        """Whether it comes with this package."""
        return self.package == _OWN_DISTRIBUTION


@functools.cache
def offers(group: str) -> Mapping[str, tuple[Offer, ...]]:
    """All entry points of a group by name; those of one name with ours first, then by the name of their package."""
    found: dict[str, set[Offer]] = {}
    for point in importlib.metadata.entry_points(group=group):
        package = re.sub(r"[-_.]+", "-", point.dist.name).lower() if point.dist else ""
        found.setdefault(point.name, set()).add(Offer(point.module, point.attr, package))
    return {name: tuple(sorted(some, key=_ours_first)) for name, some in sorted(found.items())}


def _ours_first(offer: Offer) -> tuple[bool, str, str, str]:
    return not offer.is_ours, offer.package, offer.module, offer.attribute


@functools.cache
def own_packages() -> tuple[str, ...]:
    """The import packages of this project: the library, and the strategies that come with it."""
    ours = (offer for some in offers(AGENTS).values() for offer in some if offer.is_ours)
    return (LIBRARY, *sorted({offer.module.partition(".")[0] for offer in ours} - {LIBRARY}))


@functools.cache
def strategy_packages() -> frozenset[str]:
    """The import packages whose sources kernels may be compiled from although they are installed."""
    return frozenset(
        (*own_packages(), *(offer.module.partition(".")[0] for some in offers(AGENTS).values() for offer in some))
    )


def missing_extra(what: str, extra: str, module: str | None) -> str:
    """What to say where a module of an extra is missing: the command that installs it, checkout or not."""
    return f"{what} needs the extra [{extra}], of which {module} is missing: pip install '{_OWN_DISTRIBUTION}[{extra}]'"
