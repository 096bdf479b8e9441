"""Draw docs/tournament.png, the README's figure, from the default tournament."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

from bigtwo_sim import plots
from bigtwo_sim.arena import load

TARGET = Path(__file__).parent / "tournament.png"


def main() -> None:
    """Run the default tournament and draw it."""
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "bigtwo_sim.cli.main", "tournament", "--out", f"{folder}/run"]
        subprocess.run(command, check=True, capture_output=True)
        TARGET.write_bytes(plots.render(plots.by_agent(load(f"{folder}/run"))))


if __name__ == "__main__":
    main()
