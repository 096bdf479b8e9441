"""The study of a tuning: an SQLite file of Optuna's, whose contents are proved before anything is taken from them.

Each trial carries a hash of itself and of all trials before it, and what is kept beside them one of itself and of the
task; so what was damaged, or is of another tuning, is noticed. A trial that is missing at the end was not finished when
the process was killed, and is played again.
"""

from __future__ import annotations

import contextlib
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any, Literal, NamedTuple, NotRequired

from annotated_types import Ge, MinLen
from typing_extensions import TypedDict

from bigtwo_sim.arena import RunError
from bigtwo_sim.core.installed import missing_extra
from bigtwo_sim.tuning.task import FORMAT, Task
from bigtwo_sim.untrusted.documents import SEAL, DocumentError, check, raise_if_unsealed, seal
from bigtwo_sim.untrusted.errors import InputError

DATABASE = "tuning.sqlite3"
STUDY = "tuning"
_BEGUN = f".tmp-{DATABASE}"
_TASK = "task"


class Tried(NamedTuple):
    """A candidate that was tried."""

    settings: dict[str, float]
    value: float
    generation: int
    place: int
    error: float


class _Agent(TypedDict):
    """A compiled agent: nothing that a file names is run."""

    name: str
    method: str
    settings: dict[str, float]


class _Task(TypedDict):
    format: Literal[1]
    agent: _Agent
    against: Annotated[list[_Agent], MinLen(1)]
    rules: dict[str, str]
    objective: Literal["points", "wins"]
    weights: Annotated[list[str], MinLen(1)]
    seed: Annotated[int, Ge(0)]
    budget: Annotated[int, Ge(1)]
    population: Annotated[int, Ge(2)]
    blocks: Annotated[int, Ge(2)]
    engine_source: str
    command: str
    sha256: NotRequired[str]


class TuningStudy:
    """The study of one tuning. Make it with `create` or `open`."""

    def __init__(self, path: Path, task: Task, study: Any, storage: Any) -> None:
        self.task = task
        self._path = path
        self._study = study
        self._storage = storage
        self._root = seal(asdict(task))
        self._last = self._root
        for number, trial in enumerate(self.trials):
            self._last = self._proved(number, trial)

    @classmethod
    def create(cls, path: Path, task: Task) -> TuningStudy:
        """A new study in the folder `path`, there in full or not at all. Raises RunError where it cannot be written."""
        begun = path / _BEGUN
        begun.unlink(missing_ok=True)
        with _told(path):
            study, storage = _study(begun, new=True)
            study.set_user_attr(_TASK, {**asdict(task), SEAL: seal(asdict(task))})
            _close(storage)
        begun.replace(path / DATABASE)
        return cls.open(path)

    @classmethod
    def open(cls, path: Path) -> TuningStudy:
        """The study in the folder `path`. Raises RunError where there is none, or it is damaged."""
        file = path / DATABASE
        if not file.exists():
            raise RunError(f"{path} holds no tuning: there is no {DATABASE} in it")
        with _told(path):
            with contextlib.closing(sqlite3.connect(f"{file.absolute().as_uri()}?mode=rw", uri=True)) as connection:
                found = connection.execute("PRAGMA integrity_check").fetchone()[0]
            if found != "ok":
                raise RunError(f"{file} is damaged: {' '.join(str(found).split())[:200]}")
            study, storage = _study(file, new=False)
            try:
                values = study.user_attrs.get(_TASK)
                if not isinstance(values, dict) or values.get("format") != FORMAT:
                    raise RunError(f"{file} is not of format {FORMAT}, the one that this version reads")
                if SEAL not in values:
                    raise RunError(
                        f"{file} was begun by an earlier version of bigtwo_sim, whose trials cannot be verified; "
                        "begin anew"
                    )
                raise_if_unsealed(file, values)
                check(file, values, _Task)
                return cls(
                    path, Task(**{name: value for name, value in values.items() if name != SEAL}), study, storage
                )
            except DocumentError as error:
                raise RunError(f"{file} is damaged: {error.reason}") from None
            except BaseException:
                _close(storage)
                raise

    def close(self) -> None:
        """Close the file."""
        _close(self._storage)

    # --- trials -------------------------------------------------------------------------------------------------------
    @property
    def trials(self) -> Sequence[Any]:
        """All trials, by number."""
        return self._study.get_trials(deepcopy=False)  # type: ignore[no-any-return]

    def add(self, tried: Sequence[Tried], bounds: Mapping[str, tuple[float, float]]) -> None:
        """Add candidates that were tried; `bounds` are those of each setting that is searched."""
        from optuna.distributions import BaseDistribution, FloatDistribution
        from optuna.trial import create_trial

        ranges: dict[str, BaseDistribution] = {name: FloatDistribution(*ends) for name, ends in bounds.items()}
        for one in tried:
            settings = {name: float(value) for name, value in one.settings.items()}
            hashed = _chained(self._last, settings, one.value, one.generation, one.place, one.error)
            attributes = {"generation": one.generation, "place": one.place, "error": one.error, SEAL: hashed}
            self._study.add_trial(
                create_trial(params=settings, distributions=ranges, value=one.value, user_attrs=attributes)
            )
            self._last = hashed

    def _proved(self, number: int, trial: Any) -> str:
        """The hash of a trial. Raises RunError where it is not the one that was added after those before it."""
        attributes = trial.user_attrs
        wanted = [attributes.get(name) for name in ("generation", "place", "error")]
        hashed = _chained(self._last, trial.params, trial.value, *wanted)
        if not trial.state.is_finished() or attributes.get(SEAL) != hashed:
            raise RunError(f"{self._path / DATABASE} is damaged: trial {number} is not the one that was saved")
        return hashed

    # --- what is kept beside them -------------------------------------------------------------------------------------
    def kept(self, name: str) -> Any:
        """What `keep` saved under a name; None where there is nothing. Raises RunError where it is damaged."""
        found = self._study.user_attrs.get(name)
        if found is None:
            return None
        if not isinstance(found, dict) or found.get(SEAL) != seal([self._root, name, found.get("value")]):
            raise RunError(f"{self._path / DATABASE} is damaged: its {name} are not those that were saved")
        return found["value"]

    def keep(self, name: str, value: Any) -> None:
        """Save plain values under a name."""
        self._study.set_user_attr(name, {"value": value, SEAL: seal([self._root, name, value])})


def _chained(before: str, settings: Mapping[str, float], *values: Any) -> str:
    return seal([before, dict(settings), *values])


def raise_without_extra() -> None:
    """Raise InputError where the packages of the extra [tune] are missing."""
    try:
        import cmaes  # noqa: F401
        import optuna  # noqa: F401
        import sqlalchemy  # noqa: F401
    except ImportError as error:
        raise InputError(missing_extra("tuning", "tune", error.name)) from None


@contextlib.contextmanager
def _told(path: Path) -> Iterator[None]:
    """Raise RunError for whatever a damaged database makes of itself while it is opened."""
    from sqlalchemy.exc import SQLAlchemyError

    try:
        yield
    except (
        SQLAlchemyError,
        sqlite3.Error,
        OSError,
        KeyError,
        RuntimeError,
        ValueError,
        TypeError,
        AssertionError,
    ) as error:
        if isinstance(error, RunError):
            raise
        reason = " ".join(str(error).split())[:200]
        raise RunError(f"{path / DATABASE} cannot be used: {reason}") from error


def _log_ahead(connection: Any, record: Any) -> None:
    for pragma in ("journal_mode=WAL", "synchronous=NORMAL"):
        connection.execute(f"PRAGMA {pragma}")


def _study(file: Path, *, new: bool) -> tuple[Any, Any]:
    """The study in a file, and its storage."""
    import optuna
    from sqlalchemy import event

    optuna.logging.set_verbosity(optuna.logging.ERROR)
    storage = optuna.storages.RDBStorage(f"sqlite:///{file}")
    if new:  # it is moved to its place, which a log beside it would not be
        return optuna.create_study(study_name=STUDY, storage=storage, direction="maximize"), storage
    # A log that is written ahead survives a crash at any point, and no trial waits for the disk.
    storage.engine.dispose()
    event.listen(storage.engine, "connect", _log_ahead)
    return optuna.load_study(study_name=STUDY, storage=storage), storage


def _close(storage: Any) -> None:
    storage.remove_session()
    storage.engine.dispose()
