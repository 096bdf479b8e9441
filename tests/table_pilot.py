"""A table without a terminal, at which tests sit: Textual's pilot, and what it is asked again and again."""

import asyncio
import random
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from textual import _wait
from textual.pilot import Pilot

from bigtwo_sim.big_two import PRESETS, CardSet, Rules
from experiments.table.app import PlayApp
from experiments.table.dialogs import ResultScreen
from experiments.table.game import PERSON
from experiments.table.playing import PlayScreen
from experiments.table.setup import Setup
from experiments.table.widgets import HandRow, Key

_wait.SLEEP_GRANULARITY = 0.002  # a pilot rests so long, several times a key; its 20 ms would make minutes here
GLANCES, GLANCE = 4000, 0.01  # how often, and how many seconds apart, a test looks before it calls something stuck
SMALL, LARGE = (80, 24), (120, 40)


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
    return Setup(rules, players, target, seed, folder=folder, **more)


async def until(pilot: Pilot[None], condition: Callable[[], object]) -> None:
    """Wait for it; fails where it does not come."""
    for _ in range(GLANCES):
        if condition():
            await pilot.pause()
            return
        assert pilot.app.is_running, "the app has ended"
        await pilot.pause(GLANCE)
    raise AssertionError(f"it never came: {condition}")


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
