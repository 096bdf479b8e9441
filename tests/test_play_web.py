"""`bigtwo play --web` as its own process, played in a real browser: a whole deal by keys and clicks, nothing else."""

import http.client
import json
import os
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import psutil
import pytest
from browser import chromium

from bigtwo_sim.big_two.record import Record, RecordError, check
from experiments.table.faces import SMALL

pytestmark = [pytest.mark.compiled, pytest.mark.slow, pytest.mark.process]

SIZE = {"width": 1000, "height": 620}
PATIENCE = 60.0  # seconds until a test calls it stuck


def until(condition: Any) -> Any:
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        found = condition()
        if found:
            return found
        time.sleep(0.02)
    raise AssertionError(f"it never came: {condition}")


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with chromium() as found:
        yield found


@pytest.fixture
def address(tmp_path: Path) -> Iterator[str]:
    """The server as a user starts it; when it is told to end, it leaves nothing running."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    options = ["--opponents=greedy,greedy,greedy", "--speed=instant", "--seed=32", f"--save={tmp_path}"]
    server = subprocess.Popen(
        [sys.executable, "-m", "experiments.cli", "play", "--web", f"--port={port}", *options],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONUNBUFFERED": "1"},
    )
    try:
        assert server.stdout is not None
        line = server.stdout.readline()
        where = rf"http://127\.0\.0\.1:{port}/[\w-]{{32}}/"
        found = re.fullmatch(rf"Big Two is at ({where}) \(for this machine only\); Ctrl-C ends it\.\n", line)
        assert found is not None, line
        yield found[1]
        games = psutil.Process(server.pid).children(recursive=True)
        server.send_signal(signal.SIGINT)
        _, errors = server.communicate(timeout=PATIENCE)
        assert errors == ""
        _, alive = psutil.wait_procs(games, timeout=PATIENCE)
        assert not alive
    finally:
        with suppress(psutil.NoSuchProcess):
            for process in psutil.Process(server.pid).children(recursive=True):
                process.kill()
        server.kill()
        server.wait()


def test_a_whole_deal_in_the_browser(browser: Any, address: str, tmp_path: Path) -> None:
    asked: list[str] = []
    faults: list[str] = []
    page = browser.new_page(viewport=SIZE)
    page.on("request", lambda request: asked.append(request.url))
    page.on("pageerror", lambda error: faults.append(str(error)))
    sizes: list[tuple[int, int]] = []

    def listen(frame: str | bytes) -> None:
        kind, *content = json.loads(frame)
        if kind == "resize":
            sizes.append((content[0]["width"], content[0]["height"]))

    page.on("websocket", lambda websocket: websocket.on("framesent", listen))
    page.goto(address)
    page.wait_for_selector("body.-first-byte")

    def record() -> Record | None:
        for path in tmp_path.glob("*.bigtwo"):
            with suppress(RecordError):
                return Record.load(path)
        return None

    def turns() -> int:
        found = record()
        return len(found.deals[-1].turns) if found and found.deals else -1

    until(lambda: page.keyboard.press("Enter") or record())  # as soon as the first screen listens
    until(lambda: turns() == 0)
    clicks = 0

    def click_lowest_card() -> None:
        box = page.locator(".xterm-screen").bounding_box()
        width, height = sizes[-1]
        column, row = (width - SMALL.total(13)) // 2 + 2, height - 7  # below it: marks, two lines, the keys
        page.mouse.click(
            box["x"] + box["width"] * (column + 0.5) / width, box["y"] + box["height"] * (row + 0.5) / height
        )

    def taken(by_mouse: bool, before: int) -> bool:
        """Take a turn, and see soon whether it was taken: the page may not have been ready for it."""
        page.keyboard.press("Backspace")
        if by_mouse:
            click_lowest_card()
        else:
            page.keyboard.press("Tab")
        page.keyboard.press("Enter")
        for _ in range(50):
            page.wait_for_timeout(20)
            if turns() != before:
                return True
        return False

    while not record().deals[0].is_finished:
        deal, before = record().deal(0), turns()
        if not deal.is_over and deal.turn == 0:
            by_mouse = before == 0  # the lowest card alone
            until(lambda by_mouse=by_mouse, before=before: taken(by_mouse, before))
            clicks += by_mouse
            if by_mouse:
                assert str(record().deals[0].turns[0][1]) == "3D"
    assert clicks == 1
    final = record()
    assert final is not None
    check(final)
    assert faults == []
    assert asked
    assert all(url.startswith(address) for url in asked)
    page.close()


def test_pages_from_elsewhere_are_refused(address: str) -> None:
    host, token = address.removeprefix("http://").rstrip("/").split("/")
    for path, headers, status in (
        (f"/{token}/", {}, 200),
        (f"/{token}/", {"Origin": "http://evil.example"}, 403),
        (f"/{token}/", {"Host": "evil.example"}, 403),
        ("/", {}, 403),
    ):
        connection = http.client.HTTPConnection(host)
        connection.request("GET", path, headers=headers)
        assert connection.getresponse().status == status
        connection.close()
