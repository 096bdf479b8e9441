"""The Python loop: deals between any mixture of compiled policies and Python agents.

It runs on the same kernels and random streams as the compiled loop (`selfplay`), so policies come out the same in both,
to the bit. What a Python agent must answer, `deal.Agent` says; it may have `new_deal(view)`, `end_deal(result)` and
`close()` besides, and what these return is ignored.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from time import perf_counter
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from bigtwo_sim.core.cards import CardSet
from bigtwo_sim.core.rng import POLICY, first_words, stream_from
from bigtwo_sim.games.base.agent import PolicyAgent
from bigtwo_sim.games.base.copying import Copyable
from bigtwo_sim.games.base.python_agent import (
    AgentFault,
    AnyAgent,
    Forfeit,
    PythonAgent,
    answer_text,
    bid_in,
    cards_in,
    close_agent,
    hook_of,
    why_it_failed,
)
from bigtwo_sim.games.big_three import layout as at
from bigtwo_sim.games.big_three.deal import Deal, View
from bigtwo_sim.games.big_three.fault import Fault
from bigtwo_sim.games.big_three.kernels.selfplay import DEALER, RESULT
from bigtwo_sim.games.big_three.plays import Play
from bigtwo_sim.games.big_three.rules import Rules
from bigtwo_sim.untrusted.foreign import ForeignCalls, is_a

Option = tuple[int, CardSet | None]
"""The number of an option, or the cards that are laid instead."""


class _AtFault(Exception):  # noqa: N818 - not an error of the loop
    """The agent's answer, as text, and what is wrong with it."""

    def __init__(self, answer: str, reason: str) -> None:
        super().__init__(answer, reason)
        self.answer = answer
        self.reason = reason


@dataclass(frozen=True)
class DealResult:
    """How a deal ended, as its seats are told."""

    seat: int
    """Who is told."""
    winner: int
    soloist: int | None
    bid: int
    """What was played for; of four players the stake."""
    left: tuple[int, ...]
    """Cards left by seat."""
    points: tuple[int, ...]
    """Stakes won, less those lost, by seat."""
    calls: tuple[tuple[int, int], ...]
    """The auction: (seat, bid), 0 for a pass."""
    log: tuple[tuple[int, CardSet], ...]
    """All turns of the play: (seat, cards), no cards for a pass."""

    @classmethod
    def of(cls, deal: Deal, seat: int) -> DealResult:
        """What `seat` is told of a deal. Raises ValueError while the deal runs."""
        points = deal.points
        assert deal.winner is not None
        return cls(seat, deal.winner, deal.soloist, deal.bid, deal.left, points, tuple(deal.calls), deal.view(seat).log)


class PythonLoop(Copyable):
    """One table for the line-up `agents` under `rules`, at which deals are played one after the other.

    An agent that raises anything, answers with what it may not do or, as a policy, with an index out of range, forfeits
    that decision: it passes where it may, else its weakest play is laid. Only a real Ctrl-C raises KeyboardInterrupt;
    one that an agent raises is a fault like any other. RESULT counts a forfeit, and the first fault of each agent is
    kept for `take_faults`. With `strict` the first fault is raised as AgentFault instead.

    `seconds` (float64[players], by slot) grows by the time that Python agents took to answer. Not to be shared between
    threads. A copy has copies of the agents too. Raises ValueError for a line-up of another number of players.
    """

    _HANDLES: ClassVar[tuple[str, ...]] = ("_hooks",)

    def __init__(self, agents: Sequence[AnyAgent], rules: Rules, *, strict: bool = False) -> None:
        if len(agents) != rules.players:
            raise ValueError(f"there are {len(agents)} agents; the rules have {rules.players} players")
        self.agents = tuple(agents)
        self.rules = rules
        self.strict = strict
        self.seconds = np.zeros(rules.players)
        self._choosers = [agent.make() if isinstance(agent, PythonAgent) else None for agent in agents]
        self._calls = ForeignCalls()
        self._faults: dict[str, Fault] = {}
        self._at: tuple[int, Sequence[int]] = (0, ())
        self._words: tuple[int, ...] = ()
        self._deal: Deal | None = None
        self._make_handles()

    def _make_handles(self) -> None:
        hooks = ("new_deal", "end_deal")
        self._hooks = {name: [hook_of(chooser, name) for chooser in self._choosers] for name in hooks}

    def play_blocks(
        self, key: npt.NDArray[np.uint64], first: int, blocks: int, seatings: npt.NDArray[np.int64]
    ) -> npt.NDArray[Any]:
        """The same as `selfplay.play_blocks`: RESULT[blocks, n], equal to it to the bit for policies alone.

        Raises AgentFault where the loop is strict and an agent is at fault.
        """
        results = np.zeros((blocks, len(seatings)), RESULT)
        with self._calls:
            for block in range(blocks):
                for seating, slots in enumerate(seatings.tolist()):
                    results[block, seating], _ = self.play_deal(key, first + block, slots)
        return results

    def play_deal(
        self, key: npt.NDArray[np.uint64], index: int, slots: Sequence[int] | None = None
    ) -> tuple[npt.NDArray[Any], Deal]:
        """Play deal number `index` with the agent of slot `slots[seat]` at each seat: RESULT[()], and the deal.

        Without `slots` each agent sits in the seat of its number. Raises AgentFault like `play_blocks`.
        """
        with self._calls:
            return self._play_deal(key, index, range(self.rules.players) if slots is None else slots)

    def _play_deal(
        self, key: npt.NDArray[np.uint64], index: int, slots: Sequence[int]
    ) -> tuple[npt.NDArray[Any], Deal]:
        deal = Deal.numbered(self.rules, key, index, DEALER)
        self._at = (index, slots)
        self._words = first_words(key, index, POLICY, self.rules.players)
        streams = [stream_from(word) for word in self._words]
        result = np.zeros((), RESULT)
        decisions, forfeits = [0] * at.SEATS, [0] * at.SEATS
        for seat in range(self.rules.players):
            view = replace(deal.view(seat), legal_bids=(), legal_plays=(), may_pass=False)
            self._tell(deal, seat, "new_deal", replace(view, stream_seed=view.stream_seed - 1))
        while not deal.is_over:
            seat = deal.turn
            choice = 0
            cards = None
            if deal.has_choice:
                decisions[seat] += 1
                try:
                    choice, cards = self._choose(deal, slots[seat], streams[seat])
                except _AtFault as fault:
                    self._note(deal, seat, fault.answer, fault.reason)
                    forfeits[seat] += 1
                    choice = deal.option_count if deal.may_pass else 0
            if cards is None:
                deal.take(choice)
            else:
                deal.play(cards)
        result["winner"] = deal.winner
        result["soloist"] = at.NOBODY if deal.soloist is None else deal.soloist
        result["bid"] = 0 if deal.soloist is None else deal.bid
        for name, values in (("bids", deal.bids), ("left", deal.left), ("points", deal.points)):
            result[name][: self.rules.players] = values
        result["decisions"], result["forfeits"] = decisions, forfeits
        for seat in range(self.rules.players):
            self._tell(deal, seat, "end_deal", DealResult.of(deal, seat))
        self._deal = deal
        return result, deal

    @property
    def calls(self) -> tuple[tuple[int, int], ...]:
        """The auction of the last deal: (seat, bid), 0 for a pass."""
        return () if self._deal is None else tuple(self._deal.calls)

    @property
    def log(self) -> tuple[tuple[int, CardSet], ...]:
        """The turns of the play of the last deal: (seat, cards), no cards for a pass."""
        return () if self._deal is None else tuple(self._deal.log)

    def take_faults(self) -> tuple[Fault, ...]:
        """The first fault of each agent since they were last taken; the next one of each is kept again."""
        taken = tuple(self._faults.values())
        self._faults.clear()
        return taken

    def close(self) -> None:
        """Tell all agents that they will not be asked any more. What they raise at that is of no deal, and ignored."""
        for chooser in self._choosers:
            close_agent(chooser)

    # --- one decision -------------------------------------------------------------------------------------------------
    def _choose(self, deal: Deal, slot: int, stream: npt.NDArray[np.uint64]) -> Option:
        """What the agent of a slot does. Raises _AtFault."""
        agent = self.agents[slot]
        if isinstance(agent, PolicyAgent):
            choice = deal.ask(agent, stream)
            if not 0 <= choice < deal.option_count + deal.may_pass:
                raise _AtFault(str(choice), f"answered {choice}, with {deal.option_count} options to choose from")
            return choice, None
        chooser: Any = self._choosers[slot]
        began = perf_counter()
        try:
            try:
                answer = chooser.choose(deal.view())
            finally:
                self.seconds[slot] += perf_counter() - began
                self._calls.done()
            option, text, reason = _read(answer, deal)
        except BaseException as error:  # also SystemExit, which must not end a run
            if self._calls.interrupted:
                raise KeyboardInterrupt from None
            raise _AtFault(*why_it_failed(error)) from None
        if reason:
            raise _AtFault(text, reason)
        return option

    def _tell(self, deal: Deal, seat: int, hook: str, news: View | DealResult) -> None:
        tell = self._hooks[hook][self._at[1][seat]]
        if tell is None:
            return
        try:
            try:
                tell(news)
            finally:
                self._calls.done()
        except BaseException as error:
            if self._calls.interrupted:
                raise KeyboardInterrupt from None
            self._note(deal, seat, *why_it_failed(error))

    def _note(self, deal: Deal, seat: int, answer: str, reason: str) -> None:
        """Keep a fault, if it is the agent's first; raise it where the loop is strict."""
        index, slots = self._at
        names = tuple(self.agents[slot].name for slot in slots)
        fault = Fault(
            agent=names[seat],
            reason=reason,
            answer=answer,
            seat=seat,
            deal_number=index,
            rules=self.rules,
            agents=names,
            dealt=deal.dealt,
            kitty=deal.dealt_kitty,
            calls=tuple(deal.calls),
            log=tuple(deal.log),
            stream_seed=deal.view(seat).stream_seed,
            stream_word=self._words[seat],
        )
        if self.strict:
            raise AgentFault(names[seat], seat, index, reason, fault)
        self._faults.setdefault(names[seat], fault)


def option_of(answer: object, deal: Deal) -> tuple[Option, str]:
    """What a Python agent's answer means on the turn of `deal`, and what is wrong with it (empty: nothing)."""
    try:
        option, _, reason = _read(answer, deal)
    except Forfeit as fault:
        return (0, None), fault.reason
    return option, reason


def _read(answer: object, deal: Deal) -> tuple[Option, str, str]:
    """The option that an answer means, the answer as text, and what is wrong with it. Raises Forfeit if unreadable."""
    number_of_pass, nothing = deal.option_count, (0, None)
    if deal.in_auction:
        bid = bid_in(answer)
        if bid == 0:
            return (number_of_pass, None), "0", ""
        if bid in deal.legal_bids():
            return (deal.legal_bids().index(bid), None), str(bid), ""
        return nothing, str(bid), f"answered {bid}: {deal.why_no_bid(bid)}"
    cards = cards_of(answer)
    text = answer_text(cards)
    if not cards:
        if deal.may_pass:
            return (number_of_pass, None), text, ""
        return nothing, text, f"answered a pass: seat {deal.turn} may not pass: a player who leads must play"
    try:
        reason = deal.why_no_play(cards)
    except TypeError as error:
        reason = str(error)
    return (0, cards), text, f"answered {cards}: {reason}" if reason else ""


def cards_of(answer: object) -> CardSet:
    """The cards that an agent answered with, as a set that nobody else holds. Raises Forfeit where it is not one."""
    try:
        return cards_in(answer)
    except Forfeit as fault:
        hint = "; answer with its .cards" if is_a(answer, Play) else ""
        raise Forfeit(fault.reason + hint, fault.answer) from None
