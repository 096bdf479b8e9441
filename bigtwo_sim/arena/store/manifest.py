"""The manifest of a run: how it was played, to the last deal, and how it ended; and the plan made of it again."""

from __future__ import annotations

import hashlib
import json
import platform
import sys
import time
from collections import Counter
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Annotated, Any, Literal, NotRequired

import numba
import numpy as np
from annotated_types import Ge, Gt, Len, Lt, MinLen
from typing_extensions import TypedDict

import bigtwo_sim
from bigtwo_sim.arena.errors import RunError
from bigtwo_sim.arena.schedule.plan import Plan
from bigtwo_sim.arena.schedule.stopping import StoppingError, rule_from_dict
from bigtwo_sim.core.code_cache import source_fingerprint
from bigtwo_sim.games.base.agent import PolicyAgent
from bigtwo_sim.games.base.game import Game, StatColumns
from bigtwo_sim.games.base.python_agent import AnyAgent
from bigtwo_sim.games.base.ruleset import RulesError
from bigtwo_sim.games.registry import BIG_TWO, PACKAGES, game_named
from bigtwo_sim.untrusted.documents import DocumentError, check, raise_if_unsealed, read_json

FORMAT = 3
WITHOUT_CHECKSUMS = 2
"""The last format of runs whose files had no hashes."""
MANIFEST = "manifest.json"
DEATHS = "worker_deaths"
"""The entry of a run over which worker processes ended."""

# What of the manifest a result depends on.
_DECISIVE = (
    "format",
    "engine_version",
    "engine_source",
    "rules",
    "seed",
    "agents",
    "lineups",
    "blocks",
    "smallest_part",
    "largest_part",
    "stop",
    "move_time",
    "memory",
    "strict",
)


def describe(agent: AnyAgent) -> dict[str, Any]:
    """An agent for the manifest: enough to seat it again, and to notice that it is another one."""
    if isinstance(agent, PolicyAgent):
        values = zip(agent.method.parameters, agent.params, strict=False)
        # The shortest text of a float32 is read back as the same number.
        description = {
            "name": agent.name,
            "method": agent.method_text,
            "settings": {parameter.name: float(str(value)) for parameter, value in values},
        }
        return description if agent.place is None else {**description, "source": agent.source_fingerprint()}
    factory = agent.factory
    place = f"{factory.__module__}:{factory.__qualname__}" if hasattr(factory, "__qualname__") else str(factory)
    description = {"name": agent.name, "factory": place}
    if hasattr(factory, "source_fingerprint"):
        description["source"] = factory.source_fingerprint()
    return description


def identity(manifest: dict[str, Any]) -> str:
    """The hash of what a result depends on."""
    decisive = {name: manifest.get(name) for name in _DECISIVE}
    for name in ("game", "isolate"):  # older ones are of Big Two, and do not say
        if name in manifest:
            decisive[name] = manifest[name]
    return hashlib.sha256(json.dumps(decisive, sort_keys=True).encode()).hexdigest()[:32]


def new_manifest(plan: Plan, command: str, more: Mapping[str, Any]) -> dict[str, Any]:
    """The manifest of a run that begins now; `more` are entries of the command that plays it."""
    names = [agent.name for agent in plan.agents]
    manifest = {
        "format": FORMAT,
        "status": "running",
        "engine_version": bigtwo_sim.__version__,
        "engine_source": source_fingerprint(),
        "python": platform.python_version(),
        "numpy": np.__version__,
        "numba": numba.__version__,
        "system": f"{sys.platform} {platform.machine()}",
        "started": time.strftime("%Y-%m-%dT%H:%M:%S%z"),
        "command": command.encode(errors="backslashreplace").decode(),  # a name of a file may be no text
        "game": plan.game.name,
        "rules": plan.rules.to_dict(),
        "seed": plan.seed,
        "agents": [describe(agent) for agent in plan.agents],
        "lineups": [[names[agent] for agent in lineup] for lineup in plan.lineups],
        "blocks": plan.blocks,
        "deals": plan.deals,
        "smallest_part": plan.smallest_chunk,
        "largest_part": plan.largest_chunk,
        "stop": None if plan.stop is None else plan.stop.to_dict(),
        "move_time": plan.move_time,
        "memory": plan.memory,
        "strict": plan.strict,
        "isolate": plan.isolate,
        "isolation": plan.isolation,
        "seconds": 0.0,
        **more,
    }
    return {**manifest, "identity": identity(manifest)}


# --- what a manifest must hold ----------------------------------------------------------------------------------------
Count = Annotated[int, Ge(0)]
Name = Annotated[str, MinLen(1)]


class AgentDescription(TypedDict):
    """What `describe` writes: either a method, by name or place, with its settings, or the place of a factory."""

    name: Name
    method: NotRequired[Name]
    settings: NotRequired[dict[str, float]]
    factory: NotRequired[Name]
    source: NotRequired[str | None]


class _Precision(TypedDict):
    rule: Literal["precision"]
    target: float
    measure: Literal["win_rate", "points"]
    confidence: Annotated[float, Gt(0), Lt(1)]


class _Test(TypedDict):
    rule: Literal["test"]
    first: str
    second: str
    effect: float
    measure: Literal["win_rate", "points"]
    alpha: float
    beta: float
    confidence: Annotated[float, Gt(0), Lt(1)]


class _Rule(TypedDict):
    rule: Literal["precision", "test"]


class _StopsByPrecision(TypedDict):
    stop: _Precision


class _StopsByTest(TypedDict):
    stop: _Test


_STOPS = {"precision": _StopsByPrecision, "test": _StopsByTest}


class _Format(TypedDict):
    format: int


class _Curve(TypedDict):
    format: Literal[1]
    agent: str
    knob: str
    values: Annotated[list[float], MinLen(1)]


class _Manifest(TypedDict):
    format: Literal[3]
    status: Literal["running", "finished", "interrupted", "failed"]
    engine_version: str
    engine_source: str
    started: str
    command: str
    game: NotRequired[Name]
    rules: dict[str, str]
    seed: Count
    agents: Annotated[list[AgentDescription], MinLen(1)]
    lineups: Annotated[list[list[str]], MinLen(1)]
    blocks: Annotated[int, Ge(1), Lt(2**63)] | None
    smallest_part: Annotated[int, Ge(1), Lt(2**63)]
    largest_part: Annotated[int, Ge(1), Lt(2**63)]
    stop: _Rule | None
    move_time: Annotated[float, Gt(0)] | None
    memory: Annotated[int, Ge(1)] | None
    strict: bool
    isolate: NotRequired[bool]
    isolation: NotRequired[str | None]
    identity: str
    seconds: Annotated[float, Ge(0)]
    deals_played: NotRequired[Count]
    worker_deaths: NotRequired[list[str]]
    """How each worker process ended that ended over its chunk."""
    content: NotRequired[str]
    """Of a finished run: the hash of the checksums of its parts and of its result."""
    decisions_per_second: NotRequired[dict[str, float | None]]
    decisions_per_second_range: NotRequired[dict[str, Annotated[list[float], Len(2, 2)] | None]]
    curve: NotRequired[_Curve]


def read_manifest(path: Path) -> dict[str, Any]:
    """The manifest in the folder `path`. Raises RunError where there is none, or one that this version cannot read."""
    try:
        return _read(path / MANIFEST)
    except DocumentError as error:
        if error.unreadable:
            raise RunError(f"{path} holds no run: {MANIFEST} {error.reason.removeprefix('it ')}") from None
        raise RunError(f"{path / MANIFEST} is damaged: {error.reason}") from None


def _read(path: Path) -> dict[str, Any]:
    manifest: dict[str, Any] = read_json(path, _Format)
    if manifest["format"] == WITHOUT_CHECKSUMS and "sha256" not in manifest:
        raise RunError(
            f"{path} was saved by an earlier version of bigtwo_sim (format {WITHOUT_CHECKSUMS}), without the checksums "
            "by which this version verifies a run; open it with that version, or play it again"
        )
    raise_if_unsealed(path, manifest)
    if manifest["format"] != FORMAT:
        raise RunError(f"{path} is of format {manifest['format']}; this version reads format {FORMAT}")
    check(path, manifest, _Manifest)
    if manifest.get("game", BIG_TWO) not in PACKAGES:
        raise RunError(f"{path} is of the game {manifest['game']!r:.40}, which this version does not know")
    if manifest["identity"] != identity(manifest):
        raise RunError(
            f"{path} was changed after the run began: its rules, agents, seed or line-ups are not those "
            "that its identity was made from"
        )
    _raise_unless_consistent(path, manifest)
    return manifest


def _raise_unless_consistent(path: Path, manifest: dict[str, Any]) -> None:
    """Raise DocumentError where entries of a manifest contradict each other, or the game knows no such rules."""
    names = [agent["name"] for agent in manifest["agents"]]
    for name, count in Counter(names).items():
        if count > 1:
            raise DocumentError(path, f"two of its agents are called {name!r:.80}")
    for number, agent in enumerate(manifest["agents"]):
        if ("method" in agent) == ("factory" in agent) or ("method" in agent) != ("settings" in agent):
            raise DocumentError(path, f"agents[{number}] must have a method with settings, or a factory")
    if "name" not in manifest["rules"]:
        raise DocumentError(path, "rules.name is missing")
    try:
        rules = game_in(manifest).rules.from_dict(manifest["rules"])
    except RulesError as error:
        raise DocumentError(path, f"rules: {error}") from None
    for number, lineup in enumerate(manifest["lineups"]):
        if len(lineup) != rules.players or not set(lineup) <= set(names):
            raise DocumentError(
                path, f"lineups[{number}] is {str(lineup)[:80]}; it must name {rules.players} of its agents"
            )
    if manifest["stop"] is not None:
        check(path, {"stop": manifest["stop"]}, _STOPS[manifest["stop"]["rule"]])
        try:
            rule_from_dict(manifest["stop"]).validate(names, lineup_numbers(manifest))
        except StoppingError as error:
            raise DocumentError(path, f"stop: {error}") from None
    elif manifest["blocks"] is None:
        raise DocumentError(path, "blocks is null; it must be a number where no stopping rule ends the run")


def lineup_numbers(manifest: Mapping[str, Any]) -> list[tuple[int, ...]]:
    """The line-ups by the numbers of their agents."""
    numbers = {agent["name"]: number for number, agent in enumerate(manifest["agents"])}
    return [tuple(numbers[name] for name in lineup) for lineup in manifest["lineups"]]


def game_in(manifest: Mapping[str, Any]) -> Game:
    """The game that a manifest is of; an older one, which does not say, is of Big Two."""
    return game_named(manifest.get("game", BIG_TWO))


def counting_in(manifest: Mapping[str, Any]) -> StatColumns:
    """What the parts of a manifest's run hold."""
    return game_in(manifest).stat_columns[len(manifest["lineups"][0])]


def plan_of(manifest: dict[str, Any], seat: Callable[[dict[str, Any]], AnyAgent]) -> Plan:
    """The plan that a manifest tells of; `seat` makes an agent of what `describe` wrote."""
    names = [agent["name"] for agent in manifest["agents"]]
    return Plan(
        tuple(seat(agent) for agent in manifest["agents"]),
        game_in(manifest).rules.from_dict(manifest["rules"]),
        manifest["seed"],
        manifest["blocks"],
        tuple(tuple(names.index(name) for name in lineup) for lineup in manifest["lineups"]),
        manifest["smallest_part"],
        manifest["largest_part"],
        None if manifest["stop"] is None else rule_from_dict(manifest["stop"]),
        manifest["move_time"],
        manifest["memory"],
        manifest["strict"],
        manifest.get("isolate", False),
    )
