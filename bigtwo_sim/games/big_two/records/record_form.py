"""The form of a record: its fixed words, its rules in lines, one deal of it, and the errors that name a line."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

from bigtwo_sim.core.cards import CardSet
from bigtwo_sim.games.big_two.deal import Deal
from bigtwo_sim.games.big_two.rules import PRESETS, SWITCHES, Rules
from bigtwo_sim.untrusted.text_files import shown_path

FIRST_LINE = "bigtwo record 1"
LARGEST_NUMBER = 2**62
NONE = "none"
PASS = "pass"
LOWEST_CARD = " lowest card"
_TARGET = "match_target"  # a line of its own says it
RECORDED = tuple(switch for switch in SWITCHES if switch != _TARGET)
SHOWN = 60


class RecordError(ValueError):
    """What is wrong with a record: the number of the first wrong line (None: it is not about a line), and why."""

    def __init__(self, reason: str, line: int | None = None, path: Path | None = None) -> None:
        self.reason = reason
        self.line = line
        self.path = path
        where = [] if path is None else [shown_path(path)]
        super().__init__(": ".join([*where, *([] if line is None else [f"line {line}"]), reason]))

    def of(self, path: Path) -> RecordError:
        """The same, of this file."""
        return RecordError(self.reason, self.line, path)


class RecordCutError(RecordError):
    """A record that ends in the middle of what is written at once; its first `whole` lines are a record.

    With `whole` 0 nothing is left.
    """

    def __init__(self, reason: str, line: int | None = None, path: Path | None = None, whole: int = 0) -> None:
        super().__init__(reason, line, path)
        self.whole = whole

    def of(self, path: Path) -> RecordCutError:
        """The same, of this file."""
        return RecordCutError(self.reason, self.line, path, self.whole)


class RecordUnreadableError(RecordError):
    """A path that names no file that can be read, so that nothing is known of a record there."""

    def of(self, path: Path) -> RecordUnreadableError:
        """The same, of this file."""
        return RecordUnreadableError(self.reason, self.line, path)


@dataclass(frozen=True)
class RecordedDeal:
    """One deal of a record."""

    number: int
    """Its number under the record's seed."""
    hands: tuple[CardSet, ...]
    """As dealt, by seat."""
    leader: int | None = None
    """The seat that leads, free of the opening rule; None: the holder of the lowest card, bound by it."""
    turns: tuple[tuple[int, CardSet], ...] = ()
    """(seat, cards), no cards for a pass."""
    winner: int | None = None
    """None while the deal runs, and points and totals likewise."""
    points: tuple[int, ...] | None = None
    totals: tuple[int, ...] | None = None
    """Points in the match after this deal, by seat."""

    @property
    def is_finished(self) -> bool:
        """Whether its end is recorded."""
        return self.winner is not None

    @property
    def first_seat(self) -> int:
        """The seat that leads."""
        if self.leader is not None:
            return self.leader
        return next(seat for seat, hand in enumerate(self.hands) if hand.bits & 1)

    @classmethod
    def of(cls, deal: Deal, number: int | None = None) -> RecordedDeal:
        """A deal as far as it is played. `number` is by default its own, else 0."""
        if number is None:
            number = 0 if deal.number is None else deal.number[1]
        found = cls(number, deal.dealt, deal.leader, tuple(deal.log))
        if deal.winner is None:
            return found
        totals = tuple(total + gained for total, gained in zip(deal.totals, deal.points, strict=True))
        return replace(found, winner=deal.winner, points=deal.points, totals=totals)

    # --- text ---------------------------------------------------------------------------------------------------------
    def first_lines(self) -> list[str]:
        """The lines before its turns."""
        lead = f"lead: {self.first_seat}{LOWEST_CARD if self.leader is None else ''}"
        return ["", f"deal {self.number}", *(f"hand {seat}: {hand}" for seat, hand in enumerate(self.hands)), lead]

    def last_lines(self) -> list[str]:
        """The lines after its turns; none while it runs."""
        if self.winner is None or self.points is None or self.totals is None:
            return []
        return [f"won: {self.winner}", f"points: {numbers_text(self.points)}", f"totals: {numbers_text(self.totals)}"]

    def lines(self) -> list[str]:
        """All its lines, the empty one before it too."""
        turns = [turn_line(turn, seat, cards) for turn, (seat, cards) in enumerate(self.turns)]
        return [*self.first_lines(), *turns, *self.last_lines()]


def turn_line(turn: int, seat: int, cards: CardSet) -> str:
    """The line of a turn."""
    return f"turn {turn} seat {seat}: {cards if cards else PASS}"


def numbers_text(numbers: tuple[int, ...]) -> str:
    """Numbers by seat, as a record writes them."""
    return " ".join(map(str, numbers))


def is_line(text: str) -> bool:
    """Whether a player may be called so."""
    return bool(text) and text.isprintable() and text == text.strip()


def target_text(rules: Rules) -> str:
    """The total that ends a match, or none."""
    return rules.value_text(_TARGET)


def _base_of(rules: Rules) -> Rules:
    """The preset that a record names: the one that the rules are called after, else the one that is nearest."""
    called = PRESETS.get(rules.name.split()[0])
    if called is not None:
        return called
    return min(PRESETS.values(), key=lambda base: len(_changes(base, rules)))


def _changes(base: Rules, rules: Rules) -> dict[str, str]:
    return {s: rules.value_text(s) for s in RECORDED if getattr(base, s) != getattr(rules, s)}


def rules_lines(rules: Rules) -> list[str]:
    """The lines that tell rules apart from their match target: a preset, each switch that it has otherwise, a name."""
    base = _base_of(rules)
    changes = _changes(base, rules)
    lines = [f"rules: {base.name}", *(f"set {switch}: {value}" for switch, value in changes.items())]
    if base.replace(**changes).name != rules.name:
        lines.append(f"name: {rules.name}")
    return lines


# --- checking ---------------------------------------------------------------------------------------------------------
