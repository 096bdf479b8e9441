"""What all tests share: which of them run as plain Python, and how hypothesis behaves."""

import importlib
import os
import signal
import tomllib
from collections.abc import Iterator

import hypothesis
import pytest

from bigtwo_sim.core.installed import AGENTS, offers
from bigtwo_sim.core.kernel import compiled
from tests import ROOT

# The searches take longest to compile. Each worker begins with another one, so that together they compile them once
# and at the same time.
HEAVY = ("bigtwo_agents.big_two.monte_carlo", "bigtwo_agents.big_three.monte_carlo")
if "PYTEST_XDIST_WORKER" in os.environ:
    worker = int(os.environ["PYTEST_XDIST_WORKER"].removeprefix("gw"))
    compiled(importlib.import_module(HEAVY[worker % len(HEAVY)]).METHOD.function)

# Under nohup and in the background of a script, children would ignore the signals that tests send them: what is ignored
# is passed on, unlike a handler.
if hasattr(signal, "SIGHUP") and signal.getsignal(signal.SIGHUP) == signal.SIG_IGN:
    signal.signal(signal.SIGHUP, lambda *_: None)
if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

INTERPRETED = os.environ.get("NUMBA_DISABLE_JIT", "0") not in ("", "0")

hypothesis.settings.register_profile(
    "bigtwo",
    deadline=None,  # the first example may compile
    suppress_health_check=[hypothesis.HealthCheck.too_slow],  # it measures time
    derandomize="CI" in os.environ,  # a failure there must come back when run again
    max_examples=20 if INTERPRETED else 100,
)
hypothesis.settings.load_profile("bigtwo")


def pytest_configure() -> None:
    """Refuse to test an installation that was made before the agents of this checkout were declared."""
    declared = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["entry-points"]
    if not set(declared[AGENTS]) <= set(offers(AGENTS)):
        pytest.exit(f"the installed package offers other agents than {ROOT}: run pip install --no-deps -e {ROOT}", 4)


COMPILED_ONLY = {"compiled", "process", "drawing", "sweep"}
"""Markers of the tests that are too slow as plain Python, or would prove nothing more there."""


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out the tests marked as `COMPILED_ONLY` where compilation is switched off."""
    if not INTERPRETED:
        return
    left_out = [item for item in items if COMPILED_ONLY & {mark.name for mark in item.iter_markers()}]
    if left_out:
        config.hook.pytest_deselected(items=left_out)
        items[:] = [item for item in items if not COMPILED_ONLY & {mark.name for mark in item.iter_markers()}]


@pytest.fixture(scope="session", autouse=True)
def _state_of_its_own(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """What a user agreed to before decides no test, and no test agrees for the user."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("BIGTWO_STATE_DIR", str(tmp_path_factory.mktemp("state")))
        yield


@pytest.fixture
def slow_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    """Limits of agents in processes that no honest one reaches, and that a bot which sleeps reaches at once."""
    from tests.bots.processes import slow_down

    slow_down(monkeypatch)
