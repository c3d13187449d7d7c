"""Initializers and Constant nodes as values; only small ones are decoded, none is ever read from another file."""

from __future__ import annotations

import math

import numpy as np
from onnx import SparseTensorProto, TensorProto
from onnx.numpy_helper import to_array

from heteroopt.graph.attributes import Attributes
from heteroopt.graph.limits import ReaderLimits
from heteroopt.graph.values import Value
from heteroopt.graph.wire_tensor import CUT_MARK

_CUT = CUT_MARK.decode()
_DATA_FIELDS = ("float_data", "int32_data", "int64_data", "double_data", "uint64_data", "string_data")


def tensor_value(name: str, tensor: TensorProto, limits: ReaderLimits, *, from_weights: bool) -> Value:
    """The constant that ``tensor`` holds, with its numbers when they are few and in the file."""
    shape = tuple(tensor.dims)
    value = Value(name, tensor.data_type, shape, constant=True, from_weights=from_weights)
    elements = math.prod(shape)
    present = bool(tensor.raw_data) or any(len(getattr(tensor, field)) for field in _DATA_FIELDS) or elements == 0
    decodable = present and tensor.doc_string != _CUT and tensor.data_location != TensorProto.EXTERNAL
    if decodable and elements <= limits.max_fold_elements and tensor.data_type != TensorProto.STRING:
        try:
            value.data = to_array(tensor)
        except (ValueError, TypeError, RuntimeError):
            value.data = None
    return value


def sparse_value(name: str, sparse: SparseTensorProto, *, from_weights: bool) -> Value:
    """A sparse constant: its dense shape, its bytes as those of the dense tensor."""
    return Value(name, sparse.values.data_type, tuple(sparse.dims), constant=True, from_weights=from_weights)


def constant_node(name: str, attributes: Attributes, limits: ReaderLimits) -> Value | None:
    """The output of a Constant node, or ``None`` if it carries nothing that is known."""
    if isinstance(attributes.get("value"), TensorProto):
        return tensor_value(name, attributes["value"], limits, from_weights=False)
    if isinstance(attributes.get("sparse_value"), SparseTensorProto):
        return sparse_value(name, attributes["sparse_value"], from_weights=False)
    for key, number, dtype in (("value_float", 1, np.float32), ("value_int", 7, np.int64)):
        if key in attributes:
            data = np.array(attributes[key], dtype)
            return Value(name, number, (), constant=True, data=data)
        if key + "s" in attributes:
            data = np.array(attributes[key + "s"], dtype)
            return Value(name, number, data.shape, constant=True, data=data)
    if "value_string" in attributes:
        return Value(name, TensorProto.STRING, (), constant=True)
    if "value_strings" in attributes:
        return Value(name, TensorProto.STRING, (len(attributes["value_strings"]),), constant=True)
    return None
