"""The slow reference: Big Two in plain Python over sets of cards, sharing nothing with the engine.

A card is its text, rank then suit ("3D", "TS"). Rules are any object with the attributes of `Rules`; their string
values need only compare equal to plain strings. Nothing here is clever: a set of cards is a play if `classify` says
so, plays are found by trying every subset, and a deal is told as at a table. Where speed matters (whole decks, many
hands) the same `classify` is asked once for every play of the deck, and the answers are kept in a `PlayBook`.
"""

import hashlib
import sys
from array import array
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations
from typing import Any

Card = str
Cards = tuple[Card, ...]  # in ascending order of the deck
Key = tuple[int, ...]  # orders plays of one size: the greater key wins
Classified = tuple[str, Key]  # kind and key
PlayBook = dict[Cards, Classified]
Rules = Any

RANKS = "3456789TJQKA2"
SEATS = 4
LARGEST_PLAY = 5

# Weakest first; among plays of one size this is the order of the categories.
KINDS = (
    "single",
    "pair",
    "triple",
    "two_pairs",
    "straight",
    "flush",
    "full_house",
    "four_of_a_kind",
    "straight_flush",
)
FIVE_CARD_KINDS = ("straight", "flush", "full_house", "four_of_a_kind", "straight_flush")
BOMB_KINDS = ("four_of_a_kind", "straight_flush")

# Sequences are written from their bottom to their top, whatever the ranks are worth.
WITHOUT_TWO = ("34567", "45678", "56789", "6789T", "789TJ", "89TJQ", "9TJQK", "TJQKA")
STRAIGHTS = {
    "singapore": (*WITHOUT_TWO, "A2345", "23456"),
    "pagat": ("A2345", "23456", *WITHOUT_TWO),
    "hong_kong": (*WITHOUT_TWO, "23456", "A2345"),
    "taiwan": ("A2345", *WITHOUT_TWO, "23456"),
    "charlesworth": (*WITHOUT_TWO, "JQKA2"),
}


def cards(text: str) -> frozenset[Card]:
    """Read cards written as "3D 3C", separated by blanks."""
    return frozenset(text.split())


def deck(rules: Rules) -> list[Card]:
    """All cards, the lowest first."""
    return [rank + suit for rank in RANKS for suit in rules.suit_order]


def position(card: Card, rules: Rules) -> int:
    """The place of a card in the deck, counted from the lowest."""
    suits: str = rules.suit_order
    return len(suits) * RANKS.index(card[0]) + suits.index(card[1])


def ascending(some: Iterable[Card], rules: Rules) -> Cards:
    """The cards sorted, the lowest first."""
    return tuple(sorted(some, key=lambda card: position(card, rules)))


# Plays


def classify(some: Iterable[Card], rules: Rules) -> Classified | None:
    """Name the play that the cards make and give the key that orders it among plays of its size; None if no play."""
    held = set(some)
    counts = Counter(card[0] for card in held)
    shape = sorted(counts.values(), reverse=True)
    if shape == [1]:
        return _classified("single", _top_card(held, rules))
    if shape == [2]:
        return _classified("pair", _top_card(held, rules))
    if shape == [3]:
        return _classified("triple", _most_common_rank(counts)) if rules.triples else None
    if shape == [2, 2]:
        allowed = rules.four_card_plays == "two_pairs_and_four_of_a_kind"
        return _classified("two_pairs", _top_card(held, rules)) if allowed else None
    if shape == [4]:
        allowed = rules.four_card_plays != "none"
        return _classified("four_of_a_kind", _most_common_rank(counts)) if allowed else None
    if shape == [4, 1]:
        allowed = rules.four_card_plays == "none"
        return _classified("four_of_a_kind", _most_common_rank(counts)) if allowed else None
    if shape == [3, 2]:
        return _classified("full_house", _most_common_rank(counts))
    if shape == [1, 1, 1, 1, 1]:
        suited = len({card[1] for card in held}) == 1
        straight = _straight_key(held, rules)
        if straight is not None:
            return _classified("straight_flush" if suited else "straight", straight)
        if suited and rules.flush != "none":
            return _classified("flush", _flush_key(held, rules))
    return None


def _classified(kind: str, key: Key) -> Classified:
    return kind, (KINDS.index(kind), *key)


def _top_card(held: Iterable[Card], rules: Rules) -> Key:
    return max((RANKS.index(card[0]), rules.suit_order.index(card[1])) for card in held)


def _most_common_rank(counts: Counter[str]) -> Key:
    return (RANKS.index(counts.most_common(1)[0][0]),)


def _straight_key(held: set[Card], rules: Rules) -> Key | None:
    ranks = {card[0] for card in held}
    for order, sequence in enumerate(STRAIGHTS[rules.straight_order]):
        if ranks == set(sequence):
            deciding = sequence[-1] if rules.straight_tie == "top_of_sequence" else max(sequence, key=RANKS.index)
            (suit,) = (card[1] for card in held if card[0] == deciding)
            return order, rules.suit_order.index(suit)
    return None


def _flush_key(held: set[Card], rules: Rules) -> Key:
    ranks = sorted((RANKS.index(card[0]) for card in held), reverse=True)
    suit = rules.suit_order.index(next(iter(held))[1])
    if rules.flush == "suit_first":
        return suit, *ranks
    if rules.flush == "ranks_first":
        return *ranks, suit
    if rules.flush == "top_card":
        return ranks[0], suit
    raise ValueError(f"flush is {rules.flush!r}: not an order of flushes")


def beats(above: Iterable[Card], below: Iterable[Card], rules: Rules) -> bool:
    """Whether the first play may be laid on the second, whosever turn it is; False if either is no play."""
    above, below = set(above), set(below)
    first, second = classify(above, rules), classify(below, rules)
    if first is None or second is None:
        return False
    return _beats(len(above), first, len(below), second, rules)


def _beats(size: int, play: Classified, size_below: int, below: Classified, rules: Rules) -> bool:
    (kind, key), (kind_below, key_below) = play, below
    if rules.bombs and kind in BOMB_KINDS:
        return kind_below not in BOMB_KINDS or key > key_below
    if rules.bombs and kind_below in BOMB_KINDS:
        return False
    return size == size_below and key > key_below


# Every play of a deck


def sets_of_size(size: int, rules: Rules) -> Iterator[tuple[Cards, Classified | None]]:
    """Classify every set of `size` cards, in the order of `itertools.combinations` over the ascending deck.

    Cards that are not all of one suit are a play or none by their ranks alone, so those that are none are
    recognised by their ranks, after `classify` was asked once. All 2,598,960 sets of five take some seconds.
    """
    whole = deck(rules)
    ranks_are_play: dict[tuple[str, ...], bool] = {}
    sets = combinations(whole, size)
    ranks_of_sets = combinations([card[0] for card in whole], size)
    suits_of_sets = combinations([card[1] for card in whole], size)
    for some, ranks, suits in zip(sets, ranks_of_sets, suits_of_sets, strict=True):
        if suits.count(suits[0]) != size:
            if ranks not in ranks_are_play:
                ranks_are_play[ranks] = classify(some, rules) is not None
            if not ranks_are_play[ranks]:
                yield some, None
                continue
        yield some, classify(some, rules)


def play_book(rules: Rules) -> PlayBook:
    """Every play that the deck allows under the rules, with its kind and key."""
    return {
        some: play
        for size in range(1, LARGEST_PLAY + 1)
        for some, play in sets_of_size(size, rules)
        if play is not None
    }


def five_card_order(rules: Rules) -> tuple[dict[str, int], str]:
    """Count the kinds of all five-card sets and pin their order: (counts by kind, digest as in `order_digest`)."""
    found = [play for _, play in sets_of_size(LARGEST_PLAY, rules)]
    counts = Counter(play[0] for play in found if play is not None)
    dense = {key: rank for rank, key in enumerate(sorted({play[1] for play in found if play is not None}))}
    ranks = array("i", (-1 if play is None else dense[play[1]] for play in found))
    if ranks.itemsize != 4:
        raise RuntimeError(f"a C int has {ranks.itemsize} bytes here: the digest needs 4")
    if sys.byteorder == "big":
        ranks.byteswap()
    return {kind: counts[kind] for kind in FIVE_CARD_KINDS}, hashlib.sha256(ranks.tobytes()).hexdigest()


def order_digest(rules: Rules) -> str:
    """Pin the total order of five-card plays: a SHA-256 in hexadecimal.

    Go through all 2,598,960 sets of five cards as `itertools.combinations` gives them from the deck in ascending order
    (3D 3C 3H 3S 4D ... for the suits DCHS; the rules' own suit order otherwise). Write for each set one int32,
    little-endian: -1 if it is no play, else the dense rank of its strength among the strengths of all five-card plays
    (0 the weakest; plays of equal strength have the same rank; no rank is left out). The digest is that of these bytes,
    10,395,840 in all.
    """
    return five_card_order(rules)[1]


# Legal plays of a hand


def legal_plays(
    hand: Iterable[Card],
    rules: Rules,
    on: Iterable[Card] | None = None,
    opening: bool = False,
    next_left: int = 13,
    book: PlayBook | None = None,
) -> list[Cards]:
    """List the plays a player may lay, ordered by size, then strength, then the cards compared from the highest down.

    `on` is the play on the table, None on lead; `opening` tells that this is the first play of the deal by the holder
    of the lowest card; `next_left` is how many cards the next seat holds. A rule for the opening play sets that of the
    last card aside, since both together could leave nothing to play. A `play_book` of the same rules saves time and
    changes nothing else. Raises ValueError if `on` is no play.
    """
    held = ascending(hand, rules)
    table = None if not on else ascending(on, rules)
    below = None if table is None else _look_up(table, rules, book)
    if table is not None and below is None:
        raise ValueError(f"{' '.join(table)} on the table is no play")
    lowest = deck(rules)[0]
    bound = opening and rules.opening_play != "anything"
    places = {card: position(card, rules) for card in held}
    found = []
    for size in range(1, LARGEST_PLAY + 1):
        if table is not None and size != len(table) and not rules.bombs:
            continue
        for some in combinations(held, size):
            play = _look_up(some, rules, book)
            if play is None:
                continue
            if table is not None and below is not None and not _beats(size, play, len(table), below, rules):
                continue
            if opening and rules.opening_play == "contains" and lowest not in some:
                continue
            if opening and rules.opening_play == "single" and some != (lowest,):
                continue
            if rules.last_card and not bound and next_left == 1 and size == 1 and some != held[-1:]:
                continue
            from_the_top = [places[card] for card in reversed(some)]
            found.append((size, play[1], from_the_top, some))
    return [some for *_, some in sorted(found)]


def _look_up(some: Cards, rules: Rules, book: PlayBook | None) -> Classified | None:
    return classify(some, rules) if book is None else book.get(some)


def may_pass(
    hand: Iterable[Card],
    rules: Rules,
    on: Iterable[Card] | None = None,
    next_left: int = 13,
    book: PlayBook | None = None,
) -> bool:
    """Whether a player may pass: never on lead, nor, with the last-card rule, where a single can be beaten.

    `on` is the play on the table, None on lead; `next_left` is how many cards the next seat holds.
    """
    if not on:
        return False
    table = set(on)
    if rules.last_card and next_left == 1 and len(table) == 1:
        return not legal_plays(hand, rules, on=table, next_left=next_left, book=book)
    return True


# Points


def settle(hands_left: Sequence[Iterable[Card]], winner: int, rules: Rules) -> list[int]:
    """The points of each seat, from the cards that each still holds at the end of a deal."""
    penalties = [penalty(hand, rules) for hand in hands_left]
    pot = sum(penalties) - penalties[winner]
    points = []
    for seat, own in enumerate(penalties):
        if rules.settlement == "pairwise":
            others = sum(penalties) - own
            points.append(others - (SEATS - 1) * own)
        elif seat == winner:
            points.append(pot)
        elif rules.settlement == "losers_debited":
            points.append(-own)
        else:
            points.append(0)
    return points


def penalty(hand: Iterable[Card], rules: Rules) -> int:
    """What a hand costs its holder at the end of a deal."""
    held = list(hand)
    if not held:
        return 0
    cost: int = len(held) * rules.penalty_tiers[len(held) - 1]
    if rules.double_twos:
        for card in held:
            if card[0] == "2":
                cost *= 2
    return cost


# A deal


class NaiveDeal:
    """One deal, told step by step.

    Without a `leader` the holder of the lowest card leads, bound by the rule for the opening play; a `leader` that is
    named (the winner of the last deal, say) leads anything. `log` holds (seat, cards) of every step, no cards for a
    pass. `winner` and `points` are None until the deal is over.
    """

    def __init__(
        self,
        hands: Sequence[Iterable[Card]],
        rules: Rules,
        leader: int | None = None,
        book: PlayBook | None = None,
    ) -> None:
        self.rules = rules
        self.book = book
        self.hands = [frozenset(hand) for hand in hands]
        self.opening = leader is None
        self.turn = self._holder(deck(rules)[0]) if leader is None else leader
        self.play_to_beat: Cards | None = None
        self.owner: int | None = None
        self.passed: list[int] = []  # seats that passed since the last play; in this trick, where that locks them out
        self.log: list[tuple[int, Cards]] = []
        self.winner: int | None = None

    def _holder(self, card: Card) -> int:
        for seat, hand in enumerate(self.hands):
            if card in hand:
                return seat
        raise ValueError(f"nobody holds {card}, the lowest card: name the seat that leads")

    def copy(self) -> "NaiveDeal":
        """An independent deal in the same state."""
        other = NaiveDeal(self.hands, self.rules, self.turn, self.book)
        other.opening, other.play_to_beat = self.opening, self.play_to_beat
        other.owner, other.winner = self.owner, self.winner
        other.passed, other.log = list(self.passed), list(self.log)
        return other

    @property
    def over(self) -> bool:
        return self.winner is not None

    @property
    def points(self) -> list[int] | None:
        return None if self.winner is None else settle(self.hands, self.winner, self.rules)

    @property
    def next_left(self) -> int:
        """How many cards the seat after the one to play holds, whether or not it still plays in this trick."""
        return len(self.hands[(self.turn + 1) % SEATS])

    def legal_plays(self) -> list[Cards]:
        """The plays of the seat whose turn it is, weakest first; none once the deal is over."""
        if self.over:
            return []
        hand = self.hands[self.turn]
        return legal_plays(hand, self.rules, self.play_to_beat, self.opening, self.next_left, self.book)

    def may_pass(self) -> bool:
        """Whether the seat whose turn it is may pass."""
        hand, on = self.hands[self.turn], self.play_to_beat
        return not self.over and may_pass(hand, self.rules, on, self.next_left, self.book)

    def apply_play(self, some: Iterable[Card]) -> None:
        """Lay a play; raise ValueError if it is not legal."""
        play = ascending(some, self.rules)
        if play not in self.legal_plays():
            raise ValueError(f"seat {self.turn} may not play {' '.join(play) or 'no cards'}")
        self.log.append((self.turn, play))
        self.hands[self.turn] -= set(play)
        self.play_to_beat, self.owner, self.opening = play, self.turn, False
        if self.rules.passing == "may_return":
            self.passed = []
        if not self.hands[self.turn]:
            self.winner = self.turn
        else:
            self._next_turn()

    def pass_(self) -> None:
        """Pass; raise ValueError if that is not legal."""
        if not self.may_pass():
            raise ValueError(f"seat {self.turn} may not pass")
        self.log.append((self.turn, ()))
        self.passed.append(self.turn)
        if len(self.passed) == SEATS - 1:  # everyone but the owner of the play on the table
            assert self.owner is not None
            self.turn, self.play_to_beat, self.owner, self.passed = self.owner, None, None, []
        else:
            self._next_turn()

    def _next_turn(self) -> None:
        self.turn = (self.turn + 1) % SEATS
        while self.turn in self.passed:
            self.turn = (self.turn + 1) % SEATS


# Lines of play


def count_lines(deal: NaiveDeal, depth: int) -> int:
    """Count the sequences of `depth` steps (a play or a pass) from here; one that ends the deal earlier counts once.

    A pass is a step also where it is the only one possible; a seat that is locked out takes no step.
    """
    if depth == 0 or deal.over:
        return 1
    if depth == 1:
        return len(deal.legal_plays()) + deal.may_pass()
    return sum(count_lines(after, depth - 1) for _, after in _steps(deal))


def count_lines_by_step(deal: NaiveDeal, depth: int) -> dict[str, int]:
    """Split `count_lines` by the first step: the text of the play, or "pass", and the number of lines that begin so."""
    return {" ".join(play) or "pass": count_lines(after, depth - 1) for play, after in _steps(deal)}


def _steps(deal: NaiveDeal) -> Iterator[tuple[Cards, NaiveDeal]]:
    for play in deal.legal_plays():
        after = deal.copy()
        after.apply_play(play)
        yield play, after
    if deal.may_pass():
        after = deal.copy()
        after.pass_()
        yield (), after
