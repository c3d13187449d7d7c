"""What identifies a plan: its placement and the order in which its decoded schedule runs the operators."""

from __future__ import annotations

import hashlib

import numpy as np
from numpy.typing import NDArray

from heteroopt.simulation.problem import Problem

Int32 = NDArray[np.int32]


def plan_hash(device: Int32, execution: Int32) -> str:
    """Return a sha256 in hexadecimal over devices [n] and execution order [n] (see ``execution_orders``).

    Two genomes whose orders differ but decode to one schedule have one hash; costs do not enter, so that the hash
    of a plan survives a calibration that leaves the order of the operators as it was.
    """
    digest = hashlib.sha256(b"heteroopt-plan-1\n")
    digest.update(len(device).to_bytes(8, "little"))
    digest.update(np.ascontiguousarray(device, dtype="<i4").tobytes())
    digest.update(np.ascontiguousarray(execution, dtype="<i4").tobytes())
    return digest.hexdigest()


def execution_orders(problem: Problem, orders: Int32, devices: Int32) -> Int32:
    """Return int32 [k, n]: the operators of each plan by start in its schedule, then finish, then index."""
    from heteroopt.simulation.kernel import simulate
    from heteroopt.simulation.scratch import make_scratch

    result = np.empty_like(orders)
    arrays, scratch = problem.arrays, make_scratch(problem)
    for row in range(len(orders)):
        simulate(arrays, scratch, orders[row], devices[row], False)
        result[row] = np.lexsort((scratch.finish, scratch.start))
    return result


def plan_hashes(problem: Problem, orders: Int32, devices: Int32) -> tuple[str, ...]:
    """Return the hash of each plan."""
    execution = execution_orders(problem, orders, devices)
    return tuple(plan_hash(device, order) for device, order in zip(devices, execution, strict=True))
