"""The settings that every Monte Carlo player has, and their places in its vector; a game's own ones come after them."""

from __future__ import annotations

from dataclasses import replace

from bigtwo_sim.games.base.agent import Parameter

(WORLDS, ASSUMED, GREEDY_SHARE, BELIEF, MISMATCH_LIKELIHOOD, RECENT, CANDIDATES, LATER_OPTIONS, EXPLORE, NOISE) = range(
    10
)
HEURISTIC, GREEDY = range(2)
POLICIES = 2
FITTING = 2  # of `assumed`: a policy for each world

_PARAMETERS = (
    Parameter("worlds", 100, 1, 100_000, "worlds in which the candidates that stay to the end are tried", True),
    Parameter(
        "assumed", 2, 0, 2, "what the others are assumed to play: 0 heuristic, 1 greedy, 2 what fits their turns", True
    ),
    Parameter("greedy_share", 0.3, 0, 1, "assumed 2: how likely somebody plays greedy before the first turn"),
    Parameter("belief", 2, 1, 64, "worlds dealt for each one that is used; the likeliest are used more often", True),
    Parameter("mismatch_likelihood", 0.3, 0.001, 1, "how likely somebody is to play otherwise than is assumed"),
    Parameter("recent", 12, 1, 208, "how many of the last turns belief looks at", True),
    Parameter("candidates", 6, 2, 1000, "options that are tried: those that the heuristic scores best", True),
    Parameter(
        "later_options", 3, 0, 12, "options of its own later turns that it learns about; 0: as the heuristic", True
    ),
    Parameter("explore", 8, 0, 1000, "points by which an option of a later turn that is hardly known is favoured"),
    Parameter("noise", 0, 0, 1000, "by how much it misjudges an option (standard deviation), in what is maximised"),
)


def search_parameters(**defaults: float) -> tuple[Parameter, ...]:
    """The settings, with other defaults where they are given by name."""
    return tuple(replace(one, default=defaults.get(one.name, one.default)) for one in _PARAMETERS)
