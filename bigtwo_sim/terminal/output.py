"""What the commands print: lines, tables of plain text and JSON, in what the output can show."""

from __future__ import annotations

import json
import shutil
import sys
import textwrap
from collections.abc import Sequence
from typing import Any

from bigtwo_sim.core import code_cache
from bigtwo_sim.core.cards import CardSet
from bigtwo_sim.untrusted.safe_text import visible

_SUIT_LETTERS = (("♦", "D"), ("♣", "C"), ("♥", "H"), ("♠", "S"))
MOST_COLUMNS = 120
FEWEST_COLUMNS = 40


def announce_compilation() -> None:
    """Have it said, on stderr, when this command compiles something."""
    code_cache.before_compiling(_say_that_it_compiles)


def _say_that_it_compiles() -> None:
    print(
        "Compiling what this command has not used before, which takes up to a minute; later runs start at once.",
        file=sys.stderr,
    )


def shows_signs() -> bool:
    """Whether cards are printed with suit signs: on a terminal whose encoding has them."""
    encoding = (getattr(sys.stdout, "encoding", None) or "").lower()
    return sys.stdout.isatty() and encoding.replace("-", "").startswith("utf")


def cards_text(cards: CardSet) -> str:
    """Cards for people: `3♦ 3♣` where `shows_signs`, else `3D 3C`."""
    return cards.text(signs=shows_signs())


def emit(text: str = "") -> None:
    """Print a line, or several, in what the output's encoding can show."""
    print(_in_encoding(text))


def can_show(text: str) -> bool:
    """Whether the output's encoding can show a text."""
    try:
        _in_encoding(text).encode(_encoding())
    except UnicodeEncodeError:
        return False
    return True


def _encoding() -> str:
    return getattr(sys.stdout, "encoding", None) or "utf-8"


def _in_encoding(text: str) -> str:
    """`text` with plain signs for those that the output's encoding does not have."""
    for sign, plain in (("…", "..."), ("×", "x"), ("–", "-"), ("−", "-"), ("±", "+/-"), *_SUIT_LETTERS):
        try:
            sign.encode(_encoding())
        except UnicodeEncodeError:
            text = text.replace(sign, plain)
    return text


def emit_json(value: Any) -> None:
    """Print a value as JSON, in printable ASCII."""
    print(json.dumps(value, indent=2).replace("\x7f", "\\u007f"))  # the one control character that JSON leaves


def columns() -> int:
    """How many columns a line may take: the terminal's, within reason, and 80 where there is none."""
    return max(FEWEST_COLUMNS, min(MOST_COLUMNS, shutil.get_terminal_size().columns))


def wrapped(text: str) -> str:
    """A paragraph, broken where the line ends."""
    return textwrap.fill(text, columns(), break_on_hyphens=False)


def table_text(rows: Sequence[Sequence[str]], indent: int = 2, gap: int = 2) -> str:
    """Rows of as many cells each, in columns; what does not fit in the last column goes on below itself."""
    rows = [[visible(cell, newlines=False) for cell in row] for row in rows]
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]) - 1)]
    start = indent + sum(width + gap for width in widths)
    lines = []
    for row in rows:
        head = " " * indent + "".join(f"{cell:<{width + gap}}" for cell, width in zip(row, widths, strict=False))
        width = max(FEWEST_COLUMNS // 2, columns() - start)
        for part in textwrap.wrap(row[-1], width, break_on_hyphens=False) or [""]:
            lines.append((head + part).rstrip())
            head = " " * start
    return "\n".join(lines)
