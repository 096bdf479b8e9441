"""The Python loop: deals between any mixture of compiled policies and Python agents.

It runs on the same kernels and random streams as the compiled loop (`selfplay`), so policies come out the same in both,
to the bit. What a Python agent must answer, `deal.Agent` says; it may have `new_deal(view)`, `end_deal(result)` and
`close()` besides, and what these return is ignored.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from bigtwo_sim.agent import PolicyAgent
from bigtwo_sim.big_three import layout as at
from bigtwo_sim.big_three.deal import Deal, View
from bigtwo_sim.big_three.fault import Fault
from bigtwo_sim.big_three.plays import Play
from bigtwo_sim.big_three.rules import Rules
from bigtwo_sim.big_three.selfplay import DEALER, RESULT
from bigtwo_sim.cards import CardSet
from bigtwo_sim.copying import Copyable
from bigtwo_sim.python_agent import AgentFault, AnyAgent, PythonAgent, answer_text, close_agent, why_it_failed
from bigtwo_sim.rng import POLICY, first_words, stream_from

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

    An agent that raises an exception (any but KeyboardInterrupt), answers with what it may not do or, as a policy, with
    an index out of range, forfeits that decision: it passes where it may, else its weakest play is laid. RESULT counts
    it, and the first fault of each agent is kept for `take_faults`. With `strict` the first fault is raised as
    AgentFault instead.

    `seconds` (float64[players], by slot) grows by the time that Python agents took to answer. Not to be shared between
    threads. A copy has copies of the agents too. Raises ValueError for a line-up of another number of players.
    """

    def __init__(self, agents: Sequence[AnyAgent], rules: Rules, *, strict: bool = False) -> None:
        if len(agents) != rules.players:
            raise ValueError(f"there are {len(agents)} agents; the rules have {rules.players} players")
        self.agents = tuple(agents)
        self.rules = rules
        self.strict = strict
        self.seconds = np.zeros(rules.players)
        self._choosers = [agent.make() if isinstance(agent, PythonAgent) else None for agent in agents]
        self._faults: dict[str, Fault] = {}
        self._at: tuple[int, Sequence[int]] = (0, ())
        self._words: tuple[int, ...] = ()
        self._deal: Deal | None = None

    def play_blocks(
        self, key: npt.NDArray[np.uint64], first: int, blocks: int, seatings: npt.NDArray[np.int64]
    ) -> npt.NDArray[Any]:
        """The same as `selfplay.play_blocks`: RESULT[blocks, n], equal to it to the bit for policies alone.

        Raises AgentFault where the loop is strict and an agent is at fault.
        """
        results = np.zeros((blocks, len(seatings)), RESULT)
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
        slots = range(self.rules.players) if slots is None else slots
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
        began = time.perf_counter()
        try:
            answer = chooser.choose(deal.view())
        except KeyboardInterrupt:
            raise
        except BaseException as error:  # also SystemExit, which must not end a run
            raise _AtFault(*why_it_failed(error)) from error
        finally:
            self.seconds[slot] += time.perf_counter() - began
        option, reason = option_of(answer, deal)
        if reason:
            raise _AtFault(answer_text(answer), reason)
        return option

    def _tell(self, deal: Deal, seat: int, hook: str, news: View | DealResult) -> None:
        tell = getattr(self._choosers[self._at[1][seat]], hook, None)
        if not callable(tell):
            return
        try:
            tell(news)
        except KeyboardInterrupt:
            raise
        except BaseException as error:
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
    number_of_pass, nothing = deal.option_count, (0, None)
    if deal.in_auction:
        if type(answer) is not int:
            reason = f"answered {answer_text(answer)} ({type(answer).__name__}), which is no bid; a bid is an int"
            return nothing, reason
        if answer == 0:
            return (number_of_pass, None), ""
        if answer in deal.legal_bids():
            return (deal.legal_bids().index(answer), None), ""
        return nothing, f"answered {answer}: {deal.why_no_bid(answer)}"
    if type(answer) is not CardSet:
        hint = "; answer with its .cards" if isinstance(answer, Play) else ""
        return nothing, f"answered {answer_text(answer)} ({type(answer).__name__}), which is no CardSet{hint}"
    if not answer:
        if deal.may_pass:
            return (number_of_pass, None), ""
        return nothing, f"answered a pass: seat {deal.turn} may not pass: a player who leads must play"
    try:
        reason = deal.why_no_play(answer)
    except TypeError as error:
        reason = str(error)
    return (0, answer), f"answered {answer}: {reason}" if reason else ""
