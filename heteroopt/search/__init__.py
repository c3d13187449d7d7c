"""Search for plans: genomes, seeds, variation and NSGA-II, driven step by step by the caller."""

from __future__ import annotations


def warm_up() -> None:
    """Compile every kernel of the search and the decoder, or load them from numba's cache.

    Takes some 30 s of CPU the first time and about a second later; nothing is imported before it is called.
    """
    from heteroopt.search.warming import compile_kernels

    compile_kernels()
