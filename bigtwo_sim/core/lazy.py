"""Heavy modules that are imported when something of them is first used, so that commands start at once.

Where a name is imported for types, too: `if TYPE_CHECKING: import pandas as pd`, `else: pd = lazy_module("pandas")`.
"""

from __future__ import annotations

import importlib
from types import ModuleType
from typing import Any


class _LazyModule(ModuleType):
    def __getattr__(self, name: str) -> Any:
        return getattr(importlib.import_module(self.__name__), name)


def lazy_module(name: str) -> Any:
    """What has the attributes of the module `name`, which is imported when one of them is asked for."""
    return _LazyModule(name)
