"""What ways of sampling save: replayed decks, pairing and a control variate, measured on one sample of blocks."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from bigtwo_sim.big_two import PolicyAgent, Rules

FEWEST_BLOCKS = 50
GROUPS = 50  # of blocks, for the jackknife
AT_ONCE = 500  # blocks
CONFIDENCE = 0.95
PRECISION = {"win_rate": 0.005, "points": 0.05}
"""Half the width of the 95 % interval for which the deals are reckoned."""


# --- the sample -------------------------------------------------------------------------------------------------------
FIRST, SECOND, DIFFERENCE = range(3)
MOMENTS = ("y", "x", "yy", "xx", "xy", "mean_yy", "mean_xx", "mean_xy")
"""Of a quantity y of a deal and its baseline x, means over the seatings of a block: of y, x and their products, and
the products of the means themselves."""


@dataclass(frozen=True)
class Sample:
    """Sums over the blocks of each group: float64[GROUPS, measures, quantities, MOMENTS], and how many blocks."""

    seatings: int
    blocks: int
    sums: npt.NDArray[np.float64]
    counts: npt.NDArray[np.int64]


def play(
    agents: Sequence[PolicyAgent], lineup: Sequence[int], rules: Rules, seed: int, deals: int, baseline: Any
) -> Sample:
    """Play whole blocks of the line-up (places of agents), and each deck once more with four of the baseline."""
    import numpy as np

    from bigtwo_sim.arena import seatings
    from bigtwo_sim.big_two import play_blocks
    from bigtwo_sim.rng import root_key

    every = seatings(lineup)
    blocks = max(FEWEST_BLOCKS, -(-deals // len(every)))
    key = root_key(seed)
    table: Any = tuple(agents[place] for place in lineup)
    sits = np.array(lineup)[every][None] == np.arange(2)[:, None, None]  # [the first two agents, seatings, seats]
    shares = sits / sits[:, 0].sum(axis=1)[:, None, None]
    sums = np.zeros((GROUPS, len(PRECISION), 3, len(MOMENTS)))
    counts = np.zeros(GROUPS, np.int64)

    def play_portion(first: int) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.int64]]:
        """Moments [blocks, measures, quantities, MOMENTS], and the group of each block."""
        count = min(AT_ONCE, blocks - first)
        played = play_blocks(table, rules, key, first, count, every)
        alone = play_blocks((baseline,) * 4, rules, key, first, count, np.arange(4)[None])
        moments = []
        for measure in PRECISION:
            y, x = (np.einsum("bns,ans->abn", _by_seat(results, measure), shares) for results in (played, alone))
            moments.append([_moments(y[0], x[0]), _moments(y[1], x[1]), _moments(y[0] - y[1], x[0] - x[1])])
        return np.moveaxis(np.array(moments), -1, 0), np.arange(first, first + count) * GROUPS // blocks

    for moments, groups in _on_threads(play_portion, range(0, blocks, AT_ONCE), blocks):
        np.add.at(sums, groups, moments)
        np.add.at(counts, groups, 1)
    return Sample(len(every), blocks, sums, counts)


def _by_seat(results: npt.NDArray[Any], measure: str) -> npt.NDArray[np.float64]:
    """What each seat made of each deal: float64[blocks, seatings, seats]."""
    import numpy as np

    if measure == "points":
        return np.asarray(results["points"], np.float64)
    return np.asarray(results["winner"][..., None] == np.arange(4), np.float64)


def _moments(y: npt.NDArray[np.float64], x: npt.NDArray[np.float64]) -> list[npt.NDArray[np.float64]]:
    """MOMENTS of blocks: y float64[blocks, seatings], x the same."""
    mean_y, mean_x = y.mean(axis=1), x.mean(axis=1)
    products = [(left * right).mean(axis=1) for left, right in ((y, y), (x, x), (x, y))]
    return [mean_y, mean_x, *products, mean_y * mean_y, mean_x * mean_x, mean_x * mean_y]


def _on_threads(play: Callable[[int], Any], firsts: Sequence[int], blocks: int) -> Iterator[Any]:
    """What `play` gives for each portion, in order, with a bar."""
    from concurrent.futures import ThreadPoolExecutor
    from functools import partial

    import numpy as np
    from tqdm import tqdm

    from bigtwo_sim.arena import cores

    # NumPy keeps its handling of overflows by thread; without compilation words must wrap in these as well.
    threads = ThreadPoolExecutor(cores(), initializer=partial(np.seterr, **np.geterr()))
    with threads, tqdm(total=blocks, unit=" blocks", leave=False, dynamic_ncols=True, disable=None) as bar:
        for result in threads.map(play, firsts):
            bar.update(len(result[1]))
            yield result


# --- the variances ----------------------------------------------------------------------------------------------------
def _variances(sums: npt.NDArray[np.float64], blocks: Any, seatings: int) -> dict[str, Any]:
    """The variance of a deal of each way of sampling, from sums [quantities, MOMENTS, ...] over so many blocks.

    A mean of N deals has that variance over N. With a control variate of correlation r, 1 - r^2 of it is left (Owen,
    Monte Carlo theory, methods and examples, 2013, 8.9).
    """
    import numpy as np

    moments = dict(zip(MOMENTS, np.moveaxis(sums, 1, 0) / blocks, strict=True))

    def spread(left: str, right: str, products: str) -> Any:
        return moments[products] - moments[left] * moments[right]

    def rest(of_y: Any, of_x: Any, together: Any) -> Any:
        with np.errstate(invalid="ignore", divide="ignore"):
            return of_y - np.where(of_x > 1e-12, together**2 / of_x, 0.0)

    single, deck = spread("y", "y", "yy"), seatings * spread("y", "y", "mean_yy")
    single_rest = rest(single, spread("x", "x", "xx"), spread("x", "y", "xy"))
    deck_rest = rest(deck, spread("x", "x", "mean_xx"), math.sqrt(seatings) * spread("x", "y", "mean_xy"))
    return {
        "single": single[FIRST],
        "single, baseline": single_rest[FIRST],
        "seatings": deck[FIRST],
        "seatings, baseline": deck_rest[FIRST],
        "single, apart": 2 * (single[FIRST] + single[SECOND]),
        "single, paired": single[DIFFERENCE],
        "single, paired, baseline": single_rest[DIFFERENCE],
        "seatings, apart": 2 * (deck[FIRST] + deck[SECOND]),
        "seatings, paired": deck[DIFFERENCE],
        "seatings, paired, baseline": deck_rest[DIFFERENCE],
    }


WAYS = {
    "agent": {
        "single": "single deals, seats at random",
        "single, baseline": "single deals, with the baseline",
        "seatings": "every seating of a deck",
        "seatings, baseline": "every seating, with the baseline",
    },
    "difference": {
        "single, apart": "single deals, each agent in its own",
        "single, paired": "single deals, both at one table",
        "single, paired, baseline": "the same, with the baseline",
        "seatings, apart": "every seating, each agent in decks of its own",
        "seatings, paired": "every seating, block by block",
        "seatings, paired, baseline": "the same, with the baseline",
    },
}


def savings(sample: Sample, measure: str, names: Sequence[str]) -> list[dict[str, Any]]:
    """One row a way of sampling: its variance, the deals that it needs, and the factor that it saves."""
    import numpy as np

    from bigtwo_sim.arena.intervals import student_t

    sums = np.moveaxis(sample.sums[:, list(PRECISION).index(measure)], 0, -1)
    whole = _variances(sums.sum(axis=-1), sample.blocks, sample.seatings)
    without = _variances(sums.sum(axis=-1)[..., None] - sums, sample.blocks - sample.counts, sample.seatings)
    width = student_t(10**9, (1 + CONFIDENCE) / 2)  # normal: the deals are many
    spread = student_t(GROUPS - 1, (1 + CONFIDENCE) / 2)
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
                "baseline_deals": 0.0
                if "baseline" not in way
                else 1.0
                if way.startswith("single")
                else 1 / sample.seatings,
                "factor": None,
                "factor_low": None,
                "factor_high": None,
            }
            if whole[way] > 0:
                row["deals_needed"] = math.ceil(whole[way] * (width / PRECISION[measure]) ** 2)
            if whole[way] > 0 and whole[base] > 0 and (without[way] > 0).all():
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
