"""Reading saved runs: what they came to at once, and their blocks as a DataFrame."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from bigtwo_sim.arena.errors import RunError
from bigtwo_sim.arena.lineups import seatings
from bigtwo_sim.arena.schedule.plan import Chunk, chunks_of
from bigtwo_sim.arena.schedule.stopping import rule_from_dict
from bigtwo_sim.arena.stats.statistics import Tally, entries
from bigtwo_sim.arena.store.folder import RESULT, content_digest, fault_paths
from bigtwo_sim.arena.store.manifest import MANIFEST, counting_in, game_in, lineup_numbers, read_manifest
from bigtwo_sim.arena.store.parts import PART, checksums_in, part_sums, read_part, schema, verified
from bigtwo_sim.arena.store.shown import Shown, with_interval
from bigtwo_sim.arena.store.summary import Result, summary
from bigtwo_sim.core.lazy import lazy_module
from bigtwo_sim.untrusted.checksums import CHECKSUMS
from bigtwo_sim.untrusted.documents import DocumentError, read_json

if TYPE_CHECKING:
    import pandas as pd
else:
    pd = lazy_module("pandas")


@dataclass(frozen=True, repr=False)
class SavedRun(Shown):
    """A run in its folder. What it came to is read at once, its blocks when they are asked for.

    It shows itself as a line about what was played and a table of its agents, those with the most points first.

    `manifest` tells how it was played, `result` what it came to (see `summary`): of a finished run as it was written
    at its end, of another one computed from the parts that are there.
    """

    path: Path
    manifest: dict[str, Any]
    result: dict[str, Any]

    @property
    def names(self) -> list[str]:
        """The agents' names, by their numbers."""
        return _names(self.manifest)

    @property
    def agents(self) -> pd.DataFrame:
        """One row for each agent: win rate, points and cards left a deal, with intervals."""
        return pd.DataFrame(self.result["agents"])

    @property
    def pairs(self) -> pd.DataFrame:
        """One row for each pair that met: the first minus the second, in points and win rate, with intervals."""
        return pd.DataFrame(self.result["pairs"])

    @property
    def lineups(self) -> pd.DataFrame:
        """One row for each line-up and agent of it."""
        return pd.DataFrame(self.result["lineups"])

    @property
    def strengths(self) -> pd.DataFrame:
        """One row for each agent on the one scale that is fitted to who won (see `strength`)."""
        return pd.DataFrame(self.result["strengths"])

    def headline(self) -> str:
        """What was played, in a line."""
        result, rules = self.result, self.manifest["rules"]["name"]
        about = f"{result['deals']:,} deals in {result['blocks']:,} blocks under the rules {rules}"
        return f"{about}, seed {self.manifest['seed']} ({self.manifest['status']})"

    def table(self) -> pd.DataFrame:
        """The agents with their intervals, as texts."""
        ranked = sorted(self.result["agents"], key=lambda row: -(row["points"] or 0))
        return pd.DataFrame(
            {
                "agent": row["agent"],
                "win rate %": with_interval(row, "win_rate", ".2f", 100),
                "points a deal": with_interval(row, "points", ".3f"),
                "cards left": with_interval(row, "cards_left", ".2f"),
            }
            for row in ranked
        )

    @property
    def fault_paths(self) -> list[Path]:
        """The files of `faults`."""
        return fault_paths(self.path)

    @property
    def faults(self) -> list[Any]:
        """The first fault of each agent that had one. Raises FaultError for a damaged file."""
        return [game_in(self.manifest).load_fault(path) for path in self.fault_paths]

    @cached_property
    def blocks(self) -> pd.DataFrame:
        """One row for each block, line-up and agent: the columns of a part (see `folder`).

        Agents stand there by their names and line-ups as their members joined by blanks; `deals` is how many the
        line-up plays in a block. Raises RunError for a part that is missing or damaged.
        """
        checksums = checksums_in(self.path)
        chunks = _chunks(self.path, self.manifest, checksums)
        tables = [read_part(self.path, self.manifest, chunk, checksums) for chunk in chunks]
        frame = (pa.concat_tables(tables) if tables else schema(counting_in(self.manifest)).empty_table()).to_pandas()
        deals = np.array([entry.deals for entry in entries(lineup_numbers(self.manifest))], np.int16)
        frame.insert(3, "deals", np.resize(deals, len(frame)))
        lineup_names = [" ".join(lineup) for lineup in self.manifest["lineups"]]
        frame["lineup"] = pd.Categorical.from_codes(frame["lineup"], lineup_names)
        frame["agent"] = pd.Categorical.from_codes(frame["agent"], self.names)
        return frame

    def tally(self) -> Tally:
        """The statistics, computed again from the parts. Raises RunError for a part that is missing or damaged."""
        return _tally(self.path, self.manifest)


def load(folder: str | Path) -> SavedRun:
    """Read a saved run, and verify all of its files that anything is read from, by their hashes.

    Raises RunError for a folder that holds none, and for a part that is missing or damaged.
    """
    path = Path(folder)
    manifest = read_manifest(path)
    if manifest["status"] == "finished":
        checksums = checksums_in(path)
        for chunk in _chunks(path, manifest, checksums):
            verified(path / PART.format(chunk.number), checksums)
        return SavedRun(path, manifest, _read_result(path, manifest, checksums))
    tally = _tally(path, manifest)
    rule = _rule(manifest)
    state = rule.check(tally, _names(manifest)) if rule is not None and tally.blocks else None
    return SavedRun(path, manifest, summary(_names(manifest), lineup_numbers(manifest), tally, state))


def saved_runs(folder: str | Path) -> list[tuple[Path, dict[str, Any] | RunError]]:
    """The runs in the folders of `folder`, by name: path and manifest, or why it cannot be read."""
    found: list[tuple[Path, dict[str, Any] | RunError]] = []
    for manifest in sorted(Path(folder).glob(f"*/{MANIFEST}")):
        try:
            found.append((manifest.parent, read_manifest(manifest.parent)))
        except RunError as error:
            found.append((manifest.parent, error))
    return found


def _names(manifest: dict[str, Any]) -> list[str]:
    return [agent["name"] for agent in manifest["agents"]]


def _rule(manifest: dict[str, Any]) -> Any:
    return None if manifest["stop"] is None else rule_from_dict(manifest["stop"])


def _tally(path: Path, manifest: dict[str, Any]) -> Tally:
    rule = _rule(manifest)
    stat_columns = counting_in(manifest)
    tally = Tally(lineup_numbers(manifest), None if rule is None else rule.interval, stat_columns)
    checksums = checksums_in(path)
    for chunk in _chunks(path, manifest, checksums):
        tally.add(part_sums(read_part(path, manifest, chunk, checksums), len(tally.entries), stat_columns))
    return tally


def _read_result(path: Path, manifest: dict[str, Any], checksums: Mapping[str, str]) -> dict[str, Any]:
    """What a finished run came to. Raises RunError where it is not the one that the manifest names."""
    again = "resume the run, which writes it"
    try:
        result: dict[str, Any] = read_json(path / RESULT, Result)
    except DocumentError as error:
        if error.unreadable:
            raise RunError(f"{path / RESULT} {error.reason.removeprefix('it ')}; {again}") from None
        raise RunError(f"{path / RESULT} is damaged: {error.reason}; delete it and {again}") from None
    if content_digest(checksums, _chunks_of(manifest, result["blocks"])) != manifest.get("content"):
        raise RunError(
            f"{path / CHECKSUMS} is damaged or of another run: it is not the one that {MANIFEST} names; {again}"
        )
    return result


def _chunks_of(manifest: dict[str, Any], blocks: int | None) -> Iterator[Chunk]:
    """The chunks of a run's first blocks; None: all that it may have."""
    for chunk in chunks_of(manifest["blocks"], manifest["smallest_part"], manifest["largest_part"]):
        if blocks is not None and chunk.first >= blocks:
            return
        yield chunk


def _chunks(path: Path, manifest: dict[str, Any], checksums: Mapping[str, str]) -> Iterator[Chunk]:
    """The chunks that were saved, in order: all of a finished run, else those before the first that is missing.

    Raises RunError where one is missing that was there when the run ended.
    """
    if manifest["status"] == "finished":
        blocks = _read_result(path, manifest, checksums)["blocks"]
        needed = blocks
    else:
        blocks = None
        needed = _blocks_played(manifest)
    for chunk in _chunks_of(manifest, blocks):
        part = path / PART.format(chunk.number)
        if part.name not in checksums or not part.exists():
            if chunk.first < needed:
                missing = "is missing" if not part.exists() else f"is not listed in {CHECKSUMS}"
                ended = "finished" if blocks is not None else "interrupted after it"
                raise RunError(f"{part} {missing}, though the run was {ended}; resume the run, which plays it again")
            return
        yield chunk


def _blocks_played(manifest: dict[str, Any]) -> int:
    """The blocks that were saved for certain when the run was ended; where saving failed, none is certain."""
    if manifest["status"] != "interrupted":
        return 0
    deals = sum(len(seatings(lineup)) for lineup in manifest["lineups"])
    return int(manifest.get("deals_played", 0)) // deals
