"""Texts of options that say what a model's file does not: inputs, shapes, trips, shares of branches, costs."""

from __future__ import annotations

import argparse


def pair(text: str) -> tuple[str, str]:
    """``NAME=VALUE``, split at the last ``=``."""
    name, separator, value = text.rpartition("=")
    if not separator or not name or not value:
        raise argparse.ArgumentTypeError(f"{text!r} is not NAME=VALUE")
    return name, value


def _whole(text: str, whole: str) -> int:
    if not text.isascii() or not text.isdigit() or len(text) > 18:
        raise argparse.ArgumentTypeError(f"{text!r} in {whole!r} is not a whole number")
    return int(text)


def byte_count(text: str) -> int:
    """A number of bytes from 1 on."""
    number = _whole(text, text)
    if not number:
        raise argparse.ArgumentTypeError(f"{text!r} is no number of bytes from 1 on")
    return number


def given_shape(text: str) -> tuple[str, list[int]]:
    """``TENSOR=1x3x224x224``; ``TENSOR=scalar`` has no dimensions."""
    name, value = pair(text)
    return name, [] if value == "scalar" else [_whole(size, text) for size in value.split("x")]


def given_trips(text: str) -> tuple[str, int]:
    """``LOOP=20``."""
    name, value = pair(text)
    return name, _whole(value, text)


def given_share(text: str) -> tuple[str, float]:
    """``IF=0.25``."""
    name, value = pair(text)
    try:
        return name, float(value)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{value!r} in {text!r} is not a number") from None


def given_cost(text: str) -> tuple[str, dict[str, int]]:
    """``com.example::Magic=5000000`` FLOP a run, or with the bytes read and written behind it."""
    name, value = pair(text)
    amounts = [_whole(part, text) for part in value.split(",")]
    if len(amounts) not in (1, 3):
        raise argparse.ArgumentTypeError(f"{value!r} in {text!r} is not FLOP or FLOP,READ,WRITTEN")
    return name, dict(zip(("flops", "bytes_read", "bytes_written"), amounts, strict=False))


def torch_input(text: str) -> object:
    """``1x3x224x224`` or ``int64:1x128`` as an :class:`~heteroopt.graph.pytorch.inputs.InputSpec`."""
    from heteroopt.graph.pytorch.inputs import DTYPES, InputSpec

    try:
        return InputSpec.parse(text)
    except ValueError:
        raise argparse.ArgumentTypeError(
            f"{text!r} is not sizes such as 1x3x224x224, or TYPE:SIZES with one of {', '.join(DTYPES)}"
        ) from None
