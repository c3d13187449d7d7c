"""This machine's topology: from the kernel's files, from hwloc, with what the vendors' tools add."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from heteroopt.devices.topology import from_sysfs, probe_host
from heteroopt.devices.topology.limits import memory_limit_bytes
from tests.engine.devices.topology import texts


def write(root: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text + "\n")


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """Two packages of two cores with two threads each; the third core's threads may not be used. Two GPUs and a
    network card under a switch of the first package."""
    system, files = "sys/devices/system", {}
    for cpu in range(8):
        package, core = cpu // 4, cpu // 2
        base = f"{system}/cpu/cpu{cpu}"
        files[f"{base}/topology/physical_package_id"] = str(package)
        files[f"{base}/topology/core_id"] = str(core % 2)
        files[f"{base}/topology/thread_siblings_list"] = f"{core * 2}-{core * 2 + 1}"
        for index, (level, kind, shared, size) in enumerate(
            [
                (1, "Data", f"{core * 2}-{core * 2 + 1}", "32K"),
                (1, "Instruction", f"{core * 2}-{core * 2 + 1}", "32K"),
                (3, "Unified", f"{package * 4}-{package * 4 + 3}", "16M"),
            ]
        ):
            cache = f"{base}/cache/index{index}"
            files |= {f"{cache}/level": str(level), f"{cache}/type": kind, f"{cache}/shared_cpu_list": shared}
            files[f"{cache}/size"] = size
    for node in range(2):
        base = f"{system}/node/node{node}"
        files[f"{base}/cpulist"] = f"{node * 4}-{node * 4 + 3}"
        files[f"{base}/meminfo"] = f"Node {node} MemTotal:       1000 kB"
        files[f"{base}/distance"] = "10 21" if node == 0 else "21 10"
    files |= {f"{system}/cpu/online": "0-7", f"{system}/node/online": "0-1", "proc/sys/kernel/hostname": "box"}
    files["proc/self/status"] = "Cpus_allowed_list:\t0-3,6-7\nMems_allowed_list:\t0-1"
    files["proc/cpuinfo"] = "processor\t: 0\nvendor_id\t: AuthenticAMD\nmodel name\t: AMD EPYC 7763 64-Core Processor\n"
    bridge = "sys/devices/pci0000:00/0000:00:01.0"
    for address, path, code, vendor, device in (
        ("0000:02:00.0", f"{bridge}/0000:01:00.0/0000:02:00.0", "0x030200", "0x10de", "0x20b2"),
        ("0000:03:00.0", f"{bridge}/0000:01:01.0/0000:03:00.0", "0x030200", "0x10de", "0x20b2"),
        ("0000:04:00.0", f"{bridge}/0000:01:02.0/0000:04:00.0", "0x020000", "0x15b3", "0x101b"),
    ):
        files |= {f"{path}/class": code, f"{path}/vendor": vendor, f"{path}/device": device}
        files |= {f"{path}/numa_node": "0", f"{path}/max_link_speed": "16.0 GT/s PCIe"}
        files[f"{path}/current_link_width"] = "8"
        files[f"{Path(path).parent}/max_link_speed"] = "16.0 GT/s PCIe"
        files[f"{Path(path).parent}/class"] = "0x060400"
        listed = tmp_path / "sys/bus/pci/devices"
        listed.mkdir(parents=True, exist_ok=True)
        os.symlink(f"../../../{path.removeprefix('sys/')}", listed / address)
    files[f"{bridge}/0000:01:02.0/0000:04:00.0/net/eth7/address"] = "00"
    write(tmp_path, files)
    return tmp_path


def test_the_kernels_files_say_it_all(root):
    found = from_sysfs(root)
    assert {node.id: (node.parent, node.cpuset, node.memory_bytes) for node in found.nodes} == {
        "machine0": (None, (0, 1, 2, 3, 6, 7), 2_048_000),
        "package0": ("machine0", (0, 1, 2, 3), None),
        "package1": ("machine0", (6, 7), None),
        "numa0": ("package0", (0, 1, 2, 3), 1_024_000),
        "numa1": ("package1", (6, 7), 1_024_000),
        "l3-0": ("numa0", (0, 1, 2, 3), 16 << 20),
        "l3-1": ("numa1", (6, 7), 16 << 20),
        "l1-0": ("l3-0", (0, 1), 32 << 10),
        "l1-1": ("l3-0", (2, 3), 32 << 10),
        "l1-2": ("l3-1", (6, 7), 32 << 10),
        "core0": ("l1-0", (0, 1), None),
        "core1": ("l1-1", (2, 3), None),
        "core2": ("l1-2", (6, 7), None),
        "pcie_switch0": ("numa0", (), None),
        "gpu0": ("pcie_switch0", (), None),
        "gpu1": ("pcie_switch0", (), None),
        "nic0": ("pcie_switch0", (), None),
    }
    assert found.node("package0").name == "AMD EPYC 7763 64-Core Processor"
    assert found.node("gpu1").attributes["pcie_gb_per_s"] == 15.752
    assert found.node("nic0").attributes["interfaces"] == "eth7"
    assert [(link.source, link.target, link.distance) for link in found.links] == [("numa0", "numa1", 21)]


def test_an_empty_machine_is_still_a_machine(tmp_path):
    found = from_sysfs(tmp_path)
    assert [node.kind for node in found.nodes] == ["machine"]


@pytest.mark.parametrize(
    ("files", "limit"),
    [
        (
            {
                "proc/self/cgroup": "0::/a/b",
                "sys/fs/cgroup/a/memory.max": "3000",
                "sys/fs/cgroup/a/b/memory.max": "max",
            },
            3000,
        ),
        ({"proc/self/cgroup": "4:cpu,memory:/x", "sys/fs/cgroup/memory/memory.limit_in_bytes": "500"}, 500),
        ({"proc/self/cgroup": "4:memory:/", "sys/fs/cgroup/memory/memory.limit_in_bytes": str((1 << 63) - 4096)}, None),
        ({"proc/self/cgroup": "0::/../../etc", "sys/fs/cgroup/memory.max": "7", "etc/memory.max": "1"}, 7),
        ({}, None),
    ],
)
def test_limits_of_control_groups(tmp_path, files, limit):
    write(tmp_path, files)
    assert memory_limit_bytes(tmp_path) == limit


def test_a_probe_puts_together_what_the_tools_say(root):
    write(root, {"proc/self/cgroup": "0::/", "sys/fs/cgroup/memory.max": "1000000"})
    said = {
        ("nvidia-smi", "topo", "-m"): "\tGPU0\tGPU1\tNIC0\tCPU Affinity\tNUMA Affinity\n"
        "GPU0\t X \tNV4\tPIX\t0-3\t0\nGPU1\tNV4\t X \tPIX\t0-3\t0\nNIC0\tPIX\tPIX\t X \t\t\n\n  NIC0: eth7\n",
        ("nvidia-smi", "--query-gpu=index,name,pci.bus_id,memory.total", "--format=csv"): (
            "index, name, pci.bus_id, memory.total [MiB]\n"
            "0, NVIDIA A100-SXM4-80GB, 00000000:02:00.0, 81920 MiB\n"
            "1, NVIDIA A100-SXM4-80GB, 00000000:03:00.0, 81920 MiB"
        ),
        ("npu-smi", "info"): "dcmi module initialize failed",
    }
    found = probe_host(root, lambda command: said.get(tuple(command), ""))
    machine = found.node("machine0")
    assert (machine.memory_bytes, machine.attributes["memory_limit_bytes"]) == (1_000_000, 1_000_000)
    gpu = found.node("gpu0")
    assert (gpu.name, gpu.memory_bytes, gpu.parent) == ("NVIDIA A100-SXM4-80GB", 81920 << 20, "pcie_switch0")
    assert gpu.attributes["pcie_gb_per_s"] == 15.752
    assert [(link.source, link.target, link.kind) for link in found.links] == [
        ("numa0", "numa1", "NUMA"),
        ("gpu0", "gpu1", "NV4"),
        ("gpu0", "nic0", "PIX"),
        ("gpu1", "nic0", "PIX"),
    ]
    assert not found.of_kind("npu")


def test_hwloc_is_asked_first_and_bad_answers_are_left_out(root):
    said = {("lstopo-no-graphics", "--of", "xml"): "<nonsense", ("lstopo", "--of", "xml"): texts.HWLOC}
    found = probe_host(root, lambda command: said.get(tuple(command), ""))
    assert found.node("machine0").name == "node7"
    said.clear()
    assert probe_host(root, lambda command: said.get(tuple(command), "")).node("machine0").name == "box"


def test_a_device_of_which_the_machine_knows_nothing_is_put_into_its_memory(root):
    said = {("npu-smi", "info", "-t", "topo"): "NPU0  NPU1  CPU Affinity\nNPU0 X HCCS 6-7\nNPU1 HCCS X 0-1\n"}
    found = probe_host(root, lambda command: said.get(tuple(command), ""))
    assert [node.parent for node in found.of_kind("npu")] == ["numa1", "numa0"]


def test_this_machine_has_a_processor():
    found = probe_host()
    assert set(found.node("machine0").cpuset) <= set(range(os.cpu_count() or 1))
    assert found.of_kind("core")
