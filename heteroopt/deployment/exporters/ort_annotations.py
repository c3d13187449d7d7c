"""``ort-annotations``: the model with a layer annotation on every node, and the session settings that place them.

ONNX Runtime from 1.25 on reads the node metadata ``layer_ann`` and the setting ``session.layer_assignment_settings``;
``session.record_ep_graph_assignment_info`` lets a session tell where it put each node.
"""

from __future__ import annotations

import json
from pathlib import Path

from heteroopt.deployment.export_manifest import load_manifest, operator_identities
from heteroopt.deployment.export_size import model_bytes
from heteroopt.deployment.exporters.parsing import parsed_json, parsed_model, parsed_python, unparsable
from heteroopt.deployment.exporters.targets import (
    model_refusals,
    target_option,
    target_refusals,
    targets_of,
    used_devices,
)
from heteroopt.deployment.exporting import VERSION, Coverage, Export, Exporter, ExportFile, ExportRequest, Refusal
from heteroopt.deployment.loaders import loader_file
from heteroopt.deployment.model_data import ModelData, serialized
from heteroopt.deployment.model_nodes import ModelNodes, device_by_node, match_model, nodes_of
from heteroopt.deployment.written import Written, compare
from heteroopt.devices.spec import DeviceSpec
from heteroopt.graph.names import display_name

FILE, SETTINGS, LOADER = "model.onnx", "session.json", "load_onnxruntime"
ANNOTATION = "layer_ann"
MAX_VALUE = 1024
"""Characters that ONNX Runtime allows in a session setting."""


class OrtAnnotations(Exporter):
    """One session that runs the whole model, each node with the execution provider of its device."""

    key = "ort-annotations"
    engine = "ONNX Runtime"
    versions = "1.25 and newer"
    oldest = "1.25"
    needs_model = True
    expresses = ("placement",)
    reads_back = True
    options = (target_option(r"[a-z][a-z0-9]*(:[a-z0-9]+)?/[A-Za-z][A-Za-z0-9]*ExecutionProvider"), VERSION)

    def refusals(self, request: ExportRequest) -> list[Refusal]:
        """Return devices without a provider, and several devices of one: a session holds each provider once."""
        names = targets_of(request, ort_name)
        providers = {name: None if target is None else _provider(target) for name, target in names.items()}
        return model_refusals(self.key, request) + target_refusals(self.key, self.engine, request, providers)

    def expected_bytes(self, request: ExportRequest) -> int:
        """Return what the model takes."""
        return model_bytes(request)

    def export(self, request: ExportRequest) -> Export:
        """Return the annotated model with its data files, ``session.json`` and ``load_onnxruntime.py``."""
        assert request.model_path is not None
        matched = match_model(request.plan, request.model_path)
        names = {name: target or "" for name, target in targets_of(request, ort_name).items()}
        labels = {request.plan.pool.devices[index].name: f"device{index}" for index in used_devices(request)}
        _annotate(request, matched, labels)
        data = ModelData(request)
        data.relocate(matched.model)
        rows = [
            {"index": row["index"], "name": row["name"], "outputs": row["outputs"],
             "provider": _provider(names[row["device"]]), "device": row["device"]}
            for row in operator_identities(request)
        ]  # fmt: skip
        others = [_provider(names[name]) for name in labels if _provider(names[name]) != CPU_PROVIDER]
        settings = {
            "format": "heteroopt-ort-annotations",
            "format_version": 1,
            "model": FILE,
            "model_hash": request.plan.original.content_hash,
            "model_sha256": matched.file_sha256,
            "providers": [*others, CPU_PROVIDER],
            "session_config": {
                "session.layer_assignment_settings": assignment(labels, names),
                "session.record_ep_graph_assignment_info": "1",
            },
            "operators": rows,
        }
        text = json.dumps(settings, indent=1, ensure_ascii=False) + "\n"
        files = (
            ExportFile(FILE, serialized(matched.model)),
            *data.copies(),
            ExportFile(SETTINGS, text.encode()),
            loader_file(LOADER),
        )
        targets = {device: names[device] for device in labels}
        return Export(files, Coverage(len(rows), len(rows)), targets=targets)

    def check(self, folder: Path) -> Coverage:
        """Parse the model and compare the annotation of every operator with the manifest and the session's settings."""
        settings = parsed_json(self.key, folder / SETTINGS)
        parsed_python(self.key, folder / f"{LOADER}.py")
        model = parsed_model(self.key, folder / FILE)
        manifest = load_manifest(folder)
        outputs = {row["index"]: set(row["outputs"]) for row in manifest["operators"]}
        try:
            text = settings["session_config"]["session.layer_assignment_settings"]
            designators, providers = parsed_assignment(text), set(settings["providers"])
            listed = {row["index"]: (row["device"], row["provider"]) for row in settings["operators"]}
            if len(text) > MAX_VALUE or len(listed) != len(settings["operators"]):
                raise ValueError("its settings are too long, or list an operator twice")
            if len(designators) != text.count(";") + 1:
                raise ValueError("an annotation has two rules")
            device_of = {target: device for device, target in manifest["targets"].items()}
            found: set[tuple[int, str]] = set()
            targets: dict[str, str] = {}
            for node in nodes_of(model.graph):
                if not (node.name.startswith("h") and node.name[1:8].isdigit()):
                    continue
                index = int(node.name[1:8])
                label = next((item.value for item in node.metadata_props if item.key == ANNOTATION), "")
                device, provider = listed[index]
                target = f"{designators.get(label, '')}/{provider}"
                made = {display_name(name) for name in node.output}
                if outputs.get(index, set()) <= made and provider in providers and device_of.get(target) == device:
                    found.add((index, device))
                    targets[device] = target
                else:
                    found.add((index, ""))
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise unparsable(self.key, SETTINGS, f"{type(error).__name__} {error}") from error
        hashes = {"model": settings["model_hash"]}
        return compare(self.key, folder, Written(operators=sorted(found), targets=targets, hashes=hashes))


CPU_PROVIDER = "CPUExecutionProvider"
_NAMES: dict[tuple[str, str], str] = {
    ("NVIDIA", "GPU"): "cuda/CUDAExecutionProvider",
    ("AMD", "GPU"): "gpu:amd/MIGraphXExecutionProvider",
    ("Intel", "GPU"): "gpu:intel/OpenVINOExecutionProvider",
    ("Qualcomm", "NPU"): "npu/QNNExecutionProvider",
    ("Huawei", "NPU"): "npu/CANNExecutionProvider",
}


def ort_name(device: DeviceSpec, number: int) -> str | None:
    """``designator/provider`` as ONNX Runtime's layer assignment names a device; its first of a kind only."""
    if device.device_type == "CPU":
        return f"cpu/{CPU_PROVIDER}"
    if (device.vendor, device.device_type) == ("Intel", "NPU") and "NPU" in device.display_name:
        return "npu/OpenVINOExecutionProvider"
    if device.template.endswith("_DLA"):
        return None
    return _NAMES.get((device.vendor, device.device_type))


def assignment(labels: dict[str, str], names: dict[str, str]) -> str:
    """The value of ``session.layer_assignment_settings``: ``cuda(=device0); cpu(=device2)``, exact matches only."""
    return "; ".join(f"{names[device].split('/')[0]}(={label})" for device, label in labels.items())


def parsed_assignment(value: str) -> dict[str, str]:
    """Designator by annotation, read back from the setting."""
    rules = {}
    for rule in value.split(";"):
        designator, _, rest = rule.strip().partition("(")
        rules[rest.rstrip(")").removeprefix("=")] = designator
    return rules


def _provider(target: str) -> str:
    return target.rpartition("/")[2]


def _annotate(request: ExportRequest, matched: ModelNodes, labels: dict[str, str]) -> None:
    """Annotate all nodes and number those of the plan in their names, which runtimes carry into joined nodes."""
    device = device_by_node(request.plan, matched)
    first = next(iter(labels.values()))
    for node in matched.every_node:
        kept = [item for item in node.metadata_props if item.key != ANNOTATION]
        del node.metadata_props[:]
        node.metadata_props.extend(kept)
        node.metadata_props.add(key=ANNOTATION, value=labels.get(device[id(node)], first))
    for index, nodes in matched.nodes.items():
        for node in nodes:
            node.name = f"h{index:07d}h_{node.name}"


EXPORTER = OrtAnnotations()
