"""Operators that give elements other places: transposed, cut, repeated, filled up, looked up."""

from __future__ import annotations

from math import prod

import numpy as np

from heteroopt.runtimes.plugins.opencl.kernels import moved, offset, step
from heteroopt.runtimes.plugins.opencl.registry import Node, Result, operator
from heteroopt.runtimes.plugins.opencl.values import broadcast, make_value, row_strides, strides_into


@operator("Transpose")
def transpose(node: Node) -> Result:
    value = node.value(0)
    order = [int(axis) for axis in node.attributes.get("perm", range(len(value.shape))[::-1])]
    strides = row_strides(value.shape)
    made, launch = moved(value, [value.shape[axis] for axis in order], [strides[axis] for axis in order])
    return Result([made], [launch])


@operator("Expand")
def expand(node: Node) -> Result:
    value, asked = node.value(0), node.content(1)
    if asked is None:
        raise node.refused("its shape is missing")
    shape = broadcast(value.shape, [int(size) for size in asked])
    made, launch = moved(value, shape, strides_into(value, shape))
    return Result([made], [launch])


@operator("Tile")
def tile(node: Node) -> Result:
    value, repeats = node.value(0), node.content(1)
    if repeats is None or len(repeats) != len(value.shape):
        raise node.refused("its repeats are missing or of another rank")
    own = row_strides(value.shape)
    shape, strides = [], []
    for axis, times in enumerate(repeats):
        shape += [int(times), value.shape[axis]]
        strides += [0, own[axis]]
    made, launch = moved(value, shape, strides)
    return Result([made.view([int(a) * b for a, b in zip(repeats, value.shape, strict=True)])], [launch])


@operator("Slice")
def cut(node: Node) -> Result:
    value = node.value(0)
    if node.opset < 10:
        starts, ends = node.attributes["starts"], node.attributes["ends"]
        axes, steps = node.attributes.get("axes"), None
    else:
        starts, ends, axes, steps = (node.content(at) for at in range(1, 5))
    if starts is None or ends is None:
        raise node.refused("its starts and ends are missing")
    shape, strides, base = list(value.shape), row_strides(value.shape), 0
    for at, axis in enumerate(range(len(starts)) if axes is None else axes):
        front = node.front(int(axis), len(shape))
        pace = 1 if steps is None else int(steps[at])
        part = range(value.shape[front])[slice(int(starts[at]), int(ends[at]), pace)]
        base += (part[0] if len(part) else 0) * strides[front]
        shape[front], strides[front] = len(part), strides[front] * pace
    made, launch = moved(value, shape, strides, base)
    return Result([made], [launch])


@operator("Split")
def split(node: Node) -> Result:
    value = node.value(0)
    axis = node.axis("axis", 0, len(value.shape))
    sizes = node.attributes.get("split") if node.opset < 13 else node.content(1)
    length = value.shape[axis]
    if sizes is None:
        each = -(-length // node.n_outputs)
        sizes = [min(each, length - at * each) for at in range(node.n_outputs)]
    result = Result([])
    strides, at = row_strides(value.shape), 0
    for size in sizes:
        shape = [int(size) if other == axis else n for other, n in enumerate(value.shape)]
        made, launch = moved(value, shape, strides, at * strides[axis])
        result.outputs.append(made)
        result.steps.append(launch)
        at += int(size)
    return result


@operator("Gather")
def gather(node: Node) -> Result:
    value, places = node.value(0), node.of_kind(1, "i")
    axis = node.axis("axis", 0, len(value.shape))
    inner, length, n_places = prod(value.shape[axis + 1 :]), value.shape[axis], places.size
    made = make_value(value.dtype, (*value.shape[:axis], *places.shape, *value.shape[axis + 1 :]))
    index = f"((__global const {places.c_type} *)x1)"
    body = (
        f"    long at = {index}[g / {inner}L % {n_places}L];\n    if (at < 0) at += {length}L;\n"
        f"    if (at < 0 || at >= {length}L) {{ y0[g] = 0; return; }}\n"
        f"    y0[g] = x0[(g / {inner * n_places}L * {length}L + at) * {inner}L + g % {inner}L];\n"
    )
    return Result([made], [step([value, places], [made], made.size, body, words=True)])


@operator("Pad")
def pad(node: Node) -> Result:
    value = node.value(0)
    mode = node.attributes.get("mode", "constant")
    pads = node.content(1) if node.opset >= 11 else node.attributes.get("pads", node.attributes.get("paddings"))
    if pads is None or mode not in ("constant", "edge", "reflect", "wrap"):
        raise node.refused(f"mode {mode}" if pads is not None else "its pads are missing")
    axes = node.content(3) if node.opset >= 18 else None
    rank = len(value.shape)
    before, after = [0] * rank, [0] * rank
    listed = range(rank) if axes is None else [node.front(int(axis), rank) for axis in axes]
    for at, axis in enumerate(listed):
        before[axis], after[axis] = int(pads[at]), int(pads[at + len(listed)])
    shape = [a + n + b for a, n, b in zip(before, value.shape, after, strict=True)]
    made = make_value(value.dtype, shape)
    filling = node.content(2) if node.opset >= 11 else np.float32(node.real("value", 0.0))
    empty = (
        0 if filling is None else int(np.asarray(filling, value.dtype).reshape(1).view(f"u{value.dtype.itemsize}")[0])
    )
    own, walk, body = row_strides(shape), row_strides(value.shape), "    long from = 0, at;\n"
    for axis, size in enumerate(value.shape):
        body += f"    at = g / {own[axis]}L % {shape[axis]}L - {before[axis]}L;\n"
        if mode == "constant":
            body += f"    if (at < 0 || at >= {size}L) {{ y0[g] = ({value.word}){empty}UL; return; }}\n"
        elif mode == "edge":
            body += f"    at = clamp(at, 0L, {size - 1}L);\n"
        elif mode == "wrap":
            body += f"    at = (at % {size}L + {size}L) % {size}L;\n"
        else:
            if max(before[axis], after[axis]) >= size:
                raise node.refused(f"a reflection of {max(before[axis], after[axis])} elements of {size}")
            body += f"    at = at < 0 ? -at : at;\n    if (at >= {size}L) at = {2 * size - 2}L - at;\n"
        body += f"    from += at * {walk[axis]}L;\n"
    return Result([made], [step([value], [made], made.size, body + "    y0[g] = x0[from];\n", words=True)])


@operator("DepthToSpace", "SpaceToDepth")
def blocks(node: Node) -> Result:
    value, block = node.value(0), node.whole("blocksize")
    if len(value.shape) != 4:
        raise node.refused("other tensors than [N, C, H, W]")
    n, c, h, w = value.shape
    depth_first = node.attributes.get("mode", "DCR") == "DCR"
    if node.op_type == "SpaceToDepth":
        parts = (n, c, h // block, block, w // block, block)
        order = (0, 3, 5, 1, 2, 4) if depth_first else (0, 1, 3, 5, 2, 4)
        shape = (n, c * block * block, h // block, w // block)
    elif depth_first:
        parts, order = (n, block, block, c // block**2, h, w), (0, 3, 4, 1, 5, 2)
        shape = (n, c // block**2, h * block, w * block)
    else:
        parts, order = (n, c // block**2, block, block, h, w), (0, 1, 4, 2, 5, 3)
        shape = (n, c // block**2, h * block, w * block)
    if prod(parts) != value.size:
        raise node.refused(f"{list(value.shape)} has no whole blocks of {block}")
    strides = row_strides(parts)
    made, launch = moved(value, [parts[axis] for axis in order], [strides[axis] for axis in order])
    return Result([made.view(shape)], [launch])


@operator("Trilu")
def triangle(node: Node) -> Result:
    value = node.value(0)
    shift = node.content(1)
    k = 0 if shift is None else int(shift.reshape(-1)[0])
    rows, columns = value.shape[-2:]
    keep = f"g % {columns}L - g / {columns}L % {rows}L {'>=' if node.whole('upper', 1) else '<='} {k}L"
    made = make_value(value.dtype, value.shape)
    place = offset(row_strides(value.shape), value.shape)
    return Result([made], [step([value], [made], made.size, f"    y0[g] = {keep} ? x0[{place}] : 0;\n", words=True)])
