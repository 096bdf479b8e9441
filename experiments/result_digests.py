"""Did a change of the code change any result?

Runs fixed commands and compares digests of what they compute with the kept ones, in
results/reference/result_digests.json, which `--write` replaces; ends with 1 where one is different. What a digest
covers: `result.json`, all columns of every Parquet part, and what a command prints with `--json`, but for what names
the machine, the time and the sources. `--quick` runs only the first command of each kind.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import re
import shlex
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq

from study import ROOT, Options, bigtwo, command_of, parser_of, table

OUTPUT = "results/reference/result_digests.json"

# Every decision of this one is a fault, so that what forfeits do is among the results.
SLOWPOKE = """
class Slowpoke:
    def choose(self, view):
        raise ValueError("too slow")

def make():
    return Slowpoke()
"""

# An agent written in Python that plays legally: a weak one, so that any change of what it is shown shows.
MIDDLING = """
class Middling:
    def choose(self, view):
        options = view.legal_plays
        if view.may_pass and len(options) < 3:
            return type(view.hand)()
        return options[len(options) // 2].cards
"""
MODULES = {"slowpoke": SLOWPOKE, "middling": MIDDLING}

RUNS = {
    "presets": [
        f"tournament heuristic greedy random --rules {rules} --deals 2400 --seed 7"
        for rules in ("singapore", "pagat", "hong_kong", "taiwan", "charlesworth")
    ],
    "line-ups": [
        "tournament heuristic greedy easy --lineups gauntlet --deals 3000 --seed 11",
        "tournament heuristic greedy --mirror --deals 2000 --seed 12",
        "tournament monte_carlo:worlds=12 skilled normal --deals 240 --seed 13",
        "tournament strong heuristic --deals 168 --seed 14",
        "tournament slowpoke:make heuristic --deals 300 --seed 15",
        "tournament middling:Middling heuristic --deals 300 --seed 20",
        "tournament heuristic:blunder=0.2 easy --deals 2000 --seed 16 --set bombs=yes",
        "tournament heuristic greedy --precision 1% --deals 40000 --seed 17",
        "tournament heuristic greedy --test 'heuristic>greedy' --deals 40000 --seed 18",
        "curve monte_carlo --knob worlds --values 5,20 --deals 300 --seed 19",
    ],
    "big three": [
        "tournament --game big-three heuristic greedy random --deals 3000 --seed 21",
        "tournament --game big-three --rules as_printed monte_carlo:worlds=10 heuristic --deals 120 --seed 22",
    ],
}
"""Commands that save a folder."""
PRINTED = [
    "match heuristic greedy normal easy --matches 60 --seed 31",
    "deal heuristic greedy strong random --seed 32",
    "deal --game big-three heuristic greedy monte_carlo:worlds=20 --seed 33",
    "poker equity AsKs QhQd",
    "rules pagat",
]
RECORD = "deal heuristic greedy normal easy --seed 34"
OF_RECORD = "analyse --record deal.json --at 9 --worlds 60 --seed 3"
"""The analysis of a turn of that deal."""
# What is not a result: of the machine, of the moment, or a name that may change.
NOISE = re.compile(
    r"(seconds|second$|per_hour|started|command|folder|path|milliseconds|_ms$|^ms|engine|version|source|worker_deaths)"
)


def without_noise(value: Any) -> Any:
    """The same value without what names the machine, the time or the sources."""
    if isinstance(value, dict):
        return {key: without_noise(item) for key, item in value.items() if not NOISE.search(key)}
    if isinstance(value, list):
        return [without_noise(item) for item in value]
    return value


def of_value(value: Any) -> str:
    """The digest of what a JSON text holds."""
    kept = json.dumps(without_noise(value), sort_keys=True, ensure_ascii=False)
    return hashlib.sha256(kept.encode()).hexdigest()[:16]


def of_part(path: Path) -> str:
    """The digest of a Parquet part: names, types and values of its columns."""
    columns = pq.read_table(path)
    digest = hashlib.sha256()
    for name in sorted(columns.column_names):
        digest.update(f"{name} {columns.schema.field(name).type} {columns.column(name).to_pylist()}\n".encode())
    return digest.hexdigest()[:16]


def of_folder(folder: Path) -> dict[str, str]:
    """The digests of a saved run, by file."""
    found = {}
    for path in sorted(folder.rglob("*")):
        name = str(path.relative_to(folder))
        if path.name in ("result.json", "curve.json"):
            found[name] = of_value(json.loads(path.read_text(encoding="utf-8")))
        elif path.suffix == ".parquet":
            found[name] = of_part(path)
    return found


def measured(quick: bool) -> dict[str, Any]:
    """The digests of everything by command, or those of the first command of each kind."""
    digests: dict[str, Any] = {}
    first = slice(1 if quick else None)
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        for module, source in MODULES.items():
            (Path(folder) / f"{module}.py").write_text(source, encoding="utf-8")
        for commands in RUNS.values():
            for command in commands[first]:
                out = Path(folder) / f"run{len(digests)}"
                bigtwo(*shlex.split(command), "--out", str(out))
                digests[command] = of_folder(out)
        for command in PRINTED[first]:
            digests[command] = of_value(bigtwo(*shlex.split(command)))
        if not quick:
            Path("deal.json").write_text(json.dumps(bigtwo(*shlex.split(RECORD))), encoding="utf-8")
            digests[OF_RECORD] = of_value(bigtwo(*shlex.split(OF_RECORD)))
    return digests


def verdicts(kept: Mapping[str, Any], found: Mapping[str, Any], quick: bool) -> dict[str, str]:
    """By command whether its results are the same; a quick look leaves out those that it did not run."""
    commands = found.keys() if quick else kept.keys() | found.keys()
    return {
        command: "same"
        if kept.get(command) == found.get(command)
        else ("different" if command in kept and command in found else "kept or run alone")
        for command in sorted(commands)
    }


def main(arguments: Sequence[str] | None = None) -> None:
    """Run, then write or compare, and print what came out."""
    parser = parser_of(__doc__, OUTPUT)
    parser.add_argument("--write", action="store_true", help="keep the digests of this code")
    chosen = parser.parse_args(arguments)
    if chosen.write and chosen.quick and not chosen.out:
        parser.error("--write with --quick keeps a part of the digests alone; it needs --out")
    place: Path = chosen.out or ROOT / OUTPUT
    digests = measured(chosen.quick)
    if chosen.write:
        Options(place, chosen.quick, (), command_of(OUTPUT, arguments)).save(digests=digests)
    kept = json.loads(place.read_text(encoding="utf-8"))["digests"]
    found = verdicts(kept, digests, chosen.quick)
    print(table(("command", "results"), [(f"`bigtwo {command}`", verdict) for command, verdict in found.items()]))
    raise SystemExit(set(found.values()) != {"same"})


if __name__ == "__main__":
    main()
