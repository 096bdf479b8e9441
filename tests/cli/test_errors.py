"""The command line as a program: quick to help, no tracebacks, and at ease with every kind of output."""

import contextlib
import io
import os
import subprocess
import sys
from pathlib import Path

import pytest

from bigtwo_sim import __version__
from bigtwo_sim.core import code_cache
from tests.cli.command_line import bigtwo, good, refused

PROGRAM = [sys.executable, "-m", "bigtwo_sim.cli.main"]
MANY_CARDS = "3D 3C 3H 3S 4D 4C 4H 5D 5C 5H 6D 6C 7H"
FULL_DISK = Path("/dev/full")
HEAVY = {"numpy", "numba", "pandas", "pyarrow", "matplotlib", "rich", "tqdm"}


def program(*arguments: str, **options) -> subprocess.CompletedProcess:
    return subprocess.run([*PROGRAM, *arguments], **{"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **options})


def test_nothing_heavy_is_imported_for_help():
    code = "import sys; from bigtwo_sim.cli.main import run; run(['--help']); print(*sys.modules, file=sys.stderr)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert not HEAVY & set(done.stderr.split())
    assert "Usage: bigtwo" in done.stdout


def test_version_and_help():
    assert good("--version").out == f"bigtwo {__version__}\n"
    out = good("--help").out
    assert good("-h").out == out
    for command in ("tournament", "analyse", "rules", "plays", "compare", "deal", "check-bot", "bench"):
        assert f"\n  {command} " in out
        assert f"Usage: bigtwo {command} " in good(command, "--help").out
    assert "Usage: bigtwo" in bigtwo().out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["gamble"], "No such command 'gamble'"),
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

        monkeypatch.setattr("bigtwo_sim.games.big_two.legal_plays", legal_plays)

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


@pytest.mark.compiled
def test_compilation_is_announced_once_and_only_where_there_is_any():
    code_cache.before_compiling(lambda: None)
    assert bigtwo("rules").err == ""
    err = io.StringIO()
    with contextlib.redirect_stderr(err):
        for _ in range(2):
            code_cache.SturdyCache(_Damaged()).load_overload(None, None)
    assert err.getvalue().count("Compiling") == 1


class _Damaged:
    """A cache on a full disk, with a file cut short."""

    flushed = False

    def flush(self):
        self.flushed = True

    def load_overload(self, _signature, _context):
        raise EOFError("Ran out of input")

    def save_overload(self, _signature, _compiled):
        raise OSError(28, "No space left on device")


def test_a_damaged_cache_is_a_miss_and_a_full_one_only_a_warning(monkeypatch, capsys):
    monkeypatch.setattr(code_cache._Warning, "said", False)
    damaged = _Damaged()
    cache = code_cache.SturdyCache(damaged)
    assert cache.load_overload(None, None) is None
    assert damaged.flushed
    for _ in range(2):
        cache.save_overload(None, None)
    assert capsys.readouterr().err.count("every run compiles") == 1


def test_a_cache_folder_that_cannot_be_made_is_replaced_by_a_temporary_one(monkeypatch, capsys, tmp_path):
    monkeypatch.setattr(code_cache._Warning, "said", False)
    monkeypatch.setenv("BIGTWO_CACHE_DIR", "as it was")
    (tmp_path / "file").touch()
    found = code_cache.usable_folder(tmp_path / "file" / "compiled-1")
    assert found.parent.is_dir()
    assert found.name == "compiled-1"
    (line,) = capsys.readouterr().err.splitlines()
    assert f"cannot be kept in {tmp_path}" in line
    assert "BIGTWO_CACHE_DIR names another folder" in line


def test_the_end_of_a_file_is_not_taken_for_ctrl_c(broken):
    broken(EOFError("Ran out of input"))
    answer = bigtwo("plays", "3D")
    assert (answer.code, "EOFError: Ran out of input" in answer.error) == (1, True)


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
