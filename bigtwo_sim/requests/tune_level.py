"""A level set to a win rate: the setting of a knob at which an agent wins a given share, proved on fresh decks."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import pandas as pd

from bigtwo_sim import __version__
from bigtwo_sim.arena import Estimate, cores
from bigtwo_sim.arena.runners import speed
from bigtwo_sim.arena.runners.trials import Figures, Trials
from bigtwo_sim.arena.stats.figure_text import figure_text, three_digits
from bigtwo_sim.arena.stats.root_search import Knob
from bigtwo_sim.arena.store.shown import Shown, with_interval
from bigtwo_sim.arena.store.summary import figures
from bigtwo_sim.core.rng import derived_seed
from bigtwo_sim.games.base.agent import Parameter, PolicyAgent
from bigtwo_sim.games.big_two.rules import Rules
from bigtwo_sim.requests.errors import RequestError
from bigtwo_sim.requests.inputs import (
    DEFAULT_AGAINST,
    AgentLike,
    RulesLike,
    big_two_rules,
    compiled,
    parameter_of,
    share_of,
    turned,
)
from bigtwo_sim.roster.level_file import Level, level_file
from bigtwo_sim.roster.spec import LONGEST_NAME
from bigtwo_sim.tuning.difficulty import Difficulty, set_difficulty

AMONG_THREE_DEALS = 4  # deals of a block in which one sits among three
DEFAULT_LIMIT = 10.0
DEFAULT_PRECISION = 0.01
FINEST = 0.0005
"""The least precision that may be asked for: some twenty million deals."""
RISING = {"worlds": True, "blunder": False, "noise": False}
"""Whether more of a knob wins more; of others it is measured."""
DIRECTION_BLOCKS = 400

LevelProgress = Callable[[Difficulty, float], Any]
"""Called with what is known so far, and the value that is measured next."""


def precision_of(value: str | float) -> float:
    """A share that can be measured: deals grow with the square of how fine it is. Raises ValueError for another one."""
    share = share_of(value)
    if share < FINEST:
        raise ValueError(
            f"{str(value).strip()[:40]!r} must be {100 * FINEST:g}% at least, which takes millions of deals"
        )
    return share


@dataclass(frozen=True)
class LevelRequest:
    """What is asked of a level."""

    agent: AgentLike
    """The compiled agent whose knob is turned."""
    target: float
    """The share of the deals that it should win."""
    knob: str
    """The setting that is turned: `worlds`, `blunder`, `noise` or another one."""
    rules: Rules
    against: AgentLike = DEFAULT_AGAINST
    """Three of these sit with it."""
    limit_ms: float = DEFAULT_LIMIT
    """Milliseconds that a decision may take on average, on one core."""
    precision: float = DEFAULT_PRECISION
    """How far from the target the win rate may be."""
    name: str | None = None
    """What the level is called; None: after the agent and the target."""
    seed: int = 0

    def __post_init__(self) -> None:
        _ = self.base, self.other, self.parameter
        if not self.called.strip() or len(self.called) > LONGEST_NAME or not self.called.isprintable():
            raise RequestError(f"name is {self.called!r}; it must be 1 to {LONGEST_NAME} printable characters", "name")

    @cached_property
    def base(self) -> PolicyAgent:
        """The agent whose knob is turned, compiled."""
        return compiled(self.agent)

    @cached_property
    def other(self) -> PolicyAgent:
        """Whom it meets, compiled."""
        return compiled(self.against)

    @cached_property
    def parameter(self) -> Parameter:
        """The knob as its method knows it."""
        return parameter_of(self.base, self.knob, "knob")

    @property
    def called(self) -> str:
        """The name of the level."""
        return self.name if self.name is not None else f"{self.base.name}-{100 * self.target:g}"

    def tune(self, workers: int | None = None, progress: LevelProgress = lambda found, value: None) -> TunedLevel:
        """Search for the setting, and prove it on decks that the search did not have.

        Raises RequestError for a limit that no setting keeps, and for a knob whose direction cannot be measured.
        """
        with contextlib.ExitStack() as stack:
            tables: dict[int, Trials] = {}

            def measure(value: float, of_seed: int, first: int, blocks: int) -> Figures:
                if of_seed not in tables:
                    tables[of_seed] = stack.enter_context(Trials(self.other, self.rules, of_seed, workers or cores()))
                return tables[of_seed].play([turned(self.base, self.knob, value)], first, blocks)[0]

            sought = _knob(self.base, self.parameter, self.limit_ms, self.rules, measure, self.seed)
            start = float(self.base.params[self.base.method.parameters.index(self.parameter)])
            inside = start if sought.low < start < sought.high else None
            found = set_difficulty(sought, self.target, self.precision, inside, self.seed, measure, progress)
        values = sorted({point.value for point in found.points} | {check.value for check in found.checks})
        times = {value: _milliseconds(turned(self.base, self.knob, value), self.rules) for value in values}
        return TunedLevel(self, found, times)


@dataclass(frozen=True, repr=False)
class TunedLevel(Shown):
    """What came of the search for a level."""

    request: LevelRequest
    found: Difficulty
    times: dict[float, float]
    """Milliseconds that a decision takes here, by the value of the knob."""

    @property
    def reached(self) -> bool:
        """Whether there is a setting that wins the share within the limit of time."""
        check = self.found.reached
        return check is not None and self.times[check.value] <= self.request.limit_ms

    @property
    def value(self) -> float | None:
        """The value of the knob that was proved; None where none was."""
        return self.found.reached.value if self.reached and self.found.reached else None

    @property
    def curve(self) -> pd.DataFrame:
        """One row for each value that the search measured."""
        return pd.DataFrame(self._search("")["curve"])

    @property
    def checks(self) -> pd.DataFrame:
        """One row for each value that was measured on fresh decks."""
        return pd.DataFrame(self._search("")["checks"])

    def headline(self) -> str:
        """What came out, in a sentence or two."""
        return self.verdict()

    def table(self) -> pd.DataFrame:
        """What was measured, as texts."""
        search, knob = self._search(""), self.found.knob.name
        return pd.DataFrame(
            {
                knob: f"{row['value']:g}",
                "blocks": f"{row['blocks']:,}",
                "win rate %": with_interval(row, "win_rate", ".2f", 100),
                "ms a decision": three_digits(row["milliseconds"]),
                "decks": decks,
            }
            for decks, rows in (("of the search", search["curve"]), ("fresh", search["checks"]))
            for row in rows
        )

    def level(self) -> Level:
        """The level, with what was measured of it. Raises RequestError where none was proved."""
        base, other, found, check = self.request.base, self.request.other, self.found, self.found.reached
        if check is None:
            raise RequestError(self.verdict())
        settings = zip(base.method.parameters, turned(base, found.knob.name, check.value).params, strict=False)
        measured = {
            "among": other.name,
            "rules": self.request.rules.name,
            "deals": check.blocks * AMONG_THREE_DEALS,
            "seed": check.seed,
            **figures("win_rate", check.win_rate),
            **figures("margin", check.margin),
        }
        return Level(
            self.request.called,
            base.method_text,
            {
                one.name: float(str(value))
                for one, value in settings
                if float(str(value)) != one.default or one.name == found.knob.name
            },
            f"{base.name} turned by {found.knob.name} to win {100 * found.target:g} % among three {other.name}",
            float(f"{self.times[check.value]:.3g}"),
            (measured,),
            source=base.source_fingerprint(),
        )

    def write(self, path: Path, command: str = "tune_level()") -> None:
        """Write the level file. Raises OSError where it cannot be written, RequestError where no level was proved."""
        content = level_file(self.level(), search=self._search(command))
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(content, indent=2) + "\n", encoding="utf-8")

    def report(self, path: Path | None = None, command: str = "tune_level()") -> dict[str, Any]:
        """All of it for JSON; `path` is the level file, None where there is none."""
        return {
            "engine_version": __version__,
            "level": self.request.called,
            "agent": self.request.base.name,
            "against": self.request.other.name,
            "rules": self.request.rules.to_dict(),
            "reached": self.reached,
            "verdict": self.verdict(),
            "value": self.value,
            "limit_ms": self.request.limit_ms,
            **self._search(command),
            "level_file": None if path is None else str(path),
        }

    def verdict(self, plus_minus: str = "±", limit_name: str = "limit_ms") -> str:
        """What came out, in a sentence or two."""
        base, found, times, limit = self.request.base, self.found, self.times, self.request.limit_ms
        knob, target = found.knob.name, f"{100 * found.target:g} {plus_minus} {100 * found.precision:g} %"
        check = found.reached
        if check is not None:
            taken = f"{three_digits(times[check.value])} ms a decision here"
            wins = f"{knob}={check.value:g} wins {_percent(check.win_rate, plus_minus)} % on fresh decks"
            if times[check.value] > limit:
                return f"{wins}, but takes {taken}, and {limit_name} is {limit:g}. Make {base.name} quicker first."
            return f"{wins}, which lies within {target}; {taken}."
        near = f"{knob}={found.guess:g} wins {100 * found.expected:.1f} %"
        if found.verdict in ("below", "above"):
            at_limit = knob == "worlds" and found.guess == found.knob.high
            why = f"the most that {limit:g} ms a decision allow" if at_limit else "where the knob ends"
            other_way = "more" if found.verdict == "below" else "less"
            return f"{target} cannot be reached: {near}, and that is {why}; it would have to win {other_way}."
        if found.verdict == "jump":
            over = f"{target} cannot be reached: the win rate jumps over it next to {near}."
            return f"{over} Take a finer knob, such as noise."
        return f"{target} could not be proved: {near}, and after {found.blocks:,} blocks that is not certain enough."

    def _search(self, command: str) -> dict[str, Any]:
        """The curve that the search walked, and what was proved on fresh decks."""
        found, times = self.found, self.times
        return {
            "command": command,
            "knob": found.knob.name,
            "low": found.knob.low,
            "high": found.knob.high,
            "target": found.target,
            "precision": found.precision,
            "curve": [
                {
                    "value": point.value,
                    "blocks": point.blocks,
                    **figures("win_rate", point.estimate()),
                    "milliseconds": float(f"{times[point.value]:.3g}"),
                }
                for point in found.points
            ],
            "checks": [
                {
                    "value": check.value,
                    "seed": check.seed,
                    "blocks": check.blocks,
                    **figures("win_rate", check.win_rate),
                    **figures("margin", check.margin),
                    "milliseconds": float(f"{times[check.value]:.3g}"),
                    "reached": check.reached,
                }
                for check in found.checks
            ],
        }


def tune_level(
    agent: AgentLike,
    *,
    target: str | float,
    knob: str,
    against: AgentLike = DEFAULT_AGAINST,
    limit_ms: float = DEFAULT_LIMIT,
    precision: str | float = DEFAULT_PRECISION,
    name: str | None = None,
    rules: RulesLike = None,
    seed: int = 0,
    workers: int | None = None,
    out: str | Path | None = None,
    progress: LevelProgress = lambda found, value: None,
) -> TunedLevel:
    """Find the setting of a knob at which an agent among three others wins the share `target`, such as "40%".

    What came out has `reached`, `value`, `curve` and `checks`; where a level was reached, it is written to the file
    `out`. Raises RequestError, AgentError and RulesError for what cannot be meant, OSError where the file cannot be
    written.
    """
    try:
        share, fine = share_of(target), precision_of(precision)
    except ValueError as error:
        raise RequestError(str(error)) from None
    request = LevelRequest(agent, share, knob, big_two_rules(rules), against, limit_ms, fine, name, seed)
    if out is not None and Path(out).exists():
        raise RequestError(f"out: {out} is there already; nothing was overwritten", "out")
    tuned = request.tune(workers, progress)
    if out is not None and tuned.reached:
        tuned.write(Path(out))
    return tuned


def _percent(found: Estimate, plus_minus: str) -> str:
    return figure_text(100 * found.mean, 100 * found.low, 100 * found.high, ".2f", plus_minus=plus_minus)


# --- the knob ---------------------------------------------------------------------------------------------------------
def _knob(base: PolicyAgent, parameter: Parameter, limit: float, rules: Rules, measure: Any, seed: int) -> Knob:
    """The knob between its low end and its high one, or the highest value that the limit allows."""
    low, high = parameter.low, parameter.high
    if _cost(base, parameter, high) > _cost(base, parameter, low):
        high = _highest_within(base, parameter, limit, rules)
    rising = RISING.get(parameter.name)
    if rising is None:
        rising = _rises(base, parameter.name, low, high, measure, seed)
    return Knob(parameter.name, low, high, rising, parameter.whole)


def _rises(base: PolicyAgent, knob: str, low: float, high: float, measure: Any, seed: int) -> bool:
    """Whether more of the knob wins more, by its ends on the same decks. Raises RequestError where that is not seen."""
    ends = [measure(value, derived_seed(seed, 2), 0, DIRECTION_BLOCKS) for value in (low, high)]
    found = ends[1].less(ends[0]).estimate("win_rate")
    if found.low <= 0 <= found.high:
        raise RequestError(
            f"knob {knob}: {base.name} wins {100 * ends[0].win_rate.mean():.1f} % at {low:g} and "
            f"{100 * ends[1].win_rate.mean():.1f} % at {high:g}, which {DIRECTION_BLOCKS} blocks do not tell apart",
            "knob",
        )
    return bool(found.low > 0)


def _cost(base: PolicyAgent, parameter: Parameter, value: float) -> float:
    return float(base.method.cost(turned(base, parameter.name, value).params))


def _highest_within(base: PolicyAgent, parameter: Parameter, limit: float, rules: Rules) -> float:
    """The greatest value of a knob, more of which takes longer, at which a decision takes no more than the limit."""
    scale = Knob(parameter.name, parameter.low, parameter.high, True, parameter.whole)
    value = float(base.params[base.method.parameters.index(parameter)])
    for _ in range(4):
        taken = _milliseconds(turned(base, parameter.name, value), rules)
        allowed = _cost(base, parameter, value) * limit / taken
        low, high = scale.coordinate(parameter.low), scale.coordinate(parameter.high)
        for _ in range(60):
            middle = (low + high) / 2
            low, high = (middle, high) if _cost(base, parameter, scale.value(middle)) <= allowed else (low, middle)
        last, value = value, scale.value(low)
        if abs(scale.coordinate(value) - scale.coordinate(last)) < 0.02:
            break
    if value <= parameter.low:
        raise RequestError(
            f"limit_ms {limit:g}: {base.name} takes more than that at {parameter.name}={parameter.low:g} already",
            "limit_ms",
        )
    return value


def _milliseconds(agent: PolicyAgent, rules: Rules) -> float:
    return speed.milliseconds_a_decision(agent, rules)
