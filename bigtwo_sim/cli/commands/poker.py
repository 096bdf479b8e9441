"""`bigtwo poker`: what a poker hand is worth, which of several wins, and their equity over the cards still to come."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Annotated, Any

import typer

from bigtwo_sim.cli.options import JsonOption, seed_option, whole_number
from bigtwo_sim.poker import POKER_DECK, CardError, CardSet, Equity, PokerError, Ranking, showdown
from bigtwo_sim.poker import equity as equity_of
from bigtwo_sim.poker import rank as rank_cards
from bigtwo_sim.poker.kernels.strength import FEWEST_CARDS, MOST_CARDS
from bigtwo_sim.poker.ranking import best_text, cards_text, number_of_cards
from bigtwo_sim.terminal.output import emit, emit_json, shows_signs, table_text, wrapped
from bigtwo_sim.untrusted.errors import InputError

MOST_DEALS = 10_000_000_000
UNKNOWN_HAND = "random"

RANKED_HERE = ("holdem", "texas-holdem")
_SHORT = "there no card is below the six, and a flush beats a full house"
_OMAHA = "there just two cards of the hand count, with three of the board"
_LOW = "there the lowest hand wins"
_HALF_LOW = "there half of the pot goes to the lowest hand"
_DEALT_OTHERWISE = "there the cards are dealt in another way (its hands rank as here: leave --variant away for that)"
OTHER_GAMES = {
    "short-deck": _SHORT,
    "shortdeck": _SHORT,
    "six-plus": _SHORT,
    "6-plus": _SHORT,
    "6+": _SHORT,
    "omaha": _OMAHA,
    "plo": _OMAHA,
    "omaha-hi-lo": _HALF_LOW,
    "stud-hi-lo": _HALF_LOW,
    "hi-lo": _HALF_LOW,
    "lowball": _LOW,
    "razz": _LOW,
    "deuce-to-seven": _LOW,
    "2-7": _LOW,
    "ace-to-five": _LOW,
    "a-5": _LOW,
    "badugi": "there four cards of different ranks and suits count, and the lowest win",
    "stud": _DEALT_OTHERWISE,
    "seven-card-stud": _DEALT_OTHERWISE,
    "five-card-stud": _DEALT_OTHERWISE,
    "draw": _DEALT_OTHERWISE,
    "five-card-draw": _DEALT_OTHERWISE,
}

BoardOption = Annotated[
    str | None, typer.Option("--board", metavar="CARDS", help="The cards that all hands share, in one text.")
]
VariantOption = Annotated[
    str,
    typer.Option("--variant", metavar="NAME", help="Only holdem: the high hand of a full deck. Others are refused."),
]


def rank(
    hand: Annotated[list[str], typer.Argument(metavar="HAND", help="Five to seven cards, such as 2C 2D AS KH 9C.")],
    variant: VariantOption = RANKED_HERE[0],
    as_json: JsonOption = False,
) -> None:
    """Say what five to seven cards are worth."""
    with _input_of(variant):
        ranking = rank_cards(_cards(" ".join(hand), "HAND"))
    if as_json:
        emit_json({"cards": _plain(ranking.cards), **_as_dict(ranking)})
        return
    unused = ranking.cards - ranking.best
    but = f" ({_text(unused)} {'does' if len(unused) == 1 else 'do'} not count)" if unused else ""
    emit(wrapped(f"{_best(ranking)}: {ranking.words}{but}"))


def compare(
    hands: Annotated[
        list[str], typer.Argument(metavar="HAND", help="Its cards in one text, such as 'AS KS QS JS 9S' or 'AS KH'.")
    ],
    board: BoardOption = None,
    variant: VariantOption = RANKED_HERE[0],
    as_json: JsonOption = False,
) -> None:
    """Say which of several hands wins, or which split the pot.

    Without a board each hand has five to seven cards; as this asks about their order alone, the same card may be in
    several of them. With a board of three to five cards each hand has two.
    """
    with _input_of(variant):
        held = [_cards(hand, f"hand {number}") for number, hand in enumerate(hands, 1)]
        shared = None if board is None else _cards(board, "--board")
        if shared is None:
            _check_sizes(held)
        result = showdown(held, shared)
    order = sorted(range(len(held)), key=lambda index: result.places[index])
    if as_json:
        listed = [
            {"cards": _plain(cards), "place": place, **_as_dict(ranking)}
            for cards, place, ranking in zip(held, result.places, result.rankings, strict=True)
        ]
        on = None if shared is None else _plain(shared)
        emit_json({"board": on, "hands": listed, "winners": list(result.winners)})
        return
    winners = [_text(held[index]) for index in result.winners]
    every = f"All {len(winners)} hands" if 2 < len(winners) == len(held) else " and ".join(winners)
    what = result.rankings[order[0]].words
    emit(wrapped(f"{every} split the pot: {what}" if len(winners) > 1 else f"{every} wins: {what}") + "\n")
    if shared is not None:
        emit(f"board  {_text(shared)}\n")
    rows = [("", "hand", "best five", "")]
    for index in order:
        ranking = result.rankings[index]
        rows.append((str(result.places[index]), _text(held[index]), _best(ranking), ranking.words))
    emit(table_text(rows, indent=0))


def equity(
    hands: Annotated[
        list[str],
        typer.Argument(metavar="HAND", help="Two cards in one text, such as 'AS KH', or random: a hand not known."),
    ],
    board: BoardOption = None,
    deals: Annotated[
        int | None,
        typer.Option(
            "--deals",
            parser=whole_number(1, MOST_DEALS),
            metavar="N",
            help="Sample so many deals, where there are more. Without it all are counted if that takes about a second.",
        ),
    ] = None,
    seed: Annotated[int, seed_option("Seed of a sample.")] = 0,
    variant: VariantOption = RANKED_HERE[0],
    as_json: JsonOption = False,
) -> None:
    """Say how much of the pot each hand wins on average.

    A deal completes the board to five cards and gives two to each hand that is not known. A pot that several hands
    split counts as a part for each.
    """
    with _input_of(variant):
        if len(hands) == 1:
            raise InputError(f"there is one hand, {hands[0]!r}; there must be two or more, such as {hands[0]!r} random")
        held = [
            None if hand.strip().lower() == UNKNOWN_HAND else _cards(hand, f"hand {number}")
            for number, hand in enumerate(hands, 1)
        ]
        shared = CardSet(0, POKER_DECK) if board is None else _cards(board, "--board")
        result = equity_of(held, shared, deals, seed)
    if as_json:
        listed = [{"cards": _plain(cards), **vars(part)} for cards, part in zip(held, result.hands, strict=True)]
        emit_json(
            {
                "board": _plain(shared),
                "exact": result.exact,
                "deals": result.deals,
                "possible_deals": result.possible,
                "seed": None if result.exact else seed,
                "hands": listed,
            }
        )
        return
    if result.exact:
        emit("The one deal there is: exact" if result.possible == 1 else f"All {result.possible:,} deals: exact")
    else:
        sampled = f"{result.deals:,} of {result.possible:,} deals, sampled with seed {seed}"
        emit(wrapped(f"{sampled}; ±: 95 % interval"))
    emit(f"\nboard  {_text(shared)}\n" if shared else "")
    _show_equities([_text(cards) for cards in held], result)


def _show_equities(names: Sequence[str], result: Equity) -> None:
    error = max(part.error for part in result.hands)
    digits = max(2, 1 - math.floor(math.log10(100 * error))) if error else 2  # two digits of the error that count
    shares = [
        f"{100 * part.equity:.{digits}f}" + ("" if result.exact else f" ± {100 * part.error:.{digits}f}")
        for part in result.hands
    ]
    table = (
        ["hand", *names],
        ["equity %", *shares],
        ["wins %", *(f"{100 * part.win:.2f}" for part in result.hands)],
        ["splits %", *(f"{100 * part.tie:.2f}" for part in result.hands)],
    )
    widths = [max(map(len, column)) for column in table]
    for name, *cells in zip(*table, strict=True):
        figures = (f"  {cell:>{width}}" for cell, width in zip(cells, widths[1:], strict=True))
        emit(f"{name:<{widths[0]}}{''.join(figures)}")


# --- reading ----------------------------------------------------------------------------------------------------------
@contextmanager
def _input_of(variant: str) -> Iterator[None]:
    """Around what reads the input: other games are refused, and what the library refuses is the user's input."""
    _check_variant(variant)
    try:
        yield
    except PokerError as error:
        raise InputError(str(error)) from None


def _check_variant(variant: str) -> None:
    name = variant.strip().lower().replace("'", "").replace("_", "-").replace(" ", "-")
    if name in RANKED_HERE:
        return
    here = "ranked here is the high hand of a full deck, as in Texas hold'em (holdem)"
    if name not in OTHER_GAMES:
        raise InputError(f"--variant is {variant!r}, which is not ranked here; {here}")
    raise InputError(f"--variant is {variant!r}, which is another game: {OTHER_GAMES[name]}; {here}")


def _cards(text: str, argument: str) -> CardSet:
    """The cards that the argument called `argument` names, at least one; InputError says what is wrong."""
    try:
        cards = CardSet.parse(text, POKER_DECK)
    except CardError as error:
        raise InputError(f"{argument}: {error}") from None
    if not cards:
        raise InputError(f"{argument} is {text!r}; it must name cards, such as 'AS KH' or A♠K♥")
    return cards


def _check_sizes(hands: Sequence[CardSet]) -> None:
    """Tell who leaves out the board or the quotes what is amiss."""
    for number, cards in enumerate(hands, 1):
        if len(cards) < FEWEST_CARDS:
            raise InputError(
                f"hand {number} ({_plain(cards)}) has {number_of_cards(cards)}; it must have {FEWEST_CARDS} to "
                f"{MOST_CARDS} in one text, such as 'AS KS QS JS 9S', or 2 beside a --board"
            )


# --- printing ---------------------------------------------------------------------------------------------------------
def _plain(cards: CardSet | None) -> str:
    """A hand from its highest card down, in letters; `random` for one that is not known."""
    return UNKNOWN_HAND if cards is None else cards_text(cards)


def _text(cards: CardSet | None) -> str:
    """The same for people: with suit signs where they can be shown."""
    return UNKNOWN_HAND if cards is None else cards_text(cards, shows_signs())


def _best(ranking: Ranking) -> str:
    return best_text(ranking, shows_signs())


def _as_dict(ranking: Ranking) -> dict[str, Any]:
    return {
        "category": ranking.category.words,
        "words": ranking.words,
        "best": best_text(ranking),
        "strength": ranking.strength,
    }


poker = typer.Typer(
    no_args_is_help=True, rich_markup_mode=None, help="Rank poker hands, compare them, and report their equity."
)
for _command in (rank, compare, equity):
    poker.command()(_command)
