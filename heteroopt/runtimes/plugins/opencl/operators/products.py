"""Matrix products. A work-item makes eight neighbours of one row where rows of B lie together, else one element."""

from __future__ import annotations

from math import prod

from heteroopt.runtimes.plugins.opencl.kernels import Step, offset, step
from heteroopt.runtimes.plugins.opencl.registry import Node, Result, literal, operator
from heteroopt.runtimes.plugins.opencl.values import Value, broadcast, make_value, strides_into

WIDTH = 8


@operator("MatMul")
def matmul(node: Node) -> Result:
    a, b = node.of_kind(0, "fiu"), node.of_kind(1, "fiu")
    if not a.shape or not b.shape or a.dtype != b.dtype:
        raise node.refused("its inputs are scalars or of two types")
    left = a if len(a.shape) > 1 else a.view((1, *a.shape))
    right = b if len(b.shape) > 1 else b.view((*b.shape, 1))
    (rows, depth), (inner, columns) = left.shape[-2:], right.shape[-2:]
    if depth != inner:
        raise node.refused(f"{list(a.shape)} and {list(b.shape)} do not fit together")
    batch = broadcast(left.shape[:-2], right.shape[:-2])
    made = make_value(a.dtype, (*batch, rows, columns))
    places = []
    for value, size in ((left, rows * depth), (right, depth * columns)):
        whole = strides_into(value, (*batch, *value.shape[-2:]))[: len(batch)]
        places.append(offset(whole, batch, "batch") if size else "0")
    launch = _product(
        left, right, made, (rows, depth, columns), (depth, 1), (columns, 1), places, prod(batch), made.accumulator
    )
    shape = (*batch, *(() if len(a.shape) == 1 else (rows,)), *(() if len(b.shape) == 1 else (columns,)))
    return Result([made.view(shape)], [launch])


@operator("Gemm")
def gemm(node: Node) -> Result:
    a, b, c = node.of_kind(0, "f"), node.of_kind(1, "f"), node.optional(2)
    turned_a, turned_b = node.whole("transA", 0), node.whole("transB", 0)
    depth, rows = a.shape if turned_a else a.shape[::-1]
    columns, inner = b.shape if turned_b else b.shape[::-1]
    if depth != inner:
        raise node.refused(f"{list(a.shape)} and {list(b.shape)} do not fit together")
    made = make_value(a.dtype, (rows, columns))
    ending, beta = f"{literal(node.real('alpha', 1.0), made)} * sum", node.real("beta", 1.0)
    if c is not None:
        place = offset(strides_into(c, made.shape), made.shape, "place")
        ending += f" + {literal(beta, made)} * x2[{place}]"
    launch = _product(
        a, b, made, (rows, depth, columns), (1, rows) if turned_a else (depth, 1),
        (1, depth) if turned_b else (columns, 1), ["0", "0"], 1, made.accumulator, ending, c,
    )  # fmt: skip
    return Result([made], [launch])


def _product(
    a: Value, b: Value, made: Value, sizes: tuple[int, int, int], strides_a: tuple[int, int],
    strides_b: tuple[int, int], places: list[str], n_batches: int, kind: str, ending: str = "sum",
    addend: Value | None = None,
) -> Step:  # fmt: skip
    """``ending``: what is stored, of ``sum`` and ``place``, its element's number in the result."""
    rows, depth, columns = sizes
    wide = columns % WIDTH == 0 and strides_b[1] == 1 and a.c_type == kind and a.dtype.kind == "f"
    step_columns = columns // WIDTH if wide else columns
    head = (
        f"    const long column = g % {max(step_columns, 1)}L{f' * {WIDTH}' if wide else ''};\n"
        f"    const long row = g / {max(step_columns, 1)}L % {max(rows, 1)}L;\n"
        f"    const long batch = g / {max(step_columns * rows, 1)}L;\n"
        f"    __global const {a.c_type} *p = x0 + ({places[0]}) + row * {strides_a[0]}L;\n"
        f"    __global const {b.c_type} *q = x1 + ({places[1]}) + column * {strides_b[1]}L;\n"
        f"    const long first = (batch * {rows}L + row) * {columns}L + column;\n"
    )
    if wide:
        body = (
            f"    {kind}{WIDTH} sums = 0;\n    for (long k = 0; k < {depth}L; ++k)\n"
            f"        sums += p[k * {strides_a[1]}L] * vload{WIDTH}(0, q + k * {strides_b[0]}L);\n"
            f"    {kind} each[{WIDTH}];\n    vstore{WIDTH}(sums, 0, each);\n"
            f"    for (int at = 0; at < {WIDTH}; ++at) {{\n        const {kind} sum = each[at];\n"
            f"        const long place = first + at;\n        y0[place] = {ending};\n    }}\n"
        )
    else:
        body = (
            f"    {kind} sum = 0;\n    for (long k = 0; k < {depth}L; ++k)\n"
            f"        sum += ({kind})p[k * {strides_a[1]}L] * ({kind})q[k * {strides_b[0]}L];\n"
            f"    const long place = first;\n    y0[place] = ({made.c_type})({ending});\n"
        )
    reads = [a, b] if addend is None else [a, b, addend]
    return step(reads, [made], n_batches * rows * step_columns, head + body)
