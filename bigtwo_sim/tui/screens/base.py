"""What all screens share: the languages, the room they need, and the size notice where there is less of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

from textual import events
from textual.binding import BindingType
from textual.geometry import Size
from textual.screen import Screen
from textual.widgets import Static

from bigtwo_sim.tui.texts import Texts

if TYPE_CHECKING:
    from bigtwo_sim.tui.app import PlayApp  # which shows these screens

LEAST_WIDTH, LEAST_HEIGHT = 80, 24
Result = TypeVar("Result")


def is_too_small(size: Size) -> bool:
    """Whether a window of this size has too little room for the game."""
    return size.width < LEAST_WIDTH or size.height < LEAST_HEIGHT


class TableScreen(Screen[Result]):
    """A screen of the game. Where the window is too small, it says so and shows nothing else."""

    BINDINGS: ClassVar[list[BindingType]] = [("f1,question_mark", "rules")]

    @property
    def game_app(self) -> PlayApp:
        """The app."""
        app: Any = self.app
        return app  # type: ignore[no-any-return]

    @property
    def texts(self) -> Texts:
        """The texts of the chosen language."""
        return self.game_app.texts

    async def draw(self) -> None:
        """Show everything as it stands, in the chosen language."""

    def on_mount(self) -> None:
        """The notice is there from the beginning, unseen."""
        self.mount(Static(id="too-small", markup=False))
        self._look_at_size(self.app.size)

    def on_resize(self, event: events.Resize) -> None:
        """Is the window too small?"""
        self._look_at_size(event.size)

    def _look_at_size(self, size: Size) -> None:
        too_small, (width, height) = is_too_small(size), size
        self.set_class(too_small, "too-small")
        if too_small:
            self.query_one("#too-small", Static).update(
                self.texts("too_small", width=width, height=height, least_width=LEAST_WIDTH, least_height=LEAST_HEIGHT)
            )

    async def action_rules(self) -> None:
        """The rules in words."""
        await self.game_app.show_rules()
