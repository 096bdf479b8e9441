"""`bigtwo poker`: what it prints, in words and as JSON, and what it refuses."""

import subprocess
import sys

import pytest

from tests.cli.command_line import good, refused

SHOWDOWN = ["2C 2D", "3C 3D", "AH KH", "--board", "TS JS QS KD 2H"]


def test_rank():
    assert good("poker", "rank", "2C 2D AS KH 9C 7D 4S").out == (
        "2D 2C AS KH 9C: pair of twos, ace-king-nine (7D 4S do not count)\n"
    )
    assert good("poker", "rank", "as", "5♦", "4d", "3C,2C", "9H").out == (
        "5D 4D 3C 2C AS: five-high straight (9H does not count)\n"
    )
    assert good("poker", "rank", "AS KS QS JS 10S").out == "AS KS QS JS TS: royal flush\n"


def test_rank_as_json():
    found = good("poker", "rank", "2C 2D AS KH 9C 7D 4S", "--json").json
    assert found.pop("strength") == 1 << 26 | 1 << 13 | 1 << 12 | 1 << 11 | 1 << 7
    assert found == {
        "cards": "AS KH 9C 7D 4S 2D 2C",
        "category": "pair",
        "words": "pair of twos, ace-king-nine",
        "best": "2D 2C AS KH 9C",
    }


def test_compare():
    assert good("poker", "compare", *SHOWDOWN).out.splitlines() == [
        "AH KH wins: ace-high straight",
        "",
        "board  KD QS JS TS 2H",
        "",
        "   hand   best five",
        "1  AH KH  AH KH QS JS TS  ace-high straight",
        "2  2D 2C  2H 2D 2C KD QS  three twos, king-queen",
        "3  3D 3C  3D 3C KD QS JS  pair of threes, king-queen-jack",
    ]
    found = good("poker", "compare", *SHOWDOWN, "--json").json
    assert (found["board"], found["winners"]) == ("KD QS JS TS 2H", [2])
    assert [(hand["cards"], hand["place"], hand["category"]) for hand in found["hands"]] == [
        ("2D 2C", 2, "three of a kind"),
        ("3D 3C", 3, "pair"),
        ("AH KH", 1, "straight"),
    ]


def test_compare_tells_who_splits():
    out = good("poker", "compare", "AS KS QS JS 9S", "AD KD QD JD 9D").out
    assert " ".join(out.split("\n\n")[0].split()) == (
        "AS KS QS JS 9S and AD KD QD JD 9D split the pot: ace-high flush, king-queen-jack-nine"
    )
    out = good("poker", "compare", "2C 2D", "3C 3D", "AH KH", "--board", "TS JS QS KS AS").out
    assert out.startswith("All 3 hands split the pot: royal flush\n")
    found = good("poker", "compare", "7H 7D 7S 7C 3H", "7H 7D 7S 7C 3D", "7H 7D 7S 7C 2D", "--json").json
    assert (found["board"], found["winners"]) == (None, [0, 1])


def test_lines_are_short():
    long = ["QH QD 8S 8C 7H 3C 3D", "QS QC 8D 8H 7D 3H 3S", "KH QH 8H 7H 3H 2C 2D"]
    for arguments in (["compare", *long], ["rank", long[0]], ["equity", "AS AH", "random", "--deals", "9"]):
        assert max(map(len, good("poker", *arguments).out.splitlines())) <= 80


def test_equity_exact():
    out = good("poker", "equity", "AS AH", "KS KH", "--board", "KD 7S 5S 2S").out
    assert out.splitlines() == [
        "All 44 deals: exact",
        "",
        "board  KD 7S 5S 2S",
        "",
        "hand   equity %  wins %  splits %",
        "AS AH     22.73   22.73      0.00",
        "KS KH     77.27   77.27      0.00",
    ]
    out = good("poker", "equity", "AS AH", "KS KH", "--board", "KD 7S 5S 2S 3S").out
    assert out.startswith("The one deal there is: exact\n")


def test_equity_sampled():
    arguments = ["poker", "equity", "AS AH", "random", "--deals", "100"]
    lines = good(*arguments, "--seed", "7").out.splitlines()
    assert lines[:3] == [
        "100 of 2,097,572,400 deals, sampled with seed 7; ±: 95 % interval",
        "",
        "hand        equity %  wins %  splits %",
    ]
    assert lines[3].startswith("AS AH ")
    assert " ± " in lines[3]
    found = good(*arguments, "--json").json
    assert {name: found[name] for name in ("board", "exact", "deals", "possible_deals", "seed")} == {
        "board": "",
        "exact": False,
        "deals": 100,
        "possible_deals": 2_097_572_400,
        "seed": 0,
    }
    aces, other = found["hands"]
    assert (aces["cards"], other["cards"]) == ("AS AH", "random")
    assert aces["equity"] + other["equity"] == pytest.approx(1)
    assert 0 < aces["error"] < 0.1
    assert good("poker", "equity", "AS AH", "KS KH", "--board", "KD 7S 5S 2S", "--json").json["seed"] is None


@pytest.mark.parametrize("command", ["rank", "compare", "equity"])
@pytest.mark.parametrize(
    ("variant", "reason"),
    [
        ("short-deck", "another game: there no card is below the six, and a flush beats a full house"),
        ("Six Plus", "another game: there no card is below the six"),
        ("omaha", "another game: there just two cards of the hand count"),
        ("omaha_hi_lo", "another game: there half of the pot goes to the lowest hand"),
        ("stud-hi-lo", "another game: there half of the pot goes to the lowest hand"),
        ("razz", "another game: there the lowest hand wins"),
        ("badugi", "another game: there four cards of different ranks and suits count"),
        ("seven-card-stud", "another game: there the cards are dealt in another way (its hands rank as here"),
        ("pinochle", "which is not ranked here"),
    ],
)
def test_other_games_are_refused(command, variant, reason):
    error = refused("poker", command, "AS AH", "KS KH", "--variant", variant)
    assert f"--variant is {variant!r}, " in error
    assert reason in error
    assert "ranked here is the high hand of a full deck, as in Texas hold'em (holdem)" in error


def test_holdem_is_ranked_by_its_name():
    for name in ("holdem", "Hold'em", "texas holdem"):
        assert "royal flush" in good("poker", "rank", "AS KS QS JS TS", "--variant", name).out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["rank", "AS KS"], "AS KS has 2 cards; it must have 5 to 7"),
        (["rank", "AS KS QS JS TS AS"], "HAND: AS stands there twice; every card exists once"),
        (["rank", "AS KS QS JS 1S"], "HAND: '1S' is no card; a card is a rank of 23456789TJQKA (or 10)"),
        (["rank", ""], "HAND is ''; it must name cards, such as 'AS KH'"),
        (["rank"], "Missing argument 'HAND'; see bigtwo poker rank --help"),
        (["compare", "AS KS QS JS 9S"], "the number of hands is 1; it must be at least 2"),
        (["compare", "AS KS", "AD KD"], "hand 1 (AS KS) has 2 cards; it must have 5 to 7 in one text, such as"),
        (["compare", "AS", "KS", "QS"], "or 2 beside a --board"),
        (["compare", "AS KS", "AD KX", "--board", "2C 3C 4C"], "hand 2: 'KX' is no card"),
        (["compare", "AS KS", "AD KD", "--board", "2C 3C KD"], "hand 2 (AD KD) and the board share KD"),
        (["compare", "AS KS", "AD KD", "--board", ""], "--board is ''; it must name cards"),
        (["equity", "AS AH"], "there is one hand, 'AS AH'; there must be two or more, such as 'AS AH' random"),
        (["equity", "AS AH", "AS KS"], "hand 2 (AS KS) and hand 1 (AS AH) share AS"),
        (["equity", "AS AH KS", "random"], "hand 1 (AS AH KS) has 3 cards; it must have 2"),
        (["equity", "AS AH", "random", "--deals", "0"], "'0' must be a whole number from 1 to 10000000000"),
        (["equity", "AS AH", "random", "--seed", "-1"], "'-1' must be a whole number of at least 0"),
        (["straight"], "No such command 'straight'"),
    ],
)
def test_poker_refuses(arguments, message):
    assert message in refused("poker", *arguments)


def test_help_lists_the_commands():
    assert "\n  poker " in good("--help").out
    out = good("poker", "--help").out
    for command in ("rank", "compare", "equity"):
        assert f"\n  {command} " in out
        assert f"Usage: bigtwo poker {command} " in good("poker", command, "--help").out


def test_help_is_light_and_the_games_do_not_load_each_other():
    code = (
        "import sys; from bigtwo_sim.cli.main import run\n"
        "run(['poker', '--help'])\n"
        "run(['poker', 'rank', 'AS KS QS JS TS'])\n"
        "assert 'bigtwo_sim.poker' in sys.modules and 'bigtwo_sim.games.big_two' not in sys.modules\n"
        "run(['poker', 'rank', 'AS']); assert 'bigtwo_sim.games.big_two' not in sys.modules\n"
    )
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, check=True).stdout.count(b"royal") == 1
    code = (
        "import sys; from bigtwo_sim.cli.main import run\n"
        "run(['rules', 'pagat'])\n"
        "assert 'bigtwo_sim.games.big_two' in sys.modules and 'bigtwo_sim.poker' not in sys.modules\n"
    )
    subprocess.run([sys.executable, "-c", code], capture_output=True, check=True)
