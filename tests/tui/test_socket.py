"""The server of `bigtwo play --web` against hostile pages, over real sockets; its games only say what they are told."""

import asyncio
import contextlib
import json
import os
import re
import signal
import socket
import subprocess
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import aiohttp
import psutil
import pytest
from aiohttp import web

from bigtwo_sim.tui.web.server import LONGEST_MESSAGE, MOST_GAMES, LocalServer
from bigtwo_sim.tui.web.session import LARGEST, within
from tests import ROOT
from tests.tools.waiting import PATIENCE, wait_for, wait_for_async

pytestmark = pytest.mark.skipif(os.name != "posix", reason="process groups of POSIX")

GAME = """
import json, os, struct, sys, time
def say(**values):
    data = json.dumps(values).encode()
    os.write(1, b"D" + struct.pack(">I", len(data)) + data)
os.write(1, b"__GANGLION__\\n")
say(columns=os.environ["COLUMNS"], rows=os.environ["ROWS"], pid=os.getpid())
while True:
    head = sys.stdin.buffer.read(5)
    if not head:
        time.sleep(1000)  # it does not care that its server is gone
    data = sys.stdin.buffer.read(struct.unpack(">I", head[1:])[0])
    if head[:1] == b"D":
        say(keys=data.decode())
        if data == b"eat":
            eaten = bytearray(b"x") * 2**20
            while True:
                eaten += eaten[:2**24]
        if data == b"die":
            os._exit(3)
        if data == b"flood":
            sys.stderr.write("x" * 10**7)
            say(flooded=True)
    elif json.loads(data)["type"] == "quit":
        if "stay" not in sys.argv:
            os.write(1, b"M" + struct.pack(">I", 15) + b'{"type":"exit"}')
            break
    else:
        say(**json.loads(data))
"""


class Client:
    """A page, or what takes itself for one."""

    def __init__(self, server: LocalServer, session: aiohttp.ClientSession) -> None:
        self.server = server
        self.session = session
        self.host = f"127.0.0.1:{server.port}"

    async def status(self, path: str, **headers: str) -> int:
        async with self.session.get(f"http://{self.host}{path}", headers=headers) as response:
            await response.read()
            return response.status

    @asynccontextmanager
    async def socket(self, query: str = "?width=80&height=24") -> AsyncIterator[aiohttp.ClientWebSocketResponse]:
        url = f"ws://{self.host}/{self.server.token}/ws{query}"
        async with self.session.ws_connect(url, origin=f"http://{self.host}") as found:
            yield found


@asynccontextmanager
async def serving(folder: Path, *arguments: str) -> AsyncIterator[Client]:
    (folder / "game.py").write_text(GAME, encoding="utf-8")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    server = LocalServer([sys.executable, "-S", "-E", str(folder / "game.py"), *arguments], port)
    runner = web.AppRunner(await server._make_app(), shutdown_timeout=5)
    await runner.setup()
    try:
        await web.TCPSite(runner, "127.0.0.1", port).start()
        async with aiohttp.ClientSession() as session:
            yield Client(server, session)
    finally:
        await runner.cleanup()


def with_server(folder: Path, test: Callable[[Client], Awaitable[None]], *arguments: str) -> None:
    async def run() -> None:
        async with serving(folder, *arguments) as client:
            await test(client)

    asyncio.run(run())


async def says(socket: aiohttp.ClientWebSocketResponse, name: str) -> Any:
    """What the game says under a name, next."""
    while True:
        message = await socket.receive(timeout=PATIENCE)
        assert message.type == aiohttp.WSMsgType.BINARY, message
        if name in (values := json.loads(message.data)):
            return values[name]


async def is_closed(socket: aiohttp.ClientWebSocketResponse) -> bool:
    while not socket.closed:
        await socket.receive(timeout=PATIENCE)
    return True


def is_gone(pid: int) -> bool:
    try:
        return psutil.Process(pid).status() == psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return True


# --- who may come in --------------------------------------------------------------------------------------------------
def test_only_pages_that_know_the_secret_come_in(tmp_path: Path) -> None:
    async def test(client: Client) -> None:
        token = client.server.token
        assert len(token) >= 32
        own, evil = f"http://{client.host}", "http://evil.example"
        for path, headers, status in [
            (f"/{token}/", {}, 200),
            (f"/{token}/", {"Origin": own}, 200),
            (f"/{token}/static/css/xterm.css", {}, 200),
            (f"/{token}/", {"Origin": evil}, 403),
            (f"/{token}/", {"Host": "evil.example"}, 403),
            (f"/{token}/", {"Host": f"evil.example:{client.server.port}"}, 403),
            (f"/{token}/none", {}, 404),
            ("/", {}, 403),
            (f"/{token[:-1]}/", {}, 403),
            (f"/{token}x/", {}, 403),
            ("/static/css/xterm.css", {}, 403),
            (f"//{token}/", {}, 403),
            ("/%ff%fe/", {}, 403),
            ("/ws", {"Origin": own}, 403),
            (f"/{token}/ws", {}, 403),  # a socket needs an origin
            (f"/{token}/ws", {"Origin": evil}, 403),
        ]:
            assert await client.status(path, **headers) == status, (path, headers)
        for url, origin in [
            (f"ws://{client.host}/{token}/ws", evil),
            (f"ws://{client.host}/{token}/ws", None),
            (f"ws://{client.host}/ws", own),
            (f"ws://{client.host}/{'x' * len(token)}/ws", own),
        ]:
            with pytest.raises(aiohttp.WSServerHandshakeError) as caught:
                await client.session.ws_connect(url, origin=origin)
            assert caught.value.status == 403

    with_server(tmp_path, test)
    assert LocalServer(["game"], 8000).token != LocalServer(["game"], 8000).token


# --- what they may send -----------------------------------------------------------------------------------------------
def test_a_window_is_only_so_large(tmp_path: Path) -> None:
    assert within(1_000_000, 1_000_000) == LARGEST
    assert within(-5, 0) == (1, 1)

    async def test(client: Client) -> None:
        async with client.socket("?width=1000000&height=1000000") as socket:
            assert await says(socket, "columns") == str(LARGEST[0])
            for sent, seen in [(10**6, 500), (10**400, 500), (120, 120), (-1, 1)]:
                await socket.send_json(["resize", {"width": sent, "height": 50}])
                assert await says(socket, "width") == seen
            await socket.send_json(["stdin", "♦"])
            assert await says(socket, "keys") == "♦"
            await socket.send_json(["ping", "17"])
            assert json.loads((await socket.receive(timeout=PATIENCE)).data) == ["pong", "17"]
        async with client.socket(f"?width={'9' * 5000}&height=x") as socket:
            assert await says(socket, "columns") == str(LARGEST[0])
        async with client.socket("?width=-5&height=x") as socket:
            assert await says(socket, "columns") == "1"
        async with client.socket("") as socket:
            assert await says(socket, "columns") == "80"

    with_server(tmp_path, test)


HOSTILE: list[str | bytes] = [
    "",
    "garbage",
    "[",
    "[" * 10_000,
    "{}",
    "null",
    "[]",
    "[[]]",
    '["unknown", 1]',
    '["stdin"]',
    '["stdin", 5]',
    '["stdin", "\\ud800"]',
    '["resize"]',
    '["resize", 5]',
    '["resize", {}]',
    '["resize", {"width": "80", "height": 24}]',
    '["resize", {"width": 1e999, "height": 24}]',
    '["resize", {"width": NaN, "height": 24}]',
    f'["resize", {{"width": {"9" * 10_000}, "height": 24}}]',
    '["ping"]',
    '["ping", {}]',
    f'["ping", "{"x" * 10_000}"]',
    f'["stdin", "{"x" * (LONGEST_MESSAGE + 1)}"]',
    b"binary",
]


def test_what_no_page_sends_closes_the_socket_and_ends_its_game(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    async def attack(client: Client, message: str | bytes) -> int:
        async with client.socket() as socket:
            pid: int = await says(socket, "pid")
            await (socket.send_bytes(message) if isinstance(message, bytes) else socket.send_str(message))
            assert await is_closed(socket), message
            return pid

    async def test(client: Client) -> None:
        for message in HOSTILE:
            pid = await attack(client, message)
            await wait_for_async("the end of the game", lambda pid=pid: is_gone(pid))
        async with client.socket() as socket:  # it serves on
            await says(socket, "pid")

    with_server(tmp_path, test)
    lines = capsys.readouterr().err.splitlines()
    assert all(line.startswith("bigtwo: A page was closed, for it sent ") for line in lines)
    assert len(lines) == len(set(lines)) < len(HOSTILE)


def test_a_page_sends_only_so_much(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bigtwo_sim.tui.web.server.MOST_MESSAGES", 1)

    async def test(client: Client) -> None:
        async with client.socket() as socket:
            with contextlib.suppress(ConnectionError):
                for _ in range(200):
                    await socket.send_json(["ping", "1"])
            assert await is_closed(socket)

    with_server(tmp_path, test)
    assert "messages a second" in capsys.readouterr().err


def test_there_are_only_so_many_games(tmp_path: Path) -> None:
    async def test(client: Client) -> None:
        async with contextlib.AsyncExitStack() as stack:
            for _ in range(MOST_GAMES):
                await stack.enter_async_context(client.socket())
            with pytest.raises(aiohttp.WSServerHandshakeError) as caught:
                async with client.socket():
                    pass
            assert caught.value.status == 503
        await wait_for_async("the end of the games", lambda: not client.server._games)
        async with client.socket() as socket:
            await says(socket, "pid")

    with_server(tmp_path, test)


# --- what a game may take ---------------------------------------------------------------------------------------------
def test_a_game_that_dies_or_takes_too_much_closes_its_page(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("bigtwo_sim.tui.web.session.MOST_MEMORY", 100 * 2**20)

    async def test(client: Client) -> None:
        for keys in ("die", "eat"):
            async with client.socket() as socket:
                pid = await says(socket, "pid")
                await socket.send_json(["stdin", keys])
                assert await is_closed(socket)
                await wait_for_async("the end of the game", lambda pid=pid: is_gone(pid))
        async with client.socket() as socket:
            await socket.send_json(["stdin", "flood"])
            assert await says(socket, "flooded")

    with_server(tmp_path, test)
    printed = capsys.readouterr()
    assert len(printed.out) + len(printed.err) < 200_000  # not all of the flood


def test_a_game_that_does_not_leave_is_ended_with_the_server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bigtwo_sim.tui.web.session.LEAVING", 0.1)
    pids: list[int] = []

    async def test(client: Client) -> None:
        async with client.socket() as socket:
            pids.append(await says(socket, "pid"))

    with_server(tmp_path, test, "stay")
    assert is_gone(pids[0])


SERVER = """
import sys
from bigtwo_sim.tui.web.server import LocalServer
LocalServer([sys.executable, "-S", "-E", "game.py"], int(sys.argv[1])).serve()
"""


@pytest.fixture
def server(tmp_path: Path) -> Iterator[subprocess.Popen[str]]:
    """A server in a process of its own, with games that do not notice that it is gone."""
    (tmp_path / "game.py").write_text(GAME, encoding="utf-8")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    process = subprocess.Popen(
        [sys.executable, "-c", SERVER, str(port)],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        start_new_session=True,
    )
    try:
        yield process
    finally:
        process.kill()
        process.communicate()


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGHUP])
def test_no_game_outlives_its_server(server: subprocess.Popen[str], number: int) -> None:
    assert server.stdout is not None
    found = re.search(r"http://(127\.0\.0\.1:\d+)/([\w-]+)/", server.stdout.readline())
    assert found is not None
    host, token = found.groups()

    async def play() -> int:
        async with (
            aiohttp.ClientSession() as session,
            session.ws_connect(f"ws://{host}/{token}/ws", origin=f"http://{host}") as socket,
        ):
            pid: int = await says(socket, "pid")
            server.send_signal(number)
            await is_closed(socket)
            return pid

    pid = asyncio.run(play())
    wait_for("the end of the game", lambda: is_gone(pid))
    server.wait(PATIENCE)
    assert server.stderr is not None
    assert server.stderr.read() == ""
