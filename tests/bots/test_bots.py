"""Bots in other languages play like any agent, and whatever they do wrong forfeits the decision and nothing more."""

import contextlib
import os
import pickle
import re
import shutil
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from bigtwo_sim.bots import remote
from bigtwo_sim.bots.isolation import BOT_MOVE_TIME, Bot, isolated, try_out
from bigtwo_sim.bots.process import Limits
from bigtwo_sim.bots.remote import RemoteFault
from bigtwo_sim.core.rng import root_key
from bigtwo_sim.games.big_two import AgentError, CardSet, Fault, PythonAgent, PythonLoop, Rules, View
from bigtwo_sim.roster.spec import parse_agent
from tests import ROOT
from tests.bots.processes import HASTY, PATIENT, decisions, misbehaving, pid_of, weakest
from tests.tools.waiting import PATIENCE, has_ended, is_gone, wait_for

pytestmark = pytest.mark.process

KEY = root_key(31)
IN_ORDER = np.arange(4)[None]
RANDOM, GREEDY = parse_agent("random"), parse_agent("greedy")
SAMPLES = ROOT / "examples" / "bots"
NEEDS_NODE = pytest.mark.skipif(shutil.which("node") is None, reason="there is no Node.js on this machine")


class Sample:
    """The sample bots once more, as an agent of this process."""

    def choose(self, view: View) -> CardSet:
        plays = view.legal_plays
        if view.play_to_beat is None:
            with_weakest = [play for play in plays if next(iter(view.hand)) <= play.cards]
            return max(with_weakest or plays, key=lambda play: play.size).cards
        others = [left for seat, left in enumerate(view.left) if seat != view.seat]
        for play in plays:
            if min(others) <= 3 or len(view.hand) <= 5 or "2" not in str(play.cards):
                return play.cards
        return CardSet(0, view.rules.deck) if view.may_pass else plays[0].cards


@pytest.mark.parametrize("preset", ["singapore", "taiwan", "charlesworth"])
@pytest.mark.parametrize("name", ["sample_bot.py", pytest.param("sample_bot.js", marks=NEEDS_NODE)])
def test_the_samples_play_without_a_fault_and_as_they_are_meant_to(name: str, preset: str) -> None:
    rules = Rules.from_dict({"preset": preset})
    bot: Any = parse_agent(f"sample=exec:{SAMPLES / name}")
    bot = isolated(bot, PATIENT)
    loop = PythonLoop([bot, RANDOM, GREEDY, RANDOM], rules, strict=True)
    twin = PythonLoop([PythonAgent("sample", Sample), RANDOM, GREEDY, RANDOM], rules)
    with contextlib.closing(loop):
        found = loop.play_blocks(KEY, 0, 5, IN_ORDER)
    assert found.tobytes() == twin.play_blocks(KEY, 0, 5, IN_ORDER).tobytes()


# --- one thing wrong --------------------------------------------------------------------------------------------------
KILLED = [
    ("late", HASTY, "answered later than 1 s$"),
    ("half", HASTY, """answered later than 1 s; it wrote '{"type": "play", ' without the end of a line"""),
    ("unflushed", HASTY, "answered later than 1 s$"),
    ("garbage", PATIENT, "wrote 'I play the 3 of diamonds', which is no JSON"),
    ("bytes", PATIENT, "which is no JSON"),
    ("deep", PATIENT, "which is no JSON"),
    ("number", PATIENT, """wrote '3', which is no JSON object with a "type\""""),
    ("no-type", PATIENT, """which is no JSON object with a "type\""""),
    ("other-type", PATIENT, """answered with the type 'move'; it must be "play" or "pass\""""),
    ("flood", PATIENT, "wrote a line of more than 65,536 bytes"),
    ("exit", PATIENT, "ended its process with exit code 3$"),
    (
        "exit-with-words",
        PATIENT,
        "exit code 3; the last that it wrote to its standard error: 'no such weights: big.npz'",
    ),
    ("half-and-gone", PATIENT, "exit code 0 after it wrote .* without the end of a line"),
    ("raise", PATIENT, "exit code 1; the last .*: 'IndexError: list index out of range'"),
    ("segfault", PATIENT, r"had its process ended by signal 11 \(SIGSEGV\)"),
    ("killed", PATIENT, r"had its process ended by signal 9 \(SIGKILL\), perhaps by the system for lack of memory"),
    ("child-left-behind", PATIENT, "ended its process with exit code 5"),
    ("closed-output", PATIENT, "closed its standard output"),
]
GOES_ON = [
    ("unknown-card", "answered with the card '1X'; a card is one rank and one suit"),
    ("two-in-one", "answered with the card '3D3C'; a card is one rank and one suit"),
    ("twice-one-card", "answered with the card 3D twice"),
    ("no-cards", 'answered "play" with no cards; "cards" must be a list of texts'),
    ("empty-play", r"""answered "play" with an empty list of cards; to pass is {"type": "pass"}"""),
    ("cards-as-text", """answered "play" with '3D' as cards"""),
    ("error", "gave up: the weights are missing"),
]


@pytest.mark.usefixtures("slow_clock")
@pytest.mark.parametrize(("how", "limits", "reason"), KILLED, ids=[case[0] for case in KILLED])
def test_a_process_that_cannot_be_trusted_is_ended_and_the_next_one_plays_on(
    how: str, limits: Limits, reason: str
) -> None:
    made: Any = misbehaving(how, limits, when=2).make()
    first, second, third = decisions(3)
    assert made.choose(first) == weakest(first)
    pid = pid_of(made)
    with pytest.raises(RemoteFault, match=reason):
        made.choose(second)
    assert is_gone(pid)
    assert made.choose(third) == weakest(third)
    last = pid_of(made)
    made.close()
    assert is_gone(last)


@pytest.mark.parametrize(("how", "reason"), GOES_ON, ids=[case[0] for case in GOES_ON])
def test_an_answer_that_is_no_play_does_not_end_the_process(how: str, reason: str) -> None:
    made: Any = misbehaving(how, when=2).make()
    first, second, third = decisions(3)
    made.choose(first)
    pid = pid_of(made)
    for view in (second, third):
        with pytest.raises(RemoteFault, match=reason):
            made.choose(view)
    assert pid_of(made) == pid
    made.close()
    assert is_gone(pid)


@pytest.mark.parametrize("how", ["twice", "prints", "chatty"])
def test_what_is_written_unasked_is_told(how: str) -> None:
    made: Any = misbehaving(how).make()
    first, second = decisions(2)
    if how == "prints":
        with pytest.raises(RemoteFault, match="wrote 'hello, world', which is no JSON"):
            made.choose(first)
    elif how == "twice":
        assert made.choose(first) == weakest(first)
        wait_for("the second answer", made.process.unasked)
        with pytest.raises(RemoteFault, match=r"wrote .* when it was not asked"):
            made.choose(second)
    elif how == "chatty":
        made.new_deal(first)
        with pytest.raises(RemoteFault, match=r"'ok'; it must be|wrote .* when it was not asked"):
            made.choose(first)
    made.close()


@pytest.mark.usefixtures("slow_clock")
@pytest.mark.parametrize(
    ("how", "reason"),
    [
        ("gone", "ended its process with exit code 1; the last that it wrote to its standard error: 'nothing to do'"),
        ("other-protocol", "speaks protocol 2; this engine speaks 1"),
        ("text-protocol", """says hello with '1' as its "protocol"; it must be the number 1"""),
        ("other-hello", """answered hello with the type 'hi'; it must be "hello\""""),
        ("mute", "did not answer hello within 0.5 s"),
    ],
)
def test_a_start_that_fails_is_tried_again_and_not_for_ever(how: str, reason: str) -> None:
    agent = misbehaving(how, Limits(move_time=60, start_time=0.5 if how == "mute" else PATIENCE))
    with pytest.raises(AgentError, match=f"{how}: it {reason}"):
        try_out(agent)
    made: Any = agent.make()
    started = []
    start = made._start
    made._start = lambda: started.append(start()) or started[-1]
    (view,) = decisions(1)
    for attempt in range(5):
        again = attempt < remote.FAILED_STARTS
        expected = reason if again else f"is not asked any more: 3 starts in a row failed; at last, it {reason}"
        with pytest.raises(RemoteFault, match=f"^{expected}"):
            made.choose(view)
    assert len(started) == remote.FAILED_STARTS
    assert all(is_gone(process.pid) for process in started)


@pytest.mark.usefixtures("slow_clock")
def test_a_bot_that_never_answers_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(remote, "BARREN", 4)
    made: Any = misbehaving("exit").make()
    (view,) = decisions(1)
    for _ in range(remote.BARREN):
        with pytest.raises(RemoteFault, match=r"^ended its process with exit code 3"):
            made.choose(view)
    for _ in range(3):
        with pytest.raises(
            RemoteFault, match="not asked any more: 4 of its processes in a row ended without one answer"
        ):
            made.choose(view)


def test_what_eats_memory_is_ended() -> None:
    made: Any = misbehaving("hungry", Limits(PATIENCE, 100_000_000, PATIENCE), when=2).make()
    first, second, third = decisions(3)
    made.choose(first)
    pid = pid_of(made)
    with pytest.raises(RemoteFault, match="used more than 100 MB of memory"):
        made.choose(second)
    assert is_gone(pid)
    assert made.choose(third) == weakest(third)
    made.close()


@pytest.mark.usefixtures("slow_clock")
def test_a_bot_that_ends_after_a_deal_is_told() -> None:
    made: Any = misbehaving("one-deal").make()
    loop = PythonLoop([PythonAgent("one deal", lambda: made), RANDOM, GREEDY, RANDOM], Rules())
    loop.play_deal(KEY, 0)
    assert not loop.faults
    assert is_gone(pid_of(made))
    loop.play_deal(KEY, 1)
    (fault,) = loop.faults
    assert (fault.moment, fault.reason) == ("decision", "ended its process with exit code 0")
    made.close()


@pytest.mark.usefixtures("slow_clock")
def test_a_bot_that_stops_reading_is_told() -> None:
    made: Any = misbehaving("closed-input").make()
    first, second = decisions(2)
    assert made.choose(first) == weakest(first)
    with pytest.raises(RemoteFault, match="closed its standard input"):
        made.choose(second)
    made.close()


def test_much_on_the_standard_error_is_no_fault() -> None:
    made: Any = misbehaving("noise").make()
    for view in decisions(30):
        assert made.choose(view) == weakest(view)
    assert made.process.stderr.endswith("thinking")
    assert len(made.process.stderr) <= 4096
    made.close()


@pytest.mark.usefixtures("slow_clock")
def test_a_bot_that_does_not_end_is_ended() -> None:
    (view,) = decisions(1)
    for how, by_itself in (("fine", True), ("lingering", False)):
        made: Any = misbehaving(how).make()
        made.choose(view)
        pid = pid_of(made)
        assert made.close() is by_itself
        assert is_gone(pid)
        assert made.close()


def test_ctrl_c_in_the_terminal_does_not_reach_a_bot() -> None:
    made: Any = misbehaving("fine").make()
    made.start()
    assert os.getsid(pid_of(made)) == os.getpgid(pid_of(made)) == pid_of(made)
    made.close()


def test_a_bot_that_nobody_closes_ends_with_its_agent() -> None:
    made: Any = misbehaving("fine").make()
    made.start()
    pid = pid_of(made)
    del made
    assert is_gone(pid)


ENGINE = """
import sys, time
sys.path.insert(0, {tests!r})
from tests.bots.processes import decisions, misbehaving
made = misbehaving({how!r}).make()
made.start()
print(made.process.pid, flush=True)
made.choose(decisions(1)[0])
"""


@pytest.mark.compiled  # it is the same interpreted, and slow to start
def test_a_bot_that_hangs_does_not_outlive_an_engine_that_is_killed() -> None:
    program = ENGINE.format(tests=str(ROOT), how="late")
    with subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True) as engine:
        assert engine.stdout
        bot = int(engine.stdout.readline())
        assert not has_ended(bot)
        engine.send_signal(signal.SIGKILL)
    assert is_gone(bot)


# --- at the table -----------------------------------------------------------------------------------------------------
class EveryOther:
    """What is made of a bot whose every second decision is forfeited, and which lays its weakest play on the others."""

    def __init__(self) -> None:
        self.asked = 0

    def choose(self, view: View) -> CardSet:
        self.asked += 1
        return CardSet(0, view.rules.deck) if self.asked % 2 == 0 and view.may_pass else weakest(view)


@pytest.mark.usefixtures("slow_clock")
@pytest.mark.parametrize("how", ["garbage", "exit", "flood"])
def test_the_results_of_the_others_stand(how: str, tmp_path: Path) -> None:
    loop = PythonLoop([RANDOM, misbehaving(how, when=2), GREEDY, RANDOM], Rules())
    same = PythonLoop([RANDOM, PythonAgent("every other", EveryOther), GREEDY, RANDOM], Rules())
    with contextlib.closing(loop):
        found = loop.play_blocks(KEY, 0, 2, IN_ORDER)
    expected = same.play_blocks(KEY, 0, 2, IN_ORDER)
    for name in ("winner", "left", "points", "decisions"):
        assert np.array_equal(found[name], expected[name])
    assert found["forfeits"].sum(axis=(0, 1)).tolist() == [0, found["decisions"][..., 1].sum() // 2, 0, 0]
    (fault,) = loop.faults
    fault.save(tmp_path / "fault.json")
    again = Fault.load(tmp_path / "fault.json").ask(misbehaving(how))
    assert again == fault.reason


@pytest.mark.parametrize(
    ("how", "reason"),
    [
        ("illegal", r"answered 3D 4D: seat \d does not hold|answered 3D 4D: 3D 4D is no play"),
        ("pass-always", r"answered a pass: seat \d may not pass: a player who leads must play"),
    ],
)
def test_illegal_plays_are_told_as_those_of_any_agent(how: str, reason: str) -> None:
    loop = PythonLoop([misbehaving(how)] * 4, Rules())
    with contextlib.closing(loop):
        result = loop.play_deal(KEY, 0)
    assert result["forfeits"].sum() > 0
    (fault,) = loop.faults
    assert re.match(reason, fault.reason)
    assert fault.ask(misbehaving(how)) == fault.reason


# --- the text ---------------------------------------------------------------------------------------------------------
def test_a_program_is_named_with_its_arguments(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    program = tmp_path / "my bot"
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    agent: Any = parse_agent("mine=exec:'./my bot' --depth=3,4 a:b=c \"d e\"")
    assert agent.name == "mine"
    assert agent.factory.command == ["./my bot", "--depth=3,4", "a:b=c", "d e"]
    assert str(agent.factory) == "exec:'./my bot' --depth=3,4 a:b=c \"d e\""
    assert agent.factory.limits == Limits(move_time=BOT_MOVE_TIME)
    assert pickle.loads(pickle.dumps(agent)) == agent
    unnamed = parse_agent(f"exec:{sys.executable} bot.py --level=2")
    assert unnamed.name == f"exec:{sys.executable} bot.py --level=2"


def test_limits_replace_those_of_a_bot() -> None:
    agent: Any = parse_agent("mine=exec:sh")
    assert isinstance(agent.factory, Bot)
    assert isolated(agent, Limits(move_time=2, memory=3)).factory.limits == Limits(move_time=2, memory=3)  # type: ignore[attr-defined]
    assert isolated(agent, Limits(memory=3)).factory.limits == Limits(BOT_MOVE_TIME, 3)  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("exec:", "exec: names no program"),
        ("mine=exec:  ", "exec: names no program"),
        ("exec:'./bot", "exec:'./bot is no command line: no closing quotation"),
        ("exec:no-such-program --x", "there is no program 'no-such-program', neither built in nor on the PATH"),
        ("exec:plain.py", "on the PATH; for the file in the current folder write exec:./plain.py"),
        ("exec:./none", "there is no program './none'; it is looked for from the current folder"),
        ("exec:./", "./ is a folder"),
        ("exec:./plain.py", "not marked as a program; chmod [+]x ./plain.py does that, or .* exec:python3 ./plain.py"),
    ],
)
def test_what_names_no_program_is_told(
    text: str, message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "plain.py").write_text("print()\n")
    with pytest.raises(AgentError, match=message):
        parse_agent(text)


def test_a_program_that_the_system_cannot_run_is_told(tmp_path: Path) -> None:
    for name, first_line in (("headless", "import json\n"), ("lost", "#!/no/such/interpreter\n")):
        (tmp_path / name).write_text(first_line)
        (tmp_path / name).chmod(0o755)
        with pytest.raises(AgentError, match=f"{name}: it cannot be started: (Exec format error|No such file)"):
            try_out(parse_agent(f"{name}=exec:{tmp_path / name}"))


def test_limits_must_be_more_than_nothing() -> None:
    with pytest.raises(ValueError, match="move_time is 0; it must be more than 0"):
        Limits(move_time=0)
    with pytest.raises(ValueError, match="memory is -1; it must be more than 0"):
        Limits(memory=-1)
