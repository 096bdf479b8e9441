"""An attack on hidden cards: random numbers that a seat can see are run backwards, to the deck where that is possible.

It knows how the engine makes streams, and of earlier engines how all streams of a deal began at a common word. It
shares no code with the engine but what a play is.
"""

from collections.abc import Iterator

from bigtwo_sim.games.big_two import CardSet, Deal, View

MASK = (1 << 64) - 1
GOLDEN = 0x9E37_79B9_7F4A_7C15
STEP = 0xD1B5_4A32_D192_ED03  # of the streams of a deal, in version 0.1
MIX = (0xBF58_476D_1CE4_E5B9, 0x94D0_49BB_1331_11EB)
SEATS = 4
HAND_SIZE = 13


def mix(word: int) -> int:
    word = (word ^ word >> 30) * MIX[0] & MASK
    word = (word ^ word >> 27) * MIX[1] & MASK
    return word ^ word >> 31


def unmix(word: int) -> int:
    """What `mix` made `word` of."""
    for shift, factor in ((31, MIX[1]), (27, MIX[0])):
        word = _unshift(word, shift) * pow(factor, -1, 1 << 64) & MASK
    return _unshift(word, 30)


def _unshift(word: int, shift: int) -> int:
    found = word
    for _ in range(64 // shift):
        found = word ^ found >> shift
    return found


def next_word(state: list[int]) -> int:
    """The next word of xoshiro256**, of which `state` moves on."""
    s0, s1, s2, s3 = state
    product = s1 * 5 & MASK
    s2 ^= s0
    s3 ^= s1
    state[:] = [s0 ^ s3, s1 ^ s2, s2 ^ s1 << 17 & MASK, (s3 << 45 | s3 >> 19) & MASK]
    return (product << 7 | product >> 57) * 9 & MASK


def hands_of(word: int) -> list[int]:
    """The four hands, as bits, of the deck whose stream starts from `word`."""
    state = [mix(word + i * GOLDEN & MASK) for i in range(1, SEATS + 1)]
    cards = list(range(SEATS * HAND_SIZE))
    i = len(cards) - 1
    while i > 0:
        drawn = next_word(state)
        for half in (drawn >> 32, drawn & 0xFFFF_FFFF)[: min(i, 2)]:
            j = half * (i + 1) >> 32
            cards[i], cards[j] = cards[j], cards[i]
            i -= 1
    return [sum(1 << card for card in cards[n : n + HAND_SIZE]) for n in range(0, len(cards), HAND_SIZE)]


def decks_behind(number: int) -> Iterator[list[int]]:
    """The hands of every deck that a number may come from which a seat saw: a word of a stream, or made of one."""
    for word in (number & MASK, unmix(number & MASK), unmix(number & MASK) - GOLDEN):
        for streams in range(-SEATS, SEATS + 1):
            yield hands_of(word - streams * STEP & MASK)


def seen_through(number: int, seat: int, hand: int) -> list[int] | None:
    """The four hands, if a deck behind `number` gives `seat` its own `hand` (as dealt)."""
    return next((hands for hands in decks_behind(number) if hands[seat] == hand), None)


class Honest:
    """Lays the longest of the weakest plays."""

    def choose(self, view: View) -> CardSet:
        return max(view.legal_plays, key=lambda play: (len(play.cards), -play.strength)).cards


class Reading(Honest):
    """The same, but where it could compute the other hands it plays every option to the end, and takes the best."""

    attempts = 0
    successes = 0

    def choose(self, view: View) -> CardSet:
        type(self).attempts += 1
        dealt = view.hand.bits | view.played[view.seat].bits
        hands = seen_through(view.stream_seed - len(view.log), view.seat, dealt)
        if hands is None:
            return super().choose(view)
        type(self).successes += 1
        options = [play.cards for play in view.legal_plays]
        if view.may_pass:
            options.append(CardSet(0, view.rules.deck))
        return max(options, key=lambda cards: self._points(view, hands, cards))

    def _points(self, view: View, hands: list[int], cards: CardSet) -> int:
        """What the seat gets where it lays `cards` and all play honestly from there on."""
        deal = Deal.from_hands(view.rules, [CardSet(hand, view.rules.deck) for hand in hands])
        for _, laid in (*view.log, (view.seat, cards)):
            if laid:
                deal.play(laid)
            else:
                deal.pass_()
        while not deal.is_over:
            if deal.legal_plays():
                deal.play(super().choose(deal.view()))
            else:
                deal.pass_()
        return deal.points[view.seat]
