"""Files that hold a fault of an agent, whichever the game: written, read, and refused where they are damaged."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self, TypeVar

from bigtwo_sim.cards import CardError
from bigtwo_sim.documents import DocumentError, read_json
from bigtwo_sim.switches import RulesError, SwitchedRules

LOG_FORM = "[seat, cards]"
Found = TypeVar("Found")
Rules = TypeVar("Rules", bound=SwitchedRules)


class FaultError(ValueError):
    """A file that holds no fault, or a damaged one; the message names the file and what is wrong with it."""


def fault_from(values: Any, form: str, version: int, read: Callable[[dict[str, Any]], Found]) -> Found:
    """What `read` makes of the object of a file. Raises FaultError for another form or version, and in its place."""
    if not isinstance(values, dict) or values.get("format") != form:
        raise FaultError(f"it is no fault: its format must be {form!r}")
    if values.get("version") != version:
        raise FaultError(f"its version is {values.get('version')!r:.40}; this program reads version {version}")
    try:
        return read(values)
    except (CardError, RulesError) as error:
        raise FaultError(str(error)) from None
    except ValueError as error:
        raise FaultError(f"its deal cannot be: {error}" if not isinstance(error, FaultError) else str(error)) from None


class StoredFault:
    """A base for the faults of a game."""

    agent: str
    seat: int
    deal_number: int
    reason: str

    def __str__(self) -> str:
        return f"agent {self.agent!r} at seat {self.seat} in deal {self.deal_number}: {self.reason}"

    def to_dict(self) -> dict[str, Any]:
        """The object that the file holds."""
        raise NotImplementedError

    @classmethod
    def from_dict(cls, values: Any) -> Self:
        """The fault that the object `values` holds. Raises FaultError, which says what is wrong with it."""
        raise NotImplementedError

    def save(self, path: str | Path) -> None:
        """Write it to a file, in full or not at all. Raises OSError."""
        path = Path(path)
        temporary = path.with_name(f".{path.name}.{os.getpid()}")
        try:
            with temporary.open("w", encoding="utf-8") as file:
                file.write(json.dumps(self.to_dict(), indent=1) + "\n")
                file.flush()
                os.fsync(file.fileno())
            temporary.replace(path)
        except OSError:
            temporary.unlink(missing_ok=True)
            raise

    @classmethod
    def load(cls, path: str | Path) -> Self:
        """Read it from a file. Raises FaultError for a file that cannot be read, or that holds no whole fault."""
        try:
            return cls.from_dict(read_json(path, dict[str, Any]))
        except DocumentError as error:
            raise FaultError(str(error)) from None
        except FaultError as error:
            raise FaultError(f"{path}: {error}") from None


@dataclass(frozen=True)
class Fields:
    """The entries of a file, each read as what it must be; so many seats have an entry each. Raises FaultError."""

    values: dict[str, Any]
    seats: int

    def of(self, name: str, kind: type) -> Any:
        """An entry of this kind."""
        value = self.values.get(name)
        if type(value) is not kind:
            given = "is missing" if name not in self.values else f"is {value!r:.40}"
            raise FaultError(f"its {name} {given}; it must be {_KINDS[kind]}")
        if kind is int and value not in _SMALL:
            raise FaultError(f"its {name} must be a number of at most 62 bits")
        return value

    def rules(self, kind: type[Rules]) -> Rules:
        """The rules."""
        switches = self.of("rules", dict)
        if not all(isinstance(value, str) for value in switches.values()):
            raise FaultError("its rules must be texts by name")
        return kind.from_dict(switches)

    def seat(self, name: str) -> int:
        """A seat."""
        seat: int = self.of(name, int)
        if not 0 <= seat < self.seats:
            raise FaultError(f"its {name} is {seat}; it must be a seat from 0 to {self.seats - 1}")
        return seat

    def count(self, name: str) -> int:
        """A number that is not negative."""
        count: int = self.of(name, int)
        if count < 0:
            raise FaultError(f"its {name} is {count}; it must be at least 0")
        return count

    def number(self, name: str, low: int, high: int) -> int:
        """A number in a range that is written as text, since it may be too large for some readers of JSON."""
        text: str = self.of(name, str)
        digits = text.removeprefix("-")
        if not (digits.isascii() and digits.isdigit() and len(digits) < 40 and low <= int(text) <= high):
            raise FaultError(f"its {name} is {text!r:.40}; it must be the text of a number from {low} to {high}")
        return int(text)

    def by_seat(self, name: str, kind: type) -> list[Any]:
        """An entry of this kind for each seat."""
        values: list[Any] = self.of(name, list)
        if len(values) != self.seats or not all(type(value) is kind for value in values):
            raise FaultError(f"its {name} must be {self.seats} entries by seat, each {_KINDS[kind]}")
        if not all(value in _SMALL for value in values if kind is int):
            raise FaultError(f"its {name} must be numbers of at most 62 bits")
        return values

    def turns(self, name: str, kind: type, form: str) -> list[tuple[int, Any]]:
        """Pairs of a seat and what it did, of this kind; `form` says how they are written."""
        turns: list[Any] = self.of(name, list)
        for number, turn in enumerate(turns):
            whole = isinstance(turn, list) and len(turn) == len((int, kind))
            if not whole or [type(part) for part in turn] != [int, kind]:
                raise FaultError(f"turn {number} of its {name} is {turn!r:.40}; it must be {form}")
        return [(seat, did) for seat, did in turns]


_SMALL = range(-(2**62), 2**62)  # fits into a machine word, whatever is added to it
_KINDS = {str: "a text", int: "a whole number", dict: "an object", list: "a list"}
