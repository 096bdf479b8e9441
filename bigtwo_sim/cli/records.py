"""Records as the commands read them: checked to the last line, and a place in one, named as its lines number it."""

from __future__ import annotations

import re
from pathlib import Path

from bigtwo_sim.games.big_two import Record, RecordError
from bigtwo_sim.games.big_two.records.record import check
from bigtwo_sim.untrusted.errors import InputError

_PLACE = re.compile(r"(?:(\d{1,19}):)?(\d{1,4})")


def read_record(path: Path) -> Record:
    """The record in a file, checked. Raises RecordError, which names the first wrong line."""
    record = Record.load(path)
    try:
        check(record)
    except RecordError as error:
        raise error.of(path) from None
    return record


def read_place(record: Record, text: str | None, path: Path) -> tuple[int, int]:
    """What `[DEAL:]TURN` means: the place of the deal in the record, and how many turns are made there.

    Without DEAL it is the only deal; without text the end of the last deal. Raises InputError where there is none.
    """
    if not record.deals:
        raise InputError(f"{path} has no deal yet")
    if text is None:
        return len(record.deals) - 1, len(record.deals[-1].turns)
    found = _PLACE.fullmatch(text.strip())
    numbers = [deal.number for deal in record.deals]
    several = f"{numbers[0]}:TURN to {numbers[-1]}:TURN" if len(numbers) > 1 else "TURN"
    if found is None or (found[1] is None and len(numbers) > 1):
        raise InputError(f"--at is {text!r:.40}; it must be {several}, as the lines of {path} are numbered")
    number = numbers[0] if found[1] is None else int(found[1])
    if number not in numbers:
        raise InputError(f"--at is {text}; {path} has the deals {numbers[0]} to {numbers[-1]}")
    place = numbers.index(number)
    turns = len(record.deals[place].turns)
    if int(found[2]) > turns:
        raise InputError(f"--at is {text}; deal {number} has {turns} turns, so it must be from 0 to {turns}")
    return place, int(found[2])
