"""Synthetic planning problems of any size: lanes that split and join, four unlike devices, links through a host."""

from __future__ import annotations

import numpy as np

from heteroopt.devices.routes import Hop
from heteroopt.simulation.problem import Problem, make_problem

SLOWDOWN = np.array([1.0, 1.0, 12.0, 2.5])
POWER_W = np.array([300.0, 300.0, 200.0, 90.0])
HOST = 2
LANES = 3
BLOCK = 17


def synthetic_problem(n: int, seed: int = 0) -> Problem:
    """Return ``n`` operators of log-normal cost (median 40 us on device 0) on two GPUs, a CPU (the host) and an NPU.

    Operators extend one of three lanes, read a second one with a chance of 1 in 4, and every 17th joins all. The two
    GPUs are linked at 200 GB/s, everything else at 25 GB/s with the host.
    """
    rng = np.random.default_rng(seed)
    base = np.exp(rng.normal(17.5, 1.2, n))[:, None]
    time = np.maximum(1, base * SLOWDOWN * np.exp(rng.normal(0.0, 0.3, (n, 4)))).astype(np.int64)
    inputs: list[list[int]] = []
    sizes = [1 << 20]
    lanes = [0] * LANES
    for operator in range(n):
        lane = int(rng.integers(LANES))
        reads = {lanes[lane]}
        if rng.random() < 0.25:
            reads.add(lanes[int(rng.integers(LANES))])
        joins = operator % BLOCK == BLOCK - 1
        inputs.append(sorted(set(lanes) if joins else reads))
        tensor = len(sizes)
        sizes.append(int(np.exp(rng.normal(12.5, 1.3))))
        lanes = [tensor] * LANES if joins else [tensor if k == lane else lanes[k] for k in range(LANES)]
    return make_problem(
        op_time_ps=time,
        op_energy_pj=(time * POWER_W).astype(np.int64),
        inputs=inputs,
        outputs=[[operator + 1] for operator in range(n)],
        initializers=[[operator] for operator in range(n)],
        is_view=[False] * n,
        tensor_size_bytes=sizes,
        output_tensors=[n],
        init_size_bytes=np.exp(rng.normal(13.0, 1.5, n)).astype(np.int64).tolist(),
        store_memory=[0, 1, 2, 3],
        memory_capacity_bytes=[16 << 30] * 4,
        routes=_routes(),
        idle_power_w=(0.2 * POWER_W).tolist(),
        host=HOST,
    )


def _routes() -> list[list[list[Hop]]]:
    direct: dict[tuple[int, int], Hop] = {}
    for source in range(4):
        for target in range(4):
            if source != target and HOST in (source, target):
                direct[source, target] = Hop(source, target, len(direct), 5_000_000, 1000 / 25, 20.0)
    for source, target in ((0, 1), (1, 0)):
        direct[source, target] = Hop(source, target, len(direct), 2_000_000, 1000 / 200, 8.0)

    def route(source: int, target: int) -> list[Hop]:
        if source == target:
            return []
        if (source, target) in direct:
            return [direct[source, target]]
        return [direct[source, HOST], direct[HOST, target]]

    return [[route(source, target) for target in range(4)] for source in range(4)]
