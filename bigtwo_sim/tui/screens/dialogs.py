"""What opens over the table: the points of a deal, the rules, the menu."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

from rich.table import Table
from rich.text import Text
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical, VerticalScroll
from textual.screen import ModalScreen
from textual.widgets import Static

from bigtwo_sim.games.big_two import Rules
from bigtwo_sim.games.big_two.display.words import in_words
from bigtwo_sim.tui.drawing.card_art import coloured
from bigtwo_sim.tui.drawing.widgets import Choice, Choices
from bigtwo_sim.tui.game import PERSON, SPEEDS, Game
from bigtwo_sim.tui.screens.base import TableScreen
from bigtwo_sim.tui.setup import player_name
from bigtwo_sim.tui.texts import LANGUAGES, Texts


class Dialog(ModalScreen[Any], TableScreen[Any]):
    """A box over the table, with its keys in its last line."""

    def close_with(self, result: Any) -> None:
        """Close it, once: a key may be pressed again before it is gone."""
        if self.is_current:
            self.dismiss(result)

    async def on_screen_resume(self) -> None:
        """Drawn whenever it comes to the front."""
        await self.draw()


class ResultScreen(Dialog):
    """The points of a deal. Dismissed with whether another deal follows."""

    BINDINGS: ClassVar[list[BindingType]] = [("enter,space", "go_on"), ("escape,f10", "menu")]

    def __init__(self, game: Game) -> None:
        super().__init__()
        self.game = game

    def compose(self) -> ComposeResult:
        """Who has won, the table, the keys."""
        with Vertical(classes="box", id="result"):
            yield Static(id="winner", markup=False)
            yield Static(id="points")
            yield Static(id="target", markup=False)
            yield Static(id="result-keys", markup=False)

    @property
    def is_match_over(self) -> bool:
        """Whether no deal follows."""
        return self.game.match.winner is not None

    async def draw(self) -> None:
        """In the chosen language."""
        texts, game, deal = self.texts, self.game, self.game.deal
        winner = game.match.winner if self.is_match_over else deal.winner
        assert winner is not None
        key = "match_won" if self.is_match_over else "deal_won"
        who = player_name(texts, game.players[winner], winner, game.players)
        mine = game.players[winner] == PERSON
        self.query_one("#winner", Static).update(texts(f"{key}_you" if mine else key, who=who, n=game.match.number))
        table = Table(box=None, padding=(0, 2, 0, 0), expand=False)
        table.add_column(texts("column_player"), max_width=18, no_wrap=True)
        for column in ("column_points", "column_total"):
            table.add_column(texts(column), justify="right")
        table.add_column(texts("column_left"), no_wrap=True)
        for seat, player in enumerate(game.players):
            name = Text(player_name(texts, player, seat, game.players))
            won = seat == deal.winner
            left = Text("★", "bold #ffd75f") if won else Text(f"{len(deal.hands[seat])}  ")
            left.append_text(coloured(deal.hands[seat]))
            style = "bold #ffd75f" if won else ""
            points = f"{deal.points[seat]:+d}" if deal.points[seat] else "0"
            table.add_row(name, points, f"{game.totals[seat]}", left, style=style)
        self.query_one("#points", Static).update(table)
        target = game.match.target
        self.query_one("#target", Static).update("" if target is None else texts("target_line", n=target))
        self.query_one("#result-keys", Static).update(
            texts("enter_new_game" if self.is_match_over else "enter_next_deal")
        )

    def action_go_on(self) -> None:
        """The next deal; after the match, the first screen."""
        self.close_with(not self.is_match_over)

    def action_menu(self) -> None:
        """The menu."""
        self.app.push_screen(MenuScreen())

    def on_click(self) -> None:
        """As Enter."""
        self.action_go_on()


class RulesScreen(Dialog):
    """The rules in words."""

    BINDINGS: ClassVar[list[BindingType]] = [
        ("escape,f1,question_mark,enter", "close"),
        ("up", "scroll('up')"),
        ("down", "scroll('down')"),
        ("pageup", "scroll('page_up')"),
        ("pagedown,space", "scroll('page_down')"),
        ("home", "scroll('home')"),
        ("end", "scroll('end')"),
    ]

    def __init__(self, rules: Rules) -> None:
        super().__init__()
        self.rules = rules

    def compose(self) -> ComposeResult:
        """The text, and the keys."""
        with Vertical(classes="box", id="rules"):
            with VerticalScroll(id="rules-scroll"):
                yield Static(id="rules-text", markup=False)
            yield Static(id="rules-keys", markup=False)

    async def draw(self) -> None:
        """In the chosen language."""
        self.query_one("#rules").border_title = Text(self.texts("rules"))
        self.query_one("#rules-text", Static).update(rules_in_words(self.rules, self.texts.lang))
        self.query_one("#rules-keys", Static).update(self.texts("rules_keys"))

    def action_scroll(self, where: str) -> None:
        """Up and down."""
        getattr(self.query_one("#rules-scroll"), f"scroll_{where}")(animate=False)

    async def action_rules(self) -> None:
        """F1 closes what it opened."""
        self.action_close()

    def action_close(self) -> None:
        """Close it."""
        self.close_with(None)


def rules_in_words(rules: Rules, lang: str) -> Text:
    """The rules in sections of sentences."""
    text = Text()
    for section in in_words(rules, lang):
        text.append(f"{section.title}\n", "bold #ffd75f")
        for sentence in section.sentences:
            text.append(f"{sentence}\n")
        text.append("\n")
    return text


class MenuScreen(Dialog):
    """Speed, language, rules, another game, leaving."""

    BINDINGS: ClassVar[list[BindingType]] = [("escape,f10", "close")]

    def _choices(self) -> Sequence[Choice]:
        app = self.game_app
        speeds, languages = list(SPEEDS), list(LANGUAGES)

        def word(key: str) -> Any:
            return lambda: self.texts(key)

        return [
            Choice("go_on", word("menu_go_on")),
            Choice("speed", word("speed"), speeds, speeds.index(app.speed), lambda value: self.texts(value)),
            Choice(
                "language",
                word("language_label"),
                languages,
                languages.index(app.texts.lang),
                lambda value: Texts(value)("language"),
            ),
            Choice("rules", word("rules")),
            Choice("new", word("menu_new")),
            Choice("leave", word("menu_leave")),
        ]

    def compose(self) -> ComposeResult:
        """The lines, and the keys."""
        with Vertical(classes="box", id="menu"):
            yield Choices(self._choices(), id="menu-choices")
            yield Static(id="menu-keys", markup=False)

    async def draw(self) -> None:
        """In the chosen language."""
        self.query_one("#menu").border_title = Text(self.texts("menu_title"))
        self.query_one("#menu-keys", Static).update(self.texts("menu_keys"))
        choices = self.query_one(Choices)
        choices.refresh(layout=True)
        choices.focus()

    async def on_choices_changed(self, event: Choices.Changed) -> None:
        """Speed and language hold at once."""
        if event.choice.key == "speed":
            self.game_app.set_speed(event.choice.text)
        else:
            await self.game_app.set_language(event.choice.text)

    async def on_choices_taken(self, event: Choices.Taken) -> None:
        """Do what the line says."""
        if not self.is_current:
            return
        key = event.choice.key
        if key == "leave":
            self.app.exit()
        elif key == "rules":
            await self.game_app.show_rules()
        elif key == "new":
            self.game_app.start_again()
        else:
            self.action_close()

    def action_close(self) -> None:
        """Go on."""
        self.close_with(None)
