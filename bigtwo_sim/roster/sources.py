"""Where the code of an agent is that a manifest names, found without running any of it."""

from __future__ import annotations

import contextlib
import hashlib
import importlib
import importlib.util
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from importlib.machinery import ModuleSpec
from pathlib import Path
from typing import Any

from bigtwo_sim.bots.isolation import bot as bot_of
from bigtwo_sim.core import code_cache
from bigtwo_sim.games.base.agent import AgentError

EXEC = "exec:"


@dataclass(frozen=True)
class Source:
    """The files of an agent's code, and their hash."""

    files: tuple[Path, ...]
    fingerprint: str | None
    """None: no file, such as of what is built into Python."""


def source_of(description: Mapping[str, Any]) -> Source:
    """The code of an agent that a manifest describes by its factory.

    Raises AgentError where it is not there any more, or is not what played the run.
    """
    name, place = description["name"], description["factory"]
    if place.startswith(EXEC):
        bot: Any = bot_of(name, place.removeprefix(EXEC)).factory
        found = Source(tuple(bot.files()), bot.source_fingerprint())
    else:
        found = source_of_module(place.partition(":")[0])
    if "source" not in description or found.fingerprint != description["source"]:
        raise AgentError(f"the agent {name!r:.80} is not the one that played: it was changed since")
    return found


def source_of_module(module: str) -> Source:
    """The file of a module, which is not imported."""
    path = _file_of(module)
    if path is None or not path.is_file():  # built in, or within an archive
        return Source((), None)
    return Source((path,), hashlib.sha256(path.read_bytes()).hexdigest()[:16])


def _file_of(module: str) -> Path | None:
    loaded = sys.modules.get(module)
    if loaded is not None:
        file = getattr(loaded, "__file__", None)
        return None if file is None else Path(file)
    found: ModuleSpec | None = None
    with current_folder_first():
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


def own_places() -> list[str]:
    """The folders in which this project's packages are."""
    found = (importlib.util.find_spec(package) for package in code_cache.PACKAGES)
    return [str(Path(spec.origin).resolve().parents[1]) for spec in found if spec and spec.origin]


@contextlib.contextmanager
def current_folder_first() -> Iterator[None]:
    """Search the current folder before all others, and from then on after them.

    To leave it in front would let a file of the user's take the place of a library's module in later imports.
    """
    folder = str(Path.cwd())
    sys.path.insert(0, folder)
    importlib.invalidate_caches()
    try:
        yield
    finally:
        sys.path.remove(folder)
        # Worker processes search the same folders; there a file bigtwo_sim.py of the user's must not come before ours,
        # which an installation that is still edited finds last of all.
        for place in (*own_places(), folder):
            if place not in sys.path:
                sys.path.append(place)
