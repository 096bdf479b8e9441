"""Files that may hold anything: JSON and TOML, read strictly and checked against a schema.

A schema is a TypedDict (`typing_extensions`, which Python 3.11 needs) whose entries may carry bounds
(`annotated_types`). pydantic checks it: of the schema libraries it says of each error where it is, which value is there
and what must be true. It is imported when the first file is read, so that no command starts later for it.

The values are returned as they are in the file, with entries that the schema does not name.
"""

from __future__ import annotations

import functools
import hashlib
import json
import math
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter, ValidationError

from bigtwo_sim.untrusted.checksums import ChecksumError, raise_if_changed
from bigtwo_sim.untrusted.text_files import TextFileError, decoded, read_bytes, shown_path

SEAL = "sha256"
"""The entry of a sealed document: the hash of all others."""

_LONGEST_SHOWN = 80
_MUST = {
    "int_type": "a whole number",
    "float_type": "a number",
    "string_type": "a text",
    "string_unicode": "a text",
    "bool_type": "true or false",
    "list_type": "a list",
    "dict_type": "an object",
    "literal_error": "{expected}",
    "greater_than": "above {gt}",
    "greater_than_equal": "at least {ge}",
    "less_than": "below {lt}",
    "less_than_equal": "at most {le}",
    "string_too_short": "a text of at least {min_length} characters",
    "string_too_long": "a text of at most {max_length} characters",
    "too_short": "of at least {min_length} entries",
    "too_long": "of at most {max_length} entries",
}


class DocumentError(ValueError):
    """A file that cannot be read, or does not hold what it must; the message names the file and the place in it."""

    def __init__(self, path: str | Path, reason: str, *, unreadable: bool = False) -> None:
        super().__init__(f"{shown_path(path)}: {reason}")
        self.path = Path(path)
        self.reason = reason
        """What is wrong, without the file."""
        self.unreadable = unreadable
        """Whether it is missing, cannot be read or is not a text at all."""


def shown(value: Any) -> str:
    """A value in an error message, cut short; Python refuses to print the longest of whole numbers."""
    try:
        text = repr(value)
    except (ValueError, RecursionError):
        return "a value too long to print"
    return text if len(text) <= _LONGEST_SHOWN else f"{text[:_LONGEST_SHOWN]}..."


# --- reading ----------------------------------------------------------------------------------------------------------
def read_json(path: str | Path, schema: Any, *, sealed: bool = False) -> Any:
    """The values of a JSON file that a schema allows.

    `sealed`: the file must hold its own hash (see `sealed_text`). A file that is listed in its folder's checksums must
    be the one that was listed. Raises DocumentError for everything that can be wrong with it.
    """
    text = _text(path)
    try:
        values = parse_json(text)
        if sealed:
            raise_if_unsealed(path, values)
    except (ValueError, RecursionError) as error:
        if isinstance(error, DocumentError):
            raise
        raise DocumentError(path, f"it is not JSON: {_reason(error)}") from None
    check(path, values, schema)
    return values


def read_toml(path: str | Path, schema: Any) -> Any:
    """The values of a TOML file that a schema allows. Raises DocumentError for everything that can be wrong with it."""
    text = _text(path)
    try:
        values = tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        raise DocumentError(path, f"it is not TOML: {_reason(error)}") from None
    check(path, values, schema)
    return values


def parse_json(text: str) -> Any:
    """The values of a JSON text. Raises ValueError or RecursionError for what is not JSON.

    JSON knows no NaN and no infinity, and a name that an object has twice has no value.
    """
    return json.loads(text, parse_constant=_no_number, parse_float=_finite, object_pairs_hook=_distinct)


def check(path: str | Path, values: Any, schema: Any) -> None:
    """Raise DocumentError where values do not fit a schema: the place, the value there and what must be true."""
    try:
        _adapter(schema).validate_python(values, strict=True)
    except ValidationError as found:
        raise DocumentError(path, _told(found.errors(include_url=False)[0])) from None


def _text(path: str | Path) -> str:
    try:
        data = read_bytes(path)
        raise_if_changed(Path(path), data)
        return decoded(data)
    except TextFileError as error:
        line = "" if error.line is None else f"line {error.line}: "
        raise DocumentError(path, line + error.reason, unreadable=True) from None
    except ChecksumError as error:
        raise DocumentError(path, error.reason) from None


def _no_number(name: str) -> float:
    raise ValueError(f"{name} is not a number of JSON")


def _finite(text: str) -> float:
    value = float(text)
    if not math.isfinite(value):
        raise ValueError(f"the number {text[:40]} is too large")
    return value


def _distinct(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    values = dict(pairs)
    if len(values) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"an object has the name {shown(twice)} twice")
    return values


def _reason(error: BaseException) -> str:
    return "it is nested too deeply" if isinstance(error, RecursionError) else str(error)


@functools.cache
def _adapter(schema: Any) -> Any:
    return TypeAdapter(schema)


def _told(error: Mapping[str, Any]) -> str:
    """What is wrong, in one line: the place, the value and what must be true."""
    place = ""
    for step in error["loc"]:
        named = f".{step}" if str(step).isidentifier() else f"[{shown(step)}]"
        place += f"[{step}]" if isinstance(step, int) else named
    place = place.removeprefix(".") or "the whole"
    if error["type"] == "missing":
        return f"{place} is missing"
    must = _MUST.get(error["type"])
    must = error["msg"].removeprefix("Input should be ") if must is None else must.format(**error.get("ctx") or {})
    return f"{place} is {shown(error['input'])}; it must be {must}"


# --- sealed documents -------------------------------------------------------------------------------------------------
def sealed_text(values: Mapping[str, Any]) -> str:
    """A JSON text of an object with its own hash, by which every later change to its values is noticed."""
    bare = {name: value for name, value in values.items() if name != SEAL}
    return json.dumps({**bare, SEAL: seal(bare)}, indent=2, allow_nan=False) + "\n"


def seal(values: Any) -> str:
    """The SHA-256 of values, the same however they are laid out as text."""
    text = json.dumps(values, sort_keys=True, separators=(",", ":"), allow_nan=False)
    return hashlib.sha256(text.encode()).hexdigest()


def raise_if_unsealed(path: str | Path, values: Any) -> None:
    """Raise DocumentError where an object does not hold its own hash."""
    if not isinstance(values, dict):
        raise DocumentError(path, f"it is {shown(values)}; it must be an object")
    if values.get(SEAL) != seal({name: value for name, value in values.items() if name != SEAL}):
        raise DocumentError(
            path, f"it was changed after it was written: its {SEAL} is not the hash of its other entries"
        )
