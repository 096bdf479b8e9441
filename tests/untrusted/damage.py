"""Damage on purpose: single bits flipped in the files of a folder, and texts changed as nobody would write them."""

import json
import random
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

VALUES: list[Any] = [
    None, True, -1, 0, 1.5, 10**400, -(2**63), 2**64, "", "x", "\x1b[2J", "\ud800", "9" * 400, [], [None], {}, {"": 0},
    [[[[[[]]]]]], 1e308,
]  # fmt: skip
TOKENS = [
    b"NaN", b"Infinity", b"-1e999", b"[" * 3000, b"{\"a\":" * 3000, b"9" * 400, b"9" * 5000,
    b"\x00", b"\xff", b"\xef\xbb\xbf", b"\"", b"\\u", b"\\ud800", b"\n", b"\r\n", b" ",
    b"null", b"true", b",", b":", b"}", b"]", b"=", b"- 1", b"pass", b"none",
]  # fmt: skip


def flip(file: Path, chance: random.Random) -> int:
    """Flip a bit of a file; return which."""
    data = bytearray(file.read_bytes())
    place = chance.randrange(8 * len(data))
    data[place // 8] ^= 1 << place % 8
    file.write_bytes(data)
    return place


@contextmanager
def one_bit_flipped(file: Path, chance: random.Random) -> Iterator[int]:
    """Flip a bit of a file, and put it back."""
    whole = file.read_bytes()
    place = flip(file, chance)
    try:
        yield place
    finally:
        file.write_bytes(whole)


def mutated(data: bytes, chance: random.Random) -> bytes:
    """A text in which one to three things are changed, at random."""
    for _ in range(chance.randint(1, 3)):
        start = chance.randrange(len(data) + 1)
        end = min(len(data), start + chance.choice((0, 1, 1, 2, 5, 40, len(data))))
        kind = chance.randrange(5)
        if kind == 0:
            data = data[:start] + data[end:]
        elif kind == 1:
            data = data[:end] + data[start:end] + data[end:]
        elif kind == 2:
            data = data[:start] + bytes([chance.randrange(256)]) + data[start + 1 :]
        elif kind == 3:
            data = data[:start] + chance.choice(TOKENS) + data[start:]
        else:
            data = data[:start] + chance.choice(TOKENS) + data[end:]
    return data


def mutated_values(values: Any, chance: random.Random) -> Any:
    """A copy of plain values in which one of them, at any depth, is another one, is gone or is under another name."""
    values = json.loads(json.dumps(values))
    places: list[tuple[Any, Any]] = []

    def collect(inside: Any) -> None:
        found = inside.items() if isinstance(inside, dict) else enumerate(inside) if isinstance(inside, list) else ()
        for name, value in list(found):
            places.append((inside, name))
            collect(value)

    collect(values)
    inside, name = chance.choice(places)
    kind = chance.randrange(4)
    if kind == 0:
        del inside[name]
    elif kind == 1 and isinstance(inside, dict):
        inside[f"{name}x"] = inside.pop(name)
    else:
        inside[name] = chance.choice(VALUES)
    return values
