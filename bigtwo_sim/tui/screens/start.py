"""The first screen: what the game is about in one line, who plays, for how long, by which rules; Enter plays."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import ClassVar

from rich.text import Text
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Center, Vertical
from textual.widgets import Static

from bigtwo_sim.core.cards import SIGNS
from bigtwo_sim.games.big_two import PRESETS, Rules
from bigtwo_sim.roster.methods import levels
from bigtwo_sim.tui.drawing.card_art import ON_TABLE, rank_text
from bigtwo_sim.tui.drawing.widgets import Choice, Choices
from bigtwo_sim.tui.game import PERSON, SPEEDS
from bigtwo_sim.tui.screens.base import TableScreen
from bigtwo_sim.tui.setup import Setup, player_name, rules_name
from bigtwo_sim.tui.texts import LANGUAGES, Texts

NO_TARGET = "none"
TARGETS = ("50", "100", NO_TARGET)


def card_order(texts: Texts, rules: Rules) -> Text:
    """The ranks and the suits from low to high."""
    line = Text(f"{texts('ranks')} ", "#8fb3a8")
    line.append(" ".join(map(rank_text, rules.deck.ranks)), "bold")
    line.append(f" · {texts('suits')} ", "#8fb3a8")
    for number, letter in enumerate(rules.deck.suits):
        line.append(" < " if number else "", "#8fb3a8")
        line.append(SIGNS[letter], f"bold {ON_TABLE[SIGNS[letter]]}")
    line.append(f" ({texts('low_to_high')})", "#8fb3a8")
    return line


class StartScreen(TableScreen[None]):
    """Dismissed with nothing; it tells the app what to play."""

    BINDINGS: ClassVar[list[BindingType]] = [("escape,f10", "leave")]

    def __init__(self, setup: Setup, unfinished: Path | None, notice: str = "") -> None:
        super().__init__()
        self._setup = setup
        self._unfinished = unfinished
        self._notice = notice
        known = [*levels()]
        self._rules = {**PRESETS, setup.rules.name: setup.rules}
        self._players: list[Choice] = []
        for seat, player in enumerate(setup.players):
            if player != PERSON:
                values = known if player in known else [*known, player]
                self._players.append(self._player_choice(seat, player, values))
        targets = [*TARGETS]
        target = NO_TARGET if setup.target is None else str(setup.target)
        if target not in targets:
            targets.append(target)
        names = list(self._rules)
        self._target = Choice("match", self._word("match"), targets, targets.index(target), self._target_text)
        self._preset = Choice("rules", self._word("rules"), names, names.index(setup.rules.name), rules_name)

    def _word(self, key: str) -> Callable[[], str]:
        return lambda: self.texts(key)

    def _player_choice(self, seat: int, player: str, values: Sequence[str]) -> Choice:
        notes = {1: "next_player", 3: "previous_player"}
        number = seat if PERSON in self._setup.players else seat + 1

        def words(value: str) -> str:
            return player_name(self.texts, value, 0, [value])

        def note() -> str:
            return self.texts(notes[seat]) if seat in notes and PERSON in self._setup.players else ""

        return Choice(
            "player", lambda: self.texts("player_n", n=number), list(values), list(values).index(player), words, note
        )

    def _target_text(self, value: str) -> str:
        return self.texts("single_deals") if value == NO_TARGET else self.texts("to_target", n=value)

    def _choices(self) -> list[Choice]:
        app = self.game_app
        speeds, languages = list(SPEEDS), list(LANGUAGES)
        lines = [
            Choice("start", self._word("start")),
            *self._players,
            self._target,
            self._preset,
            Choice("speed", self._word("speed"), speeds, speeds.index(app.speed), self.texts_of),
            Choice(
                "language",
                self._word("language_label"),
                languages,
                languages.index(app.texts.lang),
                lambda value: Texts(value)("language"),
            ),
            Choice("leave", self._word("leave")),
        ]
        if self._unfinished is not None:
            lines.insert(0, Choice("resume", self._word("resume")))
        return lines

    def texts_of(self, key: str) -> str:
        """A text that is looked up when it is drawn."""
        return self.texts(key)

    def compose(self) -> ComposeResult:
        """Title, one line, the order of the cards, the choices, the keys."""
        with Vertical(id="start"):
            yield Static("B I G   T W O", id="title")
            yield Static(id="tagline", markup=False)
            yield Static(id="order")
            with Center():
                yield Choices(self._choices(), id="choices")
            yield Static(id="start-keys", markup=False)
            yield Static(self._notice, id="start-notice", markup=False)

    async def on_screen_resume(self) -> None:
        """Drawn whenever it comes to the front."""
        await self.draw()

    async def draw(self) -> None:
        """In the chosen language."""
        self.query_one("#tagline", Static).update(self.texts("tagline"))
        self.query_one("#order", Static).update(card_order(self.texts, self._chosen_rules))
        self.query_one("#start-keys", Static).update(self.texts("start_keys"))
        choices = self.query_one(Choices)
        choices.refresh(layout=True)
        choices.focus()

    @property
    def _chosen_rules(self) -> Rules:
        return self._rules[self._preset.text]

    @property
    def setup(self) -> Setup:
        """What is chosen."""
        players = [choice.text for choice in self._players]
        if PERSON in self._setup.players:
            players.insert(0, PERSON)
        target = None if self._target.text == NO_TARGET else int(self._target.text)
        return replace(self._setup, rules=self._chosen_rules, players=tuple(players), target=target)

    async def on_choices_changed(self, event: Choices.Changed) -> None:
        """Speed and language hold at once."""
        if event.choice.key == "speed":
            self.game_app.set_speed(event.choice.text)
        if event.choice.key == "language":
            await self.game_app.set_language(event.choice.text)
        await self.draw()

    def on_choices_taken(self, event: Choices.Taken) -> None:
        """Enter plays, on any line but those that say otherwise; pressed twice, it plays once."""
        if not self.is_current:
            return
        if event.choice.key == "leave":
            self.action_leave()
        elif event.choice.key == "resume" and self._unfinished is not None:
            self.game_app.sit_down(replace(self._setup, resume=self._unfinished))
        else:
            self.game_app.sit_down(self.setup)

    async def action_rules(self) -> None:
        """The chosen rules in words."""
        await self.game_app.show_rules(self._chosen_rules)

    def action_leave(self) -> None:
        """Leave the app."""
        self.app.exit()
