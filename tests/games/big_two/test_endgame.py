"""Small ends searched to the last play, all worlds of a seat, the race for a match: against slow references."""

from __future__ import annotations

import itertools
import random

import numpy as np
import pytest

from bigtwo_sim.core.kernel import U64
from bigtwo_sim.games.big_two import PRESETS, CardSet, Deal, Rules
from bigtwo_sim.games.big_two.kernels.endgame import solve
from bigtwo_sim.games.big_two.kernels.match_equity import MOST_WINS, match_equity
from bigtwo_sim.games.big_two.kernels.moves import new_buffers
from bigtwo_sim.games.big_two.kernels.worlds import all_worlds, count_worlds
from tests.games.big_two.sides import amount

pytestmark = pytest.mark.kernel


def small_end(rules: Rules, sizes: tuple[int, ...], rnd: random.Random) -> Deal:
    """A deal of hands of these sizes, led by seat 0."""
    drawn = rnd.sample(range(52), sum(sizes))
    hands = []
    for size in sizes:
        hands.append(CardSet(sum(1 << drawn.pop() for _ in range(size)), rules.deck))
    return Deal.from_hands(rules, hands, leader=0)


def best_for_all(deal: Deal, played: tuple[str, ...] = ()) -> list[float]:
    """Outcome of each seat if all play their best, by trying every line; the first of equal options counts."""
    fresh = Deal.from_hands(deal.rules, list(deal.dealt), leader=0)
    for cards in played:
        if cards:
            fresh.play(cards)
        else:
            fresh.pass_()
    if fresh.is_over:
        return [points - (sum(fresh.points) - points) / 3 for points in fresh.points]
    options = [str(play.cards) for play in fresh.legal_plays()] + [""] * fresh.may_pass
    outcomes = [best_for_all(deal, (*played, option)) for option in options]
    seat = fresh.turn
    return max(outcomes, key=lambda outcome: outcome[seat])


def standing(public: np.ndarray, hands: np.ndarray) -> list[object]:
    """What a search must leave as it was."""
    fields = (
        "turn",
        "play_to_beat",
        "size_to_beat",
        "strength_to_beat",
        "owner",
        "passed",
        "winner",
        "turns",
        "left",
        "played",
    )
    return [public[field].tolist() for field in fields] + [hands.tolist()]


@pytest.mark.parametrize("preset", PRESETS)
def test_the_search_finds_what_trying_every_line_finds(preset: str) -> None:
    rnd = random.Random(preset)
    for _ in range(amount(6, 1)):
        deal = small_end(PRESETS[preset], (2, 2, 1, 2), rnd)
        budget = np.array([10**6])
        public, hands = deal._public_array, deal._hands
        before = standing(public, hands)
        found = solve(public, hands, *new_buffers(), np.zeros(4, np.int64), budget, 0.0)
        assert budget[0] >= 0
        assert found == pytest.approx(best_for_all(deal))
        assert standing(public, hands) == before


def test_a_search_that_takes_too_long_says_so() -> None:
    deal = small_end(Rules(), (4, 4, 4, 4), random.Random(5))
    budget = np.array([20])
    solve(deal._public_array, deal._hands, *new_buffers(), np.zeros(4, np.int64), budget, 0.0)
    assert budget[0] < 0


@pytest.mark.parametrize("sizes", [(3, 2, 2, 2), (1, 1, 1, 1), (2, 3, 1, 2), (5, 1, 4, 2)])
def test_all_worlds_are_there_once(sizes: tuple[int, ...]) -> None:
    deal = small_end(Rules(), sizes, random.Random(1))
    hand, *others = (hand.bits for hand in deal.hands)
    unseen = sum(others)
    worlds = np.zeros((count_worlds(deal._public), 4), np.uint64)
    written = all_worlds(deal._public, U64(hand), U64(unseen), worlds, np.zeros(78, np.uint64))
    cards = [1 << card for card in range(52) if unseen >> card & 1]
    expected = set()
    for first in itertools.combinations(cards, sizes[1]):
        rest = [card for card in cards if card not in first]
        for second in itertools.combinations(rest, sizes[2]):
            expected.add((hand, sum(first), sum(second), unseen - sum(first) - sum(second)))
    assert written == len(worlds) == len(expected)
    assert {tuple(world) for world in worlds.tolist()} == expected


def race(short: list[int], rounds: int, rnd: random.Random) -> float:
    """Share of simulated races that the first of four wins."""
    won = 0
    for _ in range(rounds):
        left = list(short)
        while min(left) > 0:
            left[rnd.randrange(4)] -= 1
        won += left[0] == 0
    return won / rounds


@pytest.mark.parametrize("totals", [(0, 0, 0, 0), (30, 10, 0, 45), (49, 49, 0, 0), (5, 40, 40, 40)])
def test_the_chance_to_win_a_match_is_that_of_the_race(totals: tuple[int, ...]) -> None:
    target, gain = 50, 10
    chance = match_equity(np.array(totals), np.zeros(4, np.int64), 0, target, float(gain))
    short = [min(-(-(target - total) // gain), MOST_WINS) for total in totals]
    rounds = 20_000
    assert abs(chance - race(short, rounds, random.Random(3))) < 4 * 0.5 / rounds**0.5
    others = [match_equity(np.array(totals), np.zeros(4, np.int64), seat, target, float(gain)) for seat in range(4)]
    assert sum(others) == pytest.approx(1)


def test_who_reached_the_target_has_won_the_match() -> None:
    totals, points = np.array([40, 45, 0, 0]), np.array([12, 0, 0, 0])
    assert [match_equity(totals, points, seat, 50, 20.0) for seat in range(4)] == [1, 0, 0, 0]
