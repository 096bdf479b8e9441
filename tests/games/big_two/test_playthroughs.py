"""The deals in `data/playthroughs` go as they are told there: line by line, and by the reference too."""

from pathlib import Path

import pytest

from bigtwo_sim.games.big_two import PRESETS as ENGINE_PRESETS
from bigtwo_sim.games.big_two import Deal
from tests.games.big_two import make_playthroughs, playthroughs
from tests.reference.big_two import NaiveDeal, cards
from tests.reference.vectors import PRESETS

pytestmark = pytest.mark.kernel

FILES = sorted(playthroughs.FOLDER.glob("*.txt"))


def replayed(path: Path) -> Deal:
    """The deal of a file, done again turn by turn."""
    source, choices = playthroughs.read(path.read_text(encoding="utf-8"))
    deal = Deal.new(ENGINE_PRESETS[source.preset], source.seed)
    for choice in choices:
        if choice:
            deal.play(choice)
        else:
            deal.pass_()
    return deal


def test_there_is_one_for_each_preset() -> None:
    assert {path.stem for path in FILES} == set(PRESETS)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_deal_goes_as_told(path: Path) -> None:
    told = path.read_text(encoding="utf-8")
    source, choices = playthroughs.read(told)
    assert source.preset == path.stem
    left = iter(choices)
    again = playthroughs.render(source, lambda deal: next(left))
    for number, (line, line_again) in enumerate(zip(told.splitlines(), again.splitlines(), strict=False), start=1):
        assert line_again == line, f"{path.name}, line {number}"
    assert again == told
    assert not list(left)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_deal_shows_what_it_is_there_for(path: Path) -> None:
    source, _ = playthroughs.read(path.read_text(encoding="utf-8"))
    shown = make_playthroughs.shown(replayed(path))
    assert set(source.shows.split(", ")) == shown & set(make_playthroughs.WANTED[path.stem])
    assert len(source.shows.split(", ")) >= 3


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_reference_tells_the_same(path: Path) -> None:
    """The hands, the number of plays in each turn, whose turn it is, the tricks and the points."""
    told = path.read_text(encoding="utf-8").splitlines()
    _, choices = playthroughs.read("\n".join(told))
    hands = [line.split(": ")[1] for line in told if line.startswith("seat ")][:4]
    naive = NaiveDeal(map(cards, hands), PRESETS[path.stem])
    turns = [i for i, line in enumerate(told) if " holds " in line and ". seat " in line]
    assert len(turns) == len(choices)
    for turn, (i, choice) in enumerate(zip(turns, choices, strict=True), start=1):
        seat, _, held = told[i].partition(". ")[2].partition(" holds ")
        assert told[i].strip().startswith(f"{turn}. ")
        assert seat == f"seat {naive.turn}"
        assert cards(held) == naive.hands[naive.turn]
        count = len(naive.legal_plays())
        options = told[i + 1].strip()
        assert options.startswith("no play:" if not count else "1 play (" if count == 1 else f"{count} plays (")
        assert (" or a pass" in options) == (bool(count) and naive.may_pass())
        assert (naive.play_to_beat is None) == told[i - 1].startswith("Trick ")
        if choice:
            naive.apply_play(cards(choice))
        else:
            naive.pass_()
    assert naive.over
    assert naive.points is not None
    assert told[-5] == f"Seat {naive.winner} is out after {len(choices)} turns."
    for line, hand, points in zip(told[-4:], naive.hands, naive.points, strict=True):
        assert f": {points:+d} points, " in line
        assert cards(line.partition(" holds ")[2].replace("nothing", "")) == hand
