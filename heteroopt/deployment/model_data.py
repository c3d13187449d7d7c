"""The files beside a planned model that hold its weights: copied along with an export, or read into its models."""

from __future__ import annotations

from pathlib import Path

import onnx
from onnx import GraphProto, ModelProto, TensorProto

from heteroopt.deployment.exporting import ExportFile, ExportRequest, Refusal
from heteroopt.graph.data_files import plain_location
from heteroopt.graph.names import display_name
from heteroopt.graph.onnx_model import attribute_graphs

MAX_MODEL_BYTES = (1 << 31) - 1
"""What protobuf writes into one file."""


class ModelData:
    """External data of the models of one export. Only the files of the request are opened."""

    def __init__(self, request: ExportRequest) -> None:
        assert request.model_path is not None
        self._given = request.data_files
        self._folder = request.model_path.parent
        self._copies: dict[Path, str] = {}

    def relocate(self, model: ModelProto) -> None:
        """Point the tensors to copies under plain names beside the model.

        Raises :class:`Refusal` ``export_model_data`` where a file is missing or outside of the model's folder.
        """
        for tensor in _external(model):
            place = self._place(tensor)
            name = self._copies.setdefault(place, f"weights_{len(self._copies)}.bin")
            for entry in tensor.external_data:
                if entry.key == "location":
                    entry.value = name

    def copies(self, folder: str = "") -> list[ExportFile]:
        """The files that the models were pointed to, below ``folder``."""
        return [ExportFile(f"{folder}{name}", place) for place, name in self._copies.items()]

    def read_in(self, model: ModelProto) -> None:
        """Put the data into the model. Raises :class:`Refusal` as :meth:`relocate`, and ``export_model_large``."""
        left = MAX_MODEL_BYTES - model.ByteSize()
        for tensor in _external(model):
            entries = {entry.key: entry.value for entry in tensor.external_data}
            try:
                with self._place(tensor).open("rb") as file:
                    file.seek(int(entries.get("offset", 0)))
                    length = int(entries["length"]) if "length" in entries else -1
                    data = file.read(min(length, left + 1) if length >= 0 else left + 1)
            except (OSError, ValueError) as error:
                raise _unreadable(tensor) from error
            left -= len(data)
            if left < 0:
                raise too_large()
            tensor.raw_data = data
            tensor.data_location = TensorProto.DEFAULT
            del tensor.external_data[:]
        if left < 0:
            raise too_large()

    def _place(self, tensor: TensorProto) -> Path:
        stated = next((entry.value for entry in tensor.external_data if entry.key == "location"), "")
        location = plain_location(stated)
        if self._given is not None:
            if location not in self._given:
                raise _unreadable(tensor)
            return self._given[location]
        place = self._folder / location
        if not location or self._folder.resolve() not in place.resolve().parents or not place.is_file():
            raise _unreadable(tensor)
        return place


def all_tensors(model: ModelProto) -> list[TensorProto]:
    """Every tensor that may keep its data in another file: initializers and attributes, in bodies too."""
    found: list[TensorProto] = []

    def visit(graph: GraphProto) -> None:
        found.extend(graph.initializer)
        for sparse in graph.sparse_initializer:
            found.extend((sparse.values, sparse.indices))
        for node in graph.node:
            for attribute in node.attribute:
                if attribute.HasField("t"):
                    found.append(attribute.t)
                found.extend(attribute.tensors)
            for body in attribute_graphs(node):
                visit(body)

    visit(model.graph)
    return found


def has_external_data(model: ModelProto) -> bool:
    """Whether a tensor keeps its data in another file."""
    return bool(_external(model))


def _external(model: ModelProto) -> list[TensorProto]:
    return [tensor for tensor in all_tensors(model) if tensor.data_location == onnx.TensorProto.EXTERNAL]


def serialized(model: ModelProto) -> bytes:
    """The bytes of a model, always the same. Raises :class:`Refusal` ``export_model_large``."""
    if model.ByteSize() > MAX_MODEL_BYTES:
        raise too_large()
    data: bytes = model.SerializeToString(deterministic=True)
    return data


def too_large() -> Refusal:
    """The refusal of a file that protobuf cannot write."""
    return Refusal(
        "export_model_large",
        f"A model file would be larger than {MAX_MODEL_BYTES} bytes.",
        hint="Save the model with its weights in a separate file first, or choose another format.",
        limit_bytes=MAX_MODEL_BYTES,
    )


def _unreadable(tensor: TensorProto) -> Refusal:
    return Refusal(
        "export_model_data",
        f"The weights {display_name(tensor.name)!r} are in a file that is not beside the model or cannot be read.",
        hint="Put the model's data files into its folder, as the model names them.",
        tensor=display_name(tensor.name),
    )
