"""`bigtwo bench`: how fast everything is on this machine, with the spread of repetitions."""

from __future__ import annotations

import os
import platform
import statistics
import sys
from pathlib import Path
from typing import Annotated, Any

import numba
import numpy as np
import typer

from bigtwo_sim import __version__
from bigtwo_sim.arena import cores
from bigtwo_sim.bench.engine import BENCHMARKS
from bigtwo_sim.cli.options import (
    DEFAULT_RULES,
    MOST_WORKERS,
    JsonOption,
    RulesOption,
    SetOption,
    read_rules,
    whole_number,
)
from bigtwo_sim.terminal.output import emit, emit_json, table_text
from bigtwo_sim.untrusted.errors import InputError

NAME_WIDTH = 23
NUMBER_WIDTH = 12
MOST_REPETITIONS = 1000
MOST_MILLISECONDS = 3_600_000


def bench(
    only: Annotated[
        list[str] | None, typer.Option("--only", metavar="NAME", help="Measure this alone; may be repeated.")
    ] = None,
    workers: Annotated[
        int | None,
        typer.Option(
            "--workers",
            parser=whole_number(1, MOST_WORKERS),
            metavar="N",
            help="Threads of the runs beside those on one; by default as many as there are cores.",
        ),
    ] = None,
    repetitions: Annotated[
        int,
        typer.Option(
            "--repetitions",
            parser=whole_number(1, MOST_REPETITIONS),
            metavar="N",
            help="Of each measurement, after a warm-up; fewer where a process is started.",
        ),
    ] = 5,
    milliseconds: Annotated[
        int,
        typer.Option(
            "--milliseconds",
            parser=whole_number(1, MOST_MILLISECONDS),
            metavar="N",
            help="How long a repetition lasts, about.",
        ),
    ] = 1000,
    rules: RulesOption = DEFAULT_RULES,
    changes: SetOption = None,
    as_json: JsonOption = False,
) -> None:
    """Measure throughput, memory and start-up here.

    Throughput on one thread and on all cores. Of each measurement the median, the lowest and the highest repetition.
    Start-up and memory are those of the default tournament, whatever the rules.
    """
    chosen = read_rules(rules, changes)
    for name in only or ():
        if name not in BENCHMARKS:
            raise InputError(f"--only is {name!r}; it must be one of {', '.join(BENCHMARKS)}")
    machine = _machine()
    if not as_json:
        emit(f"bigtwo {__version__}")
        emit(table_text(list(_machine_in_words(machine).items())) + "\n")
        emit(_row("", "workers", ["median", "low", "high"], "").rstrip())
    results = []
    for name, benchmark in BENCHMARKS.items():
        if only and name not in only:
            continue
        for count in sorted({1, workers or cores()} if benchmark.scales else {1}):
            on = f" on {count} thread{'s' if count > 1 else ''}" if benchmark.scales else ""
            print(f"measuring {name}{on} ...", file=sys.stderr)
            values = benchmark.measure(count, repetitions, milliseconds / 1000, chosen)
            if not values:
                print(f"{name} cannot be measured on this system", file=sys.stderr)
                continue
            result = _result(name, count, benchmark.unit, values)
            results.append(result)
            if not as_json:
                numbers = [f"{result[which]:,}" for which in ("median", "low", "high")]
                emit(_row(name, str(count), numbers, benchmark.unit))
    if as_json:
        emit_json({"engine_version": __version__, "machine": machine, "rules": chosen.to_dict(), "results": results})


def _row(name: str, workers: str, numbers: list[str], unit: str) -> str:
    return f"{name:<{NAME_WIDTH}}{workers:>7}{''.join(f'{number:>{NUMBER_WIDTH}}' for number in numbers)}  {unit}"


def _result(name: str, workers: int, unit: str, values: list[float]) -> dict[str, Any]:
    return {
        "name": name,
        "workers": workers,
        "unit": unit,
        "median": _rounded(statistics.median(values)),
        "low": _rounded(min(values)),
        "high": _rounded(max(values)),
    }


def _rounded(value: float) -> float:
    """Four significant digits, whole where there are no more."""
    rounded = float(f"{value:.4g}")
    return int(rounded) if rounded >= 1000 else rounded


def _machine() -> dict[str, Any]:
    """What the figures depend on; nothing that names this machine or its user."""

    memory = None
    if hasattr(os, "sysconf") and "SC_PHYS_PAGES" in os.sysconf_names:
        memory = round(os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") / 2**30, 1)
    return {
        "cpu": _cpu_model() or platform.processor() or platform.machine(),
        "cores": cores(),
        "memory_gb": memory,
        "os": f"{platform.system()} {platform.release().partition('-')[0]}",
        "python": platform.python_version(),
        "numpy": np.__version__,
        "numba": numba.__version__,
    }


def _cpu_model() -> str | None:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return None
    return next((line.partition(":")[2].strip() for line in lines if line.startswith("model name")), None)


def _machine_in_words(machine: dict[str, Any]) -> dict[str, str]:
    memory = f", {machine['memory_gb']} GB of memory" if machine["memory_gb"] else ""
    versions = ", ".join(f"{package} {machine[package]}" for package in ("numpy", "numba"))
    return {
        "machine": f"{machine['cpu']}, {machine['cores']} core{'s' if machine['cores'] > 1 else ''}{memory}",
        "system": f"{machine['os']}, Python {machine['python']}, {versions}",
    }
