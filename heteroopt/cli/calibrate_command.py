"""``heteroopt calibrate``: measure a device of this machine, or write what another machine needs to do so."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any

from heteroopt.api.calibration import summary_text
from heteroopt.calibration.cases import make_cases, write_cases
from heteroopt.calibration.drift import recheck
from heteroopt.calibration.handle_device import HandleDevice
from heteroopt.calibration.local import calibrate_device, open_locals
from heteroopt.calibration.single_file import single_file
from heteroopt.cli.model_option import onnx_file
from heteroopt.cli.output import ProgressBar, print_json
from heteroopt.cli.targets import check_targets
from heteroopt.costs.bundle import MAX_BUNDLE_BYTES, bundle_hash, read_bundle
from heteroopt.costs.cost_models import cost_models
from heteroopt.costs.device_model import DeviceCostModel
from heteroopt.deployment.handover import measure_handover
from heteroopt.errors import CostError
from heteroopt.graph.graph import Graph
from heteroopt.version import __version__

USAGE = """usage: heteroopt calibrate --runtime NAME --out BUNDLE.json [--model MODEL ...]
       heteroopt calibrate --cases-out CASES.json [--calibrator-out CALIBRATOR.py] [--model MODEL ...]
       heteroopt calibrate --runtime NAME --check BUNDLE.json [--model MODEL ...]
       heteroopt calibrate --show BUNDLE.json
       heteroopt calibrate --cost-models"""


def execute(options: argparse.Namespace) -> int:
    """Measure, check or show; 2 for options that do not go together, 3 where a checked calibration no longer holds."""
    if options.cost_models:
        return _list_cost_models(options)
    writes = options.cases_out or options.calibrator_out
    if options.show:
        return _show(options)
    if not writes and (options.runtime is None or (options.out is None) == (options.check is None)):
        print(USAGE, file=sys.stderr)
        return 2
    check_targets(options.out, options.cases_out, options.calibrator_out)
    graphs = [_graph(model, options) for model in options.model]
    if writes:
        return _write(options, graphs)
    indices = (options.device,) if options.beside is None or options.check else (options.device, options.beside)
    with open_locals(options.runtime, indices, options=_load_options(options), host_folder=options.runtimes) as devices:
        return _check(devices[0], options, graphs) if options.check else _measure(devices, options, graphs)


def _graph(model: str, options: argparse.Namespace) -> Graph:
    with onnx_file(model, options.input) as path:
        return Graph.from_onnx(path, dims=dict(options.dim))


def _load_options(options: argparse.Namespace) -> dict[str, Any]:
    return {"threads": options.threads} if options.threads else {}


def _write(options: argparse.Namespace, graphs: list[Graph]) -> int:
    written = {}
    if options.calibrator_out:
        Path(options.calibrator_out).write_text(single_file(__version__), "utf-8")
        written["calibrator"] = options.calibrator_out
    refused: list[dict[str, str]] = []
    if options.cases_out:
        cases, refused = make_cases(graphs, count=options.cases)
        write_cases(options.cases_out, cases)
        written["cases"] = options.cases_out
    if options.json:
        print_json({"written": written, "refused": refused})
    else:
        for path in written.values():
            print(f"Wrote {path}")
        _print_refused(refused)
    return 0


def _measure(devices: list[HandleDevice], options: argparse.Namespace, graphs: list[Graph]) -> int:
    bar = ProgressBar(quiet=options.quiet or options.json, unit="operator")
    try:
        database, bundle = calibrate_device(
            devices[0],
            graphs,
            count=options.cases,
            budget_s=options.budget_s,
            checkpoint=_checkpoint(options.resume),
            save=None if options.resume is None else lambda state: _save(options.resume, state),
            progress=bar,
            beside=devices[1] if len(devices) > 1 else None,
            handover=measure_handover,
        )
    finally:
        bar.close()
    refused = bundle.pop("not_rebuilt")
    bundle["hash"] = bundle_hash(bundle)
    Path(options.out).write_text(json.dumps(bundle), "utf-8")
    model = DeviceCostModel.train(database, cost_model=options.cost_model)
    if options.json:
        print_json(
            {"written": {"out": options.out}, "refused": refused, "stopped": bundle["stopped"], **model.summary()}
        )
        return 0
    print(summary_text(model))
    _print_refused(refused)
    if bundle["stopped"]:
        print(f"  ended early ({bundle['stopped']}): {len(database)} of {bundle['cases']} operators")
    print(f"Wrote {options.out}")
    return 0


def _check(device: HandleDevice, options: argparse.Namespace, graphs: list[Graph]) -> int:
    database = read_bundle(options.check)
    found = recheck(device, database, make_cases(graphs, count=options.cases)[0])
    same = database.device.fingerprint == device.fingerprint
    if options.json:
        rows = [dict(zip(("key", "kind", "before_s", "after_s"), row, strict=True)) for row in found.rows]
        print_json(
            {
                "verdict": found.verdict,
                "factor": found.factor,
                "agreeing": found.agreeing,
                "fingerprint": same,
                "rows": rows,
            }
        )
    else:
        print(f"{found.agreeing} of {len(found.rows)} operators take what they took; median factor {found.factor:.3f}")
        print(_VERDICTS[found.verdict].format(factor=found.factor))
        if not same:
            print("The runtime or its libraries have changed since (another fingerprint).")
    return 0 if found.verdict == "holds" else 3


_VERDICTS = {
    "holds": "The calibration still holds.",
    "shifted": "Everything takes {factor:.2f} times as long: calibrate again, or see why its speed has changed.",
    "changed": "Operators have changed by unlike factors: calibrate again.",
}


def _show(options: argparse.Namespace) -> int:
    model = DeviceCostModel.train(read_bundle(options.show), cost_model=options.cost_model)
    if options.json:
        print_json(model.summary())
    else:
        print(summary_text(model))
    return 0


def _list_cost_models(options: argparse.Namespace) -> int:
    """What may learn from measurements here, and the plugins that cannot, with the reason."""
    known = cost_models()
    if options.json:
        unavailable = [one.to_dict() for one in known.unavailable]
        print_json({"available": sorted(known.available), "unavailable": unavailable})
        return 0
    for name, kind in sorted(known.available.items()):
        print(f"{name}: {(kind.__doc__ or '').strip().splitlines()[0] if kind.__doc__ else ''}")
    for one in known.unavailable:
        print(f"{one.name}: unavailable ({one.origin}): {one.message}")
    return 0


def _checkpoint(path: str | None) -> dict[str, Any] | None:
    if path is None or not Path(path).exists():
        return None
    with Path(path).open("rb") as file:
        text = file.read(MAX_BUNDLE_BYTES)
    try:
        state = json.loads(text)
    except ValueError as error:
        raise CostError(
            "checkpoint_other",
            "The checkpoint is of other cases, another device or another version of its runtime.",
            hint="Start the calibration again without it.",
        ) from error
    return state if isinstance(state, dict) else {}


def _save(path: str, state: dict[str, Any]) -> None:
    part = Path(f"{path}.part")
    part.write_text(json.dumps(state), "utf-8")
    part.replace(path)


def _print_refused(refused: list[dict[str, str]]) -> None:
    for row in refused[:10]:
        print(f"  not measured alone: {row['operator']} ({row['kind']}): {row['why']}")
    if len(refused) > 10:
        print(f"  and {len(refused) - 10} more")
