"""A saved run comes back as it was, and a folder that cannot be used is told before anything is overwritten."""

import json
import platform
import signal
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import bigtwo_sim
from bigtwo_sim.arena import Outcome, Plan, RunError, RunFolder, load, play_chunks, run
from bigtwo_sim.arena.store.manifest import identity
from bigtwo_sim.games.big_two import Rules
from bigtwo_sim.games.big_two.game import COUNTING
from bigtwo_sim.roster.spec import agent_from_manifest, parse_agents
from bigtwo_sim.untrusted.documents import sealed_text

AGENTS = ["random", "mine=heuristic:lead_turns=2.5", "python_agents:Weakest"]


def plan_of(chunk: int = 2, rules: Rules | None = None) -> Plan:
    return Plan.of(parse_agents(AGENTS), rules or Rules(), 11, deals=5 * 36, chunk=chunk)


def save(path: Path, plan: Plan, workers: int = 1) -> Outcome:
    with closing(RunFolder.create(path, plan, "bigtwo tournament")) as folder:
        return run(plan, folder, play=partial(play_chunks, workers=workers))


def test_a_run_comes_back_as_it_was(tmp_path: Path) -> None:
    plan = plan_of()
    outcome = save(tmp_path / "deep" / "run", plan)
    saved = load(tmp_path / "deep" / "run")
    assert saved.tally().agents() == outcome.tally.agents()
    assert saved.tally().pairs() == outcome.tally.pairs()
    assert saved.result == outcome.summary()
    sums = np.concatenate([result.sums for result in play_chunks(plan, plan.chunks())])
    frame = saved.blocks
    assert frame[list(COUNTING.columns)].to_numpy().reshape(sums.shape).tolist() == sums.tolist()
    assert len(frame) == 5 * 9
    assert sorted(set(frame["block"])) == [0, 1, 2, 3, 4]
    assert set(frame["agent"]) == {"random", "mine", "python_agents:Weakest"}
    assert set(frame["lineup"]) == {
        "random mine python_agents:Weakest python_agents:Weakest",
        "random mine mine python_agents:Weakest",
        "random random mine python_agents:Weakest",
    }
    wins = frame[["wins_0", "wins_1", "wins_2", "wins_3"]].sum(axis=1)
    assert wins.sum() == plan.deals
    assert wins.groupby([frame["block"], frame["lineup"]], observed=True).sum().tolist() == [12] * 15
    assert set(frame["deals"]) == {12}


def test_the_manifest_tells_what_was_played_and_with_what(tmp_path: Path) -> None:
    save(tmp_path / "run", plan_of(rules=Rules().replace(bombs=True)))
    manifest = json.loads((tmp_path / "run" / "manifest.json").read_text())
    assert manifest["status"] == "finished"
    assert manifest["engine_version"] == bigtwo_sim.__version__
    assert manifest["python"] == platform.python_version()
    assert manifest["numpy"] == np.__version__
    assert manifest["numba"]
    assert manifest["command"] == "bigtwo tournament"
    assert Rules.from_dict(manifest["rules"]) == Rules().replace(bombs=True)
    assert manifest["seed"] == 11
    random, mine, weakest = manifest["agents"]
    assert random == {"name": "random", "method": "random", "settings": {}}
    assert (mine["name"], mine["method"], mine["settings"]["lead_turns"]) == ("mine", "heuristic", 2.5)
    assert (weakest["name"], weakest["factory"]) == ("python_agents:Weakest", "python_agents:Weakest")
    assert len(weakest["source"]) == 16
    assert (manifest["blocks"], manifest["deals"], manifest["deals_played"]) == (5, 180, 180)
    assert (manifest["smallest_part"], manifest["largest_part"]) == (2, 2)
    assert manifest["identity"] == identity(manifest)
    assert manifest["game"] == "big-two"
    assert manifest["seconds"] > 0
    names = [".lock", "bigtwo.sha256", "manifest.json", *(f"part-{i:05d}.parquet" for i in range(3)), "result.json"]
    assert sorted(path.name for path in (tmp_path / "run").iterdir()) == names


def test_a_manifest_without_a_game_is_of_big_two(tmp_path: Path) -> None:
    plan = Plan.of(parse_agents(["random", "greedy"]), Rules(), deals=14)
    outcome = save(tmp_path / "run", plan)
    path = tmp_path / "run" / "manifest.json"
    manifest = json.loads(path.read_text())
    del manifest["game"]
    assert identity(manifest) != manifest["identity"]
    old = {**manifest, "status": "running", "identity": identity(manifest)}
    path.write_text(sealed_text(old))
    for part in (tmp_path / "run").glob("part-*"):
        part.unlink()
    assert load(tmp_path / "run").result["blocks"] == 0
    with closing(RunFolder.resume(tmp_path / "run", agent_from_manifest)) as folder:
        assert run(folder.plan, folder).summary() == outcome.summary()
    assert load(tmp_path / "run").result == outcome.summary()


@pytest.mark.compiled
def test_parts_are_the_same_to_the_byte_for_any_number_of_workers(tmp_path: Path) -> None:
    for workers in (1, 2):
        save(tmp_path / str(workers), plan_of(), workers)
    for i in range(3):
        part = f"part-{i:05d}.parquet"
        assert (tmp_path / "1" / part).read_bytes() == (tmp_path / "2" / part).read_bytes()


def test_the_size_of_the_parts_changes_nothing_that_is_read(tmp_path: Path) -> None:
    for chunk in (1, 100):
        save(tmp_path / str(chunk), plan_of(chunk))
    one, other = (load(tmp_path / str(chunk)) for chunk in (1, 100))
    assert one.blocks.equals(other.blocks)
    assert one.result == other.result


def test_numbers_of_every_size_survive(tmp_path: Path) -> None:
    costly = Rules().replace(penalty_tiers=(1000,) * 13, double_twos=True, settlement="pairwise")
    plan = Plan.of(parse_agents(["random", "greedy", "a=random", "b=greedy"]), costly, 1, deals=24 * 3)
    outcome = save(tmp_path / "run", plan)
    assert load(tmp_path / "run").tally().agents() == outcome.tally.agents()
    assert load(tmp_path / "run").blocks["points"].abs().max() > 32_767


def test_an_interrupted_run_is_read_as_far_as_it_goes(tmp_path: Path) -> None:
    plan = plan_of(chunk=1)

    def interrupt(outcome: Outcome) -> None:
        if outcome.tally.blocks == 2:
            signal.raise_signal(signal.SIGINT)

    with closing(RunFolder.create(tmp_path / "run", plan)) as folder:
        outcome = run(plan, folder, interrupt)
    saved = load(tmp_path / "run")
    assert saved.manifest["status"] == "interrupted"
    assert saved.manifest["deals_played"] == 72
    assert saved.tally().agents() == outcome.tally.agents()
    assert saved.result == outcome.summary()
    assert set(saved.blocks["block"]) == {0, 1}


def test_a_run_without_a_part_is_empty_and_no_error(tmp_path: Path) -> None:
    RunFolder.create(tmp_path / "run", plan_of()).close()
    saved = load(tmp_path / "run")
    assert saved.manifest["status"] == "running"
    assert len(saved.blocks) == 0
    assert saved.result["blocks"] == 0


def test_a_run_that_fails_says_so_in_its_manifest(tmp_path: Path) -> None:
    plan = Plan.of(parse_agents(["python_agents:Raising"]), Rules(), deals=2, strict=True)
    with pytest.raises(RuntimeError, match="raised KeyError"):
        save(tmp_path / "run", plan)
    assert load(tmp_path / "run").manifest["status"] == "failed"


# --- what cannot be used ----------------------------------------------------------------------------------------------
def test_a_folder_that_holds_a_run_is_refused_and_left_alone(tmp_path: Path) -> None:
    save(tmp_path, plan_of())
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    with pytest.raises(
        RunError,
        match=r"holds a run already; name another folder, or go on with it by --resume .*; nothing was overwritten",
    ):
        RunFolder.create(tmp_path, plan_of())
    (tmp_path / "manifest.json").rename(tmp_path / "elsewhere.json")
    with pytest.raises(RunError, match="holds a run already"):
        RunFolder.create(tmp_path, plan_of())
    (tmp_path / "elsewhere.json").rename(tmp_path / "manifest.json")
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before


def test_a_file_in_place_of_the_folder_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("mine")
    with pytest.raises(RunError, match="file is a file; a run is saved in a folder of its own"):
        RunFolder.create(tmp_path / "file", plan_of())
    with pytest.raises(RunError, match="cannot be made: Not a directory"):
        RunFolder.create(tmp_path / "file" / "below", plan_of())
    assert (tmp_path / "file").read_text() == "mine"


def test_what_cannot_be_written_leaves_nothing_half(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def no_space(descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    plan = plan_of()
    folder = RunFolder.create(tmp_path, plan)
    result = next(play_chunks(plan, plan.chunks()))
    monkeypatch.setattr("os.fsync", no_space)
    with pytest.raises(RunError, match=r"part-00000\.parquet cannot be written: No space left on device"):
        folder.write_part(result)
    assert sorted(path.name for path in tmp_path.iterdir()) == [".lock", "manifest.json"]


def test_a_folder_without_a_run_is_told(tmp_path: Path) -> None:
    with pytest.raises(RunError, match=r"holds no run: manifest\.json cannot be read"):
        load(tmp_path)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "is damaged: it is not JSON"),
        ("[" * 100_000, "is damaged: it is not JSON: it is nested too deeply"),
        ("[]", r"the whole is \[\]; it must be an object"),
        ("{}", "format is missing"),
        ('{"format": 3}', "was changed after it was written"),
        ('{"format": 3, "format": 3}', "has the name 'format' twice"),
        ('{"format": NaN}', "NaN is not a number of JSON"),
        (sealed_text({"format": 4}), "is of format 4; this version reads format 3"),
    ],
)
def test_a_damaged_manifest_is_told(text: str, message: str, tmp_path: Path) -> None:
    (tmp_path / "manifest.json").write_text(text)
    with pytest.raises(RunError, match=message):
        load(tmp_path)


def test_a_missing_or_damaged_part_is_told(tmp_path: Path) -> None:
    save(tmp_path, plan_of())
    part = tmp_path / "part-00001.parquet"
    whole = part.read_bytes()
    part.write_bytes(whole[: len(whole) // 2])
    with pytest.raises(RunError, match=r"part-00001\.parquet is damaged"):
        load(tmp_path).tally()
    part.unlink()
    with pytest.raises(RunError, match=r"part-00001\.parquet is missing, though the run was finished"):
        load(tmp_path)


def test_a_part_that_cannot_be_written_fails_the_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    plan = plan_of(chunk=5)  # a single part: the last one, too, is waited for
    folder = RunFolder.create(tmp_path, plan)

    def no_space(result: Any) -> None:
        raise RunError("part-00000.parquet cannot be written: No space left on device")

    monkeypatch.setattr(folder, "write_part", no_space)
    with pytest.raises(RunError, match="No space left on device"):
        run(plan, folder)
    assert load(tmp_path).manifest["status"] == "failed"
