"""A run's first deals once more, deal by deal, proved to be the deals that were counted.

The parts of a run hold sums over the seatings of a block, which is all that its statistics need. Who asks how single
deals came out has them played again: a run is determined by its manifest, so they are the same ones, and their sums
must be those of the parts.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

from bigtwo_sim.arena.errors import RunError
from bigtwo_sim.arena.lineups import seatings
from bigtwo_sim.arena.schedule.plan import Plan, chunks_of, cores
from bigtwo_sim.arena.stats.statistics import Entry, entries
from bigtwo_sim.arena.store.manifest import plan_of
from bigtwo_sim.arena.store.parts import checksums_in, read_part
from bigtwo_sim.arena.store.reader import SavedRun
from bigtwo_sim.core.rng import root_key
from bigtwo_sim.games.big_two import AnyAgent, play_blocks

WORK = 200_000
"""Deals that are played again at most, of agents as slow as the heuristic: some two seconds of one core."""
PORTION = 5_000


@dataclass(frozen=True)
class SingleDeals:
    """The first blocks of a run, deal by deal."""

    entries: list[Entry]
    """An agent in a line-up each."""
    points: list[npt.NDArray[np.int32]]
    """For each entry int32[blocks, samples]: its points in each deal of a block and seat that it has there."""
    left: list[npt.NDArray[np.int8]]
    """Likewise its cards left; 0: it won."""
    blocks: int
    deals: int


def single_deals(run: SavedRun, seat: Callable[[dict[str, Any]], AnyAgent], blocks: int | None = None) -> SingleDeals:
    """Play the first `blocks` blocks of a run again: by default all, or as many as take a second or two.

    `seat` makes an agent of what the manifest says of it (`bigtwo_sim.roster.spec.agent_from_manifest`). Raises
    RunError for a run without
    a saved block, for agents that are not compiled, and where what comes out is not what was saved: another version of
    the engine or of an agent played it.
    """
    saved = run.result["blocks"]
    if not saved:
        raise RunError(
            f"{run.path}: no chunk of this run was saved ({run.manifest['status']}); nothing can be replayed"
        )
    for described in run.manifest["agents"]:  # before any of them is made: that would run what a manifest names
        if "method" not in described:
            raise RunError(f"{run.path}: {described['name']} is not compiled; only compiled agents are played again")
    plan = plan_of(run.manifest, seat)
    affordable = max(2, int(WORK / plan.cost / plan.deals_a_block))
    wanted = min(saved, affordable if blocks is None else blocks)
    if wanted < 1:
        raise ValueError(f"blocks is {blocks}; it must be at least 1")
    found = entries(plan.lineups)
    points: list[Any] = []
    left: list[Any] = []
    for number, lineup in enumerate(plan.lineups):
        results = _play(plan, lineup, wanted)
        sits = np.array(lineup)[seatings(lineup)]  # [seatings, seats]: agent
        for entry in found:
            if entry.lineup == number:
                points.append(results["points"][:, sits == entry.agent])
                left.append(results["left"][:, sits == entry.agent])
    _raise_unless_the_same(run, points, left, wanted)
    return SingleDeals(found, points, left, wanted, wanted * plan.deals_a_block)


def _play(plan: Plan, lineup: tuple[int, ...], blocks: int) -> npt.NDArray[Any]:
    """What comes out of the first blocks of a line-up, RESULT[blocks, seatings]."""
    policies: Any = tuple(plan.agents[slot] for slot in lineup)
    found, key = seatings(lineup), root_key(plan.seed)
    portion = max(1, min(int(PORTION / plan.cost / len(found)), -(-blocks // cores())))
    starts = [*range(0, blocks, portion), blocks]
    # NumPy keeps its handling of overflows by thread; without compilation words must wrap in these as well.
    with ThreadPoolExecutor(cores(), initializer=partial(np.seterr, **np.geterr())) as threads:
        tasks = [
            threads.submit(play_blocks, policies, plan.rules, key, first, end - first, found)
            for first, end in itertools.pairwise(starts)
        ]
        try:
            return np.concatenate([task.result() for task in tasks])
        except BaseException:
            for task in tasks:
                task.cancel()
            raise


def _raise_unless_the_same(run: SavedRun, points: list[Any], left: list[Any], blocks: int) -> None:
    """Raises RunError where the sums by block are not those in the parts."""
    manifest = run.manifest
    rows = len(points)
    checksums = checksums_in(run.path)
    for chunk in chunks_of(manifest["blocks"], manifest["smallest_part"], manifest["largest_part"]):
        if chunk.first >= blocks:
            return
        table = read_part(run.path, manifest, chunk, checksums)
        here = slice(chunk.first, min(chunk.first + chunk.blocks, blocks))
        for name, values in (("points", points), ("left", left)):
            saved = table[name].to_numpy().reshape(-1, rows)[: here.stop - here.start]
            again = np.stack([value[here].sum(axis=1, dtype=np.int64) for value in values], axis=1)
            if not np.array_equal(saved, again):
                raise RunError(
                    f"{run.path}: its deals come out otherwise here; another version of the engine "
                    f"({manifest['engine_version']} {manifest['engine_source']}) or of an agent played it"
                )
