"""Made-up measurements whose truth is a known roofline, for tests of what is learned from them."""

from __future__ import annotations

import numpy as np

from heteroopt.calibration.cases import make_cases
from heteroopt.costs.database import FORMAT, PerformanceDatabase
from heteroopt.costs.facts import OperatorFacts

FLOP_PER_S, BYTES_PER_S, OVERHEAD_S = 5e10, 1e10, 3e-6


def true_seconds(facts: OperatorFacts) -> float:
    """The device's law: convolutions reach half of its peak where their channels do not fill its vectors."""
    shape = facts.outputs[0][1] or (16,)
    channels = shape[1] if len(shape) == 4 else shape[-1]
    reached = FLOP_PER_S * (0.5 if facts.main == "Conv" and channels % 16 else 1.0)
    moved = facts.bytes_read + facts.bytes_written
    return max(facts.flops / reached, moved / BYTES_PER_S) + OVERHEAD_S


def bundle(count: int = 200, *, noise: float = 0.02, seed: int = 0, launch_s: float = 0.0, truth=true_seconds) -> dict:
    """A bundle over a designed spread, with relative noise."""
    generator = np.random.default_rng(seed)
    rows = []
    for case in make_cases(count=count, seed=1)[0]:
        if "role" in case:
            continue
        seconds = truth(OperatorFacts.from_dict(case["facts"])) * (1 + noise * float(generator.uniform(-1, 1)))
        rows.append(
            {
                "facts": case["facts"], "median_s": seconds + launch_s, "minimum_s": seconds * 0.98 + launch_s,
                "spread_s": seconds * 0.01, "repeats": 10, "flags": [], "from_model": False,
            }
        )  # fmt: skip
    return {
        "format": FORMAT,
        "device": {
            "runtime": "made-up", "index": 0, "name": "d0", "host": "h", "processor": "p", "threads": 1,
            "fingerprint": "abc", "versions": {"made-up": "1"},
        },
        "launch_overhead_s": launch_s, "rows": rows, "failed": [], "flags": [], "measured_at": 1_000_000,
        "energy": {"source": "", "idle_power_w": 0.0, "power_w": {}},
    }  # fmt: skip


def database(count: int = 200, **options) -> PerformanceDatabase:
    """The same, read."""
    return PerformanceDatabase.from_dict(bundle(count, **options))
