"""The studies: each runs at its smallest size, asks a question, names its output, and is listed in their README."""

import ast
import importlib
import json
from pathlib import Path

import pytest

from tests import ROOT

FOLDER = ROOT / "experiments"
SHARED = "study"
STUDIES = sorted(file.stem for file in FOLDER.glob("*.py") if file.stem != SHARED)
QUICK = {
    "cluster_speed": ["bytes"],  # the other parts start a scheduler and workers
    "stopping_rules": ["test"],
}
"""What `make test` runs of those that are long even at their smallest size."""


def document(study: str) -> str:
    found = ast.get_docstring(ast.parse((FOLDER / f"{study}.py").read_text(encoding="utf-8")))
    assert found
    return found


def output(study: str) -> str:
    """The file that a study writes, from the project's root."""
    tree = ast.parse((FOLDER / f"{study}.py").read_text(encoding="utf-8"))
    (place,) = (
        node.value.value
        for node in tree.body
        if isinstance(node, ast.Assign)
        and isinstance(node.targets[0], ast.Name)
        and node.targets[0].id == "OUTPUT"
        and isinstance(node.value, ast.Constant)
    )
    assert isinstance(place, str)
    return place


@pytest.mark.parametrize("study", STUDIES)
def test_a_study_asks_a_question_and_names_its_output(study: str) -> None:
    question = document(study).partition("\n")[0]
    assert question.endswith("?")
    place = output(study)
    assert place.startswith(f"results/reference/{study.removesuffix('_figure')}.")
    assert place in document(study)


def test_the_readme_lists_every_study_with_its_question_and_its_output() -> None:
    rows = [
        [cell.strip() for cell in line.strip("|").split("|")]
        for line in (FOLDER / "README.md").read_text(encoding="utf-8").splitlines()
        if line.startswith("| `")
    ]
    listed = {row[0].strip("`"): (row[1], row[2].strip("`")) for row in rows}
    assert listed == {f"{study}.py": (document(study).partition("\n")[0], output(study)) for study in STUDIES}


def small(study: str, folder: Path, *parts: str) -> Path:
    """Run a study at its smallest size; where it wrote its output."""
    place = folder / Path(output(study)).name
    importlib.import_module(study).main(["--quick", "--out", str(place), *parts])
    return place


@pytest.mark.process
@pytest.mark.parametrize("study", [study for study in STUDIES if study not in ("result_digests", "tournament_figure")])
def test_a_study_runs_at_its_smallest_size(study: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    place = small(study, tmp_path, *QUICK.get(study, []))
    made = json.loads(place.read_text(encoding="utf-8"))
    assert made["engine_version"]
    assert made["command"].startswith(f"python experiments/{study}.py --quick --out ")
    assert made["date"]
    assert "|---|" in capsys.readouterr().out


@pytest.mark.sweep
@pytest.mark.process
@pytest.mark.parametrize("study", sorted(QUICK))
def test_all_parts_of_a_study_run_at_its_smallest_size(study: str, tmp_path: Path) -> None:
    assert small(study, tmp_path).exists()


@pytest.mark.process
def test_the_figure_of_the_tournament_is_a_picture(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert small("tournament_figure", tmp_path).read_bytes().startswith(b"\x89PNG")
    assert "| heuristic |" in capsys.readouterr().out


@pytest.mark.process
def test_results_are_those_that_are_kept(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Where results change on purpose, the version moves and `experiments/result_digests.py --write` keeps the new."""
    place = tmp_path / "result_digests.json"
    kept = json.loads((ROOT / output("result_digests")).read_text(encoding="utf-8"))
    place.write_text(json.dumps(kept), encoding="utf-8")
    with pytest.raises(SystemExit) as ended:
        small("result_digests", tmp_path)
    assert not ended.value.code, capsys.readouterr().out


def test_a_result_that_changed_is_different() -> None:
    study = importlib.import_module("result_digests")
    verdicts = study.verdicts({"a": "1", "b": "2", "c": "3"}, {"a": "1", "b": "9", "d": "4"}, False)
    assert verdicts == {"a": "same", "b": "different", "c": "kept or run alone", "d": "kept or run alone"}
    assert set(study.verdicts({"a": "1", "c": "3"}, {"a": "1"}, True).values()) == {"same"}


def test_a_quick_run_replaces_no_reference() -> None:
    study = importlib.import_module(SHARED)
    options = study.options_of("Why?", "results/reference/why.json", ["--quick"])
    assert options.out is None
    assert study.options_of("Why?", "results/reference/why.json", []).out == ROOT / "results/reference/why.json"
    with pytest.raises(SystemExit):
        study.options_of("Why?", "results/reference/why.json", ["when"], ["where"])
