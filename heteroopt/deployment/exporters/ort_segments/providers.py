"""Which runtime and execution provider a device of a pool is, unless an option says it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

from heteroopt.deployment.exporting import Refusal
from heteroopt.deployment.option_values import shown
from heteroopt.devices.pool import DevicePool
from heteroopt.devices.spec import DeviceSpec

_BY_KIND: tuple[tuple[str, str, str, dict[str, str]], ...] = (
    ("GPU", "nvidia", "CUDAExecutionProvider", {"device_id": "{n}"}),
    ("GPU", "amd", "MIGraphXExecutionProvider", {"device_id": "{n}"}),
    ("GPU", "intel", "OpenVINOExecutionProvider", {"device_type": "GPU"}),
    ("GPU", "apple", "CoreMLExecutionProvider", {}),
    ("NPU", "nvidia", "TensorrtExecutionProvider", {"device_id": "{n}"}),
    ("NPU", "intel", "OpenVINOExecutionProvider", {"device_type": "NPU"}),
    ("NPU", "huawei", "CANNExecutionProvider", {"device_id": "{n}"}),
    ("NPU", "apple", "CoreMLExecutionProvider", {}),
    ("NPU", "qualcomm", "QNNExecutionProvider", {"backend_type": "htp"}),
    ("FPGA", "amd", "VitisAIExecutionProvider", {}),
    ("CPU", "", "CPUExecutionProvider", {}),
)
"""Type, start of the vendor's name, provider and its options; ``{n}``: the device's number among those of its kind."""


RUNTIMES = ("onnxruntime", "openvino")
"""Those that ``runner.py`` knows."""
MOST_CORES = 4096


def device_settings(pool: DevicePool, options: Mapping[str, str]) -> list[dict[str, Any]]:
    """Per device of the pool ``name``, ``runtime``, ``provider`` and ``options``; "" where nothing is known of it.

    ``options``: ``device.NAME`` is ``RUNTIME[:PROVIDER]``, such as ``openvino:CPU`` or
    ``onnxruntime:CUDAExecutionProvider``; ``cores.NAME`` its logical processors, such as ``0,2-3``, which adds ``cpus``
    and ``threads``. Raises :class:`Refusal` ``export_cores``.
    """
    counts: Counter[str] = Counter()
    found = []
    for device in pool.devices:
        stated = options.get(f"device.{device.name}", "")
        runtime, _, provider = stated.partition(":")
        settings: dict[str, str] = {}
        if not stated:
            runtime, provider, settings = _default(device, counts)
        elif not provider:
            provider = "CPU" if runtime == "openvino" else "CPUExecutionProvider"
        entry: dict[str, Any] = {"name": device.name, "runtime": runtime, "provider": provider, "options": settings}
        if cores := options.get(f"cores.{device.name}", ""):
            cpus = _cores(device.name, cores)
            entry |= {"cpus": cpus, "threads": len(cpus)}
        found.append(entry)
    return found


def target_text(entry: Mapping[str, Any]) -> str:
    """What runs a device, in one line: an entry of ``device_settings``."""
    options = ",".join(f"{key}={value}" for key, value in sorted(entry["options"].items()))
    cpus = ",".join(map(str, entry.get("cpus", ())))
    return f"{entry['runtime']}:{entry['provider']}[{options}][{cpus}]"


def _cores(device: str, text: str) -> list[int]:
    """``0,2-3`` as numbers, each once, ascending."""
    found: set[int] = set()
    for part in text.split(","):
        first, _, last = part.strip().partition("-")
        if not (
            part.isascii()
            and first.isdecimal()
            and (last or first).isdecimal()
            and int(first) <= int(last or first) < MOST_CORES
        ):
            raise Refusal(
                "export_cores",
                f"{shown(text)!r} names no processors for {device}.",
                hint="Give their numbers, such as 0,2-3.",
                device=device,
                cores=shown(text),
            )
        found.update(range(int(first), int(last or first) + 1))
    return sorted(found)


def _default(device: DeviceSpec, counts: Counter[str]) -> tuple[str, str, dict[str, str]]:
    vendor = device.vendor.lower()
    for kind, maker, provider, options in _BY_KIND:
        if device.device_type == kind and vendor.startswith(maker):
            number = counts[provider]
            counts[provider] += 1
            return "onnxruntime", provider, {key: value.format(n=number) for key, value in options.items()}
    return "onnxruntime", "", {}


def refuse_unknown(settings: list[dict[str, Any]], used: set[str]) -> list[Refusal]:
    """A refusal for each used device without a provider or with a runtime that the runner does not know."""
    found = []
    for entry in settings:
        if entry["name"] not in used:
            continue
        if entry["runtime"] not in RUNTIMES:
            found.append(
                Refusal(
                    "export_runtime_unknown",
                    f"The runner knows no runtime {entry['runtime'][:100]!r}, which is to run the device "
                    f"{entry['name']}; it knows {' and '.join(RUNTIMES)}.",
                    hint=f"Name one of them: --option device.{entry['name']}=onnxruntime:PROVIDER, or openvino:DEVICE.",
                    device=entry["name"],
                    runtime=entry["runtime"][:100],
                    known=list(RUNTIMES),
                )
            )
        elif not entry["provider"]:
            found.append(
                Refusal(
                    "export_provider_unknown",
                    f"It is not known which execution provider runs the device {entry['name']}.",
                    hint=f"Name it: --option device.{entry['name']}=onnxruntime:PROVIDER, or openvino:DEVICE.",
                    device=entry["name"],
                )
            )
    return found
