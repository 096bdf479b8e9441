"""Texts as people and programs leave them in files: with or without a byte-order mark, with line ends of any system.

Whatever a path names, reading it ends: a folder, a device, a pipe that nobody writes to and a file without end are
refused by what they are. Files that come from outside are read here.

>>> decoded(b"\\xef\\xbb\\xbfone\\r\\ntwo\\r\\n")
'one\\ntwo\\n'
"""

from __future__ import annotations

import codecs
import io
import os
import stat
from pathlib import Path

from bigtwo_sim.untrusted.safe_text import visible

MOST_BYTES = 256 * 2**20
"""A longer file is none of ours: the record of a match of a thousand deals takes a megabyte."""
LONGEST_SHOWN = 200
_PORTION = 2**20
_NOT_UTF8 = {  # by what a file begins with
    codecs.BOM_UTF32_LE: "UTF-32",  # before UTF-16, whose mark it begins with
    codecs.BOM_UTF32_BE: "UTF-32",
    codecs.BOM_UTF16_LE: "UTF-16",
    codecs.BOM_UTF16_BE: "UTF-16",
}


class TextFileError(ValueError):
    """A file that cannot be read as text; the message names it and says why."""

    def __init__(self, reason: str, line: int | None = None, path: str | Path | None = None) -> None:
        place = [] if path is None else [shown_path(path)]
        place += [] if line is None else [f"line {line}"]
        super().__init__(": ".join([*place, reason]))
        self.reason = reason
        """What is wrong, without the file and the line."""
        self.line = line
        """The number of the first wrong line, from 1; None where it is not about one."""


def shown_path(path: str | Path) -> str:
    """A path in a message: in one line, and its middle left out where it is long."""
    text = visible(str(path), newlines=False)
    half = LONGEST_SHOWN // 2
    return text if len(text) <= LONGEST_SHOWN else f"{text[:half]}[...]{text[-half:]}"


def read_text(path: str | Path) -> str:
    """The text of a file, its lines ended by line feeds, without a byte-order mark.

    Raises TextFileError for what cannot be read or is not a text in UTF-8.
    """
    data = read_bytes(path)
    try:
        return decoded(data)
    except TextFileError as error:
        raise TextFileError(error.reason, error.line, path) from None


def read_bytes(path: str | Path, most: int = MOST_BYTES) -> bytes:
    """What a file holds; of a pipe, what is written to it until its end. Raises TextFileError."""
    try:
        return _read(path, most)
    except OSError as error:
        raise TextFileError(f"it cannot be read: {error.strerror}", path=path) from error
    except TextFileError as error:
        raise TextFileError(error.reason, path=path) from None
    except ValueError:
        raise TextFileError("it cannot be read: a path has no zero bytes", path=path) from None


def read_open(file: io.RawIOBase, most: int = MOST_BYTES) -> bytes:
    """What an opened file holds from its place on. Raises OSError, and TextFileError without the file's name.

    A file that says that it is too long is not read at all; a pipe, or one that grows, up to one byte too many.
    """
    too_long = TextFileError(f"it has more than {most:,} bytes, the most that are read")
    if os.fstat(file.fileno()).st_size > most:  # of a pipe it is 0
        raise too_long
    data = bytearray()
    while portion := file.read(min(_PORTION, most + 1 - len(data))):
        data += portion
        if len(data) > most:
            raise too_long
    return bytes(data)


def decoded(data: bytes) -> str:
    """The text of what a file holds, its lines ended by line feeds. Raises TextFileError, which names a wrong line."""
    for mark, encoding in _NOT_UTF8.items():
        if data.startswith(mark):
            raise TextFileError(f"it is in {encoding}; it must be in UTF-8, so save it as that")
    data = data.removeprefix(codecs.BOM_UTF8).replace(b"\r\n", b"\n")
    if b"\0" in data:
        raise TextFileError("it has a zero byte, so it is not a text in UTF-8", _line(data, data.index(b"\0")))
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise TextFileError("it is not a text in UTF-8", _line(data, error.start)) from None


def _line(data: bytes, place: int) -> int:
    return data.count(b"\n", 0, place) + 1


def _read(path: str | Path, most: int) -> bytes:
    """What is in a file; raises OSError and TextFileError without its name."""
    if Path(path).is_dir():  # which some systems do not open
        raise TextFileError("it is a folder; it must be a file")
    # A pipe that nobody has opened to write to would be waited for.
    descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
    with os.fdopen(descriptor, "rb", buffering=0) as file:
        kind = os.fstat(descriptor).st_mode
        if not (stat.S_ISREG(kind) or stat.S_ISFIFO(kind)):
            raise TextFileError("it is a device or a socket; it must be a file")
        if hasattr(os, "set_blocking"):
            os.set_blocking(descriptor, True)
        return read_open(file, most)
