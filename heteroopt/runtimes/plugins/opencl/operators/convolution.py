"""Convolution, computed directly: a work-item makes one element of the result."""

from __future__ import annotations

from math import prod

from heteroopt.runtimes.plugins.opencl.kernels import step
from heteroopt.runtimes.plugins.opencl.registry import Node, Result, operator
from heteroopt.runtimes.plugins.opencl.values import make_value
from heteroopt.runtimes.plugins.opencl.windows import windows_of


@operator("Conv")
def convolution(node: Node) -> Result:
    value, weights, bias = node.of_kind(0, "f"), node.of_kind(1, "f"), node.optional(2)
    groups = node.whole("group", 1)
    if len(value.shape) < 3 or len(weights.shape) != len(value.shape):
        raise node.refused(f"an input of shape {list(value.shape)} and weights of shape {list(weights.shape)}")
    (items, channels, *space), (makes, depth, *kernel) = value.shape, weights.shape
    if groups < 1 or channels != depth * groups or makes % groups:
        raise node.refused(f"{channels} channels, {groups} groups and weights of shape {list(weights.shape)}")
    windows = windows_of(node, space, kernel)
    made, kind = make_value(value.dtype, (items, makes, *windows.counts)), value.accumulator
    n_windows, plane, taps = prod(windows.counts), prod(space), prod(kernel)
    heads, at, tails = windows.loops()
    tap = "0"
    for axis, size in enumerate(kernel):
        tap = f"({tap}) * {size}L + k{axis}"
    body = (
        f"    const long m = g / {n_windows}L % {makes}L, n = g / {n_windows * makes}L;\n"
        f"{windows.first_places('g')}    {kind} sum = {'0' if bias is None else 'x2[m]'};\n"
        f"    const long from = (n * {channels}L + m / {makes // groups}L * {depth}L) * {plane}L;\n"
        f"    for (long c = 0; c < {depth}L; ++c) {{\n{heads}"
        f"        if (inside) sum += ({kind})x0[from + c * {plane}L + {at}]"
        f" * ({kind})x1[(m * {depth}L + c) * {taps}L + {tap}];\n{tails}    }}\n"
        f"    y0[g] = ({made.c_type})sum;\n"
    )
    return Result([made], [step([value, weights] if bias is None else [value, weights, bias], [made], made.size, body)])
