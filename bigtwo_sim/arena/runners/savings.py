"""What ways of sampling save: replayed decks, pairing and a control variate, measured on one sample of blocks."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

from bigtwo_sim.arena import cores, seatings
from bigtwo_sim.arena.stats.intervals import student_t
from bigtwo_sim.core.rng import root_key
from bigtwo_sim.games.big_two import PolicyAgent, Rules, play_blocks

FEWEST_BLOCKS = 50
GROUPS = 50  # of blocks, for the jackknife
AT_ONCE = 500  # blocks
CONFIDENCE = 0.95
TINY = 1e-12  # a variance that is none, but for rounding
PRECISION = {"win_rate": 0.005, "points": 0.05}
"""Half the width of the 95 % interval for which the deals are reckoned."""


# --- the sample -------------------------------------------------------------------------------------------------------
FIRST, SECOND, DIFFERENCE = range(3)
PRODUCTS = ("y", "x", "yy", "xx", "xy")
LEVELS = ("deal", "turn", "block")
MOMENTS = tuple((level, product) for level in LEVELS for product in PRODUCTS)
"""Of a quantity y of a deal and its baseline x: means of y, x and their products over the deals of a block; then the
same of the mean y and x of some deals, those of one turn of the table (see `_turns`) and those of the block."""


@dataclass(frozen=True)
class Sample:
    """Sums over the blocks of each group: float64[GROUPS, measures, quantities, MOMENTS], and how many blocks."""

    seatings: int
    deals_a_turn: float
    blocks: int
    sums: npt.NDArray[np.float64]
    counts: npt.NDArray[np.int64]


def play(
    agents: Sequence[PolicyAgent],
    lineup: Sequence[int],
    rules: Rules,
    seed: int,
    deals: int,
    baseline: Any,
    progress: Callable[[int, int], None],
) -> Sample:
    """Play whole blocks of the line-up (places of agents), and each deck once more with four of the baseline.

    `progress` is called with the number of blocks just played, and that of all.
    """

    every = seatings(lineup)
    blocks = max(FEWEST_BLOCKS, -(-deals // len(every)))
    key = root_key(seed)
    table: Any = tuple(agents[place] for place in lineup)
    sits = np.array(lineup)[every][None] == np.arange(2)[:, None, None]  # [the first two agents, seatings, seats]
    shares = sits / sits[:, 0].sum(axis=1)[:, None, None]
    turns = _turns(every, lineup)
    sums = np.zeros((GROUPS, len(PRECISION), 3, len(MOMENTS)))
    counts = np.zeros(GROUPS, np.int64)

    def play_portion(first: int) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.int64]]:
        """Moments [blocks, measures, quantities, MOMENTS], and the group of each block."""
        count = min(AT_ONCE, blocks - first)
        numbers = np.arange(first, first + count)
        turn = turns[numbers % len(turns)]
        played = play_blocks(table, rules, key, first, count, every)
        alone = play_blocks((baseline,) * 4, rules, key, first, count, np.arange(4)[None])
        moments = []
        for measure in PRECISION:
            y, x = (np.einsum("bns,ans->abn", _by_seat(results, measure), shares) for results in (played, alone))
            values = ((y[0], x[0]), (y[1], x[1]), (y[0] - y[1], x[0] - x[1]))
            moments.append([_moments(*value, turn) for value in values])
        return np.moveaxis(np.array(moments), -1, 0), numbers * GROUPS // blocks

    for moments, groups in _on_threads(play_portion, range(0, blocks, AT_ONCE)):
        progress(len(groups), blocks)
        np.add.at(sums, groups, moments)
        np.add.at(counts, groups, 1)
    deals_a_turn = float((turns > 0).sum(axis=1).mean())
    return Sample(len(every), deals_a_turn, blocks, sums, counts)


def _by_seat(results: npt.NDArray[Any], measure: str) -> npt.NDArray[np.float64]:
    """What each seat made of each deal: float64[blocks, seatings, seats]."""
    if measure == "points":
        return np.asarray(results["points"], np.float64)
    return np.asarray(results["winner"][..., None] == np.arange(4), np.float64)


def _turns(every: npt.NDArray[np.int64], lineup: Sequence[int]) -> npt.NDArray[np.float64]:
    """The seatings that the table turned seat by seat makes of each seating, as weights: float64[seatings, seatings].

    They have each member of the line-up once in every seat. A block uses the turn of one seating, block after block of
    the next one, so that over all blocks the seatings count alike.
    """
    seated = np.array(lineup)[every]
    made = [np.roll(seated, turn, axis=1) for turn in range(4)]
    alike = np.any([(seated[None] == turned[:, None]).all(axis=2) for turned in made], axis=0)
    weights: npt.NDArray[np.float64] = alike / alike.sum(axis=1, keepdims=True)
    return weights


def _moments(
    y: npt.NDArray[np.float64], x: npt.NDArray[np.float64], turn: npt.NDArray[np.float64]
) -> list[npt.NDArray[np.float64]]:
    """MOMENTS of blocks: y, x and the weights of the turn, float64[blocks, seatings]."""
    of_deals = [values.mean(axis=1) for values in (y, x, y * y, x * x, x * y)]
    moments = list(of_deals)
    for mean_y, mean_x in (((y * turn).sum(axis=1), (x * turn).sum(axis=1)), (of_deals[0], of_deals[1])):
        moments += [mean_y, mean_x, mean_y * mean_y, mean_x * mean_x, mean_x * mean_y]
    return moments


def _on_threads(play: Callable[[int], Any], firsts: Sequence[int]) -> Iterator[Any]:
    """What `play` gives for each portion, in order."""

    # NumPy keeps its handling of overflows by thread; without compilation words must wrap in these as well.
    threads = ThreadPoolExecutor(cores(), initializer=partial(np.seterr, **np.geterr()))
    with threads:
        yield from threads.map(play, firsts)


# --- the variances ----------------------------------------------------------------------------------------------------
def _variances(sums: npt.NDArray[np.float64], blocks: Any, sample: Sample) -> dict[str, Any]:
    """The variance of a deal of each way of sampling, from sums [quantities, MOMENTS, ...] over so many blocks.

    A mean of N deals has that variance over N. With a control variate of correlation r, 1 - r^2 of it is left (Owen,
    Monte Carlo theory, methods and examples, 2013, 8.9).
    """
    moments = dict(zip(MOMENTS, np.moveaxis(sums, 1, 0) / blocks, strict=True))
    deals = dict(zip(LEVELS, (1, sample.deals_a_turn, sample.seatings), strict=True))
    plain, controlled = {}, {}
    for level in LEVELS:
        y, x, yy, xx, xy = (moments[level, product] for product in PRODUCTS)
        of_y, of_x, together = yy - y * y, xx - x * x, xy - x * y
        with np.errstate(invalid="ignore", divide="ignore"):
            explained = np.where(of_x > TINY, together**2 / of_x, 0.0)
        plain[level], controlled[level] = deals[level] * of_y, deals[level] * (of_y - explained)
    variances = {}
    for level in LEVELS:
        variances[level] = plain[level][FIRST]
        variances[f"{level}, baseline"] = controlled[level][FIRST]
        variances[f"{level}, apart"] = 2 * (plain[level][FIRST] + plain[level][SECOND])
        variances[f"{level}, paired"] = plain[level][DIFFERENCE]
        variances[f"{level}, paired, baseline"] = controlled[level][DIFFERENCE]
    return variances


WAYS = {
    "agent": {
        "deal": "single deals, seats at random",
        "deal, baseline": "single deals, with the baseline",
        "turn": "a deck turned through the four seats",
        "turn, baseline": "a deck turned, with the baseline",
        "block": "every seating of a deck",
        "block, baseline": "every seating, with the baseline",
    },
    "difference": {
        "deal, apart": "single deals, each agent in its own",
        "deal, paired": "single deals, both at one table",
        "deal, paired, baseline": "the same, with the baseline",
        "turn, paired": "a deck turned through the four seats",
        "turn, paired, baseline": "the same, with the baseline",
        "block, apart": "every seating, each agent in its own decks",
        "block, paired": "every seating, block by block",
        "block, paired, baseline": "the same, with the baseline",
    },
}
"""The ways of sampling, by the measure of one agent or of the difference of two; the first is what others save on."""


def savings(sample: Sample, measure: str, names: Sequence[str]) -> list[dict[str, Any]]:
    """One row a way of sampling: its variance, the deals that it needs, and the factor that it saves."""

    sums = np.moveaxis(sample.sums[:, list(PRECISION).index(measure)], 0, -1)
    whole = _variances(sums.sum(axis=-1), sample.blocks, sample)
    without = _variances(sums.sum(axis=-1)[..., None] - sums, sample.blocks - sample.counts, sample)
    width = student_t(10**9, (1 + CONFIDENCE) / 2)  # normal: the deals are many
    spread = student_t(GROUPS - 1, (1 + CONFIDENCE) / 2)
    deals = dict(zip(LEVELS, (1, sample.deals_a_turn, sample.seatings), strict=True))
    rows = []
    for kind, ways in WAYS.items():
        base = next(iter(ways))
        for way, words in ways.items():
            row: dict[str, Any] = {
                "measure": measure,
                "of": names[0] if kind == "agent" else f"{names[0]} over {names[1]}",
                "way": words,
                "variance": _figure(float(whole[way])),
                "precision": PRECISION[measure],
                "deals_needed": None,
                "baseline_deals": 1 / deals[way.split(",")[0]] if "baseline" in way else 0.0,
                "factor": None,
                "factor_low": None,
                "factor_high": None,
            }
            if whole[way] > TINY:
                row["deals_needed"] = math.ceil(whole[way] * (width / PRECISION[measure]) ** 2)
            if min(whole[way], whole[base], without[way].min()) > TINY:
                logarithms = np.log(without[base] / without[way])
                error = math.sqrt((GROUPS - 1) / GROUPS * float(((logarithms - logarithms.mean()) ** 2).sum()))
                factor = float(whole[base] / whole[way])
                row["factor"] = _figure(factor)
                row["factor_low"] = _figure(factor * math.exp(-spread * error))
                row["factor_high"] = _figure(factor * math.exp(spread * error))
            rows.append(row)
    return rows


def _figure(value: float) -> float:
    return float(f"{value:.6g}")
