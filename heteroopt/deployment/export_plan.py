"""Describes and writes exports: what every format of ours and of plugins has in common."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from heteroopt.deployment.export_files import check_paths, write_folder
from heteroopt.deployment.export_manifest import compare_plan, manifest_file, read_manifest
from heteroopt.deployment.export_registry import exporters, find_exporter
from heteroopt.deployment.export_size import size_refusals, total_bytes
from heteroopt.deployment.export_target import check_folder, check_room, draft_beside, put_folder
from heteroopt.deployment.exporters.targets import model_refusals
from heteroopt.deployment.exporting import Coverage, Export, Exporter, ExportFile, ExportRequest, Refusal
from heteroopt.deployment.model_identity import check_model
from heteroopt.deployment.option_values import option_of, shown, value_refusals
from heteroopt.errors import HeteroOptError


def describe(key: str, request: ExportRequest | None = None) -> dict[str, Any]:
    """What a format needs and can express, as JSON-able data; with a request also its ``refusals`` of that plan.

    Keys: key, engine, versions, needs_model, expresses, reads_back, options, refusals (``None`` without a request).
    Nothing is written and no model is read.
    """
    exporter = find_exporter(key)
    return {
        "key": exporter.key,
        "engine": exporter.engine,
        "versions": exporter.versions,
        "needs_model": exporter.needs_model,
        "expresses": list(exporter.expresses),
        "reads_back": exporter.reads_back,
        "options": [
            {"name": option.name, "meaning": option.meaning, "default": option.default} for option in exporter.options
        ],
        "refusals": None if request is None else [refusal.to_dict() for refusal in refusals_of(exporter, request)],
    }


def describe_all(request: ExportRequest | None = None) -> list[dict[str, Any]]:
    """``describe`` of every format that can be used, in the order in which they are offered."""
    return [describe(key, request) for key in exporters().available]


def refusals_of(exporter: Exporter, request: ExportRequest) -> list[Refusal]:
    """Every reason against this export: what all formats ask for, then the format's own, which is asked only with
    options that it takes.
    """
    request = _given(request)
    refusals = []
    if exporter.needs_model and request.model_path is None:
        refusals.append(
            Refusal(
                "export_needs_model",
                f"{exporter.key} needs the ONNX file that was planned.",
                hint="Give it with --model MODEL.onnx, or choose a format that does not carry the model.",
                format=exporter.key,
            )
        )
    devices = [device.name for device in request.plan.pool.devices]
    for name in request.options:
        if option_of(exporter, name) is None:
            refusals.append(
                Refusal(
                    "export_option_unknown",
                    f"{exporter.key} has no option {shown(name)!r}.",
                    hint=f"Its options: {', '.join(option.name for option in exporter.options) or 'none'}.",
                    format=exporter.key,
                    option=shown(name),
                    known=[option.name for option in exporter.options],
                )
            )
        elif name not in {option.name for option in exporter.options} and name.partition(".")[2] not in devices:
            refusals.append(
                Refusal(
                    "export_target_unknown",
                    f"The option {shown(name)} names no device of the pool.",
                    hint=f"Devices: {', '.join(devices)}.",
                    option=shown(name),
                    known=devices,
                )
            )
    refusals += value_refusals(exporter, request) or exporter.refusals(request)
    return refusals + size_refusals(exporter.key, exporter.expected_bytes(request), request)


def build(key: str, request: ExportRequest, approval: Mapping[str, Any] | None = None) -> tuple[ExportFile, ...]:
    """The files of an export with its ``manifest.json`` last.

    A model's file that comes with the request must be the one that was planned, whatever the format does with it.
    Raises the first :class:`Refusal`; ``HeteroOptError`` ``export_unknown``, ``export_unavailable``, ``export_path``.
    """
    exporter, request = find_exporter(key), _given(request)
    for refusal in refusals_of(exporter, request):
        raise refusal
    if request.model_path is not None:
        if exporter.needs_model or not model_refusals(key, request):
            check_model(request.plan.original, request.model_path)
        else:  # of a training step, which is in no file
            request = replace(request, model_path=None)
    export = exporter.export(request)
    _check_coverage(exporter, request, export)
    check_paths(export.files)
    for refusal in size_refusals(key, total_bytes(export.files), request):
        raise refusal
    return (*export.files, manifest_file(exporter, request, export, approval))


def export_plan(
    key: str,
    request: ExportRequest,
    folder: Path,
    approval: Mapping[str, Any] | None = None,
    *,
    replace_existing: bool = False,
) -> dict[str, Any]:
    """Write an export into a new folder, parse it again as its engine would, and return its manifest.

    It is there whole or not at all: written beside ``folder``, checked there, and moved. ``replace_existing``: an
    export that is there already goes once the new one is checked. Raises what :func:`build` and
    :func:`check_export` raise, and ``HeteroOptError`` ``export_folder_used``, ``export_folder_foreign``,
    ``export_disk_full``.
    """
    check_folder(folder, replace=replace_existing)
    files = build(key, request, approval)
    check_room(folder, total_bytes(files))
    with draft_beside(folder, parents=True) as draft:
        written = draft / "export"
        manifest = write_checked(files, written, request)
        put_folder(written, folder, replace=replace_existing)
    return manifest


def write_checked(files: Sequence[ExportFile], folder: Path, request: ExportRequest) -> dict[str, Any]:
    """Write the files of :func:`build` and check them as :func:`check_export` does; their manifest."""
    write_folder(files, folder)
    check_export(folder, request)
    return read_manifest(folder)


def check_export(folder: Path, request: ExportRequest | None = None) -> Coverage:
    """Compare an export with its checksums and parse it again; what of the plan it expresses. With ``request`` also
    compare it with that plan.

    Raises ``HeteroOptError``: what ``read_manifest`` and the format's own check raise, ``export_other_plan``.
    """
    manifest = read_manifest(folder)
    if request is not None:
        compare_plan(manifest, request)
    return find_exporter(str(manifest["exporter"])).check(folder)


def _given(request: ExportRequest) -> ExportRequest:
    """The request without options that are empty, which stand for what holds without them."""
    return replace(request, options={name: value for name, value in request.options.items() if value})


def _check_coverage(exporter: Exporter, request: ExportRequest, export: Export) -> None:
    """Every operator is expressed or named."""
    coverage, planned = export.coverage, len(request.plan.original.operators)
    if coverage.planned != planned or coverage.expressed + len(coverage.unmatched) != planned:
        raise HeteroOptError(
            "export_coverage",
            f"{exporter.key} says of {coverage.planned} operators that it expresses {coverage.expressed} and names "
            f"{len(coverage.unmatched)} others; the plan has {planned}.",
            hint="This is a fault of the format's plugin; report it to its author.",
            format=exporter.key,
            planned=planned,
            expressed=coverage.expressed,
        )
