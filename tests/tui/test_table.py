"""The table of `bigtwo play`, played by Textual's pilot: whole deals, and everything that may happen in between."""

import asyncio
import threading
from pathlib import Path

import pytest
from rich.cells import cell_len

from bigtwo_sim.core import code_cache
from bigtwo_sim.games.big_two import PRESETS, AgentError, CardSet, Deal, View
from bigtwo_sim.games.big_two.records.record import Record, check
from bigtwo_sim.tui import hint
from bigtwo_sim.tui.app import PlayApp
from bigtwo_sim.tui.controller import Course
from bigtwo_sim.tui.drawing.card_art import card_text
from bigtwo_sim.tui.drawing.widgets import Choices, HandRow
from bigtwo_sim.tui.game import SPEEDS, Game, latest_unfinished
from bigtwo_sim.tui.hint import HintScreen
from bigtwo_sim.tui.players import Answer, Player, SeatedChairs
from bigtwo_sim.tui.screens.dialogs import ResultScreen, RulesScreen
from bigtwo_sim.tui.screens.playing import PlayScreen
from bigtwo_sim.tui.screens.start import StartScreen
from bigtwo_sim.tui.texts import LANGUAGES, Texts
from bigtwo_sim.tui.threads import all_done
from tests.tools.lanes import mostly_swept
from tests.tools.waiting import PATIENCE
from tests.tui.pilot import LARGE, LEADS, SMALL, Sitting, run, setup, sitting, until

pytestmark = pytest.mark.drawing


@pytest.mark.parametrize("preset", mostly_swept(PRESETS, "singapore"))
def test_a_whole_deal_by_keyboard(preset: str) -> None:
    async def play() -> None:
        async with sitting(setup(PRESETS[preset])) as seat:
            await seat.play_deal(seat.choose_by_ranks, seat.press_key, chance=2)
            game = seat.table.game
            assert game is not None
            assert game.totals == game.deal.points
            await seat.pilot.press("enter")
            await seat.wait()
            assert not game.deal.is_over
            assert game.match.number == 1

    run(play)


@pytest.mark.parametrize("preset", mostly_swept(PRESETS, "taiwan"))
def test_a_whole_deal_by_mouse(preset: str) -> None:
    async def play() -> None:
        size = LARGE if preset == "taiwan" else SMALL
        async with sitting(setup(PRESETS[preset], seed=4), size) as seat:
            await seat.play_deal(seat.choose_by_mouse, seat.click_key, chance=3)
            await seat.pilot.click("#result")
            await seat.wait()
            assert not seat.deal.is_over

    run(play)


# --- choosing ---------------------------------------------------------------------------------------------------------
def test_cards_are_chosen_ordered_and_judged_by_keys() -> None:
    async def play() -> None:
        async with sitting(setup(seed=LEADS)) as seat:
            press, table, deck = seat.pilot.press, seat.table, seat.deal.rules.deck
            await press("end", "space")
            highest = table.hand_cards()[-1]
            assert table.chosen == highest
            by_suit = sorted(table.hand_cards(), key=lambda card: (deck.suits.index(str(card)[1]), card.bits))
            await press("s")
            assert table.hand_cards() == by_suit
            assert table.hand_cards()[table.cursor] == highest
            await press("s", "backspace")
            assert not table.chosen
            assert "choose" in seat.shown("status")
            legal = [play.cards for play in seat.deal.legal_plays()]
            for cards in (*legal, legal[0]):
                await press("tab")
                assert table.chosen == cards
            await press("shift+tab")
            assert table.chosen == legal[-1]
            await press("backspace", "home", "space", "right", "right", "right", "space", "enter")
            assert table.judge().mood == "bad"
            assert table.chosen  # nothing was laid
            assert seat.shown("status") == table.judge().text

    run(play)


def test_a_pass_that_is_forbidden_is_explained() -> None:
    async def play() -> None:
        async with sitting(setup(seed=LEADS)) as seat:
            assert seat.deal.play_to_beat is None
            await seat.pilot.press("p")
            assert "must lay" in seat.shown("notice")
            await seat.pilot.press("tab", "enter")
            assert seat.deal.log

    run(play)


# --- time -------------------------------------------------------------------------------------------------------------
@pytest.fixture
def endless_turns(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every speed but the last takes for ever, so that only another speed goes on."""
    for name in ("slow", "normal", "fast"):
        monkeypatch.setitem(SPEEDS, name, 1e6)


@pytest.mark.usefixtures("endless_turns")
def test_another_speed_ends_a_pause_at_once() -> None:
    async def play() -> None:
        async with sitting(setup(seed=LEADS), speed="instant") as seat:
            await seat.pilot.press("minus", "minus", "minus", "tab", "enter")
            assert len(seat.deal.log) == 1
            assert "thinking" in seat.shown("place-0")
            assert "slow" in seat.shown("how-fast")
            await seat.pilot.press("plus", "plus")  # not yet
            assert len(seat.deal.log) == 1
            await seat.pilot.press("plus")
            await seat.wait()
            assert len(seat.deal.log) == 4

    run(play)


@pytest.mark.usefixtures("endless_turns")
def test_the_screen_goes_on_while_an_agent_thinks_and_another_speed_holds_then(monkeypatch: pytest.MonkeyPatch) -> None:
    may_answer, asked = threading.Event(), threading.Event()
    ask = Player.ask

    def think(chair: Player, deal: Deal) -> Answer:
        asked.set()
        assert may_answer.wait(PATIENCE)
        return ask(chair, deal)

    monkeypatch.setattr(Player, "ask", think)

    async def play() -> None:
        async with sitting(setup(seed=LEADS)) as seat:
            await seat.pilot.press("minus", "tab", "enter")
            await until(seat.pilot, asked.is_set)
            await seat.pilot.press("s", "end", "space")  # the hand can be ordered, and cards be chosen for later
            assert seat.table.by_suit
            assert len(seat.table.chosen) == 1
            assert "turn of greedy" in seat.shown("status")
            await seat.pilot.press("plus")
            assert "instant" in seat.shown("how-fast")
            assert len(seat.deal.log) == 1
            may_answer.set()
            await seat.wait()
            assert len(seat.deal.log) == 4
            assert len(seat.table.chosen) == 1

    run(play)


def test_a_person_may_leave_while_an_agent_thinks(monkeypatch: pytest.MonkeyPatch) -> None:
    may_answer, asked = threading.Event(), threading.Event()

    def think(chair: Player, deal: Deal) -> Answer:
        asked.set()
        may_answer.wait(PATIENCE)
        return Answer(CardSet(0, deal.rules.deck))

    monkeypatch.setattr(Player, "ask", think)

    async def play() -> None:
        async with sitting(setup(seed=LEADS)) as seat:
            await seat.pilot.press("tab", "enter")
            await until(seat.pilot, asked.is_set)
            await seat.pilot.press("ctrl+q")
        assert not all_done(0.01)
        may_answer.set()
        assert all_done(PATIENCE)

    run(play)


def test_a_first_compilation_is_told_and_keys_work_meanwhile(monkeypatch: pytest.MonkeyPatch) -> None:
    may_sit, make = threading.Event(), SeatedChairs.make

    def compile_first(chairs: SeatedChairs) -> list[Player | None]:
        code_cache._Announcement.make()  # as the first kernel does that is not kept yet
        assert may_sit.wait(PATIENCE)
        return make(chairs)

    monkeypatch.setattr(SeatedChairs, "make", compile_first)

    async def play() -> None:
        async with sitting(setup(), play=False) as seat:
            await seat.pilot.press("enter")
            await until(seat.pilot, lambda: "First time" in seat.shown("whose"))
            await seat.pilot.press("minus")
            assert "fast" in seat.shown("how-fast")
            await until(seat.pilot, lambda: seat.shown("laid-note") == "1 s")
            may_sit.set()
            await until(seat.pilot, lambda: seat.table.game is not None)
            await until(seat.pilot, lambda: "First time" not in seat.shown("whose"))

    run(play)


# --- the window -------------------------------------------------------------------------------------------------------
def test_a_window_resized_in_mid_deal_stays_right() -> None:
    async def play() -> None:
        async with sitting(setup(seed=LEADS)) as seat:
            table, row = seat.table, seat.table.query_one(HandRow)
            cards = table.hand_cards()
            await seat.choose_by_mouse(cards[2])
            for size in (LARGE, SMALL, (200, 60), (81, 25)):
                await seat.pilot.resize_terminal(*size)
                await until(seat.pilot, lambda size=size: table.query_one("#keys").region.bottom == size[1])
                await until(seat.pilot, lambda: row.size.height == row.card_size.height + 2)
                assert row.region.bottom <= size[1] - 4
                await seat.choose_by_mouse(cards[-1])
                assert table.chosen == cards[2] | cards[-1]
                await seat.choose_by_mouse(cards[-1])
            notice = table.query_one("#too-small")
            await seat.pilot.resize_terminal(60, 20)
            await until(seat.pilot, lambda: notice.region.size == (60, 20))
            assert "60 × 20" in str(notice.render())
            await seat.pilot.resize_terminal(*SMALL)
            await until(seat.pilot, lambda: not notice.display)
            assert table.chosen == cards[2]
            await seat.choose_by_mouse(cards[2])
            options = [play.cards for play in seat.deal.legal_plays()]
            await seat.take_turn(options[-1], seat.choose_by_mouse, seat.click_key)

    run(play)


def test_what_cannot_be_seen_cannot_be_done_but_one_may_leave() -> None:
    async def play() -> None:
        async with sitting(setup(seed=LEADS)) as seat:
            press = seat.pilot.press
            await press("tab")
            chosen = seat.table.chosen
            await seat.pilot.resize_terminal(79, 24)
            await until(seat.pilot, lambda: seat.table.query_one("#too-small").display)
            for key in ("enter", "space", "p", "tab", "h", "escape", "f1"):
                await press(key)
                assert isinstance(seat.app.screen, PlayScreen)
            assert not seat.deal.log
            assert seat.table.chosen == chosen
            await seat.pilot.resize_terminal(*SMALL)
            await until(seat.pilot, lambda: not seat.table.query_one("#too-small").display)
            await press("enter")
            assert seat.deal.log[0] == (seat.table.bottom, chosen)
            await seat.pilot.resize_terminal(79, 24)
            await press("ctrl+q")
            await until(seat.pilot, lambda: not seat.app.is_running)

    run(play)


@pytest.mark.parametrize("lang", LANGUAGES)
def test_every_language_has_room(lang: str) -> None:
    """At 80 by 24 nothing is cut off at the edge, on any screen."""

    def check(seat: Sitting, *parts: str) -> None:
        for part in parts:
            for found in seat.app.screen.query(part):
                assert found.region.x >= 0, part
                assert found.region.right <= SMALL[0], (part, lang)
                assert found.region.bottom <= SMALL[1], (part, lang)

    async def look() -> None:
        async with sitting(setup(seed=LEADS, opponents=("easy", "easy", "easy")), lang=lang, play=False) as seat:
            texts = seat.app.texts
            assert str(seat.app.screen.query_one("#tagline").render()) == texts("tagline")
            for text in ("tagline", "start_keys", "hint_keys", "menu_keys", "enter_next_deal", "rules_keys"):
                assert cell_len(texts(text)) <= SMALL[0] - 8, text
            check(seat, "#choices", "#order")
            assert cell_len(str(seat.app.screen.query_one("#order").render())) <= SMALL[0]
            await seat.pilot.press("enter")
            await until(seat.pilot, lambda: seat.table.game is not None)
            await seat.wait()
            check(seat, "Key", "HandRow", "#status")
            assert texts("your_turn") == seat.shown("status")
            for screen in ("f1", "escape", "h"):
                await seat.pilot.press(screen)
                await seat.pilot.pause()
                check(seat, ".box", "Choices", "#rules-keys")
                await seat.pilot.press("escape")

    run(look)


# --- what opens -------------------------------------------------------------------------------------------------------
def test_the_menu_changes_speed_and_language_and_begins_anew() -> None:
    async def play() -> None:
        async with sitting(setup(seed=LEADS)) as seat:
            await seat.pilot.press("escape", "down", "left", "down", "right", "escape")
            assert seat.app.speed == "fast"
            assert seat.shown("status") == Texts("de")("your_turn")
            assert Texts("de")("fast") in seat.shown("how-fast")
            await seat.pilot.press("escape", "up", "up", "enter")
            await until(seat.pilot, lambda: isinstance(seat.app.screen, StartScreen))
            await seat.pilot.press("enter")
            await until(seat.pilot, lambda: isinstance(seat.app.screen, PlayScreen) and seat.is_asked)
            await seat.pilot.press("escape", "up", "enter")  # leave
            await until(seat.pilot, lambda: not seat.app.is_running)

    run(play)


def test_the_first_screen_chooses_who_plays_and_by_which_rules() -> None:
    async def play() -> None:
        async with sitting(setup(opponents=("easy", "normal", "strong")), play=False) as seat:
            await seat.pilot.press("down", "down", "left", "down", "right", "down", "left", "down", "right")
            screen = seat.app.screen
            assert isinstance(screen, StartScreen)
            assert screen.setup.players == ("you", "easy", "easy", "easy")
            assert screen.setup.target is None
            assert screen.setup.rules == PRESETS["pagat"]
            await seat.pilot.press("f1")
            await until(seat.pilot, lambda: isinstance(seat.app.screen, RulesScreen))
            assert seat.app.screen.rules == PRESETS["pagat"]
            await seat.pilot.press("f1")
            assert seat.app.screen is screen
            await seat.pilot.click("#choices", offset=(4, 0))
            await until(seat.pilot, lambda: seat.app.screen is not screen)
            await until(seat.pilot, lambda: seat.table.game is not None)
            assert seat.table.players == ("you", "easy", "easy", "easy")

    run(play)


@pytest.mark.compiled  # the strong player is too slow as plain Python
@pytest.mark.slow
def test_the_hint_shows_every_play_and_chooses_one() -> None:
    async def play() -> None:
        async with sitting(setup(seed=LEADS)) as seat:
            await seat.pilot.press("tab", "enter")
            await seat.wait()
            options = {play.cards for play in seat.deal.legal_plays()}
            options |= {CardSet(0, seat.deal.rules.deck)} if seat.deal.may_pass else set()
            await seat.pilot.press("h")
            screen = seat.app.screen
            assert isinstance(screen, HintScreen)
            await until(seat.pilot, lambda: screen.choice is not None)
            assert {row.cards for row in screen.rows} == options
            assert screen.choice in options
            numbers = [row.numbers for row in screen.rows if row.numbers]
            assert numbers == sorted(numbers, key=lambda row: -row[0])
            assert all(0 <= win <= 1 and error >= 0 for _, error, win in numbers)
            await seat.pilot.press("home", "down", "enter")
            assert seat.table.chosen == screen.rows[1].cards
            assert seat.table.judge().mood == "good"

    run(play)


def test_a_hint_has_its_mark_on_the_choice_at_first(monkeypatch: pytest.MonkeyPatch) -> None:
    def second_best(view: View) -> tuple[CardSet, dict[int, tuple[float, float, float]]]:
        plays = [play.cards for play in view.legal_plays]
        return plays[1], {cards.bits: (-float(place), 1.0, 0.5) for place, cards in enumerate(plays)}

    monkeypatch.setattr(hint, "advice", second_best)

    async def play() -> None:
        async with sitting(setup(seed=LEADS)) as seat:
            await seat.pilot.press("h")
            screen = seat.app.screen
            assert isinstance(screen, HintScreen)
            await until(seat.pilot, lambda: screen.choice is not None)
            assert screen.rows[1].cards == screen.choice
            await seat.pilot.press("enter")
            assert seat.table.chosen == screen.choice

    run(play)


def test_a_hint_closed_before_it_is_there_is_not_drawn_any_more(monkeypatch: pytest.MonkeyPatch) -> None:
    may_advise = threading.Event()

    def compile_late(_: View) -> tuple[CardSet, dict[int, tuple[float, float, float]]]:
        may_advise.wait(PATIENCE)
        return CardSet(), {}

    monkeypatch.setattr(hint, "advice", compile_late)

    async def play() -> None:
        async with sitting(setup(seed=LEADS)) as seat:
            await seat.pilot.press("h")
            screen = seat.app.screen
            assert isinstance(screen, HintScreen)
            await seat.pilot.press("escape")
            await until(seat.pilot, lambda: seat.is_asked and not screen.is_attached)
            code_cache._Announcement.make()  # the advice, or another agent, compiles only now
            may_advise.set()
            await seat.pilot.pause()
            await screen._say_that_it_compiles()  # even where that was under way when the screen went
            assert seat.is_asked

    run(play)


def test_keys_pressed_twice_act_once(tmp_path: Path) -> None:
    async def play() -> None:
        async with sitting(setup(seed=LEADS, folder=tmp_path), play=False) as seat:
            choices = seat.app.screen.query_one(Choices)
            for _ in range(3):
                choices.action_take()
            await until(seat.pilot, lambda: seat.is_asked)
            assert len(list(tmp_path.glob("*.bigtwo"))) == 1
            await seat.play_quickly()
            points = seat.app.screen
            assert isinstance(points, ResultScreen)
            for _ in range(3):
                points.action_go_on()
            await until(seat.pilot, lambda: not seat.sees_points)
            await seat.wait()
            assert seat.table.game.deal_number == 2

    run(play)


# --- from one game to another -----------------------------------------------------------------------------------------
def test_a_game_closed_in_mid_deal_goes_on_where_it_was(tmp_path: Path) -> None:
    async def first() -> tuple[object, ...]:
        async with sitting(setup(seed=3, folder=tmp_path, target=100)) as seat:
            await seat.play_quickly()
            await seat.pilot.press("enter")
            await seat.wait()
            for _ in range(2):
                await seat.pilot.press("tab", "enter")
                await seat.wait()
            deal = seat.deal
            await seat.pilot.press("ctrl+c")
            return deal.hands, deal.log, deal.totals

    async def second() -> None:
        path = latest_unfinished(tmp_path)
        assert path is not None
        async with sitting(setup(folder=tmp_path, resume=path)) as seat:
            assert (seat.deal.hands, seat.deal.log, seat.deal.totals) == left
            assert "deal 2" in seat.shown("what")
            await seat.play_quickly()
            check(Record.load(path))
        async with sitting(setup(folder=tmp_path), play=False) as seat:  # the first screen offers it too
            await seat.pilot.press("up", "down", "enter")
            await until(seat.pilot, lambda: seat.table.game is not None)
            assert seat.table.game.file.path == path
            assert "deal 3" in seat.shown("what")

    left = asyncio.run(first())
    run(second)


def test_a_game_that_is_played_elsewhere_is_not_taken_up(tmp_path: Path) -> None:
    async def play() -> None:
        game = Game(PRESETS["singapore"], ("you", "greedy", "greedy", "greedy"), 1, 50, tmp_path)
        async with sitting(setup(folder=tmp_path), play=False) as seat:
            first = seat.app.screen
            await seat.pilot.press("enter")
            await until(seat.pilot, lambda: isinstance(seat.app.screen, StartScreen) and seat.app.screen is not first)
            await until(seat.pilot, lambda: seat.app.screen.query("#start-notice"))
            notice = str(seat.app.screen.query_one("#start-notice").render())
            assert "another process is writing it" in notice
            assert str(game.file.path.name) in notice.replace("\n", "")
        game.close()

    run(play)


def test_a_match_ends_with_its_winner_and_a_new_game(tmp_path: Path) -> None:
    async def play() -> None:
        async with sitting(setup(target=1, folder=tmp_path)) as seat:
            await seat.play_quickly()
            winner = seat.table.game.match.winner
            assert winner == seat.deal.winner
            words = "You won the match!" if winner == seat.table.bottom else "greedy"
            assert words in str(seat.app.screen.query_one("#winner").render())
            assert latest_unfinished(tmp_path) is None
            await seat.pilot.press("enter")
            await until(seat.pilot, lambda: isinstance(seat.app.screen, StartScreen))

    run(play)


@pytest.mark.usefixtures("endless_turns")
def test_four_agents_are_watched_and_stopped() -> None:
    async def watch() -> None:
        async with sitting(setup(opponents=("greedy", "easy", "random", "normal")), LARGE, speed="slow") as seat:
            await seat.pilot.press("space", "plus", "plus", "plus")
            assert "paused" in seat.shown("how-fast")
            assert "instant" in seat.shown("how-fast")
            await seat.pilot.pause()
            assert not seat.deal.log
            assert seat.shown("place-0").split("\n")[0] == card_text(CardSet.parse(str(seat.deal.hands[1])[:20]))
            await seat.pilot.press("space")
            await until(seat.pilot, lambda: seat.sees_points)

    run(watch)


# --- agents that err --------------------------------------------------------------------------------------------------
def test_agents_that_err_forfeit_their_turns_and_everybody_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    said: list[str] = []
    say = Course.say

    def listen(controller: Course, key: str = "", seat: int | None = None, **values: object) -> None:
        say(controller, key, seat, **values)
        said.append(controller.notice)

    monkeypatch.setattr(Course, "say", listen)

    async def play() -> None:
        opponents = ("bad=python_agents:Cheating", "python_agents:Raising", "greedy")
        async with sitting(setup(opponents=opponents, seed=2)) as seat:
            await seat.play_quickly(until=lambda: all(any(text in line for line in said) for text in told))
            assert len(seat.deal.log) > 2

    told = (
        "bad made a mistake and passes instead: answered 3D 4D",
        "python_agents:Raising made a mistake and passes instead: raised KeyError",
    )
    run(play)


def test_an_agent_that_is_none_ends_the_app_with_the_reason() -> None:
    async def play() -> None:
        app = PlayApp(setup(opponents=("greedy", "no_such", "greedy")), "instant")
        async with app.run_test() as pilot:
            await pilot.press("enter")
            await until(pilot, lambda: app.failure is not None)
        assert isinstance(app.failure, AgentError)
        assert "no agent 'no_such'" in str(app.failure)

    run(play)
