"""Runs the notebooks from top to bottom: in full, keeping what comes out, or small, to see that they work.

    python notebooks/run.py                    all of them in full; their outputs are written into the files
    python notebooks/run.py 03 04              some of them
    python notebooks/run.py --small            on small sizes; nothing is written

The sizes are the names in capitals that the first cell of code sets. Needs the extra `[notebooks]`.
"""

from __future__ import annotations

import argparse
import os
import re
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

try:
    import nbformat
    from nbclient import NotebookClient
    from traitlets.config import Config
except ModuleNotFoundError as error:
    print(
        f"notebooks/run.py needs the extra [notebooks], of which {error.name} is missing: "
        "pip install -c constraints.txt '.[notebooks]'",
        file=sys.stderr,
    )
    sys.exit(2)

HERE = Path(__file__).parent
ROOT = HERE.parent
SIZES = "sizes"  # the tag of the cell that sets them
SMALL: dict[str, dict[str, Any]] = {
    "01_tournament": {"DEALS": 480, "SLOW_DEALS": 24, "MY_DEALS": 42},
    "02_strong_bot": {
        "CURVE_DEALS": 40,
        "WORLDS": "2,4",
        "PLAYER": "normal",
        "KNOB": "blunder",
        "TARGET": "20%",
        "PRECISION": "5%",
        "CHECK_DEALS": 80,
    },
    "03_the_game": {"DEALS": 4000, "PRESET_DEALS": 1000},
    "04_one_deal": {"WORLDS": 10},
}
LONGEST = 3600  # seconds that a cell may take


def notebooks(names: list[str] | None = None) -> list[Path]:
    """The notebooks in order; or those whose names begin so. Raises ValueError for a name that none has."""
    every = sorted(HERE.glob("[0-9]*.ipynb"))
    if not names:
        return every
    for name in names:
        if not any(path.name.startswith(name) for path in every):
            raise ValueError(f"there is no notebook {name!r}; there are {', '.join(path.stem for path in every)}")
    return [path for path in every if path.name.startswith(tuple(names))]


def executed(path: Path, sizes: dict[str, Any] | None = None) -> Any:
    """The notebook with the outputs of a run, with some of its sizes set anew. Raises what a cell raises."""
    notebook = nbformat.read(path, as_version=4)  # type: ignore[no-untyped-call]
    for cell in notebook.cells:
        if SIZES in cell.metadata.get("tags", ()):
            cell.source = with_sizes(cell.source, sizes or {})
    environment = {
        "PYTHONPATH": os.pathsep.join([str(ROOT), str(ROOT / "agents"), *filter(None, [os.environ.get("PYTHONPATH")])]),
        "PYTHONWARNINGS": "ignore::DeprecationWarning",  # of the kernel's own packages
        "BIGTWO_CACHE_DIR": str(Path(cache).resolve()) if (cache := os.environ.get("BIGTWO_CACHE_DIR")) else None,
    }
    kept = {name: os.environ.get(name) for name in environment}
    os.environ.update({name: value for name, value in environment.items() if value is not None})
    try:
        with tempfile.TemporaryDirectory() as folder:
            # Sockets of the file system, where there are any, are open to nobody else on the machine.
            sockets = {"transport": "ipc", "ip": str(Path(folder) / "kernel")} if os.name == "posix" else {}
            config = Config(KernelManager=sockets)
            client = NotebookClient(notebook, config=config, timeout=LONGEST, resources={"metadata": {"path": folder}})
            client.execute()
    finally:
        for name, value in kept.items():
            os.environ.pop(name, None)
            if value is not None:
                os.environ[name] = value
    return notebook


def with_sizes(source: str, sizes: dict[str, Any]) -> str:
    """The cell of sizes with some set anew. Raises ValueError for one that it does not set."""
    for name, value in sizes.items():
        source, found = re.subn(rf"^{name} = [^#\n]*", f"{name} = {value!r}  ", source, flags=re.MULTILINE)
        if found != 1:
            raise ValueError(f"{name} is set {found} times in the cell of sizes; it must be set once")
    return source


def cleaned(notebook: Any) -> Any:
    """A notebook without what tells of the machine that ran it, or of the time."""
    notebook.metadata = {
        "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
        "language_info": {"name": "python"},
    }
    for cell in notebook.cells:
        cell.metadata = {name: value for name, value in cell.metadata.items() if name == "tags"}
        for output in cell.get("outputs", ()):
            output.pop("metadata", None) if output.output_type == "stream" else None
    return notebook


def complaints(notebook: Any) -> list[str]:
    """What must not be in outputs: errors, warnings, and paths of the machine that ran it."""
    found = []
    for number, cell in enumerate(notebook.cells):
        for output in cell.get("outputs", ()):
            if output.output_type == "error" or output.get("name") == "stderr":
                found.append(f"cell {number} says: {output.get('text', output.get('evalue'))}")
            text = str(output.get("text", "")) + str(
                {kind: data for kind, data in output.get("data", {}).items() if not kind.startswith("image/png")}
            )
            for path in (str(ROOT), str(Path.home()), tempfile.gettempdir()):
                if len(path) > 1 and path in text:
                    found.append(f"cell {number} names the path {path}")
    return found


def main() -> int:
    """Run what the command line names; return the exit code."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("names", nargs="*", help="such as 03; all by default")
    parser.add_argument("--small", action="store_true", help="small sizes, and nothing is written")
    chosen = parser.parse_args()
    for path in notebooks(chosen.names):
        began = time.perf_counter()
        notebook = executed(path, SMALL[path.stem] if chosen.small else None)
        wrong = complaints(notebook)
        for complaint in wrong:
            print(f"{path.name}: {complaint}", file=sys.stderr)
        if wrong:
            return 1
        if not chosen.small:
            path.write_text(nbformat.writes(cleaned(notebook)) + "\n", encoding="utf-8")  # type: ignore[no-untyped-call]
        taken, size = time.perf_counter() - began, path.stat().st_size / 1000
        print(f"{path.name}: {taken:.0f} s" + ("" if chosen.small else f", {size:.0f} kB"), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
