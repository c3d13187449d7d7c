"""Which device of an engine stands for which device of the pool, and the refusals where one has none."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from heteroopt.deployment.exporting import ExportOption, ExportRequest, Refusal
from heteroopt.devices.spec import DeviceSpec
from heteroopt.graph.op_classes import TRAINING_DOMAIN

_PREFIX = "target."

Naming = Callable[[DeviceSpec, int], str | None]
"""The engine's name of a device that is the n-th (from 0) of its vendor and type; ``None`` where it has none."""


def target_option(pattern: str) -> ExportOption:
    """The option that gives a device its name in the engine. ``pattern``: what such a name looks like there."""
    return ExportOption("target.*", "the engine's name for a device of the pool, as target.gpu0=...", pattern=pattern)


def used_devices(request: ExportRequest) -> list[int]:
    """Devices of the pool that the plan places an operator on, ascending."""
    return sorted({segment.device for segment in request.partition.segments})


def targets_of(request: ExportRequest, naming: Naming) -> dict[str, str | None]:
    """The engine's name by the name of each device that the plan uses; an option ``target.DEVICE`` counts first."""
    numbers: dict[tuple[str, str], int] = {}
    names: dict[str, str | None] = {}
    used = set(used_devices(request))
    for index, device in enumerate(request.plan.pool.devices):
        kind = (device.vendor, device.device_type)
        number = numbers.get(kind, 0)
        numbers[kind] = number + 1
        if index in used:
            names[device.name] = request.options.get(f"{_PREFIX}{device.name}") or naming(device, number)
    return names


def target_refusals(
    key: str, engine: str, request: ExportRequest, names: Mapping[str, str | None], *, distinct: bool = True
) -> list[Refusal]:
    """Devices without a name in the engine, and with ``distinct`` names that several devices would share."""
    pool = request.plan.pool
    known = [device.name for device in pool.devices]
    refusals = []
    for name, target in names.items():
        if target is None:
            device = pool.devices[known.index(name)]
            refusals.append(
                Refusal(
                    "export_device",
                    f"{engine} has no device for {name} ({device.display_name}).",
                    hint=f"Say what it is called there with the option target.{name}, plan without it, or choose "
                    "another format.",
                    format=key,
                    engine=engine,
                    device=name,
                    name=device.display_name,
                )
            )
    for target in sorted({target for target in names.values() if target is not None}) if distinct else ():
        sharing = [name for name, own in names.items() if own == target]
        if len(sharing) > 1:
            refusals.append(
                Refusal(
                    "export_target_shared",
                    f"{', '.join(sharing)} would all be {target} in {engine}, so the placement between them is lost.",
                    hint="Give them different names with the options target.DEVICE, or choose a format that writes "
                    "a file for each segment.",
                    format=key,
                    engine=engine,
                    devices=sharing,
                    target=target,
                )
            )
    return refusals


def model_refusals(key: str, request: ExportRequest) -> list[Refusal]:
    """What speaks against every format that loads the model's file: a training step, a graph that came without one."""
    original = request.plan.original
    added = [operator.name for operator in original.operators if operator.domain == TRAINING_DOMAIN]
    if added:
        return [
            Refusal(
                "export_training",
                f"The plan is of a training step; {len(added)} of its operators are in no model file.",
                hint="Export it as plan-json, csv or trace, or plan inference.",
                format=key,
                count=len(added),
                operators=added[:20],
            )
        ]
    if not original.opset:
        return [
            Refusal(
                "export_no_model",
                "The plan is of a graph that was not read from an ONNX model.",
                hint="Export it as plan-json, csv or trace, or plan an ONNX model.",
                format=key,
            )
        ]
    return []


def quoted(names: Sequence[str], limit: int = 5) -> str:
    """A few names for a message."""
    text = ", ".join(repr(name) for name in names[:limit])
    return f"{text} and {len(names) - limit} more" if len(names) > limit else text
