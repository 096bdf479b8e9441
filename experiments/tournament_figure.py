"""What does the default tournament look like as a picture?

Plays `bigtwo tournament` and draws the win rate and the points of its four agents. Writes
results/reference/tournament.png, the figure of README.md, and prints the same figures as a table.
"""

from __future__ import annotations

import tempfile
from collections.abc import Sequence

from bigtwo_sim import plots
from bigtwo_sim.arena import load
from study import bigtwo, figure, options_of, table

OUTPUT = "results/reference/tournament.png"
QUICK_DEALS = 240


def main(arguments: Sequence[str] | None = None) -> None:
    """Play the default tournament, draw it, print the table."""
    options = options_of(__doc__, OUTPUT, arguments)
    with tempfile.TemporaryDirectory() as folder:
        size = ("--deals", str(QUICK_DEALS)) if options.quick else ()
        report = bigtwo("tournament", *size, "--out", f"{folder}/run")
        picture = plots.render(plots.by_agent(load(f"{folder}/run")))
    if options.out is not None:
        options.out.write_bytes(picture)
    rows = [
        (agent["agent"], figure(agent, "win_rate", ".2f", 100), figure(agent, "points", "+.2f"))
        for agent in report["agents"]
    ]
    print(table(("agent", "win rate %", "points a deal"), rows))


if __name__ == "__main__":
    main()
