"""What the tests of agents in processes share: bots, decisions to put to them, and whether a process is gone."""

import itertools
import shlex
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import psutil

from bigtwo_sim.arena.isolation import bot, isolated
from bigtwo_sim.arena.supervised import Limits
from bigtwo_sim.big_two import CardSet, Deal, PythonAgent, Rules, View

BOTS = Path(__file__).parent / "bots"
PATIENT = Limits(move_time=60)
"""For what must not be late, however busy the machine."""
HASTY = Limits(move_time=1)


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


def is_gone(pid: int, seconds: float = 30) -> bool:
    """Whether a process has ended, or ends within some time."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        try:
            if psutil.Process(pid).status() == psutil.STATUS_ZOMBIE:
                return True
        except psutil.NoSuchProcess:
            return True
        time.sleep(0.02)
    return False


def weakest(view: View) -> CardSet:
    return view.legal_plays[0].cards
