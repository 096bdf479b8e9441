"""The parts of a run as Parquet: the sums of a chunk in a file, which says by itself which run it is of.

A part holds one row for each block, line-up and agent of its chunk:

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

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.parquet as pq

from bigtwo_sim.arena.errors import RunError
from bigtwo_sim.arena.schedule.plan import Chunk, ChunkResult
from bigtwo_sim.arena.stats.statistics import entries
from bigtwo_sim.arena.store.manifest import counting_in, lineup_numbers
from bigtwo_sim.games.base.game import StatColumns
from bigtwo_sim.untrusted.checksums import CHECKSUMS, ChecksumError, digest, read_checksums
from bigtwo_sim.untrusted.text_files import TextFileError, read_bytes

PART = "part-{:05d}.parquet"
_NAME = re.compile(r"part-([0-9]{5,18})\.parquet")
_IDENTITY = b"bigtwo_run"
_WIDE = ("points", "decisions", "forfeits")
_PLAYS_AGAIN = "delete it and resume the run, which plays it again"


def schema(stat_columns: StatColumns) -> pa.Schema:
    """The columns of a part."""
    kinds = {name: pa.int32() if name.endswith(_WIDE) else pa.int16() for name in stat_columns.columns}
    return pa.schema([("block", pa.int64()), ("lineup", pa.int32()), ("agent", pa.int16()), *kinds.items()])


def part_number(name: str) -> int | None:
    """The number of the part of this name; None for the name of any other file."""
    found = _NAME.fullmatch(name)
    number = None if found is None else int(found[1])
    return number if number is not None and PART.format(number) == name else None


def has_parts(folder: Path) -> bool:
    """Whether there is a part in a folder."""
    return any(part_number(path.name) is not None for path in folder.iterdir())


# --- writing ----------------------------------------------------------------------------------------------------------
def part_bytes(manifest: Mapping[str, Any], result: ChunkResult) -> bytes:
    """The part of what came out of a chunk."""
    stat_columns = counting_in(manifest)
    blocks, rows = result.sums.shape[:2]
    columns = _places(manifest, result.chunk)
    flat = result.sums.reshape(blocks * rows, len(stat_columns.columns))
    columns |= {name: flat[:, i] for i, name in enumerate(stat_columns.columns)}
    wanted = schema(stat_columns).with_metadata({_IDENTITY: manifest["identity"].encode()})
    arrays = [pa.array(columns[field.name].astype(field.type.to_pandas_dtype())) for field in wanted]
    sink = pa.BufferOutputStream()
    pq.write_table(pa.Table.from_arrays(arrays, schema=wanted), sink, compression="zstd", write_page_checksum=True)
    return sink.getvalue().to_pybytes()  # type: ignore[no-any-return]


def _places(manifest: Mapping[str, Any], chunk: Chunk) -> dict[str, npt.NDArray[Any]]:
    """The first three columns of a part, which say what its rows are about."""
    found = entries(lineup_numbers(manifest))
    return {
        "block": np.repeat(np.arange(chunk.first, chunk.first + chunk.blocks), len(found)),
        "lineup": np.tile(np.array([entry.lineup for entry in found], np.int32), chunk.blocks),
        "agent": np.tile(np.array([entry.agent for entry in found], np.int16), chunk.blocks),
    }


# --- reading ----------------------------------------------------------------------------------------------------------
def checksums_in(folder: Path) -> dict[str, str]:
    """The checksums of the files of a run. Raises RunError where they are damaged."""
    try:
        return read_checksums(folder)
    except ChecksumError as error:
        raise RunError(f"{error}; it is damaged, so nothing of this run can be verified") from None


def verified(path: Path, checksums: Mapping[str, str]) -> bytes:
    """The content of a part, which is the one that was written. Raises RunError where it is not."""
    try:
        data = read_bytes(path)
    except TextFileError as error:
        raise RunError(str(error)) from None
    if path.name not in checksums:
        raise RunError(f"{path} is not listed in {CHECKSUMS}, so it cannot be verified; {_PLAYS_AGAIN}")
    if digest(data) != checksums[path.name]:
        raise RunError(f"{path} is damaged (its SHA-256 is not the one in {CHECKSUMS}); {_PLAYS_AGAIN}")
    return data


def read_part(path: Path, manifest: Mapping[str, Any], chunk: Chunk, checksums: Mapping[str, str]) -> pa.Table:
    """The table of a chunk. Raises RunError for a part that is damaged, of another run or of other blocks."""
    part = path / PART.format(chunk.number)
    data = verified(part, checksums)
    wanted = schema(counting_in(manifest))
    rows = chunk.blocks * len(entries(lineup_numbers(manifest)))
    try:
        file = pq.ParquetFile(pa.BufferReader(data), page_checksum_verification=True)
        found = file.schema_arrow
        if (found.metadata or {}).get(_IDENTITY) != manifest["identity"].encode():
            raise RunError(f"{part} belongs to another run (other rules, agents, seed or engine); nothing was changed")
        if not found.equals(wanted):
            raise RunError(f"{part} has other columns than a part of this run; {_PLAYS_AGAIN}")
        if file.metadata.num_rows != rows:
            raise RunError(f"{part} has {file.metadata.num_rows} rows; it must have {rows}; {_PLAYS_AGAIN}")
        table = file.read(use_threads=False)
    except (OSError, pa.ArrowException, ValueError, LookupError, TypeError) as error:
        reason = " ".join(str(error).split())[:200]
        raise RunError(f"{part} is damaged ({reason}); {_PLAYS_AGAIN}") from error
    if any(column.null_count for column in table.columns):
        raise RunError(f"{part} has entries without a value; {_PLAYS_AGAIN}")
    for name, values in _places(manifest, chunk).items():
        if not np.array_equal(table[name].to_numpy(), values):
            raise RunError(f"{part} holds other blocks than it must; {_PLAYS_AGAIN}")
    return table


def part_sums(table: pa.Table, rows: int, stat_columns: StatColumns) -> npt.NDArray[np.int64]:
    """The sums in a part of `rows` entries a block: int64[blocks, rows, columns]."""
    sums = np.empty((len(table), len(stat_columns.columns)), np.int64)
    for i, name in enumerate(stat_columns.columns):
        sums[:, i] = table[name].to_numpy()
    return sums.reshape(-1, rows, len(stat_columns.columns))
