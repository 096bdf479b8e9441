"""Files as people leave them: marks, line ends, encodings, and what a path may name instead of a file."""

import os
import tracemalloc
from collections.abc import Callable
from pathlib import Path

import pytest

from bigtwo_sim.games.big_two import Deal, Match, Record, RecordedDeal, RecordError, RecordFile, Rules
from bigtwo_sim.roster.level_file import read_levels
from bigtwo_sim.untrusted.text_files import (
    LONGEST_SHOWN,
    TextFileError,
    decoded,
    read_bytes,
    read_open,
    read_text,
    shown_path,
)
from tests.cli.command_line import good, refused

TEXT = "bigtwo record 1\nsecond ♦\n"
FORMS: dict[str, Callable[[bytes], bytes]] = {
    "as written": lambda data: data,
    "of Windows": lambda data: data.replace(b"\n", b"\r\n"),
    "with a mark": lambda data: b"\xef\xbb\xbf" + data,
    "of Notepad": lambda data: b"\xef\xbb\xbf" + data.replace(b"\n", b"\r\n"),
}


def finished_deal() -> Deal:
    deal = Deal.new(Rules(), 3, 0)
    while not deal.is_over:
        plays = deal.legal_plays()
        if plays:
            deal.play(plays[0].cards)
        else:
            deal.pass_()
    return deal


def record() -> Record:
    return Record(Rules(), 3, ("a", "b", "c", "d"), (RecordedDeal.of(finished_deal()),))


# --- texts ------------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("form", FORMS)
def test_marks_and_line_ends_of_any_system_are_read(form: str, tmp_path: Path) -> None:
    (tmp_path / "text").write_bytes(FORMS[form](TEXT.encode()))
    assert read_text(tmp_path / "text") == TEXT


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (TEXT.encode("utf-16"), "it is in UTF-16; it must be in UTF-8"),
        (b"\xfe\xff" + TEXT.encode("utf-16-be"), "it is in UTF-16; it must be in UTF-8"),
        (TEXT.encode("utf-32"), "it is in UTF-32; it must be in UTF-8"),
        (TEXT.encode("utf-16-le"), "line 1: it has a zero byte, so it is not a text in UTF-8"),
        (b"one\r\ntwo\0\n", "line 2: it has a zero byte"),
        ("one\ntwo\nsüß".encode("latin-1"), "line 3: it is not a text in UTF-8"),
    ],
)
def test_other_encodings_are_named(data: bytes, why: str) -> None:
    with pytest.raises(TextFileError) as caught:
        decoded(data)
    assert str(caught.value).startswith(why)


# --- what a path may name ---------------------------------------------------------------------------------------------
def test_what_is_not_a_file_is_refused_by_what_it_is(tmp_path: Path) -> None:
    for path, why in [
        (tmp_path, "it is a folder; it must be a file"),
        (tmp_path / "none", "it cannot be read: No such file"),
        (f"{tmp_path}/zero\0byte", "it cannot be read: a path has no zero bytes"),
        (tmp_path / ("long" * 30_000), "it cannot be read: File name too long"),
    ]:
        with pytest.raises(TextFileError) as caught:
            read_bytes(path)
        assert why in str(caught.value)
        assert len(str(caught.value)) < 2 * LONGEST_SHOWN + 100


@pytest.mark.skipif(os.name != "posix", reason="devices and pipes of POSIX")
def test_devices_and_pipes_end(tmp_path: Path) -> None:
    with pytest.raises(TextFileError, match="/dev/zero: it is a device or a socket; it must be a file"):
        read_bytes("/dev/zero")
    os.mkfifo(tmp_path / "pipe")
    assert read_bytes(tmp_path / "pipe") == b""  # nobody writes to it
    reading, writing = os.pipe()
    os.write(writing, b"from a program")
    os.close(writing)
    assert read_bytes(f"/dev/fd/{reading}") == b"from a program"
    os.close(reading)


def test_a_file_without_end_is_refused(tmp_path: Path) -> None:
    with (tmp_path / "huge").open("wb") as file:
        file.truncate(2**40)  # no byte of which is on the disk
    with pytest.raises(TextFileError, match="huge: it has more than 1,000 bytes, the most that are read"):
        read_bytes(tmp_path / "huge", most=1_000)


def test_a_file_that_is_too_long_is_not_read(tmp_path: Path) -> None:
    with (tmp_path / "huge").open("wb") as file:
        file.truncate(2**40)
    tracemalloc.start()
    try:
        with pytest.raises(TextFileError, match=r"huge: it has more than 268,435,456 bytes"):
            read_bytes(tmp_path / "huge")
        with pytest.raises(RecordError, match=r"huge: it has more than 268,435,456 bytes"):
            RecordFile.resume(tmp_path / "huge")
        assert tracemalloc.get_traced_memory()[1] < 2**20
    finally:
        tracemalloc.stop()


def test_what_grows_is_read_up_to_one_byte_too_many() -> None:
    for length in (1_000, 1_001):
        reading, writing = os.pipe()
        os.write(writing, bytes(length))
        os.close(writing)
        with os.fdopen(reading, "rb", buffering=0) as file:
            if length == 1_000:
                assert len(read_open(file, most=1_000)) == 1_000
            else:
                with pytest.raises(TextFileError, match="it has more than 1,000 bytes"):
                    read_open(file, most=1_000)


def test_a_long_path_is_cut_in_a_message_and_a_steering_one_is_shown() -> None:
    assert shown_path("a/b") == "a/b"
    assert shown_path("a\x1b[2J\nb") == "a\\x1b[2J\\nb"
    assert len(shown_path("x" * 10**6)) < LONGEST_SHOWN + 10


# --- every kind of file -----------------------------------------------------------------------------------------------
@pytest.mark.parametrize("form", FORMS)
def test_every_kind_of_file_may_have_them(form: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    made = record()
    level = '{"format": 1,\n "levels": {"mine": {"method": "greedy"}}}\n'
    for name, text in [
        ("record.txt", made.text()),
        ("rules.toml", 'name = "mine"\nbombs = true\n'),
        ("level.json", level),
        ("line-ups.txt", "greedy random random random\nrandom greedy greedy greedy\n"),
    ]:
        Path(name).write_bytes(FORMS[form](text.encode()))
    assert Record.load("record.txt") == made
    assert "all are legal" in " ".join(good("replay", "--check", "record.txt").out.split())
    assert Rules.from_toml("rules.toml") == Rules(bombs=True, name="mine")
    assert list(read_levels(Path("level.json"))) == ["mine"]
    lineups = good("tournament", "--lineups", "line-ups.txt", "--deals", "8", "--json").json["lineups"]
    assert {row["lineup"] for row in lineups} == {"greedy random random random", "random greedy greedy greedy"}


def test_a_record_of_windows_goes_on(tmp_path: Path) -> None:
    path = tmp_path / "match.txt"
    match = Match(Rules(), 3, 100)
    with RecordFile.create(path, match, ("a", "b", "c", "d")) as file:
        deal = match.next_deal()
        file.begin_deal(deal)
        turn = deal.turn, deal.legal_plays()[0].cards
        file.turn(*turn)
    path.write_bytes(FORMS["of Notepad"](path.read_bytes()))
    with RecordFile.resume(path) as file:
        assert file.deal is not None
        assert [(seat, cards) for seat, cards in file.deal.log] == [turn]
        file.turn(file.deal.turn, file.deal.legal_plays()[0].cards if file.deal.legal_plays() else turn[1][:0])
    assert len(Record.load(path).deals[0].turns) == 2


def test_a_record_in_another_encoding_is_refused_by_its_name(tmp_path: Path) -> None:
    path = tmp_path / "record.txt"
    path.write_bytes(record().text().encode("utf-16"))
    with pytest.raises(RecordError, match=r"record\.txt: it is in UTF-16; it must be in UTF-8, so save it as that"):
        Record.load(path)
    assert "it is in UTF-16" in refused("replay", str(path))
