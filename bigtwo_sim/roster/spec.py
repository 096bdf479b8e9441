"""The text that names an agent on the command line, and the agent that it means.

=====================================  ==============================================================
`heuristic`                            the method in `agents/bigtwo_agents/big_two/heuristic.py`
`heuristic:weight=value,other=value`   the same with some of its settings changed
`strong`, `strong:weight=value`        a level: a method with the settings that `levels.json` names
`level:FILE`, `level:FILE#NAME`        the level of a file (docs/levels.md), or one of several; it has its own name
`package.module:factory`               a Python agent: `factory()` makes an object with `choose(view)`
`exec:./my-bot --flag`                 a bot in any language: a program that speaks the protocol of docs/bots.md, and
                                       its arguments, split as a shell does
`name=…`                               any of these under a name of one's own
=====================================  ==============================================================

A method is any file of the game's folder (this one, or `big_three/`) that has a `METHOD`; it is imported only when it
is asked for. Levels stand in the `levels.json` of that folder.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from bigtwo_sim.bots.isolation import bot
from bigtwo_sim.games.base.agent import AgentError, Method, PolicyAgent
from bigtwo_sim.games.base.python_agent import AnyAgent, PythonAgent
from bigtwo_sim.games.registry import BIG_TWO, package_named
from bigtwo_sim.roster.imported import ImportedFactory
from bigtwo_sim.roster.level_file import Level, read_levels
from bigtwo_sim.roster.methods import agent_names, levels, method
from bigtwo_sim.roster.sources import EXEC, source_of

LONGEST_NAME = 80
LEVEL = "level:"
_IDENTIFIER = re.compile(r"[A-Za-z_]\w*")
_DOTTED = re.compile(r"[A-Za-z_]\w*(\.[A-Za-z_]\w*)*")


def parse_agent(text: str, game: str = BIG_TWO) -> AnyAgent:
    """The agent of a game that `text` names (the forms at the top of this file).

    Without a name of its own it is called `text`. Raises AgentError, which says what is wrong: an unknown method,
    setting or value, a module that cannot be imported, a factory that does not exist or makes no agent, a program that
    is not there.
    """
    text = text.strip()
    name, body = _split_name(text)
    if not body:
        known = ", ".join(agent_names(game))
        raise AgentError(
            f"{text!r} names no agent; an agent is one of {known}, or MODULE:FACTORY, exec:PROGRAM or level:FILE"
        )
    if body.startswith(EXEC):
        if game != BIG_TWO:
            raise AgentError(f"{body}: programs play Big Two (docs/bots.md), not {package_named(game).Rules.TITLE}")

        return bot(name, body.removeprefix(EXEC))
    if body.startswith(LEVEL):
        path, level = _level_of_file(body.removeprefix(LEVEL))
        try:
            chosen = method(level.method, game)
            return PolicyAgent(level.name if name == text else name, chosen, chosen.params(level.settings))
        except AgentError as error:
            raise AgentError(f"{path}: the level {level.name!r:.80}: {error}") from None
    head, colon, rest = body.partition(":")
    if colon and "=" not in rest and head not in agent_names(game):
        return _python_agent(name, head, rest, game)
    known_level = levels(game).get(head)
    chosen = method(known_level.method if known_level else head, game)
    if colon and not rest.strip():
        raise AgentError(f"{body!r} ends after its colon; settings follow it as WEIGHT=VALUE,WEIGHT=VALUE")
    settings = {**(known_level.settings if known_level else {}), **_settings(chosen, rest)}
    return PolicyAgent(name, chosen, chosen.params(settings))


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
    name = description["name"]
    if "method" in description:
        chosen = method(description["method"], game)
        return PolicyAgent(name, chosen, chosen.params(description["settings"]))
    source_of(description)
    return replace(parse_agent(description["factory"], game), name=name)


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


# --- Python agents ----------------------------------------------------------------------------------------------------
def _python_agent(name: str, module: str, attribute: str, game: str) -> PythonAgent:
    if not _DOTTED.fullmatch(module) or not _IDENTIFIER.fullmatch(attribute):
        raise AgentError(f"{module}:{attribute} is not PACKAGE.MODULE:FACTORY; both are Python names")
    factory = ImportedFactory(module, attribute)
    factory.check(game)  # what cannot be imported is reported now, not in the first deal
    return PythonAgent(name, factory)
