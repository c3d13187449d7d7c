"""Sets of cores that can work as devices of their own: one a NUMA node, or two halves of a machine that has one."""

from __future__ import annotations

from heteroopt.devices.topology.model import Topology, TopologyNode

MOST_SETS = 8


def core_sets(topology: Topology) -> tuple[tuple[int, ...], ...]:
    """Hardware threads of each set, ascending; none where there is one core only, or nothing is known of cores.

    Threads of one core stay together. A machine with several NUMA nodes has a set of each (up to 8, then neighbours
    are joined); with one it has two halves, cut between caches of the third level where there are several.
    """
    cores = [node for node in topology.of_kind("core") if node.cpuset]
    if len(cores) < 2:
        return ()
    groups = _grouped(cores, topology, "numa")
    if len(groups) < 2:
        caches = _grouped(cores, topology, "cache_l3")
        groups = _halves(caches) if len(caches) > 1 else _halves([[core] for core in _ordered(cores)])
    while len(groups) > MOST_SETS:
        groups = [[*groups[at], *(groups[at + 1] if at + 1 < len(groups) else [])] for at in range(0, len(groups), 2)]
    return tuple(tuple(sorted(cpu for core in group for cpu in core.cpuset)) for group in groups)


def _grouped(cores: list[TopologyNode], topology: Topology, kind: str) -> list[list[TopologyNode]]:
    """Cores by the node of a kind that holds them, in its order; those that none holds are left out."""
    places = [set(node.cpuset) for node in topology.of_kind(kind)]
    found = [[core for core in _ordered(cores) if set(core.cpuset) <= place] for place in places]
    return [group for group in found if group]


def _halves(groups: list[list[TopologyNode]]) -> list[list[TopologyNode]]:
    half = (len(groups) + 1) // 2
    return [[core for group in part for core in group] for part in (groups[:half], groups[half:])]


def _ordered(cores: list[TopologyNode]) -> list[TopologyNode]:
    return sorted(cores, key=lambda core: core.cpuset)
