"""``torch-pipelining``: where torch.distributed.pipelining begins its stages, for plans that are chains of modules."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from heteroopt.deployment.export_manifest import load_manifest
from heteroopt.deployment.exporters.accelerate import TORCH_DEVICE, border_refusals, torch_name
from heteroopt.deployment.exporters.module_borders import module_devices, modules_above
from heteroopt.deployment.exporters.parsing import parsed_json, parsed_python, unparsable
from heteroopt.deployment.exporters.targets import target_option, target_refusals, targets_of
from heteroopt.deployment.exporting import VERSION, Coverage, Export, Exporter, ExportFile, ExportRequest, Refusal
from heteroopt.deployment.loaders import loader_file
from heteroopt.deployment.written import Written, compare

FILE, LOADER = "stages.json", "split_torch"


class TorchPipelining(Exporter):
    """``pipeline(module, args, split_spec=...)`` starts a stage before each named module; a rank runs a stage."""

    key = "torch-pipelining"
    engine = "torch.distributed.pipelining"
    versions = "PyTorch 2.4 and newer"
    oldest = "2.4"
    expresses = ("placement", "segments")
    options = (target_option(TORCH_DEVICE), VERSION)

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
        stages: list[dict[str, Any]] = []
        for module, device in module_devices(request).items():
            if not stages or stages[-1]["device"] != device:
                begins = module if stages else None
                stages.append({"begins": begins, "device": device, "torch": names[device], "modules": []})
            stages[-1]["modules"].append(module)
        document = {
            "format": "heteroopt-torch-stages",
            "format_version": 1,
            "model_hash": request.plan.original.content_hash,
            "stages": stages,
        }
        count = len(request.plan.original.operators)
        text = json.dumps(document, indent=1, ensure_ascii=False) + "\n"
        files = (ExportFile(FILE, text.encode()), loader_file(LOADER))
        targets = {device: str(name) for device, name in names.items()}
        return Export(files, Coverage(count, count), targets=targets)

    def check(self, folder: Path) -> Coverage:
        """Parse both; every operator lies in one module of one stage, and the stages are the segments in order."""
        document = parsed_json(self.key, folder / FILE)
        parsed_python(self.key, folder / f"{LOADER}.py")
        manifest = load_manifest(folder)
        try:
            stages = [(index, stage["device"]) for index, stage in enumerate(document["stages"])]
            targets = {stage["device"]: stage["torch"] for stage in document["stages"]}
            stage_of = [
                (module, number) for number, stage in enumerate(document["stages"]) for module in stage["modules"]
            ]
            for number, stage in enumerate(document["stages"]):
                if stage["begins"] != (stage["modules"][0] if number else None):
                    raise ValueError(f"stage {number} does not begin with its first module")
            found = [
                (row["index"], number)
                for row in manifest["operators"]
                for module, number in stage_of
                if module in modules_above(row["scope"])
            ]
            operators = [(index, stages[number][1]) for index, number in found]
            model = document["model_hash"]
        except (KeyError, TypeError, ValueError, IndexError) as error:
            raise unparsable(self.key, FILE, f"{type(error).__name__} {error}") from error
        return compare(
            self.key,
            folder,
            Written(
                operators=operators,
                segments=stages,
                segment_of=dict(found),
                targets=targets,
                hashes={"model": model},
            ),
        )


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
