"""A Python agent in a process of its own plays as it plays here, and its faults stay there."""

import os
import pickle
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import remote_agents
from python_agents import Cheating, Leaving, Raising, RaisingWordless, Uncertain, Weakest
from remote_agents import Remembering

from bigtwo_sim.bots import process as supervised
from bigtwo_sim.bots.isolation import isolated, try_out
from bigtwo_sim.bots.process import Limits
from bigtwo_sim.bots.remote import RemoteFault
from bigtwo_sim.core.rng import root_key
from bigtwo_sim.games.big_two import PRESETS, AgentError, CardSet, DealResult, PythonAgent, PythonLoop, Rules, View
from bigtwo_sim.roster.spec import parse_agent
from tests import ROOT
from tests.bots.processes import HASTY, PATIENT, asked, decisions, pid_of, weakest
from tests.conftest import INTERPRETED
from tests.tools.waiting import PATIENCE, is_gone

pytestmark = pytest.mark.process

KEY = root_key(41)
RANDOM, GREEDY = parse_agent("random"), parse_agent("greedy")
IN_ORDER = np.arange(4)[None]


def made_of(factory: Any, limits: Limits = PATIENT) -> Any:
    return isolated(PythonAgent(factory.__name__, factory), limits).make()


def seated(made: Any) -> PythonAgent:
    """An object as an agent; the same one wherever it is seated."""
    return PythonAgent(type(made).__name__, lambda: made)


def test_an_honest_agent_plays_as_it_plays_here() -> None:
    """The same objects play under all rules, so that what an agent remembers goes on from rules to rules, too."""
    kinds: list[Any] = [Remembering, Uncertain]
    tables = [[made_of(kind) for kind in kinds], [kind() for kind in kinds]]
    for rules in list(PRESETS.values())[:: 4 if INTERPRETED else 1]:
        results = []
        for table in tables:
            loop = PythonLoop([*map(seated, table), RANDOM, GREEDY], rules)
            results.append(loop.play_blocks(KEY, 0, 2, IN_ORDER))
            assert loop.faults == ()
        assert results[0].tobytes() == results[1].tobytes()
    for made in tables[0]:
        made.close()


class Failing:
    """Fails at every moment, and in a new way on each turn."""

    def __init__(self) -> None:
        self.asked = 0

    def new_deal(self, view: View) -> None:
        raise LookupError(f"seat {view.seat}")

    def choose(self, view: View) -> CardSet:
        self.asked += 1
        ways: list[Any] = [Raising, Cheating, Leaving, remote_agents.WrongType, remote_agents.WrongDeck]
        ways += [remote_agents.Greedy, Weakest, RaisingWordless]
        cards: CardSet = ways[self.asked % len(ways)]().choose(view)
        return cards

    def end_deal(self, result: DealResult) -> None:
        raise KeyError(result.winner)


def test_faults_are_told_in_the_same_words_as_here() -> None:
    made = made_of(Failing)
    told = []
    for failing in (made, Failing()):
        loop = PythonLoop([seated(failing), RANDOM, GREEDY, RANDOM], Rules())
        faults: list[Any] = []
        loop._note = lambda seat, why, seed, moment="decision", faults=faults: faults.append(
            (seat, why(), seed, moment)
        )  # type: ignore[method-assign,misc]
        told.append((loop.play_blocks(KEY, 0, 2, IN_ORDER).tobytes(), faults))
    made.close()
    assert told[0] == told[1]
    assert {moment for *_, moment in told[0][1]} == {"new_deal", "decision", "end_deal"}
    assert len({why for _, why, *_ in told[0][1]}) >= 8


@pytest.mark.parametrize(
    ("kind", "limits", "reason"),
    [
        (remote_agents.Hungry, Limits(memory=100_000_000, start_time=PATIENCE), "^used more than 100 MB of memory$"),
        (remote_agents.Exiting, PATIENT, "^ended its process with exit code 7$"),
    ],
)
def test_what_would_end_a_run_here_forfeits_a_decision(
    kind: Any, limits: Limits, reason: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(supervised, "DEPARTURE", PATIENCE)
    made = made_of(kind, limits)
    (view,) = decisions(1)
    made.start()
    pid = pid_of(made)
    with pytest.raises(RemoteFault, match=reason):
        made.choose(view)
    assert is_gone(pid)
    made.close()


def test_a_new_process_is_told_of_the_deal_that_is_on() -> None:
    made = made_of(remote_agents.LateOnce)
    heard = list(asked(2))
    late = [view for view in heard if view.legal_plays and len(view.hand) == 13 and view.play_to_beat is not None]
    reasons = []
    for view in heard:
        if not view.legal_plays:
            made.new_deal(view)
            continue
        made.limits = HASTY if any(view is other for other in late) else PATIENT
        try:
            assert made.choose(view) == weakest(view)
        except RemoteFault as fault:
            reasons.append(fault.reason)
    made.close()
    assert len(late) < len([view for view in heard if view.legal_plays])
    assert reasons == ["answered later than 1 s"] * len(late)
    assert late


@pytest.mark.parametrize(
    ("kind", "limits", "message"),
    [
        (remote_agents.NeverReady, Limits(start_time=0.01), "NeverReady: it did not start within 0.01 s"),
        (
            remote_agents.BadStart,
            PATIENT,
            "cannot be started: BadStart: its factory raised LookupError: the weights are",
        ),
    ],
)
def test_an_agent_that_cannot_be_made_there_is_told(kind: Any, limits: Limits, message: str) -> None:
    with pytest.raises(AgentError, match=message):
        try_out(isolated(PythonAgent(kind.__name__, kind), limits))


def test_an_agent_that_cannot_travel_is_told() -> None:
    with pytest.raises(AgentError, match=r"mine: it cannot be sent to a process of its own .*; define it in a module"):
        isolated(PythonAgent("mine", lambda: Weakest()), PATIENT).make()


def test_what_an_agent_prints_is_no_answer(capfd: pytest.CaptureFixture[str]) -> None:
    made = made_of(remote_agents.Noisy)
    (view,) = decisions(1)
    assert made.choose(view) == weakest(view)
    made.close()
    out, err = capfd.readouterr()
    assert out == ""
    assert "thinking aloud" in err
    assert "even louder" in err


def test_limits_can_be_changed() -> None:
    agent: Any = parse_agent("mine=python_agents:Weakest")
    apart: Any = isolated(agent, HASTY)
    assert (apart.name, str(apart.factory)) == ("mine", "python_agents:Weakest")
    assert pickle.loads(pickle.dumps(apart)) == apart
    assert isolated(apart, PATIENT) == isolated(agent, PATIENT)
    try_out(GREEDY)
    try_out(agent)


SCRIPT = """
import sys
sys.path.insert(0, {tests!r})
from tests import ROOT
from tests.bots.processes import decisions
from bigtwo_sim.bots.isolation import isolated
from bigtwo_sim.bots.process import Limits
from bigtwo_sim.games.big_two import AgentError, PythonAgent


class Mine:
    def choose(self, view):
        return view.legal_plays[0].cards


{guard}
    print("once", flush=True)
    made = isolated(PythonAgent("mine", Mine), Limits()).make()
    print(made.choose(decisions(1)[0]), flush=True)
    made.close()
"""


@pytest.mark.slow
@pytest.mark.compiled  # it is the same interpreted
@pytest.mark.parametrize("guard", ['if __name__ == "__main__":', "if True:"])
def test_an_agent_of_the_main_program_is_found_by_its_process(guard: str, tmp_path: Path) -> None:
    path = tmp_path / "script.py"
    path.write_text(SCRIPT.format(tests=str(ROOT), guard=guard))
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run([sys.executable, str(path)], capture_output=True, text=True, env=environment, check=False)
    if "__main__" in guard:
        assert done.stdout.split() == ["once", str(weakest(decisions(1)[0]))], done.stderr
    else:
        assert done.stdout == "once\n"
        assert "RemoteFault" in done.stderr


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="only Linux can refuse memory to a process this way")
def test_memory_can_be_refused_to_a_process() -> None:
    program = (
        "from bigtwo_sim.bots.memory import refuse_memory\n"
        "before = bytearray(50_000_000)\n"
        "print(refuse_memory(100_000_000))\n"
        "within = bytearray(50_000_000)\n"
        "try:\n"
        "    beyond = bytearray(200_000_000)\n"
        "except MemoryError:\n"
        "    print('refused')\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["True", "refused"]
