"""Every format x models x random plans: outputs parse again, refusals have a reason, no segments wait in a circle.

Run: python -m benchmarks.exporters [--models bert,resnet50] [--plans 20] [--formats triton] [--json FILE]

Models are bert and the light models of the onnx package. Exits with 1 where a plan is neither written nor refused.
"""

from __future__ import annotations

import argparse
import json
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from graphlib import CycleError, TopologicalSorter
from pathlib import Path
from typing import Any

import numpy as np

import heteroopt as hopt
from heteroopt.api.exporting import plan_request
from heteroopt.costs.roofline import roofline_cost_table
from heteroopt.deployment.export_plan import export_plan
from heteroopt.deployment.export_registry import SHIPPED
from heteroopt.deployment.exporting import ExportRequest, Refusal
from heteroopt.deployment.plan import Plan
from heteroopt.graph.fusion import fuse
from heteroopt.graph.samples import LIGHT_MODELS, bert_encoder_onnx, onnx_light_model
from heteroopt.partition import Partition
from heteroopt.search.settings import SearchSettings
from heteroopt.simulation.compile import compile_problem
from heteroopt.simulation.decoder import decode_one
from heteroopt.simulation.reference_plan import reference_plan

MODELS = ("bert", *LIGHT_MODELS)
POOL = "data_center"
SUBSETS = (("gpu0", "gpu1", "cpu0", "npu0"), ("gpu0", "cpu0"), ("cpu0", "npu0"), ("cpu0",), ("gpu0", "gpu1"), ("gpu0",))
"""Devices that a random plan may use: most formats stand for one maker's devices."""
CUTS = (2, 5, None)
"""A random plan changes the device this often, in turn, or draws one for every operator."""
OPTIONS: Mapping[str, Mapping[str, str]] = {
    "ort-segments": {"device.npu0": "onnxruntime:CANNExecutionProvider"},
    "openvino-hetero": {"target.gpu0": "GPU.0", "target.gpu1": "GPU.1", "target.npu0": "NPU"},
    "ascend": {"soc.npu0": "Ascend910B3"},
    "kubernetes": {"image": "registry.local/runner:1"},
    "compose": {"image": "registry.local/runner:1", "files.npu0": "/dev/davinci0"},
}


@dataclass
class Tally:
    """What a format did with all plans."""

    written: int = 0
    refused: Counter[str] = field(default_factory=Counter)
    failed: list[str] = field(default_factory=list)
    seconds: float = 0.0

    def to_dict(self) -> dict[str, Any]:
        """JSON-able data."""
        return {
            "written": self.written, "refused": dict(self.refused), "failed": self.failed,
            "seconds": round(self.seconds, 2),
        }  # fmt: skip


@dataclass
class Sweep:
    """All formats over all plans. ``cyclic``: plans whose segments wait for each other in a circle."""

    plans: int = 0
    cyclic: int = 0
    segments: list[int] = field(default_factory=list)
    formats: defaultdict[str, Tally] = field(default_factory=lambda: defaultdict(Tally))

    @property
    def failed(self) -> list[str]:
        """Every plan that a format neither wrote nor refused, with what happened."""
        return [f"{key}: {text}" for key, tally in self.formats.items() for text in tally.failed]

    def to_dict(self) -> dict[str, Any]:
        """JSON-able data."""
        return {
            "plans": self.plans, "cyclic": self.cyclic,
            "segments": {"fewest": min(self.segments), "most": max(self.segments)},
            "formats": {key: tally.to_dict() for key, tally in self.formats.items()},
        }  # fmt: skip


def random_plans(data: bytes, name: str, count: int) -> Iterator[Plan]:
    """Plans of a fused model in the graph's order; devices by chance, among a subset, changed at random places."""
    graph = fuse(hopt.Graph.from_onnx(data, name=name))
    pool = hopt.load_sample_pool(POOL)
    costs = roofline_cost_table(graph, pool)
    problem = compile_problem(graph, pool, costs)
    reference, n = reference_plan(problem), len(graph.operators)
    number = {device.name: index for index, device in enumerate(pool.devices)}
    for seed in range(count):
        rng = np.random.default_rng(seed)
        usable = [number[name] for name in SUBSETS[seed % len(SUBSETS)]]
        cuts = CUTS[seed // len(SUBSETS) % len(CUTS)]
        piece = (
            np.arange(n) if cuts is None else np.searchsorted(np.sort(rng.integers(1, n, cuts)), np.arange(n), "right")
        )
        turns = rng.permutation(usable)
        drawn = rng.choice(usable, n) if cuts is None else turns[np.arange(cuts + 1) % len(turns)]
        device = drawn[piece].astype(np.int32)
        for i in range(n):
            if not problem.legal[i, device[i]]:
                device[i] = rng.choice(np.flatnonzero(problem.legal[i]))
        schedule = decode_one(problem, np.arange(n, dtype=np.int32), device)
        yield Plan(graph, pool, costs, problem, reference, SearchSettings(), schedule)


def is_cyclic(partition: Partition) -> bool:
    """Whether segments wait for each other in a circle, by the edges of the graph alone."""
    before: defaultdict[int, set[int]] = defaultdict(set)
    for operator in partition.graph.operators:
        own = partition.segment_of[operator.index]
        before[own].update(partition.segment_of[p] for p in partition.graph.predecessors(operator.index))
        before[own].discard(own)
    try:
        TopologicalSorter(before).prepare()
    except CycleError:
        return True
    return False


def try_format(key: str, request: ExportRequest, tally: Tally, label: str) -> None:
    """Write one plan, parse it again, and note what came of it."""
    begin = time.perf_counter()
    with tempfile.TemporaryDirectory() as scratch:
        try:
            manifest = export_plan(key, request, Path(scratch) / "out")
            lost = manifest["coverage"]["n_unmatched"]
            if lost:
                tally.failed.append(f"{label}: {lost} operators are not expressed")
            tally.written += 1
        except Refusal as refusal:
            tally.refused[refusal.code] += 1
            if not (refusal.message.strip() and refusal.hint.strip()):
                tally.failed.append(f"{label}: {refusal.code} says nothing")
        except Exception as error:  # whatever a format raises is what this looks for
            tally.failed.append(f"{label}: {type(error).__name__}: {str(error)[:200]}")
    tally.seconds += time.perf_counter() - begin


def sweep(models: Mapping[str, bytes], count: int, keys: Iterable[str] = SHIPPED) -> Sweep:
    """Try every format with ``count`` random plans of every model."""
    found = Sweep()
    with tempfile.TemporaryDirectory() as scratch:
        for name, data in models.items():
            path = Path(scratch) / f"{name}.onnx"
            path.write_bytes(data)
            for number, plan in enumerate(random_plans(data, name, count)):
                request = plan_request(plan, model=path)
                found.plans += 1
                found.cyclic += is_cyclic(request.partition)
                found.segments.append(request.partition.n_segments)
                for key in keys:
                    chosen = plan_request(plan, model=path, options=OPTIONS.get(key, {}))
                    try_format(key, chosen, found.formats[key], f"{name}, plan {number}")
    return found


def model_bytes(name: str) -> bytes:
    """A model by the name that ``--models`` gives it."""
    return bert_encoder_onnx(layers=2) if name == "bert" else onnx_light_model(name).read_bytes()


def main() -> int:
    """Sweep and print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--models", default="bert,resnet50,squeezenet")
    parser.add_argument("--plans", type=int, default=20)
    parser.add_argument("--formats", default=",".join(SHIPPED))
    parser.add_argument("--json", type=Path)
    arguments = parser.parse_args()
    models = {name: model_bytes(name) for name in arguments.models.split(",")}
    found = sweep(models, arguments.plans, arguments.formats.split(","))
    print("| format | written and parsed again | refused | failed | s |\n| --- | --- | --- | --- | --- |")
    for key, tally in found.formats.items():
        refused = ", ".join(f"{code} {count}" for code, count in sorted(tally.refused.items())) or "-"
        print(f"| `{key}` | {tally.written} | {refused} | {len(tally.failed)} | {tally.seconds:.1f} |")
    print(
        f"{found.plans} plans of {len(models)} models, {min(found.segments)} to {max(found.segments)} segments, "
        f"{found.cyclic} cyclic"
    )
    for text in found.failed:
        print(text)
    if arguments.json:
        arguments.json.write_text(json.dumps(found.to_dict(), indent=1))
    return 1 if found.failed or found.cyclic else 0


if __name__ == "__main__":
    raise SystemExit(main())
