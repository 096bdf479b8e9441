"""`bigtwo deal`: one deal between agents, trick by trick."""

from __future__ import annotations

import contextlib
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from experiments import deal_with_sides
from experiments.options import (
    DEFAULT_GAME,
    GameOption,
    GameRulesOption,
    InputError,
    JsonOption,
    PlayersOption,
    SetOption,
    cards_text,
    emit,
    emit_json,
    rules_of_game,
    table_text,
    whole_number,
    wrapped,
)

if TYPE_CHECKING:
    from bigtwo_sim.cards import CardSet
    from bigtwo_sim.story import Turn

LARGEST_INDEX = 2**62
LONGEST_NAME = 24  # in the lines of a trick
LEAST_WIDTH = 14  # of the cards there: five of them
LEAST_KIND = 14  # of their kind, the longest of Big Two: "four of a kind"


def deal(
    agents: Annotated[list[str], typer.Argument(metavar="AGENT", help="One a seat, as in a tournament.")],
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
    game: GameOption = DEFAULT_GAME,
    players: PlayersOption = None,
    rules: GameRulesOption = None,
    changes: SetOption = None,
    html: Annotated[
        Path | None,
        typer.Option("--html", metavar="FILE", help="Draw the deal as a page to step through (of Big Two)."),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Play one deal and show it trick by trick."""
    chosen = rules_of_game(game, players, rules, changes)
    from agents.spec import parse_agent
    from bigtwo_sim.games import package_of
    from bigtwo_sim.rng import root_key
    from bigtwo_sim.story import play_through

    package = package_of(chosen)
    if len(agents) != chosen.players:
        raise InputError(f"the agents are {', '.join(agents)}; there must be {chosen.players}, one a seat")
    if html is not None and game != DEFAULT_GAME:
        raise InputError(f"--html draws deals of Big Two, not of {chosen.TITLE}")
    if html is not None:
        _check_place(html)
    with contextlib.redirect_stdout(sys.stderr):  # what an agent prints is no part of the deal
        seated = [parse_agent(agent, game) for agent in agents]
        loop = package.PythonLoop(seated, chosen, strict=True)
        with contextlib.closing(loop):
            loop.play_deal(root_key(seed), index)
    played = package.Deal.new(chosen, seed, index)
    has_auction = hasattr(played, "in_auction")
    for _, bid in loop.calls if has_auction else ():
        played.make_bid(bid) if bid else played.pass_()
    turns = play_through(played, loop.log)
    names = [agent.name for agent in seated]
    if html is not None:
        _draw(names, played, html, quiet=as_json)
    if as_json:
        shown = _as_dict(names, played, turns, seed, index)
        emit_json(shown | deal_with_sides.as_dict(played) if has_auction else shown)
    elif html is None:
        _show(names, played, turns, f"Deal {index} of seed {seed} under {chosen.name}", has_auction)


def _check_place(file: Path) -> None:
    """Raises InputError where the page cannot be written, before an agent thinks."""
    if file.exists() or file.is_symlink():
        raise InputError(f"{file} exists; name another file, nothing was written")
    if not file.parent.is_dir():
        raise InputError(f"--html is {file}; {file.parent} must be a folder that is there")


def _draw(names: list[str], played: Any, file: Path, quiet: bool) -> None:
    picture = played.show(names=names)
    try:
        picture.save(file)
    except OSError as error:
        raise InputError(f"--html: {file} cannot be written: {error.strerror}") from None
    if not quiet:
        emit(f"{file}  {picture}")


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


def _show(names: list[str], played: Any, turns: list[Turn], title: str, has_auction: bool) -> None:
    plays = [turn.play for turn in turns if turn.play]
    widest = max(LEAST_WIDTH, *(len(cards_text(play.cards)) for play in plays))
    widest_kind = max(LEAST_KIND, *(len(play.kind.words) for play in plays))
    short = [name if len(name) <= LONGEST_NAME else f"{name[: LONGEST_NAME - 3]}..." for name in names]
    longest = max(len(name) for name in short)
    seats = [f"seat {seat} {name:<{longest}}" for seat, name in enumerate(short)]

    emit(title)
    if short != names:
        emit("\nAgents")
        emit(table_text([(f"seat {seat}", name) for seat, name in enumerate(names)]))
    emit("\nHands, weakest card first")
    emit(table_text([(who, cards_text(hand)) for who, hand in zip(seats, played.dealt, strict=True)]))
    if has_auction:
        deal_with_sides.show_beginning(seats, played)
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
            rows.append((seats[turn.seat], f"{cards:<{widest}}", f"{kind:<{widest_kind}}", rest))
        emit(table_text(rows))

    if has_auction:
        deal_with_sides.show_payments(seats, played)
        return
    emit("\n" + wrapped(f"Penalties become points: {played.rules.settlement.meaning}"))
    width = max(len(f"{points:+d}") for points in played.points)
    held = zip(seats, played.points, played.hands, strict=True)
    emit(table_text([(who, f"{points:+{width}d}", _penalty_text(hand, played)) for who, points, hand in held]))


def _penalty_text(hand: CardSet, played: Any) -> str:
    from bigtwo_sim.big_two.scoring import penalty
    from bigtwo_sim.kernel import U64

    if not hand:
        return "winner"
    cards = f"{len(hand)} card{'s' if len(hand) > 1 else ''}"
    return f"penalty {penalty(U64(hand.bits), played.rules.table())} for {cards} left: {cards_text(hand)}"
