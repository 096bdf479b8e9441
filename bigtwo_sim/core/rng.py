"""Random streams that depend on nothing but (root seed, deal, seat), and that reveal nothing about one another.

A stream is the state of xoshiro256** (Blackman and Vigna, ACM TOMS 47(4), 2021), four words in a `uint64[4]` that its
owner passes along. Every deal and every seat in it starts a stream of its own, so results do not depend on how the
work was cut into chunks or spread over workers.

A policy can see the state of its own stream, and xoshiro256** and SplitMix64 can be run backwards. So what leads from
the root seed to a stream cannot:

1. Every purpose (see DECK) has a key of 128 bits of its own, made once a run: BLAKE2b (RFC 7693) of the root seed,
   personalised by the purpose.
2. The number of the deal becomes the first word of a stream by SipHash-1-3 (Aumasson and Bernstein, INDOCRYPT 2012)
   under that key, on one block of fixed length. Known words of some deals do not lead to those of other deals.
3. SplitMix64 (Steele, Lea and Flood, OOPSLA 2014) makes four words of one.

Whoever knows all of a stream therefore knows nothing about the deck, about another seat or about another deal. Only a
root seed that is small enough to be guessed can be found, by trying: `random_seed` makes one that is not.
"""

from __future__ import annotations

import hashlib
import math
import secrets

import numpy as np
import numpy.typing as npt

from bigtwo_sim.core.kernel import U64, kernel

STREAM_WORDS = 4
MOST_SEATS = 4
DECK = 0  # the rows of a key: the deck; the stream of the policy at each seat; what a Python agent there is given
POLICY = 1
GIVEN = POLICY + MOST_SEATS
PURPOSES = GIVEN + MOST_SEATS
KEY_WORDS = 2
SEED_BITS = 128
"""Bits of a root seed that cannot be guessed."""
_WORD_BYTES = 8
_GOLDEN = U64(0x9E37_79B9_7F4A_7C15)
_MIX_1 = U64(0xBF58_476D_1CE4_E5B9)
_MIX_2 = U64(0x94D0_49BB_1331_11EB)
_SIP_0, _SIP_1 = U64(0x736F_6D65_7073_6575), U64(0x646F_7261_6E64_6F6D)
_SIP_2, _SIP_3 = U64(0x6C79_6765_6E65_7261), U64(0x7465_6462_7974_6573)
_SIP_END = U64(0xFF)
_LOW_HALF = U64(0xFFFF_FFFF)
_QUARTER = U64(0xFFFF)
_BELL_UNIT = 1.0 / math.sqrt(2.0**32 - 1.0)  # one part in 2**16 of a uniform one, in standard deviations of the sum
_7, _9, _17, _27, _30, _31, _32, _45, _57 = (U64(n) for n in (7, 9, 17, 27, 30, 31, 32, 45, 57))
_13, _21, _43, _47, _48, _51 = (U64(n) for n in (13, 21, 43, 47, 48, 51))
_5 = U64(5)
_16 = U64(16)
_19 = U64(19)


# --- root seeds and keys ----------------------------------------------------------------------------------------------
def random_seed() -> int:
    """A root seed of SEED_BITS random bits from the operating system, which nobody can guess."""
    return secrets.randbits(SEED_BITS)


def root_key(seed: int) -> npt.NDArray[np.uint64]:
    """The key of a root seed, a whole number of at least 0 and of any size: uint64[PURPOSES, KEY_WORDS].

    Each row is a one-way function of the seed; none reveals anything about another. Raises ValueError for a negative
    seed, TypeError for what is not a whole number.
    """
    text = _seed_bytes(seed)
    rows = [_hashed(text, f"purpose {number}", KEY_WORDS * _WORD_BYTES) for number in range(PURPOSES)]
    return np.frombuffer(b"".join(rows), "<u8").astype(np.uint64).reshape(PURPOSES, KEY_WORDS)


def derived_seed(seed: int, *purpose: int) -> int:
    """A root seed (below 2**SEED_BITS) for a purpose of its own, so that its decks are others than those of `seed`.

    It does not reveal `seed`. Raises like `root_key`.
    """
    text = _seed_bytes(seed) + b"".join(b":%d" % number for number in purpose)
    return int.from_bytes(_hashed(text, "derived seed", SEED_BITS // 8), "little")


def content_seed(number: int, content: bytes = b"") -> int:
    """A number below 2**64 that is a one-way function of a whole number and of bytes."""
    return int.from_bytes(_hashed(b"%x:" % number + content, "content", _WORD_BYTES), "little")


def checked_seed(seed: int) -> int:
    """The seed. Raises ValueError for a negative one, TypeError for what is not a whole number."""
    if not isinstance(seed, int | np.integer):
        raise TypeError(f"seed is {seed!r:.60}; it must be a whole number of at least 0")
    if seed < 0:
        raise ValueError(f"seed is {seed}; it must be a whole number of at least 0")
    return int(seed)


def _seed_bytes(seed: int) -> bytes:
    return b"%x" % checked_seed(seed)


def _hashed(text: bytes, purpose: str, size: int) -> bytes:
    return hashlib.blake2b(text, digest_size=size, person=purpose.encode()).digest()


# --- streams ----------------------------------------------------------------------------------------------------------
@kernel(inline=True)
def _sip_round(v0, v1, v2, v3):
    v0 += v1
    v2 += v3
    v1 = ((v1 << _13) | (v1 >> _51)) ^ v0
    v3 = ((v3 << _16) | (v3 >> _48)) ^ v2
    v0 = (v0 << _32) | (v0 >> _32)
    v2 += v1
    v0 += v3
    v1 = ((v1 << _17) | (v1 >> _47)) ^ v2
    v3 = ((v3 << _21) | (v3 >> _43)) ^ v0
    v2 = (v2 << _32) | (v2 >> _32)
    return v0, v1, v2, v3


@kernel(inline=True)
def first_word(key, deal, purpose):
    """What the stream for `purpose` (a row of `key`: DECK, POLICY + seat or GIVEN + seat) of deal `deal` starts from.

    `key` comes from `root_key`. The word reveals nothing about those of other deals and purposes.
    """
    word = U64(deal)
    key_0, key_1 = key[U64(purpose), 0], key[U64(purpose), 1]
    v0, v1, v2, v3 = key_0 ^ _SIP_0, key_1 ^ _SIP_1, key_0 ^ _SIP_2, key_1 ^ _SIP_3 ^ word
    v0, v1, v2, v3 = _sip_round(v0, v1, v2, v3)
    v0 ^= word
    v2 ^= _SIP_END
    v0, v1, v2, v3 = _sip_round(v0, v1, v2, v3)
    v0, v1, v2, v3 = _sip_round(v0, v1, v2, v3)
    v0, v1, v2, v3 = _sip_round(v0, v1, v2, v3)
    return v0 ^ v1 ^ v2 ^ v3


@kernel(inline=True)
def _mix(word):
    word = (word ^ (word >> _30)) * _MIX_1
    word = (word ^ (word >> _27)) * _MIX_2
    return word ^ (word >> _31)


@kernel(inline=True)
def start_stream(stream, word):
    """Start `stream` (uint64[4], written) from its first word."""
    for i in range(STREAM_WORDS):
        word += _GOLDEN
        stream[i] = _mix(word)


@kernel(inline=True)
def seed_stream(stream, key, deal, purpose):
    """Start `stream` (uint64[4], written) for a purpose of deal `deal` under `key` (see `first_word`)."""
    start_stream(stream, first_word(key, deal, purpose))


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


@kernel
def _first_word(key, deal, purpose):
    return first_word(key, deal, purpose)


def first_words(key: npt.NDArray[np.uint64], deal: int, purpose: int, seats: int) -> tuple[int, ...]:
    """By seat, what streams of deal `deal` under `key` start from; `purpose` is POLICY or GIVEN.

    A Python agent is given its word as it is, and seeds random numbers of its own from it.
    """
    return tuple(int(_first_word(key, deal, purpose + seat)) for seat in range(seats))


def new_stream(key: npt.NDArray[np.uint64], deal: int, purpose: int) -> npt.NDArray[np.uint64]:
    """A new stream (uint64[4]) for a purpose of deal `deal` under `key` (see `root_key`, `first_word`)."""
    return stream_from(int(_first_word(key, deal, purpose)))


def stream_from(word: int) -> npt.NDArray[np.uint64]:
    """A new stream (uint64[4]) that starts from `word`, below 2**64."""
    stream = np.zeros(STREAM_WORDS, np.uint64)
    start_stream(stream, U64(word))
    return stream


def stream_of_seed(seed: int) -> npt.NDArray[np.uint64]:
    """A new stream (uint64[4]) of a whole number such as `view.stream_seed`; neighbours give unrelated streams."""
    return stream_from(content_seed(seed))
