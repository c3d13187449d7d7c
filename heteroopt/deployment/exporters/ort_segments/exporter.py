"""Writes and checks the folder of ``ort-segments``."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import onnx

from heteroopt.deployment.export_size import segmented_bytes
from heteroopt.deployment.exporters.ort_segments.providers import device_settings, refuse_unknown, target_text
from heteroopt.deployment.exporters.parsing import planned_in
from heteroopt.deployment.exporters.targets import model_refusals
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
from heteroopt.deployment.model_cut import Piece, cut_model
from heteroopt.deployment.model_data import ModelData, has_external_data, serialized
from heteroopt.deployment.written import Written, compare, operators_by_output
from heteroopt.errors import HeteroOptError
from heteroopt.graph.names import display_name

PLAN, RUNNER, FOLDER = "plan.json", "runner.py", "segments"
FORMAT = "heteroopt-ort-segments"


class OrtSegments(Exporter):
    """One ``.onnx`` for each segment, ``plan.json`` that says what runs where, and ``runner.py``."""

    key = "ort-segments"
    engine = "ONNX Runtime"
    versions = ">= 1.14, with runner.py (Python 3.8 and numpy); OpenVINO beside it where a device asks for it"
    oldest = "1.14"
    needs_model = True
    expresses = ("placement", "order", "segments")
    options = (
        ExportOption(
            "device.*",
            "what runs a device: RUNTIME[:PROVIDER], such as openvino:CPU",
            "by type and vendor",
            r"[A-Za-z0-9_]+(:[A-Za-z][A-Za-z0-9_.,:()-]*)?",
        ),
        ExportOption("cores.*", "its processors, such as 0,2-3, for a CPU that several devices share", "all"),
        VERSION,
    )

    def refusals(self, request: ExportRequest) -> list[Refusal]:
        """Devices of which it is not known what runs them, and plans of what is in no model's file."""
        pool = request.plan.pool
        used = {pool.devices[segment.device].name for segment in request.partition.segments}
        try:
            settings = device_settings(pool, request.options)
        except Refusal as refusal:
            return [refusal]
        return refuse_unknown(settings, used) + model_refusals(self.key, request)

    def expected_bytes(self, request: ExportRequest) -> int:
        """Return what the segments take with their copies of weights."""
        return segmented_bytes(request)

    def export(self, request: ExportRequest) -> Export:
        """Return the files. Raises :class:`Refusal` where the model's file is not the one that was planned."""
        original, data = request.plan.original, ModelData(request)
        source, pieces = cut_model(request)
        files = []
        for piece in pieces:
            data.relocate(piece.model)
            files.append(ExportFile(f"{FOLDER}/segment_{piece.segment.index}.onnx", serialized(piece.model)))
        files += data.copies(f"{FOLDER}/")
        document = _plan_document(request, pieces, source.outputs, list(source.inputs))
        files.append(ExportFile(PLAN, (json.dumps(document, indent=1, ensure_ascii=False) + "\n").encode()))
        files.append(ExportFile(RUNNER, Path(__file__).with_name(RUNNER).read_bytes()))
        notes: list[dict[str, Any]] = []
        if original.dims:
            notes.append({"code": "export_dims_fixed", "params": {"dims": dict(original.dims)}})
        if request.partition.copied_weight_bytes:
            notes.append(
                {"code": "export_weights_copied", "params": {"size_bytes": request.partition.copied_weight_bytes}}
            )
        count = len(original.operators)
        targets = {device["name"]: target_text(device) for device in document["devices"]}
        return Export(tuple(files), Coverage(count, count), tuple(notes), targets)

    def check(self, folder: Path) -> Coverage:
        """Parse the files: every planned operator is in the model of its segment, by the names of its outputs, on its
        device, and every segment reads only what comes before it.

        Raises ``HeteroOptError`` ``export_segments_invalid``, and what :func:`compare` raises.
        """
        wanted = operators_by_output(folder)
        try:
            document = json.loads((folder / PLAN).read_text("utf-8"))
            if document["format"] != FORMAT:
                raise ValueError(f"{PLAN} is no {FORMAT}")
            known = set(document["inputs"])
            segments, operators, segment_of, files = [], [], {}, set()
            for segment in document["segments"]:
                model = onnx.load(str(folder / segment["file"]), load_external_data=False)
                _check_model(model)
                unknown = [name for name in segment["inputs"] if name not in known]
                if unknown:
                    raise ValueError(
                        f"{segment['file']} reads {display_name(unknown[0])}, which nothing before it makes"
                    )
                if [item.name for item in model.graph.output] != segment["outputs"] or segment["file"] in files:
                    raise ValueError(f"{segment['file']} is not the file of this segment in {PLAN}")
                files.add(segment["file"])
                known.update(segment["outputs"])
                segments.append((segment["index"], segment["device"]))
                own = planned_in(model, wanted)
                operators += [(index, segment["device"]) for index in own]
                segment_of.update(dict.fromkeys(own, segment["index"]))
            missing = [name for name in document["outputs"] if name not in known]
            if missing:
                raise ValueError(f"nothing makes the output {display_name(missing[0])}")
            targets = {device["name"]: target_text(device) for device in document["devices"]}
        except HeteroOptError:
            raise
        except Exception as error:  # protobuf and the checker raise several unrelated kinds
            raise HeteroOptError(
                "export_segments_invalid",
                f"The segments cannot be used: {str(error)[:300]}.",
                hint="Export them again.",
                reason=str(error)[:300],
            ) from error
        return compare(
            self.key,
            folder,
            Written(
                operators=operators,
                segments=segments,
                segment_of=segment_of,
                targets=targets,
                hashes={"plan": document["plan"]},
            ),
        )


def _check_model(model: onnx.ModelProto) -> None:
    """Raise what ONNX's checker finds; it asks for a shape that results of unknown rank do not have."""
    if has_external_data(model):
        return
    for item in (*model.graph.input, *model.graph.output):
        if item.type.HasField("tensor_type"):
            item.type.tensor_type.shape.SetInParent()
    onnx.checker.check_model(model)


def _plan_document(
    request: ExportRequest, pieces: list[Piece], outputs: list[str], inputs: list[str]
) -> dict[str, Any]:
    pool, original = request.plan.pool, request.plan.original
    used = {pool.devices[piece.segment.device].name for piece in pieces}
    typed = {tensor.name: tensor for tensor in original.tensors}
    return {
        "format": FORMAT,
        "format_version": 1,
        "model": original.name,
        "plan": request.plan.content_hash,
        "dims": dict(original.dims),
        "inputs": inputs,
        "outputs": outputs,
        "tensors": {
            name: {"dtype": typed[display_name(name)].dtype, "shape": list(typed[display_name(name)].shape or ())}
            for name in inputs
            if display_name(name) in typed
        },
        "devices": [entry for entry in device_settings(pool, request.options) if entry["name"] in used],
        "segments": [
            {
                "index": piece.segment.index,
                "file": f"{FOLDER}/segment_{piece.segment.index}.onnx",
                "device": pool.devices[piece.segment.device].name,
                "level": piece.segment.level,
                "inputs": list(piece.inputs),
                "outputs": list(piece.outputs),
            }
            for piece in pieces
        ],
    }


EXPORTER = OrtSegments()
