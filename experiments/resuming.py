"""Taking up a saved run from the command line: of the right kind, and with the user's consent to what it runs."""

from __future__ import annotations

import contextlib
import shlex
import sys
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from experiments.options import InputError, announce_compilation
from experiments.trust import raise_unless_agreed

if TYPE_CHECKING:
    from bigtwo_sim.arena import RunFolder

CURVE = "curve"
"""The entry of a manifest that `bigtwo curve` makes."""

TrustOption = Annotated[
    bool,
    typer.Option(
        "--trust", help="--resume: run the Python agents and programs that a run names, though it was not begun here."
    ),
]


def taken_up(path: Path, *, trust: bool = False, curve: bool = False) -> RunFolder:
    """The folder of a run, or of a curve, to go on with.

    Raises InputError for one of the other kind, and where the user does not agree to what it runs; RunError for a
    folder that cannot be resumed; AgentError where an agent is not the one that played.
    """
    announce_compilation()
    from agents.spec import seat_again
    from bigtwo_sim.arena import RunFolder
    from bigtwo_sim.arena.manifest import game_in, read_manifest

    manifest = read_manifest(path)
    if (CURVE in manifest) != curve:
        again = shlex.join(["bigtwo", "tournament" if curve else CURVE, "--resume", str(path)])
        kind = "a run, but no curve" if curve else "a curve"
        raise InputError(f"--resume: {path} is {kind}; go on with it by {again}")
    if curve and any("factory" in agent for agent in manifest["agents"]):
        raise InputError(f"--resume: {path} is not a curve that bigtwo curve began: its agents must be compiled")
    raise_unless_agreed(path, manifest["agents"], trust)
    with contextlib.redirect_stdout(sys.stderr):  # what an agent prints is no part of the result
        return RunFolder.resume(path, partial(seat_again, game=game_in(manifest).name))
