"""Tuning the weights of a method: CMA-ES over its settings, with the luck of the cards taken out as far as it goes.

CMA-ES (Hansen and Ostermeier, Evolutionary Computation 9(2), 2001) draws a generation of candidates around its mean,
tries them, and moves to where the better ones are. Trying means playing, so all that it sees is noisy. Against that:

* All candidates of a generation, and the old settings, are tried on the *same* decks; what is told is the difference to
  the old ones, deck by deck. Each generation has decks of its own, so that no weight is fitted to some of them.
* The best value seen is mostly luck. So the *leaders*, the means that the search went through and the candidates with
  the highest values, are tried again on fresh decks, and the worse half is dropped round by round.
* The one that is left is compared with the old settings on decks that neither the search nor the leaders had.

Every candidate is a trial of an Optuna study in an SQLite file, from which an interrupted search goes on as if nothing
had happened: the state of the search follows from the values alone, and they are told again. (Optuna's own sampler of
CMA-ES, which is made of the same package, stores its whole state with each trial, which took ten times as long as all
the rest.)
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from bigtwo_sim.arena import RunError
from bigtwo_sim.arena.runners.trials import ALL_MIXTURES, Figures, Trials, mean_figures
from bigtwo_sim.arena.stats.intervals import Estimate
from bigtwo_sim.arena.store.folder import locked, locked_anew, make_folder, remove
from bigtwo_sim.core.code_cache import source_fingerprint
from bigtwo_sim.core.rng import derived_seed
from bigtwo_sim.games.big_two import PolicyAgent, Rules
from bigtwo_sim.roster.spec import agent_from_manifest
from bigtwo_sim.tuning.space import Space
from bigtwo_sim.tuning.study import DATABASE, Tried, TuningStudy, raise_without_extra
from bigtwo_sim.tuning.task import (
    LEADERS,
    MEASURES,
    Comparison,
    Leader,
    Progress,
    Task,
    rounds,
)

SEARCHED, LED, COMPARED, DRAWN = range(10, 14)  # purposes of random numbers, for `derived_seed`
MOST_OF_NUMPY = 2**32  # a seed of NumPy's RandomState must be below it


class Tuning:
    """One tuning in its folder. Make it with `create` or `resume`; `run` goes on with it to its end."""

    def __init__(self, path: Path, study: TuningStudy, lock: Any) -> None:
        self.path = path
        self.task = task = study.task
        self._study = study
        self._lock = lock
        self.rules = Rules.from_dict(task.rules)
        agent = agent_from_manifest(task.agent)
        assert isinstance(agent, PolicyAgent)
        self.agent = agent
        self.against = [agent_from_manifest(other) for other in task.against]
        self._parameters = [parameter for parameter in agent.method.parameters if parameter.name in set(task.weights)]
        self._old = {name: float(task.agent["settings"][name]) for name in task.weights}

    # --- the study ----------------------------------------------------------------------------------------------------
    @classmethod
    def create(cls, path: Path, task: Task) -> Tuning:
        """A new tuning in the folder `path`.

        Raises InputError without the extra [tune], before anything is written; RunError where the folder holds anything
        already or cannot be written.
        """
        raise_without_extra()
        if (path / DATABASE).exists():
            raise RunError(f"{path} holds a tuning already; name another folder, or go on with it by --resume {path}")
        make_folder(path)
        lock = locked_anew(path)
        try:
            return cls(path, TuningStudy.create(path, task), lock)
        except BaseException:
            remove(path, lock)
            raise

    @classmethod
    def resume(cls, path: Path, agree: Callable[[Sequence[Mapping[str, Any]]], None] = lambda agents: None) -> Tuning:
        """Take up the tuning in `path`. `agree` is given what describes its agents, before any code of theirs runs.

        Raises InputError without the extra [tune]; RunError where there is no tuning, it is damaged, or it was begun by
        another engine.
        """
        raise_without_extra()
        if not (path / DATABASE).exists():
            raise RunError(f"{path} holds no tuning: there is no {DATABASE} in it")
        lock = locked(path)
        try:
            study = TuningStudy.open(path)
            if study.task.engine_source != source_fingerprint():
                raise RunError(
                    f"{path} was begun by another engine ({study.task.engine_source}, here {source_fingerprint()}), "
                    "whose deals may differ; go on with that one, or begin anew"
                )
            agree([study.task.agent, *study.task.against])
            return cls(path, study, lock)
        except BaseException:
            lock.release()
            raise

    # --- running ------------------------------------------------------------------------------------------------------
    def run(self, workers: int, progress: Callable[[Progress], None] = lambda progress: None) -> Comparison:
        """Go on to the end: search, try the leaders again, compare the best with the old settings."""
        means = self._search(workers, progress)
        best = self._best_leader(means, workers, progress)
        return self._compare(best, workers, progress)

    @property
    def settings(self) -> dict[str, float] | None:
        """The settings that were found, all of the searched ones; None as long as there are none."""
        return self.leaders[0]["settings"] if self.leaders else None

    @property
    def leaders(self) -> list[dict[str, Any]]:
        """What the leaders came to, the best first; empty as long as they were not tried."""
        found: list[dict[str, Any]] = self._study.kept("leaders") or []
        return found

    @property
    def measure(self) -> str:
        """What is maximised, by its name in `Figures`."""
        return MEASURES[self.task.objective]

    def default(self, setting: str) -> float:
        """The method's default of a setting."""
        return {parameter.name: parameter.default for parameter in self.agent.method.parameters}[setting]

    def close(self) -> None:
        """Let other processes have the folder."""
        self._study.close()
        self._lock.release()

    @property
    def generations_done(self) -> int:
        """Generations that are in the study in full."""
        return len(self._study.trials) // self.task.population

    @contextmanager
    def _trials(self, purpose: int, workers: int) -> Iterator[_Tables]:
        """Tables at which candidates meet each of the others, on decks of their own for a purpose."""
        seed = derived_seed(self.task.seed, purpose)
        with ExitStack() as stack:
            tables = [
                stack.enter_context(Trials(other, self.rules, seed, workers, ALL_MIXTURES)) for other in self.against
            ]
            yield _Tables(tables, seed)

    def _with(self, settings: dict[str, float]) -> PolicyAgent:
        method = self.agent.method
        return PolicyAgent("candidate", method, method.params({**self.task.agent["settings"], **settings}))

    def _measure(self, figures: Figures) -> npt.NDArray[np.float64]:
        values: npt.NDArray[np.float64] = getattr(figures, MEASURES[self.task.objective])
        return values

    # --- the search ---------------------------------------------------------------------------------------------------
    def _search(self, workers: int, progress: Callable[[Progress], None]) -> list[dict[str, float]]:
        """All generations; returns the means that the search went through."""

        task = self.task
        space = Space(self._parameters, self._old)
        engine = space.engine(task.population, derived_seed(task.seed, DRAWN) % MOST_OF_NUMPY)
        stored: dict[int, dict[int, Any]] = {}
        for trial in self._study.trials:
            stored.setdefault(trial.user_attrs["generation"], {})[trial.user_attrs["place"]] = trial
        bounds = {one.name: (one.low, one.high) for one in self._parameters}
        means = []
        deals = 0
        with self._trials(SEARCHED, workers) as trials, ThreadPoolExecutor(1) as writer:
            written: Future[None] | None = None
            for generation in range(task.generations):
                engine.reseed_rng(derived_seed(task.seed, DRAWN, generation) % MOST_OF_NUMPY)
                drawn = [space.settings(engine.ask()) for _ in range(task.population)]
                known = stored.get(generation, {})
                missing = [place for place in range(task.population) if place not in known]
                values = np.array([known[place].value if place in known else math.nan for place in range(len(drawn))])
                if missing:
                    candidates = [self._with({}), *(self._with(drawn[place]) for place in missing)]
                    old, *figures = trials.play(candidates, generation * task.blocks, task.blocks)
                    tried = []
                    for place, found in zip(missing, figures, strict=True):
                        differences = self._measure(found.less(old))
                        values[place] = differences.mean()
                        tried.append(Tried(drawn[place], float(values[place]), generation, place, _error(differences)))
                    if written is not None:
                        written.result()
                    # Writing takes as long as playing, so it goes on beside the next generation.
                    written = writer.submit(self._study.add, tried, bounds)
                engine.tell([(space.point(one), -value) for one, value in zip(drawn, values, strict=True)])
                means.append(space.settings(engine.mean))
                deals += task.generation_deals
                text = f"generation {generation + 1} of {task.generations}: {values.mean():+.3f} on average"
                progress(Progress("search", deals, task.budget, text))
            if written is not None:
                written.result()
        return means

    # --- the leaders --------------------------------------------------------------------------------------------------
    def _candidates(self, means: list[dict[str, float]]) -> list[Leader]:
        """Half of the leaders are means of the search, the later the denser; half are the trials of highest value."""
        places = sorted({len(means) - 1 - round(i**2 * (len(means) - 1) / LEADERS**2) for i in range(LEADERS // 2)})
        found = [Leader(means[place], f"mean of generation {place + 1}") for place in places]
        ranked = sorted(self._study.trials, key=lambda trial: -trial.value)
        origin = "trial {number} of generation {generation}"
        found += [
            Leader(trial.params, origin.format(number=trial.number, generation=trial.user_attrs["generation"] + 1))
            for trial in ranked[: LEADERS - len(found)]
        ]
        for leader in found:  # what is tried is what is told
            leader.settings = {name: float(f"{value:.4g}") for name, value in leader.settings.items()}
        return found

    def _best_leader(
        self, means: list[dict[str, float]], workers: int, progress: Callable[[Progress], None]
    ) -> dict[str, float]:
        if self.settings is not None:
            return self.settings
        task = self.task
        leaders = self._candidates(means)
        out: list[Leader] = []
        old: Figures | None = None
        first, blocks = 0, task.leader_blocks
        deals = task.generations * task.generation_deals
        with self._trials(LED, workers) as trials:
            for left in rounds(len(leaders)):
                agents = [self._with({}), *(self._with(leader.settings) for leader in leaders)]
                new_old, *figures = trials.play(agents, first, blocks)
                old = new_old if old is None else old.then(new_old)
                for leader, found in zip(leaders, figures, strict=True):
                    leader.figures = found if leader.figures is None else leader.figures.then(found)
                    differences = self._measure(leader.figures.less(old))
                    leader.blocks, leader.difference = len(differences), float(differences.mean())
                    leader.error = _error(differences)
                leaders.sort(key=lambda leader: -leader.difference)
                out = leaders[(left + 1) // 2 :] + out
                leaders = leaders[: (left + 1) // 2]
                deals += (left + 1) * blocks * task.deals_a_block
                text = f"{left} leaders: the best {leaders[0].difference:+.3f} ± {1.96 * leaders[0].error:.3f}"
                progress(Progress("leaders", deals, task.budget, text))
                first, blocks = first + blocks, 2 * blocks
        ranked = [{key: value for key, value in vars(one).items() if key != "figures"} for one in leaders + out]
        self._study.keep("leaders", ranked)
        return dict(leaders[0].settings)

    # --- the comparison -----------------------------------------------------------------------------------------------
    def _compare(self, best: dict[str, float], workers: int, progress: Callable[[Progress], None]) -> Comparison:
        known = self._study.kept("comparison")
        if known is not None:
            return Comparison.from_dict(known)
        task = self.task
        deals = task.budget - 2 * task.comparison_blocks * task.deals_a_block
        progress(Progress("comparison", deals, task.budget, "old against new"))
        with self._trials(COMPARED, workers) as trials:
            old, new = trials.play([self._with({}), self._with(best)], 0, task.comparison_blocks)
            seed = trials.seed

        def both(figures: Figures) -> dict[str, Estimate]:
            return {measure: figures.estimate(measure) for measure in MEASURES.values()}

        found = Comparison(seed, task.comparison_blocks, both(old), both(new), both(new.less(old)))
        self._study.keep("comparison", found.to_dict())
        return found


@dataclass(frozen=True)
class _Tables:
    """The tables of a purpose."""

    tables: list[Trials]
    seed: int

    def play(self, candidates: Sequence[PolicyAgent], first: int, blocks: int) -> list[Figures]:
        """The figures of each candidate, as means over the others that it meets."""
        played = [table.play(candidates, first, blocks) for table in self.tables]
        return [mean_figures(of_candidate) for of_candidate in zip(*played, strict=True)]


def _error(values: npt.NDArray[np.float64]) -> float:
    return float(values.std(ddof=1)) / math.sqrt(len(values)) if len(values) > 1 else math.nan
