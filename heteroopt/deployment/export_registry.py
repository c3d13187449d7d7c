"""Which export formats there are: those that ship with us, and entry points of ``heteroopt.exporters``."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache
from importlib import import_module
from importlib.metadata import EntryPoint

from heteroopt.deployment.exporting import Exporter
from heteroopt.errors import HeteroOptError
from heteroopt.plugins import Plugins, load_group

GROUP = "heteroopt.exporters"
SHIPPED: Mapping[str, str] = {
    "plan-json": "heteroopt.deployment.exporters.plan_json:EXPORTER",
    "csv": "heteroopt.deployment.exporters.operator_csv:EXPORTER",
    "trace": "heteroopt.deployment.exporters.trace:EXPORTER",
    "ort-segments": "heteroopt.deployment.exporters.ort_segments.exporter:EXPORTER",
    "report-html": "heteroopt.deployment.exporters.report_html:EXPORTER",
    "openvino-hetero": "heteroopt.deployment.exporters.openvino_hetero:EXPORTER",
    "ort-annotations": "heteroopt.deployment.exporters.ort_annotations:EXPORTER",
    "tensorrt": "heteroopt.deployment.exporters.tensorrt:EXPORTER",
    "ascend": "heteroopt.deployment.exporters.ascend:EXPORTER",
    "triton": "heteroopt.deployment.exporters.triton:EXPORTER",
    "accelerate": "heteroopt.deployment.exporters.accelerate:EXPORTER",
    "torch-pipelining": "heteroopt.deployment.exporters.torch_pipelining:EXPORTER",
    "kubernetes": "heteroopt.deployment.exporters.kubernetes:EXPORTER",
    "compose": "heteroopt.deployment.exporters.compose:EXPORTER",
}
"""Key and ``module:object`` of each of ours, as in the entry points."""


def load_exporters(found: Iterable[EntryPoint] | None = None) -> Plugins[Exporter]:
    """All exporters by key, ours first, and the plugins that are unavailable with their reasons."""
    return load_group(GROUP, _accept, shipped={key: _shipped(value) for key, value in SHIPPED.items()}, found=found)


@cache
def exporters() -> Plugins[Exporter]:
    """The installed exporters, loaded once per process."""
    return load_exporters()


def find_exporter(key: str) -> Exporter:
    """Raises :class:`HeteroOptError` ``export_unknown`` with the known keys, or ``export_unavailable`` with why."""
    if key in SHIPPED:  # alone: a process that writes one format does not load what all others need
        return _shipped(SHIPPED[key])
    installed = exporters()
    if key in installed.available:
        return installed.available[key]
    for plugin in installed.unavailable:
        if plugin.name == key:
            raise HeteroOptError(
                "export_unavailable",
                f"The format {key!r} is installed but cannot be used: {plugin.message}",
                hint="Repair or remove the package that brings it.",
                format=key,
                reason=plugin.message,
            )
    known = list(installed.available)
    raise HeteroOptError(
        "export_unknown", f"There is no format {key!r}.", hint=f"Use one of {', '.join(known)}.",
        format=key, known=known,
    )  # fmt: skip


def _shipped(value: str) -> Exporter:
    module, _, name = value.partition(":")
    loaded: Exporter = getattr(import_module(module), name)
    return loaded


def _accept(name: str, loaded: object) -> Exporter:
    if not isinstance(loaded, Exporter):
        raise TypeError(f"{name!r} is a {type(loaded).__name__}, not an Exporter.")
    if loaded.key != name:
        raise ValueError(f"The entry point is called {name!r}, its format {loaded.key!r}.")
    return loaded
