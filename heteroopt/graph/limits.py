"""Bounds that keep a hostile or absurd model file from costing more than a clear refusal."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ReaderLimits:
    """Limits of the ONNX reader; each one is checked before the memory or time it guards is spent.

    ``max_file_bytes`` is protobuf's own limit of 2 GiB a message: larger models keep their weights in at most
    ``max_data_files`` other files. ``max_structure_bytes`` bounds what is left of a file once weights and
    documentation strings are skipped;
    ``max_fields`` bounds the protobuf fields looked at, ``max_graphs`` the model's graph and the bodies inside it,
    ``max_node_inputs`` the inputs of all operators together,
    ``max_declared_values`` the inputs, outputs and other values that the graphs declare, ``max_list_bytes`` the
    lists in attributes that are kept; ``max_nesting`` counts protobuf messages inside each other (three a level of
    If or Loop). Constants above ``max_kept_tensor_bytes`` stay in the file, and all but tiny
    ones once ``max_kept_bytes`` are taken; ``max_fold_elements`` is the largest constant whose values are computed,
    ``max_fold_total`` bounds all computed values together. Whoever goes without values keeps its shape.
    Bodies of loops are walked again for a better estimate until ``max_visits`` operators were looked at.
    """

    max_file_bytes: int = 2**31
    max_structure_bytes: int = 64 * 2**20
    max_fields: int = 3_000_000
    max_nodes: int = 50_000
    max_node_inputs: int = 300_000
    max_declared_values: int = 100_000
    max_nesting: int = 96
    max_name_bytes: int = 2 * 2**20
    max_dims: int = 64
    max_functions: int = 2_000
    max_graphs: int = 2_000
    max_data_files: int = 5_000
    max_attributes: int = 256
    max_kept_tensor_bytes: int = 256 * 2**10
    max_kept_bytes: int = 32 * 2**20
    max_list_bytes: int = 4 * 2**20
    max_inlined_bytes: int = 256 * 2**20
    max_fold_elements: int = 65_536
    max_fold_total: int = 2**23
    max_visits: int = 60_000
    max_dimension: int = 2**40
    max_tensor_bytes: int = 2**40
