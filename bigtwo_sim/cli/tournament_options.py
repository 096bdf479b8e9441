"""The options of `bigtwo tournament` that no other command has."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from bigtwo_sim.cli.options import amount_of_memory, number_above, seed_option, whole_number
from bigtwo_sim.games.registry import BIG_TWO
from bigtwo_sim.requests.tournament import DEFAULT_AGENTS, DEFAULT_DEALS, GAUNTLET, ROUND_ROBIN

MOST_DEALS = 10**15


def _folder(text: str) -> Path:
    if not text.strip():
        raise typer.BadParameter(f"{text!r} must name a folder")
    return Path(text)


AgentsArgument = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="AGENT",
        help="METHOD, METHOD:SETTING=VALUE,..., MODULE:FACTORY or exec:COMMAND, each also as NAME=.... As many as "
        "seats (four, in Big Three also three): that line-up, where one text several times is one agent in several "
        "seats; fewer: every line-up that seats each; more: every choice of so many. Default: "
        + " ".join(DEFAULT_AGENTS[BIG_TWO]),
    ),
]
LineupsOption = Annotated[
    str,
    typer.Option(
        "--lineups",
        metavar=f"{ROUND_ROBIN}|{GAUNTLET}|FILE",
        help="Who meets: all (as above); the first agent among each other one in all other seats; or the line-ups "
        "of a file, an agent for each seat a line.",
    ),
]
MirrorOption = Annotated[
    bool,
    typer.Option(
        "--mirror", help="Seat each agent in all seats as well; of Big Two it must win 25 %, from every seat alike."
    ),
]
DealsOption = Annotated[
    int | None,
    typer.Option(
        "--deals",
        parser=whole_number(1, MOST_DEALS),
        metavar="N",
        help=f"Deals in all, rounded up to whole blocks; with --precision or --test, the most. Default: "
        f"{DEFAULT_DEALS:,}, or no limit.",
    ),
]
PrecisionOption = Annotated[
    str | None,
    typer.Option(
        "--precision",
        metavar="0.5%|0.05",
        help="Play until every interval of win rates (with %) or of points is at most that wide to each side.",
    ),
]
TestOption = Annotated[
    str | None, typer.Option("--test", metavar="'A>B'", help="Play until it is decided whether A is better than B.")
]
AlphaOption = Annotated[
    float | None,
    typer.Option("--alpha", metavar="P", help="--test: how often A>B may be found where it is not so. [0.05]"),
]
BetaOption = Annotated[
    float | None,
    typer.Option("--beta", metavar="P", help="--test: how often A>B may be missed where it is so. [0.05]"),
]
EffectOption = Annotated[
    str | None,
    typer.Option(
        "--effect",
        metavar="0.2|1%",
        help="--test: the least difference that counts, of points a deal or of win rates.",
    ),
]
SeedOption = Annotated[
    int,
    seed_option("Root seed: the same seed plays the same decks."),
]
MoveTimeOption = Annotated[
    float | None,
    typer.Option(
        "--move-time",
        parser=number_above(0),
        metavar="SECONDS",
        help="A Python agent or bot that takes longer forfeits the decision. Default: none, and 10 for a bot.",
    ),
]
MemoryOption = Annotated[
    int | None,
    typer.Option(
        "--memory",
        parser=amount_of_memory,
        metavar="SIZE",
        help="A Python agent or bot that takes more, such as 500M or 2G, forfeits the decision. Default: 4G.",
    ),
]
StrictOption = Annotated[bool, typer.Option("--strict", help="Stop at the first fault of an agent.")]
ClusterOption = Annotated[
    str | None,
    typer.Option(
        "--cluster",
        metavar="local:N|tcp://HOST:PORT",
        help="Play on Dask: N worker processes here, or the workers of a scheduler. Needs the extra [cluster].",
    ),
]
OutOption = Annotated[
    Path | None,
    typer.Option("--out", parser=_folder, metavar="DIR", help="Where the run is saved. Default: a folder in results/."),
]
ResumeOption = Annotated[
    Path | None,
    typer.Option("--resume", parser=_folder, metavar="DIR", help="Go on with the run in DIR as it was begun."),
]
