"""The memory of processes: how much they have, and what they may still ask for."""

from __future__ import annotations

import contextlib
import os
import sys

import psutil


def resident(pid: int) -> int:
    """Resident bytes of a process and of all that it started; 0 when it is gone."""
    total = 0
    with contextlib.suppress(psutil.Error):
        leader = psutil.Process(pid)
        for process in (leader, *leader.children(recursive=True)):
            with contextlib.suppress(psutil.Error):
                total += int(process.memory_info().rss)
    return total


def refuse_memory(more: int, pid: int | None = None) -> bool:
    """Have a process (None: this one) refused what it asks for beyond `more` bytes from now on; False: it cannot be.

    Python raises MemoryError then; a library in C may end its process. Linux only. Private memory that can be written
    counts, touched or not; code in files and what is merely reserved is free.
    """
    if not sys.platform.startswith("linux"):
        return False
    import resource

    try:
        most = int(psutil.Process(pid).memory_info().data) + more
        resource.prlimit(pid or os.getpid(), resource.RLIMIT_DATA, (most, most))
    except (psutil.Error, OSError, ValueError):  # it is gone, or may have even less already
        return False
    return True


def in_bytes(count: int) -> str:
    """A number of bytes as people write it: `200 MB`."""
    for size, name in ((10**9, "GB"), (10**6, "MB"), (10**3, "kB")):
        if count >= size:
            return f"{count / size:.3g} {name}"
    return f"{count} bytes"
