"""Bytes that one operator moves: activations and weights read, outputs written; views move none."""

from __future__ import annotations

from heteroopt.graph.values import Value

# Operators that touch only a part of an input, and which one: they read as much of it as they write.
PARTIAL_READS = {
    "Gather": (0,), "GatherElements": (0,), "GatherND": (0,), "Slice": (0,), "SequenceAt": (0,), "Compress": (0,),
    "EmbedLayerNormalization": (2, 3, 4), "QEmbedLayerNormalization": (2, 3, 4), "EmbeddingBag": (0,),
    "GatherBlockQuantized": (0, 2, 3), "TorchEmbedding": (0,), "SequenceErase": (0,), "CenterCropPad": (0,),
}  # fmt: skip
_SHAPE_ONLY = frozenset((
    "Shape", "Size", "RandomNormalLike", "RandomUniformLike", "EyeLike", "SequenceLength", "OptionalHasElement",
))  # fmt: skip


def bytes_moved(op_type: str, inputs: list[Value | None], outputs: list[Value]) -> tuple[int, int]:
    """``(read, written)``; an input that is given twice is read once, a gathered table only where it is needed."""
    written = sum(value.size_bytes for value in outputs if value.name)
    if op_type in _SHAPE_ONLY:
        return 0, written
    partial = PARTIAL_READS.get(op_type, ())
    read = 0
    seen: set[int] = set()
    for position, value in enumerate(inputs):
        if value is None or id(value) in seen:
            continue
        seen.add(id(value))
        size = value.storage.size_bytes if value.constant else value.size_bytes
        read += min(size, written) if position in partial else size
    return read, written
