"""`python -m bigtwo_sim`: the command `bigtwo`."""

from __future__ import annotations

import sys

if __name__ == "__main__":
    if not sys.flags.safe_path:  # Python puts the current folder in front, where a random.py would hide Python's own
        del sys.path[0]
    from bigtwo_sim.cli.main import main

    main()
