"""Factories of Python agents, known by their place; their modules are imported only where their agents play.

To import a module is to run it: it may end the process, take for ever, or change the engine. So this process asks
another one whether there is such a factory.
"""

from __future__ import annotations

import difflib
import functools
import importlib
import json
import os
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

from bigtwo_sim.bots.process import Limits, ProcessFault, forked
from bigtwo_sim.games.base.agent import AgentError
from bigtwo_sim.games.base.agent_server import error_line, own_streams, preparation, prepare
from bigtwo_sim.games.base.lines import WireError, read_line
from bigtwo_sim.games.base.python_agent import one_line
from bigtwo_sim.games.registry import BIG_TWO
from bigtwo_sim.roster.methods import agent_names
from bigtwo_sim.roster.sources import current_folder_first, source_of_module

OWN_PACKAGES = ("bigtwo_agents", "bigtwo_sim")
_MODULE = "bigtwo_sim.roster.imported"


@dataclass(frozen=True)
class ImportedFactory:
    """A factory known by its place, so that another process can find it again."""

    module: str
    attribute: str

    def __str__(self) -> str:
        return f"{self.module}:{self.attribute}"

    def __call__(self) -> Any:
        return self.find()()

    def check(self, game: str = BIG_TWO) -> None:
        """Raise AgentError, which knows the agents of `game`, where there is no such factory. Imports nothing here."""
        _check(self, game, str(Path.cwd()))

    def source_fingerprint(self) -> str | None:
        """Hash of the module's file, by which a run that is resumed sees that the agent was changed; None: no file."""
        return source_of_module(self.module).fingerprint

    def find(self, game: str = BIG_TWO) -> Any:
        """The factory itself, imported here. Raises AgentError, which knows the agents of `game`, where that fails."""
        place = str(self)
        module = _import(self.module, place, game)
        try:
            found = getattr(module, self.attribute)
        except AttributeError:
            public = [name for name in vars(module) if not name.startswith("_")]
            close = difflib.get_close_matches(self.attribute, public)
            guess = f"; did you mean {' or '.join(close)}?" if close else ""
            if self.module.partition(".")[0] in OWN_PACKAGES:
                guess += f"; {self.module.partition('.')[0]} is a name of this project, so call your own file otherwise"
            raise AgentError(f"{place}: the module {self.module} has no {self.attribute!r}{guess}") from None
        if not callable(found):
            raise AgentError(
                f"{place} is {found!r:.40}; it must be a class or a function that is called without "
                "arguments and makes an object with choose(view)"
            )
        return found


# --- in another process -----------------------------------------------------------------------------------------------
@functools.cache
def _check(factory: ImportedFactory, game: str, folder: str) -> None:
    """Have another process in this folder import a factory. Raises AgentError where that fails."""
    if not hasattr(os, "fork"):
        factory.find(game)
        return
    seconds = Limits().start_time
    try:
        process = forked(f"{_MODULE}:report", [_MODULE])
        process.write(preparation(b""))
        process.write(json.dumps({"module": factory.module, "attribute": factory.attribute, "game": game}))
        answer = read_line(process.read(seconds, f"was not imported within {seconds:g} s"))
        process.close()
    except (ProcessFault, WireError) as fault:
        raise AgentError(f"{factory}: to import {factory.module} failed: it {fault}") from None
    if answer["type"] != "found":
        raise AgentError(str(answer.get("reason")))


def report() -> None:
    """In the other process: say whether there is the factory that the standard input names, or what is wrong."""
    requests, say = own_streams()
    prepare(requests.readline())
    request = json.loads(requests.readline())
    factory = ImportedFactory(request["module"], request["attribute"])
    try:
        factory.find(request["game"])
        say(json.dumps({"type": "found"}))
    except AgentError as error:
        say(error_line(str(error)))
    except BaseException as error:
        say(error_line(f"{factory}: {one_line(error)}"))


# --- importing --------------------------------------------------------------------------------------------------------
def _import(module: str, place: str, game: str = BIG_TWO) -> ModuleType:
    try:
        with current_folder_first():
            return importlib.import_module(module)
    except ModuleNotFoundError as error:
        if error.name and (module == error.name or module.startswith(error.name + ".")):
            hint = f"the built-in agents are {', '.join(agent_names(game))}"
            if module.partition(".")[0] in OWN_PACKAGES:
                hint = f"{module.partition('.')[0]} is a name of this project, so call your own file otherwise"
            raise AgentError(
                f"{place}: there is no module {error.name!r}, neither in the current folder nor installed ({hint})"
            ) from None
        raise AgentError(f"{place}: importing {module} failed: {one_line(error)}") from error
    except BaseException as error:
        raise AgentError(f"{place}: importing {module} failed: {one_line(error)}") from error
