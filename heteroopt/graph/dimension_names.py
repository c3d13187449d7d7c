"""Sizes that stand in for dynamic dimensions until they are bound, guessed from their names and places."""

from __future__ import annotations

import re
from typing import Final

from onnx import TensorProto

DEFAULT_SIZE: Final = 1
SEQUENCE: Final = 128
IMAGE: Final = 224
_SEQUENCE_NAMES: Final = re.compile(
    r"(^|[^a-z])(seq|sequence|tokens?|past|context|frames?|samples?)|len(gth)?($|[^a-z])|(^|[^a-z])time", re.IGNORECASE
)
_IMAGE_NAMES: Final = re.compile(r"height|width|(^|_)[hw]($|_)", re.IGNORECASE)
_COUNT_NAMES: Final = re.compile(r"batch|^(n|b|bs|num_\w+|n_\w+)$", re.IGNORECASE)
_INTEGERS: Final = (TensorProto.INT64, TensorProto.INT32)


def default_size(parameter: str, axis: int, rank: int, element: int) -> int:
    """A size for one dimension of an input: 1 where nothing suggests another.

    Sequences get 128 and heights and widths 224, by the name of the dimension (``parameter``) or, where that says
    nothing, by its place: the axes after the second of a floating-point input of four dimensions are an image's, the
    second axis of an integer matrix counts tokens.
    """
    if _SEQUENCE_NAMES.search(parameter):
        return SEQUENCE
    if _IMAGE_NAMES.search(parameter):
        return IMAGE
    if _COUNT_NAMES.search(parameter):
        return DEFAULT_SIZE
    if rank == 4 and axis >= 2 and element not in _INTEGERS:
        return IMAGE
    return SEQUENCE if rank == 2 and axis == 1 and element in _INTEGERS else DEFAULT_SIZE
