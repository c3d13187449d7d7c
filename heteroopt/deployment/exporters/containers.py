"""What Kubernetes and Compose exports share: one container a device, its request, its environment, its segments.

A device is given to one container at a time, so the segments of a device share a container instead of having one each.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from heteroopt.deployment.export_files import safe_name
from heteroopt.deployment.exporters.targets import used_devices
from heteroopt.deployment.exporting import ExportOption, ExportRequest, Refusal
from heteroopt.deployment.option_values import shown
from heteroopt.devices.spec import DeviceSpec

CACHE = "/var/cache/heteroopt"
PLAN = "/var/lib/heteroopt/plan"
IMAGE = ExportOption("image", "of the container that runs the segments, as registry/name:tag")
RUNTIME = ExportOption(
    "runtime.*", "runtime of a device, as runtime.cpu0=openvino", pattern=r"[A-Za-z0-9][A-Za-z0-9._+-]{0,63}"
)
_WORD = r"[a-z0-9]+(?:(?:\.|_|__|-+)[a-z0-9]+)*"
_IMAGE = re.compile(
    rf"(?:[A-Za-z0-9](?:[A-Za-z0-9.-]*[A-Za-z0-9])?(?::[0-9]{{1,5}})?/)?{_WORD}(?:/{_WORD})*"
    r"(?::[A-Za-z0-9_][A-Za-z0-9_.-]{0,127})?(?:@sha256:[0-9a-f]{64})?"
)
"""A reference as registries have it: [HOST[:PORT]/]PATH[:TAG][@DIGEST]."""
_MAX_IMAGE = 255
_RUNTIMES = {("NVIDIA", "GPU"): "cuda", ("Huawei", "NPU"): "cann", ("Intel", "GPU"): "openvino",
             ("Intel", "NPU"): "openvino"}  # fmt: skip


@dataclass(frozen=True)
class Container:
    """One device's container. ``number``: of the device among those of its vendor and type on its host, from 0."""

    name: str
    device: DeviceSpec
    number: int
    segments: tuple[int, ...]
    environment: dict[str, str]


def containers_of(request: ExportRequest) -> list[Container]:
    """A container for each device that the plan uses, in the pool's order."""
    numbers: dict[tuple[str, str], int] = {}
    found: list[Container] = []
    used = set(used_devices(request))
    for index, device in enumerate(request.plan.pool.devices):
        kind = (device.vendor, device.device_type)
        number = numbers.get(kind, 0)
        numbers[kind] = number + 1
        if index in used:
            segments = tuple(part.index for part in request.partition.segments if part.device == index)
            name = label(device.name)
            if any(other.name == name for other in found):
                name = f"{name}-{index}"
            found.append(Container(name, device, number, segments, environment(request, device, number, segments)))
    return found


def environment(request: ExportRequest, device: DeviceSpec, number: int, segments: tuple[int, ...]) -> dict[str, str]:
    """The decision as the platform hands it to a job, and which segments of which plan run there."""
    runtime = _RUNTIMES.get((device.vendor, device.device_type), "onnxruntime")
    return {
        "PLATFORM_DEVICE_TYPE": device.device_type.lower(),
        "PLATFORM_VISIBLE_DEVICES": str(number),
        "PLATFORM_RUNTIME": request.options.get(f"runtime.{device.name}", runtime),
        "PLATFORM_OP_CACHE_DIR": f"{CACHE}/ops",
        "HETEROOPT_DEVICE": device.name,
        "HETEROOPT_SEGMENTS": ",".join(map(str, segments)),
        "HETEROOPT_PLAN": PLAN,
        "HETEROOPT_PLAN_HASH": request.plan.content_hash,
    }


def image_refusals(key: str, request: ExportRequest) -> list[Refusal]:
    """Nothing can be started without an image."""
    image = request.options.get("image", "")
    if len(image) <= _MAX_IMAGE and _IMAGE.fullmatch(image):
        return []
    return [
        Refusal(
            "export_image",
            f"{key} needs the image of the container that runs the segments." if not image else
            f"{shown(image)!r} is no name of an image.",
            hint="Give it with the option image=registry/name:tag; its entry point finds the segments in "
            "HETEROOPT_SEGMENTS.",
            format=key,
        )
    ]  # fmt: skip


def escaped(text: str) -> str:
    """A text that Compose and Kubernetes take as it is: both put in variables for ``$``."""
    return text.replace("$", "$$")


def unescaped(text: str) -> str:
    """What they make of a text. Raises ``ValueError`` where they would put in a variable."""
    if re.search(r"(?<!\$)(?:\$\$)*\$(?!\$)", text):
        raise ValueError(f"{text[:60]!r} would be changed")
    return text.replace("$$", "$")


def segment_numbers(text: str) -> list[int]:
    """``HETEROOPT_SEGMENTS`` as numbers. Raises ``ValueError`` where they do not ascend."""
    numbers = [int(number) for number in text.split(",")]
    if numbers != sorted(numbers):
        raise ValueError(f"segments {text} are out of order")
    return numbers


def label(text: str) -> str:
    """A name as Kubernetes and DNS allow it (RFC 1123): lower case, digits, dashes."""
    return re.sub(r"[^a-z0-9-]+", "-", safe_name(text, "device").lower()).strip("-")[:50] or "device"
