"""`bigtwo deal`: one deal between four agents, trick by trick."""

from __future__ import annotations

import contextlib
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from experiments.options import (
    DEFAULT_RULES,
    InputError,
    JsonOption,
    RulesOption,
    SetOption,
    emit,
    emit_json,
    new_place,
    read_rules,
    whole_number,
)
from experiments.told import show_deal

if TYPE_CHECKING:
    from bigtwo_sim.big_two import Deal
    from bigtwo_sim.big_two.story import Turn

LARGEST_INDEX = 2**62


def deal(
    agents: Annotated[list[str], typer.Argument(metavar="AGENT", help="Four, one a seat, as in a tournament.")],
    seed: Annotated[
        int, typer.Option("--seed", parser=whole_number(0), metavar="S", help="Root seed, as in a tournament.")
    ] = 0,
    index: Annotated[
        int,
        typer.Option(
            "--index",
            parser=whole_number(0, LARGEST_INDEX),
            metavar="N",
            help="Which deal of this seed; the number of its block in a tournament.",
        ),
    ] = 0,
    rules: RulesOption = DEFAULT_RULES,
    changes: SetOption = None,
    html: Annotated[
        Path | None,
        typer.Option("--html", metavar="FILE", help="Draw the deal as a page to step through, in place of the text."),
    ] = None,
    record: Annotated[
        Path | None, typer.Option("--record", metavar="FILE", help="Write the deal as a record (see: bigtwo replay).")
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Play one deal and show it trick by trick."""
    chosen = read_rules(rules, changes)
    from agents.spec import parse_agent
    from bigtwo_sim.big_two import Deal, PythonLoop
    from bigtwo_sim.big_two.layout import SEATS
    from bigtwo_sim.big_two.story import play_through
    from bigtwo_sim.rng import root_key

    if len(agents) != SEATS:
        raise InputError(f"the agents are {', '.join(agents)}; there must be {SEATS}, one a seat")
    if html is not None:
        new_place(html, "--html")
    if record is not None:
        new_place(record, "--record")
    with contextlib.redirect_stdout(sys.stderr):  # what an agent prints is no part of the deal
        seated = [parse_agent(agent) for agent in agents]
        loop = PythonLoop(seated, chosen, strict=True)
        with contextlib.closing(loop):
            loop.play_deal(root_key(seed), index)
    played = Deal.new(chosen, seed, index)
    turns = play_through(played, loop.log)
    names = [agent.name for agent in seated]
    if html is not None:
        _draw(names, played, html, quiet=as_json)
    if record is not None:
        _keep(names, played, record)
    if as_json:
        emit_json(_as_dict(names, played, turns, seed, index))
    elif html is None:
        show_deal(names, played, turns, f"Deal {index} of seed {seed} under {chosen.name}")


def _draw(names: list[str], played: Deal, file: Path, quiet: bool) -> None:
    picture = played.show(names=names)
    try:
        picture.save(file)
    except OSError as error:
        raise InputError(f"--html: {file} cannot be written: {error.strerror}") from None
    if not quiet:
        emit(f"{file}  {picture}")


def _keep(names: list[str], played: Deal, file: Path) -> None:
    from bigtwo_sim.big_two import Record

    try:
        Record.of(played, tuple(names)).save(file)
    except OSError as error:
        raise InputError(f"--record: {file} cannot be written: {error.strerror}") from None


def _as_dict(names: list[str], played: Deal, turns: list[Turn], seed: int, index: int) -> dict[str, Any]:
    return {
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
