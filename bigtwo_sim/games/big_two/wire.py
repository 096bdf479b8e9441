"""The protocol between the engine and a bot in another process: one JSON object a line, version 1.

`docs/bots.md` is its description, with the schema of every message. Here they are written and read, for both sides: the
engine uses `Wire` and what is in `lines`; a bot written with this library (`serve`) uses `read_rules`, `Reader` and
`answer_line`. Both ignore fields and, of the engine's, types of messages
that they do not know, so that later versions may add some.
"""

from __future__ import annotations

import json
from typing import Any

from bigtwo_sim.core.cards import CardError, CardSet
from bigtwo_sim.games.base.lines import WireError, hello, shown
from bigtwo_sim.games.big_two.deal import View
from bigtwo_sim.games.big_two.plays import Play, kind_of
from bigtwo_sim.games.big_two.python_agent import DealResult
from bigtwo_sim.games.big_two.rules import SWITCHES, Rules

GAME = "big two"
_SHOWN = 60


# --- the engine's side ------------------------------------------------------------------------------------------------
def read_answer(message: dict[str, Any], rules: Rules) -> CardSet:
    """The cards that a bot lays, none where it passes. Whether the rules allow it is not asked here.

    Raises WireError for a message that is neither `play` nor `pass`, and for what are no cards.
    """
    kind = message["type"]
    if kind == "pass":
        return CardSet(0, rules.deck)
    if kind != "play":
        raise WireError(f'answered with the type {shown(kind)}; it must be "play" or "pass"')
    names = message.get("cards")
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        given = "no cards" if "cards" not in message else f"{names!r:.{_SHOWN}} as cards"
        raise WireError(f'answered "play" with {given}; "cards" must be a list of texts such as ["3D", "3C"]')
    if not names:
        raise WireError('answered "play" with an empty list of cards; to pass is {"type": "pass"}')
    bits = 0
    for name in names:
        card = _card(name, rules)
        if bits & card:
            raise WireError(f"answered with the card {name} twice; every card exists once")
        bits |= card
    return CardSet(bits, rules.deck)


def _card(name: str, rules: Rules) -> int:
    try:
        bits = rules.deck.parse(name)
    except CardError:
        bits = 0
    if bits.bit_count() != 1:
        raise WireError(f"answered with the card {shown(name)}; a card is one rank and one suit, such as 3D, TH or 2S")
    return bits


def rules_object(rules: Rules) -> dict[str, Any]:
    """Rules as the protocol tells them: every switch, and the ranks and straights that follow from them."""
    switches = {switch: getattr(rules, switch) for switch in SWITCHES}
    derived = {"ranks": rules.deck.ranks, "straights": list(rules.straights)}
    return {"name": rules.name, **switches, **derived}


class Writer:
    """Writes the engine's messages under one set of rules; what comes again and again is put into text once."""

    def __init__(self, rules: Rules) -> None:
        self.rules = rules
        self._rules_text = json.dumps(rules_object(rules))
        self._names = [json.dumps(rules.deck.name(card)) for card in range(rules.deck.size)]
        self._sets: dict[int, str] = {0: "[]"}
        self._plays: dict[int, str] = {}

    def new_deal(self, view: View) -> str:
        """The message of a new deal, from the view at its beginning."""
        return (
            f'{{"type": "new_deal", "seat": {view.seat}, "hand": {self._cards(view.hand)}, '
            f'"leader": {view.play_owner}, "left": {list(view.left)}, "totals": {list(view.totals)}, '
            f'"rules": {self._rules_text}, "random": "{view.stream_seed}"}}'
        )

    def turn(self, view: View) -> str:
        """The message of a turn with a choice."""
        table = "null"
        if view.play_to_beat is not None:
            table = f'{self._play(view.play_to_beat)[:-1]}, "seat": {view.play_owner}}}'
        return (
            f'{{"type": "turn", "seat": {view.seat}, "hand": {self._cards(view.hand)}, '
            f'"legal_plays": [{", ".join(map(self._play, view.legal_plays))}], '
            f'"may_pass": {_boolean(view.may_pass)}, "table": {table}, "left": {list(view.left)}, '
            f'"played": [{", ".join(map(self._cards, view.played))}], '
            f'"passed": [{", ".join(map(_boolean, view.passed))}], "log": {self._log(view.log)}, '
            f'"totals": {list(view.totals)}, "random": "{view.stream_seed}"}}'
        )

    def result(self, result: DealResult) -> str:
        """The message of the end of a deal."""
        return (
            f'{{"type": "result", "seat": {result.seat}, "winner": {result.winner}, "left": {list(result.left)}, '
            f'"points": {list(result.points)}, "log": {self._log(result.log)}}}'
        )

    def _cards(self, cards: CardSet) -> str:
        found = self._sets.get(cards.bits)
        if found is None:
            bits = cards.bits
            found = f"[{', '.join([name for i, name in enumerate(self._names) if bits >> i & 1])}]"
            if bits.bit_count() <= _KEPT:
                self._sets[bits] = found
        return found

    def _play(self, play: Play) -> str:
        found = self._plays.get(play.cards.bits)
        if found is None:
            found = f'{{"cards": {self._cards(play.cards)}, "kind": "{play.kind}", "strength": {play.strength}}}'
            self._plays[play.cards.bits] = found
        return found

    def _log(self, log: tuple[tuple[int, CardSet], ...]) -> str:
        turns = [f'{{"seat": {seat}, "cards": {self._cards(cards)}}}' for seat, cards in log]
        return f"[{', '.join(turns)}]"


_KEPT = 5  # sets of more cards are hands, of which hardly any comes twice


def _boolean(value: bool) -> str:
    return "true" if value else "false"


class Wire:
    """The engine's side of a conversation: the messages of any rules, and what the answers mean."""

    def __init__(self) -> None:
        self._writer = Writer(Rules())

    def hello(self, name: str, **more: Any) -> str:
        """The engine's first line; `name` is what the bot is called in the run."""
        return hello(GAME, name, **more)

    def new_deal(self, view: View) -> str:
        """The message of a new deal, from the view at its beginning."""
        return self._for(view.rules).new_deal(view)

    def turn(self, view: View) -> str:
        """The message of a turn with a choice."""
        return self._for(view.rules).turn(view)

    def result(self, result: DealResult) -> str:
        """The message of the end of a deal."""
        return self._writer.result(result)

    def answer(self, message: dict[str, Any], view: View) -> CardSet:
        """What is answered to `turn(view)`. Raises WireError."""
        return read_answer(message, view.rules)

    def _for(self, rules: Rules) -> Writer:
        if self._writer.rules is not rules and self._writer.rules != rules:
            self._writer = Writer(rules)
        return self._writer


# --- a bot's side -----------------------------------------------------------------------------------------------------
def read_rules(message: dict[str, Any]) -> Rules:
    """The rules in a message of a new deal. Raises RulesError for a value that this version does not know."""
    told = message["rules"]
    return Rules.from_dict({switch: told[switch] for switch in ("name", *SWITCHES) if switch in told})


class Reader:
    """Reads the engine's messages under one set of rules, back into what they were written from."""

    def __init__(self, rules: Rules) -> None:
        self.rules = rules
        self._bits = {rules.deck.name(card): 1 << card for card in range(rules.deck.size)}
        self._sets: dict[int, CardSet] = {}
        self._plays: dict[int, Play] = {}

    def new_deal(self, message: dict[str, Any]) -> View:
        """The view at the beginning of a deal."""
        nothing = self._cards([])
        return View(
            rules=self.rules,
            seat=message["seat"],
            hand=self._cards(message["hand"]),
            legal_plays=(),
            may_pass=False,
            play_to_beat=None,
            play_owner=message["leader"],
            left=tuple(message["left"]),
            played=(nothing,) * len(message["left"]),
            passed=(False,) * len(message["left"]),
            log=(),
            totals=tuple(message["totals"]),
            stream_seed=int(message["random"]),
        )

    def turn(self, message: dict[str, Any]) -> View:
        """The view of a turn."""
        table = message["table"]
        return View(
            rules=self.rules,
            seat=message["seat"],
            hand=self._cards(message["hand"]),
            legal_plays=tuple(map(self._play, message["legal_plays"])),
            may_pass=message["may_pass"],
            play_to_beat=None if table is None else self._play(table),
            play_owner=message["seat"] if table is None else table["seat"],
            left=tuple(message["left"]),
            played=tuple(map(self._cards, message["played"])),
            passed=tuple(message["passed"]),
            log=self._log(message),
            totals=tuple(message["totals"]),
            stream_seed=int(message["random"]),
        )

    def result(self, message: dict[str, Any]) -> DealResult:
        """How the deal ended."""
        left, points = tuple(message["left"]), tuple(message["points"])
        return DealResult(message["seat"], message["winner"], left, points, self._log(message))

    def _cards(self, names: list[str]) -> CardSet:
        bits = 0
        for name in names:
            bits |= self._bits[name]
        found = self._sets.get(bits)
        if found is None:
            found = CardSet(bits, self.rules.deck)
            if len(names) <= _KEPT:
                self._sets[bits] = found
        return found

    def _play(self, play: dict[str, Any]) -> Play:
        cards = self._cards(play["cards"])
        found = self._plays.get(cards.bits)
        if found is None:
            strength = play["strength"]
            found = self._plays[cards.bits] = Play(cards, kind_of(len(cards), strength), strength)
        return found

    def _log(self, message: dict[str, Any]) -> tuple[tuple[int, CardSet], ...]:
        return tuple([(turn["seat"], self._cards(turn["cards"])) for turn in message["log"]])


def answer_line(cards: CardSet) -> str:
    """A bot's answer: the cards that it lays, or a pass."""
    return json.dumps({"type": "play", "cards": [str(card) for card in cards]} if cards else {"type": "pass"})
