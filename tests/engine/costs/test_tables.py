"""Plain tables become a pool and a cost table with the figures as given."""

import pytest

from heteroopt.costs import COST_SOURCES
from heteroopt.costs.tables import load_given
from heteroopt.errors import CostError, ModelError, PoolError


def document(**changes):
    base = {
        "format": "heteroopt-tables-1",
        "name": "two layers",
        "devices": [
            {
                "name": "gpu0",
                "device_type": "GPU",
                "memory_size_bytes": 1000,
                "idle_power_w": 50,
                "active_power_w": 250,
            },
            {"name": "npu0", "device_type": "NPU", "memory_size_bytes": 500},
        ],
        "links": [{"source": "gpu0", "target": "npu0", "bandwidth_gb_per_s": 1.0, "latency_us": 50.0}],
        "options": {"memory_fraction": 1.0, "model_io_on_host": False},
        "operators": [
            {"name": "a", "time_ms": {"gpu0": 1.5, "npu0": 0.5}, "energy_j": {"gpu0": 0.25}},
            {"name": "b", "time_ms": {"gpu0": 2.0}},
        ],
        "edges": [{"source": "a", "target": "b", "size_bytes": 1000}],
    }
    return {**base, **changes}


def test_figures_are_taken_as_they_are():
    given = load_given(document())
    assert given.pool.memory_fraction == 1.0
    assert not given.pool.model_io_on_host
    assert given.pool.links[0].bandwidth_gb_per_s == 1.0
    assert given.costs.time_ps.tolist() == [[1_500_000_000, 500_000_000], [2_000_000_000, -1]]
    # a on gpu0 as given; b on gpu0 at 200 W above idle for 2 ms; npu0 states no power
    assert given.costs.energy_pj.tolist() == [[250_000_000_000, 0], [400_000_000_000, 0]]
    sources = [[COST_SOURCES[code] for code in row] for row in given.costs.source]
    assert sources == [["given", "given"], ["given", "unsupported"]]


def test_devices_may_say_no_more_than_their_name_or_come_from_a_template():
    given = load_given(document(devices=[{"name": "gpu0"}, {"name": "npu0", "template": "Ascend_910"}]))
    assert [device.device_type for device in given.pool.devices] == ["GPU", "NPU"]


def test_devices_and_figures_are_checked_by_the_same_gates():
    with pytest.raises(PoolError):
        load_given(document(devices=[{"name": "gpu0", "memory_size_bytes": -1}, {"name": "npu0"}]))
    huge = [{"name": "a", "time_ms": {"gpu0": 1.0}, "energy_j": {"gpu0": 1e8}}, {"name": "b", "time_ms": {"gpu0": 2.0}}]
    with pytest.raises(CostError) as caught:
        load_given(document(operators=huge))
    assert (caught.value.params["operator"], caught.value.params["device"]) == ("a", "gpu0")


def test_shares_of_the_memory_may_be_given():
    devices = [{"name": name, "memory_size_bytes": 1000, "memory_domain": "board"} for name in ("gpu0", "npu0")]
    operators = [
        {"name": "a", "time_ms": {"gpu0": 1.5, "npu0": 0.5}, "memory_share": {"gpu0": 0.5}},
        {"name": "b", "time_ms": {"gpu0": 2.0}},
    ]
    options = {"memory_domains": {"board": {"slowdown": 2.0}}}
    given = load_given(document(devices=devices, operators=operators, options=options))
    assert given.costs.memory_share.tolist() == [[512, 0], [0, 0]]
    assert given.pool.slowed_devices == (True, True)
    assert load_given(document()).costs.memory_share.size == 0
    operators[0]["memory_share"] = {"gpu0": 1.5}
    with pytest.raises(ModelError) as caught:
        load_given(document(devices=devices, operators=operators))
    assert caught.value.code == "tables_range"
