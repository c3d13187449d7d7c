"""Problems, orders and plans to test with: hand-sized builders, seeded random ones, and hypothesis strategies.

Nothing here needs a graph or a pool: everything is built on ``heteroopt.simulation.problem.make_problem``.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from hypothesis import strategies as st

from heteroopt.simulation.problem import UNLIMITED_BYTES, Hop, Problem, make_problem

Routes = list[list[list[Hop]]]


def star_routes(n_stores: int, *, latency_ps: int = 10, ps_per_byte: float = 1.0, pj_per_byte: float = 0.0) -> Routes:
    """A direct link, and so a channel of its own, between every ordered pair of stores."""
    routes: Routes = [[[] for _ in range(n_stores)] for _ in range(n_stores)]
    channel = 0
    for u in range(n_stores):
        for v in range(n_stores):
            if u != v:
                routes[u][v] = [Hop(u, v, channel, latency_ps, ps_per_byte, pj_per_byte)]
                channel += 1
    return routes


def host_routes(n_stores: int, host: int, *, latency_ps: int = 10, ps_per_byte: float = 1.0) -> Routes:
    """Links to and from the host only; everything else goes through it in two hops."""
    routes = star_routes(n_stores, latency_ps=latency_ps, ps_per_byte=ps_per_byte)
    for u in range(n_stores):
        for v in range(n_stores):
            if u != v and host not in (u, v):
                routes[u][v] = [*routes[u][host], *routes[host][v]]
    return routes


def small_problem(
    times: Sequence[Sequence[int]],
    inputs: Sequence[Sequence[int]],
    outputs: Sequence[Sequence[int]],
    sizes: Sequence[int],
    *,
    routes: Routes | None = None,
    host: int = 0,
    n_stores: int | None = None,
    energies: Sequence[Sequence[int]] | None = None,
    initializers: Sequence[Sequence[int]] | None = None,
    init_sizes: Sequence[int] = (),
    views: Sequence[int] = (),
    output_tensors: Sequence[int] = (),
    store_memory: Sequence[int] | None = None,
    capacity: Sequence[int] | None = None,
    idle: Sequence[float] | None = None,
    group: Sequence[int] | None = None,
    pin: Sequence[int] | None = None,
    forbidden: Sequence[int] = (),
    blocking: bool = False,
    inputs_on_host: bool = True,
    outputs_on_host: bool = True,
    idle_energy_pool: bool = False,
    reference_device: int = 0,
    launch: Sequence[int] | None = None,
    shares: Sequence[Sequence[float]] | None = None,
    slowdown: Sequence[float] | None = None,
) -> Problem:
    """A problem from short lists; by default device 0 is the host and every pair has a link of 10 ps + 1 ps/byte."""
    time = np.array(times, np.int64).reshape(len(inputs), -1)
    n, n_devices = time.shape
    n_stores = n_devices if n_stores is None else n_stores
    store_memory = list(range(n_stores)) if store_memory is None else store_memory
    return make_problem(
        op_time_ps=time,
        op_energy_pj=np.zeros_like(time) if energies is None else np.array(energies, np.int64).reshape(time.shape),
        inputs=inputs,
        outputs=outputs,
        initializers=[[] for _ in range(n)] if initializers is None else initializers,
        is_view=[i in views for i in range(n)],
        tensor_size_bytes=sizes,
        output_tensors=output_tensors,
        init_size_bytes=init_sizes,
        store_memory=store_memory,
        memory_capacity_bytes=[UNLIMITED_BYTES] * (max(store_memory) + 1) if capacity is None else capacity,
        routes=star_routes(n_stores) if routes is None else routes,
        idle_power_w=[0.0] * n_devices if idle is None else idle,
        host=host,
        reference_device=reference_device,
        group=group,
        pin=pin,
        forbidden=forbidden,
        blocking_transfers=blocking,
        inputs_on_host=inputs_on_host,
        outputs_on_host=outputs_on_host,
        idle_energy_pool=idle_energy_pool,
        segment_launch_ps=launch,
        memory_share=None if shares is None else np.rint(np.array(shares).reshape(time.shape) * 1024).astype(np.int64),
        memory_slowdown=slowdown,
    )


def random_problem(
    seed: int,
    n: int = 12,
    n_devices: int = 3,
    *,
    implicit_host: bool = False,
    domain: bool = False,
    blocking: bool = False,
    shared_channels: bool = False,
    all_direct: bool = False,
    groups: bool = False,
    inputs_on_host: bool = True,
    outputs_on_host: bool = True,
    tight: bool = False,
    idle_energy_pool: bool = False,
    choices: bool = False,
    launches: bool = False,
    contention: bool = False,
) -> Problem:
    """A random problem: branches, several outputs per operator, views, tied weights, unsupported pairs, model inputs
    and outputs, host routes beside direct links.

    ``tight`` memories hold about half of what the tensors need. ``choices``: some operators are pinned, and one
    device may be forbidden. ``contention``: memories with several devices slow what overlaps there.
    """
    rng = np.random.default_rng(seed)
    n_stores = n_devices + int(implicit_host)
    host = n_devices if implicit_host else int(rng.integers(n_devices))
    sizes: list[int] = [int(rng.integers(0, 400)) for _ in range(1 + int(rng.integers(2)))]
    inputs: list[list[int]] = []
    outputs: list[list[int]] = []
    initializers: list[list[int]] = []
    views: list[bool] = []
    roots = list(range(len(sizes)))
    init_sizes = [int(rng.integers(0, 500)) for _ in range(max(1, n // 2))]
    for _ in range(n):
        recent = np.arange(max(0, len(sizes) - 8), len(sizes))
        count = min(int(rng.integers(0, 4)), len(recent))
        reads = [int(t) for t in rng.permutation(recent)[:count]]
        view = bool(reads) and rng.random() < 0.2
        new = list(range(len(sizes), len(sizes) + (1 if view else 1 + int(rng.random() < 0.2))))
        for tensor in new:
            roots.append(roots[reads[0]] if view else tensor)
            sizes.append(sizes[reads[0]] if view else int(rng.integers(0, 400)))
        inputs.append(reads)
        outputs.append(new)
        weights = int(rng.integers(0, 3)) if not view else 0
        initializers.append(sorted({int(w) for w in rng.integers(0, len(init_sizes), weights)}))
        views.append(view)
    time = rng.integers(0, 200, (n, n_devices))
    energy = rng.integers(0, 1000, (n, n_devices))
    time[views] = 0
    energy[views] = 0
    unsupported = rng.random((n, n_devices)) < 0.15
    unsupported[np.arange(n), rng.integers(0, n_devices, n)] = False
    group = np.full(n, -1)
    if groups and n >= 4:
        first = rng.permutation(n)[:4]
        group[first[:2]], group[first[2:]] = 0, 1
        unsupported[first] = False
    time[unsupported] = -1
    routes: Routes = [[[] for _ in range(n_stores)] for _ in range(n_stores)]
    n_channels = 2 if shared_channels else n_stores * n_stores
    for u in range(n_stores):
        for v in range(n_stores):
            if u != v and (all_direct or host in (u, v) or rng.random() < 0.5):
                channel = (u * n_stores + v) % n_channels
                routes[u][v] = [Hop(u, v, channel, int(rng.integers(0, 50)), float(rng.random()), float(rng.random()))]
    for u in range(n_stores):
        for v in range(n_stores):
            if u != v and not routes[u][v]:
                routes[u][v] = [*routes[u][host], *routes[host][v]]
    store_memory = list(range(n_stores))
    if domain and n_stores >= 2:
        store_memory = [0, 0, *range(1, n_stores - 1)]
        if contention and n_stores >= 4:
            store_memory = [[0, 0, 0, *range(1, n_stores - 2)], [0, 1, 0, 1, *range(2, n_stores - 2)]][seed % 2]
    n_memories = max(store_memory) + 1
    slower = np.random.default_rng([seed, 7])
    size = int((sum(sizes) + sum(init_sizes)) / 2 / n_memories)
    capacity = [size if tight else UNLIMITED_BYTES for _ in range(n_memories)]
    if implicit_host:
        capacity[-1] = UNLIMITED_BYTES
    pin = np.full(n, -1)
    forbidden: list[int] = []
    if choices:
        for i in rng.integers(0, n, 2):
            mates = np.flatnonzero(group == group[i]) if group[i] >= 0 else np.array([i])
            if (pin[mates] < 0).all():
                pin[i] = rng.choice(np.flatnonzero((time[mates] >= 0).all(axis=0)))
        left_out = int(rng.integers(n_devices))
        needed = [(pin == left_out).any(), not (np.delete(time, left_out, axis=1) >= 0).any(axis=1).all()]
        forbidden = [] if any(needed) else [left_out]
    return make_problem(
        op_time_ps=time.astype(np.int64),
        op_energy_pj=energy.astype(np.int64),
        inputs=inputs,
        outputs=outputs,
        initializers=initializers,
        is_view=views,
        tensor_size_bytes=sizes,
        output_tensors=sorted({int(t) for t in rng.integers(0, len(sizes), 2)} | {len(sizes) - 1}),
        init_size_bytes=init_sizes,
        store_memory=store_memory,
        memory_capacity_bytes=capacity,
        routes=routes,
        idle_power_w=[float(x) for x in rng.random(n_devices) * 3],
        host=host,
        group=[int(g) for g in group],
        pin=[int(d) for d in pin],
        forbidden=forbidden,
        blocking_transfers=blocking,
        inputs_on_host=inputs_on_host,
        outputs_on_host=outputs_on_host,
        idle_energy_pool=idle_energy_pool,
        segment_launch_ps=np.random.default_rng(seed).integers(0, 150, n_devices).tolist() if launches else None,
        memory_share=slower.choice([0, 100, 512, 1024], (n, n_devices)),
        memory_slowdown=slower.choice([1.0, 1.3, 2.0, 2.26, 16.0], n_memories).tolist() if contention else None,
    )


def random_order(problem: Problem, rng: np.random.Generator) -> np.ndarray:
    """A random topological order, int32[n]."""
    waiting = np.diff(problem.pred_ptr).copy()
    ready = [i for i in range(problem.n_operators) if waiting[i] == 0]
    order = []
    while ready:
        i = ready.pop(int(rng.integers(len(ready))))
        order.append(i)
        for j in problem.succ_idx[problem.succ_ptr[i] : problem.succ_ptr[i + 1]]:
            waiting[j] -= 1
            if waiting[j] == 0:
                ready.append(int(j))
    return np.array(order, np.int32)


def random_devices(problem: Problem, rng: np.random.Generator) -> np.ndarray:
    """A random legal placement, int32[n]; members of a group share a device."""
    device = np.array([rng.choice(np.flatnonzero(row)) for row in problem.legal], np.int32)
    for members in problem.members:
        if members:
            device[list(members)] = device[members[0]]
    return device


@st.composite
def problems(draw: st.DrawFn, max_operators: int = 14, max_devices: int = 4, contention: bool | None = None) -> Problem:
    """Hypothesis strategy over :func:`random_problem`; with and without contention unless it is said."""
    flag = st.booleans()
    return random_problem(
        draw(st.integers(0, 2**32 - 1)),
        draw(st.integers(1, max_operators)),
        draw(st.integers(2 if contention else 1, max_devices)),
        implicit_host=draw(flag),
        domain=draw(flag) or contention is True,
        blocking=draw(flag),
        shared_channels=draw(flag),
        all_direct=draw(flag),
        groups=draw(flag),
        inputs_on_host=draw(flag),
        outputs_on_host=draw(flag),
        tight=draw(flag),
        idle_energy_pool=draw(flag),
        choices=draw(flag),
        launches=draw(flag),
        contention=draw(flag) if contention is None else contention,
    )


@st.composite
def plans(
    draw: st.DrawFn, max_operators: int = 14, max_devices: int = 4, contention: bool | None = None
) -> tuple[Problem, np.ndarray, np.ndarray]:
    """Hypothesis strategy: a problem with a legal plan for it, ``(problem, order, device)``."""
    problem = draw(problems(max_operators, max_devices, contention))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    return problem, random_order(problem, rng), random_devices(problem, rng)
