"""Compares what the files of an export say with its manifest: the one place where a format's check is decided.

A format's check reads its own files and says in a :class:`Written` what it found there, things that it found twice
twice. Everything that the manifest says and the files do not, or otherwise, is an error.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from heteroopt.deployment.export_manifest import load_manifest
from heteroopt.deployment.exporting import Coverage
from heteroopt.errors import HeteroOptError

SHOWN = 20


@dataclass(frozen=True, kw_only=True)
class Written:
    """What files say. ``None``: this the format does not say.

    ``operators``: index and device (a name of the pool) of each operator as often as it is there. ``segments``: index
    and device in the order of the file. ``segment_of``, ``order``: by operator's index. ``targets``: by device what
    stands for it. ``hashes``: by their names in the manifest.
    """

    operators: Sequence[tuple[int, str]]
    segments: Sequence[tuple[int, str]] | None = None
    segment_of: Mapping[int, int] | None = None
    order: Mapping[int, int] | None = None
    targets: Mapping[str, str] | None = None
    hashes: Mapping[str, Any] = field(default_factory=dict)


def compare(key: str, folder: Path, written: Written) -> Coverage:
    """The coverage of files that hold the whole plan.

    Raises ``HeteroOptError``: ``export_incomplete``, ``export_operator_repeated``, ``export_segments_differ``,
    ``export_order_differs``, ``export_target_differs``, ``export_hash_differs``.
    """
    manifest = load_manifest(folder)
    rows: list[dict[str, Any]] = manifest["operators"]
    _compare_operators(key, rows, written.operators)
    if written.segments is not None:
        _compare_segments(key, manifest["segments"], written.segments)
    if written.segment_of is not None:
        lost = tuple(row["name"] for row in rows if written.segment_of.get(row["index"], -1) != row["segment"])
        if lost:
            raise incomplete(key, len(rows), lost)
    if written.order is not None:
        _compare_order(key, rows, written.order)
    if written.targets is not None:
        _compare_targets(key, manifest["targets"], written.targets)
    for name, value in written.hashes.items():
        if manifest["hashes"].get(name) != value:
            raise HeteroOptError(
                "export_hash_differs",
                f"The {key} files are of another {name} than their manifest says.",
                hint="Export again, into a new folder.",
                format=key,
                part=name,
            )
    return Coverage(len(rows), len(rows))


def operators_by_output(folder: Path) -> dict[str, tuple[int, str]]:
    """Index and operator type by the name of each output tensor."""
    return {
        name: (row["index"], row["op_type"]) for row in load_manifest(folder)["operators"] for name in row["outputs"]
    }


def in_segments(folder: Path, segments: Iterable[tuple[int, str]]) -> list[tuple[int, str]]:
    """Index and device of the operators of segments that a file lists, for formats that name segments alone."""
    rows = load_manifest(folder)["operators"]
    found = []
    for segment, device in segments:
        found += [(row["index"], device) for row in rows if row["segment"] == segment]
    return found


def incomplete(key: str, planned: int, lost: Sequence[str]) -> HeteroOptError:
    """The error of files that do not hold the whole plan; ``lost``: names of operators."""
    names = ", ".join(repr(name) for name in lost[:5])
    return HeteroOptError(
        "export_incomplete",
        f"The {key} files hold {planned - len(lost)} of {planned} operators where the plan has them; not: {names}.",
        hint="Export again; if it stays so, report it as a bug.",
        format=key,
        planned=planned,
        expressed=planned - len(lost),
        operators=list(lost[:SHOWN]),
    )


def _compare_operators(key: str, rows: list[dict[str, Any]], found: Sequence[tuple[int, str]]) -> None:
    devices: dict[int, str] = dict(found)
    lost = tuple(row["name"] for row in rows if devices.get(row["index"]) != row["device"])
    if lost:
        raise incomplete(key, len(rows), lost)
    if len(found) == len(rows):
        return
    counts = Counter(index for index, _ in found)
    names = {row["index"]: str(row["name"]) for row in rows}
    repeated = [names.get(index, str(index)) for index, count in counts.items() if count > 1 or index not in names]
    raise HeteroOptError(
        "export_operator_repeated",
        f"The {key} files hold operators more than once, or such that the plan does not have: {repeated[0]!r}.",
        hint="Export again; if it stays so, report it as a bug.",
        format=key,
        operators=repeated[:SHOWN],
    )


def _compare_segments(key: str, planned: list[dict[str, Any]], found: Sequence[tuple[int, str]]) -> None:
    wanted = [(entry["index"], entry["device"]) for entry in planned]
    if list(found) == wanted:
        return
    counts = Counter(index for index, _ in found)
    odd = [index for index, count in counts.items() if count > 1]
    odd += [index for index, _ in wanted if index not in counts]
    odd += [index for index, device in found if (index, device) not in wanted]
    odd += [index for (index, _), (own, _) in zip(wanted, found, strict=False) if index != own]
    raise HeteroOptError(
        "export_segments_differ",
        f"The {key} files do not hold the plan's {len(wanted)} segments once each, in order and on their devices: "
        f"segment {odd[0]}.",
        hint="Export again; if it stays so, report it as a bug.",
        format=key,
        planned=len(wanted),
        found=len(found),
        segment=odd[0],
    )


def _compare_order(key: str, rows: list[dict[str, Any]], order: Mapping[int, int]) -> None:
    wrong = [row["name"] for row in rows if order.get(row["index"]) != row["order"]]
    if wrong:
        raise HeteroOptError(
            "export_order_differs",
            f"The {key} files have {len(wrong)} operators at another place of the order: {wrong[0]!r}.",
            hint="Export again; if it stays so, report it as a bug.",
            format=key,
            count=len(wrong),
            operators=wrong[:SHOWN],
        )


def _compare_targets(key: str, planned: Mapping[str, str], found: Mapping[str, str]) -> None:
    wrong = [name for name in {**planned, **found} if planned.get(name) != found.get(name)]
    if wrong:
        raise HeteroOptError(
            "export_target_differs",
            f"In the {key} files {wrong[0]} is {found.get(wrong[0], 'missing')!r}, as exported it is "
            f"{planned.get(wrong[0], 'none')!r}.",
            hint="Export again; if it stays so, report it as a bug.",
            format=key,
            device=wrong[0],
            target=found.get(wrong[0], ""),
        )
