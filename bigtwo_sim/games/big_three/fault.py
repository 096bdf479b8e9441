"""A fault of an agent as a record that replays it: the deal up to there, what the agent answered, and what was wrong.

On disk it is a JSON object:

==================  =============================================================================================
`format`            "bigtwo big three fault"
`version`           2
`engine_version`    the version of bigtwo_sim that wrote it
`agent`             name of the agent
`reason`            what was wrong, a sentence
`answer`            text of what it answered; "" where it gave no answer
`deal`              number of the deal under its root seed
`seat`              seat of the agent
`agents`            names of the agents by seat
`rules`             all switches as text, by name
`dealt`             the hands as dealt, by seat, such as "3D 4C 2S"
`kitty`             the cards of the kitty; "" of four players
`calls`             the auction before: [seat, bid], 0 for a pass
`log`               the turns of the play before: [seat, cards], "" for a pass
`stream_seed`       seed of the agent's `view.random` there, a decimal number as text
`stream_word`       what the stream of a policy at its seat starts from in this deal, a decimal number as text
==================  =============================================================================================
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from typing_extensions import TypedDict

import bigtwo_sim
from bigtwo_sim.core.cards import CardSet
from bigtwo_sim.games.base.fault_file import LOG_FORM, Count, Fields, StoredFault, Turns, fault_from
from bigtwo_sim.games.big_three.deal import Deal
from bigtwo_sim.games.big_three.kernels.selfplay import DEALER
from bigtwo_sim.games.big_three.rules import Rules

FORMAT = "bigtwo big three fault"
VERSION = 2
CALLS_FORM = "[seat, bid]"


class _Document(TypedDict):
    """What `to_dict` writes."""

    agent: str
    reason: str
    answer: str
    seat: int
    deal: Count
    rules: dict[str, str]
    agents: list[str]
    dealt: list[str]
    kitty: str
    calls: Turns
    log: Turns
    stream_seed: str
    stream_word: str


@dataclass(frozen=True)
class Fault(StoredFault):
    """What an agent did wrong in a deal, with the deal up to there. The fields are those of the file."""

    agent: str
    reason: str
    answer: str
    seat: int
    deal_number: int
    rules: Rules
    agents: tuple[str, ...]
    dealt: tuple[CardSet, ...]
    kitty: CardSet
    calls: tuple[tuple[int, int], ...]
    log: tuple[tuple[int, CardSet], ...]
    stream_seed: int
    stream_word: int

    def deal(self) -> Deal:
        """The deal as it stood at the fault. Raises ValueError (of which IllegalPlay is one) where it cannot be."""
        deal = Deal.from_hands(self.rules, self.dealt, self.kitty, dealer=DEALER)
        for _, bid in self.calls:
            deal.make_bid(bid) if bid else deal.pass_()
        for _, cards in self.log:
            deal.play(cards) if cards else deal.pass_()
        return deal

    # --- on disk ------------------------------------------------------------------------------------------------------
    def to_dict(self) -> dict[str, Any]:
        """The object that the file holds."""
        return {
            "format": FORMAT,
            "version": VERSION,
            "engine_version": bigtwo_sim.__version__,
            "agent": self.agent,
            "reason": self.reason,
            "answer": self.answer,
            "deal": self.deal_number,
            "seat": self.seat,
            "agents": list(self.agents),
            "rules": self.rules.to_dict(),
            "dealt": [str(hand) for hand in self.dealt],
            "kitty": str(self.kitty),
            "calls": [list(call) for call in self.calls],
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
        rules = Fields(values, 0).rules(Rules)
        fields = Fields(values, rules.players)
        fault = cls(
            agent=values["agent"],
            reason=values["reason"],
            answer=values["answer"],
            seat=fields.seat("seat"),
            deal_number=values["deal"],
            rules=rules,
            agents=tuple(fields.by_seat("agents")),
            dealt=tuple(CardSet.parse(text, rules.deck) for text in fields.by_seat("dealt")),
            kitty=CardSet.parse(values["kitty"], rules.deck),
            calls=tuple(fields.turns("calls", int, CALLS_FORM)),
            log=tuple((seat, CardSet.parse(text, rules.deck)) for seat, text in fields.turns("log", str, LOG_FORM)),
            stream_seed=fields.number("stream_seed", -(2**65), 2**65),
            stream_word=fields.number("stream_word", 0, 2**64 - 1),
        )
        fault.deal()
        return fault
