"""Command lines that nobody can mean: refused in a line, whatever they hold; see fuzz_arguments.py for more of them."""

from pathlib import Path

import pytest

from tests.cli.command_line import bigtwo
from tests.cli.fuzz_arguments import LONG, lines, playing_nothing_long, prepare, wrong

LINES_HERE = 200


def test_no_command_line_ends_in_a_traceback(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    prepare(tmp_path)
    with playing_nothing_long():
        for line in lines(LINES_HERE, seed=1):
            answer = bigtwo(*line)
            assert wrong(answer) == "", ([argument[:80] for argument in line], answer.code, answer.err[-500:])


@pytest.mark.parametrize(
    "arguments",
    [
        ("tournament", "exec:{}"),
        ("tournament", "exec:./bot {}"),
        ("tournament", "level:{}"),
        ("tournament", "level:~{}"),
        ("tournament", "{}:Factory"),
        ("tournament", "--rules", "{}.toml"),
        ("tournament", "--lineups", "{}"),
        ("tournament", "greedy", "--deals", "1", "--out", "{}"),
        ("tournament", "--resume", "{}"),
        ("curve", "--resume", "{}"),
        ("results", "{}"),
        ("plot", "{}"),
        ("replay", "{}"),
        ("analyse", "--record", "{}"),
        ("deal", "greedy", "greedy", "greedy", "greedy", "--html", "{}"),
        ("deal", "greedy", "greedy", "greedy", "greedy", "--record", "{}"),
        ("match", "greedy", "greedy", "greedy", "greedy", "--record", "{}"),
        ("check-bot", "./bot", "--fault", "{}"),
        ("check-bot", "{}"),
        ("play", "--resume", "--save", "{}"),
    ],
    ids=" ".join,
)
def test_an_overlong_path_is_refused_in_a_short_line(
    arguments: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for text in ("x" * LONG, "x/" * (LONG // 2)):
        answer = bigtwo(*(argument.replace("{}", text) for argument in arguments))
        assert answer.code == 2
        assert len(answer.error) < 1_100
