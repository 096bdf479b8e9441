"""Heuristic play: weigh what a play leaves, what it spends, and who is about to go out, and take the best.

A play is judged by the exact least number of plays that shed the rest of the hand, by the high cards that it spends or
keeps, by its chance to hold the trick and by how few cards the others hold; a pass is worth nothing, and an answer must
be worth more. A certain finish is always taken: a play that empties the hand, or an unbeatable one that leaves a single
play. The weights are settings; their defaults were found by CMA-ES (Hansen and Ostermeier, Evolutionary Computation
9(2), 2001) against three greedy players, on win rate and points.
"""

from __future__ import annotations

import numpy as np

from bigtwo_agents.big_two.beginner import BEGINNER_PARAMS, beginners_choice
from bigtwo_sim.core.kernel import NO_BITS, ONE, U64, highest, kernel, lowest, popcount
from bigtwo_sim.core.kernels.ranks import EVERY_RANK, at_least_three, at_least_two, rank_counts
from bigtwo_sim.core.rng import bell, unit
from bigtwo_sim.games.big_two import layout as at
from bigtwo_sim.games.big_two.kernels.finish import forced_win, unbeatable_from
from bigtwo_sim.games.big_two.kernels.moves import lead_plays
from bigtwo_sim.games.big_two.kernels.shape import min_plays
from bigtwo_sim.games.big_two.kernels.worlds import unseen_cards
from bigtwo_sim.games.big_two.policy import Method, Parameter, policy

_RANGE = (-30.0, 30.0)
PARAMETERS = (
    # Lead: what a play leaves.
    Parameter("lead_turns", 4.08, *_RANGE, "lead: cost of each play that the rest of the hand still needs"),
    Parameter("lead_last", 1.64, *_RANGE, "lead: gain where one play is left after it"),
    Parameter("lead_two_left", -0.21, *_RANGE, "lead: gain where two plays are left after it"),
    Parameter("lead_tops", 2.39, *_RANGE, "lead: gain for each card left that no unseen card beats"),
    Parameter("lead_seconds", -0.1, *_RANGE, "lead: gain for each card left that one to three unseen cards beat"),
    Parameter(
        "lead_low_singles",
        2.2,
        *_RANGE,
        "lead: cost of each rank in the lower half of the unseen cards of which one card is left",
    ),
    Parameter("lead_low_pairs", 0.34, *_RANGE, "lead: cost of each such rank of which two or more are left"),
    # Lead: what it sheds and spends.
    Parameter("lead_size", 2.04, *_RANGE, "lead: gain for each card shed"),
    Parameter(
        "lead_weakest", 3.23, *_RANGE, "lead: gain for getting rid of a weak card (its weakest: 1 for a 3, 0 for a 2)"
    ),
    Parameter("lead_two", 5.54, *_RANGE, "lead: cost of each 2 spent"),
    Parameter("lead_ace", 2.68, *_RANGE, "lead: cost of each ace spent"),
    Parameter("lead_king", 0.33, *_RANGE, "lead: cost of each king spent"),
    Parameter("lead_queen", 0.19, *_RANGE, "lead: cost of each queen spent"),
    # Lead: the trick.
    Parameter(
        "lead_hold_last", 0.18, *_RANGE, "lead: gain for the chance to hold the trick, with one play left after it"
    ),
    Parameter("lead_hold_two", 1.63, *_RANGE, "lead: the same with two left"),
    Parameter("lead_hold_many", -0.41, *_RANGE, "lead: the same with more left"),
    Parameter("lead_control", -1.46, *_RANGE, "lead: gain for an unbeatable play with more than one left after it"),
    Parameter(
        "lead_danger",
        2.49,
        *_RANGE,
        "lead: cost of a play of as many cards as somebody else holds, for the chance that it is beaten",
    ),
    Parameter("lead_danger_next", 0.84, *_RANGE, "lead: the same, more, where that is the next player"),
    Parameter(
        "lead_alarm_hold",
        3.04,
        *_RANGE,
        "lead: gain for the chance to hold the trick while somebody else holds three cards or fewer",
    ),
    Parameter("lead_alarm_size", 3.87, *_RANGE, "lead: gain for each card shed in that case"),
    # Answer: whether at all.
    Parameter("answer_bias", 0.31, *_RANGE, "answer: gain for answering"),
    Parameter("answer_cards", 0.17, *_RANGE, "answer: gain for each card in the hand"),
    Parameter("answer_others", -0.13, *_RANGE, "answer: gain for each card that the others have played"),
    Parameter("answer_passed", 2.81, *_RANGE, "answer: gain for each seat that has passed on this table"),
    Parameter(
        "answer_alarm", 8.06, *_RANGE, "answer: gain while somebody else holds three cards or fewer, more the fewer"
    ),
    Parameter("answer_alarm_owner", 2.15, *_RANGE, "answer: the same while the owner of the table does"),
    # Answer: what a play leaves.
    Parameter("answer_fall", 2.82, *_RANGE, "answer: cost of each play by which the hand's shape falls back"),
    Parameter("answer_break", 3.01, *_RANGE, "answer: further cost of falling back by more than one"),
    Parameter("answer_turns", 0.08, *_RANGE, "answer: cost of each play that the rest of the hand still needs"),
    Parameter("answer_last", 0.04, *_RANGE, "answer: gain where one play is left after it"),
    Parameter("answer_two_left", -0.49, *_RANGE, "answer: gain where two plays are left after it"),
    Parameter("answer_tops", 4.47, *_RANGE, "answer: gain for each card left that no unseen card beats"),
    Parameter("answer_seconds", 0.92, *_RANGE, "answer: gain for each card left that one to three unseen cards beat"),
    Parameter(
        "answer_low_singles",
        0.73,
        *_RANGE,
        "answer: cost of each rank in the lower half of the unseen cards of which one card is left",
    ),
    Parameter("answer_low_pairs", 0.66, *_RANGE, "answer: cost of each such rank of which two or more are left"),
    # Answer: what it sheds and spends.
    Parameter("answer_size", 3.11, *_RANGE, "answer: gain for each card shed"),
    Parameter(
        "answer_weakest",
        3.49,
        *_RANGE,
        "answer: gain for getting rid of a weak card (its weakest: 1 for a 3, 0 for a 2)",
    ),
    Parameter("answer_two", 7.07, *_RANGE, "answer: cost of each 2 spent"),
    Parameter("answer_ace", 3.74, *_RANGE, "answer: cost of each ace spent"),
    Parameter("answer_king", 1.98, *_RANGE, "answer: cost of each king spent"),
    Parameter("answer_queen", 0.75, *_RANGE, "answer: cost of each queen spent"),
    # Answer: the trick.
    Parameter(
        "answer_hold_last", 4.58, *_RANGE, "answer: gain for the chance to hold the trick, with one play left after it"
    ),
    Parameter("answer_hold_two", -1.63, *_RANGE, "answer: the same with two left"),
    Parameter("answer_hold_many", -2.98, *_RANGE, "answer: the same with more left"),
    Parameter("answer_control", 1.9, *_RANGE, "answer: gain for an unbeatable play with more than one left after it"),
    Parameter(
        "answer_alarm_hold",
        7.37,
        *_RANGE,
        "answer: gain for the chance to hold the trick while somebody else holds three cards or fewer",
    ),
    Parameter(
        "answer_jump",
        0.01,
        *_RANGE,
        "answer: gain for each unseen card between a single laid and the one on the table",
    ),
    Parameter("answer_jump_late", 0.39, *_RANGE, "answer: the same, times the part of the others' cards that is gone"),
    # Both: what the weights above hang on.
    Parameter("few_turns", 0.2, *_RANGE, "part of the cost of high cards that vanishes when one play is left"),
    Parameter(
        "stage_high",
        1.56,
        *_RANGE,
        "by how much the cost of high cards is greater at the start of a deal than at its end",
    ),
    Parameter(
        "stage_turns", 0.35, *_RANGE, "by how much the cost of plays to go is greater at the start than at its end"
    ),
    Parameter("hold_passed", 2.46, *_RANGE, "how much three passes on the table add to the chance to hold the trick"),
    # Knobs that make it play worse.
    Parameter("blunder", 0.0, 0.0, 1.0, "how often it does what a beginner would"),
    Parameter("noise", 0.0, 0.0, 100.0, "by how much it misjudges an option (standard deviation of what is added)"),
)
(
    LEAD_TURNS,
    LEAD_LAST,
    LEAD_TWO_LEFT,
    LEAD_TOPS,
    LEAD_SECONDS,
    LEAD_LOW_SINGLES,
    LEAD_LOW_PAIRS,
    LEAD_SIZE,
    LEAD_WEAKEST,
    LEAD_TWO,
    LEAD_ACE,
    LEAD_KING,
    LEAD_QUEEN,
    LEAD_HOLD_LAST,
    LEAD_HOLD_TWO,
    LEAD_HOLD_MANY,
    LEAD_CONTROL,
    LEAD_DANGER,
    LEAD_DANGER_NEXT,
    LEAD_ALARM_HOLD,
    LEAD_ALARM_SIZE,
    ANSWER_BIAS,
    ANSWER_CARDS,
    ANSWER_OTHERS,
    ANSWER_PASSED,
    ANSWER_ALARM,
    ANSWER_ALARM_OWNER,
    ANSWER_FALL,
    ANSWER_BREAK,
    ANSWER_TURNS,
    ANSWER_LAST,
    ANSWER_TWO_LEFT,
    ANSWER_TOPS,
    ANSWER_SECONDS,
    ANSWER_LOW_SINGLES,
    ANSWER_LOW_PAIRS,
    ANSWER_SIZE,
    ANSWER_WEAKEST,
    ANSWER_TWO,
    ANSWER_ACE,
    ANSWER_KING,
    ANSWER_QUEEN,
    ANSWER_HOLD_LAST,
    ANSWER_HOLD_TWO,
    ANSWER_HOLD_MANY,
    ANSWER_CONTROL,
    ANSWER_ALARM_HOLD,
    ANSWER_JUMP,
    ANSWER_JUMP_LATE,
    FEW_TURNS,
    STAGE_HIGH,
    STAGE_TURNS,
    HOLD_PASSED,
    BLUNDER,
    NOISE,
) = range(len(PARAMETERS))

OTHERS_CARDS = 3.0 * at.HAND_SIZE
TWO, ACE, KING, QUEEN = (U64(4 * (at.RANKS - step)) for step in range(1, 5))
RANK_BITS = U64(15)


@kernel(inline=True)
def _without_highest(cards, how_many):
    """`cards` without the highest `how_many` of them."""
    for _ in range(how_many):
        if cards != NO_BITS:
            cards ^= ONE << U64(highest(cards))
    return cards


@kernel(inline=True)
def _lower_half(cards):
    """Every card up to the middle one of `cards`, found by halving the word."""
    wanted = (popcount(cards) + 1) >> 1
    position = 0
    width = 32
    while width > 0:
        below = popcount((cards >> U64(position)) & ((ONE << U64(width)) - ONE))
        if below < wanted:
            wanted -= below
            position += width
        width >>= 1
    return (ONE << U64(position + 1)) - ONE


@kernel(inline=True)
def _up_to(cards):
    """Every card up to the highest of `cards`, held or not."""
    return (ONE << U64(highest(cards) + 1)) - ONE


@kernel(inline=True)
def _chance_to_hold(size, strength, unseen, unseen_count):
    """Rough chance, 0 to 1, that nobody beats a play: by how much of what is unseen could."""
    if size == 1:
        share = 1.0 - popcount(unseen >> U64(strength + 1)) / unseen_count
        return share * share
    if size == 2:
        return 1.0 / (1.0 + 0.5 * popcount(at_least_two(rank_counts(unseen)) >> U64(strength & ~3)))
    if size == 3:
        return 1.0 / (1.0 + 0.2 * popcount(at_least_three(rank_counts(unseen)) >> U64(4 * strength)))
    category = (strength >> at.CATEGORY_SHIFT) & at.CATEGORY_BITS
    if category == at.STRAIGHT:
        return 0.3 + 0.03 * ((strength >> 2) & 15)
    if category == at.FLUSHES:
        return 0.65
    if category == at.FULL_HOUSE:
        return 0.75 + 0.015 * (strength & 15)
    return 0.97


@kernel
def _leads_out(rest, unseen, most, rules, plays, strengths, count):
    """Whether `rest` on lead is a certain finish; its plays are listed behind the first `count`."""
    end = lead_plays(rest, rules, plays, strengths, count)
    return forced_win(rest, unseen, most, rules, plays, strengths, count, end) >= 0


@kernel(inline=True)
def _weigh(hand, public, plays, strengths, count, params, scores, stream):
    """See `score_options`; with a `stream` that is not None each option is misjudged as `noise` says."""
    rules = public.rules
    seat = public.turn
    unseen = unseen_cards(hand, public)
    unseen_count = popcount(unseen)
    next_left = public.left[(seat + 1) & 3]
    second_left = public.left[(seat + 2) & 3]
    third_left = public.left[(seat + 3) & 3]
    fewest = min(next_left, second_left, third_left)
    most = max(next_left, second_left, third_left)
    leading = public.size_to_beat == 0

    below_tops = _up_to(unseen)
    below_seconds = _up_to(_without_highest(unseen, 3))
    low_ranks = _lower_half(unseen)
    gone = OTHERS_CARDS - (next_left + second_left + third_left)
    late = gone / OTHERS_CARDS
    turns_weight = 1.0 + params[STAGE_TURNS] * (0.5 - late)
    high_weight = 1.0 + params[STAGE_HIGH] * (0.5 - late)
    alarm = max(0, 4 - fewest) / 3.0
    passes = popcount(U64(public.passed))
    turns_now = 0
    answer = 0.0  # what all answers have in common
    if not leading:
        turns_now = min_plays(hand, rules)
        answer = (
            params[ANSWER_BIAS]
            + params[ANSWER_CARDS] * popcount(hand)
            + params[ANSWER_OTHERS] * gone
            + params[ANSWER_PASSED] * passes
            + params[ANSWER_ALARM] * alarm
            + params[ANSWER_ALARM_OWNER] * max(0, 4 - public.left[public.owner]) / 3.0
        )

    best = count
    best_score = -np.inf
    if public.may_pass:
        best_score = 0.0
        if stream is not None:
            best_score = params[NOISE] * bell(stream)
        if scores is not None:
            scores[count] = best_score
    bound_size = np.int64(0)
    bound = np.int64(0)
    unbeatable = NO_BITS
    for i in range(count):
        play = plays[i]
        strength = strengths[i]
        size = popcount(play)
        rest = hand ^ play
        if rest == NO_BITS:
            return i, True
        turns = min_plays(rest, rules)
        if size != bound_size:
            bound_size = size
            bound = unbeatable_from(unseen, size, most, rules)
        control = strength >= bound
        if control:
            if turns == 1 or (
                not leading and turns <= 3 and _leads_out(rest, unseen, most, rules, plays, strengths, count)
            ):
                return i, True
            unbeatable |= play
        hold = 1.0
        if not control:
            hold = _chance_to_hold(size, strength, unseen, unseen_count)
            if not leading:
                hold += (1.0 - hold) * params[HOLD_PASSED] * passes / 3.0
        tops = popcount(rest & ~below_tops)
        seconds = popcount(rest & ~below_seconds) - tops
        counts = rank_counts(rest)
        paired = at_least_two(counts)
        low_pairs = popcount(paired & low_ranks)
        low_singles = popcount(counts & EVERY_RANK & ~paired & low_ranks)
        weakest = 1.0 - (lowest(play) >> 2) / 12.0
        first_high = LEAD_TWO if leading else ANSWER_TWO
        spent = (
            (1.0 - params[FEW_TURNS] / turns)
            * high_weight
            * (
                params[first_high] * popcount(play >> TWO)
                + params[first_high + 1] * popcount((play >> ACE) & RANK_BITS)
                + params[first_high + 2] * popcount((play >> KING) & RANK_BITS)
                + params[first_high + 3] * popcount((play >> QUEEN) & RANK_BITS)
            )
        )
        if leading:
            score = (
                hold * (params[LEAD_HOLD_LAST + min(turns - 1, 2)] + params[LEAD_ALARM_HOLD] * alarm)
                - params[LEAD_TURNS] * turns * turns_weight
                + params[LEAD_TOPS] * tops
                + params[LEAD_SECONDS] * seconds
                - params[LEAD_LOW_SINGLES] * low_singles
                - params[LEAD_LOW_PAIRS] * low_pairs
                + (params[LEAD_SIZE] + params[LEAD_ALARM_SIZE] * alarm) * size
                + params[LEAD_WEAKEST] * weakest
                - spent
            )
            if turns <= 2:
                score += params[LEAD_LAST + turns - 1]
            if control:
                score += params[LEAD_CONTROL]
            if next_left == size:
                score -= (params[LEAD_DANGER] + params[LEAD_DANGER_NEXT]) * (1.0 - hold)
            elif second_left == size or third_left == size:
                score -= params[LEAD_DANGER] * (1.0 - hold)
        else:
            fall = turns - turns_now + 1
            score = (
                answer
                + hold * (params[ANSWER_HOLD_LAST + min(turns - 1, 2)] + params[ANSWER_ALARM_HOLD] * alarm)
                - params[ANSWER_FALL] * fall * turns_weight
                - params[ANSWER_TURNS] * turns
                + params[ANSWER_TOPS] * tops
                + params[ANSWER_SECONDS] * seconds
                - params[ANSWER_LOW_SINGLES] * low_singles
                - params[ANSWER_LOW_PAIRS] * low_pairs
                + params[ANSWER_SIZE] * size
                + params[ANSWER_WEAKEST] * weakest
                - spent
            )
            if turns <= 2:
                score += params[ANSWER_LAST + turns - 1]
            if fall > 1:
                score -= params[ANSWER_BREAK]
            if control:
                score += params[ANSWER_CONTROL]
            if size == 1 and public.size_to_beat == 1:
                jump = popcount(unseen & (_up_to(play) ^ _up_to(public.play_to_beat)))
                score += (params[ANSWER_JUMP] + params[ANSWER_JUMP_LATE] * late) * jump
        if stream is not None:
            score += params[NOISE] * bell(stream)
        if scores is not None:
            scores[i] = score
        if score > best_score:
            best_score = score
            best = i
    if leading and unbeatable != NO_BITS and popcount(hand & ~unbeatable) <= at.PLAY_SIZE:
        first = forced_win(hand, unseen, most, rules, plays, strengths, 0, count)
        if first >= 0:
            return first, True
    return best, False


@kernel(inline=True)
def score_options(hand, public, plays, strengths, count, params, scores):
    """The index of the best option, and whether it is a certain finish; arguments as in `policy`, without the stream.

    `scores` float64[:] or None: where the score of each option is written, that of the pass at `count`. They are not
    complete where there is a certain finish. The knobs among `params` do not count here.
    """
    return _weigh(hand, public, plays, strengths, count, params, scores, None)


@kernel
def _misjudge(hand, public, plays, strengths, count, params, stream):
    """The option that looks best to somebody who misjudges each; apart, so that `choose` stays as quick as it is."""
    best, _ = _weigh(hand, public, plays, strengths, count, params, None, stream)
    return best


@policy
def choose(hand, public, plays, strengths, count, params, stream):
    """The play with the best balance; pass where no answer is worth more than nothing."""
    if params[BLUNDER] > 0.0 and unit(stream) < params[BLUNDER]:
        return beginners_choice(hand, public, plays, strengths, count, BEGINNER_PARAMS, stream)
    if params[NOISE] > 0.0:
        return _misjudge(hand, public, plays, strengths, count, params, stream)
    best, _ = score_options(hand, public, plays, strengths, count, params, None)
    return best


METHOD = Method(
    "heuristic", choose, "weighs the hand's shape, the cards spent, the trick and who is about to go out", PARAMETERS
)
