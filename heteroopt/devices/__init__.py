"""Devices, links and pools; templates of real hardware; routes of data between devices."""

from heteroopt.devices.links import LINK_CLASSES, Link
from heteroopt.devices.pool import DevicePool
from heteroopt.devices.spec import DEVICE_TYPES, DeviceSpec
from heteroopt.devices.templates import list_sample_pools, list_templates, load_sample_pool, load_template

__all__ = [
    "DEVICE_TYPES",
    "LINK_CLASSES",
    "DevicePool",
    "DeviceSpec",
    "Link",
    "list_sample_pools",
    "list_templates",
    "load_sample_pool",
    "load_template",
]
