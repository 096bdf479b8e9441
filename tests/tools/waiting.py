"""How tests wait: for an event, with one generous limit that no machine reaches while something still happens.

Nothing in the tests measures time or waits for a fixed one. What must happen is waited for here, up to `PATIENCE`; what
must not happen is proved by an event that comes after it, never by a silence.
"""

import asyncio
import os
import time
from collections.abc import Awaitable, Callable
from typing import Any

import psutil

PATIENCE = float(os.environ.get("BIGTWO_TEST_PATIENCE", "300"))
"""Seconds until a test calls something stuck; the environment variable raises it for slower machines."""
_GLANCE = 0.02  # seconds between two looks
_FIRST_REPETITION = 0.25  # seconds until a key that changed nothing is pressed again; twice as many each time


def _fail(what: str, seen: object = "") -> AssertionError:
    return AssertionError(f"not within {PATIENCE:g} s: {what}{f'; {seen!r}' if seen else ''}")


def wait_for(what: str, condition: Callable[[], Any], seen: Callable[[], object] = str) -> Any:
    """What `condition` gives as soon as it is true; `seen` is what a failure shows."""
    end = time.monotonic() + PATIENCE
    while not (found := condition()):
        if time.monotonic() >= end:
            raise _fail(what, seen())
        time.sleep(_GLANCE)
    return found


def insist(
    what: str,
    act: Callable[[], object],
    condition: Callable[[], Any],
    pause: Callable[[float], object] = time.sleep,
    seen: Callable[[], object] = str,
) -> Any:
    """What `condition` gives as soon as it is true, doing `act` again now and then: it may not have been noticed."""
    begin = time.monotonic()
    end, again, wait = begin + PATIENCE, begin, _FIRST_REPETITION
    while not (found := condition()):
        now = time.monotonic()
        if now >= end:
            raise _fail(what, seen())
        if now >= again:
            act()
            again, wait = time.monotonic() + wait, 2 * wait
        pause(_GLANCE)
    return found


async def wait_for_async(
    what: str, condition: Callable[[], Any], pause: Callable[[float], Awaitable[object]] = asyncio.sleep
) -> Any:
    """`wait_for` for what runs in this thread's event loop; `pause` lets the loop go on for so many seconds."""
    end = time.monotonic() + PATIENCE
    while not (found := condition()):
        if time.monotonic() >= end:
            raise _fail(what)
        await pause(_GLANCE / 2)
    return found


def has_ended(pid: int) -> bool:
    """Whether a process is gone, or only its parent has not taken note of its end."""
    try:
        return bool(psutil.Process(pid).status() == psutil.STATUS_ZOMBIE)
    except psutil.NoSuchProcess:
        return True


def is_gone(pid: int) -> bool:
    """True as soon as a process has ended; fails where it goes on."""
    return bool(wait_for(f"the end of process {pid}", lambda: has_ended(pid)))
