"""The text that names an agent on the command line, and the agent that it means.

=====================================  ==============================================================
`heuristic`                            a method by its name, from an installed package (docs/agents.md)
`heuristic:weight=value,other=value`   the same with some of its settings changed
`strong`, `strong:weight=value`        a level: a method with the settings that a `levels.json` names
`level:FILE`, `level:FILE#NAME`        the level of a file (docs/levels.md), or one of several; it has its own name
`path/to/file.py:METHOD`               a compiled method in a file; settings follow as in `file.py:METHOD:weight=value`
`package.module:METHOD`                the same in a module that is installed or in the current folder
`file.py:factory`, `module:factory`    a Python agent: `factory()` makes an object with `choose(view)`
`exec:./my-bot --flag`                 a bot in any language: a program that speaks the protocol of docs/bots.md, and
                                       its arguments, split as a shell does
`name=…`                               any of these under a name of one's own
=====================================  ==============================================================

Methods and levels are listed without importing any; a method is imported when it is asked for.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from bigtwo_sim.bots.isolation import bot
from bigtwo_sim.games.base.agent import AgentError, Method, PolicyAgent
from bigtwo_sim.games.base.python_agent import AnyAgent, PythonAgent
from bigtwo_sim.games.registry import BIG_TWO, package_named
from bigtwo_sim.roster.level_file import Level, read_levels
from bigtwo_sim.roster.methods import agent_names, levels, method, offered_method
from bigtwo_sim.roster.places import METHOD, Place, place_in
from bigtwo_sim.roster.sources import Source, source_of_module

LONGEST_NAME = 80
EXEC, LEVEL = "exec:", "level:"


def parse_agent(text: str, game: str = BIG_TWO) -> AnyAgent:
    """The agent of a game that `text` names (the forms at the top of this file).

    Without a name of its own it is called `text`. Raises AgentError, which says what is wrong: an unknown method,
    setting or value, a file or module that cannot be imported, a factory that does not exist or makes no agent, a
    program that is not there.
    """
    text = text.strip()
    name, body = _split_name(text)
    if not body:
        known = ", ".join(agent_names(game))
        raise AgentError(
            f"{text!r} names no agent; an agent is one of {known}, FILE.py:NAME, MODULE:NAME, exec:PROGRAM or "
            "level:FILE"
        )
    if body.startswith(EXEC):
        if game != BIG_TWO:
            raise AgentError(f"{body}: programs play Big Two (docs/bots.md), not {package_named(game).Rules.TITLE}")

        return bot(name, body.removeprefix(EXEC))
    if body.startswith(LEVEL):
        path, level = _level_of_file(body.removeprefix(LEVEL))
        try:
            if level.source is not None and _source_at(level.method).fingerprint != level.source:
                raise AgentError(f"{level.method} is not the file that it was made with: it was changed since")
            return _compiled(level.name if name == text else name, level.method, level.settings, game)
        except AgentError as error:
            raise AgentError(f"{path}: the level {level.name!r:.80}: {error}") from None
    found = _place_and_settings(body, game)
    if found is not None:
        return _agent_at(name, *found, game)
    head, colon, rest = body.partition(":")
    if colon and not rest.strip():
        raise AgentError(f"{body!r} ends after its colon; settings follow it as WEIGHT=VALUE,WEIGHT=VALUE")
    level_named = levels(game).get(head)
    if level_named is not None:
        base = _compiled(name, level_named.method, level_named.settings, game)
        settings = {**level_named.settings, **_settings(base.method, rest)}
        return replace(base, params=base.method.params(settings))
    offer = offered_method(head, game)
    if not offer.is_ours:
        return _agent_at(name, Place(offer.module, offer.attribute), rest, game)
    chosen = method(head, game)
    return PolicyAgent(name, chosen, chosen.params(_settings(chosen, rest)))


def _place_and_settings(body: str, game: str) -> tuple[Place, str] | None:
    """The place that `body` names, with the settings; None where it begins with a name.

    Raises AgentError for what is neither.
    """
    head, colon, rest = body.partition(":")
    if not colon or head in agent_names(game):
        return None
    found = place_in(body)
    if found is not None and (found[1] is None or "=" in found[1]):
        return found[0], found[1] or ""
    if "=" in rest:
        return None
    raise AgentError(
        f"{body} is not PACKAGE.MODULE:FACTORY or FILE.py:FACTORY, nor a METHOD there; settings follow it as in "
        "FILE.py:METHOD:WEIGHT=VALUE"
    )


def _agent_at(name: str, place: Place, settings: str, game: str) -> AnyAgent:
    """What is in a place: what cannot be imported is reported now, not in the first deal."""
    if place.check(game) == METHOD:
        chosen = place.method(game)
        return PolicyAgent(name, chosen, chosen.params(_settings(chosen, settings)), place)
    if settings:
        raise AgentError(f"{place} makes Python agents, which have no settings; leave out {settings!r}")
    return PythonAgent(name, place)


def _compiled(name: str, named: str, settings: Mapping[str, float], game: str) -> PolicyAgent:
    """The method that a level or a manifest names, by its name or its place, with these settings."""
    found = place_in(named)
    if found is None:
        offer = offered_method(named, game)
        place = None if offer.is_ours else Place(offer.module, offer.attribute)
    elif found[1] is not None:
        raise AgentError(f"{named} names settings; a method is a name, FILE.py:METHOD or PACKAGE.MODULE:METHOD")
    else:
        place = found[0]
    chosen = method(named, game) if place is None else place.method(game)
    return PolicyAgent(name, chosen, chosen.params(settings), place)


def _level_of_file(text: str) -> tuple[str, Level]:
    """The file and the level that `FILE` or `FILE#NAME` means. Raises AgentError where none is, or no single one."""
    is_file = os.path.exists(text)  # noqa: PTH110 - Path raises where the system refuses a name
    path, _, wanted = (text, "", "") if is_file or "#" not in text else text.rpartition("#")
    if not path.strip():
        raise AgentError(f"'{LEVEL}{text}' names no file; a level of a file is level:FILE or level:FILE#NAME")
    found = read_levels(Path(os.path.expanduser(path)))  # noqa: PTH111 - of Path it fails where there is no such user
    if not wanted and len(found) == 1:
        return path, next(iter(found.values()))
    if wanted not in found:
        which = f"there is no level {wanted!r}" if wanted else f"{len(found)} levels are there"
        raise AgentError(f"{path}: {which}; name one of {', '.join(found)}, as in level:{path}#{next(iter(found))}")
    return path, found[wanted]


def agent_from_manifest(description: Mapping[str, Any], game: str = BIG_TWO) -> AnyAgent:
    """The agent that the manifest of a run describes.

    Raises AgentError where there is no such agent any more, and, before anything of it runs, where it was changed.
    """
    name, place = description["name"], place_of(description)
    if place is None:
        if not offered_method(description["method"], game).is_ours:
            raise AgentError(f"the agent {name!r:.80} is of another package, and its manifest does not say where it is")
    else:
        source_of(description)
    if "method" in description:
        return _compiled(name, description["method"], description["settings"], game)
    if description["factory"].startswith(EXEC):
        return replace(parse_agent(description["factory"], game), name=name)
    found = _place_and_settings(description["factory"], game)
    if found is None:
        raise AgentError(f"{description['factory']} is not PACKAGE.MODULE:FACTORY or FILE.py:FACTORY")
    return _agent_at(name, *found, game)


def place_of(description: Mapping[str, Any]) -> str | None:
    """Where the code of an agent is that a manifest describes; None for a method that is known by its name."""
    place: str = description.get("factory") or description["method"]
    return place if "factory" in description or ":" in place else None


def source_of(description: Mapping[str, Any]) -> Source:
    """The code of an agent that a manifest describes by its place, found without running any of it.

    Raises AgentError where it is not there any more, or is not what played the run.
    """
    name, place = description["name"], place_of(description) or ""
    if place.startswith(EXEC):
        program: Any = bot(name, place.removeprefix(EXEC)).factory
        found = Source(tuple(program.files()), program.source_fingerprint())
    else:
        found = _source_at(place)
    if "source" not in description or found.fingerprint != description["source"]:
        raise AgentError(f"the agent {name!r:.80} is not the one that played: it was changed since")
    return found


def _source_at(text: str) -> Source:
    found = place_in(text)
    return source_of_module(text.partition(":")[0]) if found is None else found[0].source()


def parse_agents(texts: Sequence[str], game: str = BIG_TWO) -> list[AnyAgent]:
    """The agents of a tournament. Raises AgentError as `parse_agent` does, and where two have the same name."""
    found = [parse_agent(text, game) for text in texts]
    seen: set[str] = set()
    for agent, text in zip(found, texts, strict=True):
        if agent.name in seen:
            raise AgentError(
                f"two agents are called {agent.name!r}; name one of them otherwise, "
                f"as in other={_split_name(text.strip())[1]}"
            )
        seen.add(agent.name)
    return found


def _split_name(text: str) -> tuple[str, str]:
    """`name=body`, where the equals sign stands before any colon; without a name the text is its own."""
    equals, colon = text.find("="), text.find(":")
    if equals < 0 or 0 <= colon < equals:
        return text, text
    name = text[:equals].strip()
    if not name or len(name) > LONGEST_NAME or not name.isprintable():
        raise AgentError(
            f"the name in {text!r} must be 1 to {LONGEST_NAME} printable characters before the equals sign"
        )
    return name, text[equals + 1 :].strip()


def _settings(chosen: Method, text: str) -> dict[str, float]:
    settings: dict[str, float] = {}
    for part in text.split(",") if text.strip() else []:
        weight, equals, value = (piece.strip() for piece in part.partition("="))
        if not equals or not weight or not value:
            raise AgentError(f"{chosen.name}: {part.strip()!r} is no setting; a setting is WEIGHT=VALUE")
        if weight in settings:
            raise AgentError(f"{chosen.name}: {weight} is set twice")
        try:
            settings[weight] = float(value)
        except ValueError:
            raise AgentError(f"{chosen.name}: {weight} is {value!r}; it must be a number") from None
    return settings
