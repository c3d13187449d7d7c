"""Placements that planners have got wrong in public: cut to pieces, and an even split that runs out of memory."""

from itertools import pairwise

import heteroopt as hopt


def test_a_chain_that_an_accelerator_supports_every_second_operator_of_stays_on_the_cpu():
    names = [f"op{i}" for i in range(40)]
    operators = [
        {"name": name, "time_ms": {"cpu0": 0.2, **({"npu0": 0.1} if i % 2 else {})}} for i, name in enumerate(names)
    ]
    tables = hopt.load_tables(
        {
            "format": "heteroopt-tables-1",
            "devices": [
                {"name": "cpu0", "device_type": "CPU", "memory_size_bytes": 10**10},
                {"name": "npu0", "device_type": "NPU", "memory_size_bytes": 10**10},
            ],
            "links": [{"source": "cpu0", "target": "npu0", "bandwidth_gb_per_s": 1.0, "latency_us": 50.0}],
            "operators": operators,
            "edges": [{"source": a, "target": b, "size_bytes": 200_000} for a, b in pairwise(names)],
        }
    )
    result = hopt.Scheduler(tables.graph, tables.pool, costs=tables.costs, generations=20, population_size=32).run()
    fastest = result.select("fastest")
    assert set(fastest.placement.values()) == {"cpu0"}
    assert (fastest.exec_time, fastest.n_transfers, fastest.transferred_bytes) == (8.0, 0, 0)


def test_layers_of_unequal_size_are_split_by_bytes():
    # 2 layers of 4.2 GB and 6 of 0.7 GB on two devices of 10 GB: half of the layers each would be 9.8 and 2.8 GB.
    weights = [4_200_000_000] * 2 + [700_000_000] * 6
    names = [f"layer{i}" for i in range(8)]
    devices = [
        {"name": name, "device_type": "GPU", "memory_size_bytes": 10**10, "workspace_bytes": 100_000_000}
        for name in ("gpu0", "gpu1")
    ]
    tables = hopt.load_tables(
        {
            "format": "heteroopt-tables-1",
            "devices": devices,
            "operators": [
                {"name": name, "time_ms": {"gpu0": 1.0, "gpu1": 1.0}, "weight_bytes": size}
                for name, size in zip(names, weights, strict=True)
            ],
            "edges": [{"source": a, "target": b, "size_bytes": 105_000_000} for a, b in pairwise(names)],
        }
    )
    result = hopt.Scheduler(tables.graph, tables.pool, costs=tables.costs, generations=20, population_size=32).run()
    assert result.outcome != "no_feasible"
    assert not result.default_plan["feasible"]
    assert result.default_plan["kind"] == "least_overflow"
    usable = int(10**10 * 0.85) - 100_000_000
    for plan in result.pareto_front:
        assert plan.feasible
        assert plan.peak_memory_bytes <= usable
        assert plan.placement["layer0"] != plan.placement["layer1"]
