"""``heteroopt convert MODEL --out MODEL.onnx``: a PyTorch file as ONNX, on the machine of whoever owns it."""

from __future__ import annotations

import argparse
from pathlib import Path

from heteroopt.cli.output import print_json
from heteroopt.graph.pytorch.convert import convert_file
from heteroopt.units import BYTES_PER_MB


def execute(options: argparse.Namespace) -> int:
    """Convert and say what was written. Raises ``ModelError``."""
    target = Path(options.out)
    convert_file(options.model, target, options.input or None)
    data = Path(f"{target}.data")
    files = [path for path in (target, data) if path.exists()]
    if options.json:
        print_json({"files": [{"path": str(path), "size_bytes": path.stat().st_size} for path in files]})
        return 0
    for path in files:
        print(f"{path}: {path.stat().st_size / BYTES_PER_MB:,.1f} MB")
    return 0
