"""`bigtwo deal`: one deal between agents, trick by trick."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from bigtwo_sim.cli.options import (
    GameOption,
    GameRulesOption,
    JsonOption,
    PlayersOption,
    SetOption,
    asked,
    new_place,
    rules_of_game,
    seed_option,
    whole_number,
)
from bigtwo_sim.games.base.replay import Turn
from bigtwo_sim.games.big_two import Record
from bigtwo_sim.games.registry import BIG_TWO
from bigtwo_sim.requests.deal import DealRequest
from bigtwo_sim.terminal import deal_with_sides
from bigtwo_sim.terminal.deal_report import show_deal
from bigtwo_sim.terminal.output import emit, emit_json
from bigtwo_sim.untrusted.errors import InputError

LARGEST_INDEX = 2**62


def deal(
    agents: Annotated[list[str], typer.Argument(metavar="AGENT", help="One a seat, as in a tournament.")],
    seed: Annotated[int, seed_option("Root seed, as in a tournament.")] = 0,
    index: Annotated[
        int,
        typer.Option(
            "--index",
            parser=whole_number(0, LARGEST_INDEX),
            metavar="N",
            help="Which deal of this seed; the number of its block in a tournament.",
        ),
    ] = 0,
    game: GameOption = BIG_TWO,
    players: PlayersOption = None,
    rules: GameRulesOption = None,
    changes: SetOption = None,
    html: Annotated[
        Path | None,
        typer.Option("--html", metavar="FILE", help="Draw the deal as a page to step through (of Big Two)."),
    ] = None,
    record: Annotated[
        Path | None,
        typer.Option("--record", metavar="FILE", help="Write the deal as a record (of Big Two; see: bigtwo replay)."),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Play one deal and show it trick by trick. A Python agent plays in a process of its own."""
    chosen = rules_of_game(game, players, rules, changes)
    with asked():
        request = DealRequest(agents, chosen, seed, index)
    if html is not None and game != BIG_TWO:
        raise InputError(f"--html draws deals of Big Two, not of {chosen.TITLE}")
    if record is not None and game != BIG_TWO:
        raise InputError(f"--record writes deals of Big Two, not of {chosen.TITLE}; --json is read by bigtwo analyse")
    if html is not None:
        new_place(html, "--html")
    if record is not None:
        new_place(record, "--record")
    with asked():
        found = request.play()
    names, played, turns = found.names, found.deal, found.turns
    if html is not None:
        _draw(names, played, html, quiet=as_json)
    if record is not None:
        _keep(names, played, record)
    if as_json:
        shown = _as_dict(names, played, turns, seed, index)
        emit_json(shown | deal_with_sides.as_dict(played) if hasattr(played, "in_auction") else shown)
    elif html is None:
        show_deal(names, played, turns, f"Deal {index} of seed {seed} under {chosen.name}")


def _draw(names: list[str], played: Any, file: Path, quiet: bool) -> None:
    picture = played.show(names=names)
    try:
        picture.save(file)
    except OSError as error:
        raise InputError(f"--html: {file} cannot be written: {error.strerror}") from None
    if not quiet:
        emit(f"{file}  {picture}")


def _keep(names: list[str], played: Any, file: Path) -> None:
    try:
        Record.of(played, tuple(names)).save(file)
    except OSError as error:
        raise InputError(f"--record: {file} cannot be written: {error.strerror}") from None


def _as_dict(names: list[str], played: Any, turns: list[Turn], seed: int, index: int) -> dict[str, Any]:
    return {
        "game": played.rules.GAME,
        "rules": played.rules.to_dict(),
        "seed": seed,
        "index": index,
        "agents": names,
        "hands": [str(hand) for hand in played.dealt],
        "turns": [
            {
                "trick": turn.trick,
                "seat": turn.seat,
                "cards": str(turn.play.cards) if turn.play else None,
                "kind": turn.play.kind if turn.play else None,
            }
            for turn in turns
        ],
        "winner": played.winner,
        "left": list(played.left),
        "points": list(played.points),
    }
