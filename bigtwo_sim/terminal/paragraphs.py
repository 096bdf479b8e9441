"""Paragraphs broken where the line ends, also in writing that has no blanks and whose signs take two columns."""

from __future__ import annotations

import re

from rich.cells import cell_len

_HAN = "\u3400-\u9fff"
_OPENING = "（“「《"  # what may not end a line
_CLOSING = "，。、；：！？）”」》"  # what may not begin one
# The sign of a suit stays with its name, and a dash with the word before it.
_PIECES = re.compile(
    rf"\s+|(?:[♦♣♥♠] )?[{_OPENING}]*(?:[{_HAN}]|[^\s{_HAN}{_OPENING}{_CLOSING}]+)[{_CLOSING}]*(?: [–—](?= ))?"
)


def paragraph(text: str, width: int, indent: str = "", hanging: str = "") -> str:
    """`text` in lines of at most `width` columns, the first after `indent`, the others after `hanging`.

    Only a single word that is longer than a line goes beyond it.
    """
    lines = []
    line = indent
    empty = True
    for piece in _PIECES.findall(text):
        if not empty and cell_len(line + piece.rstrip()) > width:
            lines.append(line.rstrip())
            line, empty = hanging, True
        if not (empty and piece.isspace()):
            line += piece
            empty = False
    return "\n".join([*lines, line.rstrip()])
