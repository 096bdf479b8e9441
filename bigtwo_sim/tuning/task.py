"""What a tuning is, to the last deal, and what comes out of it: plain values, kept in its study."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from typing import Any

from bigtwo_sim.arena.stats.intervals import Estimate

FORMAT = 1
KNOBS = ("blunder", "noise")  # settings that are there to play worse
DEALS_A_BLOCK = 14  # seatings of one, two and three of an agent with another
LEADERS = 16
LEADER_PART, COMPARISON_PART = 0.15, 0.1  # of the budget
MEASURES = {"points": "margin", "wins": "win_rate"}


@dataclass(frozen=True)
class Task:
    """What is tuned, to the last deal: everything that a result depends on. Agents as a manifest describes them."""

    agent: dict[str, Any]
    against: list[dict[str, Any]]
    rules: dict[str, str]
    objective: str
    """`points` or `wins`."""
    weights: list[str]
    """The settings that are searched."""
    seed: int
    budget: int
    """Deals in all."""
    population: int
    blocks: int
    """Blocks that a candidate is tried on."""
    engine_source: str
    command: str = ""
    format: int = FORMAT

    @property
    def generations(self) -> int:
        """How many generations the budget is enough for."""
        return max(1, int(self.budget * (1 - LEADER_PART - COMPARISON_PART) / self.generation_deals))

    @property
    def deals_a_block(self) -> int:
        """Deals of a candidate in a block: all seatings of all mixtures with each of the others."""
        return DEALS_A_BLOCK * len(self.against)

    @property
    def generation_deals(self) -> int:
        """Deals of a generation, the old settings among them."""
        return (self.population + 1) * self.blocks * self.deals_a_block

    @property
    def least_budget(self) -> int:
        """Deals that the smallest tuning of this kind takes."""
        searched = self.generation_deals / (1 - LEADER_PART - COMPARISON_PART)
        led = self.deals_a_block * LEADERS * len(list(rounds(LEADERS))) * self.blocks / LEADER_PART
        return math.ceil(max(searched, led, 2 * self.deals_a_block * self.blocks / COMPARISON_PART))

    @property
    def leader_blocks(self) -> int:
        """Blocks of a leader in the first round."""
        return max(
            self.blocks, int(self.budget * LEADER_PART / (self.deals_a_block * LEADERS * len(list(rounds(LEADERS)))))
        )

    @property
    def comparison_blocks(self) -> int:
        """Blocks of the last comparison, which is between two."""
        return max(self.blocks, int(self.budget * COMPARISON_PART / (2 * self.deals_a_block)))


def default_population(weights: int) -> int:
    """Candidates of a generation: more than CMA-ES takes where nothing is noisy."""
    return 4 * (1 + math.ceil(1.5 * math.log(weights + 1)))


def rounds(leaders: int) -> Iterator[int]:
    """How many leaders are left in each round, down to two."""
    while leaders > 1:
        yield leaders
        leaders = (leaders + 1) // 2


@dataclass
class Progress:
    """Where a tuning is, for a bar."""

    stage: str
    deals: int
    budget: int
    text: str


@dataclass
class Comparison:
    """Old and new settings on decks that nothing was chosen on; the figures are those of one among three others."""

    seed: int
    blocks: int
    old: dict[str, Estimate]
    new: dict[str, Estimate]
    difference: dict[str, Estimate]
    """New less old, deck by deck; each of them has `win_rate` and `margin`."""

    def to_dict(self) -> dict[str, Any]:
        """For the study and for JSON, in which None stands for an end that is not known."""
        values = asdict(self)
        for name in ("old", "new", "difference"):
            for figures in values[name].values():
                figures.update({end: None for end, value in figures.items() if not math.isfinite(value)})
        return values

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Comparison:
        """What `to_dict` wrote."""
        parts = {
            name: {
                measure: Estimate(**{end: math.nan if value is None else value for end, value in figures.items()})
                for measure, figures in data[name].items()
            }
            for name in ("old", "new", "difference")
        }
        return cls(data["seed"], data["blocks"], **parts)


@dataclass
class Leader:
    """Settings that may be the best, and what they came to on the leaders' decks."""

    settings: dict[str, float]
    origin: str
    blocks: int = 0
    difference: float = math.nan
    error: float = math.nan
    """The standard error of `difference`."""
    figures: Any = field(default=None, repr=False, compare=False)
