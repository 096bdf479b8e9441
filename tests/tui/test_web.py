"""`bigtwo play --web` as its own process, played in a real browser: a whole deal by keys and clicks, nothing else."""

import http.client
import json
import os
import re
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

import psutil
import pytest

from bigtwo_sim.games.big_two.records.record import Record, check
from bigtwo_sim.games.big_two.records.record_form import RecordError
from bigtwo_sim.tui.drawing.card_art import SMALL
from tests.tools.browser import chromium, open_context
from tests.tools.waiting import PATIENCE, insist, wait_for
from tests.tui.pilot import LEADS, compile_players

pytestmark = [pytest.mark.compiled, pytest.mark.slow, pytest.mark.process]

SIZE = {"width": 1000, "height": 620}


@pytest.fixture(scope="module", autouse=True)
def _compiled() -> None:
    compile_players()


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
    options = ["--opponents=greedy,greedy,greedy", "--speed=instant", f"--seed={LEADS}", f"--save={tmp_path}"]
    server = subprocess.Popen(
        [sys.executable, "-m", "bigtwo_sim.cli.main", "play", "--web", f"--port={port}", *options],
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
    page = open_context(browser, viewport=SIZE).new_page()
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

    def rest(seconds: float) -> None:
        page.wait_for_timeout(1000 * seconds)  # so that the page goes on, too

    # As soon as the first screen listens.
    insist("the record of a game", lambda: page.keyboard.press("Enter"), record, rest)
    insist("the beginning of the deal", lambda: None, lambda: turns() == 0, rest)
    clicks = 0

    def click_lowest_card() -> None:
        box = page.locator(".xterm-screen").bounding_box()
        width, height = sizes[-1]
        column, row = (width - SMALL.total(13)) // 2 + 2, height - 7  # below it: marks, two lines, the keys
        page.mouse.click(
            box["x"] + box["width"] * (column + 0.5) / width, box["y"] + box["height"] * (row + 0.5) / height
        )

    def take_turn(by_mouse: bool) -> None:
        page.keyboard.press("Backspace")
        if by_mouse:
            click_lowest_card()
        else:
            page.keyboard.press("Tab")
        page.keyboard.press("Enter")

    def is_to_act() -> bool:
        """Whether the person, or nobody, is to act; until then the others act by themselves."""
        found = record()
        if found is None:
            return False
        deal = found.deal(0)
        return found.deals[0].is_finished or (not deal.is_over and deal.turn == 0)

    while wait_for("the next turn", is_to_act) and not record().deals[0].is_finished:
        deal, before = record().deal(0), turns()
        if not deal.is_over and deal.turn == 0:
            by_mouse = before == 0  # the lowest card alone
            insist("the turn", partial(take_turn, by_mouse), lambda before=before: turns() != before, rest)
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
    page.context.close()


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
