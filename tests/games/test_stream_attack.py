"""What a seat is given for random choices does not lead to cards that it cannot see, nor to other seats and deals."""

import hashlib
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from bigtwo_sim.core.rng import (
    DECK,
    GIVEN,
    KEY_WORDS,
    MOST_SEATS,
    POLICY,
    PURPOSES,
    content_seed,
    derived_seed,
    first_words,
    new_stream,
    random_seed,
    root_key,
    stream_of_seed,
)
from bigtwo_sim.games.big_two import Deal, PythonAgent, Rules, check_agent
from bigtwo_sim.games.big_two.policy import PolicyAgent
from bigtwo_sim.games.big_two.python_loop import PythonLoop
from tests.games.big_two.sides import amount
from tests.games.stream_attack import Honest, Reading, hands_of, mix, next_word, seen_through, unmix

MASK = (1 << 64) - 1
SEATS = np.arange(4)[None]
EVERY_SEAT = np.array([[0, 1, 2, 3], [1, 2, 3, 0], [2, 3, 0, 1], [3, 0, 1, 2]])


def test_the_attack_computes_what_it_claims() -> None:
    """Its parts are right: mixing is undone, and a known first word of a deck gives the hands."""
    for word in (0, 1, 2**64 - 1, 0x1234_5678_9ABC_DEF0):
        assert unmix(mix(word)) == word
    key = root_key(3)
    for index in range(20):
        word = first_words(key, index, DECK, 1)[0]
        dealt = [hand.bits for hand in Deal.new(Rules(), 3, index).dealt]
        assert hands_of(word) == dealt
        # All that it has to look for is found where a number does come from the deck's stream.
        state = new_stream(key, index, DECK).tolist()
        assert seen_through(state[0], 2, dealt[2]) == dealt
        assert next_word(state) != state[0]


def test_no_hand_is_read_from_what_agents_are_given() -> None:
    for seed in (0, 7):
        for index in range(amount(75, 5)):
            deal = Deal.new(Rules(), seed, index)
            for seat, hand in enumerate(deal.dealt):
                view = deal.view(seat)
                assert seen_through(view.stream_seed, seat, hand.bits) is None


class Spy(PolicyAgent):
    """A policy that keeps what its stream was when it was first asked in a deal."""

    words: list[tuple[int, int, list[int]]]

    @property
    def function(self) -> Any:
        def spy(hand: Any, public: Any, plays: Any, strengths: Any, count: Any, params: Any, stream: Any) -> int:
            self.words.append((int(public.turn), int(hand) | int(public.played[public.turn]), stream.tolist()))
            return 0

        return spy


def test_no_hand_is_read_from_the_streams_of_policies() -> None:
    spies = [Spy("spy", None, np.zeros(0, np.float32)) for _ in range(4)]  # type: ignore[arg-type]
    for spy in spies:
        object.__setattr__(spy, "words", [])
    loop = PythonLoop(spies, Rules())
    key = root_key(5)
    for index in range(amount(6, 1)):
        loop.play_deal(key, index)
        for seat, spy in enumerate(spies):
            assert spy.words
            assert {tuple(words) for _, _, words in spy.words} == {
                tuple(new_stream(key, index, POLICY + seat).tolist())
            }
            at, dealt, words = spy.words[0]
            assert all(seen_through(word, at, dealt) is None for word in words)
            spy.words.clear()


def test_who_tries_to_read_the_hands_wins_what_its_honest_twin_wins() -> None:
    twins = []
    for kind in (Reading, Honest):
        agents = [PythonAgent(kind.__name__, kind), *[PythonAgent("honest", Honest)] * 3]
        loop = PythonLoop(agents, Rules())
        results = loop.play_blocks(root_key(11), 0, amount(6, 1), EVERY_SEAT)
        assert not loop.faults
        twins.append(results["points"].tolist())
    assert Reading.attempts > 0
    assert Reading.successes == 0
    assert twins[0] == twins[1]
    assert check_agent(Reading, deals=1) > 0


# --- keys -------------------------------------------------------------------------------------------------------------
def test_every_purpose_has_a_key_of_its_own() -> None:
    """Each row is BLAKE2b of the seed, personalised; so no row says anything about another, or about the seed."""
    for seed in (0, 1, 2026, 2**128 - 1, 10**60):
        key = root_key(seed)
        assert key.shape == (PURPOSES, KEY_WORDS)
        assert len({*key.ravel().tolist()}) == key.size
        for purpose in range(PURPOSES):
            person = f"purpose {purpose}".encode()
            digest = hashlib.blake2b(f"{seed:x}".encode(), digest_size=16, person=person).digest()
            assert key[purpose].tolist() == [int.from_bytes(digest[:8], "little"), int.from_bytes(digest[8:], "little")]
    assert len({DECK, *range(POLICY, POLICY + MOST_SEATS), *range(GIVEN, GIVEN + MOST_SEATS)}) == PURPOSES


def siphash_1_3(key: tuple[int, int], word: int) -> int:
    """SipHash with one round for its one block and three at the end, after figure 2.1 of its authors' paper."""

    def rotated(x: int, bits: int) -> int:
        return (x << bits | x >> (64 - bits)) & MASK

    def rounds(v: list[int], number: int) -> None:
        for _ in range(number):
            for a, b, c, d, left, right in ((0, 1, 2, 3, 13, 16), (2, 1, 0, 3, 17, 21)):
                v[a] = (v[a] + v[b]) & MASK
                v[b] = rotated(v[b], left) ^ v[a]
                v[a] = rotated(v[a], 32)
                v[c] = (v[c] + v[d]) & MASK
                v[d] = rotated(v[d], right) ^ v[c]

    text = b"somepseudorandomlygeneratedbytes"
    constants = [int.from_bytes(text[n : n + 8], "big") for n in range(0, 32, 8)]
    v = [key[i % 2] ^ constant for i, constant in enumerate(constants)]
    v[3] ^= word
    rounds(v, 1)
    v[0] ^= word
    v[2] ^= 0xFF
    rounds(v, 3)
    return v[0] ^ v[1] ^ v[2] ^ v[3]


def test_a_stream_starts_from_siphash_of_the_number_of_its_deal() -> None:
    for seed in (0, 2**100):
        key = root_key(seed)
        for index in (0, 1, 2, 1_000_003, 2**62):
            for purpose in range(PURPOSES):
                expected = siphash_1_3((int(key[purpose, 0]), int(key[purpose, 1])), index)
                assert first_words(key, index, purpose, 1) == (expected,)
                golden = 0x9E37_79B9_7F4A_7C15
                assert new_stream(key, index, purpose).tolist() == [
                    mix(expected + i * golden & MASK) for i in range(1, 5)
                ]


def test_policies_agents_and_the_deck_have_no_word_in_common() -> None:
    key = root_key(1)
    words = [word for index in range(500) for word in first_words(key, index, 0, PURPOSES)]
    assert len({*words}) == len(words) == 500 * PURPOSES


def test_a_view_carries_nothing_of_its_root_seed() -> None:
    """The same position from another seed shows the same but for the seat's own number."""
    deal = Deal.new(Rules(), 2**100 + 17, 123)
    again = Deal.from_hands(Rules(), list(deal.dealt), seed=5)
    view, other = deal.view(), again.view()
    assert view != other
    assert replace(view, stream_seed=0) == replace(other, stream_seed=0)
    assert str(2**100 + 17) not in repr(view)


# --- other seeds ------------------------------------------------------------------------------------------------------
def test_derived_seeds_are_wide_and_differ() -> None:
    seeds = [derived_seed(seed, *purpose) for seed in (0, 1, 2**90) for purpose in ((), (1,), (1, 2), (12,), (2, 1))]
    assert len({*seeds}) == len(seeds)
    assert all(2**100 < seed < 2**128 for seed in seeds)
    assert derived_seed(3, 4) == derived_seed(3, 4)
    with pytest.raises(ValueError, match="seed is -2; it must be a whole number of at least 0"):
        derived_seed(-2, 1)
    with pytest.raises(TypeError, match=r"seed is 0\.5; it must be a whole number of at least 0"):
        derived_seed(0.5, 1)  # type: ignore[arg-type]


def test_a_random_seed_has_128_bits() -> None:
    seeds = [random_seed() for _ in range(64)]
    assert len({*seeds}) == 64
    assert 2**120 < max(seeds) < 2**128


def test_streams_of_neighbouring_numbers_differ() -> None:
    words = [word for number in range(-20, 500) for word in stream_of_seed(number).tolist()]
    assert len({*words}) == len(words)
    assert content_seed(1, b"a") != content_seed(1, b"b") != content_seed(2, b"b")
