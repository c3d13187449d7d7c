"""Device templates and sample pools: TOML data files in ``device_templates``, each figure with its source."""

from __future__ import annotations

import tomllib
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import Any

from heteroopt.devices.pool import DevicePool
from heteroopt.devices.spec import DeviceSpec
from heteroopt.errors import PoolError

_PACKAGE = "device_templates"


@cache
def list_templates() -> tuple[str, ...]:
    """Names of all device templates, sorted."""
    return _names(files(_PACKAGE))


@cache
def list_sample_pools() -> tuple[str, ...]:
    """Names of all sample pools, sorted."""
    return _names(files(_PACKAGE) / "pools")


def load_template(name: str) -> DeviceSpec:
    """The template as a device of the template's name. Raises ``PoolError`` (``unknown_template``)."""
    return DeviceSpec(template=name, name=name)


def load_sample_pool(name: str) -> DevicePool:
    """A pool that ships with the product. Raises ``PoolError`` (``unknown_sample_pool``)."""
    return DevicePool.from_toml(sample_pool_toml(name))


def sample_pool_toml(name: str) -> str:
    """The TOML text of a sample pool. Raises ``PoolError`` (``unknown_sample_pool``)."""
    if name not in list_sample_pools():
        raise PoolError(
            "unknown_sample_pool",
            f"There is no sample pool {name!r}.",
            hint=f"Sample pools: {', '.join(list_sample_pools())}.",
            name=str(name),
            known=list(list_sample_pools()),
        )
    return (files(_PACKAGE) / "pools" / f"{name}.toml").read_text("utf-8")


def template_values(name: object) -> dict[str, Any]:
    """Fields of a template, its name as ``template``. Raises ``PoolError`` (``unknown_template``)."""
    if not isinstance(name, str) or name not in list_templates():
        raise PoolError(
            "unknown_template",
            f"There is no device template {name!r}.",
            hint="`heteroopt devices` lists them.",
            name=str(name),
            known=list(list_templates()),
        )
    return dict(_values(name))


@cache
def _values(name: str) -> dict[str, Any]:
    values = tomllib.loads((files(_PACKAGE) / f"{name}.toml").read_text("utf-8"))
    return {**values, "template": name}


def _names(folder: Traversable) -> tuple[str, ...]:
    return tuple(sorted(entry.name.removesuffix(".toml") for entry in folder.iterdir() if entry.name.endswith(".toml")))
