"""A game as it is played: cards chosen by keys and mouse, laid or passed, and what else a key does at the table."""

from __future__ import annotations

from typing import ClassVar

from textual import events
from textual.binding import Binding, BindingType

from bigtwo_sim.games.big_two import AgentError, CardSet
from bigtwo_sim.games.big_two.layout import SEATS
from bigtwo_sim.games.big_two.records.record_form import RecordError
from bigtwo_sim.tui.drawing.widgets import HandRow
from bigtwo_sim.tui.game import SPEEDS
from bigtwo_sim.tui.hint import HintScreen
from bigtwo_sim.tui.screens.dialogs import MenuScreen, ResultScreen
from bigtwo_sim.tui.screens.view import TableView
from bigtwo_sim.tui.setup import Setup

RANK_KEYS = dict(zip("23456789", "23456789", strict=True)) | {"0": "T", "1": "T"}
RANK_KEYS |= {key: key.upper() for key in "tjqka"} | {key: key for key in "TJQKA"}


class PlayScreen(TableView):
    """A game from its first deal, or from where it was left, until it is over or left."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("left", "cursor(-1)"),
        Binding("right", "cursor(1)"),
        Binding("home", "cursor(-99)"),
        Binding("end", "cursor(99)"),
        Binding("space,up,down", "toggle_card"),
        Binding("tab", "suggest(1)", priority=True),
        Binding("shift+tab", "suggest(-1)", priority=True),
        Binding("backspace,delete", "clear"),
        Binding("enter", "lay"),
        Binding("p,P", "pass"),
        Binding("h,H", "hint"),
        Binding("s,S", "sort"),
        Binding("plus,equals_sign", "speed(1)"),
        Binding("minus", "speed(-1)"),
        Binding("escape,f10", "menu"),
        *(Binding(key, f"rank('{rank}')") for key, rank in RANK_KEYS.items()),
    ]

    def __init__(self, setup: Setup) -> None:
        super().__init__(setup)
        self._suggested = -1

    def on_mount(self) -> None:
        """Sit down, and play."""
        self.game_app.tell_of_compiling(self._say_that_it_compiles)
        self.run_worker(self._play(), exclusive=True)
        self._clock = self.set_interval(1, self._count_seconds)

    def on_unmount(self) -> None:
        """What is compiled from now on is no matter of this screen."""
        self.game_app.stop_telling(self._say_that_it_compiles)

    async def _say_that_it_compiles(self) -> None:
        if self.game is None:
            self.controller.say("compiling")
            await self.draw()

    async def _count_seconds(self) -> None:
        if self.game is None:
            self.waited += 1
            await self.draw()
        else:
            self._clock.stop()

    async def _play(self) -> None:
        try:
            await self.controller.run(self)
        except (AgentError, RecordError) as error:
            self.game_app.fail(error, self.setup)
        else:
            self.game_app.start_again()

    async def show_points(self) -> bool:
        """The points of the deal. Returns whether another one is wanted."""
        assert self.game is not None
        self.chosen, self.cursor = CardSet(0, self.game.rules.deck), 0
        go_on: bool = await self.app.push_screen_wait(ResultScreen(self.game))
        return go_on

    def on_resize(self, event: events.Resize) -> None:
        """All parts again, in the new size."""
        self.call_after_refresh(self.draw)

    # --- choosing -----------------------------------------------------------------------------------------------------
    def _place_of(self, card: CardSet) -> int:
        return self.hand_cards().index(card)

    async def _choose(self, cards: CardSet, cursor: int | None = None) -> None:
        self.chosen = cards
        if cursor is not None:
            self.cursor = cursor
        await self.draw()

    async def action_cursor(self, step: int) -> None:
        """The mark goes left or right."""
        count = len(self.hand_cards())
        if count and self.has_person:
            self.cursor = (self.cursor + step) % count if abs(step) == 1 else max(0, min(count - 1, self.cursor + step))
            await self.draw()

    async def action_toggle_card(self) -> None:
        """Choose the card at the mark, or put it back; of one who watches, stop or go on."""
        cards = self.hand_cards()
        if not self.has_person:
            self.controller.pause()
            await self.draw()
        elif cards:
            await self._choose(self.chosen ^ cards[self.cursor])

    async def on_hand_row_toggled(self, event: HandRow.Toggled) -> None:
        """A card was clicked."""
        cards = self.hand_cards()
        if self.has_person and event.place < len(cards):
            await self._choose(self.chosen ^ cards[event.place], event.place)

    async def action_rank(self, rank: str) -> None:
        """One more card of this rank; when all are chosen, none."""
        if self.game is None or not self.has_person:
            return
        held = [card for card in self.game.deal.hands[self.bottom] if card.text()[0] == rank]
        rest = [card for card in held if not card <= self.chosen]
        if rest:
            await self._choose(self.chosen | rest[0], self._place_of(rest[0]))
        else:
            for card in held:
                self.chosen -= card
            await self.draw()

    async def action_suggest(self, step: int) -> None:
        """Choose the next legal play."""
        if self.game is None or not self.is_my_turn:
            return
        plays = [play.cards for play in self.game.deal.legal_plays()]
        if plays:
            before = plays.index(self.chosen) if self.chosen in plays else -1 if step > 0 else 0
            cards = plays[(before + step) % len(plays)]
            await self._choose(cards, self._place_of(next(iter(cards))))

    async def action_clear(self) -> None:
        """Put all cards back."""
        if self.game is not None:
            await self._choose(CardSet(0, self.game.rules.deck))

    async def action_sort(self) -> None:
        """By rank, or by suit; the mark stays on its card."""
        cards = self.hand_cards()
        self.by_suit = not self.by_suit
        if cards:
            self.cursor = self._place_of(cards[self.cursor])
        await self.draw()

    # --- the turn -----------------------------------------------------------------------------------------------------
    async def action_lay(self) -> None:
        """Lay the chosen cards; with none chosen, pass where nothing else is possible."""
        if self.game is None or not self.is_my_turn:
            return
        deal = self.game.deal
        if not self.chosen and not deal.legal_plays():
            await self.action_pass()
        elif self.chosen and deal.refusal(self.chosen) is None:
            await self._take(self.chosen)
        else:
            self.app.bell()

    async def action_pass(self) -> None:
        """Pass."""
        if self.game is None or not self.is_my_turn:
            return
        deal = self.game.deal
        refusal = deal.pass_refusal()
        if refusal is None:
            await self._take(CardSet(0, self.game.rules.deck))
        else:
            self.app.bell()
            self.controller.say(f"why_{refusal.why}", who=self.name_of((deal.turn + 1) % SEATS))
            await self.draw()

    async def _take(self, cards: CardSet) -> None:
        assert self.game is not None
        self.controller.take(cards)
        await self._choose(CardSet(0, self.game.rules.deck))

    def action_hint(self) -> None:
        """All legal plays, and what the strong player would do."""
        if self.game is not None and self.is_my_turn:
            self.app.push_screen(HintScreen(self.game.deal.view()), self._take_hint)

    async def _take_hint(self, cards: CardSet | None) -> None:
        if cards is not None and self.is_my_turn:
            await self._choose(cards, self._place_of(next(iter(cards))) if cards else None)

    # --- the rest -----------------------------------------------------------------------------------------------------
    async def action_speed(self, step: int) -> None:
        """Faster (1), slower (-1), or the next one in turn (0)."""
        names = list(SPEEDS)
        place = names.index(self.game_app.speed)
        place = (place + 1) % len(names) if step == 0 else max(0, min(len(names) - 1, place + step))
        self.game_app.set_speed(names[place])
        await self.draw()

    def action_menu(self) -> None:
        """The menu."""
        self.app.push_screen(MenuScreen())
