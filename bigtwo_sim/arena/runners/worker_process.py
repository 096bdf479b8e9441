"""A worker process: plays the chunks of a plan for the engine, which does not trust what becomes of it.

An agent that plays in it may end it, stop it, replace it by another program or leave it unable to go on. All of that is
`WorkerEnded`, and the engine plays the chunk again in a new one (see `workers`). Chunks and results travel as lines of
base64.
"""

from __future__ import annotations

import base64
import contextlib
import json
import os
import pickle
import signal
from typing import Any

from bigtwo_sim.arena.errors import RunError
from bigtwo_sim.arena.runners.player import DEFAULT_MEMORY, player_of, unpack
from bigtwo_sim.arena.schedule.plan import Chunk, ChunkResult, Playable, PlaysChunks
from bigtwo_sim.bots.process import Limits, ProcessFault, forked
from bigtwo_sim.games.base.agent import AgentError
from bigtwo_sim.games.base.agent_server import own_streams, preparation, prepare
from bigtwo_sim.games.base.python_agent import AgentFault, one_line

COMPILING = 900.0  # seconds until a worker has loaded the plan, which may compile
LONGEST = 1 << 34  # bytes of a result
MEMORY_INTERVAL = 0.5  # seconds between two looks at its memory
GRACE = 5.0  # seconds to end when there are no more chunks
_MODULE = "bigtwo_sim.arena.runners.worker_process"
_RESULT, _RAISED, _FAILED = "result", "raised", "failed"
_READY, _MADE = "ready", "made"


class WorkerEnded(Exception):  # noqa: N818 - what became of it
    """A worker process that cannot go on; the text goes on from "a worker process …"."""


class WorkerProcess:
    """A worker process. Raises WorkerEnded where it cannot be started, AgentError and RunError as `Playable.player`.

    `apart`: it keeps each Python agent in a process of its own, so that no code of an agent runs in it.
    """

    def __init__(self, plan: Playable, packed: bytes, apart: bool) -> None:
        self.apart = apart
        first = preparation(packed)
        try:
            self._process = forked(f"{_MODULE}:main", [_MODULE], is_worker=True)
            self._process.longest = LONGEST
            self._process.memory_interval = MEMORY_INTERVAL
            self._process.write(first)
            self._process.write(json.dumps({"apart": apart, "plan": base64.b64encode(packed).decode()}))
            self._answer(COMPILING, _READY)
            if not apart:
                self._process.limit_memory(DEFAULT_MEMORY, beyond_present=True)
            self._answer(Limits().start_time * (1 + len(plan.agents)), _MADE)
        except ProcessFault as fault:
            raise WorkerEnded(fault.reason) from None

    def play(self, chunk: Chunk) -> ChunkResult:
        """Play a chunk. Raises WorkerEnded, and what the plan's player raises."""
        try:
            self._process.write(_line(chunk))
            result: ChunkResult = self._answer(None, _RESULT)
            return result
        except ProcessFault as fault:
            raise WorkerEnded(fault.reason) from None

    def _answer(self, seconds: float | None, wanted: str) -> Any:
        line = self._process.read(seconds, f"was not ready within {seconds} s")
        try:
            kind, value = pickle.loads(base64.b64decode(line))
        except Exception as error:
            self._process.kill()
            raise WorkerEnded(f"wrote what is not an answer ({one_line(error)})") from None
        if kind == wanted:
            return value
        self._process.kill()
        if kind == _RAISED:
            raise value
        raise WorkerEnded(f"failed: {value}")

    def end_now(self) -> None:
        """Kill it from any thread; who waits for its answer finds that it has ended."""
        with contextlib.suppress(OSError):
            os.killpg(self._process.pid, signal.SIGKILL)

    def close(self) -> None:
        """Let it close its agents, and end."""
        self._process.close(GRACE)


def _line(value: Any) -> str:
    return base64.b64encode(pickle.dumps(value)).decode()


# --- in the process ---------------------------------------------------------------------------------------------------
def main() -> None:
    """Play the chunks that the standard input names."""
    requests, say = own_streams()
    prepare(requests.readline())
    request = json.loads(requests.readline())
    player: PlaysChunks | None = None

    def made() -> PlaysChunks:
        plan: Any = unpack(base64.b64decode(request["plan"]))
        with contextlib.suppress(AttributeError):  # a plan of matches has no game
            _ = plan.game
        say(_line((_READY, None)))
        return player_of(plan, request["apart"])

    try:
        player = made()
        say(_line((_MADE, None)))
        for line in requests:
            say(_line((_RESULT, player.play(pickle.loads(base64.b64decode(line))))))
    except (AgentFault, AgentError, RunError) as error:
        say(_line((_RAISED, error)))
    except BaseException as error:
        say(_line((_FAILED, one_line(error))))
    if player is not None:
        player.close()
