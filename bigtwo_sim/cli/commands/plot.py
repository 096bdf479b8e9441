"""`bigtwo plot`: writes the figures of a run, of a curve, or of what `bigtwo bench --json` measured."""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import typer
from matplotlib.figure import Figure

from bigtwo_sim.arena import RunError, SavedRun, load
from bigtwo_sim.arena.store.folder import write_whole
from bigtwo_sim.arena.store.manifest import MANIFEST, game_in
from bigtwo_sim.arena.store.parts import has_parts
from bigtwo_sim.cli.options import JsonOption
from bigtwo_sim.games.registry import BIG_TWO
from bigtwo_sim.plots import against_time, by_agent, curve, distribution, pairs, render, throughput
from bigtwo_sim.terminal.output import emit, emit_json, wrapped
from bigtwo_sim.untrusted.documents import DocumentError, read_json
from bigtwo_sim.untrusted.errors import InputError

PREFIX = "plot-"  # so that no file is overwritten but a figure of before
FEWEST_BLOCKS = 30  # of which the spread of single deals is drawn; of fewer its intervals tell nothing


class Form(StrEnum):
    """The forms in which figures are written."""

    PNG = "png"
    SVG = "svg"
    PDF = "pdf"


class Drawing(NamedTuple):
    """A figure that may be drawn."""

    name: str
    draw: Callable[[], Figure]


def plot(
    source: Annotated[
        Path, typer.Argument(metavar="DIR", help="A run, a curve, or a file that bigtwo bench --json printed.")
    ],
    out: Annotated[
        Path | None,
        typer.Option("--out", metavar="DIR", help="Where the figures are written. Default: beside the run."),
    ] = None,
    form: Annotated[Form, typer.Option("--format", help="In which form.")] = Form.PNG,
    as_json: JsonOption = False,
) -> None:
    """Write all figures that a run supports, each as plot-NAME.png; figures of before are written over.

    Win rate and points by agent, a heat map of pairs, how the points of single deals are spread, strength against time
    and speed; for a curve the curve. A run that is not finished is plotted as far as it is known, which its titles say.
    """
    drawings, told = _drawings_of(source)
    folder = out if out is not None else source if source.is_dir() else source.parent
    _make(folder)
    written: list[str] = []
    left_out: dict[str, str] = {}
    for drawing in drawings:
        file = folder / f"{PREFIX}{drawing.name}.{form}"
        try:
            data = render(drawing.draw(), form)
        except RunError as error:
            left_out[drawing.name] = str(error)
            continue
        write_whole(file, data)
        written.append(str(file))
        if not as_json:
            emit(str(file))
    if not written:
        raise RunError("; ".join(left_out.values()))
    if as_json:
        emit_json({"files": written, "left_out": left_out, "note": told})
        return
    for name, reason in left_out.items():
        emit(wrapped(f"Left out {name}: {reason}"))
    if told:
        emit(wrapped(told))


def _drawings_of(source: Path) -> tuple[list[Drawing], str]:
    """What can be drawn of a source, and what must be said of it. Raises InputError, or RunError for damage."""
    if source.is_file():
        try:
            figure = throughput(_bench_report(source))
        except RunError as error:
            raise InputError(f"{source}: {error}") from None
        return [Drawing("throughput", lambda: figure)], ""
    if not source.is_dir():
        raise InputError(f"{source} is no folder; name a run, such as one of those that bigtwo results lists")
    if not (source / MANIFEST).exists() and not has_parts(source):
        inside = "; it is a folder of runs, name one of them" if any(source.glob(f"*/{MANIFEST}")) else ""
        raise InputError(f"{source} holds no run ({MANIFEST} is not there){inside}")
    run = load(source)
    game = game_in(run.manifest)
    if game.name != BIG_TWO:
        raise InputError(f"{source} is a run of {game.title}; figures are drawn of runs of Big Two")
    status = run.manifest["status"]
    told = "" if status == "finished" else f"This run is not finished ({status}); the figures show what is known of it."
    return _of_run(run), told


def _of_run(run: SavedRun) -> list[Drawing]:
    if "curve" in run.manifest:  # the others' bars and pairs would mix what they do against every value
        return [Drawing("curve", lambda: curve(run))]
    return [
        Drawing("agents", lambda: by_agent(run)),
        Drawing("pairs", lambda: pairs(run)),
        Drawing("pairs-win-rate", lambda: pairs(run, "win_rate")),
        Drawing("points", lambda: distribution(run, fewest=FEWEST_BLOCKS)),
        Drawing("time", lambda: against_time(run)),
        Drawing("throughput", lambda: throughput(run)),
    ]


def _bench_report(file: Path) -> Any:
    try:
        return read_json(file, Any)
    except DocumentError as error:
        raise InputError(f"{error}; name a run, or a file that bigtwo bench --json printed") from None


def _make(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"--out: {folder} cannot be made: {error.strerror}") from None
