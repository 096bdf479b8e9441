"""An agent in another process as one that can be seated: it is told and asked over the protocol, within its limits.

What goes wrong forfeits the decision and nothing more. A process that was late, used too much memory, ended, or wrote
what is no answer is killed, since nobody could tell to which question its next line belongs; the next decision starts a
new one. An agent is not asked any more, and forfeits at once, after `FAILED_STARTS` starts in a row that failed or
`BARREN` processes in a row of which none gave one answer: else a bot that hangs would hang the run.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from typing import Any, NoReturn, Protocol

from bigtwo_sim.bots.process import Limits, ManagedProcess, Problem, ProcessFault
from bigtwo_sim.games.base.lines import LONGEST_TEXT, WireError, read_hello, read_line, shown
from bigtwo_sim.games.base.python_agent import LONGEST_ANSWER, LONGEST_REASON, Forfeit

FAILED_STARTS = 3
BARREN = 10


class RemoteFault(Forfeit):
    """A decision forfeited by an agent in another process; `problem` is the kind of what went wrong."""

    def __init__(self, problem: Problem, reason: str, answer: str = "") -> None:
        super().__init__(reason, answer)
        self.args = (problem, reason, answer)
        self.problem = problem


class Wire(Protocol):
    """How a game puts what an agent is told and asked into lines, and what the agent's messages mean."""

    def hello(self, name: str, **more: Any) -> str:
        """The engine's first line."""

    def new_deal(self, view: Any) -> str:
        """The line of a new deal."""

    def turn(self, view: Any) -> str:
        """The line of a turn with a choice."""

    def result(self, result: Any) -> str:
        """The line of the end of a deal."""

    def answer(self, message: dict[str, Any], view: Any) -> Any:
        """What is answered to `turn(view)`. Raises WireError."""


class RemoteAgent:
    """An agent in a process of its own, which `start` starts, up to where it waits for the engine's hello.

    `verbatim`: the process serves a Python agent. It then says so when it has taken note of a deal, and the reasons
    that it gives are the engine's own. The process starts when it is needed first.
    """

    def __init__(
        self, name: str, start: Callable[[], ManagedProcess], limits: Limits, wire: Wire, *, verbatim: bool = False
    ) -> None:
        self.name = name
        self.limits = limits
        self.own_name = ""
        """What the bot calls itself in its hello."""
        self.process: ManagedProcess | None = None
        self._start = start
        self._latest: ManagedProcess | None = None
        self._earlier_stderr = ""
        self._verbatim = verbatim
        self._wire = wire
        self._deal: Any = None
        self._failed_starts = 0
        self._barren = 0
        self.given_up = ""
        """Why it is not asked any more; "" as long as it is."""

    # --- what the loop calls ------------------------------------------------------------------------------------------
    def new_deal(self, view: Any) -> None:
        """Tell it of a new deal; a process that is started later in the deal is told then."""
        self._deal = view
        if self.process is None and self._verbatim and not self.given_up:
            self._guarded(self.start)
        if self.process is not None:
            self._guarded(self._tell_deal)

    def end_deal(self, result: Any) -> None:
        """Tell it how the deal ended."""
        self._deal = None
        if self.process is not None:
            self._guarded(self._tell, self._wire.result(result), "the end of a deal")

    def choose(self, view: Any) -> Any:
        """Its answer, legal or not. Raises RemoteFault where there is none."""
        if self.given_up:
            raise RemoteFault(Problem.START, self.given_up)
        return self._guarded(self._ask, view)

    def close(self) -> bool:
        """End its process; return whether it ended by itself when its standard input did."""
        process, self.process = self.process, None
        return process is None or process.close()

    @property
    def stderr(self) -> str:
        """The end of what its latest process that wrote any wrote to its standard error, where that is kept."""
        return (self._latest.stderr if self._latest is not None else "") or self._earlier_stderr

    # --- the process --------------------------------------------------------------------------------------------------
    def start(self) -> None:
        """Start the process, up to its hello. Raises ProcessFault where that fails."""
        self._failed_starts += 1
        self._barren += 1
        self._earlier_stderr = self.stderr
        process = self._latest = self._start()
        more = {"acknowledge": True} if self._verbatim else {}
        process.write(self._wire.hello(self.name, **more))
        seconds = self.limits.start_time
        line = process.read(seconds, f"did not answer hello within {seconds:g} s")
        problem = Problem.NO_JSON
        try:
            message = read_line(line)
            problem = Problem.HELLO
            self.own_name = read_hello(message)
        except WireError as error:
            process.kill()
            raise ProcessFault(problem, str(error)) from None
        self.process = process
        self._failed_starts = 0

    def _guarded(self, action: Callable[..., Any], *arguments: Any) -> Any:
        """Do something with the process; where that ends it, forget the process and raise RemoteFault."""
        try:
            return action(*arguments)
        except ProcessFault as fault:
            self.process = None
            reason = fault.reason
            if self._failed_starts >= FAILED_STARTS:
                self.given_up = f"is not asked any more: {FAILED_STARTS} starts in a row failed; at last, it {reason}"
            elif self._barren >= BARREN:
                self.given_up = (
                    f"is not asked any more: {BARREN} of its processes in a row ended without one answer; at last, it "
                    f"{reason}"
                )
            raise RemoteFault(fault.problem, reason) from None

    def _tell_deal(self) -> None:
        if self._deal is not None:
            self._tell(self._wire.new_deal(self._deal), "a new deal")

    def _tell(self, line: str, what: str) -> None:
        assert self.process is not None
        self.process.write(line)
        if self._verbatim:
            seconds = self.limits.move_time
            message = self._message(self.process.read(seconds, f"took longer than {_seconds(seconds)} s over {what}"))
            if message["type"] == "error":
                raise _own_error(message, verbatim=True)

    def _ask(self, view: Any) -> Any:
        if self.process is None:
            self.start()
            with contextlib.suppress(RemoteFault):  # of the agent, which goes on; its decision is what counts now
                self._tell_deal()
        process = self.process
        assert process is not None
        unasked = process.unasked()
        if unasked:
            self._end(Problem.UNASKED, f"wrote {shown(unasked.strip())} when it was not asked")
        process.write(self._wire.turn(view))
        seconds = self.limits.move_time
        message = self._message(process.read(seconds, f"answered later than {_seconds(seconds)} s"))
        if message["type"] == "error":
            self._barren = 0
            raise _own_error(message, self._verbatim)
        try:
            answer = self._wire.answer(message, view)
        except WireError as error:
            if message["type"] not in ("play", "bid"):
                self._end(Problem.ANSWER, str(error))
            self._barren = 0
            raise RemoteFault(Problem.ANSWER, str(error)) from None
        self._barren = 0
        return answer

    def _message(self, line: bytes) -> dict[str, Any]:
        try:
            return read_line(line)
        except WireError as error:
            self._end(Problem.NO_JSON, str(error))

    def _end(self, problem: Problem, reason: str) -> NoReturn:
        assert self.process is not None
        self.process.kill()
        raise ProcessFault(problem, reason)


def _seconds(limit: float | None) -> str:
    return "" if limit is None else f"{limit:g}"


def _own_error(message: dict[str, Any], verbatim: bool) -> RemoteFault:
    """What an agent itself says that went wrong."""
    reason, answer = (str(message.get(name, "")) for name in ("reason", "answer"))
    reason, answer = reason[:LONGEST_REASON], answer[:LONGEST_ANSWER]
    if not verbatim:
        reason = f"gave up: {' '.join(reason.split())[:LONGEST_TEXT] or 'it gives no reason'}"
    return RemoteFault(Problem.ERROR, reason, answer)
