"""A saved run may name any code: none of it runs before the user agrees, and what was changed never runs."""

import io
import os
import shutil
import sys
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from bigtwo_sim.arena import Plan, RunFolder
from bigtwo_sim.cli.trust import raise_unless_agreed
from bigtwo_sim.games.big_two import Rules
from bigtwo_sim.roster.spec import parse_agents
from tests.cli.command_line import bigtwo, good, refused

BOT = """
from pathlib import Path
Path("it_ran").touch()

class Bot:
    def choose(self, view):
        return view.legal_plays[0].cards
"""


@pytest.fixture(autouse=True)
def _in_a_folder_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("BIGTWO_STATE_DIR", str(tmp_path / "state"))
    monkeypatch.setattr(sys, "path", list(sys.path))  # which keeps the current folder of whoever looked for a module


def begin(folder: str, *agents: str) -> list[dict[str, Any]]:
    """The folder of a run that somebody else began, of which this process knows nothing; its agents."""
    with closing(RunFolder.create(Path(folder), Plan.of(parse_agents(agents), Rules(), deals=14))) as begun:
        found: list[dict[str, Any]] = begun.manifest["agents"]
    forget()
    return found


def forget() -> None:
    sys.modules.pop("a_stranger", None)
    Path("it_ran").unlink(missing_ok=True)


def ran() -> bool:
    return Path("it_ran").exists() or "a_stranger" in sys.modules


@pytest.fixture
def stranger() -> list[dict[str, Any]]:
    Path("a_stranger.py").write_text(BOT)
    return begin("run", "a_stranger:Bot", "random")


def test_nothing_of_a_strangers_run_is_imported_unasked(stranger: Any) -> None:
    error = refused("tournament", "--resume", "run")
    assert "run was not begun here, and to resume it runs a_stranger:Bot (" in error
    assert str(Path("a_stranger.py").resolve()) in error
    assert "give --trust to run it" in error
    assert not ran()
    assert not list(Path("run").glob("part-*"))


def test_what_was_agreed_to_is_remembered_for_this_folder_and_these_sources(stranger: Any) -> None:
    good("tournament", "--resume", "run", "--trust")
    good("tournament", "--resume", "run")
    shutil.copytree("run", "elsewhere")
    assert "elsewhere was not begun here" in refused("tournament", "--resume", "elsewhere")


def test_code_that_was_changed_is_refused_before_it_runs(stranger: Any) -> None:
    Path("a_stranger.py").write_text(BOT + "\nPath('it_ran').touch()\n")
    for arguments in (["--trust"], []):
        error = refused("tournament", "--resume", "run", *arguments)
        assert "the agent 'a_stranger:Bot' is not the one that played: it was changed since" in error
    Path("a_stranger.py").unlink()
    assert "it was changed since" in refused("tournament", "--resume", "run", "--trust")
    assert not ran()


def test_a_package_around_the_code_is_not_imported_to_find_it() -> None:
    Path("a_stranger").mkdir()
    Path("a_stranger/__init__.py").write_text(BOT)
    Path("a_stranger/inner.py").write_text(BOT)
    begin("run", "a_stranger.inner:Bot", "random")
    sys.modules.pop("a_stranger.inner", None)
    assert str(Path("a_stranger/inner.py").resolve()) in refused("tournament", "--resume", "run")
    assert not ran()


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(("answer", "agreed"), [("y\n", True), ("n\n", False), ("\n", False)])
def test_on_a_terminal_it_is_asked(
    answer: str, agreed: bool, stranger: list[dict[str, Any]], monkeypatch: pytest.MonkeyPatch
) -> None:
    shown = Terminal()
    monkeypatch.setattr(sys, "stdin", Terminal(answer))
    monkeypatch.setattr(sys, "stderr", shown)
    if agreed:
        raise_unless_agreed(Path("run"), stranger, trust=False)
        raise_unless_agreed(Path("run"), stranger, trust=False)  # which reads no second answer
    else:
        with pytest.raises(ValueError, match="was not resumed, and nothing that it names was run"):
            raise_unless_agreed(Path("run"), stranger, trust=False)
    assert "a_stranger:Bot" in shown.getvalue()
    assert not ran()


def test_names_of_a_stranger_do_not_reach_the_terminal_raw(stranger: list[dict[str, Any]]) -> None:
    source = stranger[0]["source"]
    described = {"name": "x", "factory": "a_stranger:\x1b[2J", "source": source}
    with pytest.raises(ValueError, match="to resume it runs") as caught:
        raise_unless_agreed(Path("run"), [described], trust=False)
    assert "\x1b" not in str(caught.value)


def test_a_run_that_was_begun_here_needs_no_question() -> None:
    Path("a_stranger.py").write_text(BOT)
    good("tournament", "a_stranger:Bot", "random", "--deals", "14", "--out", "run")
    good("tournament", "--resume", "run")


@pytest.mark.skipif(os.name != "posix", reason="programs need a Unix")
def test_a_program_is_named_with_its_file_and_not_started() -> None:
    Path("bot.sh").write_text("#!/bin/sh\ntouch it_ran\n")
    Path("bot.sh").chmod(0o755)
    begin("run", "exec:./bot.sh", "random")
    error = refused("tournament", "--resume", "run")
    assert f"it runs exec:./bot.sh ({Path('bot.sh').resolve()})" in error
    assert not ran()


def test_a_plot_runs_nothing_of_a_run(stranger: Any) -> None:
    good("tournament", "--resume", "run", "--trust")
    forget()
    bigtwo("plot", "run")
    bigtwo("results", "run")
    assert not ran()


def test_a_curve_has_compiled_agents_only() -> None:
    Path("a_stranger.py").write_text(BOT)
    more = {"curve": {"format": 1, "agent": "x", "knob": "y", "values": [1.0]}}
    plan = Plan.of(parse_agents(["a_stranger:Bot"]), Rules(), deals=1)
    RunFolder.create(Path("run"), plan, more=more).close()
    forget()
    assert "its agents must be compiled" in refused("curve", "--resume", "run")
    assert not ran()


def test_a_tuning_has_compiled_agents_only(tmp_path: Path) -> None:
    pytest.importorskip("optuna")
    from bigtwo_sim.arena import RunError
    from bigtwo_sim.tuning.study import TuningStudy
    from bigtwo_sim.tuning.task import Task

    Path("a_stranger.py").write_text(BOT)
    stranger = {"name": "x", "factory": "a_stranger:Bot"}
    easy = {"name": "easy", "method": "beginner", "settings": {}}
    task = Task(easy, [stranger], Rules().to_dict(), "points", ["timid"], 1, 10**6, 4, 2, "0" * 16, "bigtwo tune")
    with pytest.raises(RunError, match=r"is damaged: against\[0\]\.method is missing"):
        TuningStudy.create(tmp_path, task)
    assert not ran()


def test_trust_belongs_to_resuming() -> None:
    assert "--trust belongs to --resume" in refused("tournament", "random", "--trust")
