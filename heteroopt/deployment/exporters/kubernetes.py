"""``kubernetes``: a Deployment for each device with its device request and environment, and a Service between them."""

from __future__ import annotations

import re
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
from heteroopt.devices.spec import DeviceSpec

FILE = "plan.yaml"
_NAME = re.compile(r"[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?")
_RESOURCE = re.compile(r"[a-z0-9]([a-z0-9.-]*[a-z0-9])?/[A-Za-z0-9]([A-Za-z0-9._-]*[A-Za-z0-9])?")
_VARIABLE = re.compile(r"[A-Z][A-Z0-9_]*")


class Kubernetes(Exporter):
    """Device requests are extended resources of the vendors' device plugins."""

    key = "kubernetes"
    engine = "Kubernetes"
    versions = "1.26 and newer"
    oldest = "1.26"
    expresses = ("placement", "segments")
    options = (
        IMAGE,
        ExportOption("namespace", "of all objects", "default", _NAME.pattern),
        ExportOption(
            "claim", "PersistentVolumeClaim that holds the exported segments", "heteroopt-plan", _NAME.pattern
        ),
        ExportOption("resource.*", "extended resource of a device, as resource.npu0=huawei.com/Ascend910"),
        RUNTIME,
        VERSION,
    )

    def refusals(self, request: ExportRequest) -> list[Refusal]:
        """Return a missing image, names that Kubernetes does not take, and devices without a known resource."""
        refusals = image_refusals(self.key, request)
        lacking = [c.device.name for c in containers_of(request) if resource_of(c.device, request.options) is None]
        if lacking:
            refusals.append(
                Refusal(
                    "export_resource",
                    f"No device plugin is known for {quoted(lacking)}.",
                    hint=f"Name the extended resource that its plugin offers: resource.{lacking[0]}=vendor.com/name.",
                    format=self.key,
                    devices=lacking,
                )
            )
        return refusals

    def export(self, request: ExportRequest) -> Export:
        """Return ``plan.yaml``."""
        base = label(request.plan.original.name)
        documents = [item for container in containers_of(request) for item in _objects(request, base, container)]
        text = yaml.safe_dump_all(documents, sort_keys=False, allow_unicode=True)
        count = len(request.plan.original.operators)
        targets = {
            container.device.name: _target(
                request.options["image"],
                resource_of(container.device, request.options) or "",
                container.environment["PLATFORM_RUNTIME"],
            )
            for container in containers_of(request)
        }
        return Export((ExportFile(FILE, text.encode()),), Coverage(count, count), targets=targets)

    def check(self, folder: Path) -> Coverage:
        """Parse the objects and check what an API server would refuse; every segment runs once, on its device."""
        segments: list[tuple[int, str]] = []
        targets: dict[str, str] = {}
        hashes: set[str] = set()
        names: dict[str, list[str]] = {"Deployment": [], "Service": []}
        try:
            for document in yaml.safe_load_all((folder / FILE).read_text("utf-8")):
                _check_object(document)
                names[document["kind"]].append(document["metadata"]["name"])
                if document["kind"] == "Deployment":
                    for variables, target in _containers(document):
                        device = variables["HETEROOPT_DEVICE"]
                        numbers = segment_numbers(variables["HETEROOPT_SEGMENTS"])
                        segments += [(number, device) for number in numbers]
                        targets[device] = target
                        hashes.add(variables["HETEROOPT_PLAN_HASH"])
            if sorted(names["Deployment"]) != sorted(set(names["Service"])) or len(hashes) != 1:
                raise ValueError("a deployment has no service, or another plan than the others")
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


_RESOURCES = {
    ("NVIDIA", "GPU"): "nvidia.com/gpu", ("AMD", "GPU"): "amd.com/gpu", ("Intel", "GPU"): "gpu.intel.com/i915",
    ("Google", "NPU"): "google.com/tpu",
}  # fmt: skip


def resource_of(device: DeviceSpec, options: Any) -> str | None:
    """Extended resource of a device, ``""`` for a CPU, ``None`` where none is known."""
    stated = options.get(f"resource.{device.name}")
    if stated is not None:
        return stated if len(stated) <= 253 and _RESOURCE.fullmatch(stated) else None
    if device.device_type == "CPU":
        return ""
    if device.template.startswith("Ascend_910"):
        return "huawei.com/Ascend910"
    return _RESOURCES.get((device.vendor, device.device_type))


def _objects(request: ExportRequest, base: str, container: Container) -> list[dict[str, Any]]:
    name = f"{base}-{container.name}"[:60].rstrip("-")
    labels = {"app.kubernetes.io/part-of": base, "app.kubernetes.io/name": name}
    metadata = {"name": name, "namespace": request.options.get("namespace", "default"), "labels": labels}
    resource = resource_of(container.device, request.options)
    limits = {resource: 1} if resource else {}
    variables = dict(container.environment)
    if resource:
        # A device plugin hands the container one device, which is then the first that it sees.
        variables["PLATFORM_VISIBLE_DEVICES"] = "0"
    pod = {
        "containers": [
            {
                "name": "segments",
                "image": request.options["image"],
                "env": [{"name": key, "value": escaped(value)} for key, value in variables.items()],
                "ports": [{"name": "segments", "containerPort": 8500}],
                "resources": {"limits": limits} if limits else {},
                "volumeMounts": [
                    {"name": "plan", "mountPath": PLAN, "readOnly": True},
                    {"name": "cache", "mountPath": CACHE},
                ],
            }
        ],
        "volumes": [
            {
                "name": "plan",
                "persistentVolumeClaim": {"claimName": request.options.get("claim", "heteroopt-plan"),
                                          "readOnly": True},
            },
            {"name": "cache", "emptyDir": {}},
        ],
    }  # fmt: skip
    return [
        {
            "apiVersion": "apps/v1",
            "kind": "Deployment",
            "metadata": metadata,
            "spec": {
                "replicas": 1,
                "strategy": {"type": "Recreate"},
                "selector": {"matchLabels": {"app.kubernetes.io/name": name}},
                "template": {"metadata": {"labels": labels}, "spec": pod},
            },
        },
        {
            "apiVersion": "v1",
            "kind": "Service",
            "metadata": metadata,
            "spec": {
                "selector": {"app.kubernetes.io/name": name},
                "ports": [{"name": "segments", "port": 8500, "targetPort": "segments"}],
            },
        },
    ]


def _check_object(document: dict[str, Any]) -> None:
    wanted = {"Deployment": "apps/v1", "Service": "v1"}
    if wanted[document["kind"]] != document["apiVersion"]:
        raise ValueError(f"{document['kind']} is not in {document['apiVersion']}")
    for name in (document["metadata"]["name"], document["metadata"]["namespace"]):
        if not _NAME.fullmatch(name):
            raise ValueError(f"{name!r} is no name")


def _containers(document: dict[str, Any]) -> list[tuple[dict[str, str], str]]:
    """Variables and target of each container of a deployment. Raises ``ValueError``."""
    spec = document["spec"]
    labels = spec["template"]["metadata"]["labels"]
    if not spec["selector"]["matchLabels"].items() <= labels.items():
        raise ValueError("the selector does not match the pod's labels")
    pod = spec["template"]["spec"]
    volumes = {volume["name"] for volume in pod["volumes"]}
    found = []
    for container in pod["containers"]:
        variables = {}
        for entry in container["env"]:
            if not _VARIABLE.fullmatch(entry["name"]) or not isinstance(entry["value"], str):
                raise ValueError(f"{entry['name']!r} is no variable with a text")
            variables[entry["name"]] = unescaped(entry["value"])
        limits = container["resources"].get("limits", {})
        for resource, count in limits.items():
            if not _RESOURCE.fullmatch(resource) or not isinstance(count, int) or count != 1:
                raise ValueError(f"{resource!r} is not one of an extended resource")
        if not all(mount["name"] in volumes for mount in container["volumeMounts"]):
            raise ValueError("a mount names no volume")
        found.append((variables, _target(container["image"], ",".join(limits), variables["PLATFORM_RUNTIME"])))
    return found


def _target(image: str, resource: str, runtime: str) -> str:
    return f"{image} {resource or 'cpu'} {runtime}"


EXPORTER = Kubernetes()
