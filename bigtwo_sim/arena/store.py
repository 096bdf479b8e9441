"""Runs on disk: a folder with `manifest.json` and numbered Parquet parts, each written whole or not at all.

A part holds one row for each block, line-up and agent of it:

=====================  =======  ====================================================================
`block`                int64    number of the block, and of its deck under the run's seed
`lineup`               int32    number of the line-up in the manifest
`agent`                int16    number of the agent in the manifest
`wins_0` … `wins_3`    int16    deals that the agent won from each seat, of all seatings of the block
`points`               int32    its points, summed over these deals and over its seats
`left`                 int16    its cards left, summed likewise
`decisions`            int32    turns on which it had a choice, summed likewise
=====================  =======  ====================================================================

These whole numbers are all that the statistics need, so a run can be summarised again from its parts, exactly.
"""

from __future__ import annotations

import json
import os
import platform
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numba
import numpy as np
import numpy.typing as npt
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

import bigtwo_sim
from bigtwo_sim.arena.plan import ChunkResult, Plan, RunError, SaveError
from bigtwo_sim.arena.statistics import COLUMNS, Tally, entries
from bigtwo_sim.big_two import AnyAgent, PolicyAgent

FORMAT = 1
MANIFEST = "manifest.json"
_PART = "part-{:05d}.parquet"
_TYPES = {"points": pa.int32(), "decisions": pa.int32()}
_SCHEMA = pa.schema(
    [("block", pa.int64()), ("lineup", pa.int32()), ("agent", pa.int16())]
    + [(name, _TYPES.get(name, pa.int16())) for name in COLUMNS]
)


def _describe(agent: AnyAgent) -> dict[str, Any]:
    """An agent for the manifest: enough to seat it again."""
    if isinstance(agent, PolicyAgent):
        values = zip(agent.method.parameters, agent.params.tolist(), strict=False)
        settings = {parameter.name: float(f"{value:.7g}") for parameter, value in values}
        return {"name": agent.name, "method": agent.method.name, "settings": settings}
    factory = agent.factory
    place = f"{factory.__module__}:{factory.__qualname__}" if hasattr(factory, "__qualname__") else str(factory)
    return {"name": agent.name, "factory": place}


def _write_whole(path: Path, data: bytes) -> None:
    """Write a file so that it is there in full or not at all."""
    temporary = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        with temporary.open("wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path)
    except OSError as error:
        temporary.unlink(missing_ok=True)
        raise SaveError(f"{path} cannot be written: {error.strerror}") from error


class RunFolder:
    """The folder of one run, being written. Make one with `create`."""

    def __init__(self, path: Path, manifest: dict[str, Any], plan: Plan) -> None:
        self.path = path
        self._manifest = manifest
        found = entries(plan.lineups)
        self._lineup = np.array([entry.lineup for entry in found], np.int32)
        self._agent = np.array([entry.agent for entry in found], np.int16)

    @classmethod
    def create(cls, path: Path, plan: Plan, command: str = "") -> RunFolder:
        """Make the folder and its manifest. Raises RunError where it holds anything already or cannot be written."""
        try:
            if path.exists() and not path.is_dir():
                raise RunError(f"{path} is a file; a run is saved in a folder of its own")
            if path.is_dir() and ((path / MANIFEST).exists() or any(path.glob("part-*.parquet"))):
                raise RunError(f"{path} holds a run already; name another folder, nothing was overwritten")
            if path.is_dir() and any(path.iterdir()):
                raise RunError(f"{path} is not empty; a run is saved in a folder of its own, nothing was written")
            path.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise RunError(f"{path} cannot be made: {error.strerror}") from error
        folder = cls(path, _new_manifest(plan, command), plan)
        folder.update()
        return folder

    def update(self, **values: Any) -> None:
        """Change entries of the manifest."""
        self._manifest.update(values)
        _write_whole(self.path / MANIFEST, (json.dumps(self._manifest, indent=2) + "\n").encode())

    def remove_if_empty(self) -> bool:
        """Remove the folder if it holds no part, so that the run can be tried again; return whether it is gone."""
        if any(self.path.glob("part-*.parquet")):
            return False
        try:
            (self.path / MANIFEST).unlink(missing_ok=True)
            self.path.rmdir()
        except OSError:
            return False
        return True

    def write_part(self, result: ChunkResult) -> None:
        """Save what came out of a chunk. Raises RunError where it cannot be written."""
        blocks, rows = result.sums.shape[:2]
        columns: dict[str, npt.NDArray[Any]] = {
            "block": np.repeat(np.arange(result.chunk.first, result.chunk.first + blocks), rows),
            "lineup": np.tile(self._lineup, blocks),
            "agent": np.tile(self._agent, blocks),
        }
        flat = result.sums.reshape(blocks * rows, len(COLUMNS))
        columns |= {name: flat[:, i] for i, name in enumerate(COLUMNS)}
        arrays = [pa.array(columns[field.name].astype(field.type.to_pandas_dtype())) for field in _SCHEMA]
        sink = pa.BufferOutputStream()
        pq.write_table(pa.Table.from_arrays(arrays, schema=_SCHEMA), sink, compression="zstd")
        _write_whole(self.path / _PART.format(result.chunk.number), sink.getvalue())


def _new_manifest(plan: Plan, command: str) -> dict[str, Any]:
    names = [agent.name for agent in plan.agents]
    return {
        "format": FORMAT,
        "status": "running",
        "engine_version": bigtwo_sim.__version__,
        "python": platform.python_version(),
        "numpy": np.__version__,
        "numba": numba.__version__,
        "system": f"{sys.platform} {platform.machine()}",
        "started": time.strftime("%Y-%m-%dT%H:%M:%S%z"),
        "command": command,
        "rules": plan.rules.to_dict(),
        "seed": plan.seed,
        "agents": [_describe(agent) for agent in plan.agents],
        "lineups": [[names[agent] for agent in lineup] for lineup in plan.lineups],
        "blocks": plan.blocks,
        "deals": plan.deals,
        "blocks_a_part": plan.chunk,
        "parts": plan.chunk_count,
    }


@dataclass(frozen=True)
class SavedRun:
    """A run read from its folder: the manifest, and one row for each block, line-up and agent.

    `blocks` has the columns told at the top of this file, with the names of the agents, and of the line-ups as their
    members joined by blanks, in place of numbers; and `deals`, how many the line-up plays in a block.
    """

    manifest: dict[str, Any]
    blocks: pd.DataFrame
    tally: Tally
    """The statistics, computed again from the parts."""


def load(folder: str | Path) -> SavedRun:
    """Read a saved run. Raises RunError for a folder that holds none, and for a part that is missing or damaged."""
    path = Path(folder)
    manifest = _read_manifest(path)
    names = [agent["name"] for agent in manifest["agents"]]
    numbers = [tuple(names.index(name) for name in lineup) for lineup in manifest["lineups"]]
    found = entries(numbers)
    tally = Tally(numbers)
    tables = []
    for part in _parts(path, manifest):
        try:
            table = pq.read_table(part, schema=_SCHEMA)
        except (OSError, pa.ArrowException) as error:
            raise RunError(f"{part} cannot be read: {' '.join(str(error).split())[:200]}") from error
        sums = np.stack([table[name].to_numpy().astype(np.int64) for name in COLUMNS], axis=1)
        tally.add(np.ascontiguousarray(sums).reshape(-1, len(found), len(COLUMNS)))
        tables.append(table)
    frame = (pa.concat_tables(tables) if tables else _SCHEMA.empty_table()).to_pandas()
    deals = np.array([entry.deals for entry in found], np.int16)
    frame.insert(3, "deals", np.resize(deals, len(frame)))
    lineup_names = [" ".join(lineup) for lineup in manifest["lineups"]]
    frame["lineup"] = pd.Categorical.from_codes(frame["lineup"], lineup_names)
    frame["agent"] = pd.Categorical.from_codes(frame["agent"], names)
    return SavedRun(manifest, frame, tally)


def _read_manifest(path: Path) -> dict[str, Any]:
    try:
        manifest: Any = json.loads((path / MANIFEST).read_text(encoding="utf-8"))
    except OSError as error:
        raise RunError(f"{path} holds no run: {MANIFEST} cannot be read ({error.strerror})") from error
    except ValueError as error:
        raise RunError(f"{path / MANIFEST} is damaged: {error}") from error
    if not isinstance(manifest, dict) or manifest.get("format") != FORMAT:
        raise RunError(f"{path / MANIFEST} is not of format {FORMAT}, the one that this version reads")
    return dict(manifest)


def _parts(path: Path, manifest: dict[str, Any]) -> Iterator[Path]:
    """The parts in order; a finished run must have all, another one those before the first that is missing."""
    for number in range(manifest["parts"]):
        part = path / _PART.format(number)
        if not part.exists():
            if manifest["status"] == "finished":
                raise RunError(f"{part} is missing, though the run was finished")
            return
        yield part
