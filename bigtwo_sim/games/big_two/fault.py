"""A fault of an agent as a record that replays it: the deal up to there, what the agent answered, and what was wrong.

On disk it is a JSON object:

==================  =============================================================================================
`format`            "bigtwo fault"
`version`           2
`engine_version`    the version of bigtwo_sim that wrote it
`agent`             name of the agent
`moment`            "decision"; or "new_deal" or "end_deal", where the agent failed when it was told something
`reason`            what was wrong, a sentence
`answer`            text of what it answered; "" where it gave no answer
`deal`              number of the deal under its root seed
`seat`              seat of the agent, 0 to 3
`agents`            names of the agents by seat
`slots`             slot of the line-up by seat
`rules`             all switches as text, by name
`dealt`             the four hands as dealt, by seat, such as "3D 4C 2S"
`leader`            the seat that led; null: the holder of the lowest card, bound by the opening rule
`totals`            points in the match before the deal, by seat
`log`               the turns before: [seat, cards], "" for a pass
`stream_seed`       seed of the agent's `view.random` there, a decimal number as text
`stream_word`       what the stream of a policy at its seat starts from in this deal, a decimal number as text
==================  =============================================================================================

Neither number reveals other cards, seats or deals (see `rng`). Files of a later minor addition may have more; what is
unknown is ignored.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, NotRequired

from typing_extensions import TypedDict

import bigtwo_sim
from bigtwo_sim.core.cards import CardSet
from bigtwo_sim.core.kernel import U64
from bigtwo_sim.core.rng import stream_from
from bigtwo_sim.games.base.fault_file import LOG_FORM, Count, Fields, StoredFault, Turns, Whole, fault_from
from bigtwo_sim.games.big_two import layout as at
from bigtwo_sim.games.big_two.deal import Deal, View
from bigtwo_sim.games.big_two.policy import PolicyAgent
from bigtwo_sim.games.big_two.python_agent import (
    AnyAgent,
    DealResult,
    PythonAgent,
    close_agent,
    hook_of,
    view_of_new_deal,
    why_it_failed,
    why_refused,
)
from bigtwo_sim.games.big_two.rules import Rules
from bigtwo_sim.untrusted.foreign import ForeignCalls

FORMAT = "bigtwo fault"
VERSION = 2
DECISION, NEW_DEAL, END_DEAL = "decision", "new_deal", "end_deal"
_BEFORE_TURNS = -1  # see `view_of_new_deal`


class _Document(TypedDict):
    """What `to_dict` writes."""

    agent: str
    reason: str
    answer: str
    seat: int
    deal: Count
    rules: dict[str, str]
    agents: list[str]
    moment: Literal["decision", "new_deal", "end_deal"]
    slots: list[Whole]
    dealt: list[str]
    log: Turns
    stream_seed: str
    stream_word: str
    leader: NotRequired[int | None]
    totals: list[Whole]


@dataclass(frozen=True)
class Fault(StoredFault):
    """What an agent did wrong, with all that it takes to have it do so again. The fields are those of the file."""

    agent: str
    reason: str
    answer: str
    seat: int
    deal_number: int
    rules: Rules
    agents: tuple[str, ...]
    slots: tuple[int, ...]
    dealt: tuple[CardSet, ...]
    log: tuple[tuple[int, CardSet], ...]
    stream_seed: int
    stream_word: int
    moment: str = DECISION
    leader: int | None = None
    totals: tuple[int, ...] = (0,) * at.SEATS

    # --- replay -------------------------------------------------------------------------------------------------------
    def deal(self, turns: int | None = None) -> Deal:
        """The deal as it stood at the fault, or after its first `turns` turns.

        Raises ValueError (of which IllegalPlay is one) where hands, leader or log cannot be.
        """
        deal = Deal.from_hands(self.rules, list(self.dealt), self.leader, self.totals)
        seeds = list(deal._seat_seeds)
        seeds[self.seat] = self.stream_seed - (_BEFORE_TURNS if self.moment == NEW_DEAL else len(self.log))
        deal._seat_seeds = tuple(seeds)
        for number, (seat, cards) in enumerate(self.log[:turns]):
            if deal.is_over or seat != deal.turn:
                whose = "nobody's" if deal.is_over else f"seat {deal.turn}'s"
                raise ValueError(f"turn {number} of the log is of seat {seat}, and it is {whose}")
            if cards:
                deal.play(cards)
            else:
                deal.pass_()
        return deal

    def view(self) -> View:
        """What the agent saw when it failed."""
        if self.moment == NEW_DEAL:
            return self.first_view()
        return self.deal().view(self.seat)

    def first_view(self) -> View:
        """What the agent saw at the beginning of the deal, where it is told `new_deal`."""
        return view_of_new_deal(self.deal(turns=0).view(self.seat))

    def result(self) -> DealResult:
        """What the agent was told at the end of the deal. Raises ValueError for a fault before that."""
        return DealResult.of(self.deal(), self.seat)

    def ask(self, agent: AnyAgent) -> str | None:
        """Put the case to `agent` once more; return what is wrong with its answer now, or None.

        A Python agent is made anew, so what its fault owed to earlier decisions does not come again. A policy is also
        asked for its earlier decisions in the deal, so that its random stream stands where it stood.
        """
        if isinstance(agent, PolicyAgent):
            return self._ask_policy(agent)
        return self._ask_python(agent)

    def _ask_python(self, agent: PythonAgent) -> str | None:
        made: Any = agent.make()
        with ForeignCalls() as calls:
            try:
                return self._put_to(made)
            except BaseException as error:
                if calls.interrupted:
                    raise KeyboardInterrupt from None
                return why_it_failed(error)[1]
            finally:
                close_agent(made)

    def _put_to(self, made: Any) -> str | None:
        new_deal, end_deal = hook_of(made, "new_deal"), hook_of(made, "end_deal")
        if new_deal is not None:
            new_deal(self.first_view())
        if self.moment == DECISION:
            return why_refused(made.choose(self.view()), self.deal())
        if self.moment == END_DEAL and end_deal is not None:
            end_deal(self.result())
        return None

    def _ask_policy(self, agent: PolicyAgent) -> str | None:
        stream = stream_from(self.stream_word)
        for turns in range(len(self.log) + 1):
            deal = self.deal(turns)
            if deal.turn != self.seat or not deal.has_choice:
                continue
            hand, (plays, strengths) = U64(deal.hands[self.seat].bits), deal._buffers
            choice = int(agent.function(hand, deal._public, plays, strengths, deal._count, agent.params, stream))
            if turns == len(self.log):
                return why_out_of_range(choice, deal._count, deal.may_pass)
        return None  # pragma: no cover - a policy has no faults but in its decisions

    # --- on disk ------------------------------------------------------------------------------------------------------
    def to_dict(self) -> dict[str, Any]:
        """The object that the file holds."""
        return {
            "format": FORMAT,
            "version": VERSION,
            "engine_version": bigtwo_sim.__version__,
            "agent": self.agent,
            "moment": self.moment,
            "reason": self.reason,
            "answer": self.answer,
            "deal": self.deal_number,
            "seat": self.seat,
            "agents": list(self.agents),
            "slots": list(self.slots),
            "rules": self.rules.to_dict(),
            "dealt": [str(hand) for hand in self.dealt],
            "leader": self.leader,
            "totals": list(self.totals),
            "log": [[seat, str(cards)] for seat, cards in self.log],
            "stream_seed": str(self.stream_seed),
            "stream_word": str(self.stream_word),
        }

    @classmethod
    def from_dict(cls, values: Any) -> Fault:
        """The fault that the object `values` holds. Raises FaultError, which says what is wrong with it."""
        return fault_from(values, FORMAT, VERSION, _Document, cls._read)

    @classmethod
    def _read(cls, values: dict[str, Any]) -> Fault:
        fields = Fields(values, at.SEATS)
        rules = fields.rules(Rules)
        leader = values.get("leader")
        fault = cls(
            agent=values["agent"],
            reason=values["reason"],
            answer=values["answer"],
            seat=fields.seat("seat"),
            deal_number=values["deal"],
            rules=rules,
            agents=tuple(fields.by_seat("agents")),
            slots=tuple(fields.by_seat("slots")),
            dealt=tuple(CardSet.parse(text, rules.deck) for text in fields.by_seat("dealt")),
            log=tuple((seat, CardSet.parse(text, rules.deck)) for seat, text in fields.turns("log", str, LOG_FORM)),
            stream_seed=fields.number("stream_seed", -(2**65), 2**65),
            stream_word=fields.number("stream_word", 0, 2**64 - 1),
            moment=values["moment"],
            leader=None if leader is None else fields.seat("leader"),
            totals=tuple(fields.by_seat("totals")),
        )
        fault.deal()
        return fault


def why_out_of_range(choice: int, count: int, may_pass: bool) -> str | None:
    """What is wrong with the index that a policy answered with, in words; None: nothing is."""
    if 0 <= choice < count + may_pass:
        return None
    passing = f"and {count} to pass" if may_pass else "and it may not pass"
    return f"answered {choice}, with {count} plays to choose from, {passing}"
