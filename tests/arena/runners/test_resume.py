"""A run that was cut off goes on to the same bytes, and one that cannot is told so before anything is written."""

import json
import multiprocessing
import os
import random
import signal
import subprocess
import sys
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from bigtwo_sim.arena import Outcome, Plan, Precision, RunError, RunFolder, load, play_chunks, run
from bigtwo_sim.games.big_two import AgentError, Rules
from bigtwo_sim.roster.spec import agent_from_manifest, parse_agents
from bigtwo_sim.tuning.study import DATABASE
from bigtwo_sim.untrusted.checksums import CHECKSUMS, digest, lines
from bigtwo_sim.untrusted.documents import sealed_text
from tests import ROOT
from tests.cli.command_line import good, refused
from tests.tools.waiting import wait_for

pytestmark = pytest.mark.process

AGENTS = ("greedy", "random", "mine=heuristic:lead_turns=2.5")


def plan_of(*agents: str, blocks: int = 12, chunk: int = 2, **options: Any) -> Plan:
    return Plan.of(parse_agents(agents or AGENTS), Rules(bombs=True), 5, deals=36 * blocks, chunk=chunk, **options)


def play_until(path: Path, plan: Plan, blocks: int | None = None) -> Outcome:
    """Play a new run until so many blocks are done (None: all)."""

    def halt(outcome: Outcome) -> None:
        if outcome.tally.blocks == blocks:
            signal.raise_signal(signal.SIGINT)

    with closing(RunFolder.create(path, plan)) as folder:
        return run(plan, folder, halt)


def resume(path: Path, workers: int = 1) -> Outcome:
    with closing(RunFolder.resume(path, agent_from_manifest)) as folder:
        return run(folder.plan, folder, play=partial(play_chunks, workers=workers))


def contents(path: Path) -> dict[str, bytes]:
    """What a run came to: every file but the manifest, which tells the time."""
    return {file.name: file.read_bytes() for file in path.iterdir() if file.name not in ("manifest.json", ".lock")}


# --- to the same bytes ------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("blocks", [2, 6, 10])
def test_an_interrupted_run_goes_on_to_the_same_bytes(blocks: int, tmp_path: Path) -> None:
    play_until(tmp_path / "whole", plan_of())
    assert play_until(tmp_path / "cut", plan_of(), blocks).status == "interrupted"
    assert not (tmp_path / "cut" / "result.json").exists()
    outcome = resume(tmp_path / "cut", workers=2)
    assert outcome.finished
    assert outcome.deals_played == (12 - blocks) * 36, "what was saved is not played again"
    assert contents(tmp_path / "cut") == contents(tmp_path / "whole")


def test_a_finished_run_is_resumed_without_a_deal(tmp_path: Path) -> None:
    whole = play_until(tmp_path / "run", plan_of())
    before = contents(tmp_path / "run")
    again = resume(tmp_path / "run")
    assert (again.deals_played, again.summary()) == (0, whole.summary())
    assert contents(tmp_path / "run") == before


def test_parts_that_are_gone_are_played_again(tmp_path: Path) -> None:
    play_until(tmp_path / "run", plan_of())
    before = contents(tmp_path / "run")
    for name in ("part-00000.parquet", "part-00003.parquet", "result.json"):
        (tmp_path / "run" / name).unlink()
    assert resume(tmp_path / "run").deals_played == 4 * 36
    assert contents(tmp_path / "run") == before


def test_a_stopping_rule_ends_a_resumed_run_where_it_ended_the_other(tmp_path: Path) -> None:
    plan = plan_of("greedy", "random", blocks=4000, chunk=50, stop=Precision.parse("3%"))
    whole = play_until(tmp_path / "whole", plan)
    assert whole.finished
    assert 200 <= whole.tally.blocks < plan.blocks  # type: ignore[operator]
    play_until(tmp_path / "cut", plan, 100)
    assert resume(tmp_path / "cut", workers=2).summary() == whole.summary()
    assert contents(tmp_path / "cut") == contents(tmp_path / "whole")


def test_what_was_half_written_is_cleared_away(tmp_path: Path) -> None:
    play_until(tmp_path / "run", plan_of(), 4)
    (tmp_path / "run" / ".tmp-part-00002.parquet").write_bytes(b"half of a part")
    resume(tmp_path / "run")
    assert not list((tmp_path / "run").glob(".tmp-*"))


def play_and_kill(folder: Path, deals: int, moments: random.Random) -> int:
    """Play by the command line, killed at random moments until it comes to its end between two; how often it was."""
    program = [sys.executable, "-m", "bigtwo_sim.cli.main", "tournament"]
    arguments = ["greedy", "heuristic", "--deals", str(deals), "--out", str(folder)]
    kills = 0

    def count_parts() -> int:
        return len(list(folder.glob("part-*")))

    while True:
        most = count_parts() + moments.randint(8, 24)
        process = subprocess.Popen(
            [*program, *arguments], env={**os.environ, "PYTHONPATH": str(ROOT)}, stdout=subprocess.DEVNULL
        )
        wait_for("new parts", lambda: count_parts() >= most or process.poll() is not None)  # noqa: B023 - called at once
        process.kill()
        if process.wait() != -signal.SIGKILL:
            assert process.returncode == 0
            return kills
        kills += 1
        arguments = ["--resume", str(folder)]


@pytest.mark.compiled
@pytest.mark.skipif(os.name != "posix", reason="sends a signal")
def test_a_killed_command_goes_on_to_the_same_bytes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    moments = random.Random(7)
    deals = 200_000
    while play_and_kill(Path(f"cut-{deals}"), deals, moments) < 2:
        deals *= 2  # it was too quick to be caught
    good("tournament", "greedy", "heuristic", "--deals", str(deals), "--out", "whole", "--json")
    assert contents(Path(f"cut-{deals}")) == contents(Path("whole"))


def test_ctrl_c_twice_leaves_at_once_and_loses_no_part(tmp_path: Path) -> None:
    plan = plan_of(chunk=1)

    def halt(outcome: Outcome) -> None:
        if outcome.tally.blocks == 3:
            for _ in range(2):
                signal.raise_signal(signal.SIGINT)

    with closing(RunFolder.create(tmp_path / "cut", plan)) as folder:
        assert run(plan, folder, halt).status == "interrupted"
    assert load(tmp_path / "cut").result["blocks"] == 3
    play_until(tmp_path / "whole", plan)
    resume(tmp_path / "cut")
    assert contents(tmp_path / "cut") == contents(tmp_path / "whole")


# --- what cannot go on ------------------------------------------------------------------------------------------------
def changed(path: Path, **values: Any) -> None:
    """Change the manifest, and make its identity fit, as another version would have written it."""
    from bigtwo_sim.arena.store.manifest import identity

    manifest = json.loads((path / "manifest.json").read_text()) | values
    manifest["identity"] = identity(manifest)
    (path / "manifest.json").write_text(sealed_text(manifest))


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"engine_version": "0.0.1"}, r"was played by another engine \(engine_version 0\.0\.1, here"),
        ({"engine_source": "0" * 16}, "was played by another engine"),
        ({"seed": 6}, r"part-00000\.parquet belongs to another run"),
        ({"rules": Rules().to_dict()}, "belongs to another run"),
    ],
)
def test_another_engine_and_other_rules_are_refused(values: dict[str, Any], message: str, tmp_path: Path) -> None:
    play_until(tmp_path / "run", plan_of(), 4)
    changed(tmp_path / "run", **values)
    before = contents(tmp_path / "run")
    with pytest.raises(RunError, match=message):
        resume(tmp_path / "run")
    assert contents(tmp_path / "run") == before


def test_a_manifest_that_was_edited_is_refused(tmp_path: Path) -> None:
    play_until(tmp_path / "run", plan_of(), 4)
    manifest = json.loads((tmp_path / "run" / "manifest.json").read_text())
    manifest["rules"]["bombs"] = "no"
    for text, message in ((json.dumps(manifest), "written"), (sealed_text(manifest), "the run began")):
        (tmp_path / "run" / "manifest.json").write_text(text)
        for read in (resume, load):
            with pytest.raises(RunError, match=f"was changed after {message}|was changed after it was {message}"):
                read(tmp_path / "run")


def test_an_agent_that_was_changed_since_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    bot = "class Bot:\n    def choose(self, view):\n        return view.legal_plays[0].cards\n"
    Path("bot_that_changes.py").write_text(bot)
    play_until(tmp_path / "run", plan_of("bot_that_changes:Bot", "greedy", "random"), 4)
    Path("bot_that_changes.py").write_text(bot + "# better now\n")
    with pytest.raises(AgentError, match="'bot_that_changes:Bot' is not the one that played: it was changed since"):
        resume(tmp_path / "run")


def test_a_damaged_part_is_refused_and_named(tmp_path: Path) -> None:
    play_until(tmp_path / "run", plan_of())
    part = tmp_path / "run" / "part-00002.parquet"
    whole = part.read_bytes()
    for damaged in (whole[:-20], b"", bytes([whole[0]]) + bytes(len(whole) - 1)):
        part.write_bytes(damaged)
        with pytest.raises(RunError, match=r"part-00002\.parquet is damaged .*; delete it and resume the run"):
            resume(tmp_path / "run")
        assert part.read_bytes() == damaged, "nothing was overwritten"
    part.unlink()
    resume(tmp_path / "run")
    assert part.read_bytes() == whole


def test_a_single_wrong_bit_of_a_part_is_noticed(tmp_path: Path) -> None:
    play_until(tmp_path / "run", plan_of())
    part = tmp_path / "run" / "part-00001.parquet"
    whole = part.read_bytes()
    column = pq.read_metadata(part).row_group(0).column(7)  # points
    start = min(filter(None, (column.dictionary_page_offset, column.data_page_offset)))
    middle = start + column.total_compressed_size // 2
    part.write_bytes(whole[:middle] + bytes([whole[middle] ^ 1]) + whole[middle + 1 :])
    with pytest.raises(RunError, match=r"part-00001\.parquet is damaged"):
        resume(tmp_path / "run")


def test_a_part_of_other_blocks_is_refused(tmp_path: Path) -> None:
    play_until(tmp_path / "run", plan_of())
    (tmp_path / "run" / "part-00001.parquet").write_bytes((tmp_path / "run" / "part-00002.parquet").read_bytes())
    with pytest.raises(RunError, match=r"part-00001\.parquet is damaged \(its SHA-256 is not the one in"):
        resume(tmp_path / "run")
    listed_anew(tmp_path / "run")
    with pytest.raises(RunError, match=r"part-00001\.parquet holds other blocks than it must"):
        resume(tmp_path / "run")


def listed_anew(path: Path) -> None:
    """Write the checksums of the files that are there now, as one would who changed them on purpose."""
    names = [file.name for file in path.iterdir() if file.name not in (".lock", "manifest.json", CHECKSUMS)]
    (path / CHECKSUMS).write_text(lines({name: digest((path / name).read_bytes()) for name in names}))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda table: table.set_column(3, "wins_0", pa.nulls(len(table), pa.int16())), "has entries without a value"),
        (lambda table: table.rename_columns(["block", "lineup", "agent", "x", *table.column_names[4:]]), "other col"),
        (lambda table: table.set_column(3, "wins_0", table["wins_0"].cast(pa.int64())), "has other columns than"),
        (lambda table: table.slice(1), r"has \d+ rows; it must have \d+"),
        (lambda table: table.take(list(range(len(table)))[::-1]), "holds other blocks than it must"),
        (lambda table: table, r"belongs to another run \(other rules"),
    ],
)
def test_a_part_of_another_form_is_refused(change: Any, message: str, tmp_path: Path) -> None:
    play_until(tmp_path / "run", plan_of())
    part = tmp_path / "run" / "part-00001.parquet"
    table = pq.read_table(part)
    changed_table = change(table).replace_schema_metadata(None if "run" in message else table.schema.metadata)
    pq.write_table(changed_table, part)
    listed_anew(tmp_path / "run")
    with pytest.raises(RunError, match=rf"part-00001\.parquet .*{message}"):
        resume(tmp_path / "run")


def test_a_part_with_edited_values_is_refused(tmp_path: Path) -> None:
    play_until(tmp_path / "run", plan_of())
    part = tmp_path / "run" / "part-00001.parquet"
    table = pq.read_table(part)
    values = table["points"].to_numpy().copy()
    values[0] += 1
    edited = table.set_column(table.column_names.index("points"), "points", pa.array(values, pa.int32()))
    pq.write_table(edited.replace_schema_metadata(table.schema.metadata), part)
    for read in (resume, load):
        with pytest.raises(RunError, match=r"part-00001\.parquet is damaged \(its SHA-256 is not the one in"):
            read(tmp_path / "run")


def test_a_part_without_its_line_is_played_again(tmp_path: Path) -> None:
    """As it is where the process was killed between the part and its line, or in the middle of the line."""
    play_until(tmp_path / "whole", plan_of())
    for cut in (40, 100, 101):
        path = tmp_path / str(cut)
        play_until(path, plan_of(), 6)
        text = (path / CHECKSUMS).read_bytes()
        (path / CHECKSUMS).write_bytes(text[: len(text) - cut])
        assert resume(path).deals_played >= 7 * 36
        assert contents(path) == contents(tmp_path / "whole")


def test_files_of_others_are_left_alone(tmp_path: Path) -> None:
    play_until(tmp_path / "whole", plan_of())
    play_until(tmp_path / "run", plan_of(), 6)
    part = (tmp_path / "run" / "part-00000.parquet").read_bytes()
    others = ["part-00000 (copy).parquet", "part-1.parquet", "part-000000.parquet", "part-x.parquet", "notes.txt"]
    for name in others:
        (tmp_path / "run" / name).write_bytes(part)
    assert load(tmp_path / "run").result["blocks"] == 6
    resume(tmp_path / "run")
    for name in others:
        assert (tmp_path / "run" / name).read_bytes() == part
        (tmp_path / "run" / name).unlink()
    assert contents(tmp_path / "run") == contents(tmp_path / "whole")


def test_a_folder_in_which_a_run_did_not_begin_can_be_begun(tmp_path: Path) -> None:
    (tmp_path / ".lock").touch()
    (tmp_path / ".tmp-manifest.json").write_text("{")
    assert play_until(tmp_path, plan_of()).finished


def test_a_run_of_an_earlier_format_is_named(tmp_path: Path) -> None:
    play_until(tmp_path / "run", plan_of(), 4)
    path = tmp_path / "run" / "manifest.json"
    manifest = json.loads(path.read_text())
    del manifest["sha256"]
    path.write_text(json.dumps({**manifest, "format": 2}))
    for read in (resume, load):
        with pytest.raises(RunError, match=r"was saved by an earlier version of bigtwo_sim \(format 2\), without the"):
            read(tmp_path / "run")


def test_two_processes_do_not_write_one_folder(tmp_path: Path) -> None:
    with closing(RunFolder.create(tmp_path / "run", plan_of())):
        with pytest.raises(RunError, match="is being written by another process"):
            RunFolder.resume(tmp_path / "run", agent_from_manifest)
        context = multiprocessing.get_context("spawn")
        with context.Pool(1) as pool:
            assert "is being written by another process" in pool.apply(_why_not_resumed, (str(tmp_path / "run"),))
        assert load(tmp_path / "run").manifest["status"] == "running", "reading is always possible"
    resume(tmp_path / "run")


def _why_not_resumed(path: str) -> str:
    try:
        RunFolder.resume(Path(path), agent_from_manifest)
    except RunError as error:
        return str(error)
    return ""


# --- the commands -----------------------------------------------------------------------------------------------------
def test_the_command_says_how_to_go_on_and_goes_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    play_until(tmp_path / "cut", plan_of(), 4)
    whole = play_until(tmp_path / "whole", plan_of())
    report = good("tournament", "--resume", "cut", "--json").json
    assert {name: report[name] for name in ("deals", "pairs")} == {
        name: whole.summary()[name] for name in ("deals", "pairs")
    }
    assert contents(tmp_path / "cut") == contents(tmp_path / "whole")


def test_a_resumed_run_takes_no_other_options(tmp_path: Path) -> None:
    play_until(tmp_path / "run", plan_of(), 4)
    run_folder = str(tmp_path / "run")
    assert "leave out agents, --deals" in refused("tournament", "greedy", "--deals", "5", "--resume", run_folder)
    assert "leave out --rules" in refused("tournament", "--rules", "taiwan", "--resume", run_folder)


@pytest.mark.parametrize(
    ("command", "what", "file"),
    [("tournament", "run", "manifest.json"), ("curve", "curve", "manifest.json"), ("tune", "tuning", DATABASE)],
)
def test_what_is_resumed_must_have_been_begun(command: str, what: str, file: str, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "file").touch()
    for name, why in [
        ("nothing", "is not a folder that exists"),
        ("file", "is not a folder"),
        ("empty", f"holds no {what} (there is no {file} in it)"),
        ("long" * 30_000, "cannot be read: File name too long"),
    ]:
        error = refused(command, "--resume", str(tmp_path / name))
        assert error.startswith(f"bigtwo: --resume: {str(tmp_path)[:90]}")
        assert error.endswith(f"{why}; it must be the folder of a {what} that was begun")
        assert len(error) < 400
