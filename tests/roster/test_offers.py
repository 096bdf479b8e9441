"""Agents, levels and analyses come by entry points: ours as anybody's, and nobody's takes the place of ours."""

import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

from bigtwo_sim.core import installed
from bigtwo_sim.core.installed import AGENTS, LIBRARY, offers, own_packages, strategy_packages
from bigtwo_sim.games.big_two import AgentError, PolicyAgent, PythonAgent
from bigtwo_sim.games.registry import BIG_THREE, BIG_TWO
from bigtwo_sim.roster import methods
from bigtwo_sim.roster.analyses import analysis_of
from bigtwo_sim.roster.methods import agent_names, levels, method_names
from bigtwo_sim.roster.spec import agent_from_manifest, parse_agent
from tests import ROOT

STRATEGY = """
from bigtwo_sim.games.big_two.policy import Method, Parameter, policy

@policy
def choose(hand, public, plays, strengths, count, params, stream):
    return 0

METHOD = Method("theirs", choose, "plays its weakest play", (Parameter("depth", 1, 0, 9, "unused"),))

class Bot:
    def choose(self, view):
        return view.legal_plays[0].cards
"""
ENTRY_POINTS = """
[bigtwo.agents]
big-two.theirs = their_bots.strategy:METHOD
big-two.their_bot = their_bots.strategy:Bot
big-two.heuristic = their_bots.strategy:METHOD
[bigtwo.levels]
big-two = their_bots
"""
LEVELS = """{"format": 1, "levels": {
    "their_level": {"method": "theirs", "settings": {"depth": 3}},
    "strong": {"method": "theirs"},
    "greedy": {"method": "theirs"}
}}"""


def forget() -> None:
    for cached in (installed.offers, installed.own_packages, installed.strategy_packages, methods.levels):
        cached.cache_clear()


@pytest.fixture
def _their_package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A package of somebody else's is installed."""
    for name, text in {
        "their_bots/__init__.py": "",
        "their_bots/strategy.py": STRATEGY,
        "their_bots/levels.json": LEVELS,
        "their_bots-1.0.dist-info/METADATA": "Metadata-Version: 2.1\nName: their-bots\nVersion: 1.0\n",
        "their_bots-1.0.dist-info/entry_points.txt": ENTRY_POINTS,
    }.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    forget()
    yield
    for module in ("their_bots.strategy", "their_bots"):
        sys.modules.pop(module, None)
    monkeypatch.undo()
    forget()


def test_every_file_with_a_method_is_offered() -> None:
    files = (ROOT / "agents" / "bigtwo_agents").glob("big_*/*.py")
    there = {
        f"{file.parent.name.replace('_', '-')}.{file.stem}"
        for file in files
        if re.search(r"^METHOD\b", file.read_text(encoding="utf-8"), re.MULTILINE)
    }
    declared = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["entry-points"]
    assert set(declared[AGENTS]) == there
    assert there <= set(offers(AGENTS))


def test_the_library_and_its_strategies_are_known_as_ours() -> None:
    assert own_packages() == (LIBRARY, "bigtwo_agents")
    assert strategy_packages() >= set(own_packages())


@pytest.mark.parametrize("game", [BIG_TWO, BIG_THREE])
def test_each_game_has_an_analysis(game: str) -> None:
    assert callable(analysis_of(game).analyse)


def test_listing_names_imports_no_strategy() -> None:
    program = (
        "import sys; from bigtwo_sim.roster.methods import agent_names; agent_names('big-two'); "
        "print([m for m in sys.modules if m.startswith('bigtwo_agents.')])"
    )
    listed = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert listed.stdout.strip() == "[]"


@pytest.mark.usefixtures("_their_package")
def test_a_package_of_anybodys_offers_agents_and_levels() -> None:
    assert {"theirs", "their_bot"} <= set(method_names())
    assert {"theirs", "their_bot", "their_level"} <= set(agent_names())
    assert "theirs" not in agent_names(BIG_THREE)
    assert "their_bots.strategy" not in sys.modules
    agent = parse_agent("theirs:depth=2")
    assert isinstance(agent, PolicyAgent)
    assert (agent.method.name, agent.params[0], agent.method_text) == ("theirs", 2, "their_bots.strategy:METHOD")
    level = parse_agent("their_level")
    assert isinstance(level, PolicyAgent)
    assert level.params[0] == 3
    assert isinstance(parse_agent("their_bot"), PythonAgent)
    assert "their_bots" in strategy_packages()
    assert own_packages() == (LIBRARY, "bigtwo_agents")


@pytest.mark.usefixtures("_their_package")
def test_a_name_of_ours_stays_ours() -> None:
    heuristic = parse_agent("heuristic")
    assert isinstance(heuristic, PolicyAgent)
    assert heuristic.method.name == "heuristic"
    assert levels()["strong"].method == "monte_carlo"
    assert "greedy" not in levels()


@pytest.mark.usefixtures("_their_package")
def test_a_manifest_says_where_the_method_of_another_package_is() -> None:
    with pytest.raises(AgentError, match="is of another package, and its manifest does not say where it is"):
        agent_from_manifest({"name": "x", "method": "theirs", "settings": {}})
    assert "their_bots.strategy" not in sys.modules


def test_without_any_package_the_error_says_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(methods, "offers", lambda group: {})
    monkeypatch.setattr(methods, "levels", lambda game: {})
    with pytest.raises(AgentError, match=r"no installed package offers any: .* install it again"):
        methods.offered_method("heuristic")
