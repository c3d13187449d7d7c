"""The roofline of a device's data sheet for described operators, to compare measurements with."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from heteroopt.costs.facts import OperatorFacts
from heteroopt.costs.roofline import OTHER, UNKNOWN, Work, device_costs
from heteroopt.devices.efficiency import OP_CLASSES
from heteroopt.devices.precisions import PRECISIONS
from heteroopt.devices.spec import DeviceSpec
from heteroopt.units import PS_PER_S


def template_seconds(rows: Sequence[OperatorFacts], spec: DeviceSpec) -> npt.NDArray[np.float64]:
    """Seconds of each, [n], as ``roofline_cost_table`` estimates them. Raises ``CostError`` without a peak."""
    classes = {name: code for code, name in enumerate(OP_CLASSES)}
    precisions = {name: code for code, name in enumerate(PRECISIONS)}
    weights = np.array([facts.weight_bytes for facts in rows], np.float64)
    described = Work(
        flops=np.array([facts.flops for facts in rows], np.float64),
        activation_bytes=np.array([facts.bytes_read + facts.bytes_written for facts in rows], np.float64) - weights,
        weight_bytes=weights,
        op_class=np.array([classes.get(facts.op_class, OTHER) for facts in rows], np.intp),
        precision=np.array([precisions.get(facts.precision, UNKNOWN) for facts in rows], np.intp),
        is_view=np.zeros(len(rows), np.bool_),
    )
    time_ps = device_costs(described, spec)[0]
    return np.maximum(time_ps, 1.0) / PS_PER_S
