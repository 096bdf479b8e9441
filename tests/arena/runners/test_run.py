"""Runs come out the same whatever plays them: any number of workers, threads or processes, any size of the chunks."""

import math
import pickle
import signal
from functools import partial
from typing import Any

import numpy as np
import pytest
from python_agents import DyingSeldom, Greedy, Mute, Raising, Uncertain, Weakest

from bigtwo_sim.arena import (
    Chunk,
    Outcome,
    Plan,
    RunError,
    cores,
    decisions_per_second,
    play_chunks,
    round_robin,
    run,
    seatings,
)
from bigtwo_sim.core.rng import root_key
from bigtwo_sim.games.big_two import (
    PRESETS,
    AgentError,
    AgentFault,
    Method,
    PolicyAgent,
    PythonAgent,
    Rules,
    play_blocks,
    policy,
)
from bigtwo_sim.games.big_two.game import COUNTING
from bigtwo_sim.roster.spec import parse_agent, parse_agents
from tests.conftest import INTERPRETED
from tests.tools.lanes import mostly_swept

SCALE = 1 if INTERPRETED else 10


def run_with(plan: Plan, workers: int, **options: Any) -> Outcome:
    return run(plan, play=partial(play_chunks, workers=workers), **options)


def plan_of(*agents: str, blocks: int, chunk: int | None = None, rules: Rules | None = None, seed: int = 0) -> Plan:
    deals_a_block = sum(len(seatings(lineup)) for lineup in round_robin(agents))
    return Plan.of(parse_agents(agents), rules or Rules(), seed, deals=blocks * deals_a_block, chunk=chunk)


def sums_of(plan: Plan, workers: int = 1) -> Any:
    return np.concatenate([result.sums for result in play_chunks(plan, plan.chunks(), workers)])


# --- plans ------------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("agents", "a_block"), [(["greedy"], 1), (["greedy", "random"], 14), (["a=greedy", "b=greedy", "random"], 36)]
)
def test_deals_are_rounded_up_to_whole_blocks(agents: list[str], a_block: int) -> None:
    plan = Plan.of(parse_agents(agents), Rules(), deals=5 * a_block + 1)
    assert (plan.deals_a_block, plan.blocks, plan.deals) == (a_block, 6, 6 * a_block)


@pytest.mark.parametrize("deals", mostly_swept([1, 100, 20_000, 1_000_000, 10**9], 1, 100, 20_000, 1_000_000))
@pytest.mark.parametrize("agents", [["greedy", "random"], ["greedy", "mine=python_agents:Weakest"]])
def test_chunks_cover_every_block_once(agents: list[str], deals: int) -> None:
    plan = Plan.of(parse_agents(agents), Rules(), deals=deals)
    next_block = 0
    for number, chunk in enumerate(plan.chunks()):
        assert (chunk.number, chunk.first) == (number, next_block)
        assert 1 <= chunk.blocks <= plan.largest_chunk
        next_block += chunk.blocks
    assert next_block == plan.blocks
    assert plan.largest_chunk * plan.deals_a_block <= 192_000


def test_a_plan_that_cannot_be_meant_is_refused() -> None:
    greedy = parse_agent("greedy")
    with pytest.raises(AgentError, match="two agents are called 'greedy'"):
        Plan.of([greedy, greedy], Rules(), deals=10)
    with pytest.raises(ValueError, match="deals is 0; it must be at least 1"):
        Plan.of([greedy], Rules(), deals=0)
    with pytest.raises(ValueError, match="there is no agent"):
        Plan.of([], Rules(), deals=10)
    with pytest.raises(ValueError, match="seed is -1"):
        Plan.of([greedy], Rules(), -1, deals=10)
    with pytest.raises(ValueError, match="chunk is 0"):
        Plan.of([greedy], Rules(), deals=10, chunk=0)
    with pytest.raises(ValueError, match="workers is 0"):
        next(play_chunks(plan_of("greedy", blocks=1), [], 0))


# --- sums -------------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("rules", PRESETS.values(), ids=PRESETS)
@pytest.mark.parametrize("agents", [["greedy"], ["random", "greedy"], ["random", "greedy", "heuristic"]])
def test_sums_are_those_of_the_deals(agents: list[str], rules: Rules) -> None:
    blocks = 2
    plan = plan_of(*agents, blocks=blocks, rules=rules, seed=7)
    sums = sums_of(plan)
    row = 0
    for line_up in plan.lineups:
        found = seatings(line_up)
        four: Any = tuple(plan.agents[agent] for agent in line_up)
        results = play_blocks(four, rules, root_key(7), 0, blocks, found)
        for agent in dict.fromkeys(line_up):
            for block in range(blocks):
                expected = dict.fromkeys(COUNTING.columns, 0)
                for slots, result in zip(found.tolist(), results[block], strict=True):
                    for seat in range(4):
                        if line_up[slots[seat]] == agent:
                            expected[f"wins_{seat}"] += result["winner"] == seat
                            for name in ("points", "left", "decisions"):
                                expected[name] += int(result[name][seat])
                assert sums[block, row].tolist() == list(expected.values())
            row += 1
    assert row == sums.shape[1]


def test_the_same_agent_twice_does_exactly_as_well() -> None:
    """Seats have the random streams, not agents; under all seatings two of a kind cannot differ."""
    first, second = run(plan_of("a=random", "greedy", "b=random", "heuristic", blocks=5 * SCALE)).tally.agents()[::2]
    assert first.points == second.points
    assert first.win_rate == second.win_rate


# --- workers and chunks -----------------------------------------------------------------------------------------------
@pytest.mark.parametrize("agents", [["random", "greedy"], ["random", "greedy", "heuristic", "other=random"]])
def test_threads_and_chunks_change_no_byte(agents: list[str]) -> None:
    blocks = 3 * SCALE
    expected = sums_of(plan_of(*agents, blocks=blocks))
    summary = run(plan_of(*agents, blocks=blocks)).tally
    for workers, chunk in [(1, 1), (2, 1), (2, 3), (3, 7), (2, 1000)]:
        plan = plan_of(*agents, blocks=blocks, chunk=chunk)
        assert sums_of(plan, workers).tobytes() == expected.tobytes()
        outcome = run_with(plan, workers)
        assert (outcome.tally.agents(), outcome.tally.pairs()) == (summary.agents(), summary.pairs())


@pytest.mark.compiled
def test_processes_and_chunks_change_no_byte() -> None:
    agents = ["mine=python_agents:Uncertain", "greedy"]
    expected = sums_of(plan_of(*agents, blocks=12))
    for workers, chunk in [(1, 5), (2, 1), (2, 5)]:
        assert sums_of(plan_of(*agents, blocks=12, chunk=chunk), workers).tobytes() == expected.tobytes()


def test_a_python_agent_comes_out_as_its_compiled_twin() -> None:
    twin = [PythonAgent("twin", Greedy), *parse_agents(["random"])]
    compiled = plan_of("twin=greedy", "random", blocks=2 * SCALE)
    in_python = Plan.of(twin, Rules(), deals=compiled.deals)
    assert sums_of(in_python).tobytes() == sums_of(compiled).tobytes()


def test_results_come_in_the_order_of_the_chunks() -> None:
    plan = plan_of("greedy", "random", blocks=20, chunk=1)
    backwards = list(plan.chunks())[::-1]
    assert [result.chunk for result in play_chunks(plan, backwards, 2)] == backwards


def test_a_part_of_a_run_is_a_part_of_the_whole() -> None:
    plan = plan_of("greedy", "random", blocks=8)
    whole = sums_of(plan)
    (part,) = play_chunks(plan, [Chunk(0, 5, 3)], 1)
    assert part.sums.tobytes() == whole[5:].tobytes()


def test_the_root_seed_decides_everything() -> None:
    same, again, other = (sums_of(plan_of("greedy", "random", blocks=2, seed=seed)) for seed in (3, 3, 2**70))
    assert same.tobytes() == again.tobytes() != other.tobytes()


@pytest.mark.sweep
def test_intervals_of_real_runs_cover_the_mean_of_all_of_them() -> None:
    """400 runs of 60 blocks: the share that holds the mean over all has a standard error of 1.1 %."""
    outcomes = [run(plan_of("random", "greedy", "heuristic", "b=greedy", blocks=60, seed=seed)) for seed in range(400)]
    estimates = {
        "points": [outcome.tally.agents()[2].points for outcome in outcomes],
        "win rate": [outcome.tally.agents()[1].win_rate for outcome in outcomes],
        "difference": [outcome.tally.pairs()[0].points for outcome in outcomes],
    }
    for measure, found in estimates.items():
        mean = math.fsum(estimate.mean for estimate in found) / len(found)
        covered = sum(estimate.low <= mean <= estimate.high for estimate in found) / len(found)
        assert 0.91 < covered < 0.98, measure


# --- what goes wrong --------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("workers", [1, pytest.param(2, marks=pytest.mark.compiled)])
def test_a_faulty_agent_ends_a_strict_run_with_its_fault(workers: int) -> None:
    plan = Plan.of([PythonAgent("mine", Raising), *parse_agents(["greedy"])], Rules(), deals=200, strict=True)
    with pytest.raises(AgentFault, match=r"agent 'mine' at seat \d in deal \d+: raised KeyError") as caught:
        run_with(plan, workers)
    assert caught.value.agent == "mine"


@pytest.mark.parametrize("workers", [1, pytest.param(2, marks=pytest.mark.compiled)])
def test_a_faulty_agent_forfeits_and_the_others_play_on(workers: int) -> None:
    plan = Plan.of([PythonAgent("mine", Raising), *parse_agents(["greedy"])], Rules(), deals=200)
    outcome = run_with(plan, workers)
    assert outcome.finished
    mine, greedy = outcome.tally.agents()
    assert (mine.forfeits, greedy.forfeits) == (mine.decisions, 0)
    assert outcome.faults["mine"].reason.startswith("raised KeyError")
    assert outcome.faults["mine"].deal_number == 0, "the first one, whoever was ready first"


@pytest.mark.compiled
def test_a_factory_that_fails_in_a_worker_is_told() -> None:
    plan = Plan.of([PythonAgent("mine", Mute)], Rules(), deals=200)  # type: ignore[arg-type]
    with pytest.raises(AgentError, match=r"mine: its factory made a Mute, which has no method choose\(view\)"):
        run_with(plan, 2)


@pytest.mark.compiled
def test_an_agent_that_brings_down_its_worker_loses_its_own_decisions_alone() -> None:
    plan = Plan.of([PythonAgent("mine", DyingSeldom), *parse_agents(["greedy"])], Rules(), deals=140)
    outcome = run_with(plan, 2)
    mine, greedy = outcome.tally.agents()
    assert outcome.tally.blocks == plan.blocks
    assert 0 < mine.forfeits < 10
    assert greedy.forfeits == 0
    assert "exit code 7" in outcome.faults["mine"].reason


def test_an_agent_that_cannot_travel_plays_in_this_process() -> None:
    plan = Plan.of([PythonAgent("mine", lambda: Weakest())], Rules(), deals=3)
    with pytest.raises(RunError, match=r"cannot be sent to another process .*; define it in a module, or play in this"):
        run_with(plan, 2)
    assert run(plan).finished


@policy
def _second_weakest(hand, public, plays, strengths, count, params, stream):  # type: ignore[no-untyped-def]
    return min(1, count - 1)


@policy
def _beyond_its_options(hand, public, plays, strengths, count, params, stream):  # type: ignore[no-untyped-def]
    return count + 2 if count > 6 else 0


@pytest.mark.parametrize("strict", [False, True])
def test_a_policy_that_answers_out_of_range_forfeits_too(strict: bool) -> None:
    method = Method("beyond", _beyond_its_options)
    beyond = PolicyAgent("beyond", method, method.params())
    plan = Plan.of([beyond, *parse_agents(["greedy"])], Rules(), deals=56, strict=strict)
    if strict:
        with pytest.raises(AgentFault, match=r"agent 'beyond' at seat \d in deal \d+: answered \d+, with \d+ plays"):
            run(plan)
        return
    outcome = run(plan)
    assert 0 < outcome.tally.agents()[0].forfeits < outcome.tally.agents()[0].decisions
    assert outcome.faults["beyond"].reason.startswith("answered ")


@pytest.mark.compiled
def test_a_policy_that_no_module_names_travels_by_its_code() -> None:
    nameless = Method("second", _second_weakest)
    second = PolicyAgent("second", nameless, nameless.params())
    plan = Plan.of([second, PythonAgent("mine", Weakest)], Rules(), deals=40)
    assert sums_of(plan, 2).tobytes() == sums_of(plan, 1).tobytes()


def test_ctrl_c_leaves_what_was_done() -> None:
    plan = plan_of("greedy", "random", blocks=20, chunk=1)
    seen = []

    def interrupt_after_three(outcome: Outcome) -> None:
        seen.append(outcome.tally.blocks)
        if len(seen) == 3:
            signal.raise_signal(signal.SIGINT)

    outcome = run(plan, progress=interrupt_after_three)
    assert outcome.status == "interrupted"
    assert outcome.tally.blocks == 3
    assert outcome.tally.agents() == run(plan_of("greedy", "random", blocks=3)).tally.agents()


# --- speed ------------------------------------------------------------------------------------------------------------
def test_decisions_a_second_are_measured() -> None:
    agent = parse_agent("greedy")
    assert isinstance(agent, PolicyAgent)
    median, lowest, highest = decisions_per_second(agent, Rules(), seconds=0.001)
    assert 0 < lowest <= median <= highest


def test_the_time_of_python_agents_is_summed_by_agent() -> None:
    plan = Plan.of([*parse_agents(["greedy"]), PythonAgent("mine", Uncertain)], Rules(), deals=28)
    outcome = run(plan)
    assert outcome.thinking[0] == 0
    assert outcome.thinking[1] > 0
    assert outcome.deals_per_hour > 0


def test_cores_are_those_that_the_process_may_use() -> None:
    assert cores() >= 1


def test_faults_travel_between_processes() -> None:
    fault = AgentFault("mine", 2, 17, "raised KeyError")
    assert str(pickle.loads(pickle.dumps(fault))) == "agent 'mine' at seat 2 in deal 17: raised KeyError"
