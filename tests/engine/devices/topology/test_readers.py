"""Topologies from pasted text: every shape exactly, and what is refused, with its line."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from heteroopt.devices.topology import Topology, from_hwloc_xml, from_npu_smi, from_nvidia_smi_topo, read_topology
from heteroopt.errors import PoolError
from tests.engine.devices.topology import texts

ALL = (
    texts.SWITCHED, texts.WORKSTATION, texts.OLD, texts.MESH, texts.HCCS, texts.DIES, texts.CARDS, texts.HWLOC,
)  # fmt: skip


def tree(topology: Topology) -> dict[str, str | None]:
    return {node.id: node.parent for node in topology.nodes}


def links(topology: Topology) -> list[tuple[str, str, str, int | None]]:
    return [(link.source, link.target, link.kind, link.distance) for link in topology.links]


def test_gpus_behind_a_switch_with_their_network_cards():
    found = from_nvidia_smi_topo(texts.SWITCHED)
    assert tree(found) == {
        "machine0": None,
        "numa0": "machine0",
        "numa1": "machine0",
        "pcie_switch0": "numa0",
        "pcie_switch1": "numa1",
        "gpu0": "pcie_switch0",
        "gpu1": "pcie_switch0",
        "gpu2": "pcie_switch1",
        "gpu3": "pcie_switch1",
        "nic:NIC0": "pcie_switch0",
        "nic:NIC1": "pcie_switch1",
    }
    assert found.node("numa1").cpuset == (4, 5, 6, 7, 12, 13, 14, 15)
    assert found.node("gpu3").name == "NVIDIA A100-SXM4-80GB"
    assert found.node("gpu3").attributes == {"index": 3, "vendor": "NVIDIA", "numa_node": 1}
    assert found.node("nic:NIC1").name == "mlx5_1"
    assert len(found.links) == 15
    assert links(found)[:5] == [
        ("gpu0", "gpu1", "NV12", 12),
        ("gpu0", "gpu2", "NV12", 12),
        ("gpu0", "gpu3", "NV12", 12),
        ("gpu0", "nic:NIC0", "PXB", 16),
        ("gpu0", "nic:NIC1", "SYS", 32),
    ]
    names, matrix = found.distance_matrix()
    assert names == ("numa0", "numa1", "gpu0", "gpu1", "gpu2", "gpu3")
    assert matrix[2] == (18, 40, 10, 12, 12, 12)


def test_consumer_cards_without_peer_access_and_without_tabs():
    found = from_nvidia_smi_topo(texts.WORKSTATION)
    gpu = found.node("gpu1")
    assert (gpu.name, gpu.memory_bytes) == ("NVIDIA GeForce RTX 4090", 24564 * 1024 * 1024)
    assert gpu.attributes["pci_address"] == "0000:21:00.0"
    assert found.node("numa0").cpuset == tuple(range(64))
    (link,) = found.links
    assert (link.kind, link.distance, link.peer) == ("PHB", 18, False)


def test_names_of_old_drivers():
    found = from_nvidia_smi_topo(texts.OLD)
    assert links(found) == [
        ("gpu0", "gpu1", "SYS", 32),
        ("gpu0", "nic:mlx5_0", "PHB", 18),
        ("gpu1", "nic:mlx5_0", "SYS", 32),
    ]
    assert found.node("gpu1").cpuset == (*range(10, 20), *range(30, 40))
    assert tree(found)["gpu1"] == "machine0"


def test_a_mesh_of_links_and_a_query():
    found = from_nvidia_smi_topo(texts.MESH)
    assert [link.kind for link in found.links] == ["NV1", "NV2", "SYS", "SYS", "NV2", "NV1"]
    assert found.node("gpu2").memory_bytes == 32768 << 20
    assert found.node("gpu2").attributes["pci_address"] == "0000:07:00.0"


def test_lanes_as_the_tool_counts_them():
    status = "\nGPU 0: NVIDIA H800 (UUID: GPU-1)\n\t Link 0: 26.562 GB/s\n\t Link 1: 26.562 GB/s\n"
    found = from_nvidia_smi_topo("\tGPU0\tCPU Affinity\tNUMA Affinity\nGPU0\t X \t0-3\t0" + status)
    assert found.node("gpu0").attributes["nvlink_lanes"] == 2
    assert found.node("gpu0").attributes["nvlink_gb_per_s"] == 26.562


def test_ascend_links_with_names_memory_and_health():
    found = from_npu_smi(texts.HCCS)
    assert links(found) == [("npu0", "npu1", "HCCS", 12), ("npu0", "npu2", "PHB", 18), ("npu1", "npu2", "SYS", 32)]
    second = found.node("npu1")
    assert (second.name, second.memory_bytes, second.cpuset) == ("Ascend 910B3", 65536 << 20, tuple(range(24)))
    assert second.attributes["health"] == "Warning"
    assert second.attributes["pci_address"] == "0000:c2:00.0"
    assert found.node("npu2").name == "NPU 2"


def test_dies_are_told_apart_by_their_physical_number():
    found = from_npu_smi(texts.DIES)
    assert links(found) == [
        ("npu0", "npu1", "SIO", 11),
        ("npu0", "npu2", "HCCS_SW", 13),
        ("npu1", "npu2", "HCCS_SW", 13),
    ]
    assert [node.attributes.get("pci_address") for node in found.of_kind("npu")] == [
        "0000:9d:00.0",
        "0000:9f:00.0",
        None,
    ]


def test_a_table_alone_lists_devices_without_links():
    found = from_npu_smi(texts.CARDS)
    (npu,) = found.of_kind("npu")
    assert (npu.name, npu.memory_bytes, npu.attributes["card"]) == ("Ascend 310P3", 21527 << 20, 5)
    assert found.links == ()


def test_hwloc_puts_everything_into_its_memory_and_keeps_switches_where_devices_meet():
    found = from_hwloc_xml(texts.HWLOC)
    assert tree(found) == {
        "machine0": None,
        "package0": "machine0",
        "numa0": "package0",
        "l3-0": "numa0",
        "core0": "l3-0",
        "pcie_switch0": "numa0",
        "pcie_switch1": "pcie_switch0",
        "gpu0": "pcie_switch1",
        "gpu1": "pcie_switch1",
        "nic0": "pcie_switch1",
        "pcie_device0": "pcie_switch0",
        "package1": "machine0",
        "numa1": "package1",
        "core1": "numa1",
        "npu0": "numa1",
    }
    assert found.node("machine0").name == "node7"
    assert found.node("machine0").memory_bytes == 128_000_000_000
    assert [found.node(name).cpuset for name in ("machine0", "package1")] == [(0, 32), (32,)]
    gpu = found.node("gpu0")
    assert (gpu.name, gpu.memory_bytes) == ("NVIDIA A100-SXM4-80GB", 83148800 * 1024)
    assert gpu.attributes["pcie_gb_per_s"] == 31.508
    assert found.node("gpu1").name == "GA100 [A100 SXM4 80GB]"
    assert [found.node(name).attributes["role"] for name in ("pcie_switch0", "pcie_switch1")] == [
        "host_bridge",
        "switch",
    ]
    assert found.node("nic0").attributes["interfaces"] == "mlx5_0"
    assert links(found) == [("numa0", "numa1", "NUMA", 32)]
    numa = found.numa("npu0")
    assert numa is not None
    assert numa.id == "numa1"
    assert found.distance("gpu0", "npu0") == 32


def test_hwloc_before_version_2_and_its_nvlinks():
    found = from_hwloc_xml(
        """<topology><object type="Machine" cpuset="0x3"><object type="NUMANode" os_index="0" cpuset="0x3"
        local_memory="1000"><object type="Socket" os_index="0" cpuset="0x3"><object type="Cache" depth="3"
        cpuset="0x3" cache_size="4096"><object type="Core" os_index="0" cpuset="0x1"/></object></object>
        <object type="Bridge" bridge_type="0-1"><object type="PCIDev" pci_busid="0000:01:00.0"
        pci_type="0302 [10de:1db1] [0:0] a1"><object type="OSDev" gp_index="8" name="nvml0"/></object>
        <object type="PCIDev" pci_busid="0000:02:00.0" pci_type="0302 [10de:1db1] [0:0] a1">
        <object type="OSDev" gp_index="9" name="nvml1"/></object></object></object></object>
        <distances2 type="OSDev" nbobjs="2" kind="9" name="NVLinkBandwidth" indexing="gp">
        <indexes length="4">8 9 </indexes><u64values length="9">1000000 50000 50000 1000000</u64values></distances2>
        </topology>"""
    )
    assert tree(found)["l3-0"] == "package0"
    assert tree(found)["core0"] == "l3-0"
    assert tree(found)["package0"] == "numa0"
    (link,) = found.links
    assert (link.source, link.target, link.kind, link.bandwidth_gb_per_s) == ("gpu0", "gpu1", "NV", 50.0)


@pytest.mark.parametrize("text", ALL)
def test_json_brings_everything_back_and_the_tool_is_recognised(text):
    found = read_topology(text)
    assert Topology.from_json(found.to_json()) == found
    assert read_topology(found.to_json()) == found


BOMB = '<!DOCTYPE t [<!ENTITY a "lol"><!ENTITY b "&a;&a;">]><topology><object type="Machine">&b;</object></topology>'
OUTSIDE = '<!DOCTYPE t [<!ENTITY x SYSTEM "file:///etc/passwd">]>\n<topology>&x;</topology>'
MACHINE, CARD = {"id": "m", "kind": "machine"}, {"kind": "gpu", "parent": "m"}
ROW = "GPU0\t X \tNV1\t0-3\t0\n"


@pytest.mark.parametrize(
    ("text", "code", "line"),
    [
        ("hello", "topology_unreadable", 1),
        ("", "topology_unreadable", 1),
        (BOMB, "topology_xml_unsafe", 1),
        (OUTSIDE, "topology_xml_unsafe", 1),
        ("<topology>\n<object", "topology_unreadable", 2),
        ("<topology><object type='Core'/></topology>", "topology_unreadable", 1),
        ("<a>" * 100, "topology_too_large", None),
        ("<topology><object type='Machine' cpuset='zz'/></topology>", "topology_unreadable", 1),
        ("\n<topology>\n<object type='Machine' local_memory='-1'/></topology>", "topology_unreadable", 2),
        ("{", "topology_broken", 1),
        ('{"nodes": [{"id": "a", "kind": "gpu", "name": "a"}]}', "topology_broken", 0),
        ('{"nodes": [{"id": "a", "kind": "machine"}, {"id": "a", "kind": "machine"}]}', "topology_broken", 0),
        ('{"nodes": [{"id": "a", "kind": "spoon"}]}', "topology_broken", 0),
        ('{"nodes": [{"id": "a", "kind": "machine", "cpuset": "0-99999999"}]}', "topology_broken", 0),
        ('{"nodes": [], "links": [{"source": "a", "target": "b", "kind": "NV1"}]}', "topology_broken", 0),
        ("\tGPU0\tGPU1\tCPU Affinity\n" + ROW, "topology_unreadable", 1),
        ("\tGPU0\tGPU1\tCPU Affinity\n" + ROW + "GPU1\tNV1\n", "topology_unreadable", 3),
        ("\tGPU0\tGPU1\tCPU Affinity\n" + ROW + "GPU1\tNV2\t X \t0-3\t0\n", "topology_unreadable", 1),
        ("\tGPU0\tGPU1\tCPU Affinity\nGPU0\t X \tNV999\t0-3\t0\n", "topology_unreadable", 2),
        ("\tGPU0\tGPU1\tCPU Affinity\nGPU0\t X \tNV0\t0-3\t0\n", "topology_unreadable", 2),
        ("\tGPU0\tGPU1\n" + ROW + "GPU1\tNV1\t X\nGPU 0: A\n\t Link 0: 9999 GB/s\n", "topology_unreadable", 5),
        ("\tGPU0\tGPU1\tCPU Affinity\n" + ROW + "GPU1\t<b>\t X \t0-3\t0\n", "topology_unreadable", 3),
        ("\tGPU0\tGPU1\tCPU Affinity\n" + ROW + "GPU1\tNV1\t X \t3-0\t0\n", "topology_unreadable", 3),
        ("\tGPU0\tCPU Affinity\nGPU0\t X \t" + ",".join(["0-8000"] * 900), "topology_unreadable", 2),
        ("\tGPU0\tGPU1\n GPU0\tX\tOK\n GPU1\tOK\tX\n", "topology_unreadable", 1),
        ("\tGPU0\tGPU0\tCPU Affinity\n", "topology_unreadable", 1),
        ("\t" + "\t".join(f"GPU{i}" for i in range(600)) + "\tCPU Affinity\n", "topology_too_large", None),
        (json.dumps({"nodes": [MACHINE] + [{**CARD, "id": str(i)} for i in range(257)]}), "topology_too_large", None),
        ("GPU0" + " " * 9_000, "topology_unreadable", 1),
        ("GPU0" + "\n" * 2_000_000, "topology_too_large", None),
        ("| NPU   Name | Health | x |\n| 0   910B | OK | 1 |\n| 0 | nowhere | 1 |", "topology_unreadable", 3),
    ],
)  # fmt: skip
def test_what_is_refused(text, code, line):
    with pytest.raises(PoolError) as caught:
        read_topology(text)
    assert caught.value.code == code
    assert line is None or caught.value.params["line"] == line


@settings(max_examples=60)
@given(st.data())
def test_text_that_was_cut_or_changed_gives_a_topology_or_a_clear_error(data):
    text = data.draw(st.sampled_from(ALL))
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, len(text)))
    noise = data.draw(st.text(alphabet='\t\n X0:|<>&;"NVGPU-/', max_size=12))
    try:
        read_topology(text[:start] + noise + text[end:])
    except PoolError as error:
        assert error.code.startswith("topology_")
