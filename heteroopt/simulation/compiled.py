"""How kernels are compiled: exact arithmetic, without the interpreter lock, cached for exactly these sources."""

from __future__ import annotations

from collections.abc import Callable
from typing import ParamSpec, TypeVar, cast

import numba
import numpy as np
from numba import njit

from heteroopt.simulation.kernel_cache import cache_folder

P = ParamSpec("P")
R = TypeVar("R")


def kernel(function: Callable[P, R]) -> Callable[P, R]:
    """Compile a function with numba when it is first called; no fast-math, so that equal inputs give equal bits."""
    return cast("Callable[P, R]", njit(cache=True, nogil=True, fastmath=False)(function))


TRUE, FALSE = cast("bool", np.bool_(True)), cast("bool", np.bool_(False))
ZERO = cast("int", np.int64(0))
"""Constants to hand to kernels: a plain ``True`` or ``0`` is a type of its own to numba, for which it compiles the
kernel, and all that the constant is handed on to, once more. So is an element of an int32 array: ``+ ZERO`` makes it
one of the 64-bit integers that everything else is."""


def inlined(function: Callable[P, R]) -> Callable[P, R]:
    """As ``kernel``, but its code is copied into each kernel that calls it.

    For what an inner loop calls with many arrays: handing an array to a function counts a reference with an atomic
    instruction, which would cost more than the function's work.
    """
    return cast("Callable[P, R]", njit(cache=True, nogil=True, fastmath=False, inline="always")(function))


CACHE_FOLDER = cache_folder(str(numba.config.CACHE_DIR))  # type: ignore[attr-defined]
numba.config.CACHE_DIR = str(CACHE_FOLDER)  # type: ignore[attr-defined]
