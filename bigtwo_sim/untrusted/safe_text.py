"""Texts from outside on their way to a terminal: what would steer the terminal, or hide, is shown instead of sent.

A name, a path, an error's text or what a bot wrote may hold control characters: escape sequences that clear the screen,
set the window's title or send keys, marks that turn the direction of writing, characters without width. Programs that
print put a `SafeStream` around their standard output and error, so that no call of `print` has to think of it; only
`terminal_of` gives what is behind it, to those few that draw.

>>> print(visible("\\x1b[2Jgreedy\\u202e"))
\\x1b[2Jgreedy\\u202e
"""

from __future__ import annotations

import contextlib
import errno
import os
import re
import sys
from collections.abc import Iterable, Iterator
from typing import Any, TextIO, cast

# Unicode's categories Cc (control), Cf (format: marks of direction, joiners, tags), Cs (lone surrogates), Zl and Zp
# (separators of lines and paragraphs), as of Unicode 15; a test compares them with what Python knows of them.
_STEERING = (
    "\\x00-\\x1f\\x7f-\\x9f\\xad\\u0600-\\u0605\\u061c\\u06dd\\u070f\\u0890\\u0891\\u08e2\\u180e\\u200b-\\u200f\\u2028-\\u202e"
    "\\u2060-\\u206f\\ud800-\\udfff\\ufeff\\ufff0-\\ufffb\\U000110bd\\U000110cd\\U00013430-\\U0001343f\\U0001bca0-\\U0001bca3"
    "\\U0001d173-\\U0001d17a\\U000e0000-\\U000e007f"
)
_HIDDEN = re.compile(f"[{_STEERING}]")
_HIDDEN_BUT_LINES = re.compile(f"(?!\n)[{_STEERING}]")


def visible(text: str, *, newlines: bool = True) -> str:
    """A text whose control characters, and others that cannot be seen, are written as in Python: `\\x1b`, `\\u202e`.

    `newlines`: whether line feeds stay what they are.
    """
    return (_HIDDEN_BUT_LINES if newlines else _HIDDEN).sub(_escaped, text)


def _escaped(found: re.Match[str]) -> str:
    return ascii(found[0])[1:-1]


class SafeStream:
    """A text stream that shows what would steer a terminal; all else is that of the stream within."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._on_terminal = stream.isatty()

    def write(self, text: str) -> int:
        """Write a text, made `visible`."""
        with self._unless_gone():
            self._stream.write(visible(text))
        return len(text)

    def writelines(self, lines: Iterable[str]) -> None:
        """Write texts, made `visible`."""
        for line in lines:
            self.write(line)

    def flush(self) -> None:
        """Send what was written."""
        with self._unless_gone():
            self._stream.flush()

    @contextlib.contextmanager
    def _unless_gone(self) -> Iterator[None]:
        """A terminal that was closed takes nothing any more; what is written then goes nowhere."""
        try:
            yield
        except OSError as error:
            if not (self._on_terminal and error.errno == errno.EIO):
                raise
            nowhere = os.open(os.devnull, os.O_WRONLY)
            os.dup2(nowhere, self._stream.fileno())
            os.close(nowhere)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


def safe(stream: TextIO) -> TextIO:
    """The stream, within a `SafeStream` unless it is one, or none: what is closed at the start is None in Python."""
    if isinstance(stream, SafeStream) or not hasattr(stream, "write"):
        return stream
    return cast("TextIO", SafeStream(stream))


def terminal_of(stream: TextIO) -> TextIO:
    """What is behind a `SafeStream`, for a terminal's own codes; any other stream is itself."""
    return stream._stream if isinstance(stream, SafeStream) else stream


@contextlib.contextmanager
def safe_output() -> Iterator[None]:
    """Within it standard output and standard error show what would steer a terminal."""
    before = sys.stdout, sys.stderr
    sys.stdout, sys.stderr = map(safe, before)
    try:
        yield
    finally:
        sys.stdout, sys.stderr = before
