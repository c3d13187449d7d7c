"""Outputs of the vendors' tools on made-up machines, in the shapes that real ones have."""

from __future__ import annotations

from collections.abc import Sequence


def nvidia_matrix(
    cells: Sequence[Sequence[str]],
    labels: Sequence[str],
    tails: Sequence[Sequence[str]],
    heading: Sequence[str] = ("CPU Affinity", "NUMA Affinity", "GPU NUMA ID"),
    colours: bool = True,
) -> str:
    """As ``nvidia-smi topo -m`` prints it: tabs, blanks around X, and colours even into a pipe."""
    line = "\t".join(["", *labels, *heading])
    if colours:
        line = f"\t\x1b[4m{line[1:]}\x1b[0m"
    rows = ["\t".join([label, *cells[i], *tails[i]]) for i, label in enumerate(labels)]
    return "\n".join([line, *rows, "", "Legend:", "", "  X    = Self", "  NV#  = Connection traversing NVLinks", ""])


X = " X "

SWITCHED = (
    nvidia_matrix(
        [
            [X, "NV12", "NV12", "NV12", "PXB", "SYS"],
            ["NV12", X, "NV12", "NV12", "PXB", "SYS"],
            ["NV12", "NV12", X, "NV12", "SYS", "PXB"],
            ["NV12", "NV12", "NV12", X, "SYS", "PXB"],
            ["PXB", "PXB", "SYS", "SYS", X, "SYS"],
            ["SYS", "SYS", "PXB", "PXB", "SYS", X],
        ],
        ["GPU0", "GPU1", "GPU2", "GPU3", "NIC0", "NIC1"],
        [["0-3,8-11", "0", "", "N/A"]] * 2 + [["4-7,12-15", "1", "", "N/A"]] * 2 + [["", "", ""]] * 2,
    )
    + "\nNIC Legend:\n\n  NIC0: mlx5_0\n  NIC1: mlx5_1\n"
    + "\n".join(f"GPU {i}: NVIDIA A100-SXM4-80GB (UUID: GPU-0000000{i})" for i in range(4))
)
"""Four A100 behind an NVSwitch, two network cards behind the same PCIe switches."""

WORKSTATION = "\n".join(
    [
        "|   0  NVIDIA GeForce RTX 4090        Off |   00000000:01:00.0 Off |                  Off |",
        "|  0%   40C    P8             20W /  450W |       1MiB /  24564MiB |      0%      Default |",
        "|   1  NVIDIA GeForce RTX 4090        Off |   00000000:21:00.0 Off |                  Off |",
        "|  0%   40C    P8             20W /  450W |       1MiB /  24564MiB |      0%      Default |",
        "        GPU0    GPU1    CPU Affinity    NUMA Affinity   GPU NUMA ID",
        "GPU0     X      PHB     0-63    0               N/A",
        "GPU1    PHB      X      0-63    0               N/A",
        "",
        "        GPU0    GPU1",
        " GPU0   X       GNS",
        " GPU1   GNS     X",
    ]
)
"""Two consumer cards, tabs lost on the way, with the table of nvidia-smi and the matrix of peer access."""

OLD = "\n".join(
    [
        "\tGPU0\tGPU1\tmlx5_0\tCPU Affinity",
        "GPU0\t X \tSOC\tPHB\t0-9,20-29",
        "GPU1\tSOC\t X \tSOC\t10-19,30-39",
        "mlx5_0\tPHB\tSOC\t X \t",
    ]
)
"""A driver of 2017: cards by name, SOC instead of SYS, no NUMA column."""

MESH = "\n".join(
    [
        nvidia_matrix(
            [[X, "NV1", "NV2", "SYS"], ["NV1", X, "SYS", "NV2"], ["NV2", "SYS", X, "NV1"], ["SYS", "NV2", "NV1", X]],
            ["GPU0", "GPU1", "GPU2", "GPU3"],
            [["0-19", "0"]] * 2 + [["20-39", "1"]] * 2,
            ("CPU Affinity", "NUMA Affinity"),
            colours=False,
        ),
        "index, name, pci.bus_id, memory.total [MiB]",
        *(f"{i}, Tesla V100-SXM2-32GB, 00000000:0{5 + i}:00.0, 32768 MiB" for i in range(4)),
    ]
)
"""Four V100 joined by one or two NVLinks each, without a switch, and what a query says of them."""

HCCS = "\n".join(
    [
        "\t   NPU0       NPU1       NPU2       CPU Affinity",
        "NPU0       X          HCCS       PHB        0-23",
        "NPU1       HCCS       X          SYS        0-23",
        "NPU2       PHB        SYS        X          24-47",
        "",
        "Legend:",
        "",
        "  X    = Self",
        "  HCCS = Connection traversing HCCS.",
        "+------------------------------------------------------------------------------------------------+",
        "| npu-smi 23.0.rc2                 Version: 23.0.rc2                                             |",
        "+---------------------------+---------------+----------------------------------------------------+",
        "| NPU   Name                | Health        | Power(W)    Temp(C)           Hugepages-Usage(page)|",
        "| Chip                      | Bus-Id        | AICore(%)   Memory-Usage(MB)  HBM-Usage(MB)        |",
        "+===========================+===============+====================================================+",
        "| 0     910B3               | OK            | 88.5        44                0    / 0             |",
        "| 0                         | 0000:C1:00.0  | 0           0    / 0          3161 / 65536         |",
        "+===========================+===============+====================================================+",
        "| 1     910B3               | Warning       | 90.1        47                0    / 0             |",
        "| 0                         | 0000:C2:00.0  | 0           0    / 0          3161 / 65536         |",
        "+===========================+===============+====================================================+",
        "+---------------------------+---------------+----------------------------------------------------+",
        "| NPU     Chip              | Process id    | Process name             | Process memory(MB)      |",
        "| 0       0                 | 4242          | python                   | 3000                    |",
    ]
)
"""Ascend 910B: links and the table in one text; the table lists two of three."""

DIES = "\n".join(
    [
        "           Phy-ID0    Phy-ID1    Phy-ID2    CPU Affinity",
        "Phy-ID0    X          SIO        HCCS_SW    0-39",
        "Phy-ID1    SIO        X          HCCS_SW    0-39",
        "Phy-ID2    HCCS_SW    HCCS_SW    X          40-79",
        "| NPU   Name                | Health        | Power(W)    Temp(C)           Hugepages-Usage(page)|",
        "| Chip  Phy-ID              | Bus-Id        | AICore(%)   Memory-Usage(MB)  HBM-Usage(MB)        |",
        "| 0     Ascend910           | OK            | 166.7       33                0    / 0             |",
        "| 0     0                   | 0000:9D:00.0  | 0           0    / 0          2878 / 65536         |",
        "| 0     Ascend910           | OK            | -           33                0    / 0             |",
        "| 1     1                   | 0000:9F:00.0  | 0           0    / 0          2876 / 65536         |",
    ]
)
"""Two dies of a 910C and one of another, behind HCCS switches."""

CARDS = "\n".join(
    [
        "| NPU     Name              | Health          | Power(W)     Temp(C)           Hugepages-Usage(page) |",
        "| Chip    Device            | Bus-Id          | AICore(%)    Memory-Usage(MB)                        |",
        "+===========================+=================+======================================================+",
        "| 5       310P3             | OK              | NA           42                0     / 0             |",
        "| 0       0                 | 0000:01:00.0    | 0            1849 / 21527                            |",
    ]
)
"""An inference card; there is no matrix for it."""

HWLOC = """<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE topology SYSTEM "hwloc2.dtd">
<topology version="2.0">
  <object type="Machine" os_index="0" cpuset="0x00000001,0x00000001" gp_index="1">
    <info name="HostName" value="node7"/>
    <object type="Package" os_index="0" cpuset="0x00000001" gp_index="2">
      <info name="CPUModel" value="AMD EPYC 7763 64-Core Processor"/>
      <object type="NUMANode" os_index="0" cpuset="0x00000001" gp_index="3" local_memory="64000000000"/>
      <object type="L3Cache" cpuset="0x00000001" gp_index="4" cache_size="33554432">
        <object type="Die" cpuset="0x00000001" gp_index="40">
          <object type="Core" os_index="0" cpuset="0x00000001" gp_index="5">
            <object type="PU" os_index="0" cpuset="0x00000001" gp_index="6"/>
          </object>
        </object>
      </object>
      <object type="Bridge" gp_index="7" bridge_type="0-1">
        <object type="Bridge" gp_index="8" bridge_type="1-1">
          <object type="Bridge" gp_index="9" bridge_type="1-1">
            <object type="PCIDev" gp_index="10" pci_busid="0000:07:00.0" pci_type="0302 [10de:20b2] [10de:147f] a1"
              pci_link_speed="31.507692">
              <object type="OSDev" gp_index="11" name="cuda0" osdev_type="5">
                <info name="GPUModel" value="NVIDIA A100-SXM4-80GB"/>
                <info name="CUDAGlobalMemorySize" value="83148800"/>
              </object>
            </object>
          </object>
          <object type="PCIDev" gp_index="12" pci_busid="0000:0f:00.0" pci_type="0302 [10de:20b2] [10de:147f] a1"
            pci_link_speed="31.507692">
            <info name="PCIDevice" value="GA100 [A100 SXM4 80GB]"/>
          </object>
          <object type="PCIDev" gp_index="13" pci_busid="0000:10:00.0" pci_type="0207 [15b3:101b] [15b3:0007] 00">
            <object type="OSDev" gp_index="14" name="mlx5_0" osdev_type="3"/>
          </object>
        </object>
        <object type="PCIDev" gp_index="15" pci_busid="0000:02:00.0" pci_type="0300 [1a03:2000] [1a03:2000] 41"/>
      </object>
    </object>
    <object type="Package" os_index="1" cpuset="0x00000001,0x0" gp_index="20">
      <info name="CPUModel" value="AMD EPYC 7763 64-Core Processor"/>
      <object type="NUMANode" os_index="1" cpuset="0x00000001,0x0" gp_index="21" local_memory="64000000000"/>
      <object type="Core" os_index="0" cpuset="0x00000001,0x0" gp_index="22"/>
      <object type="Bridge" gp_index="23" bridge_type="0-1">
        <object type="PCIDev" gp_index="24" pci_busid="0000:81:00.0" pci_type="1200 [19e5:d802] [0200:0100] 20"/>
      </object>
    </object>
  </object>
  <distances2 type="NUMANode" nbobjs="2" kind="5" name="NUMALatency" indexing="os">
    <indexes length="4">0 1 </indexes>
    <u64values length="12">10 32 32 10 </u64values>
  </distances2>
</topology>
"""
"""Two packages; two GPUs and a network card behind switches of the first, an NPU alone at the second."""
