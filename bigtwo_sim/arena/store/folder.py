"""The folder of a run being written: a manifest, numbered parts, and what came of it, each file written whole.

`bigtwo.sha256` has the hash of every file but the manifest, which holds its own (see `checksums` and `documents`). A
part that it does not list was not finished, and is played again. The manifest of a finished run has, as `content`, the
hash of the lines about its parts and its result, so that none of them can be of another run.
"""

from __future__ import annotations

import contextlib
import itertools
import json
import os
import re
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

import filelock
import numpy as np
import numpy.typing as npt

import bigtwo_sim
from bigtwo_sim.arena.errors import RunError, SaveError
from bigtwo_sim.arena.schedule.plan import Chunk, ChunkResult, Plan
from bigtwo_sim.arena.stats.statistics import entries
from bigtwo_sim.arena.store.manifest import MANIFEST, describe, new_manifest, plan_of, read_manifest
from bigtwo_sim.arena.store.parts import (
    PART,
    checksums_in,
    has_parts,
    part_bytes,
    part_number,
    part_sums,
    read_part,
    verified,
)
from bigtwo_sim.core.code_cache import source_fingerprint
from bigtwo_sim.games.base.python_agent import AnyAgent
from bigtwo_sim.untrusted.checksums import CHECKSUMS, digest, line, lines
from bigtwo_sim.untrusted.documents import sealed_text

RESULT = "result.json"
_LOCK = ".lock"
_TEMPORARY = ".tmp-"
_FAULT = re.compile(r"fault-([0-9]{1,18})\.json")


# --- the folder -------------------------------------------------------------------------------------------------------
def write_whole(path: Path, data: bytes) -> None:
    """Write a file so that it is there in full or not at all, even if the machine stops in the middle.

    Raises SaveError where it cannot be written; whatever was there before is then still there.
    """
    temporary = path.with_name(f"{_TEMPORARY}{path.name}")
    try:
        with temporary.open("wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path)
        _flush_folder(path.parent)
    except OSError as error:
        with contextlib.suppress(OSError):
            temporary.unlink(missing_ok=True)
        raise SaveError(f"{path} cannot be written: {error.strerror}") from error


def _flush_folder(path: Path) -> None:
    """Have a new name in a folder survive a power cut; not every system lets a folder be opened."""
    with contextlib.suppress(PermissionError):
        descriptor = os.open(path, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


class RunFolder:
    """The folder of one run, held by this process alone until `close`. Make one with `create` or `resume`."""

    def __init__(
        self,
        path: Path,
        manifest: dict[str, Any],
        plan: Plan,
        lock: filelock.BaseFileLock,
        checksums: dict[str, str] | None = None,
    ) -> None:
        self.path = path
        self.plan = plan
        self.manifest = manifest
        self._lock = lock
        self._checksums = checksums or {}
        self._rows = len(entries(plan.lineups))

    @classmethod
    def create(cls, path: Path, plan: Plan, command: str = "", more: Mapping[str, Any] | None = None) -> RunFolder:
        """Make the folder and its manifest, with entries of the command's own (`more`).

        Raises RunError where it holds anything already or cannot be written.
        """
        make_folder(path)
        lock = locked_anew(path)
        try:
            folder = cls(path, new_manifest(plan, command, more or {}), plan, lock)
            folder.update()
        except BaseException:
            remove(path, lock)
            raise
        return folder

    @classmethod
    def resume(cls, path: Path, seat: Callable[[dict[str, Any]], AnyAgent]) -> RunFolder:
        """Take up the run in `path`; `seat` makes an agent of what `describe` wrote.

        Raises RunError for a folder that holds no run, one that another process is writing, one with a damaged part,
        and one that this engine or these agents would not go on with to the same result. Nothing is written before
        that is known.
        """
        read_manifest(path)
        lock = locked(path)
        try:
            manifest = read_manifest(path)
            _raise_if_other_engine(path, manifest)
            checksums = checksums_in(path)
            present = {file.name for file in path.iterdir()}
            for name in present & checksums.keys() - {RESULT}:  # which is written anew
                verified(path / name, checksums)
            plan = plan_of(manifest, seat)
            for agent, saved in zip(plan.agents, manifest["agents"], strict=True):
                if describe(agent) != saved:
                    raise RunError(f"{path}: the agent {agent.name!r} is not the one that played: it was changed since")
            folder = cls(path, manifest, plan, lock, {name: checksums[name] for name in present & checksums.keys()})
            folder._clear_away(present)
        except BaseException:
            lock.release()
            raise
        return folder

    def _clear_away(self, present: set[str]) -> None:
        """Remove what was being written when the run was cut off; it is played again."""
        for name in present:
            if name.startswith(_TEMPORARY):
                (self.path / name).unlink(missing_ok=True)
        if CHECKSUMS in present:
            self._sort_checksums()

    def close(self) -> None:
        """Let other processes have the folder."""
        self._lock.release()

    def update(self, **values: Any) -> None:
        """Change entries of the manifest. Raises SaveError where it cannot be written."""
        self.manifest.update(values)
        write_whole(self.path / MANIFEST, sealed_text(self.manifest).encode())

    def remove_if_empty(self) -> bool:
        """Remove the folder if nothing came of the run, so that it can be tried again; return whether it is gone."""
        if has_parts(self.path) or fault_paths(self.path):
            return False
        return remove(self.path, self._lock)

    # --- parts --------------------------------------------------------------------------------------------------------
    def saved_parts(self) -> set[int]:
        """The numbers of the parts that are there in full."""
        listed = {number for name in self._checksums if (number := part_number(name)) is not None}
        return {number for number in listed if (self.path / PART.format(number)).exists()}

    def write_part(self, result: ChunkResult) -> None:
        """Save what came out of a chunk. Raises SaveError where it cannot be written."""
        self._write(PART.format(result.chunk.number), part_bytes(self.manifest, result))

    def write_fault(self, fault: Any) -> None:
        """Keep a fault, if it is the first of its agent. Raises SaveError where it cannot be written."""
        name = f"fault-{self.plan.names.index(fault.agent)}.json"
        if name not in self._checksums:
            self._write(name, (json.dumps(fault.to_dict(), indent=1) + "\n").encode())

    def read_part(self, chunk: Chunk) -> npt.NDArray[np.int64]:
        """The sums of a chunk, int64[blocks, entries, columns]. Raises RunError for a damaged or foreign part."""
        table = read_part(self.path, self.manifest, chunk, self._checksums)
        return part_sums(table, self._rows, self.plan.stat_columns)

    def write_result(self, result: dict[str, Any]) -> None:
        """Save what the run came to: no time and nothing of this machine is in it. Raises SaveError.

        The manifest knows the result once it is written the next time.
        """
        self.write_file(RESULT, (json.dumps(result, indent=2) + "\n").encode())
        chunks = itertools.takewhile(lambda chunk: chunk.first < result["blocks"], self.plan.chunks())
        self.manifest["content"] = content_digest(self._checksums, chunks)

    def write_file(self, name: str, data: bytes) -> None:
        """Save a file of what came out of the whole run. Raises SaveError."""
        write_whole(self.path / name, data)
        self._checksums[name] = digest(data)
        self._sort_checksums()

    def _write(self, name: str, data: bytes) -> None:
        write_whole(self.path / name, data)
        self._add_line(name, digest(data))

    # --- checksums ----------------------------------------------------------------------------------------------------
    def _add_line(self, name: str, hashed: str) -> None:
        """Add a line to the checksums, on disk. One that cannot be written in full is cut off again."""
        path = self.path / CHECKSUMS
        try:
            new = not path.exists()
            with path.open("ab") as file:
                size = file.tell()
                try:
                    file.write(line(name, hashed).encode())
                    file.flush()
                    os.fsync(file.fileno())
                except OSError:
                    with contextlib.suppress(OSError):
                        os.truncate(path, size)
                    raise
            if new:
                _flush_folder(self.path)
        except OSError as error:
            raise SaveError(f"{path} cannot be written: {error.strerror}") from error
        self._checksums[name] = hashed

    def _sort_checksums(self) -> None:
        """Write the checksums anew: a line for each file, by name, however the run came to its end."""
        write_whole(self.path / CHECKSUMS, lines(self._checksums).encode())


def content_digest(checksums: Mapping[str, str], chunks: Iterable[Chunk]) -> str:
    """The hash of the lines about the parts of these chunks and about the result, as a manifest has it."""
    names = [*(PART.format(chunk.number) for chunk in chunks), RESULT]
    return digest(lines({name: checksums.get(name, "") for name in names}).encode())


def fault_paths(path: Path) -> list[Path]:
    """The files of the faults in a run's folder."""
    return sorted(file for file in path.iterdir() if _FAULT.fullmatch(file.name))


def make_folder(path: Path) -> None:
    """Make a folder for a run. Raises RunError where it cannot be made or holds anything already."""
    try:
        if path.exists() and not path.is_dir():
            raise RunError(f"{path} is a file; a run is saved in a folder of its own")
        raise_if_taken(path)
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise RunError(f"{path} cannot be made: {error.strerror}") from error


def raise_if_taken(path: Path) -> None:
    """Raise RunError where a folder holds anything but what a process left that was killed before it began a run."""
    if not path.is_dir():
        return
    if (path / MANIFEST).exists() or has_parts(path):
        raise RunError(
            f"{path} holds a run already; name another folder, or go on with it by --resume {path}; "
            "nothing was overwritten"
        )
    if any(file.name != _LOCK and not file.name.startswith(_TEMPORARY) for file in path.iterdir()):
        raise RunError(f"{path} is not empty; a run is saved in a folder of its own, nothing was written")


def locked_anew(path: Path) -> filelock.BaseFileLock:
    """The lock of a folder for a new run. Raises RunError as `locked`, and where another process was quicker."""
    lock = locked(path)
    try:
        raise_if_taken(path)
    except BaseException:
        lock.release()
        raise
    return lock


def remove(path: Path, lock: filelock.BaseFileLock) -> bool:
    """Give up a folder in which nothing was saved; return whether it is gone."""
    lock.release()
    try:
        for file in [*path.glob(f"{_TEMPORARY}*"), *(path / name for name in (MANIFEST, CHECKSUMS, _LOCK))]:
            file.unlink(missing_ok=True)
        path.rmdir()
    except OSError:
        return False
    return True


def locked(path: Path) -> filelock.BaseFileLock:
    """The folder's lock, which the system releases however the process ends.

    Raises RunError where another process has it, or the folder cannot be locked.
    """
    lock = filelock.FileLock(path / _LOCK, thread_local=False)
    try:
        lock.acquire(timeout=0)
    except filelock.Timeout:
        raise RunError(f"{path} is being written by another process; wait for its end, or stop it") from None
    except (OSError, NotImplementedError) as error:
        raise RunError(f"{path} cannot be locked: {getattr(error, 'strerror', None) or error}") from error
    return lock


def _raise_if_other_engine(path: Path, manifest: dict[str, Any]) -> None:
    for name, own in (("engine_version", bigtwo_sim.__version__), ("engine_source", source_fingerprint())):
        if manifest[name] != own:
            raise RunError(
                f"{path} was played by another engine ({name} {manifest[name]}, here {own}), whose deals may differ; "
                "go on with that one, or begin anew in another folder"
            )
