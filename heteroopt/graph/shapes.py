"""Output types of one operator from the types of its inputs and the values of its small constant inputs.

The rules are ONNX's own, asked one operator at a time, so that no pass over the whole model can run away; a few
frequent cases and the fused operators of ``com.microsoft`` have a rule here.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import numpy as np
import onnx
from onnx import NodeProto, TensorProto, TypeProto, helper, numpy_helper
from onnx.checker import ValidationError
from onnx.shape_inference import InferenceError, infer_node_outputs

from heteroopt.errors import ModelError
from heteroopt.graph.attributes import Attributes
from heteroopt.graph.dimensions import tensor_type
from heteroopt.graph.names import display_name
from heteroopt.graph.notes import ATTRIBUTE_OUT_OF_RANGE, OPERATOR_NOT_IN_OPSET, RANK_TOO_HIGH
from heteroopt.graph.output_type import UNKNOWN, OutputType
from heteroopt.graph.shapes_microsoft import microsoft_outputs
from heteroopt.graph.values import Value

MAX_DATA_ELEMENTS = 4096
MAX_RANK = 64
STANDARD_DOMAINS = ("", "ai.onnx.ml", "ai.onnx.preview", "ai.onnx.preview.training")
_DATA_TYPES = (TensorProto.INT64, TensorProto.INT32, TensorProto.FLOAT, TensorProto.BOOL, TensorProto.DOUBLE)


SAME_AS_INPUT = frozenset((
    "Relu", "Sigmoid", "Tanh", "Erf", "Exp", "Log", "Sqrt", "Neg", "Abs", "Reciprocal", "Clip", "LeakyRelu", "Elu",
    "Selu", "HardSigmoid", "HardSwish", "Softplus", "Softsign", "Gelu", "Mish", "Celu", "ThresholdedRelu", "Identity",
    "Softmax", "LogSoftmax", "Hardmax", "LRN", "Floor", "Ceil", "Round", "Sin", "Cos", "Sign", "InstanceNormalization",
    "LpNormalization", "PRelu", "Shrink", "CumSum", "Swish", "GroupNormalization", "RMSNormalization",
))  # fmt: skip


def infer_outputs(
    node: NodeProto, attributes: Attributes, inputs: Sequence[Value | None], opsets: dict[str, int]
) -> tuple[list[OutputType], str]:
    """Types of the outputs of ``node`` and, where a rule failed, its reason (else ``""``)."""
    n_outputs = len(node.output)
    first = inputs[0] if inputs else None
    domain = "" if node.domain == "ai.onnx" else node.domain
    if domain == "" and node.op_type in SAME_AS_INPUT and first is not None and first.shape is not None:
        return _padded([OutputType(first.element, first.shape)], n_outputs), ""
    if domain == "com.microsoft":
        return _padded(microsoft_outputs(node.op_type, attributes, inputs), n_outputs), ""
    if domain not in STANDARD_DOMAINS:
        return [UNKNOWN] * n_outputs, ""
    schema = _schema(node.op_type, opsets.get(domain, 1), domain)
    if schema is None:
        return [UNKNOWN] * n_outputs, OPERATOR_NOT_IN_OPSET
    bad = out_of_range(node, attributes, inputs)
    if bad and not any(value is not None and value.estimated for value in inputs):
        raise _invalid(node, "attribute_invalid", f"its attribute {bad!r} is out of range", attribute=bad)
    if bad:  # of a guessed shape
        return [UNKNOWN] * n_outputs, ATTRIBUTE_OUT_OF_RANGE
    if _rank_unbounded(node, inputs):
        return [UNKNOWN] * n_outputs, RANK_TOO_HIGH
    special = _special(node, attributes, inputs)
    if special is not None:
        return _padded([special], n_outputs), ""
    return _ask_onnx(schema, node, inputs, opsets)


def _padded(outputs: list[OutputType], count: int) -> list[OutputType]:
    return outputs[:count] + [UNKNOWN] * (count - len(outputs))


@lru_cache(maxsize=4096)
def _schema(op_type: str, version: int, domain: str) -> Any:
    try:
        return onnx.defs.get_schema(op_type, version, domain)
    except onnx.defs.SchemaError:
        return None


def _ask_onnx(
    schema: Any, node: NodeProto, inputs: Sequence[Value | None], opsets: dict[str, int]
) -> tuple[list[OutputType], str]:
    types: dict[str, TypeProto] = {}
    data: dict[str, TensorProto] = {}
    for name, value in zip(node.input, inputs, strict=True):
        if value is None:
            continue
        if value.container is not None:
            types[name] = value.container
            continue
        if not value.element:
            return [UNKNOWN] * len(node.output), ""
        types[name] = helper.make_tensor_type_proto(value.element, value.shape)
        numbers = value.data
        if numbers is not None and numbers.size <= MAX_DATA_ELEMENTS and value.element in _DATA_TYPES:
            data[name] = numpy_helper.from_array(np.ascontiguousarray(numbers).reshape(numbers.shape), name)
    imports = [helper.make_opsetid(domain, version) for domain, version in opsets.items()]
    try:
        found = infer_node_outputs(schema, node, types, data, opset_imports=imports)
    except ValidationError as error:
        if any(value is not None and value.estimated for value in inputs):
            return [UNKNOWN] * len(node.output), str(error)[:160]  # a guessed type may be at fault
        raise _invalid(node, "operator_invalid", display_name(str(error).split("\n", 1)[0]).rstrip(".")) from error
    except (InferenceError, RuntimeError, ValueError, TypeError, IndexError) as error:
        reason = str(error).split("]", 1)[-1].strip() or type(error).__name__
        return [UNKNOWN] * len(node.output), reason[:160]
    return [_read(found.get(name)) for name in node.output], ""


def _read(kind: TypeProto | None) -> OutputType:
    tensor = None if kind is None else tensor_type(kind)
    container = None if kind is None or kind.HasField("tensor_type") else kind
    if tensor is None:
        return OutputType(container=container)
    if not tensor.HasField("shape") or len(tensor.shape.dim) > MAX_RANK:
        return OutputType(tensor.elem_type, None, container)
    dims = tuple(dim.dim_value if dim.HasField("dim_value") else -1 for dim in tensor.shape.dim)
    return OutputType(tensor.elem_type, tuple(max(size, -1) for size in dims), container)


# Largest legal axis beyond rank - 1, and smallest beyond -rank, where they are not 0.
_AXIS_SLACK = {"Flatten": (0, 1), "OneHot": (1, 1)}
_AXIS_OF_SEQUENCE = frozenset(("ConcatFromSequence", "SplitToSequence"))


def out_of_range(node: NodeProto, attributes: Attributes, inputs: Sequence[Value | None]) -> str:
    """Name of an attribute that ONNX's rules would index or divide with out of bounds, else ``""``."""
    axis = attributes.get("axis")
    shape = inputs[0].shape if inputs and inputs[0] is not None else None
    if isinstance(axis, int):
        below, above = _AXIS_SLACK.get(node.op_type, (0, 0))
        rank = MAX_RANK if shape is None or node.op_type in _AXIS_OF_SEQUENCE else max(len(shape), 1)
        if not -rank - below <= axis < rank + above:
            return "axis"
    for name in ("axes", "perm", "new_axis", "batch_axis", "time_axis", "batch_dims"):
        values = attributes.get(name, [])
        items = values if isinstance(values, list) else [values]
        if not all(isinstance(item, int) and -MAX_RANK <= item < MAX_RANK for item in items):
            return name
    if node.op_type == "Split" and attributes.get("num_outputs", len(node.output)) != len(node.output):
        return "num_outputs"
    return ""


# Inputs whose length is the rank of the output, or is added to it: ONNX's rules allocate that many dimensions.
_RANK_GIVEN_BY = {
    "Reshape": (1,), "Expand": (1,), "ConstantOfShape": (0,), "Tile": (1,), "Resize": (1, 2, 3), "Upsample": (1,),
    "Pad": (1,), "Squeeze": (1,), "Unsqueeze": (1,), "CenterCropPad": (1,), "AffineGrid": (1,), "Col2Im": (1, 2),
    "MaxUnpool": (2,), "Slice": (1, 2, 3, 4),
}  # fmt: skip


def _rank_unbounded(node: NodeProto, inputs: Sequence[Value | None]) -> bool:
    for position in _RANK_GIVEN_BY.get(node.op_type, ()):
        value = inputs[position] if position < len(inputs) else None
        if value is not None and value.shape is not None and math.prod(value.shape) > 2 * MAX_RANK:
            return True
    return False


def _invalid(node: NodeProto, code: str, reason: str, **params: object) -> ModelError:
    label = display_name(node.name or (node.output[0] if node.output else "") or node.op_type)
    return ModelError(
        code,
        f"The operator {label!r} is not valid ONNX: {reason}.",
        hint="The model is damaged; export it again.",
        operator=label,
        op_type=display_name(node.op_type),
        reason=reason,
        **params,
    )


def _special(node: NodeProto, attributes: Attributes, inputs: Sequence[Value | None]) -> OutputType | None:
    """Cases where ONNX's rule is missing or must not be asked."""
    first = inputs[0] if inputs else None
    if first is None:
        return None
    if node.op_type == "Reshape" and "shape" in attributes and first.shape is not None:
        return OutputType(first.element, _resolved(first.shape, attributes["shape"]))
    if node.op_type == "Range" and len(inputs) == 3 and inputs[2] is not None:
        step = inputs[2].data
        if step is not None and not np.any(step):
            return OutputType(first.element)
    if node.op_type in ("STFT", "Upsample") and first.shape is not None:
        scale = inputs[1].data if len(inputs) > 1 and inputs[1] is not None else None
        factors = attributes.get("scales") if scale is None else [float(x) for x in np.ravel(scale)]
        if node.op_type == "Upsample" and factors and len(factors) == len(first.shape):
            sizes = (
                math.floor(size * factor) if 0 < factor < 2**20 else -1
                for size, factor in zip(first.shape, factors, strict=True)
            )
            return OutputType(first.element, tuple(sizes))
        if scale is None or not np.all(scale):
            return OutputType(first.element)
    return None


def _resolved(source: tuple[int, ...], wanted: Sequence[int]) -> tuple[int, ...]:
    sizes = [source[i] if size == 0 and i < len(source) else size for i, size in enumerate(wanted)]
    known = math.prod(size for size in sizes if size != -1)
    return tuple(math.prod(source) // known if size == -1 and known else size for size in sizes)
