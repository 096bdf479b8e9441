"""Which cases of a test `make test` runs: a few that stand for all of them. The others are a sweep."""

from collections.abc import Iterable
from typing import Any

import pytest

a_tenth_or_all = pytest.mark.parametrize(
    "share", [pytest.param(10, id="a tenth"), pytest.param(1, id="all", marks=pytest.mark.sweep)]
)
"""For tests of many deals: `share` divides their number, and all of them are a sweep."""


def mostly_swept(cases: Iterable[Any], *kept: Any) -> list[Any]:
    """`cases` as parameters of a test, of which all but those in `kept` are marked `sweep`."""
    every = list(cases)
    missing = [case for case in kept if case not in every]
    if missing:
        raise ValueError(f"{missing} are not cases; they must be some of {every}")
    return [case if case in kept else pytest.param(case, marks=pytest.mark.sweep) for case in every]
