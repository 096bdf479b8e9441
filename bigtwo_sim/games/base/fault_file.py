"""Files that hold a fault of an agent, whichever the game: written, read, and refused where they are damaged."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Self, TypeVar

from annotated_types import Ge, Len, Lt

from bigtwo_sim.core.cards import CardError
from bigtwo_sim.games.base.ruleset import RulesError, RuleSet
from bigtwo_sim.untrusted.documents import DocumentError, check, read_json, shown

LOG_FORM = "[seat, cards]"
Found = TypeVar("Found")
Rules = TypeVar("Rules", bound=RuleSet)


class FaultError(ValueError):
    """A file that holds no fault, or a damaged one; the message names the file and what is wrong with it."""


Whole = Annotated[int, Ge(-(2**62)), Lt(2**62)]
"""A whole number that fits into a machine word, whatever is added to it."""
Count = Annotated[int, Ge(0), Lt(2**62)]
Turns = list[Annotated[list[Any], Len(2, 2)]]
"""Pairs of a seat and what it did."""


def fault_from(values: Any, form: str, version: int, schema: Any, read: Callable[[dict[str, Any]], Found]) -> Found:
    """What `read` makes of the object of a file that a schema allows.

    Raises FaultError for another form or version, for what the schema does not allow, and in the place of `read`.
    """
    if not isinstance(values, dict) or values.get("format") != form:
        raise FaultError(f"it is no fault: its format must be {form!r}")
    if values.get("version") != version:
        raise FaultError(f"its version is {values.get('version')!r:.40}; this program reads version {version}")
    try:
        check("a fault", values, schema)
        return read(values)
    except DocumentError as error:
        raise FaultError(f"its {error.reason}") from None
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
    """The entries of a file that its schema allows, each checked against the others. Raises FaultError."""

    values: dict[str, Any]
    seats: int
    """How many seats have an entry each."""

    def rules(self, kind: type[Rules]) -> Rules:
        """The rules."""
        return kind.from_dict(self.values["rules"])

    def seat(self, name: str) -> int:
        """A seat."""
        seat: int = self.values[name]
        if not 0 <= seat < self.seats:
            raise FaultError(f"its {name} is {seat}; it must be a seat from 0 to {self.seats - 1}")
        return seat

    def number(self, name: str, low: int, high: int) -> int:
        """A number in a range that is written as text, since it may be too large for some readers of JSON."""
        text: str = self.values[name]
        digits = text.removeprefix("-")
        if not (digits.isascii() and digits.isdigit() and len(digits) < 40 and low <= int(text) <= high):
            raise FaultError(f"its {name} is {text!r:.40}; it must be the text of a number from {low} to {high}")
        return int(text)

    def by_seat(self, name: str) -> list[Any]:
        """An entry for each seat."""
        values: list[Any] = self.values[name]
        if len(values) != self.seats:
            raise FaultError(f"its {name} has {len(values)} entries; it must have {self.seats}, one a seat")
        return values

    def turns(self, name: str, kind: type, form: str) -> list[tuple[int, Any]]:
        """Pairs of a seat and what it did, of this kind; `form` says how they are written."""
        for number, turn in enumerate(self.values[name]):
            if [type(part) for part in turn] != [int, kind]:
                raise FaultError(f"turn {number} of its {name} is {shown(turn)}; it must be {form}")
        return [(seat, did) for seat, did in self.values[name]]
