"""Rules as switches: what the rules of every game share, apart from what their switches are called."""

from __future__ import annotations

import dataclasses
from enum import StrEnum
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar, Self, TypeVar

import numpy as np
import numpy.typing as npt

from bigtwo_sim.core.cards import Deck
from bigtwo_sim.untrusted.documents import DocumentError, read_toml
from bigtwo_sim.untrusted.documents import shown as shown

_BOOLEANS = {"yes": True, "true": True, "on": True, "1": True, "no": False, "false": False, "off": False, "0": False}
Member = TypeVar("Member", bound="SwitchValue")


class RulesError(ValueError):
    """A switch that does not exist or has a value that it cannot have."""


class SwitchValue(StrEnum):
    """A value of a switch, which compares equal to its text and carries what it means."""

    meaning: str

    def __new__(cls, value: str, meaning: str) -> Self:
        member = str.__new__(cls, value)
        member._value_ = value
        member.meaning = meaning
        return member


def as_text(value: Any) -> str:
    """A value as the text that was meant: texts as they are, others as in an error message."""
    return str(value) if isinstance(value, str) else shown(value)


def as_name(value: Any) -> str:
    """The name of some rules. Raises RulesError for what is no line of printable text."""
    name = as_text(value).strip()
    if not name or not name.isprintable():
        raise RulesError(f"name is {shown(value)}; it must be a line of printable text")
    return name


def as_boolean(switch: str, value: Any) -> bool:
    """The value of a switch that is on or off. Raises RulesError, which names the switch, for anything else."""
    found = value if isinstance(value, bool) else _BOOLEANS.get(as_text(value).strip().lower())
    if found is None:
        raise RulesError(f"{switch} is {shown(value)}; it must be yes or no")
    return found


def as_member(switch: str, kind: type[Member], value: Any) -> Member:
    """The member of `kind` that `value` names. Raises RulesError, which lists them, where there is none."""
    text = as_text(value).strip().lower().replace("-", "_")
    for member in kind:
        if member == text:
            return member
    raise RulesError(f"{switch} is {shown(value)}; it must be one of {', '.join(kind)}")


class RuleSet:
    """Rules of a game: a base for frozen dataclasses whose fields are a name and the switches.

    `GAME` is the name of the game, `TITLE` what people call it; `PRESETS` holds the named ones, the default first.
    """

    GAME: ClassVar[str]
    TITLE: ClassVar[str]
    PRESETS: ClassVar[dict[str, Any]]
    name: str

    @property
    def players(self) -> int:
        """How many sit at a table."""
        raise NotImplementedError

    @property
    def largest_hand(self) -> int:
        """The most cards that somebody may hold."""
        raise NotImplementedError

    @property
    def step(self) -> int:
        """What is added to a seat, round the table, for the one whose turn comes next."""
        return 1

    @property
    def deck(self) -> Deck:
        """The deck in the order of strength of these rules."""
        raise NotImplementedError

    @classmethod
    def switches(cls) -> tuple[str, ...]:
        """The names of all switches."""
        return tuple(field.name for field in dataclasses.fields(cls) if field.name != "name")  # type: ignore[arg-type]

    @classmethod
    def preset(cls, name: str) -> Self:
        """The preset called `name`. Raises RulesError, which lists the presets, for any other name."""
        found: Self | None = cls.PRESETS.get(name.strip().lower().replace("-", "_"))
        if found is None:
            raise RulesError(f"there are no rules called {shown(name)}; the presets are {', '.join(cls.PRESETS)}")
        return found

    def _set_fields(self, checked: dict[str, Any]) -> None:
        """Put the checked values in the place of what was given."""
        for field, value in checked.items():
            object.__setattr__(self, field, value)

    def replace(self, /, **changes: Any) -> Self:
        """A copy with some switches changed; its name tells which, unless a name is given.

        Raises RulesError for an unknown switch or value.
        """
        switches = self.switches()
        unknown = [switch for switch in changes if switch not in switches and switch != "name"]
        if unknown:
            raise RulesError(f"there is no switch {shown(unknown[0])}; the switches are {', '.join(switches)}")
        changed: Self = dataclasses.replace(self, **changes)  # type: ignore[type-var]
        if "name" not in changes:
            different = [s for s in switches if getattr(changed, s) != getattr(self, s)]
            texts = [f"{switch}={changed.value_text(switch)}" for switch in different]
            object.__setattr__(changed, "name", " ".join([self.name, *texts]))
        return changed

    def value_text(self, switch: str) -> str:
        """The value of a switch as the text that sets it."""
        value = getattr(self, switch)
        if isinstance(value, bool):
            return "yes" if value else "no"
        return "none" if value is None else str(value)

    def to_dict(self) -> dict[str, str]:
        """All switches as text, by name; `from_dict` reads it back."""
        return {"name": self.name, **{switch: self.value_text(switch) for switch in self.switches()}}

    @classmethod
    def from_dict(cls, values: dict[str, Any]) -> Self:
        """Rules from switches by name; `preset` names what the missing ones are taken from (the first of PRESETS).

        Raises RulesError for an unknown preset, switch or value.
        """
        changes = dict(values)
        return cls.preset(as_text(changes.pop("preset", next(iter(cls.PRESETS))))).replace(**changes)

    @classmethod
    def from_toml(cls, path: str | Path) -> Self:
        """Rules from a TOML file of switches, and `preset = "…"` for the rest.

        Raises RulesError for a file that cannot be read, is not TOML or has an unknown switch or value.
        """
        try:
            values = read_toml(path, dict[str, Any])
        except DocumentError as error:
            raise RulesError(f"rules file {error}") from None
        values.setdefault("name", Path(path).stem)
        return cls.from_dict(values)

    def copy(self) -> Self:
        """Equal rules that share no object with these, so that nobody who holds one can damage the other."""
        made = object.__new__(type(self))
        made.__dict__.update(self.__getstate__())
        return made

    def __getstate__(self) -> dict[str, Any]:
        fields = dataclasses.fields(self)  # type: ignore[arg-type]
        return {field.name: getattr(self, field.name) for field in fields}  # what is cached is made again

    def __copy__(self) -> Self:
        return self.copy()

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return self.copy()

    def rule_table(self) -> npt.NDArray[np.int64]:
        """The rules for kernels: int64[TABLE_SIZE], offsets named in the game's `layout`. Read-only for ever."""
        return self._table

    @cached_property
    def _table(self) -> npt.NDArray[np.int64]:
        return np.frombuffer(self._make_table().tobytes(), np.int64)  # nobody can make it writable again

    def _make_table(self) -> npt.NDArray[np.int64]:
        """The flat form for kernels, new."""
        raise NotImplementedError
