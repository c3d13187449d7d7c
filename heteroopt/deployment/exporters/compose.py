"""``compose``: a service for each device with its device request and environment, for one host."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml

from heteroopt.deployment.exporters.containers import (
    CACHE,
    IMAGE,
    PLAN,
    RUNTIME,
    Container,
    containers_of,
    escaped,
    image_refusals,
    label,
    segment_numbers,
    unescaped,
)
from heteroopt.deployment.exporters.parsing import unparsable
from heteroopt.deployment.exporters.targets import quoted
from heteroopt.deployment.exporting import (
    VERSION,
    Coverage,
    Export,
    Exporter,
    ExportFile,
    ExportOption,
    ExportRequest,
    Refusal,
)
from heteroopt.deployment.written import Written, compare, in_segments

FILE = "compose.yaml"
_SERVICE = re.compile(r"[a-z0-9][a-z0-9_-]*")
_DEVICE_FILE = re.compile(
    r"/dev(?:/[A-Za-z0-9_][A-Za-z0-9._-]*)+(?::/dev(?:/[A-Za-z0-9_][A-Za-z0-9._-]*)+)?(?::[rwm]{1,3})?"
)
_SERVICE_KEYS = frozenset(("image", "environment", "volumes", "devices", "deploy", "group_add"))


class Compose(Exporter):
    """NVIDIA GPUs are reserved by number; other GPUs and what ``files.`` names are passed on as device files."""

    key = "compose"
    engine = "Docker Compose"
    versions = "Compose Specification (v2 and newer)"
    oldest = "2"
    expresses = ("placement", "segments")
    options = (
        IMAGE,
        ExportOption("folder", "on the host with the exported segments", "./segments"),
        ExportOption("files.*", "device files of a device, separated by commas, as files.npu0=/dev/accel/accel0"),
        RUNTIME,
        VERSION,
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
                "environment": {key: escaped(value) for key, value in variables.items()},
                "volumes": [
                    {
                        "type": "bind",
                        "source": escaped(request.options.get("folder", "./segments")),
                        "target": PLAN,
                        "read_only": True,
                    },
                    {"type": "volume", "source": "cache", "target": CACHE},
                ],
                **request_of_device,
            }
        document = {"name": label(request.plan.original.name), "services": services, "volumes": {"cache": {}}}
        text = yaml.safe_dump(document, sort_keys=False, allow_unicode=True)
        count = len(request.plan.original.operators)
        targets = {service["environment"]["HETEROOPT_DEVICE"]: _target(service) for service in services.values()}
        targets = {unescaped(device): target for device, target in targets.items()}
        return Export((ExportFile(FILE, text.encode()),), Coverage(count, count), targets=targets)

    def check(self, folder: Path) -> Coverage:
        """Parse the services and check what Compose would refuse; every segment runs once, on its device."""
        segments: list[tuple[int, str]] = []
        targets: dict[str, str] = {}
        hashes: set[str] = set()
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
                    if volume["type"] == "volume" and volume["source"] not in document["volumes"]:
                        raise ValueError(f"the volume {volume['source']!r}")
                    unescaped(volume["source"])
                variables = {key: unescaped(value) for key, value in service["environment"].items()}
                numbers = segment_numbers(variables["HETEROOPT_SEGMENTS"])
                segments += [(number, variables["HETEROOPT_DEVICE"]) for number in numbers]
                targets[variables["HETEROOPT_DEVICE"]] = _target(service)
                hashes.add(variables["HETEROOPT_PLAN_HASH"])
            if len(hashes) != 1:
                raise ValueError("its services are of several plans")
        except (OSError, yaml.YAMLError, KeyError, TypeError, ValueError, AttributeError) as error:
            raise unparsable(self.key, FILE, f"{type(error).__name__} {error}") from error
        return compare(
            self.key,
            folder,
            Written(
                operators=in_segments(folder, segments),
                segments=sorted(segments),
                targets=targets,
                hashes={"plan": hashes.pop()},
            ),
        )


def requested(container: Container, options: Mapping[str, str]) -> dict[str, Any] | None:
    """What a service says of its device: nothing for a CPU, ``None`` where it is not known."""
    device = container.device
    stated = options.get(f"files.{device.name}")
    if stated is not None:
        files = [file.strip() for file in stated.split(",") if file.strip()]
        return {"devices": files} if files and all(_DEVICE_FILE.fullmatch(file) for file in files) else None
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


def _target(service: Mapping[str, Any]) -> str:
    """What a service runs its segments with, in one line."""
    parts = [service["image"], service["environment"]["PLATFORM_RUNTIME"], service.get("devices", [])]
    return json.dumps([*parts, service.get("deploy", {})], sort_keys=True)


def _reserved(service: Mapping[str, Any]) -> list[dict[str, Any]]:
    reservations = service.get("deploy", {}).get("resources", {}).get("reservations", {})
    devices: list[dict[str, Any]] = reservations.get("devices", [])
    return devices


EXPORTER = Compose()
