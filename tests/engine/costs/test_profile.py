"""Profiles of a model: their file, the graph that they are of, and the costs and intervals that plans take."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest

from heteroopt.costs.bundle import bundle_hash
from heteroopt.costs.calibrated import calibrated_cost_table
from heteroopt.costs.database import MeasuredDevice
from heteroopt.costs.profile import Profile
from heteroopt.costs.table import COST_SOURCES
from heteroopt.devices.pool import DevicePool
from heteroopt.devices.spec import DeviceSpec
from heteroopt.errors import CostError
from heteroopt.graph.fusion import fuse
from heteroopt.graph.graph import Graph
from heteroopt.graph.sketch import Sketch

BARE = DeviceSpec(name="d1", device_type="NPU", memory_size_bytes=10**9)


def model_graph(channels: int = 4) -> Graph:
    """Conv, Relu and Softmax, as the reader gives them: not fused."""
    nodes = [("Conv", "x w", "c", {"kernel_shape": [1, 1]}), ("Relu", "c", "r", {}), ("Softmax", "r", "y", {})]
    fused = Sketch(nodes, {"x": (1, channels, 5, 5)}, {"w": (6, channels, 1, 1)}).graph()
    return fused if fused.original is None else fused.original


def profile_of(graph: Graph, **changes) -> Profile:
    """Conv takes 2 ms, Relu 1 ms, Softmax 3 ms."""
    made = Profile(
        device=MeasuredDevice("made-up", 0, "d0", "h", "p", 1, "f" * 16, {"made-up": "1"}),
        graph_hash=graph.content_hash, model_name="m", outputs=("c", "r", "y"), seconds=np.array([2e-3, 1e-3, 3e-3]),
        median_s=6e-3, minimum_s=5.9e-3, spread_s=1e-5, scale=0.97, matched=0.98, operators_profiled=2, measured_at=7,
    )  # fmt: skip
    return replace(made, **changes)


def test_a_fused_operator_takes_what_its_members_took_and_says_that_it_was_profiled():
    graph = model_graph()
    fused = fuse(graph)
    table = calibrated_cost_table(fused, DevicePool([BARE]), {}, {"d1": profile_of(graph)})
    assert table.time_ps[:, 0].tolist() == [3 * 10**9, 3 * 10**9]
    assert {COST_SOURCES[code] for code in table.source[:, 0]} == {"profiled"}
    assert table.low_ps[0, 0] == pytest.approx(0.9 * 3e9) and table.high_ps[0, 0] == pytest.approx(1.1 * 3e9)
    plain = calibrated_cost_table(graph, DevicePool([BARE]), {}, {"d1": profile_of(graph)})
    assert plain.time_ps[:, 0].tolist() == [2 * 10**9, 10**9, 3 * 10**9]


@pytest.mark.parametrize(
    ("changes", "spread"),
    [({}, 0.1), ({"matched": 0.7}, 0.3), ({"scale": 1.4}, 0.4), ({"spread_s": 1.2e-3}, 0.2), ({"scale": 9.0}, 0.99)],
)
def test_the_interval_is_as_wide_as_the_worst_of_what_speaks_against_it(changes, spread):
    assert profile_of(model_graph(), **changes).spread == pytest.approx(spread)


def test_a_profile_of_another_model_is_refused():
    with pytest.raises(CostError) as caught:
        calibrated_cost_table(model_graph(8), DevicePool([BARE]), {}, {"d1": profile_of(model_graph())})
    assert caught.value.code == "profile_other_model"


def test_a_file_comes_back_as_it_was(tmp_path):
    graph = model_graph()
    made = profile_of(graph)
    told = made.save(tmp_path / "p.json")
    again = Profile.load(tmp_path / "p.json")
    assert again.content_hash == told
    assert again.to_dict() == made.to_dict()
    assert again.seconds_of(graph).tolist() == [2e-3, 1e-3, 3e-3]


@pytest.mark.parametrize(
    ("change", "code", "where"),
    [
        (lambda c: c["operators"][0].__setitem__(1, -1.0), "profile_invalid", "operators[0]"),
        (lambda c: c["operators"][1].__setitem__(1, True), "profile_invalid", "operators[1]"),
        (lambda c: c.__setitem__("matched", 1.5), "profile_invalid", "matched"),
        (lambda c: c.__setitem__("median_s", 0.0), "profile_invalid", "median_s"),
        (lambda c: c["device"].__setitem__("fingerprint", ""), "profile_invalid", "device"),
        (lambda c: c.__setitem__("operators", []), "profile_invalid", "operators"),
        (lambda c: c.__setitem__("format", "x"), "profile_invalid", "format"),
        (lambda c: c.__setitem__("measured_at", 8), "profile_changed", None),
    ],
)
def test_what_does_not_hold_is_refused_with_the_place(change, code, where):
    content = profile_of(model_graph()).to_dict()
    change(content)
    if code != "profile_changed":
        content["hash"] = bundle_hash(content)
    with pytest.raises(CostError) as caught:
        Profile.load(json.dumps(content).encode())
    assert (caught.value.code, caught.value.params.get("where")) == (code, where)


@pytest.mark.parametrize("data", [b"\xff", b"{", b"[]", b"[" * 100_000, b'{"a": NaN}'])
def test_what_is_no_json_is_refused(data):
    with pytest.raises(CostError) as caught:
        Profile.load(data)
    assert caught.value.code == "profile_unreadable"
