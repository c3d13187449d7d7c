"""What a machine is made of and how its devices are linked, probed here or read from pasted text of other machines."""

from heteroopt.devices.topology.ascend import from_npu_smi
from heteroopt.devices.topology.figures import LinkFigures, link_figures, pcie_figures
from heteroopt.devices.topology.host import merge, probe_host
from heteroopt.devices.topology.hwloc import from_hwloc_xml
from heteroopt.devices.topology.links import join, pool_links
from heteroopt.devices.topology.model import NODE_KINDS, Topology, TopologyLink, TopologyNode
from heteroopt.devices.topology.nvidia import from_nvidia_smi_topo
from heteroopt.devices.topology.pool import pool_from_topology, template_of
from heteroopt.devices.topology.read import read_topology
from heteroopt.devices.topology.sysfs import from_sysfs

__all__ = [
    "NODE_KINDS",
    "LinkFigures",
    "Topology",
    "TopologyLink",
    "TopologyNode",
    "from_hwloc_xml",
    "from_npu_smi",
    "from_nvidia_smi_topo",
    "from_sysfs",
    "join",
    "link_figures",
    "merge",
    "pcie_figures",
    "pool_from_topology",
    "pool_links",
    "probe_host",
    "read_topology",
    "template_of",
]
