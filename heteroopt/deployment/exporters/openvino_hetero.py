"""``openvino-hetero``: affinities by output tensor name, and the script that sets them on the model it loads.

OpenVINO loses affinities when a model is saved as IR, and its importer makes other nodes of ONNX's, so neither the IR
nor node names can carry a placement.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from pathlib import Path

from onnx import NodeProto

from heteroopt.deployment.export_manifest import load_manifest, operator_identities
from heteroopt.deployment.exporters.parsing import parsed_json, parsed_python, unparsable
from heteroopt.deployment.exporters.targets import model_refusals, target_option, target_refusals, targets_of
from heteroopt.deployment.exporting import VERSION, Coverage, Export, Exporter, ExportFile, ExportRequest, Refusal
from heteroopt.deployment.loaders import loader_file
from heteroopt.deployment.model_nodes import match_model
from heteroopt.deployment.written import Written, compare
from heteroopt.devices.spec import DeviceSpec
from heteroopt.graph.names import display_name

FILE = "affinities.json"
LOADER = "load_openvino"
_LEFT_OUT = ("Dropout", "Identity")
"""Operators that change nothing in inference."""


class OpenVinoHetero(Exporter):
    """Every operator's affinity; the script completes them for the nodes that only OpenVINO has."""

    key = "openvino-hetero"
    engine = "OpenVINO"
    versions = "2023.0 and newer"
    oldest = "2023.0"
    needs_model = True
    expresses = ("placement",)
    reads_back = True
    options = (target_option(r"[A-Za-z][A-Za-z0-9_]*(\.[A-Za-z0-9]+)*"), VERSION)

    def refusals(self, request: ExportRequest) -> list[Refusal]:
        """Return devices that OpenVINO has no name for, or one name for several."""
        names = targets_of(request, openvino_name)
        return model_refusals(self.key, request) + target_refusals(self.key, self.engine, request, names)

    def export(self, request: ExportRequest) -> Export:
        """Return ``affinities.json`` and ``load_openvino.py``."""
        assert request.model_path is not None
        matched = match_model(request.plan, request.model_path)
        outputs = {i: [name for node in nodes for name in node.output if name] for i, nodes in matched.nodes.items()}
        passed = _passed_on(matched.every_node)
        rows = [
            {"index": row["index"], "name": row["name"], "outputs": outputs[row["index"]], "device": row["device"],
             "passed_on": [name for output in outputs[row["index"]] for name in passed(output)]}
            for row in operator_identities(request)
        ]  # fmt: skip
        targets = {device: str(name) for device, name in targets_of(request, openvino_name).items()}
        document = {
            "format": "heteroopt-openvino-affinities",
            "format_version": 1,
            "model_sha256": matched.file_sha256,
            "model": request.plan.original.content_hash,
            "targets": targets,
            "operators": rows,
        }
        text = json.dumps(document, indent=1, ensure_ascii=False) + "\n"
        files = (ExportFile(FILE, text.encode()), loader_file(LOADER))
        return Export(files, Coverage(len(rows), len(rows)), targets=targets)

    def check(self, folder: Path) -> Coverage:
        """Parse both files, and compare every operator's device with the manifest."""
        document = parsed_json(self.key, folder / FILE)
        parsed_python(self.key, folder / f"{LOADER}.py")
        outputs = {row["index"]: set(row["outputs"]) for row in load_manifest(folder)["operators"]}
        try:
            rows = [
                (row["index"], row["device"])
                for row in document["operators"]
                if outputs.get(row["index"], set()) <= {display_name(name) for name in row["outputs"]}
            ]
            targets, model = dict(document["targets"]), document["model"]
        except (KeyError, TypeError, ValueError) as error:
            raise unparsable(self.key, FILE, f"{type(error).__name__} {error}") from error
        return compare(self.key, folder, Written(operators=rows, targets=targets, hashes={"model": model}))


def _passed_on(nodes: Iterable[NodeProto]) -> Callable[[str], list[str]]:
    """What gives the names under which a tensor is passed on by nodes that OpenVINO's importer leaves out: of its names
    it keeps the last alone.
    """
    names: dict[str, list[str]] = {}
    for node in nodes:
        if node.op_type in _LEFT_OUT and node.domain in ("", "ai.onnx") and node.input:
            names.setdefault(node.input[0], []).append(node.output[0])

    def found(tensor: str) -> list[str]:
        reached = list(names.get(tensor, ()))
        for name in reached:  # grows while it is gone through
            reached += [further for further in names.get(name, ()) if further not in reached]
        return reached

    return found


def openvino_name(device: DeviceSpec, number: int) -> str | None:
    """``CPU``, ``GPU.n`` or ``NPU`` of OpenVINO's own plugins."""
    if device.device_type == "CPU":
        return "CPU"
    if device.vendor == "Intel" and device.device_type == "GPU":
        return f"GPU.{number}"
    if device.vendor == "Intel" and device.device_type == "NPU" and "NPU" in device.display_name and number == 0:
        return "NPU"
    return None


EXPORTER = OpenVinoHetero()
