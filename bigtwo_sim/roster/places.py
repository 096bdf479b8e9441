"""Agents known by the place of their code, `MODULE:NAME` or `FILE.py:NAME`: a compiled method, or a factory.

To import a module is to run it: it may end the process, take for ever, or change the engine. So this process asks
another one what is there. Only a method is then imported here, since it plays within the engine; a factory is imported
where its agents play.
"""

from __future__ import annotations

import difflib
import functools
import importlib
import json
import os
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bigtwo_sim.bots.process import Limits, ProcessFault, forked
from bigtwo_sim.core.installed import own_packages
from bigtwo_sim.games.base.agent import AgentError, Method
from bigtwo_sim.games.base.agent_server import error_line, own_streams, preparation, prepare
from bigtwo_sim.games.base.lines import WireError, read_line
from bigtwo_sim.games.base.python_agent import one_line
from bigtwo_sim.games.registry import BIG_TWO, PACKAGES, package_named
from bigtwo_sim.roster.methods import agent_names
from bigtwo_sim.roster.sources import Source, file_of_text, import_file, import_named, source_of_file, source_of_module

METHOD, FACTORY = "method", "factory"
_MODULE = "bigtwo_sim.roster.places"
_IN_FILE = re.compile(r"(.*?\.py):([A-Za-z_]\w*)(?::(.*))?", re.DOTALL)
_IN_MODULE = re.compile(r"([A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*):([A-Za-z_]\w*)(?::(.*))?", re.DOTALL)


@dataclass(frozen=True)
class Place:
    """A method or a factory by its place, so that another process can find it again."""

    where: str
    """The dotted name of a module, or the path of a file, from the current folder."""
    attribute: str

    def __str__(self) -> str:
        return f"{self.where}:{self.attribute}"

    @property
    def is_file(self) -> bool:
        """Whether it is in a file that was named by its path."""
        return self.where.endswith(".py")

    def __call__(self) -> Any:
        """What the factory makes."""
        return self.find()()

    def check(self, game: str = BIG_TWO) -> str:
        """What is there, METHOD or FACTORY. Imports nothing here.

        Raises AgentError, which knows the agents of `game`, where it is neither.
        """
        if self.is_file and not file_of_text(self.where).is_file():
            raise AgentError(f"{self}: there is no file {self.where!r}; it is looked for from {Path.cwd()}")
        return _checked(self, game, str(Path.cwd()), self.source_fingerprint())

    def source(self) -> Source:
        """Its file, which is not run."""
        return source_of_file(self.where) if self.is_file else source_of_module(self.where)

    def source_fingerprint(self) -> str | None:
        """Hash of its file, by which a run that is resumed sees that the agent was changed; None: no file."""
        return self.source().fingerprint

    def find(self, game: str = BIG_TWO) -> Any:
        """The method or factory itself, imported here.

        Raises AgentError, which knows the agents of `game`, where there is none.
        """
        module = self._imported(game)
        try:
            found = getattr(module, self.attribute)
        except AttributeError:
            public = [name for name in vars(module) if not name.startswith("_")]
            close = difflib.get_close_matches(self.attribute, public)
            guess = f"; did you mean {' or '.join(close)}?" if close else ""
            what = self.where if self.is_file else f"the module {self.where}"
            raise AgentError(f"{self}: {what} has no {self.attribute!r}{guess}{self._hint()}") from None
        if not isinstance(found, Method) and not callable(found):
            raise AgentError(
                f"{self} is {found!r:.40}; it must be a class or a function that is called without "
                "arguments and makes an object with choose(view), or a Method"
            )
        return found

    def method(self, game: str) -> Method:
        """The method itself, imported here after another process has found it. Raises AgentError for another thing."""
        if self.check(game) != METHOD:
            raise AgentError(f"{self} makes Python agents; it must be a Method")
        found = self.find(game)
        if not isinstance(found, Method):
            raise AgentError(f"{self} is {found!r:.40}; it must be a Method")
        wanted = importlib.import_module(f"{PACKAGES[game]}.policy").SIGNATURE
        if getattr(found.function, "policy_signature", None) != wanted:
            title = package_named(game).Rules.TITLE
            raise AgentError(
                f"{self}: its function is not a policy of {title}; it must be made by the decorator `policy` of "
                f"{PACKAGES[game]}.policy"
            )
        return found

    def _imported(self, game: str) -> Any:
        try:
            return import_file(self.where) if self.is_file else import_named(self.where)
        except FileNotFoundError:
            raise AgentError(f"{self}: there is no file {self.where!r}; it is looked for from {Path.cwd()}") from None
        except BaseException as error:
            name = getattr(error, "name", None) if isinstance(error, ModuleNotFoundError) else None
            if name and not self.is_file and f"{self.where}.".startswith(f"{name}."):
                hint = self._hint() or f" (the built-in agents are {', '.join(agent_names(game))})"
                raise AgentError(
                    f"{self}: there is no module {name!r}, neither installed nor in the current folder{hint}"
                ) from None
            raise AgentError(f"{self}: importing {self.where} failed: {one_line(error)}") from error

    def _hint(self) -> str:
        """How to name a file of the user's whose name is taken."""
        top = self.where.partition(".")[0]
        ours = f"; {top} is a name of this project" if top in own_packages() else ""
        file = Path(f"{self.where.replace('.', '/')}.py")
        here = f"; of the file in the current folder it is {file}:{self.attribute}" if file.is_file() else ""
        return "" if self.is_file else ours + here


def place_in(text: str) -> tuple[Place, str | None] | None:
    """The place in `WHERE:NAME` or `WHERE:NAME:SETTINGS`, with the settings; None where `text` has another form."""
    found = _IN_FILE.fullmatch(text) or _IN_MODULE.fullmatch(text)
    return None if found is None else (Place(found[1], found[2]), found[3])


# --- in another process -----------------------------------------------------------------------------------------------
@functools.cache
def _checked(place: Place, game: str, folder: str, fingerprint: str | None) -> str:
    """What another process in this folder finds in a place. Raises AgentError where that is nothing."""
    if not hasattr(os, "fork"):
        return _kind(place.find(game))
    seconds = Limits().start_time
    try:
        process = forked(f"{_MODULE}:report", [_MODULE])
        process.write(preparation(b""))
        process.write(json.dumps({"where": place.where, "attribute": place.attribute, "game": game}))
        answer = read_line(process.read(seconds, f"was not imported within {seconds:g} s"))
        process.close()
    except (ProcessFault, WireError) as fault:
        raise AgentError(f"{place}: to import {place.where} failed: it {fault}") from None
    if answer["type"] not in (METHOD, FACTORY):
        raise AgentError(str(answer.get("reason")))
    return str(answer["type"])


def _kind(found: Any) -> str:
    return METHOD if isinstance(found, Method) else FACTORY


def report() -> None:
    """In the other process: say what is in the place that the standard input names, or what is wrong."""
    requests, say = own_streams()
    prepare(requests.readline())
    request = json.loads(requests.readline())
    place = Place(request["where"], request["attribute"])
    try:
        say(json.dumps({"type": _kind(place.find(request["game"]))}))
    except AgentError as error:
        say(error_line(str(error)))
    except BaseException as error:
        say(error_line(f"{place}: {one_line(error)}"))
