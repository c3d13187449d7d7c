"""``heteroopt training``: plan training on unlike GPUs, ask what if, and what a wrong profile costs."""

from __future__ import annotations

import argparse
import json
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from heteroopt.cli.output import ProgressBar, figure, print_json, printable, table
from heteroopt.cli.targets import check_targets
from heteroopt.cli.training_options import MODEL_OPTIONS
from heteroopt.errors import HeteroOptError
from heteroopt.progress import Progress
from heteroopt.training.cluster import Cluster
from heteroopt.training.plan import TrainingPlan, stage_seconds
from heteroopt.training.plan_file import plan_alone, plan_document, read_plan_file
from heteroopt.training.planner import Planned, plan
from heteroopt.training.profile import published_profile
from heteroopt.training.request import PlanRequest, read_request
from heteroopt.training.what_if import AfterLoss, after_loss, sensitivity
from heteroopt.units import BYTES_PER_GB

ERRORS = (0.05, 0.1, 0.2)


def execute(options: argparse.Namespace) -> int:
    """Execute the command below ``training``."""
    commands = {"plan": _plan, "what-if": _what_if, "sensitivity": _sensitivity}
    return commands[options.training_command](options)


def _plan(options: argparse.Namespace) -> int:
    check_targets(options.out)
    request = _asked(options)
    planned = plan(request.cluster, request.work, published_profile(), request.choice)
    document = plan_document(request, planned)
    _write(options.out, document)
    if options.json:
        print_json(document)
        return 0
    _show(request, planned.plan)
    _show_alike(planned, len(request.cluster.gpus))
    if options.out is not None:
        print(f"Wrote {options.out}")
    return 0


def _what_if(options: argparse.Namespace) -> int:
    check_targets(options.out)
    profile = published_profile()
    if options.plan is not None:
        changed = [name for name in ("cluster", "model", *MODEL_OPTIONS) if getattr(options, name) is not None]
        if changed:
            raise _usage(f"--plan has its own cluster and model, so --{changed[0].replace('_', '-')} is too much.")
        request, before = read_plan_file(Path(options.plan), profile)
    else:
        request = _asked(options)
        before = plan(request.cluster, request.work, profile, request.choice).plan
    lost = _lost(request.cluster, options.lose)
    found = after_loss(before, request.cluster, lost, request.work, profile, request.choice, relay=not options.no_relay)
    answer = {"lost": lost, "before_step_s": before.step_s, **found.to_json()}
    _write(options.out, plan_alone(replace(request, cluster=found.cluster), found.plan))
    if options.json:
        print_json(answer)
        return 0
    _show(request, found.plan)
    _show_alike(found.planned, len(found.cluster.gpus))
    _show_moves(found, before, lost)
    if options.out is not None:
        print(f"Wrote {options.out}")
    return 0


def _sensitivity(options: argparse.Namespace) -> int:
    request = _asked(options)
    errors = options.error or list(ERRORS)
    if options.trials < 1 or not all(0 <= share < 1 for share in (*errors, options.background)):
        raise _usage("--error and --background are shares from 0 to below 1, and --trials is a whole number from 1.")
    rows = []
    for error in errors:
        bar = ProgressBar(quiet=options.quiet or options.json, unit="profile")

        def tell(share: float, bar: ProgressBar = bar) -> None:
            bar(Progress(round(share * options.trials), options.trials, "sensitivity"))

        found = sensitivity(
            request.cluster, request.work, published_profile(), error,
            background=options.background, choice=request.choice, trials=options.trials, seed=options.seed,
            progress=tell,
        )  # fmt: skip
        bar.close()
        rows.append(found)
    if options.json:
        print_json([{**asdict(one), "seconds_are": "simulated"} for one in rows])
        return 0
    print(
        table(
            ["error", "mean regret", "largest", "layout changed", "worse than homogeneous", "homogeneous chosen"],
            [
                [f"{one.error:.0%}", f"{one.mean_regret:.2%}", f"{one.largest_regret:.2%}"]
                + [f"{n} of {one.trials}" for n in (one.layout_changes, one.worse_than_homogeneous, one.fallback_wins)]
                for one in rows
            ],
            right=tuple(range(6)),
        )
    )
    if options.background:
        print(f"Traffic unknown to the planner takes up to {options.background:.0%} of every uplink.")
    print("Regret: simulated step time of the plan so chosen over that of the right plan, less one.")
    return 0


def _asked(options: argparse.Namespace) -> PlanRequest:
    if options.cluster is None:
        raise _usage("Give the cluster: --cluster FILE.toml.")
    model = {name: getattr(options, name) for name in MODEL_OPTIONS if getattr(options, name) is not None}
    if options.model is not None:
        model["preset"] = options.model
    names = ("sequence", "sequences", "schedule", "pipelines", "least_pipelines", "degrees")
    workload = {name: getattr(options, name) for name in names if getattr(options, name) is not None}
    if options.no_zero1:
        workload["zero1"] = False
    return read_request(Path(options.cluster), {"model": model, "workload": workload})


def _lost(cluster: Cluster, names: list[str]) -> list[int]:
    """Numbers of GPUs; a text that is not a number is a node's name. Unknown ones are refused by name."""
    found: set[int] = set()
    for name in names:
        node = next((node for node in cluster.nodes if node.name == name), None)
        digits = name.isascii() and name.isdigit() and len(name) < 10
        if node is not None and digits and int(name) in cluster.node_of:
            raise _usage(f"--lose {name} is a GPU and a node's name; name the node otherwise in the cluster file.")
        if node is not None:
            found |= set(node.gpus)
        elif digits:
            found |= cluster.without(int(name)).lost
        else:
            cluster.without_node(name)
    return sorted(found)


def _show(request: PlanRequest, chosen: TrainingPlan) -> None:
    work, profile = request.work, published_profile()
    print(
        f"{printable(work.model.name)}, {work.sequences} sequences of {work.sequence} tokens a step, {work.schedule}, "
        + ("ZeRO-1" if work.zero1 else "replicas of the optimizer state")
    )
    rows: list[list[object]] = []
    for number, pipeline in enumerate(chosen.pipelines):
        times = stage_seconds(pipeline.stages, profile, request.cluster, work)
        for place, (stage, seconds) in enumerate(zip(pipeline.stages, times, strict=True)):
            rows.append(
                [
                    number if not place else "",
                    pipeline.micro_batches if not place else "",
                    place,
                    printable(stage.gpu),
                    _numbers(stage.gpus),
                    stage.degree,
                    stage.layers,
                    figure(1e3 * seconds),
                ]
            )
    print(
        table(
            ["pipeline", "micro-batches", "stage", "GPU", "GPUs", "TP", "layers", "ms a micro-batch (simulated)"],
            rows,
            right=(0, 1, 2, 5, 6, 7),
        )
    )
    print(f"Step                    {figure(chosen.step_s)} s (simulated)")


def _show_alike(planned: Planned, all_gpus: int) -> None:
    alike, gain = planned.homogeneous, planned.gain
    if alike is None or gain is None:
        print("Best homogeneous plan   none fits")
        return
    first = alike.pipelines[0]
    stages, gpus = len(first.stages), sum(stage.degree for one in alike.pipelines for stage in one.stages)
    shape = f"{_count(len(alike.pipelines), 'pipeline')} of {_count(stages, 'stage')}, TP {first.stages[0].degree}"
    shape += f", on {gpus} of {_count(all_gpus, 'GPU')}"
    print(f"Best homogeneous plan   {figure(alike.step_s)} s (simulated): {shape}")
    print(f"Gain                    {gain:.3f} x" + (": it is the plan" if planned.plan.homogeneous else ""))


def _show_moves(found: AfterLoss, before: TrainingPlan, lost: list[int]) -> None:
    print(f"Before                  {figure(before.step_s)} s (simulated); lost: GPU {_numbers(lost)}")
    print(f"Moved                   {found.sends.moved_bytes / BYTES_PER_GB:.3f} GB")
    busiest = f", busiest: {found.sends.busiest(found.cluster)}" if found.sends.flows else ""
    print(f"Sends                   {figure(found.sends.seconds)} s (simulated){busiest}")
    print(f"  at least              {figure(found.bound_s)} s; point to point {figure(found.point_to_point.seconds)} s")


def _count(number: int, what: str) -> str:
    return f"{number} {what}" + ("" if number == 1 else "s")


def _numbers(gpus: list[int] | tuple[int, ...]) -> str:
    """Numbers with runs drawn together: 0-3,8."""
    runs: list[list[int]] = []
    for gpu in gpus:
        if runs and gpu == runs[-1][-1] + 1:
            runs[-1].append(gpu)
        else:
            runs.append([gpu])
    return ",".join(str(run[0]) if len(run) == 1 else f"{run[0]}-{run[-1]}" for run in runs)


def _write(path: str | None, document: dict[str, Any]) -> None:
    if path is not None:
        Path(path).write_text(json.dumps(document, indent=1, ensure_ascii=False, allow_nan=False), "utf-8")


def _usage(message: str) -> HeteroOptError:
    return HeteroOptError("training_usage", message, hint="See `heteroopt training --help`.")
