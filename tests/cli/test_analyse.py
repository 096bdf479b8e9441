"""`bigtwo analyse` and the analysis behind it: the same figures in a frame, as JSON, for people and in a picture."""

import itertools
import json
import random
from typing import Any

import numpy as np
import pytest
from bigtwo_agents.big_two import live
from bigtwo_agents.big_two.analysis import COLUMNS, Position, analyse, wilson
from bigtwo_agents.big_two.live import LiveMonteCarlo

from bigtwo_sim import plots
from bigtwo_sim.games.base.position_validation import PositionError
from bigtwo_sim.games.big_two import AgentError, CardSet, Deal, Rules
from bigtwo_sim.games.big_two.position import position
from tests.cli.command_line import good, refused
from tests.games.big_two.decisions import decisions, ending, take
from tests.games.big_two.sides import amount

RULES = Rules()
WORLDS = amount(60, 3)
FEW = ["--worlds", str(WORLDS)]
HAND = "3D 4C 7H 7S 9D TS JS QH KH AD AH 2C 2S"


def cards(text):
    return CardSet.parse(text, RULES.deck)


def all_but(*texts):
    gone = CardSet((1 << RULES.deck.size) - 1, RULES.deck)
    for text in texts:
        gone -= cards(text)
    return gone


def test_a_frame_has_a_row_an_option_the_best_first():
    view = position(RULES, cards(HAND), on=cards("6S 6C"))
    frame = analyse(view, WORLDS)
    assert set(frame["cards"]) == {str(play.cards) for play in view.legal_plays} | {"pass"}
    assert frame["margin"].is_monotonic_decreasing
    for measure in ("margin", "points", "win", "behind"):
        assert (frame[f"{measure}_low"] <= frame[measure]).all()
        assert (frame[measure] <= frame[f"{measure}_high"]).all()
    intervals = {f"{name}{end}" for name in ("margin", "points", "win", "behind") for end in ("_low", "_high")}
    assert set(frame.columns) == set(COLUMNS) | intervals
    np.testing.assert_allclose(frame["behind"], frame["margin"] - frame["margin"][0], atol=1e-9)
    assert frame.attrs == {"options": len(frame), "worlds": WORLDS, "seed": 0}


def test_the_figures_do_not_hang_on_how_many_worlds_are_held_at_a_time(monkeypatch):
    view = position(
        RULES, cards("3D 5C 9D 2S"), left=[2, 3, 4], seen=all_but("3D 5C 9D 2S", "3C 3H 3S 4D 4C 4H 4S 5D KS")
    )
    whole = analyse(view, WORLDS, seed=5)
    monkeypatch.setattr("bigtwo_sim.analysis.options.BATCH", 2)
    parts = analyse(view, WORLDS, seed=5)
    assert list(parts["cards"]) == list(whole["cards"])
    np.testing.assert_allclose(parts.select_dtypes(float), whole.select_dtypes(float), atol=1e-9)
    assert not analyse(view, WORLDS, seed=6).equals(whole)


def test_of_many_options_the_favourites_and_the_pass_are_tried():
    frame = analyse(position(RULES, cards(HAND), on=cards("3S")), WORLDS, candidates=3)
    assert len(frame) == 3
    assert "pass" in set(frame["cards"])
    assert frame.attrs["options"] == 13


def test_a_certain_finish_is_marked_and_wins():
    rest = "3C 4D 5D 6D 7D"
    view = position(RULES, cards("3D 2S"), left=[2, 2, 1], seen=all_but("3D 2S", rest))
    frame = analyse(view, WORLDS).set_index("cards")
    assert frame["certain"].to_dict() == {"2S": True, "3D": False}
    assert frame.loc["2S", "win"] == 1


def test_own_points_and_margin_differ_by_what_the_others_collect():
    deal = ending(RULES, random.Random(2), (5, 2, 2, 2))
    frame = analyse(deal.view(), WORLDS)
    won = frame[frame["win"] == 1]
    np.testing.assert_allclose(won["margin"], won["points"])
    lost = frame[frame["win"] == 0]
    assert (lost["margin"] < 0).all()
    assert (lost["points"] == 0).all()


@pytest.mark.parametrize("worlds", [2, 50])
def test_wilsons_interval_holds_its_rate(worlds):
    rates = np.linspace(0, 1, worlds + 1)
    mean, low, high = wilson(rates, worlds)
    assert (low <= mean).all()
    assert (mean <= high).all()
    assert low[0] == 0
    assert high[-1] == 1
    assert high[0] > 0.02


def test_wilsons_interval_as_published():
    """9 of 10: 0.5958 to 0.9821 (Newcombe, Statistics in Medicine 17, 1998, has the method; any calculator agrees)."""
    assert wilson(np.array([0.9]), 10)[1:] == pytest.approx((0.5958, 0.9821), abs=1e-4)


def test_analyse_refuses():
    deal = Deal.new(RULES, 0)
    with pytest.raises(ValueError, match=r"has no options; it must be that of the seat on turn"):
        analyse(deal.view((deal.turn + 1) % 4))
    with pytest.raises(ValueError, match="worlds is 1 and candidates 20"):
        analyse(deal.view(), 1)
    with pytest.raises(AgentError, match="monte_carlo has no setting 'luck'"):
        analyse(deal.view(), WORLDS, {"luck": 1})


def test_the_picture_has_a_bar_an_option_and_no_overlap(tmp_path):
    options = amount(20, 8)
    frame = analyse(position(RULES, cards("3D 4D 5D 6D 7C 8C 9C TS JS QH KH AH 2S")), WORLDS, candidates=options)
    figure = plots.options(frame)
    figure.savefig(tmp_path / "analysis.png")
    margins, wins = figure.axes
    labels = [label for label in margins.get_yticklabels() if label.get_text()]
    assert [label.get_text() for label in labels] == list(frame["cards"])
    boxes = sorted((label.get_window_extent() for label in labels), key=lambda box: box.y0)
    assert len(boxes) == options
    assert all(above.y0 >= below.y1 for below, above in itertools.pairwise(boxes))
    for axis, name, scale in ((margins, "margin", 1), (wins, "win", 100)):
        np.testing.assert_allclose([bar.get_width() for bar in axis.patches], frame[name] * scale)
        for bar in axis.patches:
            red, green, blue, _ = bar.get_facecolor()
            assert red == green == blue


# --- positions --------------------------------------------------------------------------------------------------------
def test_a_position_shows_what_a_deal_would():
    """A turn told as a position has the plays, the table and the unseen cards of the deal that it is from."""
    for deal in decisions(Rules().replace(last_card=True), 6):
        view = deal.view()
        owner = (view.play_owner - view.seat) % 4 or 3
        seen = CardSet(0, view.rules.deck)
        for played in view.played:
            seen |= played
        told = position(
            view.rules,
            view.hand,
            on=view.play_to_beat.cards if view.play_to_beat else None,
            owner=owner,
            left=[view.left[(view.seat + step) % 4] for step in (1, 2, 3)],
            seen=seen,
            opening=not view.log,
        )
        assert told.unseen == view.unseen
        assert told.play_to_beat == view.play_to_beat
        assert told.legal_plays == view.legal_plays
        assert told.may_pass == view.may_pass
        if view.play_to_beat:
            assert (told.play_owner + view.seat) % 4 == view.play_owner


def test_cards_left_are_by_default_as_even_as_can_be():
    assert position(RULES, cards(HAND)).left == (13, 13, 13, 13)
    assert position(RULES, cards(HAND), on=cards("6S 6C")).left == (13, 13, 13, 11)
    assert position(RULES, cards(HAND), on=cards("6S 6C"), owner=1).left == (13, 11, 13, 13)
    assert position(RULES, cards(HAND), on=cards("6S 6C"), seen=cards("3C 3H 5D 5C")).left == (13, 11, 11, 11)
    assert position(RULES, cards(HAND), on=cards("6S 6C"), owner=1).passed == (False, False, True, True)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"hand": cards("")}, "the hand has 0 cards; it must have 1 to 13"),
        ({"on": cards("3D")}, "the hand and the play to beat share 3D"),
        ({"seen": cards("3D 3C")}, "the hand and the cards seen share 3D"),
        ({"on": cards("3C 5C")}, "the play to beat is 3C 5C, which is no play under singapore"),
        ({"on": cards("")}, "the play to beat is empty, which is no play"),
        ({"on": cards("5C"), "owner": 0}, "the play to beat was laid by 0; it must be 1 to 3"),
        ({"on": cards("5C"), "opening": True}, "an opening play comes before all others"),
        ({"left": [13, 13, 13], "seen": cards("3C")}, "left is 13,13,13, 39 cards together, but only 38 of"),
        ({"left": [0, 26, 13]}, "left is 0,26,13; it must be 3 numbers from 1 to 13"),
        ({"left": [20, 19]}, "left is 20,19; it must be 3 numbers"),
        ({"seen": all_but(HAND, "3C")}, "1 cards are unseen; each of the 3 others must hold one"),
    ],
)
def test_a_position_that_cannot_be_is_told(given, message):
    with pytest.raises(PositionError, match=message):
        position(**{"rules": RULES, "hand": cards(HAND), **given})


# --- the command line -------------------------------------------------------------------------------------------------
def test_the_command_shows_the_frame():
    arguments = [*HAND.split(), "--on", "6S 6C", "--left", "13,13,11", "--seed", "4", *FEW]
    shown = good("analyse", *arguments, "--json").json
    frame = analyse(position(RULES, cards(HAND), on=cards("6S 6C")), WORLDS, seed=4)
    assert (shown["hand"], shown["on"], shown["left"]) == (str(cards(HAND)), "6C 6S", [13, 13, 11])
    assert (shown["seat"], shown["owner"], shown["options"], shown["worlds"]) == (0, 3, len(frame), WORLDS)
    assert [row["cards"] or "pass" for row in shown["candidates"]] == list(frame["cards"])
    for row, expected in zip(shown["candidates"], frame.to_dict("records"), strict=True):
        assert row["win"]["high"] == pytest.approx(expected["win_high"], abs=1e-4)
        assert row["margin"]["mean"] == pytest.approx(expected["margin"], abs=1e-4)

    lines = good("analyse", *arguments).out.splitlines()
    assert max(map(len, lines)) <= 80
    assert lines[0] == "Seat 0 must beat a play under singapore"
    header = next(number for number, line in enumerate(lines) if line.split() and line.split()[0] == "margin")
    rows = lines[header + 1 : header + 1 + len(frame)]
    for line, expected in zip(rows, frame.to_dict("records"), strict=True):
        assert line.startswith(f"  {expected['cards']} ")
        assert f" {expected['margin']:+.1f} ± " in line
        assert f" {expected['win'] * 100:.1f} ± " in line


def test_the_command_marks_a_certain_finish():
    seen = str(all_but("3D 2S", "3C 4D 5D 6D 7D"))
    out = good("analyse", "3D 2S", "--left", "2,2,1", "--seen", seen, *FEW).out
    assert "  2S *" in out
    assert "* begins a certain finish" in out


def test_many_options_fit_the_page():
    out = good("analyse", "3D 4D 5D 6D 7D 8D 9D TD JD QD KD AD 2D", *FEW, "--candidates", "10").out
    assert "(the 10 that the heuristic scores best)" in out
    assert max(map(len, out.splitlines())) <= 80


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    file = tmp_path_factory.mktemp("deal") / "deal.json"
    arguments = ["greedy", "random", "greedy", "random", "--seed", "2", "--rules", "taiwan"]
    file.write_text(good("deal", *arguments, "--json").out, encoding="utf-8")
    return file


def test_a_turn_of_a_saved_deal_is_seen_with_the_eyes_of_its_seat(saved):
    deal = json.loads(saved.read_text(encoding="utf-8"))
    rules = Rules.from_dict(deal["rules"])
    table = Deal.new(rules, 2)
    for turn in range(0, len(deal["turns"]), 9):
        while len(table.log) < turn:
            take(table, CardSet.parse(deal["turns"][len(table.log)]["cards"] or "", rules.deck))
        shown = good("analyse", "--record", str(saved), "--at", str(turn), "--json", *FEW).json
        assert shown["seat"] == deal["turns"][turn]["seat"] == table.turn
        assert shown["rules"]["name"] == "taiwan"
        assert shown["hand"] == str(table.hands[table.turn])
        assert shown["options"] == len(table.legal_plays()) + table.may_pass
        assert shown["unseen"] == str(table.view().unseen)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "there is no HAND; give one"),
        (["3D 3X"], "HAND: '3X' is no card"),
        ([HAND, "--on", "3C 5C"], "--on is 3C 5C, which is no play under singapore"),
        ([HAND, "--on", "3D"], "the hand and the play to beat share 3D"),
        ([HAND, "--left", "5,13,2,1"], "left is 5,13,2,1; it must be 3 numbers from 1 to 13, next player first"),
        ([HAND, "--left", "many"], "--left is 'many'; it must be three numbers of cards"),
        ([HAND, "--seen", "3D"], "the hand and the cards seen share 3D"),
        ([HAND, "--seen", "1D"], "--seen: '1D' is no card"),
        ([HAND, "--owner", "2"], "--owner is 2 without --on"),
        ([HAND, "--on", "3C", "--owner", "4"], "'4' must be a whole number from 1 to 3"),
        ([HAND, "--at", "3"], "--at is 3 without --record"),
        ([HAND, "--worlds", "1"], "'1' must be a whole number from 2 to"),
        ([HAND, "--rules", "vegas"], "no rules called 'vegas'"),
        ([HAND, "--record", "deal.json"], "HAND is given beside --record"),
        (["--record", "deal.json", "--rules", "taiwan"], "--rules is given beside --record"),
        (
            ["--record", "no_such_file.json", "--at", "0"],
            "no_such_file.json: it cannot be read: No such file",
        ),
    ],
)
def test_analyse_refuses_what_cannot_be_meant(arguments, message):
    assert message in refused("analyse", *arguments)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda deal: deal.pop("hands"), "which bigtwo deal --json did not write: hands is missing"),
        (lambda deal: deal["hands"].pop(), "which bigtwo deal --json did not write: there are 3 hands"),
        (lambda deal: deal["turns"][0].update(cards="2S"), "whose turns are no deal under taiwan"),
        (lambda deal: deal.update(turns=5), "which bigtwo deal --json did not write: turns is 5; it must be a list"),
    ],
)
def test_a_file_that_is_no_saved_deal_is_told(saved, tmp_path, change, message):
    deal = json.loads(saved.read_text(encoding="utf-8"))
    change(deal)
    file = tmp_path / "broken.json"
    file.write_text(json.dumps(deal), encoding="utf-8")
    assert message in refused("analyse", "--record", str(file), "--at", "4")


def test_a_turn_that_the_saved_deal_does_not_have_is_told(saved):
    last = len(json.loads(saved.read_text(encoding="utf-8"))["turns"]) - 1
    assert f"--at is missing; it must be a turn of this deal, from 0 to {last}" in refused(
        "analyse", "--record", str(saved)
    )
    assert f"--at is {last + 1}; it must be" in refused("analyse", "--record", str(saved), "--at", str(last + 1))
    text = saved.parent / "text.json"
    text.write_text("[1, 2", encoding="utf-8")
    assert "which bigtwo deal --json did not write" in refused("analyse", "--record", str(text), "--at", "0")


# --- by the clock -----------------------------------------------------------------------------------------------------
@pytest.fixture
def clock_of_worlds(monkeypatch: pytest.MonkeyPatch) -> None:
    """A clock that moves only when worlds are tried: a tenth of a millisecond for one option in one of them."""
    play = Position.play

    class Clock:
        seconds = 0.0

        @classmethod
        def perf_counter(cls) -> float:
            return cls.seconds

    def timed(here: Position, chosen: Any, worlds: int, *more: Any) -> Any:
        Clock.seconds += 0.0001 * worlds * len(chosen)
        return play(here, chosen, worlds, *more)

    monkeypatch.setattr(Position, "play", timed)
    monkeypatch.setattr(live, "time", Clock)


@pytest.mark.compiled
@pytest.mark.usefixtures("clock_of_worlds")
def test_live_play_always_answers():
    """In a twentieth of a millisecond too; the cards may be any, so the check that they are repeated is not for it."""
    agent = LiveMonteCarlo(0.05)
    for deal in decisions(RULES, 4):
        answer = agent.choose(deal.view())
        assert answer in [play.cards for play in deal.legal_plays()] or (not answer and deal.may_pass)
        assert agent.worlds <= 50


@pytest.mark.compiled
@pytest.mark.usefixtures("clock_of_worlds")
def test_live_play_uses_more_time_for_more_worlds():
    view = Deal.new(RULES, 3).view()
    quick, slow = LiveMonteCarlo(1), LiveMonteCarlo(60)
    quick.choose(view)
    slow.choose(view)
    assert 0 < quick.worlds < slow.worlds


@pytest.mark.compiled
def test_live_play_takes_a_certain_finish_at_once():
    view = position(RULES, cards("3D 2S"), left=[2, 2, 1], seen=all_but("3D 2S", "3C 4D 5D 6D 7D"))
    agent = LiveMonteCarlo(10_000)
    assert agent.choose(view) == cards("2S")
    assert agent.worlds == 0


def test_live_play_refuses():
    with pytest.raises(ValueError, match="milliseconds is 0; it must be more than 0"):
        LiveMonteCarlo(0)
    with pytest.raises(AgentError, match="monte_carlo has no setting 'luck'"):
        LiveMonteCarlo(5, {"luck": 1})


def test_cards_that_nobody_named_count_as_played() -> None:
    """`--left` is enough: who typed it need not remember every card that was played."""
    typed = position(Rules(), cards("3D 9D 9H KS 2C"), left=[5, 13, 2])
    assert typed.left == (5, 5, 13, 2)
    assert position(Rules(), cards("3D 9D")).left == (2, 2, 2, 2)
    shown = good("analyse", "3D 9D 9H KS 2C", "--on", "8C", "--left", "5,13,2", "--worlds", "20", "--json").json
    assert shown["left"] == [5, 13, 2]
