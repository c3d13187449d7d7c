"""Plans of an earlier search on another pool, or of a graph that joins other operators."""

import numpy as np
import pytest

from heteroopt.devices.pool import DevicePool
from heteroopt.devices.spec import DeviceSpec
from heteroopt.errors import SettingsError
from heteroopt.graph.fusion import fuse
from heteroopt.graph.graph import Graph
from heteroopt.graph.samples import bert_encoder_onnx
from heteroopt.search.inheritance import MISSING, EarlierPlans, legal_plans, legalised
from heteroopt.search.space import make_space
from tests.engine.factories import small_problem


def pool(*names):
    return DevicePool([DeviceSpec(template="NVIDIA_A100_40G", name=name) for name in names])


@pytest.fixture(scope="module")
def fused():
    return fuse(Graph.from_onnx(bert_encoder_onnx(layers=1, hidden=64, heads=2, seq=16)))


def plans_of(graph, n_devices, count=3):
    rng = np.random.default_rng(1)
    n = len(graph.operators)
    orders = np.repeat(np.arange(n, dtype=np.int32)[None], count, axis=0)
    return orders, rng.integers(0, n_devices, (count, n)).astype(np.int32)


def test_the_same_graph_and_pool_give_the_same_plans(fused):
    orders, devices = plans_of(fused, 2)
    again = EarlierPlans.of(fused, pool("a", "b"), orders, devices).on(fused, pool("a", "b"))
    assert np.array_equal(again[0], orders)
    assert np.array_equal(again[1], devices)


def test_devices_are_matched_by_name_and_missing_ones_are_marked(fused):
    orders, devices = plans_of(fused, 3)
    _, moved = EarlierPlans.of(fused, pool("a", "b", "c"), orders, devices).on(fused, pool("c", "new", "a"))
    assert np.array_equal(moved, np.array([2, MISSING, 0])[devices])


def test_plans_of_fused_operators_place_the_operators_in_them_and_come_back(fused):
    orders, devices = plans_of(fused, 2)
    plain, here = fused.original, pool("a", "b")
    assert len(plain.operators) > len(fused.operators)
    apart = EarlierPlans.of(fused, here, orders, devices).on(plain, here)
    for operator in fused.operators:
        for member in operator.members:
            assert (apart[1][:, member] == devices[:, operator.index]).all()
    for row in apart[0]:
        place = np.argsort(row)
        assert all(place[p] < place[i] for i in range(len(place)) for p in plain.predecessors(i))
    joined = EarlierPlans.of(plain, here, *apart).on(fused, here)
    assert np.array_equal(joined[0], orders)
    assert np.array_equal(joined[1], devices)


def test_plans_of_another_model_are_refused(fused):
    other = Graph.from_onnx(bert_encoder_onnx(layers=1, hidden=64, heads=2, seq=32))
    with pytest.raises(SettingsError) as refusal:
        EarlierPlans.of(fused, pool("a"), *plans_of(fused, 1)).on(other, pool("a"))
    assert refusal.value.code == "warm_start_graph"


def test_illegal_devices_become_the_fastest_legal_one_and_groups_stay_together():
    problem = small_problem(
        [[5, 9, 1], [7, 2, 9], [3, 3, 1], [4, 8, 9]], [[0], [1], [2], [3]], [[1], [2], [3], [4]], [10] * 5,
        output_tensors=[4], forbidden=[2], group=[-1, 0, 0, -1],
    )  # fmt: skip
    order, device = legalised(make_space(problem), [3, 2, 1, 0], [MISSING, 0, 2, 1])
    assert order.tolist() == [0, 1, 2, 3]
    assert device.tolist() == [0, 0, 0, 1]


def test_a_gap_is_filled_in_several_ways():
    problem = small_problem(
        [[3, 9, 9]] * 4, [[0], [1], [2], [3]], [[1], [2], [3], [4]], [1] * 5, output_tensors=[4], forbidden=[2]
    )  # fmt: skip
    space, order = make_space(problem), np.arange(4, dtype=np.int32)
    plans = np.array([[1, MISSING, MISSING, 0], [1, 1, 0, 0]], np.int32)
    orders, devices = legal_plans(space, np.array([order, order]), plans)
    assert devices.tolist() == [[1, 0, 0, 0], [1, 1, 0, 0], [1, 1, 1, 0]]
    assert (orders == order).all()
    assert legal_plans(space, np.array([order]), plans[1:])[1].tolist() == [[1, 1, 0, 0]]
