"""The app of `bigtwo play`: its screens, its speed and its language."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import ClassVar

from textual import events
from textual.app import App
from textual.binding import BindingType
from textual.filter import LineFilter
from textual.screen import Screen

from bigtwo_sim.core import code_cache
from bigtwo_sim.games.big_two import Rules
from bigtwo_sim.tui.drawing.safe_lines import SafeLines
from bigtwo_sim.tui.game import latest_unfinished
from bigtwo_sim.tui.screens.base import TableScreen, is_too_small
from bigtwo_sim.tui.screens.dialogs import RulesScreen
from bigtwo_sim.tui.screens.playing import PlayScreen
from bigtwo_sim.tui.screens.start import StartScreen
from bigtwo_sim.tui.setup import Setup
from bigtwo_sim.tui.texts import Texts

LEAVING_KEYS = ("ctrl+q", "ctrl+c")


class PlayApp(App[None]):
    """Big Two at a table. After it has run, `failure` is what kept it from playing, where something did."""

    CSS_PATH = "table.tcss"
    TITLE = "Big Two"
    ENABLE_COMMAND_PALETTE = False
    BINDINGS: ClassVar[list[BindingType]] = [(",".join(LEAVING_KEYS), "quit")]

    def __init__(self, setup: Setup, speed: str = "normal", lang: str = "en") -> None:
        super().__init__()
        self.setup = setup
        self.speed = speed
        self.texts = Texts(lang)
        self.failure: Exception | None = None
        self.is_terminated = False
        """Whether a signal told it to end."""
        self._safe_lines = SafeLines()
        self._tables: list[PlayScreen] = []
        self._told: Callable[[], Awaitable[None]] | None = None

    def on_mount(self) -> None:
        """The first screen, or straight to a game that goes on."""
        with suppress(NotImplementedError, RuntimeError, ValueError):  # no main thread, or no such signals
            asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, self._terminate)
        if self.setup.resume is not None:
            self.sit_down(self.setup)
        else:
            self.start_again()

    def _terminate(self) -> None:
        """Leave as ever, so that the terminal is as it was before."""
        self.is_terminated = True
        self.exit()

    def tell_of_compiling(self, tell: Callable[[], Awaitable[None]]) -> None:
        """Have `tell` called, here, when something is compiled from now on, in whichever thread; once, unless
        `stop_telling` is called before.
        """
        loop = asyncio.get_running_loop()
        self._told = tell

        def announce() -> None:
            if self._told == tell:
                with suppress(RuntimeError):  # the app is left
                    loop.call_soon_threadsafe(self.call_later, tell)

        code_cache.before_compiling(announce)

    def stop_telling(self, tell: Callable[[], Awaitable[None]]) -> None:
        """Have `tell` not called any more: its screen goes. Another one that has come since is called as ever."""
        if self._told == tell:
            self._told = None

    async def on_event(self, event: events.Event) -> None:
        """Where the window is too small to see what a key or the mouse would do, they do nothing; one may still leave.

        It is looked at here, before any screen: those have keys of their own, and so have the lists in them.
        """
        leaves = isinstance(event, events.Key) and event.key in LEAVING_KEYS
        if isinstance(event, events.InputEvent) and is_too_small(self.size) and not leaves:
            return
        await super().on_event(event)

    def get_line_filters(self) -> Sequence[LineFilter]:
        """What goes to the terminal holds no codes but Textual's own."""
        return [*super().get_line_filters(), self._safe_lines]

    # --- from screen to screen ----------------------------------------------------------------------------------------
    def start_again(self, notice: str = "") -> None:
        """Give up what is on the table, and show the first screen."""
        self._clear()
        unfinished = None if self.setup.folder is None else latest_unfinished(self.setup.folder)
        self.push_screen(StartScreen(replace(self.setup, resume=None), unfinished, notice))

    def sit_down(self, setup: Setup) -> None:
        """Play this."""
        if setup.resume is None:
            self.setup = setup
        self._clear()
        table = PlayScreen(setup)
        self._tables.append(table)
        self.push_screen(table)

    def _clear(self) -> None:
        """Take away all screens of the game."""
        self.close_tables()
        while len(self.screen_stack) > 1:
            self.pop_screen()

    @property
    def kept_game(self) -> Path | None:
        """The file of the game on the table; None where there is none, or what was played is not in it."""
        files = [table.game.file for table in self._tables if table.game is not None and not table.game.unsaved]
        return files[-1].path if files and files[-1] is not None else None

    def close_tables(self) -> None:
        """Agents and files of all games are let go."""
        for table in self._tables:
            table.controller.close()
        self._tables.clear()

    async def show_rules(self, rules: Rules | None = None) -> None:
        """The rules in words, by default those that are played."""
        if rules is None:
            games = [table.game for table in self._tables if table.game is not None]
            rules = games[-1].rules if games else self.setup.rules
        self.push_screen(RulesScreen(rules))

    def fail(self, error: Exception, setup: Setup) -> None:
        """Leave, and have the command say why; where it was the first screen that led there, go back and say it."""
        if setup.resume is not None and self.setup.resume is None:
            self.start_again(str(error))
        else:
            self.failure = error
            self.exit()

    # --- speed and language -------------------------------------------------------------------------------------------
    def set_speed(self, speed: str) -> None:
        """From now on; a pause that runs is over when it has been as long as the new speed wants."""
        self.speed = speed
        for table in self._tables:
            table.controller.speed_changed()
        self.call_later(self.redraw)

    async def set_language(self, lang: str) -> None:
        """All screens in this language."""
        self.texts = Texts(lang)
        await self.redraw()

    async def redraw(self) -> None:
        """Every screen anew."""
        screens: list[Screen[object]] = [*self.screen_stack]
        for screen in screens:
            if isinstance(screen, TableScreen):
                await screen.draw()
