"""The check that every agent must pass: legal, repeatable, and blind to what it cannot see.

Deals are played under all presets and some house rules, the agent in one seat or in all. Each of its decisions is then
put to it again, last one first, by a new object where there is a factory, in a twin of the deal: its own hand and
everything that all can see are the same, the hidden cards are dealt anew among the other three, and whatever lies in
memory beyond the legal plays and the log is garbage. The answer must not change.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from bigtwo_sim.big_two import layout as at
from bigtwo_sim.big_two.deal import Agent, Deal
from bigtwo_sim.big_two.policy import AgentError, Method, PolicyAgent
from bigtwo_sim.big_two.python_agent import AgentFault, AnyAgent, PythonAgent, one_line
from bigtwo_sim.big_two.rules import PRESETS, Rules
from bigtwo_sim.cards import CardSet
from bigtwo_sim.kernel import U64
from bigtwo_sim.rng import new_stream, root_key

CHECKED_RULES: tuple[Rules, ...] = (
    *PRESETS.values(),
    Rules().replace(
        name="house: bombs, locked out, last card",
        suit_order="SHCD",
        passing="locked_out",
        flush="ranks_first",
        four_card_plays="four_of_a_kind",
        bombs=True,
        last_card=True,
        opening_play="anything",
    ),
    Rules().replace(
        name="house: two pairs, bombs, no triples",
        flush="none",
        triples=False,
        four_card_plays="two_pairs_and_four_of_a_kind",
        bombs=True,
        opening_play="single",
        settlement="pairwise",
    ),
    Rules().replace(name="house: last card, four with a fifth as bomb", bombs=True, last_card=True, flush="top_card"),
)
"""What `check_agent` plays under: the presets, and house rules that between them turn every switch on."""


@dataclass(frozen=True)
class _Decision:
    """A decision as it was made, and what it takes to put it again."""

    rules: Rules
    deal: int
    seat: int
    public: npt.NDArray[np.void]
    hands: npt.NDArray[np.uint64]
    seat_seeds: tuple[int, ...]
    stream: npt.NDArray[np.uint64]
    answer: int

    def again(self, redealt: bool) -> Deal:
        """The decision in a new deal; `redealt`: with other hidden hands, and garbage where nobody may look."""
        hands = self.hands.copy()
        twin = Deal(self.rules, hands, leader=self.seat)
        twin._public_array[:] = self.public
        if redealt:
            shuffler = random.Random(f"{self.deal} {self.seat} {self.public['turns'][0]}")
            others = [seat for seat in range(at.SEATS) if seat != self.seat]
            hidden = [card for seat in others for card in CardSet(int(hands[seat]))]
            shuffler.shuffle(hidden)
            for seat in others:
                count = len(CardSet(int(hands[seat])))
                hands[seat] = sum(card.bits for card in hidden[:count])
                del hidden[:count]
            turns = int(self.public["turns"][0])
            twin._public_array["log"][0, turns:] = shuffler.getrandbits(at.CARDS)
            twin._public_array["log_seats"][0, turns:] = shuffler.randrange(at.SEATS)
            plays, strengths = twin._buffers
            plays[:] = shuffler.getrandbits(at.CARDS)
            strengths[:] = shuffler.getrandbits(at.CATEGORY_SHIFT)
        twin._hands[:] = hands
        twin._seat_seeds = self.seat_seeds
        twin._find_plays()
        return twin


def check_agent(
    agent: AnyAgent | Method | Agent | Callable[[], Agent],
    *,
    deals: int = 8,
    seed: int = 0,
    rules: Sequence[Rules] = CHECKED_RULES,
) -> int:
    """Play `deals` deals under each of `rules` and check every decision of `agent`; return how many there were.

    `agent` is a PolicyAgent, a Method (with its defaults), a PythonAgent, an object with `choose(view)`, or a factory
    of such objects (best: a factory also shows what an object remembers from one deal to the next).

    Raises AgentFault at the first decision that is illegal, raises an exception, changes when it is asked again,
    changes with what the agent cannot see, or writes where a policy must not; AgentError for what is no agent.
    """
    chosen = _as_agent(agent)
    decisions: list[_Decision] = []
    chooser = _Chooser(chosen)
    for number, rule_set in enumerate(rules):
        for i in range(deals):
            index = number * deals + i
            seats = range(at.SEATS) if i % 2 == 0 else [i // 2 % at.SEATS]
            decisions.extend(_play(chooser, rule_set, seed, index, seats))
    second = _Chooser(chosen)
    for decision in reversed(decisions):
        answer = second.ask(decision.again(redealt=True), decision.deal, decision.stream.copy())
        if answer != decision.answer:
            same = _Chooser(chosen).ask(decision.again(redealt=False), decision.deal, decision.stream.copy())
            deck = decision.rules.deck
            texts = [deck.text(bits) or "a pass" for bits in (decision.answer, same, answer)]
            if same != decision.answer:
                reason = f"answered {texts[0]}, and asked again from the same view {texts[1]}"
            else:
                reason = f"answered {texts[0]}, but {texts[2]} when the cards it cannot see were others"
            raise AgentFault(chosen.name, decision.seat, decision.deal, f"{reason} (rules {decision.rules.name})")
    return len(decisions)


def _as_agent(agent: Any) -> AnyAgent:
    if isinstance(agent, PolicyAgent | PythonAgent):
        return agent
    if isinstance(agent, Method):
        return PolicyAgent(agent.name, agent, agent.params())
    if not isinstance(agent, type) and callable(getattr(agent, "choose", None)):
        return PythonAgent(type(agent).__name__, lambda: agent)
    if callable(agent):
        return PythonAgent(getattr(agent, "__name__", type(agent).__name__), agent)
    raise AgentError(
        f"{agent!r} is no agent; an agent is a Method, a PolicyAgent, a PythonAgent, an object with choose(view), or a "
        "factory of such objects"
    )


class _Chooser:
    """The agent, ready to be asked, whichever kind it is."""

    def __init__(self, agent: AnyAgent) -> None:
        self.agent = agent
        self._made = agent.make() if isinstance(agent, PythonAgent) else None

    def ask(self, deal: Deal, index: int, stream: npt.NDArray[np.uint64]) -> int:
        """The cards it lays, as bits; 0 for a pass. `stream` is the seat's own, and advanced by a policy."""
        if self._made is not None:
            return self._ask_python(self._made, deal, index)
        return self._ask_policy(deal, index, stream)

    def _fault(self, deal: Deal, index: int, reason: str) -> AgentFault:
        return AgentFault(self.agent.name, deal.turn, index, f"{reason} (rules {deal.rules.name})")

    def _ask_python(self, made: Agent, deal: Deal, index: int) -> int:
        view = deal.view()
        try:
            answer: Any = made.choose(view)
        except Exception as error:
            raise self._fault(deal, index, f"raised {one_line(error)}") from error
        if not isinstance(answer, CardSet):
            raise self._fault(deal, index, f"answered {answer!s:.60} ({type(answer).__name__}), which is no CardSet")
        legal = any(play.cards == answer for play in view.legal_plays) or (not answer and view.may_pass)
        if not legal:
            raise self._fault(deal, index, f"answered {answer or 'a pass'}, which is not legal there")
        return answer.bits

    def _ask_policy(self, deal: Deal, index: int, stream: npt.NDArray[np.uint64]) -> int:
        assert isinstance(self.agent, PolicyAgent)
        plays, strengths = deal._buffers
        public, params = deal._public_array, self.agent.params
        hand = U64(deal.hands[deal.turn].bits)
        count = deal._count

        def given() -> tuple[bytes, ...]:
            return (public.tobytes(), plays[:count].tobytes(), strengths[:count].tobytes(), params.tobytes())

        before = given()
        choice = int(self.agent.function(hand, deal._public, plays, strengths, count, params, stream))
        if given() != before:
            raise self._fault(deal, index, "wrote to the record, the plays or the settings; a policy only reads them")
        if choice == count and deal.may_pass:
            return 0
        if not 0 <= choice < count:
            may = "and it may pass" if deal.may_pass else "and it may not pass"
            raise self._fault(deal, index, f"answered {choice}; there are {count} plays, {may}")
        return int(plays[choice])


def _play(chooser: _Chooser, rules: Rules, seed: int, index: int, seats: Sequence[int]) -> list[_Decision]:
    """One deal with the agent at `seats` and any legal turn elsewhere; its decisions."""
    deal = Deal.new(rules, seed, index)
    others = random.Random(f"{seed} {index}")
    streams = [new_stream(root_key(seed), index, 1 + seat) for seat in range(at.SEATS)]
    decisions: list[_Decision] = []
    while not deal.is_over:
        options = [play.cards for play in deal.legal_plays()] + [CardSet(0, rules.deck)] * deal.may_pass
        cards = options[0]
        if deal.has_choice and deal.turn not in seats:
            cards = others.choice(options)
        elif deal.has_choice:
            stream = streams[deal.turn].copy()
            public, hands = deal._public_array.copy(), deal._hands.copy()
            answer = chooser.ask(deal, index, streams[deal.turn])
            decisions.append(_Decision(rules, index, deal.turn, public, hands, deal._seat_seeds, stream, answer))
            cards = CardSet(answer, rules.deck)
        if cards:
            deal.play(cards)
        else:
            deal.pass_()
    return decisions
