"""Plain-tables documents to plan in the tests of the public interface."""

from __future__ import annotations

from typing import Any


def diamond(**changes: Any) -> dict[str, Any]:
    """Four operators on a GPU, an NPU and a CPU: a source, two branches, a join that the NPU cannot run."""
    figures = {"a": (1.0, 0.8, 4.0), "left": (3.0, 2.0, 9.0), "right": (3.0, 2.5, 9.0), "join": (1.0, None, 3.0)}
    operators = [
        {
            "name": name,
            "op_type": "Conv",
            "time_ms": {"gpu0": gpu, "npu0": npu, "cpu0": cpu},
            "energy_j": {"gpu0": gpu * 0.3, "cpu0": cpu * 0.1, **({} if npu is None else {"npu0": npu * 0.05})},
        }
        for name, (gpu, npu, cpu) in figures.items()
    ]
    edges = [("a", "left"), ("a", "right"), ("left", "join"), ("right", "join")]
    document = {
        "format": "heteroopt-tables-1",
        "name": "diamond",
        "devices": [
            {
                "name": "gpu0",
                "device_type": "GPU",
                "memory_size_bytes": 10**9,
                "idle_power_w": 30,
                "active_power_w": 330,
            },
            {"name": "npu0", "device_type": "NPU", "memory_size_bytes": 10**9, "idle_power_w": 5, "active_power_w": 55},
            {
                "name": "cpu0",
                "device_type": "CPU",
                "memory_size_bytes": 10**10,
                "idle_power_w": 20,
                "active_power_w": 120,
            },
        ],
        "links": [{"source": "gpu0", "target": "npu0", "bandwidth_gb_per_s": 10.0, "latency_us": 20.0}],
        "operators": operators,
        "edges": [{"source": source, "target": target, "size_bytes": 1_000_000} for source, target in edges],
    }
    return {**document, **changes}
