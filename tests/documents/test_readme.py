"""What the README shows is true: its snippets run, and its output is that of the program."""

from __future__ import annotations

import importlib.util
import re
import shlex
from pathlib import Path
from typing import Any

import pytest

from bigtwo_sim.games.big_two import PythonAgent, check_agent
from bigtwo_sim.games.big_two.policy import PolicyAgent
from tests import ROOT
from tests.cli.command_line import good

README = (ROOT / "README.md").read_text(encoding="utf-8")


def snippet(name: str, folder: Path) -> Any:
    """The README's file `name` as an imported module, written to `folder`."""
    match = re.search(rf"<!-- file: {re.escape(name)} -->\n```python\n(.*?)```", README, re.DOTALL)
    assert match, f"the README shows no file {name}"
    path = folder / Path(name).name
    path.write_text(match[1], encoding="utf-8")
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_python_agent_of_the_readme_passes_the_check(tmp_path: Path) -> None:
    made = snippet("cautious.py", tmp_path)
    assert check_agent(PythonAgent("cautious", made.Cautious), deals=2) > 0


@pytest.mark.compiled
def test_the_compiled_strategy_of_the_readme_passes_the_check(tmp_path: Path) -> None:
    method = snippet("hoarder.py", tmp_path).METHOD
    assert check_agent(PolicyAgent("hoarder", method, method.params()), deals=2) > 0


@pytest.mark.compiled
def test_the_output_in_the_readme_is_what_the_default_tournament_prints(tmp_path: Path) -> None:
    shown = re.search(r"```text\n(.*?)```", README, re.DOTALL)
    assert shown
    printed = good("tournament", "--out", str(tmp_path / "run")).out

    def figures(text: str) -> list[str]:
        """The lines of the table that do not hang on the machine, without the decisions a second."""
        rows = [line for line in text.splitlines() if "±" in line or "blocks under" in line]
        return [re.sub(r"\s+[\d.]+ [kM]$", "", row).strip() for row in rows if "95 %" not in row]

    assert figures(shown[1]) == figures(printed)
    assert len(figures(printed)) == 15


@pytest.mark.compiled
def test_the_output_in_the_readme_is_what_a_tournament_of_big_three_prints(tmp_path: Path) -> None:
    shown = re.search(r"<!-- big three -->\n```text\n(.*?)\n```", README, re.DOTALL)
    assert shown
    printed = good("tournament", "--game", "big-three", "--out", str(tmp_path / "run")).out

    def lines(text: str) -> list[str]:
        """All but what hangs on the machine: how long it took, and the decisions a second."""
        kept = [line for line in text.splitlines() if "deals an hour" not in line]
        return [re.sub(r"\s+[\d.]+ [kM]$", "", line).strip() for line in kept]

    assert lines(printed.partition("±: 95 %")[0].strip()) == lines(shown[1].strip())


BIG_THREE = re.findall(r"^    bigtwo ((?:deal|analyse|plays|compare) --game .*)", README, re.MULTILINE)


@pytest.mark.compiled
@pytest.mark.parametrize("command", BIG_THREE)
def test_the_commands_of_big_three_in_the_readme_are_understood(command: str) -> None:
    assert good(*shlex.split(command)).out
