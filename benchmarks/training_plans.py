"""Published training plans, splits and reshards against ours, in simulation; fits the one scale of the profile.

Run: python -m benchmarks.training_plans [--trials 20] [--json FILE] [--fit]
"""

from __future__ import annotations

import argparse
import json
import random
import re
import statistics
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from benchmarks import training_cases as cases
from benchmarks.training_brute_force import best_step as best_of_all
from heteroopt.training import profile as profiles
from heteroopt.training.cluster import Cluster
from heteroopt.training.evaluation import Evaluation
from heteroopt.training.homogeneous import homogeneous_plan
from heteroopt.training.layers import split_layers
from heteroopt.training.mixed_lengths import Strategy, best_step, token_limit
from heteroopt.training.plan import Pipeline, TrainingPlan, Workload, step_seconds
from heteroopt.training.planner import plan
from heteroopt.training.profile import StepModel, published_profile
from heteroopt.training.reshard import Demand, demands, lower_bound_seconds, transmit, transmit_point_to_point
from heteroopt.training.transformer import Transformer, annotate
from heteroopt.training.what_if import moves, sensitivity

PROFILE_FILE = Path(profiles.__file__).parent / "profiles/llama-32b-h20.toml"
CONTEXT = 32_768
TOKENS_A_STEP = 200_000
STRATEGIES = (Strategy("A", ((16, 1), *[(4, 1)] * 4)), Strategy("B", ((8, 1), *[(4, 2)] * 3)))


def fitted_scale() -> float:
    """The scale for which the plan that is fitted to takes as long as published: bisection, as sends do not scale."""
    one = next(one for one in cases.PUBLISHED if one.fit)
    low, high = 0.5, 2.0
    while high - low > 1e-6:
        middle = (low + high) / 2
        slow = one.plan(replace(published_profile(), rate_scale=middle)).step_s > (one.step_s or 0.0)
        low, high = (middle, high) if slow else (low, middle)
    return low


def step_times(profile: StepModel) -> dict[str, Any]:
    """Published steps, one of which the scale is fitted to, and the gain over the best homogeneous plan."""
    rows = {
        one.name: {"published_s": one.step_s, "simulated_s": one.plan(profile).step_s, "fitted": one.fit}
        for one in cases.PUBLISHED
        if one.step_s is not None
    }
    for row in rows.values():
        row["error"] = row["simulated_s"] / row["published_s"] - 1
    errors = [abs(row["error"]) for row in rows.values()]
    first = cases.PUBLISHED[0]
    alike = homogeneous_plan(cases.cluster_of(first.nodes), first.work, profile, all_groups=True)
    alike_s = alike.step_s if alike is not None else float("nan")
    gain, published = alike_s / first.plan(profile).step_s, cases.BEST_HOMOGENEOUS_S / (first.step_s or 0.0)
    return {
        "plans": rows,
        "mean_error": statistics.mean(errors),
        "largest_error": max(errors),
        "homogeneous": {"published_s": cases.BEST_HOMOGENEOUS_S, "simulated_s": alike_s},
        "gain": {"published": published, "simulated": gain, "error": gain / published - 1},
    }


def layer_splits(profile: StepModel) -> list[dict[str, Any]]:
    """Our exact split of the published stages beside the published one, both simulated."""
    rows = []
    for one in cases.PUBLISHED:
        network, before = cases.cluster_of(one.nodes), one.plan(profile)
        pipelines = tuple(
            _split(pipeline, len(before.pipelines), network, one.work, profile) for pipeline in before.pipelines
        )
        ours = step_seconds(pipelines, profile, network, one.work)
        published, found = (
            [[stage.layers for stage in pipeline.stages] for pipeline in some] for some in (before.pipelines, pipelines)
        )
        rows.append(
            {
                "cluster": one.name,
                "published": published,
                "ours": found,
                "exact": published == found,
                "published_over_ours": before.step_s / ours - 1,
            }
        )
    return rows


def _split(pipeline: Pipeline, replicas: int, network: Cluster, work: Workload, profile: StepModel) -> Pipeline:
    stages = pipeline.stages
    layer_s = [
        profile.layer_s(network.types[one.gpu], one.degree, work.model, work.sequence, work.sequence) for one in stages
    ]
    last = stages[-1]
    extra = [0.0] * (len(stages) - 1) + [
        profile.head_s(network.types[last.gpu], last.degree, work.model, work.sequence)
    ]
    kinds = tuple((one.gpu, one.degree) for one in stages)
    limits = Evaluation(network, profile, work).stage_limits(kinds, pipeline.micro_batches, replicas)
    counts = split_layers(layer_s, extra, limits, work.model.layers, pipeline.micro_batches)
    if counts is None:
        return pipeline
    return replace(
        pipeline, stages=tuple(replace(one, layers=count) for one, count in zip(stages, counts, strict=True))
    )


def free_choice(profile: StepModel) -> dict[str, Any]:
    """The planner on 16 H800 and 32 H20 with everything to choose."""
    first = cases.PUBLISHED[0]
    network = cases.cluster_of(first.nodes)
    seconds, cpu = [], []
    for _ in range(3):
        begin, used = time.perf_counter(), time.process_time()
        found = plan(network, first.work, profile)
        seconds.append(time.perf_counter() - begin)
        cpu.append(time.process_time() - used)
    return {
        "planning_s": statistics.median(seconds),
        "planning_cpu_s": statistics.median(cpu),
        "scored": found.evaluated,
        "step_s": found.plan.step_s,
        "gain": found.gain,
        "published_plan_s": first.plan(profile).step_s,
    }


def eight_gpus(profile: StepModel) -> list[dict[str, Any]]:
    """The planner against every plan of eight GPUs."""
    small = Transformer("small", 4, 2048, 5632, 16, 16, 32000)
    work = Workload(small, sequence=2048, sequences=6)
    quick = replace(profile, synchronisation_s=0.01)
    rows = []
    for fast in (0, 2, 4, 6, 8):
        network = cases.cluster_of([one for one in (("H800", fast), ("H20", 8 - fast)) if one[1]])
        best, ours = best_of_all(network, work, quick), plan(network, work, quick).plan.step_s
        rows.append(
            {"cluster": f"{fast} H800 + {8 - fast} H20", "best_s": best, "ours_s": ours, "over": ours / best - 1}
        )
    return rows


def lost_gpu(profile: StepModel) -> dict[str, Any]:
    """32 H20 lose one: to the published plan for 31, directly and with relays, weights and optimizer state."""
    network = cases.cluster_of([("H20", 8)] * 4)
    work = Workload(cases.LLAMA, zero1=False)
    before = cases.place(network, (((("H20", 4, 15),) * 4, 32),) * 2)
    after = cases.place(network, next(one for one in cases.PUBLISHED if one.name == "31 H20").chains)
    wanted = demands(moves(TrainingPlan(before, 0.0, True), TrainingPlan(after, 0.0, False), work), frozenset({31}))
    left = network.without(31)
    begin = time.perf_counter()
    relayed = transmit(wanted, left, relay=True)
    planning_s = time.perf_counter() - begin
    direct = transmit(wanted, left)
    return {
        "moved_gb": direct.moved_bytes / 1e9,
        "direct_s": direct.seconds,
        "point_to_point_s": transmit_point_to_point(wanted, left).seconds,
        "relayed_s": relayed.seconds,
        "bound_s": lower_bound_seconds(wanted, left, relay=True),
        "relayed_over_direct": relayed.seconds / direct.seconds,
        "planning_s": planning_s,
    }


def topologies(profile: StepModel) -> list[dict[str, Any]]:
    """Losing a node and growing, on ten topologies, with background traffic where there is an uplink to take it."""
    nodes = [("H800", 8)] * 2 + [("H20", 8)] * 4
    wanted = {"lose a node": _lose_a_node(profile), "grow": _grow()}
    rows = []
    for name, card, levels in cases.TOPOLOGIES:
        for busy in (False, True) if levels else (False,):
            network = cases.cluster_of(nodes, levels, cases.busy_of(levels) if busy else (), card)
            for case, some in wanted.items():
                ours, bound = transmit(some, network).seconds, lower_bound_seconds(some, network)
                apart = transmit_point_to_point(some, network).seconds
                rows.append(
                    {
                        "topology": name, "background": busy, "case": case, "seconds": ours, "bound_s": bound,
                        "over_bound": ours / bound, "point_to_point_over_bound": apart / bound,
                    }
                )  # fmt: skip
    return rows


def _lose_a_node(profile: StepModel) -> tuple[Demand, ...]:
    """The published plan of 48 GPUs loses the last node and becomes that of 16 H800 and 24 H20."""
    first, last = cases.PUBLISHED[0], cases.PUBLISHED[-1]
    work = replace(first.work, zero1=False)
    return demands(moves(first.plan(profile), last.plan(profile), work), frozenset(range(40, 48)))


def _grow() -> tuple[Demand, ...]:
    """Four replicas of a 7B model on eight GPUs each become six."""
    model = cases.PRESETS["llama-7b"]

    def replicas(count: int) -> TrainingPlan:
        kinds = [cases.Stage("", tuple(range(8 * n, 8 * n + 8)), model.layers) for n in range(count)]
        return TrainingPlan(tuple(Pipeline((one,), 1) for one in kinds), 0.0, True)

    return demands(moves(replicas(4), replicas(6), Workload(model, zero1=False)))


def wrong_profiles(profile: StepModel, trials: int) -> list[dict[str, Any]]:
    """Regret of planning with a profile that is off by 5, 10 and 20 percent."""
    first = cases.PUBLISHED[0]
    network = cases.cluster_of(first.nodes)
    return [vars_of(sensitivity(network, first.work, profile, error, trials=trials)) for error in (0.05, 0.1, 0.2)]


def unknown_traffic(profile: StepModel, trials: int) -> list[dict[str, Any]]:
    """Regret of planning without knowledge of traffic, up to 30 and 90 percent of the uplinks of racks of two nodes."""
    first = cases.PUBLISHED[0]
    network = cases.cluster_of(first.nodes, (("rack", 25.0, 2),))
    return [
        vars_of(sensitivity(network, first.work, profile, 0.0, background=busy, trials=trials)) for busy in (0.3, 0.9)
    ]


def vars_of(one: Any) -> dict[str, Any]:
    """Fields of a dataclass with slots or without."""
    return {name: getattr(one, name) for name in one.__dataclass_fields__}


def mixed_lengths(profile: StepModel, steps: int = 100) -> dict[str, Any]:
    """Steps of 200,000 tokens of a synthetic mixture of lengths; the published distribution is not public."""
    network = cases.cluster_of([("H20", 8)] * 4)
    gpu = network.types["H20"]
    limits = {
        one.name: [
            min(CONTEXT, token_limit(profile, gpu, cases.LLAMA, each, len(one.pipelines))) for each in one.pipelines
        ]
        for one in STRATEGIES
    }
    draw = random.Random(0)
    seconds, taken, below, count = [], {one.name: 0 for one in STRATEGIES}, 0, 0
    for _ in range(steps):
        lengths: list[int] = []
        while sum(lengths) < TOKENS_A_STEP:
            lengths.append(min(CONTEXT, max(32, int(draw.lognormvariate(6.6, 1.28)))))
        step = best_step(lengths, STRATEGIES, limits, profile)
        seconds.append(step.seconds)
        taken[step.strategy] += 1
        below += sum(length < 8192 for length in lengths)
        count += len(lengths)
    packs = -(-TOKENS_A_STEP // CONTEXT)
    fixed = {}
    for (tensor, stages), (a, b, c) in profile.rows().items():
        pipelines = 32 // (tensor * stages)
        if token_limit(profile, gpu, cases.LLAMA, (tensor, stages), pipelines) >= CONTEXT:
            each = (a * CONTEXT**2 + b * CONTEXT + c) / 1e3
            fixed[f"TP {tensor}, PP {stages}"] = (
                each * (-(-packs // pipelines) + stages - 1) + profile.synchronisation_s
            )
    return {
        "distribution": "synthetic: log-normal, mu 6.6, sigma 1.28, cut to 32 to 32,768 tokens",
        "below_8k": below / count,
        "steps": steps,
        "mean_s": statistics.mean(seconds),
        "taken": taken,
        "published_s": cases.MIXED_LENGTHS_S,
        "fixed_packing_s": min(fixed.values(), default=None),
        "fixed_packing": fixed,
        "published_fixed_packing_s": cases.FIXED_PACKING_S,
    }


def annotations(profile: StepModel) -> dict[str, int]:
    """How many weights of the published plans have a valid annotation: an invalid one raises."""
    return {one.name: len(annotate(cases.LLAMA, one.plan(profile).devices())) for one in cases.PUBLISHED}


LINES: dict[str, Callable[[Any], list[str]]] = {
    "annotations": lambda found: [
        f"annotations of {len(found)} published plans: {sum(found.values())} weights, all valid"
    ],
    "step_times": lambda found: [
        *(
            f"step, {name}: published {one['published_s']:.2f} s, simulated {one['simulated_s']:.2f} s, "
            f"{one['error']:+.1%}" + (" (fitted to)" if one["fitted"] else "")
            for name, one in found["plans"].items()
        ),
        f"error: mean {found['mean_error']:.1%} (target 8 %), largest {found['largest_error']:.1%} (target 13 %)",
        f"best homogeneous on all GPUs: published {found['homogeneous']['published_s']:.2f} s, "
        f"simulated {found['homogeneous']['simulated_s']:.2f} s",
        f"gain: published {found['gain']['published']:.3f}, simulated {found['gain']['simulated']:.3f}, "
        f"{found['gain']['error']:+.1%} (target within 10 %)",
    ],
    "layer_splits": lambda found: [
        *(
            f"layers, {one['cluster']}: published {_chains(one['published'])}, ours {_chains(one['ours'])}, "
            f"published takes {one['published_over_ours']:+.1%}"
            for one in found
        ),
        f"layers: exact in {sum(one['exact'] for one in found)} of {len(found)} "
        "(target: 3, or the published at most 2 % faster)",
    ],
    "free_choice": lambda found: [
        f"16 H800 + 32 H20, free choice: planned in {found['planning_s']:.2f} s, {found['planning_cpu_s']:.2f} s of "
        f"processor time (target 1 s); step {found['step_s']:.2f} s simulated, published plan "
        f"{found['published_plan_s']:.2f} s, gain {found['gain']:.2f} over the best homogeneous plan, which "
        "may leave GPUs out"
    ],
    "eight_gpus": lambda found: [
        f"8 GPUs against every plan, {one['cluster']}: {one['over']:+.2%} (target 2 %)" for one in found
    ],
    "lost_gpu": lambda found: [
        f"32 -> 31 H20: {found['moved_gb']:.1f} GB, direct {found['direct_s']:.3f} s, "
        f"relayed {found['relayed_s']:.3f} s, "
        f"bound {found['bound_s']:.3f} s: {found['relayed_over_direct']:.2f} x direct (target 0.25)"
    ],
    "topologies": lambda found: [
        f"{len(rows)} reshards on {len({one['topology'] for one in rows})} topologies, "
        f"{'with' if busy else 'without'} background: at most {max(one['over_bound'] for one in rows):.3f} x the bound "
        f"(target 1.05); point to point up to {max(one['point_to_point_over_bound'] for one in rows):.2f} x"
        for busy in (False, True)
        for rows in [[one for one in found if one["background"] is busy]]
    ],
    "wrong_profiles": lambda found: [
        f"profile off by {one['error']:.0%}: regret mean {one['mean_regret']:.2%}, "
        f"largest {one['largest_regret']:.2%}; "
        f"layout changed {one['layout_changes']}, worse than homogeneous {one['worse_than_homogeneous']}, "
        f"homogeneous chosen {one['fallback_wins']} of {one['trials']}"
        for one in found
    ],
    "unknown_traffic": lambda found: [
        f"unknown traffic up to {one['background']:.0%} of uplinks of 25 GB/s: regret mean {one['mean_regret']:.2%}, "
        f"largest {one['largest_regret']:.2%}; layout other than with knowledge {one['layout_changes']}, "
        f"worse than homogeneous {one['worse_than_homogeneous']} of {one['trials']}"
        for one in found
    ],
    "mixed_lengths": lambda found: [
        f"mixed lengths ({found['distribution']}; {found['below_8k']:.1%} below 8K): "
        f"simulated {found['mean_s']:.2f} s, published {found['published_s']:.2f} s "
        "for another distribution; fixed packing simulated "
        f"{found['fixed_packing_s']:.2f} s, published {found['published_fixed_packing_s']:.2f} s"
    ],
}


def _chains(pipelines: list[list[int]]) -> str:
    distinct = dict.fromkeys(tuple(one) for one in pipelines)
    return " and ".join(f"{list(one)} x {pipelines.count(list(one))}" for one in distinct)


def main() -> None:
    """Measure and print, or fit."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--trials", type=int, default=20, help="wrong profiles for each error (default 20)")
    parser.add_argument("--json", type=Path)
    parser.add_argument("--fit", action="store_true", help="write the fitted scale into the profile")
    arguments = parser.parse_args()
    if arguments.fit:
        scale = fitted_scale()
        text = PROFILE_FILE.read_text(encoding="utf-8")
        PROFILE_FILE.write_text(re.sub(r"(?m)^rate_scale = .*$", f"rate_scale = {scale:.3f}", text), encoding="utf-8")
        print(f"rate_scale = {scale:.3f}")
        return
    profile = published_profile()
    parts: dict[str, Callable[[], Any]] = {
        "annotations": lambda: annotations(profile),
        "step_times": lambda: step_times(profile),
        "layer_splits": lambda: layer_splits(profile),
        "free_choice": lambda: free_choice(profile),
        "eight_gpus": lambda: eight_gpus(profile),
        "lost_gpu": lambda: lost_gpu(profile),
        "topologies": lambda: topologies(profile),
        "wrong_profiles": lambda: wrong_profiles(profile, arguments.trials),
        "unknown_traffic": lambda: unknown_traffic(profile, max(1, arguments.trials // 2)),
        "mixed_lengths": lambda: mixed_lengths(profile),
    }
    found = {}
    for name, part in parts.items():
        found[name] = part()
        for line in LINES[name](found[name]):
            print(line, flush=True)
    if arguments.json is not None:
        arguments.json.write_text(
            json.dumps({**found, "seconds_are": "simulated, but planning_s and planning_cpu_s"}, indent=1)
        )


if __name__ == "__main__":
    main()
