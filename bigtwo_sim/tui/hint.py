"""The hint: all legal plays, and what the strong player would do, with its numbers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from rich.text import Text
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical
from textual.widgets import OptionList, Static
from textual.widgets.option_list import Option

from bigtwo_sim.games.big_two import CardSet, View
from bigtwo_sim.roster.analyses import analysis_of
from bigtwo_sim.roster.level import Level
from bigtwo_sim.tui.drawing.card_art import coloured
from bigtwo_sim.tui.screens.dialogs import Dialog
from bigtwo_sim.tui.threads import in_thread

ADVISER = "strong"
WORLDS = 300
CANDIDATES = 40
PLAY_WIDTH = 40  # columns


@dataclass
class _Row:
    """An option of the hint: its cards (none: the pass), and what is expected of it once that is known."""

    cards: CardSet
    kind: str
    numbers: tuple[float, float, float] | None = None
    """Points ahead of the others' mean, the longer side of its 95 % interval, chance to win."""


class HintScreen(Dialog):
    """All legal plays, and the strong player's opinion of them. Dismissed with the cards to choose, or None."""

    BINDINGS: ClassVar[list[BindingType]] = [("escape,h", "dismiss_none")]

    def __init__(self, view: View) -> None:
        super().__init__()
        self.view = view
        self.rows = [_Row(play.cards, play.kind) for play in reversed(view.legal_plays)]
        if view.may_pass:
            self.rows.append(_Row(CardSet(0, view.rules.deck), "pass"))
        self.choice: CardSet | None = None
        self.compiles = False

    def compose(self) -> ComposeResult:
        """A line that says what is known, the options, the keys."""
        with Vertical(classes="box", id="hint"):
            yield Static(id="hint-known", markup=False)
            yield Static(id="hint-head", markup=False)
            yield OptionList(id="options")
            yield Static(id="hint-keys", markup=False)

    def on_mount(self) -> None:
        """Have it thought about."""
        self.game_app.tell_of_compiling(self._say_that_it_compiles)
        self.run_worker(self._think())

    def on_unmount(self) -> None:
        """What is compiled from now on is no matter of this screen: an advice that nobody waits for goes on alone."""
        self.game_app.stop_telling(self._say_that_it_compiles)

    async def _say_that_it_compiles(self) -> None:
        self.compiles = True
        await self.draw()

    async def draw(self) -> None:
        """In the chosen language, with what is known; nothing, while the screen is being made or taken away."""
        if not self.query("#hint-keys"):
            return
        texts = self.texts
        self.query_one("#hint").border_title = Text(texts("hint_title"))
        waiting = texts("compiling" if self.compiles else "hint_thinking")
        known = waiting if self.choice is None else texts("hint_found", n=WORLDS)
        self.query_one("#hint-known", Static).update(known)
        head = Text("  ")
        head.append(_padded(texts("hint_play"), PLAY_WIDTH))
        head.append(_padded_left(texts("hint_margin"), 17))
        head.append(_padded_left(texts("hint_win"), 9))
        self.query_one("#hint-head", Static).update(head)
        self.query_one("#hint-keys", Static).update(texts("hint_keys"))
        options = self.query_one(OptionList)
        at = options.highlighted or 0
        options.clear_options()
        options.add_options([Option(self._line(row)) for row in self.rows])
        options.highlighted = min(at, len(self.rows) - 1) if self.rows else None
        options.focus()

    def _line(self, row: _Row) -> Text:
        best = self.choice is not None and row.cards == self.choice
        line = Text.assemble(("★ " if best else "  ", "bold #ffd75f"))
        what = coloured(row.cards) if row.cards else Text(self.texts("key_pass"))
        if row.cards:
            what.append(f"  {self.texts(row.kind)}", "#8fb3a8")
        line.append_text(_padded(what, PLAY_WIDTH))
        if row.numbers is not None:
            margin, error, win = row.numbers
            line.append(f"{margin:+9.1f} ± {error:4.1f} {win:8.0%}")
        return line

    async def _think(self) -> None:
        self.choice, numbers = await in_thread(advice, self.view)
        for row in self.rows:
            row.numbers = numbers.get(row.cards.bits)
        self.rows.sort(key=lambda row: -row.numbers[0] if row.numbers else float("inf"))
        await self.draw()
        cards = [row.cards for row in self.rows]
        if self.choice in cards:  # Enter takes the strong player's choice, wherever the points have put it
            self.query_one(OptionList).highlighted = cards.index(self.choice)

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        """Enter, or a click."""
        self.close_with(self.rows[event.option_index].cards)

    def action_dismiss_none(self) -> None:
        """Close it."""
        self.close_with(None)


def advice(view: View) -> tuple[CardSet, dict[int, tuple[float, float, float]]]:
    """What the level `strong` does in this position, and by the bits of each option (0: the pass) the points expected
    ahead of the others' mean, the longer side of their 95 % interval, and the chance to win the deal.
    """
    # Not before somebody wants a hint: the first time compiles, and that must be in a thread.

    choice = Level(ADVISER).choose(view)
    frame = analysis_of().analyse(view, worlds=WORLDS, candidates=CANDIDATES)
    numbers = {}
    for row in frame.itertuples():
        cards = CardSet(0, view.rules.deck) if row.cards == "pass" else CardSet.parse(row.cards, view.rules.deck)
        error = float(max(row.margin_high - row.margin, row.margin - row.margin_low))
        numbers[cards.bits] = float(row.margin), error, float(row.win)
    return choice, numbers


def _padded(text: str | Text, width: int) -> Text:
    made = Text(text) if isinstance(text, str) else text.copy()
    made.truncate(width, overflow="ellipsis", pad=True)
    return made


def _padded_left(text: str, width: int) -> Text:
    made = Text(text)
    made.pad_left(max(0, width - made.cell_len))
    return made
