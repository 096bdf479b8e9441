"""Runs command lines of `bigtwo` within the test's process."""

import contextlib
import io
import json
from typing import Any, NamedTuple

from bigtwo_sim.cli.main import run


class Answer(NamedTuple):
    """What a command line gave: its exit code and what it wrote."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)

    @property
    def error(self) -> str:
        """The one line that tells what was wrong."""
        lines = [line for line in self.err.splitlines() if not line.startswith("Compiling")]
        assert len(lines) == 1, self.err
        return lines[0]


def bigtwo(*arguments: str) -> Answer:
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = run(list(arguments))
    return Answer(code, out.getvalue(), err.getvalue())


def good(*arguments: str) -> Answer:
    answer = bigtwo(*arguments)
    assert answer.code == 0, answer.err
    return answer


def refused(*arguments: str) -> str:
    """The error of a command line that cannot be meant."""
    answer = bigtwo(*arguments)
    assert answer.code == 2, answer
    assert answer.out == ""
    return answer.error
