"""``heteroopt inspect MODEL``: what is in a model."""

from __future__ import annotations

import argparse
from dataclasses import asdict
from typing import Any

from heteroopt.cli.model_option import given_of, onnx_file
from heteroopt.cli.output import figure, print_json, table
from heteroopt.errors import HeteroOptError
from heteroopt.graph.given import NOTHING_GIVEN, Given
from heteroopt.units import BYTES_PER_MB, FLOP_PER_GFLOP


def execute(options: argparse.Namespace) -> int:
    """Print the account of a model."""
    with onnx_file(options.model, options.input) as path:
        account = describe(path, dict(options.dim), given_of(options))
    if options.json:
        print_json(account)
        return 0
    print(f"{account['name']}: {account['n_operators']} operators, {account['n_edges']} edges")
    print(f"  schedulable after fusion  {account['n_schedulable']}")
    print(f"  parameters                {account['parameters']:,} ({account['weight_bytes'] / BYTES_PER_MB:,.1f} MB)")
    print(f"  work                      {figure(account['flops'] / FLOP_PER_GFLOP)} GFLOP (2 per multiply-accumulate)")
    print(f"  activations               {account['activation_bytes'] / BYTES_PER_MB:,.1f} MB")
    print(f"  opset {account['opset']}, IR version {account['ir_version']}")
    for dim in account["dynamic_dims"]:
        print(f"  dynamic dimension {dim['name']} = {account['dims'].get(dim['name'], dim['default'])}")
    print()
    print(table(("Type", "Operators"), list(account["op_types"].items()), right=(1,)))
    for note in account["notes"]:
        print(f"note: {note['code']} {note['params']}")
    return 0


def describe(path: str, dims: dict[str, int], given: Given = NOTHING_GIVEN) -> dict[str, Any]:
    """The account of a model as JSON-able data. Raises ``ModelError``."""
    from heteroopt.graph.fusion import fuse
    from heteroopt.graph.onnx_reader import inspect_onnx, read_onnx

    declared = inspect_onnx(path)
    graph = read_onnx(path, dims=dims, given=given)
    unknown = sorted(set(dims) - {dim.name for dim in declared.dynamic_dims})
    if unknown:
        raise HeteroOptError(
            "unknown_dim",
            f"The model has no dynamic dimension {', '.join(unknown)}.",
            hint=f"It has {', '.join(dim.name for dim in declared.dynamic_dims) or 'none'}.",
            unknown=unknown,
        )
    return {
        "name": graph.name,
        "n_operators": len(graph.operators),
        "n_edges": len(graph.edges),
        "n_schedulable": len(fuse(graph).operators),
        "op_types": graph.op_type_histogram(),
        "parameters": graph.parameters,
        "weight_bytes": graph.weight_bytes,
        "flops": graph.flops,
        "activation_bytes": graph.activation_bytes,
        "opset": graph.opset,
        "ir_version": declared.ir_version,
        "inputs": [asdict(port) for port in declared.inputs],
        "outputs": [asdict(port) for port in declared.outputs],
        "dynamic_dims": [asdict(dim) for dim in declared.dynamic_dims],
        "dims": dict(graph.dims),
        "notes": [dict(note) for note in graph.notes],
        "graph_hash": graph.content_hash,
    }
