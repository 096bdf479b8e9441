"""A run on Dask comes out as here, to the byte, whatever happens to workers, scheduler and client."""

import importlib
import os
import pickle
import re
import shutil
import signal
import socket
import sys
import threading
from collections.abc import Iterator
from contextlib import ExitStack, closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import psutil
import pytest

from bigtwo_sim.arena import Chunk, Halt, Outcome, Plan, RunError, RunFolder, play_chunks, run
from bigtwo_sim.arena.runners import cluster
from bigtwo_sim.arena.runners.cluster import connected
from bigtwo_sim.arena.runners.cluster_worker import Call, _Run, compact, forget, pack_run, play, raise_if_other
from bigtwo_sim.bots.isolation import bot
from bigtwo_sim.core.code_cache import engine
from bigtwo_sim.games.big_two import AgentError, AgentFault, Rules
from bigtwo_sim.games.big_two.game import COUNTING
from bigtwo_sim.roster.spec import agent_from_manifest, parse_agent, parse_agents
from tests import PLAYERS, ROOT
from tests.arena.runners.dask_processes import Scheduler, Started, Workers, ended
from tests.cli.command_line import bigtwo, good, refused
from tests.tools.waiting import PATIENCE, wait_for

pytestmark = pytest.mark.process

distributed = pytest.importorskip("distributed", reason="the extra [cluster] is not installed")

AGENTS = ("greedy", "random", "mine=heuristic:lead_turns=2.5")
NO_LOCAL = " local local: local:0 local:-1 local:1025 local:2x local:1,2"
NO_REMOTE = "tcp:// tcp://host host:1 tcp://host:port tcp://host:65536 tcp://:8786 udp://host:1 tcp://host:1/x"
MANY = ("--deals", "250000")  # some seconds, in some thirty chunks


def plan_of(*agents: str, blocks: int = 12, **options: Any) -> Plan:
    chosen = parse_agents(agents or AGENTS)
    a_block = Plan.of(chosen, Rules(), deals=1).deals_a_block
    return Plan.of(chosen, Rules(bombs=True), 5, deals=blocks * a_block, chunk=2, **options)


def contents(path: Path) -> dict[str, bytes]:
    """What a run came to: every file but the manifest, which tells the time."""
    return {file.name: file.read_bytes() for file in path.iterdir() if file.name not in ("manifest.json", ".lock")}


def play_in(path: Path, plan: Plan, **options: Any) -> Outcome:
    with closing(RunFolder.create(path, plan)) as folder:
        return run(plan, folder, **options)


def resume(path: Path, **options: Any) -> Outcome:
    with closing(RunFolder.resume(path, agent_from_manifest)) as folder:
        return run(folder.plan, folder, **options)


@dataclass
class Site:
    """A scheduler with two workers, and the folder in which these were started."""

    address: str
    workers: Workers
    folder: Path


def workers_of(scheduler: Scheduler, folder: Path, processes: int) -> Workers:
    return Workers(folder, scheduler.address, processes, PYTHONPATH=os.pathsep.join(map(str, (ROOT, PLAYERS))))


@pytest.fixture(autouse=True)
def _patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """A scheduler may take its time."""
    monkeypatch.setattr(cluster, "CONNECTING", PATIENCE)


def client_in(folder: Path, *arguments: str) -> Started:
    """`bigtwo tournament` in a process of its own, as patient as the tests."""
    code = (
        f"from bigtwo_sim.arena.runners import cluster; cluster.CONNECTING = {PATIENCE}\n"
        f"from bigtwo_sim.cli.main import main\n"
        "if __name__ == '__main__': main()"
    )
    (folder / "client.py").write_text(code, encoding="utf-8")
    return Started(folder, "client", "client.py", "tournament", *arguments, PYTHONPATH=str(ROOT))


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    folder = tmp_path_factory.mktemp("site")
    with ended(Scheduler(folder)) as scheduler, ended(workers_of(scheduler, folder, 2)) as workers:
        workers.await_all(2)
        yield Site(scheduler.address, workers, folder)


@pytest.fixture(scope="module")
def here(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """What the command line with `MANY` deals comes to in this process."""
    path = tmp_path_factory.mktemp("here") / "run"
    good("tournament", *AGENTS, *MANY, "--out", str(path))
    return contents(path)


# --- what a worker does -----------------------------------------------------------------------------------------------
def test_a_call_happens_where_it_is_opened() -> None:
    assert pickle.loads(Call(divmod, 17, 5).packed()) == (3, 2)
    with pytest.raises(ZeroDivisionError):
        pickle.loads(Call(divmod, 17, 0).packed())


@pytest.mark.parametrize(("most", "kind"), [(0, np.int16), (32767, np.int16), (-40000, np.int32), (2**40, np.int64)])
def test_sums_travel_in_the_smallest_type_that_holds_them(most: int, kind: Any) -> None:
    sums = np.array([[[0, most]]], np.int64)
    assert compact(sums).dtype == kind
    assert (compact(sums) == sums).all()
    assert compact(np.empty((0, 4, 8), np.int64)).size == 0


def test_a_worker_asks_for_the_plan_once_and_forgets_it_at_the_end() -> None:
    plan = plan_of()
    (expected,) = play_chunks(plan, [Chunk(0, 4, 3)])
    stdout = sys.stdout
    try:
        assert play("a", 4, 3, False, engine(), None) is None
        for packed in (pack_run(plan), None):
            answer = play("a", 4, 3, False, engine(), packed)
            assert answer is not None
            assert (answer[0] == expected.sums).all()
        forget("a")
        forget("a")
        assert play("a", 4, 3, False, engine(), None) is None
    finally:
        sys.stdout = stdout


def test_each_thread_of_a_worker_has_python_agents_of_its_own() -> None:
    plan = plan_of("mine=python_agents:Counting", "greedy", blocks=2)
    kept = _Run(pack_run(plan))
    here, there = [], threading.Thread(target=lambda: there_made.append(kept.play(Chunk(0, 0, 1), False)))
    there_made: list[Any] = []
    here.append(kept.play(Chunk(0, 0, 1), False))
    there.start()
    there.join()
    assert len(kept._players) == 2
    assert (here[0][0] == there_made[0][0]).all(), "one that counts its decisions began anew"
    kept.close()
    compiled = _Run(pack_run(plan_of()))
    for thread in [threading.Thread(target=compiled.play, args=(Chunk(0, 0, 1), False)) for _ in range(2)]:
        thread.start()
        thread.join()
    assert len(compiled._players) == 1


@pytest.mark.parametrize("name", engine())
def test_another_version_of_anything_is_refused(name: str) -> None:
    raise_if_other(engine(), engine())
    with pytest.raises(RunError, match=f"{name} is other and on the machine that saves the run .*; install the same"):
        raise_if_other(engine(), {**engine(), name: "other"})
    with pytest.raises(RunError, match=f"{name} is None"):
        raise_if_other(engine(), {key: value for key, value in engine().items() if key != name})


# --- what cannot be meant or had --------------------------------------------------------------------------------------
@pytest.mark.parametrize("text", [*NO_LOCAL.split(" "), *NO_REMOTE.split(" "), "tcp://a b:1", " local:1"])
def test_a_text_that_names_no_cluster_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=rf"cluster is {re.escape(repr(text))}; it must be local:N with N from 1 to"):
        connected(text)


@pytest.mark.parametrize("text", ["local:1", "local:1024", "tcp://host:8786", "tls://10.0.0.1:1", "tcp://[::1]:65535"])
def test_a_text_that_names_a_cluster_connects_when_it_is_entered(text: str) -> None:
    connected(text)


def test_the_command_line_refuses_what_it_cannot_mean(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    error = refused("tournament", "greedy", "--cluster", "nowhere", "--out", "run")
    assert "--cluster is 'nowhere'; it must be local:N" in error
    assert not Path("run").exists()
    assert "give one of them" in refused("tournament", "greedy", "--cluster", "local:2", "--workers", "2")


def test_without_the_package_it_is_said_how_to_get_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in sys.modules if name.partition(".")[0] == "distributed"]:
        monkeypatch.setitem(sys.modules, name, None)
    with (
        pytest.raises(
            RunError, match=r"a cluster needs the extra \[cluster\], of which distributed.* is missing: pip install"
        ),
        connected("tcp://127.0.0.1:8786"),
    ):
        pass
    monkeypatch.chdir(tmp_path)
    answer = bigtwo("tournament", "random", "greedy", "--cluster", "local:1", "--out", "run")
    assert answer.code == 2
    assert answer.err.splitlines()[-1].endswith("is missing: pip install 'bigtwo-sim[cluster]'")
    assert not Path("run").exists()


@pytest.mark.parametrize("listening", [False, True])
def test_an_address_where_no_scheduler_answers(listening: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cluster, "CONNECTING", 0.5)
    with socket.socket() as server:
        server.bind(("127.0.0.1", 0))
        if listening:
            server.listen()
        address = f"tcp://127.0.0.1:{server.getsockname()[1]}"
        expected = rf"no Dask scheduler answers at {address} within 0.5 s \(.+\); start one with: dask scheduler"
        with pytest.raises(RunError, match=expected), connected(address):
            pass


# --- with real processes ----------------------------------------------------------------------------------------------
@pytest.mark.slow
def test_a_run_on_a_cluster_has_the_bytes_of_one_here(site: Site, tmp_path: Path) -> None:
    plan = plan_of(*AGENTS, "python=python_agents:Uncertain", "fault=python_agents:Raising", blocks=6)
    play_in(tmp_path / "here", plan)
    with connected(site.address) as play_on_cluster:
        assert play_in(tmp_path / "there", plan, play=play_on_cluster).finished
    assert contents(tmp_path / "there") == contents(tmp_path / "here")
    assert {"fault-4.json", "part-00002.parquet", "result.json"} <= set(contents(tmp_path / "there"))


@pytest.mark.slow
@pytest.mark.compiled
def test_nothing_of_a_run_is_left_on_scheduler_and_workers(site: Site) -> None:
    def tasks(dask_scheduler: Any) -> list[Any]:
        return [*dask_scheduler.tasks, *dask_scheduler.worker_plugins.keys() - {"shuffle"}]

    def runs() -> list[str]:
        from bigtwo_sim.arena.runners.cluster_worker import _Kept

        return list(_Kept.runs)

    with connected(site.address) as play_on_cluster:
        run(plan_of(blocks=40), play=play_on_cluster)
        with distributed.Client(site.address, set_as_default=False) as client:
            wait_for("no task", lambda: client.run_on_scheduler(tasks) == [])
            assert set(map(tuple, client.run(runs).values())) == {()}


@pytest.mark.slow
@pytest.mark.compiled
def test_a_worker_killed_in_the_middle_loses_nothing(site: Site, tmp_path: Path) -> None:
    plan = plan_of(blocks=150)
    killed = []

    def kill(outcome: Outcome) -> None:
        if outcome.tally.blocks in (20, 80):
            process = wait_for("a worker", site.workers.processes)[0]
            process.kill()
            killed.append(process)

    play_in(tmp_path / "here", plan)
    with connected(site.address) as play_on_cluster:
        assert play_in(tmp_path / "there", plan, progress=kill, play=play_on_cluster).finished
    assert len(killed) == 2
    assert contents(tmp_path / "there") == contents(tmp_path / "here")
    wait_for("the workers that are started again", lambda: site.workers.text.count("Registered to") >= 4)


@pytest.mark.slow
@pytest.mark.compiled
def test_a_client_killed_in_the_middle_goes_on_to_the_same_bytes(
    site: Site, here: dict[str, bytes], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    client = client_in(tmp_path, *AGENTS, *MANY, "--out", "there", "--cluster", site.address)
    with ended(client):
        wait_for("three parts", lambda: len(list(tmp_path.glob("there/part-*"))) >= 3 or not client.running)
        client.send(signal.SIGKILL)
        assert client.wait() == -signal.SIGKILL, client.text
    assert not Path("there/result.json").exists()
    answer = good("tournament", "--resume", "there", "--cluster", site.address)
    assert contents(Path("there")) == here
    assert answer.err == ""


@pytest.mark.slow
@pytest.mark.compiled
def test_agents_that_the_workers_cannot_have_are_told_with_the_worker(
    site: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    source = "from python_agents import Weakest\n\ndef make():\n    return Weakest()\n"
    (tmp_path / "only_here.py").write_text(source)
    (tmp_path / "on_both.py").write_text(source)
    (site.folder / "on_both.py").write_text(source + "\n")
    program = tmp_path / "bot"
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    importlib.invalidate_caches()
    for agent, kind, message in [
        (parse_agent("only_here:make"), AgentError, "only_here:make: there is no module 'only_here'"),
        (
            parse_agent("on_both:make"),
            RunError,
            "the agent 'on_both:make' is another one than where the run is saved",
        ),
        (bot("bot", "./bot"), AgentError, "there is no program './bot'"),
    ]:
        with connected(site.address) as play_on_cluster, pytest.raises(kind) as error:
            run(Plan.of([agent], Rules(), deals=10), play=play_on_cluster)
        assert re.match(rf"the worker tcp://127.0.0.1:\d+: {message}", str(error.value)), error.value
    with connected(site.address) as play_on_cluster, pytest.raises(AgentFault, match="no such weight"):
        run(plan_of("python_agents:Raising", strict=True), play=play_on_cluster)


@pytest.mark.slow
@pytest.mark.compiled
def test_a_worker_with_another_engine_is_refused_before_it_plays(
    site: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for package in (ROOT / "bigtwo_sim", ROOT / "agents" / "bigtwo_agents"):
        shutil.copytree(package, tmp_path / package.name, ignore=shutil.ignore_patterns("__pycache__"))
    with (tmp_path / "bigtwo_sim" / "core" / "cards.py").open("a") as source:
        source.write("# changed\n")
    with ended(Workers(tmp_path, site.address, 1, PYTHONPATH=str(tmp_path))) as workers:
        workers.await_all(1)
        with pytest.raises(RunError, match=r"the worker tcp://.*: its sources is .* and on the machine that saves"):
            connected(site.address).__enter__()
    # One that comes when the run has begun says so itself.
    with connected(site.address) as play_on_cluster:
        monkeypatch.setattr(cluster, "engine", lambda: {**engine(), "numba": "0.1"})
        with pytest.raises(RunError, match=r"the worker tcp://.*: numba is .* run 0\.1, so its deals may differ"):
            run(plan_of(), play=play_on_cluster)


@pytest.mark.slow
@pytest.mark.compiled
def test_a_run_waits_for_workers_and_survives_the_loss_of_its_scheduler(
    site: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cluster, "ABSENCE", 0.0)
    plan = plan_of(blocks=150)
    play_in(tmp_path / "here", plan)
    there = tmp_path / "there"
    said: list[str] = []
    with ExitStack() as started:
        scheduler: Scheduler = started.enter_context(ended(Scheduler(tmp_path)))
        crew: list[Workers] = []

        def answer(text: str) -> None:
            """The first time start a worker, then Ctrl-C, then start a worker again."""
            said.append(text)
            if len(said) == 2:
                os.kill(os.getpid(), signal.SIGINT)
            else:
                crew.append(started.enter_context(ended(workers_of(scheduler, tmp_path, 1))))

        def lose_workers(outcome: Outcome) -> None:
            if outcome.tally.blocks == 20:
                crew[0].end()

        def lose_scheduler(outcome: Outcome) -> None:
            if outcome.tally.blocks == 60:
                scheduler.send(signal.SIGKILL)

        with connected(scheduler.address, answer) as play_on_cluster:
            outcome = play_in(there, plan, progress=lose_workers, play=play_on_cluster)
        assert outcome.status == "interrupted"
        assert 20 <= outcome.tally.blocks < 60
        lost = f"the connection to the scheduler at {scheduler.address} was lost"
        with connected(scheduler.address, answer) as play_on_cluster, pytest.raises(RunError, match=lost):
            resume(there, progress=lose_scheduler, play=play_on_cluster)
    start = f"dask worker {scheduler.address} --nthreads 1"
    assert said == [f"Waiting for workers: the scheduler at {scheduler.address} has none. Start some with: {start}"] * 3
    with connected(site.address) as play_on_cluster:
        assert resume(there, play=play_on_cluster).finished
    assert contents(there) == contents(tmp_path / "here")


# --- processes of our own ---------------------------------------------------------------------------------------------
@pytest.mark.slow
@pytest.mark.compiled
def test_local_workers_end_with_the_run_however_it_ends(
    here: dict[str, bytes], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)

    def count_parts() -> int:
        return len(list(tmp_path.glob("there/part-*")))

    for number, arguments in [
        (signal.SIGINT, (*AGENTS, *MANY, "--out", "there", "--cluster", "local:2")),
        (signal.SIGKILL, ("--resume", "there", "--cluster", "local:1")),
    ]:
        with ended(client_in(tmp_path, *arguments)) as process:
            parts = count_parts() + 3
            wait_for("parts", lambda: count_parts() >= parts or not process.running)  # noqa: B023 - called at once
            below = process.children()
            listening = [
                connection.laddr.ip
                for child in [psutil.Process(process.pid), *below]
                for connection in child.net_connections()
                if connection.status == psutil.CONN_LISTEN
            ]
            assert set(listening) == {"127.0.0.1"}
            if number == signal.SIGINT:
                os.killpg(process.pid, number)  # as Ctrl-C does: to the workers as well
                assert process.wait() == 130, process.text
                assert "go on with: bigtwo tournament --resume there --cluster local:2" in process.text
            else:
                process.send(number)
                process.wait()
            assert psutil.wait_procs(below, timeout=PATIENCE)[1] == []
    assert good("tournament", "--resume", "there").code == 0
    assert contents(Path("there")) == here


@pytest.mark.slow
@pytest.mark.compiled
def test_an_agent_that_ends_its_worker_forfeits_alone(capsys: pytest.CaptureFixture[str]) -> None:
    agents = parse_agents(["python_agents:Mortal", "greedy"])
    plan = Plan.of(agents, Rules(), deals=4, lineups=[(0, 1, 1, 1)])
    with connected("local:1") as play_on_cluster:
        (result,) = play_on_cluster(plan, plan.chunks(), halt=Halt())
    assert result.faults[0].reason == "ended its process with exit code 7"
    forfeits = result.sums[0, :, COUNTING.column("forfeits")]
    assert (forfeits > 0).tolist() == [True, False]
    assert capsys.readouterr().err == ""
