"""Code that a saved run names: shown and asked about before it is imported or started, once for each folder.

A run of Python agents or of programs is resumed by running them, and a folder may come from anybody. So nothing that a
manifest names runs before the user agrees; the commands that begin a run agree for the user, who named the agents. What
was agreed to is a file in the user's folder for state, by the hash of the folder, of the names and of the source files
themselves: where one of them changes, it is asked again. Agents that are part of this package need no question.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import platformdirs
import typer

from bigtwo_sim.roster.spec import place_of, source_of
from bigtwo_sim.untrusted.errors import InputError
from bigtwo_sim.untrusted.safe_text import visible

STATE_DIR = "BIGTWO_STATE_DIR"


@dataclass(frozen=True)
class NamedCode:
    """What runs as an agent of a saved run."""

    agent: str
    place: str
    """MODULE:NAME, FILE.py:NAME or exec:COMMAND."""
    files: tuple[str, ...]
    """The files that it is in; none where it is built into Python."""
    fingerprint: str | None
    """The hash of these files."""


def named_code(agents: Sequence[Mapping[str, Any]]) -> list[NamedCode]:
    """The code that descriptions of agents in a manifest name, found without running any of it.

    Raises AgentError where it is not there any more, or is not what played the run.
    """
    found = []
    for agent in agents:
        place = place_of(agent)
        if place is not None:
            source = source_of(agent)
            files = tuple(str(file.resolve()) for file in source.files)
            found.append(NamedCode(agent["name"], place, files, source.fingerprint))
    return found


def remember(folder: Path, agents: Sequence[Mapping[str, Any]]) -> None:
    """Agree for this user to what a run in `folder` names. Where that cannot be kept, it is asked again."""
    code = named_code(agents)
    if not code:
        return
    path = _record(folder, code)
    with contextlib.suppress(OSError):
        path.parent.mkdir(parents=True, exist_ok=True)
        text = json.dumps({"folder": str(folder.resolve()), "code": [asdict(one) for one in code]}, indent=2)
        path.write_text(text + "\n", encoding="utf-8")


def raise_unless_agreed(folder: Path, agents: Sequence[Mapping[str, Any]], trust: bool) -> None:
    """Ask on a terminal whether the code that a run names may run, unless that was agreed to before, or is by `trust`.

    Raises InputError where the answer is no, and where nobody can be asked; AgentError as `named_code`.
    """
    code = named_code(agents)
    if not code or (not trust and _record(folder, code).exists()):
        return
    if not trust:
        _ask(folder, code)
    remember(folder, agents)


def _ask(folder: Path, code: Sequence[NamedCode]) -> None:
    listed = [visible(f"{one.place} ({', '.join(one.files) or 'built into Python'})", newlines=False) for one in code]
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        raise InputError(
            f"{folder} was not begun here, and to resume it runs {'; '.join(listed)}; look at that, and give --trust "
            "to run it with your rights"
        )
    print(f"{folder} was not begun here. To resume it runs, with your rights:", file=sys.stderr)
    for line in listed:
        print(f"  {line}", file=sys.stderr)
    if not typer.confirm("Run it?", err=True):
        raise InputError(f"{folder} was not resumed, and nothing that it names was run")


def _record(folder: Path, code: Sequence[NamedCode]) -> Path:
    parent = os.environ.get(STATE_DIR) or platformdirs.user_state_dir("bigtwo_sim", appauthor=False)
    key = json.dumps([str(folder.resolve()), [asdict(one) for one in code]], sort_keys=True)
    return Path(parent) / "trusted" / f"{hashlib.sha256(key.encode()).hexdigest()}.json"
