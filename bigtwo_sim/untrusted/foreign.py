"""What somebody else's code made or does, so that no method, text, type or global setting of it can break the engine.

An agent's answer, its exceptions and its factory's product are objects of which any method may raise anything, return a
string that is not one, or not end at all. So nothing of them is called here but `str` and `repr`, guarded; types are
asked of the interpreter, and what is returned consists of plain strings of this module's own making.
"""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import threading
from types import FrameType, TracebackType
from typing import Any

import numpy as np

from bigtwo_sim.core.installed import own_packages

LONGEST_NAME = 60  # characters of the name of a type
LONGEST_PLACE = 200  # characters of the name of a file
_TYPE_NAME = vars(type)["__name__"]
_TRACEBACK = vars(BaseException)["__traceback__"]
_MOST_FRAMES = 2000
_TRIES = 3


# --- texts ------------------------------------------------------------------------------------------------------------
def plain(text: str, longest: int) -> str:
    """A copy of at most `longest` characters of a text that may be of a class of its own, without lone surrogates."""
    return str.encode(str.__getitem__(text, slice(0, longest)), "utf-8", "backslashreplace").decode()


def text_of(value: object, longest: int, otherwise: str) -> str:
    """`str` of a foreign object in at most `longest` characters; `otherwise` where that raises anything."""
    try:
        return plain(str(value), longest)
    except BaseException:
        return otherwise


def type_name(value: object) -> str:
    """The name of the type of a foreign object, whatever its metaclass says."""
    return plain(_TYPE_NAME.__get__(type(value)), LONGEST_NAME)


def is_a(value: object, kind: type) -> bool:
    """Whether the type of a foreign object is `kind` or derived from it; what its `__class__` says is not asked."""
    return type.__subclasscheck__(kind, type(value))


def error_text(error: BaseException, longest: int) -> str:
    """An exception of foreign code in one line, with the innermost place outside this project, where there is one."""
    name = type_name(error)
    try:
        place = _place(_TRACEBACK.__get__(error))
    except BaseException:  # a file name or a module name may be any object
        place = ""
    try:
        text = " ".join(plain(str(error), 10 * longest).split())[:longest]
    except BaseException:
        text = "its text is unavailable: str() of it raises an exception"
    return f"{name}{': ' if text else ''}{text}{place}"


def _place(traceback: TracebackType | None) -> str:
    place = ""
    for _ in range(_MOST_FRAMES):
        if traceback is None:
            break
        frame = traceback.tb_frame
        module = frame.f_globals.get("__name__", "")
        if type(module) is not str or module.partition(".")[0] not in own_packages():
            place = f" ({plain(frame.f_code.co_filename, LONGEST_PLACE)}, line {traceback.tb_lineno})"
        traceback = traceback.tb_next
    return place


class _Forks:
    """How often this process is a copy made by `os.fork` since it was started."""

    seen = 0

    @classmethod
    def count(cls) -> None:
        cls.seen += 1


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_Forks.count)


# --- calls ------------------------------------------------------------------------------------------------------------
class ForeignCalls:
    """A context in which foreign code is called, and after each call of which `done` is called.

    It tells a real Ctrl-C, which sets `interrupted`, from a KeyboardInterrupt that the code raises by itself; a process
    that the code forked ends at `done`; and what it changed of the interpreter is set back: the limit of recursion and
    the functions that trace and profile at `done`, NumPy's handling of errors at the end of the context. This mends
    accidents; against intent an agent needs a process of its own (see `arena.isolation`). It may be entered again
    inside.
    """

    def __init__(self) -> None:
        self.interrupted = False
        self._depth = 0
        self._previous: Any = None

    def __reduce__(self) -> tuple[type[ForeignCalls], tuple[()]]:
        return ForeignCalls, ()  # what it holds is of this process

    def __enter__(self) -> ForeignCalls:
        self._depth += 1
        if self._depth > 1:
            return self
        self.interrupted = False
        self._forks = _Forks.seen
        self._recursion_limit = sys.getrecursionlimit()
        self._trace, self._profile = sys.gettrace(), sys.getprofile()
        self._numpy_errors = np.geterr()
        self._previous = None
        if threading.current_thread() is threading.main_thread():
            previous = signal.getsignal(signal.SIGINT)
            if callable(previous):
                self._previous = previous
                signal.signal(signal.SIGINT, self._handle)
        return self

    def __exit__(self, *_: object) -> None:
        self._depth -= 1
        if self._depth:
            return
        if self._previous is not None:
            signal.signal(signal.SIGINT, self._previous)
        np.seterr(**self._numpy_errors)

    def _handle(self, number: int, frame: FrameType | None) -> None:
        try:
            self._previous(number, frame)
        except BaseException:
            self.interrupted = True
            raise

    def done(self) -> None:
        """Foreign code has returned or raised. Raises KeyboardInterrupt where Ctrl-C came meanwhile."""
        if _Forks.seen != self._forks:
            os._exit(1)  # a copy of this process that the code forked: it must not play on
        if (
            sys.getrecursionlimit() != self._recursion_limit
            or sys.gettrace() is not self._trace
            or sys.getprofile() is not self._profile
        ):
            self._set_back()
        if self.interrupted:
            raise KeyboardInterrupt

    def _set_back(self) -> None:
        for _ in range(_TRIES):
            with contextlib.suppress(BaseException):  # a function that traces may raise here, and is then gone
                sys.settrace(self._trace)
                sys.setprofile(self._profile)
                sys.setrecursionlimit(self._recursion_limit)
                return
