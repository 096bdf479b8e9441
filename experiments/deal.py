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
    cards_text,
    emit,
    emit_json,
    read_rules,
    table_text,
    whole_number,
    wrapped,
)

if TYPE_CHECKING:
    from bigtwo_sim.big_two import CardSet, Deal
    from bigtwo_sim.story import Turn

LARGEST_INDEX = 2**62
LONGEST_NAME = 24  # in the lines of a trick


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
    as_json: JsonOption = False,
) -> None:
    """Play one deal and show it trick by trick."""
    chosen = read_rules(rules, changes)
    from agents.spec import parse_agent
    from bigtwo_sim.big_two import Deal, PythonLoop
    from bigtwo_sim.big_two.layout import SEATS
    from bigtwo_sim.rng import root_key
    from bigtwo_sim.story import play_through

    if len(agents) != SEATS:
        raise InputError(f"the agents are {', '.join(agents)}; there must be {SEATS}, one a seat")
    if html is not None:
        _check_place(html)
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
    if as_json:
        emit_json(_as_dict(names, played, turns, seed, index))
    elif html is None:
        _show(names, played, turns, f"Deal {index} of seed {seed} under {chosen.name}")


def _check_place(file: Path) -> None:
    """Raises InputError where the page cannot be written, before an agent thinks."""
    if file.exists() or file.is_symlink():
        raise InputError(f"{file} exists; name another file, nothing was written")
    if not file.parent.is_dir():
        raise InputError(f"--html is {file}; {file.parent} must be a folder that is there")


def _draw(names: list[str], played: Deal, file: Path, quiet: bool) -> None:
    picture = played.show(names=names)
    try:
        picture.save(file)
    except OSError as error:
        raise InputError(f"--html: {file} cannot be written: {error.strerror}") from None
    if not quiet:
        emit(f"{file}  {picture}")


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


def _show(names: list[str], played: Deal, turns: list[Turn], title: str) -> None:
    from bigtwo_sim.big_two import Kind
    from bigtwo_sim.big_two.layout import PLAY_SIZE

    card = len(cards_text(played.dealt[0])) // len(played.dealt[0]) + 1
    widest_kind = max(len(kind.words) for kind in Kind)
    short = [name if len(name) <= LONGEST_NAME else f"{name[: LONGEST_NAME - 3]}..." for name in names]
    longest = max(len(name) for name in short)
    seats = [f"seat {seat} {name:<{longest}}" for seat, name in enumerate(short)]

    emit(title)
    if short != names:
        emit("\nAgents")
        emit(table_text([(f"seat {seat}", name) for seat, name in enumerate(names)]))
    emit("\nHands, weakest card first")
    emit(table_text([(who, cards_text(hand)) for who, hand in zip(seats, played.dealt, strict=True)]))
    for number in range(1, turns[-1].trick + 1):
        emit(f"\nTrick {number}")
        rows = []
        for turn in turns:
            if turn.trick != number:
                continue
            if turn.play is None:
                rows.append((seats[turn.seat], "pass", "", ""))
                continue
            cards, kind = cards_text(turn.play.cards), turn.play.kind.words
            rest = f"{turn.left} left" if turn.left else "wins"
            rows.append((seats[turn.seat], f"{cards:<{PLAY_SIZE * card - 1}}", f"{kind:<{widest_kind}}", rest))
        emit(table_text(rows))

    emit("\n" + wrapped(f"Penalties become points: {played.rules.settlement.meaning}"))
    width = max(len(f"{points:+d}") for points in played.points)
    held = zip(seats, played.points, played.hands, strict=True)
    emit(table_text([(who, f"{points:+{width}d}", _penalty_text(hand, played)) for who, points, hand in held]))


def _penalty_text(hand: CardSet, played: Deal) -> str:
    from bigtwo_sim.big_two.scoring import penalty
    from bigtwo_sim.kernel import U64

    if not hand:
        return "winner"
    cards = f"{len(hand)} card{'s' if len(hand) > 1 else ''}"
    return f"penalty {penalty(U64(hand.bits), played.rules.table())} for {cards} left: {cards_text(hand)}"
