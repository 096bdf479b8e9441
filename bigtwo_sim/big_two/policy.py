"""What a strategy is: a compiled function of one signature, with named settings in a float32 vector.

::

    policy(hand, public, plays, strengths, count, params, stream) -> index

hand       uint64            the cards the seat holds
public     record of PUBLIC  everything that all four can see (`layout.PUBLIC`), the rules table included
plays      uint64[:]         the legal plays, weakest first, in the first `count` entries; the rest is scratch
strengths  int64[:]          their strengths, likewise
count      int64             how many there are
params     float32[64]       the settings, in the order of the method's parameters
stream     uint64[4]         the seat's own random stream (see `rng`), advanced by drawing from it
index      int64             0 to count - 1: that play; count: pass, where `public.may_pass`

A policy is asked only when it has a choice, and it writes nothing but its stream and that scratch. The hidden hands are
not in its reach. All policies have one type, so one compiled loop plays any four of them.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numba
import numpy as np
import numpy.typing as npt
from numba import types

from bigtwo_sim.big_two import layout as at
from bigtwo_sim.kernel import kernel

PUBLIC_TYPE = numba.from_dtype(at.PUBLIC)
SIGNATURE = types.int64(
    types.uint64,
    PUBLIC_TYPE,
    types.uint64[::1],
    types.int64[::1],
    types.int64,
    types.float32[::1],
    types.uint64[::1],
)
POLICY_TYPE = types.FunctionType(SIGNATURE)


def policy(function: Callable[..., Any] | None = None, *, allocates: bool = False) -> Any:
    """Compile `function` as a policy (the signature above).

    `allocates` lets it make arrays, which costs some 100 ns a call. Usable with or without arguments.
    """

    def decorate(body: Callable[..., Any]) -> Any:
        return kernel(body, signature=SIGNATURE, allocates=allocates)

    return decorate if function is None else decorate(function)


class AgentError(ValueError):
    """An agent that does not exist, or a setting that it does not have."""


@dataclass(frozen=True)
class Parameter:
    """One setting of a method: its name, its default, the range that makes sense, and what it does."""

    name: str
    default: float
    low: float
    high: float
    meaning: str


@dataclass(frozen=True)
class Method:
    """A way of playing: a policy and its settings."""

    name: str
    function: Any = field(repr=False)
    meaning: str = ""
    parameters: tuple[Parameter, ...] = ()

    def params(self, settings: Mapping[str, float] | None = None) -> npt.NDArray[np.float32]:
        """The vector (float32[64]) of the defaults with `settings` changed.

        Raises AgentError for a setting that the method does not have, or a value outside its range.
        """
        vector = np.zeros(at.MAX_PARAMS, np.float32)
        by_name = {parameter.name: i for i, parameter in enumerate(self.parameters)}
        for i, parameter in enumerate(self.parameters):
            vector[i] = parameter.default
        for name, value in (settings or {}).items():
            if name not in by_name:
                known = ", ".join(by_name) or "none"
                raise AgentError(f"{self.name} has no setting {name!r}; its settings are: {known}")
            parameter = self.parameters[by_name[name]]
            if not (math.isfinite(value) and parameter.low <= value <= parameter.high):
                raise AgentError(
                    f"{self.name}: {name} is {value:g}; it must be from {parameter.low:g} to {parameter.high:g}"
                )
            vector[by_name[name]] = value
        return vector


@dataclass(frozen=True)
class PolicyAgent:
    """A method with its settings, ready to be seated: compiled, so that whole runs stay in one loop."""

    name: str
    method: Method
    params: npt.NDArray[np.float32]

    @property
    def function(self) -> Any:
        """The compiled policy."""
        return self.method.function
