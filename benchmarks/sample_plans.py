"""The sample models on the sample pools, end to end, as a Markdown table (README) or JSON.

Run: python -m benchmarks.sample_plans [--generations G] [--seed S] [--json FILE]
Costs are roofline estimates from data sheets, so the figures are predictions, not measurements; the seconds are.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from pathlib import Path

import heteroopt as hopt
from heteroopt.graph.samples import bert_encoder_onnx, onnx_light_model
from heteroopt.search import warm_up

MODELS = {
    "ResNet-50": lambda: onnx_light_model("resnet50"),
    "Inception v2": lambda: onnx_light_model("inception_v2"),
    "DenseNet-121": lambda: onnx_light_model("densenet121"),
    "BERT-base encoder": bert_encoder_onnx,
}


def measure(model: str, graph: hopt.Graph, pool_name: str, generations: int, seed: int) -> dict[str, object]:
    """Search one model on one pool; multiples are of everything on the default device."""
    pool = hopt.load_sample_pool(pool_name)
    began = time.perf_counter()
    result = hopt.Scheduler(graph=graph, devices=pool, generations=generations).run(seed=seed)
    seconds = time.perf_counter() - began
    front = result.pareto_front
    default = result.default_plan
    return {
        "model": model,
        "pool": pool_name,
        "operators": len(graph.operators),
        "placed": result.front.plans.devices.shape[1],
        "plans": len(front),
        "default_exec_time_ms": default["exec_time_ms"],
        "default_kind": default["kind"],
        "fastest_x": min(plan.exec_time_x for plan in front),
        "least_energy_x": min(plan.energy_x for plan in front),
        "lowest_variance": min(plan.load_balance for plan in front),
        "hypervolume": result.hypervolume,
        "search_seconds": seconds,
    }


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--generations", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--json", type=Path)
    arguments = parser.parse_args()
    warm_up()
    rows = []
    print(
        "| model | pool | operators (placed) | default plan ms | fastest | least energy | lowest variance | plans | s |"
    )
    print("| --- | --- | --- | --- | --- | --- | --- | --- | --- |")
    for model, source in MODELS.items():
        graph = hopt.Graph.from_onnx(source())
        for pool in hopt.list_sample_pools():
            row = measure(model, graph, pool, arguments.generations, arguments.seed)
            rows.append(row)
            print(
                f"| {model} | {pool} | {row['operators']} ({row['placed']}) | {row['default_exec_time_ms']:.3f} "
                f"| x {row['fastest_x']:.2f} | x {row['least_energy_x']:.2f} | {row['lowest_variance']:.4f} "
                f"| {row['plans']} | {row['search_seconds']:.1f} |"
            )
            sys.stdout.flush()
    if arguments.json:
        arguments.json.write_text(json.dumps(rows, indent=2) + "\n")


if __name__ == "__main__":
    main()
