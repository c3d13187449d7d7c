"""Operators that only look at the same elements in another way: no kernel, no memory."""

from __future__ import annotations

from math import prod

from heteroopt.runtimes.plugins.opencl.registry import Node, Result, operator


@operator("Identity")
def identity(node: Node) -> Result:
    value = node.value(0)
    return Result([value.view(value.shape)])


@operator("Dropout")
def dropout(node: Node) -> Result:
    """As in inference. Refuses training and the mask."""
    training = node.content(2) if node.opset >= 12 else None
    if node.n_outputs > 1 or (training is not None and bool(training)):
        raise node.refused("training mode and the mask")
    return identity(node)


@operator("Reshape")
def reshape(node: Node) -> Result:
    value = node.value(0)
    asked = node.attributes.get("shape") if node.opset < 5 else node.content(1)
    if asked is None:
        raise node.refused("its shape is missing")
    shape = [int(size) for size in asked]
    if not node.whole("allowzero", 0):
        shape = [value.shape[at] if size == 0 and at < len(value.shape) else size for at, size in enumerate(shape)]
    if -1 in shape:
        rest = prod(size for size in shape if size != -1)
        shape[shape.index(-1)] = value.size // rest if rest else 0
    if prod(shape) != value.size or any(size < 0 for size in shape):
        raise node.refused(f"{list(value.shape)} does not become {shape}")
    return Result([value.view(shape)])


@operator("Flatten")
def flatten(node: Node) -> Result:
    value = node.value(0)
    axis = node.whole("axis", 1)
    at = axis if axis >= 0 else axis + len(value.shape)
    return Result([value.view([prod(value.shape[:at]), prod(value.shape[at:])])])


@operator("Squeeze")
def squeeze(node: Node) -> Result:
    value = node.value(0)
    ones = [axis for axis, size in enumerate(value.shape) if size == 1]
    axes = node.axes(1, len(value.shape), ones)
    if any(value.shape[axis] != 1 for axis in axes):
        raise node.refused(f"an axis to leave out is longer than 1 in {list(value.shape)}")
    return Result([value.view([size for axis, size in enumerate(value.shape) if axis not in axes])])


@operator("Unsqueeze")
def unsqueeze(node: Node) -> Result:
    value = node.value(0)
    content = node.attributes.get("axes")
    given = node.content(1) if content is None else content
    if given is None:
        raise node.refused("its axes are missing")
    rank = len(value.shape) + len(given)
    axes = {node.front(int(axis), rank) for axis in given}
    rest = iter(value.shape)
    return Result([value.view([1 if axis in axes else next(rest) for axis in range(rank)])])
