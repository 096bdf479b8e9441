"""A table without a terminal, at which tests sit: Textual's pilot, and what it is asked again and again."""

import asyncio
import random
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from textual import app as textual_app
from textual import pilot as textual_pilot
from textual._context import active_app
from textual.pilot import Pilot

from bigtwo_sim.games.big_two import PRESETS, CardSet, Rules
from bigtwo_sim.tui.app import PlayApp
from bigtwo_sim.tui.drawing.widgets import HandRow, Key
from bigtwo_sim.tui.game import PERSON, Game
from bigtwo_sim.tui.players import Player
from bigtwo_sim.tui.screens.dialogs import ResultScreen
from bigtwo_sim.tui.screens.playing import PlayScreen
from bigtwo_sim.tui.setup import Setup
from tests.tools.waiting import PATIENCE, wait_for_async

QUIET = 5  # rounds of the event loop without a message anywhere, after which a table has taken in a key
SMALL, LARGE = (80, 24), (120, 40)
LEADS = 16
"""A seed whose first deal gives the person the lowest card."""


async def settle(*_: float) -> None:
    """Until no message is left in the app; Textual's own wait takes an app that gets no processor time for idle."""
    app, quiet = active_app.get(), 0
    while quiet < QUIET:
        await asyncio.sleep(0)
        nodes = (node for screen in app.screen_stack for node in screen.walk_children(with_self=True))
        busy = app.message_queue_size or any(node.message_queue_size for node in nodes)
        quiet = 0 if busy else quiet + 1


textual_app.wait_for_idle = textual_pilot.wait_for_idle = settle  # type: ignore[attr-defined,assignment]
Pilot._wait_for_screen.__defaults__ = (PATIENCE,)


def run(test: Callable[..., Coroutine[Any, Any, None]], *arguments: Any) -> None:
    """Run an asynchronous test."""
    asyncio.run(test(*arguments))


def setup(
    rules: Rules = PRESETS["singapore"],
    opponents: tuple[str, ...] = ("greedy", "greedy", "greedy"),
    target: int | None = 50,
    seed: int = 1,
    folder: Path | None = None,
    **more: Any,
) -> Setup:
    """A person against three quick agents; four agents are watched."""
    players = opponents if len(opponents) == 4 else (PERSON, *opponents)
    return Setup(rules, players, target, seed, PATIENCE, folder=folder, **more)


def compile_players() -> None:
    """Compile here, where nothing waits for it, what a process of `bigtwo play` with quick players calls."""
    game = Game(PRESETS["singapore"], (PERSON, "greedy", "greedy", "greedy"), seed=1, target=None)
    chair = Player("greedy")
    while not game.deal.is_over:
        game.take(chair.ask(game.deal).cards)
    chair.close()
    game.close()


async def until(pilot: Pilot[None], condition: Callable[[], object]) -> None:
    """Wait for it; fails where it does not come."""

    def true() -> bool:
        found = condition()
        assert found or pilot.app.is_running, f"the app has ended: {getattr(pilot.app, 'failure', None)!r}"
        return bool(found)

    await wait_for_async(f"{condition}", true, pilot.pause)
    await pilot.pause()


class Sitting:
    """One who sits at a table of the app."""

    def __init__(self, app: PlayApp, pilot: Pilot[None]) -> None:
        self.app = app
        self.pilot = pilot

    @property
    def table(self) -> PlayScreen:
        """The table."""
        return next(screen for screen in self.app.screen_stack if isinstance(screen, PlayScreen))

    @property
    def deal(self) -> Any:
        """The deal in progress."""
        assert self.table.game is not None
        return self.table.game.deal

    @property
    def is_asked(self) -> bool:
        """Whether it is the person's turn, and nothing is open over the table."""
        return isinstance(self.app.screen, PlayScreen) and self.table.is_my_turn

    @property
    def sees_points(self) -> bool:
        """Whether the points of a deal are shown."""
        return isinstance(self.app.screen, ResultScreen)

    def shown(self, part: str) -> str:
        """The text of a part of the table."""
        return str(self.table.query_one(f"#{part}").render())

    async def wait(self) -> None:
        """Until the person is asked, or sees points."""
        await until(self.pilot, lambda: self.is_asked or self.sees_points)

    # --- choosing -----------------------------------------------------------------------------------------------------
    async def choose_by_arrows(self, cards: CardSet) -> None:
        """Go to each card and choose it."""
        hand = self.table.hand_cards()
        for card in cards:
            steps = hand.index(card) - self.table.cursor
            keys = ["right" if steps > 0 else "left"] * abs(steps)
            await self.pilot.press(*keys, "space")

    async def choose_by_ranks(self, cards: CardSet) -> None:
        """Type ranks where that chooses just these cards, else go there."""
        letters = [card.text()[0].lower() for card in cards]
        await self.pilot.press(*letters)
        if self.table.chosen != cards:
            await self.pilot.press("backspace")
            await self.choose_by_arrows(cards)

    async def choose_by_mouse(self, cards: CardSet) -> None:
        """Click each card."""
        row = self.table.query_one(HandRow)
        for card in cards:
            x = row.start + row.card_size.pitch * self.table.hand_cards().index(card) + 1
            await self.pilot.click(row, offset=(x, 2))

    async def click_key(self, action: str) -> None:
        """Click a key of the lines below."""
        await self.pilot.click(next(key for key in self.app.screen.query(Key) if key.does == action))

    # --- playing ------------------------------------------------------------------------------------------------------
    async def take_turn(self, cards: CardSet, choose: Callable[[CardSet], Any], press: Callable[[str], Any]) -> None:
        """Lay these cards (none: pass), and see that the table says so before and did so after."""
        turns = len(self.deal.log)
        if cards:
            await choose(cards)
            assert self.table.chosen == cards
            assert self.table.judge().mood == "good"
            assert self.shown("status") == self.table.judge().text
        await press("lay" if cards or not self.deal.legal_plays() else "pass")
        assert self.deal.log[turns] == (self.table.bottom, cards)

    async def play_deal(self, choose: Callable[[CardSet], Any], press: Callable[[str], Any], chance: int) -> None:
        """Play the deal to its end with legal plays by chance, and a pass now and then."""
        dice = random.Random(chance)
        await self.wait()
        while not self.sees_points:
            options = [play.cards for play in self.deal.legal_plays()]
            if self.deal.may_pass and (not options or dice.random() < 0.1):
                options = [CardSet(0, self.deal.rules.deck)]
            await self.take_turn(dice.choice(options), choose, press)
            await self.wait()

    async def play_quickly(self, until: Callable[[], object] = lambda: False) -> None:
        """Lay the weakest play, or pass where there is none, to the end of the deal or until then."""
        while not self.sees_points and not until():
            await self.pilot.press("tab", "enter")
            await self.wait()

    async def press_key(self, action: str) -> None:
        """Do what a click on that key would do, by the key."""
        await self.pilot.press({"lay": "enter", "pass": "p"}[action])


@asynccontextmanager
async def sitting(
    chosen: Setup, size: tuple[int, int] = SMALL, speed: str = "instant", lang: str = "en", play: bool = True
) -> AsyncIterator[Sitting]:
    """Sit down at a table in a window of this size; `play`: past the first screen."""
    app = PlayApp(chosen, speed, lang)
    try:
        async with app.run_test(size=size) as pilot:
            seat = Sitting(app, pilot)
            await until(pilot, lambda: app.screen.query("#too-small"))  # the last thing that is there
            if play:
                if chosen.resume is None:
                    await pilot.press("enter")
                await until(pilot, lambda: seat.table.game is not None)
                if seat.table.has_person:
                    await seat.wait()
            yield seat
    finally:
        app.close_tables()
