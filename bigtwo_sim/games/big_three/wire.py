"""The conversation between the engine and a Python agent of Big Three in a process of its own.

What the engine says is pickled, in base64 in a JSON object a line; what comes back is JSON alone, since to unpickle
what an agent writes would run its code here. There is no protocol for bots in other languages yet.
"""

from __future__ import annotations

import base64
import io
import json
import pickle
from typing import Any

from bigtwo_sim.core.cards import CardSet
from bigtwo_sim.games.base.lines import WireError, hello, shown
from bigtwo_sim.games.big_three.deal import View
from bigtwo_sim.games.big_three.python_loop import DealResult
from bigtwo_sim.games.big_three.rules import Rules

GAME = "big three"
_RULES, _DECK = "rules", "deck"


class _Pickler(pickle.Pickler):
    """Leaves out the rules and their deck, which the other side has."""

    def __init__(self, file: io.BytesIO, rules: Rules) -> None:
        super().__init__(file, pickle.HIGHEST_PROTOCOL)
        self._rules = rules

    def persistent_id(self, value: Any) -> str | None:
        if value is self._rules:
            return _RULES
        return _DECK if value is self._rules.deck else None


class _Unpickler(pickle.Unpickler):
    def __init__(self, file: io.BytesIO, rules: Rules) -> None:
        super().__init__(file)
        self._known = {_RULES: rules, _DECK: rules.deck}

    def persistent_load(self, name: str) -> Any:
        return self._known[name]


def _packed(value: Any, rules: Rules) -> str:
    file = io.BytesIO()
    _Pickler(file, rules).dump(value)
    return base64.b64encode(file.getvalue()).decode()


class Wire:
    """The engine's side of a conversation."""

    def __init__(self) -> None:
        self._rules = Rules()

    def hello(self, name: str, **more: Any) -> str:
        """The engine's first line; `name` is what the agent is called in the run."""
        return hello(GAME, name, **more)

    def new_deal(self, view: View) -> str:
        """The message of a new deal, from the view at its beginning."""
        self._rules = view.rules
        return json.dumps({"type": "new_deal", "rules": view.rules.to_dict(), "view": _packed(view, view.rules)})

    def turn(self, view: View) -> str:
        """The message of a turn with a choice."""
        return json.dumps({"type": "turn", "view": _packed(view, view.rules)})

    def result(self, result: DealResult) -> str:
        """The message of the end of a deal."""
        return json.dumps({"type": "result", "result": _packed(result, self._rules)})

    def answer(self, message: dict[str, Any], view: View) -> CardSet | int:
        """What is answered to `turn(view)`. Raises WireError."""
        kind = message["type"]
        name = {"bid": "bid", "play": "bits"}.get(kind)
        if name is None:
            raise WireError(f'answered with the type {shown(kind)}; it must be "bid" or "play"')
        value = message.get(name)
        most = (1 << view.rules.deck.size) - 1
        if type(value) is not int or not 0 <= abs(value) <= most or (value < 0 and kind == "play"):
            raise WireError(f'answered "{kind}" with {shown(repr(value))}; "{name}" must be a number up to {most}')
        return value if kind == "bid" else CardSet(value, view.rules.deck)


class Reader:
    """The agent's side: reads the engine's messages back into what they were written from."""

    def __init__(self) -> None:
        self.rules = Rules()

    def new_deal(self, message: dict[str, Any]) -> View:
        """The view at the beginning of a deal."""
        rules = Rules.from_dict(message["rules"])
        if rules != self.rules:
            self.rules = rules
        view: View = self._unpacked(message["view"])
        return view

    def turn(self, message: dict[str, Any]) -> View:
        """The view of a turn."""
        view: View = self._unpacked(message["view"])
        return view

    def result(self, message: dict[str, Any]) -> DealResult:
        """How a deal ended."""
        result: DealResult = self._unpacked(message["result"])
        return result

    def _unpacked(self, text: str) -> Any:
        return _Unpickler(io.BytesIO(base64.b64decode(text)), self.rules).load()


def bid_line(bid: int) -> str:
    """The line of a bid; 0 passes."""
    return json.dumps({"type": "bid", "bid": bid})


def play_line(cards: CardSet) -> str:
    """The line of a play; no cards pass."""
    return json.dumps({"type": "play", "bits": cards.bits})
