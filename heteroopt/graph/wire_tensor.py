"""Does a tensor in the file hold what it declares? Checked on lengths alone, before any of its bytes is used."""

from __future__ import annotations

import math
import mmap
from dataclasses import dataclass, field
from typing import Final

from heteroopt.errors import ModelError
from heteroopt.graph.data_files import plain_location
from heteroopt.graph.dtypes import ELEMENT_TYPES, size_in_bytes
from heteroopt.graph.limits import ReaderLimits
from heteroopt.graph.names import display_name

CUT_MARK: Final = b"\x01weights cut"
"""Documentation string that marks a tensor whose bytes were left in the file (real ones are dropped)."""

_FIXED_WIDTH: Final = {4: 4, 10: 8}  # float_data, double_data: bytes an element when packed


@dataclass(slots=True)
class TensorFacts:
    """Lengths and declarations of one TensorProto, gathered by the scanner."""

    name: str = ""
    dims: list[int] = field(default_factory=list)
    data_type: int = 0
    raw_bytes: int = -1
    typed_count_min: int = 0
    typed_count_max: int = 0
    external: bool = False
    entries: dict[str, str] = field(default_factory=dict)
    location: str = ""
    offset: int = 0
    expected_bytes: int = 0
    head: list[bytes] = field(default_factory=list)
    place: list[bytes] = field(default_factory=list)
    payload: list[bytes] = field(default_factory=list)
    payload_bytes: int = 0

    @property
    def without_data(self) -> bool:
        """Whether the tensor declares elements and carries none: a stand-in for its weights."""
        return self.raw_bytes <= 0 and self.typed_count_max == 0 and math.prod(self.dims) > 0

    def add_payload(self, data: bytes | mmap.mmap, start: int, end: int, limit: int) -> None:
        """Keep a data field while the tensor stays small."""
        self.payload_bytes += end - start
        if self.payload_bytes <= limit:
            self.payload.append(data[start:end])

    def add_typed(self, number: int, wire_type: int, length: int) -> None:
        """Count the elements of a typed data field: exactly if of fixed width, else by their least and greatest."""
        if wire_type != 2 or number == 6:
            least = most = 1
        elif number in _FIXED_WIDTH:
            least = most = length // _FIXED_WIDTH[number]
        else:
            least, most = -(-length // 10), length
        self.typed_count_min += least
        self.typed_count_max += most


def check_tensor(facts: TensorFacts, limits: ReaderLimits) -> None:
    """Raise :class:`ModelError` naming the tensor when its data, type or dimensions cannot be right."""
    name = display_name(facts.name) or "(unnamed)"
    if any(size < 0 or size > limits.max_dimension for size in facts.dims):
        raise ModelError(
            "tensor_dims_invalid",
            f"The constant {name!r} declares impossible dimensions.",
            hint="Export the model again.",
            tensor=name,
            dims=facts.dims[:8],
        )
    element = ELEMENT_TYPES.get(facts.data_type)
    if element is None:
        raise ModelError(
            "tensor_type_unknown",
            f"The constant {name!r} has the unknown element type {facts.data_type}.",
            hint="Export the model with a current version of ONNX.",
            tensor=name,
            data_type=facts.data_type,
        )
    elements = math.prod(facts.dims)
    expected = facts.expected_bytes = size_in_bytes(elements, element.bits)
    if expected > limits.max_tensor_bytes:
        raise ModelError(
            "tensor_too_large",
            f"The constant {name!r} declares {expected:,} bytes.",
            hint="Check its dimensions: no device holds it.",
            tensor=name,
            size_bytes=expected,
        )
    if facts.external:
        _check_external(facts, name, expected)
        return
    if facts.without_data or element.name == "string":
        return
    if facts.raw_bytes >= 0:
        wrong = facts.raw_bytes != expected
    else:
        per_item = max(1, 8 // element.bits) if element.bits < 8 else 1
        items = -(-elements // per_item) * (2 if element.name.startswith("complex") else 1)
        wrong = not facts.typed_count_min <= items <= facts.typed_count_max
    if wrong:
        raise ModelError(
            "tensor_data_mismatch",
            f"The constant {name!r} declares {expected:,} bytes, but carries a different number.",
            hint="The file is damaged or was edited; export the model again.",
            tensor=name,
            declared_bytes=expected,
        )


def _check_external(facts: TensorFacts, name: str, expected: int) -> None:
    """Set where the data lies; a place that could be outside of the upload, or of another length, is refused."""
    location = plain_location(facts.entries.get("location", ""))
    # An empty text stands for a number left out, as some exporters write it.
    numbers = [facts.entries.get("offset", "") or "0", facts.entries.get("length", "") or str(expected)]
    plain = all(text.isascii() and text.isdigit() and len(text) <= 18 for text in numbers)
    if not location or not plain or int(numbers[1]) != expected:
        raise ModelError(
            "external_data_refused",
            f"The constant {name!r} refers to data outside the model in a way that is not accepted.",
            hint="Store the weights inside the .onnx file, or in one file next to it with a plain name.",
            tensor=name,
        )
    facts.location, facts.offset = location, int(numbers[0])
