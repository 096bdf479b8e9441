"""`bigtwo match`, `bigtwo replay` and the records of `bigtwo deal` and `bigtwo analyse`."""

import os
import re
import select
import subprocess
import sys
from pathlib import Path

import pytest

from bigtwo_sim.games.big_two import Deal, Match, Record, Rules
from bigtwo_sim.games.big_two.match import match_seed
from bigtwo_sim.games.big_two.records.record import check
from tests import ROOT
from tests.cli.command_line import bigtwo, good, refused
from tests.games.big_two.sides import amount
from tests.tools.waiting import PATIENCE, wait_for

FOUR = ["greedy", "random", "greedy", "random"]
BOT = ROOT / "examples" / "bots" / "sample_bot.py"
FEW = ["--matches", str(amount(60, 6)), "--target", "15"]


# --- match ------------------------------------------------------------------------------------------------------------
def test_matches_as_json() -> None:
    shown = good("match", *FOUR, *FEW, "--seed", "3", "--rules", "taiwan", "--workers", "1", "--json").json
    assert (shown["target"], shown["seed"], shown["lineup"]) == (15, 3, FOUR)
    assert shown["rules"]["match_target"] == "15"
    assert shown["matches"] == shown["blocks"] * 6 >= amount(60, 6)
    greedy, rand = shown["agents"]
    assert (greedy["agent"], greedy["copies"]) == ("greedy", 2)
    assert sum(greedy["wins_by_seat"]) + sum(rand["wins_by_seat"]) == shown["matches"]
    assert greedy["match_wins"] == pytest.approx(sum(greedy["wins_by_seat"]) / shown["matches"] / 2, abs=1e-6)
    assert greedy["match_wins"] + rand["match_wins"] == pytest.approx(0.5, abs=1e-5)
    assert greedy["deal_wins"] + rand["deal_wins"] == pytest.approx(0.5, abs=1e-5)
    assert greedy["points"] + rand["points"] == pytest.approx(0, abs=1e-5)  # losers are debited
    assert shown["shortest"] <= shown["deals_a_match"] <= shown["longest"]
    (pair,) = shown["pairs"]
    assert pair["match_wins"] == pytest.approx(greedy["match_wins"] - rand["match_wins"], abs=1e-5)


@pytest.mark.compiled
def test_matches_are_the_same_for_any_number_of_workers() -> None:
    command = ["match", "normal", "easy", "greedy", "random", "--matches", "3000", "--json"]
    one, three = (good(*command, "--workers", workers).json for workers in ("1", "3"))
    assert {**one, "seconds": 0} == {**three, "seconds": 0}


def test_the_target_is_that_of_the_rules_or_50() -> None:
    few = ["--matches", "1", "--json"]
    assert good("match", *FOUR, *few, "--set", "match_target=20").json["target"] == 20
    assert good("match", *FOUR, *few, "--set", "match_target=20", "--target", "10").json["target"] == 10
    assert good("match", *FOUR, *few, "--seed", "5").json["target"] == 50


def test_matches_for_people() -> None:
    out = good("match", *FOUR, *FEW).out
    matches = amount(60, 6)
    assert out.startswith(f"{matches} matches to 15 in {matches // 6} block")
    assert re.search(
        r"\nA match takes \d+\.\d\d (± \S+|\(\S+–\S+\)) deals \(standard deviation \d+\.\d\d, \d+ to \d+\)\.\n", out
    )
    assert out.index("\ngreedy ") < out.index("\nrandom ")
    assert "\ngreedy over random " in out
    assert max(map(len, out.splitlines())) <= 80


def test_an_agent_at_fault_is_told() -> None:
    out = good(
        "match", "lost=python_agents:Raising", "random", "random", "random", "--matches", "4", "--target", "3"
    ).out
    assert re.search(r"\nlost forfeited \d+ of its decisions; the first: agent 'lost' at seat", out)


@pytest.mark.compiled
def test_a_bot_in_another_language_plays_matches() -> None:
    bot = f"bot=exec:{sys.executable} {BOT}"
    shown = good("match", bot, "random", "random", "random", "--matches", "4", "--target", "10", "--json").json
    assert [row["forfeits"] for row in shown["agents"]] == [0, 0]
    assert shown["matches"] == 4


def test_the_first_match_is_kept_as_a_record(tmp_path: Path) -> None:
    path = tmp_path / "match.txt"
    good("match", *FOUR, *FEW, "--seed", "3", "--record", str(path))
    record = Record.load(path)
    check(record)
    assert record.seed == match_seed(3, 0)
    assert (record.target, list(record.players)) == (15, FOUR)
    assert record.winner is not None
    assert refused("match", *FOUR, "--record", str(path)).endswith(
        "match.txt exists; name another file, nothing was written"
    )


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (FOUR[:3], "the agents are greedy, random, greedy; there must be 4, one a seat"),
        ([*FOUR[:3], "nobody"], "there is no agent 'nobody'"),
        ([*FOUR[:3], "greedy=random"], "two agents are called 'greedy'"),
        ([*FOUR, "--target", "0"], "'0' must be a whole number from 1 to 1000000"),
        ([*FOUR, "--target", "none"], "'none' must be a whole number from 1 to 1000000"),
        ([*FOUR, "--matches", "0"], "'0' must be a whole number from 1 to"),
        ([*FOUR, "--workers", "0"], "'0' must be a whole number from 1 to"),
        ([*FOUR, "--seed", "-1"], "'-1' must be a whole number of at least 0"),
        ([*FOUR, "--set", "penalty_tiers=1-13:0"], "penalty_tiers is 1-13:0, so that nobody ever gets a point"),
        ([*FOUR, "--record", "/no/such/folder/x"], "--record is /no/such/folder/x; /no/such/folder must be a folder"),
        ([], "Missing argument 'AGENT"),
    ],
)
def test_match_refuses(arguments: list[str], message: str) -> None:
    assert message in refused("match", *arguments)


# --- replay -----------------------------------------------------------------------------------------------------------
@pytest.fixture(scope="module")
def match_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("records") / "match.txt"
    good("match", "easy", "greedy", "random", "greedy", "--matches", "1", "--target", "25", "--record", str(path))
    return path


def test_replay_verifies(match_file: Path, tmp_path: Path) -> None:
    record = Record.load(match_file)
    turns = sum(len(deal.turns) for deal in record.deals)
    out = " ".join(good("replay", str(match_file), "--check").out.split())
    assert out.startswith(f"{match_file}: {len(record.deals)} deal")
    assert f", {turns} turns: all are legal, and the points are right. Seat {record.winner}, " in out
    assert good("replay", str(match_file), "--check", "--json").json == {
        "right": True,
        "deals": len(record.deals),
        "turns": turns,
        "winner": record.winner,
        "totals": list(record.totals),
    }
    wrong = tmp_path / "wrong.txt"
    text = match_file.read_text()
    line = text[: text.index("\npoints: ")].count("\n") + 2
    wrong.write_text(re.sub("points: .*", "points: 1 2 3 4", text))
    answer = bigtwo("replay", str(wrong), "--check")
    assert (answer.code, answer.out) == (1, "")
    assert answer.error.startswith(f"bigtwo: {wrong}: line {line}: the points are 1 2 3 4; they must be ")
    as_json = bigtwo("replay", str(wrong), "--check", "--json")
    assert (as_json.code, as_json.json["right"], as_json.json["line"]) == (1, False, line)
    assert refused("replay", str(wrong)) == answer.error
    assert "it cannot be read: No such file" in refused("replay", str(tmp_path / "none.txt"))


@pytest.mark.parametrize("more", [[], ["--json"]])
def test_a_path_without_a_record_is_wrongly_given_and_no_wrong_record(more: list[str], tmp_path: Path) -> None:
    for path, why in [
        (tmp_path / "none.txt", "none.txt: it cannot be read: No such file"),
        (tmp_path, f"{tmp_path}: it is a folder"),
        ("long" * 30_000, "longlong: it cannot be read: File name too long"),
    ]:
        error = refused("replay", "--check", str(path), *more)
        assert why in error
        assert error.endswith("FILE must be a record that can be read")
        assert len(error) < 400 + len(str(tmp_path))


def test_replay_tells_all_of_it_off_a_terminal(match_file: Path) -> None:
    record = Record.load(match_file)
    out = good("replay", str(match_file)).out
    assert out.count("Hands, weakest card first") == len(record.deals) == out.count("\nTotals\n")
    for deal in record.deals:
        assert f"Deal {deal.number} of seed {record.seed} under singapore, to 25\n" in out
    assert out.endswith(f"Seat {record.winner}, {record.players[record.winner]}, has won the match to 25.\n")


def test_replay_tells_an_unfinished_deal(match_file: Path, tmp_path: Path) -> None:
    text = match_file.read_text()
    path = tmp_path / "unfinished.txt"
    path.write_text(text[: text.index("turn 7 ")])
    out = good("replay", str(path)).out
    assert re.search(r"\nThe deal is not over; seat \d is to (lead|play)\.\n\nDeal 0 is not over\.\n$", out)
    path.write_text(text[: text.index("turn 0 ")])
    assert "Trick" not in good("replay", str(path)).out
    path.write_text(text[: text.index("\ndeal 0")])
    assert good("replay", str(path)).out == "\nNobody has 25 points yet.\n"[1:]


def test_replay_shows_one_place(match_file: Path) -> None:
    record = Record.load(match_file)
    deal = record.deal(0, 12)
    shown = good("replay", str(match_file), "--at", "0:12", "--json").json
    assert shown["hands"] == [str(hand) for hand in deal.hands]
    assert (shown["deal"], shown["turn"], shown["to_play"], len(shown["turns"])) == (0, 12, deal.turn, 12)
    out = good("replay", str(match_file), "--at", "0:12").out
    assert out.startswith(
        f"Deal 0 of seed {record.seed} under singapore, to 25, turn 12 of {len(record.deals[0].turns)}\n"
    )
    assert re.search(rf"\n> seat {deal.turn} .*  {re.escape(str(deal.hands[deal.turn]))}\n", out)
    end = good("replay", str(match_file), "--at", f"0:{len(record.deals[0].turns)}").out
    points = " ".join(map(str, record.deals[0].points))
    assert end.endswith(f"Seat {record.deals[0].winner} wins; points {points}, totals {points}.\n")


def test_replay_for_scripts(match_file: Path) -> None:
    record = Record.load(match_file)
    shown = good("replay", str(match_file), "--json").json
    assert (shown["seed"], shown["target"], shown["winner"]) == (record.seed, 25, record.winner)
    rules = Rules.from_dict(shown["rules"])
    match = Match(rules, shown["seed"], 25)
    for told in shown["deals"]:
        deal = match.next_deal()
        assert [str(hand) for hand in deal.dealt] == told["hands"]
        assert (deal.turn, deal.leader is None) == (told["leader"], told["bound_by_opening"])
        for turn in told["turns"]:
            assert deal.turn == turn["seat"]
            if turn["cards"]:
                deal.play(turn["cards"])
            else:
                deal.pass_()
        assert list(match.end_deal(deal)) == told["points"]
        assert list(match.totals) == told["totals"]


@pytest.mark.parametrize(
    ("at", "message"),
    [
        ("x", "--at is 'x'; it must be 0:TURN to"),
        ("3", "--at is '3'; it must be 0:TURN to"),
        ("99:1", "--at is 99:1; "),
        ("0:999", "--at is 0:999; deal 0 has "),
    ],
)
def test_a_place_that_is_not_there_is_refused(match_file: Path, at: str, message: str) -> None:
    assert len(Record.load(match_file).deals) > 1
    assert message in refused("replay", str(match_file), "--at", at)
    assert message in refused("analyse", "--record", str(match_file), "--at", at)


@pytest.mark.skipif(os.name != "posix", reason="needs a terminal of this kind")
def test_keys_step_through_a_record(match_file: Path) -> None:
    import pty

    leader, follower = pty.openpty()
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "TERM": "xterm"}
    command = [sys.executable, "-m", "bigtwo_sim.cli.main", "replay", str(match_file)]
    process = subprocess.Popen(command, stdin=follower, stdout=follower, stderr=follower, env=environment)
    os.close(follower)
    shown = ""

    def until(wanted: str) -> None:
        nonlocal shown

        def seen() -> bool:
            nonlocal shown
            if select.select([leader], [], [], 0)[0]:
                shown += os.read(leader, 65536).decode()
            return wanted in shown

        wait_for(wanted, seen, lambda: shown)
        shown = shown[shown.rindex(wanted) :]

    try:
        until("turn 0 of")
        for keys, wanted in (
            (b"\x1b[C", "turn 1 of"),
            (b" \x1b[Cn", "turn 4 of"),
            (b"z\x1b[D", "turn 3 of"),
            (b"\x1b[B", "Deal 1 of"),
            (b"\x1b[A\x1b[D", "turn 0 of"),
            (b"q", "\x1b[?1049l"),
        ):
            os.write(leader, keys)
            until(wanted)
        assert process.wait(PATIENCE) == 0
    finally:
        process.kill()
        process.wait()
        os.close(leader)


# --- deal and analyse -------------------------------------------------------------------------------------------------
def test_a_deal_is_kept_as_a_record(tmp_path: Path) -> None:
    path = tmp_path / "deal.txt"
    command = ["deal", *FOUR[:3], "other=random", "--seed", "5", "--index", "3", "--rules", "pagat"]
    shown = good(*command, "--json", "--record", str(path)).json
    record = Record.load(path)
    check(record)
    (deal,) = record.deals
    assert (record.seed, record.target, deal.number, deal.winner) == (5, None, 3, shown["winner"])
    assert list(record.players) == shown["agents"]
    assert [str(hand) for hand in deal.hands] == shown["hands"]
    assert [{"seat": seat, "cards": str(cards) or None} for seat, cards in deal.turns] == [
        {"seat": turn["seat"], "cards": turn["cards"]} for turn in shown["turns"]
    ]
    assert "Every deal stands alone." in good("replay", str(path)).out
    assert refused(*command, "--record", str(path)).endswith("deal.txt exists; name another file, nothing was written")


def test_analyse_looks_at_a_turn_of_a_record_with_the_eyes_of_its_seat(match_file: Path, tmp_path: Path) -> None:
    record = Record.load(match_file)
    worlds = ["--worlds", str(amount(20, 2))]
    turn = next(
        turn
        for turn in range(4, 40)
        if record.deal(1, turn).has_choice and record.deal(1, turn).play_to_beat is not None
    )
    deal = record.deal(1, turn)
    shown = good("analyse", "--record", str(match_file), "--at", f"1:{turn}", *worlds, "--json").json
    assert (shown["seat"], shown["hand"]) == (deal.turn, str(deal.hands[deal.turn]))
    assert shown["unseen"] == str(deal.view().unseen)
    assert shown["rules"]["match_target"] == "25"
    text = match_file.read_text()
    unfinished = tmp_path / "unfinished.txt"
    start = text.index("\ndeal 1\n")
    unfinished.write_text(text[: text.index(f"turn {turn} ", start)])
    assert good("analyse", "--record", str(unfinished), *worlds, "--json").json == shown
    assert "the deal is over there" in refused("analyse", "--record", str(match_file))
    unfinished.write_text(text[: text.index("turn 3 ")] + "turn 3 seat 0: 3D 3D\n")
    assert "line " in refused("analyse", "--record", str(unfinished))
    unfinished.write_text(text[: text.index("\ndeal 0")])
    assert "has no deal yet" in refused("analyse", "--record", str(unfinished))


def test_a_deal_knows_the_totals_before_it() -> None:
    assert Deal.new(Rules(), 1, totals=(1, 2, 3, 4)).view(2).totals == (1, 2, 3, 4)
