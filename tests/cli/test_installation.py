"""What is installed: a wheel of two packages that shadow nothing, and what is said where an extra is missing."""

import json
import os
import shutil
import subprocess
import sys
import sysconfig
import venv
import zipfile
from importlib.metadata import distributions
from pathlib import Path

import pytest

from bigtwo_sim.core.installed import missing_extra
from tests import ROOT
from tests.documents.test_readme import snippet

BUILDS_HERE = 77
"""The first version of setuptools that reads this project's description; an older one is fetched by pip."""


def _run(*command: str | Path, cwd: Path | None = None) -> str:
    environment = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "PYTHONSAFEPATH")}
    done = subprocess.run(command, cwd=cwd, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    source = folder / "source"  # a copy, since building leaves files beside what it builds
    source.mkdir()
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, source)
    for name in ("bigtwo_sim", "agents", "experiments", "tests"):
        shutil.copytree(ROOT / name, source / name, ignore=shutil.ignore_patterns("__pycache__", "data"))
    has = {found.name.lower(): found.version for found in distributions() if found.name}.get("setuptools", "0")
    here = ["--no-build-isolation"] if int(has.split(".")[0]) >= BUILDS_HERE else []
    pip = (sys.executable, "-m", "pip", "--disable-pip-version-check")
    _run(*pip, "wheel", "--quiet", "--no-deps", *here, "--wheel-dir", folder, source)
    (built,) = folder.glob("*.whl")
    return built


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A new environment with the wheel, which shares the packages that the wheel needs with this one; its programs."""
    folder = tmp_path_factory.mktemp("installed") / "venv"
    venv.create(folder, with_pip=False)
    programs = folder / "bin"
    pip = (sys.executable, "-m", "pip", "--disable-pip-version-check", "--python", programs / "python")
    _run(*pip, "install", "--quiet", "--no-deps", "--no-index", wheel)
    site = Path(_run(programs / "python", "-c", "import sysconfig; print(sysconfig.get_path('purelib'))").strip())
    shared = dict.fromkeys(sysconfig.get_path(name) for name in ("purelib", "platlib"))
    (site / "shared.pth").write_text("\n".join(shared) + "\n", encoding="utf-8")
    return programs


@pytest.mark.slow
@pytest.mark.process
def test_a_wheel_holds_two_packages_and_their_data(wheel: Path) -> None:
    names = zipfile.ZipFile(wheel).namelist()
    assert {name.partition("/")[0].partition("-")[0] for name in names} == {"bigtwo_sim", "bigtwo_agents"}
    there = {
        file.relative_to(folder.parent).as_posix()
        for folder in (ROOT / "bigtwo_sim", ROOT / "agents" / "bigtwo_agents")
        for file in folder.rglob("*")
        if file.is_file() and file.suffix != ".pyc"
    }
    assert there <= set(names)


@pytest.mark.slow
@pytest.mark.process
def test_an_installed_wheel_plays_beside_packages_of_taken_names(installed: Path, tmp_path: Path) -> None:
    for name in ("agents", "experiments"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "__init__.py").write_text("NAME = 'of the user'\n", encoding="utf-8")
    for name in ("random", "numpy", "bigtwo_agents"):
        (tmp_path / f"{name}.py").write_text("raise ImportError('not this one')\n", encoding="utf-8")
    snippet("hoarder.py", tmp_path)
    (tmp_path / "mine.py").write_text(
        "import agents\n\n\nclass Bot:\n    name = agents.NAME\n\n"
        "    def choose(self, view):\n        return view.legal_plays[0].cards\n",
        encoding="utf-8",
    )
    arguments = ("hoarder=hoarder.py:METHOD", "mine=mine:Bot", "greedy", "--deals", "36", "--json")
    for command in ([installed / "bigtwo"], [installed / "python", "-m", "bigtwo_sim"]):
        told = json.loads(_run(*command, "tournament", *arguments, cwd=tmp_path))
        assert [agent["forfeits"] for agent in told["agents"]] == [0, 0, 0]
    (tmp_path / "bigtwo_sim.py").write_text("raise ImportError('not this one')\n", encoding="utf-8")
    assert "usage" in _run(installed / "bigtwo", "--help", cwd=tmp_path).lower()
    place = _run(installed / "python", "-P", "-c", "import bigtwo_sim; print(bigtwo_sim.__file__)", cwd=tmp_path)
    assert Path(place.strip()).is_relative_to(installed.parent)
    shown = _run(installed / "python", "-c", "import agents; print(agents.NAME)", cwd=tmp_path)
    assert shown.strip() == "of the user"


@pytest.mark.process
def test_the_package_is_a_program() -> None:
    assert "tournament" in _run(sys.executable, "-m", "bigtwo_sim", "--help")


def test_a_missing_extra_is_answered_with_what_installs_it() -> None:
    said = missing_extra("tuning", "tune", "cmaes")
    assert said == "tuning needs the extra [tune], of which cmaes is missing: pip install 'bigtwo-sim[tune]'"
