"""Whole deals at random, thousands under every preset and under house rules: what must hold at every step does.

Deals are walked by a kernel that checks each step itself (`walk`); their logs are then replayed by the same kernel,
through `Deal`, and through the reference.
"""

import random
from types import SimpleNamespace

import numpy as np
import pytest

from bigtwo_sim.core.kernel import U64
from bigtwo_sim.games.big_two import Deal, IllegalPlay
from bigtwo_sim.games.big_two import layout as at
from bigtwo_sim.games.big_two.kernels.turns import new_public
from tests.games.big_two.random_walk import (
    DOES_NOT_BEAT,
    FAULTS,
    ILLEGAL_LOG,
    LEADER_PASSES,
    NOT_CONSERVED,
    NOT_IN_HAND,
    NOT_IN_ORDER,
    STUCK,
    WRONG_END,
    Walked,
    fault_between_steps,
    fault_of_plays,
    no_leader,
    short_deals,
    walked,
    whole_deals,
)
from tests.games.big_two.sides import amount, book_of, card_set, engine_rules, text
from tests.reference.big_two import NaiveDeal, settle
from tests.reference.vectors import PRESETS, SWITCHES, random_rules, rules
from tests.tools.lanes import a_tenth_or_all

pytestmark = pytest.mark.kernel

HOUSES = 16


def house_rules(number: int) -> SimpleNamespace:
    return random_rules(random.Random(f"deals {number}"))


# The many


def check(plain: SimpleNamespace, seed: int, count: int, against_reference: int) -> Walked:
    """Walk whole deals and short ones, with few passes and with many, some led by a named seat."""
    chosen = engine_rules(plain)
    dealt = np.concatenate([whole_deals(seed, count), short_deals(seed, count // 2)])
    leaders = np.where(np.arange(len(dealt)) % 4 == 3, np.arange(len(dealt)) // 4 % at.SEATS, -1)
    done = walked(chosen, dealt, leaders, passes=1)
    for many in (walked(chosen, dealt, leaders, passes=12), done):
        again = walked(chosen, dealt, leaders, passes=0, logs=many.publics["log"])
        for field in many.publics.dtype.names or ():
            assert np.array_equal(again.publics[field], many.publics[field]), field
        assert np.array_equal(again.hands, many.hands)
        assert np.array_equal(again.points, many.points)
        for hands, winner, points in zip(many.hands.tolist(), many.publics["winner"], many.points, strict=True):
            assert points.tolist() == settle([text(hand, plain) for hand in hands], int(winner), plain)
        step = max(1, len(dealt) // against_reference)
        for i in range(0, len(dealt), step):
            replay_beside_reference(plain, many, i)
    return done


def replay_beside_reference(plain: SimpleNamespace, done: Walked, i: int) -> None:
    """Replay deal i through `Deal` and the reference: the same options at every step, the same end."""
    chosen, hands, leader = done.rules, done.hands_of(i, plain), done.leader(i)
    deal = Deal.from_hands(chosen, [card_set(hand, chosen) for hand in hands], leader)
    naive = NaiveDeal(hands, plain, leader, book_of(plain))
    for seat, cards in done.log(i):
        assert not deal.is_over
        assert not naive.over
        assert deal.turn == naive.turn == seat
        assert (deal.play_to_beat is None) == (naive.play_to_beat is None)
        assert deal.play_to_beat is None or str(deal.play_to_beat.cards) == " ".join(naive.play_to_beat or ())
        assert [str(play.cards) for play in deal.legal_plays()] == [" ".join(play) for play in naive.legal_plays()]
        assert deal.may_pass == naive.may_pass()
        if cards:
            deal.play(chosen.deck.text(cards))
            naive.apply_play(text(cards, plain))
        else:
            deal.pass_()
            naive.pass_()
    assert deal.is_over
    assert deal.winner == naive.winner == int(done.publics["winner"][i])
    assert list(deal.points) == naive.points == done.points[i].tolist()
    assert [set(str(hand).split()) for hand in deal.hands] == naive.hands
    assert [(seat, tuple(str(cards).split())) for seat, cards in deal.log] == naive.log
    assert deal.legal_plays() == []
    assert not deal.may_pass
    with pytest.raises(IllegalPlay, match=f"the deal is over; seat {deal.winner} has won"):
        deal.pass_()


@a_tenth_or_all
@pytest.mark.parametrize("preset", PRESETS)
def test_random_deals_of_a_preset(preset: str, share: int) -> None:
    done = check(PRESETS[preset], 11, amount(4_000 // share, 20), amount(60 // share, 4))
    winners = np.bincount(done.publics["winner"], minlength=at.SEATS)
    assert (winners > amount(len(done.dealt) // 8, 0)).all()
    assert done.publics["turns"].max() > 40


@a_tenth_or_all
@pytest.mark.parametrize("number", range(HOUSES))
def test_random_deals_under_house_rules(number: int, share: int) -> None:
    check(house_rules(number), number, amount(300 // share, 4), amount(10 // share, 2))


def test_house_rules_have_every_value() -> None:
    drawn = [house_rules(number) for number in range(HOUSES)]
    for switch in ("passing", "bombs", "last_card", "opening_play", "double_twos", "settlement", "four_card_plays"):
        assert {getattr(one, switch) for one in drawn} == set(SWITCHES[switch]), switch


@pytest.mark.parametrize("settlement", SWITCHES["settlement"])
def test_points_of_a_deal_sum_up(settlement: str) -> None:
    chosen = engine_rules(rules(settlement=settlement))
    count = amount(2_000, 20)
    done = walked(chosen, whole_deals(3, count), no_leader(count), passes=1)
    sums = done.points.sum(axis=1)
    assert (sums > 0).all() if settlement == "winner_credited" else not sums.any()
    assert (done.points[np.arange(count), done.publics["winner"]] > 0).all()


def test_longest_deals_fit_the_log() -> None:
    """All lay their lowest card alone, and others pass as often as they may."""
    chosen = engine_rules(rules())
    count = amount(3_000, 10)
    done = walked(chosen, whole_deals(5, count), no_leader(count), passes=1_000)
    assert done.publics["turns"].max() <= at.MAX_TURNS


@pytest.mark.parametrize("fault", [NOT_CONSERVED, WRONG_END, ILLEGAL_LOG])
def test_a_fault_is_found(fault: int) -> None:
    """The walk does not pass over what it should find."""
    chosen = engine_rules(rules())
    dealt = whole_deals(1, 2)
    done = walked(chosen, dealt, no_leader(2), passes=1)
    if fault == NOT_CONSERVED:
        found = fault_between_steps(done.publics[0], done.hands[0], dealt[1])
        assert found == fault
    elif fault == WRONG_END:
        done.publics["winner"][0] = -1
        assert fault_between_steps(done.publics[0], done.hands[0], dealt[0]) == fault
    else:
        logs = done.publics["log"].copy()
        logs[1, 0] = 0  # the leader passes
        with pytest.raises(pytest.fail.Exception, match=FAULTS[fault]):
            walked(chosen, dealt, no_leader(2), passes=1, logs=logs)


def test_faults_of_plays_are_found() -> None:
    public = new_public(engine_rules(rules()))[0]
    public.size_to_beat, public.strength_to_beat = 1, 5
    hand = U64(0b1111_1111_1111)

    def fault(plays: list[int], strengths: list[int], may_pass: int = 1) -> int:
        return int(fault_of_plays(public, hand, np.array(plays, U64), np.array(strengths), len(plays), may_pass))

    assert fault([1 << 6, 1 << 7], [6, 7]) == 0
    assert fault([1 << 7, 1 << 6], [7, 6]) == NOT_IN_ORDER
    assert fault([1 << 6, 1 << 6], [6, 6]) == NOT_IN_ORDER
    assert fault([1 << 20], [20]) == NOT_IN_HAND
    assert fault([1 << 4], [4]) == DOES_NOT_BEAT
    assert fault([0b11 << 8], [9]) == DOES_NOT_BEAT
    public.size_to_beat = 0
    assert fault([1 << 6], [6], may_pass=1) == LEADER_PASSES
    assert fault([], [], may_pass=0) == STUCK
