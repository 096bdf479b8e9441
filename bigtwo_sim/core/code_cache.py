"""Where compiled code is kept between runs: found by what it was compiled from, and never at the price of a run.

Numba's own cache does not notice that a function imported from another file changed, nor that bounds checking was
switched on. So the cache folder is named by the compiler and its flags, and in it the code of each module by a hash of
its source and of all project sources that it imports. A change elsewhere recompiles nothing, and checkouts with the
same kernels share their code. Processes that need the same function at the same time compile it once. Where the folder
cannot be written, a temporary one takes its place; a damaged file in it is a function to compile again.
"""

from __future__ import annotations

import atexit
import functools
import hashlib
import importlib.util
import os
import pickle
import re
import shutil
import sys
import sysconfig
import tempfile
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import filelock
import numba
import numpy as np
import platformdirs

from bigtwo_sim import __version__
from bigtwo_sim.core.installed import own_packages, strategy_packages

_PARENT = "BIGTWO_CACHE_DIR"
PLAYED = ("core", "untrusted", "games", "search", "bots", "roster", "arena")
"""The parts of the library whose sources decide how a deal goes."""
INTERPRETED = bool(numba.config.DISABLE_JIT)  # type: ignore[attr-defined]


@functools.cache
def source_fingerprint() -> str:
    """Hash of the sources that play a deal: this package and the strategies that come with it."""
    digest = hashlib.sha256()
    library, *strategies = own_packages()
    for package in (*(f"{library}.{name}" for name in PLAYED), *strategies):
        spec = importlib.util.find_spec(package)
        for folder in spec.submodule_search_locations or () if spec else ():
            for path in sorted(Path(folder).rglob("*.py")):
                digest.update(f"{package} {path.relative_to(folder)}".encode())
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
    """Whether no process has used compiled code of these sources on this machine yet, so that the first compiles."""
    return CACHE_FOLDER is not None and not (CACHE_FOLDER / _used_mark()).exists()


def _used_mark() -> str:
    """The name of the empty file in the cache folder that says that code of these sources was used."""
    return f"used-{source_fingerprint()}"


def _compiled_fingerprint() -> str:
    """Hash of what all compiled code depends on beside its sources: the compiler and the flags."""
    flags = f"{numba.__version__} {np.__version__} boundscheck={numba.config.BOUNDSCHECK}"  # type: ignore[attr-defined]
    return hashlib.sha256(flags.encode()).hexdigest()[:16]


# --- what a module's compiled code depends on -------------------------------------------------------------------------
_IMPORT = re.compile(r"^(?:from\s+([\w.]+)\s+import\s+(\([^)]*\)|[^\n]*)|import\s+([^\n]*))", re.MULTILINE)
_INSTALLED = tuple(sysconfig.get_path(name) for name in ("stdlib", "platstdlib", "purelib", "platlib"))


def _imported(module: str, source: str) -> Iterator[str]:
    """The loaded modules that `module` imports at its top level: its kernels can use no others."""
    for package, names, modules in _IMPORT.findall(source):
        if not package:
            yield from (part.split(" as ")[0].strip() for part in modules.split("#")[0].split(","))
            continue
        if package.startswith("."):
            package = importlib.util.resolve_name(package, getattr(sys.modules.get(module), "__package__", None) or "")
        for name in re.findall(r"\w+|\*", re.sub(r"#[^\n]*|\bas\s+\w+", "", names)):
            yield f"{package}.{name}" if f"{package}.{name}" in sys.modules else package


def _source_path(module: str, packages: set[str]) -> Path | None:
    """The source file of a loaded module; None where it is built in, or installed and not of one of `packages`."""
    path = getattr(sys.modules.get(module), "__file__", None)
    if path is None or (path.startswith(_INSTALLED) and module.partition(".")[0] not in packages):
        return None
    return Path(path)


@functools.cache
def _module_fingerprint(module: str, path: Path) -> str:
    """Hash of the source of a module in the file `path` and of all that it imports, directly or not."""
    packages = {*strategy_packages(), module.partition(".")[0]}
    digests: dict[str, bytes] = {}
    pending: list[tuple[str, Path | None]] = [(module, path)]
    while pending:
        name, file = pending.pop()
        if file is None or name in digests or file.suffix != ".py":
            continue
        source = file.read_bytes()
        digests[name] = hashlib.sha256(source).digest()
        pending += [(found, _source_path(found, packages)) for found in _imported(name, source.decode())]
    return hashlib.sha256(pickle.dumps(sorted(digests.items()))).hexdigest()[:16]


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
    """What distinguishes a compiled function from another of the same place in the sources: what its closure holds.

    Numba would pickle the closure, in which a dispatcher never looks the same in two processes.
    """
    function = getattr(value, "py_func", value)
    if not hasattr(function, "__code__"):
        return hashlib.sha256(pickle.dumps(value)).hexdigest()
    held = tuple(_made_of(cell.cell_contents) for cell in function.__closure__ or ())
    path = Path(function.__code__.co_filename)
    sources = _module_fingerprint(function.__module__, path) if path.exists() else ""
    return (
        function.__module__,
        function.__qualname__,
        hashlib.sha256(function.__code__.co_code).hexdigest(),
        sources,
        held,
    )


class SturdyCache:
    """A dispatcher's cache for which a damaged file is a miss, and code that cannot be saved is only not saved.

    Of several processes that miss the same function one compiles it, and the others wait for it.
    """

    def __init__(self, cache: Any, lock: Path | None = None) -> None:
        """`lock` is the file by which processes agree who compiles; None: each by itself."""
        self._cache = cache
        self._lock = lock
        self._held: filelock.BaseFileLock | None = None

    def __getattr__(self, name: str) -> Any:
        return getattr(self._cache, name)

    def load_overload(self, signature: Any, context: Any) -> Any:
        """The compiled function, or None where it must be compiled."""
        _mark_used()
        found = self._load(signature, context)
        if found is None:
            _Announcement.make()
            if self._lock is not None:
                with suppress(OSError, filelock.Timeout):
                    self._lock.parent.mkdir(parents=True, exist_ok=True)
                    # Made only now: one that was made before a fork is of no use after it.
                    held = filelock.FileLock(self._lock)
                    held.acquire(timeout=_LONGEST_COMPILATION)
                    self._held = held
                    found = self._load(signature, context)
        return found

    def _load(self, signature: Any, context: Any) -> Any:
        try:
            return self._cache.load_overload(signature, context)
        except Exception:  # whatever a damaged pickle raises
            with suppress(Exception):
                self._cache.flush()
            return None

    def save_overload(self, signature: Any, compiled: Any) -> None:
        """Save a compiled function if that can be done."""
        try:
            self._cache.save_overload(signature, compiled)
        except (OSError, EOFError, pickle.UnpicklingError) as error:
            _Warning.say(CACHE_FOLDER or Path(), error)

    def end_compilation(self) -> None:
        """Let other processes go on that wait for this function."""
        held, self._held = self._held, None
        if held is not None:
            held.release(force=True)


_LONGEST_COMPILATION = 300.0
"""Seconds after which a process compiles by itself what another one is compiling."""


@functools.cache
def _mark_used() -> None:
    if CACHE_FOLDER is not None:
        with suppress(OSError):
            (CACHE_FOLDER / _used_mark()).touch()


def keep_compiled(dispatcher: Any) -> None:
    """Let `dispatcher` keep its compiled code in `CACHE_FOLDER`, if there is one."""
    folder = CACHE_FOLDER
    if folder is None:
        return
    try:
        from numba.core.caching import CompileResultCacheImpl, FunctionCache, UserProvidedCacheLocator
    except ImportError:  # another numba: its own cache, as it comes
        dispatcher.enable_caching()
        return

    class BySource(UserProvidedCacheLocator):
        """The folder of a module is named by what its code depends on, so nothing in it is ever out of date."""

        def __init__(self, function: Any, file: str) -> None:
            super().__init__(function, file)  # type: ignore[no-untyped-call]
            name = function.__module__
            self._cache_path = f"{folder}/{name}-{_module_fingerprint(name, Path(file))}"

        def get_source_stamp(self) -> Any:
            return 0

    class InOurFolder(CompileResultCacheImpl):
        """Numba would go on to `__pycache__`, where code of other versions is not distinguished."""

        _locator_classes = [BySource]  # noqa: RUF012

    class FolderCache(FunctionCache):
        """Kernels made by a function for a game are distinguished by the kernels that they were made of."""

        _impl_class = InOurFolder

        def _index_key(self, signature: Any, codegen: Any) -> Any:
            return signature, codegen.magic_tuple(), _made_of(self._py_func)

    try:
        found = FolderCache(dispatcher.py_func)  # type: ignore[no-untyped-call]
    except (OSError, RuntimeError) as error:  # the folder was lost since
        _Warning.say(folder, error)
        return
    lock = Path(found.cache_path) / f"{found._impl.filename_base}.lock"
    dispatcher._cache = cache = SturdyCache(found, lock)
    compile_unlocked = dispatcher.compile

    def compile_once(signature: Any) -> Any:
        try:
            return compile_unlocked(signature)
        finally:
            cache.end_compilation()

    dispatcher.compile = compile_once
