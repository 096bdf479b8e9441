"""What the commands share: options, reading rules and cards, printing for people and for scripts."""

from __future__ import annotations

import contextlib
import math
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from bigtwo_sim.core.cards import CardError, CardSet
from bigtwo_sim.core.rng import random_seed
from bigtwo_sim.games.base.ruleset import RuleSet, shown
from bigtwo_sim.games.registry import BIG_THREE, BIG_TWO, PACKAGES, package_named
from bigtwo_sim.requests.errors import RequestError
from bigtwo_sim.untrusted.errors import InputError

if TYPE_CHECKING:
    from bigtwo_sim.games.big_two import Rules

RANDOM_SEED = "random"
DEFAULT_PRESETS = {BIG_TWO: "singapore", BIG_THREE: "shaanxi"}
FEWEST_PLAYERS, MOST_PLAYERS = 3, 4
MOST_WORKERS = 1024
DEFAULT_RULES = DEFAULT_PRESETS[BIG_TWO]
RESULTS = Path("results")


# --- reading ----------------------------------------------------------------------------------------------------------
def read_rules(rules: str = DEFAULT_RULES, changes: Sequence[str] | None = None) -> Rules:
    """The rules of Big Two that `rules_of_game` reads."""
    found: Any = rules_of_game(BIG_TWO, None, rules, changes)
    return found  # type: ignore[no-any-return]


def rules_of_game(
    game: str, players: int | None, rules: str | None = None, changes: Sequence[str] | None = None
) -> RuleSet:
    """The rules of a game of `--rules` (a preset's name or a TOML file) with each SWITCH=VALUE of `--set` changed.

    Without `--rules` it is the game's default. Raises InputError for a name that no preset has, before anything is
    compiled, for a text without `=` and for a number of players that the game does not have, RulesError for what the
    rules do not know.
    """
    rules = DEFAULT_PRESETS[game] if rules is None else rules
    is_file = rules.lower().endswith(".toml") or "/" in rules or "\\" in rules
    if not is_file:
        _raise_if_no_preset(rules, game)
    kind: type[RuleSet] = package_named(game).Rules
    chosen = kind.from_toml(rules) if is_file else kind.preset(rules)
    values: dict[str, str] = {}
    for change in changes or ():
        switch, equals, value = change.partition("=")
        if not equals:
            raise InputError(f"--set is {change!r}; it must be SWITCH=VALUE, such as --set bombs=yes")
        values[switch.strip().lower().replace("-", "_")] = value.strip()
    if players is not None and values.get("players", str(players)) != str(players):
        raise InputError(f"--players is {players} beside --set players={values['players']}; leave out one of them")
    if players is not None and "players" in kind.switches():
        values["players"] = str(players)
    elif players is not None and players != chosen.players:
        raise InputError(f"--players is {players}; {kind.TITLE} has {chosen.players}")
    return chosen.replace(**values) if values else chosen


def _raise_if_no_preset(rules: str, game: str) -> None:
    name = rules.strip().lower().replace("-", "_")
    presets = {known: package_named(known).PRESETS for known in PACKAGES}
    if name in presets[game]:
        return
    for other, names in presets.items():
        if name in names:
            raise InputError(f"--rules is {rules}, which is of another game; name that too: --game {other}")
    raise InputError(f"there are no rules called {shown(rules)}; the presets are {', '.join(presets[game])}")


def read_cards(text: str, argument: str, rules: RuleSet) -> CardSet:
    """The cards that the argument called `argument` names: at least one, and at most a hand.

    Raises InputError, which names the card that is unknown, stands there twice or is one too many.
    """
    try:
        cards = CardSet.parse(text, rules.deck)
    except CardError as error:
        raise InputError(f"{argument}: {error}") from None
    if not cards:
        raise InputError(f"{argument} is {text!r}; it must name cards, such as '3D 3C' or 3♦3♣")
    most = rules.largest_hand
    if len(cards) > most:
        beyond = " ".join(str(card) for card in list(cards)[most:])
        raise InputError(f"{argument} has {len(cards)} cards; it must have at most {most}, without {beyond}")
    return cards


def whole_number(least: int, most: int | None = None) -> Callable[[str], int]:
    """A parser for an option that is a whole number in a range; what it refuses, its message names."""
    bounds = f"of at least {least}" if most is None else f"from {least} to {most}"

    def parse(text: str) -> int:
        with contextlib.suppress(ValueError):
            if least <= int(text) and (most is None or int(text) <= most):
                return int(text)
        raise typer.BadParameter(f"{text[:40]!r} must be a whole number {bounds}")

    return parse


def _seed(given: str | int) -> int:
    """A parser for a root seed, to which a default is given as well; what it refuses, its message names."""
    text = str(given)
    if text.strip().lower() == RANDOM_SEED:
        drawn = random_seed()
        print(f"--seed is {drawn}", file=sys.stderr)
        return drawn
    with contextlib.suppress(ValueError):
        if int(text) >= 0:
            return int(text)
    raise typer.BadParameter(f"{text[:40]!r} must be a whole number of at least 0, or {RANDOM_SEED}")


def seed_option(what: str) -> Any:
    """The option `--seed`, which every command with random numbers has; `what` says what they are for."""
    text = f"{what} {RANDOM_SEED}: 128 random bits, which no agent can guess; they are printed."
    return typer.Option("--seed", parser=_seed, metavar=f"S|{RANDOM_SEED}", help=text)


def _game(text: str) -> str:
    """A parser for the name of a game."""
    name = text.strip().lower().replace("_", "-").replace(" ", "-")
    if name not in DEFAULT_PRESETS:
        raise typer.BadParameter(f"{text[:40]!r} must be one of {', '.join(DEFAULT_PRESETS)}")
    return name


def number_above(bound: float) -> Callable[[str], float]:
    """A parser for an option that is a number above `bound`; what it refuses, its message names."""

    def parse(text: str) -> float:
        with contextlib.suppress(ValueError):
            if bound < float(text) < math.inf:
                return float(text)
        raise typer.BadParameter(f"{text[:40]!r} must be a number above {bound:g}")

    return parse


def amount_of_memory(text: str) -> int:
    """A parser for an option such as 500M or 2G, in bytes."""
    units = {"K": 2**10, "M": 2**20, "G": 2**30, "T": 2**40}
    number = text.strip().upper().removesuffix("B").removesuffix("I")
    unit = units.get(number[-1:], 0)
    with contextlib.suppress(ValueError, OverflowError):
        size = int(float(number[:-1]) * unit) if unit else int(number)
        if size >= units["M"]:
            return size
    raise typer.BadParameter(f"{text[:40]!r} must be an amount of at least 1M, such as 500M or 2G")


def new_run_folder(kind: str) -> Path:
    """A folder in results/ that does not exist yet, named after the time and the kind of run."""
    name = f"{time.strftime('%Y-%m-%d-%H%M%S')}-{kind}"
    folder, number = RESULTS / name, 2
    while folder.exists():
        folder, number = RESULTS / f"{name}-{number}", number + 1
    return folder


def new_place(file: Path, option: str) -> None:
    """Raises InputError where a file that the option names is there already, or cannot be written."""
    if file.exists() or file.is_symlink():
        raise InputError(f"{file} exists; name another file, nothing was written")
    if not file.parent.is_dir():
        raise InputError(f"{option} is {file}; {file.parent} must be a folder that is there")


@contextlib.contextmanager
def asked() -> Iterator[None]:
    """While a request is made ready or done: what agents print is no part of the result, and arguments are options."""
    with contextlib.redirect_stdout(sys.stderr):
        try:
            yield
        except RequestError as error:
            raise InputError(error.as_options()) from None


# --- options ----------------------------------------------------------------------------------------------------------
GameOption = Annotated[str, typer.Option("--game", parser=_game, metavar="big-two|big-three", help="What is played.")]
PlayersOption = Annotated[
    int | None,
    typer.Option(
        "--players",
        parser=whole_number(FEWEST_PLAYERS, MOST_PLAYERS),
        metavar="3|4",
        help="Of Big Three: three, one against two (the default), or four in two pairs.",
    ),
]
RulesOption = Annotated[
    str,
    typer.Option("--rules", metavar="NAME|FILE.toml", help="A preset, or a TOML file of switches (see: bigtwo rules)."),
]
GameRulesOption = Annotated[
    str | None,
    typer.Option(
        "--rules",
        metavar="NAME|FILE.toml",
        help="A preset, or a TOML file of switches (see: bigtwo rules). Default: singapore; of Big Three shaanxi.",
    ),
]
SetOption = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="SWITCH=VALUE", help="Change one rule; may be repeated (see: bigtwo rules --house)."),
]
WorkersOption = Annotated[
    int | None,
    typer.Option(
        "--workers",
        parser=whole_number(1, MOST_WORKERS),
        metavar="N",
        help="Threads, or processes for Python agents. Default: all cores.",
    ),
]
IsolateOption = Annotated[
    bool,
    typer.Option(
        "--isolate",
        help="Give each Python agent a process of its own. Without this, agents of a line-up share a process with the "
        "engine, whose memory and modules one that means to can change. A limit of time or memory implies it.",
    ),
]
JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON for scripts.")]
