"""Monte Carlo play: deal the unseen cards in many ways, play each world to its end, and take the play that does best.

All candidates are tried in the same worlds, and the worse half of them is dropped round by round (sequential halving:
Karnin, Koren and Somekh, ICML 2013, section 3), so most of the work goes to the plays that are hard to tell apart.
Worlds in which the others would hardly have played as they did are thinned out (`belief`). A certain finish is played
without a single rollout. `docs/strong-bot.md` tells what each part is worth.
"""

from __future__ import annotations

import numpy as np

from agents import heuristic
from agents.heuristic import unseen_cards, weigh
from bigtwo_sim.big_two import layout as at
from bigtwo_sim.big_two.plays import strength_of
from bigtwo_sim.big_two.policy import Method, Parameter, policy
from bigtwo_sim.big_two.scoring import settle
from bigtwo_sim.big_two.turns import lay, pass_turn, start_deal, turn_plays
from bigtwo_sim.kernel import NO_BITS, ONE, U64, kernel, lowest, lowest_bit, popcount
from bigtwo_sim.rng import below, unit

PARAMETERS = (
    Parameter("worlds", 100, 1, 100_000, "worlds in which the candidates that stay to the end are tried"),
    Parameter(
        "objective", 0, 0, 1, "what is maximised: 0 own points less the mean of the others', 1 the chance to win"
    ),
    Parameter("rollout", 0, 0, 1, "who plays the worlds to their end: 0 heuristic, 1 greedy"),
    Parameter("belief", 1, 1, 64, "worlds dealt for each one that is used; the likeliest are used more often"),
    Parameter("doubt", 0.3, 0.001, 1, "how likely somebody is to play otherwise than the heuristic would"),
    Parameter("candidates", 12, 2, at.MAX_PLAYS, "options that are tried: those that the heuristic scores best"),
)
WORLDS, OBJECTIVE, ROLLOUT, BELIEF, DOUBT, CANDIDATES = range(len(PARAMETERS))
POINTS, WIN = range(2)
_HEURISTIC = heuristic.METHOD.params()


@kernel
def _deal_world(public, seat, hand, unseen, world, cards, stream):
    """Deal the unseen cards at random to the other three seats, as many to each as it holds (`world` uint64[4])."""
    count = 0
    while unseen != NO_BITS:
        cards[count] = lowest(unseen)
        unseen ^= lowest_bit(unseen)
        count += 1
    for step in range(1, at.SEATS):
        other = (seat + step) & 3
        dealt = NO_BITS
        for _ in range(public.left[other]):
            i = below(stream, count)
            count -= 1
            dealt |= ONE << U64(cards[i])
            cards[i] = cards[count]
        world[other] = dealt
    world[seat] = hand


@kernel(inline=True)
def _greedy_choice(hand, public, plays, count):
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
def _play_out(public, hands, plays, strengths, rollout):
    """Play a deal to its end."""
    while public.winner < 0:
        hand = hands[public.turn]
        count, may_pass = turn_plays(public, hand, plays, strengths)
        choice = np.int64(0)
        if count + may_pass > 1:
            if rollout == 0:
                choice, _ = weigh(hand, public, plays, strengths, count, _HEURISTIC, None)
            else:
                choice = _greedy_choice(hand, public, plays, count)
        if choice < count:
            lay(public, hands, plays[choice], strengths[choice])
        else:
            pass_turn(public)


@kernel
def _likelihood(public, scene, world, hands, seat, plays, strengths, doubt):
    """How likely the others' turns so far are if they hold `world`: a factor `doubt` for each that the heuristic would
    not have taken. The first turn, which the opening rule may have bound, is left out."""
    for other in range(at.SEATS):
        hands[other] = world[other] | public.played[other]
    start_deal(scene, hands, public.log_seats[0])
    likelihood = 1.0
    for turn in range(public.turns):
        cards = public.log[turn]
        mover = scene.turn
        if turn > 0 and mover != seat:
            count, may_pass = turn_plays(scene, hands[mover], plays, strengths)
            if count + may_pass > 1:
                choice, _ = weigh(hands[mover], scene, plays, strengths, count, _HEURISTIC, None)
                chosen = plays[choice] if choice < count else NO_BITS
                if chosen != cards:
                    likelihood *= doubt
        if cards == NO_BITS:
            pass_turn(scene)
        else:
            lay(scene, hands, cards, strength_of(cards, scene.rules))
    return likelihood


@kernel(inline=True)
def _copy_scene(public, scene):
    """Everything that a deal played on needs; the log begins anew."""
    scene.turn = public.turn
    scene.table = public.table
    scene.table_size = public.table_size
    scene.table_strength = public.table_strength
    scene.owner = public.owner
    scene.passed = public.passed
    scene.opening = public.opening
    scene.winner = public.winner
    scene.turns = 0
    for seat in range(at.SEATS):
        scene.left[seat] = public.left[seat]
        scene.played[seat] = public.played[seat]


@kernel
def _try_option(
    public, scene, world, hands, option, count, plays, strengths, roll_plays, roll_strengths, points, params
):
    """Value of an option in a world: play it, then play the deal to its end."""
    seat = public.turn
    _copy_scene(public, scene)
    for other in range(at.SEATS):
        hands[other] = world[other]
    if option < count:
        lay(scene, hands, plays[option], strengths[option])
    else:
        pass_turn(scene)
    _play_out(scene, hands, roll_plays, roll_strengths, np.int64(params[ROLLOUT]))
    if params[OBJECTIVE] == WIN:
        return 1.0 if scene.winner == seat else 0.0
    settle(hands, scene.winner, scene.rules, points)
    others = points[(seat + 1) & 3] + points[(seat + 2) & 3] + points[(seat + 3) & 3]
    return points[seat] - others / 3.0


@kernel
def _search(
    hand, public, plays, strengths, count, params, stream, scenes, roll_plays, roll_strengths,
    scores, options, sums, worlds, ints, bits,
):  # fmt: skip
    scene = scenes[0]
    seat = public.turn
    rules = public.rules
    for i in range(rules.shape[0]):
        scene.rules[i] = rules[i]
    total = count + public.may_pass
    first, certain = weigh(hand, public, plays, strengths, count, _HEURISTIC, scores)
    if certain:
        return first
    # Candidates: the options with the best scores.
    candidates = min(total, np.int64(params[CANDIDATES]))
    for i in range(candidates):
        best = -1
        for k in range(total):
            if scores[k] == scores[k] and (best < 0 or scores[k] > scores[best]):
                best = k
        options[i] = best
        scores[best] = np.nan
        sums[i] = 0.0
    cards = ints[:52]
    points = ints[52:56]
    hands = bits[:4]
    trial = bits[4:8]
    unseen = unseen_cards(hand, public)
    wanted = worlds.shape[0]
    belief = np.int64(params[BELIEF])
    for w in range(wanted):
        world = worlds[w]
        _deal_world(public, seat, hand, unseen, world, cards, stream)
        if belief > 1 and public.turns > 1:
            weight = _likelihood(public, scene, world, hands, seat, roll_plays, roll_strengths, params[DOUBT])
            for _ in range(belief - 1):
                _deal_world(public, seat, hand, unseen, trial, cards, stream)
                other = _likelihood(public, scene, trial, hands, seat, roll_plays, roll_strengths, params[DOUBT])
                weight += other
                if unit(stream) * weight < other:
                    for s in range(at.SEATS):
                        world[s] = trial[s]
    rounds = 0
    while 1 << rounds < candidates:
        rounds += 1
    used = 0
    for r in range(rounds):
        until = np.int64(np.ceil(wanted * (2.0 ** (r + 1) - 1.0) / (2.0**rounds - 1.0)))
        for w in range(used, until):
            for i in range(candidates):
                sums[i] += _try_option(
                    public, scene, worlds[w], hands, options[i], count, plays, strengths,
                    roll_plays, roll_strengths, points, params,
                )  # fmt: skip
        used = until
        # Keep the better half, best first.
        keep = (candidates + 1) >> 1
        for i in range(keep):
            best = i
            for k in range(i + 1, candidates):
                if sums[k] > sums[best]:
                    best = k
            sums[i], sums[best] = sums[best], sums[i]
            options[i], options[best] = options[best], options[i]
        candidates = keep
    return options[0]


@policy(allocates=True)
def choose(hand, public, plays, strengths, count, params, stream):
    """The option that does best in the worlds."""
    return _search(
        hand,
        public,
        plays,
        strengths,
        count,
        params,
        stream,
        np.zeros(1, at.PUBLIC),
        np.empty(at.MAX_PLAYS, np.uint64),
        np.empty(at.MAX_PLAYS, np.int64),
        np.empty(at.MAX_PLAYS + 1, np.float64),
        np.empty(at.MAX_PLAYS + 1, np.int64),
        np.empty(at.MAX_PLAYS + 1, np.float64),
        np.empty((np.int64(params[WORLDS]), at.SEATS), np.uint64),
        np.empty(64, np.int64),
        np.empty(8, np.uint64),
    )


METHOD = Method("monte_carlo", choose, "plays sampled worlds to their end and takes what does best", PARAMETERS)
