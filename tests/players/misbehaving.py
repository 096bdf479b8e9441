"""Python agents that misbehave, each in one way, with what must be said of it: a table for both games.

An agent is `ways["name"]`: what is done in place of an answer, given the view and the honest answer. `CASES` names what
must come of it. Those of LETHAL would end this process, stop it or change it for good; they play in their own.
"""

import builtins
import contextlib
import gc
import json
import locale
import os
import random
import signal
import sys
import threading
import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from bigtwo_sim.core.cards import CardSet, Deck
from bigtwo_sim.games.base.python_agent import Forfeit

Way = Callable[[Any, Any], Any]
ALL, NONE = "all", "none"


def honest(view: Any) -> Any:
    """The weakest play; in an auction a pass."""
    if getattr(view, "in_auction", False):
        return 0
    return view.legal_plays[0].cards if view.legal_plays else CardSet(0, view.rules.deck)


# --- objects of which every method is hostile -------------------------------------------------------------------------
def raising(kind: type[BaseException]) -> Callable[..., Any]:
    def fail(*_: Any, **__: Any) -> Any:
        raise kind("from a method")

    return fail


METHODS = ("__str__", "__repr__", "__eq__", "__hash__", "__bool__", "__len__", "__iter__", "__index__", "__int__")


def hostile(kind: type[BaseException], base: type = object, name: str = "Hostile") -> type:
    methods = {method: raising(kind) for method in METHODS}
    return type(name, (base,), {**methods, "__format__": raising(kind), "bits": property(raising(kind))})


class HostileType(type):
    """A metaclass that lies, or raises, about everything that it is asked."""

    __name__ = property(raising(SystemExit))  # type: ignore[assignment]
    __instancecheck__ = __call__ = raising(SystemExit)


HOSTILE_CLASS = type.__call__(HostileType, "Hidden", (), {"__class__": property(raising(SystemExit))})
_LIES = {"__class__": property(raising(SystemExit)), "__str__": raising(SystemExit)}
HOSTILE_ERROR = type.__call__(HostileType, "HiddenError", (Exception,), _LIES)


class TextSubclass(str):
    __getitem__ = __len__ = encode = split = __str__ = __format__ = raising(SystemExit)  # type: ignore[assignment]


class Subtle:
    def __str__(self) -> str:
        return TextSubclass("subtle")


class NotText:
    def __str__(self) -> str:
        return 3  # type: ignore[return-value]


class Endless:
    def __str__(self) -> str:
        return str(self)


class CardsSubclass(CardSet):
    __eq__ = __hash__ = __str__ = __bool__ = raising(SystemExit)  # type: ignore[assignment]


class IntSubclass(int):
    __eq__ = __hash__ = __str__ = __bool__ = __index__ = raising(SystemExit)  # type: ignore[assignment]


class Unlike(BaseException):
    pass


class Speechless(Exception):  # noqa: N818
    def __str__(self) -> str:
        raise SystemExit


class Interrupting(Exception):  # noqa: N818
    def __str__(self) -> str:
        raise KeyboardInterrupt


class Untraceable(Exception):  # noqa: N818
    __traceback__ = property(raising(SystemExit))  # type: ignore[assignment]


class Unreasoned(Forfeit):
    def __init__(self) -> None:
        pass


def changed(view: Any, **fields: Any) -> CardSet:
    """Cards whose fields were changed behind their back."""
    cards = CardSet(1, view.rules.deck)
    for name, value in fields.items():
        object.__setattr__(cards, name, value)
    return cards


def changed_deck(view: Any) -> CardSet:
    deck = Deck(view.rules.deck.ranks, view.rules.deck.suits)
    object.__setattr__(deck, "ranks", hostile(SystemExit)())
    return changed(view, deck=deck)


# --- ways -------------------------------------------------------------------------------------------------------------
def answers(make: Callable[[Any], Any]) -> Way:
    return lambda view, cards: make(view)


def raises(make: Callable[[], BaseException]) -> Way:
    def fail(view: Any, cards: Any) -> Any:
        raise make()

    return fail


def does(act: Callable[[], Any]) -> Way:
    """Does something, and answers as if nothing had been."""

    def choose(view: Any, cards: Any) -> Any:
        act()
        return cards

    return choose


def recurse(view: Any, cards: Any) -> Any:
    return recurse(view, cards)


def fork_and_go_on() -> None:
    if os.fork() == 0:
        time.sleep(0)  # both copies come back


def close_everything() -> None:
    os.closerange(0, 256)


def become_another() -> None:
    os.execv(sys.executable, [sys.executable, "-S", "-c", "import time; time.sleep(600)"])


def crash() -> None:
    signal.signal(signal.SIGSEGV, signal.SIG_DFL)
    os.kill(os.getpid(), signal.SIGSEGV)


def eat() -> None:
    eaten = []
    while True:
        eaten.append(bytearray(os.urandom(1 << 16)) * 64)
        time.sleep(0.001)


def loop_for_ever() -> None:
    while True:
        pass


def forge() -> None:
    """Write to every descriptor that takes it, among them the one that the answers go to."""
    for descriptor in range(3, 32):
        with contextlib.suppress(OSError):
            os.write(descriptor, b'{"type": "play", "cards": ["3D"]}\nnonsense\n')


def patch_builtins() -> None:
    for name in ("len", "isinstance", "getattr", "str", "type", "print", "open"):
        setattr(builtins, name, raising(SystemExit))


def patch_json() -> None:
    json.dumps = json.loads = raising(ValueError)  # type: ignore[assignment]


def patch_time() -> None:
    time.perf_counter = time.monotonic = time.time = time.sleep = raising(OSError)  # type: ignore[assignment]


def empty_modules() -> None:
    for name in list(sys.modules):
        if name.startswith("bigtwo_sim"):
            sys.modules[name] = None  # type: ignore[assignment]


def change_settings() -> None:
    os.chdir("/")
    os.environ.clear()
    sys.path.clear()
    warnings.simplefilter("error")
    random.seed(1)
    np.random.seed(1)  # noqa: NPY002 - what agents do
    np.seterr(all="raise")
    locale.setlocale(locale.LC_ALL, "C")
    gc.disable()
    sys.setswitchinterval(10)
    sys.flags = sys.version_info = None  # type: ignore[assignment,misc]


def write_out() -> None:
    os.write(1, b"in the way\n" * 10)
    print("in the way" * 10_000)
    sys.stdout.write("in the way\n")
    assert sys.__stdout__ is not None
    sys.__stdout__.write("in the way\n")
    sys.__stdout__.flush()


def flood() -> None:
    for _ in range(8):
        os.write(1, b"x" * (1 << 17))


def start_thread() -> None:
    threading.Thread(target=time.sleep, args=(600,)).start()


class Odd:
    """An agent that does `way` in place of an answer."""

    way: Way

    def choose(self, view: Any) -> Any:
        return type(self).way(view, honest(view))


def lethal_close(self: Any) -> None:
    os._exit(3)


def agent(way: Way = lambda view, cards: cards, **members: Any) -> type:
    return type("Odd", (Odd,), {"way": staticmethod(way), **members})


@dataclass(frozen=True)
class Case:
    """An agent, how many decisions it forfeits, and what its first fault says: a pattern; "": it has none."""

    kind: type
    forfeits: str = ALL
    reason: str = ""
    memory: int | None = None
    move_time: float | None = None
    """Seconds; only for what is late however quick the machine is, since nothing honest keeps a short one."""


LATE = r"answered later than 0\.2 s|took longer than 0\.2 s over a new deal"
NO_CARDS = "which is not a CardSet"
NO_TEXT = "answered something without a text"


def odd(make: Callable[[Any], Any], reason: str) -> Case:
    return Case(agent(answers(make)), ALL, reason)


def failing(make: Callable[[], BaseException], reason: str) -> Case:
    return Case(agent(raises(make)), ALL, reason)


ANSWERS = {
    "nothing": odd(lambda view: None, rf"answered None \(NoneType\), {NO_CARDS}"),
    "text": odd(lambda view: "3D", rf"answered 3D \(str\), {NO_CARDS}"),
    "str exits": odd(lambda view: hostile(SystemExit)(), rf"{NO_TEXT} \(Hostile\), {NO_CARDS}"),
    "str interrupts": odd(lambda view: hostile(KeyboardInterrupt)(), rf"{NO_TEXT} \(Hostile\)"),
    "str ends a generator": odd(lambda view: hostile(GeneratorExit)(), rf"{NO_TEXT} \(Hostile\)"),
    "str wants memory": odd(lambda view: hostile(MemoryError)(), rf"{NO_TEXT} \(Hostile\)"),
    "str recurs": odd(lambda view: Endless(), rf"{NO_TEXT} \(Endless\)"),
    "str is no text": odd(lambda view: NotText(), rf"{NO_TEXT} \(NotText\)"),
    "str is of a class of its own": odd(lambda view: Subtle(), r"answered subtle \(Subtle\)"),
    "text of a class of its own": odd(lambda view: TextSubclass("3D"), rf"{NO_TEXT} \(TextSubclass\)"),
    "type that lies": odd(lambda view: type.__call__(HOSTILE_CLASS), r"\(Hidden\)"),
    "class in place of cards": odd(lambda view: HOSTILE_CLASS, r"\(HostileType\)"),
    "long name of a type": odd(lambda view: type("x" * 10**6, (), {})(), rf"\({'x' * 60}\), {NO_CARDS}"),
    "half a character": odd(lambda view: "\ud800", r"answered \\ud800 \(str\)"),
    "huge int": odd(lambda view: 10**10_000, rf"{NO_TEXT} \(int\)"),
    "cards of a class of its own": odd(lambda view: CardsSubclass(1), rf"{NO_TEXT} \(CardsSubclass\)"),
    "int of a class of its own": odd(lambda view: IntSubclass(1), rf"{NO_TEXT} \(IntSubclass\)"),
    "huge bits": odd(lambda view: changed(view, bits=1 << 10**6), "answered a CardSet that cannot be: bits are 0x1000"),
    "negative bits": odd(lambda view: changed(view, bits=-1), "answered a CardSet that cannot be: bits are -0x1"),
    "bits of text": odd(lambda view: changed(view, bits="abc"), r"whose bits are abc \(str\); they must be an int"),
    "hostile bits": odd(lambda view: changed(view, bits=hostile(SystemExit)()), r"whose bits are .* \(Hostile\)"),
    "hostile int as bits": odd(lambda view: changed(view, bits=IntSubclass(1)), r"whose bits are .* \(IntSubclass\)"),
    "hostile deck": odd(changed_deck, "answered a CardSet whose deck is not a Deck"),
    "no deck": odd(lambda view: changed(view, deck=None), "answered a CardSet whose deck is not a Deck"),
    "a play": odd(lambda view: view.legal_plays[0], r"answer with its \.cards|raised IndexError"),
    "another deck": odd(lambda view: CardSet(1, Deck("23", "HSDC")), "deck"),
}
EXCEPTIONS = {
    "exit": failing(lambda: SystemExit(0), "raised SystemExit: 0 "),
    "interrupt": failing(KeyboardInterrupt, "raised KeyboardInterrupt "),
    "generator exit": failing(GeneratorExit, "raised GeneratorExit "),
    "memory": failing(MemoryError, "raised MemoryError "),
    "stop iteration": failing(StopIteration, "raised StopIteration "),
    "recursion": Case(agent(recurse), ALL, "raised RecursionError: maximum recursion depth exceeded"),
    "no exception of Python's": failing(lambda: Unlike("anything"), "raised Unlike: anything "),
    "text exits": failing(Speechless, "raised Speechless: its text is unavailable"),
    "text interrupts": failing(Interrupting, "raised Interrupting: its text is unavailable"),
    "long text": failing(lambda: ValueError("x" * 10**7), f"raised ValueError: {'x' * 300} "),
    "text is half a character": failing(lambda: ValueError("\ud800"), r"raised ValueError: \\ud800 "),
    "hidden traceback": failing(Untraceable, "raised Untraceable "),
    "error that lies": failing(lambda: type.__call__(HOSTILE_ERROR), "raised HiddenError: its text is unavailable"),
    "group": failing(lambda: BaseExceptionGroup("many", [SystemExit()]), "raised BaseExceptionGroup: many"),
    "forfeit": failing(lambda: Forfeit({1}, {2}), r"^\{1\}$"),  # type: ignore[arg-type]
    "forfeit without a reason": failing(Unreasoned, "raised a Forfeit without a reason"),
    "forfeit that exits": failing(lambda: Forfeit(hostile(SystemExit)()), "raised a Forfeit whose reason has no text"),
}
MOMENTS = {
    "new_deal interrupts": Case(agent(new_deal=raising(KeyboardInterrupt)), NONE, "raised KeyboardInterrupt: from a"),
    "end_deal exits": Case(agent(end_deal=raising(SystemExit)), NONE, "raised SystemExit: from a method"),
    "close interrupts": Case(agent(close=raising(KeyboardInterrupt)), NONE),
    "new_deal is a property that exits": Case(
        agent(new_deal=property(raising(SystemExit))), NONE, "raised SystemExit: from a method"
    ),
    "close is a property that exits": Case(agent(close=property(raising(SystemExit))), NONE),
    "trace": Case(agent(does(lambda: sys.settrace(raising(SystemExit)))), ALL, "raised SystemExit: from a method"),
    "profile": Case(agent(does(lambda: sys.setprofile(raising(SystemExit)))), ALL, "raised SystemExit: from a method"),
    "recursion limit": Case(agent(does(lambda: sys.setrecursionlimit(sys.getrecursionlimit() * 2))), NONE),
}
HARMLESS_HERE = {**ANSWERS, **EXCEPTIONS, **MOMENTS}
"""What may play in the process of the tests."""
LETHAL = {
    "ends its process": Case(agent(does(lambda: os._exit(0))), ALL, "ended its process with exit code 0"),
    "ends its process in end_deal": Case(
        agent(end_deal=lambda self, result: os._exit(4)), NONE, "ended its process with exit code 4"
    ),
    "ends its process in close": Case(agent(close=lethal_close), NONE),
    "ends its process at the end": Case(agent(__del__=lethal_close), NONE),
    "kills itself": Case(agent(does(lambda: os.kill(os.getpid(), signal.SIGKILL))), ALL, r"by signal 9 \(SIGKILL\)"),
    "terminates itself": Case(agent(does(lambda: os.kill(0, signal.SIGTERM))), ALL, r"by signal 15 \(SIGTERM\)"),
    "stops itself": Case(
        agent(does(lambda: os.kill(os.getpid(), signal.SIGSTOP))), ALL, r"stopped by signal 19 \(SIGSTOP\)"
    ),
    "crashes": Case(agent(does(crash)), ALL, r"by signal 11 \(SIGSEGV\)"),
    "interrupts itself": Case(agent(does(lambda: os.kill(os.getpid(), signal.SIGINT))), NONE),
    "interrupts its parent": Case(agent(does(lambda: os.kill(os.getppid(), signal.SIGINT))), NONE),
    "terminates its parent": Case(agent(does(lambda: os.kill(os.getppid(), signal.SIGTERM))), NONE),
    "forks": Case(agent(does(fork_and_go_on)), NONE),
    "closes all files": Case(agent(does(close_everything)), ALL, "closed its standard|ended its process"),
    "becomes another program": Case(agent(does(become_another)), ALL, "closed its standard output"),
    "writes to the standard output": Case(agent(does(write_out)), NONE),
    "floods the standard output": Case(agent(does(flood)), NONE),
    "forges answers": Case(agent(does(forge)), ALL, ""),
    "takes all memory": Case(agent(does(eat)), ALL, "used more than 100 MB|raised MemoryError", memory=100_000_000),
    "sleeps": Case(agent(does(lambda: time.sleep(3_600))), ALL, LATE, move_time=0.2),
    "never ends": Case(agent(does(loop_for_ever)), ALL, LATE, move_time=0.2),
    "patches builtins": Case(agent(does(patch_builtins)), ALL, ""),
    "patches json": Case(agent(does(patch_json)), ALL, ""),
    "patches time": Case(agent(does(patch_time)), NONE),
    "empties sys.modules": Case(agent(does(empty_modules)), NONE),
    "changes all settings": Case(agent(does(change_settings)), NONE),
    "starts threads": Case(agent(does(start_thread)), NONE),
    "lowers the recursion limit": Case(agent(does(lambda: sys.setrecursionlimit(60))), NONE),
}
ALL_CASES = {**HARMLESS_HERE, **LETHAL}


class Factory:
    """Makes the agent of a case; by its name, since classes made on the fly cannot be sent to another process."""

    def __init__(self, name: str) -> None:
        self.name = name

    def __call__(self) -> Any:
        return ALL_CASES[self.name].kind()


# --- factories --------------------------------------------------------------------------------------------------------
def missing_weights() -> Any:
    raise KeyError("weights")


def interrupting() -> Any:
    raise KeyboardInterrupt


def exiting() -> Any:
    raise SystemExit(0)


def making_nothing() -> Any:
    return None


def making_what_lies() -> Any:
    return type.__call__(HOSTILE_CLASS)


def ending() -> Any:
    os._exit(0)


def sleeping() -> Any:
    time.sleep(600)


def stopping() -> Any:
    os.kill(os.getpid(), signal.SIGSTOP)


def starting_once() -> Any:
    """Makes an agent the first time that any process asks for one."""
    path = Path(os.environ["BIGTWO_TEST_STARTED"])
    if path.exists():
        raise LookupError("once only")
    path.touch()
    return agent()()


Loud = agent(does(write_out))
Gone = agent(does(lambda: os._exit(0)))


# --- agents that mean harm --------------------------------------------------------------------------------------------
class Fair:
    """What those that follow would be if they did not tamper."""

    def choose(self, view: Any) -> Any:
        return honest(view)


class EndsOnce(Fair):
    """Ends its process at one decision of all that it has in the current folder."""

    def choose(self, view: Any) -> Any:
        if not Path("ended").exists():
            Path("ended").touch()
            os._exit(3)
        return super().choose(view)


class FallsAsleep(Fair):
    """Never answers any more once a part of the run `cut` is saved in the current folder."""

    def choose(self, view: Any) -> Any:
        if list(Path("cut").glob("part-*")):
            Path("asleep").touch()
            time.sleep(3_600)
        return super().choose(view)


class WalksFrames(Fair):
    """Goes up to the loop, and empties its own hand but for one card."""

    def choose(self, view: Any) -> Any:
        frame = sys._getframe()
        while frame is not None:
            loop = frame.f_locals.get("self")
            hands = getattr(loop, "_hands", None)
            if hands is not None:
                hands[view.seat] = 1 << (view.hand.bits.bit_length() - 1)
                break
            frame = frame.f_back  # type: ignore[assignment]
        return honest(view)


class PatchesEngine(Fair):
    """Has the loop count each deal as its own."""

    def choose(self, view: Any) -> Any:
        from bigtwo_sim.games.big_two import python_loop

        play_deal = python_loop.PythonLoop._play_deal

        def mine(self: Any, *arguments: Any) -> Any:
            result = play_deal(self, *arguments)
            result["winner"] = 0
            return result

        if not getattr(play_deal, "patched", False):
            mine.patched = True  # type: ignore[attr-defined]
            python_loop.PythonLoop._play_deal = mine  # type: ignore[method-assign]
        return honest(view)


class EditsArrays(Fair):
    """Finds the hands among all arrays of the process, and keeps one card of its own."""

    def choose(self, view: Any) -> Any:
        for found in gc.get_objects():
            if not type(found).__module__.startswith("bigtwo_sim") or not hasattr(found, "__dict__"):
                continue
            for array in list(vars(found).values()):
                if isinstance(array, np.ndarray) and array.shape == (4,) and array.dtype == np.uint64:
                    with contextlib.suppress(ValueError):
                        if array[view.seat] == view.hand.bits:
                            array[view.seat] = 1 << (view.hand.bits.bit_length() - 1)
        return honest(view)
