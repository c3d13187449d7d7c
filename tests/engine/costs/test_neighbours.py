"""Bytes that stay in a runtime's layout between operators, weights out of memory, worked by hand, and their cost."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from heteroopt.costs.calibrated import calibrated_cost_table, segment_seconds
from heteroopt.costs.database import MeasuredHandover
from heteroopt.costs.device_model import DeviceCostModel
from heteroopt.costs.neighbours import (
    Neighbours,
    cold_weight_bytes,
    kept_layout_bytes,
    mean_border_bytes,
    neighbours,
)
from heteroopt.devices.pool import DevicePool
from heteroopt.graph.graph import Graph
from heteroopt.graph.sketch import Sketch
from tests.engine.costs.measured import database

POINT = {"kernel_shape": [1, 1]}


def unfused(*nodes, outputs="y", **inputs) -> Graph:
    weights = {name: (16, 16, 1, 1) for node in nodes for name in node[1].split() if name.startswith("w")}
    return Graph.from_onnx(Sketch(nodes, inputs, weights).model())


IMAGE = 16 * 10 * 10 * 4


def test_only_what_lies_between_operators_of_the_same_layout_is_kept():
    graph = unfused(
        ("Conv", "x w1", "a", POINT), ("Conv", "a w2", "b", POINT), ("Softmax", "b", "c", {}),
        ("Conv", "c w3", "d", POINT), ("Relu", "d", "e", {}), ("Conv", "e w4", "y", POINT),
        x=(1, 16, 10, 10),
    )  # fmt: skip
    # a: conv to conv; b and c touch a softmax; d and e: beside a Relu on one shape; x and y are the model's
    by_type = [kept_layout_bytes(graph)[op.index] / IMAGE for op in graph.operators if op.op_type == "Conv"]
    assert by_type == [1, 1, 1, 1]
    assert kept_layout_bytes(graph).sum() == 4 * IMAGE


def test_a_tensor_with_one_reader_in_another_layout_is_not_kept():
    graph = unfused(
        ("Conv", "x w1", "a", POINT), ("Conv", "a w2", "b", POINT), ("Softmax", "a", "c", {}), ("Add", "b c", "y", {}),
        x=(1, 16, 10, 10),
    )  # fmt: skip
    # the first hands out both layouts; the second still reads the one it wants, and its sum is on one shape
    assert [kept_layout_bytes(graph)[op.index] / IMAGE for op in graph.operators] == [0, 2, 0, 0]


def test_few_channels_and_flat_tensors_have_no_layout():
    graph = unfused(("Softmax", "x", "a", {}), ("Conv", "a w1", "y", POINT), x=(1, 16, 1, 1))
    assert kept_layout_bytes(graph).tolist() == [0, 0]


def test_a_border_has_the_images_on_average_that_lose_their_layout_there():
    graph = unfused(
        ("Conv", "x w1", "a", POINT), ("Conv", "a w2", "b", POINT), ("Softmax", "b", "c", {}),
        ("Conv", "c w3", "d", POINT), ("Add", "d a", "e", {}), ("Conv", "e w4", "y", POINT),
        x=(1, 16, 10, 10),
    )  # fmt: skip
    # a lies in four of five places (it is read again at the sum), d and e in one; b and c are beside a softmax
    assert mean_border_bytes(graph) == pytest.approx((4 + 1 + 1) / 5 * IMAGE)
    assert mean_border_bytes(unfused(("Relu", "x", "a", {}), ("Relu", "a", "y", {}), x=(1, 16, 10, 10))) == 0
    assert mean_border_bytes(unfused(("Conv", "x w1", "y", POINT), x=(1, 16, 10, 10))) == 0


def test_a_segment_costs_its_hand_over_and_the_layouts_at_both_of_its_borders():
    trained = DeviceCostModel.train(database(10, launch_s=2e-6))
    handed = replace(trained, database=replace(trained.database, handover=MeasuredHandover("d1", 75e-6)))
    laid = replace(handed, database=replace(handed.database, layout_s_per_byte=1e-9))
    assert segment_seconds(trained, 0.0) == 2e-6
    assert segment_seconds(handed, IMAGE) == 75e-6
    assert segment_seconds(laid, IMAGE) == pytest.approx(75e-6 + 2 * 6400e-9)
    graph = unfused(("Conv", "x w1", "a", POINT), ("Conv", "a w2", "y", POINT), x=(1, 16, 10, 10))
    pool = DevicePool.from_toml(
        """
[[devices]]
name = "own"
template = "Intel_Xeon_8380"
[[devices]]
name = "told"
template = "Intel_Xeon_8380"
segment_launch_us = 3
[[devices]]
name = "plain"
template = "Intel_Xeon_8380"
"""
    )
    table = calibrated_cost_table(graph, pool, {"own": laid, "told": laid})
    assert table.segment_launch_ps.tolist() == [75_000_000 + 12_800_000, 3_000_000, 0]


def test_kept_bytes_shorten_what_was_measured_alone_down_to_a_fifth():
    model = DeviceCostModel.train(database(10))
    row = next(iter(model.database.rows.values()))
    plain = model.predict([row.facts])
    laid = replace(model, database=replace(model.database, layout_s_per_byte=1e-9))
    tenth = np.array([0.1 * float(plain.seconds[0]) / 1e-9])
    found = laid.predict([row.facts], Neighbours(tenth, np.zeros(1)))
    assert found.seconds[0] == pytest.approx(0.9 * plain.seconds[0])
    assert found.high_s[0] == pytest.approx(0.9 * plain.high_s[0])
    assert laid.predict([row.facts], Neighbours(100 * tenth, np.zeros(1))).seconds[0] == pytest.approx(
        0.2 * plain.seconds[0]
    )
    assert laid.predict([row.facts]).seconds[0] == plain.seconds[0]


def test_weights_that_were_driven_out_of_caches_are_read_from_memory():
    products = [("MatMul", f"x{i} v{i}", f"x{i + 1}", {}) for i in range(9)]
    sketch = Sketch(products, {"x0": (1, 1000)}, {f"v{i}": (1000, 1000) for i in range(9)})
    graph = sketch.graph()
    assert cold_weight_bytes(graph).tolist() == [4_000_000] * 9
    few = Sketch(products[:3], {"x0": (1, 1000)}, {f"v{i}": (1000, 1000) for i in range(3)}).graph()
    assert cold_weight_bytes(few).sum() == 0  # twelve megabytes stay in the cache
    large = Sketch(products[:1], {"x0": (1, 1000)}, {"v0": (1000, 9000)}).graph()
    assert cold_weight_bytes(large).sum() == 0  # never were in one
    model = DeviceCostModel.train(database(10))
    model = replace(model, database=replace(model.database, weight_s_per_byte=1e-10))
    facts = next(iter(model.database.rows.values())).facts
    plain = float(model.predict([facts]).seconds[0])
    assert model.predict([facts], neighbours(graph).of([0])).seconds[0] == pytest.approx(plain + 4e-4)


def test_transposed_convolutions_and_those_of_single_points_keep_no_layout():
    kinds = [("Conv", "x w1", "a", POINT), ("ConvTranspose", "a w2", "b", POINT), ("Conv", "b w3", "y", POINT)]
    graph = unfused(*kinds, x=(1, 16, 10, 10))
    assert [kept_layout_bytes(graph)[op.index] / IMAGE for op in graph.operators] == [1, 0, 1]
