"""How the kernels of the search are compiled: cached on disk, without the interpreter lock, exact arithmetic."""

from __future__ import annotations

from collections.abc import Callable
from typing import ParamSpec, TypeVar, cast

from numba import njit

P = ParamSpec("P")
R = TypeVar("R")


def kernel(function: Callable[P, R]) -> Callable[P, R]:
    """Compile a function with numba; no fast-math, so that equal inputs give equal bits."""
    return cast("Callable[P, R]", njit(cache=True, nogil=True, fastmath=False)(function))
