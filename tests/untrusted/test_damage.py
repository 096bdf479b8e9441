"""No flipped bit of a saved run is believed, and no text that somebody mangled ends in a traceback.

`BIGTWO_FLIPS` and `BIGTWO_MUTATIONS` make it as many as one likes; the seeds are fixed.
"""

import json
import os
import random
import shutil
import signal
import sqlite3
from collections.abc import Callable
from contextlib import closing, suppress
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from bigtwo_sim.arena import Outcome, Plan, RunError, RunFolder, load, run, saved_runs
from bigtwo_sim.arena.lineups import read_lineups
from bigtwo_sim.arena.store.manifest import identity
from bigtwo_sim.cli.positions import recorded_view
from bigtwo_sim.games.big_two import AgentError, Fault, FaultError, RecordError, Rules, RulesError
from bigtwo_sim.games.big_two.match import Match
from bigtwo_sim.games.big_two.records.record import Record, check
from bigtwo_sim.games.big_two.records.record_form import RecordedDeal
from bigtwo_sim.plots import speeds
from bigtwo_sim.plots.time import read_curve
from bigtwo_sim.roster.level_file import Level, level_file
from bigtwo_sim.roster.spec import agent_from_manifest, parse_agent, parse_agents
from bigtwo_sim.untrusted.checksums import CHECKSUMS
from bigtwo_sim.untrusted.documents import sealed_text
from tests import ROOT
from tests.cli.command_line import bigtwo
from tests.untrusted.damage import flip, mutated, mutated_values, one_bit_flipped

FLIPS = int(os.environ.get("BIGTWO_FLIPS", "200"))
MUTATIONS = int(os.environ.get("BIGTWO_MUTATIONS", "300"))
CURVE = {
    "format": 1, "agent": "strong", "knob": "worlds", "against": "normal", "rules": {"name": "pagat"}, "seed": 9,
    "blocks": 500, "deals": 2000, "curve": [
        {"value": 1, "milliseconds": 0.5, "win_rate": 0.25, "win_rate_low": 0.2, "win_rate_high": 0.3, "margin": 0.0,
         "margin_low": None, "margin_high": None},
    ],
}  # fmt: skip


# --- flipped bits -----------------------------------------------------------------------------------------------------
def begin(path: Path, blocks: int | None) -> None:
    """A small run in which an agent forfeits; interrupted after so many blocks, or finished (None)."""
    plan = Plan.of(parse_agents(["random", "greedy", "python_agents:Raising"]), Rules(), 5, deals=36 * 6, chunk=1)

    def halt(outcome: Outcome) -> None:
        if outcome.tally.blocks == blocks:
            signal.raise_signal(signal.SIGINT)

    with closing(RunFolder.create(path, plan, "bigtwo tournament")) as folder:
        outcome = run(plan, folder, halt)
        assert outcome.status == ("finished" if blocks is None else "interrupted")
        folder.update(decisions_per_second={"random": 5.5, "greedy": None})
        folder.write_file("curve.json", json.dumps(CURVE).encode())
    assert len(list(path.glob("fault-*.json"))) == 1


@pytest.fixture(scope="module", params=[None, 4], ids=["finished", "interrupted"])
def saved(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("damage") / "run"
    begin(path, request.param)
    return path


def believed(path: Path) -> Any:
    """All that is read from a run."""
    saved = load(path)
    tally = saved.tally()
    faults = [fault.to_dict() for fault in saved.faults]
    return saved.manifest, saved.result, tally.agents(), tally.pairs(), faults, read_curve(path)


def test_no_flipped_bit_of_a_run_is_believed(saved: Path) -> None:
    chance = random.Random(1)
    whole = believed(saved)
    files = [file for file in sorted(saved.iterdir()) if file.stat().st_size]
    assert len(files) >= 9 - 2
    noticed = 0
    for _ in range(FLIPS):
        file = chance.choice(files)
        with one_bit_flipped(file, chance) as place:
            try:
                assert believed(saved) == whole, (file.name, place)
            except (RunError, FaultError) as error:
                noticed += 1
                told = str(error)
            else:
                told = file.name
            assert file.name in told or CHECKSUMS in told, (file.name, place, told)
    assert noticed > 0.8 * FLIPS
    assert believed(saved) == whole


def contents(path: Path) -> dict[str, bytes]:
    return {file.name: file.read_bytes() for file in path.iterdir() if file.name not in ("manifest.json", ".lock")}


def test_a_run_with_a_flipped_bit_is_resumed_to_the_same_bytes_or_not_at_all(saved: Path, tmp_path: Path) -> None:
    chance = random.Random(2)
    shutil.copytree(saved, tmp_path / "whole")
    resume(tmp_path / "whole")
    whole = contents(tmp_path / "whole")
    files = [file.name for file in sorted(saved.iterdir()) if file.stat().st_size]
    refused = 0
    for number in range(max(20, FLIPS // 20)):
        path = tmp_path / str(number)
        shutil.copytree(saved, path)
        name = chance.choice(files)
        place = flip(path / name, chance)
        try:
            resume(path)
        except (RunError, FaultError):
            refused += 1
        else:
            listed = {CHECKSUMS: b""} if name == CHECKSUMS else {}  # a file that it lost is there, but is not listed
            assert contents(path) | listed == whole | listed, (name, place)
        shutil.rmtree(path)
    assert refused > 5


def resume(path: Path) -> None:
    with closing(RunFolder.resume(path, agent_from_manifest)) as folder:
        assert run(folder.plan, folder).finished


def test_a_tuning_with_a_flipped_bit_is_the_same_or_refused(tmp_path: Path) -> None:
    pytest.importorskip("optuna")
    from bigtwo_sim.arena.store.manifest import describe
    from bigtwo_sim.tuning.study import DATABASE, Tried, TuningStudy
    from bigtwo_sim.tuning.task import Task

    chance = random.Random(3)
    agent = describe(parse_agent("easy"))
    task = Task(agent, [agent], Rules().to_dict(), "points", ["timid"], 1, 10**6, 4, 2, "0" * 16, "bigtwo tune")
    study = TuningStudy.create(tmp_path, task)
    study.add([Tried({"timid": n / 16}, n / 3, n // 4, n % 4, 0.5) for n in range(8)], {"timid": (0.0, 1.0)})
    study.keep("leaders", [{"settings": {"timid": 0.5}}])
    study.close()
    with closing(sqlite3.connect(tmp_path / DATABASE)) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")

    def known() -> Any:
        study = TuningStudy.open(tmp_path)
        try:
            return study.task, [(one.params, one.value, one.user_attrs) for one in study.trials], study.kept("leaders")
        finally:
            study.close()

    task_was, trials, leaders = known()
    whole = (tmp_path / DATABASE).read_bytes()
    told = []
    for _ in range(max(20, FLIPS // 20)):
        flip(tmp_path / DATABASE, chance)
        try:
            found, there, led = known()
        except RunError as error:
            told.append(str(error))
        else:
            assert found == task_was
            assert there == trials[: len(there)], "what is missing at the end is played again"
            assert led in (leaders, None)
        for file in tmp_path.glob(f"{DATABASE}*"):
            file.unlink()
        (tmp_path / DATABASE).write_bytes(whole)
    assert all(DATABASE in text for text in told)
    assert FLIPS < 1000 or told


# --- mangled texts ----------------------------------------------------------------------------------------------------
def level_text() -> str:
    levels = [Level("a", "heuristic", {"blunder": 0.5, "noise": 1.0}, "one"), Level("b", "greedy", {}, "two")]
    return json.dumps(level_file(*levels), indent=2)


def read_level(path: Path) -> None:
    for name in ("a", "b"):
        parse_agent(f"level:{path}#{name}")


def record_text() -> str:
    match = Match(Rules(), 5, None)
    deal = match.next_deal()
    while not deal.is_over:
        deal.play(deal.view().legal_plays[0].cards) if deal.view().legal_plays else deal.pass_()
    return Record(Rules(), 5, ("you", "a", "b", "c"), (RecordedDeal.of(deal),)).text()


def read_record(path: Path) -> None:
    check(Record.load(path))


def deal_text() -> str:
    answer = bigtwo("deal", "random", "greedy", "random", "greedy", "--json")
    assert answer.code == 0, answer.err
    return answer.out


def rules_text() -> str:
    return "".join(f'{name} = "{value}"\n' for name, value in Rules().to_dict().items()) + 'preset = "pagat"\n'


def lineups_text() -> str:
    return "strong greedy greedy 'a b'  # one\n\nx=random greedy greedy strong\n"


TEXTS: list[tuple[str, Callable[[], str], Callable[[Path], Any], type[Exception]]] = [
    ("level.json", level_text, read_level, AgentError),
    ("rules.toml", rules_text, Rules.from_toml, RulesError),
    ("game.bigtwo", record_text, read_record, RecordError),
    ("deal.json", deal_text, partial(recorded_view, at="3"), ValueError),
    ("lineups.txt", lineups_text, lambda path: read_lineups(path.read_text(encoding="utf-8")), ValueError),
    ("curve.json", lambda: json.dumps(CURVE), read_curve, RunError),
]


@pytest.mark.parametrize(("name", "text", "read", "error"), TEXTS, ids=[name for name, *_ in TEXTS])
def test_a_mangled_text_is_read_or_refused(name: str, text: Any, read: Any, error: Any, tmp_path: Path) -> None:
    chance = random.Random(name)
    whole = text().encode()
    path = tmp_path / name
    path.write_bytes(whole)
    read(path)
    refused: list[Exception] = []
    for _ in range(MUTATIONS // 3):
        if name.endswith(".json") and chance.random() < 0.5:
            data = json.dumps(mutated_values(json.loads(whole), chance)).encode()
        else:
            data = mutated(whole, chance)
        path.write_bytes(data)
        try:
            read(path)
        except error as found:
            refused.append(found)
    assert len(refused) > MUTATIONS // 12
    for found in refused:
        assert "\x1b" not in str(found), "nothing of it reaches a terminal raw"
        assert not isinstance(found, UnicodeError) or name == "lineups.txt"


def test_a_mangled_report_of_bench_is_drawn_or_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    report = json.loads((ROOT / "results" / "reference" / "bench.json").read_text())
    report["results"] = report["results"][:3]
    monkeypatch.setattr(speeds, "_bars", lambda *rows: None)
    chance = random.Random(5)
    refused = 0
    for _ in range(MUTATIONS // 3):
        try:
            speeds.throughput(mutated_values(report, chance))
        except RunError:
            refused += 1
    assert refused > MUTATIONS // 12


def test_a_mangled_fault_is_read_or_refused(saved: Path, tmp_path: Path) -> None:
    (whole,) = [file.read_bytes() for file in saved.glob("fault-*.json")]
    chance = random.Random(6)
    told = []
    for number in range(MUTATIONS // 3):
        values = mutated_values(json.loads(whole), chance)
        (tmp_path / "fault.json").write_bytes(json.dumps(values).encode() if number % 2 else mutated(whole, chance))
        try:
            Fault.load(tmp_path / "fault.json")
        except FaultError as error:
            told.append(str(error))
    assert len(told) > MUTATIONS // 12
    assert all(text.startswith(str(tmp_path / "fault.json")) for text in told)


@pytest.mark.parametrize("sealed", [True, False])
def test_a_mangled_manifest_is_read_or_refused_and_spoils_no_list(saved: Path, sealed: bool, tmp_path: Path) -> None:
    """Also one whose hashes somebody made fit."""
    shutil.copytree(saved, tmp_path / "mangled")
    shutil.copytree(saved, tmp_path / "whole")
    path = tmp_path / "mangled" / "manifest.json"
    whole = path.read_bytes()
    chance = random.Random(7)
    refused = 0
    for number in range(MUTATIONS // 12):
        values = mutated_values(json.loads(whole), chance)
        if sealed:
            values["identity"] = identity(values)
            try:
                path.write_text(sealed_text(values))
            except ValueError:
                continue
        else:
            path.write_bytes(mutated(whole, chance))
        refused += isinstance(dict(saved_runs(tmp_path))[tmp_path / "mangled"], RunError)
        if number % 10 == 0:
            listed = bigtwo("results", str(tmp_path))
            assert listed.code == 0, listed.err
            assert "whole" in listed.out
        shown = bigtwo("results", str(tmp_path / "mangled"))
        assert "BIGTWO_DEBUG" not in shown.err, (values, shown.err)
        if number % 5 == 0:
            with suppress(RunError, AgentError):
                resume(tmp_path / "mangled")
        shutil.rmtree(tmp_path / "mangled")
        shutil.copytree(saved, tmp_path / "mangled")
    assert refused > MUTATIONS // 48
