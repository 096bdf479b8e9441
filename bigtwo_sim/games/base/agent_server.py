"""A Python agent in a process of its own: reads the engine's lines, asks the agent, writes its answers.

Which game it plays, its `serve` module says. Beyond `docs/bots.md`, such a process answers `new_deal` and `result` with
`{"type": "done"}` when the engine's hello has `"acknowledge": true`, and what the agent did wrong with
`{"type": "error", "reason": ..., "answer": ...}`.
"""

from __future__ import annotations

import base64
import json
import os
import pickle
import signal
import sys
from abc import ABC, abstractmethod
from collections.abc import Callable
from multiprocessing import process, spawn
from typing import Any, BinaryIO

from bigtwo_sim.games.base.agent import AgentError
from bigtwo_sim.games.base.lines import PROTOCOL, read_line
from bigtwo_sim.games.base.python_agent import PythonAgent, close_agent, hook_of, one_line, why_it_failed
from bigtwo_sim.untrusted.foreign import ForeignCalls, type_name
from bigtwo_sim.untrusted.safe_text import safe

_DONE = json.dumps({"type": "done"})


class Served(ABC):
    """An agent, and how the messages of its game are read and answered."""

    def __init__(self, agent: Any) -> None:
        self.agent = agent
        self._acknowledges = False
        self._calls = ForeignCalls()
        self._new_deal = hook_of(agent, "new_deal")
        self._end_deal = hook_of(agent, "end_deal")

    @abstractmethod
    def read_new_deal(self, message: dict[str, Any]) -> Any:
        """The view at the beginning of a deal."""

    @abstractmethod
    def read_turn(self, message: dict[str, Any]) -> Any:
        """The view of a turn."""

    @abstractmethod
    def read_result(self, message: dict[str, Any]) -> Any:
        """How a deal ended."""

    @abstractmethod
    def answer_to(self, view: Any, answer: object) -> str:
        """The line that says what the agent answered. Raises Forfeit for what is not an answer."""

    def answer(self, message: dict[str, Any]) -> str:
        """The answer to a message of the engine; "" where there is none."""
        kind = message["type"]
        if kind == "hello":
            self._acknowledges = message.get("acknowledge") is True
            return json.dumps({"type": "hello", "protocol": PROTOCOL, "name": type_name(self.agent)})
        with self._calls:
            try:
                try:
                    if kind == "turn":
                        view = self.read_turn(message)
                        return self.answer_to(view, self.agent.choose(view))
                    self._tell(kind, message)
                finally:
                    self._calls.done()
            except BaseException as error:
                answer, reason = why_it_failed(error)
                return error_line(reason, answer)
        return _DONE if self._acknowledges and kind in ("new_deal", "result") else ""

    def _tell(self, kind: str, message: dict[str, Any]) -> None:
        if kind == "new_deal":
            view = self.read_new_deal(message)
            if self._new_deal is not None:
                self._new_deal(view)
        elif kind == "result" and self._end_deal is not None:
            self._end_deal(self.read_result(message))


def error_line(reason: str, answer: str = "") -> str:
    """The line that says what an agent did wrong."""
    return json.dumps({"type": "error", "reason": reason, "answer": answer})


def own_streams() -> tuple[BinaryIO, Callable[[str], None]]:
    """The standard input, and what writes a line to the standard output; neither is in the way of an agent's code.

    What that prints goes to the standard error, and what it reads is empty.
    """
    for name in ("SIGINT", "SIGHUP"):  # they are the engine's to answer
        if hasattr(signal, name):
            signal.signal(getattr(signal, name), signal.SIG_IGN)
    requests, answers = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    sys.stdout = sys.stderr = safe(sys.stderr)

    def say(line: str) -> None:
        answers.write(line.encode() + b"\n")
        answers.flush()

    return requests, say


def run(served: Callable[[Any], Served]) -> None:
    """Serve the agent whose factory comes in the lines of the standard input, pickled and in base64."""
    requests, say = own_streams()
    prepare(requests.readline())
    say(json.dumps({"type": "ready"}))
    packed = requests.readline()
    if not packed:
        return
    try:
        name, factory = pickle.loads(base64.b64decode(packed))
        agent = PythonAgent(name, factory).make()
    except AgentError as error:
        say(error_line(f"cannot be started: {error}"))
        return
    except BaseException as error:
        say(error_line(f"cannot be started: {one_line(error)}"))
        return
    say(json.dumps({"type": "ready"}))
    _serve(served(agent), requests, say)
    close_agent(agent)


def _serve(served: Served, requests: BinaryIO, say: Callable[[str], None]) -> None:
    for line in requests:
        answer = served.answer(read_line(line))
        if answer:
            say(answer)


def prepare(line: bytes) -> None:
    """Make this process like the one that started it, as the line of `preparation` says: paths, settings, program."""
    environment, data = pickle.loads(base64.b64decode(line))
    os.environ.clear()
    os.environ.update(environment)
    current: Any = process.current_process()
    current._inheriting = True
    try:
        spawn.prepare(data)
    finally:
        del current._inheriting


def preparation(packed: bytes) -> str:
    """What a new process must know before it can find what is in `packed`: paths, and the main program if that has it.

    Raises AgentError where the main program of this process would start processes over and over.
    """
    if getattr(process.current_process(), "_inheriting", False):
        raise AgentError(
            'the program that started the run has no `if __name__ == "__main__":` around it, so that each process '
            "of an agent would start it again"
        )
    data = dict(spawn.get_preparation_data("agent"))
    data.pop("authkey", None)
    if b"__main__" not in packed and b"__mp_main__" not in packed:
        data = {name: value for name, value in data.items() if not name.startswith("init_main")}
    return base64.b64encode(pickle.dumps((dict(os.environ), data))).decode()
