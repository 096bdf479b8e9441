"""The parts of the table that are drawn from characters: rows of cards, a player's place, a line of keys, a list of
choices.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from rich.segment import Segment
from rich.style import Style
from rich.text import Text
from textual import events
from textual.app import ComposeResult, RenderResult
from textual.containers import Horizontal
from textual.geometry import Size as Extent
from textual.message import Message
from textual.strip import Strip
from textual.widget import Widget
from textual.widgets import Static

from bigtwo_sim.games.big_two import CardSet
from bigtwo_sim.tui.drawing.card_art import BACK, LARGE, SMALL, Size, coloured, face

LARGE_FROM = 13 * LARGE.pitch + 4, 34  # columns and rows of a window in which cards are drawn large
NOW = "#ffd75f"
SHORT_LINE = 5  # cards in the first line of an open hand, at least


class CardRow(Widget):
    """Cards side by side in the order given, in the middle of the row."""

    DEFAULT_CSS = "CardRow { width: 1fr; height: auto; }"

    cards: tuple[CardSet, ...] = ()

    def show(self, cards: Sequence[CardSet]) -> None:
        """Draw these cards, one set of one each."""
        if tuple(cards) != self.cards:
            self.cards = tuple(cards)
            self.refresh()

    @property
    def card_size(self) -> Size:
        """How large they are drawn in this window."""
        window = self.app.size
        return LARGE if window.width >= LARGE_FROM[0] and window.height >= LARGE_FROM[1] else SMALL

    @property
    def start(self) -> int:
        """The column of the first card."""
        return max(0, (self.size.width - self.card_size.total(len(self.cards))) // 2)

    def get_content_height(self, container: Extent, viewport: Extent, width: int) -> int:
        """As high as a card."""
        return self.card_size.height

    def rows_of(self, place: int) -> list[tuple[str, Style]]:
        """The rows of the card at `place`, as many as the widget has."""
        return face(self.cards[place], self.card_size)

    def render_line(self, y: int) -> Strip:
        """One row of all cards."""
        ground = self.rich_style
        parts = [Segment(" " * self.start, ground)]
        for place in range(len(self.cards)):
            rows = self.rows_of(place)
            text, style = rows[y] if y < len(rows) else (" " * self.card_size.width, Style())
            if place:
                parts.append(Segment(" ", ground))
            parts.append(Segment(text, ground + style))
        return Strip(parts).adjust_cell_length(self.size.width, ground)


class HandRow(CardRow):
    """The hand of a person: chosen cards stand higher, a mark is under the one that the keys are at."""

    LIFT = 1

    @dataclass
    class Toggled(Message):
        """A card was clicked."""

        place: int

    cursor: int | None = None
    chosen: CardSet = CardSet()
    dull: CardSet = CardSet()

    def show_hand(self, cards: Sequence[CardSet], chosen: CardSet, dull: CardSet, cursor: int | None) -> None:
        """Draw the hand: `chosen` of its cards higher, `dull` ones greyed, the mark under number `cursor`."""
        self.cards, self.chosen, self.dull, self.cursor = tuple(cards), chosen, dull, cursor
        self.refresh()

    def get_content_height(self, container: Extent, viewport: Extent, width: int) -> int:
        """As high as a card that stands higher, and the mark."""
        return self.LIFT + self.card_size.height + 1

    def rows_of(self, place: int) -> list[tuple[str, Style]]:
        """The card's rows, higher where it is chosen, and the mark."""
        card = self.cards[place]
        chosen = card <= self.chosen
        rows = face(card, self.card_size, chosen=chosen, dull=not chosen and card <= self.dull)
        empty = " " * self.card_size.width, Style()
        rows = [*rows, empty] if chosen else [empty, *rows]
        if place == self.cursor:
            rows.append((f"{'▲':^{self.card_size.width}}", Style(color=NOW, bold=True)))
        else:
            rows.append(empty)
        return rows

    def place_at(self, x: int) -> int | None:
        """The number of the card in column `x` of the widget."""
        place, within = divmod(x - self.start, self.card_size.pitch)
        return place if 0 <= place < len(self.cards) and within < self.card_size.width else None

    def on_click(self, event: events.Click) -> None:
        """Choose the card, or put it back."""
        place = self.place_at(event.get_content_offset_capture(self).x)
        if place is not None:
            self.post_message(self.Toggled(place))


class Place(Static):
    """The place of another player: name, cards as backs with their number, points, and the last turn."""

    BORDER_TITLE = ""

    def show(self, name: str, left: int, facts: str, turn: Text, on_turn: bool, warning: str = "") -> None:
        """Draw it; `warning` stands with the cards."""
        backs = Text("▮" * left, Style(color=BACK))
        if warning:
            backs.append(f"  {warning}", Style(color=NOW, bold=True))
        self._draw(name, on_turn, [backs, Text(facts), turn])

    def show_open(self, name: str, hand: CardSet, facts: str, turn: Text, on_turn: bool) -> None:
        """The same with its cards to be seen, in two lines."""
        cards = list(hand)
        half = max(SHORT_LINE, (len(cards) + 1) // 2)
        lines = [coloured(part) for part in (cards[:half], cards[half:])]
        if max(line.cell_len for line in lines) > self.content_size.width:
            lines = [coloured(part, gap="") for part in (cards[:half], cards[half:])]
        self._draw(name, on_turn, [*lines, turn])
        self.border_subtitle = Text(facts)

    def _draw(self, name: str, on_turn: bool, lines: Sequence[Text]) -> None:
        self.border_title = Text(name)
        self.set_class(on_turn, "on-turn")
        self.update(Text("\n").join(lines))


class Key(Static):
    """One key with what it does; a click does it too."""

    def __init__(self, key: str, words: str, action: str) -> None:
        text = Text.assemble((f" {key} ", "bold #10251f on #9fd8c4"), f" {words}")
        super().__init__(text, markup=False)
        self.does = action

    async def on_click(self) -> None:
        """What the key does."""
        await self.screen.run_action(self.does)


class Keys(Horizontal):
    """The keys that do something here."""

    DEFAULT_CSS = "Keys { height: 1; width: 1fr; } Keys Key { width: auto; margin: 0 2 0 0; }"

    def __init__(self, keys: Sequence[tuple[str, str, str]], **options: str) -> None:
        super().__init__(**options)  # type: ignore[arg-type]
        self._keys = keys

    def compose(self) -> ComposeResult:
        """A part a key."""
        for key, words, action in self._keys:
            yield Key(key, words, action)

    async def show(self, keys: Sequence[tuple[str, str, str]]) -> None:
        """Show other keys: (key, words, action)."""
        if list(keys) != list(self._keys):
            self._keys = keys
            await self.recompose()


@dataclass
class Choice:
    """A line of a list: its label, and its values where it has some; `value` is the number of the one chosen."""

    key: str
    label: Callable[[], str]
    values: Sequence[str] = ()
    value: int = 0
    words: Callable[[str], str] = str
    note: Callable[[], str] = str

    @property
    def text(self) -> str:
        """The value that is chosen."""
        return self.values[self.value]


class Choices(Widget, can_focus=True):
    """Lines to go through with the arrows: left and right change a value, Enter takes a line; a click does both."""

    DEFAULT_CSS = "Choices { height: auto; width: auto; }"
    BINDINGS = [  # noqa: RUF012
        ("up", "move(-1)"),
        ("down", "move(1)"),
        ("left", "change(-1)"),
        ("right", "change(1)"),
        ("space", "change(1)"),
        ("enter", "take"),
        ("tab", "move(1)"),
        ("shift+tab", "move(-1)"),
        ("home", "move(-99)"),
        ("end", "move(99)"),
    ]

    @dataclass
    class Changed(Message):
        """A value was changed."""

        choice: Choice

    @dataclass
    class Taken(Message):
        """Enter was pressed on a line, or a line without values was clicked."""

        choice: Choice

    def __init__(self, choices: Sequence[Choice], at: int = 0, id: str | None = None) -> None:
        super().__init__(id=id)
        self.choices = list(choices)
        self.at = at

    def _label_width(self) -> int:
        return max([Text(c.label()).cell_len for c in self.choices if c.values] or [0])

    def _value_width(self) -> int:
        return max([Text(c.words(v)).cell_len for c in self.choices for v in c.values] or [0])

    def render(self) -> RenderResult:
        """All lines."""
        labels, values = self._label_width(), self._value_width()
        lines = []
        for number, choice in enumerate(self.choices):
            here = number == self.at
            line = Text.assemble(("▶ " if here else "  ", "bold #ffd75f"))
            label = Text(choice.label(), "bold" if here else "")
            if choice.values:
                label.pad_right(labels - label.cell_len + 2)
                value = Text(choice.words(choice.text), "bold #9fd8c4" if here else "#9fd8c4")
                value.pad_right(values - value.cell_len)
                arrows = "bold #ffd75f" if here else "#5f8a7c"
                line = Text.assemble(line, label, ("‹ ", arrows), value, (" ›", arrows))
                note = choice.note()
                if note:
                    line.append(f"  {note}", "#8fb3a8")
            else:
                line.append_text(label)
                if here:
                    line.stylize("bold #10251f on #9fd8c4", 2)
            lines.append(line)
        return Text("\n").join(lines)

    def action_move(self, step: int) -> None:
        """Go up or down."""
        end = len(self.choices) - 1
        self.at = (self.at + step) % (end + 1) if abs(step) == 1 else max(0, min(end, self.at + step))
        self.refresh()

    def action_change(self, step: int) -> None:
        """Another value of this line."""
        choice = self.choices[self.at]
        if choice.values:
            choice.value = (choice.value + step) % len(choice.values)
            self.post_message(self.Changed(choice))
            self.refresh(layout=True)

    def action_take(self) -> None:
        """Take this line."""
        self.post_message(self.Taken(self.choices[self.at]))

    def on_click(self, event: events.Click) -> None:
        """Take the line that was clicked, or change its value: backwards left of the value, else forwards."""
        offset = event.get_content_offset_capture(self)
        if 0 <= offset.y < len(self.choices):
            self.at = offset.y
            choice = self.choices[self.at]
            if choice.values:
                self.action_change(-1 if offset.x <= self._label_width() + 5 else 1)
            else:
                self.action_take()
            self.refresh()
