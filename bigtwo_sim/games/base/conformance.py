"""The check that every agent must pass, whichever the game: legal, repeatable, and blind to what it cannot see.

Deals are played under several rules, the agent in one seat or in all. Each of its decisions is then put to it again,
last one first, by a new object where there is a factory, in a twin of the deal: its own hand and everything that all
can see are the same, the hidden cards are dealt anew, and whatever lies in memory beyond the options and the log is
garbage. The answer must not change.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from bigtwo_sim.core.kernel import U64
from bigtwo_sim.core.rng import POLICY, new_stream, root_key
from bigtwo_sim.games.base.agent import AgentError, Method, PolicyAgent
from bigtwo_sim.games.base.python_agent import AgentFault, AnyAgent, PythonAgent, one_line
from bigtwo_sim.games.base.ruleset import RuleSet
from bigtwo_sim.untrusted.foreign import ForeignCalls

PASS = 0


@dataclass(frozen=True)
class CheckedGame:
    """A game as the check sees it. An option is an int: the bits of cards, or what the game makes of it; 0 passes."""

    new_deal: Callable[[Any, int, int], Any]
    """new_deal(rules, seed, index) -> a Deal."""
    twin: Callable[[Decision], Any]
    """A Deal that stands where a decision was made."""
    shuffle_hidden: Callable[[Any, random.Random], None]
    """Deals anew what the seat on turn of a Deal cannot see, and writes garbage where nobody may look."""
    find_options: Callable[[Any], None]
    """Has a Deal find the options of the seat on turn again."""
    options: Callable[[Any], list[int]]
    """All options of the seat on turn of a Deal."""
    read: Callable[[Any, Any], tuple[int, str]]
    """read(answer, deal) -> the option that a Python agent's answer means, and what is wrong with it (empty: fine)."""
    take: Callable[[Any, int], None]
    """Has the seat on turn of a Deal take an option."""
    text: Callable[[Decision, int], str]
    """An option in words."""


@dataclass(frozen=True)
class Decision:
    """A decision as it was made, and what it takes to put it again."""

    rules: Any
    deal: int
    seat: int
    public: npt.NDArray[np.void]
    hands: npt.NDArray[np.uint64]
    seat_seeds: tuple[int, ...]
    stream: npt.NDArray[np.uint64]
    answer: int

    def again(self, game: CheckedGame, redealt: bool) -> Any:
        """The decision in a new deal; `redealt`: with other hidden hands, and garbage where nobody may look."""
        twin = game.twin(self)
        twin._public_array[:] = self.public
        twin._hands[:] = self.hands
        twin._seat_seeds = self.seat_seeds
        if redealt:
            game.shuffle_hidden(twin, random.Random(f"{self.deal} {self.seat} {self.public['turns'][0]}"))
        game.find_options(twin)
        return twin


def check_agent_in(game: CheckedGame, agent: Any, *, deals: int, seed: int, rules: Sequence[RuleSet]) -> int:
    """Play `deals` deals under each of `rules` and check every decision of `agent`; return how many there were.

    `agent` is a PolicyAgent, a Method (with its defaults), a PythonAgent, an object with `choose(view)`, or a factory
    of such objects. Raises AgentFault at the first decision that is illegal, raises an exception, changes when it is
    asked again, changes with what the agent cannot see, or writes where a policy must not; AgentError for what is no
    agent.
    """
    chosen = _as_agent(agent)
    decisions: list[Decision] = []
    chooser = _Chooser(chosen, game)
    for number, rule_set in enumerate(rules):
        for i in range(deals):
            seats = range(rule_set.players) if i % 2 == 0 else [i // 2 % rule_set.players]
            decisions.extend(_play(chooser, rule_set, seed, number * deals + i, seats))
    second = _Chooser(chosen, game)
    for decision in reversed(decisions):
        answer = second.ask(decision.again(game, redealt=True), decision.deal, decision.stream.copy())
        if answer != decision.answer:
            same = _Chooser(chosen, game).ask(
                decision.again(game, redealt=False), decision.deal, decision.stream.copy()
            )
            texts = [game.text(decision, option) for option in (decision.answer, same, answer)]
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

    def __init__(self, agent: AnyAgent, game: CheckedGame) -> None:
        self.agent = agent
        self.game = game
        self._made = agent.make() if isinstance(agent, PythonAgent) else None

    def ask(self, deal: Any, index: int, stream: npt.NDArray[np.uint64]) -> int:
        """The option that it takes. `stream` is the seat's own, and advanced by a policy."""
        if self._made is not None:
            return self._ask_python(self._made, deal, index)
        return self._ask_policy(deal, index, stream)

    def _fault(self, deal: Any, index: int, reason: str) -> AgentFault:
        return AgentFault(self.agent.name, deal.turn, index, f"{reason} (rules {deal.rules.name})")

    def _ask_python(self, made: Any, deal: Any, index: int) -> int:
        with ForeignCalls() as calls:
            try:
                answer: Any = made.choose(deal.view())
                calls.done()
            except BaseException as error:
                if calls.interrupted:
                    raise KeyboardInterrupt from None
                raise self._fault(deal, index, f"raised {one_line(error)}") from None
        option, reason = self.game.read(answer, deal)
        if reason:
            raise self._fault(deal, index, reason)
        return option

    def _ask_policy(self, deal: Any, index: int, stream: npt.NDArray[np.uint64]) -> int:
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
            return PASS
        if not 0 <= choice < count:
            may = "and it may pass" if deal.may_pass else "and it may not pass"
            raise self._fault(deal, index, f"answered {choice}; there are {count} plays, {may}")
        return int(plays[choice])


def _play(chooser: _Chooser, rules: RuleSet, seed: int, index: int, seats: Sequence[int]) -> Iterator[Decision]:
    """One deal with the agent at `seats` and any legal turn elsewhere; its decisions."""
    game = chooser.game
    deal = game.new_deal(rules, seed, index)
    others = random.Random(f"{seed} {index}")
    streams = [new_stream(root_key(seed), index, POLICY + seat) for seat in range(rules.players)]
    while not deal.is_over:
        options = game.options(deal)
        option = options[0]
        if deal.has_choice and deal.turn not in seats:
            option = others.choice(options)
        elif deal.has_choice:
            stream = streams[deal.turn].copy()
            public, hands = deal._public_array.copy(), deal._hands.copy()
            option = chooser.ask(deal, index, streams[deal.turn])
            yield Decision(rules, index, deal.turn, public, hands, deal._seat_seeds, stream, option)
        game.take(deal, option)


def deal_hidden(hands: npt.NDArray[np.uint64], counts: Sequence[int], hidden: list[int]) -> None:
    """Write the cards `hidden` (their numbers), as they come, to hands that hold so many each; -1: left as it is."""
    for place, count in enumerate(counts):
        if count >= 0:
            hands[place] = sum(1 << card for card in hidden[:count])
            del hidden[:count]
