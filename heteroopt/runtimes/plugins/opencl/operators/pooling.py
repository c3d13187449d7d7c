"""Pooling over windows of space, and over all of it."""

from __future__ import annotations

from math import prod

from heteroopt.runtimes.plugins.opencl.kernels import step
from heteroopt.runtimes.plugins.opencl.registry import Node, Result, operator
from heteroopt.runtimes.plugins.opencl.values import make_value
from heteroopt.runtimes.plugins.opencl.windows import windows_of


@operator("MaxPool", "AveragePool")
def pooling(node: Node) -> Result:
    value = node.of_kind(0, "f")
    if node.n_outputs > 1:
        raise node.refused("the places of the largest elements")
    if len(value.shape) < 3:
        raise node.refused("tensors without space")
    items, channels, *space = value.shape
    windows = windows_of(node, space, [int(n) for n in node.attributes.get("kernel_shape", [])])
    made, kind = make_value(value.dtype, (items, channels, *windows.counts)), value.accumulator
    heads, at, tails = windows.loops()
    read = f"x0[g / {prod(windows.counts)}L * {prod(space)}L + {at}]"
    if node.op_type == "MaxPool":
        first, each, last = "-INFINITY", f"if (inside) r = fmax(r, ({kind}){read});", "r"
    else:
        each = f"if (inside) r += ({kind}){read};"
        if node.whole("count_include_pad", 0):
            edges = zip(range(len(space)), space, windows.ends, strict=True)
            counted = " && ".join(f"h{axis} < {size + end}L" for axis, size, end in edges)
            each += f" if ({counted}) ++n;"
        else:
            each += " if (inside) ++n;"
        first, last = "0", "r / n"
    body = (
        f"{windows.first_places('g')}    {kind} r = {first};\n    long n = 0;\n{heads}        {each}\n{tails}"
        f"    y0[g] = ({made.c_type})({last});\n"
    )
    return Result([made], [step([value], [made], made.size, body)])


@operator("GlobalAveragePool", "GlobalMaxPool")
def global_pooling(node: Node) -> Result:
    value = node.of_kind(0, "f")
    items, channels, *space = value.shape
    plane, kind = prod(space), value.accumulator
    made = make_value(value.dtype, (items, channels, *[1] * len(space)))
    largest = node.op_type == "GlobalMaxPool"
    each = f"r = fmax(r, ({kind})x0[g * {plane}L + i])" if largest else f"r += x0[g * {plane}L + i]"
    body = (
        f"    {kind} r = {'-INFINITY' if largest else '0'};\n    for (long i = 0; i < {plane}L; ++i) {each};\n"
        f"    y0[g] = ({made.c_type})({'r' if largest else f'r / {plane}L'});\n"
    )
    return Result([made], [step([value], [made], made.size, body)])
