"""The Python loop: deals between any four agents, compiled policies and Python agents side by side.

It runs on the same kernels and random streams as the compiled loop (`selfplay`), so four policies come out the same
in both, to the bit. Compiled code takes every turn without a choice; Python sees decisions only.
"""

from __future__ import annotations

import time
import traceback
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from numba import types

from bigtwo_sim.big_two import layout as at
from bigtwo_sim.big_two.deal import Agent, Deal, IllegalPlay, View
from bigtwo_sim.big_two.moves import new_buffers
from bigtwo_sim.big_two.plays import Play, kind_of
from bigtwo_sim.big_two.policy import PUBLIC_TYPE, AgentError, PolicyAgent
from bigtwo_sim.big_two.rules import Rules
from bigtwo_sim.big_two.scoring import settle
from bigtwo_sim.big_two.selfplay import RESULT
from bigtwo_sim.big_two.turns import deal_hands, lay, new_public, pass_turn, start_deal, turn_plays
from bigtwo_sim.cards import CardSet
from bigtwo_sim.kernel import U64, kernel
from bigtwo_sim.rng import DECK_STREAM, STREAM_WORDS, seed_stream

_TABLE = types.Array(PUBLIC_TYPE, 1, "C")
_WORDS = types.uint64[::1]
_NUMBERS = types.int64[::1]
_JUST_BEGUN = -1
_OVER = -1


@dataclass(frozen=True)
class PythonAgent:
    """An agent written in Python, ready to be seated: a name, and what makes the object that is asked.

    `factory` is called without arguments, once for each slot of the line-up (and again in each worker process). What
    it makes must answer from the view alone; see `check_agent`.
    """

    name: str
    factory: Callable[[], Agent]

    def make(self) -> Agent:
        """A new object with `choose(view)`. Raises AgentError where the factory fails or makes something else."""
        try:
            made = self.factory()
        except AgentError:
            raise
        except (Exception, SystemExit) as error:
            raise AgentError(f"{self.name}: its factory raised {one_line(error)}") from error
        if not callable(getattr(made, "choose", None)):
            raise AgentError(f"{self.name}: its factory made a {type(made).__name__}, which has no method choose(view)")
        return made


AnyAgent = PolicyAgent | PythonAgent


class AgentFault(RuntimeError):  # noqa: N818 - the agent's fault, not an error of the loop
    """What an agent did wrong in a deal: an illegal answer, or an exception of its own.

    `agent` is its name, `seat` 0 to 3, `deal` the number of the deal under the run's seed, `reason` what was wrong.
    """

    def __init__(self, agent: str, seat: int, deal: int, reason: str) -> None:
        super().__init__(agent, seat, deal, reason)
        self.agent = agent
        self.seat = seat
        self.deal = deal
        self.reason = reason

    def __str__(self) -> str:
        return f"agent {self.agent!r} at seat {self.seat} in deal {self.deal}: {self.reason}"


def one_line(error: BaseException) -> str:
    """An exception in one line, with the innermost place outside this project, where there is one."""
    place = ""
    for frame, line in traceback.walk_tb(error.__traceback__):
        if frame.f_globals.get("__name__", "").partition(".")[0] not in ("bigtwo_sim", "agents"):
            place = f" ({frame.f_code.co_filename}, line {line})"
    try:
        text = " ".join(str(error).split())
    except Exception:  # an agent's own exception may fail at that too
        text = "its text cannot be had"
    return f"{type(error).__name__}{': ' if text else ''}{text[:300]}{place}"


_BEGIN = types.void(_TABLE, _WORDS, _WORDS, types.uint64[:, ::1], _NUMBERS, types.uint64, types.int64)
_ADVANCE = types.int64(_TABLE, _WORDS, _WORDS, _NUMBERS, types.int64, types.int64)
_SETTLE = types.void(_TABLE, _WORDS, _NUMBERS)


@kernel(signature=_BEGIN)  # type: ignore[untyped-decorator]
def _begin(public_array: Any, hands: Any, dealt: Any, streams: Any, cards: Any, key: Any, deal: Any) -> None:
    """Shuffle and deal number `deal`, and start the stream of each seat; `cards` int64[52] is scratch."""
    seed_stream(streams[0], key, deal, DECK_STREAM)
    deal_hands(dealt, cards, streams[0])
    for seat in range(at.SEATS):
        hands[seat] = dealt[seat]
        seed_stream(streams[seat], key, deal, 1 + seat)
    start_deal(public_array[0], hands, -1)


@kernel(signature=_ADVANCE)  # type: ignore[untyped-decorator]
def _advance(public_array: Any, hands: Any, plays: Any, strengths: Any, count: Any, choice: Any) -> Any:
    """Take option `choice` of `count` plays (-1: none yet), then every turn that is no choice.

    Returns the number of legal plays of the next decision, written to the buffers, or -1 at the end of the deal.
    """
    public = public_array[0]
    while True:
        if choice >= 0:
            if choice < count:
                lay(public, hands, plays[U64(choice)], strengths[U64(choice)])
            else:
                pass_turn(public)
        if public.winner >= 0:
            return _OVER
        count, may_pass = turn_plays(public, hands[public.turn], plays, strengths)
        if count + may_pass > 1:
            return count
        choice = 0


@kernel(signature=_SETTLE)  # type: ignore[untyped-decorator]
def _settle(public_array: Any, hands: Any, points: Any) -> None:
    settle(hands, public_array[0].winner, public_array[0].rules, points)


class PythonLoop:
    """One table for the line-up `agents` under `rules`, at which deals are played one after the other.

    After a deal, `dealt` and `log` tell what happened in it. `seconds` (float64[4], by slot) grows by the time that
    Python agents took to answer. Not to be shared between threads.
    """

    def __init__(self, agents: Sequence[AnyAgent], rules: Rules) -> None:
        if len(agents) != at.SEATS:
            raise ValueError(f"there are {len(agents)} agents; a line-up has {at.SEATS}")
        self.agents = tuple(agents)
        self.rules = rules
        self.seconds = np.zeros(at.SEATS)
        self._choosers = [agent.make() if isinstance(agent, PythonAgent) else None for agent in agents]
        self._public_array = new_public(rules)
        self._record: Any = self._public_array[0]
        # Fields of a record are slow to reach from Python; these are arrays on the same memory.
        self._fields = {name: self._public_array[name] for name in self._public_array.dtype.names or ()}
        self._hands = np.zeros(at.SEATS, np.uint64)
        self._dealt = np.zeros(at.SEATS, np.uint64)
        self._streams = np.zeros((at.SEATS, STREAM_WORDS), np.uint64)
        self._stream_of = tuple(self._streams)
        self._cards = np.zeros(at.CARDS, np.int64)
        self._plays, self._strengths = new_buffers()
        self._points = np.zeros(at.SEATS, np.int64)
        self._sets: dict[int, CardSet] = {}
        self._known_plays: dict[int, Play] = {}
        self._log: list[tuple[int, CardSet]] = []
        self._played: list[CardSet] = []
        self._seat_seeds: list[int] = []
        self._deal = -1

    def play_blocks(self, key: np.uint64, first: int, blocks: int, seatings: npt.NDArray[np.int64]) -> npt.NDArray[Any]:
        """The same as `selfplay.play_blocks`: RESULT[blocks, n], equal to it to the bit for four policies.

        `key` comes from `rng.root_key`, `seatings` int64[n, 4] gives the slot of the line-up at each seat. Raises
        AgentFault where an agent raises an exception or answers with something illegal.
        """
        results = np.zeros((blocks, len(seatings)), RESULT)
        for block in range(blocks):
            for seating, slots in enumerate(seatings.tolist()):
                results[block, seating] = self.play_deal(key, first + block, slots)
        return results

    def play_deal(self, key: np.uint64, deal: int, slots: Sequence[int] = range(at.SEATS)) -> npt.NDArray[Any]:
        """Play deal number `deal` with the agent of slot `slots[seat]` at each seat. Returns RESULT[()].

        Raises AgentFault like `play_blocks`.
        """
        public_array, hands, plays, strengths = self._public_array, self._hands, self._plays, self._strengths
        turn = self._fields["turn"]
        decisions = [0] * at.SEATS
        agents = [self.agents[slot] for slot in slots]
        choosers = [self._choosers[slot] for slot in slots]
        _begin(public_array, hands, self._dealt, self._streams, self._cards, key, deal)
        self._start(deal)
        count = _advance(public_array, hands, plays, strengths, 0, _JUST_BEGUN)
        while count != _OVER:
            seat = turn.item()
            decisions[seat] += 1
            agent = agents[seat]
            chooser = choosers[seat]
            if chooser is not None:
                choice = self._ask(agent.name, chooser, seat, slots[seat], count)
            else:
                assert isinstance(agent, PolicyAgent)
                stream = self._stream_of[seat]
                choice = agent.function(hands[seat], self._record, plays, strengths, count, agent.params, stream)
                if not 0 <= choice < count + self._fields["may_pass"].item():
                    raise AgentFault(agent.name, seat, deal, f"answered {choice}, with {count} plays to choose from")
            count = _advance(public_array, hands, plays, strengths, count, choice)
        _settle(public_array, hands, self._points)
        result = np.zeros((), RESULT)
        result["winner"] = self._fields["winner"][0]
        result["left"] = self._fields["left"][0]
        result["points"] = self._points
        result["decisions"] = decisions
        return result

    @property
    def dealt(self) -> tuple[CardSet, ...]:
        """The four hands as dealt in the last deal."""
        return tuple(CardSet(bits, self.rules.deck) for bits in self._dealt.tolist())

    @property
    def log(self) -> tuple[tuple[int, CardSet], ...]:
        """The turns of the last deal: (seat, cards), no cards for a pass."""
        self._follow_log()
        return tuple(self._log)

    # --- Python agents ------------------------------------------------------------------------------------------------
    def _start(self, deal: int) -> None:
        self._deal = deal
        self._log.clear()
        self._played = [self._set(0)] * at.SEATS
        self._seat_seeds = self._streams[:, 0].tolist()

    def _set(self, bits: int) -> CardSet:
        """A set of cards from memory: the same plays come again and again."""
        found = self._sets.get(bits)
        if found is None:
            found = self._sets[bits] = CardSet(bits, self.rules.deck)
        return found

    def _play(self, bits: int, strength: int) -> Play:
        found = self._known_plays.get(bits)
        if found is None:
            cards = self._set(bits)
            found = self._known_plays[bits] = Play(cards, kind_of(len(cards), strength), strength)
        return found

    def _follow_log(self) -> None:
        """Take in the turns since the last decision of a Python agent."""
        seen, turns = len(self._log), self._fields["turns"].item()
        if turns > seen:
            seats = self._fields["log_seats"][0, seen:turns].tolist()
            for seat, bits in zip(seats, self._fields["log"][0, seen:turns].tolist(), strict=True):
                cards = self._set(bits)
                self._log.append((seat, cards))
                if bits:
                    self._played[seat] = CardSet(self._played[seat].bits | bits, self.rules.deck)

    def _view(self, seat: int, legal: tuple[Play, ...]) -> View:
        fields = self._fields
        self._follow_log()
        passed = fields["passed"].item()
        table = fields["table"].item()
        return View(
            rules=self.rules,
            seat=seat,
            hand=CardSet(self._hands[seat].item(), self.rules.deck),
            legal_plays=legal,
            may_pass=fields["may_pass"].item() == 1,
            table=self._play(table, fields["table_strength"].item()) if table else None,
            table_owner=fields["owner"].item(),
            left=tuple(fields["left"][0].tolist()),
            played=tuple(self._played),
            passed=tuple([passed >> other & 1 == 1 for other in range(at.SEATS)]),
            log=tuple(self._log),
            totals=tuple(fields["totals"][0].tolist()),
            stream_seed=self._seat_seeds[seat] + len(self._log),
        )

    def _ask(self, name: str, chooser: Agent, seat: int, slot: int, count: int) -> int:
        """The option that a Python agent chooses."""
        options: list[int] = self._plays[:count].tolist()
        legal = tuple(map(self._play, options, self._strengths[:count].tolist()))
        view = self._view(seat, legal)
        began = time.perf_counter()
        try:
            answer = chooser.choose(view)
        except (Exception, SystemExit) as error:
            raise AgentFault(name, seat, self._deal, f"raised {one_line(error)}") from error
        self.seconds[slot] += time.perf_counter() - began
        if type(answer) is not CardSet:
            hint = "; answer with its .cards" if isinstance(answer, Play) else ""
            reason = f"answered {answer!s:.60} ({type(answer).__name__}), which is no CardSet{hint}"
            raise AgentFault(name, seat, self._deal, reason)
        if answer.bits in options and answer.deck == self.rules.deck:
            return options.index(answer.bits)
        if not answer.bits and view.may_pass:
            return count
        raise AgentFault(name, seat, self._deal, self._why_illegal(answer))

    def _why_illegal(self, answer: CardSet) -> str:
        """What is wrong with an answer, in the words of `Deal`, in which the deal is played again up to here."""
        deal = Deal.from_hands(self.rules, list(self.dealt))
        for _, cards in self._log:
            if cards:
                deal.play(cards)
            else:
                deal.pass_()
        try:
            if answer:
                deal.play(answer)
            else:
                deal.pass_()
        except (IllegalPlay, TypeError) as error:
            return f"answered {answer if answer else 'a pass'}: {error}"
        raise AssertionError(f"{answer} is legal")  # pragma: no cover - the two loops would disagree
