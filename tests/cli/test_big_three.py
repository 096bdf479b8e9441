"""The commands that play Big Three: tournament, results, plays, compare, deal, rules and analyse, at both tables."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from bigtwo_sim.games.base.position_validation import PositionError
from bigtwo_sim.games.big_three import PRESETS, CardSet, Deal, Rules, legal_plays
from bigtwo_sim.games.big_three.position import position, public_record
from tests.cli.command_line import bigtwo, good, refused
from tests.conftest import INTERPRETED

GAME = ("--game", "big-three")
TABLES = [[], ["--rules", "as_printed"], ["--players", "4"], ["--players", "4", "--set", "seating=adjacent"]]
AGENTS = ["greedy", "heuristic", "random", "greedy"]
HAND = "4H 5D 6C 7D 8S 9S TC JD QH KS AS AD 2S 2H 3S 3D"
NO_HEART = "4D 5D 6C 7D 8S 9S TC JD QC KS AS AD 2S 2C 3S 3D"
HIGH_HEART = "4D 5D 6C 7D 8S 9H TC JD QC KS AS AD 2S 2C 3S 3D"
WORLDS = ["--worlds", "3" if INTERPRETED else "40"]


@pytest.fixture(autouse=True)
def _in_a_folder_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def seats(table: list[str]) -> int:
    return 4 if "4" in table else 3


# --- tournament and results -------------------------------------------------------------------------------------------
@pytest.mark.parametrize("table", TABLES, ids=" ".join)
def test_a_tournament_tells_stakes_and_of_three_players_roles_and_bids(table: list[str]) -> None:
    agents = ["greedy", "heuristic", "random"]
    report = good("tournament", *GAME, *table, *agents, "--deals", "36", "--out", "run", "--json").json
    assert report["game"] == "big-three"
    assert report["rules"]["players"] == str(seats(table))
    for row in report["agents"]:
        assert len(row["wins_by_seat"]) == seats(table)
        if seats(table) == 3:
            assert row["soloist_deals"] + row["opponent_deals"] == row["deals"] == 36
            assert row["bid_none"] + row["bid_1"] + row["bid_2"] + row["bid_3"] == 36
            assert row["soloist_share"] == pytest.approx(row["soloist_deals"] / 36, abs=1e-6)
    if seats(table) == 3:
        assert sum(row["points"] for row in report["agents"]) == pytest.approx(0, abs=1e-5)
        assert sum(row["soloist_deals"] for row in report["agents"]) == 36
    shown = good("results", "run").out
    assert "All on the side that goes out first win a deal" in " ".join(shown.split())
    for words in ("stakes a deal", "Ranked by stakes"):
        assert words in shown
    for words in ("as soloist", "as opponent", "highest bid, % of deals", "from seat 0 1 2  "):
        assert (words in shown) == (seats(table) == 3)
    assert good("results", "run", "--json").json["agents"] == report["agents"]
    assert good("results", "--json", ".").json[0]["game"] == "big-three"
    good("results", "run", "--csv", "tables")
    header = Path("tables/agents.csv").read_text().splitlines()[0].split(",")
    assert ("soloist_points_low" in header) == ("bid_3" in header) == (seats(table) == 3)


def test_the_table_of_a_tournament() -> None:
    out = good("tournament", *GAME, "--deals", "60").out
    assert "60 deals in 10 blocks under the rules shaanxi, seed 0" in out
    assert max(map(len, out.splitlines())) <= 80
    for block in ("as soloist", "as opponent", "highest bid"):
        lines = out.split(f"\n{block}")[1].splitlines()[2:5]
        assert {line.split()[0] for line in lines} == {"random", "greedy", "heuristic"}
    bids = re.findall(r"\n(\w+) +([\d.]+) +([\d.]+) +([\d.]+) +([\d.]+)(?=\n)", out)
    assert len(bids) == 3
    for _, *shares in bids:
        assert sum(map(float, shares)) == pytest.approx(100, abs=0.2)


def test_who_never_was_soloist_has_no_figures_there() -> None:
    out = good("tournament", *GAME, "greedy", "heuristic", "random", "--rules", "as_printed", "--deals", "6").out
    assert re.search(r"\ngreedy +never +- +-\n", out)


def test_one_agent_in_several_seats_and_four_agents_at_three_seats() -> None:
    report = good("tournament", *GAME, "heuristic", "greedy", "greedy", "--deals", "3", "--json").json
    assert (report["blocks"], report["deals"]) == (1, 3)
    assert [row["lineup"] for row in report["lineups"]] == ["heuristic greedy greedy"] * 2
    report = good("tournament", *GAME, "random", "greedy", "a=random", "heuristic", "--deals", "1", "--json").json
    assert report["deals"] == 4 * 6, "every three of them"
    gauntlet = ("--lineups", "gauntlet", "--mirror")
    report = good("tournament", *GAME, "random", "greedy", *gauntlet, "--deals", "1", "--json").json
    assert {row["lineup"] for row in report["lineups"]} == {
        "random greedy greedy",
        "random random random",
        "greedy greedy greedy",
    }


def test_line_ups_of_a_file_have_a_line_for_each_table() -> None:
    Path("meet.txt").write_text("greedy random random\n")
    assert good("tournament", *GAME, "--lineups", "meet.txt", "--deals", "3", "--json").json["deals"] == 3
    assert "line 1 names 3 agents; a line-up is 4" in refused(
        "tournament", *GAME, "--players", "4", "--lineups", "meet.txt"
    )


@pytest.mark.compiled
def test_a_run_ends_by_a_rule_and_is_resumed() -> None:
    arguments = ("greedy", "random", "random", "--seed", "1", "--json")
    precise = good("tournament", *GAME, *arguments, "--precision", "0.2", "--out", "run")
    again = good("tournament", "--resume", "run", "--json")
    assert again.json["agents"][0]["points"] == precise.json["agents"][0]["points"]
    tested = good("tournament", *GAME, *arguments, "--test", "greedy>random").json
    assert tested["verdict"]["result"] == "accepted"


@pytest.mark.compiled
def test_a_python_agent_plays(monkeypatch: pytest.MonkeyPatch) -> None:
    Path("timid.py").write_text(
        "class Timid:\n"
        "    def choose(self, view):\n"
        "        if view.in_auction:\n"
        "            return 0\n"
        "        return view.legal_plays[0].cards if view.legal_plays else type(view.hand)(0, view.rules.deck)\n"
    )
    report = good("tournament", *GAME, "timid=timid:Timid", "greedy", "random", "--deals", "6", "--json").json
    timid = report["agents"][0]
    assert (timid["agent"], timid["forfeits"], timid["bid_none"]) == ("timid", 0, 6)


# --- plays, compare, rules --------------------------------------------------------------------------------------------
@pytest.mark.parametrize("name", PRESETS)
def test_plays_are_those_of_the_library(name: str) -> None:
    rules = PRESETS[name]
    hand = CardSet.parse(HAND, rules.deck)
    listed = good("plays", *GAME, "--rules", name, HAND, "--json").json
    assert listed == [
        {"cards": str(play.cards), "kind": play.kind, "strength": play.strength} for play in legal_plays(hand, rules)
    ]
    out = good("plays", *GAME, "--rules", name, HAND).out
    assert out.startswith(f"{len(listed)} legal plays on lead under {name}")
    assert "run of 3 cards (" in out
    assert "\nsingle (" in out


def test_answers_and_what_is_no_answer() -> None:
    assert "5D 5S" in good("plays", *GAME, "5D 5S 6C", "--on", "4D 4S").out
    assert "Only a pass is possible" in good("plays", *GAME, "5D 5S 6C", "--on", "3D").out
    assert "aces, 2s and 3s are never in a run" in refused("plays", *GAME, "5D", "--on", "QD KD AD")


@pytest.mark.parametrize(
    ("first", "second", "rules", "expected"),
    [
        ("7D 8D 9D TD", "6C 7C 8C 9C", "shaanxi", "7D 8D 9D TD (run) beats 6C 7C 8C 9C (run): higher rank at its top"),
        ("3D", "2S", "shaanxi", "3D (single) beats 2S (single): higher rank, 3 over 2"),
        ("3D", "AS", "as_printed", "AS (single) beats 3D (single): higher rank, A over 3"),
        ("AD AS", "4D 4S", "as_printed", "neither beats the other; the first is no play under as_printed"),
    ],
)
def test_comparisons(first: str, second: str, rules: str, expected: str) -> None:
    assert expected in good("compare", *GAME, "--rules", rules, first, second).out


def test_rules_are_shown_and_read_back() -> None:
    out = good("rules", *GAME).out
    for name in PRESETS:
        assert f"\n  {name} " in out
        assert Rules.from_dict(good("rules", *GAME, name, "--json").json) == PRESETS[name]
    assert "Two pairs; no kitty and no auction." in good("rules", *GAME, "--players", "4").out
    assert "payment  (shaanxi: winning_bid)" in good("rules", *GAME, "--house").out


# --- deal -------------------------------------------------------------------------------------------------------------
def replayed(shown: dict[str, Any]) -> Deal:
    """The deal of `bigtwo deal --json`, from its hands."""
    rules = Rules.from_dict(shown["rules"])
    hands = [CardSet.parse(hand, rules.deck) for hand in shown["hands"]]
    deal = Deal.from_hands(rules, hands, CardSet.parse(shown["kitty"] or "", rules.deck))
    assert deal.first == shown["first"]
    for call in shown["calls"]:
        assert deal.turn == call["seat"]
        deal.make_bid(call["bid"]) if call["bid"] else deal.pass_()
    trick = 0
    for turn in shown["turns"]:
        trick += deal.play_to_beat is None
        assert (turn["seat"], turn["trick"]) == (deal.turn, trick)
        deal.play(turn["cards"]) if turn["cards"] else deal.pass_()
    return deal


@pytest.mark.parametrize("table", TABLES, ids=" ".join)
def test_a_deal_replays_and_pays(table: list[str]) -> None:
    arguments = (*GAME, *table, *AGENTS[: seats(table)], "--seed", "5")
    for index in range(3):
        shown = good("deal", *arguments, "--index", str(index), "--json").json
        deal = replayed(shown)
        assert (shown["winner"], shown["soloist"], shown["bid"]) == (deal.winner, deal.soloist, deal.bid)
        assert (shown["left"], shown["points"]) == (list(deal.left), list(deal.points))
        assert sum(shown["points"]) == 0
        assert Deal.new(deal.rules, 5, index).dealt == deal.dealt
        out = good("deal", *arguments, "--index", str(index)).out
        for seat, points in enumerate(shown["points"]):
            assert re.search(rf"\n  seat {seat} {AGENTS[seat]} +\{points:+d} ", out)
        assert f"\nTrick {shown['turns'][-1]['trick']}\n" in out
        if seats(table) == 4:
            pair = {"opposite": "Seats 0 and 2", "adjacent": "Seats 0 and 1"}[shown["rules"]["seating"]]
            assert f"{pair} play against" in out
            assert "win the stake, 1, from each of the others" in out
            continue
        assert f"\n  kitty {' ' * 11} {shown['kitty']}\n" in out
        auction = out.split("Auction, to the ")[1].split("\n\n")[0]
        assert auction.count("pass\n") == sum(not call["bid"] for call in shown["calls"])
        assert f"is the soloist at {shown['bid']} and takes the kitty" in " ".join(auction.split())
        who = "The soloist wins" if deal.winner == deal.soloist else "The opponents win"
        assert who in out


def test_who_is_soloist_where_all_have_passed() -> None:
    for index in range(40):
        shown = good("deal", *GAME, "greedy", "greedy", "greedy", "--index", str(index), "--json").json
        if not any(call["bid"] for call in shown["calls"]):
            out = good("deal", *GAME, "greedy", "greedy", "greedy", "--index", str(index)).out
            assert "All have passed, so who spoke first plays alone." in out
            assert (shown["soloist"], shown["bid"]) == (shown["first"], 1)
            return
    raise AssertionError("of forty deals greedy would pass one in every seat")


# --- analyse ----------------------------------------------------------------------------------------------------------
def test_bids_have_their_values_in_the_auction() -> None:
    shown = good("analyse", *GAME, HAND, "--calls", "", *WORLDS, "--json").json
    assert {option.get("bid") for option in shown["candidates"]} == {None, 1, 2, 3}
    for option in shown["candidates"]:
        assert option["points"]["low"] <= option["points"]["mean"] <= option["points"]["high"]
        assert option["cards"] is None
    values = [option["points"]["mean"] for option in shown["candidates"]]
    assert values == sorted(values, reverse=True)
    out = good("analyse", *GAME, HAND, "--calls", "", *WORLDS).out
    assert "Seat 0 bids under shaanxi" in out
    assert "auction      you speak first" in out
    assert re.search(r"\n  bid 3 +[+-]", out)
    assert "own side wins, %" in out


def test_a_described_position_of_the_play() -> None:
    hand = "5D 6C 7D 8S 9S AS AD 2S 3D"
    arguments = (*GAME, hand, "--bids", "0,1,2", "--on", "4D", "--owner", "2", "--left", "12,14", *WORLDS)
    shown = good("analyse", *arguments, "--json").json
    assert (shown["soloist"], shown["partner"], shown["bid"], shown["left"]) == (1, 2, 2, [12, 14])
    assert {option["cards"] for option in shown["candidates"]} == {*hand.split(), None} - {"AS"}
    assert "soloist      the player before, at 2" in good("analyse", *arguments).out
    pairs = good("analyse", *GAME, "--players", "4", hand, *WORLDS).out
    assert "partner      the player opposite, for a stake of 1" in pairs


def test_a_sure_win_is_worth_the_bid() -> None:
    arguments = (*GAME, "3D", "--bids", "2,0,1", "--left", "3,2", *WORLDS, "--json")
    (option,) = good("analyse", *arguments).json["candidates"]
    assert (option["certain"], option["points"]["mean"], option["win"]["mean"]) == (True, 4, 1)


@pytest.mark.parametrize("table", [[], ["--players", "4"]], ids=["three", "four"])
def test_a_turn_of_a_saved_deal(table: list[str]) -> None:
    answer = good("deal", *GAME, *table, *AGENTS[: seats(table)], "--seed", "2", "--json")
    Path("deal.json").write_text(answer.out)
    shown = good("analyse", "--record", "deal.json", "--at", "0", *WORLDS, "--json").json
    first = answer.json["calls"] or answer.json["turns"]
    assert shown["seat"] == first[0]["seat"]
    calls = len(answer.json["calls"])
    shown = good("analyse", "--record", "deal.json", "--at", str(calls + 1), *WORLDS, "--json").json
    assert shown["seat"] == answer.json["turns"][1]["seat"]
    assert shown["on"] == answer.json["turns"][0]["cards"]
    assert shown["calls"] == answer.json["calls"]
    assert "it must be a turn of this deal" in refused("analyse", "--record", "deal.json", "--at", "9999")


def test_the_record_of_a_view_is_that_of_the_deal() -> None:
    for players in (3, 4):
        deal = Deal.new(Rules(players=players), 4)
        for _ in range(12):
            record = public_record(deal.view())
            for name in record.dtype.names or ():
                if name not in ("log", "log_seats", "called", "callers"):
                    assert record[name].tolist() == deal._public_array[name].tolist(), name
            deal.take(deal.option_count - 1 if deal.option_count else 0)


# --- errors -----------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (("plays", "--game", "tarock", "3D"), "must be one of big-two, big-three"),
        (("plays", "3D", "--players", "3"), "--players is 3; Big Two has 4"),
        (("plays", "3D", "--players", "5"), "must be a whole number from 3 to 4"),
        (("plays", "3D", "--rules", "shaanxi"), "of another game; name that too: --game big-three"),
        (("plays", *GAME, "3D", "--rules", "pagat"), "of another game; name that too: --game big-two"),
        (("plays", *GAME, "3D", "--opening"), "--opening is of Big Two"),
        (("plays", *GAME, "--players", "4", HAND), "must have at most 13, without"),
        (("rules", *GAME, "--words"), "--words tells the rules of Big Two"),
        (("deal", *GAME, *AGENTS), "there must be 3, one a seat"),
        (("deal", *GAME, "--players", "4", "greedy"), "there must be 4, one a seat"),
        (("deal", *GAME, *AGENTS[:3], "--html", "page.html"), "--html draws deals of Big Two, not of Big Three"),
        (("deal", *GAME, *AGENTS[:3], "--record", "a.txt"), "--record writes deals of Big Two, not of Big Three"),
        (("deal", *GAME, "greedy", "greedy", "beginner"), "there is no agent 'beginner' of Big Three"),
        (("tournament", *GAME, "greedy", "exec:./bot"), "exec:./bot: programs play Big Two"),
        (("analyse", *GAME, HAND), "either --calls is needed, in the auction, or --bids, after it"),
        (("analyse", *GAME, HAND, "--calls", "0,1", "--bids", "0,0,1"), "either what was called so far, or"),
        (("analyse", *GAME, HAND, "--calls", "x"), "it must be the calls so far"),
        (("analyse", *GAME, HAND, "--calls", "3"), "then the auction is over"),
        (("analyse", *GAME, HAND, "--calls", "2,1"), "higher than the last bid"),
        (("analyse", *GAME, HAND, "--calls", "0"), "you hold it; so the calls must begin with yours"),
        (("analyse", *GAME, NO_HEART, "--calls", ""), "you hold no heart; so the calls must begin with another's"),
        (("analyse", *GAME, HIGH_HEART, "--calls", ""), "your lowest heart is the 9H"),
        (("plays", *GAME, "--players", "3", "3D", "--set", "players=4"), "--players is 3 beside --set players=4"),
        (("analyse", *GAME, "4D", "--calls", ""), "in the auction it must have 16"),
        (("analyse", *GAME, "4D", "--bids", "1,1,0"), "each bid is higher than the last"),
        (("analyse", *GAME, "4D", "--bids", "0,0,0"), "it must be told who is the soloist"),
        (("analyse", *GAME, "4D", "--bids", "0,4,0"), "they must be 3 numbers from 0 to 3"),
        (("analyse", *GAME, "4D", "--bids", "0,1,0", "--owner", "1"), "--owner is 1 without --on"),
        (("analyse", *GAME, "4D", "--bids", "0,1,0", "--on", "5D", "--owner", "3"), "it must be 1 to 2"),
        (("analyse", *GAME, "4D", "--bids", "0,1,0", "--opening"), "--opening is of another game than Big Three"),
        (("analyse", *GAME, "--players", "4", "4D", "--bids", "0,1,0,0"), "four players have no auction"),
        (("analyse", "3D", "--bids", "0,1,0"), "--bids is of another game than Big Two"),
        (("analyse", *GAME, "4D", "--record", "deal.json", "--at", "1"), "HAND is given beside --record"),
    ],
)
def test_what_cannot_be_meant_is_refused(arguments: tuple[str, ...], reason: str) -> None:
    assert reason in refused(*arguments)


def test_who_speaks_first_may_hold_the_lowest_heart_outside_the_kitty() -> None:
    hand = CardSet.parse(HIGH_HEART.replace("8S 9H", "8H 9S"), Rules().deck)
    dealt = position(Rules(), hand, calls=())
    assert (dealt.first, dealt.legal_bids) == (0, (1, 2, 3)), "the 4H, 5H, 6H and 7H lie in the kitty"
    as_printed = PRESETS["as_printed"]
    assert position(as_printed, CardSet.parse(NO_HEART, as_printed.deck), calls=()).first == 0


def test_the_soloist_of_a_position_is_a_seat() -> None:
    for bids in ((0, 1, 2), (0, 0, 0)):
        for soloist in (-1, 3):
            with pytest.raises(PositionError, match=rf"the soloist is {soloist}; it must be from 0 \(you\) to 2"):
                position(Rules(), CardSet.parse("4D", Rules().deck), bids=bids, soloist=soloist)


def test_a_saved_deal_with_a_bid_that_is_none_is_refused() -> None:
    deal = good("deal", *GAME, "greedy", "heuristic", "random", "--json").json
    calls = deal["calls"]
    half = [{**calls[0], "bid": 1.5}, *calls[1:]]
    again = [*calls, calls[-1]]
    for wrong, message in (
        (half, "calls[0].bid is 1.5; it must be a whole number"),
        (again, "whose turns are no deal under shaanxi"),
    ):
        Path("deal.json").write_text(json.dumps({**deal, "calls": wrong}))
        assert message in refused("analyse", "--record", "deal.json", "--at", str(len(wrong)))


def test_an_agent_that_is_nowhere_is_told_with_those_of_the_game() -> None:
    names = refused("deal", *GAME, "mising:Agent", "greedy", "greedy").partition("the built-in agents are ")[2]
    assert names.rstrip(")\n") == "greedy, heuristic, monte_carlo, normal, random, strong"


def test_an_auction_that_ended_is_told() -> None:
    rules = Rules()
    hand = CardSet.parse(HAND, rules.deck)
    for calls in ((0, 0, 0), (1, 0, 0), (1, 0, 0, 2), (3, 0)):
        with pytest.raises(PositionError, match="the auction is over"):
            position(rules, hand, calls=calls)


def test_commands_of_big_two_alone_know_no_other_game() -> None:
    for command in ("curve", "variance", "bench", "check-bot"):
        assert "No such option" in bigtwo(command, *GAME).err


def test_figures_are_drawn_of_big_two() -> None:
    good("tournament", *GAME, "greedy", "--deals", "1", "--out", "run")
    assert "run is a run of Big Three; figures are drawn of runs of Big Two" in refused("plot", "run")


def test_a_deal_says_its_game() -> None:
    Path("deal.json").write_text(good("deal", *AGENTS, "--json").out)
    reason = refused("analyse", *GAME, "--record", "deal.json", "--at", "1")
    assert "deal.json holds a deal of Big Two" in reason
