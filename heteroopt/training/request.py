"""What is asked of the planner: cluster, model, workload and choices, from one TOML file or its JSON form.

The keys of the cluster are those of :mod:`heteroopt.training.cluster`; the tables ``model`` and ``workload`` may be
left out.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, cast

from heteroopt.devices.toml_limits import check_toml_shape
from heteroopt.errors import PoolError
from heteroopt.training.cluster import Cluster, cluster_from
from heteroopt.training.deals import DEGREES, Choice
from heteroopt.training.errors import TrainingError
from heteroopt.training.pipeline import Schedule
from heteroopt.training.plan import Workload
from heteroopt.training.transformer import PRESETS, Transformer

MEASURES: Mapping[str, tuple[int, int]] = {
    "layers": (1, 1_000),
    "hidden": (64, 1_000_000),
    "feed_forward": (64, 4_000_000),
    "heads": (1, 10_000),
    "key_value_heads": (1, 10_000),
    "vocabulary": (1, 10_000_000),
}
"""Measures of a model, and the least and the most of each."""
DEFAULT_MODEL = "llama-32b"
SCHEDULES = ("1f1b", "gpipe")
MOST_FILE_BYTES = 1_000_000


@dataclass(frozen=True)
class PlanRequest:
    """A cluster, what a step does, and what the planner may choose."""

    cluster: Cluster
    work: Workload
    choice: Choice

    def to_json(self) -> dict[str, Any]:
        """Return the JSON form, which :func:`request_from` reads again."""
        work, choice = self.work, self.choice
        return {
            **self.cluster.to_json(),
            "model": {one.name: getattr(work.model, one.name) for one in fields(Transformer)},
            "workload": {
                "sequence": work.sequence,
                "sequences": work.sequences,
                "zero1": work.zero1,
                "schedule": work.schedule,
                "degrees": list(choice.degrees),
                **({} if choice.pipelines is None else {"pipelines": choice.pipelines}),
                "least_pipelines": choice.least_pipelines,
            },
        }


def read_request(path: Path, given: Mapping[str, Mapping[str, Any]] | None = None) -> PlanRequest:
    """Read a TOML file; ``given`` has entries of ``model`` and ``workload`` that count more than the file's.

    Raises :class:`TrainingError` ``cluster_format`` or ``training_request``, which name the key.
    """
    try:
        text = path.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise _not_toml(str(error)) from error
    return request_from(parse_toml(text), given)


def parse_toml(text: str) -> dict[str, Any]:
    """Return the tables of a TOML text. Raises ``cluster_format``."""
    if len(text) > MOST_FILE_BYTES:
        raise _not_toml(f"it has more than {MOST_FILE_BYTES} characters")
    try:
        check_toml_shape(text)
    except PoolError as error:
        of = error.params
        raise _not_toml(f"line {of['line']} goes beyond {of['limit']} {of['what']}") from error
    try:
        return tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise _not_toml(str(error) or "it is nested too deeply") from error


def request_from(data: Mapping[str, Any], given: Mapping[str, Mapping[str, Any]] | None = None) -> PlanRequest:
    """Make a request of what a TOML file or :meth:`PlanRequest.to_json` gives; see :func:`read_request`."""
    given = given or {}
    rest = {key: value for key, value in data.items() if key not in ("model", "workload")}
    cluster = cluster_from(rest)
    model = model_from(_given_model(_table(data, "model"), given.get("model", {})))
    table = {**_table(data, "workload"), **given.get("workload", {})}
    known = {"sequence", "sequences", "zero1", "schedule", "degrees", "pipelines", "least_pipelines"}
    _only(table, known, "workload")
    zero1 = table.get("zero1", True)
    if not isinstance(zero1, bool):
        raise _bad("workload.zero1 is neither true nor false")
    schedule = table.get("schedule", "1f1b")
    if schedule not in SCHEDULES:
        raise _bad(f"workload.schedule is {schedule!r}, not one of {', '.join(SCHEDULES)}")
    work = Workload(
        model,
        _whole(table, "sequence", "workload", 1, 1_000_000, 4096),
        _whole(table, "sequences", "workload", 1, 4096, 64),
        zero1,
        cast("Schedule", schedule),
    )
    pipelines = _whole(table, "pipelines", "workload", 1, 4096) if "pipelines" in table else None
    choice = Choice(
        _degrees(table.get("degrees", list(DEGREES)), model),
        pipelines,
        _whole(table, "least_pipelines", "workload", 1, 4096, 1),
    )
    if pipelines is not None and pipelines < choice.least_pipelines:
        raise _bad("workload.pipelines is below workload.least_pipelines")
    gpus = len(cluster.gpus)
    if max(pipelines or 1, choice.least_pipelines) > gpus:
        raise _bad(f"workload.{'pipelines' if pipelines else 'least_pipelines'} is above the number of GPUs, {gpus}")
    if max(pipelines or 1, choice.least_pipelines) > work.sequences:
        raise _bad(f"workload.pipelines is above the {work.sequences} sequences of a step")
    return PlanRequest(cluster, work, choice)


def model_from(table: Mapping[str, Any]) -> Transformer:
    """Make a model of a preset's name and measures, which count more than the preset's.

    Raises :class:`TrainingError` ``training_request`` that names the key.
    """
    _only(table, {"name", "preset", *MEASURES}, "model")
    own = any(key in table for key in MEASURES)
    preset = table.get("preset", None if own else DEFAULT_MODEL)
    measures: dict[str, int] = {}
    if preset is not None:
        if not isinstance(preset, str) or preset not in PRESETS:
            raise _bad(f"model.preset is {preset!r}, not one of {', '.join(PRESETS)}")
        measures = {key: getattr(PRESETS[preset], key) for key in MEASURES}
    for key, (low, high) in MEASURES.items():
        if key in table:
            measures[key] = _whole(table, key, "model", low, high)
    if "heads" in measures:
        measures.setdefault("key_value_heads", measures["heads"])
    measures.setdefault("vocabulary", 32_000)
    missing = [key for key in MEASURES if key not in measures]
    if missing:
        raise _bad(f"model.{missing[0]} is missing")
    name = table.get("name", preset if preset is not None and not own else "custom")
    if not isinstance(name, str) or not 0 < len(name) <= 200:
        raise _bad("model.name is not a name")
    model = Transformer(name=name, **measures)
    if model.hidden % model.heads:
        raise _bad(f"model.heads is {model.heads}, which does not divide hidden, {model.hidden}")
    if model.heads % model.key_value_heads:
        raise _bad(f"model.key_value_heads is {model.key_value_heads}, which does not divide heads, {model.heads}")
    if model.name in PRESETS and model != PRESETS[model.name]:
        raise _bad(f"model.name is {model.name!r}, a preset of other measures; choose another name")
    return model


def able_degrees(model: Transformer) -> tuple[int, ...]:
    """Return the tensor-parallel degrees that cut every weight evenly and no attention head."""
    cut = (model.heads, model.key_value_heads, model.feed_forward)
    return tuple(degree for degree in DEGREES if all(length % degree == 0 for length in cut))


def _given_model(table: Mapping[str, Any], given: Mapping[str, Any]) -> Mapping[str, Any]:
    """A preset that is given replaces the file's model; measures that are given change it."""
    return dict(given) if "preset" in given else {**table, **given}


def _degrees(value: Any, model: Transformer) -> tuple[int, ...]:
    """Those of the degrees that are asked for by which the model can be cut."""
    if not isinstance(value, list | tuple) or not value:
        raise _bad("workload.degrees is not a list of numbers")
    for one in value:
        if isinstance(one, bool) or one not in DEGREES:
            raise _bad(f"workload.degrees has {one!r}, not one of {', '.join(map(str, DEGREES))}")
    able = able_degrees(model)
    found = tuple(one for one in DEGREES if one in value and one in able)
    if not found:
        says = f"heads, key_value_heads and feed_forward of {model.name} can be cut by {', '.join(map(str, able))} only"
        raise _bad(f"workload.degrees: {says}")
    return found


def _table(data: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    value = data.get(key, {})
    if not isinstance(value, Mapping):
        raise _bad(f"{key} is not a table")
    return value


def _whole(table: Mapping[str, Any], key: str, where: str, low: int, high: int, default: int | None = None) -> int:
    value = table.get(key, default)
    if isinstance(value, bool) or not isinstance(value, int):
        raise _bad(f"{where}.{key} is not a whole number")
    if not low <= value <= high:
        raise _bad(f"{where}.{key} is {value}, not within {low} to {high}")
    return value


def _only(table: Mapping[str, Any], known: set[str], where: str) -> None:
    unknown = sorted(set(table) - known)
    if unknown:
        raise _bad(f"{where} has an unknown key {unknown[0]!r}")


def _not_toml(says: str) -> TrainingError:
    return TrainingError(
        "cluster_format",
        f"This is not a cluster: {says}.",
        hint="Compare it with the example in the documentation.",
        says=says,
    )


def _bad(says: str) -> TrainingError:
    return TrainingError(
        "training_request",
        f"This cannot be planned: {says}.",
        hint="Correct the entry; the documentation lists all of them.",
        says=says,
    )
