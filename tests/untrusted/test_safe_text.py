"""What comes from outside cannot steer a terminal: through no command, file or message, and no command to come."""

import ast
import asyncio
import csv
import io
import json
import logging
import shlex
import sys
import unicodedata
from pathlib import Path
from typing import Any, cast

import pytest
from rich.console import Console
from rich.segment import Segment
from rich.style import Style

from bigtwo_sim.cli import main as cli
from bigtwo_sim.games.big_two import Rules
from bigtwo_sim.terminal.bars import new_bar
from bigtwo_sim.untrusted.safe_text import SafeStream, safe, safe_output, terminal_of, visible
from tests import ROOT
from tests.cli.command_line import Answer, bigtwo, good

STEERING = "\x1b[31m\x1b]0;title\x07\x1b[2J\x9b6n\x7f\r\x08\x85\u202eltr\u2066\u200b\ufeff\u2028[red]$\\frac{$"
"""Escape sequences, C1 codes, DEL, marks of direction, what has no width; markup and a formula, which mean nothing."""
HIDDEN = {"Cc", "Cf", "Cs", "Zl", "Zp"}


def raw(text: str) -> list[str]:
    """What in a text would steer a terminal or cannot be seen."""
    return [sign for sign in text if unicodedata.category(sign) in HIDDEN and sign != "\n"]


# --- the mechanism ----------------------------------------------------------------------------------------------------
def test_every_character_of_unicode_that_steers_or_hides_is_shown() -> None:
    for code in range(sys.maxunicode + 1):
        sign = chr(code)
        if unicodedata.category(sign) in HIDDEN:
            expected = sign if sign == "\n" else ascii(sign)[1:-1]
            assert visible(sign) == expected
            assert visible(sign, newlines=False) == ascii(sign)[1:-1]
        elif unicodedata.category(sign) != "Cn":
            assert visible(sign) == sign


def print_in_every_way(*_: Any, **__: Any) -> int:
    """What a command may do that its author has not thought about."""
    print(STEERING)
    print(STEERING, file=sys.stderr)
    sys.stdout.write(STEERING)
    sys.stderr.writelines([STEERING, STEERING])
    Console().print(STEERING, markup=False)
    Console(stderr=True).print(STEERING, markup=False)
    logging.getLogger("outside").warning(STEERING)
    with new_bar(10, desc=STEERING) as bar:
        bar.say(STEERING)
    raise RuntimeError(STEERING)


def test_a_command_is_safe_by_construction(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cli, "app", print_in_every_way)
    monkeypatch.setenv("BIGTWO_DEBUG", "1")
    answer = bigtwo("anything")
    assert answer.code == 1
    assert "Traceback" in answer.err
    assert (raw(answer.out), raw(answer.err)) == ([], [])
    assert answer.out.count("title") == 3
    assert answer.err.count("title") >= 6
    assert not isinstance(sys.stdout, SafeStream)


class Terminal(io.StringIO):
    """A stream that takes itself for a terminal."""

    encoding = "utf-8"

    def isatty(self) -> bool:
        return True


def test_a_bar_draws_and_shows_what_it_is_told() -> None:
    terminal = Terminal()
    before, sys.stderr = sys.stderr, cast("Any", safe(terminal))
    try:
        with new_bar(10, unit=" deals") as bar:
            bar.set_postfix_str(STEERING)
            bar.say(STEERING)
    finally:
        sys.stderr = before
    drawn = terminal.getvalue()
    assert "\r" in drawn  # its own
    assert set(raw(drawn)) <= {"\r", "\x1b"}
    assert "\x1b]" not in drawn
    assert "\x1b[2J" not in drawn
    assert "\\x1b[2J" in drawn


def test_a_terminal_that_is_gone_takes_nothing_more(tmp_path: Path) -> None:
    class Gone(io.TextIOWrapper):
        def isatty(self) -> bool:
            return True

        def write(self, text: str) -> int:
            raise OSError(5, "Input/output error")

    with (tmp_path / "terminal").open("wb") as file, Gone(file, encoding="utf-8") as gone:
        print("anything", file=safe(gone))

    class Broken(io.StringIO):
        def write(self, text: str) -> int:
            raise OSError(5, "Input/output error")

    with pytest.raises(OSError, match="Input/output"):  # of a disk
        print("anything", file=safe(Broken()))


def test_streams_are_wrapped_once() -> None:
    stream = io.StringIO()
    assert safe(safe(stream)) is not stream
    assert terminal_of(safe(safe(stream))) is stream
    assert terminal_of(stream) is stream
    with safe_output(), safe_output():
        assert not isinstance(terminal_of(sys.stdout), SafeStream)


DRAWING = {  # what gets past the streams, and where alone it may be
    "terminal_of": {
        "bigtwo_sim/untrusted/safe_text.py",
        "bigtwo_sim/terminal/bars.py",
        "bigtwo_sim/cli/commands/replay.py",
    },
    "tqdm": {"bigtwo_sim/terminal/bars.py"},
    "Console": {"bigtwo_sim/terminal/tables.py"},
    "__stdout__": set[str](),
    "__stderr__": set[str](),
    "buffer": set[str](),
    "echo": set[str](),
    "secho": set[str](),
    "markup": set[str](),
    "from_markup": set[str](),
}


def test_nothing_prints_around_it() -> None:
    """Every name in the sources that leads past standard output and error, and where it is used."""
    for folder in ("bigtwo_sim", "agents/bigtwo_agents"):
        for path in (ROOT / folder).rglob("*.py"):
            name = path.relative_to(ROOT).as_posix()
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                used: set[str] = set()
                if isinstance(node, ast.Attribute):
                    used = {node.attr}
                elif isinstance(node, ast.Name):
                    used = {node.id}
                elif isinstance(node, ast.ImportFrom):
                    used = {alias.name for alias in node.names}
                elif isinstance(node, ast.Constant) and node.value == "/dev/tty":
                    used = {"/dev/tty"}
                for word in used & {*DRAWING, "/dev/tty"}:
                    assert name in DRAWING.get(word, set()), f"{name}:{getattr(node, 'lineno', 0)} uses {word}"


# --- through every entry --------------------------------------------------------------------------------------------
def quiet(answer: Answer) -> Answer:
    """An answer that steers nothing, whatever it is; an error of the command line is one line."""
    assert raw(answer.out) == []
    assert raw(answer.err) == []
    assert answer.code in (0, 1, 2)
    assert "Traceback" not in answer.err
    if answer.code == 2:
        assert len(answer.error) < 1_200
    return answer


ARGUMENTS = [
    ("{}",),
    ("rules", "{}"),
    ("rules", "--{}"),
    ("tournament", "{}"),
    ("tournament", "{}=greedy"),
    ("tournament", "greedy:{}=1"),
    ("tournament", "module{}:Factory"),
    ("tournament", "level:{}"),
    ("tournament", "exec:{}"),
    ("tournament", "exec:./no {}"),
    ("tournament", "--rules", "{}"),
    ("tournament", "--rules", "{}.toml"),
    ("tournament", "--set", "{}"),
    ("tournament", "--set", "bombs={}"),
    ("tournament", "--lineups", "{}"),
    ("tournament", "--deals", "{}"),
    ("tournament", "--seed", "{}"),
    ("tournament", "--precision", "{}"),
    ("tournament", "--test", "{}"),
    ("tournament", "--memory", "{}"),
    ("tournament", "--game", "{}"),
    ("tournament", "--cluster", "{}"),
    ("tournament", "--cluster", "tcp://{}:1"),
    ("tournament", "--resume", "{}"),
    ("tournament", "greedy", "--deals", "1", "--out", "out{}"),
    ("match", "{}", "greedy", "greedy", "greedy"),
    ("match", "greedy", "greedy", "greedy", "greedy", "--record", "none/{}"),
    ("curve", "{}", "--knob", "worlds", "--values", "10"),
    ("curve", "strong", "--knob", "{}", "--values", "10"),
    ("curve", "strong", "--knob", "worlds", "--values", "{}"),
    ("curve", "--resume", "{}"),
    ("tune", "{}"),
    ("tune", "heuristic", "--weights", "{}"),
    ("tune", "heuristic", "--objective", "{}"),
    ("tune", "--resume", "{}"),
    ("tune", "level", "{}", "--target", "40%", "--knob", "worlds"),
    ("tune", "level", "strong", "--target", "{}", "--knob", "worlds"),
    ("tune", "level", "strong", "--target", "40%", "--knob", "{}"),
    ("tune", "level", "strong", "--target", "40%", "--knob", "worlds", "--name", "{}"),
    ("results", "{}"),
    ("plot", "{}"),
    ("deal", "{}"),
    ("deal", "--record", "none/{}"),
    ("deal", "--html", "none/{}"),
    ("replay", "{}"),
    ("analyse", "{}"),
    ("analyse", "3D", "--on", "{}"),
    ("analyse", "--record", "{}"),
    ("plays", "{}"),
    ("compare", "{}", "3D"),
    ("variance", "{}"),
    ("check-bot", "{}"),
    ("check-bot", "./bot", "--fault", "{}"),
    ("bench", "{}"),
    ("play", "--opponents", "{},greedy,greedy"),
    ("play", "--match", "{}"),
    ("play", "--lang", "{}"),
    ("play", "--resume", "--save", "{}"),
    ("poker", "rank", "{}"),
    ("poker", "compare", "{}", "AS"),
    ("poker", "equity", "{}"),
]


@pytest.mark.parametrize("arguments", ARGUMENTS, ids=" ".join)
def test_no_argument_steers_the_terminal(
    arguments: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for text in (STEERING, "\0", "\udc9b", "x\ny"):
        quiet(bigtwo(*(argument.replace("{}", text) for argument in arguments)))


def test_no_file_steers_the_terminal(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    good("tournament", "greedy", "random", "--deals", "14", "--out", "runs/run")
    run = Path("runs") / f"run{STEERING.replace('/', '')}"
    Path("runs/run").rename(run)
    manifest = (run / "manifest.json").read_text(encoding="utf-8")
    files = {
        "level.json": json.dumps({"format": 1, "levels": {STEERING: {"method": STEERING, "settings": {STEERING: 1}}}}),
        "rules.toml": f'name = "mine"\n"{STEERING.translate(dict.fromkeys(range(32)))}" = 1\n'.replace("\\", ""),
        "line-ups.txt": f"{STEERING} greedy greedy greedy\n",
        "record.txt": f"bigtwo record 1\n{STEERING}\n",
        "deal.json": json.dumps({"game": STEERING, "rules": {"name": STEERING}, "hands": [STEERING], "turns": []}),
        "fault.json": json.dumps({"format": 1, "agent": STEERING, "reason": STEERING}),
        "bench.json": json.dumps({STEERING: STEERING}),
    }
    for name, text in files.items():
        Path(name).write_text(text, encoding="utf-8")
    for arguments in [
        ("results", "runs"),
        ("results", str(run)),
        ("results", str(run), "--csv", f"csv{STEERING}"),
        ("plot", str(run), "--out", "figures"),
        ("tournament", "level:level.json", "greedy", "--deals", "1"),
        ("tournament", "--rules", "rules.toml", "--deals", "1"),
        ("tournament", "--lineups", "line-ups.txt", "--deals", "1"),
        ("replay", "record.txt"),
        ("replay", "--check", "record.txt"),
        ("analyse", "--record", "deal.json", "--at", "0"),
        ("check-bot", "./bot", "--fault", "fault.json"),
        ("plot", "bench.json"),
    ]:
        quiet(bigtwo(*arguments))
    for entry in ("command", "status", "started", "rules", "agents", "engine_version", "seed"):
        values = json.loads(manifest)
        values[entry] = (
            [{**agent, "name": STEERING} for agent in values[entry]]
            if entry == "agents"
            else {**values[entry], "name": STEERING}
            if entry == "rules"
            else STEERING
        )
        (run / "manifest.json").write_text(json.dumps(values), encoding="utf-8")
        for arguments in (("results", "runs"), ("results", str(run)), ("tournament", "--resume", str(run))):
            quiet(bigtwo(*arguments))


AGENTS = f"""
TEXT = {STEERING!r}

class Raising:
    def choose(self, view):
        print(TEXT)
        raise ValueError(TEXT)

class Answering(Raising):
    def choose(self, view):
        return TEXT

def broken():
    raise ValueError(TEXT)
"""
BOT = f"""
import sys
for line in sys.stdin:
    sys.stderr.write({STEERING!r} + "\\n")
    sys.stderr.flush()
    sys.stdout.write({STEERING!r} + "\\n")
    sys.stdout.flush()
"""


def test_nothing_that_an_agent_says_steers_the_terminal(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    Path("steering_agents.py").write_text(AGENTS, encoding="utf-8")
    Path("bot.py").write_text(BOT, encoding="utf-8")
    answer = quiet(bigtwo("deal", "steering_agents:Raising", "greedy", "greedy", "greedy"))
    assert "\\x1b[2J" in answer.out + answer.err
    quiet(bigtwo("deal", "steering_agents:broken", "greedy", "greedy", "greedy"))
    bot = shlex.join([sys.executable, "-S", "-E", str(tmp_path / "bot.py")])
    answer = quiet(bigtwo("check-bot", f"exec:{bot}", "--deals", "1", "--rules", "taiwan"))
    assert answer.code == 1
    assert "\\x1b[2J" in answer.out


def test_no_name_is_a_formula_of_a_spreadsheet(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    good("tournament", "@SUM(A1)=greedy", "+1=random", "--deals", "28", "--out", "run")
    good("results", "run", "--csv", "tables")
    texts = [path.read_text(encoding="utf-8") for path in Path("tables").glob("*.csv")]
    rows = [row for text in texts for row in csv.reader(text.splitlines())]
    cells = {cell for row in rows for cell in row}
    assert {"'@SUM(A1)", "'+1"} <= cells
    for cell in cells:
        assert not cell.startswith(("=", "@", "+", "\t", "\r"))
        if cell.startswith("-"):
            float(cell)


def test_json_stays_json() -> None:
    buffer = io.StringIO()
    before, sys.stdout = sys.stdout, cast("Any", safe(buffer))
    try:
        from bigtwo_sim.terminal.output import emit_json

        emit_json({"name": STEERING})
    finally:
        sys.stdout = before
    assert raw(buffer.getvalue()) == []
    assert json.loads(buffer.getvalue()) == {"name": STEERING}


# --- at the table -----------------------------------------------------------------------------------------------------
def test_the_table_draws_no_codes_but_its_own() -> None:
    from textual.color import Color

    from bigtwo_sim.tui.drawing.safe_lines import SafeLines

    plain, steering = Segment("♦ 3", Style(bold=True)), Segment(STEERING + "end\xad", Style(color="red"))
    filtered = SafeLines().apply([plain, steering, Segment("\x1b[5A", control=[])], Color(0, 0, 0))
    assert filtered[0] is plain
    assert raw(filtered[1].text) == []
    assert filtered[1].text.endswith("[red]$\\frac{$end?")
    assert filtered[1].cell_length == steering.cell_length
    assert filtered[1].style == steering.style


def test_names_and_errors_at_the_table_are_shown() -> None:
    from bigtwo_sim.tui.app import PlayApp
    from bigtwo_sim.tui.game import PERSON
    from bigtwo_sim.tui.setup import Setup, player_name, rules_name
    from bigtwo_sim.tui.texts import Texts

    players = (PERSON, f"{STEERING}=greedy", "greedy", "greedy")
    assert raw(player_name(Texts("en"), players[1], 1, players)) == []
    assert raw(rules_name(STEERING)) == []

    async def lines() -> list[str]:
        app = PlayApp(Setup(Rules(), players, 50))
        async with app.run_test(size=(120, 40)) as pilot:
            app.start_again(f"begin{STEERING}end")
            await pilot.pause()
            return ["".join(segment.text for segment in strip) for strip in app.screen._compositor.render_strips()]

    drawn = asyncio.run(lines())
    assert any("begin" in line for line in drawn)
    assert raw("".join(drawn)) == []
