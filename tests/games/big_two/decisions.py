"""Decisions for the tests: deals on their way, small ends of deals, and a policy's answer to them."""

import random
from collections.abc import Iterator, Mapping

import numpy as np

from bigtwo_sim.core.kernel import U64
from bigtwo_sim.core.rng import new_stream, root_key
from bigtwo_sim.games.big_two import CardSet, Deal, Method, Rules


def answer(method: Method, deal: Deal, settings: Mapping[str, float] | None = None, seed: int = 0) -> CardSet:
    """What a policy lays on its turn in `deal`; no cards: it passes."""
    plays, strengths = deal._buffers
    stream = new_stream(root_key(seed), 0, 0)
    hand = U64(deal.hands[deal.turn].bits)
    choice = method.function(hand, deal._public, plays, strengths, deal._count, method.params(settings), stream)
    return CardSet(int(plays[choice]) if choice < deal._count else 0, deal.rules.deck)


def take(deal: Deal, cards: CardSet) -> None:
    """Lay the cards, or pass where there are none."""
    if cards:
        deal.play(cards)
    else:
        deal.pass_()


def decisions(rules: Rules, deals: int, method: Method | None = None, seed: int = 1) -> Iterator[Deal]:
    """The turns with a choice of some deals, played by a policy or else at random. Each is a deal in progress."""
    chance = random.Random(seed)
    for index in range(deals):
        deal = Deal.new(rules, seed, index)
        while not deal.is_over:
            options = [play.cards for play in deal.legal_plays()] + [CardSet(0, rules.deck)] * deal.may_pass
            if deal.has_choice:
                yield deal
            take(deal, answer(method, deal) if method and deal.has_choice else chance.choice(options))


def redealt(deal: Deal, hands: "np.ndarray | list[int]") -> Deal:
    """The same deal for all that the seat on turn can see, with the hands `hands` (bits by seat)."""
    twin = Deal(deal.rules, np.array([hand.bits for hand in deal.hands], np.uint64), leader=deal.turn)
    twin._public_array[:] = deal._public_array
    twin._hands[:] = hands
    twin._seat_seeds = deal._seat_seeds
    twin._find_options()
    return twin


def ending(rules: Rules, chance: random.Random, counts: tuple[int, int, int, int]) -> Deal:
    """A deal of so many cards by seat in which all other cards are gone; seat 0 leads."""
    cards = chance.sample(range(rules.deck.size), sum(counts))
    hands = []
    for count in counts:
        hands.append(CardSet(sum(1 << cards.pop() for _ in range(count)), rules.deck))
    deal = Deal.from_hands(rules, hands, leader=0)
    held = sum(hand.bits for hand in hands)
    deal._public_array["played"][0, 0] = (1 << rules.deck.size) - 1 - held
    return deal
