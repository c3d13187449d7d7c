"""From bytes to a checked ModelProto: limits first, then the parser, then versions, functions and names."""

from __future__ import annotations

import mmap
import os
import stat
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import onnx
from google.protobuf.message import DecodeError  # type: ignore[import-untyped]
from onnx import AttributeProto, FunctionProto, GraphProto, ModelProto, NodeProto
from onnx.checker import ValidationError
from onnx.inliner import inline_local_functions

from heteroopt.errors import ModelError
from heteroopt.graph.data_files import DataFiles
from heteroopt.graph.limits import ReaderLimits
from heteroopt.graph.names import display_name
from heteroopt.graph.pytorch.refusal import LOOKED_AT, looks_like_pytorch, refuse_pytorch
from heteroopt.graph.wire import Buffer, Scan, malformed, scan_model, too_large

MAX_OPSET = onnx.defs.onnx_opset_version()
MAX_IR_VERSION = 64
"""Above the newest IR version by a wide margin: newer files may still read, absurd ones may not."""

MAX_FUNCTION_DEPTH = 100


@dataclass(slots=True)
class LoadedModel:
    """A parsed model without its weights, its functions inlined."""

    model: ModelProto
    scan: Scan
    opsets: dict[str, int]
    file_bytes: int


def load_model(source: str | Path | bytes, limits: ReaderLimits, data_files: DataFiles | None = None) -> LoadedModel:
    """Read and check a model; raises :class:`ModelError` for anything that is not one within ``limits``.

    With ``data_files`` its external data must be in them; without, it is taken on trust.
    """
    with _opened(source, limits) as data:
        if looks_like_pytorch(bytes(data[:LOOKED_AT]), bytes(data[-LOOKED_AT:])):
            raise refuse_pytorch()
        scan = scan_model(data, limits, data_files)
        file_bytes = len(data)
    if data_files is not None:
        data_files.check(scan.external_files)
    try:
        model = ModelProto.FromString(scan.structure)
    except DecodeError as error:
        raise malformed("parser_refuses", "the parser refuses it") from error
    scan.structure = b""
    if not model.HasField("graph"):
        raise malformed("no_graph", "it holds no graph")
    if not model.graph.node:
        raise ModelError("model_empty", "The model has no operators.", hint="Export the model again.")
    opsets = _check_versions(model)
    if model.functions:
        _check_functions(model, limits)
        try:
            model = inline_local_functions(model)
        except (RuntimeError, DecodeError, ValidationError) as error:
            raise malformed("function_call", "a call of one of its functions does not fit the function") from error
    return LoadedModel(model, scan, opsets, file_bytes)


@contextmanager
def _opened(source: str | Path | bytes, limits: ReaderLimits) -> Iterator[Buffer]:
    if isinstance(source, bytes):
        _check_size(len(source), limits)
        yield source
        return
    try:
        descriptor = os.open(source, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
    except OSError as error:
        raise ModelError(
            "model_not_found",
            f"The file {display_name(str(source))!r} cannot be opened: {error.strerror}.",
            hint="Check the path.",
            path=str(source),
        ) from error
    try:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode):
            raise ModelError(
                "model_not_found",
                f"{display_name(str(source))!r} is not a regular file.",
                hint="Check the path.",
                path=str(source),
            )
        _check_size(status.st_size, limits)
        with mmap.mmap(descriptor, 0, access=mmap.ACCESS_READ) as data:
            yield data
    finally:
        os.close(descriptor)


def _check_size(size: int, limits: ReaderLimits) -> None:
    if size == 0:
        raise ModelError("model_empty", "The file is empty.", hint="Upload the model again.")
    if size > limits.max_file_bytes:
        raise too_large("bytes", limits.max_file_bytes, "Keep the weights in a separate file.")


def _check_versions(model: ModelProto) -> dict[str, int]:
    if not 1 <= model.ir_version <= MAX_IR_VERSION:
        raise ModelError(
            "ir_version_unsupported",
            f"The model declares ONNX IR version {model.ir_version}.",
            hint=f"Export it with IR version {onnx.IR_VERSION} or older.",
            version=model.ir_version,
        )
    opsets: dict[str, int] = {}
    for entry in model.opset_import:
        opsets["" if entry.domain == "ai.onnx" else entry.domain] = entry.version
    if "" not in opsets and model.ir_version < 3:
        opsets[""] = 1
    if "" not in opsets and any(node.domain in ("", "ai.onnx") for node in model.graph.node):
        raise ModelError(
            "opset_missing",
            "The model does not say which version of the ONNX operators it uses.",
            hint="Export it again with an opset_import entry.",
        )
    version = opsets.get("", 1)
    if not 1 <= version <= MAX_OPSET:
        raise ModelError(
            "opset_unsupported",
            f"The model uses version {version} of the ONNX operators.",
            hint=f"Versions 1 to {MAX_OPSET} are supported; convert or export the model again.",
            version=version,
            supported=MAX_OPSET,
        )
    return opsets


def attribute_graphs(node: NodeProto) -> Iterator[GraphProto]:
    """The graphs that ``node`` carries in its attributes."""
    for attribute in node.attribute:
        if attribute.type == AttributeProto.GRAPH or attribute.HasField("g"):
            yield attribute.g
        yield from attribute.graphs


_Key = tuple[str, str, str]
_Size = tuple[int, int]  # operators, bytes


def _check_functions(model: ModelProto, limits: ReaderLimits) -> None:
    """Refuse functions defined twice, recursion and, without inlining, what inlining would take beyond the limits."""
    functions: dict[_Key, FunctionProto] = {(f.domain, f.name, f.overload): f for f in model.functions}
    if len(functions) < len(model.functions):
        raise malformed("function_twice", "it defines one of its functions twice")
    sizes: dict[_Key, _Size] = {}
    active: set[_Key] = set()

    def inlined_size(nodes: Iterable[NodeProto]) -> _Size:
        count = size = 0
        for node in nodes:
            key = (node.domain, node.op_type, node.overload)
            parts = [function_size(key) if key in functions else (1, node.ByteSize())]
            parts += [inlined_size(graph.node) for graph in attribute_graphs(node)]
            count += sum(part[0] for part in parts)
            size += sum(part[1] for part in parts)
            if count > limits.max_nodes or size > limits.max_inlined_bytes:
                raise ModelError(
                    "function_expansion",
                    f"The model's functions expand to more than {limits.max_nodes:,} operators or too many bytes.",
                    hint="Inline or simplify the functions of the model before planning it.",
                    limit=limits.max_nodes,
                )
        return count, size

    def function_size(key: _Key) -> _Size:
        if key in active:
            raise ModelError(
                "function_recursion",
                f"The function {display_name(key[1])!r} of the model calls itself.",
                hint="ONNX functions must not be recursive; export the model again.",
                function=display_name(key[1]),
            )
        if len(active) > MAX_FUNCTION_DEPTH:
            raise too_large("functions calling each other in a row", MAX_FUNCTION_DEPTH)
        if key not in sizes:
            active.add(key)
            sizes[key] = inlined_size(functions[key].node)
            active.discard(key)
        return sizes[key]

    inlined_size(model.graph.node)
