"""Kills runs at random moments, as often as one likes, and reports how many lost anything.

By hand: python -m tests.arena.runners.kill_runs 100

Each run is started, killed by SIGKILL with its whole process group at a random moment, resumed, killed again, until it
comes to its end between two kills. Then all its files but the manifest, which tells the time, must be those of a run
that nobody disturbed, and no process may be left. It is no test by itself: a hundred kills take minutes.
"""

import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from tests import ROOT

SCENARIOS = {
    "threads": ["greedy", "heuristic", "--deals", "600000"],
    "processes": ["python_agents:Uncertain", "greedy", "--deals", "5000"],
    "bots": [f"exec:{sys.executable} {ROOT}/examples/bots/sample_bot.py", "greedy", "--deals", "300"],
    "agents that die": ["python_agents:DyingSeldom", "greedy", "--deals", "200"],
    "until precise": ["greedy", "heuristic", "--precision", "0.4%"],
}


def contents(folder: Path) -> dict[str, bytes]:
    return {file.name: file.read_bytes() for file in folder.iterdir() if file.name not in ("manifest.json", ".lock")}


def start(folder: Path, arguments: list[str]) -> subprocess.Popen[bytes]:
    environment = {**os.environ, "PYTHONPATH": f"{ROOT}{os.pathsep}{ROOT / 'tests'}"}
    program = [sys.executable, "-m", "bigtwo_sim.cli.main", "tournament", *arguments]
    return subprocess.Popen(
        program, env=environment, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, start_new_session=True
    )


def finish(folder: Path, arguments: list[str]) -> float:
    """Play to the end; return the seconds that it took."""
    began = time.perf_counter()
    process = start(folder, arguments)
    _, errors = process.communicate()
    assert process.returncode == 0, errors.decode()
    return time.perf_counter() - began


def main(kills: int) -> int:
    moments = random.Random(1)
    lost = 0
    for name, arguments in SCENARIOS.items():
        done = runs = 0
        with tempfile.TemporaryDirectory() as text:
            folder = Path(text)
            whole_seconds = finish(folder, [*arguments, "--out", "whole"])
            while done < kills:
                shutil.rmtree(folder / "cut", ignore_errors=True)
                runs += 1
                first = True
                while True:
                    process = start(folder, [*arguments, "--out", "cut"] if first else ["--resume", "cut"])
                    try:
                        process.wait(moments.uniform(0.4, 1.6) * max(whole_seconds, 2.0))
                    except subprocess.TimeoutExpired:
                        os.killpg(process.pid, signal.SIGKILL)
                        process.wait()
                        done += 1
                        first = not (folder / "cut" / "manifest.json").exists()
                        if first:
                            shutil.rmtree(folder / "cut", ignore_errors=True)
                        continue
                    if process.returncode != 0:
                        assert process.stderr is not None
                        print(f"{name}: {process.stderr.read().decode()}")
                        lost += 1
                    break
                if contents(folder / "cut") != contents(folder / "whole"):
                    print(f"{name}: a run of {done} kills differs")
                    lost += 1
                json.loads((folder / "cut" / "manifest.json").read_text())
        print(f"{name}: {done} kills of {runs} runs, {lost} lost anything so far", flush=True)
    return lost


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else 20) > 0)
