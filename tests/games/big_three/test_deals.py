"""Whole deals of Big Three: the auction, the tricks and the payments are the reference's, step by step."""

import itertools
import random
from collections import Counter

import numpy as np
import pytest
from bigtwo_agents.big_three import random as random_method

from bigtwo_sim.core.rng import root_key
from bigtwo_sim.games.big_three import (
    PRESETS,
    CardSet,
    Deal,
    IllegalPlay,
    Method,
    PolicyAgent,
    Rules,
    play_blocks,
    policy,
)
from bigtwo_sim.games.big_three import layout as at
from tests.games.big_three.sides import ALL_RULES, RULES_IDS, amount, cards, of_ranks, plain
from tests.reference.big_three import NaiveDeal, deck, ranks_in
from tests.tools.lanes import a_tenth_or_all

pytestmark = pytest.mark.kernel

SHAANXI, AS_PRINTED = PRESETS["shaanxi"], PRESETS["as_printed"]
FOUR = SHAANXI.replace(players=4)
RANDOM = PolicyAgent("random", random_method.METHOD, random_method.METHOD.params())
ALL = (1 << at.CARDS) - 1


def ranks(cards: CardSet, rules: Rules) -> str:
    return ranks_in(str(cards).split(), plain(rules))


# --- beside the reference ---------------------------------------------------------------------------------------------
def check_conservation(deal: Deal) -> None:
    """Every card is in one hand, in the kitty or played, and the counts tell how many."""
    everything = list(deal.hands) + [deal.kitty] + [CardSet(int(bits), deal.rules.deck) for bits in deal._public.played]
    assert sum(len(cards) for cards in everything) == at.CARDS
    assert sum(cards.bits for cards in everything) == ALL
    assert deal.left == tuple(map(len, deal.hands))


def play_beside_reference(rules: Rules, seed: int, chance: random.Random, seen: Counter[str]) -> None:
    """Play a deal at random, any suits of a play's ranks; both sides offer the same at every step, and end the same."""
    dealer = chance.randrange(rules.players)
    deal = Deal.new(rules, seed, dealer=dealer)
    naive = NaiveDeal([str(hand).split() for hand in deal.hands], str(deal.kitty).split(), plain(rules), dealer)
    passes = chance.choice((0.1, 0.5))
    while not deal.is_over:
        assert naive.winner is None
        assert deal.turn == naive.turn
        assert deal.in_auction == naive.in_auction
        assert deal.legal_bids() == naive.legal_bids()
        assert {ranks(play.cards, rules) for play in deal.legal_plays()} == naive.legal_plays()
        assert deal.may_pass == naive.may_pass()
        assert deal.calls == naive.bids
        assert [deal.partner(seat) for seat in range(rules.players)] == [
            naive.partner(seat) for seat in range(rules.players)
        ]
        assert [set(str(hand).split()) for hand in deal.hands] == naive.hands
        assert (deal.play_to_beat is None) == (naive.play_to_beat is None)
        check_conservation(deal)
        options = deal.legal_bids() or deal.legal_plays()
        if not options or (deal.may_pass and chance.random() < passes):
            seen["pass"] += 1
            deal.pass_()
            naive.call(0) if naive.in_auction else naive.pass_()
        elif deal.in_auction:
            bid = chance.choice(deal.legal_bids())
            seen[f"bid {bid}"] += 1
            deal.make_bid(bid)
            naive.call(bid)
        else:
            play = chance.choice(deal.legal_plays())
            # Any other cards of the same ranks will do.
            held = list(deal.hands[deal.turn])
            laid = []
            for rank in dict.fromkeys(ranks(play.cards, rules)):
                same = [card for card in held if str(card)[0] == rank]
                laid += chance.sample(same, sum(str(card)[0] == rank for card in play.cards))
            some = CardSet(sum(card.bits for card in laid), rules.deck)
            seen["other suits"] += some != play.cards
            deal.play(some)
            naive.apply_play(str(some).split())
    assert deal.winner == naive.winner
    assert list(deal.points) == naive.points()
    assert sum(deal.points) == 0
    assert deal.soloist == naive.soloist
    assert (deal.soloist is None) == (rules.players == 4)
    seen["soloist wins" if deal.winner == deal.soloist else "others win"] += 1
    seen["all passed"] += rules.players == 3 and not any(deal.bids)
    seen["passed and bid"] += any(
        bid == 0 and any(who == seat and later for who, later in deal.calls[i:])
        for i, (seat, bid) in enumerate(deal.calls)
    )


@a_tenth_or_all
@pytest.mark.parametrize("rules", ALL_RULES, ids=RULES_IDS)
def test_random_deals_beside_the_reference(rules: Rules, share: int) -> None:
    chance = random.Random(rules.name)
    seen: Counter[str] = Counter()
    for seed in range(amount(40 // share, 2)):
        play_beside_reference(rules, seed, chance, seen)
    if share == amount(1, 0):
        assert seen["other suits"] > 50
        assert seen["others win"] > 5
        if rules.players == 3:
            assert min(seen["bid 1"], seen["bid 2"], seen["bid 3"], seen["soloist wins"], seen["passed and bid"]) > 0


@pytest.mark.parametrize("rules", ALL_RULES, ids=RULES_IDS)
def test_stakes_sum_to_zero_in_many_deals(rules: Rules) -> None:
    seatings = np.array(list(itertools.permutations(range(rules.players)))[: amount(6, 1)])
    results = play_blocks([RANDOM] * rules.players, rules, root_key(1), 0, amount(5000, 4), seatings)
    assert not results["points"].sum(axis=2).any()
    seats = results["left"].reshape(-1, at.SEATS)[:, : rules.players]
    winners = results["winner"].reshape(-1)
    assert (np.take_along_axis(seats, winners[:, None].astype(int), axis=1) == 0).all()
    assert ((seats == 0).sum(axis=1) == 1).all()
    assert (results["points"].reshape(-1, at.SEATS)[np.arange(len(winners)), winners] > -1).all()
    if rules.players == 3:
        assert set(np.unique(results["soloist"])) <= {0, 1, 2}
        assert ((results["bid"] >= 1) & (results["bid"] <= 3)).all()
        assert (results["bids"].max(axis=2) <= results["bid"]).all()
        assert not results["points"][:, :, 3].any()
    else:
        assert (results["soloist"] == at.NOBODY).all()
        assert (np.abs(results["points"]) == rules.stake).all()


def test_seats_and_roles_go_round_over_the_same_deck() -> None:
    """One deck a block: under every seating the same seat speaks first and holds the same cards, whoever sits there."""
    seatings = np.array(list(itertools.permutations(range(3))))
    blocks = amount(20, 3)
    first = play_blocks([RANDOM] * 3, SHAANXI, root_key(7), 5, blocks, seatings)
    again = play_blocks([RANDOM] * 3, SHAANXI, root_key(7), 5, blocks, seatings)
    assert (first == again).all()
    # With one agent in all seats the seating does not matter: streams belong to seats.
    assert all((first[name] == first[name][:, :1]).all() for name in first.dtype.names)
    later = play_blocks([RANDOM] * 3, SHAANXI, root_key(7), 6, blocks - 1, seatings)
    assert (later == first[1:]).all()


@policy
def _beyond(hand, public, plays, strengths, count, params, stream):
    """Answers with what is no option."""
    return count + 7


def test_an_index_out_of_range_forfeits_the_decision() -> None:
    wrong = PolicyAgent("beyond", Method("beyond", _beyond), Method("beyond", _beyond).params())
    results = play_blocks([wrong, RANDOM, RANDOM], SHAANXI, root_key(1), 0, amount(50, 4), np.arange(3)[None])
    assert (results["forfeits"][:, :, 0] == results["decisions"][:, :, 0]).all()
    assert results["forfeits"][:, :, 0].any()
    assert not results["forfeits"][:, :, 1:].any()
    assert not results["bids"][:, :, 0].any()


def test_a_line_up_has_as_many_agents_as_the_rules_have_players() -> None:
    with pytest.raises(ValueError, match="there are 3 agents and 3 seats; the rules have 4 players"):
        play_blocks([RANDOM] * 3, FOUR, root_key(0), 0, 1, np.zeros((1, 3), np.int64))


# --- the auction ------------------------------------------------------------------------------------------------------
def called(rules: Rules, *calls: int, dealer: int = 1) -> Deal:
    """A deal in which these calls were made."""
    deal = Deal.new(rules.replace(first_bidder="dealer"), 3, dealer=dealer)
    for bid in calls:
        if bid:
            deal.make_bid(bid)
        else:
            deal.pass_()
    return deal


@pytest.mark.parametrize(
    ("calls", "soloist", "bid"),
    [
        ((3,), 1, 3),
        ((1, 3), 0, 3),
        ((1, 0, 0), 1, 1),
        ((0, 2, 0, 0), 0, 2),
        ((0, 1, 2, 0, 0), 2, 2),
        ((0, 0, 0), 1, 1),
        ((0, 0, 1, 0, 0), 2, 1),
        ((1, 2, 0, 3), 1, 3),
        ((0, 1, 0, 2, 0, 3), 2, 3),
        ((0, 0, 1, 0, 2, 0, 3), 1, 3),
    ],
)
def test_an_auction_to_the_right_from_seat_1(calls: tuple[int, ...], soloist: int, bid: int) -> None:
    deal = called(SHAANXI, *calls[:-1])
    assert deal.in_auction
    deal = called(SHAANXI, *calls)
    assert not deal.in_auction
    assert (deal.soloist, deal.bid) == (soloist, bid)
    assert [seat for seat, _ in deal.calls] == [(1 - i) % 3 for i in range(len(calls))]
    assert deal.turn == deal.play_owner == 1, "the first to speak leads, whoever the soloist is"
    assert len(deal.hands[soloist]) == deal.left[soloist] == 20
    assert deal.hands[soloist] == deal.dealt[soloist] | deal.dealt_kitty
    assert not deal.kitty
    assert len(calls) <= at.MAX_CALLS


def test_clockwise_the_turn_goes_to_the_next_seat() -> None:
    deal = called(SHAANXI.replace(direction="clockwise"), 0, 1, 0, 2)
    assert [seat for seat, _ in deal.calls] == [1, 2, 0, 1]
    assert deal.turn == 2


def test_a_bid_must_be_higher() -> None:
    deal = called(SHAANXI, 2)
    assert deal.legal_bids() == [3]
    for bid in (0, 1, 2, 4):
        with pytest.raises(IllegalPlay, match=f"seat 0 bid {bid}; it may bid 3, or pass"):
            deal.make_bid(bid)
    with pytest.raises(IllegalPlay, match="the auction goes on; bid or pass"):
        deal.play(deal.hands[0] & next(iter(deal.hands[0])))
    deal.make_bid(3)
    with pytest.raises(IllegalPlay, match="there is no auction now; lay cards or pass"):
        deal.make_bid(3)


def test_the_holder_of_the_4_of_hearts_speaks_first() -> None:
    seen = Counter()
    for seed in range(amount(200, 40)):
        deal = Deal.new(SHAANXI, seed)
        holder = [seat for seat, hand in enumerate(deal.hands) if "4H" in hand]
        hearts = [(str(card), seat) for seat, hand in enumerate(deal.hands) for card in hand if str(card)[1] == "H"]
        lowest = min(hearts, key=lambda held: SHAANXI.deck.ranks.index(held[0][0]))
        assert deal.first == deal.turn == (holder[0] if holder else lowest[1])
        seen["in the kitty" if not holder else "held"] += 1
    assert min(seen.values()) > 0


def test_under_another_order_of_ranks_the_4_of_hearts_still_speaks_first() -> None:
    rules = AS_PRINTED.replace(first_bidder="hearts")
    one = Deal.from_hands(rules, [cards(text, rules) for text in ("2H 9D", "4H 9C", "3H 9S")])
    assert one.first == 1
    other = Deal.from_hands(rules, [cards(text, rules) for text in ("5H 9D", "AH 9C", "3H 9S")], cards("4H 2H", rules))
    assert other.first == 2


# --- the play ---------------------------------------------------------------------------------------------------------
def over(rules: Rules, winner: int, soloist: int, bid: int, calls: tuple[int, ...] = ()) -> tuple[int, ...]:
    """The payments of a deal that `winner` wins at once."""
    hands = [of_ranks("99", rules), of_ranks("TT", rules), of_ranks("JJ", rules)]
    deal = Deal.from_hands(rules, hands, first=winner, soloist=None if calls else soloist, bid=bid)
    for call in calls:
        deal.make_bid(call) if call else deal.pass_()
    assert (deal.soloist, deal.bid) == (soloist, bid)
    deal.play(deal.hands[winner])
    assert deal.winner == winner
    return deal.points


@pytest.mark.parametrize("bid", [1, 2, 3])
def test_payments(bid: int) -> None:
    assert over(SHAANXI, 0, 0, bid) == (2 * bid, -bid, -bid)
    assert over(SHAANXI, 1, 0, bid) == over(SHAANXI, 2, 0, bid) == (-2 * bid, bid, bid)
    assert over(AS_PRINTED, 0, 0, bid) == (2 * bid, -bid, -bid)


def test_payments_of_own_bids() -> None:
    """Clockwise from the winner on; the soloist pays each opponent what that one bid."""
    assert over(AS_PRINTED, 1, 0, 3, (1, 0, 3)) == (-1, 1, 0)
    assert over(AS_PRINTED, 1, 0, 3, (1, 2, 3)) == (-3, 1, 2)
    assert over(AS_PRINTED, 1, 2, 3, (0, 3)) == (0, 0, 0)
    assert over(AS_PRINTED, 0, 0, 1, (0, 0, 0)) == (2, -1, -1)


def test_an_own_bid_is_the_last_one() -> None:
    hands = [of_ranks(text, AS_PRINTED) for text in ("99", "TT", "JJ")]
    deal = Deal.from_hands(AS_PRINTED, hands, first=1)
    for bid in (1, 2):
        deal.make_bid(bid)
    deal.pass_()
    deal.make_bid(3)
    assert (deal.soloist, deal.bids) == (1, (0, 3, 2))
    deal.play("TD")
    deal.play("JD")
    deal.pass_()
    deal.pass_()
    deal.play("JC")
    assert deal.points == (0, -2, 2)


@pytest.mark.parametrize(("seating", "points"), [("opposite", (5, -5, 5, -5)), ("adjacent", (5, 5, -5, -5))])
def test_of_four_players_a_pair_wins_the_stake(seating: str, points: tuple[int, ...]) -> None:
    rules = FOUR.replace(seating=seating, stake=5)
    for winner in range(4):
        deal = Deal.from_hands(rules, [of_ranks(rank, rules) for rank in "9TJQ"], first=winner)
        assert not deal.in_auction
        assert deal.soloist is None
        assert deal.bid == 5
        deal.play(deal.hands[winner])
        won = [deal.points[seat] > 0 for seat in range(4)]
        assert won[winner]
        assert won[deal.partner(winner)]  # type: ignore[index]
        assert sum(deal.points) == 0
        if winner == 0:
            assert deal.points == points


@pytest.mark.parametrize(("rules", "passes"), [(SHAANXI, 2), (FOUR, 3)])
def test_passes_in_a_row_clear_the_table(rules: Rules, passes: int) -> None:
    hands = [of_ranks(text, rules) for text in ("4567", "889", "TTJ", "QQK")[: rules.players]]
    deal = Deal.from_hands(rules, hands, first=0, soloist=0 if rules.players == 3 else None)
    with pytest.raises(IllegalPlay, match="seat 0 may not pass: a player who leads must play"):
        deal.pass_()
    deal.play("4D")
    before = deal.turn
    for _ in range(passes - 1):
        deal.pass_()
    deal.play(next(iter(deal.hands[deal.turn])))  # a pass may be followed by a play of the same trick
    owner = deal.play_owner
    deal.pass_()
    assert deal.play_to_beat is not None
    for _ in range(passes - 1):
        deal.pass_()
    assert deal.play_to_beat is None
    assert deal.turn == owner != before


def test_what_may_not_be_laid_is_told_why() -> None:
    hands = [cards(text, SHAANXI) for text in ("6D 7D 8D 9D 9C", "7C 8C 9H TC JC JD JH JS QC", "4D 5D")]
    deal = Deal.from_hands(SHAANXI, hands, first=0, soloist=0)
    for text, message in [
        ("4D", "seat 0 does not hold 4D"),
        ("6D 7D", "6D 7D is no play under the rules shaanxi"),
        ("", "seat 0 laid no cards; to pass is pass_"),
    ]:
        with pytest.raises(IllegalPlay, match=message):
            deal.play(text)
    deal.play("6D 7D 8D 9D")
    deal.pass_()
    for text, message in [
        ("JC JD JH JS", r"JD JC JH JS \(four\) is no answer to 6D 7D 8D 9D \(run\): it is of another kind"),
        ("8C 9H TC JC QC", r"has 5 cards, and the play on the table, 6D 7D 8D 9D \(run\), has 4"),
    ]:
        with pytest.raises(IllegalPlay, match=message):
            deal.play(text)
    deal.play("7C 8C 9H TC")
    deal.pass_()
    deal.pass_()
    deal.play("JC")
    with pytest.raises(ValueError, match="the deal is not over; nothing is paid yet"):
        _ = deal.points
    deal.pass_()
    with pytest.raises(IllegalPlay, match=r"5D \(single\) does not beat JC \(single\)"):
        deal.play("5D")


@pytest.mark.parametrize(
    ("rules", "hands", "given", "message"),
    [
        (SHAANXI, ["4H", "5H"], {}, "there are 2 hands; there must be 3"),
        (SHAANXI, ["4H", "5H", ""], {}, "the hand of seat 2 is empty"),
        (SHAANXI, ["4H", "5H", "4H"], {}, "4H is in two hands"),
        (SHAANXI, ["4H", "5H", "6H"], {"kitty": "4H"}, "4H is in two hands"),
        (SHAANXI, ["4D", "5D", "6D"], {}, "nobody holds a heart, so first must name the seat"),
        (SHAANXI, ["4H", "5H", "6H"], {"dealer": 3}, "dealer is 3; it must be a seat from 0 to 2"),
        (SHAANXI, ["4H", "5H", "6H"], {"soloist": 3}, "soloist is 3; it must be a seat of three players"),
        (SHAANXI, ["4H", "5H", "6H"], {"soloist": 1, "bid": 4}, "bid is 4; it must be from 1 to 3"),
        (FOUR, ["4H", "5H", "6H", "7H"], {"kitty": "8H"}, "the kitty has 1 cards; four players have none"),
        (FOUR, ["4H", "5H", "6H", "7H"], {"soloist": 1}, "soloist is 1; it must be a seat of three players"),
        (
            FOUR,
            [" ".join(deck(plain(FOUR))[:14]), "5S", "6S", "7S"],
            {},
            "has 14 cards; with the kitty it must have at",
        ),
    ],
)
def test_hands_that_cannot_be(rules: Rules, hands: list[str], given: dict, message: str) -> None:
    kitty = cards(given["kitty"], rules) if "kitty" in given else None
    rest = {name: value for name, value in given.items() if name != "kitty"}
    with pytest.raises(ValueError, match=message):
        Deal.from_hands(rules, [cards(hand, rules) for hand in hands], kitty, **rest)


# --- what a seat can see ----------------------------------------------------------------------------------------------
@pytest.mark.parametrize("rules", ALL_RULES[:4], ids=RULES_IDS[:4])
def test_a_view_does_not_change_with_what_is_hidden(rules: Rules) -> None:
    """The others' cards and the kitty are dealt anew: the view is the same at every step."""
    chance = random.Random(1)
    for seed in range(amount(6, 1)):
        deal = Deal.new(rules, seed)
        while not deal.is_over:
            view, seat = deal.view(), deal.turn
            assert view.hand == deal.hands[seat]
            others = [other for other in range(rules.players) if other != seat]
            hidden = [card for other in others for card in deal.hands[other]] + list(deal.kitty)
            assert view.unseen == CardSet(sum(card.bits for card in hidden), rules.deck)
            twin = Deal.new(rules, seed)
            twin._public_array[:] = deal._public_array
            chance.shuffle(hidden)
            twin._hands[seat] = view.hand.bits
            for other in others:
                twin._hands[other] = sum(hidden.pop().bits for _ in range(deal.left[other]))
            twin._hands[at.KITTY] = sum(card.bits for card in hidden)
            twin._find_options()
            assert twin.view() == view
            assert view.random.random() == twin.view().random.random()
            for other in others:
                seen = deal.view(other)
                assert (seen.legal_bids, seen.legal_plays, seen.may_pass) == ((), (), False)
                assert seen.partner == deal.partner(other)
            options = [*deal.legal_bids(), *deal.legal_plays()] + [None] * deal.may_pass
            choice = chance.choice(options)
            if choice is None:
                deal.pass_()
            elif isinstance(choice, int):
                deal.make_bid(choice)
            else:
                deal.play(choice.cards)
    with pytest.raises(ValueError, match="seat is 7; it must be from 0 to"):
        deal.view(7)
    with pytest.raises(IllegalPlay, match=f"the deal is over; seat {deal.winner} has won"):
        deal.pass_()
