"""``heteroopt profile``: run a model on a device of this machine with its profiler, for plans of that model."""

from __future__ import annotations

import argparse
from pathlib import Path

from heteroopt.calibration.local import open_local
from heteroopt.calibration.profiled import profile_model
from heteroopt.cli.model_option import onnx_file
from heteroopt.cli.output import print_json
from heteroopt.cli.targets import check_targets
from heteroopt.graph.fusion import fuse
from heteroopt.graph.graph import Graph


def execute(options: argparse.Namespace) -> int:
    """Profile, write and report."""
    check_targets(options.out)
    with onnx_file(options.model, options.input) as path:
        graph = Graph.from_onnx(path, dims=dict(options.dim))
        load = {"threads": options.threads} if options.threads else {}
        with open_local(options.runtime, options.device, options=load, host_folder=options.runtimes) as device:
            found = profile_model(device, Path(path), graph, runs=options.runs)
    written = {} if options.out is None else {"out": options.out}
    if options.out is not None:
        found.save(options.out)
    if options.json:
        print_json({"written": written, "profile": found.to_dict(), "spread": found.spread})
        return 0
    print(found.summary(fuse(graph)))
    for target in written.values():
        print(f"Wrote {target}")
    return 0
