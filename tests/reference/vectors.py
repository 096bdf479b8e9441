"""Facts about Big Two, written out by hand: the presets, every legal value of every switch, and what must come of them.

The reference and the engine are both tested against these. Cards are text; nothing here computes a rule.
"""

import random
from itertools import permutations
from types import SimpleNamespace
from typing import Any, NamedTuple

# Presets

_ONCE_TWICE_THRICE = (1,) * 9 + (2,) * 3 + (3,)  # 1-9 cards left, 10-12, 13

_SINGAPORE: dict[str, Any] = {
    "suit_order": "DCHS",
    "opener": "first_deal",
    "opening_play": "contains",
    "passing": "may_return",
    "straight_order": "singapore",
    "straight_tie": "highest_card",
    "flush": "suit_first",
    "triples": True,
    "four_card_plays": "none",
    "bombs": False,
    "last_card": False,
    "penalty_tiers": _ONCE_TWICE_THRICE,
    "double_twos": False,
    "settlement": "winner_credited",
    "match_target": None,
}
_DIFFERENCES: dict[str, dict[str, Any]] = {
    "singapore": {},
    "pagat": {"opener": "every_deal", "straight_order": "pagat", "straight_tie": "top_of_sequence"},
    "hong_kong": {
        "straight_order": "hong_kong",
        "penalty_tiers": (1,) * 7 + (2,) * 2 + (3,) * 3 + (4,),
        "settlement": "losers_debited",
    },
    "taiwan": {
        "suit_order": "CDHS",
        "straight_order": "taiwan",
        "flush": "none",
        "triples": False,
        "double_twos": True,
        "settlement": "losers_debited",
    },
    "charlesworth": {
        "opener": "every_deal",
        "opening_play": "single",
        "straight_order": "charlesworth",
        "straight_tie": "top_of_sequence",
        "flush": "top_card",
        "four_card_plays": "two_pairs_and_four_of_a_kind",
        "penalty_tiers": (1,) * 13,
        "settlement": "losers_debited",
    },
}


def rules(preset: str = "singapore", **changes: Any) -> SimpleNamespace:
    """The rules of a preset, with some switches changed, as a plain value."""
    unknown = set(changes) - set(_SINGAPORE)
    if unknown:
        raise ValueError(f"no such switch: {', '.join(sorted(unknown))}; there are {', '.join(_SINGAPORE)}")
    return SimpleNamespace(**{"name": preset, **_SINGAPORE, **_DIFFERENCES[preset], **changes})


PRESETS = {name: rules(name) for name in _DIFFERENCES}

# Every legal value of the switches; of penalty tables and match targets, a choice.
SWITCHES: dict[str, tuple[Any, ...]] = {
    "suit_order": tuple("".join(order) for order in permutations("DCHS")),
    "opener": ("first_deal", "every_deal"),
    "opening_play": ("contains", "single", "anything"),
    "passing": ("may_return", "locked_out"),
    "straight_order": ("singapore", "pagat", "hong_kong", "taiwan", "charlesworth"),
    "straight_tie": ("highest_card", "top_of_sequence"),
    "flush": ("suit_first", "ranks_first", "top_card", "none"),
    "triples": (True, False),
    "four_card_plays": ("none", "four_of_a_kind", "two_pairs_and_four_of_a_kind"),
    "bombs": (False, True),
    "last_card": (False, True),
    "penalty_tiers": (_ONCE_TWICE_THRICE, (1,) * 7 + (2,) * 2 + (3,) * 3 + (4,), (1,) * 13, tuple(range(1, 14))),
    "double_twos": (False, True),
    "settlement": ("winner_credited", "losers_debited", "pairwise"),
    "match_target": (None, 50, 100, 1),
}


def random_rules(chance: random.Random) -> SimpleNamespace:
    """Any combination of house rules."""
    return rules(**{switch: chance.choice(values) for switch, values in SWITCHES.items()})


# Which play wins

BASE = ("singapore", "pagat")
ALL = tuple(PRESETS)


class Duel(NamedTuple):
    """The winner may be laid on the loser, and not the other way round, under each of the presets."""

    name: str
    presets: tuple[str, ...]
    winner: str
    loser: str


DUELS = [
    Duel("clubs_above_diamonds", BASE, "3C", "3D"),
    Duel("hearts_above_clubs", BASE, "3H", "3C"),
    Duel("spades_above_hearts", BASE, "3S", "3H"),
    Duel("rank_before_suit", BASE, "4D", "3S"),
    Duel("two_above_ace", BASE, "2D", "AS"),
    Duel("two_of_spades_above_two_of_hearts", BASE, "2S", "2H"),
    Duel("pairs_of_a_rank_by_their_highest_suit", BASE, "9S 9D", "9H 9C"),
    Duel("pairs_by_rank", BASE, "TD TC", "9S 9D"),
    Duel("triples_by_rank", BASE, "4D 4C 4H", "3C 3H 3S"),
    Duel("flush_above_straight", BASE, "3D 5D 7D 9D JD", "TS JH QS KS AH"),
    Duel("flushes_by_suit_first", BASE, "3H 5H 6H 7H 9H", "2C 4C 6C 9C JC"),
    Duel("full_house_above_flush", BASE, "3D 3C 3H 4D 4C", "2S KS QS JS 9S"),
    Duel("full_houses_by_their_triple", BASE, "5D 5C 5H 3D 3C", "4D 4C 4H AS AH"),
    Duel("four_of_a_kind_above_full_house", BASE, "3D 3C 3H 3S 4D", "2D 2C 2H AS AH"),
    Duel("fours_by_rank_not_by_the_fifth_card", BASE, "4D 4C 4H 4S 5D", "3D 3C 3H 3S 2S"),
    Duel("straight_flush_above_four_of_a_kind", BASE, "3D 4D 5D 6D 7D", "2D 2C 2H 2S AS"),
    Duel("straight_flushes_by_sequence_before_suit", BASE, "4D 5D 6D 7D 8D", "3S 4S 5S 6S 7S"),
    # different by preset
    Duel("ace_to_five_above_ten_to_ace", ("singapore",), "AD 2C 3H 4S 5D", "TD JC QH KS AC"),
    Duel("ace_to_five_below_ten_to_ace", ("pagat",), "TD JC QH KS AC", "AD 2C 3H 4S 5D"),
    Duel("two_to_six_above_ten_to_ace", ("singapore",), "2D 3C 4H 5S 6D", "TS JS QS KS AD"),
    Duel("two_to_six_below_ten_to_ace", ("pagat",), "TS JS QS KS AD", "2D 3C 4H 5S 6D"),
    # read off the table of presets
    Duel("diamonds_above_clubs", ("taiwan",), "3D", "3C"),
    Duel("tie_of_ace_to_five_by_its_two", ("singapore", "hong_kong", "taiwan"), "AD 2S 3D 4D 5C", "AS 2H 3S 4S 5S"),
    Duel("tie_of_ace_to_five_by_its_five", ("pagat",), "AD 2D 3D 4D 5S", "AS 2S 3S 4S 5H"),
    Duel("tie_of_two_to_six_by_its_two", ("singapore", "hong_kong", "taiwan"), "2S 3D 4D 5D 6D", "2H 3S 4S 5S 6S"),
    Duel("tie_of_two_to_six_by_its_six", ("pagat",), "2D 3D 4D 5D 6S", "2S 3S 4S 5S 6H"),
    Duel("tie_of_jack_to_two_by_its_two", ("charlesworth",), "JD QD KD AD 2S", "JS QS KS AS 2H"),
    Duel("tie_of_other_straights_by_their_top", ALL, "6D 7D 8D 9D TS", "6S 7S 8S 9S TH"),
    Duel("straight_flush_of_ace_to_five_by_its_place", ("hong_kong",), "AD 2D 3D 4D 5D", "2S 3S 4S 5S 6S"),
    Duel("flushes_by_suit_first_elsewhere", ("hong_kong",), "3H 5H 6H 7H 9H", "2C 4C 6C 9C JC"),
    Duel("flushes_of_a_suit_from_the_top_down", (*BASE, "hong_kong"), "3H 5H 7H TH JH", "4H 6H 8H 9H JH"),
    Duel("flushes_of_a_suit_to_the_last_card", (*BASE, "hong_kong"), "4H 7H 9H TH JH", "3H 7H 9H TH JH"),
    Duel("flushes_by_top_card_before_suit", ("charlesworth",), "3D 4D 5D 6D KD", "7S 9S TS JS QS"),
    Duel("flushes_of_a_top_rank_by_suit", ("charlesworth",), "3S 4S 5S 6S KS", "8H TH JH QH KH"),
    Duel("four_of_a_kind_above_two_pairs", ("charlesworth",), "3D 3C 3H 3S", "AS AH 2S 2H"),
    Duel("two_pairs_by_their_highest_card", ("charlesworth",), "3D 3C 2S 2D", "AS AH 2H 2C"),
    Duel("four_card_fours_by_rank", ("charlesworth",), "4D 4C 4H 4S", "3D 3C 3H 3S"),
]

HIGHEST_SINGLE = "2S"

# Straights of each preset from the lowest to the highest, each written from the bottom of its sequence to the top.
STRAIGHTS_IN_ORDER = {
    "singapore": "34567 45678 56789 6789T 789TJ 89TJQ 9TJQK TJQKA A2345 23456",
    "pagat": "A2345 23456 34567 45678 56789 6789T 789TJ 89TJQ 9TJQK TJQKA",
    "hong_kong": "34567 45678 56789 6789T 789TJ 89TJQ 9TJQK TJQKA 23456 A2345",
    "taiwan": "A2345 34567 45678 56789 6789T 789TJ 89TJQ 9TJQK TJQKA 23456",
    "charlesworth": "34567 45678 56789 6789T 789TJ 89TJQ 9TJQK TJQKA JQKA2",
}


class Tie(NamedTuple):
    """Two plays of equal strength: neither may be laid on the other."""

    name: str
    presets: tuple[str, ...]
    one: str
    other: str


TIES = [
    Tie("a_play_does_not_beat_itself", ALL, "2S", "2S"),
    Tie("straights_that_share_their_highest_card", ALL, "3D 4D 5D 6D 7S", "3S 4S 5H 6H 7S"),
    Tie("flushes_that_share_their_top_card", ("charlesworth",), "3S 4S 5S 6S KS", "8S TS JS QS KS"),
]


class NoPlay(NamedTuple):
    """Cards that are no play under the presets."""

    name: str
    presets: tuple[str, ...]
    cards: str


NO_PLAYS = [
    NoPlay("jack_to_two", BASE, "JD QC KH AS 2D"),
    NoPlay("four_of_a_kind_alone", BASE, "4D 4C 4H 4S"),
    NoPlay("two_pairs", BASE, "6D 6C 9D 9C"),
    NoPlay("two_pairs_and_one", BASE, "6D 6C 9D 9C KH"),
    NoPlay("triple_and_one", BASE, "5D 5C 5H 8S"),
    # read off the table of presets
    NoPlay("king_to_four", ALL, "KD AC 2H 3S 4D"),
    NoPlay("queen_to_three", ALL, "QD KC AH 2S 3D"),
    NoPlay("jack_to_two_elsewhere", ("hong_kong", "taiwan"), "JD QC KH AS 2D"),
    NoPlay("flush", ("taiwan",), "3D 5D 7D 9D JD"),
    NoPlay("triple", ("taiwan",), "3D 3C 3H"),
    NoPlay("ace_to_five", ("charlesworth",), "AD 2C 3H 4S 5D"),
    NoPlay("two_to_six", ("charlesworth",), "2D 3C 4H 5S 6D"),
    NoPlay("four_of_a_kind_and_a_fifth", ("charlesworth",), "4D 4C 4H 4S 5D"),
    NoPlay("no_cards", ALL, ""),
    NoPlay("two_ranks", ALL, "3D 4D"),
    NoPlay("six_cards_in_sequence", ALL, "3D 4C 5H 6S 7D 8D"),
]


class Kind(NamedTuple):
    """What cards are called under the presets."""

    presets: tuple[str, ...]
    kind: str
    cards: str


NAMES = [
    Kind(ALL, "single", "3D"),
    Kind(ALL, "pair", "9S 9D"),
    Kind(("singapore", "pagat", "hong_kong", "charlesworth"), "triple", "4D 4C 4H"),
    Kind(("charlesworth",), "two_pairs", "6D 6C 9D 9C"),
    Kind(("charlesworth",), "four_of_a_kind", "4D 4C 4H 4S"),
    Kind(ALL, "straight", "TS JH QS KS AH"),
    Kind(("charlesworth",), "straight", "JD QC KH AS 2D"),
    Kind(("charlesworth",), "straight_flush", "JD QD KD AD 2D"),
    Kind(("singapore", "pagat", "hong_kong"), "flush", "JD QD KD AD 2D"),
    Kind(("charlesworth",), "flush", "AD 2D 3D 4D 5D"),
    Kind(("singapore", "pagat", "hong_kong", "charlesworth"), "flush", "3D 5D 7D 9D JD"),
    Kind(ALL, "full_house", "5D 5C 5H 3D 3C"),
    Kind(("singapore", "pagat", "hong_kong", "taiwan"), "four_of_a_kind", "4D 4C 4H 4S 5D"),
    Kind(ALL, "straight_flush", "3D 4D 5D 6D 7D"),
]


class NoAnswer(NamedTuple):
    """A play that may not be laid on another, though nothing on the table is stronger of its own size."""

    name: str
    presets: tuple[str, ...]
    answer: str
    table: str


NO_ANSWERS = [
    NoAnswer("pair_of_twos_on_a_straight", BASE, "2S 2H", "3D 4C 5H 6S 7D"),
    NoAnswer("straight_flush_on_the_two_of_spades", BASE, "3D 4D 5D 6D 7D", "2S"),
    NoAnswer("four_of_a_kind_on_a_pair", ALL, "4D 4C 4H 4S 5D", "3D 3C"),
]

# House rules on which plays beat which: (name, changes to singapore, winner, loser).
HOUSE_DUELS: list[tuple[str, dict[str, Any], str, str]] = [
    ("any_suit_order", {"suit_order": "SHCD"}, "3D", "3S"),
    ("flush_ranks_before_suit", {"flush": "ranks_first"}, "2C 4C 6C 9C JC", "3H 5H 6H 7H 9H"),
    ("flush_of_equal_ranks_by_suit", {"flush": "ranks_first"}, "2H 4H 6H 9H JH", "2C 4C 6C 9C JC"),
    ("straight_flush_without_flushes", {"flush": "none"}, "3D 4D 5D 6D 7D", "2D 2C 2H 2S AS"),
    ("four_with_fifth_bombs_a_single", {"bombs": True}, "3D 3C 3H 3S 4D", "2S"),
    ("straight_flush_bombs_a_pair", {"bombs": True}, "3D 4D 5D 6D 7D", "2S 2H"),
    ("straight_flush_bombs_a_four", {"bombs": True}, "3D 4D 5D 6D 7D", "2D 2C 2H 2S AS"),
    ("higher_bomb", {"bombs": True}, "4D 4C 4H 4S 5D", "3D 3C 3H 3S 2S"),
    (
        "four_alone_bombs_a_full_house",
        {"bombs": True, "four_card_plays": "four_of_a_kind"},
        "3D 3C 3H 3S",
        "2S 2H 2C AS AH",
    ),
    (
        "straight_flush_bombs_a_four_alone",
        {"bombs": True, "four_card_plays": "four_of_a_kind"},
        "3D 4D 5D 6D 7D",
        "2D 2C 2H 2S",
    ),
    (
        "four_alone_bombs_two_pairs",
        {"bombs": True, "four_card_plays": "two_pairs_and_four_of_a_kind"},
        "3D 3C 3H 3S",
        "2S 2H AS AH",
    ),
    ("straight_tie_top_of_sequence", {"straight_tie": "top_of_sequence"}, "AD 2D 3D 4D 5S", "AS 2S 3S 4S 5H"),
]

# Counts

FIVE_CARD_COUNTS = {
    "singapore": {"straight": 10200, "flush": 5108, "full_house": 3744, "four_of_a_kind": 624, "straight_flush": 40},
    "pagat": {"straight": 10200, "flush": 5108, "full_house": 3744, "four_of_a_kind": 624, "straight_flush": 40},
    "hong_kong": {"straight": 10200, "flush": 5108, "full_house": 3744, "four_of_a_kind": 624, "straight_flush": 40},
    "taiwan": {"straight": 10200, "flush": 0, "full_house": 3744, "four_of_a_kind": 624, "straight_flush": 40},
    "charlesworth": {"straight": 9180, "flush": 5112, "full_house": 3744, "four_of_a_kind": 0, "straight_flush": 36},
}
FIVE_CARD_PLAYS_SINGAPORE = 19716
# Plays of one to four cards: singles, pairs, triples; two pairs and fours alone where they are plays.
SMALL_COUNTS = {
    "singapore": {"single": 52, "pair": 78, "triple": 52},
    "pagat": {"single": 52, "pair": 78, "triple": 52},
    "hong_kong": {"single": 52, "pair": 78, "triple": 52},
    "taiwan": {"single": 52, "pair": 78},
    "charlesworth": {"single": 52, "pair": 78, "triple": 52, "two_pairs": 2808, "four_of_a_kind": 13},
}

# The opening play, under both base presets: a hand that holds the lowest card, what it may lead, what it may not.

OPENING_HAND = "3D 3C 3H 3S 4C 4S 5H 6S 7D 9S JC AD 2C"
OPENING_LEGAL = ["3D", "3D 3S", "3D 4C 5H 6S 7D", "AD 2C 3D 4S 5H"]
OPENING_ILLEGAL = ["4C", "3C 3H", ""]  # no cards: a pass

# A trick, seat by seat (no cards: a pass). Seats 0 to 3 are A to D.

TRICK_HANDS = [
    "3D 6D 6C 8D 8C TD TC QD QC AD AC 2D 2C",
    "3C 4H 6H 7D 8H 9D TH JD QH KD AH KC 2H",
    "5S 3H 6S 7C 8S 9C TS JC QS KH AS KS 2S",
    "4D 3S 4C 4S 5D 5C 5H 7H 7S 9H 9S JH JS",
]
TRICK = [(0, "3D"), (1, "3C"), (2, ""), (3, "4D"), (0, ""), (1, "4H"), (2, "5S"), (3, ""), (0, ""), (1, "")]
TRICK_NEXT_LEADER = 2
# With lock-out the trick goes this way up to the 4H; seat 2 passed, so it is not asked again and may not play the 5S.
TRICK_LOCKED_OUT = [(0, "3D"), (1, "3C"), (2, ""), (3, "4D"), (0, ""), (1, "4H")]
TRICK_LOCKED_OUT_TURN = 3
# Seat 3 passes then, and seat 1 leads: all three others are locked out.
TRICK_LOCKED_OUT_LEADER = 1

# Points


class Points(NamedTuple):
    """What each seat gets when seat 0 is out and the others hold these cards."""

    name: str
    preset: str
    changes: dict[str, Any]
    losers: tuple[str, str, str]
    points: tuple[int, int, int, int]


def _left(one: int, two: int, three: int) -> tuple[str, str, str]:
    """Hands of so many cards: diamonds, clubs and hearts from the 3 up, so that a 2 is the thirteenth."""
    return _suited("D", one), _suited("C", two), _suited("H", three)


def _suited(suit: str, count: int) -> str:
    return " ".join(rank + suit for rank in "3456789TJQKA2"[:count])


_DEBITED = {"settlement": "losers_debited"}
_PAIRWISE = {"settlement": "pairwise"}

POINTS = [
    Points("one_card_each", "singapore", {}, _left(1, 1, 1), (3, 0, 0, 0)),
    Points("nine_cards_each", "singapore", {}, _left(9, 9, 9), (27, 0, 0, 0)),
    Points("ten_eleven_twelve", "singapore", {}, _left(10, 11, 12), (66, 0, 0, 0)),
    Points("one_ten_thirteen", "singapore", {}, _left(1, 10, 13), (60, 0, 0, 0)),
    Points("thirteen_cards_each", "singapore", {}, _left(13, 13, 13), (117, 0, 0, 0)),
    # worked out by hand from the table of presets and the house rules
    Points("as_singapore", "pagat", {}, _left(1, 10, 13), (60, 0, 0, 0)),
    Points("tiers_below", "hong_kong", {}, _left(7, 8, 10), (7 + 16 + 30, -7, -16, -30)),
    Points("tiers_above", "hong_kong", {}, _left(9, 12, 13), (18 + 36 + 52, -18, -36, -52)),
    Points("no_twos", "taiwan", {}, _left(1, 10, 12), (1 + 20 + 24, -1, -20, -24)),
    Points("doubled_for_each_two", "taiwan", {}, ("2D", "2C 2H 3D", "3C 4C"), (2 + 12 + 2, -2, -12, -2)),
    Points("tier_and_twos", "taiwan", {}, _left(13, 1, 1), (78 + 1 + 1, -78, -1, -1)),
    Points("no_tiers", "charlesworth", {}, _left(1, 10, 13), (24, -1, -10, -13)),
    Points("debited", "singapore", _DEBITED, _left(1, 10, 13), (60, -1, -20, -39)),
    Points("every_pair_settles", "singapore", _PAIRWISE, _left(1, 10, 13), (60, 59 - 3, 40 - 60, 21 - 117)),
    Points("twos_not_doubled", "singapore", {}, ("2D", "2C 2H 3D", "3C 4C"), (6, 0, 0, 0)),
]
