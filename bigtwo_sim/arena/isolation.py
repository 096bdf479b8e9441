"""Agents in processes of their own: Python agents taken out of this process, and programs in any language.

Both are `PythonAgent`s that are seated like any other: what they make asks its own process (`remote`, `supervised`).
"""

from __future__ import annotations

import base64
import hashlib
import multiprocessing
import multiprocessing.spawn
import pickle
import shlex
import shutil
import sys
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, overload

from bigtwo_sim.arena.remote import RemoteAgent
from bigtwo_sim.arena.supervised import Limits, Problem, ProcessFault, Supervised
from bigtwo_sim.big_two import Agent, AgentError, AnyAgent, PolicyAgent, PythonAgent, close_agent
from bigtwo_sim.big_two.wire import WireError, read_line

BOT_MOVE_TIME = 10.0
"""Seconds that a bot in another language has to answer where nobody says otherwise; no bot may hang a run."""


@overload
def isolated(agent: PythonAgent, limits: Limits) -> PythonAgent: ...
@overload
def isolated(agent: PolicyAgent, limits: Limits) -> PolicyAgent: ...
def isolated(agent: AnyAgent, limits: Limits) -> AnyAgent:
    """The same agent under `limits`: a Python agent in a process of its own, a policy as it is.

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
        return replace(agent, factory=replace(factory, limits=limits))
    return PythonAgent(agent.name, Isolated(agent.name, factory, limits))


def try_out(agent: AnyAgent) -> None:
    """Make an agent, start its process where it has one of its own, and close it again.

    Raises AgentError where that fails, so that it is told before a run begins.
    """
    if not isinstance(agent, PythonAgent):
        return
    made = agent.make()
    try:
        if isinstance(made, RemoteAgent):
            made.start()
    except ProcessFault as fault:
        raise AgentError(f"{agent.name}: it {fault.reason}") from None
    finally:
        close_agent(made)


# --- Python agents ----------------------------------------------------------------------------------------------------
_SERVE = (
    "import base64, pickle, sys\n"
    "from multiprocessing import process, spawn\n"
    "process.current_process()._inheriting = True\n"
    "spawn.prepare(pickle.loads(base64.b64decode(sys.stdin.buffer.readline())))\n"
    "del process.current_process()._inheriting\n"
    "from bigtwo_sim.big_two.serve import main\n"
    "main()\n"
)


@dataclass(frozen=True)
class Isolated:
    """A factory of Python agents, each in a process of its own, in which `factory` makes it."""

    name: str
    factory: Callable[[], Agent]
    limits: Limits

    def __call__(self) -> RemoteAgent:
        try:
            packed = pickle.dumps((self.name, self.factory))
        except Exception as error:
            raise AgentError(
                f"{self.name}: it cannot be sent to a process of its own ({error}); define it in a module"
            ) from error
        return RemoteAgent(self.name, lambda: self._start(packed), self.limits, verbatim=True)

    def _start(self, packed: bytes) -> Supervised:
        if getattr(multiprocessing.current_process(), "_inheriting", False):
            raise AgentError(
                'the program that started the run has no `if __name__ == "__main__":` around it, so that each process '
                "of an agent would start it again"
            )
        process = Supervised([sys.executable, "-c", _SERVE], keep_stderr=False)
        self._await(process, _line(pickle.dumps(_preparation(packed))))
        if self.limits.memory is not None:
            process.limit_memory(self.limits.memory, beyond_present=True)
        self._await(process, _line(packed))
        return process

    def _await(self, process: Supervised, line: str) -> None:
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
            raise ProcessFault(Problem.START, str(answer.get("reason", "did not start")))

    def __str__(self) -> str:
        return str(self.factory)


def _line(data: bytes) -> str:
    return base64.b64encode(data).decode()


def _preparation(packed: bytes) -> dict[str, Any]:
    """What the new process must know before it can find the agent: paths, and the main program where that has it."""
    data = dict(multiprocessing.spawn.get_preparation_data("agent"))
    data.pop("authkey", None)
    if b"__main__" not in packed and b"__mp_main__" not in packed:
        data = {name: value for name, value in data.items() if not name.startswith("init_main")}
    return data


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
        return RemoteAgent(self.name, self._start, self.limits)

    def _start(self) -> Supervised:
        process = Supervised(self.command, keep_stderr=True)
        if self.limits.memory is not None:
            process.limit_memory(self.limits.memory, beyond_present=False)
        return process

    def source_fingerprint(self) -> str:
        """Hash of the files that the command names, by which a run that is resumed sees that the bot was changed."""
        files = [find_program(self.command), *(Path(word) for word in self.command[1:] if Path(word).is_file())]
        return hashlib.sha256(b"".join(file.read_bytes() for file in files)).hexdigest()[:16]

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
