"""Positions for `bigtwo analyse`: typed in, or a turn of a deal that `bigtwo deal --json` wrote."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, NotRequired

from annotated_types import Ge, Le
from typing_extensions import TypedDict

from bigtwo_sim.cli.options import read_cards, rules_of_game
from bigtwo_sim.cli.records import read_place, read_record
from bigtwo_sim.core.cards import CardError, CardSet
from bigtwo_sim.games.base.position_validation import PositionError
from bigtwo_sim.games.big_three import position as big_three_position
from bigtwo_sim.games.big_two import IllegalPlay
from bigtwo_sim.games.big_two import position as big_two_position
from bigtwo_sim.games.registry import BIG_TWO, package_named, package_of
from bigtwo_sim.untrusted.documents import DocumentError, check, parse_json
from bigtwo_sim.untrusted.errors import InputError
from bigtwo_sim.untrusted.text_files import TextFileError, read_text

OF_BIG_TWO = ("opening",)
OF_BIG_THREE = ("calls", "bids", "soloist")


@dataclass(frozen=True)
class Typed:
    """What was typed of a position; None and empty texts were not."""

    hand: str
    on: str | None
    owner: int | None
    left: str | None
    seen: str | None
    opening: bool
    calls: str | None
    bids: str | None
    soloist: int | None
    rules: str | None
    set: Sequence[str] | None
    players: int | None

    def given(self, names: Sequence[str]) -> str | None:
        """The first of these options that was given, as it is written."""
        found = [name for name in names if getattr(self, name) not in (None, False, "", [])]
        return None if not found else "HAND" if found[0] == "hand" else f"--{found[0]}"

    def raise_beside_record(self) -> None:
        """Raise InputError where something was given that a saved deal says itself."""
        beside = self.given(list(self.__dataclass_fields__))
        if beside or self.calls is not None:
            raise InputError(f"{beside or '--calls'} is given beside --record; a saved deal says that itself")


def typed_view(game: str, typed: Typed) -> Any:
    """The view of a position that was typed in. Raises InputError where it cannot be."""
    rules = rules_of_game(game, typed.players, typed.rules, typed.set)

    package = package_of(rules)
    of_another = typed.given(OF_BIG_THREE if game == BIG_TWO else OF_BIG_TWO)
    if of_another:
        raise InputError(f"{of_another} is of another game than {rules.TITLE}")
    cards = read_cards(typed.hand, "HAND", rules)
    table: CardSet | None = None
    if typed.on is not None:
        table = read_cards(typed.on, "--on", rules)
        if package.classify(table, rules) is None:
            why = package.comparison.why_no_play(table, rules)
            raise InputError(f"--on is {table}, which is no play under {rules.name}: {why}")
    elif typed.owner is not None:
        raise InputError(f"--owner is {typed.owner} without --on; it must be the player who laid the play to beat")
    try:
        gone = CardSet.parse(typed.seen or "", rules.deck)
    except CardError as error:
        raise InputError(f"--seen: {error}") from None
    others = rules.players - 1
    told: dict[str, Any] = {
        "on": table,
        "owner": others if typed.owner is None else typed.owner,
        "left": _numbers(typed.left, "--left", f"{_WORDS[others]} numbers of cards, such as {_EXAMPLE[others]}"),
        "seen": gone,
    }
    if game == BIG_TWO:
        told["opening"] = typed.opening
    else:
        if others == 2 and typed.calls is None and typed.bids is None:
            raise InputError("of three players either --calls is needed, in the auction, or --bids, after it")
        told["owner"] = typed.owner
        told["soloist"] = typed.soloist
        told["calls"] = _numbers(typed.calls, "--calls", "the calls so far, 0 for a pass, such as 0,1")
        told["bids"] = _numbers(typed.bids, "--bids", "the highest bid of each, yours first, such as 0,2,1")
    try:
        described: Any = big_two_position if game == BIG_TWO else big_three_position
        return described.position(rules, cards, **told)
    except PositionError as error:
        raise InputError(str(error)) from None


_WORDS = {2: "two", 3: "three"}
_EXAMPLE = {2: "16,20", 3: "5,13,2"}


def _numbers(text: str | None, option: str, what: str) -> list[int] | None:
    """Whole numbers between commas."""
    if text is None:
        return None
    try:
        return [int(number) for number in text.split(",")] if text.strip() else []
    except ValueError:
        raise InputError(f"{option} is {text!r}; it must be {what}") from None


def recorded_view(file: Path, at: str | None) -> Any:
    """The view of the seat on turn, at a turn of a record or of a saved deal, whose auction is its first turns.

    Raises InputError for what is no such deal or turn.
    """
    try:
        text = read_text(file)
    except TextFileError as error:
        raise InputError(f"--record: {error}") from None
    if not text.lstrip().startswith(("{", "[")):
        record = read_record(file)
        place, turns = read_place(record, at, file)
        deal: Any = record.deal(place, turns)
    else:
        deal = _deal_of_json(file, text, at)
    if deal.is_over:
        raise InputError(f"--at is {at or 'missing'}, and the deal is over there; it must be an earlier turn")
    return deal.view()


class _Turn(TypedDict):
    cards: str | None


class _Call(TypedDict):
    bid: Annotated[int, Ge(0), Le(3)]


class _SavedDeal(TypedDict):
    """What `bigtwo deal --json` writes, as far as it is read."""

    game: NotRequired[str]
    rules: dict[str, str]
    hands: list[str]
    turns: list[_Turn]
    calls: NotRequired[list[_Call]]
    kitty: NotRequired[str | None]
    first: NotRequired[Annotated[int, Ge(0), Le(3)]]


def _deal_of_json(file: Path, text: str, at: str | None) -> Any:
    try:
        saved = parse_json(text)
        check(file, saved, _SavedDeal)
        package = package_named(saved.get("game", BIG_TWO))
        rules = package.Rules.from_dict(saved["rules"])
        hands = [CardSet.parse(hand, rules.deck) for hand in saved["hands"]]
        turns = [call["bid"] for call in saved.get("calls", ())]
        turns += [str(turn["cards"] or "") for turn in saved["turns"]]
        if "kitty" in saved:
            kitty = CardSet.parse(saved["kitty"] or "", rules.deck)
            deal = package.Deal.from_hands(rules, hands, kitty, first=saved.get("first", 0))
        else:
            deal = package.Deal.from_hands(rules, hands)
    except (ValueError, RecursionError) as error:
        reason = error.reason if isinstance(error, DocumentError) else str(error)
        raise InputError(f"--record is {file}, which bigtwo deal --json did not write: {reason}") from None
    if at is None or not at.isdecimal() or int(at) >= len(turns):
        given = "missing" if at is None else at
        raise InputError(f"--at is {given}; it must be a turn of this deal, from 0 to {len(turns) - 1}")
    try:
        for turn in turns[: int(at)]:
            if not turn:
                deal.pass_()
            elif isinstance(turn, int):
                deal.make_bid(turn)
            else:
                deal.play(turn)
    except (IllegalPlay, ValueError, TypeError) as error:
        raise InputError(f"--record is {file}, whose turns are no deal under {rules.name}: {error}") from None
    return deal
