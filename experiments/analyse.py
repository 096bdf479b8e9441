"""`bigtwo analyse`: what every option of a position is expected to bring, best first."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from experiments.options import (
    DEFAULT_RULES,
    InputError,
    JsonOption,
    RulesOption,
    SetOption,
    announce_compilation,
    cards_text,
    emit,
    emit_json,
    read_cards,
    read_rules,
    shows_signs,
    table_text,
    whole_number,
    wrapped,
)
from experiments.records import read_place, read_record

if TYPE_CHECKING:
    import pandas as pd

    from bigtwo_sim.big_two import Deal, View

MOST_WORLDS = 10_000_000
FEWEST_WORLDS = 2  # an interval needs two
MEASURES = ("margin", "behind", "points", "win")


def analyse(
    hand: Annotated[list[str] | None, typer.Argument(metavar="HAND", help="Your cards, such as 3D 3C 10H 2S.")] = None,
    on: Annotated[
        str | None, typer.Option("--on", metavar="PLAY", help="The play to beat, in one text; without it, you lead.")
    ] = None,
    owner: Annotated[
        int,
        typer.Option(
            "--owner",
            parser=whole_number(1, 3),
            metavar="N",
            help="Who laid it: 1 the next player, 2, or 3 the player before you; those after that have passed.",
        ),
    ] = 3,
    left: Annotated[
        str | None,
        typer.Option(
            "--left",
            metavar="N,N,N",
            help="Cards of the others, the next player first; by default as many as the hand.",
        ),
    ] = None,
    seen: Annotated[
        str | None, typer.Option("--seen", metavar="CARDS", help="All cards played before, yours too, in one text.")
    ] = None,
    opening: Annotated[bool, typer.Option("--opening", help="It is the first play of a deal.")] = False,
    record: Annotated[
        Path | None,
        typer.Option("--record", metavar="FILE", help="A record, or the JSON of bigtwo deal, in place of a hand."),
    ] = None,
    at: Annotated[
        str | None,
        typer.Option(
            "--at",
            metavar="[DEAL:]TURN",
            help="The turn to look at, as the record numbers both. Default: the one to play, of an unfinished deal.",
        ),
    ] = None,
    worlds: Annotated[
        int,
        typer.Option(
            "--worlds",
            parser=whole_number(FEWEST_WORLDS, MOST_WORLDS),
            metavar="N",
            help="How many deals of the unseen cards are played out.",
        ),
    ] = 1000,
    candidates: Annotated[
        int,
        typer.Option(
            "--candidates",
            parser=whole_number(1, 10_000),
            metavar="N",
            help="Of more options than that only the heuristic's favourites are tried.",
        ),
    ] = 20,
    seed: Annotated[int, typer.Option("--seed", parser=whole_number(0), metavar="S", help="Of the worlds.")] = 0,
    rules: RulesOption = DEFAULT_RULES,
    changes: SetOption = None,
    as_json: JsonOption = False,
) -> None:
    """Show what each option of a position should bring.

    Of a hand that you type in, or of a turn of a saved deal, for the seat whose turn it is and with its eyes.
    """
    typed = {"HAND": hand, "--on": on, "--left": left, "--seen": seen, "--opening": opening, "--set": changes}
    if record is None:
        if at is not None:
            raise InputError(f"--at is {at} without --record; it must be a turn of a saved deal")
        if not hand:
            raise InputError("there is no HAND; give one, such as '3D 10H 2S', or a saved deal with --record and --at")
        view = _typed_view(" ".join(hand), on, owner, left, seen, opening, rules, changes)
    else:
        beside = [name for name, value in typed.items() if value]
        beside += ["--rules"] * (rules != DEFAULT_RULES) + ["--owner"] * (owner != 3)
        if beside:
            raise InputError(f"{beside[0]} is given beside --record; a saved deal says that itself")
        view = _recorded_view(record, at)
    from agents.analysis import analyse as analyse_view

    frame = analyse_view(view, worlds, seed=seed, candidates=candidates)
    if as_json:
        emit_json(_as_dict(view, frame))
    else:
        _show(view, frame)


# --- reading ----------------------------------------------------------------------------------------------------------
def _typed_view(
    hand: str,
    on: str | None,
    owner: int,
    left: str | None,
    seen: str | None,
    opening: bool,
    rules: str,
    changes: list[str] | None,
) -> View:
    chosen = read_rules(rules, changes)
    from bigtwo_sim.big_two import CardError, CardSet, classify
    from bigtwo_sim.big_two.comparison import why_no_play
    from bigtwo_sim.big_two.position import PositionError, position

    cards = read_cards(hand, "HAND", chosen)
    table = None
    if on is not None:
        table = read_cards(on, "--on", chosen)
        if classify(table, chosen) is None:
            raise InputError(f"--on is {table}, which is no play under {chosen.name}: {why_no_play(table, chosen)}")
    elif owner != 3:
        raise InputError(f"--owner is {owner} without --on; it must be the player who laid the play to beat")
    try:
        gone = CardSet.parse(seen or "", chosen.deck)
    except CardError as error:
        raise InputError(f"--seen: {error}") from None
    counts = None
    if left is not None:
        try:
            counts = [int(count) for count in left.split(",")]
        except ValueError:
            raise InputError(f"--left is {left!r}; it must be three numbers of cards, such as 5,13,2") from None
    try:
        return position(chosen, cards, on=table, owner=owner, left=counts, seen=gone, opening=opening)
    except PositionError as error:
        raise InputError(str(error)) from None


def _recorded_view(file: Path, at: str | None) -> View:
    announce_compilation()
    try:
        text = file.read_text(encoding="utf-8")
    except OSError as error:
        raise InputError(f"--record is {file}; it must be a file that can be read: {error.strerror}") from None
    except ValueError:
        raise InputError(f"--record is {file}; it must be a text in UTF-8") from None
    if not text.lstrip().startswith(("{", "[")):
        record = read_record(file)
        place, turns = read_place(record, at, file)
        deal = record.deal(place, turns)
    else:
        deal = _deal_of_json(file, text, at)
    if deal.is_over:
        raise InputError(f"--at is {at or 'missing'}, and the deal is over there; it must be an earlier turn")
    return deal.view()


def _deal_of_json(file: Path, text: str, at: str | None) -> Deal:
    from bigtwo_sim.big_two import CardSet, Deal, IllegalPlay, Rules

    try:
        saved = json.loads(text)
        rules = Rules.from_dict(saved["rules"])
        hands = [CardSet.parse(hand, rules.deck) for hand in saved["hands"]]
        turns = [str(turn["cards"] or "") for turn in saved["turns"]]
        deal = Deal.from_hands(rules, hands)
    except (ValueError, TypeError, KeyError, RecursionError) as error:
        reason = f"it lacks {error}" if isinstance(error, KeyError) else str(error)
        raise InputError(f"--record is {file}, which bigtwo deal --json did not write: {reason}") from None
    if at is None or not at.isdecimal() or int(at) >= len(turns):
        given = "missing" if at is None else at
        raise InputError(f"--at is {given}; it must be a turn of this deal, from 0 to {len(turns) - 1}")
    try:
        for cards in turns[: int(at)]:
            if cards:
                deal.play(cards)
            else:
                deal.pass_()
    except (IllegalPlay, ValueError) as error:
        raise InputError(f"--record is {file}, whose turns are no deal under {rules.name}: {error}") from None
    return deal


# --- printing ---------------------------------------------------------------------------------------------------------
def _others(view: View) -> list[int]:
    """The seats of the others in order of play."""
    return [(view.seat + step) % len(view.left) for step in range(1, len(view.left))]


def _as_dict(view: View, frame: pd.DataFrame) -> dict[str, Any]:
    return {
        "rules": view.rules.to_dict(),
        "seat": view.seat,
        "hand": str(view.hand),
        "on": str(view.table.cards) if view.table else None,
        "owner": view.table_owner if view.table else None,
        "left": [view.left[seat] for seat in _others(view)],
        "unseen": str(view.unseen),
        **frame.attrs,
        "candidates": [
            {
                "cards": None if row["kind"] == "pass" else row["cards"],
                "kind": None if row["kind"] == "pass" else row["kind"],
                "certain": row["certain"],
                **{
                    measure: {
                        "mean": round(row[measure], 4),
                        "low": round(row[f"{measure}_low"], 4),
                        "high": round(row[f"{measure}_high"], 4),
                    }
                    for measure in MEASURES
                },
            }
            for row in frame.to_dict("records")
        ],
    }


def _show(view: View, frame: pd.DataFrame) -> None:
    from bigtwo_sim.big_two import CardSet

    left = ", ".join(str(view.left[seat]) for seat in _others(view))
    emit(f"Seat {view.seat} {'must beat a play' if view.table else 'leads'} under {view.rules.name}")
    owner = (view.table_owner - view.seat) % len(view.left)
    rows = [("hand", cards_text(view.hand)), ("others hold", f"{left} cards, the next player first")]
    if view.table:
        rows.append(("on", f"{cards_text(view.table.cards)}, laid by {_PLAYERS[owner]}"))
    emit(table_text(rows))
    options, worlds = frame.attrs["options"], frame.attrs["worlds"]
    which = "" if options == len(frame) else f" (the {len(frame)} that the heuristic scores best)"
    emit(
        "\n" + wrapped(f"{options} option{'s' * (options > 1)}{which} in {worlds:,} worlds, best first, ± 95 %") + "\n"
    )
    lines = [("", "margin", "behind", "own points", "win chance, %")]
    for row in frame.to_dict("records"):
        text = row["cards"]
        if shows_signs() and row["kind"] != "pass":
            text = CardSet.parse(text, view.rules.deck).text(signs=True)
        text += " *" if row["certain"] else ""
        signed = [_with_error(row, measure, "+") for measure in ("margin", "behind")]
        lines.append((text, *signed, _with_error(row, "points"), _with_error(row, "win", "", 100)))
    widths = [max(len(line[i]) for line in lines) for i in range(len(lines[0]))]
    for line in lines:
        numbers = "  ".join(f"{cell:>{width}}" for cell, width in zip(line[1:], widths[1:], strict=True))
        emit(f"  {line[0]:<{widths[0]}}  {numbers}".rstrip())
    emit()
    if frame["certain"].any():
        emit(wrapped("* begins a certain finish: a way to shed the hand that nobody can stop."))
    emit(
        wrapped(
            "margin: expected own points less the mean of the others'. behind: the same against the best option, in "
            "the same worlds. You play on as the heuristic does, the others as the heuristic or greedy, whichever "
            "fits their turns so far."
        )
    )


_PLAYERS = {0: "you", 1: "the next player", 2: "the player opposite", 3: "the player before"}


def _with_error(row: dict[str, Any], measure: str, sign: str = "", scale: int = 1) -> str:
    error = (row[f"{measure}_high"] - row[f"{measure}_low"]) / 2 * scale
    if measure == "behind" and error == 0 and row[measure] == 0:
        return "best"
    return f"{row[measure] * scale:{sign}.1f} ± {error:.1f}"
