"""What the tests of agents in processes share: bots, decisions to put to them, and limits that only the late exceed."""

import itertools
import shlex
import sys
import time
import weakref
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from bigtwo_sim.bots import process as supervised
from bigtwo_sim.bots.isolation import bot, isolated
from bigtwo_sim.bots.process import Limits, ManagedProcess
from bigtwo_sim.games.big_two import CardSet, Deal, PythonAgent, Rules, View
from tests import PLAYERS
from tests.tools.waiting import PATIENCE

BOTS = PLAYERS
PATIENT = Limits(move_time=PATIENCE, start_time=PATIENCE)
"""For what must not be late, however busy the machine."""
HASTY = Limits(move_time=1)
"""For what must be late; what must not, in the same test, needs `slow_clock` (see conftest)."""
ASLEEP = b"asleep"
"""What a bot of `misbehave.py` writes to its standard error before it sleeps."""
_SLOWER = 2 * PATIENCE


def slow_down(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the limits of processes pass hundreds of times slower, so that half a second is the patience of the tests.

    Only while a bot of `misbehave.py` sleeps they pass at once.
    """
    processes: weakref.WeakSet[ManagedProcess] = weakref.WeakSet()
    start = ManagedProcess.__init__

    def register(process: ManagedProcess, *arguments: Any, **options: Any) -> None:
        start(process, *arguments, **options)
        processes.add(process)

    class Clock:
        skipped = 0.0

        @classmethod
        def monotonic(cls) -> float:
            if any(process._process.returncode is None and ASLEEP in process._stderr_tail for process in processes):
                cls.skipped += _SLOWER
            return cls.skipped + time.monotonic() / _SLOWER

    monkeypatch.setattr(ManagedProcess, "__init__", register)
    monkeypatch.setattr(supervised, "time", Clock)


def misbehaving(how: str, limits: Limits = PATIENT, when: int = 1) -> PythonAgent:
    """The bot that does `how` from its turn number `when` on."""
    text = shlex.join([sys.executable, "-S", "-E", str(BOTS / "misbehave.py"), how, str(when)])
    return isolated(bot(how, text), limits)


def asked(deals: int = 1, rules: Rules | None = None, seat: int = 1) -> Iterator[View]:
    """A view of the beginning of each deal, and then one for each decision of the seat in it, all playing weakest."""
    chosen = rules or Rules()
    for number in range(deals):
        deal = Deal.new(chosen, 3, number)
        yield replace(deal.view(seat), legal_plays=(), may_pass=False, stream_seed=deal.view(seat).stream_seed - 1)
        while not deal.is_over:
            if deal.has_choice and deal.turn == seat:
                yield deal.view()
            plays = deal.legal_plays()
            if plays:
                deal.play(plays[0].cards)
            else:
                deal.pass_()


def decisions(count: int) -> list[View]:
    """The first decisions of a seat, over as many deals as it takes."""
    found = (view for view in asked(deals=count) if view.legal_plays)
    return list(itertools.islice(found, count))


def pid_of(made: Any) -> int:
    pid: int = made.process.pid
    return pid


def weakest(view: View) -> CardSet:
    return view.legal_plays[0].cards
