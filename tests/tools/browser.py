"""A real Chromium without a window, for tests of what is drawn; where there is none, the tests that need it skip."""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from tests.tools.waiting import PATIENCE

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
# As root (in CI) there is no sandbox; the rest keeps the browser from looking for things on the network.
FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)


def _missing(reason: str) -> None:
    if os.environ.get("BIGTWO_NEEDS_BROWSER"):
        pytest.fail(f"BIGTWO_NEEDS_BROWSER is set, but {reason}")
    pytest.skip(reason)


def open_context(browser: Any, **options: Any) -> Any:
    """A context of the browser, in which whatever is waited for has the time that all tests have."""
    context = browser.new_context(**options)
    context.set_default_timeout(1000 * PATIENCE)
    return context


@contextmanager
def chromium() -> Iterator[Any]:
    """A Playwright browser. BIGTWO_BROWSER names one that is not on the path."""
    found = os.environ.get("BIGTWO_BROWSER") or next(filter(None, map(shutil.which, NAMES)), None)
    if found is None:
        _missing("there is no Chromium or Chrome on the path (apt-get install chromium, or set BIGTWO_BROWSER)")
    try:
        from playwright.sync_api import sync_playwright
    except ModuleNotFoundError:
        _missing("there is no playwright (pip install -c constraints.txt -e '.[test,browser]')")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=found, args=list(FLAGS), timeout=1000 * PATIENCE)
        yield browser
        browser.close()
