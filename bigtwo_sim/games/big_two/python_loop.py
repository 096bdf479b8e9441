"""The Python loop: deals between any four agents, compiled policies and Python agents side by side.

It runs on the same kernels and random streams as the compiled loop (`selfplay`), so four policies come out the same
in both, to the bit. Compiled code takes every turn without a choice; Python sees decisions only.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from time import perf_counter
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt
from numba import types

from bigtwo_sim.core.cards import CardSet
from bigtwo_sim.core.kernel import U64, kernel
from bigtwo_sim.core.rng import DECK, GIVEN, POLICY, STREAM_WORDS, first_word, start_stream
from bigtwo_sim.games.base.copying import Copyable
from bigtwo_sim.games.big_two import layout as at
from bigtwo_sim.games.big_two.deal import Agent, View
from bigtwo_sim.games.big_two.fault import DECISION, END_DEAL, NEW_DEAL, Fault, why_out_of_range
from bigtwo_sim.games.big_two.kernels.moves import new_buffers
from bigtwo_sim.games.big_two.kernels.scoring import settle
from bigtwo_sim.games.big_two.kernels.selfplay import RESULT
from bigtwo_sim.games.big_two.kernels.turns import (
    apply_pass,
    apply_play,
    deal_hands,
    legal_actions,
    new_public,
    start_deal,
)
from bigtwo_sim.games.big_two.policy import PUBLIC_TYPE, PolicyAgent
from bigtwo_sim.games.big_two.python_agent import (
    AgentFault,
    AnyAgent,
    DealResult,
    PythonAgent,
    answer_text,
    cards_of,
    close_agent,
    hook_of,
    view_of_new_deal,
    why_it_failed,
    why_refused,
)
from bigtwo_sim.games.big_two.rules import Rules
from bigtwo_sim.games.big_two.view_maker import ViewMaker
from bigtwo_sim.untrusted.foreign import ForeignCalls

_TABLE = types.Array(PUBLIC_TYPE, 1, "C")
_WORDS = types.uint64[::1]
_NUMBERS = types.int64[::1]
_JUST_BEGUN = -1
_OVER = -1
_FORFEITED = -1


_ROWS = types.uint64[:, ::1]
_BEGIN = types.void(_TABLE, _WORDS, _WORDS, _ROWS, _WORDS, _WORDS, _NUMBERS, _ROWS, types.int64, types.int64)
_ADVANCE = types.int64(_TABLE, _WORDS, _WORDS, _NUMBERS, types.int64, types.int64)
_SETTLE = types.void(_TABLE, _WORDS, _NUMBERS)


@kernel(signature=_BEGIN)  # type: ignore[untyped-decorator]
def _begin(
    public_array: Any,
    hands: Any,
    dealt: Any,
    streams: Any,
    words: Any,
    given: Any,
    cards: Any,
    key: Any,
    deal: Any,
    leader: Any,
) -> None:
    """Shuffle and deal number `deal`, and start the stream of each seat; `cards` int64[52] is scratch.

    Written by seat: `words` (uint64[4]) that the streams of policies start from, and `given` (uint64[4]), what Python
    agents seed theirs from. `leader` -1: the holder of the lowest card.
    """
    start_stream(streams[0], first_word(key, deal, DECK))
    deal_hands(dealt, cards, streams[0])
    for seat in range(at.SEATS):
        hands[seat] = dealt[seat]
        words[seat] = first_word(key, deal, POLICY + seat)
        given[seat] = first_word(key, deal, GIVEN + seat)
        start_stream(streams[seat], words[seat])
    start_deal(public_array[0], hands, leader)


@kernel(signature=_ADVANCE)  # type: ignore[untyped-decorator]
def _advance(public_array: Any, hands: Any, plays: Any, strengths: Any, count: Any, choice: Any) -> Any:
    """Take option `choice` of `count` plays (-1: none yet), then every turn that is no choice.

    Returns the number of legal plays of the next decision, written to the buffers, or -1 at the end of the deal.
    """
    public = public_array[0]
    while True:
        if choice >= 0:
            if choice < count:
                apply_play(public, hands, plays[U64(choice)], strengths[U64(choice)])
            else:
                apply_pass(public)
        if public.winner >= 0:
            return _OVER
        count, may_pass = legal_actions(public, hands[public.turn], plays, strengths)
        if count + may_pass > 1:
            return count
        choice = 0


@kernel(signature=_SETTLE)  # type: ignore[untyped-decorator]
def _settle(public_array: Any, hands: Any, points: Any) -> None:
    settle(hands, public_array[0].winner, public_array[0].rules, points)


class PythonLoop(Copyable):
    """One table for the line-up `agents` under `rules`, at which deals are played one after the other.

    An agent that raises anything, answers with what is not a legal play or, as a policy, with an index out of range,
    forfeits that decision: a pass is made for it where it may pass, else its weakest legal play is laid. Only a real
    Ctrl-C raises KeyboardInterrupt; one that an agent raises is a fault like any other. RESULT counts a forfeit, and
    the first fault of each agent is kept for `take_faults`. What it raises when it is told of a new deal or of the end
    of one is a fault too, but no decision is forfeited then. With `strict` the first fault is raised as AgentFault
    instead.

    After a deal, `dealt` and `log` tell what happened in it. `seconds` (float64[4], by slot) grows by the time that
    Python agents took to answer. Not to be shared between threads. A copy has copies of the agents too.
    """

    _HANDLES: ClassVar[tuple[str, ...]] = ("_record", "_fields", "_stream_of", "_new_deal", "_end_deal", "_makers")

    def __init__(self, agents: Sequence[AnyAgent], rules: Rules, *, strict: bool = False) -> None:
        if len(agents) != at.SEATS:
            raise ValueError(f"there are {len(agents)} agents; a line-up has {at.SEATS}")
        self.agents = tuple(agents)
        self.rules = rules
        self.strict = strict
        self.seconds = np.zeros(at.SEATS)
        self._choosers = [agent.make() if isinstance(agent, PythonAgent) else None for agent in agents]
        self._calls = ForeignCalls()
        self._faults: dict[str, Fault] = {}
        self._public_array = new_public(rules)
        self._hands = np.zeros(at.SEATS, np.uint64)
        self._dealt = np.zeros(at.SEATS, np.uint64)
        self._streams = np.zeros((at.SEATS, STREAM_WORDS), np.uint64)
        self._words = np.zeros(at.SEATS, np.uint64)
        self._given = np.zeros(at.SEATS, np.uint64)
        self._cards = np.zeros(at.CARDS, np.int64)
        self._plays, self._strengths = new_buffers()
        self._points = np.zeros(at.SEATS, np.int64)
        self._seat_seeds: list[int] = []
        self._deal = -1
        self._slots: Sequence[int] = range(at.SEATS)
        self._leader: int | None = None
        self._make_handles()

    def _make_handles(self) -> None:
        self._record: Any = self._public_array[0]
        # Fields of a record are slow to reach from Python; these are arrays on the same memory.
        self._fields = {name: self._public_array[name] for name in self._public_array.dtype.names or ()}
        self._stream_of = tuple(self._streams)
        self._new_deal = [hook_of(chooser, "new_deal") for chooser in self._choosers]
        self._end_deal = [hook_of(chooser, "end_deal") for chooser in self._choosers]
        self._makers = [None if chooser is None else ViewMaker(self.rules, self._fields) for chooser in self._choosers]

    def play_blocks(
        self, key: npt.NDArray[np.uint64], first: int, blocks: int, seatings: npt.NDArray[np.int64]
    ) -> npt.NDArray[Any]:
        """The same as `selfplay.play_blocks`: RESULT[blocks, n], equal to it to the bit for four policies.

        `key` comes from `rng.root_key`, `seatings` int64[n, 4] gives the slot of the line-up at each seat. Raises
        AgentFault where the loop is strict and an agent is at fault.
        """
        results = np.zeros((blocks, len(seatings)), RESULT)
        with self._calls:
            for block in range(blocks):
                for seating, slots in enumerate(seatings.tolist()):
                    results[block, seating] = self.play_deal(key, first + block, slots)
        return results

    def play_deal(
        self,
        key: npt.NDArray[np.uint64],
        deal: int,
        slots: Sequence[int] = range(at.SEATS),
        leader: int | None = None,
        totals: Sequence[int] = (0,) * at.SEATS,
    ) -> npt.NDArray[Any]:
        """Play deal number `deal` with the agent of slot `slots[seat]` at each seat. Returns RESULT[()].

        `leader` None: the holder of the lowest card leads. `totals` are the points by seat in the match before it.
        Raises AgentFault like `play_blocks`.
        """
        with self._calls:
            return self._play_deal(key, deal, slots, leader, totals)

    def _play_deal(
        self,
        key: npt.NDArray[np.uint64],
        deal: int,
        slots: Sequence[int],
        leader: int | None,
        totals: Sequence[int],
    ) -> npt.NDArray[Any]:
        public_array, hands, plays, strengths = self._public_array, self._hands, self._plays, self._strengths
        turn, may_pass = self._fields["turn"], self._fields["may_pass"]
        decisions, forfeits = [0] * at.SEATS, [0] * at.SEATS
        agents = [self.agents[slot] for slot in slots]
        choosers = [self._choosers[slot] for slot in slots]
        self._fields["totals"][0] = totals
        _begin(
            public_array,
            hands,
            self._dealt,
            self._streams,
            self._words,
            self._given,
            self._cards,
            key,
            deal,
            -1 if leader is None else leader,
        )
        self._start(deal, slots, leader)
        count = _advance(public_array, hands, plays, strengths, 0, _JUST_BEGUN)
        while count != _OVER:
            seat = turn.item()
            decisions[seat] += 1
            agent = agents[seat]
            chooser = choosers[seat]
            if chooser is not None:
                choice = self._ask(chooser, seat, count)
            else:
                assert isinstance(agent, PolicyAgent)
                stream = self._stream_of[seat]
                choice = agent.function(hands[seat], self._record, plays, strengths, count, agent.params, stream)
                if not 0 <= choice < count + may_pass.item():
                    choice = self._out_of_range(seat, int(choice), count)
            if choice == _FORFEITED:
                forfeits[seat] += 1
                choice = count if may_pass.item() else 0
            count = _advance(public_array, hands, plays, strengths, count, choice)
        _settle(public_array, hands, self._points)
        result = np.zeros((), RESULT)
        result["winner"] = self._fields["winner"][0]
        result["left"] = self._fields["left"][0]
        result["points"] = self._points
        result["decisions"] = decisions
        result["forfeits"] = forfeits
        self._tell_end()
        return result

    @property
    def faults(self) -> tuple[Fault, ...]:
        """The first fault of each agent (by name) since they were last taken."""
        return tuple(self._faults.values())

    def take_faults(self) -> tuple[Fault, ...]:
        """The same, and begin anew: the next fault of each agent is kept again."""
        taken = self.faults
        self._faults.clear()
        return taken

    def close(self) -> None:
        """Tell all agents that they will not be asked any more. What they raise at that is of no deal, and ignored."""
        for chooser in self._choosers:
            close_agent(chooser)

    @property
    def dealt(self) -> tuple[CardSet, ...]:
        """The four hands as dealt in the last deal."""
        return tuple(CardSet(bits, self.rules.deck) for bits in self._dealt.tolist())

    @property
    def log(self) -> tuple[tuple[int, CardSet], ...]:
        """The turns of the last deal: (seat, cards), no cards for a pass."""
        turns, deck = self._fields["turns"].item(), self.rules.deck
        seats, cards = (self._fields[name][0, :turns].tolist() for name in ("log_seats", "log"))
        return tuple([(seat, CardSet(bits, deck)) for seat, bits in zip(seats, cards, strict=True)])

    # --- Python agents ------------------------------------------------------------------------------------------------
    def _start(self, deal: int, slots: Sequence[int], leader: int | None) -> None:
        self._deal = deal
        self._slots = slots
        self._leader = leader
        for maker in self._makers:
            if maker is not None:
                maker.begin_deal()
        self._seat_seeds = self._given.tolist()
        self._tell_beginning()

    def _view(self, seat: int, options: Iterable[tuple[int, int]], may_pass: bool, stream_seed: int) -> View:
        return self._maker(seat).view(seat, self._hands[seat].item(), options, may_pass, stream_seed)

    def _maker(self, seat: int) -> ViewMaker:
        maker = self._makers[self._slots[seat]]
        assert maker is not None
        return maker

    def _ask(self, chooser: Agent, seat: int, count: int) -> int:
        """The option that a Python agent chooses, or _FORFEITED."""
        options: list[int] = self._plays[:count].tolist()
        may_pass = self._fields["may_pass"].item() == 1
        stream_seed = self._seat_seeds[seat] + self._fields["turns"].item()
        try:
            # Its views are made of objects that it holds as well, so what it does to them is its own fault.
            view = self._view(seat, zip(options, self._strengths[:count].tolist(), strict=True), may_pass, stream_seed)
            began = perf_counter()
            try:
                answer = chooser.choose(view)
            finally:
                self.seconds[self._slots[seat]] += perf_counter() - began
                self._calls.done()
            if type(answer) is CardSet and getattr(answer, "deck", None) is self._maker(seat).deck:  # the usual case
                bits = getattr(answer, "bits", None)
                if type(bits) is int and bits in options:
                    return options.index(bits)
            cards = cards_of(answer)
            if cards.bits in options and cards.deck == self.rules.deck:
                return options.index(cards.bits)
            if not cards and may_pass:
                return count
        except BaseException as error:  # also SystemExit, which must not end a run
            if self._calls.interrupted:
                raise KeyboardInterrupt from None
            self._note(seat, partial(why_it_failed, error), stream_seed)
            return _FORFEITED
        self._note(seat, lambda: (answer_text(cards), self._why_refused(cards)), stream_seed)
        return _FORFEITED

    def _why_refused(self, cards: CardSet) -> str:
        """What is wrong with these cards, in the words of `Deal`, in which the deal is played again up to here."""
        reason = why_refused(cards, self._fault(self._fields["turn"].item(), "", "", 0).deal())
        assert reason is not None, f"{cards} is legal"
        return reason

    def _out_of_range(self, seat: int, choice: int, count: int) -> int:
        """Forfeit the decision of a policy that answered with `choice`."""
        reason = why_out_of_range(choice, count, self._fields["may_pass"].item() == 1)
        self._note(seat, lambda: (str(choice), str(reason)), self._seat_seeds[seat] + self._fields["turns"].item())
        return _FORFEITED

    def _tell_beginning(self) -> None:
        for seat, slot in enumerate(self._slots):
            new_deal = self._new_deal[slot]
            if new_deal is not None:
                stream_seed = self._seat_seeds[seat]

                def news(seat: int = seat, stream_seed: int = stream_seed) -> View:
                    return view_of_new_deal(self._view(seat, (), False, stream_seed))

                self._tell(new_deal, news, seat, NEW_DEAL, stream_seed - 1)

    def _tell_end(self) -> None:
        fields = self._fields
        left, points = tuple(fields["left"][0].tolist()), tuple(self._points.tolist())
        for seat, slot in enumerate(self._slots):
            end_deal = self._end_deal[slot]
            if end_deal is not None:

                def news(seat: int = seat) -> DealResult:
                    return DealResult(seat, fields["winner"].item(), left, points, self._maker(seat).log())

                self._tell(end_deal, news, seat, END_DEAL, self._seat_seeds[seat] + fields["turns"].item())

    def _tell(
        self, hook: Callable[[Any], Any], news: Callable[[], Any], seat: int, moment: str, stream_seed: int
    ) -> None:
        try:
            try:
                hook(news())
            finally:
                self._calls.done()
        except BaseException as error:
            if self._calls.interrupted:
                raise KeyboardInterrupt from None
            self._note(seat, partial(why_it_failed, error), stream_seed, moment)

    # --- faults -------------------------------------------------------------------------------------------------------
    def _note(
        self, seat: int, answer_and_reason: Callable[[], tuple[str, str]], stream_seed: int, moment: str = DECISION
    ) -> None:
        """Keep a fault, if it is the agent's first; raise it where the loop is strict."""
        agent = self.agents[self._slots[seat]].name
        if agent in self._faults and not self.strict:
            return
        fault = self._fault(seat, *answer_and_reason(), stream_seed, moment)
        if self.strict:
            raise AgentFault(agent, seat, self._deal, fault.reason, fault)
        self._faults[agent] = fault

    def _fault(self, seat: int, answer: str, reason: str, stream_seed: int, moment: str = DECISION) -> Fault:
        names = tuple(self.agents[slot].name for slot in self._slots)
        return Fault(
            agent=names[seat],
            reason=reason,
            answer=answer,
            seat=seat,
            deal_number=self._deal,
            stream_word=self._words[seat].item(),
            rules=self.rules,
            agents=names,
            slots=tuple(self._slots),
            dealt=self.dealt,
            log=self.log,
            stream_seed=stream_seed,
            moment=moment,
            leader=self._leader,
            totals=tuple(self._fields["totals"][0].tolist()),
        )
