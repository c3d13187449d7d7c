"""How the kernels of the search are compiled: as those of the simulation are."""

from __future__ import annotations

from heteroopt.simulation.compiled import ZERO, inlined, kernel

__all__ = ["ZERO", "inlined", "kernel"]
