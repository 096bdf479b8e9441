"""The table in the browser: each page that is opened is a game of its own, in a process of its own, on this machine."""

from __future__ import annotations

import asyncio
import errno
import shlex
import sys
import time
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path

import psutil
from aiohttp import web
from textual_serve.server import Server

from experiments.options import InputError, emit

HOST = "127.0.0.1"
PAGE = Path(__file__).with_name("page")
LEAVING = 5.0
"""Seconds that games have to end, when the server does."""
GLANCE = 0.05  # seconds between two looks whether they have

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]


class LocalServer(Server):
    """Serves to the browsers of this machine only, and only to pages of its own."""

    def __init__(self, command: Sequence[str], port: int) -> None:
        super().__init__(shlex.join(command), host=HOST, port=port, title="Big Two", templates_path=PAGE)
        self._requests: set[asyncio.Task[object]] = set()
        names = (HOST, "localhost")
        self._hosts = {f"{name}:{port}" for name in names} | (set(names) if port == 80 else set())

    async def _make_app(self) -> web.Application:
        app = await super()._make_app()
        app.middlewares.append(self._refuse_others)
        app.on_cleanup.append(self._wait_for_games)
        return app

    @web.middleware
    async def _refuse_others(self, request: web.Request, handler: Handler) -> web.StreamResponse:
        """A page from elsewhere may not reach a game through the browser, under whatever name of this machine."""
        origin = request.headers.get("Origin")
        if request.host not in self._hosts or (origin and origin.removeprefix("http://") not in self._hosts):
            raise web.HTTPForbidden(text="This server answers to pages of its own only.")
        task: asyncio.Task[object] | None = asyncio.current_task()
        assert task is not None
        self._requests.add(task)
        try:
            return await handler(request)
        finally:
            self._requests.discard(task)

    async def on_shutdown(self, app: web.Application) -> None:
        """Close the pages that are open, and with them their games."""
        for task in tuple(self._requests):
            task.cancel()

    async def _wait_for_games(self, app: web.Application) -> None:
        """All pages are told that it ends; let their games end too, before the loop that looks after them does."""
        end = time.monotonic() + LEAVING
        while psutil.Process().children() and time.monotonic() < end:
            await asyncio.sleep(GLANCE)
        await asyncio.sleep(GLANCE)

    async def on_startup(self, app: web.Application) -> None:
        """Nothing is said before it can be reached."""

    def _say_where(self, *_: object) -> None:
        emit(f"Big Two is at {self.public_url}; Ctrl-C ends it.")
        sys.stdout.flush()

    def serve(self, debug: bool = False) -> None:
        """Until Ctrl-C. Raises InputError where the port is taken."""
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
                f"port {self.port} cannot be had: {error.strerror}; name another one with --port"
            ) from None


def serve(arguments: Sequence[str], port: int) -> None:
    """Serve `bigtwo play` with these arguments, until Ctrl-C."""
    LocalServer([sys.executable, "-P", "-m", "experiments.cli", "play", *arguments], port).serve()
