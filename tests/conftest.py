"""What all tests share: which of them run as plain Python, and how hypothesis behaves."""

import os

import hypothesis
import pytest

INTERPRETED = os.environ.get("NUMBA_DISABLE_JIT", "0") not in ("", "0")

hypothesis.settings.register_profile(
    "bigtwo",
    deadline=None,  # the first example may compile
    derandomize="CI" in os.environ,  # a failure there must come back when run again
    max_examples=20 if INTERPRETED else 100,
)
hypothesis.settings.load_profile("bigtwo")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out the tests marked `compiled` where compilation is switched off."""
    if not INTERPRETED:
        return
    too_slow = [item for item in items if item.get_closest_marker("compiled")]
    if too_slow:
        config.hook.pytest_deselected(items=too_slow)
        items[:] = [item for item in items if not item.get_closest_marker("compiled")]
