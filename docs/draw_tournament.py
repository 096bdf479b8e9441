"""Draw docs/tournament.png, the README's figure, from the default tournament: `python docs/draw_tournament.py`."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from pathlib import Path

import matplotlib as mpl

mpl.use("Agg")
import matplotlib.pyplot as plt

TARGET = Path(__file__).parent / "tournament.png"
BAR = "#4a6fa5"


def main() -> None:
    """Run the default tournament and draw it."""
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "experiments.cli", "tournament", "--json", "--out", f"{folder}/run"]
        run = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    agents = sorted(run["agents"], key=lambda agent: agent["win_rate"])
    names = [agent["agent"] for agent in agents]
    figure, axes = plt.subplots(1, 2, figsize=(9, 2.9), sharey=True, constrained_layout=True)
    for axis, key, scale, label in (
        (axes[0], "win_rate", 100, "win rate, %"),
        (axes[1], "points", 1, "Singapore points a deal"),
    ):
        values = [agent[key] * scale for agent in agents]
        low = [(agent[key] - agent[f"{key}_low"]) * scale for agent in agents]
        high = [(agent[f"{key}_high"] - agent[key]) * scale for agent in agents]
        axis.barh(names, values, xerr=[low, high], color=BAR, height=0.6, capsize=4, ecolor="black")
        axis.set_xlabel(label)
        axis.spines[["top", "right"]].set_visible(False)
    axes[0].axvline(25, color="grey", linestyle=":", linewidth=1)
    axes[0].annotate("a fair share", (25, 0), xytext=(4, -3), textcoords="offset points", color="grey", fontsize=8)
    figure.suptitle(
        f"{run['deals']:,} deals in {run['blocks']:,} blocks, rules {run['rules']['name']}; bars: 95 % intervals"
    )
    figure.savefig(TARGET, dpi=110)


if __name__ == "__main__":
    main()
