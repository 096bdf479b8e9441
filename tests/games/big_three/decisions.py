"""Decisions in Big Three for the tests: deals on their way, and a policy's answer to them."""

import random
from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from bigtwo_sim.core.kernel import U64
from bigtwo_sim.core.rng import new_stream, root_key
from bigtwo_sim.games.big_three import Deal, Method, Rules
from bigtwo_sim.games.big_three import layout as at

PASS = 0


def answer(method: Method, deal: Deal, settings: Mapping[str, float] | None = None, seed: int = 0) -> int:
    """What a policy lays (as bits) or bids on its turn in `deal`; 0: it passes."""
    plays, strengths = deal._buffers
    stream = new_stream(root_key(seed), 0, 0)
    hand = U64(deal.hands[deal.turn].bits)
    choice = method.function(hand, deal._public, plays, strengths, deal._count, method.params(settings), stream)
    assert 0 <= choice < deal._count + deal.may_pass
    return int(plays[choice]) if choice < deal._count else PASS


def options(deal: Deal) -> list[int]:
    """All that the seat on turn may do: bids or bits of plays, 0 for a pass."""
    return deal.legal_bids() + [play.cards.bits for play in deal.legal_plays()] + [PASS] * deal.may_pass


def take(deal: Deal, option: int) -> None:
    """Bid, lay or pass."""
    if option == PASS:
        deal.pass_()
    elif deal.in_auction:
        deal.make_bid(option)
    else:
        deal.play(deal.rules.deck.text(option))


def decisions(rules: Rules, deals: int, method: Method | None = None, seed: int = 1) -> Iterator[Deal]:
    """The turns with a choice of some deals, played by a policy or else at random. Each is a deal in progress."""
    chance = random.Random(seed)
    for index in range(deals):
        deal = Deal.new(rules, seed, index, dealer=index % rules.players)
        while not deal.is_over:
            if deal.has_choice:
                yield deal
            take(deal, answer(method, deal) if method and deal.has_choice else chance.choice(options(deal)))


def redealt(deal: Deal, hands: Sequence[int] | np.ndarray) -> Deal:
    """The same deal for all that the seat on turn can see, with other hands and kitty (bits, uint64[5])."""
    twin = Deal(deal.rules, deal._hands.copy(), deal.dealer, deal.first)
    twin._public_array[:] = deal._public_array
    twin._hands[:] = hands
    twin._seat_seeds = deal._seat_seeds
    twin._find_options()
    return twin


def with_hidden_cards_dealt_anew(deal: Deal, chance: random.Random) -> Deal:
    """A twin of the deal in which what the seat on turn cannot see is other."""
    hidden = list(deal.view().unseen)
    chance.shuffle(hidden)
    hands = [0] * (at.KITTY + 1)
    for seat, left in enumerate(deal.left):
        mine = seat == deal.turn
        hands[seat] = deal.hands[seat].bits if mine else sum(hidden.pop().bits for _ in range(left))
    hands[at.KITTY] = sum(card.bits for card in hidden)
    return redealt(deal, hands)
