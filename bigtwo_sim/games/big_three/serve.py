"""A Python agent of Big Three in a process of its own; see `agent_server`."""

from __future__ import annotations

from typing import Any

from bigtwo_sim.games.base.agent_server import Served, run
from bigtwo_sim.games.base.python_agent import Forfeit, answer_text, bid_in
from bigtwo_sim.games.big_three.deal import View
from bigtwo_sim.games.big_three.plays import check_deck
from bigtwo_sim.games.big_three.python_loop import DealResult, cards_of
from bigtwo_sim.games.big_three.wire import Reader, bid_line, play_line


class _Served(Served):
    def __init__(self, agent: Any) -> None:
        super().__init__(agent)
        self._reader = Reader()

    def read_new_deal(self, message: dict[str, Any]) -> View:
        return self._reader.new_deal(message)

    def read_turn(self, message: dict[str, Any]) -> View:
        return self._reader.turn(message)

    def read_result(self, message: dict[str, Any]) -> DealResult:
        return self._reader.result(message)

    def answer_to(self, view: View, answer: object) -> str:
        if view.in_auction:
            return bid_line(bid_in(answer))
        cards = cards_of(answer)
        if cards:
            try:
                check_deck(cards, self._reader.rules)
            except TypeError as error:
                raise Forfeit(f"answered {answer_text(cards)}: {error}", answer_text(cards)) from None
        return play_line(cards)


def main() -> None:
    """Serve the agent that the standard input names."""
    run(_Served)
