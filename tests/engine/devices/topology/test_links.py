"""Links of a pool from a topology, by hand: which are direct, what they carry, who shares a channel."""

from __future__ import annotations

import pytest

from heteroopt.devices import DevicePool, list_templates
from heteroopt.devices.routes import find_routes
from heteroopt.devices.topology import (
    Topology,
    TopologyLink,
    TopologyNode,
    from_hwloc_xml,
    from_npu_smi,
    from_nvidia_smi_topo,
    join,
    link_figures,
    pcie_figures,
    pool_from_topology,
    pool_links,
    template_of,
)
from heteroopt.devices.topology.pool import _TEMPLATES
from heteroopt.errors import PoolError
from tests.engine.devices.topology import texts

Row = tuple[str, str, str, float, str | None, bool]


def rows(links) -> list[Row]:
    return [
        (link.source, link.target, link.link_class, link.bandwidth_gb_per_s, link.channel, link.directed)
        for link in links
    ]


def test_behind_an_nvswitch_a_gpu_shares_its_lanes_and_behind_a_pcie_switch_its_way_to_the_host():
    topology = from_nvidia_smi_topo(texts.SWITCHED)
    found = rows(pool_links(topology, {"a": "gpu0", "b": "gpu1", "c": "gpu2"}))
    assert found == [
        ("a", "host", "PCIe", 24.0, "PCIe switch 0 up", True),
        ("host", "a", "PCIe", 24.0, "PCIe switch 0 down", True),
        ("b", "host", "PCIe", 24.0, "PCIe switch 0 up", True),
        ("host", "b", "PCIe", 24.0, "PCIe switch 0 down", True),
        ("c", "host", "PCIe", 24.0, None, False),
        ("a", "b", "NVLink", 250.0, "a NVLink out", True),
        ("b", "a", "NVLink", 250.0, "b NVLink out", True),
        ("a", "c", "NVLink", 250.0, "a NVLink out", True),
        ("c", "a", "NVLink", 250.0, "c NVLink out", True),
        ("b", "c", "NVLink", 250.0, "b NVLink out", True),
        ("c", "b", "NVLink", 250.0, "c NVLink out", True),
    ]


def test_cards_that_may_not_read_each_other_copy_through_the_host():
    pool = pool_from_topology(from_nvidia_smi_topo(texts.WORKSTATION))
    assert rows(pool.links) == [
        ("gpu0", "host", "PCIe", 24.0, None, False),
        ("gpu1", "host", "PCIe", 24.0, None, False),
    ]
    assert [device.template for device in pool.devices] == ["NVIDIA_RTX_4090"] * 2
    assert pool.devices[0].memory_size_bytes == 24564 << 20
    assert len(find_routes(pool).between(0, 1)) == 2


def test_lanes_without_a_switch_are_links_of_their_own():
    pool = pool_from_topology(from_nvidia_smi_topo(texts.MESH))
    # 25 GB/s a lane, of which 250/300 are reached; no lane from gpu0 to gpu3
    direct = [(link.source, link.target, link.bandwidth_gb_per_s) for link in pool.links if link.target != "host"]
    assert direct == [
        ("gpu0", "gpu1", 20.833),
        ("gpu0", "gpu2", 41.667),
        ("gpu1", "gpu3", 41.667),
        ("gpu2", "gpu3", 20.833),
    ]
    assert {link.link_class for link in pool.links if link.target == "host"} == {"PCIe3"}


def test_ascend_processors_and_dies():
    pool = pool_from_topology(from_npu_smi(texts.HCCS), templates={"npu": "Ascend_910B"})
    assert ("npu0", "npu1", "HCCS", 24.0, None, False) in rows(pool.links)
    assert [link for link in pool.links if {link.source, link.target} == {"npu0", "npu2"}] == []
    dies = from_npu_smi(texts.DIES)
    found = rows(pool_links(dies, {node.id: node.id for node in dies.of_kind("npu")}))
    assert ("npu0", "npu1", "HCCS", 216.0, None, False) in found
    assert ("npu0", "npu2", "HCCS", 156.8, "npu0 HCCS out", True) in found


def test_a_machine_of_two_packages():
    topology = from_hwloc_xml(texts.HWLOC)
    pool = pool_from_topology(topology, templates={"gpu1": "NVIDIA_A100_80G"}, name="node7")
    assert [(device.name, device.template) for device in pool.devices] == [
        ("cpu0", "AMD_EPYC_7763"),
        ("gpu0", "NVIDIA_A100_80G"),
        ("gpu1", "NVIDIA_A100_80G"),
        ("cpu1", "AMD_EPYC_7763"),
        ("npu0", "Ascend_910B"),
    ]
    assert pool.devices[0].memory_size_bytes == 64_000_000_000
    assert rows(pool.links) == [
        ("gpu0", "cpu0", "PCIe", 24.0, "PCIe switch 0 up", True),
        ("cpu0", "gpu0", "PCIe", 24.0, "PCIe switch 0 down", True),
        ("gpu1", "cpu0", "PCIe", 24.0, "PCIe switch 0 up", True),
        ("cpu0", "gpu1", "PCIe", 24.0, "PCIe switch 0 down", True),
        ("npu0", "cpu1", "PCIe", 24.0, "npu0 PCIe up", True),
        ("cpu1", "npu0", "PCIe", 24.0, "npu0 PCIe down", True),
        ("npu0", "cpu0", "PCIe", 24.0, "npu0 PCIe up", True),
        ("cpu0", "npu0", "PCIe", 24.0, "npu0 PCIe down", True),
        ("cpu0", "cpu1", "UPI", 40.0, None, False),
        ("gpu0", "gpu1", "PCIe", 24.0, None, False),
    ]
    far = next(link for link in pool.links if (link.source, link.target) == ("npu0", "cpu0"))
    assert far.latency_us == 11.0
    assert pool.implied_links == ()


def test_the_network_is_used_only_where_nothing_inside_a_machine_leads():
    machines = join([from_nvidia_smi_topo(texts.WORKSTATION), from_nvidia_smi_topo(texts.WORKSTATION)])
    pool = pool_from_topology(machines)
    assert pool.links[0].target == "host"
    inside = next(link for link in pool.links if (link.source, link.target) == ("gpu2", "gpu3"))
    assert (inside.link_class, inside.bandwidth_gb_per_s, inside.latency_us) == ("PCIe", 12.0, 20.0)
    away = [link for link in pool.links if link.link_class == "Ethernet"]
    assert {(link.source, link.target) for link in away} == {
        ("gpu2", "host"), ("host", "gpu2"), ("gpu3", "host"), ("host", "gpu3"),
    }  # fmt: skip
    assert {link.channel for link in away} == {"m1.machine0 network up", "m1.machine0 network down"}
    routes = find_routes(pool)
    assert [routes.channels[hop.channel] for hop in routes.between(2, 3)] == ["gpu2 PCIe up"]


def test_processors_of_other_machines_and_parts_of_one_package():
    topology = from_hwloc_xml(texts.HWLOC)
    both = join([topology, topology])
    links = pool_links(both, {"a": "m0.package0", "b": "m0.numa0", "c": "m1.package0", "g": "m1.gpu0"})
    found = {(link.source, link.target): link.link_class for link in links}
    assert found == {
        ("g", "c"): "PCIe", ("c", "g"): "PCIe", ("g", "a"): "Ethernet", ("a", "g"): "Ethernet",
        ("a", "b"): "on-chip", ("c", "a"): "Ethernet", ("a", "c"): "Ethernet",
    }  # fmt: skip
    with pytest.raises(KeyError):
        pool_links(both, {"a": "nowhere"})


def test_a_limit_of_memory_caps_the_host():
    topology = from_hwloc_xml(texts.HWLOC)
    machine = topology.nodes[0]
    limited = TopologyNode(
        "machine0", "machine", "m", None, 10_000_000_000, machine.cpuset, {"memory_limit_bytes": 10**10}
    )
    pool = pool_from_topology(Topology((limited, *topology.nodes[1:])), templates={"gpu": "NVIDIA_A100_80G"})
    caps = [device.memory_cap_bytes for device in pool.devices if device.device_type == "CPU"]
    assert caps == [5 * 10**9] * 2


@pytest.mark.parametrize(
    ("name", "kind", "bandwidth"),
    [
        ("NVIDIA H100 80GB HBM3", "NV18", 375.0),
        ("NVIDIA B200", "NV18", 750.0),
        ("NVIDIA GeForce RTX 3090", "NV4", 46.875),
        ("NVIDIA H800", "NV8", 166.667),
        ("Tesla P100-SXM2-16GB", "NV1", 16.667),
    ],
)
def test_nvlink_by_generation_and_lanes(name, kind, bandwidth):
    ends = [TopologyNode(end, "gpu", name, "m") for end in "ab"]
    found = link_figures(TopologyLink("a", "b", kind), *ends)
    assert found is not None
    assert (found.link_class, found.bandwidth_gb_per_s) == ("NVLink", bandwidth)
    assert kind[2:] in found.source


@pytest.mark.parametrize(
    ("name", "said", "link_class", "bandwidth"),
    [
        ("NVIDIA H100 80GB HBM3", None, "PCIe5", 50.0),
        ("Tesla T4", None, "PCIe3", 12.0),
        ("Something new", None, "PCIe", 24.0),
        ("NVIDIA H100 80GB HBM3", 15.754, "PCIe3", 12.0),
        ("Something new", 7.877, "PCIe3", 6.002),
    ],
)
def test_the_way_to_the_host_by_generation_or_as_the_system_says(name, said, link_class, bandwidth):
    node = TopologyNode("a", "gpu", name, "m", attributes={} if said is None else {"pcie_gb_per_s": said})
    found = pcie_figures(node)
    assert (found.link_class, found.bandwidth_gb_per_s) == (link_class, bandwidth)


def test_a_rate_that_the_text_says_is_taken():
    ends = [TopologyNode(end, "gpu", "Tesla V100-SXM2-32GB", "m") for end in "ab"]
    found = link_figures(TopologyLink("a", "b", "NV", None, 50.0), *ends)
    assert found is not None
    assert found.bandwidth_gb_per_s == 41.667
    lanes = TopologyNode("a", "gpu", "NVIDIA H100 80GB HBM3", "m", attributes={"nvlink_gb_per_s": 26.562})
    found = link_figures(TopologyLink("a", "b", "NV18"), lanes, ends[1])
    assert found is not None
    assert found.bandwidth_gb_per_s == 398.43
    assert "nvlink --status" in found.source


def test_templates_by_name():
    assert {template for _, template in _TEMPLATES} <= set(list_templates())
    for name, template in (
        ("NVIDIA A100-SXM4-40GB", "NVIDIA_A100_40G"),
        ("NVIDIA A100 80GB PCIe", "NVIDIA_A100_80G"),
        ("NVIDIA H100 PCIe", None),
        ("NVIDIA A10G", None),
        ("NVIDIA GeForce RTX 3090 Ti", None),
        ("Ascend 910B3", "Ascend_910B"),
        ("Ascend 910B", "Ascend_910B"),
        ("Ascend910", "Ascend_910"),
        ("AMD EPYC 7763 64-Core Processor", "AMD_EPYC_7763"),
        ("Intel(R) Xeon(R) Platinum 8480+", "Intel_Xeon_8480"),
        ("AMD EPYC", None),
    ):
        assert template_of(name) == template, name


def test_a_template_of_another_type_is_refused_by_the_device():
    with pytest.raises(PoolError) as caught:
        pool_from_topology(from_nvidia_smi_topo(texts.SWITCHED), templates={"gpu0": "Intel_Xeon_8480"})
    assert caught.value.code == "topology_other_type"
    told = {"device": "gpu0", "kind": "GPU", "template": "Intel_Xeon_8480", "type": "CPU"}
    assert caught.value.params == told


def test_what_matches_no_template_is_named():
    with pytest.raises(PoolError) as caught:
        pool_from_topology(from_hwloc_xml(texts.HWLOC.replace("7763", "9999")))
    assert caught.value.code == "topology_no_template"
    assert caught.value.params["devices"] == [
        "cpu0 (AMD EPYC 9999 64-Core Processor)",
        "cpu1 (AMD EPYC 9999 64-Core Processor)",
    ]
    assert isinstance(pool_from_topology(from_nvidia_smi_topo(texts.SWITCHED)), DevicePool)
