"""Work that may take long, done beside the screen: in threads that keep nobody from leaving."""

from __future__ import annotations

import asyncio
import contextvars
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import Any, TypeVar

Result = TypeVar("Result")
_RUNNING: set[threading.Thread] = set()


async def in_thread(function: Callable[..., Result], *arguments: Any) -> Result:
    """What `function` returns or raises, without holding up the screen. Cancelled, the thread goes on alone."""
    loop = asyncio.get_running_loop()
    future: asyncio.Future[Result] = loop.create_future()

    def tell(result: Any, error: BaseException | None) -> None:
        if not future.done():
            if error is None:
                future.set_result(result)
            else:
                future.set_exception(error)

    def work() -> None:
        result: Any = None
        failure: BaseException | None = None
        try:
            result = function(*arguments)
        except BaseException as error:
            failure = error
        finally:
            _RUNNING.discard(threading.current_thread())
        with suppress(RuntimeError):  # nobody waits any more: the loop is closed
            loop.call_soon_threadsafe(tell, result, failure)

    context = contextvars.copy_context()  # how NumPy takes overflows is part of it
    thread = threading.Thread(target=context.run, args=(work,), name="bigtwo", daemon=True)
    _RUNNING.add(thread)
    thread.start()
    return await future


def all_done(seconds: float) -> bool:
    """Wait at most so long for all threads; whether they are done."""
    for thread in tuple(_RUNNING):
        thread.join(seconds)
    return not _RUNNING
