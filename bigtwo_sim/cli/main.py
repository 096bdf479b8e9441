"""The `bigtwo` command line: which commands there are, and how their errors reach the user.

Nothing heavy is imported here, so that `bigtwo --help` answers at once; each command is imported when it is called.
"""

from __future__ import annotations

import errno
import functools
import importlib
import io
import os
import signal
import sys
from collections.abc import Callable, Iterator, Sequence
from typing import Annotated, Any

import typer
import typer.main
from typer.core import TyperCommand, TyperGroup

from bigtwo_sim import __version__
from bigtwo_sim.cli.exit_codes import FAILURE, INPUT_ERROR, INTERRUPTED, by_signal
from bigtwo_sim.untrusted.errors import InputError
from bigtwo_sim.untrusted.safe_text import safe_output, visible
from bigtwo_sim.untrusted.text_files import shown_path

HANGUP: int | None = getattr(signal, "SIGHUP", None)

_PLACE = "bigtwo_sim.cli.commands"
COMMANDS = {
    "play": "Play Big Two against three agents, at a table in the terminal or in the browser.",
    "tournament": "Play agents against each other and print win rates, points and their differences.",
    "match": "Play matches to a target and print who wins them, with 95 % intervals, and how many deals they take.",
    "curve": "Measure an agent among three others at each of several values of a setting, all on the same decks.",
    "results": "List the runs of a folder, or show one run again and export its tables as CSV.",
    "plot": "Write the figures of a run, a curve, or what bigtwo bench --json measured.",
    "deal": "Play one deal and show it trick by trick. A Python agent plays in a process of its own.",
    "replay": "Step through a record with the keys of a terminal; elsewhere print all of it, or one place of it.",
    "analyse": "Show what each option of a position should bring.",
    "rules": "List the presets, a set of rules, or all house rules.",
    "plays": "List every legal play of a hand, weakest first.",
    "compare": "Say which of two plays beats the other, and why.",
    "variance": "Measure how many deals each way of sampling needs for the same interval.",
    "check-bot": "Play with a bot and say what is wrong with it, and what to do. Exit code 1: something is.",
    "bench": "Measure throughput, memory and start-up here.",
    "tune": "Find better weights for a method (bigtwo tune heuristic), or set a level to a win rate.",
    "poker": "Rank poker hands, compare them, and report their equity.",
}
"""The commands with the first sentence of their help; the module of each has a function or an app of its name."""


class CommandGroup(TyperGroup):
    """The commands of `bigtwo`, each imported when it is called: `bigtwo --help` needs none of them."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self.commands = {name: TyperCommand(name, help=text) for name, text in COMMANDS.items()}

    def resolve_command(self, context: Any, arguments: list[str]) -> Any:
        """Import the command that is called."""
        name, command, rest = super().resolve_command(context, arguments)
        return name, None if command is None else _imported(command.name or ""), rest


def _imported(name: str) -> Any:
    module = importlib.import_module(f"{_PLACE}.{name.replace('-', '_')}")
    found = getattr(module, name.replace("-", "_"))
    if not isinstance(found, typer.Typer):
        command, found = found, _new_app()
        found.command(name)(command)
    made = typer.main.get_command(found)
    made.name = name
    for part in made.commands.values() if isinstance(made, TyperGroup) else [made]:
        if part.callback is not None:
            part.callback = _interruptible(part.callback)
    return made


def _interruptible(command: Callable[..., None]) -> Callable[..., None]:
    @functools.wraps(command)
    def run_command(*arguments: Any, **options: Any) -> None:
        from bigtwo_sim.terminal.output import announce_compilation  # which every command has imported by now

        announce_compilation()
        try:
            command(*arguments, **options)
        except KeyboardInterrupt:
            raise _Interrupted from None
        except EOFError as error:  # which the command line's library takes for Ctrl-D
            raise RuntimeError(f"EOFError: {error}") from error

    return run_command


def _new_app() -> typer.Typer:
    return typer.Typer(
        add_completion=False,
        rich_markup_mode=None,
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"]},
    )


app = typer.Typer(
    cls=CommandGroup,
    add_completion=False,
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


LONGEST_MESSAGE = 1_000
KEPT_END = 300
NO_PATH = (errno.ENAMETOOLONG, errno.ELOOP)
"""What the system says of paths that nothing can have."""


class _Interrupted(Exception):  # noqa: N818 - not an error
    """Ctrl-C in a command that does not deal with it."""


def _print_version(wanted: bool) -> None:
    if wanted:
        print(f"bigtwo {__version__}")
        raise typer.Exit


@app.callback()
def bigtwo(
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """Big Two self-play at speed: tournaments between strategies, under every common set of rules.

    Cards are written 3D, TH or 10H, and 2S, or with signs (3♦); quote a play of several cards: '3D 3C'.
    """


def _complain(message: str) -> None:
    """Print an error in one line. What must be true is at its end, so a long one is cut before that."""
    line = visible(" ".join(message.split()))
    if len(line) > LONGEST_MESSAGE:
        line = f"{line[: LONGEST_MESSAGE - KEPT_END]} [...] {line[-KEPT_END:]}"
    print(f"bigtwo: {line}", file=sys.stderr)


def _behind(error: BaseException) -> Iterator[BaseException]:
    """An error, and those that led to it."""
    found: BaseException | None = error
    while found is not None:
        yield found
        found = found.__cause__ or found.__context__


def _is_about_input(error: BaseException) -> bool:
    if isinstance(error, InputError) or any(isinstance(e, OSError) and e.errno in NO_PATH for e in _behind(error)):
        return True
    if not isinstance(error, ValueError):
        return False
    if str(error).startswith("embedded null"):  # in a path
        return True
    from bigtwo_sim.games.big_two import AgentError, CardError, FaultError, RecordError, RulesError

    return isinstance(error, AgentError | CardError | FaultError | RecordError | RulesError)


def _reason(error: BaseException) -> str:
    if isinstance(error, OSError) and error.strerror:
        return f"{shown_path(str(error.filename))}: {error.strerror}" if error.filename else error.strerror
    return str(error)


def _report(error: BaseException) -> int:
    """Tell the user about an error in one line; return the exit code."""
    if hasattr(error, "format_message") and hasattr(error, "exit_code"):  # the command line itself was wrong
        context = getattr(error, "ctx", None)
        where = context.command_path if context else "bigtwo"
        message = error.format_message()
        if type(error).__name__ == "NoArgsIsHelpError":
            print(message)
        else:
            _complain(f"{message.rstrip('.')}; see {where} --help")
        return int(error.exit_code)
    if isinstance(error, _Interrupted | KeyboardInterrupt | typer.Abort):
        print("Stopped.", file=sys.stderr)
        return INTERRUPTED
    if _is_about_input(error):
        _complain(_reason(error))
        return INPUT_ERROR
    if os.environ.get("BIGTWO_DEBUG"):
        import traceback

        traceback.print_exception(error)
    if type(error).__name__ in ("AgentFault", "RunError", "SaveError"):
        _complain(str(error))
    elif isinstance(error, OSError) and error.strerror:
        _complain(_reason(error))
    else:
        _complain(f"{type(error).__name__}: {error} (BIGTWO_DEBUG=1 shows where)")
    return FAILURE


def _flush() -> None:
    """Write what is still to be written, here, where a full disk or a closed pipe is told like any other error."""
    try:
        sys.stdout.flush()
    except OSError:
        # What cannot be written goes nowhere, or the end of the program would complain once more.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise


def run(arguments: Sequence[str] | None = None) -> int:
    """Run one command line (by default that of the process); return its exit code.

    What it prints goes through `safe_output`, whatever prints it.
    """
    with safe_output():
        return _run(arguments)


def _run(arguments: Sequence[str] | None) -> int:
    try:
        code = app(arguments, prog_name="bigtwo", standalone_mode=False) or 0
        _flush()
    except BrokenPipeError:  # the reader has seen enough
        return FAILURE
    except (Exception, KeyboardInterrupt) as error:
        return _report(error)
    return int(code)


class _Ending:
    """SIGTERM and SIGHUP end a command as Ctrl-C does: what was played is saved, and no worker process is left."""

    signal: int | None = None

    @classmethod
    def handle(cls, number: int, _: object) -> None:
        again = cls.signal is not None
        cls.signal = cls.signal or number
        if not (again and number == HANGUP):  # a terminal that closes sends several
            raise KeyboardInterrupt


def main() -> None:
    """The script `bigtwo`."""
    for number in (signal.SIGTERM, HANGUP):
        if number is not None and signal.getsignal(number) != signal.SIG_IGN:  # as under nohup
            signal.signal(number, _Ending.handle)
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is None:  # closed by who started us
            setattr(sys, name, io.StringIO())
        elif isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    code = run()
    sys.exit(by_signal(_Ending.signal) if code == INTERRUPTED else code)


if __name__ == "__main__":
    main()
