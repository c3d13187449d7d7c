"""Plan files: a training plan with its request, so that it can be read again and asked what if."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from heteroopt.training.annotations import Annotation
from heteroopt.training.errors import TrainingError
from heteroopt.training.plan import Pipeline, Stage, TrainingPlan, step_seconds
from heteroopt.training.planner import Planned
from heteroopt.training.profile import StepModel
from heteroopt.training.request import PlanRequest, able_degrees, request_from
from heteroopt.training.transformer import Transformer, annotate

FORMAT, VERSION = "heteroopt-training-plan", 1


def plan_document(request: PlanRequest, planned: Planned) -> dict[str, Any]:
    """Return the plan with the annotation of every weight, the best homogeneous plan, and what was asked."""
    alike = planned.homogeneous
    return {
        **plan_alone(request, planned.plan),
        "best_homogeneous": None if alike is None else alike.to_json(),
        "gain": planned.gain,
        "scored": planned.evaluated,
    }


def plan_alone(request: PlanRequest, chosen: TrainingPlan) -> dict[str, Any]:
    """Return the plan with annotations, what was asked, and the GPUs of the cluster that are lost."""
    lost = sorted(request.cluster.lost)
    return {**chosen.to_json(request.work.model), "request": request.to_json(), **({"lost": lost} if lost else {})}


def read_plan_file(path: Path, profile: StepModel) -> tuple[PlanRequest, TrainingPlan]:
    """Read a plan file. Raises :class:`TrainingError` ``training_plan_format`` that says what is wrong with it."""
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
    except (UnicodeDecodeError, json.JSONDecodeError, RecursionError) as error:
        raise _bad(f"it is not JSON ({error})") from error
    if not isinstance(data, Mapping):
        raise _bad("it is not an object")
    if data.get("format") != FORMAT or data.get("version") != VERSION:
        raise _bad(f"format and version are not {FORMAT!r} and {VERSION}")
    if not isinstance(data.get("request"), Mapping):
        raise _bad("it has no request")
    request = request_from(data["request"])
    lost = data.get("lost", [])
    if not isinstance(lost, list) or not all(type(gpu) is int for gpu in lost):
        raise _bad("lost is not a list of numbers")
    if lost:
        request = replace(request, cluster=request.cluster.without(*lost))
    found = plan_from(data, request, profile)
    if "tensors" in data:
        _check_tensors(data["tensors"], found, request.work.model)
    return request, found


def _check_tensors(given: Any, chosen: TrainingPlan, model: Transformer) -> None:
    """The annotations of a file are those that follow from its stages; others would be lost silently."""
    expected = annotate(model, chosen.devices())
    if not isinstance(given, Mapping) or set(given) != set(expected):
        raise _bad("its tensors are not the weights of the model")
    for name, (shape, held) in expected.items():
        one = given[name]
        if not isinstance(one, Mapping) or one.get("shape") != list(shape):
            raise _bad(f"{name} has not the shape {list(shape)}")
        if Annotation.from_json(one).with_cuts(shape) != held.with_cuts(shape):
            raise _bad(f"the annotation of {name} is not the one of its stages, {held}")


def plan_from(data: Mapping[str, Any], request: PlanRequest, profile: StepModel) -> TrainingPlan:
    """Make a plan of its JSON form, check it against the cluster, and simulate its step again.

    Raises :class:`TrainingError` ``training_plan_format``.
    """
    cluster, work = request.cluster, request.work
    pipelines = []
    used: set[int] = set()
    able = able_degrees(work.model)
    for number, one in enumerate(_list(data, "pipelines", "it")):
        where = f"pipeline {number}"
        stages = []
        for place, raw in enumerate(_list(one, "stages", where)):
            at = f"{where}, stage {place}"
            gpus = raw.get("gpus")
            if not isinstance(gpus, list) or not gpus or not all(type(gpu) is int for gpu in gpus):
                raise _bad(f"{at}: gpus is not a list of numbers")
            for gpu in gpus:
                if gpu not in cluster.node_of or gpu in cluster.lost:
                    raise _bad(f"{at}: the cluster has no GPU {gpu}")
                if gpu in used:
                    raise _bad(f"{at}: GPU {gpu} is used twice")
                used.add(gpu)
            if len({cluster.node_of[gpu] for gpu in gpus}) > 1:
                raise _bad(f"{at}: its GPUs are in several nodes")
            if len(gpus) not in able:
                raise _bad(f"{at}: {len(gpus)} GPUs are no tensor-parallel degree of {work.model.name}")
            stages.append(Stage(cluster.type_of(gpus[0]).name, tuple(gpus), _whole(raw, "layers", at)))
        if sum(stage.layers for stage in stages) != work.model.layers:
            raise _bad(f"{where}: its layers are not {work.model.layers} in all")
        pipelines.append(Pipeline(tuple(stages), _whole(one, "micro_batches", where)))
    if sum(one.micro_batches for one in pipelines) != work.sequences:
        raise _bad(f"the micro-batches are not {work.sequences} in all")
    seconds = step_seconds(pipelines, profile, cluster, work)
    return TrainingPlan(tuple(pipelines), seconds, data.get("homogeneous") is True)


def _list(data: Mapping[str, Any], key: str, where: str) -> list[Mapping[str, Any]]:
    value = data.get(key)
    if not isinstance(value, list) or not value or not all(isinstance(one, Mapping) for one in value):
        raise _bad(f"{where} has no list of {key}")
    return value


def _whole(data: Mapping[str, Any], key: str, where: str) -> int:
    value = data.get(key)
    if type(value) is not int or not 1 <= value <= 1_000_000:
        raise _bad(f"{where}: {key} is not a whole number from 1")
    return value


def _bad(says: str) -> TrainingError:
    return TrainingError(
        "training_plan_format",
        f"This is not a training plan: {says}.",
        hint="Write one with `heteroopt training plan --out PLAN.json`.",
        says=says,
    )
