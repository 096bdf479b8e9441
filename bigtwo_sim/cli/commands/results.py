"""`bigtwo results`: lists saved runs, shows one of them again, and exports its tables."""

from __future__ import annotations

import textwrap
from pathlib import Path
from typing import Annotated, Any

import typer

from bigtwo_sim.arena import SavedRun, load, saved_runs
from bigtwo_sim.arena.store.folder import write_whole
from bigtwo_sim.arena.store.manifest import MANIFEST, game_in
from bigtwo_sim.arena.store.parts import has_parts
from bigtwo_sim.cli.options import JsonOption
from bigtwo_sim.requests.report import saved_report
from bigtwo_sim.terminal.output import columns, emit, emit_json, table_text
from bigtwo_sim.terminal.tables import deaths_notes, fault_note, short, show_run
from bigtwo_sim.untrusted.errors import InputError

RESULTS = Path("results")
FORMULAS = ("=", "+", "-", "@", "\t", "\r")
"""What a cell begins with that a spreadsheet computes."""
TABLES = ("agents", "pairs", "lineups", "strengths", "blocks")


def results(
    folder: Annotated[
        Path, typer.Argument(metavar="DIR", help="A run, to be shown; or a folder of runs, to be listed.")
    ] = RESULTS,
    csv: Annotated[
        Path | None,
        typer.Option(
            "--csv", metavar="DIR", help=f"Write the run's tables there: {', '.join(f'{name}.csv' for name in TABLES)}."
        ),
    ] = None,
    faults: Annotated[
        bool, typer.Option("--faults", help="Show the first case in which each agent forfeited a decision.")
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """List the runs of a folder, or show one run again and export its tables as CSV."""
    if not folder.is_dir():
        raise InputError(f"{folder} is no folder; name a run, or a folder of runs such as {RESULTS}")
    if not (folder / MANIFEST).exists() and not has_parts(folder):
        if csv or faults:
            raise InputError(f"{folder} holds no run; --csv and --faults take one run")
        _list(saved_runs(folder), folder, as_json)
        return
    run = load(folder)
    if csv is not None:
        _export(run, csv)
    elif faults:
        _show_faults(run, as_json)
    elif as_json:
        emit_json(saved_report(run))
    elif not run.result["blocks"]:
        emit(f"{folder}: no chunk of this run was saved ({run.manifest['status']}).")
    else:
        show_run(saved_report(run), by_lineup=True, notes=_notes(run))


def _notes(run: SavedRun) -> list[str]:
    notes = [f"{run.path}: {run.manifest['status']}, begun {run.manifest['started']} by {run.manifest['command']}"]
    if run.result["verdict"] is not None:
        notes.append(run.result["verdict"]["text"])
    notes += deaths_notes(run.manifest.get("worker_deaths", []))
    return notes + [fault_note(row, run.path) for row in run.result["agents"] if row["forfeits"]]


def _list(runs: list[tuple[Path, Any]], folder: Path, as_json: bool) -> None:
    rows: list[dict[str, Any]] = []
    for path, manifest in runs:
        if not isinstance(manifest, dict):
            rows.append({"run": str(path), "status": "unreadable", "reason": str(manifest)})
            continue
        rows.append(
            {
                "run": str(path),
                "status": manifest["status"],
                "started": manifest["started"],
                "deals": manifest.get("deals_played"),
                "game": game_in(manifest).name,
                "rules": manifest["rules"]["name"],
                "agents": [agent["name"] for agent in manifest["agents"]],
            }
        )
    if as_json:
        emit_json(rows)
    elif not rows:
        emit(f"{folder} holds no run.")
    else:
        cells = [
            (
                Path(row["run"]).name,
                row["status"],
                short(row.get("deals")) if row.get("deals") is not None else "?",
                row.get("rules", ""),
                row.get("reason") or " ".join(row["agents"]),
            )
            for row in rows
        ]
        emit(table_text([("run", "status", "deals", "rules", "agents"), *cells], indent=0))


def _export(run: SavedRun, folder: Path) -> None:
    """Write each table that the run has; a file that is there already is left alone, and nothing is written."""
    frames = {name: getattr(run, name) for name in TABLES}
    frames = {name: frame for name, frame in frames.items() if len(frame)}
    for name in frames:
        if (folder / f"{name}.csv").exists():
            raise InputError(f"{folder / f'{name}.csv'} exists; name another folder, nothing was written")
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"--csv: {folder} cannot be made: {error.strerror}") from None
    for name, frame in frames.items():
        write_whole(folder / f"{name}.csv", frame.map(_as_cell).to_csv(index=False).encode())
        emit(f"{folder / f'{name}.csv'}  {len(frame):,} rows")


def _as_cell(value: Any) -> Any:
    """A value of a CSV file; texts that a spreadsheet would take for formulas begin with an apostrophe, as it wants."""
    return f"'{value}" if isinstance(value, str) and value.startswith(FORMULAS) else value


def _show_faults(run: SavedRun, as_json: bool) -> None:
    if as_json:
        emit_json([fault.to_dict() for fault in run.faults])
        return
    if not run.faults:
        emit("No agent forfeited a decision.")
    for path, fault in zip(run.fault_paths, run.faults, strict=True):
        emit(textwrap.fill(f"{fault}", columns()))
        if game_in(run.manifest).speaks_to_programs:
            emit(f"{path} replays it: bigtwo check-bot AGENT --fault {path}")
        else:
            emit(f"{path} holds it")
