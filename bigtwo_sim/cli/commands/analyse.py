"""`bigtwo analyse`: what every option of a position is expected to bring, best first."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from bigtwo_sim.cli.options import (
    GameOption,
    GameRulesOption,
    JsonOption,
    PlayersOption,
    SetOption,
    seed_option,
    whole_number,
)
from bigtwo_sim.cli.positions import Typed, recorded_view, typed_view
from bigtwo_sim.core.cards import CardSet
from bigtwo_sim.games.registry import BIG_TWO
from bigtwo_sim.requests.analyse import DEFAULT_CANDIDATES, DEFAULT_WORLDS
from bigtwo_sim.requests.analyse import analyse as analysed
from bigtwo_sim.terminal.output import cards_text, emit, emit_json, shows_signs, table_text, wrapped
from bigtwo_sim.untrusted.errors import InputError

if TYPE_CHECKING:
    import pandas as pd

MOST_WORLDS = 10_000_000
FEWEST_WORLDS = 2  # an interval needs two
MEASURES = ("margin", "behind", "points", "win")
MEASURES_OF_STAKES = ("points", "behind", "win")


def analyse(
    hand: Annotated[list[str] | None, typer.Argument(metavar="HAND", help="Your cards, such as 3D 3C 10H 2S.")] = None,
    on: Annotated[
        str | None, typer.Option("--on", metavar="PLAY", help="The play to beat, in one text; without it, you lead.")
    ] = None,
    owner: Annotated[
        int | None,
        typer.Option(
            "--owner",
            parser=whole_number(1, 3),
            metavar="N",
            help="Who laid it: 1 the next player, 2 or 3; those after that have passed. Default: the player before.",
        ),
    ] = None,
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
    opening: Annotated[bool, typer.Option("--opening", help="It is the first play of a deal of Big Two.")] = False,
    calls: Annotated[
        str | None,
        typer.Option(
            "--calls",
            metavar="N,N",
            help="Of Big Three, in the auction: what was called so far, 0 for a pass, last the player before; '' where "
            "you speak first.",
        ),
    ] = None,
    bids: Annotated[
        str | None,
        typer.Option(
            "--bids",
            metavar="N,N,N",
            help="Of Big Three, after the auction: the highest bid of each, yours first, then the next player's.",
        ),
    ] = None,
    soloist: Annotated[
        int | None,
        typer.Option(
            "--soloist",
            parser=whole_number(0, 2),
            metavar="N",
            help="Where all have passed: who plays alone, 0 for you, 1 for the next player, or 2.",
        ),
    ] = None,
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
    ] = DEFAULT_WORLDS,
    candidates: Annotated[
        int,
        typer.Option(
            "--candidates",
            parser=whole_number(1, 10_000),
            metavar="N",
            help="Of more options than that only the heuristic's favourites are tried.",
        ),
    ] = DEFAULT_CANDIDATES,
    seed: Annotated[int, seed_option("Root seed of the worlds.")] = 0,
    game: GameOption = BIG_TWO,
    players: PlayersOption = None,
    rules: GameRulesOption = None,
    changes: SetOption = None,
    as_json: JsonOption = False,
) -> None:
    """Show what each option of a position should bring.

    Of a hand that you type in, or of a turn of a saved deal, for the seat whose turn it is and with its eyes.
    """
    typed = Typed(" ".join(hand or ()), on, owner, left, seen, opening, calls, bids, soloist, rules, changes, players)
    if record is None:
        if at is not None:
            raise InputError(f"--at is {at} without --record; it must be a turn of a saved deal")
        if not hand:
            raise InputError("there is no HAND; give one, such as '3D 10H 2S', or a saved deal with --record and --at")
        view = typed_view(game, typed)
    else:
        typed.raise_beside_record()
        view = recorded_view(record, at)
        if game not in (BIG_TWO, view.rules.GAME):
            raise InputError(f"--game is {game}, and {record} holds a deal of {view.rules.TITLE}")
    frame = analysed(view, worlds, seed=seed, candidates=candidates)
    if as_json:
        emit_json(_as_dict(view, frame))
    else:
        _show(view, frame)


# --- printing ---------------------------------------------------------------------------------------------------------
def _others(view: Any) -> list[int]:
    """The seats of the others in order of play."""
    seats = len(view.left)
    return [(view.seat + place * view.rules.step) % seats for place in range(1, seats)]


def _measures(frame: pd.DataFrame) -> list[str]:
    return list(MEASURES if "margin" in frame else MEASURES_OF_STAKES)


def _as_dict(view: Any, frame: pd.DataFrame) -> dict[str, Any]:
    return {
        "rules": view.rules.to_dict(),
        "seat": view.seat,
        "hand": str(view.hand),
        "on": str(view.play_to_beat.cards) if view.play_to_beat else None,
        "owner": view.play_owner if view.play_to_beat else None,
        **_contract(view),
        "left": [view.left[seat] for seat in _others(view)],
        "unseen": str(view.unseen),
        **frame.attrs,
        "candidates": [
            {
                "cards": None if row["kind"] in ("pass", "bid") else row["cards"],
                **({"bid": int(row["cards"].split()[1])} if row["kind"] == "bid" else {}),
                "kind": None if row["kind"] == "pass" else row["kind"],
                "certain": row["certain"],
                **{
                    measure: {
                        "mean": round(row[measure], 4),
                        "low": round(row[f"{measure}_low"], 4),
                        "high": round(row[f"{measure}_high"], 4),
                    }
                    for measure in _measures(frame)
                },
            }
            for row in frame.to_dict("records")
        ],
    }


def _contract(view: Any) -> dict[str, Any]:
    """What there is of an auction and of sides, for JSON."""
    if view.rules.GAME == BIG_TWO:
        return {}
    return {
        "calls": [{"seat": seat, "bid": bid} for seat, bid in view.calls],
        "soloist": view.soloist,
        "partner": view.partner,
        "bid": view.bid,
    }


def _show(view: Any, frame: pd.DataFrame) -> None:
    left = ", ".join(str(view.left[seat]) for seat in _others(view))
    has_sides = view.rules.GAME != BIG_TWO
    does = "must beat a play" if view.play_to_beat else "leads"
    emit(f"Seat {view.seat} {'bids' if has_sides and view.in_auction else does} under {view.rules.name}")
    rows = [("hand", cards_text(view.hand)), ("others hold", f"{left} cards, the next player first")]
    if has_sides:
        rows += _sides(view)
    if view.play_to_beat:
        rows.append(("on", f"{cards_text(view.play_to_beat.cards)}, laid by {_player(view, view.play_owner)}"))
    emit(table_text(rows))
    options, worlds = frame.attrs["options"], frame.attrs["worlds"]
    which = "" if options == len(frame) else f" (the {len(frame)} that the heuristic scores best)"
    emit(
        "\n" + wrapped(f"{options} option{'s' * (options > 1)}{which} in {worlds:,} worlds, best first, ± 95 %") + "\n"
    )
    measures = _measures(frame)
    names = _OWN_STAKES if has_sides else _NAMES
    lines = [("", *(names[measure] for measure in measures))]
    for row in frame.to_dict("records"):
        text = row["cards"]
        if shows_signs() and row["kind"] not in ("pass", "bid"):
            text = CardSet.parse(text, view.rules.deck).text(signs=True)
        text += " *" if row["certain"] else ""
        lines.append((text, *(_with_error(row, measure, measures[0]) for measure in measures)))
    widths = [max(len(line[i]) for line in lines) for i in range(len(lines[0]))]
    for line in lines:
        numbers = "  ".join(f"{cell:>{width}}" for cell, width in zip(line[1:], widths[1:], strict=True))
        emit(f"  {line[0]:<{widths[0]}}  {numbers}".rstrip())
    emit()
    if frame["certain"].any():
        emit(wrapped("* begins a certain finish: a way to shed the hand that nobody can stop."))
    emit(
        wrapped(
            f"{_OF_STAKES if has_sides else _OF_MARGIN} behind: the same against the best option, in the same worlds. "
            "You play on as the heuristic does, the others as the heuristic or greedy, whichever fits their turns so "
            "far."
        )
    )


_NAMES = {"margin": "margin", "behind": "behind", "points": "own points", "win": "win chance, %"}
_OWN_STAKES = {"points": "own stakes", "behind": "behind", "win": "own side wins, %"}
_OF_MARGIN = "margin: expected own points less the mean of the others'."
_OF_STAKES = "own stakes: expected stakes won less those lost."


def _sides(view: Any) -> list[tuple[str, str]]:
    """The auction so far, or what came of it."""
    if view.in_auction:
        calls = [f"{_player(view, seat)} {f'bid {bid}' if bid else 'passed'}" for seat, bid in view.calls]
        return [("auction", ", ".join(calls) or "you speak first")]
    if view.soloist is None:
        return [("partner", f"{_player(view, view.partner)}, for a stake of {view.bid}")]
    return [("soloist", f"{_player(view, view.soloist)}, at {view.bid}")]


def _player(view: Any, seat: int) -> str:
    """A seat as the one on turn calls it."""
    if seat == view.seat:
        return "you"
    place = _others(view).index(seat) + 1
    return "the next player" if place == 1 else _PLAYERS_BEFORE[len(view.left) - place]


_PLAYERS_BEFORE = {1: "the player before", 2: "the player opposite"}


def _with_error(row: dict[str, Any], measure: str, main: str) -> str:
    scale, sign = (100, "") if measure == "win" else (1, "+" if measure in (main, "behind") else "")
    mean, low, high = (row[f"{measure}{end}"] * scale for end in ("", "_low", "_high"))
    if measure == "behind" and low == mean == high == 0:
        return "best"
    # A line has no room for both sides, and the longer one claims nothing that is not known.
    return f"{mean:{sign}.1f} ± {max(high - mean, mean - low):.1f}"
