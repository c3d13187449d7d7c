"""``triton``: a model repository with a model for each segment and an ensemble that runs them."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import onnx

from heteroopt.deployment.export_files import safe_name
from heteroopt.deployment.export_manifest import load_manifest
from heteroopt.deployment.export_size import segmented_bytes
from heteroopt.deployment.exporters.parsing import planned_in, unparsable
from heteroopt.deployment.exporters.targets import model_refusals, target_option, target_refusals, targets_of
from heteroopt.deployment.exporters.triton_config import DATA_TYPES, config_text, parsed_config
from heteroopt.deployment.exporting import VERSION, Coverage, Export, Exporter, ExportFile, ExportRequest, Refusal
from heteroopt.deployment.model_cut import cut_model
from heteroopt.deployment.model_data import ModelData, serialized
from heteroopt.deployment.model_ports import Port, ports_of
from heteroopt.deployment.written import Written, compare, operators_by_output
from heteroopt.devices.spec import DeviceSpec

ROOT = "models"
_VERSION = "1"


class Triton(Exporter):
    """Segments on CPUs and NVIDIA GPUs, each run by the ONNX Runtime backend on its own instance group."""

    key = "triton"
    engine = "Triton Inference Server"
    versions = "2.x (ONNX Runtime backend; of the server, not of its container)"
    oldest = "2.0"
    newest = "2"
    needs_model = True
    expresses = ("placement", "segments")
    options = (target_option("cpu|gpu:(0|[1-9][0-9]{0,3})"), VERSION)

    def refusals(self, request: ExportRequest) -> list[Refusal]:
        """Return devices without an instance group, and types that Triton does not hand over."""
        names = targets_of(request, triton_name)
        refusals = model_refusals(self.key, request)
        refusals += target_refusals(self.key, self.engine, request, names, distinct=False)
        graph = request.plan.graph
        crossing = {t for part in request.partition.segments for t in (*part.inputs, *part.outputs)}
        refusals += [
            _dtype(graph.tensors[tensor].name, graph.tensors[tensor].dtype)
            for tensor in sorted(crossing)
            if graph.tensors[tensor].dtype not in DATA_TYPES
        ]
        untouched = [graph.tensors[tensor].name for tensor in graph.outputs if graph.tensors[tensor].producer < 0]
        refusals += [_untouched(self.key, name) for name in untouched]
        return refusals

    def expected_bytes(self, request: ExportRequest) -> int:
        """Return what the segments take with their copies of weights."""
        return segmented_bytes(request)

    def export(self, request: ExportRequest) -> Export:
        """Return the repository."""
        source, pieces = cut_model(request)
        data = ModelData(request)
        targets = targets_of(request, triton_name)
        base = safe_name(request.plan.original.name).lower()
        files: list[ExportFile] = []
        models: list[Model] = []
        for piece in pieces:
            target = targets[request.plan.pool.devices[piece.segment.device].name] or ""
            name = segment_name(base, piece.segment.index)
            models.append(Model(name, *ports_of(piece)))
            text = config_text(segment_config(models[-1], target))
            data.read_in(piece.model)
            files.append(ExportFile(f"{ROOT}/{name}/config.pbtxt", text.encode()))
            files.append(ExportFile(f"{ROOT}/{name}/{_VERSION}/model.onnx", serialized(piece.model)))
        text = config_text(ensemble_config(base, source.outputs, models))
        files.append(ExportFile(f"{ROOT}/{base}/config.pbtxt", text.encode()))
        note = b"Triton wants a version folder for an ensemble too; nothing in it is read.\n"
        files.append(ExportFile(f"{ROOT}/{base}/{_VERSION}/empty.txt", note))
        count = len(request.plan.original.operators)
        shown = {device: str(target) for device, target in targets.items()}
        return Export(tuple(files), Coverage(count, count), targets=shown)

    def check(self, folder: Path) -> Coverage:
        """Parse every configuration and model; every tensor of the ensemble is made once, before it is read."""
        manifest, wanted = load_manifest(folder), operators_by_output(folder)
        configs: dict[str, Any] = {}
        held: dict[str, list[int]] = {}
        for path in sorted((folder / ROOT).glob("*/config.pbtxt")):
            try:
                config = parsed_config(path.read_text("utf-8"))
                if config.name != path.parent.name:
                    raise ValueError(f"its name {config.name!r} is not that of its folder")
                if config.backend:
                    model = onnx.load(str(path.parent / _VERSION / config.default_model_filename))
                    onnx.checker.check_model(model)
                    held[config.name] = planned_in(model, wanted)
            except Exception as error:  # the checker and protobuf raise several unrelated kinds
                raise unparsable(self.key, f"{path.parent.name}/{path.name}", str(error)) from error
            configs[config.name] = config
        ensemble = _check_ensemble(self.key, configs)
        steps = [step.model_name for step in ensemble.ensemble_scheduling.step]
        if sorted(steps) != sorted(held):
            raise unparsable(self.key, ensemble.name, f"it runs {len(steps)} models of {len(held)}, or one twice")
        operators, segments, segment_of, targets = [], [], {}, {}
        planned = {segment_name(ensemble.name, entry["index"]): entry for entry in manifest["segments"]}
        for name in steps:
            entry = planned.get(name, {"index": -1, "device": ""})
            target = instance_target(configs[name])
            device = entry["device"] if manifest["targets"].get(entry["device"]) == target else ""
            segments.append((entry["index"], device))
            operators += [(index, device) for index in held[name]]
            segment_of.update(dict.fromkeys(held[name], entry["index"]))
            targets[entry["device"]] = target
        return compare(
            self.key,
            folder,
            Written(operators=operators, segments=segments, segment_of=segment_of, targets=targets),
        )


def triton_name(device: DeviceSpec, number: int) -> str | None:
    """``cpu`` or ``gpu:n``."""
    if device.device_type == "CPU":
        return "cpu"
    if device.vendor == "NVIDIA" and device.device_type == "GPU":
        return f"gpu:{number}"
    return None


def segment_name(base: str, index: int) -> str:
    """Name of a segment's model and of its folder."""
    return f"{base}_segment_{index}"


@dataclass(frozen=True)
class Model:
    """A segment's model in the repository."""

    name: str
    inputs: tuple[Port, ...]
    outputs: tuple[Port, ...]


def segment_config(model: Model, target: str) -> dict[str, Any]:
    """Configuration of a segment's model."""
    kind, _, number = target.partition(":")
    group: dict[str, Any] = {"count": 1, "kind": "KIND_GPU" if kind == "gpu" else "KIND_CPU"}
    if kind == "gpu":
        group["gpus"] = [int(number)]
    return {
        "name": model.name,
        "backend": "onnxruntime",
        "max_batch_size": 0,
        "default_model_filename": "model.onnx",
        "input": [_port(port) for port in model.inputs],
        "output": [_port(port) for port in model.outputs],
        "instance_group": [group],
    }


def instance_target(config: Any) -> str:
    """``cpu`` or ``gpu:n`` of a model's configuration, an empty text for another or for several groups."""
    groups = list(config.instance_group)
    kinds = {1: "gpu", 2: "cpu"}
    if len(groups) != 1 or groups[0].count != 1 or groups[0].kind not in kinds:
        return ""
    kind, numbers = kinds[groups[0].kind], list(groups[0].gpus)
    if kind == "cpu":
        return "" if numbers else "cpu"
    return f"gpu:{numbers[0]}" if len(numbers) == 1 else ""


def ensemble_config(base: str, wanted: list[str], models: list[Model]) -> dict[str, Any]:
    """Configuration of the ensemble: its tensors are called as in the model."""
    inputs: dict[str, Port] = {}
    outputs: dict[str, Port] = {}
    made = {port.name for part in models for port in part.outputs}
    for part in models:
        inputs.update({port.name: port for port in part.inputs if port.name not in made})
        outputs.update({port.name: port for port in part.outputs if port.name in wanted})
    steps = [
        {
            "model_name": part.name,
            "model_version": -1,
            "input_map": [{"key": port.name, "value": port.name} for port in part.inputs],
            "output_map": [{"key": port.name, "value": port.name} for port in part.outputs],
        }
        for part in models
    ]
    return {
        "name": base,
        "platform": "ensemble",
        "max_batch_size": 0,
        "input": [_port(port, reshape=False) for port in inputs.values()],
        "output": [_port(port, reshape=False) for port in outputs.values()],
        "ensemble_scheduling": {"step": steps},
    }


def _port(port: Port, *, reshape: bool = True) -> dict[str, Any]:
    entry: dict[str, Any] = {"name": port.name, "data_type": DATA_TYPES[port.dtype], "dims": list(port.shape) or [1]}
    if not port.shape and reshape:
        entry["reshape"] = {"shape": []}
    return entry


def _check_ensemble(key: str, configs: dict[str, Any]) -> Any:
    """The ensemble, the only one, whose steps read nothing that is not there by then."""
    ensembles = [config for config in configs.values() if config.platform == "ensemble"]
    if len(ensembles) != 1:
        raise unparsable(key, ROOT, f"{len(ensembles)} ensembles")
    ensemble = ensembles[0]
    known = {port.name for port in ensemble.input}
    for step in ensemble.ensemble_scheduling.step:
        model = configs.get(step.model_name)
        if model is None:
            raise unparsable(key, ensemble.name, f"there is no model {step.model_name}")
        if {entry.key for entry in step.input_map} != {port.name for port in model.input}:
            raise unparsable(key, ensemble.name, f"{step.model_name} is not given its inputs")
        unknown = [entry.value for entry in step.input_map if entry.value not in known]
        if unknown:
            raise unparsable(key, ensemble.name, f"{step.model_name} reads {unknown[0]} before it is made")
        known.update(entry.value for entry in step.output_map)
    missing = [port.name for port in ensemble.output if port.name not in known]
    if missing:
        raise unparsable(key, ensemble.name, f"nothing makes {missing[0]}")
    return ensemble


def _dtype(tensor: str, dtype: str) -> Refusal:
    return Refusal(
        "export_dtype",
        f"Triton hands over no {dtype} ({tensor}).",
        hint="Pin what makes it and what reads it to one device, so that it crosses no border.",
        tensor=tensor,
        dtype=dtype,
    )


def _untouched(key: str, tensor: str) -> Refusal:
    return Refusal(
        "export_untouched_output",
        f"The model passes its input {tensor!r} on as an output, which no segment makes.",
        hint="Remove that output from the model, or choose another format.",
        format=key,
        tensor=tensor,
    )


EXPORTER = Triton()
