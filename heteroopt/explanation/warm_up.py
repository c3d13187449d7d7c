"""Compiling the explanation's kernel ahead."""

from __future__ import annotations

from heteroopt.explanation.moves import try_moves
from heteroopt.simulation.decoder import decode_one
from heteroopt.simulation.warm_up import tiny_problem


def warm_up() -> None:
    """Compile, or load from numba's cache, the kernel of this package (about 5 s cold)."""
    problem = tiny_problem()
    try_moves(problem, decode_one(problem, [0, 1], [0, 1]), [0])
