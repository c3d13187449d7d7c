"""A machine as a pool: which cores become devices, what they share, and that estimates say that they are some."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from heteroopt.devices.pool import DevicePool
from heteroopt.devices.routes import find_routes
from heteroopt.devices.topology import FoundDevice, Topology, TopologyNode, core_sets, found_on, is_estimated
from heteroopt.devices.topology.machine import machine_pool
from heteroopt.devices.topology.processor import instructions, with_processor

GB = 10**9


def machine(cores: int, numa: int = 1, *extra: TopologyNode, threads: int = 1) -> Topology:
    """Cores of as many hardware threads each, spread evenly over NUMA nodes of 16 GB in one package."""
    cpus = tuple(range(cores * threads))
    each = len(cpus) // numa
    said = {"clock_ghz": 2.0, "flop_per_cycle": 32, "instructions": "AVX2"}
    nodes = [
        TopologyNode("machine0", "machine", "box", None, 16 * GB * numa, cpus),
        TopologyNode("package0", "package", "Some CPU", "machine0", None, cpus, said),
    ]
    for n in range(numa):
        members = cpus[n * each : (n + 1) * each]
        nodes.append(TopologyNode(f"numa{n}", "numa", f"NUMA {n}", "package0", 16 * GB, members, {"index": n}))
    for core in range(cores):
        members = cpus[core * threads : (core + 1) * threads]
        parent = f"numa{members[0] // each}"
        nodes.append(TopologyNode(f"core{core}", "core", f"Core {core}", parent, None, members))
    return Topology((*nodes, *extra))


@pytest.mark.parametrize(
    ("topology", "sets"),
    [
        (machine(1), ()),
        (machine(2), ((0,), (1,))),
        (machine(3), ((0, 1), (2,))),
        (machine(2, threads=2), ((0, 1), (2, 3))),
        (machine(8, 4), ((0, 1), (2, 3), (4, 5), (6, 7))),
        (machine(16, 16), tuple((2 * n, 2 * n + 1) for n in range(8))),
        (Topology((TopologyNode("machine0", "machine", "box"),)), ()),
    ],
)
def test_cores_fall_into_numa_nodes_or_two_halves_and_threads_of_a_core_stay_together(topology, sets):
    assert core_sets(topology) == sets


def test_two_halves_share_one_memory_and_move_data_by_latency_only():
    pool = machine_pool(machine(4))
    assert [device.name for device in pool.devices] == ["cpu0", "cpu1"]
    assert {device.memory_domain for device in pool.devices} == {"memory"}
    assert {device.memory_size_bytes for device in pool.devices} == {16 * GB}
    first = pool.devices[0]
    assert first.peak_gflop_per_s["fp32"] == 2 * 2.0 * 32
    assert (first.memory_bandwidth_gb_per_s, first.idle_power_w, first.active_power_w) == (24.0, 3.0, 10.0)
    assert all(is_estimated(device) for device in pool.devices)
    assert first.sources["peak_gflop_per_s"] == "estimated: 2 cores x 2 GHz x 32 FLOP a cycle (AVX2)"
    (hop,) = find_routes(pool).hops[0, 1]
    assert hop.ps_per_byte == 0
    assert pool.notes == ()
    assert DevicePool.from_toml(pool.to_toml()) == pool


def test_numa_nodes_are_memories_of_their_own():
    pool = machine_pool(machine(4, 2))
    assert [device.memory_domain for device in pool.devices] == ["numa0", "numa1"]
    assert [device.memory_size_bytes for device in pool.devices] == [16 * GB, 16 * GB]
    (hop,) = find_routes(pool).hops[0, 1]
    assert hop.ps_per_byte > 0


def test_a_machine_of_one_core_is_one_device():
    pool = machine_pool(machine(1), [FoundDevice("onnxruntime:0", "CPU", "CPU")])
    assert [(device.name, found_on(device)) for device in pool.devices] == [("cpu0", "onnxruntime:0")]


def test_each_device_knows_the_runtime_that_lists_it_and_no_hardware_is_a_device_twice():
    gpu = TopologyNode("gpu0", "gpu", "NVIDIA L4", "numa0", 24 * GB, (), {"pci_address": "0000:01:00.0"})
    odd = TopologyNode("gpu1", "gpu", "Matrox G200", "numa0")
    found = [
        FoundDevice("cuda:0", "NVIDIA L4", "GPU", 23 * GB, pci_address="0000:01:00.0"),
        FoundDevice("onnxruntime:0", "CPU", "CPU"),
        FoundDevice("onnxruntime:1", "CPU cores 0", "CPU", cores=(0,)),
        FoundDevice("onnxruntime:2", "CPU cores 1", "CPU", cores=(1,)),
        FoundDevice("opencl:0", "NVIDIA L4", "GPU", 23 * GB, pci_address="0000:01:00.0"),
        FoundDevice("openvino:0", "CPU", "CPU"),
        FoundDevice("openvino:1", "Iris Xe", "GPU", shares_memory=True),
        FoundDevice("openvino:2", "AI Boost", "NPU", shares_memory=True),
    ]
    pool = machine_pool(machine(2, 1, gpu, odd), found)
    assert [(device.name, found_on(device), device.template) for device in pool.devices] == [
        ("cpu0", "onnxruntime:1", ""), ("cpu1", "onnxruntime:2", ""), ("gpu0", "cuda:0", "NVIDIA_L4"),
        ("gpu1", "", "NVIDIA_T4"), ("gpu2", "openvino:1", "NVIDIA_T4"), ("npu0", "openvino:2", "Ascend_310P"),
    ]  # fmt: skip
    by_name = {device.name: device for device in pool.devices}
    assert not is_estimated(by_name["gpu0"]) and by_name["gpu0"].memory_size_bytes == 24 * GB
    assert "Matrox G200" in by_name["gpu1"].sources["peak_gflop_per_s"] and is_estimated(by_name["gpu1"])
    assert by_name["gpu1"].memory_domain is None
    assert {by_name[name].memory_domain for name in ("cpu0", "gpu2", "npu0")} == {"memory"}


def test_the_probe_reads_instructions_and_clock_of_the_processor(tmp_path: Path):
    (tmp_path / "proc").mkdir()
    (tmp_path / "proc/cpuinfo").write_text(
        "vendor_id : GenuineIntel\ncpu family : 6\ncpu MHz : 1200.000\nflags : sse avx2 avx512f avx512_vnni\n"
        "cpu MHz : 2400.000\n"
    )
    package = with_processor(machine(2), tmp_path).node("package0")
    assert package.attributes["flop_per_cycle"] == 64 and package.attributes["clock_ghz"] == 2.4
    assert package.attributes["int8"] == 1 and "bf16" not in package.attributes
    frequency = tmp_path / "sys/devices/system/cpu/cpu0/cpufreq"
    frequency.mkdir(parents=True)
    (frequency / "cpuinfo_max_freq").write_text("3500000\n")
    assert with_processor(machine(2), tmp_path).node("package0").attributes["clock_ghz"] == 3.5
    assert with_processor(machine(2), tmp_path / "nowhere") == machine(2)


def test_avx512_of_amd_counts_in_halves_before_zen_5():
    flags = frozenset(("avx2", "avx512f"))
    assert instructions(flags, "AuthenticAMD", 25).flop_per_cycle == 32
    assert instructions(flags, "AuthenticAMD", 26).flop_per_cycle == 64
    assert instructions(frozenset(("asimd",)), "", 0).name == "NEON"


def test_nothing_known_still_makes_a_pool():
    bare = Topology((replace(machine(1).nodes[0], memory_bytes=None, cpuset=()),))
    (device,) = machine_pool(bare).devices
    assert device.memory_size_bytes == 8 * GB and "assumed" in device.sources["peak_gflop_per_s"]
