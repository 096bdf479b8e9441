"""A Python agent of Big Two in a process of its own; see `agent_server`."""

from __future__ import annotations

from typing import Any

from bigtwo_sim.games.base.agent_server import Served, run
from bigtwo_sim.games.big_two.deal import View
from bigtwo_sim.games.big_two.plays import check_deck
from bigtwo_sim.games.big_two.python_agent import DealResult, Forfeit, answer_text, cards_of
from bigtwo_sim.games.big_two.rules import Rules
from bigtwo_sim.games.big_two.wire import Reader, answer_line, read_rules


class _Served(Served):
    def __init__(self, agent: Any) -> None:
        super().__init__(agent)
        self._reader = Reader(Rules())

    def read_new_deal(self, message: dict[str, Any]) -> View:
        rules = read_rules(message)
        if rules != self._reader.rules:
            self._reader = Reader(rules)
        return self._reader.new_deal(message)

    def read_turn(self, message: dict[str, Any]) -> View:
        return self._reader.turn(message)

    def read_result(self, message: dict[str, Any]) -> DealResult:
        return self._reader.result(message)

    def answer_to(self, view: View, answer: object) -> str:
        cards = cards_of(answer)
        if cards:
            try:
                check_deck(cards, self._reader.rules)
            except TypeError as error:
                raise Forfeit(f"answered {answer_text(cards)}: {error}", answer_text(cards)) from None
        return answer_line(cards)


def main() -> None:
    """Serve the agent that the standard input names."""
    run(_Served)
