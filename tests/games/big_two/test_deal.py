"""`Deal`, as people and Python agents use it: who is on turn, what is refused and why, what a view shows."""

import re

import pytest

from bigtwo_sim.games.big_two import Deal, IllegalPlay, Rules, legal_plays
from bigtwo_sim.games.big_two import layout as at
from tests.games.big_two.random_walk import whole_deals
from tests.games.big_two.sides import CARDS, HAND, card_set, changed, engine_rules
from tests.reference.big_two import deck
from tests.reference.vectors import SWITCHES, rules


def test_deal_plays_the_deck_of_its_number() -> None:
    chosen = engine_rules(rules("taiwan"))
    dealt = whole_deals(12, 3)
    for index in range(3):
        assert [hand.bits for hand in Deal.new(chosen, 12, index).dealt] == dealt[index].tolist()


def test_winner_leads_anything_where_it_is_named() -> None:
    chosen = engine_rules(rules())
    for leader in range(at.SEATS):
        deal = Deal.new(chosen, 4, leader=leader)
        assert deal.turn == deal.play_owner == leader
        assert {play.cards.bits & 1 for play in deal.legal_plays()} >= {0}


@pytest.mark.parametrize("passing", SWITCHES["passing"])
def test_who_passed_may_return_or_not(passing: str) -> None:
    chosen = engine_rules(rules(passing=passing))
    hands = [card_set(hand, chosen) for hand in ("3D 5D 9D", "4D 6D 9C", "4C 7D 9H", "4H 8D 9S")]
    deal = Deal.from_hands(chosen, hands)
    deal.play("3D")
    deal.pass_()
    deal.play("4C")
    deal.play("4H")
    deal.play("5D")
    assert deal.turn == (1 if passing == "may_return" else 2)
    assert deal.view(deal.turn).passed == (False, passing == "locked_out", False, False)


def test_refused_play_changes_nothing() -> None:
    chosen = engine_rules(rules())
    deal = Deal.new(chosen, 9)
    before = (deal.hands, deal.turn, deal.log, deal.left, deal.play_to_beat, deal.legal_plays())
    hand = deal.hands[deal.turn]
    for cards, reason in (
        ("", "laid no cards; to pass is pass_"),
        (str(deal.hands[(deal.turn + 1) % 4]).split()[0], "does not hold"),
        (str(hand).split()[-1], "the first play must contain 3D"),
        (" ".join(str(hand).split()[:7]), "is no play under the rules singapore"),
    ):
        with pytest.raises(IllegalPlay, match=reason):
            deal.play(cards)
    with pytest.raises(IllegalPlay, match="a player who leads must play"):
        deal.pass_()
    assert (deal.hands, deal.turn, deal.log, deal.left, deal.play_to_beat, deal.legal_plays()) == before


def test_play_that_does_not_beat_the_table_is_refused() -> None:
    chosen = engine_rules(rules())
    hands = [card_set(hand, chosen) for hand in ("3D 5D 5H", "4D 4C 4H", "6D", "6C")]
    deal = Deal.from_hands(chosen, hands, leader=0)
    deal.play("5D")
    with pytest.raises(IllegalPlay, match=r"4D \(single\) does not beat 5D \(single\)"):
        deal.play("4D")
    with pytest.raises(IllegalPlay, match="has 2 cards, and the play on the table"):
        deal.play("4D 4C")


@pytest.mark.parametrize(
    ("hands", "leader", "reason"),
    [
        (("3D", "4D", "5D"), None, "there are 3 hands; there must be 4"),
        (("3D", "4D", "5D", ""), None, "the hand of seat 3 is empty"),
        (("3D", "4D", "5D", "5D"), None, "5D is in two hands"),
        (("3C", "4D", "5D", "6D"), None, "nobody holds the lowest card, 3D"),
        (("3D", "4D", "5D", "6D"), 4, "leader is 4; it must be a seat from 0 to 3"),
    ],
)
def test_impossible_deals_are_refused(hands: tuple[str, ...], leader: int | None, reason: str) -> None:
    chosen = engine_rules(rules())
    with pytest.raises(ValueError, match=reason):
        Deal.from_hands(chosen, [card_set(hand, chosen) for hand in hands], leader)


def test_too_many_cards_in_a_hand_are_refused() -> None:
    chosen = engine_rules(rules())
    pack = deck(rules())
    hands = [card_set(pack[i : i + 14], chosen) for i in (0, 14, 28)]
    with pytest.raises(ValueError, match="the hand of seat 0 has 14 cards; it must have at most 13"):
        Deal.from_hands(chosen, [*hands, card_set("2S", chosen)])


def test_points_only_at_the_end() -> None:
    deal = Deal.new(Rules(), 1)
    assert deal.winner is None
    with pytest.raises(ValueError, match="the deal is not over"):
        _ = deal.points


def test_view_shows_one_hand_and_what_all_can_see() -> None:
    deal = Deal.new(engine_rules(changed(rules(), opening_play="single")), 6)
    deal.play("3D")
    view = deal.view()
    assert view.seat == deal.turn
    assert view.hand == deal.hands[view.seat]
    assert list(view.legal_plays) == deal.legal_plays()
    assert len(view.unseen) == CARDS - HAND - 1
    other = deal.view((deal.turn + 1) % 4)
    assert other.legal_plays == ()
    assert not other.may_pass
    with pytest.raises(ValueError, match="seat is 4; it must be from 0 to 3"):
        deal.view(4)
    assert view.random.random() == deal.view().random.random() != other.random.random()


def test_choice_is_more_than_one_option() -> None:
    chosen = engine_rules(rules())
    hands = [card_set(hand, chosen) for hand in ("3D 3C", "4D", "3H", "5D 5C")]
    deal = Deal.from_hands(chosen, hands)
    assert deal.has_choice  # 3D, or 3D 3C
    deal.play(card_set("3D", chosen))
    assert deal.has_choice  # 4D, or a pass
    deal.pass_()
    assert deal.has_choice
    deal.pass_()
    deal.play(card_set("5D", chosen))
    assert not deal.has_choice  # only a pass
    deal.pass_()
    deal.pass_()
    deal.pass_()
    assert not deal.has_choice  # only 5C
    deal.play("5C")
    assert not deal.has_choice
    assert deal.winner == 3
    assert deal.points == (0, 0, 0, 3)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: Deal.new(Rules(), 1).play(None), "None is no CardSet"),
        (lambda: Deal.new("x", 1), "'x' are no Rules"),
        (lambda: Deal.new(Rules(), 1.5), "seed is 1.5; it must be a whole number"),
        (lambda: legal_plays("3D", Rules()), "'3D' is no CardSet; read cards with CardSet.parse"),
    ],
)
def test_a_value_of_the_wrong_type_is_named(call, message):
    with pytest.raises(TypeError, match=re.escape(message)):
        call()
