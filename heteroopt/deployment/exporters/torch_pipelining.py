"""``torch-pipelining``: where torch.distributed.pipelining begins its stages, for plans that are chains of modules."""

from __future__ import annotations

import json
from pathlib import Path

from heteroopt.deployment.export_manifest import load_manifest
from heteroopt.deployment.exporters.accelerate import border_refusals, torch_name
from heteroopt.deployment.exporters.module_borders import module_devices
from heteroopt.deployment.exporters.parsing import parsed_json, parsed_python, unparsable
from heteroopt.deployment.exporters.targets import TARGET, target_refusals, targets_of
from heteroopt.deployment.exporting import Coverage, Export, Exporter, ExportFile, ExportRequest, Refusal
from heteroopt.deployment.loaders import loader_file

FILE, LOADER = "stages.json", "split_torch"


class TorchPipelining(Exporter):
    """``pipeline(module, args, split_spec=...)`` starts a stage before each named module; a rank runs a stage."""

    key = "torch-pipelining"
    engine = "torch.distributed.pipelining"
    versions = "PyTorch 2.4 and newer"
    expresses = ("placement", "segments")
    options = (TARGET,)

    def refusals(self, request: ExportRequest) -> list[Refusal]:
        """Return devices unknown to PyTorch, a module border that the plan crosses, and plans that are no chain."""
        names = targets_of(request, torch_name)
        refusals = target_refusals(self.key, self.engine, request, names) + border_refusals(request)
        if not refusals and not _is_chain(request):
            refusals.append(
                Refusal(
                    "export_no_chain",
                    f"The plan's {request.partition.n_segments} segments are no chain of stages, one a device.",
                    hint="Choose contiguous modules a device (a search for throughput finds such plans), or a format "
                    "that runs any plan.",
                    format=self.key,
                    n_segments=request.partition.n_segments,
                )
            )
        return refusals

    def export(self, request: ExportRequest) -> Export:
        """Return ``stages.json`` and ``split_torch.py``."""
        names = targets_of(request, torch_name)
        stages: list[dict[str, object]] = []
        for module, device in module_devices(request).items():
            if not stages or stages[-1]["device"] != device:
                stages.append({"begins": module if stages else None, "device": device, "torch": names[device]})
        document = {
            "format": "heteroopt-torch-stages",
            "format_version": 1,
            "model_hash": request.plan.original.content_hash,
            "stages": stages,
        }
        count = len(request.plan.original.operators)
        text = json.dumps(document, indent=1, ensure_ascii=False) + "\n"
        return Export((ExportFile(FILE, text.encode()), loader_file(LOADER)), Coverage(count, count))

    def check(self, folder: Path) -> Coverage:
        """Parse both; as many stages as segments, in their order."""
        document = parsed_json(self.key, folder / FILE)
        parsed_python(self.key, folder / f"{LOADER}.py")
        manifest = load_manifest(folder)
        try:
            stages = [stage["device"] for stage in document["stages"]]
            begins = [stage["begins"] for stage in document["stages"]]
        except (KeyError, TypeError) as error:
            raise unparsable(self.key, FILE, f"{type(error).__name__} {error}") from error
        if stages != [entry["device"] for entry in manifest["segments"]] or any(not module for module in begins[1:]):
            raise unparsable(self.key, FILE, "its stages are not the plan's segments")
        return Coverage(len(manifest["operators"]), len(manifest["operators"]))


def _is_chain(request: ExportRequest) -> bool:
    """Whether each segment reads from the one before it alone, and the modules change their device as often."""
    segments = request.partition.segments
    devices = [part.device for part in segments]
    chained = all(part.predecessors == ((part.index - 1,) if part.index else ()) for part in segments)
    changes = list(module_devices(request).values())
    runs = [device for at, device in enumerate(changes) if at == 0 or changes[at - 1] != device]
    names = [request.plan.pool.devices[device].name for device in devices]
    return chained and len(set(devices)) == len(devices) and runs == names


EXPORTER = TorchPipelining()
