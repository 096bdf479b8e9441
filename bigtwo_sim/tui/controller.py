"""The course of a game: who is asked when, and how long a turn is shown. It knows the screen only by what it calls."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Protocol

from bigtwo_sim.core.rng import random_seed
from bigtwo_sim.games.big_two import CardSet
from bigtwo_sim.tui.game import PERSON, SPEEDS, Game
from bigtwo_sim.tui.players import Player, SeatedChairs
from bigtwo_sim.tui.setup import Setup
from bigtwo_sim.tui.threads import in_thread


class Shown(Protocol):
    """What a course needs of the screen."""

    async def draw(self) -> None:
        """Show the game as it stands."""

    async def show_points(self) -> bool:
        """Show the points of the deal that has ended; whether another deal is wanted."""


class Course:
    """A game from the seating of its players to its end. `speed` tells the name of the speed, at any time.

    `texts` looks up a text of the app's language, `name_of` the name of a seat.
    """

    def __init__(self, setup: Setup, speed: Callable[[], str], say: Callable[..., str], name_of: Callable[[int], str]):
        self.setup = setup
        self.game: Game | None = None
        self.paused = False
        self._speed = speed
        self._text = say
        self._name_of = name_of
        self._notice: tuple[str, dict[str, object]] | None = None
        self._notice_seat: int | None = None
        self._seated: SeatedChairs | None = None
        self._chairs: list[Player | None] = []
        self._hurry = asyncio.Event()
        self._person_moved = asyncio.Event()

    # --- what is said -------------------------------------------------------------------------------------------------
    @property
    def notice(self) -> str:
        """A line for everybody, in the language of now; "" for none."""
        if self._notice is None:
            return ""
        key, values = self._notice
        return self._text(key, **values)

    def say(self, key: str = "", seat: int | None = None, **values: object) -> None:
        """Have a text stand below until the next turn of `seat`, or until there is another one; "": none."""
        self._notice, self._notice_seat = ((key, values) if key else None), seat

    # --- from the beginning to the end --------------------------------------------------------------------------------
    async def run(self, screen: Shown) -> bool:
        """Play until the match is over (True) or nobody wants another deal (False).

        Raises AgentError, RecordError where the players cannot be seated, or the game not be taken up.
        """
        self.say("loading")
        await screen.draw()
        game = self.game = await in_thread(self._prepare)
        self.say()
        while True:
            if not game.deal.is_over:
                await self._deal(game, screen.draw)
            if not await screen.show_points() or game.match.winner is not None:
                return game.match.winner is not None
            game.next_deal()
            self.say()

    def _prepare(self) -> Game:
        """Seat the players and deal; in a thread, since the first time compiles."""
        setup = self.setup
        game = Game.resume(setup.resume) if setup.resume is not None else None
        try:
            players = game.players if game else setup.players
            self._seated = SeatedChairs([None if player == PERSON else player for player in players], setup.move_time)
            self._chairs = self._seated.make()
            if game is None:
                seed = random_seed() if setup.seed is None else setup.seed
                game = Game(setup.rules, players, seed, setup.target, setup.folder)
        except BaseException:
            if game is not None:
                game.close()
            raise
        return game

    async def _deal(self, game: Game, draw: Callable[[], Awaitable[None]]) -> None:
        if not game.deal.log:
            await self._tell(game, "begin")
        while not game.deal.is_over:
            chair = self._chairs[game.deal.turn]
            if chair is None:
                self._person_moved.clear()
                await draw()
                await self._person_moved.wait()
            else:
                await draw()
                await self._chair_turn(game, chair)
            if game.unsaved:
                self.say("unsaved", reason=game.unsaved)
        await draw()
        await self._tell(game, "end")

    async def _tell(self, game: Game, what: str) -> None:
        """Tell all chairs of the beginning or the end of the deal."""
        for seat, chair in enumerate(self._chairs):
            if chair is not None:
                fault = await in_thread(getattr(chair, what), game.deal, seat)
                if fault:
                    self.say("fault", seat, who=self._name_of(seat), reason=fault)

    async def _chair_turn(self, game: Game, chair: Player) -> None:
        seat = game.deal.turn
        began = asyncio.get_running_loop().time()
        answer = await in_thread(chair.ask, game.deal)
        await self._rest(began)
        if answer.fault is not None:
            key = "forfeit_play" if answer.cards else "forfeit_pass"
            self.say(key, seat, who=self._name_of(seat), reason=answer.fault)
        elif self._notice_seat == seat:
            self.say()
        game.take(answer.cards)

    async def _rest(self, began: float) -> None:
        """Wait until a turn that began then has taken as long as the speed wants; a new speed holds at once."""
        loop = asyncio.get_running_loop()
        while True:
            self._hurry.clear()
            rest = None if self.paused else began + SPEEDS[self._speed()] - loop.time()
            if rest is not None and rest <= 0:
                await asyncio.sleep(0)
                return
            try:
                await asyncio.wait_for(self._hurry.wait(), rest)
            except TimeoutError:
                return

    # --- what the person does -----------------------------------------------------------------------------------------
    @property
    def is_persons_turn(self) -> bool:
        """Whether the person is asked."""
        game = self.game
        return game is not None and not game.deal.is_over and game.deal.turn == game.person

    def take(self, cards: CardSet) -> None:
        """The turn of the person: these cards, or none for a pass. Raises IllegalPlay, and nothing changed."""
        assert self.game is not None
        self.game.take(cards)
        if self._notice_seat is None:
            self.say()
        self._person_moved.set()

    def pause(self) -> None:
        """Stop, or go on."""
        self.paused = not self.paused
        self._hurry.set()

    def speed_changed(self) -> None:
        """Look at the speed again: a rest may be over."""
        self._hurry.set()

    def close(self) -> None:
        """Nobody is asked any more, and the file is let go."""
        if self._seated is not None:
            self._seated.close()
        if self.game is not None:
            self.game.close()
