"""`bigtwo variance`: how many deals replayed decks, pairing and a control variate save, each measured."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from bigtwo_sim.cli.options import (
    DEFAULT_RULES,
    JsonOption,
    RulesOption,
    SetOption,
    asked,
    read_rules,
    seed_option,
    whole_number,
)
from bigtwo_sim.requests.variance import DEFAULT_AGENTS, DEFAULT_DEALS, VarianceRequest
from bigtwo_sim.terminal.bars import new_bar
from bigtwo_sim.terminal.output import emit, emit_json, wrapped

MOST_DEALS = 10**12


def variance(
    agents: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="AGENT",
            help="Two to four compiled agents, as bigtwo tournament knows them. The first is measured, and its "
            "difference from the second. Two sit twice each, of three the last sits twice. Default: "
            + " ".join(DEFAULT_AGENTS),
        ),
    ] = None,
    rules: RulesOption = DEFAULT_RULES,
    changes: SetOption = None,
    deals: Annotated[
        int,
        typer.Option(
            "--deals",
            parser=whole_number(1, MOST_DEALS),
            metavar="N",
            help="Deals in all, rounded up to whole blocks.",
        ),
    ] = DEFAULT_DEALS,
    seed: Annotated[int, seed_option("Root seed.")] = 0,
    as_json: JsonOption = False,
) -> None:
    """Measure how many deals each way of sampling needs for the same interval.

    Single deals with seats at random, against decks replayed under every seating, paired differences, and the deck's
    own result when four heuristic agents play it as a control variate. The unit is always the block.
    """
    request = VarianceRequest(agents or (), read_rules(rules, changes), deals, seed)
    with asked(), new_bar(None, unit=" blocks") as bar:

        def progress(played: int, blocks: int) -> None:
            bar.total = blocks
            bar.update(played)

        report = request.play(progress).report
    if as_json:
        emit_json(report)
    else:
        _show(report)


def _three_digits(number: int) -> int:
    return int(float(f"{number:.3g}"))


# --- the table --------------------------------------------------------------------------------------------------------
def _show(report: dict[str, Any]) -> None:
    emit(
        f"{' '.join(report['lineup'])}\n{report['deals']:,} deals in {report['blocks']:,} blocks under the rules "
        f"{report['rules']['name']}, seed {report['seed']}"
    )
    heading = None
    for row in report["rows"]:
        measure = "win rate" if row["measure"] == "win_rate" else "points a deal"
        target = f"{100 * row['precision']:g} %" if row["measure"] == "win_rate" else f"{row['precision']:g}"
        if heading != (row["measure"], row["of"]):
            heading = (row["measure"], row["of"])
            emit(f"\n{measure} of {row['of']}")
            emit(f"{'':<46}{'deals for':>12}{'times fewer':>26}{'counting the':>14}".rstrip())
            emit(f"{'':<46}{target:>12}{'deals':>26}{'baseline':>14}".rstrip())
        saved = counted = "-"
        if row["factor"] is not None:
            saved = f"{row['factor']:.2f} ({row['factor_low']:.2f} to {row['factor_high']:.2f})"
            counted = f"{row['factor'] / (1 + row['baseline_deals']):.2f}"
        needed = "none" if row["deals_needed"] is None else f"{_three_digits(row['deals_needed']):,}"
        emit(f"{row['way']:<46}{needed:>12}{saved:>26}{counted:>14}".rstrip())
    emit()
    emit(
        wrapped(
            f"Deals needed for a {100 * report['confidence']:g} % interval of that half width, and how many times "
            "fewer they are than in the first line, with its interval (jackknife over groups of blocks). "
            f"The baseline is the result of the same deck when four {report['baseline']} play it, regressed on; its "
            "mean over all decks must be known, or be measured in deals of its own. The last column counts the deals "
            "of the baseline as deals. The unit is the block: one deck under every seating of the line-up."
        )
    )
