"""A record being written while it is played: every turn is on disk before the next, and an unfinished one goes on."""

from __future__ import annotations

import contextlib
import io
import os
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import Self

import filelock

from bigtwo_sim.core.cards import CardSet
from bigtwo_sim.games.base.copying import Uncopyable
from bigtwo_sim.games.big_two.deal import Deal
from bigtwo_sim.games.big_two.match import Match
from bigtwo_sim.games.big_two.records.record import Record, check, decoded, take
from bigtwo_sim.games.big_two.records.record_form import RecordCutError, RecordedDeal, RecordError, turn_line
from bigtwo_sim.untrusted.text_files import TextFileError, read_open


class RecordFile(Uncopyable):
    """The file of a match in progress. Make one with `RecordFile.create` or `RecordFile.resume`, and close it.

    `begin_deal`, `turn` and `end_deal` add what they are told, and return when it is on disk. They play along, so
    nothing that the rules forbid is ever written. What cannot be written (OSError) is kept and written with what comes
    next. Other processes are kept out by a lock beside the file. Not to be shared between threads.
    """

    def __init__(self, path: Path, file: io.FileIO, lock: filelock.BaseFileLock, record: Record) -> None:
        self.path = path
        self.players = record.players
        """Who sits there, by seat."""
        self.match = record.match()
        """The match after its last finished deal. It is the caller's to go on with, and the file does not touch it."""
        self.deal = None if record.unfinished is None else record.deal()
        """The deal in progress where the file was taken up; None: none. The caller's to go on with, too."""
        self._file = file
        self._lock = lock
        self._size = file.seek(0, os.SEEK_END)
        self._pending = b""
        self._match = record.match()
        self._deal = None if record.unfinished is None else record.deal()

    # --- opening ------------------------------------------------------------------------------------------------------
    @classmethod
    def create(cls, path: str | Path, match: Match, players: Sequence[str]) -> RecordFile:
        """A new file for a match of which nothing is played, between `players` by seat (a line of text each).

        Raises RecordError where the file exists, which is never written over, or another process writes it;
        OSError where it cannot be written; ValueError for a match that is not new, or players that are no lines.
        """
        path = Path(path)
        if any(match.totals) or match.number:
            raise ValueError(f"{match.number} deals of the match are played; a record begins with its first")
        record = Record(match.rules, match.seed, tuple(players))
        lock = _locked(path)
        try:
            file = io.FileIO(path, "x+")
        except FileExistsError:
            _release(lock)
            raise RecordError("it exists, and a record is never written over", path=path) from None
        except BaseException:
            _release(lock)
            raise
        made = cls(path, file, lock, record)
        made.match = match
        try:
            made._write("\n".join(record.first_lines()) + "\n")
            _sync_folder(path)
        except BaseException:
            made._pending = b""
            made.close()
            path.unlink(missing_ok=True)
            raise
        return made

    @classmethod
    def resume(cls, path: str | Path) -> RecordFile:
        """Take up a file where it was left: its `match` and its `deal` go on from there.

        What was written in part only when it was left is cut off: a last line without an end, or the first or last
        lines of a deal, which are known without them. A deal whose last card is laid is ended.

        Raises RecordError for a file that cannot be read, is damaged otherwise, was not dealt from a seed, or is
        written by another process; nothing is changed then.
        """
        path = Path(path)
        if not path.is_file():
            raise RecordError("there is no such file", path=path)
        lock = _locked(path)
        try:
            file = io.FileIO(path, "r+")
        except OSError as error:
            _release(lock)
            raise RecordError(f"it cannot be opened: {error.strerror}", path=path) from None
        try:
            record, whole = _read(_content(file))
            check(record)
            if record.seed is None:
                raise RecordError("its seed is none, so it cannot go on")
            file.truncate(whole)
            found = cls(path, file, lock, record)
            if found._deal is not None and found._deal.is_over:
                found._end()
                found.deal = None
                found.match.end_deal(record.deal())
        except BaseException as error:
            file.close()
            _release(lock)
            if isinstance(error, RecordError):
                raise error.of(path) from None
            raise
        return found

    # --- writing ------------------------------------------------------------------------------------------------------
    def begin_deal(self, deal: Deal) -> None:
        """Add the deal that the match's `next_deal` gave. Raises ValueError for another one, or while one runs."""
        if self._deal is not None:
            raise ValueError(f"deal {self._match.number} is not over; there is one at a time")
        begun = self._match.next_deal()
        if (deal.rules, deal.number, deal.leader, deal.totals) != (
            begun.rules,
            begun.number,
            begun.leader,
            begun.totals,
        ):
            raise ValueError(f"the deal is another one than number {self._match.number} of this match")
        self._deal = begun
        self._write_lines(RecordedDeal.of(begun).first_lines())

    def turn(self, seat: int, cards: CardSet) -> None:
        """Add a turn: what `seat` laid; no cards for a pass.

        Raises IllegalPlay where the rules forbid it, ValueError where no deal runs; nothing is written then.
        """
        if self._deal is None:
            raise ValueError("no deal is begun")
        number = len(self._deal.log)
        take(self._deal, seat, cards)
        self._write_lines([turn_line(number, seat, cards)])

    def end_deal(self, points: Sequence[int], totals: Sequence[int]) -> None:
        """Add how the deal ended: points and the match's totals by seat.

        Raises ValueError where they are wrong or the deal is not over.
        """
        if self._deal is None:
            raise ValueError("no deal is begun")
        right = self._deal.points
        added = tuple(total + gained for total, gained in zip(self._match.totals, right, strict=True))
        if (tuple(points), tuple(totals)) != (right, added):
            raise ValueError(f"points are {points} and totals {totals}; they must be {right} and {added}")
        self._end()

    def close(self) -> None:
        """Close the file and let others have it. Raises OSError where something still cannot be written."""
        try:
            if self._pending and not self._file.closed:
                self._write("")
        finally:
            self._file.close()
            _release(self._lock)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _end(self) -> None:
        assert self._deal is not None
        ended = RecordedDeal.of(self._deal)
        self._match.end_deal(self._deal)
        self._deal = None
        self._write_lines(ended.last_lines())

    def _write_lines(self, lines: Sequence[str]) -> None:
        self._write("".join(f"{line}\n" for line in lines))

    def _write(self, text: str) -> None:
        """Write `text`, and before it what could not be written; return when all is on disk."""
        self._pending += text.encode()
        self._file.truncate(self._size)  # what a failed attempt left
        self._file.seek(self._size)
        rest = memoryview(self._pending)
        while rest:
            rest = rest[self._file.write(rest) or 0 :]
        os.fsync(self._file.fileno())
        self._size += len(self._pending)
        self._pending = b""


def _content(file: io.FileIO) -> bytes:
    try:
        return read_open(file)
    except TextFileError as error:
        raise RecordError(error.reason) from None


def _read(data: bytes) -> tuple[Record, int]:
    """The record in the bytes of a file, and how many of them are whole."""
    torn = data.rfind(b"\n") + 1
    try:
        return Record.parse(decoded(data[:torn])), torn
    except RecordCutError as error:
        if not error.whole:
            raise
        whole = len(b"\n".join(data.split(b"\n")[: error.whole])) + 1
        return Record.parse(decoded(data[:whole])), whole


# --- the lock ---------------------------------------------------------------------------------------------------------
def _locked(path: Path) -> filelock.BaseFileLock:
    real = path.resolve()
    if not real.parent.is_dir():  # which the lock would make
        raise RecordError(f"{path.parent} must be a folder that is there", path=path)
    lock = filelock.FileLock(real.with_name(f".{real.name}.lock"), thread_local=False)
    try:
        lock.acquire(timeout=0)
    except filelock.Timeout:
        raise RecordError("another process is writing it", path=path) from None
    except (OSError, NotImplementedError) as error:
        reason = getattr(error, "strerror", None) or error
        raise RecordError(f"it cannot be locked: {reason}", path=path) from None
    return lock


def _release(lock: filelock.BaseFileLock) -> None:
    with contextlib.suppress(OSError):
        Path(lock.lock_file).unlink()  # while it is ours; a system that forbids that leaves it, which does no harm
    lock.release()


def _sync_folder(path: Path) -> None:
    """Have the name of a new file on disk too, where the system has a way."""
    if not hasattr(os, "O_DIRECTORY"):
        return
    folder = os.open(path.resolve().parent, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)
