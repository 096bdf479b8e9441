"""The table in the browser: each page that is opened is a game of its own, in a process of its own, on this machine.

Other programs, users and pages of this machine can reach the port too, so all that is served is below a secret part of
the address, which only the terminal shows; and what comes over a socket is read as if a stranger sent it.
"""

from __future__ import annotations

import asyncio
import errno
import json
import logging
import secrets
import shlex
import signal
import sys
import time
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import Any

from aiohttp import WSCloseCode, WSMsgType, web
from textual_serve.server import Server, to_int

from bigtwo_sim.terminal.output import emit
from bigtwo_sim.tui.web.session import LEAVING, Session
from bigtwo_sim.untrusted.errors import InputError

HOST = "127.0.0.1"
PAGE = Path(__file__).with_name("page")
GLANCE = 0.05  # seconds between two looks whether games have ended
MOST_GAMES = 16
"""At a time."""
LONGEST_MESSAGE = 16_384  # bytes of a message; a key takes about 15, a paste is of no use here
MOST_MESSAGES = 500  # a second, of a page, on average over four; a mouse that is moved sends some 100
HEARTBEAT = 15.0  # seconds after which a page that is silent is asked whether it is there
MOST_NOTES = 100  # lines that the server says of what went wrong
HEADERS = {"Referrer-Policy": "no-referrer", "X-Frame-Options": "DENY", "Cache-Control": "no-store"}
_HANGUP: int | None = getattr(signal, "SIGHUP", None)

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]


class _Refused(Exception):  # noqa: N818 - what a page sent, not an error of this program
    """A message that no page of ours sends; the text says what is wrong with it."""


class LocalServer(Server):
    """Serves to those browsers of this machine that know its secret, and only to pages of its own."""

    def __init__(self, command: Sequence[str], port: int) -> None:
        super().__init__(shlex.join(command), host=HOST, port=port, title="Big Two", templates_path=PAGE)
        self.token = secrets.token_urlsafe(24)
        self.address = f"{self.public_url}/{self.token}/"
        """What to open in a browser."""
        self._arguments = command
        self._requests: set[asyncio.Task[object]] = set()
        self._games: set[Session] = set()
        self._notes: set[str] = set()
        names = (HOST, "localhost")
        self._hosts = {f"{name}:{port}" for name in names} | (set(names) if port == 80 else set())

    async def _make_app(self) -> web.Application:
        app = web.Application(middlewares=[self._refuse_others])
        app.add_subapp(f"/{self.token}", await super()._make_app())
        app.on_cleanup.append(self._wait_for_games)
        return app

    @web.middleware
    async def _refuse_others(self, request: web.Request, handler: Handler) -> web.StreamResponse:
        """A page from elsewhere may not reach a game through the browser, under whatever name of this machine."""
        origin = request.headers.get("Origin")
        if request.host not in self._hosts or (origin and origin.removeprefix("http://") not in self._hosts):
            raise web.HTTPForbidden(text="This server answers to pages of its own only.")
        given = request.raw_path.split("/")[1] if request.raw_path.startswith("/") else ""
        if not secrets.compare_digest(given.encode("utf-8", "replace"), self.token.encode()):
            raise web.HTTPForbidden(text="Open the whole address that bigtwo play has printed.")
        task: asyncio.Task[object] | None = asyncio.current_task()
        assert task is not None
        self._requests.add(task)
        try:
            response = await handler(request)
            if not response.prepared:
                response.headers.update(HEADERS)
            return response
        finally:
            self._requests.discard(task)

    # --- a page and its game ------------------------------------------------------------------------------------------
    async def handle_websocket(self, request: web.Request) -> web.WebSocketResponse:
        """Play a game with a page, until one of them has enough."""
        if "Origin" not in request.headers:  # which every browser sends
            raise web.HTTPForbidden(text="A socket is for a page of this server.")
        if len(self._games) >= MOST_GAMES:
            raise web.HTTPServiceUnavailable(text=f"There are {MOST_GAMES} games already; close one of their pages.")
        websocket = web.WebSocketResponse(heartbeat=HEARTBEAT, max_msg_size=LONGEST_MESSAGE)

        async def close() -> None:
            await websocket.close()

        game = Session(
            self._arguments,
            write_bytes=websocket.send_bytes,
            write_str=websocket.send_str,
            close=close,
            say=self.note,
        )
        self._games.add(game)
        try:
            await websocket.prepare(request)
            width, height = (to_int(request.query.get(name, "")[:9], 0) for name in ("width", "height"))
            await game.start(width or 80, height or 24)
            await self._process_messages(websocket, game)
        except _Refused as refused:
            self.note(f"A page was closed, for it sent {refused}.")
            await websocket.close(code=WSCloseCode.POLICY_VIOLATION)
        except ConnectionError:  # it has gone
            pass
        finally:
            try:
                await game.stop()
            finally:
                self._games.discard(game)
        return websocket

    async def _process_messages(self, websocket: web.WebSocketResponse, app_service: Any) -> None:
        allowed, last = 4.0 * MOST_MESSAGES, time.monotonic()
        async for message in websocket:
            now = time.monotonic()
            allowed, last = min(4.0 * MOST_MESSAGES, allowed + (now - last) * MOST_MESSAGES) - 1, now
            if allowed < 0:
                raise _Refused(f"more than {MOST_MESSAGES} messages a second")
            if message.type != WSMsgType.TEXT:
                raise _Refused("what is not a text")
            kind, content = _read(message.data)
            if kind == "stdin":
                await app_service.send_bytes(content)
            elif kind == "resize":
                await app_service.set_terminal_size(*content)
            elif kind == "ping":
                await websocket.send_json(["pong", content])
            elif kind == "blur":
                await app_service.blur()
            elif kind == "focus":
                await app_service.focus()

    def note(self, text: str) -> None:
        """Say on standard error, once, what went wrong."""
        if text not in self._notes and len(self._notes) < MOST_NOTES:
            self._notes.add(text)
            print(f"bigtwo: {text}", file=sys.stderr, flush=True)

    # --- beginning and end --------------------------------------------------------------------------------------------
    async def on_shutdown(self, app: web.Application) -> None:
        """Close the pages that are open, and with them their games."""
        for task in tuple(self._requests):
            task.cancel()

    async def _wait_for_games(self, app: web.Application) -> None:
        """All pages are told that it ends; let their games end too, before the loop that looks after them does."""
        end = time.monotonic() + 2 * LEAVING
        while self._games and time.monotonic() < end:
            await asyncio.sleep(GLANCE)
        await asyncio.sleep(GLANCE)

    async def on_startup(self, app: web.Application) -> None:
        """Nothing is said before it can be reached."""
        if _HANGUP is not None and signal.getsignal(_HANGUP) != signal.SIG_IGN:
            asyncio.get_running_loop().add_signal_handler(_HANGUP, self.request_exit)

    def _say_where(self, *_: object) -> None:
        emit(f"Big Two is at {self.address} (for this machine only); Ctrl-C ends it.")
        sys.stdout.flush()

    def serve(self, debug: bool = False) -> None:
        """Until Ctrl-C. Raises InputError where the port is taken."""
        for name in ("aiohttp", "asyncio", "textual-serve"):
            logging.getLogger(name).addHandler(_Notes(self.note))
            logging.getLogger(name).propagate = False
        try:
            web.run_app(
                self._make_app(),
                host=self.host,
                port=self.port,
                print=self._say_where,
                access_log=None,
                shutdown_timeout=LEAVING,
            )
        except OSError as error:
            if error.errno not in (errno.EADDRINUSE, errno.EACCES):
                raise
            raise InputError(
                f"port {self.port} is unavailable: {error.strerror}; name another one with --port"
            ) from None


def _read(text: str) -> tuple[str, Any]:
    """The kind of a message and what it says. Raises _Refused for what no page of ours sends."""
    try:
        message = json.loads(text)
    except (ValueError, RecursionError):
        raise _Refused("what is not JSON") from None
    match message:
        case ["stdin", str(keys)]:
            try:
                return "stdin", keys.encode("utf-8")
            except UnicodeEncodeError:
                raise _Refused("keys that are not a text") from None
        case ["resize", {"width": int(width), "height": int(height)}]:
            return "resize", (width, height)
        case ["ping", str(mark)] if len(mark) < 100:
            return "ping", mark
        case ["blur" | "focus" as kind, *_]:
            return kind, None
    raise _Refused("a message that is not one of this table's")


class _Notes(logging.Handler):
    """Has what libraries log said in a line each, without tracebacks."""

    def __init__(self, note: Callable[[str], None]) -> None:
        super().__init__(logging.WARNING)
        self._note = note

    def emit(self, record: logging.LogRecord) -> None:
        self._note((record.getMessage().splitlines() or [""])[0][:200])


def serve(arguments: Sequence[str], port: int) -> None:
    """Serve `bigtwo play` with these arguments, until Ctrl-C."""
    LocalServer([sys.executable, "-P", "-m", "bigtwo_sim.cli.main", "play", *arguments], port).serve()
