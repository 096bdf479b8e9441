"""Analysis: what every option of a position is expected to bring, each with its interval, for people and notebooks.

All options are tried in the same worlds, which are dealt and played to their end as `monte_carlo` does it, but none is
dropped on the way. Differences between options are therefore known better than the options themselves.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from agents import heuristic, monte_carlo
from agents.heuristic import weigh
from agents.searched import SEARCH, WORKSPACE, worth
from bigtwo_sim.big_two import layout as at
from bigtwo_sim.big_two.deal import View
from bigtwo_sim.big_two.endgame import margin
from bigtwo_sim.big_two.finish import certain_lead, unbeatable_from
from bigtwo_sim.big_two.moves import lead_plays, new_buffers
from bigtwo_sim.big_two.position import public_record
from bigtwo_sim.big_two.worlds import copy_rules, unseen_cards
from bigtwo_sim.kernel import NO_BITS, kernel, popcount
from bigtwo_sim.rng import new_stream, root_key

imagine, try_option = SEARCH.imagine, SEARCH.try_option

BATCH = 250  # worlds that are held at a time
Z_95 = 1.959964  # of the normal distribution, two-sided
MARGIN, POINTS, WIN, VALUE = range(4)  # what is measured of each option in each world; VALUE: monte_carlo's objective
MEASURES = ("margin", "points", "win", "value")
_HEURISTIC = heuristic.METHOD.params()

COLUMNS = {
    "cards": "the play as text, weakest card first; 'pass' for the pass",
    "kind": "its kind, such as 'pair'; 'pass' for the pass",
    "margin": "expected own points less the mean of the others', points a deal",
    "points": "expected own points, points a deal",
    "win": "chance to win the deal, 0 to 1",
    "behind": "expected margin less that of the best option in the same worlds, points a deal; 0 for the best",
    "certain": "whether it begins a certain finish: a way to shed the hand that nobody can stop",
}
"""What `analyse` gives; margin, points, win and behind have a column `…_low` and `…_high`: the 95 % interval."""


@kernel(inline=True)
def _begins_certain_finish(hand, public, play, strength, rules, plays, strengths):
    """Whether `play` empties the hand, or is unbeatable and leaves a hand that on lead finishes for certain."""
    rest = hand ^ play
    if rest == NO_BITS:
        return True
    unseen = unseen_cards(hand, public)
    most = np.int64(0)
    for step in range(1, at.SEATS):
        most = max(most, public.left[(public.turn + step) & 3])
    if strength < unbeatable_from(unseen, popcount(play), most, rules):
        return False
    end = lead_plays(rest, rules, plays, strengths, 0)
    return certain_lead(rest, unseen, most, rules, plays, strengths, 0, end) >= 0


@kernel
def score_options(public_array, hand, plays, strengths, count, scores, certain, roll_plays, roll_strengths):
    """Write how good the heuristic finds each option (the pass is number `count`), and which begin a certain finish.

    `scores` float64[:], `certain` bool[:]; an option that begins a certain finish scores infinity. Where there is one,
    the heuristic may leave others unscored: minus infinity.
    """
    public = public_array[0]
    total = count + public.may_pass
    for i in range(total):
        scores[i] = -np.inf
    weigh(hand, public, plays, strengths, count, _HEURISTIC, scores)
    for i in range(total):
        certain[i] = i < count and _begins_certain_finish(
            hand, public, plays[i], strengths[i], public.rules, roll_plays, roll_strengths
        )
        if certain[i]:
            scores[i] = np.inf


@kernel
def try_options(
    public_array, hand, options, strengths, params, stream, worlds, assumed, workspace, outcomes, plays, roll_strengths
):
    """Play every option in as many worlds as `outcomes` float64[worlds, options, 4] has room for, and write it there.

    `options` uint64[n] (0: pass) with `strengths` int64[n]. Scratch: `worlds` uint64[worlds, 4], `assumed`
    int64[worlds, 4], `workspace` WORKSPACE[1], `plays` and `roll_strengths` (buffers, see `moves`). Each outcome: own
    margin, own points, 1 for a win, and what that is worth by the objective of `params`.
    """
    public = public_array[0]
    work = workspace[0]
    copy_rules(public, work.scene)
    seat = public.turn
    imagine(hand, public, worlds, assumed, params, stream, work, plays, roll_strengths)
    for w in range(worlds.shape[0]):
        for i in range(options.shape[0]):
            winner = try_option(public, worlds[w], options[i], strengths[i], assumed[w], work, plays, roll_strengths)
            outcomes[w, i, MARGIN] = margin(work.points, seat)
            outcomes[w, i, POINTS] = work.points[seat]
            outcomes[w, i, WIN] = 1.0 if winner == seat else 0.0
            outcomes[w, i, VALUE] = worth(public, work.points, winner, params)


class Position:
    """A view made ready for the kernels: its record, its options, and how good the heuristic finds them.

    `options` uint64[n] (0: pass), `strengths` int64[n], `scores` float64[n] and `certain` bool[n], in the order of the
    view's plays, the pass last. Raises ValueError for a view of a seat that has nothing to decide.
    """

    def __init__(self, view: View) -> None:
        if not view.legal_plays and not view.may_pass:
            raise ValueError(f"the view of seat {view.seat} has no options; it must be that of the seat on turn")
        self.view = view
        self.public = public_record(view)
        self.hand = np.uint64(view.hand.bits)
        bits = [play.cards.bits for play in view.legal_plays] + [0] * view.may_pass
        self.options = np.array(bits, np.uint64)
        self.strengths = np.array([play.strength for play in view.legal_plays] + [0] * view.may_pass, np.int64)
        self.buffers = new_buffers()
        self.workspace = np.zeros(1, WORKSPACE)
        plays, strengths = new_buffers()
        count = len(view.legal_plays)
        plays[: len(bits)], strengths[: len(bits)] = self.options, self.strengths
        self.scores = np.zeros(len(bits))
        self.certain = np.zeros(len(bits), np.bool_)
        score_options(self.public, self.hand, plays, strengths, count, self.scores, self.certain, *self.buffers)

    def best_scored(self, wanted: int) -> Any:
        """The indices (int64[:]) of the `wanted` options that the heuristic finds best, the best first.

        All that begin a certain finish come first, and the pass is always among them.
        """
        order = np.argsort(-self.scores, kind="stable")
        chosen = order[:wanted]
        passing = len(self.options) - 1
        if self.view.may_pass and passing not in chosen:
            chosen[-1] = passing
        return chosen

    def play(self, chosen: Any, worlds: int, params: Any, stream: Any) -> Any:
        """Try the options `chosen` in `worlds` new worlds: float64[worlds, len(chosen), 4], see `try_options`."""
        outcomes = np.empty((worlds, len(chosen), len(MEASURES)))
        scratch = np.empty((worlds, at.SEATS), np.uint64)
        options, strengths = self.options[chosen], self.strengths[chosen]
        try_options(
            self.public,
            self.hand,
            options,
            strengths,
            params,
            stream,
            scratch,
            np.empty(scratch.shape, np.int64),
            self.workspace,
            outcomes,
            *self.buffers,
        )
        return outcomes


def analyse(
    view: View,
    worlds: int = 1000,
    settings: Mapping[str, float] | None = None,
    seed: int = 0,
    candidates: int = 20,
) -> pd.DataFrame:
    """What each option of the seat on turn is expected to bring: one row an option, the best margin first.

    The columns are those of COLUMNS. `worlds` deals of the unseen cards are played, the same for all options (two at
    least); `settings` are those of `monte_carlo` (`worlds` and `candidates` do not count here), `seed` starts the
    random stream. With more than `candidates` options the heuristic's favourites are tried; `frame.attrs` says of how
    many (`options`), and has `worlds` and `seed`.

    Raises ValueError for a view of a seat that has nothing to decide, AgentError for unknown settings.
    """
    if worlds < 2 or candidates < 1:
        raise ValueError(f"worlds is {worlds} and candidates {candidates}; they must be at least 2 and 1")
    params = monte_carlo.METHOD.params(settings)
    here = Position(view)
    chosen = here.best_scored(candidates)
    stream = new_stream(root_key(seed), 0, 1 + view.seat)
    sums = np.zeros((len(chosen), len(MEASURES)))
    squares = np.zeros_like(sums)
    products = np.zeros((len(chosen), len(chosen)))  # of margins, for the differences
    for first in range(0, worlds, BATCH):
        outcomes = here.play(chosen, min(BATCH, worlds - first), params, stream)
        sums += outcomes.sum(axis=0)
        squares += (outcomes * outcomes).sum(axis=0)
        margins = outcomes[:, :, MARGIN]
        products += margins.T @ margins
    return _frame(here, chosen, worlds, seed, sums, squares, products)


def _frame(here, chosen, worlds, seed, sums, squares, products) -> pd.DataFrame:
    texts = [(str(play.cards), str(play.kind)) for play in here.view.legal_plays] + [("pass", "pass")]
    means = sums / worlds
    errors = _errors(sums, squares, worlds)
    frame = pd.DataFrame([texts[i] for i in chosen], columns=["cards", "kind"])
    for measure in (MARGIN, POINTS):
        _interval(frame, MEASURES[measure], means[:, measure], errors[:, measure])
    frame["win"], frame["win_low"], frame["win_high"] = wilson(means[:, WIN], worlds)
    best = np.argmax(means[:, MARGIN])
    difference = sums[:, MARGIN] - sums[best, MARGIN]
    spread = np.diag(products) + products[best, best] - 2 * products[best]
    _interval(frame, "behind", difference / worlds, _errors(difference, spread, worlds))
    frame["certain"] = here.certain[chosen]
    frame = frame.sort_values(["margin", "certain"], ascending=False, kind="stable", ignore_index=True)
    frame.attrs.update(options=len(here.options), worlds=worlds, seed=seed)
    return frame


def _errors(sums, squares, n):
    """Half the 95 % interval of a mean of `n` values, from their sums and sums of squares."""
    variance = np.maximum(squares - sums * sums / n, 0.0) / (n - 1)
    return Z_95 * np.sqrt(variance / n)


def _interval(frame, name, means, errors) -> None:
    frame[name], frame[f"{name}_low"], frame[f"{name}_high"] = means, means - errors, means + errors


def wilson(rate, n):
    """A rate of `n` trials and its 95 % interval (Wilson, JASA 22, 1927), which is right near 0 and 1 too."""
    centre = (rate + Z_95**2 / (2 * n)) / (1 + Z_95**2 / n)
    half = Z_95 * np.sqrt(rate * (1 - rate) / n + Z_95**2 / (4 * n * n)) / (1 + Z_95**2 / n)
    return rate, np.clip(centre - half, 0.0, rate), np.clip(centre + half, rate, 1.0)


def plot(frame: pd.DataFrame) -> Any:
    """Bars of what `analyse` found, the best on top: margin and win chance with their 95 % intervals.

    Returns a matplotlib Figure; in a notebook it shows itself as the last value of a cell.
    """
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(
        1, 2, figsize=(9, 1.1 + 0.27 * len(frame)), sharey=True, layout="constrained", width_ratios=(3, 2)
    )
    rows = np.arange(len(frame))
    for axis, name, scale, label in (
        (axes[0], "margin", 1, "own points less the mean of the others'"),
        (axes[1], "win", 100, "win chance, %"),
    ):
        means, low, high = (frame[column].to_numpy() * scale for column in (name, f"{name}_low", f"{name}_high"))
        bars = axis.barh(rows, means, color="0.72", edgecolor="0.25", linewidth=0.7, height=0.7)
        for bar, certain in zip(bars, frame["certain"]):
            if certain:
                bar.set_hatch("////")
        axis.errorbar(
            means, rows, xerr=[means - low, high - means], fmt="none", ecolor="black", elinewidth=1.2, capsize=3
        )
        axis.axvline(0, color="0.25", linewidth=0.7)
        axis.set_xlabel(label)
        axis.spines[["top", "right"]].set_visible(False)
        axis.tick_params(axis="y", length=0)
    axes[0].set_yticks(rows, frame["cards"], fontfamily="monospace", fontsize=9)
    axes[0].set_ylim(len(frame) - 0.4, -0.6)
    worlds = f" in {frame.attrs['worlds']:,} worlds" if "worlds" in frame.attrs else ""
    hatched = "; hatched: a certain finish" if frame["certain"].any() else ""
    figure.suptitle(f"expected{worlds}; lines: 95 % intervals{hatched}", fontsize=10)
    plt.close(figure)  # or a notebook would show it twice
    return figure
