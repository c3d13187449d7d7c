"""Bounds that keep a hostile or absurd model file from costing more than a clear refusal."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ReaderLimits:
    """Limits of the ONNX reader; each one is checked before the memory or time it guards is spent.

    ``max_structure_bytes`` bounds what is left of a file once weights and documentation strings are skipped;
    ``max_fields`` bounds the protobuf fields looked at; ``max_nesting`` counts protobuf messages inside each
    other (three a level of If or Loop); ``max_fold_elements`` is the largest constant whose values are computed.
    """

    max_file_bytes: int = 64 * 2**30
    max_structure_bytes: int = 64 * 2**20
    max_fields: int = 3_000_000
    max_nodes: int = 50_000
    max_nesting: int = 96
    max_name_bytes: int = 2 * 2**20
    max_dims: int = 64
    max_functions: int = 2_000
    max_attributes: int = 256
    max_kept_tensor_bytes: int = 256 * 2**10
    max_fold_elements: int = 65_536
    max_dimension: int = 2**40
    max_tensor_bytes: int = 2**40
