"""Where the code of an agent is, found without running any of it; and how that code is imported.

A folder of the user's is searched after everything that is installed, so that no file in it takes the place of another
module; `sys.path` stays as it is.
"""

from __future__ import annotations

import hashlib
import importlib
import os
import re
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.machinery import ModuleSpec, PathFinder
from pathlib import Path
from types import ModuleType
from typing import Any


@dataclass(frozen=True)
class Source:
    """The files of an agent's code, and their hash."""

    files: tuple[Path, ...]
    fingerprint: str | None
    """None: no file, such as of what is built into Python."""


def source_of_module(module: str) -> Source:
    """The file of a module, which is not imported."""
    path = _file_of(module)
    if path is None or not path.is_file():  # built in, or within an archive
        return Source((), None)
    return _source(path)


def source_of_file(text: str) -> Source:
    """The file of this path."""
    path = file_of_text(text)
    return _source(path) if path.is_file() else Source((), None)


def file_of_text(text: str) -> Path:
    """The file that a path names, from the current folder."""
    try:
        return Path(os.path.realpath(os.path.expanduser(text)))  # noqa: PTH111 - of Path it fails without such a user
    except ValueError:  # a character that no path has
        return Path(os.devnull) / "no such file"


def _source(path: Path) -> Source:
    return Source((path,), hashlib.sha256(path.read_bytes()).hexdigest()[:16])


def _file_of(module: str) -> Path | None:
    loaded = sys.modules.get(module)
    if loaded is not None:
        file = getattr(loaded, "__file__", None)
        return None if file is None else Path(file)
    _LastFolders.current = str(Path.cwd())  # one that was current before is searched no longer
    search_also()
    found: ModuleSpec | None = None
    parts = module.split(".")
    for number in range(1, len(parts) + 1):
        found = _spec(".".join(parts[:number]), None if found is None else found.submodule_search_locations)
        if found is None:
            return None
    return Path(found.origin) if found is not None and found.has_location and found.origin else None


def _spec(module: str, path: Any) -> ModuleSpec | None:
    """What `importlib.util.find_spec` finds, which imports the packages around it, from finders alone."""
    for finder in sys.meta_path:
        find = getattr(finder, "find_spec", None)
        found: ModuleSpec | None = None if find is None else find(module, path)
        if found is not None:
            return found
    return None


# --- importing --------------------------------------------------------------------------------------------------------
def import_named(module: str) -> ModuleType:
    """Import a module that is installed, or else is in the current folder."""
    _LastFolders.current = str(Path.cwd())  # one that was current before is searched no longer
    search_also()
    return importlib.import_module(module)


def import_file(text: str) -> ModuleType:
    """Import a file, once for each content; what it imports may be beside it.

    Its module is named by its path and its content: it has the name of no other module, and a file that was changed is
    another one. Raises OSError where it cannot be read, and what its code raises.
    """
    path = file_of_text(text)
    source = path.read_bytes()
    digest = hashlib.sha256(os.fsencode(path) + b"\0" + source).hexdigest()[:16]
    stem = re.sub(r"\W", "_", path.stem)
    name = f"bigtwo_file_{stem}_{digest}"
    loaded = sys.modules.get(name)
    if loaded is not None:
        return loaded
    search_also(path.parent)
    module = ModuleType(name)
    module.__file__ = str(path)
    code = compile(source, str(path), "exec", dont_inherit=True)
    sys.modules[name] = module  # which pickling, dataclasses and the cache of compiled code need
    try:
        exec(code, vars(module))
    except BaseException:
        del sys.modules[name]
        raise
    return module


class _LastFolders:
    """What finds modules in folders of the user's, where nothing else finds them."""

    folders: tuple[str, ...] = ()
    current: str | None = None

    @classmethod
    def find_spec(cls, name: str, path: Sequence[str] | None = None, target: Any = None) -> ModuleSpec | None:
        """As of any finder of modules."""
        return None if path is not None else PathFinder.find_spec(name, cls.places(), target)

    @classmethod
    def places(cls) -> list[str]:
        """Where it looks."""
        return [*([cls.current] if cls.current else []), *cls.folders]


def search_also(folder: Path | None = None) -> None:
    """From now on find modules in this folder too, before others of the user's, where no other place has one."""
    if folder is not None:
        others = (other for other in _LastFolders.folders if other != str(folder))
        _LastFolders.folders = (str(folder), *others)
    finders: list[Any] = sys.meta_path
    if finders[-1] is not _LastFolders:
        finders[:] = [*(finder for finder in finders if finder is not _LastFolders), _LastFolders]
    importlib.invalidate_caches()
