"""Routes of data: which hops lead from each store to each other one, and which channel each hop occupies."""

from __future__ import annotations

from dataclasses import dataclass

from heteroopt.devices.links import LINK_CLASSES, Link
from heteroopt.devices.links_default import directions
from heteroopt.devices.pool import DevicePool
from heteroopt.units import ps_per_byte, us_to_ps

NO_CHANNEL = -1
"""Channel of a move inside a memory domain: nothing is copied, so nothing queues."""


@dataclass(frozen=True, slots=True)
class Hop:
    """One copy from store to store: ``latency_ps + size x ps_per_byte``, exclusive on its channel while it lasts."""

    source: int
    target: int
    channel: int
    latency_ps: int
    ps_per_byte: float
    pj_per_byte: float


@dataclass(frozen=True, slots=True)
class Routes:
    """Hops for every ordered pair of stores (devices, then the implicit host), and the channels' names.

    ``hops[(source, target)]`` is empty for equal stores, one hop for a direct link or within a memory domain, and
    two hops, store and forward, through the host otherwise.
    """

    n_stores: int
    hops: dict[tuple[int, int], tuple[Hop, ...]]
    channels: tuple[str, ...]

    def between(self, source: int, target: int) -> tuple[Hop, ...]:
        """Hops from one store to another, in order."""
        return self.hops[source, target]


def find_routes(pool: DevicePool) -> Routes:
    """Routes of a pool. Every pair has one, since a pool links each device to its host.

    A directed link is a channel; an undirected one is a channel per direction; links that name a ``channel``
    share it, in both directions if undirected.
    """
    names = pool.store_names
    index = {name: position for position, name in enumerate(names)}
    domains = [*(device.memory_domain for device in pool.devices), *([None] * (len(names) - len(pool)))]
    channels: dict[str, int] = {}
    direct: dict[tuple[int, int], Hop] = {}
    for link in pool.all_links:
        for source_name, target_name in directions(link):
            source, target = index[source_name], index[target_name]
            if domains[source] is not None and domains[source] == domains[target]:
                direct[source, target] = _inside(source, target, link)
            else:
                label = link.channel if link.channel is not None else f"{source_name} -> {target_name}"
                channel = channels.setdefault(label, len(channels))
                direct[source, target] = _hop(source, target, channel, link)
    hops: dict[tuple[int, int], tuple[Hop, ...]] = {}
    for source in range(len(names)):
        for target in range(len(names)):
            hops[source, target] = _route(source, target, direct, domains, pool.host)
    return Routes(len(names), hops, tuple(channels))


def _route(
    source: int, target: int, direct: dict[tuple[int, int], Hop], domains: list[str | None], host: int
) -> tuple[Hop, ...]:
    if source == target:
        return ()
    if (source, target) in direct:
        return (direct[source, target],)
    if domains[source] is not None and domains[source] == domains[target]:
        return (_inside(source, target, None),)
    return (direct[source, host], direct[host, target])


def _hop(source: int, target: int, channel: int, link: Link) -> Hop:
    rate = ps_per_byte(link.bandwidth_gb_per_s)
    return Hop(source, target, channel, us_to_ps(link.latency_us), rate, link.energy_pj_per_byte)


def _inside(source: int, target: int, link: Link | None) -> Hop:
    latency_us = LINK_CLASSES["on-chip"].latency_us if link is None else link.latency_us
    return Hop(source, target, NO_CHANNEL, us_to_ps(latency_us), 0.0, 0.0)
