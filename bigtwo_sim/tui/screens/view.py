"""The table as it is drawn: the other players, the play to beat, the last turns, the own hand, what is chosen."""

from __future__ import annotations

from rich.text import Text
from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical
from textual.css.query import NoMatches
from textual.widgets import Static

from bigtwo_sim.games.big_two import CardSet
from bigtwo_sim.games.big_two.layout import SEATS
from bigtwo_sim.games.big_two.rules import OpeningPlay
from bigtwo_sim.tui.controller import Course
from bigtwo_sim.tui.drawing.card_art import card_text, coloured
from bigtwo_sim.tui.drawing.verdict import Verdict, verdict
from bigtwo_sim.tui.drawing.widgets import CardRow, HandRow, Keys, Place
from bigtwo_sim.tui.game import PERSON, Game
from bigtwo_sim.tui.screens.base import TableScreen
from bigtwo_sim.tui.setup import Setup, player_name, rules_name

OTHERS = SEATS - 1
LONGEST_NAME = 9  # in the last turns
MOODS = ("good", "bad", "wait", "ask")
SOFT = "#8fb3a8"
ARROWS = ("\n\n╭→\n│\n│", "\n\n →", "\n\n →", "\n\n→╮\n │\n ▼")


class TableView(TableScreen[None]):
    """All that is seen of a game. What is chosen in it, a subclass changes by keys and mouse."""

    def __init__(self, setup: Setup) -> None:
        super().__init__()
        self.setup = setup
        self.controller = Course(setup, lambda: self.game_app.speed, self.text_of, self.name_of)
        self.chosen = CardSet()
        self.cursor = 0
        self.by_suit = False
        self.waited = 0
        """Seconds that the players take to sit down."""

    def compose(self) -> ComposeResult:
        """Header, the others in the order of their turns, the table, the own place, what is chosen, the keys."""
        with Vertical(id="table"):
            with Horizontal(id="header"):
                yield Static(id="what", markup=False)
                yield Static(id="how-fast", markup=False)
            with Horizontal(id="others"):
                yield Static(ARROWS[0], classes="arrow")
                for number in range(OTHERS):
                    yield Place(id=f"place-{number}", markup=False)
                    yield Static(ARROWS[number + 1], classes="arrow")
            with Horizontal(id="middle"):
                with Vertical(id="laid"):
                    yield Static(id="whose", markup=False)
                    yield CardRow(id="play")
                    yield Static(id="laid-note", markup=False)
                yield Static(id="history", markup=False)
            yield Static(id="own", markup=False)
            yield HandRow(id="hand")
            yield Static(id="status", markup=False)
            yield Static(id="notice", markup=False)
            with Vertical(id="keys"):
                yield Keys([], id="keys-1")
                yield Keys([], id="keys-2")

    # --- what there is ------------------------------------------------------------------------------------------------
    @property
    def game(self) -> Game | None:
        """The game; None while the players sit down."""
        return self.controller.game

    @property
    def players(self) -> tuple[str, ...]:
        """Who plays, by seat."""
        return self.game.players if self.game else self.setup.players

    @property
    def has_person(self) -> bool:
        """Whether a person plays; else one watches."""
        return PERSON in self.players

    @property
    def bottom(self) -> int:
        """The seat that is drawn below: the person's, else the first."""
        return self.players.index(PERSON) if self.has_person else 0

    @property
    def is_my_turn(self) -> bool:
        """Whether the person is asked."""
        return self.controller.is_persons_turn

    def text_of(self, key: str, **values: object) -> str:
        """A text in the language of now."""
        return self.texts(key, **values)

    def name_of(self, seat: int) -> str:
        """What a player is called."""
        return player_name(self.texts, self.players[seat], seat, self.players)

    def hand_cards(self) -> list[CardSet]:
        """The cards of the seat below in the chosen order."""
        if self.game is None:
            return []
        cards = list(self.game.deal.hands[self.bottom])
        if self.by_suit:
            suits = self.game.rules.deck.suits
            cards.sort(key=lambda card: (suits.index(card.text()[1]), card.bits))
        return cards

    def judge(self) -> Verdict:
        """What the chosen cards are, and whether they can be laid."""
        if self.game is None or not self.has_person:
            return Verdict("" if self.game is None else self.texts("watching"), "wait")
        return verdict(self.game.deal, self.bottom, self.chosen, self.texts, self.name_of)

    # --- drawing ------------------------------------------------------------------------------------------------------
    def _put(self, part: str, text: str | Text) -> None:
        self.query_one(f"#{part}", Static).update(text)

    async def draw(self) -> None:
        """Everything as it is now; nothing, while the screen is being made or removed."""
        try:
            await self._draw()
        except NoMatches:
            if self.query("#how-fast") and self.query("#keys-2"):  # its first and its last part
                raise

    async def _draw(self) -> None:
        texts, game = self.texts, self.game
        speed = f"{texts('speed')}: {texts(self.game_app.speed)}"
        self._put("how-fast", f"{speed} · {texts('paused')}" if self.controller.paused else speed)
        self.query_one("#laid").border_title = Text(texts("table"))
        self.query_one("#history").border_title = Text(texts("history"))
        await self._draw_keys()
        if game is not None:
            title = ["Big Two", rules_name(game.rules.name), texts("deal_n", n=game.deal_number)]
            if game.match.target is not None:
                title.append(texts("to_target", n=game.match.target))
            self._put("what", " · ".join(title))
            for number in range(OTHERS):
                self._draw_place(game, number, (self.bottom + 1 + number) % SEATS)
            self._draw_table(game)
            self._draw_history(game)
            self._draw_own(game)
            self._put("notice", self.controller.notice)
        else:
            self._put("whose", self.controller.notice)
            self._put("laid-note", f"{self.waited} s" if self.waited else "")

    async def _draw_keys(self) -> None:
        texts = self.texts
        own = [
            (f"← → {texts('key_space')}", texts("key_choose"), "toggle_card"),
            ("3…9 0 J…2", texts("key_rank"), "cursor(1)"),
            ("Tab", texts("key_next_play"), "suggest(1)"),
            ("Enter", texts("key_lay"), "lay"),
            ("P", texts("key_pass"), "pass"),
        ]
        other = [
            ("H", texts("key_hint"), "hint"),
            ("S", texts("key_sort"), "sort"),
            ("+ -", texts("key_speed"), "speed(0)"),
            ("F1", texts("key_rules"), "rules"),
            ("Esc", texts("key_menu"), "menu"),
        ]
        if not self.has_person:
            own = [(texts("key_space"), texts("key_pause"), "toggle_card")]
            other = other[1:]
        await self.query_one("#keys-1", Keys).show(own)
        await self.query_one("#keys-2", Keys).show(other)

    def _facts(self, game: Game, seat: int) -> str:
        left, total = game.deal.left[seat], game.totals[seat]
        return f"{self.texts('cards_left', n=left)} · {self.texts('points_n', n=total)}"

    def _turn_text(self, game: Game, seat: int) -> Text:
        """What a player did last in this trick, or that it is its turn."""
        if game.deal.turn == seat and not game.deal.is_over:
            return Text(self.texts("thinking"), "italic #ffd75f")
        turn = game.latest(seat)
        if turn is None:
            return Text("")
        passes = "you_pass" if self.players[seat] == PERSON else "passes"
        return Text(self.texts(passes), SOFT) if turn.play is None else coloured(turn.play.cards)

    def _draw_place(self, game: Game, number: int, seat: int) -> None:
        deal = game.deal
        place = self.query_one(f"#place-{number}", Place)
        on_turn = deal.turn == seat and not deal.is_over
        name, facts, turn = self.name_of(seat), self._facts(game, seat), self._turn_text(game, seat)
        if self.has_person:
            left = deal.left[seat]
            place.show(name, left, facts, turn, on_turn, self.texts("last_card") if left == 1 else "")
        else:
            points = self.texts("points_n", n=game.totals[seat])
            place.show_open(name, deal.hands[seat], points, turn, on_turn)

    def _draw_table(self, game: Game) -> None:
        deal, texts = game.deal, self.texts
        table = deal.play_to_beat
        note = ""
        if table is None:
            whose = self._lead_text(game)
        else:
            whose = texts("lies_there", who=self.name_of(deal.play_owner), kind=texts(table.kind))
        if self.is_my_turn and deal.legal_plays():
            note = texts("beats_with" if table else "has_plays", n=len(deal.legal_plays()))
        self._put("whose", whose)
        self.query_one("#play", CardRow).show([] if table is None else list(table.cards))
        self._put("laid-note", note)

    def _lead_text(self, game: Game) -> str:
        deal, texts = game.deal, self.texts
        if deal.is_over:
            return ""
        if not deal.log and deal.leader is None and game.rules.opening_play != OpeningPlay.ANYTHING:
            lowest = card_text(CardSet(1, game.rules.deck))
            is_single = game.rules.opening_play == OpeningPlay.SINGLE
            return texts("empty_single" if is_single else "empty_contains", card=lowest)
        return texts("empty_you") if self.is_my_turn else texts("empty_other", who=self.name_of(deal.turn))

    def _draw_history(self, game: Game) -> None:
        history = self.query_one("#history", Static)
        lines = []
        for turn in game.turns[-max(1, history.content_size.height) :]:
            name = Text(self.name_of(turn.seat))
            name.truncate(LONGEST_NAME, overflow="ellipsis")
            line = Text.assemble(name, " ")
            if turn.play is None:
                line.append(self.texts("passes_you" if self.players[turn.seat] == PERSON else "passes"), SOFT)
            else:
                line.append_text(coloured(turn.play.cards))
            lines.append(line)
        history.update(Text("\n").join(lines))

    def _draw_own(self, game: Game) -> None:
        hand, cards = game.deal.hands[self.bottom], self.hand_cards()
        self.chosen = CardSet(self.chosen.bits & hand.bits, game.rules.deck)
        self.cursor = max(0, min(self.cursor, len(cards) - 1))
        cursor = self.cursor if self.has_person and cards else None
        self.query_one(HandRow).show_hand(cards, self.chosen, self._unplayable(game), cursor)
        order = self.texts("by_suit" if self.by_suit else "by_rank")
        line = Text(" · ".join([self.name_of(self.bottom), self._facts(game, self.bottom), order]))
        if not self.is_my_turn:
            line.append("   ")
            line.append_text(self._turn_text(game, self.bottom))
        self._put("own", line)
        self.query_one("#own").set_class(self.is_my_turn, "on-turn")
        found = self.judge()
        self._put("status", found.text)
        for mood in MOODS:
            self.query_one("#status").set_class(found.mood == mood, mood)

    def _unplayable(self, game: Game) -> CardSet:
        """On the person's turn, the cards that no legal play holds together with those that are chosen."""
        deck = game.rules.deck
        if not self.is_my_turn:
            return CardSet(0, deck)
        bits = 0
        for play in game.deal.legal_plays():
            if self.chosen <= play.cards:
                bits |= play.cards.bits
        return game.deal.hands[self.bottom] - CardSet(bits, deck)
