"""Who sits at the table besides a person: any agent, asked one question at a time, its mistakes told and not punished
with more than the turn.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from bigtwo_sim.bots.isolation import isolated
from bigtwo_sim.bots.process import Limits
from bigtwo_sim.games.big_two import CardSet, Deal, DealResult, PythonAgent, close_agent
from bigtwo_sim.games.big_two.python_agent import view_of_new_deal, why_it_failed, why_refused
from bigtwo_sim.roster.level import Level
from bigtwo_sim.roster.spec import parse_agent

MOVE_TIME = 10.0
"""Seconds that an agent in Python or another language may think where nobody says otherwise."""


@dataclass(frozen=True)
class Answer:
    """What a chair does on its turn: the cards to lay (none: it passes), always legal, and what it did wrong."""

    cards: CardSet
    fault: str | None = None


class Player:
    """One agent at the table, made from its text. Compiled ones run in this process, all others in their own.

    All methods may be called in a thread, one at a time. Raises AgentError as `parse_agent` does.
    """

    def __init__(self, text: str, move_time: float = MOVE_TIME) -> None:
        agent = parse_agent(text)
        self.name = agent.name
        if isinstance(agent, PythonAgent):
            self._player: Any = isolated(agent, Limits(move_time=move_time)).make()
        else:
            self._player = Level(text)

    def begin(self, deal: Deal, seat: int) -> str | None:
        """Tell it of a new deal, where it wants to know. Returns what it did wrong at that."""
        return self._tell("new_deal", lambda: view_of_new_deal(deal.view(seat)))

    def end(self, deal: Deal, seat: int) -> str | None:
        """Tell it how a deal ended. Returns what it did wrong at that."""
        return self._tell("end_deal", lambda: DealResult.of(deal, seat))

    def _tell(self, hook: str, news: Callable[[], Any]) -> str | None:
        tell = getattr(self._player, hook, None)
        if callable(tell):
            try:
                tell(news())
            except Exception as error:
                return why_it_failed(error)[1]
        return None

    def ask(self, deal: Deal) -> Answer:
        """Its turn in `deal`, which does not change. What is no legal answer becomes a pass, or its weakest play where
        it may not pass, as in the arena.
        """
        fault = None
        if deal.has_choice:
            try:
                answer = self._player.choose(deal.view())
            except Exception as error:
                fault = why_it_failed(error)[1]
            else:
                fault = why_refused(answer, deal)
                if fault is None:
                    return Answer(answer)
        if deal.may_pass:
            return Answer(CardSet(0, deal.rules.deck), fault)
        return Answer(deal.legal_plays()[0].cards, fault)

    def close(self) -> None:
        """It will not be asked any more; what it still thinks about is cut short where it has a process of its own."""
        close_agent(self._player)


class SeatedChairs:
    """The chairs of a table while they are being made: in a thread, since the first time compiles."""

    def __init__(self, texts: Sequence[str | None], move_time: float) -> None:
        self.players: list[Player | None] = []
        self._texts = texts
        self._move_time = move_time
        self._lock = threading.Lock()
        self._closed = False

    def make(self) -> list[Player | None]:
        """All chairs, None for a person's. Raises AgentError for a text that names no agent."""
        for text in self._texts:
            chair = None if text is None else Player(text, self._move_time)
            with self._lock:
                self.players.append(chair)
                if self._closed and chair is not None:
                    chair.close()
        return self.players

    def close(self) -> None:
        """Close those that are there, and those that still come."""
        with self._lock:
            self._closed = True
            for chair in self.players:
                if chair is not None:
                    chair.close()
