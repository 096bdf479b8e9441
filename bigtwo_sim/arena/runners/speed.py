"""How fast a compiled agent decides, measured apart from the run."""

from __future__ import annotations

import math
import time
from typing import Any, NamedTuple

import numpy as np

from bigtwo_sim.core.rng import root_key
from bigtwo_sim.games.base.agent import PolicyAgent
from bigtwo_sim.games.base.ruleset import RuleSet
from bigtwo_sim.games.registry import game_of


class Speed(NamedTuple):
    """Decisions a second, measured some times."""

    median: float
    lowest: float
    highest: float


def decisions_per_second(agent: PolicyAgent, rules: RuleSet, seconds: float = 0.03) -> Speed:
    """Decisions a second of a table of copies of `agent`, on one core.

    The engine's own work (shuffling, finding the legal plays, turns without a choice) is in it: timing single calls of
    some nanoseconds inside the compiled loop would change what is measured. Of five measurements of about `seconds`
    each, the median, the lowest and the highest; an agent that takes long is measured once, and these are NaN.
    """
    play_blocks = game_of(rules).play_blocks
    line_up: Any = (agent,) * rules.players
    one_seating = np.arange(rules.players, dtype=np.int64)[None]
    key = root_key(0)
    play_blocks(line_up, rules, key, 0, 0, one_seating)  # loads or compiles what is needed
    blocks = 1
    rates: list[float] = []
    while True:
        began = time.perf_counter()
        results = play_blocks(line_up, rules, key, 0, blocks, one_seating)
        taken = time.perf_counter() - began
        if taken < seconds / 4:
            blocks *= 4
            continue
        rates.append(int(results["decisions"].sum(dtype=np.int64)) / taken)
        if len(rates) == 5 or taken > 20 * seconds:
            once = len(rates) == 1
            return Speed(float(np.median(rates)), *((math.nan, math.nan) if once else (min(rates), max(rates))))


def milliseconds_a_decision(agent: PolicyAgent, rules: RuleSet, seconds: float = 0.2) -> float:
    """What a decision takes on average, in the CPU time of one core, which other work on the machine does not spoil.

    Copies of `agent` play for about `seconds`, a deal at least; the engine's own work is in it.
    """
    play_blocks = game_of(rules).play_blocks
    line_up: Any = (agent,) * rules.players
    one_seating = np.arange(rules.players, dtype=np.int64)[None]
    key = root_key(0)
    play_blocks(line_up, rules, key, 0, 0, one_seating)  # loads or compiles what is needed
    first, blocks, decisions, taken = 0, 1, 0, 0.0
    while taken < seconds:
        began = time.thread_time()
        results = play_blocks(line_up, rules, key, first, blocks, one_seating)
        taken += time.thread_time() - began
        decisions += int(results["decisions"].sum(dtype=np.int64))
        first, blocks = first + blocks, 2 * blocks
    return 1000 * taken / decisions
