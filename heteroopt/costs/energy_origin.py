"""Where the joules of plans are from: the sources of the energies of their operators."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from heteroopt.costs.table import ENERGY_SOURCES, CostTable


def energy_sources(costs: CostTable, devices: npt.NDArray[np.integer]) -> list[str]:
    """Sources in the order of ``ENERGY_SOURCES``; ``devices``: of every operator, a row for each plan where of many.

    Operators without energy, such as views, say nothing.
    """
    operators = np.broadcast_to(np.arange(devices.shape[-1]), devices.shape)
    codes = costs.energy_source[operators, devices][costs.energy_pj[operators, devices] > 0]
    return [ENERGY_SOURCES[code] for code in np.unique(codes).tolist()]


def sourced_unit(unit: str, sources: list[str]) -> str:
    """``"J, estimated"``: joules with where they are from; other units, and joules of no known source, stay."""
    return ", ".join((unit, *sources)) if unit == "J" else unit
