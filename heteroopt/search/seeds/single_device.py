"""Every single-device plan: one device runs all that it may, the rest runs on its fastest legal device."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from heteroopt.search.space import Space

Int32 = NDArray[np.int32]


def single_device_plan(space: Space, device: int) -> Int32:
    """Return int32 [n]: ``device`` wherever it is legal, elsewhere the operator's fastest legal device."""
    return np.where(space.legal[:, device], np.int32(device), space.fastest).astype(np.int32)


def single_device_plans(space: Space) -> list[Int32]:
    """Return one plan per device that is legal for at least one operator."""
    return [single_device_plan(space, d) for d in range(space.legal.shape[1]) if space.legal[:, d].any()]
