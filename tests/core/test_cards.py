"""Cards: text both ways for every deck, sets of cards against Python's own, and clear errors for what is none."""

import contextlib
from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bigtwo_sim.core.cards import BIG_TWO_DECK, SIGNS, CardError, CardSet, Deck

RANKS = "23456789TJQKA"
SUIT_ORDERS = ["".join(order) for order in permutations("DCHS")]

decks = st.builds(Deck, st.permutations(RANKS).map("".join), st.sampled_from(SUIT_ORDERS))


def names(deck: Deck) -> list[str]:
    return [rank + suit for rank in deck.ranks for suit in deck.suits]


@st.composite
def deck_and_cards(draw: st.DrawFn) -> tuple[Deck, list[str]]:
    """A deck and some of its cards, in any order."""
    deck = draw(decks)
    return deck, draw(st.lists(st.sampled_from(names(deck)), unique=True))


@st.composite
def deck_and_two_sets(draw: st.DrawFn) -> tuple[Deck, set[str], set[str]]:
    deck = draw(decks)
    cards = st.sets(st.sampled_from(names(deck)))
    return deck, draw(cards), draw(cards)


def as_set(cards: set[str], deck: Deck) -> CardSet:
    return CardSet.parse(" ".join(cards), deck)


def test_the_deck_of_big_two_numbers_cards_by_strength():
    assert [BIG_TWO_DECK.name(card) for card in (0, 1, 2, 3, 4, 50, 51)] == ["3D", "3C", "3H", "3S", "4D", "2H", "2S"]


@given(decks)
def test_card_names_are_ranks_times_suits_in_order_of_strength(deck):
    assert [deck.name(card) for card in range(deck.size)] == names(deck)


@given(deck_and_cards(), st.booleans())
def test_text_reads_back(drawn, signs):
    deck, cards = drawn
    bits = CardSet.parse(" ".join(cards), deck).bits
    assert deck.parse(deck.text(bits, signs)) == bits
    assert deck.text(bits).split() == sorted(cards, key=names(deck).index)


@given(deck_and_cards(), st.data())
def test_cards_are_read_in_any_case_order_and_spelling(drawn, data):
    deck, cards = drawn
    spelled = ""
    for card in cards:
        rank, suit = card
        rank = (
            data.draw(st.sampled_from(["T", "t", "10"]))
            if rank == "T"
            else data.draw(st.sampled_from([rank, rank.lower()]))
        )
        suit = data.draw(st.sampled_from([suit, suit.lower(), SIGNS[suit], SIGNS[suit] + "\ufe0f"]))
        spelled += rank + suit + data.draw(st.sampled_from(["", " ", ",", ", ", "  ", "\t", "\n"]))
    assert deck.text(deck.parse(spelled)).split() == sorted(cards, key=names(deck).index)


@given(deck_and_two_sets())
def test_sets_of_cards_behave_as_sets(drawn):
    deck, one, other = drawn
    a, b = as_set(one, deck), as_set(other, deck)
    assert set(str(a | b).split()) == one | other
    assert set(str(a & b).split()) == one & other
    assert set(str(a - b).split()) == one - other
    assert set(str(a ^ b).split()) == one ^ other
    assert (a <= b, a < b, a >= b, a > b, a == b) == (
        one <= other,
        one < other,
        one >= other,
        one > other,
        one == other,
    )
    assert (len(a), bool(a)) == (len(one), bool(one))
    assert [str(card) for card in a] == sorted(one, key=names(deck).index)
    assert all(
        (name in a) == (name in one) and (CardSet.parse(name, deck) in a) == (name in one) for name in names(deck)
    )
    assert hash(as_set(one, deck)) == hash(a)
    assert eval(repr(a), {"CardSet": lambda text: CardSet.parse(text, deck)}) == a


@given(st.text())
def test_garbage_is_cards_or_a_card_error(text):
    bits = 0
    with contextlib.suppress(CardError):
        bits = BIG_TWO_DECK.parse(text)
    assert 0 <= bits < 1 << BIG_TWO_DECK.size


@given(st.text(alphabet="23456789TJQKA1023DCHS♦♣♥♠ ,xd\ufe0f", max_size=30))
def test_what_looks_like_cards_is_cards_or_a_card_error(text):
    try:
        cards = CardSet.parse(text)
    except CardError:
        return
    assert CardSet.parse(str(cards)) == cards


@given(st.integers())
def test_bits_lie_within_the_deck(bits):
    if 0 <= bits < 1 << BIG_TWO_DECK.size:
        assert CardSet(bits).bits == bits
    else:
        with pytest.raises(CardError, match="must lie within the 52 cards"):
            CardSet(bits)


@given(st.text(alphabet=RANKS + "xD"), st.text(alphabet="DCHSx"))
def test_a_deck_has_different_ranks_and_four_suits(ranks, suits):
    valid = sorted(suits) == sorted("DCHS") and ranks and len(set(ranks)) == len(ranks) and set(ranks) <= set(RANKS)
    if valid:
        assert Deck(ranks, suits).size == 4 * len(ranks)
    else:
        with pytest.raises(CardError, match=r"suits are|ranks are"):
            Deck(ranks, suits)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("3D 3D", "3D stands there twice"),
        ("10H th", "TH stands there twice"),
        ("1D", "'1D' is no card"),
        ("3D 11H", "'11H' is no card"),
        ("3DX", "'3DX' is no card"),
        ("D3", "'D3' is no card"),
        ("3", "'3' is no card"),
        ("♦", "'♦' is no card"),
        ("joker", "'joker' is no card"),
    ],
)
def test_an_error_names_the_card(text, message):
    with pytest.raises(CardError, match=message):
        CardSet.parse(text)


def test_a_card_that_the_deck_lacks_is_no_card():
    with pytest.raises(CardError, match="a rank of 6789TJQKA"):
        CardSet.parse("5D", Deck("6789TJQKA"))


def test_sets_of_different_decks_do_not_mix():
    diamonds_low, clubs_low = CardSet.parse("3D"), CardSet.parse("3D", Deck(suits="CDHS"))
    assert diamonds_low != clubs_low
    with pytest.raises(TypeError, match="different decks"):
        diamonds_low | clubs_low
    with pytest.raises(TypeError, match="no CardSet"):
        diamonds_low.__le__({"3D"})


def test_a_notebook_shows_cards():
    html = CardSet.parse("3D 2S")._repr_html_()
    assert "3♦" in html
    assert "2♠" in html
    assert "no cards" in CardSet()._repr_html_()
