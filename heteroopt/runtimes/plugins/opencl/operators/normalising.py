"""Softmax and the normalisations: a work-item makes one row, sums are kept in float (double for float64)."""

from __future__ import annotations

from math import prod

from heteroopt.runtimes.plugins.opencl.kernels import step
from heteroopt.runtimes.plugins.opencl.registry import Node, Result, literal, operator
from heteroopt.runtimes.plugins.opencl.values import Value, make_value


@operator("Softmax", "LogSoftmax")
def softmax(node: Node) -> Result:
    value = node.of_kind(0, "f")
    rank, old = len(value.shape), node.opset < 13
    axis = node.axis("axis", 1 if old else -1, rank)
    length = prod(value.shape[axis:]) if old else value.shape[axis]
    inner = 1 if old else prod(value.shape[axis + 1 :])
    made, kind = make_value(value.dtype, value.shape), value.accumulator
    at = f"begin + i * {inner}L"
    loop = f"    for (long i = 0; i < {length}L; ++i)"
    logarithm = node.op_type == "LogSoftmax"
    last = "x0[AT] - top - log(sum)" if logarithm else "exp(x0[AT] - top) / sum"
    body = (
        f"    const long begin = g / {inner}L * {length * inner}L + g % {inner}L;\n"
        f"    {kind} top = -INFINITY, sum = 0;\n{loop} top = fmax(top, ({kind})x0[{at}]);\n"
        f"{loop} sum += exp(x0[{at}] - top);\n{loop} y0[{at}] = ({made.c_type})({last.replace('AT', at)});\n"
    )
    rows = value.size // length if length else 0
    return Result([made], [step([value], [made], rows, body)])


def _moments(kind: str, place: str, count: int, loop: str) -> str:
    """Mean first, then the mean of squared differences: one pass over squares loses digits."""
    return (
        f"    {kind} mean = 0, spread = 0;\n{loop} mean += x0[{place}];\n    mean /= {count}L;\n"
        f"{loop} {{ const {kind} d = x0[{place}] - mean; spread += d * d; }}\n    spread /= {count}L;\n"
    )


@operator("LayerNormalization")
def layer_normalisation(node: Node) -> Result:
    value, scale, bias = node.of_kind(0, "f"), node.value(1), node.optional(2)
    axis = node.axis("axis", -1, len(value.shape))
    length, kind = prod(value.shape[axis:]), value.accumulator
    for addend in (scale, bias):
        if addend is not None and addend.size != length:
            raise node.refused("scale and bias of another size than the normalised part")
    made = make_value(value.dtype, value.shape)
    shape = (*value.shape[:axis], *[1] * (len(value.shape) - axis))
    more = [make_value(value.dtype, shape) for _ in range(node.n_outputs - 1)]
    loop, place = f"    for (long i = 0; i < {length}L; ++i)", f"g * {length}L + i"
    shifted = f"(x0[{place}] - mean) * inverse * x1[i]" + ("" if bias is None else " + x2[i]")
    body = _moments(kind, place, length, loop) + (
        f"    const {kind} inverse = 1 / sqrt(spread + {literal(node.real('epsilon', 1e-5), value)});\n"
        f"{loop} y0[{place}] = ({made.c_type})({shifted});\n"
    )
    body += "".join(f"    y{at + 1}[g] = {('mean', 'inverse')[at]};\n" for at in range(len(more)))
    reads = [value, scale] if bias is None else [value, scale, bias]
    return Result([made, *more], [step(reads, [made, *more], value.size // max(length, 1), body)])


@operator("RMSNormalization")
def root_mean_square(node: Node) -> Result:
    value, scale = node.of_kind(0, "f"), node.value(1)
    axis = node.axis("axis", -1, len(value.shape))
    length, kind = prod(value.shape[axis:]), value.accumulator
    if scale.size != length:
        raise node.refused("a scale of another size than the normalised part")
    made = make_value(value.dtype, value.shape)
    loop, place = f"    for (long i = 0; i < {length}L; ++i)", f"g * {length}L + i"
    body = (
        f"    {kind} r = 0;\n{loop} r += ({kind})x0[{place}] * x0[{place}];\n"
        f"    r = 1 / sqrt(r / {length}L + {literal(node.real('epsilon', 1e-5), value)});\n"
        f"{loop} y0[{place}] = ({made.c_type})(x0[{place}] * r * x1[i]);\n"
    )
    return Result([made], [step([value, scale], [made], value.size // max(length, 1), body)])


@operator("InstanceNormalization", "GroupNormalization")
def group_normalisation(node: Node) -> Result:
    value, scale, bias = node.of_kind(0, "f"), node.value(1), node.value(2)
    if len(value.shape) < 3:
        raise node.refused("tensors without space")
    channels, kind = value.shape[1], value.accumulator
    groups = node.whole("num_groups") if node.op_type == "GroupNormalization" else channels
    space, each = prod(value.shape[2:]), channels // max(groups, 1)
    per_group = scale.size == groups and groups != channels  # opset 18
    channel = f"g % {groups}L" if per_group else f"(g % {groups}L * {each}L + i / {space}L)"
    return _scaled(node, value, scale, bias, each * space, channel, value.shape[0] * groups, kind)


def _scaled(
    node: Node, value: Value, scale: Value, bias: Value, length: int, channel: str, rows: int, kind: str
) -> Result:  # fmt: skip
    made = make_value(value.dtype, value.shape)
    loop, place = f"    for (long i = 0; i < {length}L; ++i)", f"g * {length}L + i"
    body = _moments(kind, place, length, loop) + (
        f"    const {kind} inverse = 1 / sqrt(spread + {literal(node.real('epsilon', 1e-5), value)});\n"
        f"{loop} y0[{place}] = ({made.c_type})((x0[{place}] - mean) * inverse * x1[{channel}] + x2[{channel}]);\n"
    )
    return Result([made], [step([value, scale, bias], [made], rows, body)])


@operator("BatchNormalization")
def batch_normalisation(node: Node) -> Result:
    if node.whole("training_mode", 0) or node.n_outputs > 1 or not node.whole("spatial", 1):
        raise node.refused("training mode, or statistics of each place")
    value = node.of_kind(0, "f")
    parts = [node.value(at) for at in range(1, 5)]
    made = make_value(value.dtype, value.shape)
    inner, channels = prod(value.shape[2:]), value.shape[1] if len(value.shape) > 1 else 1
    epsilon = literal(node.real("epsilon", 1e-5), value)
    body = (
        f"    const long c = g / {inner}L % {channels}L;\n"
        f"    y0[g] = ({made.c_type})((x0[g] - x3[c]) / sqrt(x4[c] + {epsilon}) * x1[c] + x2[c]);\n"
    )
    return Result([made], [step([value, *parts], [made], made.size, body)])
