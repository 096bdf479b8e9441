"""Big Three in the arena: roles, bids and stakes add up, seats and roles go round, and runs come out the same."""

import json
import math
import statistics
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from bigtwo_sim.arena import (
    ConfidenceSequence,
    Outcome,
    Plan,
    RunError,
    RunFolder,
    Tally,
    gauntlet,
    load,
    play_chunks,
    read_lineups,
    round_robin,
    run,
    seatings,
)
from bigtwo_sim.arena.stats.intervals import moments_of
from bigtwo_sim.arena.stats.ratios import RatioSums
from bigtwo_sim.arena.store.manifest import identity
from bigtwo_sim.core.rng import root_key
from bigtwo_sim.games.big_three import AgentError, AgentFault, Fault, PythonAgent, Rules, play_blocks, preset
from bigtwo_sim.games.big_three.game import PAIRS, SOLO
from bigtwo_sim.roster.methods import agent_names, levels
from bigtwo_sim.roster.spec import agent_from_manifest, parse_agent, parse_agents
from bigtwo_sim.untrusted.documents import sealed_text
from tests.conftest import INTERPRETED

BIG_THREE = "big-three"
BLOCKS = 4 if INTERPRETED else 60
PRINTED = preset("as_printed")
TABLES = [Rules(), PRINTED, Rules(players=4), PRINTED.replace(players=4, seating="adjacent", stake=3)]
NAMES = ["random", "greedy", "heuristic"]


def plan_of(*agents: str, rules: Rules, blocks: int = BLOCKS, **options: Any) -> Plan:
    lineups = round_robin(agents, rules.players)
    deals = blocks * sum(len(seatings(lineup)) for lineup in lineups)
    return Plan.of(parse_agents(agents, BIG_THREE), rules, seed=2, deals=deals, **options)


def sums_of(plan: Plan, workers: int = 1, **options: Any) -> Any:
    return np.concatenate([result.sums for result in play_chunks(plan, plan.chunks(), workers, **options)])


# --- seats ------------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(("lineup", "count"), [("AAA", 1), ("ABB", 3), ("ABC", 6), ("AABB", 6), ("ABCD", 24)])
def test_a_deck_is_played_under_every_distinct_seating(lineup: str, count: int) -> None:
    found = seatings(lineup)
    seated = {tuple(lineup[slot] for slot in slots) for slots in found.tolist()}
    assert len(found) == len(seated) == count
    for agent in set(lineup):
        by_seat = [sum(seating[seat] == agent for seating in seated) for seat in range(len(lineup))]
        assert set(by_seat) == {count * lineup.count(agent) // len(lineup)}, "every seat as often"


def test_three_seats_are_filled_and_taken_in_turns() -> None:
    assert ["".join(lineup) for lineup in round_robin("AB", 3)] == ["ABB", "AAB"]
    assert ["".join(lineup) for lineup in round_robin("ABCD", 3)] == ["ABC", "ABD", "ACD", "BCD"]
    assert gauntlet("ABC", 3) == [("A", "B", "B"), ("A", "C", "C")]
    assert read_lineups("a b b", 3) == [("a", "b", "b")]
    with pytest.raises(ValueError, match="line 1 names 4 agents; a line-up is 3"):
        read_lineups("a b b b", 3)


# --- sums -------------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("rules", TABLES, ids=lambda rules: rules.name)
def test_sums_are_those_of_the_deals(rules: Rules) -> None:
    agents = NAMES if rules.players == 3 else ["random", "greedy"]
    plan = plan_of(*agents, rules=rules, blocks=2)
    sums = sums_of(plan)
    row = 0
    for lineup in plan.lineups:
        found = seatings(lineup)
        seated = [plan.agents[agent] for agent in lineup]
        results = play_blocks(seated, rules, root_key(2), 0, 2, found)  # type: ignore[arg-type]
        for agent in dict.fromkeys(lineup):
            for block in range(2):
                expected = dict.fromkeys(plan.stat_columns.columns, 0)
                for slots, result in zip(found.tolist(), results[block], strict=True):
                    for seat in range(rules.players):
                        if lineup[slots[seat]] == agent:
                            count(expected, result, seat, rules)
                assert sums[block, row].tolist() == list(expected.values())
            row += 1
    assert row == sums.shape[1]


def count(sums: dict[str, int], result: Any, seat: int, rules: Rules) -> None:
    """Add the figures of a seat, reckoned from the rules' words and not by the engine."""
    for name in ("points", "left", "decisions", "forfeits"):
        sums[name] += int(result[name][seat])
    winner, soloist = int(result["winner"]), int(result["soloist"])
    if rules.players == 4:
        partner = {"opposite": (2, 3, 0, 1), "adjacent": (1, 0, 3, 2)}[rules.seating][winner]
        sums[f"wins_{seat}"] += seat in (winner, partner)
        return
    won = seat == soloist if winner == soloist else seat != soloist
    role = "soloist" if seat == soloist else "opponent"
    sums[f"wins_{seat}"] += won
    sums[f"{role}_deals"] += 1
    sums[f"{role}_wins"] += won
    sums[f"{role}_points"] += int(result["points"][seat])
    sums[f"bid_{int(result['bids'][seat]) or 'none'}"] += 1


@pytest.mark.parametrize("rules", TABLES, ids=lambda rules: rules.name)
def test_every_deal_sums_to_zero_and_roles_add_up(rules: Rules) -> None:
    plan = plan_of(*NAMES, rules=rules)
    stat_columns = plan.stat_columns
    sums = sums_of(plan)
    column = {name: sums[:, :, stat_columns.column(name)] for name in stat_columns.columns}
    assert (column["points"].sum(axis=1) == 0).all()
    if rules.players == 4:
        assert stat_columns == PAIRS
        wins = sum(column[name] for name in stat_columns.wins)
        assert (wins.sum(axis=1) * 2 == plan.deals_a_block * 4).all(), "a pair wins each deal"
        return
    assert stat_columns == SOLO
    for name, whole in (("points", column["points"]), ("wins", sum(column[win] for win in stat_columns.wins))):
        assert (column[f"soloist_{name}"] + column[f"opponent_{name}"] == whole).all()
    assert (column["soloist_deals"].sum(axis=1) == plan.deals_a_block).all(), "one soloist a deal"
    assert (column["opponent_deals"].sum(axis=1) == 2 * plan.deals_a_block).all()
    bids = sum(column[f"bid_{bid}"] for bid in stat_columns.bids)
    assert (bids == column["soloist_deals"] + column["opponent_deals"]).all()


# --- figures ----------------------------------------------------------------------------------------------------------
def test_what_is_told_of_a_role_is_what_the_deals_say() -> None:
    plan = plan_of(*NAMES, rules=Rules())
    sums = sums_of(plan)
    tally = Tally(plan.lineups, stat_columns=plan.stat_columns)
    tally.add(sums)
    for agent, summary in enumerate(tally.agents()):
        assert [role.role for role in summary.roles] == ["soloist", "opponent"]
        assert sum(role.deals for role in summary.roles) == summary.deals == sum(summary.bids)
        for role in summary.roles:
            deals, wins, points = (
                sums[:, agent, plan.stat_columns.column(f"{role.role}_{name}")] for name in ("deals", "wins", "points")
            )
            assert role.deals == deals.sum()
            assert role.share == pytest.approx(deals.sum() / summary.deals)
            if role.deals:
                assert role.win_rate.mean == pytest.approx(wins.sum() / deals.sum())
                assert role.points.mean == pytest.approx(points.sum() / deals.sum())
                assert role.points.low <= role.points.mean <= role.points.high
    whole = tally.agents()[2]
    parts = [role.share * role.points.mean for role in whole.roles if role.deals]
    assert sum(parts) == pytest.approx(whole.points.mean)


def test_an_agent_in_several_lineups_has_the_mean_over_them() -> None:
    plan = plan_of("greedy", "heuristic", rules=Rules())
    tally = run(plan).tally
    for summary in tally.agents():
        assert sum(role.share for role in summary.roles) == pytest.approx(1)
        parts = [role.share * role.points.mean for role in summary.roles if role.deals]
        assert sum(parts) == pytest.approx(summary.points.mean), "roles weigh line-ups as the whole does"


def test_the_error_of_a_ratio_is_that_of_its_residuals() -> None:
    draw = np.random.default_rng(1)
    below = draw.integers(0, 5, 400)
    above = np.where(below > 0, below * 2 + draw.integers(-3, 4, 400), 0)
    sums = RatioSums((1,))
    for part in np.split(np.arange(400), 8):
        sums.add(above[None, part], below[None, part])
    moments = sums.moments((0,))
    ratio = above.sum() / below.sum()
    assert moments.mean == pytest.approx(ratio)
    assert moments.blocks == (below > 0).sum() < 400  # a block without the role says nothing of it
    residuals = ((above - ratio * below) / below[below > 0].mean())[below > 0]
    assert moments.deviation == pytest.approx(statistics.stdev(residuals.tolist()))
    assert moments.largest >= np.abs(residuals).max()
    plain = moments_of(residuals)
    for name in ("lean", "event", "seen"):
        assert getattr(moments, name) == pytest.approx(float(getattr(plain, name)))
    assert moments.scale == pytest.approx(float(moments_of(above / below[below > 0].mean()).scale))
    assert math.isnan(RatioSums((1,)).moments((0,)).mean)
    huge = RatioSums((1,))
    huge.add(np.array([[2**40, 3 * 2**40]]), np.array([[2**40, 2**40]]))
    assert huge.moments((0,)).mean == 2


@pytest.mark.compiled
def test_intervals_of_roles_hold_as_often_as_they_say() -> None:
    """Of 400 runs of 50 blocks each about 95 % hold the figure of 20,000 blocks."""
    plan = plan_of(*NAMES, rules=Rules(), blocks=20_000, chunk=5_000)
    sums = sums_of(plan)
    truth = Tally(plan.lineups, stat_columns=plan.stat_columns)
    truth.add(sums)
    held = total = 0
    for part in np.split(sums, 400):
        tally = Tally(plan.lineups, stat_columns=plan.stat_columns)
        tally.add(part)
        for agent in (0, 2):
            for role, true in zip(tally.agents()[agent].roles, truth.agents()[agent].roles, strict=True):
                held += role.points.low <= true.points.mean <= role.points.high
                total += 1
    assert 0.92 < held / total < 0.97


def test_intervals_at_all_looks_are_wider() -> None:
    plan = plan_of(*NAMES, rules=Rules())
    sums = sums_of(plan)
    plain, anytime = (
        Tally(plan.lineups, interval, plan.stat_columns) for interval in (None, ConfidenceSequence(len(sums)))
    )
    for tally in (plain, anytime):
        tally.add(sums)
    for one, other in zip(plain.agents()[2].roles, anytime.agents()[2].roles, strict=True):
        assert other.points.margin > one.points.margin


def test_sides_win_so_there_is_no_scale_of_single_winners() -> None:
    outcome = run(plan_of("greedy", rules=Rules()))
    assert outcome.summary()["strengths"] == []
    (lineup,) = outcome.tally.lineups()
    assert lineup.equal_seats is None


# --- runs -------------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("rules", TABLES[:3], ids=lambda rules: rules.name)
def test_workers_and_chunks_change_no_byte(rules: Rules) -> None:
    whole = sums_of(plan_of(*NAMES, rules=rules, chunk=BLOCKS))
    assert whole.tobytes() == sums_of(plan_of(*NAMES, rules=rules, chunk=max(1, BLOCKS // 7)), workers=2).tobytes()


class Weakest:
    """Bids 1 where it can, and lays its weakest play."""

    def choose(self, view: Any) -> Any:
        if view.in_auction:
            return 1 if 1 in view.legal_bids else 0
        return view.legal_plays[0].cards if view.legal_plays else type(view.hand)(0, view.rules.deck)


class Wrong(Weakest):
    """Bids what it may not."""

    def choose(self, view: Any) -> Any:
        return 7 if view.in_auction else super().choose(view)


def mixed(factory: Any, **options: Any) -> Plan:
    agents = [PythonAgent("mine", factory), *parse_agents(["greedy"], BIG_THREE)]
    return Plan.of(agents, Rules(), seed=3, deals=24, **options)


@pytest.mark.compiled
def test_python_agents_play_in_two_processes_as_in_one() -> None:
    whole = sums_of(mixed(Weakest))
    assert sums_of(mixed(Weakest, chunk=1), workers=2, processes=True).tobytes() == whole.tobytes()


def test_an_agent_at_fault_forfeits_and_its_case_is_kept(tmp_path: Path) -> None:
    with closing(RunFolder.create(tmp_path / "run", mixed(Wrong))) as folder:
        outcome = run(folder.plan, folder)
    assert outcome.tally.agents()[0].forfeits > 0
    saved = load(tmp_path / "run")
    (fault,) = saved.faults
    assert isinstance(fault, Fault)
    assert fault == outcome.faults["mine"]
    assert fault.deal().turn == fault.seat
    assert "it may bid" in fault.reason
    with pytest.raises(AgentFault, match=r"seat . bid 7"):
        run(mixed(Wrong, strict=True))


def test_what_only_big_two_has_is_refused() -> None:
    agents = parse_agents(NAMES, BIG_THREE)
    with pytest.raises(AgentError, match="programs play Big Two"):
        parse_agent("exec:./bot", BIG_THREE)
    with pytest.raises(ValueError, match=r"has 4 members; under shaanxi it has 3"):
        Plan.of(agents, Rules(), deals=6, lineups=[(0, 1, 2, 2)])


# --- saved runs -------------------------------------------------------------------------------------------------------
def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.suffix in (".parquet", ".json")}


def play_into(path: Path, plan: Plan, **options: Any) -> Outcome:
    with closing(RunFolder.create(path, plan)) as folder:
        return run(plan, folder, **options)


@pytest.mark.parametrize("rules", TABLES[1:3], ids=lambda rules: rules.name)
def test_a_run_that_was_cut_off_goes_on_to_the_same_bytes(rules: Rules, tmp_path: Path) -> None:
    plan = plan_of("greedy", "heuristic", rules=rules, chunk=1, blocks=4)
    whole = play_into(tmp_path / "whole", plan)

    def part(plan: Plan, chunks: Any, *, halt: Any) -> Any:
        played = play_chunks(plan, chunks, halt=halt)
        yield next(played)
        yield next(played)
        played.close()  # type: ignore[attr-defined]

    assert play_into(tmp_path / "cut", plan, play=part).status == "interrupted"
    with closing(RunFolder.resume(tmp_path / "cut", partial(agent_from_manifest, game=BIG_THREE))) as folder:
        assert folder.plan.rules == rules
        again = run(folder.plan, folder, play=partial(play_chunks, workers=2))
    assert again.summary() == whole.summary()
    cut, kept = contents(tmp_path / "cut"), contents(tmp_path / "whole")
    assert {name: data for name, data in cut.items() if name != "manifest.json"} == {
        name: data for name, data in kept.items() if name != "manifest.json"
    }


def test_a_saved_run_says_its_game_and_reads_back(tmp_path: Path) -> None:
    plan = plan_of(*NAMES, rules=Rules(), blocks=3)
    outcome = play_into(tmp_path / "run", plan)
    saved = load(tmp_path / "run")
    assert saved.manifest["game"] == BIG_THREE
    assert saved.result == outcome.summary()
    assert repr(saved.tally().agents()) == repr(outcome.tally.agents())  # with NaN, which is not equal to itself
    frame = saved.blocks
    assert list(frame.columns) == ["block", "lineup", "agent", "deals", *SOLO.columns]
    assert frame.groupby("block")["points"].sum().eq(0).all()
    row = saved.agents.set_index("agent").loc["heuristic"]
    assert row["soloist_deals"] + row["opponent_deals"] == row["deals"] == sum(row[f"bid_{bid}"] for bid in SOLO.bids)
    manifest = tmp_path / "run" / "manifest.json"
    values = json.loads(manifest.read_text(encoding="utf-8"))
    values["game"] = "big-two"
    manifest.write_text(json.dumps(values), encoding="utf-8")
    with pytest.raises(RunError, match="was changed after it was written"):
        load(tmp_path / "run")
    manifest.write_text(sealed_text(values), encoding="utf-8")
    with pytest.raises(RunError, match="was changed after the run began"):
        load(tmp_path / "run")
    values["game"] = "tarock"
    manifest.write_text(sealed_text({**values, "identity": identity(values)}), encoding="utf-8")
    with pytest.raises(RunError, match="of the game 'tarock', which this version does not know"):
        load(tmp_path / "run")


# --- agents -----------------------------------------------------------------------------------------------------------
def test_big_three_has_agents_and_levels_of_its_own() -> None:
    assert agent_names(BIG_THREE) == ["greedy", "heuristic", "monte_carlo", "normal", "random", "strong"]
    for name, level in levels(BIG_THREE).items():
        agent: Any = parse_agent(name, BIG_THREE)
        assert agent.method.name == level.method
        assert agent.method.function.__module__.startswith("bigtwo_agents.big_three.")
    with pytest.raises(AgentError, match="there is no agent 'beginner' of Big Three"):
        parse_agent("beginner", BIG_THREE)
