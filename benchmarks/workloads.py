"""Published placement workloads: the largest device load of our plans, beside the optimal contiguous split.

    python -m benchmarks.workloads FILE... [--json OUT] [--moves N] [--seed S]

A file becomes a problem of ours: an implicit host, a pair of channels between it and every device, blocking
transfers, so that a device is busy for its operators and for each output that enters or leaves, and our bottleneck is
the paper's largest load. It is planned by dynamic programming over contiguous splits and annealed from there. What is
printed and written is recomputed from the placement and the file by a plain function (``benchmarks.published``), which
also refuses a split colour class and an overfull accelerator. With --json each file's largest load, the seconds and
the placement (node id to device) are written, so that anyone can do the same.

Our times are whole picoseconds. Sizes bind accelerators alone, as in the paper; what tensors occupy while they are in
use is no part of its model.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from benchmarks.published import Workload, device_loads, parse_workload, read_workload
from benchmarks.published_blocks import color_blocks, contiguity_blocks
from heteroopt.devices.routes import Hop
from heteroopt.errors import HeteroOptError
from heteroopt.search.bottleneck.contiguous import Effort
from heteroopt.search.bottleneck.from_problem import load_model
from heteroopt.search.bottleneck.model import LoadModel
from heteroopt.search.bottleneck.throughput import plan_throughput
from heteroopt.simulation.problem import UNLIMITED_BYTES, Problem, make_problem
from heteroopt.units import PS_PER_MS

AUTHORS_SPLIT = {
    "throughput-layer-bert24-inference": 17.790,
    "throughput-layer-resnet50-inference": 33.775,
    "throughput-operator-bert3-inference": 27.919,
    "throughput-operator-resnet50-inference": 124.349,
}
"""Largest load in ms of the optimal contiguous split that the authors' program finds, by file name."""


@dataclass(frozen=True)
class Planned:
    """One file's result; loads in the file's unit (ms)."""

    file: str
    nodes: int
    one_accelerator: float
    largest_load: float
    contiguous_load: float | None
    contiguous_exact: bool
    proven: bool
    authors_split: float | None
    seconds: float
    placement: dict[str, str]

    def to_dict(self) -> dict[str, object]:
        """What --json writes."""
        return {
            "file": self.file,
            "nodes": self.nodes,
            "one_accelerator": self.one_accelerator,
            "largest_load": self.largest_load,
            "contiguous_split": self.contiguous_load,
            "contiguous_split_optimal": self.contiguous_exact,
            "no_contiguous_split_is_better": self.proven,
            "authors_contiguous_split": self.authors_split,
            "seconds": self.seconds,
            "placement": self.placement,
        }


def to_problem(workload: Workload) -> Problem:
    """The workload as a problem without memory limits; operators are its nodes, in topological order of the file.

    Raises :class:`PlanError` if a node can run nowhere.
    """
    row = {node.id: k for k, node in enumerate(workload.nodes)}
    n, n_devices = len(workload.nodes), len(workload.devices)
    time_ps = np.full((n, n_devices), -1, np.int64)
    for k, node in enumerate(workload.nodes):
        if node.on_accelerator:
            time_ps[k, : workload.accelerators] = round(node.accelerator_time * PS_PER_MS)
        time_ps[k, workload.accelerators :] = round(node.cpu_time * PS_PER_MS)
    inputs: list[list[int]] = [[] for _ in range(n)]
    for source, target in workload.edges:
        inputs[row[target]].append(row[source])
    routes: list[list[list[Hop]]] = [[[] for _ in range(n_devices + 1)] for _ in range(n_devices + 1)]
    rate = [1.0] * workload.accelerators + [0.0] * workload.cpus
    for d in range(n_devices):
        routes[d][n_devices] = [Hop(d, n_devices, 2 * d, 0, rate[d], 0.0)]
        routes[n_devices][d] = [Hop(n_devices, d, 2 * d + 1, 0, rate[d], 0.0)]
    for d in range(n_devices):
        for other in range(n_devices):
            if other != d:
                routes[d][other] = [*routes[d][n_devices], *routes[n_devices][other]]
    return make_problem(
        op_time_ps=time_ps,
        op_energy_pj=np.zeros_like(time_ps),
        inputs=inputs,
        outputs=[[k] for k in range(n)],
        initializers=[[k] for k in range(n)],
        is_view=[False] * n,
        tensor_size_bytes=[round(workload.cost.get(node.id, 0.0) * PS_PER_MS) for node in workload.nodes],
        output_tensors=[],
        init_size_bytes=[int(np.ceil(node.size)) for node in workload.nodes],
        store_memory=list(range(n_devices + 1)),
        memory_capacity_bytes=[UNLIMITED_BYTES] * (n_devices + 1),
        routes=routes,
        idle_power_w=[0.0] * n_devices,
        host=n_devices,
        group=color_groups(workload),
        blocking_transfers=True,
    )


def color_groups(workload: Workload) -> list[int]:
    """The group of every node: its colour class, numbered from 0; -1 for none."""
    number: dict[int, int] = {}
    return [-1 if node.color is None else number.setdefault(node.color, len(number)) for node in workload.nodes]


def to_model(workload: Workload) -> LoadModel:
    """The load model of :func:`to_problem` with the accelerators' capacity."""
    model = load_model(to_problem(workload))
    capacity = model.capacity.copy()
    capacity[: workload.accelerators] = int(workload.capacity)
    return model._replace(capacity=capacity)


def plan(path: Path, moves: int, seed: int, effort: Effort) -> Planned:
    """Plan one file and recompute what it costs. Raises ``ValueError`` where no allowed placement was found."""
    began = time.perf_counter()
    workload = read_workload(path)
    blocks = contiguity_blocks(workload)
    planned = plan_throughput(to_model(workload), color_blocks(workload), blocks, effort=effort, moves=moves, seed=seed)
    seconds = time.perf_counter() - began
    devices = workload.devices
    placement = {node.id: devices[d] for node, d in zip(workload.nodes, planned.device.tolist(), strict=True)}
    contiguous = None
    if planned.split is not None:
        split = planned.split.device[blocks[0]].tolist()
        split_placement = {node.id: devices[d] for node, d in zip(workload.nodes, split, strict=True)}
        contiguous = max(device_loads(workload, split_placement).values())
    return Planned(
        file=path.name,
        nodes=len(workload.nodes),
        one_accelerator=sum(node.accelerator_time for node in workload.nodes),
        largest_load=max(device_loads(workload, placement).values()),
        contiguous_load=contiguous,
        contiguous_exact=planned.split is not None and planned.split.exact,
        proven=planned.proven,
        authors_split=AUTHORS_SPLIT.get(path.stem),
        seconds=seconds,
        placement={str(node): device for node, device in placement.items()},
    )


def warm_up() -> None:
    """Compile the kernels, or load them from numba's cache, on two nodes."""
    rows = [
        {"id": k, "cpuLatency": 2.0, "fpgaLatency": 1.0, "supportedOnFpga": 1, "size": 1.0, "isBackwardNode": 0}
        for k in range(3)
    ]
    edges = [{"sourceId": 0, "destId": 1, "cost": 0.1}, {"sourceId": 1, "destId": 2, "cost": 0.1}]
    workload = parse_workload(
        {"maxFPGAs": 2, "maxCPUs": 1, "maxSizePerFPGA": 9.0, "nodes": rows, "edges": edges}, "warm-up"
    )
    plan_throughput(to_model(workload), color_blocks(workload), contiguity_blocks(workload), moves=100)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", type=Path, nargs="+", metavar="FILE")
    parser.add_argument("--json", type=Path, metavar="OUT")
    parser.add_argument("--moves", type=int, default=400_000)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    warm_up()
    print("| file | nodes | one accelerator | contiguous split | authors' split | our largest load | ratio | s |")
    print("| --- | --- | --- | --- | --- | --- | --- | --- |")
    rows = []
    for path in options.files:
        try:
            row = plan(path, options.moves, options.seed, Effort())
        except (HeteroOptError, OSError, ValueError) as error:
            sys.exit(f"{path.name} was not planned, nor what follows it: {error}")
        rows.append(row.to_dict())
        if options.json:
            options.json.write_text(json.dumps(rows, indent=2) + "\n")
        split = "none fits" if row.contiguous_load is None else f"{row.contiguous_load:.3f}"
        authors = "" if row.authors_split is None else f"{row.authors_split:.3f}"
        against = row.authors_split or row.contiguous_load
        ratio = "" if against is None else f"{row.largest_load / against:.4f}"
        print(
            f"| {path.stem} | {row.nodes} | {row.one_accelerator:.3f} | {split}{'' if row.contiguous_exact else ' *'} "
            f"| {authors} | {row.largest_load:.3f} | {ratio} | {row.seconds:.2f} |",
            flush=True,
        )
    if not all(row["contiguous_split_optimal"] for row in rows):
        print("\n* the best that was found; the largest load is", end=" ")
        above = [row["file"] for row in rows if not row["no_contiguous_split_is_better"]]
        print(
            f"proven to be at most the best one's but for {above}." if above else "proven to be at most the best one's."
        )


if __name__ == "__main__":
    main()
