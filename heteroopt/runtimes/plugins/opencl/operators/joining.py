"""Concat: every input is written to its part of the result."""

from __future__ import annotations

from math import prod

from heteroopt.runtimes.plugins.opencl.kernels import step
from heteroopt.runtimes.plugins.opencl.registry import Node, Result, operator
from heteroopt.runtimes.plugins.opencl.values import make_value


@operator("Concat")
def concat(node: Node) -> Result:
    values = [node.value(at) for at in range(len(node.inputs))]
    first = values[0]
    axis = node.axis("axis", 1, len(first.shape))
    for value in values:
        same = [n for at, n in enumerate(value.shape) if at != axis] == [
            n for at, n in enumerate(first.shape) if at != axis
        ]
        if value.dtype != first.dtype or len(value.shape) != len(first.shape) or not same:
            raise node.refused("its inputs do not fit together")
    length = sum(value.shape[axis] for value in values)
    made = make_value(first.dtype, [length if at == axis else n for at, n in enumerate(first.shape)])
    inner, result, begin = prod(first.shape[axis + 1 :]), Result([made]), 0
    for value in values:
        part = value.shape[axis] * inner
        if value.size:
            body = f"    y0[g / {part}L * {length * inner}L + {begin * inner}L + g % {part}L] = x0[g];\n"
            result.steps.append(step([value], [made], value.size, body, words=True))
        begin += value.shape[axis]
    return result
