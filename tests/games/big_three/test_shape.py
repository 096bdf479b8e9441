"""The shape of a Big Three hand, and certain finishes: against slow answers over plain cards."""

import random
from collections import Counter
from functools import cache

import pytest

from bigtwo_sim.core.kernel import U64
from bigtwo_sim.core.kernels.ranks import rank_counts
from bigtwo_sim.games.big_three import Rules
from bigtwo_sim.games.big_three import layout as at
from bigtwo_sim.games.big_three.kernels.finish import leads_out
from bigtwo_sim.games.big_three.kernels.shape import min_plays, strongest_rank
from tests.games.big_three.sides import ALL_RULES, RULES_IDS, amount, cards, plain, rich_hand
from tests.reference.big_three import book, cards_of, deck, legal_plays, ranks_in

pytestmark = pytest.mark.kernel


def bits(hand: list[str], rules: Rules) -> U64:
    return U64(cards(" ".join(hand), rules).bits)


def without(ranks: str, play: str) -> str:
    for rank in play:
        ranks = ranks.replace(rank, "", 1)
    return ranks


def least(hand: list[str], rules: Rules) -> int:
    """The exact least number of plays: the lowest rank is in some play, so each that contains it is tried."""

    @cache
    def of(ranks: str) -> int:
        if not ranks:
            return 0
        plays = legal_plays(cards_of(ranks), plain(rules))
        return 1 + min(of(without(ranks, play)) for play in plays if play[0] == ranks[0])

    return of(ranks_in(hand, plain(rules)))


@pytest.mark.parametrize("rules", ALL_RULES[:2], ids=RULES_IDS[:2])
def test_the_number_of_plays_is_never_too_small_and_mostly_exact(rules: Rules) -> None:
    chance = random.Random(1)
    pack = deck(plain(rules))
    for size, most_wrong in ((16, 0.35), (9, 0.05)):
        more: Counter[int] = Counter()
        hands = amount(150, 6)
        for _ in range(hands):
            hand = chance.sample(pack, size)
            more[int(min_plays(bits(hand, rules), rules.rule_table())) - least(hand, rules)] += 1
        assert min(more) == 0
        assert hands - more[0] <= most_wrong * hands + 2
        assert max(more) <= 2


@pytest.mark.parametrize(
    ("ranks", "plays"), [("456789TJQK", 1), ("44556", 3), ("445566", 1), ("456667778889", 2), ("AAA", 1), ("QKA", 3)]
)
def test_hands_that_one_can_count(ranks: str, plays: int) -> None:
    rules = Rules()
    assert min_plays(bits(cards_of(ranks), rules), rules.rule_table()) == plays


@pytest.mark.parametrize("rules", ALL_RULES[:5], ids=RULES_IDS[:5])
def test_the_strongest_play_of_a_form(rules: Rules) -> None:
    chance = random.Random(2)
    table = rules.rule_table()
    forms = {(len(set(ranks)), len(ranks) // len(set(ranks))) for ranks in book(plain(rules))}
    for _ in range(amount(30, 2)):
        hand = rich_hand(chance, plain(rules))
        best: dict[tuple[int, int], int] = {}
        for ranks in legal_plays(hand, plain(rules)):
            _, size, top = book(plain(rules))[ranks]
            form = (len(set(ranks)), size // len(set(ranks)))
            best[form] = max(best.get(form, -1), top)
        for length, a_rank in forms:
            found = strongest_rank(
                rank_counts(bits(hand, rules)), length, a_rank, U64(table[at.RUN_RANKS]), U64(table[at.SET_RANKS])
            )
            assert found == best.get((length, a_rank), -1), (hand, length, a_rank)


def finishes(hand: list[str], unseen: list[str], most: int, rules: Rules) -> bool:
    """Whether a hand on lead can be cut into plays of which all but one cannot be beaten by the unseen cards."""

    @cache
    def unbeatable(play: str) -> bool:
        return len(play) > most or not legal_plays(unseen, plain(rules), cards_of(play))

    @cache
    def can(ranks: str, spare: int) -> bool:
        if not ranks:
            return True
        plays = [play for play in legal_plays(cards_of(ranks), plain(rules)) if play[0] == ranks[0]]
        return any(
            can(without(ranks, play), spare if unbeatable(play) else spare - 1)
            for play in plays
            if spare or unbeatable(play)
        )

    return can(ranks_in(hand, plain(rules)), 1)


@pytest.mark.parametrize("rules", ALL_RULES[:6], ids=RULES_IDS[:6])
def test_certain_finishes(rules: Rules) -> None:
    chance = random.Random(3)
    seen: Counter[bool] = Counter()
    for _ in range(amount(150, 12)):
        hand = rich_hand(chance, plain(rules))[: chance.randint(1, 8)]
        rest = [card for card in deck(plain(rules)) if card not in hand]
        unseen = chance.sample(rest, chance.randint(2, 14))
        most = chance.randint(1, max(1, len(unseen) - 1))
        expected = finishes(hand, unseen, most, rules)
        found = leads_out(bits(hand, rules), rank_counts(bits(unseen, rules)), most, rules.rule_table())
        assert found == expected, (hand, unseen, most)
        seen[expected] += 1
    assert min(seen[True], seen[False]) > amount(20, 1)
