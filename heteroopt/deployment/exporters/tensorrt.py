"""``tensorrt``: a numbered model and the trtexec arguments that give each layer its device and precision.

TensorRT 10.7 was the last release of 10 that builds for DLA. 11 dropped every precision option, because networks are
strongly typed there; it builds for DLA again from 11.4.1 on, on Jetson AGX Orin alone, from models whose own types say
what runs in FP16, which an export of somebody's model does not change. Layers are named after ONNX nodes, further
layers of a node get a suffix, and trtexec separates names with commas and colons: so the model that is shipped has
numbered node names.
"""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace
from pathlib import Path

from heteroopt.deployment.export_manifest import load_manifest, operator_identities
from heteroopt.deployment.export_size import model_bytes
from heteroopt.deployment.exporters.parsing import parsed_json, parsed_model, parsed_python, unparsable
from heteroopt.deployment.exporters.targets import model_refusals, target_option, target_refusals, targets_of
from heteroopt.deployment.exporting import (
    VERSION,
    Coverage,
    Export,
    Exporter,
    ExportFile,
    ExportOption,
    ExportRequest,
    Refusal,
)
from heteroopt.deployment.loaders import loader_file
from heteroopt.deployment.model_data import ModelData, serialized
from heteroopt.deployment.model_nodes import match_model, nodes_of
from heteroopt.deployment.option_values import version_numbers
from heteroopt.deployment.written import Written, compare
from heteroopt.devices.precisions import PRECISIONS
from heteroopt.devices.spec import DeviceSpec
from heteroopt.graph.names import display_name

MODEL, ARGUMENTS, LOADER = "model.onnx", "trtexec.json", "build_tensorrt"
NEWEST_WITH_DLA = (10, 7)
MAX_ARGUMENT_BYTES = 128 * 1024 - 1
"""Linux takes no longer single argument."""
GPU, DLA = "GPU", "DLA"
_PRECISIONS = ("fp32", "fp16", "bf16", "int8")


class TensorRt(Exporter):
    """One NVIDIA GPU, with one DLA core beside it if the plan uses one."""

    key = "tensorrt"
    engine = "TensorRT (trtexec)"
    versions = "10.0 to 10.7 with DLA, 10.x with precisions, 11.x as the model is typed"
    oldest = "10.0"
    newest = "11"
    needs_model = True
    expresses = ("placement", "precision")
    options = (
        replace(VERSION, default="10"),
        ExportOption("dla_core", "number of the DLA core, 0 or 1", "0", "[01]"),
        target_option("GPU|DLA"),
    )

    def refusals(self, request: ExportRequest) -> list[Refusal]:
        """Return devices that are neither GPU nor DLA, several of one, DLA without its versions, and bad options."""
        names = targets_of(request, tensorrt_name)
        refusals = model_refusals(self.key, request) + target_refusals(self.key, self.engine, request, names)
        version = version_numbers(request.options.get("version", "10"))
        if DLA in names.values() and (version[0] == 11 or version[:2] > NEWEST_WITH_DLA):
            refusals.append(
                Refusal(
                    "export_dla_version",
                    "The plan uses a DLA, which TensorRT builds for up to 10.7, later only from models typed for it.",
                    hint="Use TensorRT 10.7 or older with the option version=10, or plan without the DLA.",
                    format=self.key,
                    version=".".join(map(str, version)),
                )
            )
        return refusals

    def expected_bytes(self, request: ExportRequest) -> int:
        """Return what the model takes."""
        return model_bytes(request)

    def export(self, request: ExportRequest) -> Export:
        """Return the numbered model with its data files, ``trtexec.json`` and ``build_tensorrt.py``."""
        assert request.model_path is not None
        matched = match_model(request.plan, request.model_path)
        for index, nodes in matched.nodes.items():
            for number, node in enumerate(nodes):
                node.name = layer_name(index) if number == 0 else f"{layer_name(index)}_{number}"
        for number, node in enumerate(n for n in matched.every_node if not n.name.startswith(_PREFIX)):
            node.name = f"other{number}"
        names = targets_of(request, tensorrt_name)
        rows = [
            {"index": row["index"], "name": row["name"], "outputs": row["outputs"], "layer": layer_name(row["index"]),
             "device": row["device"], "device_type": names[row["device"]], "precision": precision}
            for row, precision in zip(operator_identities(request), _precisions(request), strict=True)
        ]  # fmt: skip
        version = str(version_numbers(request.options.get("version", "10"))[0])
        arguments = trtexec_arguments(
            {row["layer"]: str(row["device_type"]) for row in rows},
            {row["layer"]: row["precision"] for row in rows} if version == "10" else {},
            request.options.get("dla_core", "0"),
        )
        longest = max(len(argument.encode()) for argument in arguments)
        if longest > MAX_ARGUMENT_BYTES:
            raise Refusal(
                "export_command_long",
                f"An argument of trtexec would take {longest} bytes; a command line takes {MAX_ARGUMENT_BYTES}.",
                hint="Plan the model fused, or put more of it on one device.",
                size_bytes=longest,
                limit_bytes=MAX_ARGUMENT_BYTES,
            )
        document = {
            "format": "heteroopt-trtexec",
            "format_version": 1,
            "model": MODEL,
            "model_hash": request.plan.original.content_hash,
            "model_sha256": matched.file_sha256,
            "tensorrt": version,
            "newest": "10.7" if DLA in names.values() else None,
            "arguments": arguments,
            "operators": rows,
        }
        data = ModelData(request)
        data.relocate(matched.model)
        files = (
            ExportFile(MODEL, serialized(matched.model)),
            *data.copies(),
            ExportFile(ARGUMENTS, (json.dumps(document, indent=1, ensure_ascii=False) + "\n").encode()),
            loader_file(LOADER),
        )
        notes = () if version == "10" else ({"code": "export_strongly_typed", "params": {"version": version}},)
        targets = {device: str(name) for device, name in names.items()}
        return Export(files, Coverage(len(rows), len(rows)), notes, targets)

    def check(self, folder: Path) -> Coverage:
        """Split the arguments as trtexec does and compare every layer's device with the manifest."""
        document = parsed_json(self.key, folder / ARGUMENTS)
        parsed_python(self.key, folder / f"{LOADER}.py")
        model = parsed_model(self.key, folder / MODEL)
        manifest = load_manifest(folder)
        outputs = {row["index"]: set(row["outputs"]) for row in manifest["operators"]}
        device_of = {target: device for device, target in manifest["targets"].items()}
        try:
            devices = parsed_devices(document["arguments"])
            default = devices.pop("", GPU)
            made: dict[str, set[str]] = {}
            for node in nodes_of(model.graph):
                made.setdefault(node.name[: len(layer_name(0))], set()).update(map(display_name, node.output))
            found, targets = [], {}
            for row in document["operators"]:
                layer = layer_name(row["index"])
                kind = devices.get(layer, default)
                whole = made.get(layer, set()) >= outputs.get(row["index"], set()) and kind == row["device_type"]
                found.append((row["index"], device_of.get(kind, "") if whole and row["layer"] == layer else ""))
                targets[row["device"]] = kind
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise unparsable(self.key, ARGUMENTS, f"{type(error).__name__} {error}") from error
        hashes = {"model": document["model_hash"]}
        return compare(self.key, folder, Written(operators=found, targets=targets, hashes=hashes))


_PREFIX = "op"


def layer_name(index: int) -> str:
    """Name of an operator's node in the shipped model."""
    return f"{_PREFIX}{index:07d}"


def tensorrt_name(device: DeviceSpec, number: int) -> str | None:
    """``GPU`` or ``DLA``: TensorRT builds one engine for one GPU and at most one DLA core."""
    if device.vendor != "NVIDIA":
        return None
    if device.template.endswith("_DLA"):
        return DLA
    return GPU if device.device_type == "GPU" else None


def trtexec_arguments(devices: dict[str, str], precisions: dict[str, str], dla_core: str) -> list[str]:
    """Arguments beside ``--onnx`` and ``--saveEngine``, by layer: only what differs from the default is listed."""
    arguments = ["--skipInference"]
    if DLA in devices.values():
        arguments += [f"--useDLACore={dla_core}", "--allowGPUFallback"]
        others = [layer for layer, device in devices.items() if device == GPU]
        if others:
            pairs = ",".join(f"{layer}:{GPU},{layer}_*:{GPU}" for layer in others)
            arguments.append(f"--layerDeviceTypes={pairs}")
    if precisions:
        count = Counter(precisions.values())
        usual = max(sorted(count), key=lambda precision: count[precision])
        arguments += [f"--{precision}" for precision in sorted(count) if precision != "fp32"]
        listed = [f"*:{usual}", *(f"{layer}:{p}" for layer, p in precisions.items() if p != usual)]
        arguments += ["--precisionConstraints=prefer", f"--layerPrecisions={','.join(listed)}"]
    return arguments


def parsed_devices(arguments: list[str]) -> dict[str, str]:
    """Device by layer as trtexec reads it; the default stands under the empty name."""
    devices = {"": DLA if any(argument.startswith("--useDLACore=") for argument in arguments) else GPU}
    for argument in arguments:
        if argument.startswith("--layerDeviceTypes="):
            for pair in argument.partition("=")[2].split(","):
                layer, _, device = pair.rpartition(":")
                devices[layer] = device
    return devices


def _precisions(request: ExportRequest) -> list[str]:
    """The precision in which the plan has each operator of the model run, as trtexec names it."""
    plan = request.plan
    place = {member: operator.index for operator in plan.graph.operators for member in operator.members}
    found = []
    for operator in plan.original.operators:
        row = place[operator.index]
        number = int(plan.costs.precision[row, int(plan.schedule.device[row])])
        precision = PRECISIONS[number] if number >= 0 else operator.precision
        found.append(precision if precision in _PRECISIONS else "fp32")
    return found


EXPORTER = TensorRt()
