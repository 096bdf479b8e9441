"""The SHA-256 of the files of a folder, in a file beside them, so that damage to any of them is noticed.

`bigtwo.sha256` has the form that `sha256sum -c bigtwo.sha256` reads: a line for each file, its hash, two blanks, its
name. A line is added, and on disk, after the file that it is about. So whatever moment a process is killed at, the file
is there without its line at worst, and what has no line was not finished. Of two lines about one file the later counts.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from pathlib import Path

from bigtwo_sim.untrusted.text_files import TextFileError, read_bytes, shown_path

CHECKSUMS = "bigtwo.sha256"
_LINE = re.compile(rb"([0-9a-f]{64})  ([A-Za-z0-9][A-Za-z0-9._-]{0,99})")


class ChecksumError(ValueError):
    """A file that is not the one that was written, or damaged checksums; the message names the file."""

    def __init__(self, path: Path, reason: str) -> None:
        super().__init__(f"{shown_path(path)}: {reason}")
        self.reason = reason


def digest(data: bytes) -> str:
    """The hash of the content of a file, as a line has it."""
    return hashlib.sha256(data).hexdigest()


def line(name: str, hashed: str) -> str:
    """The line about a file."""
    return f"{hashed}  {name}\n"


def lines(listed: Mapping[str, str]) -> str:
    """The lines about files, by their names."""
    return "".join(line(name, listed[name]) for name in sorted(listed))


def read_checksums(folder: Path) -> dict[str, str]:
    """The hashes by the names of the files; none where the folder has no checksums.

    A last line without its end was being written when the process was killed, and is left out. Raises ChecksumError for
    any other line that is damaged, and where the file cannot be read.
    """
    path = folder / CHECKSUMS
    if not path.exists():
        return {}
    try:
        data = read_bytes(path)
    except TextFileError as error:
        raise ChecksumError(path, error.reason) from None
    found = {}
    for number, text in enumerate(data.split(b"\n")[:-1], start=1):
        match = _LINE.fullmatch(text)
        if match is None:
            raise ChecksumError(
                path,
                f"line {number} is {text[:80].decode(errors='replace')!a}; it must be a SHA-256, two blanks and the "
                "name of a file",
            )
        found[match[2].decode()] = match[1].decode()
    return found


def raise_if_changed(path: Path, data: bytes) -> None:
    """Raise ChecksumError where the folder's checksums list the file `path` and its content `data` is not theirs."""
    try:
        wanted = read_checksums(path.parent).get(path.name)
    except ChecksumError as error:
        raise ChecksumError(path, f"it cannot be verified: {error}") from None
    if wanted is not None and digest(data) != wanted:
        raise ChecksumError(path, f"it was changed after it was written: its SHA-256 is not the one in {CHECKSUMS}")
