"""``ascend``: an ATC command for each segment on an Ascend NPU, the other segments as ONNX, and a runtime manifest."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path
from typing import Any

import onnx
from onnx import GraphProto, ModelProto

from heteroopt.deployment.export_size import segmented_bytes
from heteroopt.deployment.exporters.ort_annotations import ort_name
from heteroopt.deployment.exporters.parsing import parsed_json, planned_in, unparsable
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
from heteroopt.deployment.model_cut import cut_model
from heteroopt.deployment.model_data import ModelData, serialized
from heteroopt.deployment.model_ports import Port, ports_of, size_unknown
from heteroopt.deployment.written import Written, compare, operators_by_output
from heteroopt.devices.precisions import PRECISIONS
from heteroopt.devices.spec import DeviceSpec
from heteroopt.graph.onnx_model import attribute_graphs
from heteroopt.partition import Segment

RUNTIME, SCRIPT = "runtime.json", "convert.sh"
_SOC = re.compile(r"Ascend[0-9A-Za-z_]{1,32}")


class Ascend(Exporter):
    """Segments on Ascend devices are compiled by ATC to offline models; the others run in ONNX Runtime."""

    key = "ascend"
    engine = "CANN (ATC and AscendCL)"
    versions = "CANN 7.0 and newer"
    oldest = "7.0"
    needs_model = True
    expresses = ("placement", "segments", "precision")
    options = (
        ExportOption(
            "soc.*", "SoC of an Ascend device as `npu-smi info` names it, as soc.npu0=Ascend910B3", pattern=_SOC.pattern
        ),
        target_option("atc|[A-Za-z][A-Za-z0-9]*ExecutionProvider"),
        VERSION,
    )

    def refusals(self, request: ExportRequest) -> list[Refusal]:
        """Return plans without an Ascend device, unknown SoCs, and devices that no runtime here drives."""
        names = targets_of(request, ascend_name)
        refusals = model_refusals(self.key, request)
        refusals += target_refusals(self.key, self.engine, request, names, distinct=False)
        if ATC not in names.values():
            refusals.append(
                Refusal(
                    "export_no_device_of",
                    "The plan places nothing on an Ascend device.",
                    hint="Choose a format for the devices that it uses.",
                    format=self.key,
                    vendor="Huawei",
                )
            )
        for name in (name for name, target in names.items() if target == ATC):
            if not _SOC.fullmatch(request.options.get(f"soc.{name}", "")):
                refusals.append(
                    Refusal(
                        "export_soc",
                        f"ATC compiles for an exact SoC, which the pool does not say of {name}.",
                        hint=f"`npu-smi info` on that host names it: 910B3 is given as the option "
                        f"soc.{name}=Ascend910B3.",
                        format=self.key,
                        device=name,
                        option=f"soc.{name}",
                    )
                )
        return refusals

    def expected_bytes(self, request: ExportRequest) -> int:
        """Return what the segments take with their copies of weights."""
        return segmented_bytes(request)

    def export(self, request: ExportRequest) -> Export:
        """Return ``segments/*.onnx``, ``convert.sh`` with one ATC command each, and ``runtime.json``."""
        source, pieces = cut_model(request)
        data = ModelData(request)
        names = targets_of(request, ascend_name)
        devices = request.plan.pool.devices
        files: list[ExportFile] = []
        commands, entries = [], []
        for piece in pieces:
            segment, (inputs, outputs) = piece.segment, ports_of(piece)
            device = devices[segment.device].name
            file = f"segments/segment_{segment.index}"
            renamed = {port.name: f"t{number}" for number, port in enumerate((*inputs, *outputs))}
            on_npu = names[device] == ATC
            entry = _entry(segment, inputs, outputs, device, renamed if on_npu else {})
            if on_npu:
                for port in (port for port in inputs if -1 in port.shape):
                    raise size_unknown(port.name)
                rename_tensors(piece.model, renamed)
                entry |= {"runtime": "acl", "file": f"{file}.om", "soc_version": request.options[f"soc.{device}"]}
                commands.append(
                    atc_command(file, entry["inputs"], request.options[f"soc.{device}"], _precision(request, segment))
                )
            else:
                entry |= {"runtime": "onnxruntime", "provider": str(names[device]), "file": f"{file}.onnx"}
            data.read_in(piece.model)
            files.append(ExportFile(f"{file}.onnx", serialized(piece.model)))
            entries.append(entry)
        runtime = {
            "format": "heteroopt-ascend-runtime",
            "format_version": 1,
            "model_hash": request.plan.original.content_hash,
            "model_sha256": source.file_sha256,
            "segments": entries,
        }
        script = "#!/bin/sh\n# Compiles the segments on Ascend devices; source CANN's set_env.sh first.\n"
        script += 'set -e\ncd "$(dirname "$0")"\n' + "".join(f"{shlex.join(command)}\n" for command in commands)
        files.append(ExportFile(SCRIPT, script.encode()))
        files.append(ExportFile(RUNTIME, (json.dumps(runtime, indent=1, ensure_ascii=False) + "\n").encode()))
        count = len(request.plan.original.operators)
        targets = {
            device: f"{ATC}:{request.options[f'soc.{device}']}" if name == ATC else str(name)
            for device, name in names.items()
        }
        return Export(tuple(files), Coverage(count, count), targets=targets)

    def check(self, folder: Path) -> Coverage:
        """Parse the models and the commands; every ATC input is one of its model, every tensor is made before."""
        runtime = parsed_json(self.key, folder / RUNTIME)
        wanted = operators_by_output(folder)
        operators, segments, segment_of, targets = [], [], {}, {}
        try:
            commands = _commands(folder / SCRIPT)
            makers = {port["tensor"]: entry["index"] for entry in runtime["segments"] for port in entry["outputs"]}
            made: set[str] = set()
            files: set[str] = set()
            for entry in runtime["segments"]:
                on_npu = entry["runtime"] == "acl"
                source = re.sub(r"\.om$", ".onnx", entry["file"])
                model = onnx.load(str(folder / source))
                onnx.checker.check_model(model)
                stored = {tensor.name for tensor in model.graph.initializer}
                inputs = {value.name: _dims(value) for value in model.graph.input if value.name not in stored}
                ports = [*entry["inputs"], *entry["outputs"]]
                if {port["name"] for port in entry["inputs"]} != set(inputs) or source in files:
                    raise ValueError(f"{source} is not the model of segment {entry['index']}")
                files.add(source)
                late = [p["tensor"] for p in entry["inputs"] if p["tensor"] in makers and p["tensor"] not in made]
                if late:
                    raise ValueError(f"segment {entry['index']} reads {late[0]} before it is made")
                soc = ""
                if on_npu:
                    words = commands.pop(source)
                    if _shapes(words.get("input_shape", "")) != inputs or words["output"] + ".om" != entry["file"]:
                        raise ValueError(f"the command of {source} does not fit its model")
                    soc = words["soc_version"] if words["soc_version"] == entry["soc_version"] else ""
                made.update(port["tensor"] for port in entry["outputs"])
                own = planned_in(model, wanted, {port["name"]: port["tensor"] for port in ports})
                operators += [(index, entry["device"]) for index in own]
                segments.append((entry["index"], entry["device"]))
                segment_of.update(dict.fromkeys(own, entry["index"]))
                targets[entry["device"]] = f"{ATC}:{soc}" if on_npu else entry["provider"]
            if commands:
                raise ValueError(f"{len(commands)} commands for no segment")
            model_hash = runtime["model_hash"]
        except Exception as error:  # the checker and protobuf raise several unrelated kinds
            raise unparsable(self.key, RUNTIME, f"{type(error).__name__} {error}") from error
        return compare(
            self.key,
            folder,
            Written(
                operators=operators,
                segments=segments,
                segment_of=segment_of,
                targets=targets,
                hashes={"model": model_hash},
            ),
        )


ATC = "atc"


def _commands(script: Path) -> dict[str, dict[str, str]]:
    """Options of each ATC command by its model. Raises ``ValueError`` where a model has two."""
    commands: dict[str, dict[str, str]] = {}
    for line in script.read_text("utf-8").splitlines():
        if line.startswith("atc "):
            words = dict(word.removeprefix("--").partition("=")[::2] for word in shlex.split(line)[1:])
            if words["model"] in commands:
                raise ValueError(f"{words['model']} is compiled twice")
            commands[words["model"]] = words
    return commands


def ascend_name(device: DeviceSpec, number: int) -> str | None:
    """``atc`` for an Ascend NPU, else the ONNX Runtime provider of the device."""
    if device.vendor == "Huawei" and device.device_type == "NPU":
        return ATC
    name = ort_name(device, number)
    return None if name is None else name.rpartition("/")[2]


def atc_command(file: str, inputs: list[dict[str, Any]], soc: str, precision: str) -> list[str]:
    """One call of ATC; framework 5 is ONNX, precision modes as of ``--precision_mode_v2``."""
    shapes = ";".join(f"{port['name']}:{','.join(map(str, port['shape']))}" for port in inputs if port["shape"])
    return [
        "atc", "--framework=5", f"--model={file}.onnx", f"--output={file}", "--input_format=ND",
        *([f"--input_shape={shapes}"] if shapes else []),
        f"--soc_version={soc}", f"--precision_mode_v2={precision}",
    ]  # fmt: skip


def rename_tensors(model: ModelProto, names: dict[str, str]) -> None:
    """Give tensors other names throughout: ATC separates names with colons, commas and semicolons."""
    _rename(model.graph, names)
    for value in (*model.graph.input, *model.graph.output):
        value.name = names.get(value.name, value.name)


def _rename(graph: GraphProto, names: dict[str, str]) -> None:
    for node in graph.node:
        for ports in (node.input, node.output):
            for position, name in enumerate(ports):
                ports[position] = names.get(name, name)
        for body in attribute_graphs(node):
            _rename(body, names)


def _entry(
    segment: Segment, inputs: tuple[Port, ...], outputs: tuple[Port, ...], device: str, renamed: dict[str, str]
) -> dict[str, Any]:
    def ports(of: tuple[Port, ...]) -> list[dict[str, Any]]:
        return [
            {"tensor": port.name, "name": renamed.get(port.name, port.name), "dtype": port.dtype,
             "shape": list(port.shape)}
            for port in of
        ]  # fmt: skip

    return {
        "index": segment.index,
        "device": device,
        "predecessors": list(segment.predecessors),
        "inputs": ports(inputs),
        "outputs": ports(outputs),
    }


def _precision(request: ExportRequest, segment: Segment) -> str:
    """``fp16`` where the plan has every operator in it, else ``origin``: as the model says."""
    found = request.plan.costs.precision[list(segment.operators), segment.device].tolist()
    return "fp16" if all(number >= 0 and PRECISIONS[number] == "fp16" for number in found) else "origin"


def _dims(value: onnx.ValueInfoProto) -> list[int]:
    return [dim.dim_value for dim in value.type.tensor_type.shape.dim]


def _shapes(text: str) -> dict[str, list[int]]:
    pairs = (item.rpartition(":")[::2] for item in text.split(";") if item)
    return {name: [int(size) for size in sizes.split(",") if size] for name, sizes in pairs}


EXPORTER = Ascend()
