"""Two cases that were reported for another planner, as this one's simulator sees them (rows R28 and R29).

    python -m benchmarks.owner_cases [--case R28|R29] [--generations G] [--rounds R] [--seed S]
        [--json FILE]

R28: one training step (SGD) of ResNet-50, 3 x 224 x 224, batch 64 as 8 micro-batches of 8, on two GPUs and a CPU,
against everything on GPU 0. R29: BERT-base, sequence 128, batch 1, on a GPU and an NPU: the plan of lowest latency
and the plan of highest throughput. Costs are roofline estimates from data sheets; every figure is a prediction.

Plans come from the search (which sees one item), from every cut of the layers into two stages, and from a local
search on the figures with items in flight; the same seed gives the same plans. A step of M micro-batches is M items
of the SGD graph, whose update moves what adding to an accumulated gradient moves, and one weight update at the end.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import numpy_helper

import heteroopt as hopt
from heteroopt.costs.roofline import roofline_cost_table
from heteroopt.graph.graph import Graph
from heteroopt.graph.op_classes import TRAINING_DOMAIN
from heteroopt.graph.samples import bert_encoder_onnx, onnx_light_model
from heteroopt.search import warm_up
from heteroopt.simulation.decoder import decode_batch
from heteroopt.simulation.latency import latency_batch
from heteroopt.simulation.pipeline_decoder import pipeline_batch
from heteroopt.simulation.problem import Problem
from heteroopt.units import PJ_PER_J, PS_PER_MS

BATCH, MICRO_BATCHES = 64, 8
THROUGHPUT_ITEMS = 64
LOADS = (0.2, 0.6, 0.9)
"""Arrival rates of R29, as shares of what the plan of lowest latency can serve."""
OWN_LOAD = 0.6
"""Arrival rate as a share of what the plan itself can serve."""
WEIGHTS = np.array([0.5, 0.3, 0.2])
REPORTED_R28 = {"time_x": 0.65, "energy_x": 0.74, "variance_x": 0.35 / 1.8}
REPORTED_R29 = {"npu_share": 0.40, "throughput_x": 2.0, "p99_x": 1.12}

Int32 = NDArray[np.int32]
Float64 = NDArray[np.float64]
Score = Callable[[Int32, Int32], Float64]


def resnet50(batch: int) -> hopt.Graph:
    """ResNet-50 with another batch size than that of its file."""
    model = onnx.load(onnx_light_model("resnet50"))
    weights = {item.name for item in model.graph.initializer}
    for item in (*model.graph.input, *model.graph.output):
        if item.name.endswith(("data_0", "softmax_1")):
            item.type.tensor_type.shape.dim[0].dim_value = batch
    for item in model.graph.initializer:
        if item.name == "OC2_DUMMY_1":  # the shape of the last Reshape
            item.CopyFrom(numpy_helper.from_array(np.array([batch, 2048], np.int64), item.name))
    assert "OC2_DUMMY_1" in weights
    return hopt.Graph.from_onnx(model.SerializeToString(), name="ResNet-50")


def in_half(graph: Graph) -> Graph:
    """The same model stored and computed in FP16."""

    def size(dtype: str, bytes_: int) -> int:
        return bytes_ // 2 if dtype == "float32" else bytes_

    return hopt.Graph.of(
        replace(
            graph,
            operators=tuple(
                replace(op, precision="fp16", bytes_read=op.bytes_read // 2, bytes_written=op.bytes_written // 2)
                for op in graph.operators
            ),
            tensors=tuple(replace(t, size_bytes=size(t.dtype, t.size_bytes)) for t in graph.tensors),
            initializers=tuple(replace(i, size_bytes=size(i.dtype, i.size_bytes)) for i in graph.initializers),
        )
    )


def pool_of(*templates: str, link_class: str | None = None) -> hopt.DevicePool:
    """Devices of these templates; the first two are linked as given, everything else over PCIe through the host."""
    devices = [hopt.DeviceSpec(template=template, name=f"d{i}") for i, template in enumerate(templates)]
    links: list[hopt.Link] = []
    if link_class is not None:
        links = [hopt.Link("d0", "d1", link_class=link_class)]
        links += [hopt.Link(device.name, "d2", link_class="PCIe") for device in devices[:2]]
    return hopt.DevicePool(devices, links, name=" + ".join(templates), idle_energy="pool")


def units_of(problem: Problem) -> list[Int32]:
    """Operators that move together: colocation groups and single operators, by their first operator."""
    alone = [np.array([i], np.int32) for i in range(problem.n_operators) if problem.group[i] < 0]
    groups = [np.array(members, np.int32) for members in problem.members if members]
    return sorted([*alone, *groups], key=lambda unit: int(unit[0]))


def two_stages(problem: Problem, graph: Graph, first: int, second: int) -> Int32:
    """Every cut of the forward operators into two stages; the backward pass follows its weights."""
    forward = [op.index for op in graph.operators if op.domain != TRAINING_DOMAIN]
    plans = []
    for cut in range(1, len(forward)):
        device = np.full(problem.n_operators, -1, np.int32)
        device[forward[:cut]], device[forward[cut:]] = first, second
        for members in problem.members:
            if members:
                device[list(members)] = device[min(members)]
        for op in graph.operators:
            if device[op.index] < 0:
                before = graph.predecessors(op.index)
                device[op.index] = device[before[-1]] if before else first
        plans.append(device)
    return np.array(plans, np.int32)


def improve(problem: Problem, order: Int32, device: Int32, score: Score, rounds: int, seed: int) -> Int32:
    """Hill climbing on ``score`` (less is better): per round the best of 32 moves of a run of units."""
    rng = np.random.default_rng(seed)
    units = units_of(problem)
    best, value = device.copy(), float(score(order[None], device[None])[0])
    for _ in range(rounds):
        moved = np.repeat(best[None], 32, axis=0)
        for row in moved:
            length = int(np.exp(rng.uniform(0, np.log(len(units)))))
            start = int(rng.integers(len(units)))
            target = int(rng.integers(problem.n_devices))
            for unit in units[start : start + length]:
                if problem.legal[unit, target].all():
                    row[unit] = target
        values = score(np.repeat(order[None], 32, axis=0), moved)
        k = int(np.argmin(values))
        if values[k] < value:
            best, value = moved[k].copy(), float(values[k])
    return best


@dataclass(frozen=True)
class Step:
    """What a training step takes, for P plans: milliseconds, joules and the variance of the devices' utilisation."""

    time_ms: Float64
    energy_j: Float64
    used_energy_j: Float64
    """[P] with the idle power of the devices that the plan uses alone."""
    variance: Float64
    utilisation: Float64
    overflow_bytes: Float64

    def multiples(self, default: Step) -> Float64:
        """[P, 3] of the default plan; infinite where a plan does not fit."""
        values = np.stack(
            (self.time_ms / default.time_ms, self.energy_j / default.energy_j, self.variance / default.variance), 1
        )
        return np.where(self.overflow_bytes[:, None] > 0, np.inf, values)


class Training:
    """A training step of M items on a pool."""

    def __init__(self, graph: hopt.Graph, pool: hopt.DevicePool, items: int) -> None:
        step = graph.training_step("sgd")
        self.items, self.pool = items, pool
        self.scheduler = hopt.Scheduler(step, pool)
        self.problem, self.graph = self.scheduler.problem, self.scheduler.graph
        self.order = np.arange(self.problem.n_operators, dtype=np.int32)
        costs = roofline_cost_table(step, pool)
        updates = [op for op in step.operators if op.op_type == "SgdUpdate"]
        home = {m: op.index for op in self.graph.operators for m in op.members}
        self.update_home = np.array([home[op.index] for op in updates])
        rows = [op.index for op in updates]
        self.update_ps, self.update_pj = costs.time_ps[rows], costs.energy_pj[rows]

    def measure(self, orders: Int32, devices: Int32) -> Step:
        """Items in flight, then one update of every weight where it is; idle power of all devices throughout."""
        problem, count = self.problem, self.items
        flight = pipeline_batch(problem, orders, devices, count)
        single = decode_batch(problem, orders, devices, exact_peak=False)
        idle_w = problem.idle_power_w.sum()
        where = devices[:, self.update_home]
        update = np.zeros((len(devices), problem.n_devices))
        for d in range(problem.n_devices):
            update[:, d] = np.where(where == d, self.update_ps[:, d], 0).sum(axis=1)
        update_pj = np.take_along_axis(self.update_pj.T[None], where[:, None], axis=1)[:, 0].sum(axis=1)
        time = flight.step_time_ps + update.max(axis=1)
        dynamic = count * (single.energy_pj - idle_w * single.time_ps) + update_pj
        used = np.stack([(devices == d).any(axis=1) for d in range(problem.n_devices)], axis=1)
        utilisation = (count * single.busy_ps + update) / time[:, None]
        return Step(
            time / PS_PER_MS,
            (dynamic + idle_w * time) / PJ_PER_J,
            (dynamic + used @ problem.idle_power_w * time) / PJ_PER_J,
            utilisation.var(axis=1),
            utilisation,
            flight.overflow_bytes.astype(np.float64),
        )

    def on_first(self) -> Step:
        """Everything on device 0."""
        return self.measure(self.order[None], np.zeros((1, self.problem.n_operators), np.int32))


def training_case(pool: hopt.DevicePool, generations: int, rounds: int, seed: int) -> dict[str, Any]:
    """R28 on one pool."""
    case = Training(resnet50(BATCH // MICRO_BATCHES), pool, MICRO_BATCHES)
    whole = Training(resnet50(BATCH), pool, 1).on_first()
    default = case.on_first()
    problem = case.problem
    result = hopt.Scheduler(case.graph, pool, fuse=False, generations=generations).run(seed=seed)
    cuts = np.concatenate([two_stages(problem, case.graph, *pair) for pair in ((0, 1), (0, 2), (2, 0))])
    plans = result.front.plans
    orders = np.concatenate((plans.orders, np.repeat(case.order[None], len(cuts), axis=0)))
    devices = np.concatenate((plans.devices, cuts))
    values = case.measure(orders, devices).multiples(default)

    def capped(values: Float64) -> Float64:
        return values[:, 2] + 1e3 * np.maximum(0.0, values[:, 0] - 1.0)

    scores: dict[str, Callable[[Float64], Float64]] = {
        "fastest": lambda values: values[:, 0],
        "weights 50/30/20": lambda values: np.nan_to_num(values, posinf=1e6) @ WEIGHTS,
        "most balanced, no slower than GPU 0": capped,
    }

    def improved(score: Callable[[Float64], Float64]) -> tuple[Int32, Int32]:
        k = int(np.argmin(score(values)))
        return orders[k], improve(
            problem, orders[k], devices[k], lambda o, d: score(case.measure(o, d).multiples(default)), rounds, seed
        )

    # What one local search ends with may be the best for another score than its own.
    ends = [improved(score) for score in scores.values()]
    end_values = case.measure(np.array([order for order, _ in ends]), np.array([d for _, d in ends])).multiples(default)

    def chosen(label: str) -> dict[str, Any]:
        order, device = ends[int(np.argmin(scores[label](end_values)))]
        step = case.measure(order[None], device[None])
        time, energy, variance = step.multiples(default)[0].tolist()
        return {
            "plan": label, "time_ms": float(step.time_ms[0]), "energy_j": float(step.energy_j[0]),
            "variance": float(step.variance[0]), "time_x": time, "energy_x": energy, "variance_x": variance,
            "used_energy_x": float(step.used_energy_j[0] / default.used_energy_j[0]),
            "time_x_whole_batch": float(step.time_ms[0] / whole.time_ms[0]),
            "energy_x_whole_batch": float(step.energy_j[0] / whole.energy_j[0]),
            "utilisation": step.utilisation[0].tolist(),
            "operators": np.bincount(device, minlength=problem.n_devices).tolist(),
        }  # fmt: skip

    return {
        "case": "R28", "pool": pool.name, "batch": BATCH, "micro_batches": MICRO_BATCHES,
        "operators": len(case.graph.original.operators if case.graph.original else ()),
        "placed": problem.n_operators, "groups": len(problem.members),
        "default": {"time_ms": float(default.time_ms[0]), "energy_j": float(default.energy_j[0]),
            "used_energy_j": float(default.used_energy_j[0]),
                    "variance": float(default.variance[0]), "overflow_bytes": float(default.overflow_bytes[0])},
        "default_whole_batch": {"time_ms": float(whole.time_ms[0]), "energy_j": float(whole.energy_j[0]),
                                "overflow_bytes": float(whole.overflow_bytes[0])},
        "plans": [chosen(label) for label in scores],
        "reported": REPORTED_R28,
    }  # fmt: skip


def inference_case(
    graph: hopt.Graph, precision: str, pool: hopt.DevicePool, generations: int, rounds: int, seed: int
) -> dict[str, Any]:
    """R29 on one pool, device 0 the GPU and device 1 the NPU."""
    scheduler = hopt.Scheduler(graph, pool, generations=generations)
    problem = scheduler.problem
    result = scheduler.run(seed=seed)
    plans = result.front.plans
    k = int(np.argmin(plans.time_ps))
    fast = plans.orders[k], plans.devices[k]
    members = np.array([len(op.members) for op in scheduler.graph.operators])
    index = np.arange(problem.n_operators, dtype=np.int32)
    cuts = np.concatenate([two_stages(problem, scheduler.graph, *pair) for pair in ((0, 1), (1, 0))])
    orders = np.concatenate((plans.orders, np.repeat(index[None], len(cuts), axis=0)))
    devices = np.concatenate((plans.devices, cuts))

    def score(orders: Int32, devices: Int32) -> Float64:
        flight = pipeline_batch(problem, orders, devices, THROUGHPUT_ITEMS)
        return np.where(flight.overflow_bytes > 0, np.inf, -flight.throughput_per_s)

    first = int(np.argmin(score(orders, devices)))
    many = orders[first], improve(problem, orders[first], devices[first], score, rounds, seed)
    single = [np.full(problem.n_operators, d, np.int32) for d in range(problem.n_devices)]
    described = {
        "lowest latency": fast, "highest throughput": many, "GPU alone": (index, single[0]),
        "NPU alone": (index, single[1]),
    }  # fmt: skip
    stacked = np.array([order for order, _ in described.values()]), np.array([d for _, d in described.values()])
    time = decode_batch(problem, *stacked).time_ps
    throughput = pipeline_batch(problem, *stacked, THROUGHPUT_ITEMS).throughput_per_s
    base = float(throughput[0])
    p99 = {load: latency_batch(problem, *stacked, load * base) for load in LOADS}
    own = [
        latency_batch(problem, order[None], device[None], OWN_LOAD * float(rate))
        for order, device, rate in zip(*stacked, throughput, strict=True)
    ]
    return {
        "case": "R29", "pool": pool.name, "precision": precision, "operators": int(members.sum()),
        "placed": problem.n_operators,
        "plans": [
            {
                "plan": name, "latency_ms": float(time[i] / PS_PER_MS), "throughput_per_s": float(throughput[i]),
                "throughput_x": float(throughput[i] / base),
                "npu_share": float(members[stacked[1][i] == 1].sum() / members.sum()),
                "p99_ms": {str(load): float(values.p99_ps[i] / PS_PER_MS) for load, values in p99.items()},
                "p99_x": {str(load): float(values.p99_ps[i] / values.p99_ps[0]) for load, values in p99.items()},
                "own_p99_ms": float(own[i].p99_ps[0] / PS_PER_MS),
                "own_p99_x": float(own[i].p99_ps[0] / own[0].p99_ps[0]),
                "too_slow_for": [load for load, values in p99.items() if values.shortfall[i] > 0],
            }
            for i, name in enumerate(described)
        ],
        "reported": REPORTED_R29,
    }  # fmt: skip


def print_training(row: dict[str, Any]) -> None:
    """One pool's table."""
    default, whole = row["default"], row["default_whole_batch"]
    print(f"\nR28 {row['pool']}: {row['operators']} operators, {row['placed']} placed in {row['groups']} groups")
    print(
        f"everything on GPU 0: {default['time_ms']:.1f} ms, {default['energy_j']:.1f} J, variance "
        f"{default['variance']:.3f}; with the batch in one piece {whole['time_ms']:.1f} ms, {whole['energy_j']:.1f} J"
        f"{' (does not fit)' if whole['overflow_bytes'] else ''}"
    )
    print(
        "| plan | step ms | time | energy | energy of used devices | variance | its ratio | time against one piece "
        "| utilisation |"
    )
    print("| --- | --- | --- | --- | --- | --- | --- | --- | --- |")
    for plan in row["plans"]:
        busy = " / ".join(f"{share:.0%}" for share in plan["utilisation"])
        print(
            f"| {plan['plan']} | {plan['time_ms']:.1f} | {plan['time_x']:.0%} | {plan['energy_x']:.0%} "
            f"| {plan['used_energy_x']:.0%} "
            f"| {plan['variance']:.3f} | {plan['variance_x']:.2f} | {plan['time_x_whole_batch']:.0%} | {busy} |"
        )


def print_inference(row: dict[str, Any]) -> None:
    """One pool's table."""
    print(f"\nR29 {row['pool']}, {row['precision']}: {row['operators']} operators, {row['placed']} placed")
    heads = " | ".join(f"P99 at {load:.0%}" for load in LOADS)
    heads += f" | P99 at {OWN_LOAD:.0%} of its own"
    print(f"| plan | latency ms | items/s | throughput | operators on the NPU | {heads} |")
    print("| --- | --- | --- | --- | --- |" + " --- |" * (len(LOADS) + 1))
    for plan in row["plans"]:
        tails = " | ".join(
            "too slow"
            if load in plan["too_slow_for"]
            else f"{plan['p99_ms'][str(load)]:.2f} ms (x {plan['p99_x'][str(load)]:.2f})"
            for load in LOADS
        )
        print(
            f"| {plan['plan']} | {plan['latency_ms']:.3f} | {plan['throughput_per_s']:.0f} "
            f"| x {plan['throughput_x']:.2f} | {plan['npu_share']:.0%} | {tails} "
            f"| {plan['own_p99_ms']:.2f} ms (x {plan['own_p99_x']:.2f}) |"
        )


def main(arguments: Sequence[str] | None = None) -> None:
    """Print both cases."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--generations", type=int, default=100)
    parser.add_argument("--rounds", type=int, default=150)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--case", choices=("R28", "R29"), help="one of the two (default both)")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args(arguments)
    warm_up()
    rows = []
    training = (
        ()
        if options.case == "R29"
        else (
            pool_of("NVIDIA_RTX_3090", "NVIDIA_RTX_3090", "Intel_Xeon_8380"),
            pool_of("NVIDIA_A100_40G", "NVIDIA_A100_40G", "Intel_Xeon_8480", link_class="NVLink"),
        )
    )
    for pool in training:
        rows.append(training_case(pool, options.generations, options.rounds, options.seed))
        print_training(rows[-1])
    bert = hopt.Graph.from_onnx(bert_encoder_onnx())
    pairs = () if options.case == "R28" else (("NVIDIA_A100_40G", "Ascend_910"), ("NVIDIA_RTX_3090", "Ascend_310P"))
    for templates in pairs:
        for precision, graph in (("FP32", bert), ("FP16", in_half(bert))):
            pool = pool_of(*templates)
            rows.append(inference_case(graph, precision, pool, options.generations, options.rounds, options.seed))
            print_inference(rows[-1])
    if options.json:
        options.json.write_text(json.dumps(rows, indent=2) + "\n")


if __name__ == "__main__":
    main()
