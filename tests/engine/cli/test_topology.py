"""``heteroopt topology``: trees, links and pools as printed, from files and from standard input."""

from __future__ import annotations

import io
import json

from heteroopt import DevicePool, Topology, pool_from_topology, read_topology
from heteroopt.cli.run import run
from tests.engine.devices.topology import texts


def test_the_tree_and_the_links_of_a_file(tmp_path, capsys):
    path = tmp_path / "node7.xml"
    path.write_text(texts.HWLOC)
    assert run(["topology", str(path)]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "machine0: node7, 128 GB, processors 0,32"
    assert lines[2] == "    numa0: NUMA 0, 64 GB, processors 0"
    assert "          gpu0: NVIDIA A100-SXM4-80GB, 85.14 GB, 0000:07:00.0, to the host 24 GB/s" in lines
    assert lines[-1].split() == ["numa0", "numa1", "NUMA", "32", "–"]


def test_links_say_what_they_carry(tmp_path, capsys):
    path = tmp_path / "mesh.txt"
    path.write_text(texts.MESH)
    assert run(["topology", str(path)]) == 0
    rows = [line.split(None, 4) for line in capsys.readouterr().out.splitlines()[-6:]]
    assert rows[0] == ["gpu0", "gpu1", "NV1", "12", "20.833"]
    assert rows[2] == ["gpu0", "gpu3", "SYS", "32", "through the host"]


def test_json_and_pool_from_standard_input(monkeypatch, capsys):
    monkeypatch.setattr("sys.stdin", io.StringIO(texts.HCCS))
    assert run(["topology", "-", "--json"]) == 0
    assert Topology.from_dict(json.loads(capsys.readouterr().out)) == read_topology(texts.HCCS)
    monkeypatch.setattr("sys.stdin", io.StringIO(texts.HCCS))
    assert run(["topology", "-", "--toml", "--template", "npu2=Ascend_910"]) == 0
    pool = DevicePool.from_toml(capsys.readouterr().out)
    assert [device.template for device in pool.devices] == ["Ascend_910B", "Ascend_910B", "Ascend_910"]
    assert pool == pool_from_topology(read_topology(texts.HCCS), templates={"npu2": "Ascend_910"})


def test_errors_and_this_machine(tmp_path, capsys):
    path = tmp_path / "x.txt"
    path.write_text("hello")
    assert run(["topology", str(path)]) == 1
    assert "Line 1" in capsys.readouterr().err
    assert run(["topology", str(tmp_path / "none")]) == 1
    assert "none" in capsys.readouterr().err
    assert run(["topology"]) == 0
    assert capsys.readouterr().out.startswith("machine0: ")
