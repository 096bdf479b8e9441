"""A drawn deal tells the whole deal, nothing but the deal, and needs nothing from elsewhere."""

import itertools
import re
from pathlib import Path

import numpy as np
import pytest

import bigtwo_sim.games.big_two
from bigtwo_sim.core.rng import root_key
from bigtwo_sim.games.big_two import (
    PRESETS,
    CardSet,
    Deal,
    IllegalPlay,
    Picture,
    PythonAgent,
    PythonLoop,
    Rules,
    show_deal,
)
from bigtwo_sim.games.big_two.conformance import CHECKED_RULES
from tests.games.big_two.display.drawn_deals import Outline, cards_of, drawn, played

pytestmark = pytest.mark.drawing

SVG = "http://www.w3.org/2000/svg"  # names a vocabulary; nothing is fetched from there
HOSTILE = "</script><script>alert('1')</script><!-- <b>\"&amp;"


def plain(cards: CardSet) -> str:
    """Cards as the tables write them, without what keeps signs from becoming emoji."""
    return cards.text(signs=True)


@pytest.mark.parametrize("rules", CHECKED_RULES, ids=lambda rules: rules.name)
def test_a_deal_is_told_in_full_twice(rules: Rules) -> None:
    deal = played(rules, seed=3)
    picture = deal.show(names=["a", "b", "c", "d"])
    # what the script draws
    values = drawn(picture)
    assert values["ranks"] + values["suits"] == rules.deck.ranks + rules.deck.suits
    hands = [cards_of(rules, hand) for hand in values["hands"]]
    assert tuple(hands) == deal.dealt
    assert all(hand == sorted(hand) for hand in values["hands"])
    assert [(turn["seat"], cards_of(rules, turn["cards"])) for turn in values["turns"]] == deal.log
    for turn in values["turns"]:  # 52 cards, in hands and on the table, at every step
        hands[turn["seat"]] -= cards_of(rules, turn["cards"])
        assert turn["left"] == len(hands[turn["seat"]])
        assert turn["kind"] or not turn["cards"]
    assert tuple(hands) == deal.hands
    assert values["points"] == list(deal.points)
    # what stands there without the script
    outline = Outline(picture.page)
    dealt = [row for row in outline.rows if row[0].startswith("seat ")]
    assert [row[1].replace("\ufe0e", "") for row in dealt] == [plain(hand) for hand in deal.dealt]
    assert [row[3] for row in dealt] == [f"{points:+d}" for points in deal.points]
    told = [row for row in outline.rows if len(row) == 6 and row[1].isdigit()]
    assert [row[3].replace("\ufe0e", "") for row in told] == [plain(cards) or "pass" for _, cards in deal.log]
    assert [row[2] for row in told] == [f"seat {seat} {'abcd'[seat]}" for seat, _ in deal.log]


@pytest.mark.parametrize("name", PRESETS)
def test_a_page_needs_nothing_from_elsewhere_and_is_small(name: str) -> None:
    picture = played(PRESETS[name], seed=1).show(notes=["why " * 20] * 20)
    page = picture.page
    assert len(page.encode()) < 100_000
    assert not re.search(r"https?:|//\w|@import|url\(|\bsrc=", page.replace(SVG, ""))
    outline = Outline(page)
    assert {tag for tag, _ in outline.elements}.isdisjoint({"img", "iframe", "object", "embed", "base"})
    assert [attributes for tag, attributes in outline.elements if tag == "link"] == [{"rel": "icon", "href": "data:,"}]
    assert f"<title>Deal 0 of seed 1 under {name}</title>" in page


def test_what_cannot_be_seen_is_shown() -> None:
    picture = played(Rules(), turns=9).show(names=["a\x1b[2J\u202eb"] * 4, notes={2: "x\ty\x9b"}, title="t\0\u200b")
    assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b-\u200f\u202a-\u202e]", picture.page)
    assert drawn(picture)["names"] == ["a\\x1b[2J\\u202eb"] * 4
    assert drawn(picture)["turns"][2]["note"] == "x\ty\\x9b"
    assert picture.title.startswith("t\\x00\\u200b")


def test_texts_of_users_are_texts() -> None:
    deal = played(Rules(name=f"house {HOSTILE}"), turns=9)
    picture = deal.show(names=[HOSTILE] * 4, notes={8: HOSTILE, 2: "\ud800 ok\nsecond"}, title=HOSTILE + "\u2028")
    outline = Outline(picture.page)
    tags = [tag for tag, _ in outline.elements]
    assert (tags.count("script"), tags.count("b")) == (1, 0)
    assert f"seat 0 {HOSTILE}" in outline.rows[1]
    assert drawn(picture)["names"] == [HOSTILE] * 4
    assert drawn(picture)["turns"][8]["note"] == HOSTILE
    assert any(row[-1] == HOSTILE for row in outline.rows)
    assert picture.page.encode()


def test_one_seat_alone_is_shown_and_the_rest_is_not_in_the_page() -> None:
    rules = Rules()
    deal = played(rules, seed=2, turns=10)
    values = drawn(deal.show(seat=1))
    assert [hand is None for hand in values["hands"]] == [True, False, True, True]
    seen = set(values["hands"][1]).union(*(turn["cards"] for turn in values["turns"]))
    hidden = deal.hands[0] | deal.hands[2] | deal.hands[3]
    assert not cards_of(rules, sorted(seen)) & hidden
    rows = [row for row in Outline(deal.show(seat=1).fragment).rows if row[0].startswith("seat ")]
    assert [row[1] for row in rows if row[0] != "seat 1"] == ["13 cards, face down"] * 3


def test_the_same_deal_gives_the_same_picture_and_another_one_another_mark() -> None:
    first, again, other = (played(Rules(), seed).show() for seed in (4, 4, 5))
    assert first == again
    marks = [re.search(r'data-bigtwo-deal="(\w+)"', picture.fragment)[1] for picture in (first, other)]
    assert marks[0] != marks[1]
    assert first._repr_html_() == first.fragment
    assert repr(first) == f"<Picture: Deal 0 of seed 4 under singapore ({first.turns} turns)>"
    assert not re.search(r'\bid="', first.fragment)


def test_a_deal_in_progress_opens_where_it_stands() -> None:
    deal = Deal.new(Rules(), seed=1)
    assert (drawn(deal.show())["turns"], drawn(deal.show())["next"]) == ([], deal.turn)
    deal = played(Rules(), seed=1, turns=6)
    values = drawn(deal.show())
    assert (values["start"], values["next"], values["points"]) == (6, deal.turn, None)
    assert values["closed"] == (deal.play_to_beat is None)
    assert drawn(deal.show(turn=2))["start"] == 2
    over = drawn(played(Rules()).show())
    assert (over["start"], over["next"], over["closed"]) == (0, None, True)


def test_a_log_a_loop_and_a_fault_can_be_shown() -> None:
    class Stubborn:
        def choose(self, view: object) -> object:
            return "no cards"

    loop = PythonLoop([PythonAgent("stubborn", Stubborn)] * 4, Rules())
    loop.play_deal(root_key(0), 7)
    values = drawn(show_deal(Rules(), loop.dealt, loop.log, names=[agent.name for agent in loop.agents]))
    assert values["names"] == ["stubborn"] * 4
    assert len(values["turns"]) == len(loop.log)
    fault = loop.faults[0]
    shown = drawn(fault.deal().show(names=fault.agents, title=str(fault)))
    assert (len(shown["turns"]), shown["next"]) == (len(fault.log), fault.seat)
    small = Deal.from_hands(Rules(), [CardSet.parse(cards) for cards in ("4D", "5D 5C", "6D", "2S")], leader=3)
    small.play("2S")
    values = drawn(small.show())
    assert (values["counts"], values["first"], values["title"]) == ([1, 2, 1, 1], 3, "A deal under singapore")


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"seat": 4}, ValueError, "seat is 4; it must be from 0 to 3"),
        ({"turn": 4}, ValueError, "turn is 4; the deal has 3 turns, so it must be from 0 to 3"),
        ({"turn": -1}, ValueError, "turn is -1"),
        ({"names": "abcd"}, ValueError, "names are 'abcd'; they must be 4 texts, one a seat"),
        ({"names": ["a"]}, ValueError, "must be 4 texts"),
        ({"names": ["a", "b", "c", None]}, TypeError, "the name of seat 3 is None; it must be a text"),
        ({"notes": {3: "x"}}, ValueError, "there is a note for turn 3; the deal has the turns 0 to 2"),
        ({"notes": [1.5]}, TypeError, "the note of turn 0 is 1.5; it must be a text"),
        ({"notes": "text"}, TypeError, "notes are 'text'; they must be texts by turn"),
        ({"title": 1}, TypeError, "title is 1; it must be a text"),
    ],
)
def test_what_cannot_be_shown_is_refused(arguments, error, message) -> None:
    with pytest.raises(error, match=re.escape(message)):
        played(Rules(), turns=3).show(**arguments)


def test_a_log_that_cannot_be_is_refused() -> None:
    deal = played(Rules(), turns=4)
    log = deal.log
    with pytest.raises(ValueError, match=f"turn 1 of the log is of seat {log[0][0]}, and it is seat {log[1][0]}'s"):
        show_deal(Rules(), deal.dealt, [log[0], log[0]])
    with pytest.raises(IllegalPlay, match="may not pass"):
        show_deal(Rules(), deal.dealt, [(log[0][0], CardSet())])
    over = played(Rules())
    with pytest.raises(ValueError, match="it is nobody's, the deal is over"):
        show_deal(Rules(), over.dealt, [*over.log, over.log[0]])


def test_a_page_is_never_written_over_nor_left_half(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    picture = played(Rules(), turns=3).show()
    picture.save(tmp_path / "deal.html")
    assert (tmp_path / "deal.html").read_text(encoding="utf-8") == picture.page
    with pytest.raises(FileExistsError):
        picture.save(str(tmp_path / "deal.html"))

    def full(self):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Picture, "page", property(full))
    with pytest.raises(OSError, match="No space"):
        picture.save(tmp_path / "half.html")
    assert not (tmp_path / "half.html").exists()


# --- the inks of the suits --------------------------------------------------------------------------------------------
# Machado, Oliveira, Fernandes, "A physiologically-based model for simulation of color vision deficiency", IEEE TVCG
# 15(6), 2009: the matrices of severity 1.0, in linear RGB.
EYES = {
    "all cones": [[1, 0, 0], [0, 1, 0], [0, 0, 1]],
    "protanopia": [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]],
    "deuteranopia": [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]],
    "tritanopia": [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.303900]],
}
TO_XYZ = np.array([[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]])  # IEC 61966-2-1


def linear(colour: str) -> np.ndarray:
    channels = np.array([int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)])
    return np.where(channels <= 0.04045, channels / 12.92, ((channels + 0.055) / 1.055) ** 2.4)


def lab(light: np.ndarray) -> np.ndarray:
    """CIE 1976 L*a*b* of linear RGB, white D65."""
    x, y, z = TO_XYZ @ np.clip(light, 0, 1) / [0.9505, 1.0, 1.089]
    x, y, z = (np.cbrt(v) if v > 216 / 24389 else (24389 / 27 * v + 16) / 116 for v in (x, y, z))
    return np.array([116 * y - 16, 500 * (x - y), 200 * (y - z)])


def contrast(colour: str, ground: str) -> float:
    """As WCAG 2.2 defines it."""
    low, high = sorted(float(TO_XYZ[1] @ linear(shade)) + 0.05 for shade in (colour, ground))
    return high / low


@pytest.mark.parametrize(("rule", "ground"), [(".picture", None), (".picture.dark", None), (".face", "#ffffff")])
def test_suits_differ_for_all_eyes(rule: str, ground: str | None) -> None:
    css = (Path(bigtwo_sim.games.big_two.__file__).with_name("display") / "picture.css").read_text(encoding="utf-8")
    body = re.search(rf"^{re.escape(rule)} {{(.*?)}}", css, re.DOTALL | re.MULTILINE)
    assert body
    values = dict(re.findall(r"--(\w+): (#\w{6})", body[1]))
    inks = [values[suit] for suit in "DCHS"]
    for grounds in [ground] if ground else [values["paper"], values["felt"]]:
        assert min(contrast(ink, grounds) for ink in inks) > 3.8
    for eyes, matrix in EYES.items():
        seen = [lab(np.array(matrix) @ linear(ink)) for ink in inks]
        nearest = min(float(np.linalg.norm(one - other)) for one, other in itertools.combinations(seen, 2))
        assert nearest > 18, eyes  # a difference of 2 to 3 is just noticed
