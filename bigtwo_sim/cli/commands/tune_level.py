"""`bigtwo tune level strong --target 40% --knob worlds`: the setting of a knob that wins a given share."""

from __future__ import annotations

import contextlib
import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from bigtwo_sim.arena.runners import speed
from bigtwo_sim.arena.runners.trials import Figures, Trials
from bigtwo_sim.arena.stats.root_search import Knob
from bigtwo_sim.cli.exit_codes import INTERRUPTED
from bigtwo_sim.cli.level_report import level_report, show_interrupted, show_level, write_level
from bigtwo_sim.cli.options import (
    DEFAULT_RULES,
    JsonOption,
    RulesOption,
    SetOption,
    WorkersOption,
    new_run_folder,
    number_above,
    read_rules,
)
from bigtwo_sim.cli.tuned import (
    AMONG_THREE_DEALS,
    DEFAULT_AGAINST,
    SeedOption,
    bar_of,
    compiled,
    cores,
    parameter_of,
    turned,
)
from bigtwo_sim.core.rng import derived_seed
from bigtwo_sim.games.base.agent import Parameter
from bigtwo_sim.games.big_two import PolicyAgent, Rules
from bigtwo_sim.roster.spec import LONGEST_NAME
from bigtwo_sim.terminal.output import emit_json
from bigtwo_sim.tuning.difficulty import Difficulty, set_difficulty
from bigtwo_sim.untrusted.errors import InputError

LEVEL = "level.json"
DEFAULT_LIMIT = 10.0
RISING = {"worlds": True, "blunder": False, "noise": False}
"""Whether more of a knob wins more; of others it is measured."""
DIRECTION_BLOCKS = 400
NOT_REACHED = 1  # exit code
FINEST = 0.0005
"""The least precision that may be asked for: some twenty million deals."""


def _share(text: str) -> float:
    """A share such as 40% or 0.4."""
    bare = str(text).strip()  # the default comes as a number
    with contextlib.suppress(ValueError):
        value = float(bare.removesuffix("%")) / (100 if bare.endswith("%") else 1)
        if 0 < value < 1:
            return value
    raise typer.BadParameter(f"{bare[:40]!r} must be a share above 0 and below 1, such as 40% or 0.4")


def _precision(text: str) -> float:
    """A share that can be measured: deals grow with the square of how fine it is."""
    value = _share(text)
    if value < FINEST:
        raise typer.BadParameter(
            f"{str(text).strip()[:40]!r} must be {100 * FINEST:g}% at least, which takes millions of deals"
        )
    return value


def level(
    agent: Annotated[str, typer.Argument(metavar="LEVEL", help="The compiled agent whose knob is turned.")],
    target: Annotated[float, typer.Option("--target", parser=_share, metavar="40%", help="The win rate wanted.")],
    knob: Annotated[
        str,
        typer.Option("--knob", metavar="worlds|blunder|noise|...", help="The setting that is turned to reach it."),
    ],
    against: Annotated[
        str, typer.Option("--against", metavar="AGENT", help="Three of these sit at the table with it.")
    ] = DEFAULT_AGAINST,
    limit: Annotated[
        float,
        typer.Option(
            "--limit-ms", parser=number_above(0), metavar="MS", help="What a decision may take on average, on one core."
        ),
    ] = DEFAULT_LIMIT,
    precision: Annotated[
        float,
        typer.Option(
            "--precision",
            parser=_precision,
            metavar="1%",
            help="How far from the target the win rate may be, 0.05% at least.",
        ),
    ] = 0.01,
    name: Annotated[str | None, typer.Option("--name", help="What the level is called. Default: LEVEL-TARGET.")] = None,
    rules: RulesOption = DEFAULT_RULES,
    changes: SetOption = None,
    seed: SeedOption = 0,
    workers: WorkersOption = None,
    out: Annotated[
        Path | None,
        typer.Option("--out", metavar="FILE.json", help="The level file. Default: level.json in a folder in results/."),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Find the setting at which an agent among three others wins the share that is wanted, and write a level file.

    The final figure is measured on decks that the search did not have.
    """
    chosen = read_rules(rules, changes)

    base, other = compiled(agent), compiled(against)
    parameter = parameter_of(base, knob, "--knob")
    called = name if name is not None else f"{base.name}-{100 * target:g}"
    if not called.strip() or len(called) > LONGEST_NAME or not called.isprintable():
        raise InputError(f"--name is {called!r}; it must be 1 to {LONGEST_NAME} printable characters")
    if out is not None and out.exists():
        raise InputError(f"--out: {out} is there already; nothing was overwritten")

    count = workers or cores()
    with contextlib.ExitStack() as stack:
        tables: dict[int, Trials] = {}

        def measure(value: float, of_seed: int, first: int, blocks: int) -> Figures:
            if of_seed not in tables:
                tables[of_seed] = stack.enter_context(Trials(other, chosen, of_seed, count))
            return tables[of_seed].play([turned(base, knob, value)], first, blocks)[0]

        sought = _knob(base, parameter, limit, chosen, measure, seed)
        start = float(base.params[base.method.parameters.index(parameter)])
        bar = stack.enter_context(bar_of(None))
        known: Difficulty | None = None

        def show(found: Difficulty, value: float) -> None:
            nonlocal known
            deals, expected = (blocks * AMONG_THREE_DEALS for blocks in (found.blocks, found.blocks_expected))
            if known is None and not sys.stderr.isatty():
                print(f"Some {float(f'{expected:.1g}'):,.0f} deals are to come.", file=sys.stderr)
            known = found
            bar(deals, expected, f"{knob}={value:g}")

        inside = sought.low < start < sought.high
        try:
            found = set_difficulty(sought, target, precision, start if inside else None, seed, measure, show)
        except KeyboardInterrupt:
            stack.close()  # the bar goes before anything is printed
            show_interrupted(known)
            raise typer.Exit(INTERRUPTED) from None
    times = {
        value: _milliseconds(turned(base, knob, value), chosen)
        for value in sorted({point.value for point in found.points} | {check.value for check in found.checks})
    }
    reached = found.reached
    path = None
    if reached is not None and times[reached.value] <= limit:
        path = out or new_run_folder("level") / LEVEL
        write_level(path, called, base, other, chosen, found, times)
    report = level_report(called, base, other, chosen, found, times, limit, path)
    if as_json:
        emit_json(report)
    else:
        show_level(report)
    if path is None:
        raise typer.Exit(NOT_REACHED)


def _knob(base: PolicyAgent, parameter: Parameter, limit: float, rules: Rules, measure: Any, seed: int) -> Knob:
    """The knob between its low end and its high one, or the highest value that the limit allows."""
    low, high = parameter.low, parameter.high
    if _cost(base, parameter, high) > _cost(base, parameter, low):
        high = _highest_within(base, parameter, limit, rules)
    rising = RISING.get(parameter.name)
    if rising is None:
        rising = _rises(base, parameter.name, low, high, measure, seed)
    return Knob(parameter.name, low, high, rising, parameter.whole)


def _rises(base: PolicyAgent, knob: str, low: float, high: float, measure: Any, seed: int) -> bool:
    """Whether more of the knob wins more, by its ends on the same decks. Raises InputError where that is not seen."""
    ends = [measure(value, derived_seed(seed, 2), 0, DIRECTION_BLOCKS) for value in (low, high)]
    found = ends[1].less(ends[0]).estimate("win_rate")
    if found.low <= 0 <= found.high:
        raise InputError(
            f"--knob {knob}: {base.name} wins {100 * ends[0].win_rate.mean():.1f} % at {low:g} and "
            f"{100 * ends[1].win_rate.mean():.1f} % at {high:g}, which {DIRECTION_BLOCKS} blocks do not tell apart"
        )
    return bool(found.low > 0)


def _cost(base: PolicyAgent, parameter: Parameter, value: float) -> float:
    return float(base.method.cost(turned(base, parameter.name, value).params))


def _highest_within(base: PolicyAgent, parameter: Parameter, limit: float, rules: Rules) -> float:
    """The greatest value of a knob, more of which takes longer, at which a decision takes no more than the limit."""
    scale = Knob(parameter.name, parameter.low, parameter.high, True, parameter.whole)
    value = float(base.params[base.method.parameters.index(parameter)])
    for _ in range(4):
        taken = _milliseconds(turned(base, parameter.name, value), rules)
        allowed = _cost(base, parameter, value) * limit / taken
        low, high = scale.coordinate(parameter.low), scale.coordinate(parameter.high)
        for _ in range(60):
            middle = (low + high) / 2
            low, high = (middle, high) if _cost(base, parameter, scale.value(middle)) <= allowed else (low, middle)
        last, value = value, scale.value(low)
        if abs(scale.coordinate(value) - scale.coordinate(last)) < 0.02:
            break
    if value <= parameter.low:
        raise InputError(
            f"--limit-ms {limit:g}: {base.name} takes more than that at {parameter.name}={parameter.low:g} already"
        )
    return value


def _milliseconds(agent: PolicyAgent, rules: Rules) -> float:
    return speed.milliseconds_a_decision(agent, rules)
