"""Command lines with absurd arguments: none may end in a traceback.

By hand: python -m tests.cli.fuzz_arguments 5000 [SEED]

Each is one of `LINES` with a few of its arguments changed, by a generator with a seed. What would be played for long is
not played: only what is said of the command line before that is looked at.
"""

import os
import random
import sys
import tempfile
import unicodedata
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from unittest import mock

from tests.cli.command_line import Answer, bigtwo

LINES = [
    line.split(" ")
    for line in (
        "tournament greedy random --deals 14 --seed 1 --out run",
        "tournament mine=heuristic:noise=1 greedy --precision 1% --alpha 0.1 --rules taiwan --set bombs=yes",
        "tournament greedy random --test greedy>random --effect 1% --beta 0.1 --deals 100 --mirror",
        "tournament level:level.json exec:./bot --move-time 1 --memory 500M --lineups gauntlet --strict",
        "tournament greedy random --lineups line-ups.txt --workers 1 --json --deals 8",
        "tournament greedy --cluster local:x --deals 1",
        "tournament --game big-three --players 4 greedy random --deals 12",
        "tournament --resume run",
        "match greedy greedy random random --to 20 --matches 4 --record record.txt",
        "curve strong --knob worlds --values 10,30 --against normal --deals 8 --seed 3",
        "curve --resume run --json",
        "tune heuristic --weights lead_turns --budget 100000 --population 4 --blocks 2 --objective wins --seed 1",
        "tune level strong --target 40% --knob worlds --limit-ms 5 --precision 1% --name mine --out level.json",
        "results run --faults --json",
        "results run --csv csv",
        "plot run --out figures --format png",
        "deal greedy greedy random random --seed 3 --deal 0 --rules rules.toml --json",
        "deal greedy greedy random random --html deal.html --record deal.txt",
        "replay record.txt --at 0:3 --json",
        "replay --check record.txt",
        "analyse 3D3C4H --on 3H --worlds 10 --left 5,6,7 --agent strong",
        "analyse --record record.txt --at 0:1",
        "rules singapore --set bombs=yes --house --json",
        "plays 3D3C4H5S --on 3H3S --rules pagat",
        "compare 3D3C 4H4S --rules taiwan",
        "variance greedy --deals 8 --seed 1",
        "check-bot ./bot --deals 1 --move-time 1 --rules taiwan --fault fault.json",
        "bench --only x --seconds 0",
        "play --opponents easy,normal,strong --match 50 --rules hong_kong --speed fast --seed 1 --lang de --save games",
        "play --web --port 80000 --resume --watch --move-time 3",
        "poker rank AS KS QS JS TS",
        "poker compare AS-KS-QS-JS-TS 2C-2D-2H-2S-3C",
        "poker equity AS,AD KH,KC --board 2C3C4C --deals 10",
    )
]
LONG = 100_000
VALUES = [
    *("", " ", "-", "--", "---", "=", ":", ",", ";", "'", '"', "\\", "/", ".", "..", "~", "~nobody", "*", "%s%n", "{}"),
    *("\0", "a\0b", "\x1b[2J", "\x9b6n", "\u202ex", "\udc80", "a\nb", "\r", "[red]", "$\\frac{", "🂡", "½", "²"),
    *("0", "-0", "-1", "1.5", "1e999", "-1e999", "nan", "inf", "1_0", "0x10", "1e3", "9" * 5_000, "-" + "9" * 5_000),
    *(str(2**63), str(2**64), "0." + "0" * 400 + "1", "%", "100%", "-5%", "nan%", "1e-300", "1e300M", "-1G"),
    *("x" * LONG, "/" * LONG, "x/" * (LONG // 2), "3D " * LONG, "é" * LONG, "a," * LONG, "=" * LONG, "--" + "x" * LONG),
    *("/dev/zero", "/dev/null", "/", "pipe", "none/none", "/proc/self/mem", "huge", "zero.bin", "run/manifest.json"),
    *("greedy", "greedy=greedy", "a=b=c=greedy", "os:getcwd", "os:", ":x", "os.path:join", "no.module:x", "..:x"),
    *("--json", "--help", "--seed", "--out", "--rules", "--resume", "-h", "--no-json", "--deals=", "--seed=x", "3D"),
]
PREFIXES = ["", "exec:", "level:", "level:~", "greedy:", "heuristic:noise=", "strong:worlds=", "x=", "tcp://", "local:"]


def lines(number: int, seed: int) -> Iterator[list[str]]:
    """So many command lines; the same seed makes the same ones."""
    chance = random.Random(seed)
    for _ in range(number):
        line = list(chance.choice(LINES))
        for _ in range(chance.choice((1, 1, 1, 2, 3))):
            value = chance.choice(PREFIXES) + chance.choice(VALUES) if chance.random() < 0.5 else chance.choice(VALUES)
            place = chance.randrange(1 if chance.random() < 0.95 else 0, len(line) + 1)
            kind = chance.random()
            if kind < 0.6 and place < len(line):
                line[place] = value
            elif kind < 0.75:
                line.insert(place, value)
            elif kind < 0.85 and place < len(line):
                del line[place]
            elif place < len(line):
                line[place] += value
        yield line


def stop(*_: object, **__: object) -> None:
    """Where a command would begin to play for long."""
    raise KeyboardInterrupt


LONG_PLAY = [
    "bigtwo_sim.cli.commands.tournament.play_folder",
    "bigtwo_sim.cli.commands.curve.play_folder",
    "bigtwo_sim.requests.match.MatchRequest.play",
    "bigtwo_sim.requests.tune_level._knob",
    "bigtwo_sim.tuning.weights.Tuning.run",
    "bigtwo_sim.arena.runners.savings._on_threads",
    "bigtwo_sim.cli.commands.bench._machine",
    "bigtwo_sim.tui.web.server.serve",
    "bigtwo_sim.cli.commands.poker.equity_of",
    "bigtwo_sim.cli.commands.analyse.analysed",
]


def prepare(folder: Path) -> None:
    """What the arguments name, in a folder."""
    if hasattr(os, "mkfifo"):
        os.mkfifo(folder / "pipe")
    (folder / "zero.bin").write_bytes(bytes(1_000))
    with (folder / "huge").open("wb") as file:
        file.truncate(2**40)
    (folder / "level.json").write_text('{"format": 1, "levels": {"mine": {"method": "greedy"}}}', encoding="utf-8")
    (folder / "rules.toml").write_text("bombs = true\n", encoding="utf-8")
    (folder / "line-ups.txt").write_text("greedy greedy greedy random\n", encoding="utf-8")
    assert bigtwo("deal", *["greedy"] * 4, "--record", "record.txt").code == 0
    assert bigtwo("tournament", "greedy", "random", "--deals", "14", "--out", "run").code == 0


def wrong(answer: Answer) -> str:
    """What is wrong with an answer; "" where nothing is."""
    printed = answer.out + answer.err
    if any(unicodedata.category(sign) in ("Cc", "Cf", "Cs") and sign != "\n" for sign in printed):
        return "steers the terminal"
    if "Traceback" in printed or "BIGTWO_DEBUG" in printed:
        return "fails without a reason"
    if answer.code not in (0, 1, 2, 130):
        return f"ends with {answer.code}"
    said = [line for line in answer.err.splitlines() if line.startswith("bigtwo: ")]
    if answer.code == 2 and (len(said) != 1 or len(said[0]) > 1_100):
        return "does not say in a line why"
    return ""


def playing_nothing_long() -> ExitStack:
    """A context in which nothing is played for long."""
    with ExitStack() as stack:
        for name in LONG_PLAY:
            stack.enter_context(mock.patch(name, stop))
        return stack.pop_all()


def main(number: int, seed: int) -> int:
    import faulthandler

    found: Counter[str] = Counter()
    codes: Counter[int] = Counter()
    with tempfile.TemporaryDirectory() as folder, ExitStack() as stack:
        os.chdir(folder)
        prepare(Path())
        stack.enter_context(playing_nothing_long())
        for line in lines(number, seed):
            faulthandler.dump_traceback_later(120, exit=True)
            answer = bigtwo(*line)
            codes[answer.code] += 1
            why = wrong(answer)
            if answer.code == 1:
                print("code 1:", [argument[:40] for argument in line], answer.err[-200:].strip(), flush=True)
            if why:
                found[why] += 1
                print(why, [argument[:60] for argument in line], answer.code, answer.err[-300:], flush=True)
        faulthandler.cancel_dump_traceback_later()
        os.chdir("/")
    print(f"{number} command lines, exit codes {dict(sorted(codes.items()))}; wrong: {dict(found)}")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 0))
