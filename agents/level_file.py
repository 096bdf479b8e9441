"""Level files: named settings of methods with what was measured of them, as JSON that an app ships.

`levels.json` beside this file is one, and `bigtwo tune` writes others; docs/levels.md tells the form field by field.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from bigtwo_sim import __version__
from bigtwo_sim.big_two import AgentError
from bigtwo_sim.text_files import TextFileError, read_text

FORMAT = 1
ABOUT = (
    "Levels: names for settings of a method, to be seated like one (docs/levels.md). Settings that are not named here "
    "have the method's defaults."
)


@dataclass(frozen=True)
class Level:
    """A name for settings of a method, seated like a method."""

    name: str
    method: str
    settings: dict[str, float]
    meaning: str
    milliseconds: float | None = None
    """Of a decision, on average, on the machine that measured it."""
    measured: tuple[Mapping[str, Any], ...] = field(default=(), compare=False)
    """How it did among three of another agent each, as plain values."""


def read_levels(path: Path) -> dict[str, Level]:
    """The levels of a file by name, in its order. Raises AgentError, which names the file, where it holds none."""
    try:
        content: Any = json.loads(read_text(path))
    except TextFileError as error:
        raise AgentError(f"{error}; it must be a level file, as `bigtwo tune` writes them") from None
    except ValueError as error:
        raise AgentError(f"{path} is no level file: {error}") from None
    found = content.get("format") if isinstance(content, dict) else None
    if found != FORMAT:
        raise AgentError(f'{path} is no level file: its "format" is {found!r:.40}; this version reads {FORMAT}')
    listed = content.get("levels")
    if not isinstance(listed, dict) or not listed:
        raise AgentError(f'{path} is no level file: its "levels" must be an object that has one level at least')
    return {name: _level(path, name, entry) for name, entry in listed.items()}


def _level(path: Path, name: str, entry: Any) -> Level:
    where = f"{path}: the level {name!r:.80}"
    if not isinstance(entry, dict):
        raise AgentError(f"{where} is {entry!r:.40}; it must be an object")
    settings = entry.get("settings", {})
    if not isinstance(entry.get("method"), str):
        raise AgentError(f'{where} has {entry.get("method")!r:.40} as its "method"; it must be the name of one')
    if not isinstance(settings, dict):
        raise AgentError(f'{where} has {settings!r:.40} as its "settings"; it must be an object')
    for setting, value in settings.items():
        if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
            raise AgentError(f"{where}: {setting} is {value!r:.40}; it must be a number")
    measured = entry.get("measured", [])
    return Level(
        name,
        entry["method"],
        settings,
        str(entry.get("meaning", "")),
        entry.get("milliseconds"),
        tuple(measured) if isinstance(measured, list) else (),
    )


def level_file(*levels: Level, **more: Any) -> dict[str, Any]:
    """What a file of these levels holds, for JSON; `more` stands at its end."""
    entries = {}
    for level in levels:
        entry = {key: value for key, value in asdict(level).items() if key != "name" and value not in (None, ())}
        entries[level.name] = entry | ({"measured": list(level.measured)} if level.measured else {})
    return {"format": FORMAT, "about": ABOUT, "engine_version": __version__, "levels": entries, **more}
