"""The command line as a program: quick to help, no tracebacks, and at ease with every kind of output."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from command_line import bigtwo, good, refused

from bigtwo_sim import __version__
from experiments import options

PROGRAM = [sys.executable, "-m", "experiments.cli"]
MANY_CARDS = "3D 3C 3H 3S 4D 4C 4H 5D 5C 5H 6D 6C 7H"
FULL_DISK = Path("/dev/full")
HEAVY = {"numpy", "numba", "pandas", "pyarrow", "matplotlib", "rich", "tqdm"}


def program(*arguments: str, **options) -> subprocess.CompletedProcess:
    return subprocess.run([*PROGRAM, *arguments], **{"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **options})


def test_nothing_heavy_is_imported_for_help():
    code = (
        "import sys; from experiments.cli import run; run(['--help']); run(['plays', '--help']); "
        "print(*sys.modules, file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert not HEAVY & set(done.stderr.split())
    assert "Usage: bigtwo" in done.stdout


def test_version_and_help():
    assert good("--version").out == f"bigtwo {__version__}\n"
    out = good("--help").out
    assert good("-h").out == out
    for command in ("tournament", "analyse", "rules", "plays", "compare", "deal", "bench"):
        assert f"\n  {command} " in out
        assert f"Usage: bigtwo {command} " in good(command, "--help").out
    assert "Usage: bigtwo" in bigtwo().out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["play"], "No such command 'play'"),
        (["plays", "3D", "--opening=yes"], "'--opening' does not take a value; see bigtwo"),
        (["plays", "3D", "--no-such-option"], "--no-such-option"),
        (["plays", "3D", "--on"], "--on"),
    ],
)
def test_a_wrong_command_line_is_told_in_one_line(arguments, message):
    error = refused(*arguments)
    assert error.startswith("bigtwo: ")
    assert message in error


@pytest.fixture
def broken(monkeypatch):
    """Makes `bigtwo plays` raise an exception."""

    def break_with(error: BaseException) -> None:
        def legal_plays(*_arguments):
            raise error

        monkeypatch.setattr("bigtwo_sim.big_two.legal_plays", legal_plays)

    return break_with


def test_an_unexpected_error_is_one_line(broken, monkeypatch):
    broken(ZeroDivisionError("two\nlines"))
    monkeypatch.delenv("BIGTWO_DEBUG", raising=False)
    answer = bigtwo("plays", "3D")
    assert answer.code == 1
    assert answer.error == "bigtwo: ZeroDivisionError: two lines (BIGTWO_DEBUG=1 shows where)"


def test_a_developer_sees_where(broken, monkeypatch):
    broken(ZeroDivisionError("by nought"))
    monkeypatch.setenv("BIGTWO_DEBUG", "1")
    answer = bigtwo("plays", "3D")
    assert answer.code == 1
    assert "Traceback" in answer.err
    assert "in legal_plays" in answer.err


def test_an_error_of_the_system_names_the_file(broken):
    broken(PermissionError(13, "Permission denied", "there/it.parquet"))
    answer = bigtwo("plays", "3D")
    assert (answer.code, answer.error) == (1, "bigtwo: there/it.parquet: Permission denied")


def test_interrupted(broken):
    broken(KeyboardInterrupt())
    answer = bigtwo("plays", "3D")
    assert (answer.code, answer.out, answer.error) == (130, "", "Stopped.")


def test_the_first_compilation_is_announced_once(monkeypatch, tmp_path):
    from bigtwo_sim import kernel

    monkeypatch.setattr(kernel, "INTERPRETED", False)
    monkeypatch.setattr(kernel, "CACHE_FOLDER", tmp_path / "none")
    options.announce_compilation.cache_clear()
    answers = [bigtwo("rules"), bigtwo("rules")]
    assert [answer.err.count("Compiling for the first time") for answer in answers] == [1, 0]
    monkeypatch.setattr(kernel, "CACHE_FOLDER", tmp_path)
    options.announce_compilation.cache_clear()
    assert bigtwo("rules").err == ""


@pytest.mark.skipif(os.name != "posix", reason="closes file descriptors")
def test_a_reader_that_leaves_is_no_error():
    process = subprocess.Popen(
        [*PROGRAM, "plays", MANY_CARDS, "--json"], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    process.stdout.close()
    error = process.stderr.read().decode()
    process.stderr.close()
    process.wait()
    assert "rror" not in error
    assert "Traceback" not in error


@pytest.mark.skipif(not FULL_DISK.exists(), reason="needs a full disk")
def test_a_full_disk_is_one_line():
    with FULL_DISK.open("w") as full:
        done = program("plays", MANY_CARDS, stdout=full, text=True)
    assert done.returncode == 1
    assert done.stderr.splitlines()[-1] == "bigtwo: No space left on device"
    assert "Traceback" not in done.stderr


def test_output_that_knows_ascii_only():
    environment = {**os.environ, "PYTHONIOENCODING": "ascii"}
    done = program("rules", "--house", env=environment)
    assert done.returncode == 0
    assert b"34567 ... TJQKA < A2345" in done.stdout


@pytest.mark.skipif(os.name != "posix", reason="needs a terminal")
@pytest.mark.parametrize(("encoding", "cards"), [("utf-8", "3♦ 3♣"), ("ascii", "3D 3C")])
def test_a_terminal_shows_suit_signs_if_it_can(encoding, cards):
    controller, terminal = os.openpty()
    done = program("plays", "3d 3c", stdout=terminal, env={**os.environ, "PYTHONIOENCODING": encoding})
    os.close(terminal)
    shown = os.read(controller, 10_000).decode()
    os.close(controller)
    assert done.returncode == 0
    assert cards in shown
