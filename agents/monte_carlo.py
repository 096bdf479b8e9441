"""Monte Carlo play: deal the unseen cards in many ways, play each world to its end, and take the play that does best.

All candidates are tried in the same worlds, and the worse half of them is dropped round by round (sequential halving:
Karnin, Koren and Somekh, ICML 2013, section 3), so most of the work goes to the plays that are hard to tell apart.
Of several worlds dealt, the one is likelier to be used in which the others would have played as they did (`belief`).
A certain finish is played without a single rollout. `docs/strong-bot.md` tells what each part is worth.
"""

from __future__ import annotations

import numpy as np

from agents import heuristic
from agents.heuristic import weigh
from bigtwo_sim.big_two import layout as at
from bigtwo_sim.big_two.plays import strength_of
from bigtwo_sim.big_two.policy import Method, Parameter, policy
from bigtwo_sim.big_two.scoring import settle
from bigtwo_sim.big_two.turns import lay, pass_turn, turn_plays
from bigtwo_sim.big_two.worlds import copy_rules, deal_world, enter_first_turn, enter_world, unseen_cards
from bigtwo_sim.kernel import NO_BITS, kernel, lowest_bit, popcount
from bigtwo_sim.rng import unit

PARAMETERS = (
    Parameter("worlds", 100, 1, 100_000, "worlds in which the candidates that stay to the end are tried"),
    Parameter("win_bonus", 30, 0, 1000, "points that a win is worth besides what it collects"),
    Parameter("rollout", 0, 0, 1, "who plays the worlds to their end: 0 heuristic, 1 greedy"),
    Parameter("belief", 2, 1, 64, "worlds dealt for each one that is used; the likeliest are used more often"),
    Parameter("doubt", 0.3, 0.001, 1, "how likely somebody is to play otherwise than the heuristic would"),
    Parameter("recent", 12, 1, at.MAX_TURNS, "how many of the last turns belief looks at"),
    Parameter("candidates", 6, 2, 1000, "options that are tried: those that the heuristic scores best"),
)
WORLDS, WIN_BONUS, ROLLOUT, BELIEF, DOUBT, RECENT, CANDIDATES = range(len(PARAMETERS))
HEURISTIC_ROLLOUT = 0
_HEURISTIC = heuristic.METHOD.params()

WORKSPACE = np.dtype(
    (
        np.record,
        np.dtype(
            [
                ("scene", at.PUBLIC),  # the deal that is played on
                ("hands", np.uint64, (at.SEATS,)),
                ("trial", np.uint64, (at.SEATS,)),  # a world that may replace another
                ("cards", np.int64, (at.CARDS,)),
                ("points", np.int64, (at.SEATS,)),
                ("scores", np.float64, (at.MAX_PLAYS + 1,)),
                ("options", np.int64, (at.MAX_PLAYS + 1,)),
                ("sums", np.float64, (at.MAX_PLAYS + 1,)),
            ],
            align=True,
        ),
    )
)
"""Scratch space of one decision."""


@kernel(inline=True)
def _greedy(hand, public, plays, count):
    """The choice of `agents.greedy`."""
    if public.table_size > 0:
        return np.int64(0)
    weakest = lowest_bit(hand)
    best = np.int64(0)
    best_size = np.int64(0)
    for i in range(count):
        if plays[i] & weakest != NO_BITS and popcount(plays[i]) > best_size:
            best = i
            best_size = popcount(plays[i])
    return best


@kernel
def play_out(public, hands, plays, strengths, rollout):
    """Play a deal to its end, all seats by the policy that `rollout` says (of PARAMETERS)."""
    while public.winner < 0:
        hand = hands[public.turn]
        count, may_pass = turn_plays(public, hand, plays, strengths)
        choice = np.int64(0)
        if count + may_pass > 1:
            if rollout == HEURISTIC_ROLLOUT:
                choice, _ = weigh(hand, public, plays, strengths, count, _HEURISTIC, None)
            else:
                choice = _greedy(hand, public, plays, count)
        if choice < count:
            lay(public, hands, plays[choice], strengths[choice])
        else:
            pass_turn(public)


@kernel
def _likelihood(public, world, work, plays, strengths, doubt, recent):
    """How likely the others' last turns are if they hold `world`: a factor `doubt` for each that the heuristic would
    not have taken. The first turn, which the opening rule may have bound, is left out."""
    scene = work.scene
    hands = work.hands
    enter_first_turn(public, world, scene, hands)
    likelihood = 1.0
    first = max(1, public.turns - recent)
    for turn in range(public.turns):
        cards = public.log[turn]
        seat = scene.turn
        if turn >= first and seat != public.turn:
            count, may_pass = turn_plays(scene, hands[seat], plays, strengths)
            if count + may_pass > 1:
                choice, _ = weigh(hands[seat], scene, plays, strengths, count, _HEURISTIC, None)
                if cards != (plays[choice] if choice < count else NO_BITS):
                    likelihood *= doubt
        if cards == NO_BITS:
            pass_turn(scene)
        else:
            lay(scene, hands, cards, strength_of(cards, scene.rules))
    return likelihood


@kernel
def imagine(hand, public, worlds, params, stream, work, plays, strengths):
    """Deal `worlds` (uint64[n, 4], written) that fit what the seat on turn knows, the likelier ones more often.

    `work` is a record of WORKSPACE, `plays` and `strengths` are buffers (see `moves`): all scratch.
    """
    unseen = unseen_cards(hand, public)
    dealt = np.int64(params[BELIEF]) if public.turns > 1 else 1
    doubt = params[DOUBT]
    recent = np.int64(params[RECENT])
    trial = work.trial
    for w in range(worlds.shape[0]):
        world = worlds[w]
        deal_world(public, hand, unseen, world, work.cards, stream)
        if dealt > 1:
            # Each of the worlds dealt stays with a chance in proportion to its likelihood.
            total = _likelihood(public, world, work, plays, strengths, doubt, recent)
            for _ in range(dealt - 1):
                deal_world(public, hand, unseen, trial, work.cards, stream)
                likelihood = _likelihood(public, trial, work, plays, strengths, doubt, recent)
                total += likelihood
                if unit(stream) * total < likelihood:
                    for seat in range(at.SEATS):
                        world[seat] = trial[seat]


@kernel
def try_option(public, world, play, strength, rollout, work, plays, strengths):
    """Lay `play` (no cards: pass) in a world and play on to the end; the points are in `work`, returned is the winner."""
    scene = work.scene
    hands = work.hands
    enter_world(public, world, scene, hands)
    if play == NO_BITS:
        pass_turn(scene)
    else:
        lay(scene, hands, play, strength)
    play_out(scene, hands, plays, strengths, rollout)
    settle(hands, scene.winner, scene.rules, work.points)
    return scene.winner


@kernel(inline=True)
def margin(points, seat):
    """Own points less the mean of the others'."""
    return points[seat] - (points[(seat + 1) & 3] + points[(seat + 2) & 3] + points[(seat + 3) & 3]) / 3.0


@kernel
def _best_scored(scores, total, options, wanted):
    """Write the indices of the `wanted` best of `scores` (which are used up) to `options`, the best first."""
    for i in range(wanted):
        best = 0
        for k in range(1, total):
            if scores[k] > scores[best]:
                best = k
        options[i] = best
        scores[best] = -np.inf


@kernel
def _search(hand, public, plays, strengths, count, params, stream, worlds, workspace, roll_plays, roll_strengths):
    work = workspace[0]
    copy_rules(public, work.scene)
    best, certain = weigh(hand, public, plays, strengths, count, _HEURISTIC, work.scores)
    if certain:
        return best
    total = count + public.may_pass
    candidates = min(total, np.int64(params[CANDIDATES]))
    options = work.options
    sums = work.sums
    _best_scored(work.scores, total, options, candidates)
    for i in range(candidates):
        sums[i] = 0.0
    imagine(hand, public, worlds, params, stream, work, roll_plays, roll_strengths)
    rollout = np.int64(params[ROLLOUT])
    bonus = params[WIN_BONUS]
    seat = public.turn
    rounds = 0
    while 1 << rounds < candidates:
        rounds += 1
    used = 0
    for r in range(rounds):
        # Round r has half the candidates of the one before and twice its worlds.
        until = (worlds.shape[0] * ((2 << r) - 1) + (1 << rounds) - 2) // ((1 << rounds) - 1)
        for w in range(used, until):
            for i in range(candidates):
                option = options[i]
                play = plays[option] if option < count else NO_BITS
                winner = try_option(
                    public, worlds[w], play, strengths[option], rollout, work, roll_plays, roll_strengths
                )
                sums[i] += margin(work.points, seat)
                if winner == seat:
                    sums[i] += bonus
        used = until
        kept = (candidates + 1) >> 1
        for i in range(kept):
            best = i
            for k in range(i + 1, candidates):
                if sums[k] > sums[best]:
                    best = k
            sums[i], sums[best] = sums[best], sums[i]
            options[i], options[best] = options[best], options[i]
        candidates = kept
    return options[0]


@policy(allocates=True)
def choose(hand, public, plays, strengths, count, params, stream):
    """The option that does best in the worlds."""
    worlds = np.empty((np.int64(params[WORLDS]), at.SEATS), np.uint64)
    workspace = np.empty(1, WORKSPACE)
    roll_plays = np.empty(at.MAX_PLAYS, np.uint64)
    roll_strengths = np.empty(at.MAX_PLAYS, np.int64)
    return _search(hand, public, plays, strengths, count, params, stream, worlds, workspace, roll_plays, roll_strengths)


METHOD = Method("monte_carlo", choose, "plays sampled worlds to their end and takes what does best", PARAMETERS)
