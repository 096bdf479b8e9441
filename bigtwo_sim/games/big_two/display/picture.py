"""A deal as a picture that one steps through: for notebooks, or as a file that needs nothing but a browser.

The picture is HTML in two layers. Below stands all of the deal as plain tables: whatever strips scripts and styles from
a notebook (GitHub, a notebook that is not trusted) leaves them to be read. Where scripts run, `picture.js` hides them
behind a drawing in a shadow tree, whose styles and names meet nothing else on the page.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from html import escape
from pathlib import Path
from typing import Any, Protocol

from bigtwo_sim.core.cards import CardSet
from bigtwo_sim.games.base.replay import ReplayableDeal, Turn, play_through
from bigtwo_sim.games.big_two import layout as at
from bigtwo_sim.games.big_two.rules import Rules
from bigtwo_sim.untrusted.safe_text import visible

_TEXT_NOT_EMOJI = "\ufe0e"  # after a suit sign: draw it as text
_LEFT = ' style="text-align:left;vertical-align:top"'  # Jupyter sets the cells of tables to the right


@dataclass(frozen=True)
class Picture:
    """A deal drawn. The last value of a notebook's cell is shown; `page` is a whole document, `save` writes it."""

    title: str
    """What was played, in a line."""
    fragment: str
    """The HTML to be put into a page; any number of pictures may stand in one."""
    turns: int
    """How many turns it shows."""

    def _repr_html_(self) -> str:
        return self.fragment

    def __str__(self) -> str:
        return f"{self.title} ({self.turns} turn{'s' if self.turns != 1 else ''})"

    def __repr__(self) -> str:
        return f"<Picture: {self}>"

    @property
    def page(self) -> str:
        """A whole HTML document, which loads nothing from elsewhere."""
        return (
            '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
            '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
            '<link rel="icon" href="data:,">\n'  # or the browser would ask the server for one
            f"<title>{escape(self.title)}</title>\n<style>{_source('picture_page.css')}</style>\n"
            f"</head>\n<body>\n{self.fragment}</body>\n</html>\n"
        )

    def save(self, path: str | Path) -> None:
        """Write `page` to a new file. Raises FileExistsError where there is one already, OSError for other reasons."""
        path = Path(path)
        with path.open("x", encoding="utf-8") as file:
            try:
                file.write(self.page)
            except BaseException:
                path.unlink(missing_ok=True)
                raise


class DrawnDeal(ReplayableDeal, Protocol):
    """What is drawn of a deal besides its turns."""

    @property
    def rules(self) -> Rules:
        """Its rules."""

    @property
    def dealt(self) -> tuple[CardSet, ...]:
        """The hands as dealt, by seat."""

    @property
    def points(self) -> tuple[int, ...]:
        """Points by seat, once it is over."""


def draw_deal(
    deal: DrawnDeal,
    log: Iterable[tuple[int, CardSet]],
    *,
    names: Sequence[str] | None = None,
    notes: Mapping[int, str] | Sequence[str | None] | None = None,
    seat: int | None = None,
    turn: int | None = None,
    title: str | None = None,
) -> Picture:
    """Draw `deal`, which has just been dealt, with the turns of `log` played in it; the rest as in `deal.show_deal`."""
    first = deal.turn
    turns = play_through(deal, log)
    called = _checked_names(names)
    told = _checked_notes(notes, len(turns))
    if seat is not None and not 0 <= seat < at.SEATS:
        raise ValueError(f"seat is {seat}; it must be from 0 to {at.SEATS - 1}")
    if turn is None:
        turn = 0 if deal.is_over else len(turns)
    if not 0 <= turn <= len(turns):
        raise ValueError(f"turn is {turn}; the deal has {len(turns)} turns, so it must be from 0 to {len(turns)}")
    if title is None:
        title = f"A deal under {deal.rules.name}"
    replay = _Replay(_text("title", title), deal, first, turns, called, told, seat, turn)
    return Picture(replay.whole_title, _fragment(replay), len(turns))


def _text(what: str, value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError(f"{what} is {value!r:.60}; it must be a text")
    whole = value.encode(errors="replace").decode()  # half characters cannot be written to a page
    return "\t".join(map(visible, whole.split("\t")))  # tabs make tables of notes


def _checked_names(names: Sequence[str] | None) -> tuple[str, ...]:
    if names is None:
        return ("",) * at.SEATS
    if isinstance(names, str) or len(names) != at.SEATS:
        raise ValueError(f"names are {names!r:.200}; they must be {at.SEATS} texts, one a seat")
    return tuple(_text(f"the name of seat {seat}", name) for seat, name in enumerate(names))


def _checked_notes(notes: Mapping[int, str] | Sequence[str | None] | None, turns: int) -> dict[int, str]:
    if notes is None:
        return {}
    if isinstance(notes, str):
        raise TypeError(f"notes are {notes!r:.60}; they must be texts by turn, as a list or a mapping")
    pairs = notes.items() if isinstance(notes, Mapping) else enumerate(notes)
    told = {int(turn): _text(f"the note of turn {turn}", note).rstrip() for turn, note in pairs if note}
    for turn in told:
        if not 0 <= turn < turns:
            raise ValueError(f"there is a note for turn {turn}; the deal has the turns 0 to {turns - 1}")
    return told


@dataclass(frozen=True)
class _Replay:
    """What is drawn."""

    title: str
    deal: DrawnDeal
    first: int
    """The seat that led."""
    turns: list[Turn]
    names: tuple[str, ...]
    notes: dict[int, str]
    seat: int | None
    """The only hand that is open; None: all are."""
    start: int

    @property
    def whole_title(self) -> str:
        """The title with the names, where there are any."""
        names = ", ".join(name or f"seat {seat}" for seat, name in enumerate(self.names))
        return f"{self.title}: {names}" if any(self.names) else self.title

    def is_open(self, seat: int) -> bool:
        return self.seat is None or seat == self.seat

    def who(self, seat: int) -> str:
        return f"seat {seat} {self.names[seat]}".rstrip()


# --- the drawing ------------------------------------------------------------------------------------------------------
@cache
def _source(name: str) -> str:
    return Path(__file__).with_name(name).read_text(encoding="utf-8").strip()


def _script_literal(value: Any) -> str:
    """A value as JavaScript that may stand within a script element whatever texts it holds."""
    text = json.dumps(value, separators=(",", ":"))  # in ASCII
    for sign in "<>&":
        text = text.replace(sign, f"\\u{ord(sign):04x}")
    return text


def _numbers(cards: CardSet) -> list[int]:
    return [card.bits.bit_length() - 1 for card in cards]


def _values(replay: _Replay) -> dict[str, Any]:
    """What `picture.js` draws: plain values; cards are numbers of the deck, ascending in strength."""
    deal = replay.deal
    turns = [
        {
            "trick": turn.trick,
            "seat": turn.seat,
            "cards": _numbers(turn.play.cards) if turn.play else [],
            "kind": turn.play.kind.words if turn.play else "",
            "left": turn.left,
            "note": replay.notes.get(number, ""),
        }
        for number, turn in enumerate(replay.turns)
    ]
    return {
        "title": replay.title,
        "ranks": deal.rules.deck.ranks,
        "suits": deal.rules.deck.suits,
        "rules": deal.rules.name,
        "names": replay.names,
        "hands": [_numbers(hand) if replay.is_open(seat) else None for seat, hand in enumerate(deal.dealt)],
        "counts": [len(hand) for hand in deal.dealt],
        "open": replay.seat,
        "first": replay.first,
        "turns": turns,
        "next": None if deal.is_over else deal.turn,
        "closed": deal.is_over or deal.play_to_beat is None,  # whether the last trick is over
        "points": deal.points if deal.is_over else None,
        "start": replay.start,
    }


def _fragment(replay: _Replay) -> str:
    plain = _plain(replay)
    arguments = f"{_script_literal(_values(replay))},{_script_literal(_source('picture.css'))}"
    # The same picture gets the same mark, so that notebooks run twice do not differ; the script draws every place that
    # bears its mark and was not drawn before.
    mark = hashlib.sha256((plain + arguments).encode()).hexdigest()[:16]
    return (
        f'<div class="bigtwo-deal tex2jax_ignore mathjax_ignore" data-bigtwo-deal="{mark}" '
        f'data-lm-suppress-shortcuts="true">\n{plain}</div>\n'
        f"<script>\n(function () {{\n{_source('picture.js')}\n"
        f"for (const host of document.querySelectorAll('[data-bigtwo-deal=\"{mark}\"]')) {{\n"
        f"  if (!host.shadowRoot) drawDeal(host, {arguments});\n}}\n}})();\n</script>\n"
    )


# --- without scripts --------------------------------------------------------------------------------------------------
def _signs(cards: CardSet) -> str:
    return " ".join(card + _TEXT_NOT_EMOJI for card in cards.text(signs=True).split())


def _cell(text: str) -> str:
    lines = text.split("\n")
    return escape(text) if len(lines) == 1 else "".join(f"<div>{escape(line)}</div>" for line in lines)


def _table(headings: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table of texts, which are escaped here; lines stay lines. Only elements that the strictest filters leave."""
    cells = [
        [f"<strong>{escape(heading)}</strong>" for heading in headings],
        *([_cell(cell) for cell in row] for row in rows),
    ]
    lines = ("<tr>" + "".join(f"<td{_LEFT}>{cell}</td>" for cell in row) + "</tr>\n" for row in cells)
    return f"<table>\n{''.join(lines)}</table>\n"


def _plain(replay: _Replay) -> str:
    """The whole deal as tables."""
    deal = replay.deal
    hands = []
    for seat, hand in enumerate(deal.dealt):
        row = [replay.who(seat), _signs(hand) if replay.is_open(seat) else f"{len(hand)} cards, face down"]
        if deal.is_over:
            row += [str(deal.left[seat]), f"{deal.points[seat]:+d}"]
        hands.append(row)
    turns = []
    for number, turn in enumerate(replay.turns):
        begins = not number or replay.turns[number - 1].trick != turn.trick
        cards, kind = (_signs(turn.play.cards), turn.play.kind.words) if turn.play else ("pass", "")
        row = [str(turn.trick) if begins else "", str(number), replay.who(turn.seat), cards, kind, str(turn.left)]
        turns.append([*row, replay.notes.get(number, "")] if replay.notes else row)
    headings = ["player", "hand as dealt, weakest card first", *(["left", "points"] if deal.is_over else [])]
    columns = ["trick", "turn", "player", "play", "kind", "left", *(["note"] if replay.notes else [])]
    leads = f"{replay.who(replay.first)} leads."
    return (
        f"<div><strong>{escape(replay.title)}</strong></div>\n<div>{escape(leads)}</div>\n"
        + _table(headings, hands)
        + (_table(columns, turns) if turns else "")
    )
