"""What the table sends to a terminal: no control characters but Textual's own, whatever a text from outside holds."""

from __future__ import annotations

from rich.cells import cell_len
from rich.segment import Segment
from textual.color import Color
from textual.filter import LineFilter

from bigtwo_sim.untrusted.safe_text import visible

INSTEAD = "?"


class SafeLines(LineFilter):
    """Takes out what would steer the terminal. Names are made visible before; this is for what nobody thought of."""

    def apply(self, segments: list[Segment], background: Color) -> list[Segment]:
        """The segments as wide as before: a line is laid out by the time that it comes here."""
        return [
            segment
            if segment.control or visible(segment.text, newlines=False) == segment.text
            else Segment("".join(map(_shown, segment.text)), segment.style)
            for segment in segments
        ]


def _shown(sign: str) -> str:
    return sign if visible(sign, newlines=False) == sign else INSTEAD * cell_len(sign)
