"""Level files: named settings of methods with what was measured of them, as JSON that an app ships.

`levels.json` beside this file is one, and `bigtwo tune` writes others; docs/levels.md tells the form field by field.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Annotated, Any, Literal, NotRequired

from annotated_types import Ge, MinLen
from typing_extensions import TypedDict

from bigtwo_sim import __version__
from bigtwo_sim.games.big_two import AgentError
from bigtwo_sim.untrusted.documents import DocumentError, read_json

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
    source: str | None = None
    """Hash of the file of a method that is named by its place; with another one the level is not seated."""


class _Level(TypedDict):
    method: Annotated[str, MinLen(1)]
    settings: NotRequired[dict[str, float]]
    meaning: NotRequired[str]
    milliseconds: NotRequired[Annotated[float, Ge(0)] | None]
    measured: NotRequired[list[dict[str, Any]]]
    source: NotRequired[str]


class _Levels(TypedDict):
    format: Literal[1]
    levels: Annotated[dict[Annotated[str, MinLen(1)], _Level], MinLen(1)]


def read_levels(path: Path) -> dict[str, Level]:
    """The levels of a file by name, in its order. Raises AgentError, which names the file, where it holds none."""
    try:
        content: Any = read_json(path, _Levels)
    except DocumentError as error:
        if error.unreadable:
            raise AgentError(f"{error}; it must be a level file, as `bigtwo tune` writes them") from None
        raise AgentError(f"{path} is not a level file: {error.reason}") from None
    return {
        name: Level(
            name,
            entry["method"],
            entry.get("settings", {}),
            entry.get("meaning", ""),
            entry.get("milliseconds"),
            tuple(entry.get("measured", ())),
            entry.get("source"),
        )
        for name, entry in content["levels"].items()
    }


def level_file(*levels: Level, **more: Any) -> dict[str, Any]:
    """What a file of these levels holds, for JSON; `more` stands at its end."""
    entries = {}
    for level in levels:
        entry = {key: value for key, value in asdict(level).items() if key != "name" and value not in (None, ())}
        entries[level.name] = entry | ({"measured": list(level.measured)} if level.measured else {})
    return {"format": FORMAT, "about": ABOUT, "engine_version": __version__, "levels": entries, **more}
