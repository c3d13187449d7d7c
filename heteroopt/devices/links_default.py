"""Links that a pool gets when its description leaves them out, each said in a note."""

from __future__ import annotations

from collections.abc import Sequence

from heteroopt.devices.links import Link
from heteroopt.devices.spec import DeviceSpec

HOST = "host"
"""Name of the implicit host: stores model inputs and outputs in a pool without a CPU, computes nothing."""


def missing_host_links(devices: Sequence[DeviceSpec], links: Sequence[Link], host: str) -> tuple[Link, ...]:
    """Default links to the host for every device and direction that has none.

    On-chip inside the host's memory domain, UPI between CPUs, PCIe otherwise. Devices that are not linked to
    each other exchange data through the host, so with these links every pair has a route.
    """
    ends = {pair for link in links for pair in directions(link)}
    domains = {device.name: device.memory_domain for device in devices}
    added: list[Link] = []
    for device in devices:
        if device.name == host:
            continue
        shared = device.memory_domain is not None and device.memory_domain == domains.get(host)
        link_class = "on-chip" if shared else "UPI" if device.device_type == "CPU" and host in domains else "PCIe"
        there, back = (device.name, host) in ends, (host, device.name) in ends
        if not there and not back:
            added.append(Link(device.name, host, link_class=link_class))
        elif not there:
            added.append(Link(device.name, host, link_class=link_class, directed=True))
        elif not back:
            added.append(Link(host, device.name, link_class=link_class, directed=True))
    return tuple(added)


def directions(link: Link) -> tuple[tuple[str, str], ...]:
    """Ordered pairs of ends that a link serves."""
    forward = (link.source, link.target)
    return (forward,) if link.directed else (forward, (link.target, link.source))
