"""`bigtwo play`: one person against three agents, in the terminal or, with `--web`, in the browser."""

from __future__ import annotations

import importlib.util
import os
import shlex
import signal
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from bigtwo_sim.cli.options import (
    DEFAULT_RULES,
    RulesOption,
    SetOption,
    number_above,
    read_rules,
    seed_option,
    whole_number,
)
from bigtwo_sim.core.installed import missing_extra
from bigtwo_sim.terminal.output import emit
from bigtwo_sim.untrusted.errors import InputError

if TYPE_CHECKING:
    from bigtwo_sim.tui.setup import Setup

DEFAULT_OPPONENTS = "easy,normal,strong"
DEFAULT_TARGET = 50
LARGEST_TARGET = 1_000_000
SPEEDS = ("slow", "normal", "fast", "instant")
LANGUAGES = ("en", "de", "zh", "ru")
FIRST_PORT, LAST_PORT = 1, 65_535
_DRIVER = "TEXTUAL_DRIVER"  # set where the app is served to a browser


def _one_of(values: tuple[str, ...]) -> object:
    def parse(text: str) -> str:
        if text not in values:
            raise typer.BadParameter(f"{text[:40]!r} must be one of {', '.join(values)}")
        return text

    return parse


def _target(text: str) -> str:
    return text if text == "none" else str(whole_number(1, LARGEST_TARGET)(text))


def play(
    opponents: Annotated[
        str | None,
        typer.Option(
            "--opponents",
            metavar="A,B,C",
            help=f"Three agents (with --watch four), the next player first; by default {DEFAULT_OPPONENTS}.",
        ),
    ] = None,
    match: Annotated[
        str | None,
        typer.Option(
            "--match",
            parser=_target,
            metavar="POINTS|none",
            help="How far the match goes; none: single deals, one after another.",
        ),
    ] = None,
    rules: RulesOption = DEFAULT_RULES,
    changes: SetOption = None,
    speed: Annotated[
        str, typer.Option("--speed", parser=_one_of(SPEEDS), metavar="SPEED", help=f"{', '.join(SPEEDS)}.")
    ] = "normal",
    seed: Annotated[
        int | None,
        seed_option("Root seed of the deals. Default: random."),
    ] = None,
    lang: Annotated[
        str, typer.Option("--lang", parser=_one_of(LANGUAGES), metavar="LANG", help=f"{', '.join(LANGUAGES)}.")
    ] = "en",
    watch: Annotated[bool, typer.Option("--watch", help="Watch four agents play.")] = False,
    resume: Annotated[bool, typer.Option("--resume", help="Go on with the last game that was left.")] = False,
    save: Annotated[
        Path | None,
        typer.Option("--save", metavar="DIR", help="Where games are kept; by default in the user's data folder."),
    ] = None,
    move_time: Annotated[
        float,
        typer.Option(
            "--move-time",
            parser=number_above(0),
            metavar="SECONDS",
            help="How long an agent in Python or another language may think.",
        ),
    ] = 10.0,
    web: Annotated[bool, typer.Option("--web", help="Play in the browser of this machine.")] = False,
    port: Annotated[
        int, typer.Option("--port", parser=whole_number(FIRST_PORT, LAST_PORT), metavar="N", help="For --web.")
    ] = 8000,
) -> None:
    """Play Big Two against three agents, at a table in the terminal or in the browser."""
    for module in ("textual", *(("textual_serve",) if web else ())):
        if importlib.util.find_spec(module) is None:
            raise InputError(missing_extra("bigtwo play", "play", module))
    chosen = _setup(opponents, match, rules, changes, seed, watch, resume, save, move_time)
    if web:
        from bigtwo_sim.tui.web.server import serve

        options = {
            "opponents": opponents,
            "match": match,
            "rules": rules,
            "set": changes,
            "speed": speed,
            "seed": seed,
            "lang": lang,
            "watch": watch,
            "resume": resume,
            "save": save,
            "move-time": move_time,
        }
        serve(_arguments(options), port)
        return
    if not (sys.stdin.isatty() and sys.stdout.isatty()) and _DRIVER not in os.environ:
        raise InputError("play needs a terminal for its input and its output; --web plays in the browser")
    _run(chosen, speed, lang, "" if save is None else f" --save {shlex.quote(str(save))}")


def _setup(
    opponents: str | None,
    match: str | None,
    rules: str,
    changes: list[str] | None,
    seed: int | None,
    watch: bool,
    resume: bool,
    save: Path | None,
    move_time: float,
) -> Setup:
    chosen_rules = read_rules(rules, changes)
    from bigtwo_sim.tui.game import PERSON, games_folder, latest_unfinished
    from bigtwo_sim.tui.setup import Setup

    if match is not None:
        target = None if match == "none" else int(match)
    else:
        target = chosen_rules.match_target or DEFAULT_TARGET
    agents = _split(opponents or DEFAULT_OPPONENTS + (",strong" if watch else ""))
    wanted = 4 if watch else 3
    if len(agents) != wanted:
        raise InputError(f"--opponents names {len(agents)} agents, {', '.join(agents)}; it must name {wanted}")
    if PERSON in agents:
        raise InputError(f"--opponents names {PERSON!r}, which is the person; name an agent otherwise")
    folder = games_folder(save)
    unfinished = None
    if resume:
        unfinished = latest_unfinished(folder)
        if unfinished is None:
            raise InputError(f"there is no game to go on with in {folder}")
    players = tuple(agents) if watch else (PERSON, *agents)
    return Setup(chosen_rules, players, target, seed, move_time, folder, unfinished)


def _split(text: str) -> list[str]:
    """The agents of a text such as `easy,heuristic:lead_two=0,noise=1,strong`: what looks like a further setting
    belongs to the agent before it.
    """
    found: list[str] = []
    for part in text.split(","):
        setting = bool(found) and ":" in found[-1] and _is_setting(part)
        if setting:
            found[-1] += f",{part}"
        else:
            found.append(part.strip())
    return found


def _is_setting(part: str) -> bool:
    """Whether a text is WEIGHT=NUMBER."""
    name, _, value = part.partition("=")
    try:
        float(value)
    except ValueError:
        return False
    return name.strip().isidentifier()


def _arguments(options: dict[str, Any]) -> list[str]:
    """The command line that has these options."""
    found: list[str] = []
    for name, value in options.items():
        if value is True:
            found.append(f"--{name}")
        elif value is not None and value is not False:
            found += (f"--{name}={one}" for one in (value if isinstance(value, list) else [value]))
    return found


def _run(chosen: Setup, speed: str, lang: str, where: str) -> None:
    from bigtwo_sim.tui.app import PlayApp
    from bigtwo_sim.tui.game import latest_unfinished
    from bigtwo_sim.tui.threads import all_done

    if hasattr(signal, "SIGHUP"):
        signal.signal(signal.SIGHUP, signal.SIG_DFL)  # it ends with its terminal, under nohup too
    told_to_end = signal.getsignal(signal.SIGTERM)
    app = PlayApp(chosen, speed, lang)
    app.run()
    left = app.kept_game
    app.close_tables()
    if app.is_terminated:  # what the signal does elsewhere, now that the terminal is itself again
        signal.signal(signal.SIGTERM, told_to_end)
        signal.raise_signal(signal.SIGTERM)
    if app.failure is not None:
        raise app.failure
    if app.return_code:  # it has told already what went wrong
        raise typer.Exit(app.return_code)
    if left is not None and latest_unfinished(left.parent) == left and _DRIVER not in os.environ:
        options = f"{where} --lang {app.texts.lang}" if app.texts.lang != LANGUAGES[0] else where
        emit(app.texts("go_on_by", command=f"bigtwo play --resume{options}"))
    if not all_done(2.0):
        # A compilation or a long thought is still running, and Python would wait for it, or die in it.
        import atexit

        atexit._run_exitfuncs()
        sys.stdout.flush()
        os._exit(0)
