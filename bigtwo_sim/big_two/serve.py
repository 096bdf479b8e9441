"""A Python agent on the far side of the protocol: reads the engine's messages, asks the agent, writes its answers.

The engine keeps a Python agent in a process of its own this way (`arena.isolation`). Beyond `docs/bots.md`, such a
process answers `new_deal` and `result` with `{"type": "done"}` when the engine's hello has `"acknowledge": true`, and
what the agent did wrong with `{"type": "error", "reason": …, "answer": …}`.
"""

from __future__ import annotations

import base64
import json
import os
import pickle
import signal
import sys
from typing import Any, BinaryIO

from bigtwo_sim.big_two.deal import Agent
from bigtwo_sim.big_two.plays import check_deck
from bigtwo_sim.big_two.policy import AgentError
from bigtwo_sim.big_two.python_agent import (
    PythonAgent,
    answer_text,
    close_agent,
    one_line,
    why_it_failed,
    why_no_cards,
)
from bigtwo_sim.big_two.rules import Rules
from bigtwo_sim.big_two.wire import PROTOCOL, Reader, answer_line, read_line, read_rules
from bigtwo_sim.cards import CardSet
from bigtwo_sim.safe_text import safe

_DONE = json.dumps({"type": "done"})


def serve(agent: Agent, requests: BinaryIO, answers: BinaryIO) -> None:
    """Answer the lines of `requests` on `answers` until they end; then close the agent."""
    served = _Served(agent)
    for line in requests:
        answer = served.answer(read_line(line))
        if answer:
            answers.write(answer.encode() + b"\n")
            answers.flush()
    close_agent(agent)


class _Served:
    """The agent, and what it must remember of the conversation: the rules."""

    def __init__(self, agent: Agent) -> None:
        self._agent: Any = agent
        self._acknowledges = False
        self._reader = Reader(Rules())

    def answer(self, message: dict[str, Any]) -> str:
        """The answer to a message of the engine; "" where there is none."""
        kind = message["type"]
        if kind == "hello":
            self._acknowledges = message.get("acknowledge") is True
            return json.dumps({"type": "hello", "protocol": PROTOCOL, "name": type(self._agent).__name__})
        try:
            if kind == "turn":
                return self._choose(message)
            if kind == "new_deal":
                self._begin(message)
            elif kind == "result" and hasattr(self._agent, "end_deal"):
                self._agent.end_deal(self._reader.result(message))
        except KeyboardInterrupt:
            raise
        except BaseException as error:
            return _error(*why_it_failed(error))
        return _DONE if self._acknowledges and kind in ("new_deal", "result") else ""

    def _begin(self, message: dict[str, Any]) -> None:
        rules = read_rules(message)
        if rules != self._reader.rules:
            self._reader = Reader(rules)
        if hasattr(self._agent, "new_deal"):
            self._agent.new_deal(self._reader.new_deal(message))

    def _choose(self, message: dict[str, Any]) -> str:
        cards = self._agent.choose(self._reader.turn(message))
        if type(cards) is not CardSet:
            return _error(answer_text(cards), why_no_cards(cards))
        if cards:
            try:
                check_deck(cards, self._reader.rules)
            except TypeError as error:
                return _error(answer_text(cards), f"answered {answer_text(cards)}: {error}")
        return answer_line(cards)


def _error(answer: str, reason: str) -> str:
    return json.dumps({"type": "error", "reason": reason, "answer": answer})


def main() -> None:
    """Serve the agent whose factory comes as the next line of the standard input, pickled and in base64.

    What it prints goes to the standard error.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the engine's to answer
    with os.fdopen(os.dup(0), "rb") as requests, os.fdopen(os.dup(1), "wb") as answers:
        os.dup2(2, 1)
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        sys.stdout = sys.stderr = safe(sys.stderr)

        def say(message: dict[str, Any]) -> None:
            answers.write(json.dumps(message).encode() + b"\n")
            answers.flush()

        say({"type": "ready"})
        packed = requests.readline()
        if not packed:
            return
        try:
            name, factory = pickle.loads(base64.b64decode(packed))
            agent = PythonAgent(name, factory).make()
        except AgentError as error:
            say({"type": "error", "reason": f"cannot be started: {error}"})
            return
        except Exception as error:
            say({"type": "error", "reason": f"cannot be started: {one_line(error)}"})
            return
        say({"type": "ready"})
        serve(agent, requests, answers)
