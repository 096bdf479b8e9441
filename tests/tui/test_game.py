"""The game behind the table of `bigtwo play`: kept as it goes, taken up again, and its chairs never trusted."""

import os
from pathlib import Path

import pytest

from bigtwo_sim.games.big_two import PRESETS, AgentError, CardSet, Deal
from bigtwo_sim.games.big_two.records.record import Record, check
from bigtwo_sim.games.big_two.records.record_form import RecordError
from bigtwo_sim.tui.game import DATA_DIR, PERSON, Game, games_folder, latest_unfinished
from bigtwo_sim.tui.players import Answer, Player, SeatedChairs
from bigtwo_sim.tui.setup import player_name
from bigtwo_sim.tui.texts import Texts
from tests.cli.command_line import bigtwo
from tests.tools.lanes import mostly_swept
from tests.tools.waiting import PATIENCE
from tests.tui.pilot import setup

pytestmark = pytest.mark.drawing

PLAYERS = (PERSON, "greedy", "random", "greedy")


def weakest(deal: Deal) -> CardSet:
    """The weakest play, or a pass where there is none."""
    plays = deal.legal_plays()
    return plays[0].cards if plays else CardSet(0, deal.rules.deck)


def state(game: Game) -> tuple[object, ...]:
    return game.players, game.deal.hands, game.deal.log, game.totals, game.match.number, game.trick, game.turns


@pytest.mark.parametrize("preset", mostly_swept(PRESETS, "singapore", "charlesworth"))
def test_a_game_can_be_left_after_any_turn_and_goes_on(preset: str, tmp_path: Path) -> None:
    game = Game(PRESETS[preset], PLAYERS, seed=5, target=1000, folder=tmp_path)
    assert game.file is not None
    path = game.file.path
    while (game.match.number, len(game.turns)) != (1, 3):
        game.take(weakest(game.deal))
        if game.deal.is_over:
            totals = game.totals
            game.close()
            game = Game.resume(path)  # which deals the next one
            assert (game.totals, game.turns, game.deal_number) == (totals, [], 2)
        else:
            before = state(game)
            game.close()
            game = Game.resume(path)
            assert state(game) == before
    game.close()
    check(Record.load(path))


def test_a_game_that_is_over_does_not_go_on(tmp_path: Path) -> None:
    for target in (None, 1):
        game = Game(PRESETS["singapore"], PLAYERS, seed=5, target=target, folder=tmp_path)
        while not game.deal.is_over:
            game.take(weakest(game.deal))
        assert game.file is not None
        path = game.file.path
        game.close()
        with pytest.raises(RecordError, match="the game is over"):
            Game.resume(path)


def test_every_turn_is_on_disk_at_once(tmp_path: Path) -> None:
    game = Game(PRESETS["singapore"], PLAYERS, seed=1, target=None, folder=tmp_path)
    assert game.file is not None
    for _ in range(10):
        game.take(weakest(game.deal))
        assert Record.load(game.file.path).deals[-1].turns == tuple(game.deal.log)
    game.close()


def test_the_latest_game_that_can_go_on_is_found(tmp_path: Path) -> None:
    assert latest_unfinished(tmp_path) is None
    paths = []
    for number, target in enumerate((50, None, 50, 1)):
        game = Game(PRESETS["singapore"], PLAYERS, seed=number, target=target, folder=tmp_path)
        while not game.deal.is_over and number:
            game.take(weakest(game.deal))
        assert game.file is not None
        paths.append(game.file.path)
        game.close()
        os.utime(paths[-1], (number, number))
    assert len(set(paths)) == 4
    assert latest_unfinished(tmp_path) == paths[2]  # the last one is won
    paths[2].unlink()
    assert latest_unfinished(tmp_path) == paths[0]  # the single deal is over
    paths[0].write_bytes(paths[0].read_bytes()[:-5])  # as a power cut leaves it
    assert latest_unfinished(tmp_path) == paths[0]
    paths[0].write_text("something else\n")
    assert latest_unfinished(tmp_path) is None


def test_a_game_that_cannot_be_kept_is_played_all_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("")
    game = Game(PRESETS["singapore"], PLAYERS, seed=1, target=50, folder=tmp_path / "file")
    assert game.unsaved
    game.take(weakest(game.deal))
    assert len(game.turns) == 1

    game = Game(PRESETS["singapore"], PLAYERS, seed=1, target=50, folder=tmp_path)
    assert game.file is not None
    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", lambda _: (_ for _ in ()).throw(OSError(28, "No space left on device")))
        game.take(weakest(game.deal))
        assert game.unsaved == "No space left on device"
    game.take(weakest(game.deal))
    assert not game.unsaved
    assert Record.load(game.file.path).deals[-1].turns == tuple(game.deal.log)
    game.close()


def test_where_games_are_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert games_folder(tmp_path) == tmp_path
    monkeypatch.setenv(DATA_DIR, str(tmp_path / "data"))
    assert games_folder() == tmp_path / "data" / "games"
    monkeypatch.delenv(DATA_DIR)
    assert games_folder().name == "games"


def test_tricks_are_counted_and_their_turns_known() -> None:
    game = Game(PRESETS["singapore"], PLAYERS, seed=1, target=None)
    first = game.deal.turn
    game.take(weakest(game.deal))
    for _ in range(3):
        assert game.trick == 0
        game.take(CardSet(0, game.rules.deck))
    assert game.trick == 1
    assert game.latest((first + 1) % 4).play is None  # still seen
    game.take(weakest(game.deal))
    assert game.latest((first + 1) % 4) is None
    assert game.latest(first).play.cards == game.deal.play_to_beat.cards


def test_players_have_names_of_their_own() -> None:
    players = ("you", "easy", "easy", "mine=heuristic:lead_two=0")
    names = [player_name(Texts("de"), player, seat, players) for seat, player in enumerate(players)]
    assert names == ["Du", "leicht 1", "leicht 2", "mine"]


# --- chairs -----------------------------------------------------------------------------------------------------------
def begun(seat: int) -> Deal:
    """A deal in which it is the turn of a seat that may pass, and can play."""
    for seed in range(100):
        deal = Deal.new(PRESETS["singapore"], seed)
        deal.play(deal.legal_plays()[0].cards)
        if deal.turn == seat and deal.legal_plays():
            return deal
    raise AssertionError


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("python_agents:Weakest", None),
        ("python_agents:Cheating", "answered 3D 4D"),
        ("python_agents:Raising", "raised KeyError"),
        ("python_agents:Dying", "ended"),
        ("exec:python3 tests/players/misbehave.py late", "later than 0.3 s"),
    ],
)
@pytest.mark.usefixtures("slow_clock")
def test_an_agent_that_errs_passes_and_the_reason_is_known(text: str, fault: str | None) -> None:
    deal = begun(2)
    chair = Player(text, move_time=0.3 if text.startswith("exec:") else PATIENCE)
    try:
        assert chair.begin(deal, 2) is None
        answer = chair.ask(deal)
        if fault is None:
            assert answer == Answer(deal.legal_plays()[0].cards)
        else:
            assert not answer.cards
            assert fault in str(answer.fault)
        leading = Deal.new(PRESETS["singapore"], 9)
        assert leading.has_choice
        answer = chair.ask(leading)
        assert answer.cards == leading.legal_plays()[0].cards
        assert (answer.fault is None) == (fault is None)
    finally:
        chair.close()


def test_a_turn_without_a_choice_is_not_asked() -> None:
    deal = Deal.from_hands(
        PRESETS["singapore"], [CardSet.parse(hand) for hand in ("3D 2S", "4D", "5D", "6D")], leader=0
    )
    deal.play("2S")
    assert Player("greedy").ask(deal) == Answer(CardSet())


def test_an_agent_is_looked_up_when_it_sits_down() -> None:
    with pytest.raises(AgentError, match="no agent 'nobody'"):
        SeatedChairs([None, "greedy", "nobody", "greedy"], 1.0).make()


def test_those_who_come_after_the_table_was_left_are_sent_away(monkeypatch: pytest.MonkeyPatch) -> None:
    closed = []
    monkeypatch.setattr(Player, "close", lambda chair: closed.append(chair.name))
    chairs = SeatedChairs([None, "greedy", "random"], 1.0)
    chairs.close()
    chairs.make()
    assert closed == ["greedy", "random"]


# --- the command line -------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--opponents", "easy,normal"], "--opponents names 2 agents, easy, normal; it must name 3"),
        (["--watch", "--opponents", "easy,easy,easy"], "names 3 agents, easy, easy, easy; it must name 4"),
        (["--opponents", "easy,you,easy"], "--opponents names 'you', which is the person"),
        (["--speed", "warp"], "'warp' must be one of slow, normal, fast, instant"),
        (["--lang", "fr"], "'fr' must be one of en, de, zh, ru"),
        (["--match", "many"], "'many' must be a whole number from 1 to 1000000"),
        (["--rules", "no_such"], "no_such"),
        ([], "play needs a terminal for its input and its output; --web plays in the browser"),
        (["--resume", "--save", "/no/such/folder"], "there is no game to go on with in /no/such/folder"),
    ],
)
def test_what_cannot_be_meant_is_told_before_anything_opens(arguments: list[str], message: str) -> None:
    answer = bigtwo("play", *arguments)
    assert answer.code == 2
    assert message in answer.error


def test_without_the_extra_it_is_told_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    answer = bigtwo("play")
    assert answer.code == 2
    assert "the extra [play], of which textual is missing: pip install 'bigtwo-sim[play]'" in answer.error


@pytest.mark.parametrize(
    ("text", "agents"),
    [
        ("easy,normal,strong", ["easy", "normal", "strong"]),
        ("strong:worlds=10,noise=1,easy,mine=greedy", ["strong:worlds=10,noise=1", "easy", "mine=greedy"]),
        ("a=exec:./bot --x,b=m.n:Made,greedy", ["a=exec:./bot --x", "b=m.n:Made", "greedy"]),
    ],
)
def test_opponents_may_have_settings(text: str, agents: list[str]) -> None:
    from bigtwo_sim.cli.commands.play import _split

    assert _split(text) == agents


def test_the_setup_of_the_tests_is_one_for_a_person() -> None:
    assert setup().players[0] == PERSON
    assert len(setup(opponents=("a", "b", "c", "d")).players) == 4
