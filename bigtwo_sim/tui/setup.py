"""What is to be played, and what players and rules are called on the screen."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from bigtwo_sim.games.big_two import PRESETS, Rules
from bigtwo_sim.tui.game import PERSON
from bigtwo_sim.tui.texts import Texts, read_texts
from bigtwo_sim.untrusted.safe_text import visible


@dataclass(frozen=True)
class Setup:
    """What is to be played. `players` are four texts by seat, the first one PERSON unless all are agents."""

    rules: Rules
    players: tuple[str, ...]
    target: int | None
    seed: int | None = None
    """None: another one each time."""
    move_time: float = 10.0
    """Seconds that agents in Python and other languages may think."""
    folder: Path | None = None
    """Where the game is kept; None: nowhere."""
    resume: Path | None = None
    """The game to go on with; then the rest says nothing but move_time and folder."""


def player_name(texts: Texts, player: str, seat: int, players: Sequence[str]) -> str:
    """What a player is called on the screen: a level by its word, others as they were named; equal ones numbered."""
    if player == PERSON:
        return texts("you")
    level = f"level_{player}"
    name = texts(level) if level in read_texts() else visible(_own_name(player), newlines=False)
    before = players[:seat].count(player)
    return f"{name} {before + 1}" if players.count(player) > 1 else name


def _own_name(player: str) -> str:
    """`name` of `name=…`, else the text itself."""
    equals, colon = player.find("="), player.find(":")
    return player[:equals].strip() if equals > 0 and not 0 <= colon < equals else player


def rules_name(name: str) -> str:
    """A rule set's name for people: `Hong Kong`."""
    return name.replace("_", " ").title() if name in PRESETS else visible(name, newlines=False)
