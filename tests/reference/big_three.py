"""The slow reference: Big Three in plain Python over sets of cards, sharing nothing with the engine.

A card is its text, rank then suit ("4D", "TS"). Rules are any object with the attributes of `Rules`; their string
values need only compare equal to plain strings. A set of cards is a play if `classify` says so. Suits count for
nothing, so the plays of a hand are told by their ranks ("667788"): of all there are, those whose ranks the hand holds.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from itertools import product
from typing import Any

Card = str
Ranks = str  # the ranks of a play, ascending, one letter a card
Classified = tuple[str, int, int]  # kind, number of cards, place of its highest rank
Rules = Any

RANKS = {"three_high": "456789TJQKA23", "ace_high": "23456789TJQKA"}
SUITS = "DCHS"
BY_COUNT = {1: "single", 2: "pair", 3: "triple", 4: "four"}
RUN_BY_COUNT = {1: "run", 2: "run_of_pairs", 3: "run_of_triples", 4: "run_of_fours"}


def ranks_of(rules: Rules) -> str:
    """The ranks, the lowest first."""
    return RANKS[rules.ranks]


def deck(rules: Rules) -> list[Card]:
    """All cards, rank by rank."""
    return [rank + suit for rank in ranks_of(rules) for suit in SUITS]


# Plays


def classify(some: Iterable[Card], rules: Rules) -> Classified | None:
    """Name the play that the cards make, its number of cards and the place of its highest rank; None if no play."""
    held = set(some)
    counts = Counter(card[0] for card in held)
    order = ranks_of(rules)
    places = sorted(order.index(rank) for rank in counts)
    if not held or len(set(counts.values())) > 1:
        return None
    a_rank = counts.most_common(1)[0][1]
    if len(places) == 1:
        if set(counts) == {"A"} and a_rank in (2, 3) and not rules.ace_sets:
            return None
        return BY_COUNT[a_rank], a_rank, places[0]
    if len(places) < 3 or places != list(range(places[0], places[0] + len(places))):
        return None
    if rules.runs == "four_to_king" and set(counts) & set("A23"):
        return None
    return RUN_BY_COUNT[a_rank], len(held), places[-1]


def beats(play: Classified, table: Classified) -> bool:
    """Whether a play may be laid on another."""
    return play[:2] == table[:2] and play[2] > table[2]


def sets_of_ranks(rules: Rules) -> Iterator[Ranks]:
    """Every set of ranks with one to four cards of each, the same number of all: what may be a play."""
    for taken in product((False, True), repeat=13):
        letters = [rank for rank, is_in in zip(ranks_of(rules), taken, strict=True) if is_in]
        for a_rank in range(1, 5):
            if letters:
                yield "".join(rank * a_rank for rank in letters)


def cards_of(ranks: Ranks) -> list[Card]:
    """Cards of these ranks."""
    return [rank + SUITS[ranks[:i].count(rank)] for i, rank in enumerate(ranks)]


@cache
def _book(order: str, runs: str, ace_sets: bool) -> dict[Ranks, Classified]:
    class Plain:
        pass

    rules: Any = Plain()
    rules.ranks, rules.runs, rules.ace_sets = order, runs, ace_sets
    found = {ranks: classify(cards_of(ranks), rules) for ranks in sets_of_ranks(rules)}
    return {ranks: play for ranks, play in found.items() if play is not None}


def book(rules: Rules) -> dict[Ranks, Classified]:
    """All plays there are, by their ranks."""
    return _book(str(rules.ranks), str(rules.runs), rules.ace_sets)


def ranks_in(cards: Iterable[Card], rules: Rules) -> Ranks:
    """The ranks of some cards, ascending."""
    return "".join(sorted((card[0] for card in cards), key=ranks_of(rules).index))


@cache
def _answers(order: str, runs: str, ace_sets: bool, on: Classified | None) -> list[tuple[Ranks, str, int]]:
    """What may be laid on a play: its ranks, each of them once, and how many cards of each."""
    plays = _book(order, runs, ace_sets).items()
    may = [ranks for ranks, play in plays if on is None or beats(play, on)]
    return [(ranks, "".join(dict.fromkeys(ranks)), ranks.count(ranks[0])) for ranks in may]


def legal_plays(hand: Iterable[Card], rules: Rules, table: Iterable[Card] | None = None) -> set[Ranks]:
    """The plays of a hand, by their ranks, that may be laid on a play (None: on lead)."""
    letters = [card[0] for card in hand]
    on = None if table is None else classify(table, rules)
    holds = {a_rank: {rank for rank in letters if letters.count(rank) >= a_rank} for a_rank in range(1, 5)}
    answers = _answers(str(rules.ranks), str(rules.runs), rules.ace_sets, on)
    return {ranks for ranks, once, a_rank in answers if holds[a_rank].issuperset(once)}


# The deal


class NaiveDeal:
    """A deal told as at a table: who is to speak or to play, and what was said and laid."""

    def __init__(self, hands: Sequence[Iterable[Card]], kitty: Iterable[Card], rules: Rules, dealer: int = 0) -> None:
        self.rules = rules
        self.hands = [set(hand) for hand in hands]
        self.kitty = set(kitty)
        self.players = len(self.hands)
        self.first = self._who_speaks_first(dealer)
        self.turn = self.first
        self.bids: list[tuple[int, int]] = []  # seat, bid; 0: a pass
        self.soloist: int | None = None
        self.stake = 0
        self.in_auction = self.players == 3
        self.play_to_beat: tuple[Card, ...] | None = None
        self.owner = self.first
        self.passes = 0
        self.winner: int | None = None
        if self.players == 4:
            self.stake = rules.stake

    def _who_speaks_first(self, dealer: int) -> int:
        if self.rules.first_bidder == "dealer":
            return dealer
        for rank in ["4", *ranks_of(self.rules)]:
            for seat, hand in enumerate(self.hands):
                if rank + "H" in hand:
                    return seat
        raise AssertionError("nobody holds a heart")

    def _next(self) -> None:
        step = 1 if self.rules.direction == "clockwise" else -1
        self.turn = (self.turn + step) % self.players

    def legal_bids(self) -> list[int]:
        if not self.in_auction:
            return []
        return [bid for bid in (1, 2, 3) if bid > max((bid for _, bid in self.bids), default=0)]

    def call(self, bid: int) -> None:
        """Bid, or pass (0)."""
        self.bids.append((self.turn, bid))
        last = [call for _, call in self.bids]
        made = [(seat, call) for seat, call in self.bids if call]
        if bid == 3 or (made and last[-2:] == [0, 0]):
            self._begin(*made[-1])
        elif last == [0, 0, 0]:
            self._begin(self.first, 1)
        else:
            self._next()

    def _begin(self, soloist: int, bid: int) -> None:
        self.in_auction = False
        self.soloist, self.stake = soloist, bid
        self.hands[soloist] |= self.kitty
        self.kitty = set()
        self.turn = self.owner = self.first

    def legal_plays(self) -> set[Ranks]:
        return set() if self.in_auction else legal_plays(self.hands[self.turn], self.rules, self.play_to_beat)

    def may_pass(self) -> bool:
        return self.in_auction or self.play_to_beat is not None

    def apply_play(self, cards: Sequence[Card]) -> None:
        play = classify(cards, self.rules)
        assert play is not None
        if self.play_to_beat is not None:
            on = classify(self.play_to_beat, self.rules)
            assert on is not None
            assert beats(play, on)
        assert set(cards) <= self.hands[self.turn]
        self.hands[self.turn] -= set(cards)
        self.play_to_beat, self.owner, self.passes = tuple(cards), self.turn, 0
        if not self.hands[self.turn]:
            self.winner = self.turn
        else:
            self._next()

    def pass_(self) -> None:
        assert self.play_to_beat is not None
        self.passes += 1
        self._next()
        if self.passes == self.players - 1:
            assert self.turn == self.owner
            self.play_to_beat, self.passes = None, 0

    def partner(self, seat: int) -> int | None:
        if self.players == 4:
            pairs = [(0, 2), (1, 3)] if self.rules.seating == "opposite" else [(0, 1), (2, 3)]
            return next(sum(pair) - seat for pair in pairs if seat in pair)
        if self.soloist is None or seat == self.soloist:
            return None
        return next(other for other in range(3) if other not in (seat, self.soloist))

    def points(self) -> list[int]:
        """What each seat has won or lost; asked when the deal is over."""
        assert self.winner is not None
        if self.players == 4:
            won = (self.winner, self.partner(self.winner))
            return [self.stake if seat in won else -self.stake for seat in range(4)]
        points = [0, 0, 0]
        for seat in range(3):
            if seat == self.soloist:
                continue
            if self.winner == self.soloist:
                gain = -self.stake
            elif self.rules.payment == "own_bids":
                gain = max((bid for who, bid in self.bids if who == seat), default=0)
            else:
                gain = self.stake
            points[seat] += gain
            points[self.soloist] -= gain
        return points
