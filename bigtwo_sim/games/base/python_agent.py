"""An agent written in Python, whichever the game: what makes it, what it answers, and what counts as its fault."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NoReturn

from bigtwo_sim.core.cards import CardError, CardSet, Deck
from bigtwo_sim.games.base.agent import AgentError, PolicyAgent
from bigtwo_sim.untrusted.foreign import ForeignCalls, error_text, is_a, plain, text_of, type_name

LONGEST_ANSWER = 60  # characters of an answer that are shown
LONGEST_ERROR = 300
LONGEST_REASON = 1000
MOST_BITS = 64  # of a bid
NO_TEXT = "something without a text"


@dataclass(frozen=True)
class PythonAgent:
    """An agent written in Python, ready to be seated: a name, and what makes the object that is asked.

    `factory` is called without arguments, once for each slot of the line-up (and again in each worker process). What
    it makes must answer from the view alone; see `check_agent`.
    """

    name: str
    factory: Callable[[], Any]

    def make(self) -> Any:
        """A new object with `choose(view)`. Raises AgentError where the factory fails or makes something else."""
        with ForeignCalls() as calls:
            try:
                made: Any = self.factory()
                can_choose = callable(getattr(made, "choose", None))
                calls.done()
            except BaseException as error:
                if calls.interrupted:
                    raise KeyboardInterrupt from None
                if type(error) is AgentError:
                    raise
                raise AgentError(f"{self.name}: its factory raised {one_line(error)}") from None
        if not can_choose:
            raise AgentError(f"{self.name}: its factory made a {type_name(made)}, which has no method choose(view)")
        return made


AnyAgent = PolicyAgent | PythonAgent


class Forfeit(Exception):  # noqa: N818 - a decision given up, for a reason
    """Raised in place of an answer by what asks an agent elsewhere: `reason` says what the agent did wrong.

    `answer` is the text of its answer, where it gave one.
    """

    def __init__(self, reason: str, answer: str = "") -> None:
        super().__init__(reason, answer)
        self.reason = reason
        self.answer = answer

    def __str__(self) -> str:
        return self.reason


class AgentFault(RuntimeError):  # noqa: N818 - the agent's fault, not an error of the loop
    """What an agent did wrong in a deal: an illegal answer, or an exception of its own.

    `agent` is its name, `seat` 0 to 3, `deal` the number of the deal under the run's seed, `reason` what was wrong;
    `fault`, where a loop raised it, is the record that replays the case.
    """

    def __init__(self, agent: str, seat: int, deal: int, reason: str, fault: Any = None) -> None:
        super().__init__(agent, seat, deal, reason, fault)
        self.agent = agent
        self.seat = seat
        self.deal = deal
        self.reason = reason
        self.fault = fault

    def __str__(self) -> str:
        return f"agent {self.agent!r} at seat {self.seat} in deal {self.deal}: {self.reason}"


def hook_of(made: Any, name: str) -> Callable[[Any], Any] | None:
    """The method `name` of what a factory made; None where it has none. To look it up may be a fault in itself."""
    try:
        hook = getattr(made, name, None)
        return hook if callable(hook) else None
    except BaseException as error:
        failure = error

        def fail(news: Any) -> NoReturn:
            raise failure

        return fail


def close_agent(made: Any) -> str | None:
    """Call `close()` of what a factory made, where it has one. Returns what it raised, in one line, or None."""
    with ForeignCalls() as calls:
        try:
            close = getattr(made, "close", None)
            if callable(close):
                close()
            calls.done()
        except BaseException as error:
            if calls.interrupted:
                raise KeyboardInterrupt from None
            return one_line(error)
    return None


# --- its answers ------------------------------------------------------------------------------------------------------
def cards_in(answer: object) -> CardSet:
    """The cards that an agent answered with, as a set that nobody else holds.

    Raises Forfeit for what is not a CardSet, and for one whose `bits` or `deck` were changed into something else.
    """
    if type(answer) is not CardSet:
        raise Forfeit(f"answered {_with_type(answer)}, which is not a CardSet", answer_text(answer))
    try:
        bits, deck = answer.bits, answer.deck
    except AttributeError:
        raise Forfeit("answered a CardSet that has no bits or no deck", "") from None
    if type(deck) is not Deck or type(deck.ranks) is not str or type(deck.suits) is not str:
        raise Forfeit("answered a CardSet whose deck is not a Deck", "")
    if type(bits) is not int:
        raise Forfeit(f"answered a CardSet whose bits are {_with_type(bits)}; they must be an int", "")
    try:
        return CardSet(bits, Deck(deck.ranks, deck.suits))
    except CardError as error:
        raise Forfeit(f"answered a CardSet that cannot be: {plain(str(error), LONGEST_ERROR)}", "") from None


def bid_in(answer: object) -> int:
    """The bid that an agent answered with. Raises Forfeit for what is not an int."""
    if type(answer) is not int:
        raise Forfeit(f"answered {_with_type(answer)}, which is not a bid; a bid is an int", answer_text(answer))
    if answer.bit_length() > MOST_BITS:
        raise Forfeit(f"answered an int of {answer.bit_length():,} bits, which is not a bid", "")
    return answer


def _with_type(answer: object) -> str:
    return f"{answer_text(answer)} ({type_name(answer)})"


# --- in words ---------------------------------------------------------------------------------------------------------
def one_line(error: BaseException) -> str:
    """An exception in one line, with the innermost place outside this project, where there is one."""
    return error_text(error, LONGEST_ERROR)


def why_it_failed(error: BaseException) -> tuple[str, str]:
    """What an agent answered, as text, and its fault in words, where it raised `error` instead."""
    if is_a(error, Forfeit):
        try:
            return (
                text_of(error.answer, LONGEST_ANSWER, NO_TEXT),  # type: ignore[attr-defined]
                text_of(error.reason, LONGEST_REASON, "raised a Forfeit whose reason has no text"),  # type: ignore[attr-defined]
            )
        except BaseException:  # an agent may raise one of its own making
            return "", "raised a Forfeit without a reason"
    return "", f"raised {one_line(error)}"


def answer_text(answer: object) -> str:
    """An agent's answer as text, cut short, whatever it is."""
    return text_of(answer, LONGEST_ANSWER, NO_TEXT) or ("a pass" if type(answer) is CardSet else "")
