"""The record of a fault replays it, on this machine or from a file, and a damaged file is told."""

import json
import pickle
from pathlib import Path
from typing import Any

import pytest
from python_agents import Cheating, Counting, Raising, Weakest

from bigtwo_sim.arena import seatings
from bigtwo_sim.arena.runners.policy_faults import policy_faults
from bigtwo_sim.core.rng import below, root_key
from bigtwo_sim.games.big_two import (
    CardSet,
    Fault,
    FaultError,
    PolicyAgent,
    PythonAgent,
    PythonLoop,
    View,
    play_blocks,
    policy,
)
from bigtwo_sim.games.big_two.conformance import CHECKED_RULES
from bigtwo_sim.roster.methods import method
from tests.arena.runners.test_forfeits import Deaf, DeafAtTheEnd, of, sometimes
from tests.conftest import INTERPRETED

KEY = root_key(5)
RANDOM = PolicyAgent("random", method("random"), method("random").params())


class Lost:
    """Plays by its random stream until it is late in the deal, and then fails; keeps where it failed first."""

    def __init__(self) -> None:
        self.views: list[View] = []
        self.drawn: list[float] = []

    def choose(self, view: View) -> Any:
        drawn = view.random.random()
        if len(view.log) > 12 and len(view.legal_plays) > 1:
            self.views.append(view)
            self.drawn.append(drawn)
            raise LookupError("lost")
        return view.random.choice(view.legal_plays).cards


@policy
def drawing(hand, public, plays, strengths, count, params, stream):  # type: ignore[no-untyped-def]
    drawn = below(stream, 6)
    return drawn - 1 if drawn == 0 else min(drawn - 1, count - 1)


def first_fault(agent: Any, rules: Any, deals: int = 10) -> tuple[Fault, PythonLoop]:
    loop = PythonLoop([agent, RANDOM, RANDOM, RANDOM], rules)
    for number in range(deals):
        loop.play_deal(KEY, number, [3, 1, 0, 2])
        if loop.faults:
            return loop.take_faults()[0], loop
    raise AssertionError("no fault")


@pytest.mark.parametrize("rules", CHECKED_RULES, ids=lambda rules: rules.name)
def test_a_fault_has_the_view_and_the_draws_that_the_agent_had(rules: Any, tmp_path: Path) -> None:
    lost = Lost()
    fault, loop = first_fault(PythonAgent("mine", lambda: lost), rules)
    fault.save(tmp_path / "fault.json")
    for same in (fault, Fault.load(tmp_path / "fault.json"), pickle.loads(pickle.dumps(fault))):
        assert same == fault
        assert same.view() == same.deal().view() == lost.views[0]
        assert same.view().random.random() == lost.drawn[0]
        assert (same.agents, same.slots, same.seat) == (("random", "random", "mine", "random"), (3, 1, 0, 2), 2)
        assert same.deal().dealt == loop.dealt
    assert list(tmp_path.iterdir()) == [tmp_path / "fault.json"]


@pytest.mark.parametrize(
    "agent",
    [PythonAgent(made.__name__, made) for made in (Raising, Cheating, Deaf, DeafAtTheEnd)]
    + [of(sometimes), of(drawing)],
    ids=lambda agent: agent.name,
)
def test_asking_again_gives_the_same_fault(agent: Any, tmp_path: Path) -> None:
    for rules in CHECKED_RULES[:: 4 if INTERPRETED else 1]:
        fault, _ = first_fault(agent, rules)
        fault.save(tmp_path / "fault.json")
        assert Fault.load(tmp_path / "fault.json").ask(agent) == fault.reason
        assert fault.ask(RANDOM) is None
        assert fault.ask(PythonAgent("mended", Weakest)) is None


def test_what_an_agent_remembers_does_not_come_again() -> None:
    class Tiring(Counting):
        def choose(self, view: View) -> CardSet:
            if self.asked > 5:
                raise ValueError("tired")
            return super().choose(view)

    fault, _ = first_fault(PythonAgent("tiring", Tiring), CHECKED_RULES[0])
    assert fault.reason.startswith("raised ValueError: tired")
    assert fault.ask(PythonAgent("tiring", Tiring)) is None


def test_a_fault_at_the_end_of_a_deal_tells_how_it_ended() -> None:
    fault, loop = first_fault(PythonAgent("deaf", DeafAtTheEnd), CHECKED_RULES[0])
    assert fault.result().log == loop.log == fault.log
    assert fault.deal().is_over
    assert fault.view().legal_plays == ()


def test_the_faults_of_compiled_policies_are_found_in_their_results() -> None:
    line_up: Any = (of(sometimes), RANDOM, of(drawing), RANDOM)
    found = seatings("ABCB")
    rules = CHECKED_RULES[0]
    results = play_blocks(line_up, rules, KEY, 7, 5, found)
    faults = policy_faults(line_up, rules, KEY, 7, found, results)
    loop = PythonLoop(line_up, rules)
    loop.play_blocks(KEY, 7, 5, found)
    assert {fault.agent: fault for fault in faults} == {fault.agent: fault for fault in loop.faults}
    assert len(faults) == 2
    assert policy_faults((RANDOM,) * 4, rules, KEY, 7, found, play_blocks((RANDOM,) * 4, rules, KEY, 7, 1, found)) == ()


# --- damaged files ----------------------------------------------------------------------------------------------------
@pytest.fixture(scope="module")
def whole() -> dict[str, Any]:
    return first_fault(PythonAgent("mine", Lost), CHECKED_RULES[0])[0].to_dict()


DAMAGES: list[tuple[dict[str, Any], str]] = [
    ({"format": "run"}, "it is no fault: its format must be 'bigtwo fault'"),
    ({"version": 1}, "its version is 1; this program reads version 2"),
    ({"agent": None}, "its agent is None; it must be a text"),
    ({"moment": "lunch"}, "its moment is 'lunch'; it must be 'decision', 'new_deal' or 'end_deal'"),
    ({"seat": 4}, "its seat is 4; it must be a seat from 0 to 3"),
    ({"seat": True}, "its seat is True; it must be a whole number"),
    ({"deal": -1}, "its deal is -1; it must be at least 0"),
    ({"deal": 2**64}, f"its deal is {2**64}; it must be below {2**62}"),
    ({"stream_word": 3}, "its stream_word is 3; it must be a text"),
    ({"stream_word": "³"}, "its stream_word is '³'; it must be the text of a number from 0 to 18446744073709551615"),
    ({"stream_word": str(2**64)}, "it must be the text of a number from 0 to 18446744073709551615"),
    ({"agents": ["a", "b"]}, "its agents has 2 entries; it must have 4, one a seat"),
    ({"slots": [0, 1, 2, "3"]}, r"its slots\[3\] is '3'; it must be a whole number"),
    ({"totals": [0, 1, 2, 2**80]}, rf"its totals\[3\] is {2**80}; it must be below {2**62}"),
    ({"rules": {"flush": "red"}}, "flush is 'red'; it must be one of"),
    ({"rules": {"flush": 1}}, r"its rules\.flush is 1; it must be a text"),
    ({"dealt": ["3D", "3C", "3X", "4D"]}, "'3X' is no card"),
    ({"dealt": ["3D", "3C", "3D", "4D"]}, "its deal cannot be: 3D is in two hands"),
    ({"leader": "0"}, "its leader is '0'; it must be a whole number"),
    ({"log": [[0, ""]]}, "its deal cannot be: "),
    ({"log": [[0]]}, r"its log\[0\] is \[0\]; it must be of at least 2 entries"),
    ({"log": [["0", ""]]}, r"turn 0 of its log is \['0', ''\]; it must be \[seat, cards\]"),
    ({"log": {}}, "its log is {}; it must be a list"),
    ({"stream_seed": "1e3"}, "its stream_seed is '1e3'; it must be the text of a number"),
]


@pytest.mark.parametrize(("damage", "message"), DAMAGES, ids=[f"{number}" for number in range(len(DAMAGES))])
def test_a_damaged_file_is_told(damage: Any, message: str, whole: dict[str, Any], tmp_path: Path) -> None:
    path = tmp_path / "fault.json"
    path.write_text(json.dumps({**whole, **damage}), encoding="utf-8")
    with pytest.raises(FaultError, match=message) as caught:
        Fault.load(path)
    assert str(caught.value).startswith(f"{path}: ")


def test_what_is_missing_is_told(whole: dict[str, Any], tmp_path: Path) -> None:
    for name in whole:
        if name in ("engine_version", "leader"):
            continue
        with pytest.raises(FaultError, match=f"its {name} is|it is no fault"):
            Fault.from_dict({key: value for key, value in whole.items() if key != name})
    assert Fault.from_dict({**whole, "of a later version": 1}) == Fault.from_dict(whole)


def test_what_is_no_file_of_a_fault_is_told(tmp_path: Path) -> None:
    with pytest.raises(FaultError, match="cannot be read: No such file"):
        Fault.load(tmp_path / "none.json")
    for text, why in [
        (b"", "is not JSON"),
        (b"{", "is not JSON"),
        (b"[" * 100_000, "is not JSON"),
        ("\ud800".encode("utf-8", "surrogatepass"), "is not a text in UTF-8"),
    ]:
        (tmp_path / "no.json").write_bytes(text)
        with pytest.raises(FaultError, match=why):
            Fault.load(tmp_path / "no.json")


def test_every_truncation_is_told(whole: dict[str, Any], tmp_path: Path) -> None:
    text = json.dumps(whole)
    for length in range(0, len(text), 97):
        (tmp_path / "cut.json").write_text(text[:length], encoding="utf-8")
        with pytest.raises(FaultError):
            Fault.load(tmp_path / "cut.json")


def test_a_fault_that_cannot_be_written_leaves_nothing(whole: dict[str, Any], tmp_path: Path) -> None:
    (tmp_path / "taken").mkdir()
    with pytest.raises(OSError, match="taken"):
        Fault.from_dict(whole).save(tmp_path / "taken")
    assert list(tmp_path.iterdir()) == [tmp_path / "taken"]
