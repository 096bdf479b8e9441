"""The text that names an agent: what it means, and that anything else is the clear error."""

import contextlib
import importlib
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bigtwo_sim.games.big_two import AgentError, PolicyAgent, PythonAgent
from bigtwo_sim.roster.methods import agent_names, levels, method, method_names
from bigtwo_sim.roster.spec import LONGEST_NAME, parse_agent, parse_agents


def settings_of(text: str) -> dict[str, float]:
    agent = parse_agent(text)
    assert isinstance(agent, PolicyAgent)
    return dict(zip((p.name for p in agent.method.parameters), agent.params.tolist(), strict=False))


def test_methods_are_the_files_of_the_folder() -> None:
    assert {"random", "greedy", "heuristic"} <= set(method_names())
    assert "spec" not in method_names()
    for name in method_names():
        assert method(name).name == name
        assert method(name).meaning


def test_methods_are_listed_without_importing_them() -> None:
    program = (
        "import sys; from bigtwo_sim.roster.methods import method_names; method_names(); "
        "print([m for m in sys.modules if m.startswith('bigtwo_agents.')])"
    )
    listed = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert listed.stdout.strip() == "[]"


def test_a_method_alone_has_its_defaults_and_its_own_name() -> None:
    agent = parse_agent(" heuristic ")
    assert agent.name == "heuristic"
    assert settings_of("heuristic") == pytest.approx({p.name: p.default for p in method("heuristic").parameters})


def test_settings_change_what_they_name() -> None:
    defaults = settings_of("heuristic")
    changed = settings_of("heuristic: lead_turns = 2.5 , answer_turns=-1e-1")
    assert changed == pytest.approx({**defaults, "lead_turns": 2.5, "answer_turns": -0.1})
    assert parse_agent("heuristic:lead_turns=2.5").name == "heuristic:lead_turns=2.5"


@pytest.mark.parametrize("name", levels())
def test_a_level_is_a_method_with_settings(name: str) -> None:
    level = levels()[name]
    assert name not in method_names()
    assert name in agent_names()
    assert level.meaning
    agent = parse_agent(name)
    assert isinstance(agent, PolicyAgent)
    assert (agent.name, agent.method.name) == (name, level.method)
    settings = {parameter.name: parameter.default for parameter in agent.method.parameters} | level.settings
    assert settings_of(name) == pytest.approx(settings)


def test_settings_change_those_of_a_level() -> None:
    agent = parse_agent("quick=strong:worlds=7")
    assert agent.name == "quick"
    assert settings_of("strong:worlds=7") == pytest.approx(settings_of("strong") | {"worlds": 7})
    with pytest.raises(AgentError, match="monte_carlo has no setting 'world'"):
        parse_agent("strong:world=7")
    with pytest.raises(AgentError, match="there is no agent 'strng'; did you mean strong"):
        parse_agent("strng")


def test_a_name_stands_before_the_first_equals_sign() -> None:
    assert parse_agent("mine=greedy").name == "mine"
    assert parse_agent("my own = heuristic:lead_turns=2").name == "my own"
    assert settings_of("a=heuristic:lead_turns=2")["lead_turns"] == 2


def test_a_python_agent_is_a_module_and_a_factory() -> None:
    agent = parse_agent("mine=python_agents:Weakest")
    assert isinstance(agent, PythonAgent)
    assert agent.name == "mine"
    assert hasattr(agent.make(), "choose")
    assert str(agent.factory) == "python_agents:Weakest"
    assert parse_agent("python_agents:Weakest").name == "python_agents:Weakest"


def test_the_current_folder_is_searched_and_hides_no_library(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "bot_of_this_folder.py").write_text(
        "class Bot:\n    def choose(self, view):\n        return view.legal_plays[0].cards\n"
    )
    (tmp_path / "bot_package").mkdir()
    (tmp_path / "bot_package" / "inner.py").write_text("from bot_of_this_folder import Bot\n")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "colorsys.py").write_text("raise ImportError('not this one')\n")
    monkeypatch.setattr(sys, "path", path := [folder for folder in sys.path if folder != ""])
    assert hasattr(parse_agent("bot_of_this_folder:Bot").make(), "choose")  # type: ignore[union-attr]
    assert hasattr(parse_agent("bot_package.inner:Bot").make(), "choose")  # type: ignore[union-attr]
    assert sys.path == path
    assert str(tmp_path) not in path
    sys.modules.pop("colorsys", None)
    assert importlib.import_module("colorsys").__file__ != str(tmp_path / "colorsys.py")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("gredy", "there is no agent 'gredy'; did you mean greedy[?] The agents are .*greedy, heuristic"),
        ("xyz", "there is no agent 'xyz'. The agents are "),
        ("spec", "there is no agent 'spec'"),
        ("", "'' names no agent; an agent is one of .*, FILE.py:NAME, MODULE:NAME, exec:PROGRAM or level:FILE"),
        ("mine=", "'mine=' names no agent"),
        ("=greedy", "the name in '=greedy' must be 1 to 80 printable characters"),
        (f"{'x' * (LONGEST_NAME + 1)}=greedy", "must be 1 to 80 printable characters"),
        ("a\tb=greedy", "must be 1 to 80 printable characters"),
        ("greedy:", "'greedy:' ends after its colon"),
        ("greedy:depth=3", "greedy has no setting 'depth'; its settings are: none"),
        ("heuristic:lead_turn=3", "heuristic has no setting 'lead_turn'; did you mean lead_turns[^,]*[?]$"),
        ("heuristic:xyz=3", r"heuristic has no setting 'xyz'; its settings are: (\w+, ){7}\w+ and [0-9]+ more$"),
        ("strong:worlds=2.5", "monte_carlo: worlds is 2.5; it must be a whole number from 1 to 100000$"),
        ("strong:worlds=0", "monte_carlo: worlds is 0; it must be a whole number from 1 to 100000$"),
        ("heuristic:lead_turns", "heuristic: 'lead_turns' is no setting; a setting is WEIGHT=VALUE"),
        ("heuristic:lead_turns=1,", "heuristic: '' is no setting"),
        ("heuristic:lead_turns=", "heuristic: 'lead_turns=' is no setting"),
        ("heuristic:lead_turns=much", "heuristic: lead_turns is 'much'; it must be a number"),
        ("heuristic:lead_turns=nan", "heuristic: lead_turns is nan; it must be from"),
        ("heuristic:lead_turns=1e9", r"heuristic: lead_turns is 1e\+09; it must be from"),
        ("heuristic:lead_turns=1,lead_turns=2", "heuristic: lead_turns is set twice"),
        ("no_such_module:Bot", "there is no module 'no_such_module', neither installed nor in the current folder"),
        ("json.missing:Bot", "there is no module 'json.missing'"),
        ("python_agents:Weakset", "the module python_agents has no 'Weakset'; did you mean Weakest"),
        ("python_agents:not_callable", "python_agents:not_callable is 3; it must be a class or a function"),
        ("python agents:Bot", "python agents:Bot is not PACKAGE.MODULE:FACTORY"),
        ("python_agents:", "python_agents: is not PACKAGE.MODULE:FACTORY"),
        ("a:b:c", "a:b:c is not PACKAGE.MODULE:FACTORY"),
    ],
)
def test_what_names_no_agent_is_told(text: str, message: str) -> None:
    with pytest.raises(AgentError, match=message):
        parse_agent(text)


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("import not_there", "importing broken_bot failed: ModuleNotFoundError: No module named 'not_there'"),
        ("1 +", "importing broken_bot failed: SyntaxError"),
        ("raise SystemExit(3)", "importing broken_bot failed: SystemExit: 3"),
    ],
)
def test_a_module_that_cannot_be_imported_is_told(
    source: str, message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "broken_bot.py").write_text(source)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    with pytest.raises(AgentError, match=message):
        parse_agent("broken_bot:Bot")


def test_names_are_unique_in_a_tournament() -> None:
    assert [agent.name for agent in parse_agents(["greedy", "other=greedy"])] == ["greedy", "other"]
    with pytest.raises(AgentError, match="two agents are called 'greedy'; name one of them otherwise"):
        parse_agents(["greedy", "random", "greedy"])


@given(st.text(max_size=30))
def test_garbage_gives_nothing_but_the_clear_error(text: str) -> None:
    with contextlib.suppress(AgentError):
        parse_agent(text)


@given(st.text(alphabet="heuristic:=,lead_turns0.5 ", max_size=40))
def test_what_is_nearly_right_gives_nothing_but_the_clear_error(text: str) -> None:
    with contextlib.suppress(AgentError):
        parse_agent(f"heuristic:{text}")
