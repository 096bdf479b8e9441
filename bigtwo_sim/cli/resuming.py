"""Taking up a saved run from the command line: of the right kind, and with the user's consent to what it runs."""

from __future__ import annotations

import contextlib
import os
import shlex
import sys
from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from bigtwo_sim.arena import RunFolder
from bigtwo_sim.arena.store.manifest import MANIFEST, game_in, read_manifest
from bigtwo_sim.cli.trust import raise_unless_agreed
from bigtwo_sim.requests.curve import CURVE
from bigtwo_sim.roster.spec import agent_from_manifest
from bigtwo_sim.untrusted.errors import InputError
from bigtwo_sim.untrusted.text_files import shown_path

TrustOption = Annotated[
    bool,
    typer.Option(
        "--trust", help="--resume: run the Python agents and programs that a run names, though it was not begun here."
    ),
]


def raise_unless_begun(path: Path, file: str, what: str) -> None:
    """Raise InputError unless `path` is a folder with the file that `what` has from its beginning on."""
    where = f"--resume: {shown_path(path)}"
    must = f"it must be the folder of a {what} that was begun"
    try:
        if not path.is_dir():
            raise InputError(f"{where} is not a folder{'' if os.path.lexists(path) else ' that exists'}; {must}")
        if not os.path.lexists(path / file):
            raise InputError(f"{where} holds no {what} (there is no {file} in it); {must}")
    except OSError as error:
        raise InputError(f"{where} cannot be read: {error.strerror}; {must}") from None


def taken_up(path: Path, *, trust: bool = False, curve: bool = False) -> RunFolder:
    """The folder of a run, or of a curve, to go on with.

    Raises InputError where there is none, for one of the other kind, and where the user does not agree to what it runs;
    RunError for a folder that cannot be resumed; AgentError where an agent is not the one that played.
    """
    raise_unless_begun(path, MANIFEST, "curve" if curve else "run")
    manifest = read_manifest(path)
    if (CURVE in manifest) != curve:
        again = shlex.join(["bigtwo", "tournament" if curve else CURVE, "--resume", str(path)])
        kind = "a run, but no curve" if curve else "a curve"
        raise InputError(f"--resume: {path} is {kind}; go on with it by {again}")
    if curve and any("factory" in agent for agent in manifest["agents"]):
        raise InputError(f"--resume: {path} is not a curve that bigtwo curve began: its agents must be compiled")
    raise_unless_agreed(path, manifest["agents"], trust)
    with contextlib.redirect_stdout(sys.stderr):  # what an agent prints is no part of the result
        return RunFolder.resume(path, partial(agent_from_manifest, game=game_in(manifest).name))
