"""The option that names two devices of this machine's runtimes."""

from __future__ import annotations

from heteroopt.errors import HeteroOptError
from heteroopt.precision.own_device import OwnDevice


def two_devices(text: str) -> tuple[OwnDevice, OwnDevice]:
    """Read ``A,B``; each is NAME, NAME:DEVICE or NAME:DEVICE:PRECISION. Raises ``HeteroOptError``."""
    parts = [part.strip() for part in text.split(",")]
    if len(parts) != 2:
        raise _wrong(text)
    left, right = (_device(part, text) for part in parts)
    return left, right


def _device(part: str, text: str) -> OwnDevice:
    name, _, rest = part.partition(":")
    index, _, precision = rest.partition(":")
    if not name or (index and not index.isdigit()):
        raise _wrong(text)
    return OwnDevice.named(name, int(index or 0), precision=precision or "model")


def _wrong(text: str) -> HeteroOptError:
    return HeteroOptError(
        "two_runtimes",
        f"{text!r} does not name two devices.",
        hint="Write NAME, NAME:DEVICE or NAME:DEVICE:PRECISION twice: onnxruntime,openvino:0:default.",
    )
