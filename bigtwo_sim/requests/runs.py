"""Runs that functions and commands begin: the folder that holds one, and the play of what it lacks."""

from __future__ import annotations

import contextlib
import shutil
import tempfile
import weakref
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

from bigtwo_sim.arena import Outcome, Plan, RunFolder, SavedRun, cores, load, play_chunks, run
from bigtwo_sim.arena.runners.cluster import MissingExtra, connected
from bigtwo_sim.requests.errors import RequestError
from bigtwo_sim.requests.inputs import is_portable
from bigtwo_sim.requests.report import report_of, speeds_for_manifest

Progress = Callable[[Outcome], Any]


def play(
    folder: RunFolder,
    workers: int | None = None,
    cluster: str | None = None,
    *,
    progress: Progress | None = None,
    say: Callable[[str], Any] = lambda text: None,
    on_halt: Callable[[], Any] = lambda: None,
) -> Outcome:
    """Play what a folder lacks of its run, on so many workers (None: all cores), or on a Dask cluster.

    `say` is called with what is worth a line, and `progress` and `on_halt` as by `run`, which says what is raised too;
    RequestError for a cluster that is none.
    """
    if cluster is not None:
        try:
            context = connected(cluster, say)
        except ValueError as error:
            raise RequestError(str(error), "cluster") from None
        try:
            with context as play_on_cluster:
                return run(folder.plan, folder, progress, play=play_on_cluster, on_halt=on_halt)
        except MissingExtra as error:
            raise RequestError(str(error)) from None
    if all(is_portable(agent) for agent in folder.plan.agents):
        chunks = partial(play_chunks, workers=workers or cores(), processes=True)
    else:  # which no other process could make
        chunks = partial(play_chunks, workers=1)
    return run(folder.plan, folder, progress, play=chunks, on_halt=on_halt)


def play_here(
    plan: Plan,
    out: str | Path | None,
    command: str,
    workers: int | None,
    cluster: str | None = None,
    progress: Progress | None = None,
    *,
    more: Mapping[str, Any] | None = None,
    finish: Callable[[RunFolder], Any] | None = None,
) -> SavedRun:
    """Play a plan to its end, and return what was saved of it in the folder `out`.

    Without `out` it is kept in a temporary folder for as long as the object that is returned. `finish` is what is
    left to do with the folder of a run that is finished; by default the speeds of the agents are measured, as far as it
    came. Raises KeyboardInterrupt where that came before anything was saved, or before `finish`; RunError as
    `RunFolder.create`; and what `play` raises.
    """
    path = Path(tempfile.mkdtemp(prefix="bigtwo-")) if out is None else Path(out)
    try:
        with contextlib.closing(RunFolder.create(path, plan, command, more)) as folder:
            outcome = play(folder, workers, cluster, progress=progress)
            if not outcome.tally.blocks:
                folder.remove_if_empty()
                raise KeyboardInterrupt
            if finish is None:
                folder.update(**speeds_for_manifest(report_of(outcome)))
            elif outcome.finished:
                finish(folder)
            else:
                raise KeyboardInterrupt
        found = load(path)
    except BaseException:
        if out is None:
            shutil.rmtree(path, ignore_errors=True)
        raise
    if out is None:
        weakref.finalize(found, shutil.rmtree, path, ignore_errors=True)
    return found
