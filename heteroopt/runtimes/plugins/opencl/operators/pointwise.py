"""Operators that compute every element by itself, with numpy's broadcasting."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from heteroopt.runtimes.plugins.opencl.kernels import Step, pointwise
from heteroopt.runtimes.plugins.opencl.registry import Node, Result, literal, operator
from heteroopt.runtimes.plugins.opencl.values import Value, broadcast, make_value

BOOL = np.dtype(bool)

FLOAT_UNARY: Mapping[str, str] = {
    "Relu": "fmax(a0, {0})", "Sigmoid": "{1} / ({1} + exp(-a0))", "Tanh": "tanh(a0)", "Erf": "erf(a0)",
    "Exp": "exp(a0)", "Log": "log(a0)", "Sqrt": "sqrt(a0)", "Reciprocal": "{1} / a0",
    "Floor": "floor(a0)", "Ceil": "ceil(a0)",
    "Round": "rint(a0)", "Sin": "sin(a0)", "Cos": "cos(a0)", "Tan": "tan(a0)", "Asin": "asin(a0)",
    "Acos": "acos(a0)",
    "Atan": "atan(a0)", "Sinh": "sinh(a0)", "Cosh": "cosh(a0)", "Asinh": "asinh(a0)", "Acosh": "acosh(a0)",
    "Atanh": "atanh(a0)", "Softplus": "fmax(a0, {0}) + log1p(exp(-fabs(a0)))", "Softsign": "a0 / ({1} + fabs(a0))",
    "Mish": "a0 * tanh(fmax(a0, {0}) + log1p(exp(-fabs(a0))))",
    "HardSwish": "a0 * fmin(fmax(a0 / {6} + {0.5}, {0}), {1})",
}  # fmt: skip
"""``{n}`` is the number n in the type of the elements."""

WITH_ATTRIBUTES: Mapping[str, tuple[str, Mapping[str, float]]] = {
    "LeakyRelu": ("a0 < {0} ? {alpha} * a0 : a0", {"alpha": 0.01}),
    "Elu": ("a0 < {0} ? {alpha} * expm1(a0) : a0", {"alpha": 1.0}),
    "Celu": ("fmax(a0, {0}) + fmin({alpha} * expm1(a0 / {alpha}), {0})", {"alpha": 1.0}),
    "Selu": (
        "{gamma} * (a0 <= {0} ? {alpha} * expm1(a0) : a0)",
        {"alpha": 1.67326319217681884765625, "gamma": 1.05070102214813232421875},
    ),
    "HardSigmoid": ("fmin(fmax({alpha} * a0 + {beta}, {0}), {1})", {"alpha": 0.2, "beta": 0.5}),
    "ThresholdedRelu": ("a0 > {alpha} ? a0 : {0}", {"alpha": 1.0}),
    "Swish": ("a0 / ({1} + exp(-{alpha} * a0))", {"alpha": 1.0}),
    "Shrink": ("a0 < -{lambd} ? a0 + {bias} : (a0 > {lambd} ? a0 - {bias} : {0})", {"lambd": 0.5, "bias": 0.0}),
}

ARITHMETIC: Mapping[str, str] = {"Add": "a0 + a1", "Sub": "a0 - a1", "Mul": "a0 * a1", "Div": "a0 / a1"}
COMPARISON: Mapping[str, str] = {
    "Equal": "a0 == a1", "Less": "a0 < a1", "Greater": "a0 > a1", "LessOrEqual": "a0 <= a1",
    "GreaterOrEqual": "a0 >= a1",
}  # fmt: skip
LOGIC: Mapping[str, str] = {"And": "a0 && a1", "Or": "a0 || a1", "Xor": "(a0 != 0) != (a1 != 0)"}
BITS: Mapping[str, str] = {"BitwiseAnd": "a0 & a1", "BitwiseOr": "a0 | a1", "BitwiseXor": "a0 ^ a1"}


def _one(node: Node, expression: str, kinds: str, dtype: np.dtype[np.generic] | None = None) -> Result:
    value = node.of_kind(0, kinds)
    made = make_value(dtype or value.dtype, value.shape)
    return Result([made], [pointwise(expression, [value], made)])


def _numbers(expression: str, value: Value, named: Mapping[str, float] | None = None) -> str:
    for name, number in (named or {}).items():
        expression = expression.replace(f"{{{name}}}", literal(number, value))
    for number in (0.0, 0.5, 1.0, 6.0):
        expression = expression.replace(f"{{{number:g}}}", literal(number, value))
    return expression


@operator(*FLOAT_UNARY)
def float_unary(node: Node) -> Result:
    value = node.of_kind(0, "fi" if node.op_type == "Relu" else "f")
    if value.dtype.kind == "i":
        return _one(node, "a0 < 0 ? 0 : a0", "i")
    if node.op_type == "Relu":
        return _one(node, _numbers("a0 < {0} ? {0} : a0", value), "f")
    return _one(node, _numbers(FLOAT_UNARY[node.op_type], value), "f")


@operator(*WITH_ATTRIBUTES)
def float_with_attributes(node: Node) -> Result:
    expression, defaults = WITH_ATTRIBUTES[node.op_type]
    value = node.of_kind(0, "f")
    named = {name: node.real(name, default) for name, default in defaults.items()}
    return _one(node, _numbers(expression, value, named), "f")


@operator("Gelu")
def gelu(node: Node) -> Result:
    value = node.of_kind(0, "f")
    half, one = literal(0.5, value), literal(1.0, value)
    if node.attributes.get("approximate", "none") == "tanh":
        inner = f"{literal(0.7978845608028654, value)} * (a0 + {literal(0.044715, value)} * a0 * a0 * a0)"
        return _one(node, f"{half} * a0 * ({one} + tanh({inner}))", "f")
    return _one(node, f"{half} * a0 * ({one} + erf(a0 * {literal(0.7071067811865476, value)}))", "f")


@operator("Abs", "Neg", "Sign", "Not", "IsNaN", "IsInf", "BitwiseNot")
def other_unary(node: Node) -> Result:
    kind = node.value(0).dtype.kind
    if node.op_type == "Abs":
        return _one(node, "fabs(a0)" if kind == "f" else "a0" if kind == "u" else "a0 < 0 ? -a0 : a0", "fiu")
    if node.op_type == "Neg":
        return _one(node, "-a0", "fi")
    if node.op_type == "Sign":
        return _one(node, "a0 != a0 ? a0 : (a0 > 0) - (a0 < 0)" if kind == "f" else "(a0 > 0) - (a0 < 0)", "fiu")
    if node.op_type == "Not":
        return _one(node, "a0 == 0", "b")
    if node.op_type == "BitwiseNot":
        return _one(node, "~a0", "iu")
    if node.op_type == "IsNaN":
        return _one(node, "isnan(a0) != 0", "f", BOOL)
    up, down = node.whole("detect_positive", 1), node.whole("detect_negative", 1)
    return _one(node, f"isinf(a0) != 0 && ((a0 > 0 && {up}) || (a0 < 0 && {down}))", "f", BOOL)


def _two(node: Node, expression: str, kinds: str, dtype: np.dtype[np.generic] | None = None) -> Result:
    first, second = node.of_kind(0, kinds), node.of_kind(1, kinds)
    if first.dtype != second.dtype:
        raise node.refused(f"its inputs are of two types, {first.dtype.name} and {second.dtype.name}")
    made = make_value(dtype or first.dtype, broadcast(first.shape, second.shape))
    return Result([made], [pointwise(expression, [first, second], made)])


@operator(*ARITHMETIC, *COMPARISON, *LOGIC, *BITS)
def binary(node: Node) -> Result:
    if node.opset < 7 and node.attributes.get("broadcast"):
        raise node.refused("the broadcasting of opsets before 7")
    if node.op_type in ARITHMETIC:
        return _two(node, ARITHMETIC[node.op_type], "fiu")
    if node.op_type in COMPARISON:
        return _two(node, COMPARISON[node.op_type], "fiub", BOOL)
    return _two(node, LOGIC[node.op_type], "b", BOOL) if node.op_type in LOGIC else _two(node, BITS[node.op_type], "iu")


@operator("Mod")
def modulo(node: Node) -> Result:
    kind = node.value(0).dtype.kind
    if node.whole("fmod", 0):
        return _two(node, "fmod(a0, a1)" if kind == "f" else "a0 % a1", "fiu")
    if kind == "f":
        raise node.refused("Mod of floating point needs fmod")
    sign_of_divisor = "a0 % a1 + ((a0 % a1 != 0 && (a0 % a1 < 0) != (a1 < 0)) ? a1 : 0)"
    return _two(node, sign_of_divisor if kind == "i" else "a0 % a1", "iu")


@operator("Pow")
def power(node: Node) -> Result:
    base, exponent = node.of_kind(0, "f"), node.of_kind(1, "fiu")
    wide = "double" if base.dtype.itemsize == 8 else "float"
    made = make_value(base.dtype, broadcast(base.shape, exponent.shape))
    content = exponent.host
    expression = f"pow(a0, ({wide})a1)"
    if content is not None and content.size == 1 and float(content.reshape(-1)[0]) == 2.0:
        expression = "a0 * a0"
    return Result([made], [pointwise(expression, [base, exponent], made)])


@operator("PRelu")
def parametric_relu(node: Node) -> Result:
    value, slope = node.of_kind(0, "fi"), node.value(1)
    made = make_value(value.dtype, value.shape)
    if broadcast(value.shape, slope.shape) != value.shape:
        raise node.refused("its slope has more elements than its input")
    return Result([made], [pointwise("a0 < 0 ? a1 * a0 : a0", [value, slope], made)])


@operator("Where")
def where(node: Node) -> Result:
    condition, yes, no = node.of_kind(0, "b"), node.value(1), node.value(2)
    made = make_value(yes.dtype, broadcast(condition.shape, yes.shape, no.shape))
    return Result([made], [pointwise("a0 ? a1 : a2", [condition, yes, no], made)])


@operator("Max", "Min", "Sum", "Mean")
def variadic(node: Node) -> Result:
    values = [node.of_kind(at, "fiu" if node.op_type in ("Max", "Min") else "f") for at in range(len(node.inputs))]
    made = make_value(values[0].dtype, broadcast(*(value.shape for value in values)))
    expression = "a0"
    for at in range(1, len(values)):
        if node.op_type in ("Max", "Min"):
            sign = ">" if node.op_type == "Max" else "<"
            keep = " || r != r" if made.dtype.kind == "f" else ""
            expression += f"; r = (r {sign} a{at}{keep}) ? r : a{at}"
        else:
            expression += f"; r = r + a{at}"
    kind = "float" if made.c_type == "half" else made.c_type
    last = f"r / {literal(len(values), made)}" if node.op_type == "Mean" else "r"
    return Result([made], [pointwise(last, values, made, f"    {kind} r = {expression};\n")])


@operator("Clip")
def clip(node: Node) -> Result:
    value = node.of_kind(0, "fiu")
    made = make_value(value.dtype, value.shape)
    reads: list[Value] = [value]
    expression = "a0"
    for at, name, sign in ((1, "min", "<"), (2, "max", ">")):
        bound = node.optional(at)
        if bound is not None:
            reads.append(bound)
            limit = f"a{len(reads) - 1}"
        elif name in node.attributes:
            limit = literal(node.real(name, 0.0), value)
        else:
            continue
        expression = f"(({expression}) {sign} {limit} ? {limit} : ({expression}))"
    return Result([made], [pointwise(expression, reads, made)])


@operator("Cast", "CastLike")
def cast(node: Node) -> Result:
    value = node.value(0)
    kind = node.value(1).dtype if node.op_type == "CastLike" else _element_type(node)
    made = make_value(kind, value.shape)
    return Result([made], [_cast_step(value, made)])


def _cast_step(value: Value, made: Value) -> Step:
    if made.dtype.kind == "b":
        return pointwise("a0 != 0", [value], made)
    return pointwise("a0", [value], made)


def _element_type(node: Node) -> np.dtype[np.generic]:
    from onnx.helper import tensor_dtype_to_np_dtype

    return np.dtype(tensor_dtype_to_np_dtype(node.whole("to")))
