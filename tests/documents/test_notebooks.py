"""The notebooks: each runs from top to bottom on small sizes, and what is kept of a full run is fit to be read."""

import ast
import json
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests import ROOT
from tests.cli.command_line import good
from tests.test_public_names import NAMES as PUBLIC
from tests.tools.lanes import mostly_swept

pytestmark = pytest.mark.process

NOTEBOOKS = ROOT / "notebooks"
NAMES = ["01_tournament", "02_strong_bot", "03_the_game", "04_one_deal"]
MOST_BYTES = 500_000
# A path of somebody's machine, or the address of an object.
PRIVATE = re.compile(r"(?<![\w.:/])/(home|Users|root|tmp|work|opt|mnt|private|var)/|[A-Z]:\\\\|\bat 0x[0-9a-f]{6,}")


def read(name: str) -> Any:
    return json.loads((NOTEBOOKS / f"{name}.ipynb").read_text(encoding="utf-8"))


def code_cells(notebook: Any) -> list[Any]:
    return [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]


def text_of(value: Any) -> str:
    return value if isinstance(value, str) else "".join(value)


def test_these_are_all_notebooks() -> None:
    assert sorted(path.stem for path in NOTEBOOKS.glob("*.ipynb")) == NAMES


@pytest.mark.compiled
@pytest.mark.slow
@pytest.mark.parametrize("name", mostly_swept(NAMES, "03_the_game", "04_one_deal"))
def test_a_notebook_runs_on_small_sizes(name: str) -> None:
    command = [sys.executable, str(NOTEBOOKS / "run.py"), "--small", name]
    done = subprocess.run(command, capture_output=True, text=True, cwd=NOTEBOOKS.parent)
    assert done.returncode == 0, done.stderr[-4000:]
    assert done.stdout.startswith(f"{name}.ipynb: ")


def test_without_the_extra_it_is_told_how_to_get_it(tmp_path: Path) -> None:
    (tmp_path / "nbformat.py").write_text("raise ModuleNotFoundError(name='nbformat')")
    done = subprocess.run(
        [sys.executable, str(NOTEBOOKS / "run.py"), "--small"],
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": str(tmp_path)},
    )
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == (
        "notebooks/run.py needs the extra [notebooks], of which nbformat is missing: "
        "pip install -c constraints.txt '.[notebooks]'\n"
    )


@pytest.mark.parametrize("name", NAMES)
def test_a_notebook_imports_public_names_only(name: str) -> None:
    code = "\n".join(text_of(cell["source"]) for cell in code_cells(read(name)))
    imported = [node for node in ast.walk(ast.parse(code)) if isinstance(node, ast.ImportFrom)]
    ours = [node for node in imported if str(node.module).startswith("bigtwo")]
    assert ours
    for node in ours:
        offered = {"plots", *PUBLIC[str(node.module)].split()}
        assert {alias.name for alias in node.names} <= offered, node.module


@pytest.mark.parametrize("name", NAMES)
def test_a_notebook_is_kept_with_what_came_out_of_one_run(name: str) -> None:
    cells = code_cells(read(name))
    assert [cell["execution_count"] for cell in cells] == list(range(1, len(cells) + 1))
    assert sum(bool(cell["outputs"]) for cell in cells) > len(cells) / 2
    assert (NOTEBOOKS / f"{name}.ipynb").stat().st_size < MOST_BYTES


@pytest.mark.parametrize("name", NAMES)
def test_what_is_kept_tells_nothing_of_the_machine_and_warns_of_nothing(name: str) -> None:
    notebook = read(name)
    assert set(notebook["metadata"]) == {"kernelspec", "language_info"}
    for cell in code_cells(notebook):
        assert set(cell["metadata"]) <= {"tags"}
        for output in cell["outputs"]:
            assert output["output_type"] != "error"
            assert output.get("name") != "stderr", text_of(output["text"])
            texts = [output.get("text", "")] + [
                data for kind, data in output.get("data", {}).items() if kind != "image/png"
            ]
            for text in map(text_of, texts):
                assert not (found := PRIVATE.search(text)), text[max(0, found.start() - 80) : found.end() + 80]
                assert "\x1b" not in text  # codes of a terminal, for bold letters and colours


@pytest.mark.parametrize("name", NAMES)
def test_a_notebook_begins_with_the_question_that_it_answers(name: str) -> None:
    first = text_of(read(name)["cells"][0]["source"]).split("\n\n")
    assert first[0].startswith(f"# {int(name[:2])}. ")
    assert re.fullmatch(r"\*\*[^*]*\?\*\*", first[1].replace("\n", " "))


@pytest.mark.parametrize("name", NAMES[:3])
def test_a_notebook_says_in_words_what_came_out(name: str) -> None:
    cells = read(name)["cells"]
    (at,) = (number for number, cell in enumerate(cells) if text_of(cell["source"]) == "## What came out")
    (output,) = cells[at + 1]["outputs"]
    assert output["name"] == "stdout"
    assert len(text_of(output["text"]).splitlines()) > 4


@pytest.mark.compiled
def test_the_command_that_asks_about_a_position_works() -> None:
    (command,) = re.findall(r"`bigtwo (analyse [^`]*)`", text_of(read("04_one_deal")["cells"][-1]["source"]))
    assert "2 options in 20 worlds" in good(*shlex.split(command), "--worlds", "20").out


@pytest.mark.parametrize("name", NAMES)
def test_small_sizes_are_sizes_that_the_notebook_has(name: str) -> None:
    pytest.importorskip("nbclient")
    sys.path.insert(0, str(NOTEBOOKS))
    try:
        import run as runner
    finally:
        sys.path.remove(str(NOTEBOOKS))
    (cell,) = (cell for cell in code_cells(read(name)) if "sizes" in cell["metadata"].get("tags", ()))
    changed = runner.with_sizes(text_of(cell["source"]), runner.SMALL[name])
    found: dict[str, Any] = {}
    exec(changed, found)
    assert {size: found[size] for size in runner.SMALL[name]} == runner.SMALL[name]
    with pytest.raises(ValueError, match="NOTHING is set 0 times in the cell of sizes; it must be set once"):
        runner.with_sizes(changed, {"NOTHING": 1})
    with pytest.raises(ValueError, match="there is no notebook '99'; there are 01_tournament"):
        runner.notebooks(["99"])
    assert [path.stem for path in runner.notebooks(["03", "01"])] == ["01_tournament", "03_the_game"]
