"""Operators that join elements along axes: a work-item makes one element of the result."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from heteroopt.runtimes.plugins.opencl.kernels import loops, offset, step
from heteroopt.runtimes.plugins.opencl.registry import Node, Result, operator
from heteroopt.runtimes.plugins.opencl.values import Value, make_value, row_strides

REDUCTIONS: Mapping[str, tuple[str, str, str]] = {
    "ReduceSum": ("0", "r += v", "r"),
    "ReduceMean": ("0", "r += v", "r / N"),
    "ReduceMax": ("LOWEST", "r = (v > r || v != v) ? v : r", "r"),
    "ReduceMin": ("HIGHEST", "r = (v < r || v != v) ? v : r", "r"),
    "ReduceProd": ("1", "r *= v", "r"),
    "ReduceSumSquare": ("0", "r += v * v", "r"),
    "ReduceL1": ("0", "r += v < 0 ? -v : v", "r"),
    "ReduceL2": ("0", "r += v * v", "sqrt(r)"),
    "ReduceLogSum": ("0", "r += v", "log(r)"),
    "ReduceLogSumExp": ("0", "r += exp(v - top)", "log(r) + top"),
}
"""Of ``r``: its first value, what an element ``v`` does to it, what is stored in the end."""

PLAIN = ("ReduceSum", "ReduceMean", "ReduceMax", "ReduceMin", "ReduceProd")
"""Those that leave an element as it is where there is nothing to join."""

ONLY_FLOAT = ("ReduceL2", "ReduceLogSum", "ReduceLogSumExp")
LIMITS: Mapping[str, tuple[str, str]] = {
    "float": ("-INFINITY", "INFINITY"), "double": ("-INFINITY", "INFINITY"), "long": ("LONG_MIN", "LONG_MAX"),
    "ulong": ("0", "ULONG_MAX"),
}  # fmt: skip


def _split(node: Node, value: Value, axes: list[int], keep: int) -> tuple[list[int], str, tuple[str, str, str]]:
    """Return the result's shape, the place of its first element, and the loops over what is joined."""
    strides = row_strides(value.shape)
    outer = [axis for axis in range(len(value.shape)) if axis not in axes]
    base = offset([strides[axis] for axis in outer], [value.shape[axis] for axis in outer])
    inner = loops([value.shape[axis] for axis in axes], [strides[axis] for axis in axes], "i")
    shape = [1 if axis in axes else n for axis, n in enumerate(value.shape) if keep or axis not in axes]
    return shape, base, inner


@operator(*REDUCTIONS)
def reduction(node: Node) -> Result:
    value = node.of_kind(0, "f" if node.op_type in ONLY_FLOAT else "fiu")
    rank = len(value.shape)
    listed = node.axes(1, rank, [])
    if node.whole("noop_with_empty_axes", 0) and not listed:
        if node.op_type not in PLAIN:
            raise node.refused("noop_with_empty_axes without axes")
        node.whole("keepdims", 1)
        return Result([value.view(value.shape)])
    axes = listed or list(range(rank))
    shape, base, (heads, place, tails) = _split(node, value, axes, node.whole("keepdims", 1))
    made = make_value(value.dtype, shape)
    kind = value.accumulator
    first, each, last = REDUCTIONS[node.op_type]
    first = first.replace("LOWEST", LIMITS[kind][0]).replace("HIGHEST", LIMITS[kind][1])
    count = int(np.prod([value.shape[axis] for axis in axes], dtype=np.int64))
    read = f"        const {kind} v = x0[begin + {place}];\n"
    body = f"    const long begin = {base};\n"
    if node.op_type == "ReduceLogSumExp":
        body += f"    {kind} top = -INFINITY;\n{heads}{read}        top = fmax(top, v);\n{tails}"
        body += "    if (isinf(top)) { y0[g] = top; return; }\n"
    body += f"    {kind} r = {first};\n{heads}{read}        {each};\n{tails}"
    body += f"    y0[g] = ({made.c_type})({last.replace('N', f'(({kind}){count})')});\n"
    return Result([made], [step([value], [made], made.size, body)])


@operator("ArgMax", "ArgMin")
def place_of_extreme(node: Node) -> Result:
    value = node.of_kind(0, "fiu")
    axis = node.axis("axis", 0, len(value.shape))
    shape, base, (heads, place, tails) = _split(node, value, [axis], node.whole("keepdims", 1))
    made = make_value(np.dtype(np.int64), shape)
    sign = (">" if node.op_type == "ArgMax" else "<") + ("=" if node.whole("select_last_index", 0) else "")
    kind = "float" if value.c_type == "half" else value.c_type
    body = (
        f"    const long begin = {base};\n    long best = 0;\n    {kind} r = x0[begin];\n{heads}"
        f"        const {kind} v = x0[begin + {place}];\n        if (v {sign} r) {{ r = v; best = i0; }}\n{tails}"
        f"    y0[g] = best;\n"
    )
    return Result([made], [step([value], [made], made.size, body)])
