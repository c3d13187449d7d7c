"""A protobuf scanner that checks an ONNX file's limits and cuts out its weights before anything parses it.

It knows the message layout of onnx.proto (field numbers) and nothing of its meaning. Field numbers that it does
not know, documentation, metadata and training graphs are dropped, and so are the bytes of large tensors once
their length has been compared with the declared dimensions.
"""

from __future__ import annotations

import mmap
from dataclasses import dataclass, field
from typing import Final

from heteroopt.errors import ModelError
from heteroopt.graph.data_files import DataFiles, DataRange
from heteroopt.graph.limits import ReaderLimits
from heteroopt.graph.wire_tensor import CUT_MARK, TensorFacts, check_tensor

Buffer = bytes | mmap.mmap

_KEEP: Final = 0
_NAME: Final = 1
_Action = int | str
# Message kind -> field number -> what to do: keep the bytes, check a name, or scan a message of a kind.
_LAYOUT: Final[dict[str, dict[int, _Action]]] = {
    "model": {1: _KEEP, 8: "opset", 2: _NAME, 3: _NAME, 4: _NAME, 5: _KEEP, 7: "graph", 25: "function"},
    "opset": {1: _NAME, 2: _KEEP},
    "graph": {1: "node", 2: _NAME, 5: "tensor", 11: "value", 12: "value", 13: "value", 15: "sparse"},
    "node": {1: _NAME, 2: _NAME, 3: _NAME, 4: _NAME, 5: "attribute", 7: _NAME, 8: _NAME},
    "attribute": {
        1: _NAME, 2: _KEEP, 3: _KEEP, 4: _KEEP, 5: "tensor", 6: "graph", 7: _KEEP, 8: _KEEP, 9: _KEEP, 10: "tensor",
        11: "graph", 14: "type", 15: "type", 20: _KEEP, 21: _NAME, 22: "sparse", 23: "sparse",
    },
    "function": {
        1: _NAME, 4: _NAME, 5: _NAME, 6: _NAME, 7: "node", 9: "opset", 10: _NAME, 11: "attribute", 12: "value",
        13: _NAME,
    },
    "sparse": {1: "tensor", 2: "tensor", 3: _KEEP},
    "value": {1: _NAME, 2: "type"},
    "type": {1: "tensor_type", 4: "element", 5: "map", 6: _NAME, 8: "tensor_type", 9: "element"},
    "tensor_type": {1: _KEEP, 2: "shape"},
    "element": {1: "type"},
    "map": {1: _KEEP, 2: "type"},
    "shape": {1: "dimension"},
    "dimension": {1: _KEEP, 2: _NAME, 3: _NAME},
    "tensor": {1: _KEEP, 2: _KEEP, 4: _KEEP, 5: _KEEP, 6: _KEEP, 7: _KEEP, 8: _NAME, 9: _KEEP, 10: _KEEP, 11: _KEEP,
               13: "entry", 14: _KEEP},
    "entry": {1: _NAME, 2: _NAME},
}  # fmt: skip
_LISTS: Final = (4, 7, 8)  # of an attribute: text, floats, ints
TINY_BYTES: Final = 1024


@dataclass(slots=True)
class Scan:
    """What the scanner found; ``structure`` is the file without its weights, for the protobuf parser."""

    structure: bytes = b""
    fields: int = 0
    nodes: int = 0
    graphs: int = 0
    functions: int = 0
    node_inputs: int = 0
    declared_values: int = 0
    weight_bytes_cut: int = 0
    names_repaired: int = 0
    tensors_without_data: list[str] = field(default_factory=list)
    external_tensors: list[str] = field(default_factory=list)
    external_files: dict[str, DataRange] = field(default_factory=dict)


def malformed(detail: str, reason: str) -> ModelError:
    """The refusal of bytes that are no protobuf message of the expected layout; ``detail`` is the code of a reason."""
    return ModelError(
        "model_unreadable",
        f"The file is not a readable ONNX model: {reason}.",
        hint="Export the model again and check that the upload is complete.",
        detail=detail,
        reason=reason,
    )


def too_large(what: str, limit: int, hint: str = "Split or simplify the model.") -> ModelError:
    """The refusal of a file that goes beyond one of the reader's limits."""
    return ModelError("model_limit", f"The model has more than {limit:,} {what}.", hint=hint, what=what, limit=limit)


def scan_model(data: Buffer, limits: ReaderLimits, data_files: DataFiles | None = None) -> Scan:
    """Check ``data`` (a serialised ModelProto) against ``limits`` and return it without its weights.

    ``data_files`` holds the files with its external data: tiny constants, which may say a shape, are taken from there.
    Raises :class:`ModelError` with code ``model_unreadable``, ``model_limit`` or one of the
    tensor codes of :mod:`heteroopt.graph.wire_tensor`.
    """
    scanner = _Scanner(data, limits, data_files)
    scanner.found.structure = scanner.message(0, len(data), "model", 1)
    return scanner.found


class _Scanner:
    def __init__(self, data: Buffer, limits: ReaderLimits, data_files: DataFiles | None) -> None:
        self.data = data
        self.limits = limits
        self.data_files = data_files
        self.found = Scan()
        self.kept_bytes = 0
        self.list_bytes = 0
        self.dropped = False  # whether the attribute just scanned is to be left out

    def varint(self, position: int, end: int) -> tuple[int, int]:
        data = self.data
        value = shift = 0
        while position < end:
            byte = data[position]
            position += 1
            value |= (byte & 0x7F) << shift
            if byte < 0x80:
                return value & 0xFFFF_FFFF_FFFF_FFFF, position
            shift += 7
            if shift >= 70:
                raise malformed("number_too_long", "a number is longer than ten bytes")
        raise malformed("number_cut_off", "it ends in the middle of a number")

    def field_end(self, wire_type: int, position: int, end: int) -> tuple[int, int]:
        """Start and end of a field's payload."""
        if wire_type == 0:
            _, stop = self.varint(position, end)
            return position, stop
        if wire_type == 2:
            length, start = self.varint(position, end)
            stop = start + length
        elif wire_type in (1, 5):
            start, stop = position, position + (8 if wire_type == 1 else 4)
        else:
            raise malformed("field_type_unknown", "it holds a field of a type that ONNX does not use")
        if stop > end:
            raise malformed("file_cut_off", "it is cut off, or a length in it is wrong")
        return start, stop

    def message(self, position: int, end: int, kind: str, depth: int) -> bytes:
        """Scan one message and return the bytes to keep of it."""
        if depth > self.limits.max_nesting:
            raise too_large("levels of nesting", self.limits.max_nesting, "Flatten the control flow of the model.")
        data, layout, found, max_fields = self.data, _LAYOUT[kind], self.found, self.limits.max_fields
        facts = TensorFacts() if kind == "tensor" else None
        attributes = dimensions = listed = 0
        kept: list[bytes] = []
        size = 0
        run_start = position  # start of the bytes that are kept as they are
        while position < end:
            field_start = position
            found.fields += 1
            if found.fields > max_fields:
                raise too_large("protobuf fields", max_fields)
            tag = data[position]
            if tag < 0x80:
                position += 1
            else:
                tag, position = self.varint(position, end)
            number, wire_type = tag >> 3, tag & 7
            if number == 0:  # no such field in protobuf: a run of zeros is damage, and need not be read to its end
                raise malformed("field_type_unknown", "it holds a field of a type that ONNX does not use")
            start, position = self.field_end(wire_type, position, end)
            action = layout.get(number)
            replacement: bytes | None = None
            if action is None or (action != _KEEP and wire_type != 2):
                replacement = b""
            elif action == _NAME:
                repaired = self.name(start, position)
                if repaired is not None:
                    replacement = _varint(tag) + _varint(len(repaired)) + repaired
                if kind == "node" and number == 1:
                    found.node_inputs += 1
                    if found.node_inputs > self.limits.max_node_inputs:
                        raise too_large("inputs of operators", self.limits.max_node_inputs)
            elif kind == "attribute" and number in _LISTS:
                listed += position - start
            elif isinstance(action, str):
                self.count(action)
                if action == "attribute":
                    attributes += 1
                    if attributes > self.limits.max_attributes:
                        raise too_large("attributes on one operator", self.limits.max_attributes)
                elif action == "dimension":
                    dimensions += 1
                    if dimensions > self.limits.max_dims:
                        raise too_large("dimensions on one tensor", self.limits.max_dims)
                repaired_before = found.names_repaired
                body = self.message(start, position, action, depth + 1)
                if self.dropped:
                    replacement, self.dropped = b"", False
                elif len(body) != position - start or found.names_repaired > repaired_before:
                    replacement = _varint(tag) + _varint(len(body)) + body
            if facts is not None:
                if action is not None:
                    self.tensor_field(facts, number, wire_type, start, position, field_start)
            elif replacement is not None:
                size += field_start - run_start + len(replacement)
                self.check_size(size)
                kept.append(data[run_start:field_start])
                kept.append(replacement)
                run_start = position
        if facts is not None:
            return self.finish_tensor(facts)
        if listed > self.limits.max_kept_tensor_bytes or self.list_bytes + listed > self.limits.max_list_bytes:
            self.dropped = True  # a table inside an operator (tree ensembles): nothing that a plan depends on
            return b""
        self.list_bytes += listed
        self.check_size(size + end - run_start)
        if not kept:
            return data[run_start:end]
        kept.append(data[run_start:end])
        return b"".join(kept)

    def check_size(self, size: int) -> None:
        if size > self.limits.max_structure_bytes:
            raise too_large("bytes of structure", self.limits.max_structure_bytes)

    def name(self, start: int, end: int) -> bytes | None:
        """Check a name; returns what to put in its place if it is not UTF-8 (old exporters write local encodings)."""
        if end - start > self.limits.max_name_bytes:
            raise too_large("bytes in one name", self.limits.max_name_bytes, "Shorten the names in the model.")
        text = self.data[start:end]
        try:
            text.decode("utf-8")
        except UnicodeDecodeError:
            self.found.names_repaired += 1
            return _as_text(text).encode()
        return None

    def count(self, kind: str) -> None:
        found, limits = self.found, self.limits
        if kind == "node":
            found.nodes += 1
            if found.nodes > limits.max_nodes:
                raise too_large("operators", limits.max_nodes, "Plan a part of the model, or raise the limit.")
        elif kind == "graph":
            found.graphs += 1
            if found.graphs > limits.max_graphs:
                raise too_large("graphs inside operators", limits.max_graphs, "Flatten the control flow of the model.")
        elif kind == "value":
            found.declared_values += 1
            if found.declared_values > limits.max_declared_values:
                raise too_large("declared values", limits.max_declared_values)
        elif kind == "function":
            found.functions += 1
            if found.functions > limits.max_functions:
                raise too_large("functions", limits.max_functions)

    def tensor_field(
        self, facts: TensorFacts, number: int, wire_type: int, start: int, end: int, field_start: int
    ) -> None:
        """Note what the tensor check needs, and which bytes belong to the tensor's head."""
        data = self.data
        if number == 1:
            while start < end:
                size, start = self.varint(start, end)
                facts.dims.append(size - 2**64 if size >= 2**63 else size)
                if len(facts.dims) > self.limits.max_dims:
                    raise too_large("dimensions on one tensor", self.limits.max_dims)
            facts.head.append(data[field_start:end])
        elif number in (2, 14) and wire_type == 0:
            value, _ = self.varint(start, end)
            if number == 2:
                facts.data_type = value
                facts.head.append(data[field_start:end])
            else:
                facts.external = value == 1
                facts.place.append(data[field_start:end])
        elif number == 8 and wire_type == 2:
            facts.name = _as_text(data[start:end])
            name = facts.name.encode()
            facts.head.append(b"\x42" + _varint(len(name)) + name)
        elif number == 13 and wire_type == 2:
            key, value_text = self.entry(start, end)
            facts.entries[key] = value_text
            facts.place.append(data[field_start:end])
        elif number == 9 and wire_type == 2:
            facts.raw_bytes = end - start
            facts.add_payload(data, field_start, end, self.limits.max_kept_tensor_bytes)
        elif number in (4, 5, 6, 7, 10, 11):
            facts.add_typed(number, wire_type, end - start)
            facts.add_payload(data, field_start, end, self.limits.max_kept_tensor_bytes)

    def entry(self, position: int, end: int) -> tuple[str, str]:
        parts = {1: "", 2: ""}
        while position < end:
            tag, position = self.varint(position, end)
            start, position = self.field_end(tag & 7, position, end)
            if tag & 7 == 2 and tag >> 3 in parts:
                parts[tag >> 3] = _as_text(self.data[start:position])
        return parts[1], parts[2]

    def external_tensor(self, facts: TensorFacts) -> None:
        """Note which bytes of which file the tensor needs, and take a tiny one's bytes from there."""
        found, end = self.found, facts.offset + facts.expected_bytes
        known = found.external_files.get(facts.location)
        if known is None and len(found.external_files) >= self.limits.max_data_files:
            raise too_large("files with external data", self.limits.max_data_files, "Store the weights in one file.")
        if known is None or end > known.end:
            found.external_files[facts.location] = DataRange(end, facts.name)
        facts.payload.clear()
        facts.payload_bytes = 0
        raw = None
        if self.data_files is not None and 0 < facts.expected_bytes <= TINY_BYTES:
            raw = self.data_files.read(facts.location, facts.offset, facts.expected_bytes)
        if raw is None:
            found.external_tensors.append(facts.name)
        else:
            facts.place.clear()
            facts.payload.append(b"\x4a" + _varint(len(raw)) + raw)  # field 9, raw_data
            facts.payload_bytes = len(raw)

    def finish_tensor(self, facts: TensorFacts) -> bytes:
        check_tensor(facts, self.limits)
        if facts.external:
            self.external_tensor(facts)
        elif facts.without_data:
            self.found.tensors_without_data.append(facts.name)
        limits = self.limits
        spent = self.kept_bytes + facts.payload_bytes > limits.max_kept_bytes and facts.payload_bytes > TINY_BYTES
        if spent or facts.payload_bytes > limits.max_kept_tensor_bytes:
            self.found.weight_bytes_cut += facts.payload_bytes
            facts.payload.clear()
            facts.head.append(b"\x62" + _varint(len(CUT_MARK)) + CUT_MARK)  # field 12, doc_string
        kept = b"".join((*facts.head, *facts.place, *facts.payload))
        self.kept_bytes += len(kept)
        return kept


def _as_text(name: bytes) -> str:
    """A name as text; bytes that are not UTF-8 become escapes, so that different names stay different."""
    return name.decode("utf-8", errors="backslashreplace")


def _varint(value: int) -> bytes:
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)
