"""The random generator of compiled kernels: xoshiro256++, its state an argument.

Source: D. Blackman and S. Vigna, "Scrambled Linear Pseudorandom Number Generators", ACM TOMS 47 (2021).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from heteroopt.search.compiled import kernel

UInt64 = NDArray[np.uint64]

_DOUBLE = 1.0 / 9007199254740992.0  # 2 to the power -53


def draw_state(generator: np.random.Generator) -> UInt64:
    """Return a fresh uint64 [4] state drawn from a numpy generator; never all zero."""
    state = generator.integers(0, 2**64, size=4, dtype=np.uint64)
    state[0] |= np.uint64(1)
    return state


@kernel
def _rotated(value: np.uint64, count: int) -> np.uint64:
    return (value << np.uint64(count)) | (value >> np.uint64(64 - count))


@kernel
def next_bits(state: UInt64) -> np.uint64:
    """Advance the state and return 64 random bits."""
    result = _rotated(state[0] + state[3], 23) + state[0]
    shifted = state[1] << np.uint64(17)
    state[2] ^= state[0]
    state[3] ^= state[1]
    state[1] ^= state[2]
    state[0] ^= state[3]
    state[2] ^= shifted
    state[3] = _rotated(state[3], 45)
    return result  # type: ignore[no-any-return]


@kernel
def uniform(state: UInt64) -> float:
    """Return a float64 in [0, 1)."""
    return float(next_bits(state) >> np.uint64(11)) * _DOUBLE


@kernel
def below(state: UInt64, count: int) -> int:
    """Return a whole number in [0, count), count >= 1."""
    return int(uniform(state) * count)


@kernel
def log_uniform_length(state: UInt64, longest: int) -> int:
    """Return a length in [1, longest] whose logarithm is uniform: short ones are frequent, long ones possible."""
    return min(longest, max(1, int(np.exp(uniform(state) * np.log(longest + 1.0)))))
