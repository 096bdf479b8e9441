"""Better weights for a method, searched, chosen and compared on decks of their own each."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd

from bigtwo_sim import __version__
from bigtwo_sim.arena import cores
from bigtwo_sim.arena.store.folder import write_whole
from bigtwo_sim.arena.store.manifest import describe
from bigtwo_sim.arena.store.shown import Shown, with_interval
from bigtwo_sim.arena.store.summary import figures
from bigtwo_sim.core.code_cache import source_fingerprint
from bigtwo_sim.games.big_two.rules import Rules
from bigtwo_sim.requests.errors import RequestError
from bigtwo_sim.requests.inputs import DEFAULT_AGAINST, AgentLike, RulesLike, big_two_rules, compiled, parameter_of
from bigtwo_sim.roster.level_file import Level, level_file
from bigtwo_sim.tuning.task import KNOBS, MEASURES, Comparison, Progress, Task, default_population
from bigtwo_sim.tuning.weights import Tuning
from bigtwo_sim.untrusted.checksums import CHECKSUMS, digest, line

LEVEL = "level.json"
DEFAULT_BUDGET = 20_000_000
DEFAULT_BLOCKS = 200


@dataclass(frozen=True)
class TuneRequest:
    """What is asked of a tuning."""

    agent: AgentLike
    """The compiled agent whose weights are searched."""
    rules: Rules
    against: Sequence[AgentLike] = (DEFAULT_AGAINST,)
    """Whom it meets; of several the mean counts."""
    objective: str = "points"
    """What is to become greater: `points` or `wins`."""
    weights: str | Sequence[str] | None = None
    """The settings that are searched, as a text with commas between them; None: all but whole numbers and knobs."""
    budget: int = DEFAULT_BUDGET
    """Deals in all."""
    population: int | None = None
    """Candidates of a generation; None: by the weights."""
    blocks: int = DEFAULT_BLOCKS
    """Blocks that each of them is tried on."""
    seed: int = 0

    def task(self, command: str = "tune()") -> Task:
        """The task, checked. Raises RequestError and AgentError for what cannot be meant."""
        tuned = compiled(self.agent)
        others = [compiled(other) for other in self.against]
        if self.objective not in MEASURES:
            raise RequestError(f"objective is {self.objective!r}; it must be {' or '.join(MEASURES)}", "objective")
        known = {parameter.name: parameter for parameter in tuned.method.parameters}
        searched = [name for name, one in known.items() if not one.whole and name not in KNOBS]
        if self.weights is not None:
            listed = self.weights.split(",") if isinstance(self.weights, str) else self.weights
            searched = [name.strip() for name in listed if name.strip()]
            for name in searched:
                parameter_of(tuned, name, "weights")
        if not searched or len(set(searched)) < len(searched):
            raise RequestError(
                f"weights is {self.weights!r}; it must name settings of {tuned.method.name}, each once", "weights"
            )
        task = Task(
            describe(tuned),
            [describe(other) for other in others],
            self.rules.to_dict(),
            self.objective,
            searched,
            self.seed,
            self.budget,
            self.population or default_population(len(searched)),
            self.blocks,
            source_fingerprint(),
            command,
        )
        if task.least_budget > self.budget:
            raise RequestError(
                f"budget {self.budget:,} is too small: one generation, the leaders and the comparison take "
                f"{task.least_budget:,} deals with blocks {self.blocks} and population {task.population}",
                "budget",
                "blocks",
                "population",
            )
        return task


@dataclass(frozen=True, repr=False)
class TunedWeights(Shown):
    """What came of a tuning."""

    path: Path
    """Its folder; `level.json` there is the level file of what was found."""
    report: dict[str, Any]
    """All of it, as `bigtwo tune --json` prints it."""

    @property
    def weights(self) -> dict[str, float]:
        """The settings that were found."""
        return dict(self.report["weights"])

    @property
    def better(self) -> bool:
        """Whether they are better than the old ones beyond doubt."""
        return bool(self.report["better"])

    @property
    def comparison(self) -> pd.DataFrame:
        """Old and new settings, and new less old, on decks that nothing was chosen on; with intervals."""
        parts = self.report["comparison"]
        return pd.DataFrame({"settings": who, **parts[who]} for who in ("old", "new", "difference"))

    def headline(self) -> str:
        """What came out, in a line."""
        comparison, verdict = self.report["comparison"], "better" if self.better else "no better"
        return (
            f"{self.report['agent']} tuned on {self.report['objective']}: {verdict} on {comparison['blocks']:,} blocks"
        )

    def table(self) -> pd.DataFrame:
        """The comparison, as texts."""
        rows = self.report["comparison"]
        return pd.DataFrame(
            {
                "settings": name,
                "win rate %": with_interval(rows[who], "win_rate", f"{sign}.2f", 100),
                "points over the other": with_interval(rows[who], "margin", "+.3f"),
            }
            for who, name, sign in (("old", "old", ""), ("new", "new", ""), ("difference", "new less old", "+"))
        )


def tune(
    agent: AgentLike,
    *,
    out: str | Path,
    rules: RulesLike = None,
    workers: int | None = None,
    progress: Callable[[Progress], None] = lambda progress: None,
    **more: Any,
) -> TunedWeights:
    """Search for better weights of a method by CMA-ES, and compare them with the old ones on fresh decks.

    `more` are the other fields of `TuneRequest`, such as `against`, `weights` or `budget`. Everything is kept in the
    folder `out`, from which `resume_tuning` goes on. Needs the extra [tune]. Raises RequestError, AgentError and
    RulesError for what cannot be meant, RunError where `out` holds anything.
    """
    task = TuneRequest(agent, big_two_rules(rules), **more).task()
    with contextlib.closing(Tuning.create(Path(out), task)) as tuning:
        return run_tuning(tuning, workers, progress)[0]


def resume_tuning(
    out: str | Path, workers: int | None = None, progress: Callable[[Progress], None] = lambda progress: None
) -> TunedWeights:
    """Go on with the tuning in a folder as it was begun. Raises RunError where there is none."""
    with contextlib.closing(Tuning.resume(Path(out))) as tuning:
        return run_tuning(tuning, workers, progress)[0]


def run_tuning(
    tuning: Tuning, workers: int | None, progress: Callable[[Progress], None]
) -> tuple[TunedWeights, Comparison]:
    """Search, compare, and write the level file; what came out, and the comparison with all of its digits."""
    comparison = tuning.run(workers or cores(), progress)
    better = _finish(tuning, comparison)
    return TunedWeights(tuning.path, _report(tuning, comparison, better)), comparison


# --- what came out ----------------------------------------------------------------------------------------------------
def _finish(tuning: Tuning, comparison: Comparison) -> bool:
    """Write the level file of what was found; return whether it is better than the old settings."""
    settings = tuning.settings
    assert settings is not None
    task = tuning.task
    better = comparison.difference[tuning.measure].low > 0
    kept = {name: value for name, value in task.agent["settings"].items() if value != tuning.default(name)}
    others = ", ".join(other["name"] for other in task.against)
    level = Level(
        f"{tuning.agent.name}-tuned",
        tuning.agent.method_text,
        {**kept, **settings},
        f"{tuning.agent.name} tuned on {task.objective} against {others}"
        + ("" if better else "; no better than it was"),
        source=tuning.agent.source_fingerprint(),
    )
    text = json.dumps(level_file(level, tuned=_report(tuning, comparison, better)), indent=2) + "\n"
    write_whole(tuning.path / LEVEL, text.encode())
    write_whole(tuning.path / CHECKSUMS, line(LEVEL, digest(text.encode())).encode())
    return better


def _report(tuning: Tuning, comparison: Comparison, better: bool) -> dict[str, Any]:
    task = tuning.task
    return {
        "engine_version": __version__,
        "command": task.command,
        "agent": task.agent["name"],
        "against": [other["name"] for other in task.against],
        "rules": task.rules,
        "objective": task.objective,
        "weights": tuning.settings,
        "seed": task.seed,
        "budget": task.budget,
        "generations": task.generations,
        "population": task.population,
        "blocks": task.blocks,
        "leaders": [{key: row[key] for key in ("origin", "blocks", "difference", "error")} for row in tuning.leaders],
        "comparison": {
            "seed": comparison.seed,
            "blocks": comparison.blocks,
            **{
                who: {key: value for name, found in part.items() for key, value in figures(name, found).items()}
                for who, part in (
                    ("old", comparison.old),
                    ("new", comparison.new),
                    ("difference", comparison.difference),
                )
            },
        },
        "better": better,
        "level_file": str(tuning.path / LEVEL),
    }
