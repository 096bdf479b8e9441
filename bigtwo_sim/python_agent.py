"""An agent written in Python, whichever the game: what makes it, and what counts as its fault."""

from __future__ import annotations

import traceback
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from bigtwo_sim.agent import AgentError, PolicyAgent
from bigtwo_sim.cards import CardSet

LONGEST_ANSWER = 60  # characters of an answer that are shown
LONGEST_ERROR = 300


@dataclass(frozen=True)
class PythonAgent:
    """An agent written in Python, ready to be seated: a name, and what makes the object that is asked.

    `factory` is called without arguments, once for each slot of the line-up (and again in each worker process). What
    it makes must answer from the view alone; see `check_agent`.
    """

    name: str
    factory: Callable[[], Any]

    def make(self) -> Any:
        """A new object with `choose(view)`. Raises AgentError where the factory fails or makes something else."""
        try:
            made: Any = self.factory()
        except (AgentError, KeyboardInterrupt):
            raise
        except BaseException as error:
            raise AgentError(f"{self.name}: its factory raised {one_line(error)}") from error
        if not callable(getattr(made, "choose", None)):
            raise AgentError(f"{self.name}: its factory made a {type(made).__name__}, which has no method choose(view)")
        return made


AnyAgent = PolicyAgent | PythonAgent


class Forfeit(Exception):  # noqa: N818 - a decision given up, for a reason
    """Raised in place of an answer by what asks an agent elsewhere: `reason` says what the agent did wrong.

    `answer` is the text of its answer, where it gave one.
    """

    def __init__(self, reason: str, answer: str = "") -> None:
        super().__init__(reason, answer)
        self.reason = reason
        self.answer = answer

    def __str__(self) -> str:
        return self.reason


class AgentFault(RuntimeError):  # noqa: N818 - the agent's fault, not an error of the loop
    """What an agent did wrong in a deal: an illegal answer, or an exception of its own.

    `agent` is its name, `seat` 0 to 3, `deal` the number of the deal under the run's seed, `reason` what was wrong;
    `fault`, where a loop raised it, is the record that replays the case.
    """

    def __init__(self, agent: str, seat: int, deal: int, reason: str, fault: Any = None) -> None:
        super().__init__(agent, seat, deal, reason, fault)
        self.agent = agent
        self.seat = seat
        self.deal = deal
        self.reason = reason
        self.fault = fault

    def __str__(self) -> str:
        return f"agent {self.agent!r} at seat {self.seat} in deal {self.deal}: {self.reason}"


def close_agent(made: Any) -> str | None:
    """Call `close()` of what a factory made, where it has one. Returns what it raised, in one line, or None."""
    close = getattr(made, "close", None)
    if callable(close):
        try:
            close()
        except KeyboardInterrupt:
            raise
        except BaseException as error:
            return one_line(error)
    return None


# --- in words ---------------------------------------------------------------------------------------------------------
def one_line(error: BaseException) -> str:
    """An exception in one line, with the innermost place outside this project, where there is one."""
    place = ""
    for frame, line in traceback.walk_tb(error.__traceback__):
        if frame.f_globals.get("__name__", "").partition(".")[0] not in ("bigtwo_sim", "agents"):
            place = f" ({frame.f_code.co_filename}, line {line})"
    try:
        text = " ".join(str(error).split())
    except Exception:  # an agent's own exception may fail at that too
        text = "its text cannot be had"
    return f"{type(error).__name__}{': ' if text else ''}{text[:LONGEST_ERROR]}{place}"


def why_it_failed(error: BaseException) -> tuple[str, str]:
    """What an agent answered, as text, and its fault in words, where it raised `error` instead."""
    if isinstance(error, Forfeit):
        return error.answer, error.reason
    return "", f"raised {one_line(error)}"


def answer_text(answer: object) -> str:
    """An agent's answer as text, cut short, whatever it is."""
    if type(answer) is CardSet:
        return str(answer) or "a pass"
    try:
        text = str(answer)
    except Exception:
        text = "something without a text"
    return text[:LONGEST_ANSWER]
