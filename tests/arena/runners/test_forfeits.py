"""An agent at fault forfeits its decision and nothing else, in both loops alike."""

import contextlib
import pickle
import signal
from typing import Any

import numpy as np
import pytest
from python_agents import Cheating, Leaving, Raising, RaisingWordless, Uncertain, Weakest

from bigtwo_sim.arena import seatings
from bigtwo_sim.core.rng import root_key
from bigtwo_sim.games.big_two import (
    AgentFault,
    CardSet,
    Deal,
    DealResult,
    Method,
    PolicyAgent,
    PythonAgent,
    PythonLoop,
    Rules,
    View,
    play_blocks,
    policy,
)
from bigtwo_sim.games.big_two.conformance import CHECKED_RULES
from bigtwo_sim.roster.methods import method
from tests.conftest import INTERPRETED

KEY = root_key(11)
IN_ORDER = np.arange(4)[None]
RANDOM, GREEDY = (PolicyAgent(name, method(name), method(name).params()) for name in ("random", "greedy"))
BLOCKS = 2 if INTERPRETED else 20


class Passing:
    """Passes where it may, else lays its weakest play: what is done for an agent that forfeits."""

    def choose(self, view: View) -> CardSet:
        return CardSet(0, view.rules.deck) if view.may_pass else view.legal_plays[0].cards


class Endless:
    def choose(self, view: View) -> CardSet:
        return self.choose(view)


class Insatiable:
    def choose(self, view: View) -> CardSet:
        raise MemoryError


class Unlike(BaseException):
    """An exception that is no Exception."""


class RaisingUnlike:
    def choose(self, view: View) -> CardSet:
        raise Unlike("anything")


class Sudden:
    """Answers with its index out of range where the first policy of `policies` does."""

    def choose(self, view: View) -> Any:
        return None if len(view.hand) % 3 == 0 else view.legal_plays[0].cards


@policy
def beyond(hand, public, plays, strengths, count, params, stream):  # type: ignore[no-untyped-def]
    return count + 1


@policy
def before(hand, public, plays, strengths, count, params, stream):  # type: ignore[no-untyped-def]
    return -1


@policy
def sometimes(hand, public, plays, strengths, count, params, stream):  # type: ignore[no-untyped-def]
    if public.left[public.turn] % 3 == 0:
        return count if public.may_pass == 0 else -(2**60)
    return 0


def of(function: Any) -> PolicyAgent:
    made = Method(function.__name__, function)
    return PolicyAgent(made.name, made, made.params())


@pytest.mark.parametrize("rules", CHECKED_RULES, ids=lambda rules: rules.name)
@pytest.mark.parametrize("function", [beyond, before, sometimes], ids=lambda function: function.__name__)
def test_a_policy_out_of_range_forfeits_in_both_loops_alike(function: Any, rules: Rules) -> None:
    line_up: Any = (of(function), RANDOM, of(function), GREEDY)
    found = seatings("ABAC")[:3]
    compiled = play_blocks(line_up, rules, KEY, 0, BLOCKS, found)
    in_python = PythonLoop(line_up, rules).play_blocks(KEY, 0, BLOCKS, found)
    for name in compiled.dtype.names:
        assert np.array_equal(compiled[name], in_python[name]), name
    faulty = np.isin(found, (0, 2))
    assert (compiled["forfeits"] > 0)[:, faulty].any()
    assert (compiled["forfeits"] <= compiled["decisions"]).all()
    assert not compiled["forfeits"][:, ~faulty].any()
    if function is not sometimes:
        assert np.array_equal(compiled["forfeits"][:, faulty], compiled["decisions"][:, faulty])


@pytest.mark.parametrize("rules", CHECKED_RULES, ids=lambda rules: rules.name)
@pytest.mark.parametrize(
    "faulty",
    [Raising, Cheating, Leaving, RaisingWordless, Insatiable, RaisingUnlike, Endless],
    ids=lambda c: c.__name__,
)
def test_a_forfeit_is_a_pass_or_the_weakest_play_and_the_others_play_on(faulty: Any, rules: Rules) -> None:
    blocks = 1 if faulty is Endless or INTERPRETED else 5
    others = (RANDOM, PythonAgent("uncertain", Uncertain), GREEDY)
    loop = PythonLoop((PythonAgent("faulty", faulty), *others), rules)
    found = loop.play_blocks(KEY, 0, blocks, IN_ORDER)
    passing = PythonLoop((PythonAgent("passing", Passing), *others), rules).play_blocks(KEY, 0, blocks, IN_ORDER)
    for name in ("winner", "left", "points", "decisions"):
        assert np.array_equal(found[name], passing[name]), name
    assert found["forfeits"].tolist() == [[[int(row[0]), 0, 0, 0] for row in block] for block in found["decisions"]]
    assert [fault.agent for fault in loop.take_faults()] == ["faulty"]


def test_only_the_decisions_at_fault_are_forfeited() -> None:
    python = PythonLoop((PythonAgent("sudden", Sudden), RANDOM, GREEDY, RANDOM), Rules())
    compiled: Any = (of(sometimes), RANDOM, GREEDY, RANDOM)
    found = python.play_blocks(KEY, 0, BLOCKS, IN_ORDER)
    assert found.tobytes() == play_blocks(compiled, Rules(), KEY, 0, BLOCKS, IN_ORDER).tobytes()
    assert 0 < found["forfeits"].sum() < found["decisions"][..., 0].sum()


class Interrupting:
    """Raises what Ctrl-C raises."""

    def choose(self, view: View) -> CardSet:
        raise KeyboardInterrupt


class Interrupted:
    """Has the user press Ctrl-C, and goes on as if nothing had been."""

    def choose(self, view: View) -> CardSet:
        with contextlib.suppress(KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)
        return view.legal_plays[0].cards


def test_an_exception_that_looks_like_ctrl_c_is_a_fault() -> None:
    loop = PythonLoop([PythonAgent("mine", Interrupting), RANDOM, GREEDY, RANDOM], Rules())
    result = loop.play_deal(KEY, 0)
    assert result["forfeits"].tolist() == [result["decisions"][0], 0, 0, 0]
    (fault,) = loop.faults
    assert fault.reason.startswith("raised KeyboardInterrupt (")


def test_ctrl_c_passes_through_an_agent_that_catches_it() -> None:
    before = signal.getsignal(signal.SIGINT)
    loop = PythonLoop([PythonAgent("mine", Interrupted)] * 4, Rules())
    with pytest.raises(KeyboardInterrupt):
        loop.play_deal(KEY, 0)
    assert loop.faults == ()
    assert signal.getsignal(signal.SIGINT) == before


def test_the_first_fault_of_each_agent_is_kept_until_it_is_taken() -> None:
    agents = [PythonAgent("raising", Raising), PythonAgent("cheating", Cheating), of(before), GREEDY]
    loop = PythonLoop(agents, Rules())
    loop.play_blocks(KEY, 0, 10, seatings("ABCD")[:4])
    taken = loop.take_faults()
    assert sorted((fault.agent, fault.deal_number) for fault in taken) == [
        ("before", 0),
        ("cheating", 0),
        ("raising", 0),
    ]
    assert loop.faults == ()
    loop.play_blocks(KEY, 10, 1, IN_ORDER)
    assert {fault.deal_number for fault in loop.faults} == {10}


def test_a_strict_loop_raises_the_fault() -> None:
    loop = PythonLoop([PythonAgent("mine", Raising), of(before), GREEDY, RANDOM], Rules(), strict=True)
    with pytest.raises(AgentFault, match=r"raised KeyError|answered -1, with") as caught:
        loop.play_deal(KEY, 0)
    error = pickle.loads(pickle.dumps(caught.value))
    assert str(error) == str(caught.value) == str(caught.value.fault)
    assert error.fault == caught.value.fault


@pytest.mark.parametrize(
    ("function", "reason"),
    [
        (beyond, r"answered \d+, with \d+ plays to choose from, and "),
        (before, "answered -1, with .*to choose from, and"),
    ],
)
def test_the_reason_of_a_policy_tells_its_range(function: Any, reason: str) -> None:
    with pytest.raises(AgentFault, match=reason):
        PythonLoop([of(function)] * 4, Rules(), strict=True).play_deal(KEY, 0)


class Vast:
    def __str__(self) -> str:
        return "x" * 10**6


class Speechless:
    def __str__(self) -> str:
        raise ValueError


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        (Vast(), f"answered {'x' * 60} (Vast), which is not a CardSet"),
        (Speechless(), "answered something without a text (Speechless), which is not a CardSet"),
    ],
    ids=["vast", "speechless"],
)
def test_no_answer_is_too_odd_to_be_told(answer: object, reason: str) -> None:
    class Odd:
        def choose(self, view: View) -> Any:
            return answer

    with pytest.raises(AgentFault) as caught:
        PythonLoop([PythonAgent("odd", Odd)] * 4, Rules(), strict=True).play_deal(KEY, 0)
    assert caught.value.reason == reason


# --- what an agent is told --------------------------------------------------------------------------------------------
class Told(Weakest):
    """Keeps what it is told, and what it is asked."""

    def __init__(self) -> None:
        self.heard: list[Any] = []

    def new_deal(self, view: View) -> None:
        self.heard.append(view)

    def choose(self, view: View) -> CardSet:
        self.heard.append("asked")
        return super().choose(view)

    def end_deal(self, result: DealResult) -> None:
        self.heard.append(result)

    def close(self) -> None:
        self.heard.append("closed")


def test_an_agent_is_told_of_each_deal_and_of_its_end() -> None:
    told = Told()
    loop = PythonLoop([RANDOM, PythonAgent("told", lambda: told), GREEDY, RANDOM], Rules())
    for number in range(3):
        told.heard.clear()
        result = loop.play_deal(KEY, number, [0, 2, 1, 3])
        begun, *asked, ended = told.heard
        assert asked == ["asked"] * int(result["decisions"][2])
        dealt = Deal.new(Rules(), 11, number)
        assert (begun.seat, begun.hand, begun.log, begun.left) == (2, dealt.dealt[2], (), (13, 13, 13, 13))
        assert (begun.legal_plays, begun.may_pass, begun.totals) == ((), False, (0, 0, 0, 0))
        assert begun.stream_seed == dealt.view(2).stream_seed - 1
        winner, left, points = int(result["winner"]), tuple(result["left"]), tuple(result["points"])
        assert ended == DealResult(2, winner, left, points, loop.log)
    loop.close()
    assert told.heard[-1] == "closed"


class Deaf(Weakest):
    """Fails when it is told anything."""

    def new_deal(self, view: View) -> None:
        raise ValueError("not now")

    def end_deal(self, result: DealResult) -> None:
        raise ValueError("already?")

    def close(self) -> None:
        raise SystemExit


class DeafAtTheEnd(Weakest):
    end_deal = Deaf.end_deal


@pytest.mark.parametrize(("deaf", "moment"), [(Deaf, "new_deal"), (DeafAtTheEnd, "end_deal")])
def test_who_fails_at_news_is_at_fault_and_forfeits_nothing(deaf: Any, moment: str) -> None:
    loop = PythonLoop([PythonAgent("deaf", deaf), RANDOM, GREEDY, RANDOM], Rules())
    same = PythonLoop([PythonAgent("deaf", Weakest), RANDOM, GREEDY, RANDOM], Rules())
    found = loop.play_blocks(KEY, 0, 3, IN_ORDER)
    assert found.tobytes() == same.play_blocks(KEY, 0, 3, IN_ORDER).tobytes()
    (fault,) = loop.faults
    assert (fault.agent, fault.moment, fault.deal_number) == ("deaf", moment, 0)
    loop.close()
    strict = PythonLoop([PythonAgent("deaf", deaf), RANDOM, GREEDY, RANDOM], Rules(), strict=True)
    with pytest.raises(AgentFault, match="raised ValueError"):
        strict.play_deal(KEY, 0)
