"""Records: printing and parsing lose nothing, damage is named by its line, and a killed program loses nothing."""

import contextlib
import os
import random
import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bigtwo_sim.core.rng import root_key
from bigtwo_sim.games.big_two import (
    PRESETS,
    SWITCHES,
    CardSet,
    Deal,
    IllegalPlay,
    Match,
    PythonLoop,
    Record,
    RecordedDeal,
    RecordError,
    RecordFile,
    Rules,
)
from bigtwo_sim.games.big_two.match import with_target
from bigtwo_sim.games.big_two.records.record import check
from bigtwo_sim.games.big_two.records.record_form import RecordCutError
from bigtwo_sim.games.big_two.rules import switch_values, tiers_text
from bigtwo_sim.roster.spec import parse_agent
from tests import ROOT
from tests.games.big_two.sides import amount

DOCS = ROOT / "docs" / "records.md"
PLAYERS = ("ann", "easy", "level:mild.json#x", "exec:./my-bot --deep 'a b'")


def random_rules(chance: random.Random) -> Rules:
    """Any preset with some switches turned."""
    changes: dict[str, Any] = {}
    for switch in chance.sample(SWITCHES, chance.randrange(6)):
        if switch == "suit_order":
            changes[switch] = "".join(chance.sample("DCHS", 4))
        elif switch == "penalty_tiers":
            changes[switch] = tiers_text(tuple(chance.randrange(4) for _ in range(13)))
        elif switch != "match_target":
            changes[switch] = chance.choice(switch_values(switch))[0]
    if chance.random() < 0.3:
        changes["name"] = chance.choice(["our house", "taiwan", "pagat it is", "none", "7"])
    return chance.choice(list(PRESETS.values())).replace(**changes)


def random_deals(rules: Rules, deals: int, target: int | None = None, seed: int = 8) -> Record:
    """Deals of random play; with a target a match of them, as long as it takes."""
    rules = with_target(rules, target)
    loop = PythonLoop([parse_agent("random")] * 4, rules)
    match = Match(rules, seed, target)
    found: list[RecordedDeal] = []
    while len(found) < deals and match.winner is None:
        result = loop.play_deal(root_key(seed), match.number, leader=match.leader, totals=match.totals)
        points = tuple(result["points"].tolist())
        totals = tuple(a + b for a, b in zip(match.totals, points, strict=True))
        winner = int(result["winner"])
        found.append(RecordedDeal(match.number, loop.dealt, match.leader, loop.log, winner, points, totals))
        match = Match(rules, seed, target, totals, match.number + 1, winner)
    return Record(rules, seed, PLAYERS, tuple(found))


def survives(record: Record) -> None:
    text = record.text()
    again = Record.parse(text)
    assert again == record
    assert again.text() == text


# --- nothing is lost --------------------------------------------------------------------------------------------------
@pytest.mark.compiled
@pytest.mark.parametrize("name", PRESETS)
def test_a_thousand_random_deals_survive_print_and_parse(name: str) -> None:
    record = random_deals(PRESETS[name], 1000)
    assert len(record.deals) == 1000
    survives(record)
    check(replace(record, deals=record.deals[:100]))


def test_random_house_rules_survive_print_and_parse() -> None:
    chance = random.Random(5)
    played = 0
    while played < amount(1000, 8):
        record = random_deals(random_rules(chance), 12, chance.choice([None, 40]), chance.randrange(2**70))
        survives(record)
        survives(replace(record, deals=(*record.deals[:-1], cut_short(record.deals[-1], chance.randrange(20)))))
        if chance.random() < 0.2:
            check(record)
        played += len(record.deals)


def cut_short(deal: RecordedDeal, turns: int) -> RecordedDeal:
    return RecordedDeal(deal.number, deal.hands, deal.leader, deal.turns[:turns])


@pytest.mark.parametrize("name", PRESETS)
def test_a_record_plays_on_where_it_ends(name: str) -> None:
    record = random_deals(PRESETS[name], 3, 1000)
    unfinished = replace(record, deals=(*record.deals[:2], cut_short(record.deals[2], 17)))
    again = Record.parse(unfinished.text())
    check(again)
    deal, match = again.deal(), again.match()
    assert tuple(deal.log) == record.deals[2].turns[:17]
    begun = match.next_deal()
    for _, cards in deal.log:
        if cards:
            begun.play(cards)
        else:
            begun.pass_()
    assert deal.view() == begun.view()
    assert deal.view().totals == record.deals[1].totals
    assert again.deal(0, 5).view() == record.deal(0, 5).view()
    assert again.unfinished == again.deals[2]
    assert record.unfinished is None
    assert record.match().totals == record.totals


def test_a_deal_of_its_own_has_a_record() -> None:
    deal = Deal.new(Rules(), 4, 7)
    while not deal.is_over:
        if deal.legal_plays():
            deal.play(deal.legal_plays()[-1].cards)
        else:
            deal.pass_()
    record = Record.of(deal, PLAYERS)
    survives(record)
    check(record)
    assert (record.seed, record.target, record.deals[0].number) == (4, None, 7)
    assert record.deals[0].points == deal.points
    free = Record.of(Deal.new(Rules(), 4, 7, leader=2), PLAYERS)
    check(free)
    assert "lead: 2\n" in free.text()


# --- the page ---------------------------------------------------------------------------------------------------------
def block(language: str) -> str:
    found = re.search(rf"^```{language}\n(.*?)^```$", DOCS.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    assert found
    return found[1]


def test_the_example_of_the_page_is_a_record() -> None:
    record = Record.parse(block("text"))
    check(record)
    survives(record)
    assert record.rules == PRESETS["taiwan"].replace(bombs=True).replace(match_target=10, name="taiwan bombs=yes")


def grammar() -> re.Pattern[str]:
    """The grammar of the page as one pattern; it has no recursion."""
    special = {
        "small letters and underscores": "[a-z_]+",
        "printable characters, the first and the last no blanks": "[^\\s](?:[^\\n]*[^\\s])?",
        "a line feed": "\\n",
    }
    rules = dict(re.findall(r"^(\w+)\s*= (.*) ;$", block("ebnf"), re.MULTILINE))
    assert "record" in rules

    def pattern(name: str) -> str:
        made = ""
        tokens = re.findall(r'"[^"]*"|\? [^?]* \?|\w+|[,|(){}\[\]]', rules[name])
        for token in tokens:
            if token[0] == '"':
                made += re.escape(token[1:-1])
            elif token[0] == "?":
                made += special[token[2:-2]]
            elif token[0].isalpha():
                made += f"(?:{pattern(token)})"
            else:
                made += {",": "", "|": "|", "(": "(?:", ")": ")", "{": "(?:", "}": ")*", "[": "(?:", "]": ")?"}[token]
        return made

    return re.compile(pattern("record"))


def test_the_grammar_of_the_page_is_that_of_the_records() -> None:
    found = grammar()
    assert found.fullmatch(block("text"))
    chance = random.Random(2)
    for _ in range(amount(15, 2)):
        text = random_deals(random_rules(chance), 2, chance.choice([None, 30])).text()
        assert found.fullmatch(text)
        lines = text.split("\n")
        place = chance.randrange(len(lines) - 1)
        assert not found.fullmatch("\n".join([*lines[:place], "x: 1", *lines[place:]]))


# --- what is wrong ----------------------------------------------------------------------------------------------------
GOOD = random_deals(Rules().replace(bombs=True), 3, 1000)
LINES = GOOD.text().split("\n")
TURN = next(i for i, line in enumerate(LINES) if line.startswith("turn 0 seat"))


def refused(text: str) -> RecordError:
    with pytest.raises(RecordError) as caught:
        check(Record.parse(text))
    assert "\n" not in str(caught.value)
    return caught.value


def with_line(number: int, line: str) -> str:
    """The good record with another line `number`, the first of which is 1."""
    return "\n".join([*LINES[: number - 1], line, *LINES[number:]])


def at(start: str) -> int:
    """The number of the first line that starts so."""
    return next(i for i, line in enumerate(LINES, start=1) if line.startswith(start))


@pytest.mark.parametrize(
    ("start", "line", "reason"),
    [
        ("bigtwo", "bigtwo record 2", "its version is 2; this program reads version 1"),
        ("bigtwo", "<html>", "'<html>' must be 'bigtwo record 1'; this is no record"),
        ("rules", "rules: vegas", "there is no preset 'vegas'; it must be one of singapore, pagat"),
        ("rules", "rules:singapore", "must be 'rules: ' and a preset"),
        ("set", "set bombs: maybe", "bombs is 'maybe'; it must be yes or no"),
        ("set", "set bombs: no", "'set bombs: no' must be left out, for it changes nothing"),
        ("set", "set bombs: YES", "'set bombs: YES' must be 'set bombs: yes'"),
        ("set", "set luck: yes", "'luck' must be one of suit_order, opener"),
        ("set", "set match_target: 3", "'match_target' must be one of suit_order, opener"),
        ("seed", "seed: -1", "'seed: -1' must be 'seed: ' and a whole number, or none"),
        ("seed", "seed: 9", "deal 0 of seed 9 gives seat 0"),
        ("target", "target: 0", "must be 'target: ' and a whole number of at least 1, or none"),
        ("target", "target: 9999999", "match_target is 9999999; it must be none or a whole number from 1 to 1000000"),
        ("seat 1", "seat 1: ", "must be 'seat 1: ' and who sits there"),
        ("seat 1", "seat 2: bob", "must be 'seat 1: ' and who sits there"),
        ("seat 1", "seat 1: b\x07b", "a line of printable text"),
        ("deal 0", "deal 1", "the number of the deal is 1; it must be 0"),
        ("deal 0", "deal 00", "'deal 00' must be 'deal ' and its number"),
        ("deal 1", "deal 0", "the number of the deal is 0; it must be 1"),
        ("hand 2", "hand 3: 3D", "must be 'hand 2: ' and its cards"),
        ("hand 2", "hand 2: 3D 3D", "3D stands after a higher card or twice"),
        ("hand 2", "hand 2: 4D 3D", "3D stands after a higher card or twice"),
        ("hand 2", "hand 2: 1D", "'1D' is no card; a card is a rank and a suit, such as 3D"),
        ("hand 2", "hand 2: 10D", "'10D' is no card"),
        ("hand 2", LINES[at("hand 1") - 1].replace("hand 1", "hand 2"), "is in the hand of seat 1 too"),
        (
            "hand 2",
            "hand 2: 3D 3C 3H 3S 4D 4C 4H 4S 5D 5C 5H 5S 6D 6C",
            "the hand has 14 cards; it must have at most 13",
        ),
        ("lead", "lead: 4", "must be 'lead: ', a seat, and ' lowest card'"),
        ("turn 0", "turn 1 seat 0: pass", "the number of the turn is 1; it must be 0"),
        ("turn 0", "turn 0 seat 0: ", "must be 'turn ', its number, ' seat ', a seat"),
        ("turn 0", "turn 0 seat 0: passes", "'passes' is no card"),
        ("turn 3", "", "'' must be the next turn, or 'won: ' and a seat"),
        ("won", "won: 4", "'won: 4' must be 'won: ' and a seat"),
        ("points", "points: 1 2 3", "must be 'points: ' and 4 whole numbers"),
        ("points", "points: 1 -0 3 4", "must be 'points: ' and 4 whole numbers"),
        ("points", "points: 1 2 3 4", "the points are 1 2 3 4; they must be"),
        ("totals", "totals: 1 2 3 4", "the totals are 1 2 3 4; they must be"),
    ],
)
def test_a_wrong_line_is_named(start: str, line: str, reason: str) -> None:
    number = at(start)
    error = refused(with_line(number, line))
    assert reason in str(error)
    assert str(error).startswith(f"line {error.line}: ")
    assert error.line == (number if not line.startswith("seed: 9") else at("hand 0"))


def test_what_the_rules_forbid_is_named() -> None:
    first = GOOD.deals[0]
    other = (first.turns[0][0] + 1) % 4
    turn = at("turn 0 seat")
    error = refused(with_line(turn, LINES[turn - 1].replace(f"seat {first.turns[0][0]}", f"seat {other}")))
    assert (error.line, error.reason) == (turn, f"the turn is seat {first.turns[0][0]}'s, not seat {other}'s")
    held = next(card for card in first.hands[other])
    error = refused(with_line(turn, f"turn 0 seat {first.turns[0][0]}: {held}"))
    assert (error.line, error.reason) == (turn, f"seat {first.turns[0][0]} does not hold {held}")
    error = refused(with_line(turn, f"turn 0 seat {first.turns[0][0]}: pass"))
    assert error.reason == f"seat {first.turns[0][0]} may not pass: a player who leads must play"
    won = at("won")
    error = refused(with_line(won, f"won: {(first.winner + 1) % 4}"))
    assert (error.line, error.reason) == (
        won,
        f"seat {(first.winner + 1) % 4} has not won; seat {first.winner} has",
    )
    error = refused("\n".join(LINES[: won - 2] + LINES[won - 1 :]))
    assert error.line == won - 1
    assert error.reason.startswith("the deal is not over; it is seat")
    error = refused("\n".join([*LINES[: won - 1], f"turn {len(first.turns)} seat 0: pass", *LINES[won - 1 :]]))
    assert (error.line, error.reason) == (won, f"the deal is over; seat {first.winner} has won")
    second = [i for i, line in enumerate(LINES, start=1) if line.startswith("lead")][1]
    error = refused(with_line(second, f"lead: {(first.winner + 1) % 4}"))
    assert (error.line, error.reason) == (second, f"seat {first.winner}, which won the last deal, leads this deal")
    over = replace(GOOD, rules=with_target(GOOD.rules, 1))
    error = refused(over.text())
    assert "the match is over; seat" in error.reason
    assert error.line == at("deal 1")


def test_a_name_that_says_nothing_new_is_left_out() -> None:
    text = GOOD.text().replace("set bombs: yes\n", "set bombs: yes\nname: singapore bombs=yes\n")
    assert refused(text).line == 4
    assert refused(text.replace("name: s", "name:  s")).line == 4
    assert "must be 'rules: taiwan'" in str(refused(GOOD.text().replace("bombs: yes\n", "bombs: yes\nname: taiwan\n")))


@given(st.data())
def test_a_damaged_text_is_refused_by_its_line_or_is_the_text_of_its_record(data: st.DataObject) -> None:
    """Lines cut, changed, doubled, exchanged, and the same with characters."""
    units = data.draw(st.sampled_from(["line", "character"]))
    parts = GOOD.text().splitlines(keepends=True)[: TURN + 90] if units == "line" else list(GOOD.text()[:2500])
    for _ in range(data.draw(st.integers(1, 2))):
        place = data.draw(st.integers(0, len(parts) - 1))
        other = data.draw(st.integers(0, len(parts) - 1))
        how = data.draw(st.sampled_from(["cut", "drop", "double", "exchange", "copy", "write"]))
        if how == "cut":
            del parts[place:]
        elif how == "drop":
            del parts[place]
        elif how == "double":
            parts.insert(place, parts[place])
        elif how == "exchange":
            parts[place], parts[other] = parts[other], parts[place]
        elif how == "copy":
            parts[place] = parts[other]
        else:
            parts[place] = data.draw(st.text(max_size=6)) + ("\n" if units == "line" else "")
        if not parts:
            break
    text = "".join(parts)
    error = None
    try:
        record = Record.parse(text)
        assert record.text() == text
        check(record)
    except RecordError as caught:
        error = caught
    if error is not None:
        assert error.line is not None
        assert 1 <= error.line <= text.count("\n") + 1
        assert str(error).startswith(f"line {error.line}: ")


@given(st.binary(max_size=40), st.integers(0, 3000))
def test_damaged_bytes_are_refused_by_their_line(tmp_path_factory: Any, noise: bytes, place: int) -> None:
    path = tmp_path_factory.getbasetemp() / "noise.txt"
    data = GOOD.text().encode()
    path.write_bytes(data[:place] + noise + data[place + len(noise) :])
    with contextlib.suppress(RecordError):
        Record.load(path)


def test_a_file_that_cannot_be_read_is_refused(tmp_path: Path) -> None:
    with pytest.raises(RecordError, match=r"none\.txt: it cannot be read: No such file"):
        Record.load(tmp_path / "none.txt")
    (tmp_path / "bytes.txt").write_bytes(b"bigtwo record 1\nrules: \xff\n")
    with pytest.raises(RecordError, match=r"bytes.txt: line 2: it is not a text in UTF-8"):
        Record.load(tmp_path / "bytes.txt")
    (tmp_path / "short.txt").write_text("bigtwo record 1\nrules: taiwan\n")
    with pytest.raises(RecordCutError, match=r"short.txt: line 3: the text ends; here must be 'seed: '"):
        Record.load(tmp_path / "short.txt")
    with pytest.raises(FileExistsError):
        GOOD.save(tmp_path / "short.txt")


@pytest.mark.parametrize("player", ["", " ann", "a\nb", "a\x1b[2J"])
def test_a_player_is_a_line(player: str) -> None:
    with pytest.raises(ValueError, match="it must be a line of printable text"):
        Record(Rules(), 1, ("a", "b", "c", player))


# --- written while it is played ---------------------------------------------------------------------------------------
@pytest.fixture(autouse=True)
def no_waiting_for_the_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    """A busy disk makes minutes of 10,000 turns; the program that is killed does wait for it."""
    monkeypatch.setattr(os, "fsync", lambda descriptor: None)


def play_into(file: RecordFile, turns: int) -> int:
    """Play on with the weakest legal play, at most so many turns. Returns how many were left at the match's end."""
    match, deal = file.match, file.deal
    while turns and match.winner is None:
        if deal is None:
            deal = match.next_deal()
            file.begin_deal(deal)
        while turns and not deal.is_over:
            seat, cards = deal.turn, CardSet(0, deal.rules.deck)
            if deal.legal_plays():
                cards = deal.legal_plays()[0].cards
                deal.play(cards)
            else:
                deal.pass_()
            file.turn(seat, cards)
            turns -= 1
        if deal.is_over:
            file.end_deal(match.end_deal(deal), match.totals)
            deal = None
    return turns


def whole_match(path: Path, rules: Rules | None = None) -> bytes:
    with RecordFile.create(path, Match(rules or Rules(), 12, 25), PLAYERS) as file:
        play_into(file, 10_000)
    return path.read_bytes()


def test_a_file_holds_what_was_played(tmp_path: Path) -> None:
    data = whole_match(tmp_path / "match.txt")
    record = Record.load(tmp_path / "match.txt")
    check(record)
    assert record.players == PLAYERS
    assert record.winner is not None
    assert record.text().encode() == data
    assert [file.name for file in tmp_path.iterdir()] == ["match.txt"]


def test_wherever_a_file_is_cut_it_goes_on_to_the_same_bytes(tmp_path: Path) -> None:
    data = whole_match(tmp_path / "match.txt")
    header = data.index(b"\n\n") + 1
    deal = data.index(b"\n\n", header + 1) + 1
    places = {*range(header, header + 260, amount(3, 60)), *range(deal - 60, deal + 60, amount(3, 50))}
    for place in sorted(places | {len(data)}):
        path = tmp_path / f"cut {place}.txt"
        path.write_bytes(data[:place])
        with RecordFile.resume(path) as file:
            assert file.players == PLAYERS
            turns = 0 if file.deal is None else len(file.deal.log)
            kept = data[:place].count(b"\nturn ") - data[: data.rfind(b"\ndeal ", 0, place)].count(b"\nturn ")
            assert turns in (kept, kept - 1, 0)
            play_into(file, 10_000)
        assert path.read_bytes() == data, place
    for place in (0, 5, header - 1):
        path = tmp_path / f"header {place}.txt"
        path.write_bytes(data[:place])
        with pytest.raises(RecordError, match=r"header .*: line"):
            RecordFile.resume(path)
        assert path.read_bytes() == data[:place]


def test_a_file_that_is_damaged_otherwise_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "match.txt"
    data = whole_match(path)
    for damaged in (
        data.replace(b"turn 3 ", b"turn 4 ", 1),
        data.replace(b"won: ", b"won:", 1),
        re.sub(b"points: .*", b"points: 9 9 9 9", data),
        data + b"\xff\n",
        data + b"turn 99 seat 0: pass\n",
    ):
        path.write_bytes(damaged)
        with pytest.raises(RecordError, match=r"match.txt: line \d+: "):
            RecordFile.resume(path)
        assert path.read_bytes() == damaged
    path.write_bytes(re.sub(b"seed: .*", b"seed: none", data))
    with pytest.raises(RecordError, match="its seed is none, so it cannot go on"):
        RecordFile.resume(path)
    with pytest.raises(RecordError, match="there is no such file"):
        RecordFile.resume(tmp_path / "none.txt")


def test_a_file_refuses_what_is_not_so_and_writes_nothing(tmp_path: Path) -> None:
    path = tmp_path / "match.txt"
    match = Match(Rules(), 12, 50)
    none = CardSet(0, match.rules.deck)
    with RecordFile.create(path, match, PLAYERS) as file:
        with pytest.raises(ValueError, match="no deal is begun"):
            file.turn(0, none)
        with pytest.raises(ValueError, match="the deal is another one than number 0"):
            file.begin_deal(Deal.new(match.rules, 12, 1))
        deal = match.next_deal()
        file.begin_deal(deal)
        before = path.read_bytes()
        with pytest.raises(IllegalPlay, match="may not pass"):
            file.turn(deal.turn, none)
        with pytest.raises(IllegalPlay, match="the turn is seat"):
            file.turn((deal.turn + 1) % 4, none)
        with pytest.raises(ValueError, match="the deal is not over"):
            file.end_deal((0, 0, 0, 0), (0, 0, 0, 0))
        with pytest.raises(ValueError, match="deal 0 is not over"):
            file.begin_deal(deal)
        assert path.read_bytes() == before
    with pytest.raises(ValueError, match="a record begins with its first"):
        RecordFile.create(tmp_path / "other.txt", Match(Rules(), 1, 50, (1, 0, 0, 0), 1), PLAYERS)


def test_a_file_is_never_written_over_nor_by_two(tmp_path: Path) -> None:
    path = tmp_path / "match.txt"
    path.write_text("mine")
    with pytest.raises(RecordError, match="it exists, and a record is never written over"):
        RecordFile.create(path, Match(Rules(), 12, 50), PLAYERS)
    assert path.read_text() == "mine"
    path.unlink()
    with RecordFile.create(path, Match(Rules(), 12, 50), PLAYERS):
        with pytest.raises(RecordError, match=r"match.txt: another process is writing it"):
            RecordFile.resume(path)
        with pytest.raises(RecordError, match="another process is writing it"):
            RecordFile.create(path, Match(Rules(), 12, 50), PLAYERS)
    with RecordFile.resume(path) as file:
        assert (file.deal, file.match.number) == (None, 0)
    with pytest.raises(RecordError, match="none must be a folder that is there"):
        RecordFile.create(tmp_path / "none" / "match.txt", Match(Rules(), 12, 50), PLAYERS)
    assert not (tmp_path / "none").exists()


def test_what_a_full_disk_keeps_out_is_written_later(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    data = whole_match(tmp_path / "match.txt")
    with RecordFile.create(tmp_path / "again.txt", Match(Rules(), 12, 25), PLAYERS) as file:
        deal = file.match.next_deal()
        file.begin_deal(deal)

        def full(descriptor: int) -> None:
            raise OSError(28, "No space left on device")

        with monkeypatch.context() as patched:
            patched.setattr(os, "fsync", full)
            for _ in range(3):
                seat, cards = deal.turn, deal.legal_plays()[0].cards
                deal.play(cards)
                with pytest.raises(OSError, match="No space"):
                    file.turn(seat, cards)
        file.deal = deal
        play_into(file, 10_000)
    assert (tmp_path / "again.txt").read_bytes() == data


@pytest.mark.skipif(os.name != "posix", reason="kills with a signal")
def test_kill_9_in_the_middle_of_a_deal_loses_nothing(tmp_path: Path) -> None:
    path = tmp_path / "match.txt"
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT), str(ROOT / "tests" / "players")])}
    with subprocess.Popen(
        [sys.executable, "-m", "tests.games.big_two.records.record_writer", str(path)],
        stdout=subprocess.PIPE,
        text=True,
        env=environment,
    ) as writer:
        assert writer.stdout is not None
        told = [writer.stdout.readline() for _ in range(amount(170, 40))]
        with pytest.raises(RecordError, match="another process is writing it"):
            RecordFile.resume(path)
        writer.kill()
        told += writer.stdout.readlines()
    with RecordFile.resume(path) as file:
        record = Record.load(path)
        turns = [f"{deal.number} {seat} {cards}\n" for deal in record.deals for seat, cards in deal.turns]
        assert turns[: len(told)] == told
        assert len(turns) <= len(told) + 1
        check(record)
        assert file.match.number == sum(deal.is_finished for deal in record.deals)
        play_into(file, 30)
    check(Record.load(path))
