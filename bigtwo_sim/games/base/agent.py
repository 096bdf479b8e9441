"""What is seated at a table, whichever the game: a compiled strategy with its parameters in a float32 vector."""

from __future__ import annotations

import difflib
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt
from numba import types

from bigtwo_sim.core.kernel import compiled, kernel

MOST_NAMED = 8  # settings that an error lists
PARAMS_TYPE = types.float32[::1]  # the parameters of a seat, as many as its policy reads


def policy_signature(public: Any) -> Any:
    """The signature of the policies of a game whose public record has the numba type `public`.

    Its arguments are the hand, the public record, the options' cards and strengths, their number, the settings and the
    seat's stream; the game's `policy` tells what they mean there.
    """
    return types.int64(
        types.uint64,
        public,
        types.uint64[::1],
        types.int64[::1],
        types.int64,
        PARAMS_TYPE,
        types.uint64[::1],
    )


def policy_decorator(signature: Any) -> Callable[..., Any]:
    """The decorator that compiles a function as a policy of this signature."""

    def policy(function: Callable[..., Any] | None = None, *, allocates: bool = False) -> Any:
        """Compile `function` as a policy of this game.

        `allocates` lets it make arrays, which costs some 100 ns a call. Usable with or without arguments.
        """

        def decorate(body: Callable[..., Any]) -> Any:
            made = kernel(body, signature=signature, allocates=allocates)
            made.policy_signature = signature  # by which a policy of another game is refused
            return made

        return decorate if function is None else decorate(function)

    return policy


class IllegalPlay(ValueError):  # noqa: N818 - named for what it is at the table
    """A play, a bid or a pass that the rules do not allow now; the message says why."""


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
    whole: bool = False
    """Whether it must be a whole number."""


def _quick(params: npt.NDArray[np.float32]) -> float:
    return 1.0


@dataclass(frozen=True)
class Method:
    """A way of playing: a policy and its settings.

    `cost` tells of a vector of settings how long a decision takes, roughly, where the heuristic takes 1; by it the
    arena cuts its work into pieces.
    """

    name: str
    function: Any = field(repr=False)
    meaning: str = ""
    parameters: tuple[Parameter, ...] = ()
    cost: Callable[[npt.NDArray[np.float32]], float] = field(default=_quick, repr=False)

    def params(self, settings: Mapping[str, float] | None = None) -> npt.NDArray[np.float32]:
        """The vector (float32, one number a setting) of the defaults with `settings` changed.

        Raises AgentError for a setting that the method does not have, a value outside its range, or one that is not
        whole where it must be.
        """
        vector = np.array([parameter.default for parameter in self.parameters], np.float32)
        by_name = {parameter.name: i for i, parameter in enumerate(self.parameters)}
        for name, value in (settings or {}).items():
            if name not in by_name:
                raise AgentError(self.without(name))
            parameter = self.parameters[by_name[name]]
            inside = math.isfinite(value) and parameter.low <= value <= parameter.high
            if not inside or (parameter.whole and value != round(value)):
                kind = "a whole number from" if parameter.whole else "from"
                raise AgentError(
                    f"{self.name}: {name} is {value:g}; it must be {kind} {parameter.low:g} to {parameter.high:g}"
                )
            vector[by_name[name]] = value
        return vector

    def without(self, name: str) -> str:
        """What to say of a setting that the method does not have: those that come close, else the first of its own."""
        known = [parameter.name for parameter in self.parameters]
        close = difflib.get_close_matches(name, known)
        if close:
            return f"{self.name} has no setting {name!r}; did you mean {' or '.join(close)}?"
        listed = ", ".join(known[:MOST_NAMED]) or "none"
        more = f" and {len(known) - MOST_NAMED} more" if len(known) > MOST_NAMED else ""
        return f"{self.name} has no setting {name!r}; its settings are: {listed}{more}"


class PlaceOfMethod(Protocol):
    """A place in somebody's code, whose text names it."""

    def source_fingerprint(self) -> str | None:
        """Hash of the file there."""

    def find(self) -> Any:
        """The method there."""


@dataclass(frozen=True)
class PolicyAgent:
    """A method with its parameters, ready to be seated: compiled, so that whole runs stay in one loop.

    `params` begins with the method's settings, and may go on for as long as the policy reads: with the weights of a
    network, say. It is copied.
    """

    name: str
    method: Method
    params: npt.NDArray[np.float32]
    place: PlaceOfMethod | None = None
    """Where the method was found; None: by its name, among those that come with this package."""

    @property
    def method_text(self) -> str:
        """What names the method in manifests and level files: its name, or its place."""
        return self.method.name if self.place is None else str(self.place)

    def source_fingerprint(self) -> str | None:
        """Hash of the file of a method that is known by its place."""
        return None if self.place is None else self.place.source_fingerprint()

    def __post_init__(self) -> None:
        # Compiled code is made for an array that can be written, such as one that is mapped from a file may not be.
        object.__setattr__(self, "params", np.array(self.params, np.float32))

    @property
    def function(self) -> Any:
        """The compiled policy."""
        return compiled(self.method.function)


def params_of(agents: Sequence[PolicyAgent]) -> tuple[npt.NDArray[np.float32], ...]:
    """The parameters of a line-up for a compiled loop: copies, which no policy can change for another loop."""
    return tuple(np.array(agent.params, np.float32) for agent in agents)
