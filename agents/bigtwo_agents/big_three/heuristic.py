"""Heuristic play: weigh what a play leaves, what it spends, and who is about to go out, and take the best.

A play is judged by how few plays shed the rest of the hand, by the high cards that it spends, by its chance to hold the
trick against the other side and by how few cards the others hold; a pass is worth nothing, and an answer must be worth
more. Partners do not fight each other: beating the partner's play costs, the more the surer that play is to hold the
trick anyway. A certain finish is always taken. Bids come from the hand's shape and its high cards. The weights are
settings; their defaults were found by CMA-ES (Hansen and Ostermeier, Evolutionary Computation 9(2), 2001) in self-play
under the rules of Shaanxi, on stakes won.
"""

from __future__ import annotations

import numpy as np

from bigtwo_sim.core.kernel import NO_BITS, ONE, U64, highest, kernel, lowest, popcount
from bigtwo_sim.core.kernels.ranks import rank_counts
from bigtwo_sim.games.big_three import layout as at
from bigtwo_sim.games.big_three.kernels.finish import is_unbeatable, leads_out
from bigtwo_sim.games.big_three.kernels.scoring import partner_of
from bigtwo_sim.games.big_three.kernels.shape import min_plays, ranks_with
from bigtwo_sim.games.big_three.kernels.turns import next_seat
from bigtwo_sim.games.big_three.kernels.worlds import unseen_cards
from bigtwo_sim.games.big_three.policy import Method, Parameter, policy

_RANGE = (-30.0, 30.0)
PARAMETERS = (
    # Lead: what a play leaves, what it sheds and spends.
    Parameter("lead_turns", 5.82, *_RANGE, "lead: cost of each play that the rest of the hand still needs"),
    Parameter("lead_last", 2.37, *_RANGE, "lead: gain where one play is left after it"),
    Parameter("lead_two_left", -3.75, *_RANGE, "lead: gain where two plays are left after it"),
    Parameter("lead_tops", -2.16, *_RANGE, "lead: gain for each card left that no unseen card beats"),
    Parameter("lead_low_singles", 0.35, *_RANGE, "lead: cost of each single card left in the lower half of the ranks"),
    Parameter("lead_size", -0.12, *_RANGE, "lead: gain for each card shed"),
    Parameter("lead_weakest", 4.72, *_RANGE, "lead: gain for getting rid of a weak card (its lowest rank)"),
    Parameter("lead_top", 5.25, *_RANGE, "lead: cost of each card of the highest rank spent"),
    Parameter("lead_second", 2.91, *_RANGE, "lead: cost of each card of the second rank spent"),
    Parameter("lead_third", 1.84, *_RANGE, "lead: cost of each card of the third rank spent"),
    # Lead: the trick and the others.
    Parameter("lead_hold_last", 1.89, *_RANGE, "lead: gain for the chance to hold the trick, one play left after it"),
    Parameter("lead_hold_two", 2.58, *_RANGE, "lead: the same with two left"),
    Parameter("lead_hold_many", -2.83, *_RANGE, "lead: the same with more left"),
    Parameter("lead_control", -4.94, *_RANGE, "lead: gain for an unbeatable play with more than one left after it"),
    Parameter("lead_danger", 12.09, *_RANGE, "lead: cost where an enemy holds as many cards, for its chance to go out"),
    Parameter(
        "lead_alarm_hold", 3.48, *_RANGE, "lead: gain for the chance to hold while an enemy holds three or fewer"
    ),
    Parameter("lead_alarm_size", 0.94, *_RANGE, "lead: gain for each card shed in that case"),
    Parameter("lead_partner_out", 8.53, *_RANGE, "lead: gain for a weak play of as many cards as the partner holds"),
    # Answer: whether at all.
    Parameter("answer_bias", 3.31, *_RANGE, "answer: gain for answering"),
    Parameter("answer_soloist", -0.21, *_RANGE, "answer: the same, more, of the soloist"),
    Parameter("answer_cards", 0.92, *_RANGE, "answer: gain for each card in the hand"),
    Parameter("answer_passed", 1.73, *_RANGE, "answer: gain for each enemy that has passed on this table"),
    Parameter("answer_alarm", 5.72, *_RANGE, "answer: gain while an enemy holds three cards or fewer, more the fewer"),
    Parameter("answer_alarm_owner", 3.58, *_RANGE, "answer: the same while the owner of the table is that enemy"),
    Parameter("answer_behind", -0.07, *_RANGE, "answer: cost where the partner may still answer the enemy's play"),
    Parameter("partner_table", 5.63, *_RANGE, "answer: cost of beating the partner"),
    Parameter("partner_holds", 7.14, *_RANGE, "answer: the same, for the chance that the partner holds the trick"),
    Parameter("partner_few", 3.98, *_RANGE, "answer: the same, where the partner holds three cards or fewer"),
    # Answer: what a play leaves, what it sheds and spends.
    Parameter("answer_fall", 2.9, *_RANGE, "answer: cost of each play by which the hand's shape falls back"),
    Parameter("answer_break", -0.87, *_RANGE, "answer: further cost of falling back by more than one"),
    Parameter("answer_turns", 0.13, *_RANGE, "answer: cost of each play that the rest of the hand still needs"),
    Parameter("answer_last", 0.47, *_RANGE, "answer: gain where one play is left after it"),
    Parameter("answer_two_left", 3.0, *_RANGE, "answer: gain where two plays are left after it"),
    Parameter("answer_tops", 5.27, *_RANGE, "answer: gain for each card left that no unseen card beats"),
    Parameter("answer_low_singles", -0.03, *_RANGE, "answer: cost of each single card left in the lower half"),
    Parameter("answer_size", -2.78, *_RANGE, "answer: gain for each card shed"),
    Parameter("answer_weakest", 5.31, *_RANGE, "answer: gain for getting rid of a weak card (its lowest rank)"),
    Parameter("answer_top", 8.42, *_RANGE, "answer: cost of each card of the highest rank spent"),
    Parameter("answer_second", 0.79, *_RANGE, "answer: cost of each card of the second rank spent"),
    Parameter("answer_third", 1.0, *_RANGE, "answer: cost of each card of the third rank spent"),
    # Answer: the trick.
    Parameter("answer_hold_last", 4.65, *_RANGE, "answer: gain for the chance to hold the trick, one left after it"),
    Parameter("answer_hold_two", 0.89, *_RANGE, "answer: the same with two left"),
    Parameter("answer_hold_many", 0.41, *_RANGE, "answer: the same with more left"),
    Parameter("answer_control", 0.85, *_RANGE, "answer: gain for an unbeatable play with more than one left after it"),
    Parameter(
        "answer_danger", 12.29, *_RANGE, "answer: cost where an enemy holds as many cards, for its chance to go out"
    ),
    Parameter("answer_alarm_hold", 4.99, *_RANGE, "answer: gain for the chance to hold while an enemy is that low"),
    Parameter("answer_jump", 0.23, *_RANGE, "answer: gain for each rank between the play and the one on the table"),
    # Both: what the weights above hang on.
    Parameter("few_turns", 0.23, *_RANGE, "part of the cost of high cards that vanishes when one play is left"),
    Parameter(
        "stage_high", 0.48, *_RANGE, "by how much the cost of high cards is greater at the start than at the end"
    ),
    Parameter("hold_single", 0.4, 0.0, 1.0, "chance that a card of the enemy's beats a lower single"),
    Parameter("hold_pair", 0.39, 0.0, 1.0, "chance that a higher pair among the unseen cards is the enemy's and laid"),
    Parameter("hold_triple", 0.11, 0.0, 1.0, "the same of triples and fours"),
    Parameter("hold_run", 0.04, 0.0, 1.0, "the same of runs"),
    # The auction.
    Parameter("bid_turns", 1.63, *_RANGE, "bid: cost of each play that the hand needs"),
    Parameter("bid_top", 7.59, *_RANGE, "bid: gain for each card of the highest rank"),
    Parameter("bid_second", 2.46, *_RANGE, "bid: gain for each card of the second rank"),
    Parameter("bid_third", 1.48, *_RANGE, "bid: gain for each card of the third rank"),
    Parameter("bid_low_singles", 0.23, *_RANGE, "bid: cost of each single card in the lower half of the ranks"),
    Parameter("bid_own_bids", 30.0, *_RANGE, "bid: gain where a soloist who loses pays what the others bid themselves"),
    Parameter("bid_1", -3.15, *_RANGE, "bid: what the hand must be worth for a bid of 1"),
    Parameter("bid_2", -1.25, *_RANGE, "bid: the same for 2"),
    Parameter("bid_3", -1.78, *_RANGE, "bid: the same for 3"),
)
(
    LEAD_TURNS,
    LEAD_LAST,
    LEAD_TWO_LEFT,
    LEAD_TOPS,
    LEAD_LOW_SINGLES,
    LEAD_SIZE,
    LEAD_WEAKEST,
    LEAD_TOP,
    LEAD_SECOND,
    LEAD_THIRD,
    LEAD_HOLD_LAST,
    LEAD_HOLD_TWO,
    LEAD_HOLD_MANY,
    LEAD_CONTROL,
    LEAD_DANGER,
    LEAD_ALARM_HOLD,
    LEAD_ALARM_SIZE,
    LEAD_PARTNER_OUT,
    ANSWER_BIAS,
    ANSWER_SOLOIST,
    ANSWER_CARDS,
    ANSWER_PASSED,
    ANSWER_ALARM,
    ANSWER_ALARM_OWNER,
    ANSWER_BEHIND,
    PARTNER_TABLE,
    PARTNER_HOLDS,
    PARTNER_FEW,
    ANSWER_FALL,
    ANSWER_BREAK,
    ANSWER_TURNS,
    ANSWER_LAST,
    ANSWER_TWO_LEFT,
    ANSWER_TOPS,
    ANSWER_LOW_SINGLES,
    ANSWER_SIZE,
    ANSWER_WEAKEST,
    ANSWER_TOP,
    ANSWER_SECOND,
    ANSWER_THIRD,
    ANSWER_HOLD_LAST,
    ANSWER_HOLD_TWO,
    ANSWER_HOLD_MANY,
    ANSWER_CONTROL,
    ANSWER_DANGER,
    ANSWER_ALARM_HOLD,
    ANSWER_JUMP,
    FEW_TURNS,
    STAGE_HIGH,
    HOLD_SINGLE,
    HOLD_PAIR,
    HOLD_TRIPLE,
    HOLD_RUN,
    BID_TURNS,
    BID_TOP,
    BID_SECOND,
    BID_THIRD,
    BID_LOW_SINGLES,
    BID_OWN_BIDS,
    BID_1,
    BID_2,
    BID_3,
) = range(len(PARAMETERS))

TOP, SECOND, THIRD = (U64(4 * (at.RANKS - step)) for step in range(1, 4))
LOWER_HALF = U64((1 << 4 * (at.RANKS // 2)) - 1)
RANK_BITS = U64(15)


@kernel(inline=True)
def _low_singles(cards):
    """How many ranks of the lower half have just one card."""
    counts = rank_counts(cards)
    return popcount(ranks_with(counts, 1) & ~ranks_with(counts, 2) & LOWER_HALF)


@kernel(inline=True)
def _up_to(cards):
    """Every card up to the rank of the highest of `cards`, held or not."""
    return (ONE << U64((highest(cards) | 3) + 1)) - ONE


@kernel(inline=True)
def bid_worth(hand, rules, params):
    """What a hand of 16 is worth in the auction."""
    utility = (
        params[BID_TOP] * popcount(hand >> TOP)
        + params[BID_SECOND] * popcount((hand >> SECOND) & RANK_BITS)
        + params[BID_THIRD] * popcount((hand >> THIRD) & RANK_BITS)
        - params[BID_TURNS] * min_plays(hand, rules)
        - params[BID_LOW_SINGLES] * _low_singles(hand)
    )
    return utility + params[BID_OWN_BIDS] if rules[at.OWN_BIDS] else utility


@kernel(inline=True)
def _bid(hand, public, count, params, scores):
    """The index of the highest bid that the hand is worth, or `count`: pass. Scores: by how much it is worth it."""
    utility = bid_worth(hand, public.rules, params)
    best = count
    for i in range(count):
        score = utility - params[BID_1 + public.bid + i]
        if scores is not None:
            scores[i] = score
        if score >= 0.0:
            best = i
    if scores is not None:
        scores[count] = 0.0
    return best


@kernel(inline=True)
def _chance_to_hold(top_rank, length, cards_a_rank, unseen, unseen_counts, share, params):
    """Rough chance, 0 to 1, that the enemies do not beat a play: by how much of what is unseen could.

    `share` is the enemies' part of the unseen cards.
    """
    above = U64(4 * (top_rank + 1))
    if length > 1:
        ranks = ranks_with(unseen_counts, cards_a_rank)
        starts = ranks >> U64(4 * (top_rank - length + 2))
        for further in range(1, length):
            starts &= ranks >> U64(4 * (top_rank - length + 2 + further))
        return (1.0 - params[HOLD_RUN] * share) ** popcount(starts)
    if cards_a_rank == 1:
        return (1.0 - params[HOLD_SINGLE] * share) ** popcount(unseen >> above)
    higher = popcount(ranks_with(unseen_counts, cards_a_rank) >> above)
    if cards_a_rank == 2:
        return (1.0 - params[HOLD_PAIR] * share) ** higher
    return (1.0 - params[HOLD_TRIPLE] * share) ** higher


@kernel(inline=True)
def _chance_to_go_out(top_rank, size, unseen, unseen_counts, unseen_count, hold):
    """The chance that an enemy whose last cards are as many as a play's can beat it with them, and be out.

    Of a single and a pair it is that of a hand drawn from the unseen cards; longer plays go by the chance to hold.
    """
    above = U64(4 * (top_rank + 1))
    if size == 1:
        return popcount(unseen >> above) / unseen_count
    if size == 2:
        pairs = (
            popcount(ranks_with(unseen_counts, 2) >> above)
            + 2 * popcount(ranks_with(unseen_counts, 3) >> above)
            + 3 * popcount(ranks_with(unseen_counts, 4) >> above)
        )
        return 2.0 * pairs / (unseen_count * (unseen_count - 1))
    return 1.0 - hold


@kernel(inline=True)
def score_options(hand, public, plays, strengths, count, params, scores):
    """The index of the best option, and whether it is a certain finish; arguments as in `policy`, without the stream.

    `scores` float64[:] or None: where the score of each option is written, that of the pass at `count`. They are not
    complete where there is a certain finish.
    """
    rules = public.rules
    if public.phase == at.AUCTION:
        return _bid(hand, public, count, params, scores), False
    seat = public.turn
    partner = partner_of(public, seat)
    in_runs, in_sets = U64(rules[at.RUN_RANKS]), U64(rules[at.SET_RANKS])
    unseen = unseen_cards(hand, public)
    unseen_counts = rank_counts(unseen)
    unseen_count = popcount(unseen)
    leading = public.size_to_beat == 0

    # The others, in the order of play.
    most = np.int64(0)
    fewest = np.int64(at.CARDS)
    enemies_cards = np.int64(0)
    enemies_passed = np.int64(0)
    partner_left = np.int64(0)
    partner_behind = False  # whether the partner's turn comes before the trick can end
    other = next_seat(seat, rules)
    while other != seat:
        left = public.left[other]
        most = max(most, left)
        passed = (public.passed >> other) & 1
        if other == partner:
            partner_left = left
            partner_behind = not passed and other != public.owner
        else:
            enemies_cards += left
            fewest = min(fewest, left)
            enemies_passed += passed
        other = next_seat(other, rules)
    share = enemies_cards / unseen_count
    late = 1.0 - unseen_count / (at.CARDS - at.SOLO_HAND)
    alarm = max(0, 4 - fewest) / 3.0
    high_weight = 1.0 + params[STAGE_HIGH] * (0.5 - late)
    below_tops = _up_to(unseen)

    turns_now = 0
    answer = 0.0  # what all answers have in common
    if not leading:
        turns_now = min_plays(hand, rules)
        answer = params[ANSWER_BIAS] + params[ANSWER_CARDS] * popcount(hand) + params[ANSWER_PASSED] * enemies_passed
        if public.owner == partner:
            table = public.strength_to_beat
            length = table >> at.LENGTH_SHIFT
            holds = 1.0
            if enemies_passed == 0 or rules[at.PLAYERS] == at.PAIRS_PLAYERS:
                holds = _chance_to_hold(
                    table & at.RANK_BITS,
                    length,
                    ((table >> at.FORM_SHIFT) & 3) + 1,
                    unseen,
                    unseen_counts,
                    share,
                    params,
                )
            answer -= (
                params[PARTNER_TABLE]
                + params[PARTNER_HOLDS] * holds
                + params[PARTNER_FEW] * max(0, 4 - partner_left) / 3.0
            )
        else:
            answer += params[ANSWER_ALARM] * alarm
            answer += params[ANSWER_ALARM_OWNER] * max(0, 4 - public.left[public.owner]) / 3.0
            if partner < 0:
                answer += params[ANSWER_SOLOIST]
            elif partner_behind:
                answer -= params[ANSWER_BEHIND]

    best = count
    best_score = -np.inf
    if public.may_pass:
        best_score = 0.0
        if scores is not None:
            scores[count] = 0.0
    for i in range(count):
        play = plays[i]
        strength = strengths[i]
        length = strength >> at.LENGTH_SHIFT
        cards_a_rank = ((strength >> at.FORM_SHIFT) & 3) + 1
        top_rank = strength & at.RANK_BITS
        size = length * cards_a_rank
        rest = hand ^ play
        if rest == NO_BITS:
            return i, True
        turns = min_plays(rest, rules)
        control = is_unbeatable(top_rank, length, cards_a_rank, unseen_counts, most, in_runs, in_sets)
        if control and (turns == 1 or leads_out(rest, unseen_counts, most, rules)):
            return i, True
        hold = 1.0
        if not control:
            hold = _chance_to_hold(top_rank, length, cards_a_rank, unseen, unseen_counts, share, params)
        weakest = 1.0 - (lowest(play) >> 2) / (at.RANKS - 1.0)
        tops = popcount(rest & ~below_tops)
        low_singles = _low_singles(rest)
        first_high = LEAD_TOP if leading else ANSWER_TOP
        spent = (
            (1.0 - params[FEW_TURNS] / turns)
            * high_weight
            * (
                params[first_high] * popcount(play >> TOP)
                + params[first_high + 1] * popcount((play >> SECOND) & RANK_BITS)
                + params[first_high + 2] * popcount((play >> THIRD) & RANK_BITS)
            )
        )
        if leading:
            score = (
                hold * (params[LEAD_HOLD_LAST + min(turns - 1, 2)] + params[LEAD_ALARM_HOLD] * alarm)
                - params[LEAD_TURNS] * turns
                + params[LEAD_TOPS] * tops
                - params[LEAD_LOW_SINGLES] * low_singles
                + (params[LEAD_SIZE] + params[LEAD_ALARM_SIZE] * alarm) * size
                + params[LEAD_WEAKEST] * weakest
                - spent
            )
            if turns <= 2:
                score += params[LEAD_LAST + turns - 1]
            if control:
                score += params[LEAD_CONTROL]
            if size == fewest:
                score -= params[LEAD_DANGER] * _chance_to_go_out(
                    top_rank, size, unseen, unseen_counts, unseen_count, hold
                )
            if size == partner_left:
                score += params[LEAD_PARTNER_OUT] * weakest
        else:
            fall = turns - turns_now + 1
            score = (
                answer
                + hold * (params[ANSWER_HOLD_LAST + min(turns - 1, 2)] + params[ANSWER_ALARM_HOLD] * alarm)
                - params[ANSWER_FALL] * fall
                - params[ANSWER_TURNS] * turns
                + params[ANSWER_TOPS] * tops
                - params[ANSWER_LOW_SINGLES] * low_singles
                + params[ANSWER_SIZE] * size
                + params[ANSWER_WEAKEST] * weakest
                + params[ANSWER_JUMP] * (strength - public.strength_to_beat - 1)
                - spent
            )
            if turns <= 2:
                score += params[ANSWER_LAST + turns - 1]
            if fall > 1:
                score -= params[ANSWER_BREAK]
            if control:
                score += params[ANSWER_CONTROL]
            if size == fewest:
                score -= params[ANSWER_DANGER] * _chance_to_go_out(
                    top_rank, size, unseen, unseen_counts, unseen_count, hold
                )
        if scores is not None:
            scores[i] = score
        if score > best_score:
            best_score = score
            best = i
    return best, False


@policy
def choose(hand, public, plays, strengths, count, params, stream):
    """The option with the best balance; pass where no answer is worth more than nothing."""
    best, _ = score_options(hand, public, plays, strengths, count, params, None)
    return best


METHOD = Method(
    "heuristic",
    choose,
    "weighs the hand's shape, the cards spent, the trick, the partner and who is about to go out",
    PARAMETERS,
)
