"""Monte Carlo play: deal the unseen cards in many ways, play each world to its end, and take the play that does best.

All candidates are tried in the same worlds, and the worse half of them is dropped round by round (sequential halving:
Karnin, Koren and Somekh, ICML 2013, section 3), so most of the work goes to the plays that are hard to tell apart.
Of several worlds dealt, the one is likelier to be used in which the others would have played as they did (`belief`).
A certain finish is played without a single rollout. `docs/strong-bot.md` tells what each part is worth.
"""

from __future__ import annotations

import numpy as np

from agents.assumed import GREEDY, HEURISTIC, HEURISTIC_PARAMS, POLICIES, assumed_choice, play_out
from agents.heuristic import weigh
from agents.later_turns import MAX_LEARNT, learn, play_out_learning, table_size
from bigtwo_sim.big_two import layout as at
from bigtwo_sim.big_two.endgame import margin, solve
from bigtwo_sim.big_two.plays import strength_of
from bigtwo_sim.big_two.policy import Method, Parameter, policy
from bigtwo_sim.big_two.race import match_chance
from bigtwo_sim.big_two.scoring import settle
from bigtwo_sim.big_two.turns import lay, pass_turn, turn_plays
from bigtwo_sim.big_two.worlds import (
    all_worlds,
    copy_rules,
    count_worlds,
    deal_world,
    enter_first_turn,
    enter_world,
    unseen_cards,
)
from bigtwo_sim.kernel import NO_BITS, kernel, popcount
from bigtwo_sim.rng import unit

PARAMETERS = (
    Parameter("worlds", 100, 1, 100_000, "worlds in which the candidates that stay to the end are tried"),
    Parameter("objective", 0, 0, 2, "what is maximised: 0 points less the mean of the others', 1 wins, 2 the match"),
    Parameter("win_bonus", 30, 0, 1000, "objective 0: points that a win is worth besides what it collects"),
    Parameter("match_gain", 20, 1, 1000, "objective 2: points that the winner of a later deal is taken to collect"),
    Parameter(
        "assumed", 2, 0, 2, "what the others are assumed to play: 0 heuristic, 1 greedy, 2 what fits their turns"
    ),
    Parameter("greedy_share", 0.3, 0, 1, "assumed 2: how likely somebody plays greedy before the first turn"),
    Parameter("belief", 2, 1, 64, "worlds dealt for each one that is used; the likeliest are used more often"),
    Parameter("doubt", 0.3, 0.001, 1, "how likely somebody is to play otherwise than is assumed"),
    Parameter("recent", 12, 1, at.MAX_TURNS, "how many of the last turns belief looks at"),
    Parameter("candidates", 6, 2, 1000, "options that are tried: those that the heuristic scores best"),
    Parameter("later_options", 3, 0, 12, "options of its own later turns that it learns about; 0: as the heuristic"),
    Parameter("explore", 8, 0, 1000, "points by which an option of a later turn that is hardly known is favoured"),
    Parameter(
        "endgame", 10, 0, 16, "cards in all hands from which on all worlds are searched to their end, not sampled"
    ),
)
(
    WORLDS,
    OBJECTIVE,
    WIN_BONUS,
    MATCH_GAIN,
    ASSUMED,
    GREEDY_SHARE,
    BELIEF,
    DOUBT,
    RECENT,
    CANDIDATES,
    LATER_OPTIONS,
    EXPLORE,
    ENDGAME,
) = range(len(PARAMETERS))
POINTS, WINS, MATCH = range(3)
FITTING = 2  # of `assumed`
ONLY_WINS = 1e6  # a bonus beside which points do not count
END_BUDGET = 100_000  # positions that the search of an end may look at before it gives way to rollouts

WORKSPACE = np.dtype(
    (
        np.record,
        np.dtype(
            [
                ("scene", at.PUBLIC),  # the deal that is played on
                ("hands", np.uint64, (at.SEATS,)),
                ("trial", np.uint64, (at.SEATS,)),  # a world that may replace another
                ("fits", np.float64, (at.SEATS, POLICIES)),  # how well each policy fits the turns of each seat
                ("cards", np.int64, (at.CARDS,)),
                ("points", np.int64, (at.SEATS,)),
                ("budget", np.int64, (1,)),
                ("scores", np.float64, (at.MAX_PLAYS + 1,)),
                ("options", np.int64, (at.MAX_PLAYS + 1,)),
                ("sums", np.float64, (at.MAX_PLAYS + 1,)),
                ("learnt", np.int64, (MAX_LEARNT,)),  # what the rollout at hand chose at own later turns
            ],
            align=True,
        ),
    )
)
"""Scratch space of one decision."""


@kernel
def _likelihood(public, world, work, plays, strengths, params):
    """How likely the others' last turns are if they hold `world`, and which policy fits each of them (`work.fits`).

    Each turn that a policy would not have taken counts as a factor `doubt`. The first turn of the deal, which the
    opening rule may have bound, is left out.
    """
    scene = work.scene
    hands = work.hands
    fits = work.fits
    only = np.int64(params[ASSUMED])
    greedy_share = params[GREEDY_SHARE]
    if only != FITTING:
        greedy_share = 1.0 if only == GREEDY else 0.0
    for seat in range(at.SEATS):
        fits[seat, HEURISTIC] = 1.0 - greedy_share
        fits[seat, GREEDY] = greedy_share
    enter_first_turn(public, world, scene, hands)
    first = max(1, public.turns - np.int64(params[RECENT]))
    for turn in range(public.turns):
        cards = public.log[turn]
        seat = scene.turn
        if turn >= first and seat != public.turn:
            count, may_pass = turn_plays(scene, hands[seat], plays, strengths)
            if count + may_pass > 1:
                for policy_number in range(POLICIES):
                    if fits[seat, policy_number] > 0.0:
                        choice = assumed_choice(hands[seat], scene, plays, strengths, count, policy_number)
                        if cards != (plays[choice] if choice < count else NO_BITS):
                            fits[seat, policy_number] *= params[DOUBT]
        if cards == NO_BITS:
            pass_turn(scene)
        else:
            lay(scene, hands, cards, strength_of(cards, scene.rules))
    likelihood = 1.0
    for seat in range(at.SEATS):
        if seat != public.turn:
            likelihood *= fits[seat, HEURISTIC] + fits[seat, GREEDY]
    return likelihood


@kernel
def _draw_policies(public, fits, assumed, stream):
    """Draw the policy of each of the others by how well it fits."""
    for seat in range(at.SEATS):
        assumed[seat] = HEURISTIC
        if seat != public.turn and unit(stream) * (fits[seat, HEURISTIC] + fits[seat, GREEDY]) < fits[seat, GREEDY]:
            assumed[seat] = GREEDY


@kernel
def imagine(hand, public, worlds, assumed, params, stream, work, plays, strengths):
    """Deal `worlds` (uint64[n, 4], written) that fit what the seat on turn knows, the likelier ones more often.

    `assumed` int64[n, 4] is written too: what each seat plays in each world. `work` is a record of WORKSPACE, `plays`
    and `strengths` are buffers (see `moves`): all scratch.
    """
    unseen = unseen_cards(hand, public)
    dealt = np.int64(params[BELIEF]) if public.turns > 1 else 1
    trial = work.trial
    for w in range(worlds.shape[0]):
        world = worlds[w]
        deal_world(public, hand, unseen, world, work.cards, stream)
        total = _likelihood(public, world, work, plays, strengths, params)
        _draw_policies(public, work.fits, assumed[w], stream)
        for _ in range(dealt - 1):
            # Each of the worlds dealt stays with a chance in proportion to its likelihood.
            deal_world(public, hand, unseen, trial, work.cards, stream)
            likelihood = _likelihood(public, trial, work, plays, strengths, params)
            total += likelihood
            if unit(stream) * total < likelihood:
                for seat in range(at.SEATS):
                    world[seat] = trial[seat]
                _draw_policies(public, work.fits, assumed[w], stream)


@kernel(inline=True)
def enter_option(public, world, play, strength, scene, hands):
    """Set `scene` and `hands` to where a world stands once the seat on turn has laid `play` (no cards: passed)."""
    enter_world(public, world, scene, hands)
    if play == NO_BITS:
        pass_turn(scene)
    else:
        lay(scene, hands, play, strength)


@kernel
def try_option(public, world, play, strength, assumed, work, plays, strengths):
    """Lay `play` (no cards: pass) in a world and play on to the end, by the policies `assumed` (int64[4]).

    The points are in `work`; returned is the winner.
    """
    scene = work.scene
    hands = work.hands
    enter_option(public, world, play, strength, scene, hands)
    play_out(scene, hands, plays, strengths, assumed)
    settle(hands, scene.winner, scene.rules, work.points)
    return scene.winner


@kernel(inline=True)
def worth(public, points, winner, params):
    """What the outcome of a deal is worth to the seat on turn."""
    seat = public.turn
    objective = params[OBJECTIVE]
    target = public.rules[at.MATCH_TARGET]
    if objective == MATCH and target > 0:
        return match_chance(public.totals, points, seat, target, params[MATCH_GAIN])
    won = 1.0 if winner == seat else 0.0
    if objective == POINTS:
        return margin(points, seat) + params[WIN_BONUS] * won
    return won


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
def _search_end(
    hand, public, plays, strengths, count, params, worlds, cards, ends, hands, points, budget, workspace,
    roll_plays, roll_strengths,
):  # fmt: skip
    """The option with the best mean outcome over all worlds, each searched to its end; -1 where that is too long."""
    work = workspace[0]
    end = ends[0]
    copy_rules(public, end)
    dealt = all_worlds(public, hand, unseen_cards(hand, public), worlds, cards)
    total = count + public.may_pass
    sums = work.sums
    for i in range(total):
        sums[i] = 0.0
    seat = public.turn
    bonus = params[WIN_BONUS] if params[OBJECTIVE] == POINTS else ONLY_WINS
    budget[0] = END_BUDGET
    for w in range(dealt):
        world = worlds[w]
        weight = 1.0
        if params[BELIEF] > 1 and public.turns > 1:
            weight = _likelihood(public, world, work, roll_plays, roll_strengths, params)
        for i in range(total):
            enter_option(public, world, plays[i] if i < count else NO_BITS, strengths[i], end, hands)
            sums[i] += weight * solve(ends, hands, roll_plays, roll_strengths, points, budget, bonus)[seat]
        if budget[0] < 0:
            return -1
    best = 0
    for i in range(1, total):
        if sums[i] > sums[best]:
            best = i
    return best


@kernel(inline=True)
def _rounds(candidates):
    """Rounds of halving from so many candidates to one."""
    rounds = 0
    while 1 << rounds < candidates:
        rounds += 1
    return rounds


@kernel
def _search(
    hand, public, plays, strengths, count, params, stream, worlds, assumed, workspace, roll_plays, roll_strengths,
    keys, visits, offers, values,
):  # fmt: skip
    work = workspace[0]
    best, certain = weigh(hand, public, plays, strengths, count, HEURISTIC_PARAMS, work.scores)
    if certain:
        return best
    total = count + public.may_pass
    candidates = min(total, np.int64(params[CANDIDATES]))
    options = work.options
    sums = work.sums
    _best_scored(work.scores, total, options, candidates)
    for i in range(candidates):
        sums[i] = 0.0
    imagine(hand, public, worlds, assumed, params, stream, work, roll_plays, roll_strengths)
    seat = public.turn
    scene = work.scene
    hands = work.hands
    later_options = np.int64(params[LATER_OPTIONS])
    rounds = _rounds(candidates)
    used = 0
    for r in range(rounds):
        # Round r has half the candidates of the one before and twice its worlds.
        until = (worlds.shape[0] * ((2 << r) - 1) + (1 << rounds) - 2) // ((1 << rounds) - 1)
        for w in range(used, until):
            for i in range(candidates):
                option = options[i]
                play = plays[option] if option < count else NO_BITS
                if later_options == 0:
                    winner = try_option(
                        public, worlds[w], play, strengths[option], assumed[w], work, roll_plays, roll_strengths
                    )
                    sums[i] += worth(public, work.points, winner, params)
                    continue
                enter_option(public, worlds[w], play, strengths[option], scene, hands)
                chosen = play_out_learning(
                    scene, hands, seat, assumed[w], later_options, params[EXPLORE], keys, visits, offers, values,
                    work.learnt, work.scores, roll_plays, roll_strengths,
                )  # fmt: skip
                settle(hands, scene.winner, scene.rules, work.points)
                value = worth(public, work.points, scene.winner, params)
                learn(work.learnt, chosen, value, visits, values)
                sums[i] += value
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
    assumed = np.empty(worlds.shape, np.int64)
    workspace = np.empty(1, WORKSPACE)
    copy_rules(public, workspace[0].scene)
    roll_plays = np.empty(at.MAX_PLAYS, np.uint64)
    roll_strengths = np.empty(at.MAX_PLAYS, np.int64)
    cards = (
        popcount(hand) + public.left[0] + public.left[1] + public.left[2] + public.left[3] - public.left[public.turn]
    )
    if cards <= params[ENDGAME] and params[OBJECTIVE] != MATCH and count_worlds(public) <= worlds.shape[0]:
        best = _search_end(
            hand, public, plays, strengths, count, params, worlds, np.empty(2 * at.CARDS, np.uint64),
            np.zeros(1, at.PUBLIC), np.empty(at.SEATS, np.uint64), np.empty(at.SEATS, np.int64), np.empty(1, np.int64),
            workspace, roll_plays, roll_strengths,
        )  # fmt: skip
        if best >= 0:
            return best
    rollouts = worlds.shape[0] * (_rounds(np.int64(params[CANDIDATES])) + 1)
    entries = table_size(rollouts, np.int64(params[LATER_OPTIONS]))
    return _search(
        hand, public, plays, strengths, count, params, stream, worlds, assumed, workspace, roll_plays, roll_strengths,
        np.zeros(entries, np.uint64), np.zeros(entries, np.int64), np.zeros(entries, np.int64), np.zeros(entries),
    )  # fmt: skip


def cost(params):
    """A decision's time in those of the heuristic: about 37 for each world (`bigtwo bench`: strong, heuristic)."""
    return 37.0 * float(params[WORLDS])


METHOD = Method("monte_carlo", choose, "plays sampled worlds to their end and takes what does best", PARAMETERS, cost)
