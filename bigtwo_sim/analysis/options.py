"""What every option of a position is expected to bring, each with its interval: the part that is the same in all games.

All options are tried in the same worlds, which are dealt and played to their end as a search does it, but none is
dropped on the way. Differences between options are therefore known better than the options themselves.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from bigtwo_sim.arena.stats.intervals import Moments, Student, limits, scale_of, shape
from bigtwo_sim.core.kernel import kernel
from bigtwo_sim.core.lazy import lazy_module
from bigtwo_sim.core.rng import POLICY, new_stream, root_key
from bigtwo_sim.games.base.copying import Copyable
from bigtwo_sim.search.game import SearchedGame
from bigtwo_sim.search.halving import Search

if TYPE_CHECKING:
    import pandas as pd
else:
    pd = lazy_module("pandas")

BATCH = 250  # worlds that are held at a time
Z_95 = 1.959964  # of the normal distribution, two-sided
ROUNDING = 1e-12
"""A part of the sum of squares that is one of rounding."""
_PAIRS = ((1, 1), (2, 1), (2, 2), (3, 1))
WIN = "win"


@dataclass(frozen=True)
class AnalysedGame:
    """A game as an analysis sees it."""

    searched: SearchedGame
    search: Search
    measures: tuple[str, ...]
    """What is measured of each option in each world; the first one says which option is best."""
    shown: tuple[str, ...]
    """Those of them that a frame has, besides the chance to win."""
    measure: Callable[..., Any]
    """measure(outcome, public, state, points, winner, params): writes to `outcome` (float64[:]) what is measured of a
    deal that `public` looked at and that ended as `state`."""
    begins_certain_finish: Callable[..., Any]
    """begins_certain_finish(hand, public, play, strength, plays, strengths): whether a play begins a way to shed the
    hand that nobody can stop; `plays` and `strengths` are scratch."""
    copy_rules: Callable[..., Any]
    public_record: Callable[[Any], Any]
    new_buffers: Callable[[], Any]
    options: Callable[[Any], list[tuple[int, int, str, str]]]
    """Of a view its options without the pass, as a policy gets them: bits, strength, and text and kind for people."""


@dataclass(frozen=True)
class Kernels:
    """The kernels of an analysis, and the dtype of their scratch space."""

    score_all: Callable[..., Any]
    try_options: Callable[..., Any]
    workspace: np.dtype[Any]


def make_analysis(game: AnalysedGame) -> Kernels:
    """The kernels for `game`."""
    score_options, heuristic_params = game.searched.score_options, game.searched.heuristic_params
    begins_certain_finish, copy_rules, measure = game.begins_certain_finish, game.copy_rules, game.measure
    sample_worlds, try_option = game.search.sample_worlds, game.search.try_option

    @kernel
    def score_all(public_array, hand, plays, strengths, count, scores, certain, roll_plays, roll_strengths):
        """Write how good the heuristic finds each option (the pass is number `count`), and which begin sure finishes.

        `scores` float64[:], `certain` bool[:]; an option that begins a certain finish scores infinity. Where there is
        one, the heuristic may leave others unscored: minus infinity.
        """
        public = public_array[0]
        total = count + public.may_pass
        for i in range(total):
            scores[i] = -np.inf
        score_options(hand, public, plays, strengths, count, heuristic_params, scores)
        for i in range(total):
            certain[i] = i < count and begins_certain_finish(
                hand, public, plays[i], strengths[i], roll_plays, roll_strengths
            )
            if certain[i]:
                scores[i] = np.inf

    @kernel
    def try_options(
        public_array, hand, options, option_strengths, params, stream, worlds, assumed, workspace, outcomes, plays,
        strengths,
    ):  # fmt: skip
        """Play every option in as many worlds as `outcomes` float64[worlds, options, measures] has room for.

        `options` uint64[n] (0: pass) with `option_strengths` int64[n]. Scratch: `worlds` uint64[worlds, hands],
        `assumed` int64[worlds, seats], `workspace`, `plays` and `strengths` (buffers for a list of legal plays).
        """
        public = public_array[0]
        work = workspace[0]
        copy_rules(public, work.state)
        sample_worlds(hand, public, worlds, assumed, params, stream, work, plays, strengths)
        for w in range(worlds.shape[0]):
            for i in range(options.shape[0]):
                winner = try_option(
                    public, worlds[w], options[i], option_strengths[i], assumed[w], work, plays, strengths
                )
                measure(outcomes[w, i], public, work.state, work.points, winner, params)

    return Kernels(score_all, try_options, game.searched.workspace())


class OptionsOf(Copyable):
    """A view made ready for the kernels: its record, its options, and how good the heuristic finds them.

    `options` uint64[n] (0: pass), `strengths` int64[n], `scores` float64[n] and `certain` bool[n], in the order of the
    view's options, the pass last; `texts` has text and kind of each. Raises ValueError for a view of a seat that has
    nothing to decide.
    """

    game: ClassVar[AnalysedGame]
    kernels: ClassVar[Kernels]

    def __init__(self, view: Any) -> None:
        found = self.game.options(view)
        if not found and not view.may_pass:
            raise ValueError(f"the view of seat {view.seat} has no options; it must be that of the seat on turn")
        self.view = view
        self.public = self.game.public_record(view)
        self.hand = np.uint64(view.hand.bits)
        count = len(found)
        found = found + [(0, 0, "pass", "pass")] * view.may_pass
        self.options = np.array([bits for bits, *_ in found], np.uint64)
        self.strengths = np.array([strength for _, strength, *_ in found], np.int64)
        self.texts = [(text, kind) for *_, text, kind in found]
        plays, strengths = self.game.new_buffers()
        plays[: len(found)], strengths[: len(found)] = self.options, self.strengths
        self.scores = np.zeros(len(found))
        self.certain = np.zeros(len(found), np.bool_)
        self.kernels.score_all(
            self.public, self.hand, plays, strengths, count, self.scores, self.certain, *self.game.new_buffers()
        )

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
        """Try the options `chosen` in `worlds` new worlds: float64[worlds, len(chosen), measures].

        The scratch space is of this call alone, so threads may share a position.
        """
        outcomes = np.empty((worlds, len(chosen), len(self.game.measures)))
        self.kernels.try_options(
            self.public,
            self.hand,
            self.options[chosen],
            self.strengths[chosen],
            params,
            stream,
            np.empty((worlds, self.game.searched.hands), np.uint64),
            np.empty((worlds, self.game.searched.seats), np.int64),
            np.zeros(1, self.kernels.workspace),
            outcomes,
            *self.game.new_buffers(),
        )
        return outcomes

    def analyse(self, worlds: int, params: Any, seed: int, candidates: int) -> pd.DataFrame:
        """One row an option, the best first: its figures in `worlds` worlds, with 95 % intervals.

        `cards` and `kind` are texts; each of the game's measures has columns `…`, `…_low` and `…_high`, and so has
        `behind`: the first of them less that of the best option in the same worlds. Raises ValueError for fewer than
        two worlds, and for no candidates.
        """
        if worlds < 2 or candidates < 1:
            raise ValueError(f"worlds is {worlds} and candidates {candidates}; they must be at least 2 and 1")
        chosen = self.best_scored(candidates)
        stream = new_stream(root_key(seed), 0, POLICY + self.view.seat)
        powers = np.zeros((4, len(chosen), len(self.game.measures)))  # sums of the first to fourth
        products = {pair: np.zeros((len(chosen), len(chosen))) for pair in _PAIRS}  # of the first measure's powers
        for first in range(0, worlds, BATCH):
            outcomes = self.play(chosen, min(BATCH, worlds - first), params, stream)
            powers += [(outcomes**power).sum(axis=0) for power in (1, 2, 3, 4)]
            values = outcomes[:, :, 0]
            for one, other in _PAIRS:
                products[one, other] += (values**one).T @ values**other
        frame = pd.DataFrame([self.texts[i] for i in chosen], columns=["cards", "kind"])
        means = powers[0] / worlds
        for name in self.game.shown:
            _interval(frame, name, powers[:, :, self.game.measures.index(name)], worlds)
        won = means[:, self.game.measures.index(WIN)]
        frame["win"], frame["win_low"], frame["win_high"] = wilson(won, worlds)
        best = int(np.argmax(means[:, 0]))
        _interval(frame, "behind", _of_differences(powers[:, :, 0], products, best), worlds)
        frame.loc[best, ["behind_low", "behind_high"]] = 0.0  # from itself
        frame["certain"] = self.certain[chosen]
        frame = frame.sort_values([self.game.measures[0], "certain"], ascending=False, kind="stable", ignore_index=True)
        frame.attrs.update(options=len(self.options), worlds=worlds, seed=seed)
        return frame


def _of_differences(powers, products, best):
    """Sums of the powers 1 to 4 of the differences from the option `best`: float64[4, options].

    `powers` are those of all options, `products` sums of products of two options' powers.
    """
    own, its = powers, powers[:, best]
    return np.stack(
        (
            own[0] - its[0],
            own[1] - 2 * products[1, 1][:, best] + its[1],
            own[2] - 3 * products[2, 1][:, best] + 3 * products[2, 1][best] - its[2],
            own[3] - 4 * products[3, 1][:, best] + 6 * products[2, 2][:, best] - 4 * products[3, 1][best] + its[3],
        )
    )


def _interval(frame, name, powers, n) -> None:
    """Add the means of `n` values, from sums of their powers 1 to 4, float64[4, options], with 95 % intervals.

    An option whose values were all equal may yet differ as much as others do.
    """
    mean = powers[0] / n
    second = powers[1] - n * mean**2
    third = powers[2] - 3 * mean * powers[1] + 2 * n * mean**3
    fourth = powers[3] - 4 * mean * powers[2] + 6 * mean**2 * powers[1] - 3 * n * mean**4
    equal = second <= ROUNDING * np.maximum(powers[1], 1.0)
    second, third, fourth = (np.where(equal, 0.0, sums) for sums in (second, third, np.maximum(fourth, 0.0)))
    figures = shape(n, second, third, fourth)
    scale = np.full(len(mean), scale_of(powers[1], powers[3]).max())
    moments = Moments(n, mean, np.sqrt(second / (n - 1)), np.full(len(mean), np.nan), **figures, scale=scale)
    # Where no option's values varied, as of a last play that ends the deal, there is nothing to estimate.
    low, high = (mean, mean) if equal.all() else limits(moments, Student())
    frame[name], frame[f"{name}_low"], frame[f"{name}_high"] = mean, low, high


def wilson(rate, n):
    """A rate of `n` trials and its 95 % interval (Wilson, JASA 22, 1927), which is right near 0 and 1 too."""
    centre = (rate + Z_95**2 / (2 * n)) / (1 + Z_95**2 / n)
    half = Z_95 * np.sqrt(rate * (1 - rate) / n + Z_95**2 / (4 * n * n)) / (1 + Z_95**2 / n)
    return rate, np.clip(centre - half, 0.0, rate), np.clip(centre + half, rate, 1.0)
