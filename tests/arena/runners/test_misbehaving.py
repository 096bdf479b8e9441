"""Whatever a Python agent does forfeits its decision at most: it is counted, named, and the others play on."""

import json
import re
from dataclasses import replace
from functools import partial
from typing import Any

import misbehaving
import numpy as np
import pytest
from misbehaving import ALL, ALL_CASES, HARMLESS_HERE, LETHAL, Case, Factory, honest

from bigtwo_sim.arena import Plan, play_chunks, run
from bigtwo_sim.bots import process as supervised
from bigtwo_sim.bots.isolation import isolated, try_out
from bigtwo_sim.bots.process import Limits
from bigtwo_sim.core.rng import root_key
from bigtwo_sim.games import big_three, big_two
from bigtwo_sim.games.base.python_agent import AgentError, PythonAgent
from bigtwo_sim.games.registry import BIG_THREE, BIG_TWO
from bigtwo_sim.roster.spec import parse_agent
from tests.bots.processes import PATIENT

KEY = root_key(7)
PACKAGES: dict[str, Any] = {BIG_TWO: big_two, BIG_THREE: big_three}
GREEDY = {game: parse_agent("greedy", game) for game in PACKAGES}
DEALS = {
    BIG_TWO: 3,
    BIG_THREE: next(i for i in range(99) if big_three.Deal.numbered(big_three.Rules(), KEY, i).turn == 0),
}
"""Numbers of deals; in that of Big Three the first seat bids first."""


def sweep(name: str) -> Any:
    return pytest.param(name, marks=pytest.mark.sweep)


FIGURES = ("winner", "left", "points", "decisions")


class Passing:
    """Does what is done for an agent that forfeits."""

    def choose(self, view: Any) -> Any:
        if getattr(view, "in_auction", False):
            return 0
        return big_two.CardSet(0, view.rules.deck) if view.may_pass else view.legal_plays[0].cards


class Honest:
    def choose(self, view: Any) -> Any:
        return honest(view)


def played(agent: PythonAgent, game: str) -> tuple[Any, Any, tuple[Any, ...]]:
    """One deal with the agent in the first seat: the result, its faults, and what `close` says."""
    package = PACKAGES[game]
    rules = package.Rules()
    loop = package.PythonLoop([agent, *[GREEDY[game]] * (rules.players - 1)], rules)
    found = loop.play_blocks(KEY, DEALS[game], 1, np.arange(rules.players)[None])
    loop.close()
    return found, loop.take_faults(), rules


@pytest.fixture(scope="module")
def twins() -> dict[tuple[str, str], Any]:
    """The same deal as it goes for an agent that forfeits all its decisions, and for one that forfeits none."""
    kinds = {misbehaving.ALL: Passing, misbehaving.NONE: Honest}
    return {
        (game, forfeits): played(PythonAgent("odd", kind), game)[0]
        for game in PACKAGES
        for forfeits, kind in kinds.items()
    }


def check(case: Case, game: str, agent: PythonAgent, twins: Any) -> None:
    found, faults, _ = played(agent, game)
    twin = twins[game, case.forfeits]
    for name in FIGURES:
        assert np.array_equal(found[name], twin[name]), name
    forfeits = found["forfeits"][0, 0].tolist()
    assert forfeits[0] == (found["decisions"][0, 0, 0] if case.forfeits == ALL else 0)
    assert not any(forfeits[1:])
    if case.reason or case.forfeits == ALL:
        (fault,) = faults
        assert fault.agent == "odd"
        assert re.search(case.reason, fault.reason), fault.reason
        assert type(fault.reason) is type(fault.answer) is str
        assert len(fault.reason) < 1100
    else:
        assert not faults


@pytest.mark.parametrize("name", HARMLESS_HERE)
def test_in_this_process(name: str, twins: Any) -> None:
    check(HARMLESS_HERE[name], BIG_TWO, PythonAgent("odd", Factory(name)), twins)


IN_BOTH = ["str exits", "huge bits", "exit", "interrupt", "forfeit", "new_deal interrupts", "trace"]
"""Those of HARMLESS_HERE that play in processes of their own in every run of the tests; the others in a sweep."""


@pytest.mark.process
@pytest.mark.parametrize("name", [*IN_BOTH, *LETHAL, *(sweep(name) for name in HARMLESS_HERE if name not in IN_BOTH)])
def test_in_a_process_of_its_own(name: str, twins: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    case = ALL_CASES[name]
    if name == "becomes another program":
        monkeypatch.setattr(supervised, "DEPARTURE", 0.05)  # it never departs
    agent = isolated(PythonAgent("odd", Factory(name)), Limits(case.move_time, case.memory))
    check(case, BIG_TWO, agent, twins)


BIG_THREE_REASONS = {
    "text": "which is not a bid",
    "str exits": rf"{misbehaving.NO_TEXT} .Hostile., which is not a bid",
    "huge bits": "which is not a bid",
    "int of a class of its own": "which is not a bid",
    "huge int": "answered an int of 33,220 bits, which is not a bid",
    "type that lies": "which is not a bid",
}
OF_BIG_THREE = [
    "text", "str exits", "type that lies", "huge bits", "int of a class of its own", "huge int",
    "exit", "interrupt", "recursion", "forfeit", "new_deal interrupts", "end_deal exits", "close interrupts",
]  # fmt: skip
LETHAL_IN_BIG_THREE = [
    "ends its process", "ends its process in close", "kills itself", "stops itself",
    "writes to the standard output", "forges answers", "patches builtins", "forks",
    "takes all memory", "sleeps",
]  # fmt: skip


@pytest.mark.parametrize("name", OF_BIG_THREE)
def test_in_this_process_in_big_three(name: str, twins: Any) -> None:
    case = replace(HARMLESS_HERE[name], reason=BIG_THREE_REASONS.get(name, HARMLESS_HERE[name].reason))
    check(case, BIG_THREE, PythonAgent("odd", Factory(name)), twins)


@pytest.mark.process
@pytest.mark.parametrize("name", [*OF_BIG_THREE, *LETHAL_IN_BIG_THREE])
def test_in_a_process_of_its_own_in_big_three(name: str, twins: Any) -> None:
    case = replace(ALL_CASES[name], reason=BIG_THREE_REASONS.get(name, ALL_CASES[name].reason))
    agent = isolated(PythonAgent("odd", Factory(name)), Limits(case.move_time, case.memory), BIG_THREE)
    check(case, BIG_THREE, agent, twins)


# --- factories --------------------------------------------------------------------------------------------------------
SHORT = Limits(start_time=0.5)
FACTORIES: dict[str, tuple[Limits, str]] = {
    "missing_weights": (PATIENT, "cannot be started: odd: its factory raised KeyError: 'weights'"),
    "interrupting": (PATIENT, "its factory raised KeyboardInterrupt"),
    "exiting": (PATIENT, "its factory raised SystemExit: 0"),
    "making_nothing": (PATIENT, "its factory made a NoneType, which has no method choose"),
    "making_what_lies": (PATIENT, "its factory raised SystemExit|made a Hidden, which has no method choose"),
    "ending": (PATIENT, "odd: it ended its process with exit code 0"),
    "sleeping": (SHORT, r"odd: it did not start within 0\.5 s"),
    "stopping": (PATIENT, "odd: it had its process stopped by signal 19"),
}


@pytest.mark.process
@pytest.mark.parametrize("game", PACKAGES)
@pytest.mark.parametrize("name", FACTORIES)
def test_a_factory_that_fails_is_named_before_a_run(name: str, game: str) -> None:
    limits, reason = FACTORIES[name]
    with pytest.raises(AgentError, match=reason):
        try_out(PythonAgent("odd", getattr(misbehaving, name)), limits, game)


@pytest.mark.process
def test_an_agent_that_cannot_start_any_more_forfeits(tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BIGTWO_TEST_STARTED", str(tmp_path / "started"))
    agent = PythonAgent("odd", misbehaving.starting_once)
    try_out(agent)
    found, (fault,), _ = played(isolated(agent, PATIENT), BIG_TWO)
    assert np.array_equal(found["forfeits"][..., 0], found["decisions"][..., 0])
    assert "its factory raised LookupError: once only" in fault.reason


# --- runs -------------------------------------------------------------------------------------------------------------
LEAST = ["ends its process", "stops itself", "becomes another program", "closes all files", "str exits", "interrupt"]


def outcome_of(agents: list[PythonAgent], game: str = BIG_TWO, **options: Any) -> Any:
    """What comes out of whole blocks in one worker process; each agent meets two or three others."""
    rules = PACKAGES[game].Rules()
    numbers = [[place, *[len(agents)] * (rules.players - 1)] for place in range(len(agents))]
    seated = [*agents, GREEDY[game]]
    plan = Plan.of(seated, rules, 5, deals=1, lineups=numbers, **options)
    return run(plan, play=partial(play_chunks, workers=1, processes=True))


@pytest.mark.process
@pytest.mark.parametrize("game", PACKAGES)
def test_a_run_goes_on_whatever_becomes_of_its_workers(game: str) -> None:
    agents = [PythonAgent(name, Factory(name)) for name in LEAST]
    outcome = outcome_of([*agents, PythonAgent("honest", Honest)], game)
    assert outcome.status == "finished"
    rows = {row["agent"]: row for row in outcome.summary()["agents"]}
    for name in LEAST:
        assert rows[name]["forfeits"] == rows[name]["decisions"] > 0, name
    assert rows["honest"]["forfeits"] == rows["greedy"]["forfeits"] == 0
    assert set(outcome.faults) == set(LEAST)


@pytest.mark.process
@pytest.mark.parametrize("game", [BIG_THREE, pytest.param(BIG_TWO, marks=pytest.mark.sweep)])
@pytest.mark.parametrize(("name", "limit"), [("takes all memory", "memory"), ("sleeps", "move_time")])
def test_limits_hold_in_a_run(name: str, limit: str, game: str) -> None:
    case = ALL_CASES[name]
    outcome = outcome_of([PythonAgent(name, Factory(name))], game, **{limit: getattr(case, limit)})
    assert outcome.status == "finished"
    (row,) = (row for row in outcome.summary()["agents"] if row["agent"] == name)
    assert row["forfeits"] == row["decisions"] > 0
    assert re.search(case.reason, outcome.faults[name].reason)


@pytest.mark.process
def test_what_ends_a_worker_at_the_end_changes_nothing() -> None:
    names = ["ends its process in close", "ends its process at the end", "close interrupts"]
    outcome = outcome_of([PythonAgent(name, Factory(name)) for name in names])
    assert outcome.status == "finished"
    assert not any(row["forfeits"] for row in outcome.summary()["agents"])


# --- against intent ---------------------------------------------------------------------------------------------------
TAMPERING = [misbehaving.WalksFrames, misbehaving.PatchesEngine, misbehaving.EditsArrays]


def summary_of(kind: type, isolate: bool) -> str:
    return json.dumps(outcome_of([PythonAgent("odd", kind)], isolate=isolate).summary())


@pytest.mark.process
@pytest.mark.parametrize("kind", TAMPERING, ids=lambda kind: kind.__name__)
def test_isolated_agents_cannot_tamper_with_the_engine(kind: type) -> None:
    fair = summary_of(misbehaving.Fair, isolate=True)
    assert summary_of(kind, isolate=True) == fair
    assert summary_of(misbehaving.Fair, isolate=False) == fair
    assert summary_of(kind, isolate=False) != fair  # which the documentation says
