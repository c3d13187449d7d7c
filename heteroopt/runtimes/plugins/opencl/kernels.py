"""Text of kernels: parameters, index arithmetic with the shapes written in, one work-item an element or a row."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod

from heteroopt.runtimes.plugins.opencl.values import Value, make_value, row_strides, strides_into

NAME = "KERNEL"
"""Stands for the kernel's name in its text, so that equal kernels are compiled once."""


@dataclass(frozen=True, slots=True)
class Step:
    """One launch: the kernel's text, what it reads, what it writes, its number of work-items."""

    text: str
    reads: tuple[Value, ...]
    writes: tuple[Value, ...]
    work_items: int


def step(
    reads: Sequence[Value], writes: Sequence[Value], work_items: int, body: str, *, words: bool = False
) -> Step:  # fmt: skip
    """Return a launch whose ``body`` sees ``x0``, ``x1``, ... (reads), ``y0``, ... (writes) and ``g``, the work-item.

    Every pointer comes with an offset in bytes, as a tensor may lie anywhere in its buffer.
    """
    names = [(f"x{at}", value, "const ") for at, value in enumerate(reads)]
    names += [(f"y{at}", value, "") for at, value in enumerate(writes)]
    parameters = ", ".join(f"__global uchar *p_{name}, ulong o_{name}" for name, _, _ in names)
    pointers = "".join(
        f"    __global {const}{kind} *{name} = (__global {const}{kind} *)(p_{name} + o_{name});\n"
        for name, value, const in names
        for kind in [value.word if words else value.c_type]
    )
    guard = f"    const long g = get_global_id(0);\n    if (g >= {work_items}L) return;\n"
    text = f"__kernel void {NAME}({parameters}) {{\n{guard}{pointers}{body}}}\n"
    return Step(text, tuple(reads), tuple(writes), work_items)


def pointwise(expression: str, reads: Sequence[Value], made: Value, prelude: str = "") -> Step:
    """Return a launch that computes every element of ``made`` by an expression of ``a0``, ``a1``, ... .

    Values of float16 are computed in float. ``prelude``: statements before it.
    """
    lines = []
    offsets = [offset(strides_into(value, made.shape), made.shape) for value in reads]
    for at, (value, place) in enumerate(zip(reads, offsets, strict=True)):
        kind = "float" if value.c_type == "half" else value.c_type
        lines.append(f"    const {kind} a{at} = x{at}[{place}];\n")
    kind = made.c_type
    result = f"({kind})({expression})"
    return step(reads, [made], made.size, "".join(lines) + prelude + f"    y0[g] = {result};\n")


def moved(source: Value, shape: Sequence[int], strides: Sequence[int], base: int = 0) -> tuple[Value, Step]:
    """Return a value of ``shape`` whose element at (i, j, ...) is ``source[base + i s_i + j s_j + ...]``."""
    made = make_value(source.dtype, shape)
    place = f"{base}L + {offset(strides, shape)}"
    return made, step([source], [made], made.size, f"    y0[g] = x0[{place}];\n", words=True)


def offset(strides: Sequence[int], shape: Sequence[int], index: str = "g") -> str:
    """Return the text of an element's place, from its row-major number ``index`` in ``shape``."""
    merged = _merged(strides, shape)
    own = row_strides([size for size, _ in merged])
    parts = []
    for at, (size, stride) in enumerate(merged):
        if size == 1 or stride == 0:
            continue
        position = index if own[at] == 1 else f"{index} / {own[at]}L"
        if prod(length for length, _ in merged[:at]) != 1:
            position = f"({position}) % {size}L"
        parts.append(position if stride == 1 and len(merged) == 1 else f"({position}) * {stride}L")
    return " + ".join(parts) or "0"


def _merged(strides: Sequence[int], shape: Sequence[int]) -> list[tuple[int, int]]:
    """Join neighbouring axes that are walked as one; leave out axes of length 1."""
    joined: list[tuple[int, int]] = []
    for size, stride in zip(shape, strides, strict=True):
        if size == 1:
            continue
        if joined and joined[-1][1] == stride * size:
            joined[-1] = (joined[-1][0] * size, stride)
        else:
            joined.append((size, stride))
    return joined


def loops(sizes: Sequence[int], strides: Sequence[int], name: str) -> tuple[str, str, str]:
    """Return the heads of nested loops over axes, the text of the place that they reach, and their closing braces."""
    heads, parts = "", []
    for at, (size, stride) in enumerate(zip(sizes, strides, strict=True)):
        heads += f"    for (long {name}{at} = 0; {name}{at} < {size}L; ++{name}{at}) {{\n"
        parts.append(f"{name}{at} * {stride}L")
    return heads, " + ".join(parts) or "0", "    }\n" * len(sizes)
