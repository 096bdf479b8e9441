"""What is a play in Big Three, and which beats which: the vectors, every set of ranks, and the words for it."""

import random
from itertools import pairwise, product

import numpy as np
import pytest

from bigtwo_sim.core.kernel import NO_BITS, U64, kernel
from bigtwo_sim.games.big_three import PRESETS, CardSet, Rules, classify, compare
from bigtwo_sim.games.big_three.plays import kind_of, strength_of
from tests.games.big_three.sides import ALL_RULES, RULES_IDS, amount, cards, of_ranks, plain
from tests.reference.big_three import beats as naive_beats
from tests.reference.big_three import book, deck, ranks_of
from tests.reference.big_three import classify as naive_classify

pytestmark = pytest.mark.kernel

SHAANXI, AS_PRINTED = PRESETS["shaanxi"], PRESETS["as_printed"]


# --- vectors ----------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("ranks", "kind"),
    [
        ("9TJ", "run"),
        ("66 77 88 99", "run_of_pairs"),
        ("444 555 666", "run_of_triples"),
        ("4444 5555 6666", "run_of_fours"),
        ("AA", "pair"),
        ("456789TJQK", "run"),
        ("3333", "four"),
        ("222", "triple"),
    ],
)
def test_plays_as_in_shaanxi(ranks: str, kind: str) -> None:
    play = classify(of_ranks(ranks, SHAANXI), SHAANXI)
    assert play is not None
    assert play.kind == kind
    assert play.size == len(ranks.replace(" ", ""))


@pytest.mark.parametrize(
    "ranks", ["9T", "66 77", "QKA", "A23", "234", "4455", "44455", "44 555 66", "4 5 66", "568", ""]
)
def test_no_plays_as_in_shaanxi(ranks: str) -> None:
    assert classify(of_ranks(ranks, SHAANXI), SHAANXI) is None


def test_a_run_is_beaten_by_higher_runs_of_its_length_alone() -> None:
    table = classify(of_ranks("6789", SHAANXI), SHAANXI)
    for answer, beaten in [("789T", True), ("TJQK", True), ("89TJQ", False), ("JJJJ", False), ("6789", False)]:
        play = classify(of_ranks(answer, SHAANXI), SHAANXI)
        assert play is not None
        assert play.beats(table) == beaten, answer


@pytest.mark.parametrize(("rules", "order"), [(SHAANXI, "32AKQJT987654"), (AS_PRINTED, "AKQJT98765432")])
def test_single_cards_in_their_order(rules: Rules, order: str) -> None:
    for high, low in pairwise(order):
        for suit in "DCHS":
            higher, lower = classify(cards(f"{high}D", rules), rules), classify(cards(low + suit, rules), rules)
            assert higher is not None
            assert lower is not None
            assert higher.beats(lower)
            assert not lower.beats(higher)


def test_an_equal_rank_does_not_beat() -> None:
    one, other = (classify(cards(text, SHAANXI), SHAANXI) for text in ("9S 9H", "9C 9D"))
    assert one is not None
    assert other is not None
    assert not one.beats(other)
    assert not other.beats(one)


@pytest.mark.parametrize(
    ("ranks", "kind"),
    [("QKA", "run"), ("234", "run"), ("QQKKAA", "run_of_pairs"), ("AAAA", "four"), ("A", "single"), ("33", "pair")],
)
def test_plays_as_printed(ranks: str, kind: str) -> None:
    play = classify(of_ranks(ranks, AS_PRINTED), AS_PRINTED)
    assert play is not None
    assert play.kind == kind


@pytest.mark.parametrize("ranks", ["AA", "AAA", "A23", "KA2"])
def test_no_plays_as_printed(ranks: str) -> None:
    assert classify(of_ranks(ranks, AS_PRINTED), AS_PRINTED) is None


# --- every set of ranks -----------------------------------------------------------------------------------------------
@kernel(inline=True)
def _cards(number, rank):
    """Cards of the ranks from `rank` on, so many of each as the digits of `number` to the base of 5 tell."""
    cards = NO_BITS
    while number > 0:
        cards |= U64((1 << (number % 5)) - 1) << U64(4 * rank)
        number //= 5
        rank += 1
    return cards


@kernel
def _add_up(first, ranks, rules, totals):
    """Count the plays among all sets with 0 to 4 cards of each of `ranks` ranks from the `first` on; sum strengths."""
    few = min(ranks, 6)  # the lowest of them run in the inner loop
    for upper in range(5 ** (ranks - few)):
        above = _cards(upper, first + few)
        for lower in range(5**few):
            cards = above | _cards(lower, first)
            strength = strength_of(cards, rules)
            if strength >= 0:
                totals[0] += 1
                totals[1] += strength
                totals[2] ^= np.int64(cards) * strength


def _expected(rules: Rules, first: int, ranks: int) -> list[int]:
    """The same of the plays that the reference lists, each asked for its strength."""
    totals = np.zeros(3, np.int64)
    wanted = set(ranks_of(plain(rules))[first : first + ranks])
    for text in book(plain(rules)):
        if set(text) <= wanted:
            bits = of_ranks(text, rules).bits
            strength = strength_of(U64(bits), rules.rule_table())
            totals += [1, strength, 0]
            totals[2] ^= np.int64(bits) * np.int64(strength)
    return totals.tolist()


def _found(rules: Rules, first: int, ranks: int) -> list[int]:
    totals = np.zeros(3, np.int64)
    _add_up(first, ranks, rules.rule_table(), totals)
    return totals.tolist()


@pytest.mark.parametrize("rules", ALL_RULES, ids=RULES_IDS)
def test_the_plays_among_all_sets_of_some_ranks(rules: Rules) -> None:
    ranks = amount(7, 3)
    for first in range(13 - ranks + 1):
        found = _found(rules, first, ranks)
        assert found == _expected(rules, first, ranks)
        assert found[0] > 3 * ranks


@pytest.mark.sweep
@pytest.mark.parametrize("rules", ALL_RULES[:2], ids=RULES_IDS[:2])
def test_the_plays_among_all_sets_of_cards_but_for_their_suits(rules: Rules) -> None:
    """1,220,703,125 sets, of which so many are plays."""
    plays = {"shaanxi": 13 * 4 + 36 * 4, "as_printed": 13 * 4 - 2 + 66 * 4}[rules.name]
    found = _found(rules, 0, 13)
    assert found == _expected(rules, 0, 13)
    assert found[0] == plays


@pytest.mark.parametrize("rules", ALL_RULES, ids=RULES_IDS)
def test_every_play_against_every_other(rules: Rules) -> None:
    plays = book(plain(rules))
    made = {text: classify(of_ranks(text, rules), rules) for text in plays}
    for (one, first), (other, second) in product(plays.items(), repeat=2):
        assert made[one].beats(made[other]) == naive_beats(first, second), (one, other)  # type: ignore[union-attr]
    for text, (kind, size, _) in plays.items():
        assert made[text].kind == kind == kind_of(made[text].strength)  # type: ignore[union-attr]
        assert made[text].size == size  # type: ignore[union-attr]


@pytest.mark.parametrize("rules", ALL_RULES[:4], ids=RULES_IDS[:4])
def test_suits_do_not_matter_to_what_is_a_play(rules: Rules) -> None:
    chance = random.Random(rules.name)
    pack = deck(plain(rules))
    plays = 0
    for _ in range(amount(4000, 400)):
        few = chance.sample(range(0, 40, 4), 1)[0]
        some = chance.sample(pack[few : few + 16], chance.randint(1, 7))
        expected = naive_classify(some, plain(rules))
        play = classify(CardSet.parse(" ".join(some), rules.deck), rules)
        assert (expected is None) == (play is None), some
        plays += play is not None
        assert play is None or expected is None or (play.kind, play.size) == expected[:2]
    assert plays > amount(100, 10)


# --- words ------------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("first", "second", "winner", "reason"),
    [
        ("789T", "6789", "first", "higher rank at its top, T over 9"),
        ("2", "3", "second", "higher rank, 3 over 2"),
        ("6789", "JJJJ", None, "they are of two kinds: run and four"),
        ("6789", "89TJQ", None, r"not the same number of cards \(4 and 5\)"),
        ("99", "99", None, "they have the same ranks, and suits count for nothing"),
        ("9T", "99", None, "the first is no play under shaanxi: a run has at least 3 ranks, not 2"),
        ("99", "6677", None, "the second is no play under shaanxi: a run has at least 3 ranks, not 2"),
        ("QKA", "9", None, r"aces, 2s and 3s are never in a run \(runs: four_to_king\)"),
        ("568", "9", None, "its ranks do not follow each other in 456789TJQKA23"),
        ("44566", "9", None, "every rank in a play must have as many cards as the others"),
        ("", "9", None, "there are no cards"),
    ],
)
def test_which_beats_which_in_words(first: str, second: str, winner: str | None, reason: str) -> None:
    compared = compare(of_ranks(first, SHAANXI), of_ranks(second, SHAANXI), SHAANXI)
    assert compared.winner == winner
    with pytest.raises(ValueError, match=reason):
        raise ValueError(compared.reason)


def test_aces_alone_as_printed_in_words() -> None:
    compared = compare(of_ranks("AA", AS_PRINTED), of_ranks("99", AS_PRINTED), AS_PRINTED)
    assert "aces alone are neither a pair nor a triple (ace_sets: no)" in compared.reason


def test_cards_of_another_deck_are_an_error() -> None:
    with pytest.raises(TypeError, match="in the order 3456789TJQKA2, the rules in the order 456789TJQKA23"):
        classify(CardSet.parse("4D"), SHAANXI)
    with pytest.raises(TypeError, match="is no CardSet"):
        classify("4D", SHAANXI)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="are no Rules of Big Three"):
        classify(CardSet.parse("4D"), "shaanxi")  # type: ignore[arg-type]
