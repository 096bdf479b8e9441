"""Agents by their place: methods and factories in files and modules of the user's own folder."""

import json
import pickle
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from bigtwo_sim.arena.runners.player import pack, unpack
from bigtwo_sim.arena.schedule.plan import Plan
from bigtwo_sim.arena.store.manifest import describe
from bigtwo_sim.core import code_cache
from bigtwo_sim.games.big_two import AgentError, PolicyAgent, PythonAgent, Rules
from bigtwo_sim.games.registry import BIG_THREE
from bigtwo_sim.roster.places import FACTORY, METHOD, Place, place_in
from bigtwo_sim.roster.sources import import_file
from bigtwo_sim.roster.spec import agent_from_manifest, parse_agent
from tests.cli.command_line import good, refused

STRATEGY = '''
"""A strategy that keeps a setting, and what it imports from beside itself."""
from bigtwo_sim.games.big_two.policy import Method, Parameter, policy
from beside import DEFAULT

@policy
def choose(hand, public, plays, strengths, count, params, stream):
    if public.may_pass and count > params[0]:
        return count
    return 0

METHOD = Method("timid", choose, "passes where it has a choice", (Parameter("most", DEFAULT, 0, 99, "plays"),))
NUMBER = 3

class Weakest:
    def choose(self, view):
        return view.legal_plays[0].cards
'''
TAKEN = ("agents", "bigtwo_sim", "bigtwo_agents", "random", "numpy")


@pytest.fixture(autouse=True)
def _in_a_folder_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("BIGTWO_STATE_DIR", str(tmp_path / "state"))
    Path("bots").mkdir()
    Path("bots/timid.py").write_text(STRATEGY, encoding="utf-8")
    Path("bots/beside.py").write_text("DEFAULT = 5\n", encoding="utf-8")
    for name in TAKEN:
        Path(f"{name}.py").write_text("raise ImportError('not this one')\n", encoding="utf-8")
    sys.modules.pop("beside", None)


def compiled(text: str) -> PolicyAgent:
    agent = parse_agent(text)
    assert isinstance(agent, PolicyAgent)
    return agent


def test_a_text_names_a_place() -> None:
    assert place_in("a/b c.py:METHOD") == (Place("a/b c.py", "METHOD"), None)
    assert place_in("a.b:METHOD:x=1,y=2") == (Place("a.b", "METHOD"), "x=1,y=2")
    assert place_in("heuristic:x=1") is None
    assert place_in("a b:METHOD") is None


def test_a_method_in_a_file_has_settings() -> None:
    agent = compiled("mine=bots/timid.py:METHOD")
    assert (agent.name, agent.method.name, agent.params[0]) == ("mine", "timid", 5)
    assert compiled("bots/timid.py:METHOD:most=7").params[0] == 7
    assert compiled("bots/timid.py:METHOD:most=7").name == "bots/timid.py:METHOD:most=7"
    assert compiled(f"{Path.cwd()}/bots/timid.py:METHOD").params[0] == 5


def test_a_method_in_a_module_has_settings() -> None:
    Path("timid_here.py").write_text(STRATEGY.replace("from beside import DEFAULT", "DEFAULT = 4"), encoding="utf-8")
    assert compiled("timid_here:METHOD:most=2").params[0] == 2
    assert compiled("bigtwo_agents.big_two.heuristic:METHOD").method.name == "heuristic"


def test_a_factory_in_a_file_is_imported_in_another_process_only() -> None:
    before = set(sys.modules)
    agent = parse_agent("bots/timid.py:Weakest")
    assert isinstance(agent, PythonAgent)
    assert not [name for name in set(sys.modules) - before if "timid" in name]
    assert hasattr(agent.make(), "choose")
    assert describe(agent)["factory"] == "bots/timid.py:Weakest"


def test_files_of_taken_names_are_agents_and_hide_nothing() -> None:
    for name in TAKEN:
        Path(f"{name}.py").write_text(STRATEGY.replace("from beside import DEFAULT", "DEFAULT = 4"), encoding="utf-8")
        path, module = list(sys.path), sys.modules.get(name)
        assert compiled(f"{name}.py:METHOD").params[0] == 4
        assert sys.path == path
        assert sys.modules.get(name) is module


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("bots/timd.py:METHOD", "there is no file 'bots/timd.py'; it is looked for from /"),
        ("bots/timid.py:METHD", "bots/timid.py has no 'METHD'; did you mean METHOD[?]"),
        ("bots/timid.py:NUMBER", "NUMBER is 3; it must be a class or a function .*, or a Method"),
        ("bots/timid.py:METHOD:depth=1", "timid has no setting 'depth'; its settings are: most"),
        ("bots/timid.py:METHOD:most=100", "most is 100; it must be from 0 to 99"),
        ("bots/timid.py:Weakest:most=1", "makes Python agents, which have no settings; leave out 'most=1'"),
        ("bots/timid.py:", "is not PACKAGE.MODULE:FACTORY or FILE.py:FACTORY"),
        ("bots/timid.py", "there is no agent 'bots/timid.py'"),
        ("numpy:Bot", "the module numpy has no 'Bot'.*; of the file in the current folder it is numpy.py:Bot"),
        ("bigtwo_sim:Bot", "bigtwo_sim is a name of this project; of the file .* it is bigtwo_sim.py:Bot"),
        ("agents.py:Bot", "importing agents.py failed: ImportError: not this one"),
    ],
)
def test_what_is_not_there_is_an_error(text: str, message: str) -> None:
    with pytest.raises(AgentError, match=message):
        parse_agent(text)


def test_a_method_of_another_game_is_refused() -> None:
    with pytest.raises(AgentError, match="its function is not a policy of Big Three; it must be made by the decorator"):
        parse_agent("bots/timid.py:METHOD", BIG_THREE)


def test_what_a_place_holds_is_asked_again_after_a_change() -> None:
    place = Place("bots/timid.py", "Weakest")
    assert place.check() == FACTORY
    Path("bots/timid.py").write_text(STRATEGY + "\nWeakest = METHOD\n", encoding="utf-8")
    assert place.check() == METHOD


def test_a_plan_takes_it_to_another_process() -> None:
    agent = compiled("bots/timid.py:METHOD:most=7")
    plan = Plan.of([agent], Rules(), deals=1)
    assert b"choose" not in pack(plan)
    (found,) = unpack(pack(plan)).agents
    assert found.method is agent.method
    assert np.array_equal(found.params, agent.params)
    assert pickle.loads(pickle.dumps(agent.place)) == agent.place


def test_a_manifest_knows_it_again_until_it_changes() -> None:
    description = describe(compiled("mine=bots/timid.py:METHOD:most=7"))
    assert description["method"] == "bots/timid.py:METHOD"
    assert agent_from_manifest(description).params[0] == 7  # type: ignore[union-attr]
    Path("bots/timid.py").write_text(STRATEGY + "\nraise SystemExit\n", encoding="utf-8")
    with pytest.raises(AgentError, match="the agent 'mine' is not the one that played: it was changed since"):
        agent_from_manifest(description)


@pytest.mark.parametrize("key", ["factory", "method"])
@pytest.mark.parametrize("text", ["level:level.json", "timid:most=1", "bots/timid.py:METHOD:most=1"])
def test_a_manifest_names_nothing_but_a_place(text: str, key: str) -> None:
    Path("level.json").write_text('{"format": 1, "levels": {"x": {"method": "agents.py:METHOD"}}}', encoding="utf-8")
    description: dict[str, Any] = {"name": "x", key: text, "source": None}
    with pytest.raises((AgentError, KeyError)):
        agent_from_manifest(description if key == "factory" else {**description, "settings": {}})


def test_a_level_may_name_it_and_is_refused_after_a_change() -> None:
    source = Place("bots/timid.py", "METHOD").source_fingerprint()
    level = {"method": "bots/timid.py:METHOD", "settings": {"most": 9}, "source": source}
    Path("mine.json").write_text(json.dumps({"format": 1, "levels": {"shy": level}}), encoding="utf-8")
    assert (compiled("level:mine.json").name, compiled("level:mine.json").params[0]) == ("shy", 9)
    Path("bots/timid.py").write_text(STRATEGY + "\n", encoding="utf-8")
    with pytest.raises(AgentError, match=r"bots/timid\.py:METHOD is not the file that it was made with"):
        parse_agent("level:mine.json")


def test_the_compiled_code_depends_on_the_file_and_on_what_it_imports() -> None:
    module = import_file("bots/timid.py")
    before = code_cache._module_fingerprint(module.__name__, Path("bots/timid.py"))
    code_cache._module_fingerprint.cache_clear()
    Path("bots/beside.py").write_text("DEFAULT = 6\n", encoding="utf-8")
    assert code_cache._module_fingerprint(module.__name__, Path("bots/timid.py")) != before
    Path("bots/timid.py").write_text(STRATEGY + "\n", encoding="utf-8")
    assert import_file("bots/timid.py") is not module


@pytest.mark.compiled
def test_it_plays_among_others_and_a_run_of_it_is_resumed_by_who_began_it() -> None:
    names = ("mine=bots/timid.py:METHOD", "other=bots/timid.py:METHOD:most=0", "bots/timid.py:Weakest", "greedy")
    played = []
    for number, more in enumerate((["--workers", "1"], ["--workers", "2", "--isolate"])):
        answer = good("tournament", *names, "--deals", "24", "--json", "--out", f"run{number}", *more).json
        played.append([(agent["agent"], agent["points"], agent["decisions"]) for agent in answer["agents"]])
    assert played[0] == played[1]
    good("tournament", *names[:2], "--deals", "56", "--workers", "2")
    manifest = json.loads(Path("run0/manifest.json").read_text(encoding="utf-8"))
    assert manifest["agents"][0]["method"] == "bots/timid.py:METHOD"
    good("tournament", "--resume", "run0")
    Path("run0").rename("moved")
    error = refused("tournament", "--resume", "moved")
    assert "to resume it runs bots/timid.py:METHOD (" in error
    Path("bots/timid.py").write_text(STRATEGY + "\n", encoding="utf-8")
    assert "is not the one that played: it was changed since" in refused("tournament", "--resume", "moved", "--trust")
