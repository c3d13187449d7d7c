"""A case's ONNX model: it travels without its weights, which are made up here and put into the serialised model."""

from __future__ import annotations

import base64
from typing import Any

import numpy as np

_ELEMENT = {
    "float32": 1, "uint8": 2, "int8": 3, "uint16": 4, "int16": 5, "int32": 6, "int64": 7, "bool": 9, "float16": 10,
    "float64": 11, "uint32": 12, "uint64": 13,
}  # fmt: skip


def case_model(case: dict[str, Any]) -> bytes:
    """The case's ONNX model, complete with weights."""
    model = base64.b64decode(case["model"])
    return insert_weights(model, [(w["name"], fill(w)) for w in case["weights"]])


def fill(tensor: dict[str, Any]) -> np.ndarray[Any, Any]:
    """Made-up values: small normal ones, positive where ``positive``, integers below ``high``."""
    count = int(np.prod(tensor["shape"], dtype=np.int64))
    kind = np.dtype(tensor["dtype"])
    values: np.ndarray[Any, Any]
    if kind.kind == "f":
        values = np.resize(_NORMAL, count) * 0.1
        if tensor.get("positive"):
            values = np.abs(values) + 0.5
    else:
        values = np.resize(_WHOLE, count) % max(1, int(tensor.get("high", 2)))
    return values.astype(kind).reshape(tensor["shape"])


_NORMAL = np.random.default_rng(7).standard_normal(65521, dtype=np.float32)
_WHOLE = np.random.default_rng(7).integers(0, 1 << 30, 65521)


def insert_weights(model: bytes, weights: list[tuple[str, np.ndarray[Any, Any]]]) -> bytes:
    """Append initializers to the graph (field 7) of a serialised ModelProto; initializer is field 5 of a graph."""
    added = b""
    for name, values in weights:
        body = b"".join(b"\x08" + _varint(size) for size in values.shape)  # dims
        body += b"\x10" + _varint(_ELEMENT[str(values.dtype)])  # data_type
        body += _bytes_field(8, name.encode()) + _bytes_field(9, np.ascontiguousarray(values).tobytes())
        added += _bytes_field(5, body)
    at, parts = 0, []
    while at < len(model):
        begin = at
        tag, at = _read_varint(model, at)
        if tag & 7 == 0:
            _, at = _read_varint(model, at)
            parts.append(model[begin:at])
            continue
        size, at = _read_varint(model, at)
        payload, at = model[at : at + size], at + size
        parts.append(_bytes_field(7, payload + added) if tag >> 3 == 7 else model[begin:at])
    return b"".join(parts)


def _bytes_field(number: int, payload: bytes) -> bytes:
    return _varint(number << 3 | 2) + _varint(len(payload)) + payload


def _varint(value: int) -> bytes:
    out = bytearray()
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    out.append(value)
    return bytes(out)


def _read_varint(data: bytes, at: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        byte = data[at]
        value |= (byte & 127) << shift
        at, shift = at + 1, shift + 7
        if byte < 128:
            return value, at
