"""Loads a model into OpenVINO's HETERO with the affinities beside this file, and says where everything went.

    python load_openvino.py MODEL.onnx            compile it, compare the real placement with the plan
    python load_openvino.py MODEL.onnx --json     the same as JSON

or from Python: ``compiled = load("MODEL.onnx")``. Needs OpenVINO from 2023.0 on; nothing else.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import re
import sys
import tempfile
from pathlib import Path
from typing import Any

import openvino as ov

OLDEST = (2023, 0)
AFFINITIES = Path(__file__).with_name("affinities.json")
_LABEL = re.compile(r'label="(.*?)"', re.DOTALL)
_DEVICE = "device="


class Refused(Exception):
    """The plan cannot be loaded as it is, and why."""


def load(model_path: str | Path, affinities: Path = AFFINITIES, config: dict[str, Any] | None = None) -> Any:
    """The compiled model, every operator on its planned device. Raises ``Refused`` below 100 %."""
    return _compiled(_assigned(Path(model_path), affinities), config)[0]


def placement(model_path: str | Path, affinities: Path = AFFINITIES) -> dict[str, Any]:
    """Compile and read back: ``planned``, ``placed`` (as planned), ``elsewhere`` (names), ``devices``, ``submodels``.

    Raises ``Refused`` also where this OpenVINO does not write down what it made of the affinities.
    """
    assigned = _assigned(Path(model_path), affinities)
    compiled, real = _compiled(assigned, None)
    if not real:
        raise Refused(f"OpenVINO {ov.get_version()} loaded the model, but does not tell where its operators are.")
    elsewhere = [
        operator["name"]
        for operator, node in assigned.nodes
        if real.get(node.get_friendly_name()) != assigned.targets[operator["device"]]
    ]
    return {
        "planned": len(assigned.nodes),
        "placed": len(assigned.nodes) - len(elsewhere),
        "elsewhere": elsewhere,
        "every_op_has_an_affinity": assigned.complete,
        "devices": list(compiled.get_property("EXECUTION_DEVICES")),
        "submodels": int(compiled.get_property("HETERO_NUMBER_OF_SUBMODELS")),
        "openvino": ov.get_version(),
    }


class Assigned:
    """A model whose operators carry affinities."""

    def __init__(self, model: Any, document: dict[str, Any]) -> None:
        self.model = model
        self.targets: dict[str, str] = document["targets"]
        self.nodes: list[tuple[dict[str, Any], Any]] = []
        self.complete = False


def _assigned(path: Path, affinities: Path) -> Assigned:
    version = tuple(int(part) for part in re.findall(r"\d+", ov.get_version())[:2])
    if version < OLDEST:
        raise Refused(f"OpenVINO {ov.get_version()} is older than {OLDEST[0]}.{OLDEST[1]}.")
    document = json.loads(affinities.read_text("utf-8"))
    if hashlib.sha256(path.read_bytes()).hexdigest() != document["model_sha256"]:
        raise Refused(f"{path.name} is not the file that was planned: its SHA-256 differs from the plan's.")
    assigned = Assigned(ov.Core().read_model(path), document)
    ordered = assigned.model.get_ordered_ops()
    by_output = {name: op for op in ordered for at in range(op.get_output_size()) for name in op.output(at).get_names()}
    device: dict[str, str] = {}
    missing, torn = [], []
    for operator in document["operators"]:
        names = [*operator["outputs"], *operator["passed_on"]]
        op = next((by_output[name] for name in names if name in by_output), None)
        if op is None:
            missing.append(operator["name"])
            continue
        target = assigned.targets[operator["device"]]
        if device.setdefault(op.get_friendly_name(), target) != target:
            torn.append(operator["name"])
        assigned.nodes.append((operator, op))
    total = len(document["operators"])
    if missing:
        raise Refused(f"{total - len(missing)} of {total} operators are in the model; not: {', '.join(missing[:20])}.")
    if torn:
        raise Refused(f"OpenVINO joins operators that the plan puts on two devices: {', '.join(torn[:20])}.")
    _complete(ordered, device)
    for op in ordered:
        op.get_rt_info()["affinity"] = device[op.get_friendly_name()]
    assigned.complete = all("affinity" in op.get_rt_info() for op in assigned.model.get_ops())
    return assigned


def _complete(ordered: list[Any], device: dict[str, str]) -> None:
    """Give what is in no plan (constants, conversions, parts of one ONNX operator) the device of what reads it."""
    for op in reversed(ordered):
        name = op.get_friendly_name()
        if name not in device and op.get_type_name() != "Result":
            readers = [
                device[port.get_node().get_friendly_name()]
                for at in range(op.get_output_size())
                for port in op.output(at).get_target_inputs()
                if port.get_node().get_friendly_name() in device
            ]
            if readers:
                device[name] = readers[0]
    fallback = next(iter(device.values()))
    for op in ordered:
        name = op.get_friendly_name()
        if name not in device:
            sources = [op.input_value(at).get_node().get_friendly_name() for at in range(op.get_input_size())]
            device[name] = next((device[source] for source in sources if source in device), fallback)


def _compiled(assigned: Assigned, config: dict[str, Any] | None) -> tuple[Any, dict[str, str]]:
    """The compiled model, and the device of each operator by friendly name as HETERO writes it down."""
    priorities = ",".join(dict.fromkeys(assigned.targets.values()))
    settings = {"INFERENCE_PRECISION_HINT": "f32", **(config or {})}
    before, folder = os.environ.get("OPENVINO_HETERO_VISUALIZE"), Path.cwd()
    with tempfile.TemporaryDirectory() as scratch:
        os.environ["OPENVINO_HETERO_VISUALIZE"] = "1"
        os.chdir(scratch)
        try:
            compiled = ov.Core().compile_model(assigned.model, f"HETERO:{priorities}", settings)
            real: dict[str, str] = {}
            for path in sorted(Path(scratch).glob("hetero_affinity_*.dot")):
                real.update(_devices(path.read_text("utf-8", "replace")))
        finally:
            os.chdir(folder)
            if before is None:
                del os.environ["OPENVINO_HETERO_VISUALIZE"]
            else:
                os.environ["OPENVINO_HETERO_VISUALIZE"] = before
    return compiled, real


def _devices(text: str) -> dict[str, str]:
    """Device by friendly name: the first and the last line of each node's label."""
    found = {}
    for label in _LABEL.findall(text):
        lines = label.split("\\n")
        if lines[-1].startswith(_DEVICE):
            found[lines[0]] = lines[-1].removeprefix(_DEVICE)
    return found


def main() -> int:
    """Load, report, and fail below 100 %."""
    parser = argparse.ArgumentParser(description="Load a planned model into OpenVINO's HETERO and read it back.")
    parser.add_argument("model", metavar="MODEL.onnx")
    parser.add_argument("--json", action="store_true", help="print JSON")
    options = parser.parse_args()
    try:
        found = placement(options.model)
    except (Refused, OSError, RuntimeError) as error:
        print(f"not loaded: {error}", file=sys.stderr)
        return 1
    if options.json:
        print(json.dumps(found, indent=1))
    else:
        print(f"{found['placed']} of {found['planned']} operators are where the plan has them, in "
              f"{found['submodels']} submodels on {', '.join(found['devices'])}")  # fmt: skip
        for name in found["elsewhere"]:
            print(f"  elsewhere: {name}")
    return 0 if found["placed"] == found["planned"] else 1


if __name__ == "__main__":
    sys.exit(main())
