"""Which plugins there are: those that ship with us, entry points of ``heteroopt.runtimes``, folders of this host."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from importlib.metadata import EntryPoint, entry_points
from importlib.util import find_spec
from pathlib import Path

from heteroopt.runtimes.configuration import FILE_NAME, PluginConfiguration, read_configuration
from heteroopt.runtimes.description import Reason
from heteroopt.runtimes.errors import RuntimeFault

GROUP = "heteroopt.runtimes"
"""An entry point names the package that is the plugin's folder; the package is located, never imported here."""

SHIPPED = Path(__file__).parent / "plugins"

MADE_UP = frozenset(("simulated",))
"""Runtimes that are never chosen unless somebody names them."""


@dataclass(frozen=True, slots=True)
class Plugin:
    """One plugin's folder: its configuration, or why that cannot be read."""

    name: str
    folder: Path
    configuration: PluginConfiguration | None
    reason: Reason | None = None


def find_plugins(host_folder: Path | None = None, found: Iterable[EntryPoint] | None = None) -> list[Plugin]:
    """Return all plugins by name. A folder of the host with a plugin's name replaces that one's configuration.

    ``host_folder``: what the administrator of this host keeps, a folder a plugin, each with ``device_config.yaml``.
    """
    folders = {path.parent.name: path.parent for path in sorted(SHIPPED.glob(f"*/{FILE_NAME}"))}
    plugins: dict[str, Plugin] = {}
    for point in entry_points(group=GROUP) if found is None else found:
        try:
            folders[point.name] = _folder_of(point)
        except (ImportError, ValueError) as error:
            plugins[point.name] = Plugin(point.name, Path(), None, _not_found(point, str(error)))
    if host_folder is not None and host_folder.is_dir():
        folders |= {path.parent.name: path.parent for path in sorted(host_folder.glob(f"*/{FILE_NAME}"))}
    for name, folder in folders.items():
        try:
            plugins[name] = Plugin(name, folder, read_configuration(folder))
        except RuntimeFault as error:
            plugins[name] = Plugin(name, folder, None, Reason.of(error))
    return [plugins[name] for name in sorted(plugins)]


def _folder_of(point: EntryPoint) -> Path:
    spec = find_spec(point.value)
    if spec is None or not spec.submodule_search_locations:
        raise ValueError(f"{point.value} is no package")
    return Path(spec.submodule_search_locations[0])


def _not_found(point: EntryPoint, why: str) -> Reason:
    error = RuntimeFault(
        "runtime_load_failed",
        f"The entry point {point.name} does not lead to a plugin's folder: {why}.",
        hint="Install the package again, or remove it.",
        path=point.value,
        kind="ImportError",
        says=why,
    )
    return Reason.of(error)
