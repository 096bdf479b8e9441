"""Random streams that depend on nothing but (root seed, deal, seat).

A stream is the state of xoshiro256** (Blackman and Vigna, ACM TOMS 47(4), 2021), four words in a `uint64[4]` that its
owner passes along. Every deal and every seat in it starts a stream of its own, so results do not depend on how the
work was cut into chunks or spread over workers. Streams are seeded by SplitMix64 (Steele, Lea and Flood, OOPSLA 2014)
from a key, which NumPy's SeedSequence makes from a root seed of any size.
"""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from bigtwo_sim.kernel import U64, kernel

STREAM_WORDS = 4
DECK_STREAM = 0  # streams of a deal: the deck's, then one a seat
_GOLDEN = U64(0x9E37_79B9_7F4A_7C15)
_MIX_1 = U64(0xBF58_476D_1CE4_E5B9)
_MIX_2 = U64(0x94D0_49BB_1331_11EB)
_STREAM_STEP = U64(0xD1B5_4A32_D192_ED03)  # any odd constant keeps the streams of a deal apart
_LOW_HALF = U64(0xFFFF_FFFF)
_QUARTER = U64(0xFFFF)
_BELL_UNIT = 1.0 / math.sqrt(2.0**32 - 1.0)  # one part in 2**16 of a uniform one, in standard deviations of the sum
_7, _9, _17, _27, _30, _31, _32, _45, _57 = (U64(n) for n in (7, 9, 17, 27, 30, 31, 32, 45, 57))
_5 = U64(5)
_16 = U64(16)
_19 = U64(19)


def root_key(seed: int) -> np.uint64:
    """The 64-bit key of a root seed, a whole number of at least 0 and of any size.

    Raises ValueError for a negative seed, TypeError for what is no whole number.
    """
    if not isinstance(seed, int | np.integer):
        raise TypeError(f"seed is {seed!r:.60}; it must be a whole number of at least 0")
    if seed < 0:
        raise ValueError(f"seed is {seed}; it must be a whole number of at least 0")
    return U64(np.random.SeedSequence(seed).generate_state(1, np.uint64)[0])


def derived_seed(seed: int, *purpose: int) -> int:
    """A root seed (below 2**32) for a purpose of its own, so that its decks are others than those of `seed`.

    Raises like `root_key`.
    """
    root_key(seed)
    return int(np.random.SeedSequence([seed, *purpose]).generate_state(1)[0])


@kernel(inline=True)
def _mix(word):
    word = (word ^ (word >> _30)) * _MIX_1
    word = (word ^ (word >> _27)) * _MIX_2
    return word ^ (word >> _31)


@kernel(inline=True)
def seed_stream(stream, key, deal, which):
    """Start `stream` (uint64[4], written) as number `which` (0: the deck, 1 + seat: a seat) of deal `deal`."""
    word = _mix(key ^ _mix(U64(deal) * _GOLDEN + _GOLDEN)) + U64(which) * _STREAM_STEP
    for i in range(STREAM_WORDS):
        word += _GOLDEN
        stream[i] = _mix(word)


@kernel(inline=True)
def next_word(stream):
    """The next 64 random bits of `stream` (uint64[4], advanced)."""
    s1 = stream[1]
    product = s1 * _5
    result = ((product << _7) | (product >> _57)) * _9
    stream[2] ^= stream[0]
    stream[3] ^= s1
    stream[1] ^= stream[2]
    stream[0] ^= stream[3]
    stream[2] ^= s1 << _17
    stream[3] = (stream[3] << _45) | (stream[3] >> _19)
    return result


@kernel(inline=True)
def below(stream, bound):
    """A random whole number from 0 to `bound` - 1 (1 <= bound < 2**32), by multiply-shift.

    No number is likelier than another by more than bound / 2**32 of itself.
    """
    return np.int64(((next_word(stream) >> _32) * U64(bound)) >> _32)


@kernel(inline=True)
def unit(stream):
    """A random float64 in [0, 1), a multiple of 2**-53."""
    return np.int64(next_word(stream) >> U64(11)) * (1.0 / 9007199254740992.0)


@kernel(inline=True)
def bell(stream):
    """A random float64 of mean 0 and standard deviation 1, nearly normal: the sum of twelve uniform ones, less 6.

    It takes three words, and no function whose last bits differ between machines.
    """
    total = np.int64(0)
    for _ in range(3):
        word = next_word(stream)
        for _ in range(4):
            total += np.int64(word & _QUARTER)
            word >>= _16
    return (total - 6 * 65535) * _BELL_UNIT


@kernel
def shuffle(cards, stream):
    """Shuffle `cards` (any 1-d array, written) in place: Fisher and Yates, two steps a random word."""
    i = cards.shape[0] - 1
    while i > 0:
        word = next_word(stream)
        j = np.int64(((word >> _32) * U64(i + 1)) >> _32)
        cards[i], cards[j] = cards[j], cards[i]
        i -= 1
        if i > 0:
            j = np.int64(((word & _LOW_HALF) * U64(i + 1)) >> _32)
            cards[i], cards[j] = cards[j], cards[i]
            i -= 1


def new_stream(key: np.uint64, deal: int, which: int) -> npt.NDArray[np.uint64]:
    """A new stream (uint64[4]): number `which` of deal `deal` under `key` (see `root_key`, `seed_stream`)."""
    stream = np.zeros(STREAM_WORDS, np.uint64)
    seed_stream(stream, key, deal, which)
    return stream
