"""Errors of topologies: text that cannot be read, with its line, and what is larger than any machine."""

from __future__ import annotations

from heteroopt.errors import PoolError


def unreadable(source: str, line: int, says: str) -> PoolError:
    """Return the error for pasted text; ``source`` names the tool whose output it should be."""
    return PoolError(
        "topology_unreadable",
        f"Line {line} is not what {source} prints: {says}.",
        hint="Paste the whole output, unchanged, with its first line.",
        source=source,
        line=line,
        says=says,
    )


def too_large(what: str, value: int, limit: int) -> PoolError:
    """Return the error for text or a topology beyond all machines."""
    return PoolError(
        "topology_too_large",
        f"The topology has {value} {what}; {limit} are the most.",
        hint="Paste the output of one machine.",
        what=what,
        value=value,
        limit=limit,
    )


def broken(says: str, line: int = 0) -> PoolError:
    """Return the error for a topology that contradicts itself, or for JSON that holds none."""
    return PoolError(
        "topology_broken",
        f"This is no topology: {says}.",
        hint="Use the JSON that `heteroopt topology --json` prints.",
        says=says,
        line=line,
    )


def unsafe(line: int) -> PoolError:
    """Return the error for XML that declares entities."""
    return PoolError(
        "topology_xml_unsafe",
        f"The XML declares an entity in line {line}; entities can grow without end or read files, so none is taken.",
        hint="Paste the output of `lstopo --of xml`, which has none.",
        line=line,
    )


def other_type(device: str, kind: str, template: str, device_type: str) -> PoolError:
    """Return the error for a template of another type than the device that was found."""
    return PoolError(
        "topology_other_type",
        f"{device} is a {kind}, but {template} is a template of a {device_type}.",
        hint="Choose a template of its type.",
        device=device,
        kind=kind,
        template=template,
        type=device_type,
    )


def no_template(names: list[str]) -> PoolError:
    """Return the error for devices that match no template."""
    return PoolError(
        "topology_no_template",
        f"No device template matches {', '.join(names)}.",
        hint="Name a template for each, or for all of a kind; `heteroopt devices` lists them.",
        devices=names,
    )
