"""Big Three's strategies: fair, repeatable, kind to their partners; and the worlds that the strongest imagines."""

import random
from collections import Counter

import numpy as np
import pytest
from bigtwo_agents.big_three import greedy, heuristic, monte_carlo
from bigtwo_agents.big_three import random as random_method
from bigtwo_agents.big_three.search import SEARCH, WORKSPACE

from bigtwo_sim.core.kernel import U64
from bigtwo_sim.core.rng import new_stream, root_key
from bigtwo_sim.games.big_three import PRESETS, CardSet, Deal, Method, Rules
from bigtwo_sim.games.big_three import layout as at
from bigtwo_sim.games.big_three.kernels.moves import new_buffers
from bigtwo_sim.games.big_three.kernels.turns import first_to_speak
from bigtwo_sim.games.big_three.kernels.worlds import copy_rules, deal_world, unseen_cards
from tests.games.big_three.decisions import answer, decisions, options, redealt, with_hidden_cards_dealt_anew
from tests.games.big_three.sides import ALL_RULES, RULES_IDS, amount, cards

pytestmark = pytest.mark.kernel

SHAANXI = PRESETS["shaanxi"]
FOUR = SHAANXI.replace(players=4)
METHODS = [random_method.METHOD, greedy.METHOD, heuristic.METHOD]


# --- all of them ------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("rules", ALL_RULES[:6], ids=RULES_IDS[:6])
@pytest.mark.parametrize("method", METHODS, ids=lambda method: method.name)
def test_answers_are_legal_repeatable_and_blind_to_what_is_hidden(method: Method, rules: Rules) -> None:
    chance = random.Random(4)
    asked = 0
    for number, deal in enumerate(decisions(rules, amount(4, 1), seed=4)):
        if number % amount(1, 3):
            continue
        given = answer(method, deal, seed=number)
        assert given in options(deal)
        assert answer(method, deal, seed=number) == given
        assert answer(method, with_hidden_cards_dealt_anew(deal, chance), seed=number) == given
        asked += 1
    assert asked > amount(60, 5)


@pytest.mark.compiled
@pytest.mark.parametrize("rules", [SHAANXI, PRESETS["as_printed"], FOUR], ids=lambda rules: rules.name)
def test_monte_carlo_is_legal_repeatable_and_blind_to_what_is_hidden(rules: Rules) -> None:
    chance = random.Random(4)
    for number, deal in enumerate(decisions(rules, 4, heuristic.METHOD, seed=4)):
        given = answer(monte_carlo.METHOD, deal, {"worlds": 4}, seed=number)
        assert given in options(deal)
        assert answer(monte_carlo.METHOD, with_hidden_cards_dealt_anew(deal, chance), {"worlds": 4}, number) == given


# --- heuristic --------------------------------------------------------------------------------------------------------
def position(hands: list[str], soloist: int, first: int, laid: list[str]) -> Deal:
    """Clockwise: the deal in which the soloist plays for 1 after these plays (empty: a pass); other cards are gone."""
    rules = SHAANXI.replace(direction="clockwise")
    deal = Deal.from_hands(rules, [cards(hand, rules) for hand in hands], first=first, soloist=soloist)
    held = sum(hand.bits for hand in deal.hands)
    deal._public_array["played"][0, soloist] = ((1 << at.CARDS) - 1) & ~held
    for text in laid:
        deal.play(text) if text else deal.pass_()
    return deal


def told(deal: Deal, method: Method = heuristic.METHOD) -> str:
    return deal.rules.deck.text(answer(method, deal)) or "pass"


def test_a_certain_finish_is_begun() -> None:
    deal = position(["3D 3C 5D 6D 7D", "4D 4C 9D 9C 2D", "8D 8C TD TC KD"], 0, 0, [])
    while told(deal) != "5D 6D 7D":
        deal.play(told(deal))
        deal.pass_()
        deal.pass_()
    assert len(deal.hands[0]) == 3


def test_a_partner_who_holds_the_trick_is_not_beaten() -> None:
    """Seat 2 lays an ace that the soloist, who plays next, has passed on; seat 1 holds a 2 and much else."""
    hands = ["4D 5C 8D 8C TD QD", "4C 6D 7C 9D JD 2D", "4H 5H 6H 8S AD JC"]
    assert told(position(hands, 0, 2, ["AD", ""])) == "pass"


def test_the_soloist_about_to_go_out_is_held_back() -> None:
    """The soloist holds one card and plays next: seat 2 does not lead a low single, and beats one with its highest."""
    hands = ["KD", "4C 6D 6C 9D JD AD", "5H 7H 7S 8S 9S QD"]
    deal = position(hands, 0, 2, [])
    assert len(told(deal).split()) > 1
    low = position(["KD 8D", "4C 6D 6C 9D TD AD", "JH JS QH QS KS KC"], 0, 0, ["8D"])
    assert told(low) == "AD"


@pytest.mark.parametrize(
    ("hand", "bids"),
    [
        ("3D 3C 3H 2D 2C AD AC KD KC KH 8D 9D TD JD QD QC", True),
        ("4D 4C 5D 6D 6C 8D 8C 9D TC JD JC QC KD AD 7D 9H", False),
    ],
)
@pytest.mark.parametrize("method", [greedy.METHOD, heuristic.METHOD], ids=lambda method: method.name)
def test_bids_come_from_the_hand(method: Method, hand: str, bids: bool) -> None:
    held = cards(hand, SHAANXI)
    rest = list(CardSet((1 << 52) - 1, SHAANXI.deck) - held)
    others = [CardSet(sum(card.bits for card in rest[i * 16 : i * 16 + 16]), SHAANXI.deck) for i in range(2)]
    kitty = CardSet(sum(card.bits for card in rest[32:]), SHAANXI.deck)
    deal = Deal.from_hands(SHAANXI, [held, *others], kitty, first=0)
    assert (answer(method, deal) == at.HIGHEST_BID) == bids
    assert bids or answer(method, deal) == 0


# --- worlds -----------------------------------------------------------------------------------------------------------
def imagined(deal: Deal, count: int, settings: dict[str, float] | None = None, seed: int = 0) -> np.ndarray:
    """`count` worlds as the seat on turn imagines them, uint64[count, 5]."""
    worlds = np.zeros((count, at.KITTY + 1), np.uint64)
    workspace = np.zeros(1, WORKSPACE)
    copy_rules(deal._public, workspace[0].state)
    params = monte_carlo.METHOD.params(settings)
    stream = new_stream(root_key(seed), 0, 0)
    hand = U64(deal.hands[deal.turn].bits)
    assumed = np.empty((count, at.SEATS), np.int64)
    SEARCH.sample_worlds(hand, deal._public, worlds, assumed, params, stream, workspace[0], *new_buffers())
    return worlds


@pytest.mark.parametrize("rules", ALL_RULES[:4], ids=RULES_IDS[:4])
def test_a_world_gives_its_own_seat_the_same_view(rules: Rules) -> None:
    for number, deal in enumerate(decisions(rules, amount(3, 1))):
        if number % amount(2, 12):
            continue
        view = deal.view()
        for world in imagined(deal, amount(4, 1), {"belief": 1 + number % 2}, number):
            twin = redealt(deal, world)
            assert tuple(map(len, twin.hands)) == deal.left
            assert twin.view() == view
            others = sum(hand.bits for seat, hand in enumerate(twin.hands) if seat != deal.turn) + twin.kitty.bits
            assert CardSet(others, rules.deck) == view.unseen
            assert (len(twin.kitty) == at.KITTY_SIZE) == deal.in_auction


def test_in_a_world_the_right_seat_speaks_first_and_the_soloist_took_the_kitty() -> None:
    world, dealt, numbers = np.zeros(5, np.uint64), np.zeros(5, np.uint64), np.zeros(at.CARDS, np.int64)
    stream = new_stream(root_key(2), 0, 0)
    seen: Counter[str] = Counter()
    for deal in decisions(SHAANXI, amount(12, 2), seed=8):
        hand = U64(deal.hands[deal.turn].bits)
        deal_world(deal._public, hand, world, dealt, numbers, stream)
        assert first_to_speak(dealt, SHAANXI.rule_table(), deal.dealer) == deal.first
        assert [int(cards).bit_count() for cards in dealt] == [16, 16, 16, 0, 4]
        assert int(np.bitwise_or.reduce(dealt)) == (1 << at.CARDS) - 1
        if deal.soloist is not None:
            seen["kitty"] += bool(deal.soloist != deal.turn)
            soloist = int(world[deal.soloist]) | int(deal._public.played[deal.soloist])
            assert int(dealt[at.KITTY]) & soloist == int(dealt[at.KITTY])
    assert seen["kitty"] > amount(100, 10)


def test_all_worlds_are_equally_likely() -> None:
    deal = position(["4D 5D 6D", "7D 8D", "9D TD JD"], 1, 0, [])
    deal._public_array["rules"][0, at.HEARTS_SPEAK] = 0
    hand = U64(deal.hands[0].bits)
    assert int(unseen_cards(hand, deal._public)).bit_count() == 5
    world, dealt, numbers = np.zeros(5, np.uint64), np.zeros(5, np.uint64), np.zeros(at.CARDS, np.int64)
    stream = new_stream(root_key(2), 0, 0)
    found: Counter[tuple[int, ...]] = Counter()
    drawn = amount(4000, 800)
    for _ in range(drawn):
        deal_world(deal._public, hand, world, dealt, numbers, stream)
        found[tuple(world.tolist())] += 1
    worlds = 10  # 5! / (2! 3!)
    assert len(found) == worlds
    expected = drawn / worlds
    assert sum((count - expected) ** 2 / expected for count in found.values()) < 27.9  # chi-square, 9, 0.1 %


@pytest.mark.compiled
def test_belief_takes_the_auction_in() -> None:
    """Among players who bid as the heuristic does, more of the high cards are where they really are."""
    high = ((1 << 12) - 1) << 40
    gains = []
    for number, deal in enumerate(decisions(SHAANXI, 60, heuristic.METHOD, seed=3)):
        if deal.in_auction or len(deal.log) > 2:
            continue
        right = []
        for belief in (1, 16):
            worlds = imagined(deal, 60, {"belief": belief, "assumed": 0, "mismatch_likelihood": 0.1}, number)
            true = np.array([*(hand.bits for hand in deal.hands), 0, 0], np.uint64)
            right.append(np.bitwise_count(worlds & true & U64(high)).sum(axis=1).mean())
        gains.append(right[1] - right[0])
    assert len(gains) > 30
    assert np.mean(gains) > 3 * np.std(gains) / len(gains) ** 0.5
