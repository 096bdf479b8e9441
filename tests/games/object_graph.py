"""What can be reached from an object, for the tests that prove what an agent is shown."""

import enum
import gc
import random
import types
from collections.abc import Iterable
from typing import Any

import numpy as np

OURS = ("bigtwo_sim", "bigtwo_agents")


def reachable(*roots: Any, classes: bool = False) -> list[Any]:
    """All objects that can be reached from `roots`, by any reference that the garbage collector knows, and a few more.

    Of functions it goes on to closures and defaults; with `classes`, of this project's classes to what they hold. It
    goes neither into modules nor into the globals of functions: whatever runs in this process reaches those by an
    import as well, and only a process of its own keeps an agent from them.
    """
    found: dict[int, Any] = {}
    waiting = list(roots)
    while waiting:
        thing = waiting.pop()
        if id(thing) not in found and (classes or not isinstance(thing, type)):
            found[id(thing)] = thing
            waiting.extend(_referents(thing))
    return list(found.values())


def _referents(thing: Any) -> Iterable[Any]:
    if isinstance(thing, types.ModuleType | types.CodeType | random.Random | enum.Enum):
        return ()
    if isinstance(thing, types.FunctionType):
        return [*(thing.__closure__ or ()), thing.__defaults__, thing.__kwdefaults__, thing.__dict__]
    if isinstance(thing, type):
        return [*vars(thing).values(), *thing.__bases__] if thing.__module__.partition(".")[0] in OURS else ()
    if isinstance(thing, np.ndarray):
        return [thing.base, *(thing.ravel().tolist() if thing.dtype == object else ())]
    return gc.get_referents(thing)


def is_plain(thing: Any) -> bool:
    """Whether nothing about it can be changed: a number, a text, a member of an enumeration, or a tuple of such."""
    if isinstance(thing, tuple | frozenset):
        return all(map(is_plain, thing))
    return isinstance(thing, int | float | str | bytes | type(None) | enum.Enum | np.generic)
