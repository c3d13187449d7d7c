"""The figures of parallel training that hold on any machine: splits, step times, relays, racks with shared uplinks."""

from __future__ import annotations

from typing import Any

from benchmarks import training_cases, training_plans
from heteroopt.training.profile import published_profile

PROFILE = published_profile()


def test_the_scale_is_the_fitted_one() -> None:
    assert round(training_plans.fitted_scale(), 3) == PROFILE.rate_scale
    found = training_plans.step_times(PROFILE)
    assert found["mean_error"] <= 0.08
    assert found["largest_error"] <= 0.13
    assert abs(found["gain"]["error"]) <= 0.1


def test_no_published_split_is_faster_than_ours() -> None:
    rows = training_plans.layer_splits(PROFILE)
    assert len(rows) == 6
    assert all(one["exact"] or one["published_over_ours"] >= -0.02 for one in rows)
    for one, published in zip(rows, training_cases.PUBLISHED, strict=True):
        assert one["published"] == [[layers for _gpu, _degree, layers in stages] for stages, _ in published.chains]


def test_links_that_are_equally_busy(monkeypatch: Any) -> None:
    """Racks of three nodes: their network cards and uplinks fill up together, and no single move helps."""
    racks = [one for one in training_cases.TOPOLOGIES if one[0] == "3 levels, racks of 3 at 150"]
    monkeypatch.setattr(training_cases, "TOPOLOGIES", racks)
    rows = training_plans.topologies(PROFILE)
    assert [one["background"] for one in rows] == [False, False, True, True]
    assert all(1 - 1e-9 <= one["over_bound"] <= 1.05 for one in rows)


def test_relays_from_32_to_31() -> None:
    found = training_plans.lost_gpu(PROFILE)
    assert found["relayed_over_direct"] <= 0.25
    assert found["bound_s"] <= found["relayed_s"]
