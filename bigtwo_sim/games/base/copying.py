"""Copies of objects that change: `copy.copy`, `copy.deepcopy` and `pickle` all give an independent object."""

from __future__ import annotations

import copy
from typing import Any, ClassVar, NoReturn, Self


class Copyable:
    """A base for objects whose state changes: a copy goes on from the same state, and neither disturbs the other.

    `copy.copy` is as deep as `copy.deepcopy`, since a shared array would be played on by both. Attributes that only
    point into the rest of the state, as a record into its array, would point into nothing after a copy: a class names
    them in `_HANDLES`, and makes them from the rest in `_make_handles`, at first and in each copy.
    """

    _HANDLES: ClassVar[tuple[str, ...]] = ()

    def _make_handles(self) -> None:
        """Make the attributes of `_HANDLES` from the others."""

    def __copy__(self) -> Self:
        return copy.deepcopy(self)

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name not in self._HANDLES}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._make_handles()


class Uncopyable:
    """A base for objects that own a file, a lock or a process, of which there is one: copies raise TypeError."""

    def __reduce_ex__(self, protocol: Any) -> NoReturn:
        raise TypeError(f"a {type(self).__name__} cannot be copied or pickled; it owns what exists once")
