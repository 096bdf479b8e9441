"""How tests wait: for an event, with one generous limit that no machine reaches while something still happens.

Nothing in the tests measures time or waits for a fixed one. What must happen is waited for here, up to `PATIENCE`; what
must not happen is proved by an event that comes after it, never by a silence.
"""

import asyncio
import os
import time
from collections.abc import Awaitable, Callable
from typing import Any

PATIENCE = float(os.environ.get("BIGTWO_TEST_PATIENCE", "300"))
"""Seconds until a test calls something stuck; the environment variable raises it for slower machines."""
_GLANCE = 0.02  # seconds between two looks


def wait_for(what: str, condition: Callable[[], Any], seen: Callable[[], object] | None = None) -> Any:
    """What `condition` gives as soon as it is true; `seen` is what a failure shows."""
    end = time.monotonic() + PATIENCE
    while not (found := condition()):
        if time.monotonic() >= end:
            raise AssertionError(f"not within {PATIENCE:g} s: {what}{f'; {seen()!r}' if seen else ''}")
        time.sleep(_GLANCE)
    return found


async def wait_for_async(
    what: str,
    condition: Callable[[], Any],
    pause: Callable[[float], Awaitable[object]] = asyncio.sleep,
) -> Any:
    """The same for what runs in this thread's event loop; `pause` lets the loop go on for so many seconds."""
    end = time.monotonic() + PATIENCE
    while not (found := condition()):
        if time.monotonic() >= end:
            raise AssertionError(f"not within {PATIENCE:g} s: {what}")
        await pause(_GLANCE / 2)
    return found
