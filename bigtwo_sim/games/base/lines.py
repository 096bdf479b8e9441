"""The conversation between the engine and an agent in another process, whichever the game: a JSON object a line.

`docs/bots.md` describes it for bots. Both sides ignore fields that they do not know, so that later versions may add
some.
"""

from __future__ import annotations

import json
from typing import Any

import bigtwo_sim

PROTOCOL = 1
LONGEST_LINE = 65_536
"""Bytes of a line that a bot may write, its end included."""
LONGEST_TEXT = 300  # characters of a bot's own text that are shown
_SHOWN = 60


class WireError(ValueError):
    """A line or a message that the protocol does not allow; its text goes on from "the bot …"."""


def shown(line: bytes | str) -> str:
    """A line as it is shown in an error: quoted and cut short."""
    text = line.decode("utf-8", "backslashreplace") if isinstance(line, bytes) else line
    return repr(text if len(text) <= _SHOWN else text[:_SHOWN] + "...")


def read_line(line: bytes) -> dict[str, Any]:
    """The message in a line. Raises WireError for what is no JSON object with a type."""
    try:
        message = json.loads(line.decode("utf-8"))
    except (ValueError, RecursionError):
        raise WireError(f"wrote {shown(line.strip())}, which is no JSON") from None
    if not isinstance(message, dict) or not isinstance(message.get("type"), str):
        raise WireError(f'wrote {shown(line.strip())}, which is no JSON object with a "type"')
    return message


def hello(game: str, name: str, **more: Any) -> str:
    """The engine's first line of a game; `name` is what the bot is called in the run."""
    engine = f"bigtwo_sim {bigtwo_sim.__version__}"
    message = {"type": "hello", "protocol": PROTOCOL, "game": game, "engine": engine, "name": name, **more}
    return json.dumps(message)


def read_hello(message: dict[str, Any]) -> str:
    """The bot's own name in its hello, "" where it gives none. Raises WireError for another version or type."""
    if message["type"] != "hello":
        raise WireError(f'answered hello with the type {shown(message["type"])}; it must be "hello"')
    protocol = message.get("protocol")
    if type(protocol) is not int:
        raise WireError(f'says hello with {protocol!r:.40} as its "protocol"; it must be the number {PROTOCOL}')
    if protocol != PROTOCOL:
        raise WireError(f"speaks protocol {protocol}; this engine speaks {PROTOCOL}")
    name = message.get("name", "")
    return " ".join(name.split())[:_SHOWN] if isinstance(name, str) else ""
