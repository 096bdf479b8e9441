"""Agents in processes of their own: Python agents taken out of this process, and programs in any language.

Both are `PythonAgent`s that are seated like any other: what they make asks its own process (`remote`, `supervised`).
"""

from __future__ import annotations

import base64
import hashlib
import importlib
import pickle
import shlex
import shutil
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, overload

from bigtwo_sim.bots.process import Limits, ManagedProcess, Problem, ProcessFault, forked, program
from bigtwo_sim.bots.remote import RemoteAgent
from bigtwo_sim.core.installed import own_packages
from bigtwo_sim.games.base.agent import AgentError, PolicyAgent
from bigtwo_sim.games.base.agent_server import preparation
from bigtwo_sim.games.base.lines import WireError, read_line
from bigtwo_sim.games.base.python_agent import LONGEST_REASON, AnyAgent, PythonAgent, close_agent
from bigtwo_sim.games.big_two.wire import Wire
from bigtwo_sim.games.registry import BIG_TWO, PACKAGES

BOT_MOVE_TIME = 10.0
"""Seconds that a bot in another language has to answer where nobody says otherwise; no bot may hang a run."""


@overload
def isolated(agent: PythonAgent, limits: Limits, game: str = BIG_TWO) -> PythonAgent: ...
@overload
def isolated(agent: PolicyAgent, limits: Limits, game: str = BIG_TWO) -> PolicyAgent: ...
def isolated(agent: AnyAgent, limits: Limits, game: str = BIG_TWO) -> AnyAgent:
    """The same agent of a game under `limits`: a Python agent in a process of its own, a policy as it is.

    An honest agent plays the same deals to the bit as in this process. A bot in another language keeps its move time
    where `limits` has none. Raises AgentError, when it is made, for a factory that cannot be sent to another process.
    """
    if not isinstance(agent, PythonAgent):
        return agent
    factory = agent.factory
    if isinstance(factory, Bot):
        move_time = factory.limits.move_time if limits.move_time is None else limits.move_time
        return replace(agent, factory=replace(factory, limits=replace(limits, move_time=move_time)))
    if isinstance(factory, Isolated):
        return replace(agent, factory=replace(factory, limits=limits, game=game))
    return PythonAgent(agent.name, Isolated(agent.name, factory, limits, game))


def try_out(agent: AnyAgent, limits: Limits | None = None, game: str = BIG_TWO) -> None:
    """Start an agent of a game in a process of its own, up to where it could be asked, and close it again.

    Raises AgentError where that fails or takes longer than the limits allow, so that it is reported before a run
    begins. Whatever the agent does at that is done to its own process.
    """
    if not isinstance(agent, PythonAgent):
        return
    apart = agent if isinstance(agent.factory, Bot | Isolated) else isolated(agent, limits or Limits(), game)
    made: RemoteAgent = apart.make()
    try:
        made.start()
    except ProcessFault as fault:
        raise AgentError(f"{agent.name}: it {fault.reason}") from None
    finally:
        close_agent(made)


# --- Python agents ----------------------------------------------------------------------------------------------------
@dataclass(frozen=True)
class Isolated:
    """A factory of Python agents of a game, each in a process of its own, in which `factory` makes it."""

    name: str
    factory: Callable[[], Any]
    limits: Limits
    game: str = BIG_TWO

    def __call__(self) -> RemoteAgent:
        try:
            packed = pickle.dumps((self.name, self.factory))
        except Exception as error:
            raise AgentError(
                f"{self.name}: it cannot be sent to a process of its own ({error}); define it in a module"
            ) from error
        wire = importlib.import_module(f"{PACKAGES[self.game]}.wire").Wire()
        return RemoteAgent(self.name, lambda: self._start(packed), self.limits, wire, verbatim=True)

    def _start(self, packed: bytes) -> ManagedProcess:
        first = preparation(packed)
        module = f"{PACKAGES[self.game]}.serve"
        own = type(self.factory).__module__
        # No code of an agent runs in the server that starts processes, so it imports modules of this project alone.
        process = forked(f"{module}:main", [module, *([own] if own.partition(".")[0] in own_packages() else [])])
        self._await(process, first)
        if self.limits.memory is not None:
            process.limit_memory(self.limits.memory, beyond_present=True)
        self._await(process, base64.b64encode(packed).decode())
        return process

    def _await(self, process: ManagedProcess, line: str) -> None:
        """Send a line and wait until the process says that it is ready."""
        process.write(line)
        seconds = self.limits.start_time
        try:
            answer = read_line(process.read(seconds, f"did not start within {seconds:g} s"))
        except WireError as error:
            process.kill()
            raise ProcessFault(Problem.START, str(error)) from None
        if answer["type"] != "ready":
            process.kill()
            raise ProcessFault(Problem.START, str(answer.get("reason", "did not start"))[:LONGEST_REASON])

    def __str__(self) -> str:
        return str(self.factory)


# --- programs ---------------------------------------------------------------------------------------------------------
@dataclass(frozen=True)
class Bot:
    """A factory of bots in other languages: each is a process of the program, which speaks the protocol.

    Make one with `bot`.
    """

    name: str
    text: str
    limits: Limits

    @property
    def command(self) -> list[str]:
        """The program and its arguments."""
        return split_command(self.text)

    def __call__(self) -> RemoteAgent:
        return RemoteAgent(self.name, self._start, self.limits, Wire())

    def _start(self) -> ManagedProcess:
        process = program(self.command)
        if self.limits.memory is not None:
            process.limit_memory(self.limits.memory, beyond_present=False)
        return process

    def source_fingerprint(self) -> str:
        """Hash of the files that the command names, by which a run that is resumed sees that the bot was changed."""
        return hashlib.sha256(b"".join(file.read_bytes() for file in self.files())).hexdigest()[:16]

    def files(self) -> list[Path]:
        """The files that the command names, its program first. Raises AgentError where there is no such program."""
        return [find_program(self.command), *(Path(word) for word in self.command[1:] if Path(word).is_file())]

    def __str__(self) -> str:
        return f"exec:{self.text}"


def bot(name: str, text: str) -> PythonAgent:
    """The agent `exec:text`. Raises AgentError where there is no such program."""
    made = Bot(name, text.strip(), Limits(move_time=BOT_MOVE_TIME))
    find_program(made.command)
    return PythonAgent(name, made)


def split_command(text: str) -> list[str]:
    """A command line as a shell splits it, quotes and all. Raises AgentError where it is empty or a quote is open."""
    try:
        command = shlex.split(text)
    except ValueError as error:
        raise AgentError(f"exec:{text} is no command line: {str(error).lower()}") from None
    if not command:
        raise AgentError("exec: names no program; after it follows a command line, such as exec:./my-bot")
    return command


def find_program(command: list[str]) -> Path:
    """The file of the program of a command line. Raises AgentError, which says what to do, where it cannot be run."""
    program = command[0]
    found = shutil.which(program)
    if found is not None:
        return Path(found)
    path = Path(program)
    if "/" not in program:
        here = f"; for the file in the current folder write exec:./{program}" if path.is_file() else ""
        raise AgentError(f"there is no program {program!r}, neither built in nor on the PATH{here}")
    if path.is_dir():
        raise AgentError(f"{program} is a folder; exec: is followed by a program")
    if not path.exists():
        raise AgentError(f"there is no program {program!r}; it is looked for from the current folder, {Path.cwd()}")
    raise AgentError(
        f"{program} cannot be run: it is not marked as a program; chmod +x {shlex.quote(program)} does that, or name "
        f"what runs it, as in exec:python3 {shlex.quote(program)}"
    )
