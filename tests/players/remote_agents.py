"""Python agents bad enough to need a process of their own; in a module, so that the process finds them."""

import os
import sys
import time
from typing import Any

from python_agents import Weakest

from bigtwo_sim.games.big_two import CardSet, DealResult, Rules, View


class LateOnce(Weakest):
    """Takes too long over the first turn of a deal that it does not lead."""

    def choose(self, view: View) -> CardSet:
        if len(view.hand) == 13 and view.play_to_beat is not None:
            time.sleep(60)
        return super().choose(view)


class Hungry(Weakest):
    def choose(self, view: View) -> CardSet:
        eaten = []
        while True:
            eaten.append(os.urandom(1 << 20))
            time.sleep(0.002)


class Greedy(Weakest):
    """Wants more at once than any machine has."""

    def choose(self, view: View) -> CardSet:
        bytearray(1 << 44)
        return super().choose(view)


class Exiting(Weakest):
    def choose(self, view: View) -> CardSet:
        os._exit(7)


class BadStart(Weakest):
    def __init__(self) -> None:
        raise LookupError("the weights are missing")


class NeverReady(Weakest):
    def __init__(self) -> None:
        time.sleep(3600)


class Noisy(Weakest):
    """Prints in every way there is."""

    def choose(self, view: View) -> CardSet:
        print("thinking aloud")
        sys.stdout.flush()
        os.write(1, b"even louder\n")
        sys.stdin.read()
        return super().choose(view)


class WrongDeck(Weakest):
    def choose(self, view: View) -> CardSet:
        return CardSet.parse("3D", Rules(suit_order="SHCD").deck)


class WrongType(Weakest):
    def choose(self, view: View) -> Any:
        return "3D"


class Remembering:
    """Its answers hang on all that it has been told and asked, and on its random streams."""

    def __init__(self) -> None:
        self.memory = 0

    def _take_in(self, what: object) -> None:
        self.memory = (self.memory * 31 + sum(map(ord, repr(what)))) % 1_000_003

    def new_deal(self, view: View) -> None:
        self._take_in((view.hand, view.seat, view.rules, view.totals, view.play_owner, view.random.random()))

    def choose(self, view: View) -> CardSet:
        self._take_in((view, view.random.random()))
        options = [play.cards for play in view.legal_plays] + [CardSet(0, view.rules.deck)] * view.may_pass
        return options[self.memory % len(options)]

    def end_deal(self, result: DealResult) -> None:
        self._take_in(result)
