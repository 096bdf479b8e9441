"""Where compiled code is kept between runs: in one folder a version, and never at the price of a run.

Numba's own cache does not notice that a function imported from another file changed, nor that bounds checking was
switched on; so the folder is named by a hash of all sources, the numba version and the flags. Where it cannot be
written, a temporary one takes its place; a damaged file in it is a function to compile again.
"""

from __future__ import annotations

import atexit
import functools
import hashlib
import os
import pickle
import shutil
import sys
import tempfile
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import numba
import numpy as np
import platformdirs

from bigtwo_sim import __version__

_PARENT = "BIGTWO_CACHE_DIR"
INTERPRETED = bool(numba.config.DISABLE_JIT)  # type: ignore[attr-defined]


@functools.cache
def source_fingerprint() -> str:
    """Hash of the sources that play a deal: this package and the strategies installed beside it."""
    root = Path(__file__).resolve().parents[1]
    digest = hashlib.sha256()
    for package in ("bigtwo_sim", "agents"):
        for path in sorted((root / package).rglob("*.py")):
            digest.update(str(path.relative_to(root)).encode())
            digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


def engine() -> dict[str, str]:
    """What must be the same wherever a run is played, for its deals to come out the same: names and versions."""
    return {
        "bigtwo_sim": __version__,
        "its sources": source_fingerprint(),
        "Python": ".".join(map(str, sys.version_info[:2])),
        "NumPy": np.__version__,
        "numba": numba.__version__,
    }


def nothing_compiled() -> bool:
    """Whether this version has compiled nothing on this machine yet, so that its first run compiles."""
    return CACHE_FOLDER is not None and not any(CACHE_FOLDER.glob("*/*"))


def _compiled_fingerprint() -> str:
    """Hash of what compiled code depends on: its sources, the compiler, and the flags."""
    flags = f"{numba.__version__} {np.__version__} boundscheck={numba.config.BOUNDSCHECK}"  # type: ignore[attr-defined]
    return hashlib.sha256(f"{source_fingerprint()} {flags}".encode()).hexdigest()[:16]


def _cache_folder() -> Path:
    """Folder of this version's compiled code; `BIGTWO_CACHE_DIR` moves its parent."""
    parent = os.environ.get(_PARENT) or platformdirs.user_cache_dir("bigtwo_sim", appauthor=False)
    return Path(parent) / f"compiled-{_compiled_fingerprint()}"


class _Warning:
    """Said once in a process."""

    said = False

    @classmethod
    def say(cls, folder: Path, error: Exception) -> None:
        if not cls.said:
            cls.said = True
            reason = getattr(error, "strerror", None) or type(error).__name__
            sys.stderr.write(
                f"bigtwo_sim: compiled code cannot be kept in {folder} ({reason}); every run compiles; "
                f"{_PARENT} names another folder\n"
            )


def _try_writing(folder: Path) -> None:
    """Raise OSError where no file can be made in `folder`, which is made first."""
    folder.mkdir(parents=True, exist_ok=True)
    tempfile.TemporaryFile(dir=folder).close()


def usable_folder(folder: Path) -> Path | None:
    """`folder`, or a temporary one where that cannot be written, or None where no folder can."""
    try:
        _try_writing(folder)
        return folder
    except OSError as error:
        _Warning.say(folder, error)
    try:
        parent = tempfile.mkdtemp(prefix="bigtwo-compiled-")
    except OSError:
        return None
    atexit.register(shutil.rmtree, parent, ignore_errors=True)
    os.environ[_PARENT] = parent  # worker processes share it, and have nothing to warn of
    return Path(parent) / folder.name


CACHE_FOLDER = None if INTERPRETED else usable_folder(_cache_folder())
numba.config.CACHE_DIR = str(CACHE_FOLDER or "")  # type: ignore[attr-defined]


class _Announcement:
    """What is called, once, before something is compiled that was not found in the cache."""

    pending: Callable[[], None] | None = None

    @classmethod
    def make(cls) -> None:
        announce, cls.pending = cls.pending, None
        if announce is not None:
            announce()


def before_compiling(announce: Callable[[], None]) -> None:
    """Have `announce` called when this process first compiles what is not kept yet."""
    _Announcement.pending = announce


def _made_of(value: Any) -> Any:
    """What tells a compiled function from another of the same place in the sources: what its closure holds.

    Numba would pickle the closure, in which a dispatcher never looks the same in two processes.
    """
    function = getattr(value, "py_func", value)
    if not hasattr(function, "__code__"):
        return hashlib.sha256(pickle.dumps(value)).hexdigest()
    held = tuple(_made_of(cell.cell_contents) for cell in function.__closure__ or ())
    return function.__module__, function.__qualname__, hashlib.sha256(function.__code__.co_code).hexdigest(), held


class SturdyCache:
    """A dispatcher's cache for which a damaged file is a miss, and code that cannot be saved is only not saved."""

    def __init__(self, cache: Any) -> None:
        self._cache = cache

    def __getattr__(self, name: str) -> Any:
        return getattr(self._cache, name)

    def load_overload(self, signature: Any, context: Any) -> Any:
        """The compiled function, or None where it must be compiled."""
        found = None
        try:
            found = self._cache.load_overload(signature, context)
        except Exception:  # whatever a damaged pickle raises
            with suppress(Exception):
                self._cache.flush()
        if found is None:
            _Announcement.make()
        return found

    def save_overload(self, signature: Any, compiled: Any) -> None:
        """Save a compiled function if that can be done."""
        try:
            self._cache.save_overload(signature, compiled)
        except (OSError, EOFError, pickle.UnpicklingError) as error:
            _Warning.say(CACHE_FOLDER or Path(), error)


def keep_compiled(dispatcher: Any) -> None:
    """Let `dispatcher` keep its compiled code in `CACHE_FOLDER`, if there is one."""
    if CACHE_FOLDER is None:
        return
    try:
        from numba.core.caching import CompileResultCacheImpl, FunctionCache, UserProvidedCacheLocator
    except ImportError:  # another numba: its own cache, as it comes
        dispatcher.enable_caching()
        return

    class InOurFolder(CompileResultCacheImpl):
        """Numba would go on to `__pycache__`, where code of other versions is not told apart."""

        _locator_classes = [UserProvidedCacheLocator]  # noqa: RUF012

    class FolderCache(FunctionCache):
        """Kernels made by a function for a game are told apart by the kernels that they were made of."""

        _impl_class = InOurFolder

        def _index_key(self, signature: Any, codegen: Any) -> Any:
            return signature, codegen.magic_tuple(), _made_of(self._py_func)

    try:
        dispatcher._cache = SturdyCache(FolderCache(dispatcher.py_func))  # type: ignore[no-untyped-call]
    except (OSError, RuntimeError) as error:  # the folder was lost since
        _Warning.say(CACHE_FOLDER, error)
