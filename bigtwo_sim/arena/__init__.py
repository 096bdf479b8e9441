"""The arena: agents play whole blocks of deals against each other, and what comes out has its error.

>>> from bigtwo_sim.roster.spec import parse_agents
>>> from bigtwo_sim.arena import Plan, run
>>> from bigtwo_sim.games.big_two import Rules
>>> outcome = run(Plan.of(parse_agents(["greedy", "random"]), Rules(), deals=1400))
>>> greedy, random = outcome.tally.agents()
>>> greedy.points.low > random.points.high
True
"""

from bigtwo_sim.arena.errors import RunError, SaveError
from bigtwo_sim.arena.lineups import gauntlet, lineup_count, mirrors, read_lineups, round_robin, seatings
from bigtwo_sim.arena.runners.halting import Halt
from bigtwo_sim.arena.runners.run import Outcome, run
from bigtwo_sim.arena.runners.speed import decisions_per_second
from bigtwo_sim.arena.runners.workers import play_chunks
from bigtwo_sim.arena.schedule.plan import Chunk, ChunkResult, Plan, cores
from bigtwo_sim.arena.schedule.stopping import (
    Precision,
    SequentialTest,
    State,
    StoppingError,
    StoppingRule,
    rule_from_dict,
)
from bigtwo_sim.arena.stats.intervals import ConfidenceSequence, Estimate, Interval, Student, interval_from_dict
from bigtwo_sim.arena.stats.statistics import (
    AgentSummary,
    Entry,
    LineupAgentSummary,
    LineupSummary,
    PairSummary,
    Tally,
    entries,
)
from bigtwo_sim.arena.stats.strength import Strength, strengths
from bigtwo_sim.arena.store.folder import RunFolder
from bigtwo_sim.arena.store.reader import SavedRun, load, saved_runs

__all__ = [
    "AgentSummary",
    "Chunk",
    "ChunkResult",
    "ConfidenceSequence",
    "Entry",
    "Estimate",
    "Halt",
    "Interval",
    "LineupAgentSummary",
    "LineupSummary",
    "Outcome",
    "PairSummary",
    "Plan",
    "Precision",
    "RunError",
    "RunFolder",
    "SaveError",
    "SavedRun",
    "SequentialTest",
    "State",
    "StoppingError",
    "StoppingRule",
    "Strength",
    "Student",
    "Tally",
    "cores",
    "decisions_per_second",
    "entries",
    "gauntlet",
    "interval_from_dict",
    "lineup_count",
    "load",
    "mirrors",
    "play_chunks",
    "read_lineups",
    "round_robin",
    "rule_from_dict",
    "run",
    "saved_runs",
    "seatings",
    "strengths",
]
