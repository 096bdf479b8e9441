"""`bigtwo deal`: the deal that it shows is one that the rules allow, and that anyone can replay."""

import pytest

from bigtwo_sim.games.big_two import PRESETS, CardSet, Deal, Picture, Rules
from tests.cli.command_line import good, refused

FOUR = ["random", "greedy", "random", "greedy"]


@pytest.mark.parametrize("name", PRESETS)
def test_a_deal_as_json_replays(name):
    shown = good("deal", *FOUR, "--seed", "5", "--index", "3", "--rules", name, "--json").json
    rules = Rules.from_dict(shown["rules"])
    deal = Deal.from_hands(rules, [CardSet.parse(hand, rules.deck) for hand in shown["hands"]])
    trick = 0
    for turn in shown["turns"]:
        trick += deal.play_to_beat is None
        assert (turn["seat"], turn["trick"]) == (deal.turn, trick)
        if turn["cards"] is None:
            deal.pass_()
        else:
            deal.play(turn["cards"])
            assert deal.play_to_beat.kind == turn["kind"]
    assert deal.is_over
    assert (shown["winner"], shown["left"], shown["points"]) == (deal.winner, list(deal.left), list(deal.points))
    assert (shown["agents"], shown["seed"], shown["index"]) == (FOUR, 5, 3)
    assert Deal.new(rules, 5, 3).hands == deal.dealt


def test_a_deal_for_people():
    out = good("deal", "--seed", "1", *FOUR).out
    shown = good("deal", "--seed", "1", *FOUR, "--json").json
    assert out.startswith("Deal 0 of seed 1 under singapore\n\nHands, weakest card first\n")
    for seat, hand in enumerate(shown["hands"]):
        assert f"  seat {seat} {FOUR[seat]}  {hand}\n" in out
    tricks = out.split("\nTrick ")[1:]
    assert len(tricks) == shown["turns"][-1]["trick"]
    lines = [line for trick in tricks for line in trick.splitlines()[1:] if line.startswith("  seat ")]
    for line, turn in zip(lines, shown["turns"], strict=False):
        assert line.startswith(f"  seat {turn['seat']} ")
        assert f"  {turn['cards'] or 'pass'}" in line
    assert out.count(" wins\n") == 1
    points = out.split("Penalties become points: ")[1]
    for seat, own in enumerate(shown["points"]):
        assert f"seat {seat} {FOUR[seat]}" in points
        assert f"{own:+d}  " in points
    assert max(map(len, out.splitlines())) <= 80


def test_the_same_command_shows_the_same_deal():
    assert good("deal", *FOUR, "--seed", "9").out == good("deal", *FOUR, "--seed", "9").out
    assert good("deal", *FOUR, "--seed", "9").out != good("deal", *FOUR, "--seed", "10").out
    assert good("deal", *FOUR, "--seed", "9").out != good("deal", *FOUR, "--seed", "9", "--index", "1").out


def test_a_long_name_is_cut_in_the_tricks():
    long = "one_that_would_not_fit_in_a_line"
    out = good("deal", *FOUR[:3], f"{long}=greedy").out
    assert out.count(long) == 1
    assert max(map(len, out.splitlines())) <= 80


def test_a_deal_as_a_page(tmp_path):
    file = tmp_path / "deal <1>.html"
    line = good("deal", *FOUR, "--seed", "5", "--index", "3", "--html", str(file)).out
    shown = good("deal", *FOUR, "--seed", "5", "--index", "3", "--json").json
    turns = len(shown["turns"])
    assert line == f"{file}  Deal 3 of seed 5 under singapore: {', '.join(FOUR)} ({turns} turns)\n"
    page = file.read_text(encoding="utf-8")
    assert page.startswith("<!DOCTYPE html>")
    assert f"<title>Deal 3 of seed 5 under singapore: {', '.join(FOUR)}</title>" in page
    beside = good("deal", *FOUR, "--seed", "5", "--index", "3", "--json", "--html", str(tmp_path / "other.html"))
    assert beside.json == shown
    assert (tmp_path / "other.html").read_text(encoding="utf-8") == page


def test_a_page_is_not_written_over_or_nowhere(tmp_path, monkeypatch):
    (tmp_path / "deal.html").write_text("mine")
    assert refused("deal", *FOUR, "--html", str(tmp_path / "deal.html")).endswith(
        "deal.html exists; name another file, nothing was written"
    )
    assert (tmp_path / "deal.html").read_text() == "mine"
    assert "must be a folder that is there" in refused("deal", *FOUR, "--html", str(tmp_path / "none" / "deal.html"))

    def full(self, path):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Picture, "save", full)
    assert "new.html cannot be written: No space left" in refused("deal", *FOUR, "--html", str(tmp_path / "new.html"))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["random"], "the agents are random; there must be 4, one a seat"),
        ([*FOUR, "random"], "there must be 4, one a seat"),
        ([*FOUR[:3], "nobody"], "there is no agent 'nobody'"),
        ([*FOUR[:3], "random:luck=1"], "random has no setting 'luck'"),
        ([*FOUR, "--seed", "-1"], "'-1' must be a whole number of at least 0"),
        ([*FOUR, "--seed", "x"], "'x' must be a whole number of at least 0"),
        ([*FOUR, "--seed", "9" * 5000], "must be a whole number of at least 0"),
        ([*FOUR, "--index", str(2**63)], "must be a whole number from 0 to"),
        ([*FOUR, "--rules", "vegas"], "no rules called 'vegas'"),
        ([], "Missing argument 'AGENT"),
    ],
)
def test_deal_refuses(arguments, message):
    assert message in refused("deal", *arguments)
