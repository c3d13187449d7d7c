"""Writes and checks the folder of ``ort-segments``."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import onnx

from heteroopt.deployment.export_manifest import load_manifest
from heteroopt.deployment.exporters.ort_segments.cut import Piece, all_tensors, cut
from heteroopt.deployment.exporters.ort_segments.providers import device_settings, refuse_unknown
from heteroopt.deployment.exporters.ort_segments.source import read_source
from heteroopt.deployment.exporters.whole_plan import incomplete
from heteroopt.deployment.exporting import (
    Coverage,
    Export,
    Exporter,
    ExportFile,
    ExportOption,
    ExportRequest,
    Refusal,
)
from heteroopt.errors import HeteroOptError
from heteroopt.graph.data_files import plain_location
from heteroopt.graph.names import display_name
from heteroopt.graph.onnx_reader import value_shapes
from heteroopt.graph.op_classes import TRAINING_DOMAIN

PLAN, RUNNER, FOLDER = "plan.json", "runner.py", "segments"
FORMAT = "heteroopt-ort-segments"


class OrtSegments(Exporter):
    """One ``.onnx`` for each segment, ``plan.json`` that says what runs where, and ``runner.py``."""

    key = "ort-segments"
    engine = "ONNX Runtime"
    versions = ">= 1.14, with runner.py (Python 3.8 and numpy); OpenVINO beside it where a device asks for it"
    needs_model = True
    expresses = ("placement", "order", "segments")
    options = (
        ExportOption("device.*", "what runs a device: RUNTIME[:PROVIDER], such as openvino:CPU", "by type and vendor"),
    )

    def refusals(self, request: ExportRequest) -> list[Refusal]:
        """Devices of which it is not known what runs them, and plans of a training step."""
        pool = request.plan.pool
        used = {pool.devices[segment.device].name for segment in request.partition.segments}
        found = refuse_unknown(device_settings(pool, request.options), used)
        if any(op.domain == TRAINING_DOMAIN for op in request.plan.original.operators):
            found.append(
                Refusal(
                    "export_training_step",
                    "The plan is of a training step, which the model's file does not hold.",
                    hint="Export a plan of the model itself.",
                )
            )
        return found

    def export(self, request: ExportRequest) -> Export:
        """Return the files. Raises :class:`Refusal` where the model's file is not the one that was planned."""
        path, original = request.model_path, request.plan.original
        assert path is not None
        source = read_source(path, original)
        pieces = cut(source, request.partition, value_shapes(path, original.dims))
        data = _data_files(pieces, path.parent)
        files = [
            ExportFile(
                f"{FOLDER}/segment_{piece.segment.index}.onnx", piece.model.SerializeToString(deterministic=True)
            )
            for piece in pieces
        ]
        files += [ExportFile(f"{FOLDER}/{name}", place) for place, name in data.items()]
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
        return Export(tuple(files), Coverage(count, count), tuple(notes))

    def check(self, folder: Path) -> Coverage:
        """Parse the files: every planned operator is in the model of its segment, by the names of its outputs, and
        every segment reads only what comes before it.

        Raises ``HeteroOptError`` ``export_segments_invalid`` or ``export_incomplete``.
        """
        planned = load_manifest(folder)["operators"]
        try:
            document = json.loads((folder / PLAN).read_text("utf-8"))
            if document["format"] != FORMAT:
                raise ValueError(f"{PLAN} is no {FORMAT}")
            known, made = set(document["inputs"]), {}
            for segment in document["segments"]:
                model = onnx.load(str(folder / segment["file"]), load_external_data=False)
                onnx.checker.check_model(model) if not _has_external(model) else None
                unknown = [name for name in segment["inputs"] if name not in known]
                if unknown:
                    raise ValueError(
                        f"{segment['file']} reads {display_name(unknown[0])}, which nothing before it makes"
                    )
                if [item.name for item in model.graph.output] != segment["outputs"]:
                    raise ValueError(f"the outputs of {segment['file']} are not those of {PLAN}")
                known.update(segment["outputs"])
                made[segment["index"]] = {display_name(name) for node in model.graph.node for name in node.output}
            missing = [name for name in document["outputs"] if name not in known]
            if missing:
                raise ValueError(f"nothing makes the output {display_name(missing[0])}")
        except HeteroOptError:
            raise
        except Exception as error:  # protobuf and the checker raise several unrelated kinds
            raise HeteroOptError(
                "export_segments_invalid",
                f"The segments cannot be used: {str(error)[:300]}.",
                hint="Export them again.",
                reason=str(error)[:300],
            ) from error
        lost = tuple(row["name"] for row in planned if not made.get(row["segment"], set()).issuperset(row["outputs"]))
        if lost:
            raise incomplete(self.key, Coverage(len(planned), len(planned) - len(lost), lost))
        return Coverage(len(planned), len(planned))


def _has_external(model: onnx.ModelProto) -> bool:
    return any(tensor.data_location == onnx.TensorProto.EXTERNAL for tensor in all_tensors(model))


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


def _data_files(pieces: list[Piece], folder: Path) -> dict[Path, str]:
    """Files with external data that the pieces still read, by the new name under which the pieces find them."""
    found: dict[Path, str] = {}
    for piece in pieces:
        for tensor in all_tensors(piece.model):
            if tensor.data_location != onnx.TensorProto.EXTERNAL:
                continue
            entry = next((e for e in tensor.external_data if e.key == "location"), None)
            location = plain_location(entry.value) if entry is not None else ""
            place = folder / location
            if not location or entry is None or not place.is_file() or place.resolve().parent != place.parent.resolve():
                raise Refusal(
                    "export_data_missing",
                    f"The model keeps {display_name(tensor.name)!r} in a file that is not beside it.",
                    hint="Put the files of the model's external data where the model names them.",
                    tensor=display_name(tensor.name),
                )
            entry.value = found.setdefault(place, f"weights_{len(found)}.bin")
    return found


EXPORTER = OrtSegments()
