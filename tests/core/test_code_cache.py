"""Compiled code is found by what it was compiled from: a change recompiles what it can affect, and nothing else."""

import sys
from pathlib import Path

import filelock
import pytest

from bigtwo_sim.core import code_cache
from bigtwo_sim.games import big_two

MODULES = {
    "hand_size": "SIZE = 13\n",
    "shared_kernels": "from hand_size import SIZE as HAND\nfrom json import (\n    loads,  # never compiled\n)\n",
    "my_policy": "import shared_kernels, sys as system\n",
    "unrelated": "SEATS = 4\n",
}


def _fingerprint(folder: Path) -> str:
    code_cache._module_fingerprint.cache_clear()
    return code_cache._module_fingerprint("my_policy", folder / "my_policy.py")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name, source in MODULES.items():
        (tmp_path / f"{name}.py").write_text(source)
    monkeypatch.syspath_prepend(tmp_path)
    for name in MODULES:
        __import__(name)
    yield tmp_path
    for name in MODULES:
        del sys.modules[name]


@pytest.mark.parametrize(("changed", "recompiles"), [(name, name != "unrelated") for name in MODULES])
def test_a_change_recompiles_what_imports_it(folder: Path, changed: str, recompiles: bool) -> None:
    before = _fingerprint(folder)
    (folder / f"{changed}.py").write_text(MODULES[changed] + "# changed\n")
    assert (_fingerprint(folder) != before) == recompiles


def test_the_fingerprint_does_not_depend_on_the_folder(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    copy = tmp_path_factory.mktemp("copy") / "my_policy.py"
    copy.write_text(MODULES["my_policy"])
    before = _fingerprint(folder)
    code_cache._module_fingerprint.cache_clear()
    assert code_cache._module_fingerprint("my_policy", copy) == before


def test_relative_and_star_imports_count() -> None:
    assert big_two  # the modules that are named below are loaded
    source = "from . import kernel\nfrom bigtwo_sim.games.big_two.layout import *\nfrom .rng import next_word\n"
    found = list(code_cache._imported("bigtwo_sim.core.code_cache", source))
    assert found == ["bigtwo_sim.core.kernel", "bigtwo_sim.games.big_two.layout", "bigtwo_sim.core.rng"]


class _Compiling:
    """A cache in which another process saves the function between two looks."""

    looks = 0

    def load_overload(self, signature: object, context: object) -> str | None:
        self.looks += 1
        return "compiled elsewhere" if self.looks > 1 else None


def test_what_another_process_has_compiled_meanwhile_is_not_compiled_again(tmp_path: Path) -> None:
    lock = tmp_path / "folder" / "function.lock"
    cache = code_cache.SturdyCache(_Compiling(), lock)
    assert cache.load_overload(None, None) == "compiled elsewhere"
    with pytest.raises(filelock.Timeout):
        filelock.FileLock(lock).acquire(timeout=0)
    cache.end_compilation()
    filelock.FileLock(lock).acquire(timeout=0).lock.release()
