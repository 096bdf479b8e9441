"""Positions and deals without a root seed: their random choices depend on what the seat sees, and on nothing else."""

import random
from collections.abc import Iterator
from dataclasses import replace

import pytest

from bigtwo_sim.games import big_three
from bigtwo_sim.games.big_three.position import position as position_of_three
from bigtwo_sim.games.big_two import CardSet, Deal, Rules, View
from bigtwo_sim.games.big_two.position import position
from bigtwo_sim.roster.level import Level
from tests.games.big_two.sides import amount

RULES = Rules()
THREE = big_three.Rules()


def drawn(chance: random.Random, *counts: int, rules: Rules | big_three.Rules = RULES) -> list[CardSet]:
    """So many sets of cards that share none."""
    cards = chance.sample(range(rules.deck.size), sum(counts))
    return [CardSet(sum(1 << cards.pop() for _ in range(count)), rules.deck) for count in counts]


def positions(number: int) -> Iterator[View]:
    chance = random.Random(1)
    for i in range(number):
        hand, on = drawn(chance, 13, 1)
        yield position(RULES, hand, on=on if i % 2 else None)


def first_decisions(number: int) -> Iterator[View]:
    chance = random.Random(2)
    for _ in range(number):
        yield Deal.from_hands(RULES, drawn(chance, 13, 13, 13, 13)).view()


@pytest.mark.parametrize("views", [positions, first_decisions])
def test_a_level_that_blunders_in_a_fifth_of_its_decisions_does_so_at_positions(views: "type[positions]") -> None:  # type: ignore[valid-type]
    level, always, never = (Level(f"heuristic:blunder={share}") for share in (0.2, 1, 0))
    differ = blunders = 0
    for view in views(amount(1_500, 40)):  # type: ignore[operator]
        if always.choose(view) != never.choose(view):
            differ += 1
            answer = level.choose(view)
            assert answer == level.choose(view)
            blunders += answer == always.choose(view)
    assert differ > amount(300, 8)
    # Five standard deviations of a share of at least that many.
    assert abs(blunders / differ - 0.2) < 5 * (0.2 * 0.8 / differ) ** 0.5


def test_the_same_position_has_the_same_seed_and_another_position_another() -> None:
    seen: dict[str, int] = {}
    for view in positions(amount(300, 20)):
        on = None if view.play_to_beat is None else view.play_to_beat.cards
        again = position(RULES, view.hand, on=on)
        assert again == view
        changed = [
            view,
            position(RULES, view.hand, on=on, left=(12, 12, 12)),
            position(RULES, view.hand, on=on, owner=1) if on else position(RULES, view.hand, opening=True),
            position(Rules(last_card=True), view.hand, on=on),
        ]
        for one in changed:
            seen[repr(replace(one, stream_seed=0))] = one.stream_seed
            assert 0 <= one.stream_seed < 2**64
    assert len({*seen.values()}) == len(seen)


def test_a_seed_may_be_given() -> None:
    chance = random.Random(3)
    hands = drawn(chance, 13, 13, 13, 13)
    (solo,) = drawn(chance, 20, rules=THREE)
    assert position(RULES, hands[0], seed=17).stream_seed == 17
    assert position_of_three(THREE, solo, bids=(2, 0, 1), seed=18).stream_seed == 18
    deals = [Deal.from_hands(RULES, hands, seed=seed) for seed in (None, 0, 1, 1)]
    seeds = [[deal.view(seat).stream_seed for seat in range(4)] for deal in deals]
    assert seeds[2] == seeds[3]
    assert len({seed for of_deal in seeds for seed in of_deal}) == 12
    with pytest.raises(ValueError, match="seed is -1; it must be a whole number of at least 0"):
        position(RULES, hands[0], seed=-1)
    with pytest.raises(ValueError, match="seed is -1; it must be a whole number of at least 0"):
        position_of_three(THREE, solo, bids=(2, 0, 1), seed=-1)
    with pytest.raises(ValueError, match="seed is -1; it must be a whole number of at least 0"):
        Deal.from_hands(RULES, hands, seed=-1)


def test_the_seed_of_a_seat_depends_on_its_own_hand_and_not_on_hidden_ones() -> None:
    chance = random.Random(4)
    for _ in range(amount(50, 5)):
        first, second, third, fourth = drawn(chance, 13, 13, 13, 13)
        told, other = (
            Deal.from_hands(RULES, hands, leader=0)
            for hands in ([first, second, third, fourth], [first, third, fourth, second])
        )
        assert told.view(0).stream_seed == other.view(0).stream_seed
        assert len({deal.view(seat).stream_seed for deal in (told, other) for seat in range(4)}) == 7
        again = Deal.from_hands(RULES, [first, second, third, fourth], leader=0, totals=(1, 0, 0, -1))
        assert again.view(0).stream_seed != told.view(0).stream_seed


def test_positions_and_deals_of_big_three_have_seeds_of_their_own() -> None:
    chance = random.Random(5)
    seeds = set()
    number = amount(100, 10)
    for _ in range(number):
        one, two, three, kitty = drawn(chance, 16, 16, 16, 4, rules=THREE)
        for calls in ([], [0], [1]):
            with_calls = position_of_three(THREE.replace(first_bidder="dealer"), one, calls=calls)
            seeds.add(with_calls.stream_seed)
        view = position_of_three(THREE, one, bids=(0, 2, 1))
        assert view == position_of_three(THREE, one, bids=(0, 2, 1))
        seeds.add(view.stream_seed)
        deal, other = (
            big_three.Deal.from_hands(THREE, hands, kitty, first=0) for hands in ([one, two, three], [one, three, two])
        )
        assert deal.view(0).stream_seed == other.view(0).stream_seed
        seeds |= {deal.view(seat).stream_seed for seat in range(3)}
        seeded = big_three.Deal.from_hands(THREE, [one, two, three], kitty, first=0, seed=9)
        assert seeded.view(0).stream_seed not in seeds
    assert len(seeds) == 7 * number
