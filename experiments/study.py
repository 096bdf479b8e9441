"""What the studies share: their options, the file that each writes, tables, and `bigtwo` within the same process."""

from __future__ import annotations

import argparse
import contextlib
import datetime
import io
import json
import math
import shlex
import sys
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bigtwo_sim import __version__
from bigtwo_sim.arena.stats.figure_text import figure_text
from bigtwo_sim.cli.main import run

ROOT = Path(__file__).resolve().parents[1]
SEED = 2026
"""Of decks on which nothing was tuned or chosen."""


@dataclass(frozen=True)
class Options:
    """What a study was asked for."""

    out: Path | None
    """Where the output goes; None: nowhere."""
    quick: bool
    parts: tuple[str, ...]
    command: str

    def save(self, **content: Any) -> None:
        """Write the output as JSON, with the command, the version and the date that made it."""
        if self.out is not None:
            made = {"engine_version": __version__, "command": self.command, "date": f"{datetime.date.today()}"}
            self.out.write_text(json.dumps(made | content, indent=1) + "\n", encoding="utf-8")


def parser_of(document: str | None, output: str) -> argparse.ArgumentParser:
    """The options that all studies have; `output` is the place of the file that is written, from the project's root."""
    parser = argparse.ArgumentParser(description=document, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "--quick", action="store_true", help="the smallest size, to see that it works; saves nothing without --out"
    )
    parser.add_argument("--out", type=Path, metavar="FILE", help=f"write this file instead of {output}")
    return parser


def options_of(
    document: str | None, output: str, arguments: Sequence[str] | None = None, parts: Iterable[str] = ()
) -> Options:
    """Read the command line of a study that has no options but these, and perhaps parts to choose from."""
    parser = parser_of(document, output)
    names = tuple(parts)
    if names:
        parser.add_argument("parts", nargs="*", metavar="PART", help=f"of {', '.join(names)}; by default all")
    found = parser.parse_args(arguments)
    chosen = tuple(getattr(found, "parts", ()))
    for part in chosen:
        if part not in names:
            parser.error(f"the part is {part!r}; it must be one of {', '.join(names)}")
    return Options(place_of(found, output), found.quick, chosen or names, command_of(output, arguments))


def place_of(found: argparse.Namespace, output: str) -> Path | None:
    """Where the output goes: a quick run never replaces what a full one has measured."""
    place: Path | None = found.out
    return place or (None if found.quick else ROOT / output)


def command_of(output: str, arguments: Sequence[str] | None) -> str:
    """The command line that repeats a study."""
    return shlex.join(
        ["python", f"experiments/{Path(output).stem}.py", *(sys.argv[1:] if arguments is None else arguments)]
    )


def bigtwo(*arguments: str) -> Any:
    """What a `bigtwo` command prints with `--json`; where it fails, the study ends with its error."""
    print(f"bigtwo {shlex.join(arguments)}", file=sys.stderr, flush=True)
    out, errors = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(errors):
        code = run([*arguments, "--json"])
    if code:
        raise SystemExit(f"it ended with {code}: {errors.getvalue()}")
    return json.loads(out.getvalue())


def tournament(*arguments: str, deals: int, seed: int = SEED) -> dict[str, Any]:
    """What `bigtwo tournament` prints as JSON; the run itself is not kept."""
    with tempfile.TemporaryDirectory() as folder:
        run_folder = ("--out", f"{folder}/run")
        report = bigtwo("tournament", *arguments, "--deals", str(deals), "--seed", str(seed), *run_folder)
    return dict(report)


def table(heading: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table as the documents have it."""
    lines = [f"| {' | '.join(heading)} |", "|" + "---|" * len(heading)]
    return "\n".join([*lines, *(f"| {' | '.join(row)} |" for row in rows)])


def figure(of: Mapping[str, Any], name: str, form: str, scale: float = 1.0) -> str:
    """A figure of a report with its interval, from its entries `name`, `name_low` and `name_high`."""
    mean, low, high = (
        math.nan if of[key] is None else of[key] * scale for key in (name, f"{name}_low", f"{name}_high")
    )
    return figure_text(mean, low, high, form)
