"""Which signals end a run, and how: the chunks in hand are played to their end and saved before anything else."""

from __future__ import annotations

import contextlib
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

HANGUP: int | None = getattr(signal, "SIGHUP", None)
"""What a terminal that closes sends to all that was started in it; None on systems without."""


class Halt:
    """Asks for a stop after the chunks in hand; `Halt()` asks when it is called."""

    def __init__(self) -> None:
        self.asked = False
        self.signal: int | None = None
        """The signal that asked first, if it was one."""

    def __call__(self, number: int | None = None) -> None:
        if not self.asked:
            self.signal = number
        self.asked = True


def ending_signals() -> list[int]:
    """The signals that end what is going on: Ctrl-C, SIGTERM and SIGHUP, unless it was started to ignore the latter.

    `nohup` starts a program with SIGHUP ignored, so that it goes on when its terminal closes.
    """
    found: list[int] = [signal.SIGINT]
    for number in (signal.SIGTERM, HANGUP):
        if number is not None and signal.getsignal(number) not in (signal.SIG_IGN, None):
            found.append(number)
    return found


@contextmanager
def halting(halt: Halt, on_halt: Callable[[], Any]) -> Iterator[None]:
    """The first signal of `ending_signals` asks for a halt and calls `on_halt`; Ctrl-C or SIGTERM after it interrupts.

    Further SIGHUPs change nothing: a terminal that closes sends several. Where SIGTERM or SIGHUP would have ended the
    process, it does so at the end of the context. Nothing of this outside the main thread, which alone gets signals.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def handle(number: int, frame: Any) -> None:
        if halt.asked and number != HANGUP:
            raise KeyboardInterrupt
        if not halt.asked:
            halt(number)
            with contextlib.suppress(OSError):  # nobody reads it where the terminal is gone
                on_halt()

    before = {number: signal.signal(number, handle) for number in ending_signals()}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
        if halt.signal in before and before[halt.signal] is signal.SIG_DFL:
            signal.raise_signal(halt.signal)


@contextmanager
def signals_blocked() -> Iterator[None]:
    """Let processes that are started meanwhile have Ctrl-C and SIGHUP blocked from their first moment.

    A terminal sends both to all processes that were started in it; it is the parent's to answer. To this process they
    come after the context.
    """
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT, *([HANGUP] if HANGUP else [])})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
