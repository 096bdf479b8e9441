"""What `bigtwo tune level` tells: the curve that was walked, the proof on fresh decks, and the level file."""

from __future__ import annotations

import json
import shlex
import sys
from pathlib import Path
from typing import Any

from bigtwo_sim import __version__
from bigtwo_sim.cli.tuned import AMONG_THREE_DEALS, figure, positional, rounded, turned
from bigtwo_sim.games.big_two import PolicyAgent, Rules
from bigtwo_sim.roster.level_file import Level, level_file
from bigtwo_sim.terminal.output import emit, table_text, wrapped
from bigtwo_sim.terminal.tables import interval, plus_minus
from bigtwo_sim.tuning.difficulty import Difficulty
from bigtwo_sim.untrusted.errors import InputError


def write_level(
    path: Path,
    name: str,
    base: PolicyAgent,
    other: PolicyAgent,
    rules: Rules,
    found: Difficulty,
    times: dict[float, float],
) -> None:
    """Write the level file. Raises InputError where it cannot be written."""
    check = found.reached
    assert check is not None
    changed = {
        one.name: float(str(value))
        for one, value in zip(base.method.parameters, turned(base, found.knob.name, check.value).params, strict=False)
        if float(str(value)) != one.default or one.name == found.knob.name
    }
    measured = {
        "among": other.name,
        "rules": rules.name,
        "deals": check.blocks * AMONG_THREE_DEALS,
        "seed": check.seed,
        **rounded("win_rate", check.win_rate),
        **rounded("margin", check.margin),
    }
    level = Level(
        name,
        base.method.name,
        changed,
        f"{base.name} turned by {found.knob.name} to win {100 * found.target:g} % among three {other.name}",
        float(f"{times[check.value]:.3g}"),
        (measured,),
    )
    content = level_file(level, search=_search_report(found, times))
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(content, indent=2) + "\n", encoding="utf-8")
    except OSError as error:
        raise InputError(f"--out: {path} cannot be written: {error.strerror}") from None


def _search_report(found: Difficulty, times: dict[float, float]) -> dict[str, Any]:
    """The curve that the search walked, and what was proved on fresh decks."""
    return {
        "command": shlex.join(["bigtwo", *sys.argv[1:]]),
        "knob": found.knob.name,
        "low": found.knob.low,
        "high": found.knob.high,
        "target": found.target,
        "precision": found.precision,
        "curve": [
            {
                "value": point.value,
                "blocks": point.blocks,
                **rounded("win_rate", point.estimate()),
                "milliseconds": float(f"{times[point.value]:.3g}"),
            }
            for point in found.points
        ],
        "checks": [
            {
                "value": check.value,
                "seed": check.seed,
                "blocks": check.blocks,
                **rounded("win_rate", check.win_rate),
                **rounded("margin", check.margin),
                "milliseconds": float(f"{times[check.value]:.3g}"),
                "reached": check.reached,
            }
            for check in found.checks
        ],
    }


def level_report(
    name: str,
    base: PolicyAgent,
    other: PolicyAgent,
    rules: Rules,
    found: Difficulty,
    times: dict[float, float],
    limit: float,
    path: Path | None,
) -> dict[str, Any]:
    """What came out, for JSON; `path` is the level file, None where there is none."""
    return {
        "engine_version": __version__,
        "level": name,
        "agent": base.name,
        "against": other.name,
        "rules": rules.to_dict(),
        "reached": path is not None,
        "verdict": _verdict(base, found, times, limit),
        "value": found.reached.value if path is not None and found.reached else None,
        "limit_ms": limit,
        **_search_report(found, times),
        "level_file": None if path is None else str(path),
    }


def _verdict(base: PolicyAgent, found: Difficulty, times: dict[float, float], limit: float) -> str:
    """What came out, in a sentence or two."""
    knob, target = found.knob.name, f"{100 * found.target:g} {plus_minus()} {100 * found.precision:g} %"
    check = found.reached
    if check is not None:
        taken = f"{positional(times[check.value])} ms a decision here"
        wins = f"{knob}={check.value:g} wins {figure(check.win_rate, '.2f', 100)} % on fresh decks"
        if times[check.value] > limit:
            return f"{wins}, but takes {taken}, and --limit-ms is {limit:g}. Make {base.name} quicker first."
        return f"{wins}, which lies within {target}; {taken}."
    near = f"{knob}={found.guess:g} wins {100 * found.expected:.1f} %"
    if found.verdict in ("below", "above"):
        at_limit = knob == "worlds" and found.guess == found.knob.high
        why = f"the most that {limit:g} ms a decision allow" if at_limit else "where the knob ends"
        other_way = "more" if found.verdict == "below" else "less"
        return f"{target} cannot be reached: {near}, and that is {why}; it would have to win {other_way}."
    if found.verdict == "jump":
        return (
            f"{target} cannot be reached: the win rate jumps over it next to {near}. Take a finer knob, such as noise."
        )
    return f"{target} could not be proved: {near}, and after {found.blocks:,} blocks that is not certain enough."


def show_interrupted(found: Difficulty | None) -> None:
    """Say, on stderr, what is known of a search that was stopped; None: nothing was measured."""
    if found is None or not found.points:
        print("Interrupted before anything was measured; nothing was written.", file=sys.stderr)
        return
    knob = found.knob.name
    rows = [(knob, "blocks", "win rate %")]
    rows += [(f"{point.value:g}", f"{point.blocks:,}", figure(point.estimate(), ".2f", 100)) for point in found.points]
    print(
        f"Interrupted after {found.blocks * AMONG_THREE_DEALS:,} deals; nothing was written. The best guess so far, "
        f"which is not proved: {knob}={found.next:g}.\n\n{table_text(rows)}",
        file=sys.stderr,
    )


def show_level(report: dict[str, Any]) -> None:
    """Print a report for people."""
    knob = report["knob"]
    emit(
        wrapped(
            f"{report['agent']} among three {report['against']} under the rules {report['rules']['name']}: {knob} for "
            f"a win rate of {100 * report['target']:g} {plus_minus()} {100 * report['precision']:g} %"
        )
        + "\n"
    )
    rows = [(knob, "blocks", "win rate %", "ms a decision", "decks")]
    for kind, found in (("of the search", report["curve"]), ("fresh", report["checks"])):
        for row in found:
            share = interval(row, "win_rate", ".2f", 100)
            rows.append((f"{row['value']:g}", f"{row['blocks']:,}", share, positional(row["milliseconds"]), kind))
    emit(table_text(rows))
    emit("\n" + wrapped(report["verdict"]))
    if report["level_file"] is not None:
        seat = shlex.join(["bigtwo", "tournament", f"level:{report['level_file']}", report["against"]])
        emit(f"Saved in {report['level_file']}; seat it with:\n  {seat}")
