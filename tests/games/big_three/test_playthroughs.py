"""The deals in `data/playthroughs/big_three` go as they are told there: line by line, and by the reference too."""

import pytest

from bigtwo_sim.games.big_three import Deal
from tests.games.big_three import playthroughs
from tests.games.big_three.decisions import PASS, take
from tests.games.big_three.sides import plain
from tests.reference.big_three import NaiveDeal

FILES = sorted(playthroughs.FOLDER.glob("*.txt"))


def test_there_is_one_for_each_game() -> None:
    assert {path.stem for path in FILES} == set(playthroughs.RULES)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_deal_goes_as_told(path) -> None:
    text = path.read_text(encoding="utf-8")
    source, choices = playthroughs.read(path.stem, text)
    left = iter(choices)
    again = playthroughs.render(source, lambda deal: next(left))
    for number, (line, line_again) in enumerate(zip(text.splitlines(), again.splitlines(), strict=False), start=1):
        assert line_again == line, f"{path.name}, line {number}"
    assert again == text
    assert not list(left)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_deal_shows_what_it_is_there_for(path) -> None:
    source, choices = playthroughs.read(path.stem, path.read_text(encoding="utf-8"))
    deal = Deal.new(playthroughs.RULES[path.stem], source.seed)
    for choice in choices:
        take(deal, choice)
    told = source.shows.split(", ")
    assert len(told) >= 3
    assert set(told) == playthroughs.shown(deal) & set(playthroughs.WANTED[path.stem])


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_reference_tells_the_same(path) -> None:
    """The hands, the number of plays in each turn, whose turn it is, the tricks and the payments."""
    told = path.read_text(encoding="utf-8").splitlines()
    rules = playthroughs.RULES[path.stem]
    _, choices = playthroughs.read(path.stem, "\n".join(told))
    hands = [line.split(": ")[1].split() for line in told if line.startswith("seat ")][: rules.players]
    kitty = next((line.split(": ")[1].split() for line in told if line.startswith("kitty: ")), [])
    naive = NaiveDeal(hands, kitty, plain(rules))
    lines = [i for i, line in enumerate(told) if " may bid " in line or ". seat " in line]
    for i, choice in zip(lines, choices, strict=True):
        if naive.in_auction:
            assert told[i] == f"  seat {naive.turn} may bid {' or '.join(map(str, naive.legal_bids()))}"
            naive.call(choice)
            continue
        seat, _, held = told[i].partition(". ")[2].partition(" holds ")
        assert seat == f"seat {naive.turn}"
        assert set(held.split()) == naive.hands[naive.turn]
        plays = len(naive.legal_plays())
        number = "1 play (" if plays == 1 else f"{plays} plays ("
        assert told[i + 1].strip().startswith(number if plays else "no play")
        assert (" or a pass" in told[i + 1]) == bool(plays and naive.may_pass())
        assert (naive.play_to_beat is None) == told[i - 1].startswith("Trick ")
        if choice == PASS:
            naive.pass_()
        else:
            naive.apply_play(rules.deck.text(choice).split())
    for line, hand, points in zip(told[-rules.players :], naive.hands, naive.points(), strict=True):
        assert f": {points:+d}, " in line
        assert set(line.partition(" holds ")[2].replace("nothing", "").split()) == hand
