"""The folder of a run being written: `manifest.json` and numbered Parquet parts, each written whole or not at all.

A part is one chunk. It holds one row for each block, line-up and agent of it:

=====================  =======  ====================================================================
`block`                int64    number of the block, and of its deck under the run's seed
`lineup`               int32    number of the line-up in the manifest
`agent`                int16    number of the agent in the manifest
`wins_0` … `wins_3`    int16    deals that the agent won from each seat, of all seatings of the block
`points`               int32    its points, summed over these deals and over its seats
`left`                 int16    its cards left, summed likewise
`decisions`            int32    turns on which it had a choice, summed likewise
`forfeits`             int32    those of them that it forfeited
=====================  =======  ====================================================================

Big Three has a win for each seat of the winning side, with three players no `wins_3`, and these besides:

=====================  =======  ====================================================================
`soloist_deals`        int16    deals in which it was the soloist
`soloist_wins`         int16    those of them that it won
`soloist_points`       int32    its points in them
`opponent_…`                    the same three as an opponent
`bid_none` … `bid_3`   int16    deals by its highest bid
=====================  =======  ====================================================================

These whole numbers are all that the statistics need, so a run can be summarised again from its parts, exactly. Each
part also carries the identity of its run: the hash of everything in the manifest that a result depends on.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import platform
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import filelock
import numba
import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.parquet as pq

import bigtwo_sim
from bigtwo_sim.agent import PolicyAgent
from bigtwo_sim.arena.errors import RunError, SaveError
from bigtwo_sim.arena.plan import Chunk, ChunkResult, Plan
from bigtwo_sim.arena.statistics import entries
from bigtwo_sim.code_cache import source_fingerprint
from bigtwo_sim.game import Counting, Game
from bigtwo_sim.games import BIG_TWO, PACKAGES, game_named
from bigtwo_sim.python_agent import AnyAgent

FORMAT = 2
MANIFEST = "manifest.json"
RESULT = "result.json"
PART = "part-{:05d}.parquet"
PARTS = "part-*.parquet"
FAULTS = "fault-*.json"
_LOCK = ".lock"
_TEMPORARY = ".tmp-"
_IDENTITY = b"bigtwo_run"
_WIDE = ("points", "decisions", "forfeits")


def schema(counting: Counting) -> pa.Schema:
    """The columns of a part."""
    kinds = {name: pa.int32() if name.endswith(_WIDE) else pa.int16() for name in counting.columns}
    return pa.schema([("block", pa.int64()), ("lineup", pa.int32()), ("agent", pa.int16()), *kinds.items()])


# What of the manifest a result depends on.
_DECISIVE = (
    "format",
    "engine_version",
    "engine_source",
    "rules",
    "seed",
    "agents",
    "lineups",
    "blocks",
    "smallest_part",
    "largest_part",
    "stop",
    "move_time",
    "memory",
    "strict",
)


# --- the manifest -----------------------------------------------------------------------------------------------------
def describe(agent: AnyAgent) -> dict[str, Any]:
    """An agent for the manifest: enough to seat it again, and to notice that it is another one."""
    if isinstance(agent, PolicyAgent):
        values = zip(agent.method.parameters, agent.params, strict=False)
        # The shortest text of a float32 is read back as the same number.
        return {
            "name": agent.name,
            "method": agent.method.name,
            "settings": {parameter.name: float(str(value)) for parameter, value in values},
        }
    factory = agent.factory
    place = f"{factory.__module__}:{factory.__qualname__}" if hasattr(factory, "__qualname__") else str(factory)
    description = {"name": agent.name, "factory": place}
    if hasattr(factory, "source_fingerprint"):
        description["source"] = factory.source_fingerprint()
    return description


def identity(manifest: dict[str, Any]) -> str:
    """The hash of what a result depends on."""
    decisive = {name: manifest.get(name) for name in _DECISIVE}
    for name in ("game", "isolate"):  # older ones are of Big Two, and do not say
        if name in manifest:
            decisive[name] = manifest[name]
    return hashlib.sha256(json.dumps(decisive, sort_keys=True).encode()).hexdigest()[:32]


def _new_manifest(plan: Plan, command: str) -> dict[str, Any]:
    names = [agent.name for agent in plan.agents]
    manifest = {
        "format": FORMAT,
        "status": "running",
        "engine_version": bigtwo_sim.__version__,
        "engine_source": source_fingerprint(),
        "python": platform.python_version(),
        "numpy": np.__version__,
        "numba": numba.__version__,
        "system": f"{sys.platform} {platform.machine()}",
        "started": time.strftime("%Y-%m-%dT%H:%M:%S%z"),
        "command": command,
        "game": plan.game.name,
        "rules": plan.rules.to_dict(),
        "seed": plan.seed,
        "agents": [describe(agent) for agent in plan.agents],
        "lineups": [[names[agent] for agent in lineup] for lineup in plan.lineups],
        "blocks": plan.blocks,
        "deals": plan.deals,
        "smallest_part": plan.smallest_chunk,
        "largest_part": plan.largest_chunk,
        "stop": None if plan.stop is None else plan.stop.to_dict(),
        "move_time": plan.move_time,
        "memory": plan.memory,
        "strict": plan.strict,
        "isolate": plan.isolate,
        "isolation": plan.isolation,
        "seconds": 0.0,
    }
    return {**manifest, "identity": identity(manifest)}


def read_manifest(path: Path) -> dict[str, Any]:
    """The manifest in the folder `path`. Raises RunError where there is none, or one that this version cannot read."""
    try:
        manifest: Any = json.loads((path / MANIFEST).read_text(encoding="utf-8"))
    except OSError as error:
        raise RunError(f"{path} holds no run: {MANIFEST} cannot be read ({error.strerror})") from error
    except ValueError as error:
        raise RunError(f"{path / MANIFEST} is damaged: {error}") from error
    if not isinstance(manifest, dict) or manifest.get("format") != FORMAT:
        raise RunError(f"{path / MANIFEST} is not of format {FORMAT}, the one that this version reads")
    if manifest.get("identity") != identity(manifest):
        raise RunError(
            f"{path / MANIFEST} was changed after the run began: its rules, agents, seed or line-ups are not those "
            "that its identity was made from"
        )
    if manifest.get("game", BIG_TWO) not in PACKAGES:
        raise RunError(f"{path / MANIFEST} is of the game {manifest['game']!r:.40}, which this version does not know")
    return dict(manifest)


def game_in(manifest: dict[str, Any]) -> Game:
    """The game that a manifest is of; an older one, which does not say, is of Big Two."""
    return game_named(manifest.get("game", BIG_TWO))


def counting_in(manifest: dict[str, Any]) -> Counting:
    """What the parts of a manifest's run hold."""
    return game_in(manifest).countings[len(manifest["lineups"][0])]


def plan_of(manifest: dict[str, Any], seat: Callable[[dict[str, Any]], AnyAgent]) -> Plan:
    """The plan that a manifest tells of; `seat` makes an agent of what `describe` wrote."""
    from bigtwo_sim.arena.stopping import rule_from_dict

    names = [agent["name"] for agent in manifest["agents"]]
    return Plan(
        tuple(seat(agent) for agent in manifest["agents"]),
        game_in(manifest).rules.from_dict(manifest["rules"]),
        manifest["seed"],
        manifest["blocks"],
        tuple(tuple(names.index(name) for name in lineup) for lineup in manifest["lineups"]),
        manifest["smallest_part"],
        manifest["largest_part"],
        None if manifest["stop"] is None else rule_from_dict(manifest["stop"]),
        manifest["move_time"],
        manifest["memory"],
        manifest["strict"],
        manifest.get("isolate", False),
    )


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

    def __init__(self, path: Path, manifest: dict[str, Any], plan: Plan, lock: filelock.BaseFileLock) -> None:
        self.path = path
        self.plan = plan
        self.manifest = manifest
        self._lock = lock
        found = entries(plan.lineups)
        self._lineup = np.array([entry.lineup for entry in found], np.int32)
        self._agent = np.array([entry.agent for entry in found], np.int16)
        self._columns = plan.counting.columns
        self._schema = schema(plan.counting).with_metadata({_IDENTITY: manifest["identity"].encode()})

    @classmethod
    def create(cls, path: Path, plan: Plan, command: str = "") -> RunFolder:
        """Make the folder and its manifest. Raises RunError where it holds anything already or cannot be written."""
        try:
            if path.exists() and not path.is_dir():
                raise RunError(f"{path} is a file; a run is saved in a folder of its own")
            if path.is_dir() and ((path / MANIFEST).exists() or any(path.glob(PARTS))):
                raise RunError(
                    f"{path} holds a run already; name another folder, or go on with it by --resume {path}; "
                    "nothing was overwritten"
                )
            if path.is_dir() and any(path.iterdir()):
                raise RunError(f"{path} is not empty; a run is saved in a folder of its own, nothing was written")
            path.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise RunError(f"{path} cannot be made: {error.strerror}") from error
        folder = cls(path, _new_manifest(plan, command), plan, locked(path))
        folder.update()
        return folder

    @classmethod
    def resume(cls, path: Path, seat: Callable[[dict[str, Any]], AnyAgent]) -> RunFolder:
        """Take up the run in `path`; `seat` makes an agent of what `describe` wrote.

        Raises RunError for a folder that holds no run, one that another process is writing, and one that this engine
        or these agents would not go on with to the same result. Nothing is written before that is known.
        """
        read_manifest(path)
        lock = locked(path)
        try:
            manifest = read_manifest(path)
            _raise_if_other_engine(path, manifest)
            plan = plan_of(manifest, seat)
            for agent, saved in zip(plan.agents, manifest["agents"], strict=True):
                if describe(agent) != saved:
                    raise RunError(f"{path}: the agent {agent.name!r} is not the one that played: it was changed since")
            for leftover in path.glob(f"{_TEMPORARY}*"):
                leftover.unlink(missing_ok=True)
        except BaseException:
            lock.release()
            raise
        return cls(path, manifest, plan, lock)

    def close(self) -> None:
        """Let other processes have the folder."""
        self._lock.release()

    def update(self, **values: Any) -> None:
        """Change entries of the manifest. Raises SaveError where it cannot be written."""
        self.manifest.update(values)
        write_whole(self.path / MANIFEST, (json.dumps(self.manifest, indent=2) + "\n").encode())

    def remove_if_empty(self) -> bool:
        """Remove the folder if nothing came of the run, so that it can be tried again; return whether it is gone."""
        if any(self.path.glob(PARTS)) or any(self.path.glob(FAULTS)):
            return False
        self.close()
        try:
            for name in (MANIFEST, _LOCK):
                (self.path / name).unlink(missing_ok=True)
            self.path.rmdir()
        except OSError:
            return False
        return True

    # --- parts --------------------------------------------------------------------------------------------------------
    def saved_parts(self) -> set[int]:
        """The numbers of the parts that are there."""
        return {int(part.stem.partition("-")[2]) for part in self.path.glob(PARTS)}

    def write_part(self, result: ChunkResult) -> None:
        """Save what came out of a chunk. Raises SaveError where it cannot be written."""
        blocks, rows = result.sums.shape[:2]
        columns: dict[str, npt.NDArray[Any]] = {
            "block": np.repeat(np.arange(result.chunk.first, result.chunk.first + blocks), rows),
            "lineup": np.tile(self._lineup, blocks),
            "agent": np.tile(self._agent, blocks),
        }
        flat = result.sums.reshape(blocks * rows, len(self._columns))
        columns |= {name: flat[:, i] for i, name in enumerate(self._columns)}
        arrays = [pa.array(columns[field.name].astype(field.type.to_pandas_dtype())) for field in self._schema]
        sink = pa.BufferOutputStream()
        table = pa.Table.from_arrays(arrays, schema=self._schema)
        pq.write_table(table, sink, compression="zstd", write_page_checksum=True)
        write_whole(self.path / PART.format(result.chunk.number), sink.getvalue())

    def write_fault(self, fault: Any) -> None:
        """Keep a fault, if it is the first of its agent. Raises SaveError where it cannot be written."""
        path = self.path / FAULTS.replace("*", str(self.plan.names.index(fault.agent)))
        if not path.exists():
            write_whole(path, (json.dumps(fault.to_dict(), indent=1) + "\n").encode())

    def read_part(self, chunk: Chunk) -> npt.NDArray[np.int64]:
        """The sums of a chunk, int64[blocks, entries, columns]. Raises RunError for a damaged or foreign part."""
        return part_sums(read_part(self.path, self.manifest, chunk), len(self._lineup), self.plan.counting)

    def write_result(self, result: dict[str, Any]) -> None:
        """Save what the run came to: no time and nothing of this machine is in it. Raises SaveError."""
        write_whole(self.path / RESULT, (json.dumps(result, indent=2) + "\n").encode())


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


# --- reading ----------------------------------------------------------------------------------------------------------
def read_part(path: Path, manifest: dict[str, Any], chunk: Chunk) -> pa.Table:
    """The table of a chunk. Raises RunError for a part that is damaged, of another run or of other blocks."""
    part = path / PART.format(chunk.number)
    try:
        found = pq.read_schema(part)
        if (found.metadata or {}).get(_IDENTITY) != manifest["identity"].encode():
            raise RunError(f"{part} belongs to another run (other rules, agents, seed or engine); nothing was changed")
        wanted = schema(counting_in(manifest))
        table = pq.read_table(part, schema=wanted, page_checksum_verification=True, use_threads=False)
    except (OSError, pa.ArrowException) as error:
        reason = " ".join(str(error).split())[:200]
        raise RunError(f"{part} is damaged ({reason}); delete it and resume the run, which plays it again") from error
    blocks = table["block"]
    rows = chunk.blocks * sum(len(set(lineup)) for lineup in manifest["lineups"])
    ends = (chunk.first, chunk.first + chunk.blocks - 1)
    if len(table) != rows or (blocks[0].as_py(), blocks[-1].as_py()) != ends:
        raise RunError(f"{part} holds other blocks than it must; delete it and resume the run, which plays it again")
    return table


def part_sums(table: pa.Table, rows: int, counting: Counting) -> npt.NDArray[np.int64]:
    """The sums in a part of `rows` entries a block: int64[blocks, rows, columns]."""
    sums = np.empty((len(table), len(counting.columns)), np.int64)
    for i, name in enumerate(counting.columns):
        sums[:, i] = table[name].to_numpy()
    return sums.reshape(-1, rows, len(counting.columns))
