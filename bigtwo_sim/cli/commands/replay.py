"""`bigtwo replay`: steps through a record, shows it whole or at one place, and verifies it."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any

import typer

from bigtwo_sim.cli.options import JsonOption
from bigtwo_sim.cli.records import read_place, read_record
from bigtwo_sim.games.base.replay import play_through
from bigtwo_sim.games.big_two import CardSet, Record, RecordError, classify
from bigtwo_sim.games.big_two.records.record_form import RecordUnreadableError
from bigtwo_sim.terminal.deal_report import short_names, show_deal
from bigtwo_sim.terminal.output import cards_text, emit, emit_json, table_text, wrapped
from bigtwo_sim.untrusted.errors import InputError
from bigtwo_sim.untrusted.safe_text import terminal_of

WRONG = 1  # exit code of --check
FORWARD, BACK, NEXT_DEAL, LAST_DEAL, QUIT = "forward", "back", "next deal", "last deal", "quit"
KEYS = {
    **dict.fromkeys((" ", "\r", "\n", "n", "l", "\x1b[C", "\x1bOC", "\xe0M"), FORWARD),
    **dict.fromkeys(("p", "h", "\x7f", "\b", "\x1b[D", "\x1bOD", "\xe0K"), BACK),
    **dict.fromkeys(("j", "\x1b[B", "\x1bOB", "\x1b[6~", "\xe0P", "\xe0Q"), NEXT_DEAL),
    **dict.fromkeys(("k", "\x1b[A", "\x1bOA", "\x1b[5~", "\xe0H", "\xe0I"), LAST_DEAL),
    **dict.fromkeys(("q", "Q", "\x1b", "\x04", ""), QUIT),
}
_KEY = re.compile(r"\x1b(?:\[[0-9;]*[A-Za-z~]|O[A-Z])?|.", re.DOTALL)
_MOST_BYTES = 64
_CLEAR, _OWN_SCREEN, _OLD_SCREEN = "\x1b[H\x1b[2J", "\x1b[?1049h", "\x1b[?1049l"
HELP = "right or space: forward    left: back    down, up: next deal, last deal    q: quit"


def replay(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A record (docs/records.md).")],
    at: Annotated[
        str | None,
        typer.Option("--at", metavar="[DEAL:]TURN", help="Show how it stood before that turn; 0 is the first."),
    ] = None,
    check: Annotated[
        bool, typer.Option("--check", help="Verify it only: name the first wrong line, with exit code 1.")
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Step through a record with the keys of a terminal; elsewhere print all of it, or one place of it."""
    if check:
        _check(file, as_json)
        return
    record = read_record(file)
    if at is not None:
        place, turns = read_place(record, at, file)
        if as_json:
            emit_json(_state(record, place, turns))
        else:
            emit(state_text(record, place, turns))
    elif as_json:
        emit_json(_as_dict(record))
    elif sys.stdin.isatty() and sys.stdout.isatty() and record.deals and _can_read_keys():
        _step(record)
    else:
        _show(record)


def _check(file: Path, as_json: bool) -> None:
    try:
        record = read_record(file)
    except RecordUnreadableError as error:  # nothing is known of a record, right or wrong
        raise InputError(f"{error}; FILE must be a record that can be read") from None
    except RecordError as error:
        if as_json:
            emit_json({"right": False, "line": error.line, "reason": error.reason})
        else:
            print(f"bigtwo: {error}", file=sys.stderr)
        raise typer.Exit(WRONG) from None
    deals, turns = len(record.deals), sum(len(deal.turns) for deal in record.deals)
    if as_json:
        emit_json({"right": True, "deals": deals, "turns": turns, "winner": record.winner, "totals": record.totals})
        return
    emit(wrapped(f"{file}: {_count(deals, 'deal')}, {_count(turns, 'turn')}: all are legal, and the points are right."))
    emit(_standing(record))


def _count(number: int, what: str) -> str:
    return f"{number} {what}" if number == 1 else f"{number:,} {what}s"


def _standing(record: Record) -> str:
    """How it stands at the end of what is recorded."""
    if record.winner is not None:
        return f"Seat {record.winner}, {record.players[record.winner]}, has won the match to {record.target}."
    if record.unfinished is not None:
        return f"Deal {record.unfinished.number} is not over."
    if record.target is None:
        return "Every deal stands alone."
    return f"Nobody has {record.target} points yet."


# --- as text ----------------------------------------------------------------------------------------------------------
def _title(record: Record, place: int) -> str:
    seed = "" if record.seed is None else f" of seed {record.seed}"
    target = "" if record.target is None else f", to {record.target}"
    return f"Deal {record.deals[place].number}{seed} under {record.rules.name}{target}"


def _show(record: Record) -> None:
    for place, recorded in enumerate(record.deals):
        deal = record.deal(place, 0)
        turns = play_through(deal, recorded.turns)
        show_deal(record.players, deal, turns, _title(record, place))
        if record.target is not None and recorded.totals is not None:
            emit("\nTotals")
            names = short_names(record.players)
            emit(table_text([(f"seat {i} {names[i]}", str(total)) for i, total in enumerate(recorded.totals)]))
        emit()
    emit(_standing(record))


def state_text(record: Record, place: int, turns: int) -> str:
    """How the deal at `place` of the record stands after so many turns."""
    recorded, deal = record.deals[place], record.deal(place, turns)
    names = short_names(record.players)
    lines = [f"{_title(record, place)}, turn {turns} of {len(recorded.turns)}", ""]
    rows = []
    for seat, hand in enumerate(deal.hands):
        mark = ">" if seat == deal.turn and not deal.is_over else " "
        rows.append(
            (f"{mark} seat {seat} {names[seat]}", f"{deal.totals[seat]} points", f"{len(hand):>2} left", _text(hand))
        )
    lines += [table_text(rows, indent=0), ""]
    if turns:
        seat, cards = recorded.turns[turns - 1]
        play = classify(cards, record.rules) if cards else None
        what = f"lays {cards_text(cards)} ({play.kind.words})" if play else "passes"
        lines.append(f"Seat {seat} {what}.")
    if deal.is_over:
        lines.append(f"Seat {deal.winner} wins; points {_list(deal.points)}, totals {_list(recorded.totals)}.")
    elif deal.play_to_beat is None:
        lines.append(f"Seat {deal.turn} leads.")
    else:
        on = f"{cards_text(deal.play_to_beat.cards)} of seat {deal.play_owner}"
        lines.append(f"Seat {deal.turn} is to play on {on}.")
    return "\n".join(lines)


def _text(hand: CardSet) -> str:
    return cards_text(hand) if hand else "-"


def _list(numbers: tuple[int, ...] | None) -> str:
    return "-" if numbers is None else " ".join(map(str, numbers))


# --- for scripts ------------------------------------------------------------------------------------------------------
def _turns(turns: tuple[tuple[int, CardSet], ...]) -> list[dict[str, Any]]:
    return [{"seat": seat, "cards": str(cards) or None} for seat, cards in turns]


def _as_dict(record: Record) -> dict[str, Any]:
    return {
        "rules": record.rules.to_dict(),
        "seed": record.seed,
        "target": record.target,
        "players": list(record.players),
        "winner": record.winner,
        "totals": list(record.totals),
        "deals": [
            {
                "number": deal.number,
                "leader": deal.first_seat,
                "bound_by_opening": deal.leader is None,
                "hands": [str(hand) for hand in deal.hands],
                "turns": _turns(deal.turns),
                "winner": deal.winner,
                "points": deal.points,
                "totals": deal.totals,
            }
            for deal in record.deals
        ],
    }


def _state(record: Record, place: int, turns: int) -> dict[str, Any]:
    deal = record.deal(place, turns)
    return {
        "deal": record.deals[place].number,
        "turn": turns,
        "players": list(record.players),
        "hands": [str(hand) for hand in deal.hands],
        "to_play": None if deal.is_over else deal.turn,
        "on": None if deal.play_to_beat is None else str(deal.play_to_beat.cards),
        "owner": deal.play_owner,
        "turns": _turns(record.deals[place].turns[:turns]),
        "totals": list(deal.totals),
        "winner": deal.winner,
    }


# --- step by step -----------------------------------------------------------------------------------------------------
def _step(record: Record) -> None:
    """Show one turn after the other, as the keys say."""
    places = [(place, turns) for place, deal in enumerate(record.deals) for turns in range(len(deal.turns) + 1)]
    here = 0
    with _keys() as read_key:
        while True:
            _steer(_CLEAR)
            print(f"{state_text(record, *places[here])}\n\n{HELP}", flush=True)
            key = KEYS.get(read_key())
            if key == QUIT:
                return
            if key in (FORWARD, BACK):
                here = max(0, min(len(places) - 1, here + (1 if key == FORWARD else -1)))
            elif key is not None:
                place = places[here][0] + (1 if key == NEXT_DEAL else -1)
                here = places.index((max(0, min(len(record.deals) - 1, place)), 0))


def _can_read_keys() -> bool:
    try:
        import termios  # noqa: F401 - which only some systems have
    except ImportError:
        return sys.platform == "win32"
    return True


def _split(read: Callable[[], str]) -> Iterator[str]:
    """The keys one by one of what a terminal sends together; "" again and again when it sends no more."""
    while True:
        sent = read()
        yield from _KEY.findall(sent) if sent else [""]


def _steer(codes: str) -> None:
    """Send a terminal codes of our own."""
    terminal = terminal_of(sys.stdout)
    terminal.write(codes)
    terminal.flush()


@contextmanager
def _keys() -> Iterator[Callable[[], str]]:
    """A function that waits for a key and gives what it sends, on a screen of its own; "": there are no more."""
    _steer(_OWN_SCREEN)
    try:
        if sys.platform == "win32":  # pragma: no cover - another system's keys
            import msvcrt

            def read_key() -> str:
                key = msvcrt.getwch()
                return "\xe0" + msvcrt.getwch() if key in "\x00\xe0" else key

            yield read_key
        else:
            import termios
            import tty

            terminal = sys.stdin.fileno()
            before = termios.tcgetattr(terminal)
            tty.setcbreak(terminal)  # Ctrl-C stays what it is
            try:
                yield _split(lambda: os.read(terminal, _MOST_BYTES).decode(errors="replace")).__next__
            finally:
                termios.tcsetattr(terminal, termios.TCSADRAIN, before)
    finally:
        _steer(_OLD_SCREEN)
