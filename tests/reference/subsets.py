"""All sets of so many of a deck's cards, as bits, in blocks."""

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from bigtwo_sim.core.kernel import ONE, U64, kernel, lowest, lowest_bit

CARDS = 52
BLOCK = 1 << 20


@kernel
def _fill(sets, first):
    """Write to `sets` the set `first` and those that follow it as numbers; return how many, and the next one."""
    bits = first
    for i in range(sets.shape[0]):
        if bits >> U64(CARDS):
            return i, bits
        sets[i] = bits
        low = lowest_bit(bits)
        carried = bits + low
        bits = carried | (((bits ^ carried) >> U64(2)) >> U64(lowest(low)))  # the next number of as many ones
    return sets.shape[0], bits


def subsets(size: int) -> Iterator[npt.NDArray[np.uint64]]:
    """Arrays (uint64) that together hold every set of `size` cards once; each is overwritten by the next."""
    sets = np.zeros(BLOCK, np.uint64)
    following = (ONE << U64(size)) - ONE
    number = BLOCK
    while number == BLOCK:
        number, following = _fill(sets, U64(following))
        yield sets[:number]
