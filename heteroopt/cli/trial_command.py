"""``heteroopt trial``: run a plan's segments here, and compare results and times with the whole model and the plan."""

from __future__ import annotations

import argparse
from pathlib import Path

from heteroopt.api.exporting import stored_request
from heteroopt.cli.output import figure, print_json, printable, table
from heteroopt.deployment.plan_reader import read_plan
from heteroopt.deployment.trial import TrialSettings, run_trial


def execute(options: argparse.Namespace) -> int:
    """Run and print; exit code 1 where the results differ by more than right ones may."""
    request = stored_request(
        read_plan(options.plan), number=options.number, model=Path(options.model), options=dict(options.option)
    )
    report = run_trial(request, TrialSettings(options.items, options.in_flight, options.seconds))
    if options.json:
        print_json(report.to_dict())
        return 0 if report.same_results else 1
    rows = [
        (str(s.index), printable(s.device), str(s.operators), figure(s.predicted_ms), figure(s.measured_ms),
         f"{s.memory_bytes / 1e6:.1f}")
        for s in report.segments
    ]  # fmt: skip
    print(table(("segment", "device", "operators", "predicted ms", "measured ms", "memory MB"), rows))
    print(f"Latency     {figure(report.latency_ms)} ms, predicted {figure(report.predicted_latency_ms)} ms")
    print(
        f"Throughput  {figure(report.throughput_per_s)} items/s, predicted "
        f"{figure(report.predicted_throughput_per_s)} items/s"
    )
    print(f"In one piece {figure(report.whole_ms)} ms on the CPU provider of ONNX Runtime")
    for output in report.outputs:
        said = "within" if output.within else "BEYOND"
        note = " (constant: proves nothing)" if output.constant else ""
        print(f"  {printable(output.name)}: {output.distance:.2g}, {said} the tolerance {output.tolerance:.2g}{note}")
    return 0 if report.same_results else 1
