"""``pool.calibrate()`` and ``hopt.calibrate()`` against a made-up device whose speed is known."""

from __future__ import annotations

from pathlib import Path

import pytest

import heteroopt as hopt
from heteroopt.calibration.contention import Contention
from heteroopt.costs.table import COST_SOURCES, ENERGY_SOURCES
from heteroopt.graph.fusion import fuse
from heteroopt.graph.sketch import Sketch

OVERHEAD_S = 20e-6
GFLOP_PER_S, GB_PER_S = 50.0, 5.0


@pytest.fixture
def host(tmp_path: Path) -> Path:
    """A host with a simulated NPU of 50 GFLOP/s and 5 GB/s that takes 20 us to start."""
    folder = tmp_path / "runtimes" / "simulated"
    folder.mkdir(parents=True)
    (folder / "device_config.yaml").write_text(
        "plugin: heteroopt.runtimes.plugins.simulated.runtime:SimulatedRuntime\n"
        "settings:\n  devices:\n"
        f"    - {{name: sim0, gflop_per_s: {GFLOP_PER_S}, gb_per_s: {GB_PER_S}, overhead_us: {OVERHEAD_S * 1e6}}}\n"
    )
    return folder.parent


def model() -> hopt.Graph:
    return hopt.Graph.of(
        Sketch(
            [("MatMul", "x w", "h", {}), ("Relu", "h", "r", {}), ("MatMul", "r v", "z", {}), ("Softmax", "z", "y", {})],
            {"x": (8, 64)},
            {"w": (64, 96), "v": (96, 32)},
        ).graph("small")
    )


def pool(**figures) -> hopt.DevicePool:
    return hopt.DevicePool(
        [
            hopt.DeviceSpec(
                name="npu0", device_type="NPU", peak_gflop_per_s={"fp32": 100.0}, memory_bandwidth_gb_per_s=10.0,
                memory_size_bytes=10**9, **figures,
            ),
            hopt.DeviceSpec(
                name="cpu0", device_type="CPU", peak_gflop_per_s={"fp32": 100.0}, memory_bandwidth_gb_per_s=10.0,
                memory_size_bytes=10**9,
            ),
        ]
    )  # fmt: skip


def test_a_pools_operators_cost_what_its_device_takes(host: Path, tmp_path: Path):
    graph = model()
    devices = pool(idle_power_w=2.0, active_power_w=12.0)
    found = devices.calibrate([graph], on={"npu0": "simulated:0"}, count=4, budget_s=60.0, host_folder=host)
    assert found["npu0"].refused == ()
    scheduler = hopt.Scheduler(graph, devices, population_size=8, generations=2)
    costs = scheduler.costs
    fused = fuse(graph)
    assert [COST_SOURCES[code] for code in costs.source[:, 0]] == ["measured"] * len(fused.operators)
    assert {COST_SOURCES[code] for code in costs.source[:, 1]} == {"roofline"}
    for row, operator in enumerate(fused.operators):
        alone = len(operator.members) * OVERHEAD_S + sum(
            max(
                member.flops / (GFLOP_PER_S * 1e9),
                (member.bytes_read + member.bytes_written) / (GB_PER_S * 1e9),
            )
            for member in (fused.original.operators[m] for m in operator.members)
        )
        assert costs.time_ps[row, 0] == pytest.approx(alone * 1e12, rel=0.05)
        assert costs.energy_pj[row, 0] == pytest.approx(10.0 * costs.time_ps[row, 0], rel=1e-6)
        assert ENERGY_SOURCES[costs.energy_source[row, 0]] == "estimated"
        assert ENERGY_SOURCES[costs.energy_source[row, 1]] == "template"
    assert scheduler.run(seed=1).pareto_front
    path = tmp_path / "npu0.json"
    found["npu0"].save(path)
    again = pool(idle_power_w=2.0, active_power_w=12.0)
    again.calibrate(on={"npu0": path})
    assert hopt.Scheduler(graph, again, generations=0).costs.content_hash == costs.content_hash
    assert "sim0 through simulated" in found["npu0"].summary()


def test_a_place_that_is_none_is_refused():
    with pytest.raises(hopt.PoolError) as caught:
        pool().calibrate(on={"npu0": "simulated:first"})
    assert caught.value.code == "calibration_place"
    with pytest.raises(hopt.PoolError) as caught:
        pool().calibrate(on={"gpu7": "simulated:0"})
    assert caught.value.code == "unknown_device"


def test_a_runtime_that_is_not_here_is_named():
    with pytest.raises(hopt.HeteroOptError) as caught:
        hopt.calibrate("abacus")
    assert caught.value.code == "runtime_unknown"
    assert "onnxruntime" in caught.value.hint


def test_without_a_device_of_its_type_the_pool_says_what_is_here(monkeypatch):
    monkeypatch.setattr("heteroopt.calibration.local.local_devices", lambda folder=None: [])
    with pytest.raises(hopt.PoolError) as caught:
        pool().calibrate()
    assert caught.value.code == "calibration_no_device"
    assert "heteroopt calibrate" in caught.value.hint


def test_devices_here_that_share_a_memory_are_measured_beside_each_other(tmp_path, monkeypatch):
    folder = tmp_path / "simulated"
    folder.mkdir()
    (folder / "device_config.yaml").write_text(
        "plugin: heteroopt.runtimes.plugins.simulated.runtime:SimulatedRuntime\n"
        "settings: {devices: [{name: sim0, overhead_us: 20}, {name: sim1, overhead_us: 20}]}\n"
    )
    beside = []

    def measured(first, second):
        beside.append((first.description.name, second.description.name))
        return Contention(beside[-1], {"memory": (2.0 + len(beside), 9.0), "compute": (1.5, 9.0)})

    monkeypatch.setattr("heteroopt.calibration.local.measure_contention", measured)
    figures = {"memory_size_bytes": 10**9, "memory_domain": "ram"}
    devices = hopt.DevicePool([hopt.DeviceSpec(name=n, device_type="NPU", **figures) for n in ("npu0", "npu1")])
    on = {"npu0": "simulated:0", "npu1": "simulated:1"}
    found = devices.calibrate([model()], on=on, count=4, budget_s=60.0, host_folder=tmp_path)
    assert beside == [("sim0", "sim1"), ("sim1", "sim0")]
    assert devices.memory_domains["ram"].to_dict() == {"slowdown": 3.5, "source": "measured"}
    assert "beside sim1: memory-bound operators take 3.00 times as long" in found["npu0"].summary()
    found["npu0"].save(tmp_path / "npu0.json")
    again = hopt.DevicePool(devices.devices)
    again.calibrate(on={"npu0": tmp_path / "npu0.json"})
    assert again.memory_domains["ram"].slowdown == 3.0
    assert len(beside) == 2
