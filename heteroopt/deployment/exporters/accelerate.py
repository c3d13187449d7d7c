"""``accelerate``: a device_map for Hugging Face's accelerate, where the plan cuts the model at module borders."""

from __future__ import annotations

import json
from pathlib import Path

from heteroopt.deployment.export_manifest import load_manifest
from heteroopt.deployment.exporters.module_borders import module_devices, modules_above
from heteroopt.deployment.exporters.parsing import parsed_json, unparsable
from heteroopt.deployment.exporters.targets import target_option, target_refusals, targets_of
from heteroopt.deployment.exporting import VERSION, Coverage, Export, Exporter, ExportFile, ExportRequest, Refusal
from heteroopt.deployment.written import Written, compare
from heteroopt.devices.spec import DeviceSpec

FILE = "device_map.json"
TORCH_DEVICE = r"0|[1-9][0-9]{0,3}|[a-z]+(:(0|[1-9][0-9]{0,3}))?"


class Accelerate(Exporter):
    """``load_checkpoint_and_dispatch(model, ..., device_map=json.load(open("device_map.json")))``."""

    key = "accelerate"
    engine = "Hugging Face accelerate"
    versions = "0.20 and newer"
    oldest = "0.20"
    expresses = ("placement",)
    options = (target_option(TORCH_DEVICE), VERSION)

    def refusals(self, request: ExportRequest) -> list[Refusal]:
        """Return devices that PyTorch has no name for, and the module border that the plan crosses."""
        names = targets_of(request, torch_name)
        return target_refusals(self.key, self.engine, request, names) + border_refusals(request)

    def export(self, request: ExportRequest) -> Export:
        """Return ``device_map.json``: an integer for a CUDA or ROCm device, a text for others."""
        names = targets_of(request, torch_name)
        targets = {device: int(name) if name and name.isdigit() else name for device, name in names.items()}
        document = {module: targets[device] for module, device in module_devices(request).items()}
        count = len(request.plan.original.operators)
        text = json.dumps(document, indent=1, ensure_ascii=False) + "\n"
        shown = {device: str(name) for device, name in targets.items()}
        return Export((ExportFile(FILE, text.encode()),), Coverage(count, count), targets=shown)

    def check(self, folder: Path) -> Coverage:
        """Every operator's module has exactly one entry above it, of its device: accelerate rejects other maps."""
        document = parsed_json(self.key, folder / FILE)
        manifest = load_manifest(folder)
        if not isinstance(document, dict) or not all(isinstance(value, int | str) for value in document.values()):
            raise unparsable(self.key, FILE, "it is no map of modules to devices")
        device_of = {target: device for device, target in manifest["targets"].items()}
        operators, used = [], set()
        for row in manifest["operators"]:
            entries = [module for module in modules_above(row["scope"]) if module in document]
            operators += [(row["index"], device_of.get(str(document[module]), "")) for module in entries]
            used.update(entries)
        if used != set(document):
            raise unparsable(self.key, FILE, f"{sorted(set(document) - used)[0]!r} holds no operator")
        targets = {device_of[str(value)]: str(value) for value in document.values() if str(value) in device_of}
        return compare(self.key, folder, Written(operators=operators, targets=targets))


def torch_name(device: DeviceSpec, number: int) -> str | None:
    """PyTorch's name of a device, CUDA and ROCm devices by number alone."""
    if device.device_type == "CPU":
        return "cpu"
    if device.device_type == "GPU" and device.vendor in ("NVIDIA", "AMD"):
        return str(number)
    if device.device_type == "GPU" and device.vendor == "Intel":
        return f"xpu:{number}"
    if device.device_type == "GPU" and device.vendor == "Apple":
        return "mps"
    return f"npu:{number}" if device.vendor == "Huawei" else None


def border_refusals(request: ExportRequest) -> list[Refusal]:
    """Why the plan does not fall on module borders, if it does not."""
    try:
        module_devices(request)
    except Refusal as refusal:
        return [refusal]
    return []


EXPORTER = Accelerate()
