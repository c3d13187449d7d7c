"""What runtimes do with every ONNX operator, and what it costs to find out.

Run: python -m benchmarks.operator_map [--runtimes onnxruntime,openvino] [--every-body] [--json FILE]

Seconds are of processor time: of the plugin's processes, and of this one without making the cases (once a process).
"""

from __future__ import annotations

import argparse
import json
import resource
import time
from pathlib import Path
from typing import Any

from heteroopt.precision.node_cases import node_cases
from heteroopt.precision.operator_map import Status, map_operators
from heteroopt.precision.own_device import OwnDevice


def cpu_s(who: int) -> float:
    """Processor seconds, user and system."""
    used = resource.getrusage(who)
    return used.ru_utime + used.ru_stime


def measure(runtime: str, every_body: bool) -> dict[str, Any]:
    """Map one runtime."""
    ours, theirs = cpu_s(resource.RUSAGE_SELF), cpu_s(resource.RUSAGE_CHILDREN)
    device = OwnDevice.named(runtime)
    found = map_operators(device, every_body=every_body)
    device.close()
    cases = {
        name: sum(getattr(row, name) for row in found.operators) for name in ("passed", "failed", "wrong", "skipped")
    }
    return {
        "runtime": found.label,
        "operators": len(found.operators),
        **found.summary(),
        "cases": cases,
        "processes": device.starts,
        "plugin_cpu_s": round(cpu_s(resource.RUSAGE_CHILDREN) - theirs, 1),
        "own_cpu_s": round(cpu_s(resource.RUSAGE_SELF) - ours, 1),
        "wall_s": found.seconds,
        "wrong_operators": [row.op_type for row in found.operators if row.status == Status.WRONG],
        "unsupported_operators": [row.op_type for row in found.operators if row.status == Status.UNSUPPORTED],
    }


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--runtimes", default="onnxruntime,openvino")
    parser.add_argument("--every-body", action="store_true", help="run the tests of all bodies too")
    parser.add_argument("--json", type=Path)
    arguments = parser.parse_args()
    begin = time.process_time()
    cases = len(node_cases())
    print(f"{cases} cases made in {time.process_time() - begin:.1f} s")
    rows = [measure(runtime, arguments.every_body) for runtime in arguments.runtimes.split(",")]
    for row in rows:
        print(json.dumps(row, indent=1))
    if arguments.json:
        arguments.json.write_text(json.dumps(rows, indent=1))


if __name__ == "__main__":
    main()
