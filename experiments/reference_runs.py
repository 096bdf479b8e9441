"""What do the agents do among each other, at which speed, under which rules?

Runs the commands whose figures the documents quote, all tournaments on decks that no tuning saw. Writes
results/reference/reference_runs.json, a list of the commands with how long each took, and beside it one file a command,
NAME.json, with what it prints with `--json`. As arguments, parts of it: `bench`, `agents`, `skilled`, `worlds`,
`presets`; without one, all.
"""

from __future__ import annotations

import json
import shlex
import tempfile
import time
from collections.abc import Iterator, Sequence
from typing import Any

from study import SEED, bigtwo, options_of, table

OUTPUT = "results/reference/reference_runs.json"
QUICK_DEALS = 24

BENCH = "bench"
WORLDS = {10: 8_000, 30: 8_000, 100: 8_000, 1000: 4_000}
PRESETS = ("singapore", "pagat", "hong_kong", "taiwan", "charlesworth")


def among_three(agent: str, other: str, deals: int, seed: int = SEED, more: str = "") -> str:
    """A tournament of one among three of another."""
    return f"tournament {agent} {other} {other} {other} --deals {deals} --seed {seed}{more}"


RUNS: dict[str, dict[str, str]] = {
    "bench": {"bench": BENCH},
    "agents": {
        f"{agent}-among-{other}": among_three(agent, other, deals)
        for agent, other, deals in (
            ("greedy", "random", 40_000),
            ("heuristic", "random", 40_000),
            ("heuristic", "greedy", 40_000),
            ("strong", "heuristic", 8_000),
            ("strong", "greedy", 8_000),
            ("heuristic", "strong", 8_000),
        )
    },
    "skilled": {
        f"tuned-{agent}-among-{other}": among_three(agent, other, deals, seed)
        for other, deals, seed in (
            ("heuristic", 400_000, 77),
            ("skilled", 400_000, 77),
            ("greedy", 400_000, 77),
            ("easy", 200_000, 78),
        )
        for agent in ("heuristic", "skilled")
        if agent != other
    },
    "worlds": {
        f"worlds-{worlds}": among_three(f"strong:worlds={worlds}", "heuristic", deals)
        for worlds, deals in WORLDS.items()
    },
    "presets": {
        **{
            f"rules-{rules}": among_three("strong:worlds=100", "heuristic", 8_000, more=f" --rules {rules}")
            for rules in PRESETS
        },
        "rules-charlesworth-greedy": among_three("strong", "greedy", 8_000, more=" --rules charlesworth"),
    },
}
"""The commands by part and by the name of their file."""


def made_small(command: str) -> str:
    """The same command, for a look at whether it works."""
    if command == BENCH:
        return "bench --only greedy --repetitions 2 --milliseconds 5"
    words = command.split()
    words[words.index("--deals") + 1] = str(QUICK_DEALS)
    return " ".join(words).replace("strong:worlds=1000", "strong:worlds=100")


def reports(parts: Sequence[str], quick: bool) -> Iterator[tuple[str, str, Any, float]]:
    """Each run: its name, its command, its report and its seconds. A quick one is the first of each part."""
    for part in parts:
        for name, full in list(RUNS[part].items())[: 1 if quick else None]:
            command = made_small(full) if quick else full
            began = time.perf_counter()
            with tempfile.TemporaryDirectory() as folder:
                saved = ["--out", f"{folder}/run"] if command.startswith("tournament") else []
                report = bigtwo(*shlex.split(command), *saved)
            yield name, command, report, time.perf_counter() - began


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the commands, save what each prints, print which there were."""
    options = options_of(__doc__, OUTPUT, arguments, RUNS)
    done = []
    for name, command, report, seconds in reports(options.parts, options.quick):
        if options.out is not None:
            text = json.dumps(report, indent=2, ensure_ascii=False) + "\n"
            options.out.with_name(f"{name}.json").write_text(text, encoding="utf-8")
        done.append({"file": f"{name}.json", "command": f"bigtwo {command} --json", "seconds": round(seconds, 1)})
    options.save(runs=done)
    print(
        table(
            ("file", "command", "s"), [(f"`{run['file']}`", f"`{run['command']}`", f"{run['seconds']}") for run in done]
        )
    )


if __name__ == "__main__":
    main()
