"""The parser of records: reads a text line by line, and names the first line that is wrong and what it must be."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from typing import Any, NoReturn

from bigtwo_sim.core.cards import CardSet, Deck
from bigtwo_sim.games.base.ruleset import RulesError
from bigtwo_sim.games.big_two import layout as at
from bigtwo_sim.games.big_two.match import with_target
from bigtwo_sim.games.big_two.records.record_form import (
    FIRST_LINE,
    LARGEST_NUMBER,
    LOWEST_CARD,
    NONE,
    PASS,
    RECORDED,
    SHOWN,
    RecordCutError,
    RecordedDeal,
    RecordError,
    is_line,
    rules_lines,
)
from bigtwo_sim.games.big_two.rules import PRESETS, Rules

_WHOLE = "0|[1-9][0-9]{0,18}"
_SEAT = f"[0-{at.SEATS - 1}]"
_SIGNED = "0|-?[1-9][0-9]{0,14}"
_BY_SEAT = f"((?:{_SIGNED})(?: (?:{_SIGNED})){{{at.SEATS - 1}}})"
_VERSION = re.compile(r"bigtwo record ([0-9]{1,9})")
_RULES = re.compile(r"rules: (.+)")
_SET = re.compile(r"set ([a-z_]+): (.+)")
_NAME = re.compile(r"name: (.+)")
_SEED = re.compile(r"seed: (none|0|[1-9][0-9]{0,3999})")
_TARGET_LINE = re.compile(r"target: (none|[1-9][0-9]{0,6})")
_PLAYER = re.compile(f"seat ({_SEAT}): (.+)")
_DEAL = re.compile(f"deal ({_WHOLE})")
_HAND = re.compile(f"hand ({_SEAT}): (.+)")
_LEAD = re.compile(f"lead: ({_SEAT})({LOWEST_CARD})?")
_TURN = re.compile(f"turn ({_WHOLE}) seat ({_SEAT}): (.+)")
_WON = re.compile(f"won: ({_SEAT})")
_POINTS = re.compile(f"points: {_BY_SEAT}")
_TOTALS = re.compile(f"totals: {_BY_SEAT}")


class Reader:
    """Reads a text line by line; `at` is the number of the line that was read last."""

    def __init__(self, text: str) -> None:
        *self._lines, torn = text.split("\n")
        self._torn = bool(torn)
        self._whole = 0  # lines before what is being read, which is written at once
        self.at = 0

    def wrong(self, reason: str, line: int | None = None) -> NoReturn:
        raise RecordError(reason, self.at if line is None else line)

    def peek(self) -> str | None:
        return self._lines[self.at] if self.at < len(self._lines) else None

    def next_is(self, key: str) -> bool:
        return self.at < len(self._lines) and self._lines[self.at].startswith(key)

    def read(self, pattern: re.Pattern[str], wanted: str) -> re.Match[str]:
        """The next line, of which `wanted` tells what it must be."""
        line = self.peek()
        self.at += 1
        if line is None:
            self._cut(wanted)
        found = pattern.fullmatch(line)
        if found is None:
            self.wrong(f"{shown(line)} must be {wanted}")
        return found

    def _cut(self, wanted: str) -> NoReturn:
        what = "the line has no end" if self._torn else "the text ends"
        raise RecordCutError(f"{what}; here must be {wanted}", len(self._lines) + 1, whole=self._whole)

    # --- the whole ----------------------------------------------------------------------------------------------------
    def record(self) -> tuple[Rules, int | None, tuple[str, ...], tuple[RecordedDeal, ...]]:
        """The rules, the seed, the players and the deals of the record."""
        rules, seed, players = self._header()
        cards = _Cards(rules.deck)
        deals: list[RecordedDeal] = []
        while self.at < len(self._lines):
            deals.append(self._deal(cards))
            self._whole = self.at
            if self.at < len(self._lines) and not deals[-1].is_finished:
                self.at += 1
                self.wrong(f"{shown(self._lines[self.at - 1])} must be the next turn, or 'won: ' and a seat")
        if self._torn:
            self._whole = self.at
            self._cut("a whole line")
        return rules, seed, players, tuple(deals)

    # --- the header ---------------------------------------------------------------------------------------------------
    def _header(self) -> tuple[Rules, int | None, tuple[str, ...]]:
        first = self.peek()
        version = _VERSION.fullmatch(first or "")
        if first is not None and first != FIRST_LINE:
            self.at = 1
            self.wrong(
                f"its version is {version[1]}; this program reads version {FIRST_LINE.split()[-1]}"
                if version
                else f"{shown(first)} must be {FIRST_LINE!r}; this is no record"
            )
        self.read(_VERSION, repr(FIRST_LINE))
        rules = self._rules()
        seed = self.read(_SEED, "'seed: ' and a whole number, or none")[1]
        target = self.read(_TARGET_LINE, "'target: ' and a whole number of at least 1, or none")[1]
        rules = self._checked(with_target, rules, None if target == NONE else int(target))
        players = tuple(self._player(seat) for seat in range(at.SEATS))
        return rules, None if seed == NONE else int(seed), players

    def _rules(self) -> Rules:
        begins = self.at
        name = self.read(_RULES, "'rules: ' and a preset")[1]
        rules = PRESETS.get(name)
        if rules is None:
            self.wrong(f"there is no preset {shown(name)}; it must be one of {', '.join(PRESETS)}")
        changes: dict[str, str] = {}
        while self.next_is("set "):
            found = self.read(_SET, "'set ', a switch, ': ' and its value")
            switch, value = found[1], found[2]
            if switch not in RECORDED or switch in changes:
                self.wrong(f"{switch!r:.{SHOWN}} must be one of {', '.join(RECORDED)}, each once")
            changes[switch] = value
            rules = self._checked(rules.replace, **changes)
        if self.next_is("name: "):
            called = self.read(_NAME, "'name: ' and a name")[1]
            rules = self._checked(rules.replace, name=called)
        given, wanted = self._lines[begins : self.at], rules_lines(rules)
        for line, written in enumerate(given):
            if line >= len(wanted) or written != wanted[line]:
                must = f"be {shown(wanted[line])}" if line < len(wanted) else "be left out, for it changes nothing"
                self.wrong(f"{shown(written)} must {must}", begins + line + 1)
        return rules

    def _checked(self, change: Callable[..., Rules], *values: Any, **switches: Any) -> Rules:
        try:
            return change(*values, **switches)
        except RulesError as error:
            self.wrong(str(error))

    def _player(self, seat: int) -> str:
        wanted = f"'seat {seat}: ' and who sits there"
        found = self.read(_PLAYER, wanted)
        if int(found[1]) != seat or not is_line(found[2]):
            self.wrong(f"{shown(found[0])} must be {wanted}, a line of printable text")
        return found[2]

    # --- a deal -------------------------------------------------------------------------------------------------------
    def _deal(self, cards: _Cards) -> RecordedDeal:
        self._whole = self.at
        self.read(_EMPTY, "empty, before the next deal")
        number = int(self.read(_DEAL, "'deal ' and its number")[1])
        if number > LARGEST_NUMBER:
            self.wrong(f"the number is {number}; it must be at most {LARGEST_NUMBER}")
        hands: list[CardSet] = []
        for seat in range(at.SEATS):
            hands.append(self._hand(seat, cards, hands))
        found = self.read(_LEAD, f"'lead: ', a seat, and {LOWEST_CARD!r} where that makes it lead")
        if found[2] and not hands[int(found[1])].bits & 1:
            self.wrong(f"seat {found[1]} does not hold the lowest card, {cards.deck.name(0)}")
        leader = None if found[2] else int(found[1])
        turns: list[tuple[int, CardSet]] = []
        while self.next_is("turn "):
            self._whole = self.at
            turns.append(self._turn(len(turns), cards))
        deal = RecordedDeal(number, tuple(hands), leader, tuple(turns))
        if not self.next_is("won: "):
            return deal
        self._whole = self.at
        winner = int(self.read(_WON, "'won: ' and a seat")[1])
        points = self.read(_POINTS, f"'points: ' and {at.SEATS} whole numbers")[1]
        totals = self.read(_TOTALS, f"'totals: ' and {at.SEATS} whole numbers")[1]
        return replace(deal, winner=winner, points=_read_numbers(points), totals=_read_numbers(totals))

    def _hand(self, seat: int, cards: _Cards, before: list[CardSet]) -> CardSet:
        wanted = f"'hand {seat}: ' and its cards"
        found = self.read(_HAND, wanted)
        if int(found[1]) != seat:
            self.wrong(f"{shown(found[0])} must be {wanted}")
        hand = self._cards(found[2], cards)
        if len(hand) > at.HAND_SIZE:
            self.wrong(f"the hand has {len(hand)} cards; it must have at most {at.HAND_SIZE}")
        for other, held in enumerate(before):
            if hand & held:
                self.wrong(f"{hand & held} is in the hand of seat {other} too; every card exists once")
        return hand

    def _turn(self, number: int, cards: _Cards) -> tuple[int, CardSet]:
        found = self.read(_TURN, "'turn ', its number, ' seat ', a seat, ': ' and the cards laid, or pass")
        if found[1] != str(number):
            self.wrong(f"the number of the turn is {found[1]}; it must be {number}")
        return int(found[2]), cards.none if found[3] == PASS else self._cards(found[3], cards)

    def _cards(self, text: str, cards: _Cards) -> CardSet:
        found = cards.read(text)
        if isinstance(found, str):
            self.wrong(found)
        return found


_EMPTY = re.compile("")


def shown(text: str) -> str:
    """A line or a part of it in an error, quoted and cut short."""
    return repr(text if len(text) <= SHOWN else f"{text[:SHOWN]}...")


def _read_numbers(text: str) -> tuple[int, ...]:
    return tuple(map(int, text.split(" ")))


class _Cards:
    """Reads cards as a record has them: in ascending order, a blank between two."""

    def __init__(self, deck: Deck) -> None:
        self.deck = deck
        self.none = CardSet(0, deck)
        self._places = {deck.name(card): card for card in range(deck.size)}
        self._known: dict[str, CardSet] = {}

    def read(self, text: str) -> CardSet | str:
        """The cards; a text tells what is wrong with them."""
        known = self._known.get(text)
        if known is not None:
            return known
        bits = 0
        for word in text.split(" "):
            place = self._places.get(word)
            if place is None:
                return f"{shown(word)} is no card; a card is a rank and a suit, such as {self.deck.name(0)}"
            if bits >> place:
                return f"{word} stands after a higher card or twice; cards must ascend, and every card exists once"
            bits |= 1 << place
        cards = CardSet(bits, self.deck)
        if len(cards) <= at.PLAY_SIZE:
            self._known[text] = cards
        return cards
