"""What a machine is made of and how its devices are linked, probed here or read from pasted text of other machines."""

from heteroopt.devices.topology.ascend import from_npu_smi
from heteroopt.devices.topology.core_sets import core_sets
from heteroopt.devices.topology.estimates import is_estimated
from heteroopt.devices.topology.figures import LinkFigures, link_figures, pcie_figures
from heteroopt.devices.topology.host import merge, probe_host
from heteroopt.devices.topology.hwloc import from_hwloc_xml
from heteroopt.devices.topology.links import join, pool_links
from heteroopt.devices.topology.machine import FoundDevice, found_on, machine_pool
from heteroopt.devices.topology.model import NODE_KINDS, Topology, TopologyLink, TopologyNode
from heteroopt.devices.topology.nvidia import from_nvidia_smi_topo
from heteroopt.devices.topology.pool import pool_from_topology, template_of
from heteroopt.devices.topology.read import read_topology
from heteroopt.devices.topology.sysfs import from_sysfs

__all__ = [
    "NODE_KINDS",
    "FoundDevice",
    "LinkFigures",
    "Topology",
    "TopologyLink",
    "TopologyNode",
    "core_sets",
    "found_on",
    "from_hwloc_xml",
    "from_npu_smi",
    "from_nvidia_smi_topo",
    "from_sysfs",
    "is_estimated",
    "join",
    "link_figures",
    "machine_pool",
    "merge",
    "pcie_figures",
    "pool_from_topology",
    "pool_links",
    "probe_host",
    "read_topology",
    "template_of",
]
