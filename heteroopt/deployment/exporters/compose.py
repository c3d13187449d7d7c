"""``compose``: a service for each device with its device request and environment, for one host."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml

from heteroopt.deployment.export_manifest import load_manifest
from heteroopt.deployment.exporters.containers import (
    CACHE,
    IMAGE,
    PLAN,
    Container,
    containers_of,
    image_refusals,
    label,
)
from heteroopt.deployment.exporters.parsing import unparsable
from heteroopt.deployment.exporters.targets import quoted
from heteroopt.deployment.exporting import Coverage, Export, Exporter, ExportFile, ExportOption, ExportRequest, Refusal

FILE = "compose.yaml"
_SERVICE = re.compile(r"[a-z0-9][a-z0-9_-]*")
_SERVICE_KEYS = frozenset(("image", "environment", "volumes", "devices", "deploy", "group_add"))


class Compose(Exporter):
    """NVIDIA GPUs are reserved by number; other GPUs and what ``files.`` names are passed on as device files."""

    key = "compose"
    engine = "Docker Compose"
    versions = "Compose Specification (v2)"
    expresses = ("placement", "segments")
    options = (
        IMAGE,
        ExportOption("folder", "on the host with the exported segments", "./segments"),
        ExportOption("files.*", "device files of a device, separated by commas, as files.npu0=/dev/accel/accel0"),
        ExportOption("runtime.*", "runtime of a device, as runtime.cpu0=openvino"),
    )

    def refusals(self, request: ExportRequest) -> list[Refusal]:
        """Return a missing image, and devices whose device files are not known."""
        refusals = image_refusals(self.key, request)
        lacking = [c.device.name for c in containers_of(request) if requested(c, request.options) is None]
        if lacking:
            refusals.append(
                Refusal(
                    "export_device_files",
                    f"It is not known through which files a container reaches {quoted(lacking)}.",
                    hint=f"Name them with the option files.{lacking[0]}=/dev/....",
                    format=self.key,
                    devices=lacking,
                )
            )
        return refusals

    def export(self, request: ExportRequest) -> Export:
        """Return ``compose.yaml``."""
        services = {}
        for container in containers_of(request):
            request_of_device = requested(container, request.options)
            assert request_of_device is not None
            variables = dict(container.environment)
            if "deploy" in request_of_device:
                # The one GPU that is reserved is the first that the container sees.
                variables["PLATFORM_VISIBLE_DEVICES"] = "0"
            services[container.name] = {
                "image": request.options["image"],
                "environment": variables,
                "volumes": [f"{request.options.get('folder', './segments')}:{PLAN}:ro", f"cache:{CACHE}"],
                **request_of_device,
            }
        document = {"name": label(request.plan.original.name), "services": services, "volumes": {"cache": {}}}
        text = yaml.safe_dump(document, sort_keys=False, allow_unicode=True)
        count = len(request.plan.original.operators)
        return Export((ExportFile(FILE, text.encode()),), Coverage(count, count))

    def check(self, folder: Path) -> Coverage:
        """Parse the services and check what Compose would refuse; every segment runs once, on its device."""
        segments: dict[int, str] = {}
        try:
            document = yaml.safe_load((folder / FILE).read_text("utf-8"))
            for name, service in document["services"].items():
                if not _SERVICE.fullmatch(name) or not set(service) <= _SERVICE_KEYS:
                    raise ValueError(f"the service {name!r}")
                if not all(isinstance(value, str) for value in service["environment"].values()):
                    raise ValueError(f"a variable of {name} is no text")
                for device in _reserved(service):
                    if not device["capabilities"] or ("count" in device) == ("device_ids" in device):
                        raise ValueError(f"the reservation of {name}")
                for volume in service["volumes"]:
                    source = volume.split(":")[0]
                    if not source.startswith((".", "/")) and source not in document["volumes"]:
                        raise ValueError(f"the volume {source!r}")
                for number in service["environment"]["HETEROOPT_SEGMENTS"].split(","):
                    segments[int(number)] = service["environment"]["HETEROOPT_DEVICE"]
        except (OSError, yaml.YAMLError, KeyError, TypeError, ValueError, AttributeError) as error:
            raise unparsable(self.key, FILE, f"{type(error).__name__} {error}") from error
        manifest = load_manifest(folder)
        if segments != {entry["index"]: entry["device"] for entry in manifest["segments"]}:
            raise unparsable(self.key, FILE, "segments are not where the plan has them")
        return Coverage(len(manifest["operators"]), len(manifest["operators"]))


def requested(container: Container, options: Mapping[str, str]) -> dict[str, Any] | None:
    """What a service says of its device: nothing for a CPU, ``None`` where it is not known."""
    device = container.device
    stated = options.get(f"files.{device.name}")
    if stated is not None:
        files = [file.strip() for file in stated.split(",") if file.strip()]
        return {"devices": files} if files and all(file.startswith("/dev/") for file in files) else None
    if device.device_type == "CPU":
        return {}
    if device.vendor == "NVIDIA" and device.device_type == "GPU":
        reserved = {"driver": "nvidia", "device_ids": [str(container.number)], "capabilities": ["gpu"]}
        return {"deploy": {"resources": {"reservations": {"devices": [reserved]}}}}
    if device.vendor == "AMD" and device.device_type == "GPU":
        return {"devices": ["/dev/kfd", f"/dev/dri/renderD{128 + container.number}"]}
    if device.vendor == "Intel" and device.device_type == "GPU":
        return {"devices": [f"/dev/dri/renderD{128 + container.number}"]}
    return None


def _reserved(service: Mapping[str, Any]) -> list[dict[str, Any]]:
    reservations = service.get("deploy", {}).get("resources", {}).get("reservations", {})
    devices: list[dict[str, Any]] = reservations.get("devices", [])
    return devices


EXPORTER = Compose()
