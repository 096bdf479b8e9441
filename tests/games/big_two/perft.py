"""The text of the files in `data/perft`: fixed positions and how many lines of play begin there.

A file holds comments (`#`), one `rules:` line (a preset, then the switches that are changed as switch=value), and for
each position its four hands, who leads and the number of lines for each depth.
"""

from collections.abc import Iterable
from pathlib import Path
from typing import Any, NamedTuple

from tests import DATA

FOLDER = DATA / "perft"
HOLDER = "holder of the lowest card"
_WORDS: dict[Any, str] = {True: "yes", False: "no"}


class Position(NamedTuple):
    """A deal about to begin: hands as text, the seat that leads (None: the holder of the lowest card), the counts."""

    name: str
    hands: tuple[str, ...]
    leader: int | None
    lines: dict[int, int]  # depth -> number of lines


class Perft(NamedTuple):
    """Positions under one set of rules: a preset and the switches that are changed."""

    preset: str
    changes: dict[str, Any]
    positions: list[Position]


def write(path: Path, head: str, perft: Perft) -> None:
    """Write a file that `read` gives back; `head` becomes its comment."""
    text = [f"# {line}".rstrip() for line in head.splitlines()]
    changes = [f"{switch}={_WORDS.get(value, value)}" for switch, value in perft.changes.items()]
    text += ["", " ".join(["rules:", perft.preset, *changes])]
    for position in perft.positions:
        text += ["", f"position: {position.name}"]
        text += [f"seat {seat}: {hand}" for seat, hand in enumerate(position.hands)]
        text += [f"leader: {HOLDER if position.leader is None else position.leader}"]
        text += [f"depth {depth}: {count}" for depth, count in position.lines.items()]
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join(text) + "\n", encoding="utf-8")


def read(path: Path) -> Perft:
    """Read a file of positions."""
    preset, *changes = next(value for key, value in _fields(path) if key == "rules").split()
    perft = Perft(preset, dict(_change(text) for text in changes), [])
    for key, value in _fields(path):
        word, _, number = key.partition(" ")
        if word == "position":
            perft.positions.append(Position(value, (), None, {}))
        elif word == "seat":
            position = perft.positions[-1]
            perft.positions[-1] = position._replace(hands=(*position.hands, value))
        elif word == "leader" and value != HOLDER:
            perft.positions[-1] = perft.positions[-1]._replace(leader=int(value))
        elif word == "depth":
            perft.positions[-1].lines[int(number)] = int(value)
    return perft


def _fields(path: Path) -> Iterable[tuple[str, str]]:
    for line in path.read_text(encoding="utf-8").splitlines():
        if line and not line.startswith("#"):
            key, _, value = line.partition(":")
            yield key, value.strip()


def _change(text: str) -> tuple[str, Any]:
    switch, _, value = text.partition("=")
    return switch, {word: truth for truth, word in _WORDS.items()}.get(value, value)
