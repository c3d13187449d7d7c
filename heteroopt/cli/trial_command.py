"""``heteroopt trial``: run a plan's segments here, and compare results and times with the whole model and the plan."""

from __future__ import annotations

import argparse
import platform
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from heteroopt.api.exporting import stored_request
from heteroopt.calibration.portable.standalone import processor
from heteroopt.cli.output import figure, print_json, printable, table
from heteroopt.cli.termination import termination_raised
from heteroopt.costs.database import MeasuredDevice
from heteroopt.deployment.export_files import safe_name
from heteroopt.deployment.exporters.ort_segments.providers import device_settings
from heteroopt.deployment.exporting import ExportRequest
from heteroopt.deployment.plan_reader import read_plan
from heteroopt.deployment.trial import TrialReport, TrialSettings, run_trial
from heteroopt.deployment.trial.feedback import trial_profiles
from heteroopt.deployment.trial.places import options_here
from heteroopt.devices.spec import DeviceSpec
from heteroopt.precision.own_device import OwnDevice


def execute(options: argparse.Namespace) -> int:
    """Run and print; exit code 1 where the results differ by more than right ones may."""
    request = stored_request(
        read_plan(options.plan), number=options.number, model=Path(options.model), options=dict(options.option)
    )
    here = options_here(request.plan.pool)
    request = replace(request, options={**here, **request.options})
    with termination_raised():
        report = run_trial(request, TrialSettings(options.items, options.in_flight, options.seconds))
    if options.take_back:
        _take_back(request, report, Path(options.take_back), quiet=options.json)
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
    if report.random_weights:
        print(f"{report.random_weights} weights of the file are all alike and were random in this run")
    for output in report.outputs:
        said = "within" if output.within else "BEYOND"
        note = " (proves nothing)" if output.constant else ""
        print(f"  {printable(output.name)}: {output.distance:.2g}, {said} the tolerance {output.tolerance:.2g}{note}")
    return 0 if report.same_results else 1


def _take_back(request: ExportRequest, report: TrialReport, folder: Path, *, quiet: bool) -> None:
    """Write a profile for each device that the run tells something of."""
    found = trial_profiles(request, report, {device.name: _ran(device.name, request) for device in _used(request)})
    folder.mkdir(parents=True, exist_ok=True)
    paths = profile_paths(folder, list(found))
    for name, profile in found.items():
        path = paths[name]
        profile.save(path)
        if not quiet:
            print(f"{printable(name)}: {profile.scale:.3g} x what was predicted, kept in {printable(str(path))}")


def profile_paths(folder: Path, names: Sequence[str]) -> dict[str, Path]:
    """A file for the profile of each device: its name, or what of it is safe in a file's name."""
    found: dict[str, Path] = {}
    taken: set[str] = set()
    for name in names:
        stem = safe_name(name, "device")
        number = 2
        while stem.lower() in taken:
            stem, number = f"{safe_name(name, 'device')}_{number}", number + 1
        taken.add(stem.lower())
        found[name] = folder / f"{stem}.json"
    return found


def _used(request: ExportRequest) -> list[DeviceSpec]:
    devices = request.plan.pool.devices
    return [devices[index] for index in sorted({segment.device for segment in request.partition.segments})]


def _ran(name: str, request: ExportRequest) -> MeasuredDevice:
    """What ran a device of the pool: its runtime here is opened once for its fingerprint."""
    entry = next(one for one in device_settings(request.plan.pool, request.options) if one["name"] == name)
    with OwnDevice.named(entry["runtime"]) as device:
        taken = device.fingerprint()
    return MeasuredDevice(
        runtime=entry["runtime"],
        index=0,
        name=f"{entry['provider']} {','.join(str(core) for core in entry.get('cpus', ()))}".strip(),
        host=platform.node(),
        processor=processor(),
        threads=int(entry.get("threads", 0)),
        fingerprint=taken.hash,
        versions=dict(taken.versions),
    )
